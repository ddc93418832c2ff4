"""Antisymmetric relations between items as targets: one number for each pair, or a boolean matrix for each row."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray, allocate, refuse_masked
from .._lib.structure import Description
from .checks import float_array
from .targets import check_width, encoded_rows, target_matrix


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


def relation_rows(y: Any, items: int, argument: str = "y") -> NDArray[Any]:
    """Return relations of shape ``(n, items(items−1)/2)`` or ``(n, items, items)`` as rows, the latter by matrix rows.

    Raises
    ------
    ValueError
        When the shape does not fit the number of items.
    """
    refuse_masked(y, argument)
    values = _matrices(y, argument)
    if values is None:
        values = target_matrix(y, argument, None, "pair of items")
        check_width(values.shape[1], argument, items * (items - 1) // 2, f"pair of items u < v, N={items}")
        return values
    if values.shape[1] != items:
        raise ValueError(
            f"{argument} has matrices of {values.shape[1]} items, n_items={items}; pass {argument} of shape "
            f"(n, {items}, {items})"
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{argument} has dtype {values.dtype}; matrices hold booleans or 0/1")
    return values.reshape(len(values), -1)


def encode_relations(
    y: Any, items: int, argument: str = "y", *, reflexive: bool = False, transitive: bool = False
) -> NDArray[np.int32]:
    """Return relations as int32 of shape ``(n, items(items−1)/2)``: +1, −1 or 0 for each pair u < v.

    Parameters
    ----------
    y : array-like of shape (n, items(items−1)/2) or (n, items, items)
        Signs of the pairs, or boolean matrices: ``y[i, u, v]`` says that u is before v.
    items : int
        Number of items.
    argument : str, default="y"
        What messages call y.
    reflexive : bool, default=False
        Whether the diagonal of a matrix may be True throughout.
    transitive : bool, default=False
        Whether relations must be transitive; they may then be reflexive, too.

    Raises
    ------
    TargetError
        For the first row that is no such relation.
    """
    description = Description("partialorders" if transitive else "tournaments", {"n": items})
    rows = relation_rows(y, items, argument)
    if reflexive and rows.shape[1] == items**2:
        rows = rows.copy()
        diagonal = rows[:, :: items + 1]
        diagonal[(diagonal == 1).all(axis=1)] = 0
    return encoded_rows(description, rows, argument)


def pair_probabilities(proba: Any) -> FloatArray:
    """Return probabilities that u is before v as (n, k, k), of such a table or of pairs u < v, (n, k(k−1)/2)."""
    given = float_array(proba, "proba")
    if given.ndim == 3 and given.shape[1] == given.shape[2] >= 2:
        return np.ascontiguousarray(given)
    items = (1 + math.isqrt(1 + 8 * given.shape[-1])) // 2 if given.ndim == 2 else 0
    if items < 2 or given.shape != (len(given), items * (items - 1) // 2):
        raise ValueError(f"proba must have shape (n, k, k), k at least 2, or (n, k(k−1)/2), got {given.shape}")
    return pair_matrices(given, 1.0 - given)


def pair_matrices(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return probabilities (n, k, k) that u is before v, given those of the pairs u < v, and of v before u.

    They are 1/2 on the diagonal.
    """
    n, pairs = before.shape
    items = (1 + math.isqrt(1 + 8 * pairs)) // 2
    square = allocate((n, items, items), np.float64, f"the pairs of {items} items", "pass fewer rows at once")
    square[:] = 0.5
    u, v = np.triu_indices(items, 1)
    square[:, u, v], square[:, v, u] = before, after
    return square


def pair_index(items: int) -> Callable[[int, int], int]:
    """Return a function of u and v, in either order, that gives their index among all pairs in lexicographic order."""

    def index(u: int, v: int) -> int:
        low, high = min(u, v), max(u, v)
        return low * (2 * items - low - 1) // 2 + high - low - 1

    return index


def _matrices(y: Any, argument: str = "y") -> NDArray[Any] | None:
    """Return y as an array ``(n, N, N)`` if it holds one square matrix for each row, otherwise None."""
    try:
        values = np.asarray(y)
    except ValueError:  # rows of different lengths; the check of the two-dimensional format reports them
        return None
    if values.ndim != 3:
        return None
    if values.shape[1] != values.shape[2] or values.shape[1] < 2:
        raise ValueError(
            f"{argument} has shape {values.shape}; boolean matrices have shape (n, N, N), and [i, u, v] says that u is "
            "before v"
        )
    if values.shape[0] == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    return values
