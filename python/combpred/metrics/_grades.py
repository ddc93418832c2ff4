"""Ordered grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._lib.arrays import refuse_masked
from ._rows import check_no_row, compared, number_matrix


def neg_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: ArrayLike | None = None, per_row: bool = False
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
    kinds = [y.dtype for y in (y_true, y_pred) if getattr(getattr(y, "dtype", None), "ordered", False)]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        raise ValueError(f"y_true has the grades {list(kinds[0].categories)} and y_pred {list(kinds[1].categories)}")
    truth, predicted = compared(y_true, y_pred, _grades)
    return mean_of_rows(-np.abs(truth.astype(np.float64) - predicted), sample_weight, per_row)


def _grades(y: Any, name: str) -> NDArray[Any]:
    """Return grades as numbers, those of an ordered Categorical from 0 on."""
    refuse_masked(y, name)
    if getattr(getattr(y, "dtype", None), "ordered", False):
        codes = np.asarray(getattr(y, "cat", y).codes)
        check_no_row(codes < 0, name, "the grade is missing; leave the row out")
        return codes
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {values.shape}")
    return number_matrix(values[:, np.newaxis], name)[:, 0]
