"""What all metrics share: paired arguments and the mean over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.forms import column_names, columns_in_order
from .._data.targets import as_numbers
from .._lib.arrays import refuse_masked
from .._lib.errors import RowError


def check_same_shape(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str] = ("y_true", "y_pred")) -> None:
    """Raise ValueError unless both arrays have one shape with at least one row."""
    if first.shape != second.shape:
        raise ValueError(
            f"{names[0]} has shape {first.shape} and {names[1]} {second.shape}; they must agree row by row"
        )
    if first.ndim == 0 or first.shape[0] == 0:
        raise ValueError(f"{names[0]} and {names[1]} have no rows; at least 1 is needed")


def with_same_columns(y_true: Any, second: Any, name: str = "y_pred") -> tuple[Any, Any]:
    """Return both, the columns of the second in the order of those of y_true where both are data frames with names.

    Raises
    ------
    ValueError
        When one has other names than the other.
    """
    names = column_names(y_true, "y_true")
    if names is not None and len(names) < 2:  # one column is one value of each row, whatever it is called
        return y_true, second
    framed = hasattr(y_true, "columns") or hasattr(y_true, "column_names")
    return y_true, columns_in_order(second, names, name, "those of y_true") if framed else second


def number_matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return a matrix of finite numbers; ValueError naming the first row with another value."""
    refuse_masked(values, name)
    matrix = np.asarray(values)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have shape (n, k), got {matrix.shape}")
    if matrix.dtype.kind == "O":
        matrix = as_numbers(matrix, name, "metrics compare numbers")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, got dtype {matrix.dtype}")
    if matrix.dtype.kind == "f":
        check_no_row(~np.isfinite(matrix).all(axis=1), f"{name} must be finite; a value that is not stands in")
    return matrix.astype(np.int8) if matrix.dtype.kind == "b" else matrix


def check_no_row(bad: NDArray[np.bool_], reason: str) -> None:
    """Raise ValueError with the reason and the first row where `bad` holds, if any."""
    if bad.any():
        row = int(np.argmax(bad))
        raise RowError(row, f"{reason} row {row}", named=True)
