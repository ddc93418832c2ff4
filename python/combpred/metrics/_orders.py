"""Rankings against rankings, given by the positions of the labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from .._data.glossary import documented
from .._data.inputs import mean_of_rows
from ._rows import check_no_row, compared, mean_of_counted, number_matrix

_BLOCK = 4096  # rows at a time: the comparisons of a block stay in the cache


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
    truth, predicted = rankings(y_true, y_pred, unknown=True)
    counts = (truth >= 0).sum(axis=1) >= 2
    agreement, untied_a, untied_b = np.zeros((3, len(truth)), dtype=np.int64)
    for rows, a, b in _columns(truth, predicted):
        known = a >= 0
        for u in range(len(a) - 1):
            both = (known[u + 1 :] & known[u]).view(np.int8)
            sign_a, sign_b = _signs(a, u) * both, _signs(b, u) * both
            agreement[rows] += (sign_a * sign_b).sum(axis=0, dtype=np.int32)
            untied_a[rows] += (sign_a != 0).sum(axis=0, dtype=np.int32)
            untied_b[rows] += (sign_b != 0).sum(axis=0, dtype=np.int32)
    for untied, name in ((untied_a, "y_true"), (untied_b, "y_pred")):
        tied = counts & (untied == 0)
        check_no_row(tied, name, "all labels are tied, so Kendall's tau is undefined; leave the row out")
    scale = np.sqrt(untied_a.astype(np.float64) * untied_b)  # of exact squares when nothing is tied
    tau = np.divide(agreement, scale, out=np.full(len(truth), np.nan), where=counts)
    return mean_of_counted(tau, sample_weight, per_row)


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
    truth, predicted = rankings(y_true, y_pred, unknown=True)
    agreement, n_known = np.zeros(len(truth), dtype=np.int64), (truth >= 0).sum(axis=1)
    for rows, a, b in _columns(truth, predicted):
        known = a >= 0
        for u in range(len(a) - 1):
            both, sign_a, sign_b = known[u + 1 :] & known[u], _signs(a, u), _signs(b, u)
            agree = sign_a * sign_b + (sign_a == 0) * (sign_b == 0)
            agreement[rows] += (agree * both).sum(axis=0, dtype=np.int32)
    pairs = n_known * (n_known - 1) / 2
    tau = np.divide(agreement, pairs, out=np.full(len(truth), np.nan), where=pairs > 0)
    return mean_of_counted(tau, sample_weight, per_row)


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
    truth, predicted = rankings(y_true, y_pred)
    a, b = rankdata(truth, axis=1), rankdata(predicted, axis=1)
    centre = (truth.shape[1] + 1) / 2
    a -= centre
    b -= centre
    spread_a, spread_b = (a * a).sum(axis=1), (b * b).sum(axis=1)
    check_no_row(spread_a == 0, "y_true", "Spearman's rho is undefined where all labels are tied; leave the row out")
    check_no_row(spread_b == 0, "y_pred", "Spearman's rho is undefined where all labels are tied; leave the row out")
    rho = (a * b).sum(axis=1) / np.sqrt(spread_a * spread_b)
    return mean_of_rows(rho, sample_weight, per_row)


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
    truth, predicted = rankings(y_true, y_pred)
    distance = np.abs(rankdata(truth, axis=1) - rankdata(predicted, axis=1)).sum(axis=1)
    if normalize:
        distance /= truth.shape[1] ** 2 // 2
    return mean_of_rows(distance, sample_weight, per_row)


def _columns(truth: NDArray[Any], predicted: NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Yield blocks of rows, and their positions label by label, (k, rows)."""
    for start in range(0, len(truth), _BLOCK):
        rows = slice(start, start + _BLOCK)
        yield rows, np.ascontiguousarray(truth[rows].T), np.ascontiguousarray(predicted[rows].T)


def _signs(positions: NDArray[np.generic], u: int) -> NDArray[np.int8]:
    """Return 1 where a label after u, a row of `positions`, stands behind it, −1 where it stands before it, else 0."""
    behind, before = positions[u + 1 :] > positions[u], positions[u + 1 :] < positions[u]
    signs: NDArray[np.int8] = behind.view(np.int8) - before.view(np.int8)
    return signs


def rankings(y_true: ArrayLike, y_pred: ArrayLike, *, unknown: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return checked positions; `unknown` lets −1 stand for unknown ones in y_true, and NaN, which becomes −1."""

    def read(y: Any, name: str) -> NDArray[Any]:
        return positions_of(y, name, unknown=unknown and name == "y_true")

    return compared(y_true, y_pred, read)


def positions_of(y: Any, name: str, *, unknown: bool) -> NDArray[Any]:
    """Return the positions of at least two labels; if `unknown`, −1 where they are −1 or NaN."""
    positions = number_matrix(y, name, missing=unknown)
    if positions.shape[1] < 2:
        raise ValueError(f"{name} must rank at least 2 labels, got {positions.shape[1]}")
    if unknown and positions.dtype.kind == "f":
        positions = np.where(np.isnan(positions), -1, positions)
    bad = (positions < 0) & ~(unknown & (positions == -1))
    said = "holds a negative number other than −1" if unknown else "holds a negative number, such as −1 for unknown"
    check_no_row(bad.any(axis=1), name, f"must hold positions, 1 for the first; this row {said}")
    return positions
