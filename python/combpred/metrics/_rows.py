"""What all metrics share: paired arguments and the mean over rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import check_weights, column_names, columns_in_order
from .._data.targets import as_numbers, refuse_entries, target_matrix
from .._lib.arrays import FloatArray

_REMEDY = "metrics compare finite numbers: fill it in, or leave the row out"


def compared(
    y_true: Any, y_pred: Any, read: Callable[[Any, str], NDArray[Any]], name: str = "y_pred"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both arguments as `read` reads them; `name` is the argument name of the second one.

    If both are data frames, the columns of the second are put in the order of those of the first.

    Raises
    ------
    ValueError
        When the columns have different names, the two differ in shape or there are no rows.
    """
    truth, predicted = read(y_true, "y_true"), read(in_same_order(y_true, y_pred, name), name)
    if truth.shape != predicted.shape or not truth.size:
        raise ValueError(f"y_true has shape {truth.shape} and {name} {predicted.shape}; they must agree and have rows")
    return truth, predicted


def in_same_order(y_true: Any, second: Any, name: str) -> Any:
    """Return `second` with its columns in the order of those of y_true, if both are data frames."""
    names = column_names(y_true, "y_true")
    if names is not None and len(names) < 2:  # one column is one value of each row, whatever its name
        return second
    return columns_in_order(second, names, name, "those of y_true")


def number_matrix(values: ArrayLike, name: str, *, missing: bool = False) -> NDArray[Any]:
    """Return a matrix of finite numbers, and NaN if `missing`; ValueError naming row and column of another value."""
    names = column_names(values, name)
    matrix = as_numbers(target_matrix(values, name, None, "label"), name, _REMEDY, names)
    bad = np.isinf(matrix) if missing else ~np.isfinite(matrix)
    refuse_entries(bad, matrix, _REMEDY, name, names)
    return matrix.astype(np.int8) if matrix.dtype.kind == "b" else matrix


def mean_of_counted(values: FloatArray, sample_weight: ArrayLike | None, per_row: bool) -> float | FloatArray:
    """Return the mean over the rows that count, or all values, which are NaN for the others."""
    weights = check_weights(sample_weight, len(values))
    if per_row:
        return values
    return float(np.average(np.nan_to_num(values), weights=counting_weights(~np.isnan(values), weights)))


def counting_weights(counts: NDArray[np.bool_], weights: FloatArray | None) -> FloatArray:
    """Return weights of the rows, 0 for those that do not count; ValueError if none counts."""
    found = np.where(counts, 1.0 if weights is None else weights, 0.0)
    if not found.any():
        raise ValueError("y_true: of no row of positive weight is enough known to compare")
    return found
