"""Directed cycles over subsets of vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._data.checks import Limit
from .._data.relations import pair_names, pair_number
from .._lib.structure import Description
from ._layout import Layout
from ._search.constraints import Restriction
from ._visits import VisitConditions, Visits, from_smallest, listed_cycle


class DirectedCycles(Visits):
    r"""Directed cycles over subsets of N vertices: :math:`\psi_{uv}(y)`, u < v, is +1 for u→v, −1 for v→u, else 0.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 3. None: when an estimator is fitted, the number of columns of y, or one more
        than its largest vertex where that is larger.

    Notes
    -----
    y has shape ``(n, N)``: a row lists the vertices 0..N−1 of a cycle in their order, three or more, each once, padded
    with −1 at the right. Narrower matrices and lists of different lengths are accepted too. The cycle returns from the
    last vertex to the first, which is not repeated; rotations are the same cycle, and results begin with the smallest
    vertex. The embedding has d = N(N−1)/2 entries, pairs in lexicographic order. The default metric is
    `policy_cosine`.

    Decoding finds the cycle of largest score among those of all lengths, exactly by dynamic programming over subsets
    up to 16 vertices, O(2^N N²), beyond that by local search, whose score is at least half-way between the least and
    the largest one.

    Constraints have the keys ``start`` and ``end``, one vertex each, ``length``, the number of vertices, and
    ``required`` and ``forbidden``, lists of vertices and of arcs, which are pairs of vertices. A cycle with a start
    visits it and is listed from there; the end is what it visits before it returns to the start. Under constraints
    decoding is exact while the other vertices that may be visited are at most 17, or few enough of more are by
    ``length``.

    There are :math:`\sum_{i\ge3}\binom{N}{i}(i-1)!` directed cycles. The covariance has one eigenvalue, on the
    circulations: as much flows into every vertex as out of it (Vembu, 2010, ch. 5 and app. A, where cycles of length 2
    are to be left out).

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
    _entries = "signs and zeros"
    _parameter = "n_vertices"
    _noun = ("vertex", "vertices")
    _what = "a cycle"
    _least = 3
    _limit = Limit(2**14, "beyond that the N(N−1)/2 scores of a single cycle take more than a gigabyte")

    def __init__(self, n_vertices: int | None = None) -> None:
        self.n_vertices = n_vertices

    def _normalised(self, lists: NDArray[np.int32]) -> NDArray[np.int32]:
        return from_smallest(lists, either_way=False)

    def feature_names(self) -> NDArray[np.object_]:
        return np.array(pair_names(self._n(), "->"), dtype=object)

    @property
    def layout(self) -> Layout:
        return Layout.of_pairs("directions", self._n())

    def _restricted(self, conditions: VisitConditions, free: Description) -> Restriction:
        n = self._n()
        pair = pair_number(n)
        unused = sorted({*conditions.unused, *conditions.excluded_by_used()})
        return Restriction(
            conditions.describe(free),
            must_not=tuple((pair(u, v), 1 if u < v else -1) for u, v in unused),
            signed=True,
            listed=listed_cycle(conditions.start, conditions.end, either_way=False),
            shown=conditions.shown,
        )

    def _best_by_program(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction | None = None
    ) -> tuple[NDArray[np.int32], float]:
        from .._programs.tours import best_directed_cycle
        from ._search.programs import visit_cuts  # loads the solver

        n = self._n()
        gains = np.zeros((n, n))
        u, v = np.triu_indices(n, 1)
        gains[u, v], gains[v, u] = magnitude + linear, magnitude - linear

        def arc(tail: int, head: int) -> int:
            return tail * (n - 1) + head - (head > tail)

        def variable(pair: int, sign: int) -> int:
            tail, head = (int(u[pair]), int(v[pair]))[::sign]
            return arc(tail, head)

        conditions = visit_cuts(restriction, n, visited=n * (n - 1), step=arc, variable=variable)
        cycle, bound = best_directed_cycle(n, gains, conditions)
        return self._encode([cycle])[0], bound
