"""Ordered grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._data.targets import TargetError
from .._lib.arrays import refuse_masked
from ._rows import check_same_shape, number_matrix


def neg_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return minus the number of grades between truth and prediction.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Grades as numbers, or ordered Categoricals with the same categories.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        At most 0, larger is better. The mean is scikit-learn's "neg_mean_absolute_error".

    Raises
    ------
    ValueError
        When the two have different shapes, or hold no finite numbers, naming the row.

    Examples
    --------
    >>> neg_absolute_error([0, 3, 2], [0, 1, 1])
    -1.0
    """
    refuse_masked(y_true, "y_true")
    refuse_masked(y_pred, "y_pred")
    truth, predicted = _grades(y_true, "y_true"), _grades(y_pred, "y_pred", getattr(y_true, "dtype", None))
    check_same_shape(truth, predicted)
    if truth.ndim != 1:
        raise ValueError(f"y_true and y_pred must have shape (n,), got {truth.shape}")
    truth = number_matrix(truth[:, np.newaxis], "y_true")[:, 0]
    predicted = number_matrix(predicted[:, np.newaxis], "y_pred")[:, 0]
    return mean_of_rows(-np.abs(truth.astype(np.float64) - predicted), sample_weight, per_row)


def _grades(y: Any, name: str, of_true: Any = None) -> NDArray[Any]:
    """Return grades as an array; of names, which an ordered Categorical holds, their codes."""
    dtype = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False):
        if of_true is not None and dtype != of_true:
            found, other = (list(getattr(each, "categories", [])) for each in (dtype, of_true))
            raise ValueError(f"{name} has the categories {found}, y_true {other}: give both the same, in one order")
        codes = np.asarray(getattr(y, "cat", y).codes)
        if (codes < 0).any():
            raise TargetError(int(np.argmax(codes < 0)), "the grade is missing; leave the row out", name)
        return codes
    grades = np.asarray(y)
    if grades.dtype.kind in "US" or any(isinstance(grade, str) for grade in grades.ravel()[:1]):
        raise ValueError(
            f"{name} holds names of grades: pass pandas.Categorical({name}, categories=[…], ordered=True), with all in "
            "their order"
        )
    return grades
