"""Right or wrong as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from .._data.inputs import mean_of_rows
from .._data.targets import TargetError
from .._lib.arrays import refuse_masked
from ._rows import check_same_shape, with_same_columns


def zero_one_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of rows that are not predicted exactly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        A row of a matrix counts as right only when all its entries are: for label sets this is one minus subset
        accuracy.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        Between 0 and 1, smaller is better.

    Raises
    ------
    ValueError
        When the two have different shapes, no rows, or strings on one side and numbers on the other.

    Examples
    --------
    >>> zero_one_loss([[1, 2, 3], [2, 1, 3]], [[1, 2, 3], [1, 2, 3]])
    0.5
    """
    return mean_of_rows((~_equal_rows(y_true, y_pred)).astype(np.float64), sample_weight, per_row)


def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of rows that are predicted exactly, one minus `zero_one_loss`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels or rows.
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
        When the two have different shapes, no rows, or strings on one side and numbers on the other.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    return mean_of_rows(_equal_rows(y_true, y_pred).astype(np.float64), sample_weight, per_row)


def _equal_rows(y_true: Any, y_pred: Any) -> NDArray[np.bool_]:
    y_true, y_pred = with_same_columns(y_true, y_pred)
    truth, predicted = _array(y_true, "y_true"), _array(y_pred, "y_pred")
    if truth.ndim == 2 and predicted.ndim == 1 and truth.shape[1] == 1:
        truth = truth[:, 0]  # a column of labels against a vector of predictions
    check_same_shape(truth, predicted)
    if {_holds(truth), _holds(predicted)} == {"strings", "numbers"}:
        raise ValueError(
            f"y_true holds {_holds(truth)} and y_pred {_holds(predicted)}, which are never equal: make one what the "
            "other is"
        )
    equal = np.asarray(truth == predicted)
    rows: NDArray[np.bool_] = np.logical_and.reduce(equal.reshape(len(equal), -1), axis=1)
    return rows


def _holds(values: NDArray[Any]) -> str:
    """Return what all values are, "strings" or "numbers", or else ""."""
    if values.dtype.kind == "O":
        return "strings" if all(isinstance(value, str) for value in values.flat) else ""
    return "strings" if values.dtype.kind in "US" else "numbers" if values.dtype.kind in "biuf" else ""


def _array(y: Any, name: str) -> NDArray[Any]:
    """Return labels or rows; ValueError for rows of different lengths, and where one is missing."""
    refuse_masked(y, name)
    if y is None:
        raise ValueError(f"{name} is None; this requires {name} to be passed")
    try:
        values = y.toarray() if issparse(y) else np.asarray(y)
    except ValueError:
        raise ValueError(
            f"the rows of {name} differ in length; pad them, or make y of them by a converter of their structure"
        ) from None
    if values.dtype.kind == "O":  # also NA, which compares as neither equal nor different
        missing = np.array([isinstance(v, float) and v != v or type(v).__name__ == "NAType" for v in values.ravel()])
    else:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=np.bool_)
    if values.ndim and missing.any():
        row = int(np.argmax(missing.reshape(len(values), -1).any(axis=1)))
        raise TargetError(row, "found nan, which equals nothing; fill it in, or leave the row out", name)
    return values
