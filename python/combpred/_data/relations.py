"""Antisymmetric relations between items as targets: one number for each pair, or a boolean matrix for each row."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .targets import TargetError, as_numbers, check_width, error_at, target_matrix

_BLOCK_BYTES = 2**24  # of the boolean matrices in memory at a time, as float32
_REMEDY = "a pair u < v has +1 where u is before v, −1 where v is before u, 0 where neither is"


def items_shown(y: Any, cls: str) -> int:
    """Return the number of items N of relations y of shape ``(n, N(N−1)/2)`` or ``(n, N, N)``.

    Raises
    ------
    ValueError
        When no N fits the shape; the message begins with `cls`.
    """
    matrices = _matrices(y)
    if matrices is not None:
        return int(matrices.shape[1])
    width = target_matrix(y, "y", None, "pair of items").shape[1]
    items = (1 + math.isqrt(1 + 8 * width)) // 2
    if items * (items - 1) // 2 != width:
        raise ValueError(
            f"{cls}: y has {width} columns, but N items have N(N−1)/2 pairs, such as "
            f"{items * (items - 1) // 2} for N={items}; give every row one number for each pair u < v"
        )
    return items


def encode_relations(y: Any, items: int, reflexive: bool, noun: str = "item") -> NDArray[np.int32]:
    """Return relations as int32 of shape ``(n, items(items−1)/2)``: +1, −1 or 0 for each pair u < v.

    Parameters
    ----------
    y : array-like of shape (n, items(items−1)/2) or (n, items, items)
        Signs of the pairs, or boolean matrices: ``y[i, u, v]`` says that u is before v.
    items : int
        Number of items.
    reflexive : bool
        Whether the diagonal of a matrix may be True throughout.
    noun : str, default="item"
        What messages call an item.

    Raises
    ------
    ValueError
        For the first row that is not an antisymmetric relation, with its number.
    """
    matrices = _matrices(y)
    if matrices is not None:
        return _from_matrices(matrices, items, reflexive, noun)
    values = target_matrix(y, "y", None, f"pair of {noun}s")
    check_width(values.shape[1], "y", items * (items - 1) // 2, f"pair of {noun}s u < v, N={items}")
    values = as_numbers(values, "y", _REMEDY)
    if values.dtype.kind == "b":
        values = values.astype(np.int8)
    bad = ~((values == -1) | (values == 0) | (values == 1))
    if bad.any():
        raise error_at(bad, values, _REMEDY)
    return np.ascontiguousarray(values, dtype=np.int32)


def encode_partial_orders(y: Any, items: int, instead: str) -> NDArray[np.int32]:
    """Return relations as `encode_relations` does, after checking that they are transitive.

    Parameters
    ----------
    y : array-like of shape (n, items(items−1)/2) or (n, items, items)
        Relations.
    items : int
        Number of items.
    instead : str
        What else the user can do about a relation that is not transitive; it ends the error message.

    Raises
    ------
    TargetError
        For the first relation that is not transitive, with the pair to add.
    """
    signs = encode_relations(y, items, reflexive=True)
    rows = max(1, _BLOCK_BYTES // (4 * items * items))
    for start in range(0, len(signs), rows):
        _check_transitive(relation_matrices(signs[start : start + rows], items), start, instead)
    return signs


def relation_matrices(signs: NDArray[np.int32], items: int) -> NDArray[np.bool_]:
    """Return the boolean matrices ``(n, items, items)`` of relations given as signs of pairs."""
    u, v = np.triu_indices(items, 1)
    before = np.zeros((len(signs), items, items), dtype=np.bool_)
    before[:, u, v] = signs == 1
    before[:, v, u] = signs == -1
    return before


def pair_names(items: int, joint: str) -> list[str]:
    """Return a name for each pair u < v, such as "0 before 1" for the joint " before "."""
    u, v = np.triu_indices(items, 1)
    return [f"{a}{joint}{b}" for a, b in zip(u.tolist(), v.tolist(), strict=True)]


def pair_index(items: int) -> Callable[[int, int], int]:
    """Return a function of u and v, in either order, that gives their index among all pairs in lexicographic order."""

    def index(u: int, v: int) -> int:
        low, high = min(u, v), max(u, v)
        return low * (2 * items - low - 1) // 2 + high - low - 1

    return index


def _matrices(y: Any) -> NDArray[Any] | None:
    """Return y as an array ``(n, N, N)`` if it holds one square matrix for each row, otherwise None."""
    try:
        values = np.asarray(y)
    except ValueError:  # rows of different lengths; the check of the two-dimensional format reports them
        return None
    if values.ndim != 3:
        return None
    if values.shape[1] != values.shape[2] or values.shape[1] < 2:
        raise ValueError(
            f"y has shape {values.shape}; boolean matrices have shape (n, N, N), y[i, u, v] saying that u is before v"
        )
    if values.shape[0] == 0:
        raise ValueError("y has 0 rows; at least 1 is needed")
    return values


def _from_matrices(y: NDArray[Any], items: int, reflexive: bool, noun: str) -> NDArray[np.int32]:
    """Return matrices as signs of pairs; parameters are those of `encode_relations`."""
    if y.shape[1] != items:
        raise ValueError(
            f"y has matrices of {y.shape[1]} {noun}s, n_{noun}s={items}; pass y of shape (n, {items}, {items})"
        )
    if y.dtype.kind not in "biuf":
        raise ValueError(f"y has dtype {y.dtype}; matrices hold booleans or 0/1")
    bad = ~((y == 0) | (y == 1))
    if bad.any():
        row, a, b = _first_true(bad)
        raise TargetError(row, f"found {y[row, a, b].item()!r} at ({a}, {b}); matrices hold booleans or 0/1")
    before = y.astype(np.bool_)
    diagonal = np.diagonal(before, axis1=1, axis2=2)
    bad_rows = diagonal.any(axis=1) & ~(reflexive & diagonal.all(axis=1))
    if bad_rows.any():
        row = int(np.argmax(bad_rows))
        item = int(np.argmax(diagonal[row]))
        allowed = "all False, or all True," if reflexive else "False,"
        raise TargetError(row, f"{noun} {item} is before itself; the diagonal must be {allowed} and does not count")
    both = before & before.transpose(0, 2, 1) & ~np.eye(items, dtype=np.bool_)
    if both.any():
        row, a, b = _first_true(both)
        raise TargetError(row, f"{noun}s {a} and {b} are each before the other; set one of the two to False")
    u, v = np.triu_indices(items, 1)
    return before[:, u, v].astype(np.int32) - before[:, v, u].astype(np.int32)


def _check_transitive(before: NDArray[np.bool_], start: int, instead: str) -> None:
    """Raise TargetError for the first relation that is not transitive; `start` is the number of the first row."""
    numbers = before.astype(np.float32)
    missing = (numbers @ numbers > 0) & ~before
    if missing.any():
        row, u, w = (int(i) for i in np.unravel_index(int(np.argmax(missing)), missing.shape))
        v = int(np.argmax(before[row, u] & before[row, :, w]))
        raise TargetError(
            start + row,
            f"the relation is not transitive: {u} is before {v} and {v} before {w}, but {u} is not before {w}; "
            f"add that pair, {instead}",
        )


def _first_true(bad: NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return the indices of the first True in a three-dimensional array."""
    row, a, b = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return int(row), int(a), int(b)
