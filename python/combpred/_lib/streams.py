"""Numbers of the random streams of rows, which follow from what the rows hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_GOLDEN, _FIRST, _SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_AT_ONCE = 2**20  # entries that are hashed at a time


def row_streams(X: Any, *, apart: bool = True) -> NDArray[np.uint64]:
    """Return a number for each row of a dense or sparse matrix, a hash of its nonzero entries and their columns.

    If `apart`, equal rows are told apart by how many come before them, so that draws for them are independent. The
    library computes the same numbers (core/parallel/stream.go).
    """
    n, width = X.shape
    streams = np.zeros(n, dtype=np.uint64)
    step = max(1, _AT_ONCE // max(1, width))
    for first in range(0, n, step):
        some = X[first : first + step]
        row, column = some.nonzero() if sparse.issparse(some) else np.nonzero(some)
        values = np.asarray(some[row, column], dtype=np.float64).ravel()
        hashed = _mixed(values.view(np.uint64) ^ _mixed(column.astype(np.uint64)))
        np.add.at(streams, first + row, hashed)
    return _told_apart(streams) if apart else streams


def _told_apart(streams: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers, of which the k-th of equal ones is mixed with k."""
    order = np.argsort(streams, kind="stable")
    ordered = streams[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    before = np.arange(len(ordered)) - np.repeat(begins, np.diff(np.append(begins, len(ordered))))
    again = before > 0
    ordered[again] = _mixed(ordered[again] ^ _mixed(before[again].astype(np.uint64)))
    apart = np.empty_like(streams)
    apart[order] = ordered
    return apart


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter the bits of numbers, as SplitMix64 finishes (Steele, Lea and Flood 2014)."""
    x = x + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))
