"""Rankings against rankings, given by the positions of the labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from ._rows import check_no_row, check_rows, mean_of_rows, number_matrix

_BLOCK = 4096  # rows at a time: the comparisons of a block stay in the cache


def kendall_tau(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, average: bool = True
) -> float | NDArray[np.float64]:
    r"""Return Kendall's rank correlation of each row, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), k >= 2
        Positions of the labels, 1 for the first; equal ones are ties. Only their order counts.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    average : bool, default=True
        Whether to return the mean, or one value per row.

    Returns
    -------
    tau : float or ndarray of shape (n,)
        Between −1 and 1, larger is better.

    Raises
    ------
    ValueError
        When a position is missing (−1 or NaN), or all labels of a row are tied, which leaves the coefficient
        undefined; names the row.

    Notes
    -----
    Without ties this is the share of pairs in the same order minus the share in opposite orders. With ties it is
    :math:`\tau_b`, as in `scipy.stats.kendalltau`. Costs O(n k²).

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. *Biometrika* 33.

    Examples
    --------
    >>> kendall_tau([[1, 2, 3, 4], [1, 2, 3, 4]], [[1, 2, 3, 4], [1, 2, 4, 3]], average=False).round(3)
    array([1.   , 0.667])
    """
    truth, predicted = _rankings(y_true, y_pred)
    n, k = truth.shape
    tau = np.empty(n)
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        a, b = np.ascontiguousarray(truth[block].T), np.ascontiguousarray(predicted[block].T)  # (k, rows)
        agreement, untied_a, untied_b = (np.zeros(a.shape[1], dtype=np.int64) for _ in range(3))
        for u in range(k - 1):
            sign_a = (a[u + 1 :] > a[u]).view(np.int8) - (a[u + 1 :] < a[u]).view(np.int8)
            sign_b = (b[u + 1 :] > b[u]).view(np.int8) - (b[u + 1 :] < b[u]).view(np.int8)
            agreement += (sign_a * sign_b).sum(axis=0, dtype=np.int32)
            untied_a += (sign_a != 0).sum(axis=0, dtype=np.int32)
            untied_b += (sign_b != 0).sum(axis=0, dtype=np.int32)
        for untied, name in ((untied_a, "y_true"), (untied_b, "y_pred")):
            if not untied.all():
                row = start + int(np.argmin(untied))
                raise ValueError(
                    f"{name}, row {row}: all labels are tied, so Kendall's tau is undefined; leave the row out"
                )
        tau[block] = agreement / np.sqrt(untied_a.astype(np.float64) * untied_b)  # exact squares when nothing is tied
    return mean_of_rows(tau, sample_weight, average)


def spearman_rho(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, average: bool = True
) -> float | NDArray[np.float64]:
    r"""Return Spearman's rank correlation of each row, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), k >= 2
        Positions of the labels, 1 for the first; equal ones are ties. Only their order counts.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    average : bool, default=True
        Whether to return the mean, or one value per row.

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
    truth, predicted = _rankings(y_true, y_pred)
    a, b = rankdata(truth, axis=1), rankdata(predicted, axis=1)
    centre = (truth.shape[1] + 1) / 2
    a -= centre
    b -= centre
    spread_a, spread_b = (a * a).sum(axis=1), (b * b).sum(axis=1)
    check_no_row(spread_a == 0, "y_true: Spearman's rho is undefined where all labels are tied; leave out")
    check_no_row(spread_b == 0, "y_pred: Spearman's rho is undefined where all labels are tied; leave out")
    rho = (a * b).sum(axis=1) / np.sqrt(spread_a * spread_b)
    return mean_of_rows(rho, sample_weight, average)


def spearman_footrule(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = False,
    sample_weight: ArrayLike | None = None,
    average: bool = True,
) -> float | NDArray[np.float64]:
    r"""Return Spearman's footrule distance :math:`\sum_u |y_u - z_u|` of each row, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), k >= 2
        Positions of the labels, 1 for the first. Rows are ranked anew, tied labels sharing the mean of their ranks.
    normalize : bool, default=False
        Whether to divide by the largest distance of two rankings, :math:`\lfloor k^2/2 \rfloor`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    average : bool, default=True
        Whether to return the mean, or one value per row.

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
    truth, predicted = _rankings(y_true, y_pred)
    distance = np.abs(rankdata(truth, axis=1) - rankdata(predicted, axis=1)).sum(axis=1)
    if normalize:
        distance /= truth.shape[1] ** 2 // 2
    return mean_of_rows(distance, sample_weight, average)


def _rankings(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    truth, predicted = number_matrix(y_true, "y_true"), number_matrix(y_pred, "y_pred")
    check_rows(truth, predicted)
    if truth.shape[1] < 2:
        raise ValueError(f"y_true and y_pred must rank at least 2 labels, got {truth.shape[1]}")
    for positions, name in ((truth, "y_true"), (predicted, "y_pred")):
        check_no_row(
            np.less(positions, 0).any(axis=1),
            f"{name} must hold positions, 1 for the first; a negative number, such as −1 for a missing position, "
            "cannot be compared: leave out",
        )
    return truth, predicted
