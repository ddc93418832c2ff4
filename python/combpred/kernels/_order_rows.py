"""Orders as the kernels on orders take them: positions, relations of pairs, or matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._row_blocks import row_blocks
from ..structures._relations import close_relations, encode_relations, items_shown, relation_matrices
from ..structures._values import TargetError, as_numbers, target_matrix, unknown_positions

FloatArray = NDArray[np.float64]

FORMATS = ("positions", "pairs")
_REMEDY = "positions are finite numbers from 0 on, compared by their order, or -1 where they are unknown"


@dataclass(frozen=True)
class OrderRows:
    """Partial orders of the same items, one in each row.

    Attributes
    ----------
    n_items : int
    signs : ndarray of shape (n, n_pairs), dtype=int8
        For each pair u < v, in lexicographic order: 1 where u is before v, −1 where v is before u, otherwise 0. What
        follows from relations is among them.
    predecessors : ndarray of shape (n, n_items), dtype=int64
        How many items are before each.
    """

    n_items: int
    signs: NDArray[np.int8]
    predecessors: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.signs)


def read_orders(values: Any, name: str, given: str) -> OrderRows:
    """Read the argument called `name` in the format `given`; arrays of three dimensions are matrices in any case."""
    if given not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {given!r}")
    if given == "pairs" or np.ndim(values) == 3:
        return _from_pairs(values, name)
    return _from_positions(values, name)


def gram(
    X: Any,
    Y: Any,
    given: str,
    compute: Callable[[OrderRows, OrderRows | None], FloatArray],
) -> FloatArray | float:
    """Return what `compute` says about the rows of X and Y, or one number for two single rows."""
    single = Y is not None and np.ndim(X) == np.ndim(Y) == 1
    rows = read_orders([X] if single else X, "X", given)
    columns = None if Y is None else read_orders([Y] if single else Y, "Y", given)
    if columns is not None and columns.n_items != rows.n_items:
        raise ValueError(
            f"X has orders of {rows.n_items} items and Y of {columns.n_items}; they must be the same items"
        )
    values = compute(rows, columns)
    return float(values[0, 0]) if single else values


def normalized(values: FloatArray, own: FloatArray, others: FloatArray | None) -> FloatArray:
    """Divide kernel values by the roots of those of rows and columns with themselves; 0 where one of these is 0."""
    left = np.sqrt(own)
    right = left if others is None else np.sqrt(others)
    scale = left[:, np.newaxis] * right
    result: FloatArray = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)
    return result


def _from_positions(values: Any, name: str) -> OrderRows:
    positions = as_numbers(target_matrix(values, name, None, "item"), name, _REMEDY)
    n, k = positions.shape
    if k < 2:
        raise ValueError(f"{name} must have orders of at least 2 items, got {k}")
    positions = positions.astype(np.float64)
    unknown = unknown_positions(positions, _REMEDY, name, zero=True)
    ranked = rankdata(np.where(unknown, np.inf, positions), method="min", axis=1)
    predecessors = np.where(unknown, 0, ranked - 1).astype(np.int64)
    u, v = np.triu_indices(k, 1)
    signs = np.empty((n, len(u)), dtype=np.int8)
    for rows in row_blocks(n, len(u)):
        known = ~unknown[rows]
        differ = np.sign(predecessors[rows][:, v] - predecessors[rows][:, u])
        signs[rows] = differ * (known[:, u] & known[:, v])
    return OrderRows(k, signs, predecessors)


def _from_pairs(values: Any, name: str) -> OrderRows:
    try:
        items = items_shown(values, name)
        given = encode_relations(values, items, reflexive=True)
    except TargetError as error:
        raise TargetError(error.row, error.reason, name) from None
    u, v = np.triu_indices(items, 1)
    signs = np.empty(given.shape, dtype=np.int8)
    predecessors = np.empty((len(given), items), dtype=np.int64)
    for rows in row_blocks(len(given), items * items):
        before = relation_matrices(given[rows], items)
        close_relations(before)
        circular = np.diagonal(before, axis1=1, axis2=2)
        if circular.any():
            row = int(np.argmax(circular.any(axis=1)))
            reason = f"the relations lead from item {int(np.argmax(circular[row]))} back to it; leave one of them out"
            raise TargetError(rows.start + row, reason, name)
        signs[rows] = before[:, u, v].astype(np.int8) - before[:, v, u].astype(np.int8)
        predecessors[rows] = before.sum(axis=1)
    return OrderRows(items, signs, predecessors)
