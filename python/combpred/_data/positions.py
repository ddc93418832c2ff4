"""Positions of items, of which only the order counts, as users pass them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._lib.arrays import FloatArray
from .targets import as_numbers, error_at, target_matrix

_EXACT = 2**53  # integers beyond which floats do not tell all apart


def numbered_positions(
    y: Any,
    argument: str,
    n_items: int | None = None,
    names: Sequence[Any] | None = None,
    *,
    noun: str = "item",
    zero: bool = False,
) -> FloatArray:
    """Return positions as numbers ``(n, n_items)``, NaN where they are unknown.

    Parameters
    ----------
    y : array-like of shape (n, n_items)
        Numbers above 0; −1, NaN, None and NA are unknown.
    argument : str
        What messages call y.
    n_items : int, default=None
        The number of columns, at least 2; None for any.
    names : sequence, default=None
        Names of the columns for messages; None for numbers.
    noun : str, default="item"
        What a column stands for.
    zero : bool, default=False
        Whether 0 is a position, too.

    Raises
    ------
    ValueError
        For other shapes and types, and for what is no position, naming the row.
    """
    remedy = f"positions are finite numbers {'from 0 on' if zero else 'above 0'}, or -1 (or NaN) where unknown"
    values = as_numbers(target_matrix(y, argument, n_items, noun), argument, remedy, names)
    if values.shape[1] < 2 or values.dtype.kind == "b":
        raise ValueError(f"{argument} must hold numbers, with a column for each of at least 2 {noun}s; {remedy}")
    unknown = (values == -1) | np.isnan(values)
    bad = ~unknown & ~(((values >= 0) if zero else (values > 0)) & (values < np.inf))
    if bad.any():
        raise error_at(bad, values, remedy, argument, names)
    if values.dtype.kind in "iu" and values.max() > _EXACT:
        values = rankdata(values, method="dense").reshape(values.shape)
    return np.where(unknown, np.nan, values)
