"""Bounds on the scores of all outputs: those that users give, and those that structures prove."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._data.targets import TargetError
from .._lib.arrays import FloatArray
from ..structures import Structure


def bounds_of_rows(bound: ArrayLike, n: int) -> FloatArray:
    """Return bounds on the magnitudes of scores of n rows, one number or one for each; ValueError for what is none."""
    values = np.asarray(bound, dtype=np.float64)
    if values.shape not in ((), (n,)):
        raise ValueError(f"bound must have shape ({n},), one number for each row of scores, got {values.shape}")
    values = np.ascontiguousarray(np.broadcast_to(values, (n,)))
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise TargetError(row, f"{values[row]} is not finite; replace it", "bound")
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise TargetError(row, f"{values[row]:g} must be at least 0", "bound")
    return values


def score_bound(structure: Structure, scores: FloatArray, magnitude: FloatArray | None = None) -> float:
    """Return a proven bound on ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ over all outputs y, for scores s and t = `magnitude`."""
    return float(structure.space.score_bounds(scores[None], None if magnitude is None else magnitude[None])[0])
