"""Partition functions approximated by a Taylor expansion about the uniform distribution."""

from __future__ import annotations

import numpy as np

from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.decode import Decoded
from .._lib.errors import ApproximationWarning, CapabilityError
from ..structures import Structure
from ._estimates import LogPartition, TaylorDetails

_RANGE = 1.0  # of centred scores, in which the expansion is meant to be taken
_ROUNDING = 1e-9


class TaylorExpansion:
    r"""The expansion of :math:`\ln Z` about scores of 0 on one structure, from its count and its moments.

    Parameters
    ----------
    structure : Structure
        Asked for `log_count`, `mean` and `covariance` once, here; CapabilityError where its moments are those of a
        larger space.
    """

    def __init__(self, structure: Structure) -> None:
        require_moments(structure)
        self.log_count = structure.log_count()
        self.mean = structure.mean()
        self._covariance = structure.covariance()

    def __call__(self, rows: FloatArray, *, centred: bool = True) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values (n,), gradients (n, d), and variances of the scores under the uniform distribution (n,)."""
        first = rows @ self.mean
        products = rows @ self._covariance
        variance = np.maximum(np.einsum("ij,ij->i", rows, products), 0.0)
        if centred:
            bracket = 0.5 * variance
            value = self.log_count + first + np.log1p(bracket)
            return value, self.mean + products / (1 + bracket)[:, None], variance
        # E ⟨s, ψ⟩² is the variance and the square of the mean: 1 + t + t²/2 is never less than 1/2.
        bracket = first + 0.5 * (first**2 + variance)
        gradient = (np.outer(1 + first, self.mean) + products) / (1 + bracket)[:, None]
        return self.log_count + np.log1p(bracket), gradient, variance


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


def expand(structure: Structure, rows: FloatArray, *, centred: bool = True, bounded: bool = True) -> LogPartition:
    """Return the approximation for rows of scores (n, d), with a warning where they are out of its range.

    Without `bounded`, only what is proven anyway bounds ln Z: a user's own decoder is not asked.
    """
    expansion = TaylorExpansion(structure)
    value, marginals, variance = expansion(rows, centred=centred)
    n, proves = len(rows), structure.space.parts_dtype != np.object_  # nothing is proven about functions
    best = _decoded(structure, rows) if bounded or proves else None
    worst = _decoded(structure, -rows) if proves else None
    if proves and best is not None and worst is not None:
        centre = rows @ expansion.mean
        spread = np.maximum(best.upper_bound - centre, centre + worst.upper_bound)
        _warn_of_range(spread, "leave their mean by up to")
    else:
        spread = np.full(n, np.nan)
        _warn_of_range(np.sqrt(variance), "have a standard deviation of")
    # Z lies between |Y| times the exponentials of the least and of the largest score, and is no less than that of any
    # one output; where the mean μ of ψ is exact, Jensen's inequality gives ln Z ≥ ln |Y| + ⟨s, μ⟩.
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if best is not None:
        if structure.moments_info.kind == "exact":
            lower = expansion.log_count + rows @ expansion.mean
        elif worst is not None:
            lower = expansion.log_count - worst.upper_bound
        lower, upper = np.maximum(lower, best.value), expansion.log_count + best.upper_bound
    # Far from the uniform distribution, the logarithm of a polynomial falls behind scores of any outputs.
    return LogPartition(
        np.clip(value, lower, upper), lower, upper, "taylor", np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64),
        TaylorDetails(value, marginals, spread),
    )  # fmt: skip


def _decoded(structure: Structure, rows: FloatArray) -> Decoded | None:
    """Return the outputs of largest score, or None where the structure cannot be decoded."""
    try:
        return structure.space.decode(rows)
    except CapabilityError:
        return None


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
