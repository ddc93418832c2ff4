"""What the aggregation functions return."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.tables import Tabular


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Tabular):
    """A consensus of rankings, and what is known about it.

    Attributes
    ----------
    consensus : ndarray
        Positions of the k items, int32 of shape ``(k,)``, 1 for the first, tied items sharing one; or, for partial
        orders, a boolean relation of shape ``(k, k)``, ``consensus[u, v]`` saying that u is before v.
    distance : float
        Weighted sum of the distances to the rankings.
    lower_bound : float
        No consensus of this kind has a smaller distance.
    ratio : float or None
        `distance` is at most `ratio` times the least possible one: 1.0 when proven optimal, otherwise what the method
        guarantees beforehand for rankings of this kind. None where nothing is guaranteed.
    expected : bool
        Whether `ratio` bounds the mean of `distance` over the random choices of the method, not each of its results.
    optimal : bool
        Whether no consensus has a smaller distance.
    method : str
        The method that was used.
    reason : str
        Where `ratio` comes from, or why there is none.
    standard_error : float
        Standard error of `distance` where partial orders were replaced by samples of their linear extensions; else 0.
    names : list of str or None
        Names of the items, from the columns of a data frame.

    Notes
    -----
    `certified_ratio` is proven from the numbers at hand, and is often much closer to 1 than `ratio`.

    Examples
    --------
    >>> from combpred.aggregation import borda
    >>> import pandas as pd
    >>> borda(pd.DataFrame([[1, 2, 3], [1, 3, 2], [2, 1, 3]], columns=["sushi", "ramen", "udon"]))
    Aggregate: distance 4, proven optimal, method 'borda'
    position  items
           1  sushi
           2  ramen
           3  udon
    """

    consensus: NDArray[Any]
    distance: float
    lower_bound: float
    ratio: float | None
    expected: bool
    optimal: bool
    method: str
    reason: str
    standard_error: float = 0.0
    names: list[str] | None = field(default=None, kw_only=True)

    @property
    def certified_ratio(self) -> float:
        """`distance` over `lower_bound`, which bounds its ratio to the least distance; infinite for a bound of 0."""
        if self.distance <= self.lower_bound:
            return 1.0
        return self.distance / self.lower_bound if self.lower_bound > 0 else math.inf

    def _table(self) -> dict[str, Any]:
        if self.consensus.ndim == 1:
            shown = [", ".join(map(str, tier)) for tier in self.tiers]
            return {"position": np.unique(self.consensus), "items": shown}
        return before_what(self.consensus, self.names)

    def _title(self) -> str:
        known = "proven optimal" if self.optimal else f"at least {self.lower_bound:.6g} for any consensus"
        return f"Aggregate: distance {self.distance:.6g}, {known}, method {self.method!r}"

    @property
    def order(self) -> NDArray[np.intp]:
        """The items from first to last, tied ones in ascending order; AttributeError for a partial order."""
        if self.consensus.ndim != 1:
            raise AttributeError("a partial order has no single order; combpred.sampling.linear_extensions draws some")
        return np.argsort(self.consensus, kind="stable")

    @property
    def tiers(self) -> list[list[Any]]:
        """The items, by their names if they have some, from first to last: a list for each position."""
        items = self.order.tolist() if self.names is None else [self.names[item] for item in self.order]
        ends = np.flatnonzero(np.diff(self.consensus[self.order])) + 1
        return [items[first:end] for first, end in zip([0, *ends], [*ends, len(items)], strict=True)]


def before_what(relation: NDArray[np.bool_], names: Sequence[Hashable] | None) -> dict[str, Any]:
    """Return the columns of a table of items and of those that each is before in a partial order."""
    items = list(range(len(relation)) if names is None else names)
    after = [", ".join(str(items[v]) for v in np.flatnonzero(row)) for row in relation]
    return {"item": items, "before": after}
