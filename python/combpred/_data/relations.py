"""Antisymmetric relations between items as targets: one number for each pair, or a boolean matrix for each row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray, allocate
from .._lib.structure import Description
from .checks import float_array
from .targets import as_array, encoded_rows, target_matrix


def items_of_pairs(n_pairs: int, argument: str) -> int:
    """Return the number N of items that have N(N−1)/2 = `n_pairs` pairs; ValueError if there is none."""
    items = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    if n_pairs == 0 or items * (items - 1) // 2 != n_pairs:
        raise ValueError(f"{argument} has {n_pairs} columns, not one for each pair u < v of items (1, 3, 6, 10, …)")
    return items


def relation_rows(y: Any, argument: str, items: int | None = None) -> tuple[NDArray[Any], int]:
    """Return relations ``(n, N(N−1)/2)``, or ``(n, N, N)`` by the rows of their matrices, as rows, and N.

    Raises
    ------
    ValueError
        When no N fits the shape, or it is not `items`.
    """
    values = as_array(y, argument)
    if values.ndim == 3:
        found, fits = values.shape[1], values.shape[1] == values.shape[2]
        values = values.reshape(len(values), -1)
    else:
        values = target_matrix(values, argument, None, "pair of items")
        found = items or items_of_pairs(values.shape[1], argument)
        fits = values.shape[1] == found * (found - 1) // 2
    if not fits or items not in (None, found):
        said = "have shape (n, N, N), where [i, u, v] says that u is before v, or (n, N(N−1)/2)"
        raise ValueError(f"{argument} has shape {np.shape(y)}; relations of N={items or found} items {said}")
    return values, found


def encode_relations(
    y: Any, argument: str = "y", items: int | None = None, *, transitive: bool = False
) -> NDArray[np.int32]:
    """Return relations as int32 of shape ``(n, N(N−1)/2)``: +1, −1 or 0 for each pair u < v.

    Parameters
    ----------
    y : array-like of shape (n, N(N−1)/2) or (n, N, N)
        Signs of the pairs, or boolean matrices: ``y[i, u, v]`` says that u is before v. The diagonal of a matrix may be
        True throughout.
    argument : str, default="y"
        What messages call y.
    items : int or None, default=None
        Number of items N; None: that of y.
    transitive : bool, default=False
        Whether relations must be transitive.

    Raises
    ------
    TargetError
        For the first row that is no such relation.
    """
    rows, items = relation_rows(y, argument, items)
    if rows.shape[1] == items**2:
        rows = rows.copy()
        diagonal = rows[:, :: items + 1]
        diagonal[(diagonal == 1).all(axis=1)] = 0
    return encoded_rows(Description("partialorders" if transitive else "tournaments", {"n": items}), rows, argument)


def pair_probabilities(proba: Any) -> FloatArray:
    """Return probabilities that u is before v as (n, k, k), of such a table or of pairs u < v, (n, k(k−1)/2)."""
    given = float_array(proba, "proba")
    if given.ndim == 2:
        return pair_matrices(given, 1.0 - given)
    if given.ndim != 3 or given.shape[1] != given.shape[2] or given.shape[1] < 2:
        raise ValueError(f"proba must have shape (n, k, k), k at least 2, or (n, k(k−1)/2), got {given.shape}")
    return np.ascontiguousarray(given)


def pair_matrices(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return probabilities (n, k, k) that u is before v, given those of the pairs u < v, and of v before u.

    They are 1/2 on the diagonal.
    """
    items = items_of_pairs(before.shape[1], "proba")
    shape = len(before), items, items
    square = allocate(shape, np.float64, f"the pairs of {items} items", "pass fewer rows at once")
    square[:] = 0.5
    u, v = np.triu_indices(items, 1)
    square[:, u, v], square[:, v, u] = before, after
    return square
