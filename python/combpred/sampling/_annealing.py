"""How the laws of log-linear models are computed, and what is known about their partition functions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.checks import choice, share, whole_number
from .._data.warn import warn_user
from .._lib import abi
from .._lib.control import reported
from .._lib.errors import naming_row
from .._lib.names import CHAINS
from ..structures import Structure
from ._levels import SAMPLERS, Levels, Task, Trust, levels_of
from ._schedules import Draw, Schedule, adaptive_schedule, level_schedule, log_mean_exp
from .draws import rows_of, score_bound

#: Values of the parameters `inference` and `method`.
METHODS = ("auto", "exact", "mcmc", "taylor")

FloatArray = NDArray[np.float64]

SCHEDULES = ("adaptive", "uniform", "thesis")
MOST_STEPS = 2**40
MAX_STEPS = 10**8  # of a row, unless the user says otherwise

_BATCH = 2**14  # draws that are held at a time


@dataclass(frozen=True)
class LogPartition:
    r"""The logarithm of :math:`Z(x) = \sum_y \exp\langle f(x), \psi(y)\rangle` for each row; arrays of shape ``(n,)``.

    Attributes
    ----------
    value : ndarray of float64
        ln Z.
    lower, upper : ndarray of float64
        Bounds on ln Z: equal to `value` where that is exact, up to rounding; for ``"mcmc"``, those of Z within the
        factors 1 ± ε, which hold with probability 1 − δ where draws are independent, and along chains as far as their
        convergence can be judged; for ``"taylor"``, bounds that hold always, by the uniform mean of the scores and a
        bound on the largest, to which `value` is clipped.
    method : ndarray of str
        What computed it: ``"recursion"``, the structure's own recursion or closed form, ``"enumeration"`` of its
        members, ``"mcmc"``, annealing by samples, or ``"taylor"``, the counting formula.
    n_samples : ndarray of int64
        Samples that were drawn for it; 0 where there are none.
    """

    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    method: NDArray[np.str_]
    n_samples: NDArray[np.int64]


@dataclass(frozen=True)
class AnnealedPartition:
    r"""Estimates of :math:`\ln Z = \ln\sum_y \exp\langle s, \psi(y)\rangle` for n rows of scores.

    Attributes
    ----------
    value : ndarray of shape (n,)
        The logarithm of the estimate :math:`\hat Z`.
    lower, upper : ndarray of shape (n,)
        ln of :math:`\hat Z / (1 + \varepsilon)` and :math:`\hat Z / (1 - \varepsilon)`, between which ln Z is with
        probability 1 − δ: for each row on its own, and where `sampler` is exact.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn altogether, those that the schedule was found by among them.
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, that these took.
    schedules : tuple of n ndarrays of shape (l + 1,)
        Levels β from 0 to 1.
    n_level_samples : ndarray of shape (n,), dtype=int64
        Draws in each batch for each repeat: one at each level but the first, or, adaptive, two for each step.
    n_repeats : ndarray of shape (n,), dtype=int64
        Estimates of which `value` is the median.
    sampler : ndarray of shape (n,), dtype=str
        What drew the outputs, where "auto" chose it.
    schedule : {"adaptive", "uniform", "thesis"}
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not come near their laws within their budget. Always true for exact samplers.
    acceptance : ndarray of shape (n,)
        Share of accepted steps.
    effective_share : ndarray of shape (n,)
        Effective draws over draws, at the level where chains were worst; 1 for exact samplers.
    r_hat : ndarray of shape (n,)
        The largest split-R̂ of scores at a level; 1 for exact samplers.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    n_samples: NDArray[np.int64]
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

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Whether the bounds of each row are guaranteed: draws were independent and followed their laws exactly."""
        exact: NDArray[np.bool_] = ~np.isin(self.sampler, CHAINS)
        return exact


def estimate_log_partition(
    structure: Structure,
    scores: ArrayLike,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    sampler: str = "auto",
    schedule: str = "adaptive",
    max_steps: int = MAX_STEPS,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> AnnealedPartition:
    r"""Estimate :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle` for every row s by draws alone.

    The estimate of Z is within a factor of 1 ± `epsilon` with probability 1 − `delta`: a fully polynomial randomised
    approximation scheme wherever the structure can be sampled in polynomial time. It takes the number of outputs and a
    sampler, no recursion. Where ``structure.log_partition`` works, that is exact and usually faster.

    Parameters
    ----------
    structure : Structure
        With its sizes and the number of its outputs known; also a `Custom` structure from a sampler with `log_count`.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,).
    epsilon : float, default=0.1
        Relative error of Z, between 0 and 1.
    delta : float, default=0.05
        Probability of a larger error in a row, between 0 and 1.
    sampler : {"auto", "monotone", "cftp", "rejection", "exact", "local", "meta", "cube"}, default="auto"
        As :func:`sample` has them; "exact" draws by the structure's recursion, or from a list of its outputs. "auto"
        takes for each row the first of "monotone", "exact", "cftp", "local" and "meta" that the structure has and
        that is expected to be done within `max_steps`.
    schedule : {"adaptive", "uniform", "thesis"}, default="adaptive"
        Levels of β between the uniform law and p:

        - "adaptive": found by draws, as far apart as tests allow that prove a bound on the variance;
        - "uniform": 3 for each unit of half the range of scores, with 65 ε⁻² l sinh²(1/3) draws at each of l levels;
        - "thesis": 3 for each unit of :math:`\max\|\psi\|\,\|s\|`, with 65 ε⁻² l exp(2/3) draws at each, as printed.
    max_steps : int, default=100000000
        Most steps of chains, or proposals, for a row.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream: an integer gives a row the same estimate whatever
        the number of threads or of later rows.
    n_jobs : int, default=None
        Threads; None: as configured by :func:`combpred.config_context`.
    verbose : int, default=0
        Positive: show progress, the number of draws so far with the level β.

    Returns
    -------
    AnnealedPartition

    Raises
    ------
    CapabilityError
        When the number of outputs is not known, or the structure lacks what sampler or schedule need: an exactly
        uniform sampler for "meta", "cftp" and "rejection", a bound on all scores for these last two and for schedules
        other than "adaptive".
    SamplingError
        When an exact sampler needs more than `max_steps`; says about how many.
    ValueError
        When a parameter is out of its range or a score not finite.

    Warns
    -----
    ConvergenceWarning
        When chains did not come near their laws within `max_steps`; names the row and the figure.

    Notes
    -----
    "adaptive" takes about :math:`\sqrt{\ln|Y|}` levels and their square over ε² draws. The test between two levels is
    Markov's inequality for draws that are made for it, so that its error, an eighth of `delta`, is part of the
    guarantee; Chebyshev's inequality bounds the error of each repeat, and the binomial law that of their median.

    Chains ("local", "meta", "cube") give no guarantee. Four of them are led from level to level; the number of steps
    between draws follows from measured autocorrelations.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 6. Štefankovič, Vempala and Vigoda (2009),
    Adaptive simulated annealing: a near-optimal connection between sampling and counting.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Permutations
    >>> structure, scores = Permutations(5), np.linspace(-1, 1, 10)
    >>> found = sampling.estimate_log_partition(structure, scores, random_state=0)
    >>> bool(found.lower[0] < structure.log_partition(scores) < found.upper[0]), found.is_exact
    (True, array([ True]))
    """
    rows = rows_of(structure, scores)
    epsilon, delta = share(epsilon, "epsilon"), share(delta, "delta")
    choice(sampler, "sampler", ("auto", *SAMPLERS))
    choice(schedule, "schedule", SCHEDULES)
    max_steps = whole_number(max_steps, "max_steps", 1, MOST_STEPS)
    log_count = structure.log_count()
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int64).max, dtype=np.int64))
    found: list[AnnealedRow] = []
    counted = Counted()
    with reported(counted.control, "annealing", verbose=verbose):
        for i, row in enumerate(rows):
            rng = np.random.default_rng([seed, i])
            task = Task(structure, row, epsilon, delta, sampler, schedule, max_steps, n_jobs, rng, counted.tick)
            with naming_row(i):
                found.append(anneal(task))
            counted.finish(found[-1].levels.n_samples)
            warn_of_chains(i, found[-1].sampler, found[-1].trust)
    return _assembled(found, log_count, epsilon, schedule)


def _assembled(found: list[AnnealedRow], log_count: float, epsilon: float, schedule: str) -> AnnealedPartition:
    value = log_count + np.array([row.log_ratio for row in found])
    return AnnealedPartition(
        value=value,
        lower=value - np.log1p(epsilon),
        upper=value - np.log1p(-epsilon),
        n_samples=np.array([row.levels.n_samples for row in found], dtype=np.int64),
        n_steps=np.array([row.levels.n_steps for row in found], dtype=np.int64),
        schedules=tuple(row.schedule.levels for row in found),
        n_level_samples=np.array([row.schedule.n_samples for row in found], dtype=np.int64),
        n_repeats=np.array([row.schedule.n_repeats for row in found], dtype=np.int64),
        sampler=np.array([row.sampler for row in found]),
        schedule=schedule,
        converged=np.array([row.trust.failure is None for row in found]),
        acceptance=np.array([row.levels.n_accepted / row.levels.n_steps for row in found]),
        effective_share=np.array([row.trust.share for row in found]),
        r_hat=np.array([row.trust.r_hat for row in found]),
    )


class Counted:
    """The progress of an estimate: draws so far, and the present level."""

    def __init__(self) -> None:
        self.control = abi.Control()
        self._finished = 0

    def tick(self, n_samples: int, beta: float) -> None:
        """Record the draws of the present row and its level."""
        self.control.step, self.control.value = self._finished + n_samples, beta

    def finish(self, n_samples: int) -> None:
        """Go on to the next row."""
        self._finished += n_samples


def warn_of_chains(row: int, sampler: str, trust: Trust) -> None:
    """Issue a ConvergenceWarning, in the name of the caller's caller, where chains did not come near their laws."""
    if trust.failure is not None:
        warn_user(
            f"row {row}: chains of sampler='{sampler}' did not converge: {trust.failure}; raise max_steps, or take an "
            "exact sampler",
            ConvergenceWarning,
        )


@dataclass(frozen=True)
class AnnealedRow:
    """The estimate of ln Z(1) / Z(0) of one row.

    Attributes
    ----------
    log_ratio : float
    schedule : Schedule
    sampler : str
    levels : Levels
        With what its draws took.
    trust : Trust
    """

    log_ratio: float
    schedule: Schedule
    sampler: str
    levels: Levels
    trust: Trust


def anneal(task: Task) -> AnnealedRow:
    """Estimate ln Z(1) / Z(0), within ln(1 ± ε) with probability 1 − δ."""
    fixed = fixed_schedule(task)
    name, levels = levels_of(task, fixed)
    schedule = adaptive_schedule(levels.draw, task.epsilon, task.delta) if fixed is None else fixed
    return AnnealedRow(median_log_ratio(levels, levels.draw, schedule), schedule, name, levels, levels.trust())


def median_log_ratio(levels: Levels, draw: Draw, schedule: Schedule) -> float:
    """Return the median over repeats of the estimates of ln Z(1) / Z(0), by `draw`, which draws from `levels`."""
    visited = [beta for beta, _ in schedule.batches()]
    per_repeat = max(1, levels.affordable(visited, schedule.n_repeats * schedule.n_samples) // schedule.n_repeats)
    return float(np.median(log_ratios(draw, schedule, per_repeat)))


def log_ratios(draw: Draw, schedule: Schedule, n_samples: int) -> NDArray[np.float64]:
    """Return an estimate of ln Z(1) / Z(0) for each repeat, by `n_samples` draws in each batch."""
    ratios = np.zeros(schedule.n_repeats)
    for beta, exponent in schedule.batches():
        for repeat in range(schedule.n_repeats):
            total = -math.inf
            for at in range(0, n_samples, _BATCH):
                values = draw(beta, min(_BATCH, n_samples - at))
                total = float(np.logaddexp(total, log_mean_exp(exponent * values) + math.log(len(values))))
            ratios[repeat] += math.copysign(1.0, exponent) * (total - math.log(n_samples))
    return ratios


def fixed_schedule(task: Task) -> Schedule | None:
    """Return the schedule that follows from bounds on scores, None for the adaptive one."""
    if task.schedule == "adaptive":
        return None
    structure, scores = task.structure, task.scores
    if task.schedule == "thesis":
        squared = score_bound(structure, np.zeros_like(scores), np.ones_like(scores))  # of the norm of ψ
        reach = math.sqrt(max(squared, 0.0)) * float(np.linalg.norm(scores))
    else:
        reach = max(score_bound(structure, scores) + score_bound(structure, -scores), 0.0) / 2
    return level_schedule(reach, task.epsilon, task.delta, printed=task.schedule == "thesis")
