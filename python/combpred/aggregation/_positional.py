"""Consensus by the positions of the items."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._lib.aggregate import consensus
from ._aggregate import Aggregate
from ._profile import item_names, read_profile


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
    found = consensus(read_profile(rankings, weights, n_extensions, random_state), None, "borda")
    return Aggregate(*found, names=item_names(rankings))


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
    An assignment of items to positions. The Kendall distance of two
    rankings without ties is between half their footrule and all of it (Diaconis and Graham, 1977), so that the result
    has at most twice the least Kendall distance. Cost: O(n k log k + k³).

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
    found = consensus(read_profile(rankings, weights, n_extensions, random_state), None, "footrule")
    return Aggregate(*found, names=item_names(rankings))


def median_rank(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the order of the median positions, which approximates the consensus of `footrule`.

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
    any order is. Cost: O(n k log(n k)).

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
    found = consensus(read_profile(rankings, weights, n_extensions, random_state), None, "median-rank")
    return Aggregate(*found, names=item_names(rankings))
