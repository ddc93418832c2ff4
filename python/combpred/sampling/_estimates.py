"""What is known about partition functions: values, bounds, and how they were found."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class AnnealingDetails:
    r"""How annealing estimated the partition functions of n rows of scores.

    Attributes
    ----------
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, that the draws took.
    schedules : tuple of n ndarrays of shape (l + 1,)
        Levels β from 0 to 1.
    n_level_samples : ndarray of shape (n,), dtype=int64
        Draws in each batch for each repeat: one at each level but the first, or, adaptive, two for each step.
    n_repeats : ndarray of shape (n,), dtype=int64
        Estimates of which the value is the median.
    sampler : ndarray of shape (n,), dtype=str
        What drew the outputs, where "auto" chose it.
    schedule : {"adaptive", "uniform", "thesis"}
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not come near their distributions within their budget. Always true for exact samplers.
    acceptance : ndarray of shape (n,)
        Share of accepted steps.
    effective_share : ndarray of shape (n,)
        Effective draws over draws, at the level where chains were worst; 1 for exact samplers.
    r_hat : ndarray of shape (n,)
        The largest split-R̂ of scores at a level; 1 for exact samplers.
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


@dataclass(frozen=True)
class TaylorDetails:
    r"""The Taylor expansion of :math:`\ln Z` for n rows of scores.

    Attributes
    ----------
    expansion : ndarray of shape (n,)
        The expansion itself, which far from scores of 0 may leave the bounds.
    marginals : ndarray of shape (n, d)
        Its exact gradients, approximations of :math:`E\,\psi`.
    spread : ndarray of shape (n,)
        Bounds on :math:`|\langle s, \psi(y) - \mu\rangle|` over all outputs; the approximation is good where they are
        at most 1. NaN where nothing is proven about the scores of a user's own structure.
    """

    expansion: FloatArray
    marginals: FloatArray
    spread: FloatArray


@dataclass(frozen=True)
class LogPartition:
    r"""The logarithm of :math:`Z = \sum_y \exp\langle s, \psi(y)\rangle` for n rows of scores, with bounds.

    Attributes
    ----------
    value : ndarray of shape (n,)
        ln Z, or what was found for it.
    lower, upper : ndarray of shape (n,)
        Bounds on ln Z. Exact: `value`, which they equal up to rounding. Annealed: ln of :math:`\hat Z / (1 +
        \varepsilon)` and :math:`\hat Z / (1 - \varepsilon)` for the estimate :math:`\hat Z`, between which ln Z is with
        probability 1 − δ, for each row on its own, and along chains as far as their convergence can be judged. Taylor:
        bounds that hold always, by the uniform mean of the scores and a bound on the largest, to which `value` is
        clipped.
    method : {"exact", "annealed", "taylor"}
        What computed them, of all rows.
    is_exact : ndarray of shape (n,), dtype=bool
        True where values are exact, or estimates whose bounds are guaranteed: draws were independent and followed their
        distributions exactly. False along chains, and for the Taylor approximation.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn altogether, those that the schedule was found by among them; 0 where none were.
    details : AnnealingDetails, TaylorDetails or None
        What is to be told about the method; None where values are exact.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    method: str
    is_exact: NDArray[np.bool_]
    n_samples: NDArray[np.int64]
    details: AnnealingDetails | TaylorDetails | None = None

    @classmethod
    def exact(cls, value: FloatArray) -> LogPartition:
        """Build the result of exact sums."""
        n = len(value)
        return cls(value, value, value, "exact", np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64))

    @classmethod
    def joined(cls, parts: list[LogPartition]) -> LogPartition:
        """Return the results of several blocks of rows, by one method, as that of all rows."""
        whole: LogPartition = parts[0] if len(parts) == 1 else _joined(parts)
        return whole


def _joined(parts: list[Any]) -> Any:
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, tuple):
        return tuple(chain.from_iterable(parts))
    if is_dataclass(first):
        values = (_joined([getattr(part, field.name) for part in parts]) for field in fields(first))
        return cast(Any, type(first))(*values)
    return first  # a word or None, of all rows
