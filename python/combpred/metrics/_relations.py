"""Relations between pairs of items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._data.relations import encode_relations, items_shown
from ._rows import check_no_row, check_same_shape, number_matrix, with_same_columns


def pair_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of pairs of items whose predicted relation is right, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, n_pairs) or (n, k, k)
        Relations of items: for each pair +1, −1, or 0 for none, as of `Tournaments` and `PartialOrders`; or booleans,
        ``y[i, u, v]`` saying that u is before v.
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
    truth, predicted = _signs(y_true, "y_true"), _signs(y_pred, "y_pred")
    check_same_shape(truth, predicted)
    for relation, name in ((truth, "y_true"), (predicted, "y_pred")):
        check_no_row(
            ~((relation == -1) | (relation == 0) | (relation == 1)).all(axis=1),
            name,
            "must hold −1, 0 and 1 only, and this row holds another value",
        )
    right: NDArray[np.float64] = (truth == predicted).mean(axis=1)
    return mean_of_rows(right, sample_weight, per_row)


def _signs(y: Any, name: str) -> NDArray[Any]:
    matrices = getattr(y, "ndim", 0) == 3 or (isinstance(y, (list, tuple)) and np.ndim(y[:1]) == 3)
    return encode_relations(y, items_shown(y, name), name, reflexive=True) if matrices else number_matrix(y, name)
