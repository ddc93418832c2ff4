"""Rows that list what is visited in order, and so differ in length: one matrix, padded with −1 on the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .forms import lists_of
from .targets import TargetError, target_matrix


def padded(y: Any, argument: str, noun: str) -> NDArray[Any]:
    """Return rows of different lengths as one matrix, padded with −1 on the right.

    A matrix is returned unchanged. `noun` is what messages call an entry of a row.

    Raises
    ------
    TargetError
        For the first row that is not a list.
    """
    y = lists_of(y)
    rows = _rows_of_visits(y)
    if rows is None:
        return target_matrix(y, argument, None, noun)
    if len(rows) == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    for i, row in enumerate(rows):
        if not _is_list(row):
            raise TargetError(i, f"found {row!r}; every row is a list with one entry for each {noun}", argument)
    lengths = np.array([len(row) for row in rows])
    entries = list(chain.from_iterable(rows))
    flat = np.array(entries)
    if flat.dtype.kind in "bu":
        flat = flat.astype(np.float64)  # so that it can hold −1
    elif flat.dtype.kind not in "if":
        flat = np.empty(len(entries), dtype=object)
        flat[:] = entries
    matrix = np.full((len(rows), max(1, int(lengths.max()))), -1, dtype=flat.dtype)
    matrix[np.arange(matrix.shape[1]) < lengths[:, np.newaxis]] = flat
    return matrix


def _rows_of_visits(y: Any) -> Sequence[Any] | None:
    """Return the rows of a list of lists of different lengths, or of an array or Series of lists; otherwise None."""
    if isinstance(y, (list, tuple)):
        lengths = {len(row) if hasattr(row, "__len__") and not isinstance(row, str) else -1 for row in y}
        return None if len(lengths) == 1 and lengths.isdisjoint((0, -1)) else y
    if getattr(y, "ndim", None) == 1 and getattr(y, "dtype", None) == np.dtype(object):
        return list(y)
    return None


def _is_list(row: Any) -> bool:
    """Return whether a row is a flat list or tuple, or an array of shape ``(k,)``."""
    if isinstance(row, (list, tuple)):
        return not any(hasattr(entry, "__len__") and not isinstance(entry, str) for entry in row)
    return getattr(row, "ndim", None) == 1


def shown(row: NDArray[Any]) -> str:
    """Return a row for a message: without its padding, and shortened if it is long."""
    places = row.tolist()
    while places and places[-1] == -1:
        places.pop()
    return str(places) if len(places) <= 20 else f"[{', '.join(map(str, places[:20]))}, …]"
