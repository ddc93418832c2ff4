"""Undirected cycles over subsets of vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.glossary import documented
from .._lib.structure import structure_layout
from ._search.constraints import Restriction
from ._visits import Visits


@documented
class Cycles(Visits):
    r"""Undirected cycles over subsets of N vertices.

    :math:`\psi_{uv}(y)`, u < v, is 1 if u and v are neighbours, else 0.

    Parameters
    ----------
    %(n_vertices)s
    %(vertices)s

    Notes
    -----
    y has shape ``(n, N)``: a row lists the vertices of a cycle in order, out of 0..N−1, at least three and none twice,
    padded with −1 on the right. Narrower matrices and lists of different lengths are accepted, too, and lists of names.
    The cycle returns
    from the last vertex to the first, which is not repeated. Rotations and reflections are the same cycle; results
    begin with the smallest vertex and go on to its smaller neighbour. The embedding has d = N(N−1)/2 entries, edges
    u < v in lexicographic order. The default metric is `cycle_f1`.

    `from_names` and `to_names` convert lists of names to y and back.

    Decoding finds the cycle of largest score among those of all lengths. Up to 16 vertices it is exact, by dynamic
    programming over subsets in O(2^N N²); beyond that it is a local search with a proven bound.

    Constraints have the keys ``start`` and ``end``, one vertex each; ``length``, the number of vertices, or the least
    and the largest number as a pair; and ``required`` and ``forbidden``, lists of vertices and of edges, which are
    pairs of vertices. A cycle with a start visits it and is listed from there; the end is a neighbour of the start and
    listed last. Under constraints, decoding is exact as long as at most 17 other vertices may be visited, or more if
    ``length`` is small.

    There are :math:`\sum_{i\ge3}\binom{N}{i}(i-1)!/2` cycles. The covariance has three eigenvalues, on the eigenspaces
    of the Johnson scheme: constants, sums of one number for each vertex, and the rest (Vembu, 2010, section 4.3.1,
    whose formulas must leave out cycles of length 2).

    Examples
    --------
    >>> from combpred.structures import Cycles
    >>> Cycles(4).embed([[2, 1, 0], [0, 3, 2, 1]])
    array([[1., 1., 0., 1., 0., 0.],
           [1., 0., 1., 1., 0., 1.]])
    >>> Cycles(4).decode([1.0, -1.0, 0.5, 1.0, 2.0, -0.2])
    array([ 0,  1,  3, -1], dtype=int32)
    """

    name = "cycles"
    default_metric = "cycle_f1"

    def visited(self) -> sparse.csr_array:
        """Return the matrix L such that L ψ(y) says which vertices a cycle y visits, each by two edges.

        Returns
        -------
        L : sparse matrix of shape (n, d)
        """
        layout = structure_layout(self.space.description)
        d, ends = self.n_features, np.concatenate([layout.rows, layout.columns])
        return sparse.csr_array((np.full(2 * d, 0.5), (ends, np.tile(np.arange(d), 2))), shape=(layout.n_items, d))

    @staticmethod
    def _program(
        n: int, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction
    ) -> tuple[list[int], float]:
        from .._programs.tours import best_cycle
        from ._search.programs import visit_cuts  # loads the solver

        pairs = np.zeros((n, n), dtype=np.intp)  # by both of their ends
        pairs[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
        steps = pairs + pairs.T
        conditions = visit_cuts(restriction, n, visited=n * (n - 1) // 2, step=lambda u, v: int(steps[u, v]))
        return best_cycle(n, linear + magnitude, conditions)  # ψ is 0 or 1
