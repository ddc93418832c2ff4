"""Cycles and routes over subsets of places, as integer programs with subtour elimination constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

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
        Vertices in visiting order.
    upper_bound : float
        Proven bound on the sums of gains of all cycles.

    Raises
    ------
    InfeasibleError
        When no cycle satisfies the conditions.
    """
    u, v = _pairs(n)
    arc = _pair_numbers(n, u, v)
    visited = len(u) + np.arange(n)
    cuts = [Cut([int(arc[a, b]), int(arc[b, a])], [1.0, 1.0], 0.0, 1.0) for a in range(n) for b in range(a)]
    cuts.append(Cut(visited.tolist(), [1.0] * n, 3.0, n))
    for a in range(n):
        others = [b for b in range(n) if b != a]
        for arcs in ([int(arc[a, b]) for b in others], [int(arc[b, a]) for b in others]):
            cuts.append(Cut([*arcs, int(visited[a])], [1.0] * len(arcs) + [-1.0], 0.0, 0.0))
    cuts += conditions

    def subtours(x: NDArray[np.bool_]) -> list[Cut]:
        parts = _components(n, u[x[: len(u)]], v[x[: len(u)]])
        # If two components are both visited, an arc leaves the first.
        return [
            Cut(
                [*(int(arc[a, b]) for a in one for b in range(n) if b not in one), int(visited[i]), int(visited[j])],
                [1.0] * (len(one) * (n - len(one))) + [-1.0, -1.0],
                -1.0,
                np.inf,
            )
            for one in parts
            for other in parts
            if one is not other
            for i, j in [(min(one), min(other))]
        ]

    optimum = maximise(np.concatenate([gains[u, v], np.zeros(n)]), cuts, subtours)
    chosen = optimum.x[: len(u)]
    return _follow(dict(zip(u[chosen].tolist(), v[chosen].tolist(), strict=True))), optimum.upper_bound


def best_cycle(n: int, gains: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[list[int], float]:
    """Return an undirected cycle of at least 3 out of n vertices with the largest sum of gains.

    Parameters, results and errors are those of :func:`best_directed_cycle`, but `gains` has shape ``(n(n−1)/2,)``: one
    number for each edge u < v in lexicographic order, which is also the order of the variables.
    """
    u, v = np.triu_indices(n, 1)
    edge = _pair_numbers(n, u, v) + _pair_numbers(n, v, u)
    visited = len(u) + np.arange(n)
    cuts = [Cut(visited.tolist(), [1.0] * n, 3.0, n)]
    for a in range(n):
        edges = [int(edge[a, b]) for b in range(n) if b != a]
        cuts.append(Cut([*edges, int(visited[a])], [1.0] * len(edges) + [-2.0], 0.0, 0.0))
    cuts += conditions

    def subtours(x: NDArray[np.bool_]) -> list[Cut]:
        parts = _components(n, u[x[: len(u)]], v[x[: len(u)]])
        # If two components are both visited, at least two edges leave the first.
        return [
            Cut(
                [*(int(edge[a, b]) for a in one for b in range(n) if b not in one), int(visited[i]), int(visited[j])],
                [1.0] * (len(one) * (n - len(one))) + [-2.0, -2.0],
                -2.0,
                np.inf,
            )
            for one in parts
            for other in parts
            if one is not other
            for i, j in [(min(one), min(other))]
        ]

    optimum = maximise(np.concatenate([gains, np.zeros(n)]), cuts, subtours)
    chosen = optimum.x[: len(u)]
    near: dict[int, list[int]] = {}
    for a, b in zip(u[chosen].tolist(), v[chosen].tolist(), strict=True):
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    start = min(near)
    cycle, before = [start], start
    at = min(near[start])
    while at != start:
        cycle.append(at)
        one, other = near[at]
        before, at = at, other if one == before else one
    return cycle, optimum.upper_bound


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
    u, v = _pairs(n)
    arc = _pair_numbers(n, u, v)
    start, end, visited = (len(u) + k * n + np.arange(n) for k in range(3))
    ones = [1.0] * n
    cuts = [Cut(start.tolist(), ones, 1.0, 1.0), Cut(end.tolist(), ones, 1.0, 1.0), Cut(visited.tolist(), ones, 2.0, n)]
    for a in range(n):
        others = [b for b in range(n) if b != a]
        arriving = [*(int(arc[b, a]) for b in others), int(start[a])]
        leaving = [*(int(arc[a, b]) for b in others), int(end[a])]
        for arcs in (arriving, leaving):
            cuts.append(Cut([*arcs, int(visited[a])], [1.0] * len(arcs) + [-1.0], 0.0, 0.0))
    cuts += conditions

    def subtours(x: NDArray[np.bool_]) -> list[Cut]:
        first = int(np.flatnonzero(x[start])[0])
        parts = _components(n, u[x[: len(u)]], v[x[: len(u)]])
        # An arc leaves a component that is visited, or the route ends there.
        return [
            Cut(
                [
                    *(int(arc[a, b]) for a in one for b in range(n) if b not in one),
                    *(int(end[a]) for a in one),
                    int(visited[min(one)]),
                ],
                [1.0] * (len(one) * (n - len(one)) + len(one)) + [-1.0],
                0.0,
                np.inf,
            )
            for one in parts
            if first not in one
        ]

    optimum = maximise(np.concatenate([gains[u, v], starts, ends, np.zeros(n)]), cuts, subtours)
    chosen = optimum.x[: len(u)]
    following = dict(zip(u[chosen].tolist(), v[chosen].tolist(), strict=True))
    route = [int(np.flatnonzero(optimum.x[start])[0])]
    while route[-1] in following:
        route.append(following[route[-1]])
    return route, optimum.upper_bound


def _pairs(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tails and heads of all arcs between n vertices, row by row."""
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    return u, v


def _pair_numbers(n: int, u: NDArray[np.int64], v: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a matrix that holds i at entry (u[i], v[i]), and 0 elsewhere."""
    number = np.zeros((n, n), dtype=np.int64)
    number[u, v] = np.arange(len(u))
    return number


def _components(n: int, u: NDArray[np.int64], v: NDArray[np.int64]) -> list[set[int]]:
    """Return the vertex sets of the weakly connected components of the given arcs, without isolated vertices."""
    _, label = connected_components(csr_array((np.ones(len(u)), (u, v)), shape=(n, n)), directed=False)
    parts: dict[int, set[int]] = {}
    for a in {*u.tolist(), *v.tolist()}:
        parts.setdefault(int(label[a]), set()).add(a)
    return list(parts.values())


def _follow(following: dict[int, int]) -> list[int]:
    """Return the vertices of a cycle from its smallest vertex on, given the vertex that follows each."""
    cycle = [min(following)]
    while (at := following[cycle[-1]]) != cycle[0]:
        cycle.append(at)
    return cycle
