"""Properties of edge sets that every subset of a set shares: those with a name, and a user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


class EdgeProperty:
    """A property of sets of given edges.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
    holds : callable
        Takes a bool array (n_edges,).

    Attributes
    ----------
    is_known : bool
        Whether the property is certainly hereditary.
    """

    is_known = False

    def __init__(self, edges: NDArray[np.int32], holds: Callable[[Mask], Any]) -> None:
        self.edges = edges
        self._holds = holds

    def holds(self, edges: Mask) -> bool:
        """Whether a set of edges (n_edges,) has the property."""
        shown = edges.view()
        shown.flags.writeable = False  # what the search works on is not the user's to change
        answer = self._holds(shown)
        if not isinstance(answer, (bool, np.bool_)):
            raise TypeError(f"Graphs: hereditary must return True or False, got {answer!r}")
        return bool(answer)

    def largest(self, weights: FloatArray) -> tuple[Mask, float] | None:
        """Return a set of largest sum of weights with the property, and a proven bound on all sums.

        None where there is no better way to find one than to ask `holds`.
        """
        return None


class _Forests(EdgeProperty):
    """Sets without a cycle, a matroid."""

    is_known = True

    def __init__(self, edges: NDArray[np.int32]) -> None:
        super().__init__(edges, self._is_forest)
        self._pairs = edges.tolist()

    def _is_forest(self, edges: Mask) -> bool:
        chosen = np.flatnonzero(edges).tolist()
        return len(self._independent(chosen)) == len(chosen)

    def _independent(self, candidates: list[int]) -> list[int]:
        """Return the candidates that close no cycle with earlier ones."""
        parent: dict[int, int] = {}

        def root(v: int) -> int:
            while (above := parent.get(v, v)) != v:
                parent[v] = parent.get(above, above)  # halves the way for the next time
                v = above
            return v

        taken = []
        for e in candidates:
            u, v = (root(end) for end in self._pairs[e])
            if u != v:
                parent[u] = v
                taken.append(e)
        return taken

    def largest(self, weights: FloatArray) -> tuple[Mask, float]:
        """Take edges in descending order of their weight, which is best for matroids (Kruskal, 1956)."""
        order = np.argsort(-weights, kind="stable")
        chosen = np.zeros(len(weights), dtype=np.bool_)
        chosen[self._independent(order[weights[order] > 0].tolist())] = True
        return chosen, float(weights[chosen].sum())


class _Matchings(EdgeProperty):
    """Sets in which no two edges meet."""

    is_known = True
    searched = 16  # up to so many edges of positive weight the search among all sets is faster

    def __init__(self, edges: NDArray[np.int32]) -> None:
        super().__init__(edges, lambda chosen: bool(np.bincount(edges[chosen].ravel(), minlength=1).max() <= 1))

    def largest(self, weights: FloatArray) -> tuple[Mask, float] | None:
        """Solve the integer program with one constraint for each vertex."""
        from .._integer._program import Cut, maximise  # loads the solver

        positive = np.flatnonzero(weights > 0)
        if len(positive) <= self.searched:
            return None
        at: dict[int, list[int]] = {}
        for k, e in enumerate(positive):
            for vertex in self.edges[e].tolist():
                at.setdefault(vertex, []).append(k)
        cuts = [Cut(columns, [1.0] * len(columns), 0.0, 1.0) for columns in at.values() if len(columns) > 1]
        optimum = maximise(weights[positive], cuts, lambda x: [])
        chosen = np.zeros(len(weights), dtype=np.bool_)
        chosen[positive[optimum.x]] = True
        return chosen, optimum.upper_bound


class _Bipartite(EdgeProperty):
    """Sets whose vertices have two colours such that every edge joins different ones."""

    is_known = True

    def __init__(self, edges: NDArray[np.int32]) -> None:
        super().__init__(edges, self._is_bipartite)
        self._pairs = edges.tolist()

    def _is_bipartite(self, edges: Mask) -> bool:
        parent: dict[int, tuple[int, int]] = {}  # of each vertex: one of its component, and whether colours differ

        def root(v: int) -> tuple[int, int]:
            odd = 0
            while v in parent:
                v, differs = parent[v]
                odd ^= differs
            return v, odd

        for e in np.flatnonzero(edges).tolist():
            (u, odd_u), (v, odd_v) = (root(end) for end in self._pairs[e])
            if u != v:
                parent[u] = v, 1 ^ odd_u ^ odd_v
            elif odd_u == odd_v:
                return False
        return True


#: Properties by name.
NAMED: dict[str, Callable[[NDArray[np.int32]], EdgeProperty]] = {
    "forest": _Forests,
    "matching": _Matchings,
    "bipartite": _Bipartite,
}


def edge_property(hereditary: Any, edges: NDArray[np.int32]) -> EdgeProperty:
    """Return the property that the parameter `hereditary` of `Graphs` describes.

    Raises
    ------
    TypeError
        When it is neither a function nor a name.
    ValueError
        For other names, and for properties that the set without edges does not have.
    """
    require_property(hereditary)
    if isinstance(hereditary, str):
        return NAMED[hereditary](edges)
    found = EdgeProperty(edges, hereditary)
    if not found.holds(np.zeros(len(edges), dtype=np.bool_)):
        raise ValueError(
            "Graphs: hereditary is False for the set without edges, so that no set has a property that is kept when "
            "edges are taken away"
        )
    return found


def require_property(hereditary: Any) -> None:
    """Raise ValueError or TypeError unless the parameter `hereditary` is a known name or a function."""
    if isinstance(hereditary, str):
        if hereditary not in NAMED:
            raise ValueError(f"Graphs: hereditary must be one of {', '.join(NAMED)} or a function, got {hereditary!r}")
    elif not callable(hereditary):
        raise TypeError(f"Graphs: hereditary must be a name, a function of a set of edges, or None; got {hereditary!r}")
