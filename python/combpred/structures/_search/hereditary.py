"""Heaviest sets of edges with a hereditary property that a user's function tells: exact and local search.

`Graphs` calls `decode_hereditary`. The function may turn out not to be hereditary: the checks at the end look for a
counterexample among the sets that a search has found. Properties with a name are the library's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError

Mask = NDArray[np.bool_]

_TIE_TOLERANCE = 1e-12  # sums of weights that differ by less than this fraction of the total weight are tied

#: Up to this number of edges of positive weight, a best set is found by exact search. With 20 edges, random graphs took
#: .1 s at most for bipartite and triangle-free sets; forests, with equal weights, took 3 s, the
#: worst case. Every 4 further edges took three to five times as long.
EXACT_EDGES = 20
#: With more edges, exact search runs on blocks of this many.
BLOCK_EDGES = 16


class EdgeProperty:
    """A property that sets of edges of a given graph have or do not have.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
        The edges of the graph.
    holds : callable
        Function of a bool array ``(n_edges,)`` that returns whether this set has the property.
    """

    def __init__(self, edges: NDArray[np.int32], holds: Callable[[Mask], Any]) -> None:
        self.edges = edges
        self._holds = holds
        self._required: Mask | None = None

    def beside(self, required: Mask) -> EdgeProperty:
        """Return the property of sets that they have this one together with the edges of a set."""
        rest = EdgeProperty(self.edges, self._holds)
        rest._required = required
        return rest

    def shown(self, edges: Mask) -> str:
        """Return a set of edges for messages."""
        return ", ".join(f"{u}-{v}" for u, v in self.edges[self._whole(edges)].tolist()) or "no edge"

    def _whole(self, edges: Mask) -> Mask:
        return edges if self._required is None else edges | self._required

    def holds(self, edges: Mask) -> bool:
        """Return whether a set of edges, a bool array ``(n_edges,)``, has the property.

        Raises
        ------
        TypeError
            When the user's function returns anything but a bool.
        """
        shown = self._whole(edges).view()
        shown.flags.writeable = False  # the user's function must not change the arrays of the search
        answer = self._holds(shown)
        if not isinstance(answer, (bool, np.bool_)):
            raise TypeError(f"Graphs: hereditary must return True or False, got {answer!r}")
        return bool(answer)


#: The properties that the library knows, with their numbers there.
PROPERTIES = {"forest": 1, "matching": 2, "bipartite": 3}


def edge_property(holds: Callable[[Mask], Any], edges: NDArray[np.int32]) -> EdgeProperty:
    """Return the property that a user's function tells; ValueError if it is False for the empty set."""
    found = EdgeProperty(edges, holds)
    if not found.holds(np.zeros(len(edges), dtype=np.bool_)):
        raise ValueError(
            "Graphs: hereditary is False for the set without edges, so that no set has a property that is kept when "
            "edges are taken away"
        )
    return found


def require_property(hereditary: Any) -> None:
    """Raise ValueError or TypeError unless `hereditary`, the parameter of `Graphs`, is a known name or a function."""
    if isinstance(hereditary, str):
        if hereditary not in PROPERTIES:
            names = ", ".join(PROPERTIES)
            raise ValueError(f"Graphs: hereditary must be one of {names} or a function, got {hereditary!r}")
    elif not callable(hereditary):
        raise TypeError(f"Graphs: hereditary must be a name, a function of a set of edges, or None; got {hereditary!r}")


def decode_hereditary(
    edge_property: EdgeProperty, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> Decoded:
    r"""Return a set of edges with the property and a large score for every row, with a certificate.

    Parameters
    ----------
    edge_property : EdgeProperty
        The property.
    linear : ndarray of shape (n, n_edges)
        Scores of the edges.
    magnitude : ndarray of shape (n_edges,) or (n, n_edges), or None
        Scores of the squares of ψ. As ψ is 0 or 1, they are added to the scores of the edges.
    how : Decoding
        Its decoder is "exact", "auto" or "local-search".

    Returns
    -------
    Decoded
        Its parts are 0/1, shape ``(n, n_edges)``.

    Raises
    ------
    CapabilityError
        When the decoder is "exact" and a row has more than `EXACT_EDGES` edges of positive score (names the row), and
        for other decoders.
    ValueError
        When a counterexample shows that the property is not hereditary.

    Notes
    -----
    Edges of negative score need not be in a best set, which keeps the property without them. Searching the p other
    edges takes time exponential in p. If p exceeds `EXACT_EDGES`, they are split into b blocks, and a best set is found
    within each block. A best set of all edges scores at most the sum u of these b scores, and so the best of the b sets
    scores at least u / b. As the empty set scores 0, the ratio of the guarantee is at most :math:`\nu = 1 - 1/b`
    (Vembu, 2010, ch. 4). Local search improves that set; a result of score v has the ratio :math:`1 - v/u`.
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
        check_one_edge_less(edge_property, chosen)
        y[row] = chosen
        value[row] = weights[row, chosen].sum()
        slack = _TIE_TOLERANCE * np.abs(weights[row]).sum()
        upper_bound[row] = value[row] if bound <= value[row] + slack else bound
        if upper_bound[row] > value[row]:
            nu[row] = 1.0 - value[row] / upper_bound[row]
    return Decoded(y, value, upper_bound, nu, upper_bound == value)


def _best_set(edge_property: EdgeProperty, weights: FloatArray, decoder: str, row: int) -> tuple[Mask, float]:
    """Return a set with the property for one row, and a proven bound on the weight of all such sets."""
    order = np.argsort(-weights, kind="stable")
    positive = order[weights[order] > 0]
    whole = np.zeros(len(weights), dtype=np.bool_)
    whole[positive] = True
    if edge_property.holds(whole):
        return whole, float(weights[whole].sum())
    alone = np.zeros_like(whole)
    candidates = []  # an edge that does not have the property alone is in no set that has it
    for e in positive.tolist():
        alone[e] = True
        if edge_property.holds(alone):
            candidates.append(e)
        alone[e] = False
    if len(candidates) <= (BLOCK_EDGES if decoder == "local-search" else EXACT_EDGES):
        chosen = heaviest(edge_property, weights, candidates)
        check_search(edge_property, weights, candidates, chosen, _extend(edge_property, chosen, candidates))
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
    ends = [_local_search(edge_property, weights, candidates, start) for start in starts]
    chosen = max(ends, key=lambda end: float(weights[end].sum()))
    for block, own in zip(blocks, best, strict=True):
        check_search(edge_property, weights, block, own, chosen)
    return chosen, sum(totals)


def heaviest(edge_property: EdgeProperty, weights: FloatArray, candidates: list[int]) -> Mask:
    """Return a heaviest set of candidates with the property, by exact search.

    Parameters
    ----------
    edge_property : EdgeProperty
        The property.
    weights : ndarray of shape (n_edges,)
        Weights of all edges.
    candidates : list of int
        Edges of positive weight in descending order of weight; each has the property alone.

    Returns
    -------
    best : ndarray of shape (n_edges,), bool

    Notes
    -----
    This is Russian doll search (Verfaillie, Lemaître and Schiex, 1996). Subproblems with the last one, two, …
    candidates are solved in turn. A set can gain from the candidates from number j on at most the optimum of the
    subproblem that starts at j, which is a better bound than the sum of their weights. Candidates that conflict with
    the current set are dropped from the search below it. Cost: exponential in the number of candidates.
    """
    slack = _TIE_TOLERANCE * float(weights[candidates].sum())
    current = np.zeros(len(weights), dtype=np.bool_)
    best: Mask = current.copy()
    p = len(candidates)
    weight = weights[candidates].tolist()
    suffix = [0.0] * (p + 1)  # suffix[i]: largest weight of a set of candidates i, i + 1, …
    incumbent = 0.0

    def extend(gained: float, left: list[int], most: float) -> bool:
        """Search the sets that add some of `left` to the current one; return whether the weight `most` is reached."""
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
            if extend(gained + weight[j], compatible(left[place + 1 :]), most):
                return True
            current[e] = False
        return False

    def compatible(left: list[int]) -> list[int]:
        """Return the candidates out of `left` that can be added to the current set."""
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
        extend(weight[i], compatible(list(range(i + 1, p))), weight[i] + suffix[i + 1])
        suffix[i] = incumbent
    return best


def _local_search(edge_property: EdgeProperty, weights: FloatArray, candidates: list[int], start: Mask) -> Mask:
    """Return a set that is improved from `start`: extended greedily, then by forcing in single edges while it gains."""
    slack = _TIE_TOLERANCE * float(weights[candidates].sum())
    best = _extend(edge_property, start, candidates)
    total, improved = float(weights[best].sum()), True
    while improved:
        improved = False
        for e in candidates:
            if best[e]:
                continue
            forced = np.zeros_like(best)
            forced[e] = True
            kept = _extend(edge_property, forced, [c for c in candidates if best[c]])
            trial = _extend(edge_property, kept, candidates)
            if (gained := float(weights[trial].sum())) > total + slack:
                best, total, improved = trial, gained, True
    return best


def _extend(edge_property: EdgeProperty, start: Mask, candidates: list[int]) -> Mask:
    """Return a set extended greedily: candidates are added in their order if the set keeps the property."""
    chosen: Mask = start.copy()
    for e in candidates:
        if not chosen[e]:
            chosen[e] = True
            chosen[e] = edge_property.holds(chosen)
    return chosen


def check_one_edge_less(edge_property: EdgeProperty, chosen: Mask) -> None:
    """Raise ValueError if a set that has the property loses it when one of its edges is removed."""
    fewer = chosen.copy()
    for e in np.flatnonzero(chosen).tolist():
        fewer[e] = False
        if not edge_property.holds(fewer):
            _raise_counterexample(edge_property, chosen, fewer)
        fewer[e] = True


def check_search(
    edge_property: EdgeProperty, weights: FloatArray, candidates: list[int], best: Mask, other: Mask
) -> None:
    """Raise ValueError if the candidates in another set are heavier than the best set that an exact search found.

    The search is then wrong, which shows that the property is not hereditary; the error has a counterexample.

    Parameters
    ----------
    edge_property : EdgeProperty
        The property.
    weights : ndarray of shape (n_edges,)
        Weights of all edges.
    candidates : list of int
        The candidates of the search, in its order.
    best : ndarray of shape (n_edges,), bool
        The set that it found.
    other : ndarray of shape (n_edges,), bool
        A set with the property, of any edges.

    Raises
    ------
    ValueError
        With a set that has the property and a subset that does not.

    Notes
    -----
    The search and its subproblems would have built the heavier set, had every answer on the way been yes. They add
    consecutive members of that set to one another and ask whether one further member fits; these are the sets tried
    here.
    """
    missed = np.zeros_like(other)
    missed[candidates] = other[candidates]
    slack = _TIE_TOLERANCE * float(weights[candidates].sum())
    if float(weights[missed].sum()) <= float(weights[best].sum()) + slack:
        return
    if not edge_property.holds(missed):
        _raise_counterexample(edge_property, other, missed)
    members = [e for e in candidates if missed[e]]
    for first in range(len(members)):
        part = np.zeros_like(missed)
        for at, e in enumerate(members[first:], first):
            part[e] = True
            for further in members[at:]:
                before = bool(part[further])
                part[further] = True
                if not edge_property.holds(part):
                    _raise_counterexample(edge_property, missed, part)
                part[further] = before
    raise ValueError("Graphs: hereditary does not always give the same answer for the same set of edges")


def _raise_counterexample(edge_property: EdgeProperty, whole: Mask, part: Mask) -> NoReturn:
    """Raise ValueError with a set that has the property and a subset that does not."""
    raise ValueError(
        f"Graphs: hereditary is no hereditary property: it is True for the edges {edge_property.shown(whole)} and "
        f"False for {edge_property.shown(part)}; a set must keep it when edges are taken away"
    )
