"""Cycles and routes over subsets of places as integer programs with subtour cuts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .program import Cut, FloatArray, maximise


def best_directed_cycle(n: int, gains: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[list[int], float]:
    """Return the directed cycle of length at least 3 over some of n vertices with the largest sum of gains.

    Parameters
    ----------
    n : int
        Number of vertices, at least 3.
    gains : ndarray of shape (n, n)
        ``gains[u, v]`` is what the arc from u to v is worth; the diagonal is not read.
    conditions : sequence of Cut, default=()
        Further ones. The variables are the arcs, row by row, and then whether each vertex is visited.

    Returns
    -------
    cycle : list of int
        Vertices in visiting order.
    upper_bound : float
        Proven bound on every cycle's sum.
    """
    u, v = _pairs(n)
    arc = _numbers(n, u, v)
    visited = len(u) + np.arange(n)
    cuts = [Cut([int(arc[a, b]), int(arc[b, a])], [1.0, 1.0], 0.0, 1.0) for a in range(n) for b in range(a)]
    cuts.append(Cut(visited.tolist(), [1.0] * n, 3.0, n))
    for a in range(n):
        others = [b for b in range(n) if b != a]
        for arcs in ([int(arc[a, b]) for b in others], [int(arc[b, a]) for b in others]):
            cuts.append(Cut([*arcs, int(visited[a])], [1.0] * len(arcs) + [-1.0], 0.0, 0.0))
    cuts += conditions

    def subtours(x: NDArray[np.bool_]) -> list[Cut]:
        parts = _parts(n, u[x[: len(u)]], v[x[: len(u)]])
        # Of two parts, one arc leaves the first if both are visited.
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
    return _walk(dict(zip(u[chosen].tolist(), v[chosen].tolist(), strict=True))), optimum.upper_bound


def best_cycle(n: int, gains: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[list[int], float]:
    """Return the undirected cycle of length at least 3 over some of n vertices with the largest sum of gains.

    Parameters and results are those of :func:`best_directed_cycle`; ``gains`` has shape (n(n−1)/2,), one number for
    each edge u < v in lexicographic order, which is that of the variables too.
    """
    u, v = np.triu_indices(n, 1)
    edge = _numbers(n, u, v) + _numbers(n, v, u)
    visited = len(u) + np.arange(n)
    cuts = [Cut(visited.tolist(), [1.0] * n, 3.0, n)]
    for a in range(n):
        edges = [int(edge[a, b]) for b in range(n) if b != a]
        cuts.append(Cut([*edges, int(visited[a])], [1.0] * len(edges) + [-2.0], 0.0, 0.0))
    cuts += conditions

    def subtours(x: NDArray[np.bool_]) -> list[Cut]:
        parts = _parts(n, u[x[: len(u)]], v[x[: len(u)]])
        # Of two parts that are both visited, two edges leave the first.
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
    """Return the simple path over at least 2 of n places with the largest sum of gains.

    Parameters
    ----------
    n : int
        Number of places, at least 2.
    gains : ndarray of shape (n, n)
        What the arc from u to v is worth; the diagonal is not read.
    starts, ends : ndarray of shape (n,)
        What it is worth to start, or end, at a place.
    conditions : sequence of Cut, default=()
        Further ones. The variables are the arcs, row by row, the starts, the ends, and whether each place is visited.

    Returns
    -------
    route : list of int
        Places in visiting order.
    upper_bound : float
        Proven bound on every route's sum.
    """
    u, v = _pairs(n)
    arc = _numbers(n, u, v)
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
        parts = _parts(n, u[x[: len(u)]], v[x[: len(u)]])
        # From a part that is visited an arc leaves, or the route ends there.
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
    """Return both ends of every arc between n vertices, row by row."""
    u, v = np.nonzero(~np.eye(n, dtype=bool))
    return u, v


def _numbers(n: int, u: NDArray[np.int64], v: NDArray[np.int64]) -> NDArray[np.int64]:
    number = np.zeros((n, n), dtype=np.int64)
    number[u, v] = np.arange(len(u))
    return number


def _parts(n: int, u: NDArray[np.int64], v: NDArray[np.int64]) -> list[set[int]]:
    """Return the vertices of each connected part that has an arc."""
    _, label = connected_components(csr_array((np.ones(len(u)), (u, v)), shape=(n, n)), directed=False)
    parts: dict[int, set[int]] = {}
    for a in {*u.tolist(), *v.tolist()}:
        parts.setdefault(int(label[a]), set()).add(a)
    return list(parts.values())


def _walk(following: dict[int, int]) -> list[int]:
    """Return the cycle from its smallest vertex on."""
    cycle = [min(following)]
    while (at := following[cycle[-1]]) != cycle[0]:
        cycle.append(at)
    return cycle
