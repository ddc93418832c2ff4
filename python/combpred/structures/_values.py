"""Validation of targets, vectorised: every error names the first bad row, what it holds and the remedy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import column_or_1d

from .._lib import RowError


class TargetError(RowError):
    """One row of an argument is illegal.

    Parameters
    ----------
    row : int
        The first illegal row, counted from 0.
    reason : str
        What it holds and what to do about it.
    argument : str, default="y"
        Name of the argument.
    """

    def __init__(self, row: int, reason: str, argument: str = "y") -> None:
        super().__init__(row, reason)
        self.args = (row, reason, argument)  # all of them, so that the exception can be pickled
        self.argument = argument

    def __str__(self) -> str:
        return f"{self.argument}, row {self.row}: {self.reason}"


def target_vector(y: ArrayLike, argument: str) -> NDArray[Any]:
    """Return y as an array of shape ``(n,)``, n >= 1.

    A single column of shape ``(n, 1)`` is ravelled with scikit-learn's DataConversionWarning.
    """
    values = _dense(y, argument)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.ndim != 1:
        raise ValueError(f"{argument} must have shape (n,), one value for each row; got shape {values.shape}")
    return _not_empty(values, argument)


def target_matrix(
    y: ArrayLike, argument: str, width: int | None, columns: str, parameter: str | None = None
) -> NDArray[Any]:
    """Return y as an array of shape ``(n, width)``, n >= 1; ``width=None`` accepts any number of columns from 1 on.

    `columns` says what each column stands for, `parameter` is the name of the parameter that set the width.
    """
    values = _dense(y, argument)
    if values.ndim != 2:
        raise ValueError(
            f"{argument} must have shape (n, {width or 'k'}), one column for each {columns}; got shape {values.shape}"
        )
    check_width(values.shape[1], argument, width, columns, parameter)
    return _not_empty(values, argument)


def check_width(found: int, argument: str, width: int | None, columns: str, parameter: str | None = None) -> None:
    """Raise ValueError unless `found`, the number of columns of y, is `width` (when None: any positive number)."""
    if found == 0 or (width is not None and found != width):
        message = f"{argument} has {found} columns, it needs {width or 'at least 1'}, one for each {columns}"
        if width is not None and parameter is not None:
            message += f" ({parameter}={width}); pass {argument} with {width} columns"
            message += f", or a structure with {parameter}={found}" if found > 0 else ""
        raise ValueError(message)


def as_numbers(values: NDArray[Any], argument: str, remedy: str) -> NDArray[Any]:
    """Return values as a boolean, integer or float array; None and pandas' NA become NaN, anything else is refused."""
    if values.dtype.kind in "biuf":
        return values
    if values.dtype.kind == "O":
        flat = values.ravel()
        numbers = np.empty(flat.size)
        for i, v in enumerate(flat):
            if v is None or type(v).__name__ == "NAType":
                numbers[i] = np.nan
            elif isinstance(v, (int, float, np.number, np.bool_)) and not isinstance(v, np.complexfloating):
                numbers[i] = v
            else:
                row = i // (values.shape[1] if values.ndim == 2 else 1)
                raise TargetError(row, f"{v!r} is not a number; {remedy}", argument)
        return numbers.reshape(values.shape)
    raise ValueError(f"{argument} has dtype {values.dtype}, which does not hold numbers; {remedy}")


def whole_numbers(values: NDArray[Any], argument: str, lo: int, hi: int, remedy: str) -> NDArray[np.int32]:
    """Return values as int32, all of them in ``[lo, hi]``; integers stored as floats are accepted.

    Raises
    ------
    RowError
        For the first row with a NaN, an infinity, a fraction or a number outside the bounds.
    """
    values = as_numbers(values, argument, remedy)
    if values.dtype.kind == "b":
        values = values.astype(np.int8)
    with np.errstate(invalid="ignore"):
        bad = ~((values >= lo) & (values <= hi))  # a NaN fails both comparisons
        if values.dtype.kind == "f":
            bad |= values != np.floor(values)
    if bad.any():
        raise located(bad, values, remedy, argument)
    return np.ascontiguousarray(values, dtype=np.int32)


def unknown_positions(
    positions: NDArray[Any], remedy: str, argument: str = "y", *, zero: bool = False
) -> NDArray[np.bool_]:
    """Return which positions are unknown: −1 or NaN. Others are refused unless finite and above 0, or 0 with `zero`."""
    unknown: NDArray[np.bool_] = (positions == -1) | np.isnan(positions)
    bad = ~unknown & ~(((positions >= 0) if zero else (positions > 0)) & (positions < np.inf))
    if bad.any():
        raise located(bad, positions, remedy, argument)
    return unknown


def located(bad: NDArray[np.bool_], values: NDArray[Any], remedy: str, argument: str = "y") -> TargetError:
    """Return the error for the first row where `bad` holds, quoting the value there."""
    at = np.unravel_index(int(np.argmax(bad)), bad.shape)
    value = values[at].item()
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    where = f"{shown!r} in column {at[1]}" if values.ndim == 2 else f"{shown!r}"
    return TargetError(int(at[0]), f"found {where}; {remedy}", argument)


def codes_of(values: NDArray[Any], known: Sequence[Hashable], argument: str, remedy: str) -> NDArray[np.int32]:
    """Return for each value its index in `known`; the first row with an unknown value is refused.

    Equality is Python's, so 1, 1.0 and True are the same label.
    """
    index = {label: code for code, label in enumerate(known)}
    try:
        if values.dtype.kind == "O":  # may mix types that cannot be sorted
            codes = np.fromiter((index.get(v, -1) for v in values), dtype=np.int32, count=values.size)
        else:
            distinct, inverse = np.unique(values, return_inverse=True)
            table = np.array([index.get(v, -1) for v in distinct.tolist()], dtype=np.int32)
            codes = table[inverse]
    except TypeError as error:
        raise ValueError(f"{argument} holds a value that cannot be looked up ({error}); {remedy}") from error
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise TargetError(row, f"unknown label {_shown(values[row])}; {remedy}", argument)
    return codes


def check_present(values: NDArray[Any], argument: str) -> None:
    """Refuse missing (None, NaN, NA, NaT) and infinite labels, naming the first row."""
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values)
    elif values.dtype.kind in "mM":
        bad = np.isnat(values)
    elif values.dtype.kind == "O":
        bad = np.fromiter((_missing(v) for v in values), dtype=np.bool_, count=values.size)
    else:
        return
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(
            row,
            f"the label is {_shown(values[row])}, which is no label; drop the row, or give it a label of its own",
            argument,
        )


def summary(values: Sequence[Hashable], limit: int = 10) -> str:
    """Return the values separated by commas, cut after `limit` of them."""
    shown = ", ".join(_shown(v) for v in values[:limit])
    return shown if len(values) <= limit else f"{shown}, … ({len(values)} in all)"


def _shown(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)


def _dense(y: ArrayLike, argument: str) -> NDArray[Any]:
    if issparse(y):
        raise TypeError(f"{argument} is a sparse matrix; pass a dense array (y.toarray())")
    if y is None:
        raise ValueError(f"{argument} is None; this requires {argument} to be passed")
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise ValueError(
            f"the rows of {argument} differ in length; give every row the same number of entries"
        ) from error
    if values.dtype.kind == "c":
        raise ValueError(f"{argument} is complex. Complex data not supported; pass real numbers")
    return values


def _not_empty(values: NDArray[Any], argument: str) -> NDArray[Any]:
    if values.shape[0] == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    return values
