"""Heaviest sets of edges with a hereditary property."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-12  # of the sum of the weights: differences below it are ties

#: Up to so many edges of positive weight a best set is found by search. Random graphs with 20 edges took .1 s at most
#: for bipartite and triangle-free sets, and 3 s for forests given as a function, with equal weights: the worst case.
#: Each 4 edges more took three to five times as long.
EXACT_EDGES = 20
#: Where there are more, so many at a time.
BLOCK_EDGES = 16


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
        from ..._programs.program import Cut, maximise  # loads the solver

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


def check_subsets(edge_property: EdgeProperty, chosen: Mask) -> None:
    """Raise ValueError where a set that has the property loses it with one edge."""
    fewer = chosen.copy()
    for e in np.flatnonzero(chosen).tolist():
        fewer[e] = False
        if not edge_property.holds(fewer):
            _refuse(edge_property, chosen, fewer)
        fewer[e] = True


def check_search(
    edge_property: EdgeProperty, weights: FloatArray, candidates: list[int], best: Mask, other: Mask
) -> None:
    """Raise ValueError where another set is heavier among the candidates than the best that the search found there.

    Parameters
    ----------
    edge_property : EdgeProperty
    weights : ndarray of shape (n_edges,)
    candidates : list of int
        As given to the search.
    best : ndarray of shape (n_edges,)
        What it found.
    other : ndarray of shape (n_edges,)
        A set with the property, of any edges.

    Notes
    -----
    The search, and those of its subproblems that bound it, build sets from consecutive members of the heavier set, and
    ask about these with one further member. They had built the heavier set, were the answer always yes.
    """
    missed = np.zeros_like(other)
    missed[candidates] = other[candidates]
    slack = ROUNDING * float(weights[candidates].sum())
    if float(weights[missed].sum()) <= float(weights[best].sum()) + slack:
        return
    if not edge_property.holds(missed):
        _refuse(edge_property, other, missed)
    members = [e for e in candidates if missed[e]]
    for first in range(len(members)):
        part = np.zeros_like(missed)
        for at, e in enumerate(members[first:], first):
            part[e] = True
            for further in members[at:]:
                before = bool(part[further])
                part[further] = True
                if not edge_property.holds(part):
                    _refuse(edge_property, missed, part)
                part[further] = before
    raise ValueError("Graphs: hereditary does not always give the same answer for the same set of edges")


def _refuse(edge_property: EdgeProperty, whole: Mask, part: Mask) -> NoReturn:
    held, lost = (
        ", ".join(f"{u}-{v}" for u, v in edge_property.edges[edges].tolist()) or "no edge" for edges in (whole, part)
    )
    raise ValueError(
        f"Graphs: hereditary is no hereditary property: it is True for the edges {held} and False for {lost}; a set "
        "must keep it when edges are taken away"
    )


def decode_hereditary(
    edge_property: EdgeProperty, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> Decoded:
    r"""Return for each row a set of edges with the property and a large score, and what is known about it.

    Parameters
    ----------
    edge_property : EdgeProperty
    linear : ndarray of shape (n, n_edges)
    magnitude : ndarray of shape (n_edges,) or (n, n_edges), or None
        ψ being 0 or 1, its squares are ψ itself: both kinds of scores add up.
    how : Decoding
        "exact", "auto" or "local-search".

    Raises
    ------
    CapabilityError
        For "exact" and more than `EXACT_EDGES` edges of positive score, naming the row, and for other decoders.
    ValueError
        When the property turns out not to be hereditary, with two sets that show it.

    Notes
    -----
    Edges of negative score are not needed in a best set: without them it keeps the property. Searching p others takes
    time exponential in p. Beyond `EXACT_EDGES` they are split into b blocks, in each of which a best set is found. Part
    by part, a best set of all scores no more than the sum u of these, so that the best of them scores at least u / b:
    as the empty set scores 0, the ratio of the guarantee is at most :math:`\nu = 1 - 1/b` (Vembu, 2010, ch. 4). Local
    search goes on from there; its result of score v has the ratio :math:`1 - v/u`.
    """
    if how.decoder not in ("auto", "exact", "local-search"):
        raise CapabilityError(
            f"decoder={how.decoder!r} does not know properties of edge sets; take decoder='auto' or 'local-search'"
        )
    weights = linear if magnitude is None else linear + magnitude
    n = len(weights)
    y = np.zeros(weights.shape, dtype=np.int32)
    value, upper_bound, nu = np.empty(n), np.empty(n), np.zeros(n)
    for row in range(n):
        chosen, bound = _best_set(edge_property, weights[row], how.decoder, row)
        if not edge_property.is_known:
            check_subsets(edge_property, chosen)
        y[row] = chosen
        value[row] = weights[row, chosen].sum()
        slack = ROUNDING * np.abs(weights[row]).sum()
        upper_bound[row] = value[row] if bound <= value[row] + slack else bound
        if upper_bound[row] > value[row]:
            nu[row] = 1.0 - value[row] / upper_bound[row]
    return Decoded(y, value, upper_bound, nu, upper_bound == value)


def _best_set(edge_property: EdgeProperty, weights: FloatArray, decoder: str, row: int) -> tuple[Mask, float]:
    """Return a set, and a bound on the weight of all."""
    order = np.argsort(-weights, kind="stable")
    positive = order[weights[order] > 0]
    if (known := edge_property.largest(weights)) is not None:
        return known
    whole = np.zeros(len(weights), dtype=np.bool_)
    whole[positive] = True
    if edge_property.holds(whole):
        return whole, float(weights[whole].sum())
    alone = np.zeros_like(whole)
    candidates = []  # an edge without the property is in no set that has it
    for e in positive.tolist():
        alone[e] = True
        if edge_property.holds(alone):
            candidates.append(e)
        alone[e] = False
    if len(candidates) <= (BLOCK_EDGES if decoder == "local-search" else EXACT_EDGES):
        chosen = heaviest(edge_property, weights, candidates)
        check_search(edge_property, weights, candidates, chosen, _extended(edge_property, chosen, candidates))
        return chosen, float(weights[chosen].sum())
    if decoder == "exact":
        raise CapabilityError(
            f"{len(candidates)} edges have a positive score, and an exact search for a set with the property is "
            f"limited to {EXACT_EDGES}; take decoder='auto', which says how far from the best its set may be",
            row,
        )
    blocks = [candidates[i : i + BLOCK_EDGES] for i in range(0, len(candidates), BLOCK_EDGES)]
    best = [heaviest(edge_property, weights, block) for block in blocks]
    totals = [float(weights[chosen].sum()) for chosen in best]
    starts = [best[int(np.argmax(totals))], np.zeros(len(weights), dtype=np.bool_)]
    ends = [_exchanged(edge_property, weights, candidates, start) for start in starts]
    chosen = max(ends, key=lambda end: float(weights[end].sum()))
    for block, own in zip(blocks, best, strict=True):
        check_search(edge_property, weights, block, own, chosen)
    return chosen, sum(totals)


def heaviest(edge_property: EdgeProperty, weights: FloatArray, candidates: list[int]) -> Mask:
    """Return a set of candidates with the property and the largest sum of weights.

    Parameters
    ----------
    edge_property : EdgeProperty
    weights : ndarray of shape (n_edges,)
    candidates : list of int
        Edges of positive weight in descending order of it; each has the property alone.

    Notes
    -----
    Problems with the last one, two, … candidates are solved in turn. What a set with first candidate i can gain from
    those after j is at most the best of the problem that starts there, which bounds better than the sum of the weights
    (Russian doll search, Verfaillie, Lemaître and Schiex, 1996). Candidates that conflict with the set at hand are
    dropped for all that contain it.
    """
    slack = ROUNDING * float(weights[candidates].sum())
    current = np.zeros(len(weights), dtype=np.bool_)
    best: Mask = current.copy()
    p = len(candidates)
    weight = weights[candidates].tolist()
    suffix = [0.0] * (p + 1)  # the best sum among candidates i, i + 1, …
    incumbent = 0.0

    def extend(gained: float, left: list[int], most: float) -> bool:
        """Search all sets that extend the current one by some of `left`; return whether the sum `most` is reached."""
        nonlocal incumbent
        if gained > incumbent + slack:
            incumbent = gained
            best[:] = current
            if incumbent >= most - slack:
                return True
        rest = sum(weight[j] for j in left)
        for place, j in enumerate(left):
            if gained + min(rest, suffix[j]) <= incumbent + slack:
                return False
            rest -= weight[j]
            e = candidates[j]
            current[e] = True
            if extend(gained + weight[j], fitting(left[place + 1 :]), most):
                return True
            current[e] = False
        return False

    def fitting(left: list[int]) -> list[int]:
        """Return those that the current set keeps its property with."""
        kept = []
        for j in left:
            e = candidates[j]
            current[e] = True
            if edge_property.holds(current):
                kept.append(j)
            current[e] = False
        return kept

    for i in reversed(range(p)):
        current[:] = False
        current[candidates[i]] = True
        extend(weight[i], fitting(list(range(i + 1, p))), weight[i] + suffix[i + 1])
        suffix[i] = incumbent
    return best


def _exchanged(edge_property: EdgeProperty, weights: FloatArray, candidates: list[int], start: Mask) -> Mask:
    """Extend a set greedily, then force in one edge after the other, while that gains weight."""
    slack = ROUNDING * float(weights[candidates].sum())
    best = _extended(edge_property, start, candidates)
    total, improved = float(weights[best].sum()), True
    while improved:
        improved = False
        for e in candidates:
            if best[e]:
                continue
            forced = np.zeros_like(best)
            forced[e] = True
            kept = _extended(edge_property, forced, [c for c in candidates if best[c]])
            trial = _extended(edge_property, kept, candidates)
            if (gained := float(weights[trial].sum())) > total + slack:
                best, total, improved = trial, gained, True
    return best


def _extended(edge_property: EdgeProperty, start: Mask, candidates: list[int]) -> Mask:
    """Return the set with those candidates added, in their order, that it keeps its property with."""
    chosen: Mask = start.copy()
    for e in candidates:
        if not chosen[e]:
            chosen[e] = True
            chosen[e] = edge_property.holds(chosen)
    return chosen
