"""Cycles and routes over subsets of places, as integer programs with subtour elimination constraints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, depth_first_order

from .._lib.arrays import FloatArray
from .program import Cut, maximise


def best_directed_cycle(n: int, gains: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[list[int], float]:
    """Return a directed cycle of at least 3 out of n vertices with the largest sum of gains.

    Parameters
    ----------
    n : int
        Number of vertices, at least 3.
    gains : ndarray of shape (n, n)
        ``gains[u, v]`` is the gain of the arc from u to v; the diagonal is not read.
    conditions : sequence of Cut, default=()
        Further constraints. There is one variable for each arc, row by row, and after these one for each vertex, which
        is 1 if the vertex is visited.

    Returns
    -------
    cycle : list of int
        Vertices in visiting order, from the smallest one on.
    upper_bound : float
        Proven bound on the sums of gains of all cycles.

    Raises
    ------
    InfeasibleError
        When no cycle satisfies the conditions.
    """
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    back = np.lexsort((u, v)).tolist()  # from the head of each arc to its tail; not both, as there are 3 vertices
    once = [Cut([arc, other], [1.0, 1.0], 0.0, 1.0) for arc, other in enumerate(back) if arc < other]
    return _best_tour(n, u, v, gains[u, v], [*once, *conditions])


def best_cycle(n: int, gains: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[list[int], float]:
    """Return an undirected cycle of at least 3 out of n vertices with the largest sum of gains.

    Parameters, results and errors are those of :func:`best_directed_cycle`, but `gains` has shape ``(n(n−1)/2,)``: one
    number for each edge u < v in lexicographic order, which is also the order of the variables. Of its two directions,
    the cycle has the one whose second vertex is smaller than its last.
    """
    u, v = np.triu_indices(n, 1)
    cycle, bound = _best_tour(n, u, v, gains, conditions, directed=False)
    return (cycle if cycle[1] < cycle[-1] else [cycle[0], *cycle[:0:-1]]), bound


def best_route(
    n: int, gains: FloatArray, starts: FloatArray, ends: FloatArray, conditions: Sequence[Cut] = ()
) -> tuple[list[int], float]:
    """Return a simple directed path over at least 2 out of n places with the largest sum of gains.

    Parameters
    ----------
    n : int
        Number of places, at least 2.
    gains : ndarray of shape (n, n)
        ``gains[u, v]`` is the gain of the arc from u to v; the diagonal is not read.
    starts, ends : ndarray of shape (n,)
        Gains of starting, and of ending, at each place.
    conditions : sequence of Cut, default=()
        Further constraints. There is one variable for each arc, row by row, and after these one for each start, each
        end and each place, which is 1 if the place is visited.

    Returns
    -------
    route : list of int
        Places in visiting order.
    upper_bound : float
        Proven bound on the sums of gains of all routes.

    Raises
    ------
    InfeasibleError
        When no route satisfies the conditions.
    """
    # A route is a cycle through one further vertex, a depot with number n.
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    places, depot = np.arange(n), np.full(n, n)
    at_depot = Cut([len(u) + 3 * n], [1.0], 1.0, 1.0)
    cycle, bound = _best_tour(
        n + 1, np.concatenate([u, depot, places]), np.concatenate([v, places, depot]),
        np.concatenate([gains[u, v], starts, ends]), [*conditions, at_depot],
    )  # fmt: skip
    at = cycle.index(n)
    return cycle[at + 1 :] + cycle[:at], bound


def _best_tour(
    n: int,
    u: NDArray[np.intp],
    v: NDArray[np.intp],
    gains: FloatArray,
    conditions: Sequence[Cut],
    *,
    directed: bool = True,
) -> tuple[list[int], float]:
    """Return a cycle of at least 3 of n vertices of largest gain, and a bound on the gains of all cycles.

    It begins at its smallest vertex. There is one variable for each step from u to v, or between these, and after these
    one for each vertex.
    """
    step = np.zeros((n, n), dtype=np.int64)
    step[u, v] = np.arange(len(u))
    visited = len(u) + np.arange(n)
    degree = 1.0 if directed else 2.0  # steps from a vertex that is visited, and to it
    cuts = [Cut(visited.tolist(), [1.0] * n, 3.0, n)]
    if not directed:
        step += step.T
    for a in range(n):
        for steps in (step[a], step[:, a]) if directed else (step[a],):
            columns = [*np.delete(steps, a).tolist(), int(visited[a])]
            cuts.append(Cut(columns, [1.0] * (n - 1) + [-degree], 0.0, 0.0))

    def graph(x: NDArray[Any]) -> csr_array:
        taken = x[: len(u)]
        return csr_array((np.ones(taken.sum()), (u[taken], v[taken])), shape=(n, n))

    def subtours(x: NDArray[Any]) -> list[Cut]:
        _, label = connected_components(graph(x), directed=False)
        parts = [np.flatnonzero(label == part) for part in np.unique(label[x[len(u) :]])]
        cuts = []
        for one, other in permutations(parts, 2):  # if both are visited, steps leave the first
            leaving = np.delete(step[one], one, axis=1).ravel()
            columns = [*leaving.tolist(), int(visited[one[0]]), int(visited[other[0]])]
            cuts.append(Cut(columns, [1.0] * len(leaving) + [-degree, -degree], -degree, np.inf))
        return cuts

    optimum = maximise(np.concatenate([gains, np.zeros(n)]), [*cuts, *conditions], subtours)
    start = np.flatnonzero(optimum.x[len(u) :])[0]
    cycle = depth_first_order(graph(optimum.x), start, directed=directed, return_predecessors=False)
    return cycle.tolist(), optimum.upper_bound
