"""Partition functions approximated by the library's Taylor expansion about the uniform distribution."""

from __future__ import annotations

import numpy as np

from .._data.warn import warn_user
from .._lib.arrays import FloatArray, require_memory
from .._lib.errors import ApproximationWarning, CapabilityError
from .._lib.partition import Asked, Estimates, estimate
from ..structures import Structure

_RANGE = 1.0  # of centred scores, in which the expansion is meant to be taken
_ROUNDING = 1e-9


def check_taylor(structure: Structure) -> None:
    """Raise CapabilityError if the structure lacks what the expansion takes; warn if its moments are sampled."""
    structure.log_count()
    info, d = structure.moments_info, structure.n_features
    if info.kind == "relaxed":
        raise CapabilityError(
            f"the Taylor expansion takes moments of ψ over all outputs, and those of {structure!r} are relaxed, of a "
            "larger space: take moments='sampled' in the structure, or inference='mcmc' (method='annealed' of "
            "combpred.sampling.log_partition)"
        )
    require_memory(8 * d * d, f"the covariance of {structure!r}, {d} × {d} numbers,", "take method='annealed'")
    if info.kind == "sampled":
        warn_user(
            f"the Taylor approximation takes moments of ψ that are sampled: entries of the second one have standard "
            f"errors of up to {info.standard_error:.2g}, which it is off by beside its own error",
            ApproximationWarning,
        )


def expansion(
    structure: Structure, rows: FloatArray, asked: Asked, n_threads: int | None, *, bounded: bool = True
) -> Estimates:
    """Return the library's expansion for rows of scores (n, d), with gradients and, if `bounded`, bounds."""
    found = Estimates(*rows.shape, means=True, bounded=bounded)
    return estimate(structure.space.description, rows, asked, found, n_threads=n_threads)


def warned_expansion(
    structure: Structure, rows: FloatArray, asked: Asked, n_threads: int | None, *, decoded: bool = True
) -> Estimates:
    """Return the expansion, with a warning if scores are out of its range.

    Without `decoded`, only what is proven anyway bounds ln Z: a user's own decoder is not asked.
    """
    found = expansion(structure, rows, asked, n_threads)
    if np.isnan(found.spread).any():  # nothing is proven, as about functions
        _warn_of_range(np.sqrt(found.variance), "have a standard deviation of")
    else:
        _warn_of_range(found.spread, "leave their mean by up to")
    if decoded and not structure.space.in_library:
        # Far from the uniform distribution, the logarithm of a polynomial falls behind scores of any outputs.
        found.lower = _reached(structure, rows)
        found.value = np.maximum(found.value, found.lower)
    return found


def _reached(structure: Structure, rows: FloatArray) -> FloatArray:
    """Return what ln Z is at least, by the outputs of a user's own decoder and, for exact moments, by Jensen."""
    try:
        lower = structure.space.decode(rows).value
    except CapabilityError:
        return np.full(len(rows), -np.inf)
    if structure.moments_info.kind == "exact":
        lower = np.maximum(lower, structure.log_count() + rows @ structure.mean())
    return lower


def _warn_of_range(figure: FloatArray, what: str) -> None:
    """Issue an ApproximationWarning if the figures (n,) say that scores leave the range of the expansion."""
    far = np.flatnonzero(figure > _RANGE + _ROUNDING)
    if far.size:
        row = int(far[np.argmax(figure[far])])
        warn_user(
            f"row {row}: scores {what} {figure[row]:.3g} over the outputs, and the Taylor approximation is meant for "
            f"at most 1 ({far.size} of {len(figure)} rows are beyond); scale the scores down, raise the penalty of the "
            "model, or take exact inference or sampling",
            ApproximationWarning,
        )
