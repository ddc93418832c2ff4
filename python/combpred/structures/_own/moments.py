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

_COMPARED = 200  # draws that are compared with moments which are given, too
_CERTAIN = 1000  # draws of equal ψ that are no accident
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
        moments = _given_moments(given["mean"], given["second_moment"])
        if functions.sample is not None and functions.embed is not None:
            _require_agreement(functions, moments, int(given["random_state"]))
        return moments, MomentsInfo()
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


def _require_agreement(functions: Functions, moments: FloatArray, seed: int) -> None:
    """Raise ValueError where the mean of draws is not the one given, by Bernstein's inequality at 1e-9 for all entries.

    Entries are taken to stray from their mean by no more than they do in the draws.
    """
    n, rng, d = _COMPARED, np.random.default_rng(seed), int((math.isqrt(1 + 4 * len(moments)) - 1) // 2)
    mean, second = moments[:d], moments[d:].reshape(d, d)
    psi = np.empty((n, d))
    for i in range(n):
        y = functions.draw(rng)
        try:
            psi[i] = real_vector(functions.embed(y), d)
        except ValueError as error:
            raise ValueError(f"Custom: embed gave {error} for draw {i} of sample") from error
    level = math.log(2 * d / 1e-9)
    variance = np.maximum(np.diag(second) - np.square(mean), 0.0)
    allowed = np.sqrt(2 * variance * level / n) + 2 * np.abs(psi - mean).max(axis=0) * level / (3 * n)
    beyond = np.abs(psi.mean(axis=0) - mean) - allowed
    if beyond.max() > 1e-9:
        j = int(beyond.argmax())
        raise ValueError(
            f"Custom: mean[{j}] is {mean[j]:.4g}, but that of {n} draws of sample is {psi[:, j].mean():.4g}, farther "
            f"than chance allows ({allowed[j]:.2g}): sample does not draw uniformly, or mean and second_moment are "
            "of another space; leave them out to take the averages of draws"
        )


def require_plausible(log_count: float, moments: FloatArray, radius: float | None) -> None:
    """Raise ValueError where fewer outputs than ψ has dimensions are claimed, or a radius that ψ exceeds on average."""
    d = int((math.isqrt(1 + 4 * len(moments)) - 1) // 2)
    mean, second = moments[:d], moments[d:].reshape(d, d)
    size = float(np.trace(second))
    rank = int((np.linalg.eigvalsh(second - np.outer(mean, mean)) > 1e-9 * max(size, 1e-300)).sum())
    if log_count < math.log(1 + rank) - 1e-9:
        raise ValueError(
            f"Custom: log_count={log_count:.6g} stands for {math.exp(log_count):.4g} outputs, but their ψ spans {rank} "
            f"dimensions around its mean, so that there are at least {rank + 1}; log_count is a natural logarithm"
        )
    if radius is not None and size > radius**2 * (1 + 1e-9):
        raise ValueError(
            f"Custom: radius={radius:.6g} is below the root mean square of the norm of ψ, {math.sqrt(size):.6g}, "
            "by the second moment; it must be at least the largest norm"
        )


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
            drawn, first, varies = DrawnMoments(d), rows[0], False
        varies = varies or bool((rows[-1] != first).any())
        if len(rows) == _BLOCK or i == n - 1:
            drawn.add(np.array(rows, dtype=np.float64))
            rows.clear()
    if not varies and n >= _CERTAIN:
        raise ValueError(f"Custom: embed gave {first} for each of {n} draws of sample: nothing tells outputs apart")
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
