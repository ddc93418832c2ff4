"""Partition functions by a Taylor expansion about the uniform law; public in :mod:`combpred.sampling`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.warn import warn_user
from .._lib.errors import ApproximationWarning, CapabilityError
from ..structures import Structure
from .draws import rows_of

FloatArray = NDArray[np.float64]

_RANGE = 1.0  # of centred scores, in which the expansion is meant to be taken
_ROUNDING = 1e-9


@dataclass(frozen=True)
class TaylorPartition:
    r"""Approximations of :math:`\ln Z` and of the marginals for n rows of scores.

    Attributes
    ----------
    value : ndarray of shape (n,)
        Approximations of ln Z.
    marginals : ndarray of shape (n, d)
        Their exact gradients, approximations of :math:`E\,\psi`.
    spread : ndarray of shape (n,)
        Bounds on :math:`|\langle s, \psi(y) - \mu\rangle|` over all outputs; the approximation is good where they are
        at most 1. NaN where nothing is proven about the scores of a user's own structure.
    """

    value: FloatArray
    marginals: FloatArray
    spread: FloatArray


class TaylorExpansion:
    r"""The expansion of :math:`\ln Z` about scores of 0 on one structure, from its count and its moments.

    Parameters
    ----------
    structure : Structure
        Asked for `log_count`, `mean` and `covariance` once, here; CapabilityError where its moments are of another law.
    """

    def __init__(self, structure: Structure) -> None:
        require_moments(structure)
        self._log_count = structure.log_count()
        self.mean = structure.mean()
        self._covariance = structure.covariance()

    def __call__(self, rows: FloatArray, *, centred: bool = True) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values (n,), gradients (n, d), and variances of the scores under the uniform law (n,)."""
        first = rows @ self.mean
        products = rows @ self._covariance
        variance = np.maximum(np.einsum("ij,ij->i", rows, products), 0.0)
        if centred:
            bracket = 0.5 * variance
            value = self._log_count + first + np.log1p(bracket)
            return value, self.mean + products / (1 + bracket)[:, None], variance
        # E ⟨s, ψ⟩² is the variance and the square of the mean: 1 + t + t²/2 is never less than 1/2.
        bracket = first + 0.5 * (first**2 + variance)
        gradient = (np.outer(1 + first, self.mean) + products) / (1 + bracket)[:, None]
        return self._log_count + np.log1p(bracket), gradient, variance


def require_moments(structure: Structure) -> None:
    """Raise CapabilityError where the moments of the structure are not those of its outputs."""
    if structure.moments_info.kind == "relaxed":
        raise CapabilityError(
            f"the Taylor expansion takes moments of ψ over all outputs, and those of {structure!r} are relaxed, of a "
            "larger space: take moments='sampled' in the structure, or inference='mcmc' "
            "(combpred.sampling.estimate_log_partition)"
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


def taylor_log_partition(structure: Structure, scores: ArrayLike, *, centred: bool = True) -> TaylorPartition:
    r"""Approximate :math:`\ln Z = \ln\sum_y \exp\langle s, \psi(y)\rangle` for small scores, by counting formulas.

    With μ and Σ the mean and the covariance of ψ over all outputs Y, this is
    :math:`\ln |Y| + \langle s, \mu\rangle + \ln(1 + \frac12 s^\top\Sigma s)`, whose error is of third order in the
    scores.

    Parameters
    ----------
    structure : Structure
        With its sizes and the number of its outputs known.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,).
    centred : bool, default=True
        Whether the expansion is that of :math:`\exp\langle s, \psi - \mu\rangle`. False: of
        :math:`\exp\langle s, \psi\rangle`, hence :math:`\ln|Y| + \ln(1 + \langle s,\mu\rangle + \frac12 s^\top M s)`
        with the second moment M, which is worse where :math:`\langle s, \mu\rangle` is not 0.

    Returns
    -------
    TaylorPartition

    Raises
    ------
    CapabilityError
        When the number of outputs is not known, or the moments of the structure are relaxed, those of a larger space.
    ValueError
        When scores are not finite; names the row.
    MemoryError
        When the d × d covariance does not fit.

    Warns
    -----
    ApproximationWarning
        When scores leave their mean by more than 1; names the row and the figure. The figure comes from exact decoding
        or the bounds of a guaranteed solution; for a structure given by functions it is the standard deviation. Also
        where the moments of the structure are sampled (``moments_info``), whose errors add to those of the expansion.

    Notes
    -----
    Costs O(n d²) beside the covariance, and two decodings a row for `spread`. Regularised models with a penalty of at
    least :math:`R^2 \ln|Y|` have scores within the range (Vembu, 2010, ch. 6, where the factor ½ is missing).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import LabelSets
    >>> scores = np.array([0.3, -0.2, 0.1])
    >>> found = sampling.taylor_log_partition(LabelSets(3), scores)
    >>> round(float(found.value[0]), 4), round(LabelSets(3).log_partition(scores), 4)
    (2.1968, 2.1969)
    >>> found.spread
    array([0.3])
    """
    rows = rows_of(structure, scores)
    found = expanded(structure, rows, centred=centred)
    warn_of_sampled_moments(structure)
    return found


def expanded(structure: Structure, rows: FloatArray, *, centred: bool = True) -> TaylorPartition:
    """Return the approximation for rows of scores (n, d), with a warning where they are out of range."""
    expansion = TaylorExpansion(structure)
    value, marginals, variance = expansion(rows, centred=centred)
    known = True
    try:
        high, low = structure.space.score_bounds(rows), -structure.space.score_bounds(-rows)
        centre = rows @ expansion.mean
        spread = np.maximum(high - centre, centre - low)
    except CapabilityError:  # of functions, which prove nothing
        known, spread = False, np.full(len(rows), np.nan)
    figure = spread if known else np.sqrt(variance)
    far = np.flatnonzero(figure > _RANGE + _ROUNDING)
    if far.size:
        row = int(far[np.argmax(figure[far])])
        what = "leave their mean by up to" if known else "have a standard deviation of"
        warn_user(
            f"row {row}: scores {what} {figure[row]:.3g} over the outputs, and the Taylor approximation is meant for "
            f"at most 1 ({far.size} of {len(rows)} rows are beyond); scale the scores down, raise the penalty of the "
            "model, or take exact inference or sampling",
            ApproximationWarning,
        )
    return TaylorPartition(value, marginals, spread)
