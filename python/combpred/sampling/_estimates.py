"""Results of computing partition functions: values, bounds, and details of each method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class AnnealingDetails:
    r"""Details of partition functions that annealing estimated for n rows of scores.

    Attributes
    ----------
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, made for the draws.
    schedules : tuple of n ndarrays of shape (l + 1,)
        Levels β from 0 to 1.
    n_level_samples : ndarray of shape (n,), dtype=int64
        Draws in each batch of a repeat. A repeat has a batch at each level but the first or, with "adaptive", two for
        each step between levels.
    n_repeats : ndarray of shape (n,), dtype=int64
        Number of independent estimates; the value is their median.
    sampler : ndarray of shape (n,), dtype=str
        The sampler used, as "auto" resolved it.
    schedule : {"adaptive", "uniform", "thesis"}
        The kind of schedule.
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not converge within their budget of steps. Always true for exact samplers.
    acceptance : ndarray of shape (n,)
        Share of accepted steps.
    effective_share : ndarray of shape (n,)
        Effective sample size over number of draws, at the level where that is smallest; 1 for exact samplers.
    r_hat : ndarray of shape (n,)
        Split R̂ of the scores, at the level where it is largest; 1 for exact samplers.
    """

    n_steps: NDArray[np.int64]
    schedules: tuple[FloatArray, ...]
    n_level_samples: NDArray[np.int64]
    n_repeats: NDArray[np.int64]
    sampler: NDArray[np.str_]
    schedule: str
    converged: NDArray[np.bool_]
    acceptance: FloatArray
    effective_share: FloatArray
    r_hat: FloatArray


@dataclass(frozen=True, eq=False)
class TaylorDetails:
    r"""Details of the Taylor expansion of ln Z for n rows of scores.

    Attributes
    ----------
    expansion : ndarray of shape (n,)
        The value of the expansion, which may be outside the bounds where scores are far from 0.
    marginals : ndarray of shape (n, d)
        Gradients of the expansion, which approximate :math:`E\,\psi`.
    spread : ndarray of shape (n,)
        Bounds on :math:`|\langle s, \psi(y) - \mu\rangle|` over all outputs; the approximation is good where they are
        at most 1. NaN where nothing is proven about the scores of a user's own structure.
    """

    expansion: FloatArray
    marginals: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class LogPartition:
    r"""Logarithms of the partition functions of n rows of scores, with bounds.

    That of a row s is :math:`Z = \sum_y \exp\langle s, \psi(y)\rangle`.

    Attributes
    ----------
    value : ndarray of shape (n,)
        ln Z, exact or estimated.
    lower, upper : ndarray of shape (n,)
        Bounds on ln Z. "exact": `value`, to which ln Z is equal up to rounding. "annealed": the logarithms of
        :math:`\hat Z / (1 + \varepsilon)` and :math:`\hat Z / (1 - \varepsilon)` for the estimate :math:`\hat Z`. They
        contain ln Z with probability 1 − δ for each row on its own; along chains only as far as their convergence can
        be judged. "taylor": bounds that always hold, by the uniform mean of the scores and a bound on the largest;
        `value` is clipped to them.
    method : {"exact", "annealed", "taylor"}
        The method, the same for all rows.
    is_guaranteed : ndarray of shape (n,), dtype=bool
        True where the bounds are guaranteed: those of "exact" and "taylor", and those of estimates from independent
        draws that were exactly distributed. False along chains.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn in total, including those that determined the schedule; 0 where none were drawn.
    details : AnnealingDetails, TaylorDetails or None
        Details of the method; None where values are exact.

    Examples
    --------
    >>> from combpred.sampling import log_partition
    >>> from combpred.structures import Permutations
    >>> found = log_partition(Permutations(3), [[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    >>> found.method, found.value.round(4)
    ('exact', array([1.7918, 2.4566]))
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    method: str
    is_guaranteed: NDArray[np.bool_]
    n_samples: NDArray[np.int64]
    details: AnnealingDetails | TaylorDetails | None = None

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Whether the value of each row is exact up to rounding, rather than an estimate or an approximation."""
        return np.full(len(self.value), self.method == "exact")


@dataclass(frozen=True)
class CountEstimate:
    """The logarithm of a number of outputs, estimated from repeats.

    Attributes
    ----------
    value : float
        The estimate of the natural logarithm.
    lower, upper : float
        Bounds that contain it with probability 1 − δ: those of a number within a factor of 1 ± ε.
    n_samples : int
        Outputs drawn.
    n_repeats : int
        How many of them had been drawn before.
    """

    value: float
    lower: float
    upper: float
    n_samples: int
    n_repeats: int
