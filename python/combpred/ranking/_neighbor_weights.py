"""How much neighbours count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._lib.arrays import FloatArray


def neighbor_weights(rule: str | Callable[[FloatArray], FloatArray], distances: FloatArray) -> FloatArray:
    """Return the weights of neighbours at `distances`, ``(n, m)``, up to a factor for each row.

    `rule` is "uniform", "distance" or a callable, as scikit-learn's neighbours take it. ValueError where a callable
    returns something else than finite numbers, at least 0, one for each distance.
    """
    if rule == "uniform":
        return np.ones_like(distances)
    if not callable(rule):
        # In units of the inverse of the smallest one: only ratios count, and no distance is too small.
        nearest = distances.min(axis=1, keepdims=True)
        ratios: FloatArray = np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0)
        return ratios
    weights = np.asarray(rule(distances), dtype=np.float64)
    if weights.shape != distances.shape or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            f"weights must return finite numbers, at least 0, of the shape {distances.shape} of the distances; got "
            f"{weights!r}"
        )
    return weights
