"""Ordered grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._data.targets import target_vector
from ._rows import compared, number_matrix


def neg_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return minus the number of grades between truth and prediction.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Grades as numbers. Pass the codes of ordered Categoricals, ``y.cat.codes``.
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
    truth, predicted = compared(y_true, y_pred, _grades)
    return mean_of_rows(-np.abs(truth - predicted), sample_weight, per_row)


def _grades(y: Any, name: str) -> NDArray[np.float64]:
    return number_matrix(target_vector(y, name)[:, np.newaxis], name)[:, 0].astype(np.float64)
