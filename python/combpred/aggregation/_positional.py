"""Consensus by the positions of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from .._lib.arrays import FloatArray
from ._aggregate import Aggregate
from ._guarantees import OPTIMAL, Guarantee, conclude
from ._orders import positions_of
from ._profile import Profile, read_profile


def borda(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the consensus of least total squared difference of positions: the order of the mean positions.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        Always optimal. `distance` is :math:`\sum_i w_i \sum_u (y_u - \bar r_{iu})^2`, where :math:`\bar r_{iu}` is the
        mean position of item u over all orders that agree with ranking i: tied items share the mean of their ranks, the
        r-th of m known items is at r(k + 1)/(m + 1) and unknown ones are at (k + 1)/2. Where items have the same mean
        position the one of smaller number is first.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    Borda's count, and the generalised Spearman distance of Brinker and Hüllermeier. Its Kendall distance is at most 5
    times the least for rankings of all items without ties (Coppersmith, Fleischer and Rudra, 2010). Cost: O(n k log k).

    References
    ----------
    Brinker, K. and Hüllermeier, E. (2007). Case-based multilabel ranking. *IJCAI*.

    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Examples
    --------
    >>> from combpred.aggregation import borda
    >>> result = borda([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance
    (array([1, 2, 3], dtype=int32), 8.0)
    """
    profile = read_profile(rankings, weights, n_extensions, random_state)
    positions = _filled(profile)
    y = _order_by(profile.weights @ positions)
    distances = ((positions - y) ** 2).sum(axis=1)
    return _result(profile, y, distances, None, OPTIMAL, "borda")


def footrule(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the consensus of least total absolute difference of positions, Spearman's footrule.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        Always optimal. `distance` is :math:`\sum_i w_i \sum_u |y_u - \bar r_{iu}|`, where :math:`\bar r_{iu}` is the
        mean position of item u over all orders that agree with ranking i: tied items share the mean of their ranks, the
        r-th of m known items is at r(k + 1)/(m + 1). Items count nothing in rankings where they are unknown.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    An assignment of items to positions, solved by `scipy.optimize.linear_sum_assignment`. The Kendall distance of two
    rankings without ties is between half their footrule and all of it (Diaconis and Graham, 1977), so that the result
    has at most twice the least Kendall distance. Cost: O(n k² + k³).

    References
    ----------
    Dwork, C., Kumar, R., Naor, M. and Sivakumar, D. (2001). Rank aggregation methods for the web. *WWW 10*.

    Examples
    --------
    >>> from combpred.aggregation import footrule
    >>> result = footrule([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance
    (array([1, 2, 3], dtype=int32), 6.0)
    """
    profile = read_profile(rankings, weights, n_extensions, random_state)
    positions = profile.mean_positions()
    k = profile.n_items
    cost = np.empty((k, k))
    for place in range(k):
        cost[:, place] = profile.weights @ np.nan_to_num(np.abs(positions - (place + 1)))
    items, places = linear_sum_assignment(cost)
    y = np.empty(k, dtype=np.int32)
    y[items] = places + 1
    return _result(profile, y, _absolute(positions, y), None, OPTIMAL, "footrule")


def median_rank(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the order of the median positions, an approximation of :func:`footrule`.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        `distance` as that of :func:`footrule`: at most twice the least for rankings of all items, three times with
        ties, no guarantee where items are unknown. `lower_bound` is the distance to the medians themselves. Of items
        with one median the one of smaller mean position is first.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    For every place t the items before it are t of those that most rankings have there, or all of these and more.
    Exchanging one of them for another costs at most the weight of all rankings, and the best t items miss at least half
    of that for each item that differs: at most twice the least for each t, and their sum is the footrule. With ties the
    triangle inequality gives 3: the order is the nearest one to the medians, and these are nearer to the rankings than
    any order is. Cost: O(n k log n).

    References
    ----------
    Fagin, R., Kumar, R. and Sivakumar, D. (2003). Efficient similarity search and classification via rank aggregation.
    *SIGMOD*.

    Fagin, R., Kumar, R., Mahdian, M., Sivakumar, D. and Vee, E. (2006). Comparing partial rankings. *SIAM J. Discrete
    Math.* 20.

    Examples
    --------
    >>> from combpred.aggregation import median_rank
    >>> result = median_rank([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance, result.lower_bound, result.ratio
    (array([1, 2, 3], dtype=int32), 6.0, 5.0, 2.0)
    """
    profile = read_profile(rankings, weights, n_extensions, random_state)
    positions = profile.mean_positions()
    medians = np.array([_weighted_median(column, profile.weights) for column in positions.T])
    unranked = np.isnan(medians)
    medians[unranked] = (profile.n_items + 1) / 2
    y = positions_of(np.lexsort((profile.weights @ _filled(profile), medians)))
    bound = float(profile.weights @ _absolute(positions, medians))
    source = "Fagin, Kumar and Sivakumar (2003)"
    if not profile.is_complete:
        guarantee = Guarantee(None, False, "where items are unknown, places are not filled alike in all rankings")
    elif profile.has_ties:
        guarantee = Guarantee(3.0, False, "the triangle inequality, as the medians are nearest to the rankings")
    else:
        guarantee = Guarantee(2.0, False, source)
    return _result(profile, y, _absolute(positions, y), bound, guarantee, "median-rank")


def _result(
    profile: Profile,
    y: NDArray[np.int32],
    distances: FloatArray,
    bound: float | None,
    guarantee: Guarantee,
    method: str,
) -> Aggregate:
    """Return the result; ``bound=None``: it is optimal."""
    distance = float(profile.weights @ distances)
    return conclude(
        y,
        distance,
        distance if bound is None else bound,
        guarantee,
        method=method,
        scale=profile.n_items**2 * float(profile.weights.sum()),
        error=profile.standard_error(distances),
    )


def _filled(profile: Profile) -> FloatArray:
    """Return mean positions, the middle for unknown items."""
    positions = profile.mean_positions()
    return np.where(np.isnan(positions), (profile.n_items + 1) / 2, positions)


def _order_by(values: FloatArray) -> NDArray[np.int32]:
    return positions_of(np.argsort(values, kind="stable"))


def _absolute(positions: FloatArray, y: NDArray[Any]) -> FloatArray:
    distances: FloatArray = np.nan_to_num(np.abs(positions - y)).sum(axis=1)
    return distances


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    """Return the least number such that half of the weight of the known ones is not above it; NaN if none is known."""
    known = ~np.isnan(values) & (weights > 0)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known], kind="stable")
    reached = np.cumsum(weights[known][order])
    return float(values[known][order[int(np.searchsorted(reached, reached[-1] / 2))]])
