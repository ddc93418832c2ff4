"""Metrics of rankings: correlations, and those in which the top counts most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import share, whole_number
from .._data.glossary import documented
from .._data.inputs import column_names
from .._data.targets import numbered_positions
from .._lib.arrays import FloatArray
from .._lib.call import computed
from ._rows import compared, mean_of_counted, number_matrix


@documented
def kendall_tau(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return Kendall's rank correlation between true and predicted rankings, averaged over rows.

    Parameters
    ----------
    %(positions_known)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    tau : float or ndarray of shape (n,)
        Between −1 and 1, larger is better.

    Raises
    ------
    ValueError
        When a predicted position is missing, all known labels of a row are tied, which leaves the coefficient
        undefined, or no row counts; names the row.

    Notes
    -----
    Without ties this is the share of pairs in the same order minus the share in opposite orders. With ties it is
    :math:`\tau_b`, as in `scipy.stats.kendalltau`. Costs O(n k²).

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. *Biometrika* 33.

    Examples
    --------
    >>> kendall_tau([[1, 2, 3, 4], [1, 2, 3, 4]], [[1, 2, 3, 4], [1, 2, 4, 3]], per_row=True).round(3)
    array([1.   , 0.667])
    """
    return ranked("kendall_tau", y_true, y_pred, sample_weight, per_row)


@documented
def tau_x(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return the rank correlation of Emond and Mason between true and predicted rankings, averaged over rows.

    Parameters
    ----------
    %(positions_known)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    tau_x : float or ndarray of shape (n,)
        Between −1 and 1, larger is better.

    Raises
    ------
    ValueError
        When a predicted position is missing (−1 or NaN), or no row counts; names the row.

    Notes
    -----
    Kendall's coefficient of the known labels, with a tie counted as agreement with both orders of the pair:
    :math:`\sum_{uv} a_{uv} b_{uv} / (k(k-1))` over ordered pairs, where :math:`a_{uv}` is 1 if u stands before v or is
    tied with it, and −1 otherwise. A pair thus counts 1 if it is in the same order, or tied, in both rankings, −1 if it
    is in opposite orders, and 0 if it is tied in one of them. Unlike `kendall_tau` it is defined where all labels are
    tied, and a ranking agrees with itself with 1, whatever its ties. Costs O(n k²).

    References
    ----------
    Emond, E. J. and Mason, D. W. (2002). A new rank correlation coefficient with application to the consensus ranking
    problem. *Journal of Multi-Criteria Decision Analysis* 11.

    Examples
    --------
    >>> tau_x([[1, 1, 2], [1, 2, 3]], [[1, 1, 2], [1, 2, 2]], per_row=True).round(3)
    array([1.   , 0.667])
    """
    return ranked("tau_x", y_true, y_pred, sample_weight, per_row)


@documented
def spearman_rho(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return Spearman's rank correlation between true and predicted rankings, averaged over rows.

    Parameters
    ----------
    %(rankings)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    rho : float or ndarray of shape (n,)
        Between −1 and 1, larger is better.

    Raises
    ------
    ValueError
        When a position is missing (−1 or NaN), or all labels of a row are tied, which leaves the coefficient
        undefined; names the row.

    Notes
    -----
    The correlation of the ranks, tied labels sharing the mean of their ranks; without ties
    :math:`1 - 6\sum_u (y_u - z_u)^2 / (k(k^2-1))`. Costs O(n k log k).

    Examples
    --------
    >>> spearman_rho([[1, 2, 3, 4]], [[1, 2, 4, 3]])
    0.8
    """
    return ranked("spearman_rho", y_true, y_pred, sample_weight, per_row, unknown=False)


def spearman_footrule(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = False,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return Spearman's footrule distance between true and predicted rankings, averaged over rows.

    The distance of rankings y and z is :math:`\sum_u |y_u - z_u|`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), k >= 2
        Positions of the labels, 1 for the first. Rows are ranked anew, tied labels sharing the mean of their ranks.
    normalize : bool, default=False
        Whether to divide by the largest distance of two rankings, :math:`\lfloor k^2/2 \rfloor`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    distance : float or ndarray of shape (n,)
        At least 0, smaller is better; at most 1 when normalised.

    Raises
    ------
    ValueError
        When a position is missing (−1 or NaN); names the row.

    References
    ----------
    Diaconis, P. and Graham, R. L. (1977). Spearman's footrule as a measure of disarray. *J. R. Stat. Soc. B* 39.

    Examples
    --------
    >>> spearman_footrule([[1, 2, 3, 4]], [[4, 2, 3, 1]])
    6.0
    """
    distance = ranked("spearman_footrule", y_true, y_pred, sample_weight, per_row, unknown=False)
    return distance / (np.shape(y_true)[1] ** 2 // 2) if normalize else distance


def ranked(
    metric: str,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    sample_weight: ArrayLike | None,
    per_row: bool,
    *,
    unknown: bool = True,
    parameter: Callable[[int], float] = float,
) -> float | NDArray[np.float64]:
    """Return a metric of the core over rankings; `unknown` lets positions in y_true be so.

    `parameter` returns that of a metric which has one, given the number of labels.
    """

    def read(y: Any, name: str) -> FloatArray:
        return positions_of(y, name, unknown=unknown and name == "y_true")

    truth, predicted = compared(y_true, y_pred, read)
    values = computed("cp_metric_rankings", truth, predicted, metric, parameter(truth.shape[1]))
    return mean_of_counted(values, sample_weight, per_row)


def positions_of(y: Any, name: str, *, unknown: bool) -> FloatArray:
    """Return the positions of at least two labels; if `unknown`, NaN where they are −1 or NaN."""
    numbers = number_matrix(y, name, missing=unknown)
    return numbered_positions(numbers, name, names=column_names(y, name), noun="label", zero=True)


@documented
def top_k_recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    k: int = 1,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the share of the first k labels that are among the first k of the prediction, averaged over rows.

    Parameters
    ----------
    %(positions_known)s
    k : int, default=1
        How many labels are the first. 1: whether the first label is right. Of rows with fewer known labels all are.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    recall : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    TypeError, ValueError
        For another `k`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    Where ties leave open which labels are the first, the mean over all ways to break them, in both rankings on their
    own. Costs O(n k log k) for k labels.

    Examples
    --------
    >>> top_k_recall([[1, 2, 3, 4]], [[2, 4, 1, 3]], k=2)
    0.5
    """
    return ranked(
        "top_k_recall", y_true, y_pred, sample_weight, per_row, parameter=lambda n: whole_number(k, "k", 1, n)
    )


@documented
def ndcg(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the normalised discounted cumulative gain of predicted rankings, averaged over rows.

    The gain of a label is the number of labels behind it in the true ranking, half of those tied with it. For true
    grades and scores of labels in place of rankings take :func:`sklearn.metrics.ndcg_score`.

    Parameters
    ----------
    %(positions_known)s
    k : int, default=None
        How many places of the prediction count; None: all.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    gain : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    TypeError, ValueError
        For another `k`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    The gain at place i counts 1/log₂(i + 1), and the sum is divided by that of the true ranking. Labels that the
    prediction ties share the mean of their places' discounts. With these gains, and predictions as negative positions,
    it is :func:`sklearn.metrics.ndcg_score`. Costs O(n k log k) for k labels.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). Cumulated gain-based evaluation of IR techniques. *ACM TOIS* 20.

    Examples
    --------
    >>> round(ndcg([[1, 2, 3]], [[1, 3, 2]]), 3)
    0.95
    """
    return ranked(
        "ndcg", y_true, y_pred, sample_weight, per_row,
        parameter=lambda n: n if k is None else whole_number(k, "k", 1, n),
    )  # fmt: skip


@documented
def rank_biased_overlap(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    p: float = 0.9,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the rank-biased overlap of true and predicted rankings, averaged over rows.

    The mean share that the first d labels of both have in common, where a reader who looks at place d goes on to the
    next with probability p.

    Parameters
    ----------
    %(positions_known)s
    p : float, default=0.9
        How patient the reader is, above 0 and below 1: with probability :math:`p^d`, places behind the first d are
        looked at, too.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    overlap : float or ndarray of shape (n,)
        Between 0 and 1, larger is better; 1 for equal rankings without ties.

    Raises
    ------
    TypeError, ValueError
        For another `p`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    With :math:`X_d` common labels among the first d of k labels it is
    :math:`\frac{1-p}{p} \sum_{d=1}^k \frac{X_d}{d} p^d + \frac{X_k}{k} p^k`, the extrapolated value of Webber et
    al. for lists of the same labels. Where ties leave open which labels are the first, :math:`X_d` is its mean over all
    ways to break them, in both rankings on their own (variant a of Corsi and Urbano). Costs O(n k²).

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. *ACM TOIS* 28.

    Corsi, M. and Urbano, J. (2024). The treatment of ties in rank-biased overlap. *SIGIR*.

    Examples
    --------
    >>> round(rank_biased_overlap([[1, 2, 3, 4]], [[2, 1, 3, 4]]), 3)
    0.9
    """
    return ranked("rank_biased_overlap", y_true, y_pred, sample_weight, per_row, parameter=lambda _: share(p, "p"))
