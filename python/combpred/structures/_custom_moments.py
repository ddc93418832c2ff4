"""Moments of custom spaces that are given by functions: from the user's formulas, or averaged over draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import is_integer
from ._base import Structure
from ._custom_computed import Decode, Embed, PythonSpace, Sample, not_finite, real_vector
from ._custom_listed import check_symmetric, finite_numbers
from ._space import MomentsInfo

_BLOCK = 1024  # number of draws whose ψ is in memory at a time


def from_formulas(
    structure: Structure, log_count: Any, mean: ArrayLike, second_moment: ArrayLike, embed: Embed, decode: Decode | None
) -> PythonSpace:
    """Return the space whose moments the user has computed; TypeError or ValueError if they are illegal."""
    mu = np.asarray(mean)
    if mu.ndim != 1 or mu.size == 0:
        raise ValueError(f"Custom: mean must have shape (d,), got {mu.shape}")
    mu = finite_numbers(mu, "mean")
    second = np.asarray(second_moment)
    if second.shape != (len(mu), len(mu)):
        raise ValueError(
            f"Custom: second_moment must have shape ({len(mu)}, {len(mu)}) for a mean of {len(mu)}; got {second.shape}"
        )
    second = finite_numbers(second, "second_moment")
    check_symmetric(second, "second_moment")
    return PythonSpace(
        structure, _log_count(log_count), mu, (second + second.T) / 2, (embed, decode, None), MomentsInfo()
    )


def _log_count(value: Any) -> float:
    """Return the parameter `log_count` as a float, checked."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"Custom: log_count must be a number, got {value!r}")
    if not (0 <= value < np.inf):
        raise ValueError(
            f"Custom: log_count must be at least 0 and finite, got {value}; it is the logarithm of the count"
        )
    return float(value)


def from_sampler(
    structure: Structure,
    sample: Sample,
    embed: Embed,
    decode: Decode | None,
    log_count: Any,
    n_moment_samples: Any,
    random_state: Any,
) -> PythonSpace:
    """Return the space whose moments are averages over draws of the user's sampler.

    Parameters are those of `Custom.from_sampler`. The moments come with the largest standard error of an entry of the
    second moment.

    Raises
    ------
    TypeError, ValueError
        When a parameter is illegal, when `embed` does not return ψ for a draw, or when there are too few draws for d.
    """
    for name, value, least in (("n_moment_samples", n_moment_samples, 2), ("random_state", random_state, 0)):
        if not is_integer(value):
            raise TypeError(f"Custom: {name} must be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Custom: {name} must be at least {least}, got {value}")
    rng = np.random.default_rng(int(random_state))
    d: int | None = None
    totals: tuple[Any, Any, Any] = 0.0, 0.0, 0.0
    for start in range(0, n_moment_samples, _BLOCK):
        rows = []
        for i in range(start, min(start + _BLOCK, n_moment_samples)):
            try:
                rows.append(_vector(embed(sample(rng)), d))
            except ValueError as error:
                raise ValueError(f"Custom: embed gave {error} for draw {i} of sample") from error
            d = len(rows[-1])
        if n_moment_samples <= len(rows[-1]):
            raise ValueError(
                f"Custom: n_moment_samples={n_moment_samples} draws leave the covariance of {d} features singular; "
                f"take several times {d}"
            )
        psi = np.array(rows)
        squares = psi**2
        totals = totals[0] + psi.sum(axis=0), totals[1] + psi.T @ psi, totals[2] + squares.T @ squares
    mean, second, fourth = (total / n_moment_samples for total in totals)
    # The variance of ψ_i ψ_j is E ψ_i² ψ_j² − (E ψ_i ψ_j)².
    largest = float(np.sqrt(max(float((fourth - second**2).max()), 0.0) / n_moment_samples))
    log = np.nan if log_count is None else _log_count(log_count)
    return PythonSpace(structure, log, mean, second, (embed, decode, sample), MomentsInfo("sampled", largest))


def _vector(psi: ArrayLike, d: int | None) -> NDArray[np.float64]:
    """Return an embedding as float64 of shape ``(d,)``; ValueError, saying what was given instead, if it is not one."""
    values = real_vector(psi, d)
    if not np.isfinite(values).all():
        raise ValueError(not_finite(values))
    return values.astype(np.float64)
