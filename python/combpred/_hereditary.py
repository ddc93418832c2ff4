"""Edge sets of largest weight among those with a hereditary property, which only a predicate tells."""

from __future__ import annotations

import numpy as np

from . import _lib
from ._decoding import Decoding
from ._errors import CapabilityError
from ._witness import ROUNDING, check_search, check_subsets
from .structures._edge_properties import EdgeProperty, FloatArray, Mask

#: Up to so many edges of positive weight a best set is found by search. Random graphs with 20 edges took .1 s at most
#: for bipartite and triangle-free sets, and 3 s for forests given as a function, with equal weights: the worst case.
#: Each 4 edges more took three to five times as long.
EXACT_EDGES = 20
#: Where there are more, so many at a time.
BLOCK_EDGES = 16


def decode_hereditary(
    edge_property: EdgeProperty, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> _lib.Decoded:
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
    return _lib.Decoded(y, value, upper_bound, nu, upper_bound == value)


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
            f"row {row}: {len(candidates)} edges have a positive score, and an exact search for a set with the "
            f"property is limited to {EXACT_EDGES}; take decoder='auto', which says how far from the best its set may "
            "be"
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
