"""Scores of the embedding as users give them, and the score of embedded structures that decoding maximises."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def score_values(psi: FloatArray, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    r"""Return :math:`\langle s, \psi\rangle + \langle t, \psi^2\rangle` of every row of `psi`, of shape ``(n,)``.

    s is the row of `linear` (n, d), or `linear` itself when it is (d,), and t is that of `magnitude` likewise, zero for
    None. The squares are taken entry by entry: they are :math:`|\psi|` where entries are 0 or ±1.
    """
    values = _products(psi, linear)
    return values if magnitude is None else values + _products(np.square(psi), magnitude)


def _products(psi: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the product of every row with its scores, or with the same."""
    products: FloatArray = psi @ scores if scores.ndim == 1 else np.einsum("ij,ij->i", scores, psi)
    return products


def score_rows(scores: ArrayLike, d: int) -> tuple[FloatArray, bool]:
    """Return the scores as rows ``(n, d)`` after checking them, and whether they were a single row ``(d,)``."""
    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"scores must be real numbers, got dtype {values.dtype}")
    values = values.astype(np.float64, copy=False)
    if values.ndim not in (1, 2) or values.shape[-1] != d:
        raise ValueError(f"scores must have shape (n, {d}) or ({d},), got {values.shape}")
    rows = np.atleast_2d(values)
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = np.unravel_index(int(np.argmax(bad)), bad.shape)
        raise ValueError(
            f"scores, row {row}, column {column}: {rows[row, column]} is not finite; scores must be finite"
        )
    return rows, values.ndim == 1
