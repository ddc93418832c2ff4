"""Relations between pairs of items."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from ._rows import check_no_row, check_same_shape, number_matrix, with_same_columns


def pair_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of pairs of items whose predicted relation is right, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, n_pairs)
        Relations of items: for each pair +1, −1, or 0 for none, as of `Tournaments` and `PartialOrders`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    accuracy : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    ValueError
        When an entry is not −1, 0 or 1; names the row.

    Examples
    --------
    >>> pair_accuracy([[1, 0, -1], [1, 1, 1]], [[1, 0, 0], [-1, 1, 1]], per_row=True).round(3)
    array([0.667, 0.667])
    """
    y_true, y_pred = with_same_columns(y_true, y_pred)
    truth, predicted = number_matrix(y_true, "y_true"), number_matrix(y_pred, "y_pred")
    check_same_shape(truth, predicted)
    for relation, name in ((truth, "y_true"), (predicted, "y_pred")):
        check_no_row(
            ~((relation == -1) | (relation == 0) | (relation == 1)).all(axis=1),
            f"{name} must hold −1, 0 and 1 only; another value stands in",
        )
    right: NDArray[np.float64] = (truth == predicted).mean(axis=1)
    return mean_of_rows(right, sample_weight, per_row)
