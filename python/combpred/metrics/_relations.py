"""Relations between pairs of items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._data.relations import encode_relations
from ._rows import check_no_row, compared, number_matrix


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
    truth, predicted = compared(y_true, y_pred, _relations)
    return mean_of_rows((truth == predicted).mean(axis=1), sample_weight, per_row)


def _relations(y: Any, name: str) -> NDArray[Any]:
    if are_matrices(y):
        return encode_relations(y, name)
    signs = number_matrix(y, name)
    check_no_row((signs != np.sign(signs)).any(axis=1), name, "must hold −1, 0 and 1; this row holds another value")
    return signs


def are_matrices(y: Any) -> bool:
    """Return whether y holds a matrix for each row, where numbers would be positions or signs of pairs."""
    return getattr(y, "ndim", 0) == 3 or (isinstance(y, (list, tuple)) and np.ndim(y[:1]) == 3)
