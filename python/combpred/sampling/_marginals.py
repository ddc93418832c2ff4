"""The function `estimate_marginals`: means of ψ, the gradients of ln Z, estimated from draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import choice, seed_of, share, whole_number
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.control import reported
from .._lib.errors import CapabilityError, SamplingError, naming_row
from .._lib.names import CHAINS
from ..structures import Structure
from ._annealing import MOST_STEPS, Counted, median_log_ratio, warn_of_chains
from ._levels import Levels, Task, levels_of
from ._schedules import adaptive_schedule
from .samplers import SAMPLERS, rows_of

Ranges = tuple[FloatArray, FloatArray]

MARGINALS_METHODS = ("samples", "counting")
_BATCH = 2**12  # draws that are embedded at a time
_LADDER = (0.0, 0.25, 0.5, 0.75, 1.0)  # by which chains come to p


@dataclass(frozen=True, eq=False)
class SampledMarginals:
    r"""Estimates of the expectation :math:`E\,\psi` for n rows of scores, with bounds on their errors.

    Attributes
    ----------
    value : ndarray of shape (n, d)
        Estimates of the expectations, which are the gradients of ln Z.
    error : ndarray of shape (n, d)
        Bounds on the error of each entry. Those of a row hold together with probability 1 − δ where `sampler` is exact.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn in total.
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, made for these.
    sampler : ndarray of shape (n,), dtype=str
        The sampler used, as "auto" resolved it.
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not converge within their budget of steps.
    """

    value: FloatArray
    error: FloatArray
    n_samples: NDArray[np.int64]
    n_steps: NDArray[np.int64]
    sampler: NDArray[np.str_]
    converged: NDArray[np.bool_]

    @property
    def is_guaranteed(self) -> NDArray[np.bool_]:
        """Whether the errors of each row are guaranteed, as draws were independent and followed p exactly."""
        guaranteed: NDArray[np.bool_] = ~np.isin(self.sampler, CHAINS)
        return guaranteed


def hoeffding_sample_size(epsilon: float, delta: float, value_range: float = 1.0) -> int:
    r"""Return how many independent draws Hoeffding's inequality asks for.

    Their mean is within `epsilon` of its expectation with probability at least 1 − `delta`.

    Parameters
    ----------
    epsilon : float
        Absolute error, positive.
    delta : float
        Between 0 and 1.
    value_range : float, default=1.0
        Difference of the largest and the smallest value that a draw can have; not negative.

    Returns
    -------
    n_samples : int
        :math:`\lceil (\text{range}/\varepsilon)^2 \ln(2/\delta) / 2 \rceil`, at least 1.

    Raises
    ------
    ValueError
        When an argument is out of its range, or the number is beyond 2**62.

    References
    ----------
    Hoeffding (1963), Probability inequalities for sums of bounded random variables. Vembu (2010), ch. 6, where values
    lie within ± R G: a range of 2 R G.

    Examples
    --------
    >>> from combpred.sampling import hoeffding_sample_size
    >>> hoeffding_sample_size(0.1, 0.05)
    185
    """
    for name, value in (("epsilon", epsilon), ("value_range", value_range)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise TypeError(f"{name} must be a number, got {value!r}")
    if not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be positive and finite, got {epsilon}")
    if not 0 <= value_range < math.inf:
        raise ValueError(f"value_range must be finite and not negative, got {value_range}")
    needed = (value_range / epsilon) ** 2 * math.log(2 / share(delta, "delta")) / 2
    if not needed < 2.0**62:
        raise ValueError(f"this takes {needed:.3g} samples; ask for a larger epsilon")
    return max(1, math.ceil(needed))


def estimate_marginals(
    structure: Structure,
    scores: ArrayLike,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    method: str = "samples",
    sampler: str = "auto",
    feature_range: tuple[ArrayLike, ArrayLike] | None = None,
    max_steps: int = 10**8,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> SampledMarginals:
    r"""Estimate the mean of ψ under :math:`p(y) \propto \exp\langle s, \psi(y)\rangle` for each row s from draws.

    All entries of a row are within their errors with probability 1 − `delta`.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,).
    epsilon : float, default=0.1
        Between 0 and 1. For "samples", the absolute error of each entry; for "counting", the error relative to the
        distance of each entry from the least value that it takes.
    delta : float, default=0.05
        Probability that an entry of a row has a larger error, between 0 and 1; each entry has an equal share.
    method : {"samples", "counting"}, default="samples"
        "samples": averages over draws from p, as many as Hoeffding's inequality asks for. "counting": the quotient of
        :math:`Z_j = \sum_y \psi_j(y) \exp\langle s, \psi(y)\rangle` and Z, both annealed, with ψ_j shifted so that it
        is not negative. It is accurate also for entries that are nearly always at their least value, at more than
        d + 1 times the cost of :func:`log_partition`.
    sampler : {"auto", "monotone", "exact", "cftp", "rejection", "local", "meta", "cube"}, default="auto"
        As for :func:`log_partition`.
    feature_range : pair of array-likes of shape (d,) or scalars, default=None
        Least and largest value of each entry of ψ. None: from the decoder.
    max_steps : int, default=100000000
        Limit on steps of chains, or proposals, for a row.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress, the number of draws so far.

    Returns
    -------
    SampledMarginals

    Raises
    ------
    CapabilityError
        When the structure lacks what the sampler needs, or is given by functions and `feature_range` is not; for
        "counting" also when the mean of ψ over all outputs is itself an estimate.
    SamplingError
        When a sampler needs more than `max_steps`.
    ValueError
        When a parameter is out of its range or a score not finite.

    Warns
    -----
    ConvergenceWarning
        When chains did not converge within `max_steps`; names the row and the figure.

    Notes
    -----
    "samples" takes :func:`hoeffding_sample_size` with ε, δ / d and the largest range of an entry. "counting" draws
    from the distribution of :math:`Z_j` by accepting outputs of p with the probability of the shifted and scaled
    :math:`\psi_j(y)`, and starts from :math:`Z_j` at scores of 0, which the mean of ψ over all outputs gives.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6. Jerrum, Valiant and Vazirani (1986), Random
    generation of combinatorial structures from a uniform distribution.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Subtrees
    >>> structure, scores = Subtrees([-1, 0, 0]), np.array([0.0, 1.0, -1.0])
    >>> found = sampling.estimate_marginals(structure, scores, random_state=0)
    >>> bool((np.abs(found.value[0] - structure.marginals(scores)) <= found.error[0]).all())
    True
    """
    rows, n_threads = rows_of(structure, scores), get_n_threads(n_jobs)
    epsilon, delta = share(epsilon, "epsilon"), share(delta, "delta")
    choice(method, "method", MARGINALS_METHODS)
    choice(sampler, "sampler", ("auto", *SAMPLERS))
    max_steps = whole_number(max_steps, "max_steps", 1, MOST_STEPS)
    ranges = _ranges(structure, feature_range)
    if method == "counting":
        _require_exact_mean(structure)
    seed = seed_of(random_state)
    value, error = np.empty(rows.shape), np.empty(rows.shape)
    counts, names, converged = np.empty((len(rows), 2), dtype=np.int64), [], np.empty(len(rows), dtype=np.bool_)
    counted = Counted()
    with reported(counted.control, "sampling", verbose=verbose):
        for i, row in enumerate(rows):
            rng = np.random.default_rng([seed, i])
            task = Task(structure, row, epsilon, delta, sampler, "adaptive", max_steps, n_threads, rng, counted.tick)
            with naming_row(i):
                name, levels = levels_of(task, None)
                estimate = _by_samples if method == "samples" else _by_counting
                value[i], error[i] = estimate(task, levels, ranges)
            trust = levels.trust()
            names.append(name)
            counts[i], converged[i] = (levels.n_samples, levels.n_steps), trust.failure is None
            counted.finish(levels.n_samples)
            warn_of_chains(i, name, trust)
    return SampledMarginals(value, error, counts[:, 0], counts[:, 1], np.array(names), converged)


def _by_samples(task: Task, levels: Levels, ranges: Ranges) -> Ranges:
    """Return averages over draws from p, and the errors by Hoeffding's inequality."""
    width = ranges[1] - ranges[0]
    d = len(width)
    needed = hoeffding_sample_size(task.epsilon, task.delta / d, float(width.max()))
    for beta in _LADDER:
        levels.visit(beta)
    n = levels.affordable([1.0], needed)
    total = np.zeros(d)
    for at in range(0, n, _BATCH):
        parts = levels.draw_parts(1.0, min(_BATCH, n - at))[1]
        total += task.structure.space.embed(parts, task.n_threads).sum(axis=0)
    return total / n, width * math.sqrt(math.log(2 * d / task.delta) / (2 * min(n, needed)))


def _by_counting(task: Task, levels: Levels, ranges: Ranges) -> Ranges:
    """Return quotients of annealed sums, and the errors that follow from those of both."""
    low, width = ranges[0], ranges[1] - ranges[0]
    # Of both sums, so that (1 + e) / (1 − e) is 1 + ε.
    epsilon, delta = task.epsilon / (2 + task.epsilon), task.delta / (1 + len(low))
    schedule = adaptive_schedule(levels.draw, epsilon, delta)
    log_ratio = median_log_ratio(levels, levels.draw, schedule)
    uniform = np.divide(task.structure.mean() - low, width, out=np.zeros_like(low), where=width > 0)
    shifted = np.zeros_like(low)
    for j in np.flatnonzero(uniform > 0).tolist():
        thinned = _Thinned(levels, j, float(low[j]), float(width[j]))
        schedule = adaptive_schedule(thinned.draw, epsilon, delta)
        log_weighted = median_log_ratio(levels, thinned.draw, schedule)
        shifted[j] = min(1.0, uniform[j] * math.exp(min(log_weighted - log_ratio, 700.0)))
    return low + width * shifted, width * shifted * task.epsilon / (1 - task.epsilon)


class _Thinned:
    """Scores of outputs drawn from the distribution proportional to (ψ_j − low) p_β."""

    def __init__(self, levels: Levels, j: int, low: float, width: float) -> None:
        self._levels, self._j, self._low, self._width = levels, j, low, width
        self._rate = 1.0  # of outputs that are taken, about

    def draw(self, beta: float, n: int) -> FloatArray:
        taken: list[FloatArray] = []
        missing = n
        while missing > 0:
            if self._levels.n_steps > self._levels.max_steps:
                raise SamplingError(
                    f"feature {self._j} is above its least value in so few outputs that max_steps="
                    f"{self._levels.max_steps} did not suffice; allow more, or take method='samples'"
                )
            many = min(_BATCH, math.ceil(1.1 * missing / self._rate) + 8)
            values, parts = self._levels.draw_parts(beta, many)
            psi = self._levels.structure.space.embed(parts, self._levels.n_threads)[:, self._j]
            kept = values[self._levels.rng.random(many) * self._width < psi - self._low]
            self._rate = max((self._rate + len(kept) / many) / 2, 1e-3)
            taken.append(kept[:missing])
            missing -= len(taken[-1])
        return np.concatenate(taken)


def _require_exact_mean(structure: Structure) -> None:
    """Refuse estimated means: quotients would inherit errors that the stated ones do not include."""
    kind = structure.moments_info.kind
    if kind != "exact":
        raise CapabilityError(
            f"method='counting' starts from the exact mean of ψ over all outputs, and that of {structure!r} is {kind}: "
            "take method='samples'"
        )


def _ranges(structure: Structure, given: Any) -> Ranges:
    """Return the least and the largest value of each entry of ψ."""
    d = structure.n_features
    if given is None:
        try:
            return -structure.space.score_bounds(-np.eye(d)), structure.space.score_bounds(np.eye(d))
        except CapabilityError:
            raise CapabilityError(
                f"{structure!r}: functions do not say in which range the entries of ψ are; pass feature_range=(least, "
                "largest), numbers or arrays of shape (d,)"
            ) from None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"feature_range must be a pair (least, largest), got {given!r}")
    low, high = (np.asarray(end, dtype=np.float64) for end in given)
    if low.shape not in ((), (d,)) or high.shape not in ((), (d,)):
        raise ValueError(f"feature_range must hold numbers or arrays of shape ({d},), got {low.shape} and {high.shape}")
    low, high = (np.array(np.broadcast_to(end, (d,))) for end in (low, high))
    if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
        raise ValueError("feature_range: each least value must be finite and at most the largest")
    return low, high
