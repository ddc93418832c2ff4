"""How far a method may be from the least Kendall distance, for rankings of the kind at hand."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from ._aggregate import Aggregate
from ._profile import Profile

_ROUNDING = 1e-12  # relative to sums of costs

_ZUYLEN = "van Zuylen and Williamson (2009)"
_ACN = "Ailon, Charikar and Newman (2008)"
_AILON = "Ailon (2010)"
_METRIC = "the triangle inequality of the distance: a random ranking is at most twice as far as the best consensus"
_TRIANGLE = ", as the pairwise counts satisfy the triangle inequality"


class Guarantee(NamedTuple):
    """`ratio`, `expected` and `reason` of an `Aggregate`."""

    ratio: float | None
    expected: bool
    reason: str


OPTIMAL = Guarantee(1.0, False, "proven optimal")
# By kind of rankings: "strict" ones of all items, "ties" in them, "triangle": only counts that satisfy the inequality.
_ORDERS: dict[str, dict[str, Guarantee]] = {
    "strict": {
        "pivot": Guarantee(8 / 5, False, _ZUYLEN),
        "random-pivot": Guarantee(11 / 7, True, _ACN),
        "lp": Guarantee(4 / 3, False, f"{_ACN}, by conditional expectations"),
        "local-search": Guarantee(2.0, False, _METRIC),
        "best-input": Guarantee(2.0, False, _METRIC),
    },
    "ties": {
        "pivot": Guarantee(8 / 5, False, _ZUYLEN),
        "random-pivot": Guarantee(8 / 5, True, f"the analysis of {_ZUYLEN}, which bounds the mean over pivots"),
        "lp": Guarantee(3 / 2, False, f"{_AILON}, by conditional expectations"),
        "local-search": Guarantee(2.0, False, f"{_AILON}: ties of a ranking broken by others"),
        "best-input": Guarantee(2.0, False, f"{_AILON}: ties of a ranking broken by others"),
    },
    "triangle": {
        "pivot": Guarantee(2.0, False, _ZUYLEN + _TRIANGLE),
        "random-pivot": Guarantee(2.0, True, _ACN + _TRIANGLE),
        "lp": Guarantee(3 / 2, False, _AILON + _TRIANGLE),
    },
}


def kind_of(profile: Profile | None, before: FloatArray) -> str:
    """Return "strict", "ties", "triangle" or "none". Cost: O(n k), and O(k³) for the inequality."""
    if profile is not None and profile.is_complete:
        return "ties" if profile.has_ties else "strict"
    slack = _ROUNDING * float(before.max(initial=0.0))
    holds = all(bool((before <= before[:, [x]] + before[x] + slack).all()) for x in range(len(before)))
    return "triangle" if holds else "none"


def order_guarantee(method: str, kind: str) -> Guarantee:
    """Return what a method for total orders guarantees."""
    found = _ORDERS.get(kind, {}).get(method)
    if found is not None:
        return found
    if kind == "none":
        return Guarantee(None, False, "the pairwise counts violate the triangle inequality, as those of rankings with "
                         "unknown items may: then no method with a constant ratio is known")  # fmt: skip
    return Guarantee(None, False, "a search without rankings of all items to begin with guarantees nothing")


def relation_guarantee(complete: bool, penalty: float) -> Guarantee:
    """Return what the best ranking guarantees against consensuses with ties or unrelated items."""
    if not complete:
        return Guarantee(None, False, "pairs with unknown items do not count, so that the distance is no metric")
    if penalty == 0.0:
        return Guarantee(None, False, "with penalty=0 the distance is no metric: leaving all items apart is free")
    if penalty >= 0.5:
        return Guarantee(2.0, False, _METRIC)
    return Guarantee(1.0 / penalty, False, f"{_METRIC}, up to the factor between penalty and 1/2")


def conclude(
    consensus: NDArray[Any],
    distance: float,
    bound: float,
    guarantee: Guarantee,
    *,
    method: str,
    scale: float,
    optimal: bool = False,
    error: float = 0.0,
) -> Aggregate:
    """Return the result: optimal, too, where its distance equals the bound up to rounding in sums up to `scale`."""
    optimal = optimal or distance <= bound + _ROUNDING * scale
    ratio, expected, reason = OPTIMAL if optimal else guarantee
    bound = distance if optimal else min(bound, distance)
    return Aggregate(consensus, distance, bound, ratio, expected, optimal, method, reason, error)
