"""Partition functions approximated by the library's Taylor expansion about the uniform distribution."""

from __future__ import annotations

import numpy as np

from .._data.warn import warn_user
from .._lib.arrays import FloatArray, require_memory
from .._lib.errors import ApproximationWarning, CapabilityError
from .._lib.partition import Asked, Estimates, estimate
from ..structures import Structure
from ._estimates import LogPartition, TaylorDetails

_RANGE = 1.0  # of centred scores, in which the expansion is meant to be taken
_ROUNDING = 1e-9


def require_moments(structure: Structure) -> None:
    """Raise CapabilityError where the moments of the structure are not those of its outputs."""
    if structure.moments_info.kind == "relaxed":
        raise CapabilityError(
            f"the Taylor expansion takes moments of ψ over all outputs, and those of {structure!r} are relaxed, of a "
            "larger space: take moments='sampled' in the structure, or inference='mcmc' (method='annealed' of "
            "combpred.sampling.log_partition)"
        )


def warn_of_sampled_moments(structure: Structure) -> None:
    """Issue an ApproximationWarning where the expansion has errors of sampling."""
    info = structure.moments_info
    if info.kind == "sampled":
        warn_user(
            f"the Taylor approximation takes moments of ψ that are sampled: entries of the second one have standard "
            f"errors of up to {info.standard_error:.2g}, which it is off by beside its own error",
            ApproximationWarning,
        )


def expansion(
    structure: Structure, rows: FloatArray, n_threads: int | None, *, centred: bool = True, bounded: bool = True
) -> Estimates:
    """Return the library's expansion for rows of scores (n, d), with gradients and, if `bounded`, bounds."""
    require_moments(structure)
    structure.log_count()  # its error says what a user can do
    d = structure.n_features
    require_memory(8 * d * d, f"the covariance of {structure!r}, {d} × {d} numbers,", "take method='annealed'")
    found = Estimates(len(rows), d, means=True, bounded=bounded)
    asked = Asked("taylor", plain=not centred)
    return estimate(structure.space.description, rows, asked, found, n_threads=n_threads)


def expand(
    structure: Structure, rows: FloatArray, n_threads: int | None, *, centred: bool = True, bounded: bool = True
) -> LogPartition:
    """Return the approximation for rows of scores (n, d), with a warning where they are out of its range.

    Without `bounded`, only what is proven anyway bounds ln Z: a user's own decoder is not asked.
    """
    found = expansion(structure, rows, n_threads, centred=centred)
    assert found.marginals is not None
    value, lower = found.value, found.lower
    if np.isnan(found.spread).any():  # nothing is proven, as about functions
        _warn_of_range(np.sqrt(found.variance), "have a standard deviation of")
    else:
        _warn_of_range(found.spread, "leave their mean by up to")
    if bounded and not structure.space.in_library:
        lower = _reached(structure, rows)
        value = np.maximum(value, lower)
    # Far from the uniform distribution, the logarithm of a polynomial falls behind scores of any outputs.
    return LogPartition(
        value, lower, found.upper, "taylor", found.guaranteed, found.samples,
        TaylorDetails(found.expansion, found.marginals, found.spread),
    )  # fmt: skip


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
    """Issue an ApproximationWarning where the figures (n,) say that scores leave the range of the expansion."""
    far = np.flatnonzero(figure > _RANGE + _ROUNDING)
    if far.size:
        row = int(far[np.argmax(figure[far])])
        warn_user(
            f"row {row}: scores {what} {figure[row]:.3g} over the outputs, and the Taylor approximation is meant for "
            f"at most 1 ({far.size} of {len(figure)} rows are beyond); scale the scores down, raise the penalty of the "
            "model, or take exact inference or sampling",
            ApproximationWarning,
        )
