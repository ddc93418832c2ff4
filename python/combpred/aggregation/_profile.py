"""Rankings to be aggregated: what users pass, checked, and what the methods compute from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from .._data.checks import whole_number
from .._data.inputs import check_weights
from .._data.relations import encode_partial_orders, relation_matrices
from .._data.targets import TargetError, as_numbers, target_matrix, unknown_positions
from .._lib.arrays import FloatArray
from ..sampling import linear_extensions

_BLOCK_CELLS = 2**18  # comparisons at a time: they stay in the cache
_LARGEST = 1e290  # sum of weights: times any power of the number of items that occurs it is still finite
_REMEDY = "positions are finite numbers from 0 on, the smaller before the larger, or -1 (or NaN) where unknown"
_INTRANSITIVE = "or pass the sum of the relations as counts, which kemeny and acyclic_majority take"


@dataclass(frozen=True, eq=False)
class Profile:
    """Weighted rankings of k items.

    Attributes
    ----------
    ranks : ndarray of shape (n, k)
        Numbers compared by their order, equal ones tied, NaN where unknown.
    weights : ndarray of shape (n,)
        At least 0, not all 0.
    n_extensions : int
        Rows for each partial order where rows are samples of its linear extensions, otherwise 0.
    """

    ranks: FloatArray
    weights: FloatArray
    n_extensions: int = 0

    @property
    def n_items(self) -> int:
        return int(self.ranks.shape[1])

    @property
    def is_complete(self) -> bool:
        """Whether every row of positive weight ranks all items."""
        return not bool(np.isnan(self.ranks[self.weights > 0]).any())

    @property
    def has_ties(self) -> bool:
        ordered = np.sort(self.ranks[self.weights > 0], axis=1)
        return bool((ordered[:, 1:] == ordered[:, :-1]).any())

    def restricted(self, items: NDArray[np.intp]) -> Profile:
        """Return the rankings of some of the items."""
        return Profile(self.ranks[:, items], self.weights, self.n_extensions)

    def mean_positions(self) -> FloatArray:
        """Return the mean position of every item over all orders of the k items that agree with a row.

        Tied items share the mean of their ranks. The r-th of m known items stands at r(k + 1)/(m + 1) on average; for
        unknown ones NaN is returned.
        """
        unknown = np.isnan(self.ranks)
        positions = np.asarray(rankdata(np.where(unknown, np.inf, self.ranks), axis=1), dtype=np.float64)
        known = (~unknown).sum(axis=1, keepdims=True)
        return np.where(unknown, np.nan, positions * ((self.n_items + 1) / (known + 1)))

    def standard_error(self, distances: FloatArray) -> float:
        """Return the standard error of the weighted sum of the rows' distances that sampled extensions cause."""
        if not self.n_extensions:
            return 0.0
        grouped = (self.weights * distances).reshape(-1, self.n_extensions)
        return float(np.sqrt(self.n_extensions * grouped.var(axis=1, ddof=1).sum()))


def read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return the rankings that a user passed: positions ``(n, k)``, or relations ``(n, k, k)`` of partial orders."""
    try:
        relations = np.ndim(rankings) == 3
    except ValueError:  # rows that differ in length are refused below
        relations = False
    if relations:
        return _extended(np.asarray(rankings), weights, n_extensions, random_state)
    values = as_numbers(target_matrix(rankings, "rankings", None, "item"), "rankings", _REMEDY)
    if values.shape[1] < 2:
        raise ValueError(f"rankings must rank at least 2 items, got {values.shape[1]}")
    ranks = np.array(values, dtype=np.float64)
    ranks[unknown_positions(ranks, _REMEDY, "rankings", zero=True)] = np.nan
    return Profile(ranks, _weights(weights, len(ranks)))


def _extended(relations: NDArray[Any], weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return samples of the linear extensions of partial orders, which share the weight of theirs."""
    many = whole_number(n_extensions, "n_extensions", 2, 2**24)
    n, k = relations.shape[:2]
    if n == 0 or k < 2:
        raise ValueError(f"rankings must have at least 1 row and 2 items, got shape {relations.shape}")
    try:
        before = relation_matrices(encode_partial_orders(relations, k, _INTRANSITIVE), k)
    except TargetError as error:
        raise TargetError(error.row, error.reason, "rankings") from None
    rng = check_random_state(random_state)
    orders = np.concatenate([linear_extensions(np.argwhere(each), k, many, random_state=rng) for each in before])
    ranks = np.empty(orders.shape)
    np.put_along_axis(ranks, orders, np.arange(1.0, k + 1)[np.newaxis], axis=1)
    return Profile(ranks, np.repeat(_weights(weights, n) / many, many), many)


def _weights(weights: Any, n: int) -> FloatArray:
    checked = check_weights(weights, n, name="weights", rows="rankings")
    if checked is None:
        return np.ones(n)
    _require_summable(checked, "weights")
    return checked


def _require_summable(values: FloatArray, name: str) -> None:
    """Raise ValueError where numbers, at least 0, leave no room for sums of their multiples."""
    if values.max() > _LARGEST / values.size:
        raise ValueError(f"{name} are up to {values.max():.3g}, so that sums of them may overflow: scale them down")


def pair_counts(profile: Profile) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the rankings with u before v, and of those with the two tied, each of shape ``(k, k)``.

    Pairs with an unknown item count for neither. Cost: O(n k²).
    """
    k = profile.n_items
    before, tied = np.zeros((k, k)), np.zeros((k, k))
    rows = max(1, _BLOCK_CELLS // k)
    with_ties = profile.has_ties
    for start in range(0, len(profile.ranks), rows):
        ranks, weights = profile.ranks[start : start + rows], profile.weights[start : start + rows]
        for u in range(k):
            before[u] += weights @ (ranks[:, u, np.newaxis] < ranks)
            if with_ties:
                tied[u] += weights @ (ranks[:, u, np.newaxis] == ranks)
    np.fill_diagonal(tied, 0.0)
    return before, tied


def read_counts(
    rankings: Any, counts: Any, weights: Any, n_extensions: Any, random_state: Any
) -> tuple[Profile | None, FloatArray, FloatArray]:
    """Return the rankings, if given, and the weights of those with u before v and with the two tied."""
    if (rankings is None) == (counts is None):
        raise ValueError("give either rankings or counts, and not both")
    if counts is None:
        profile = read_profile(rankings, weights, n_extensions, random_state)
        return profile, *pair_counts(profile)
    if weights is not None:
        raise ValueError("weights are for rankings; multiply counts by them instead")
    try:
        before = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"counts must be numbers: {error}") from error
    if before.ndim != 2 or before.shape[0] != before.shape[1] or len(before) < 2:
        raise ValueError(f"counts must have shape (k, k) with k at least 2, got {before.shape}")
    np.fill_diagonal(before, 0.0)
    bad = ~(np.isfinite(before) & (before >= 0))
    if bad.any():
        u, v = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"counts[{u}, {v}] is {before[u, v]}; counts must be finite and at least 0")
    _require_summable(before, "counts")
    return None, before, np.zeros_like(before)


def kendall_distances(profile: Profile, before: NDArray[np.bool_], penalty: float) -> FloatArray:
    """Return the distance of every row to a partial order, `penalty` for pairs that only one of the two orders.

    `before` has shape ``(k, k)``. Pairs with an unknown item do not count.
    """
    ranks = profile.ranks
    total = np.zeros(len(ranks))
    for u in range(profile.n_items - 1):
        own, others = ranks[:, u, np.newaxis], ranks[:, u + 1 :]
        ahead, behind, tied = own < others, own > others, own == others
        first, second = before[u, u + 1 :].astype(np.float64), before[u + 1 :, u].astype(np.float64)
        related = first + second
        total += behind @ first + ahead @ second
        total += penalty * (tied @ related + (ahead | behind) @ (1.0 - related))
    return total
