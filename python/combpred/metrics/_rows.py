"""What all metrics share: paired arguments and the mean over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.forms import column_names, columns_in_order
from .._data.names import with_names
from .._data.targets import TargetError, as_numbers, error_at, target_matrix


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


def number_matrix(values: ArrayLike, name: str, *, missing: bool = False) -> NDArray[Any]:
    """Return a matrix of finite numbers, and NaN if `missing`; ValueError naming row and column of another value."""
    names = column_names(values, name)
    remedy = "metrics compare finite numbers"
    try:
        matrix = as_numbers(target_matrix(values, name, None, "label"), name, remedy)
        bad = np.isinf(matrix) if missing else ~np.isfinite(matrix)
        if bad.any():
            raise error_at(bad, matrix, f"{remedy}: fill it in, or leave the row out", name)
    except TargetError as error:
        reason = with_names(error.reason, "column", None if names is None else tuple(names))
        raise TargetError(error.row, reason, name) from None
    return matrix.astype(np.int8) if matrix.dtype.kind == "b" else matrix


def check_no_row(bad: NDArray[np.bool_], name: str, reason: str) -> None:
    """Raise ValueError about the first row where `bad` holds, if any."""
    if bad.any():
        raise TargetError(int(np.argmax(bad)), reason, name)
