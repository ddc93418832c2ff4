"""Directed cycles over subsets of vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._data.glossary import documented
from ._search.constraints import Restriction
from ._visits import Visits


@documented
class DirectedCycles(Visits):
    r"""Directed cycles over subsets of N vertices.

    :math:`\psi_{uv}(y)`, u < v, is +1 for u→v, −1 for v→u, else 0.

    Parameters
    ----------
    %(n_vertices)s
    %(vertices)s

    Notes
    -----
    y has shape ``(n, N)``: a row lists the vertices of a cycle in order, out of 0..N−1, at least three and none twice,
    padded with −1 on the right. Narrower matrices and lists of different lengths are accepted, too, and lists of names.
    The cycle returns
    from the last vertex to the first, which is not repeated. Rotations are the same cycle; results begin with the
    smallest vertex. The embedding has d = N(N−1)/2 entries, pairs in lexicographic order. The default metric is
    `policy_cosine`.

    `from_names` and `to_names` convert lists of names to y and back.

    Decoding finds the cycle of largest score among those of all lengths. Up to 16 vertices it is exact, by dynamic
    programming over subsets in O(2^N N²); beyond that it is a local search, whose result scores at least half-way
    between the least and the largest score.

    Constraints have the keys ``start`` and ``end``, one vertex each; ``length``, the number of vertices, or the least
    and the largest number as a pair; and ``required`` and ``forbidden``, lists of vertices and of arcs, which are pairs
    of vertices. A cycle with a start visits it and is listed from there; the end is the last vertex before the cycle
    returns to the start. Under constraints, decoding is exact as long as at most 17 other vertices may be visited, or
    more if ``length`` is small.

    There are :math:`\sum_{i\ge3}\binom{N}{i}(i-1)!` directed cycles. The covariance has one nonzero eigenvalue, whose
    eigenspace are the circulations: flows that enter every vertex as much as they leave it. The counts are those of
    Vembu (2010), app. B.

    Examples
    --------
    >>> from combpred.structures import DirectedCycles
    >>> cycles = DirectedCycles(4)
    >>> cycles.embed([[2, 0, 1], [0, 3, 2, 1]])
    array([[ 1., -1.,  0.,  1.,  0.,  0.],
           [-1.,  0.,  1., -1.,  0., -1.]])
    >>> cycles.decode([1.0, -1.0, 0.5, 1.0, 2.0, -0.2])
    array([0, 1, 3, 2], dtype=int32)
    """

    name = "directedcycles"
    default_metric = "policy_cosine"

    @staticmethod
    def _program(
        n: int, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction
    ) -> tuple[list[int], float]:
        from .._programs.tours import best_directed_cycle
        from ._search.programs import visit_cuts  # loads the solver

        gains = np.zeros((n, n))
        u, v = np.triu_indices(n, 1)
        gains[u, v], gains[v, u] = magnitude + linear, magnitude - linear

        def arc(tail: int, head: int) -> int:
            return tail * (n - 1) + head - (head > tail)

        def variable(pair: int, sign: int) -> int:
            tail, head = (int(u[pair]), int(v[pair]))[::sign]
            return arc(tail, head)

        conditions = visit_cuts(restriction, n, visited=n * (n - 1), step=arc, variable=variable)
        return best_directed_cycle(n, gains, conditions)
