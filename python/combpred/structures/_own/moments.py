"""Moments of ψ and numbers of outputs that users give, checked, or that draws of their samplers tell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import is_integer, is_number
from ..._lib.arrays import FloatArray
from ..._lib.structure import DrawnMoments
from .._space import MomentsInfo
from .functions import Functions, not_finite, real_vector
from .losses import finite_numbers

_BLOCK = 1024  # number of draws whose ψ is in memory at a time


def moments_of(functions: Functions, given: dict[str, Any]) -> tuple[FloatArray, MomentsInfo]:
    """Return mean and second moment, one behind the other, and where they come from; checks the parameters."""
    for name, least in (("n_moment_samples", 2), ("random_state", 0), ("n_proposals", 1)):
        value = given[name]
        if not is_integer(value):
            raise TypeError(f"Custom: {name} must be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Custom: {name} must be at least {least}, got {value}")
    if given["mean"] is not None:
        return _given_moments(given["mean"], given["second_moment"]), MomentsInfo()
    moments, error = _drawn_moments(functions, int(given["n_moment_samples"]), int(given["random_state"]))
    return moments, MomentsInfo("sampled", error)


def _given_moments(mean: ArrayLike, second_moment: ArrayLike) -> FloatArray:
    """Return mean and second moment that the user has computed, one behind the other."""
    mu = np.asarray(mean)
    if mu.ndim != 1 or mu.size == 0:
        raise ValueError(f"Custom: mean must have shape (d,), got {mu.shape}")
    mu = finite_numbers(mu, "mean")
    d = len(mu)
    second = np.asarray(second_moment)
    if second.shape != (d, d):
        raise ValueError(f"Custom: second_moment must have shape ({d}, {d}) for a mean of {d}; got {second.shape}")
    return np.concatenate([mu, finite_numbers(second, "second_moment").ravel()])


def _drawn_moments(functions: Functions, n: int, seed: int) -> tuple[FloatArray, float]:
    """Return averages over n draws of the user's sampler, and the largest standard error of the second moment."""
    rng = np.random.default_rng(seed)
    d: int | None = None
    rows: list[NDArray[Any]] = []
    for i in range(n):
        y = functions.draw(rng)
        try:
            rows.append(real_vector(functions.embed(y), d))
            if not np.isfinite(rows[-1]).all():
                raise ValueError(not_finite(rows[-1]))
        except ValueError as error:
            raise ValueError(f"Custom: embed gave {error} for draw {i} of sample") from error
        if d is None:
            d = len(rows[-1])
            if n <= d:
                raise ValueError(
                    f"Custom: n_moment_samples={n} draws leave the covariance of {d} features singular; take several "
                    f"times {d}"
                )
            drawn = DrawnMoments(d)
        if len(rows) == _BLOCK or i == n - 1:
            drawn.add(np.array(rows, dtype=np.float64))
            rows.clear()
    return drawn.averages()


def optional_log_count(value: Any) -> float:
    """Return the parameter `log_count` as a float, checked; NaN for None."""
    if value is None:
        return math.nan
    if not is_number(value):
        raise TypeError(f"Custom: log_count must be a number, got {value!r}")
    if not (0 <= value < np.inf):
        raise ValueError(
            f"Custom: log_count must be at least 0 and finite, got {value}; it is the logarithm of the count"
        )
    return float(value)
