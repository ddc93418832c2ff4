"""Checks of sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Return sample weights as a vector of n float64, or None for all ones.

    A number stands for itself in every row. ValueError for a wrong shape, for weights that are not finite or negative
    (naming the row), and when all are zero; `name` and `rows` are what it calls the weights and what they weigh.
    """
    weights = row_weights(sample_weight, n, name=name, rows=rows)
    if weights is not None and not weights.any():
        raise ValueError(f"{name} is zero in every row: at least one weight must be positive")
    return weights


def row_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Do the same for n rows of many, whose weights may all be zero."""
    if sample_weight is None:
        return None
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, one for each row: {error}") from error
    if weights.ndim == 0:
        weights = np.full(n, weights[()])
    if weights.shape != (n,):
        raise ValueError(f"{name} has shape {weights.shape}, must be ({n},): one weight for each row of {rows}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(
            f"{name} is {weights[bad[0]]} at row {bad[0]}, must be finite and at least 0; a weight of 0 leaves "
            "a row out"
        )
    return weights
