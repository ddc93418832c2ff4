"""Right or wrong as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from .._data.inputs import mean_of_rows
from .._data.targets import as_array
from ._rows import check_no_row, compared


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
    return 1.0 - accuracy(y_true, y_pred, sample_weight=sample_weight, per_row=per_row)


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
    truth, predicted = compared(y_true, y_pred, _values)
    all_strings = [all(isinstance(value, str) for value in values.flat) for values in (truth, predicted)]
    if all_strings[0] != all_strings[1]:
        raise ValueError("y_true and y_pred hold strings and numbers, which are never equal: convert one of them")
    return mean_of_rows((truth == predicted).all(axis=1).astype(np.float64), sample_weight, per_row)


def _values(y: Any, name: str) -> NDArray[Any]:
    """Return labels or rows as a matrix; ValueError if a value is missing, as NaN equals nothing."""
    values = as_array(y.toarray() if issparse(y) else y, name)
    matrix = values.reshape(len(values), -1)
    if matrix.dtype.kind == "O":  # pandas' NA compares as neither equal nor different
        missing = [[type(value).__name__ == "NAType" or value != value for value in row] for row in matrix]
    else:
        missing = matrix != matrix
    check_no_row(np.any(missing, axis=1), name, "a value is missing; fill it in, or leave the row out")
    return matrix
