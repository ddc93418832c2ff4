"""Partition functions estimated by annealing, from the uniform distribution to p through levels of scaled scores.

Schedules of levels are in `_schedules`, and draws at a level, one class for each kind of sampler, in `_levels`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._data.checks import choice, seed_of, share, whole_number
from .._data.warn import warn_user
from .._lib import abi
from .._lib.arrays import FloatArray
from .._lib.control import reported
from .._lib.errors import CapabilityError, RowError, naming_row
from .._lib.names import BOUNDED_METHODS, CHAINS
from ..structures import Structure
from ._bounds import score_bound
from ._estimates import AnnealingDetails, LogPartition
from ._levels import Levels, Task, Trust, levels_of
from ._schedules import Draw, Schedule, adaptive_schedule, level_schedule, log_mean_exp
from .samplers import SAMPLERS

SCHEDULES = ("adaptive", "uniform", "thesis")
MOST_STEPS = 2**40
MAX_STEPS = 10**8  # of a row, unless the user says otherwise

_BATCH = 2**14  # draws that are held at a time


@dataclass(frozen=True)
class Annealing:
    """Options of annealing, as the parameters of `log_partition`; checked on construction."""

    epsilon: float
    delta: float
    sampler: str = "auto"
    schedule: str = "adaptive"
    max_steps: int = MAX_STEPS

    def __post_init__(self) -> None:
        share(self.epsilon, "epsilon")
        share(self.delta, "delta")
        choice(self.sampler, "sampler", ("auto", *SAMPLERS))
        choice(self.schedule, "schedule", SCHEDULES)
        whole_number(self.max_steps, "max_steps", 1, MOST_STEPS)


def anneal_rows(
    structure: Structure,
    rows: FloatArray,
    how: Annealing,
    *,
    bound: FloatArray | None = None,
    random_state: int | np.random.RandomState | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> LogPartition:
    """Return estimates of ln Z for rows of finite scores (n, d); `bound` (n,) is on the magnitudes of their scores."""
    log_count = structure.log_count()
    if bound is not None:
        _refuse_exceeded(structure, rows, bound)
    seed = seed_of(random_state)
    found: list[AnnealedRow] = []
    counted = Counted()
    with reported(counted.control, "annealing", verbose=verbose):
        for i, row in enumerate(rows):
            rng = np.random.default_rng([seed, i])
            task = Task(
                structure, row, float(how.epsilon), float(how.delta), how.sampler, how.schedule, int(how.max_steps),
                n_threads, rng, counted.tick, None if bound is None else float(bound[i]),
            )  # fmt: skip
            with naming_row(i):
                _require_bound(task)
                found.append(anneal(task))
            counted.finish(found[-1].levels.n_samples)
            warn_of_chains(i, found[-1].sampler, found[-1].trust)
    return _assembled(found, log_count, how)


def _refuse_exceeded(structure: Structure, rows: FloatArray, bound: FloatArray) -> None:
    """Raise ValueError where an output that the decoder finds scores more than the given bound."""
    try:
        best, worst = structure.space.decode(rows).value, -structure.space.decode(-rows).value
    except CapabilityError:  # without a decoder, only draws can tell
        return
    extreme = np.where(np.abs(best) >= np.abs(worst), best, worst)
    exceeded = np.abs(extreme) > bound + 1e-9 * (1 + bound)
    if exceeded.any():
        row = int(np.argmax(exceeded))
        raise RowError(
            row,
            f"an output scores {extreme[row]:.6g}, beyond the bound {bound[row]:.6g} on the magnitudes of all scores; "
            "correct bound",
        )


def _require_bound(task: Task) -> None:
    """Raise CapabilityError, asking for a bound, where one is needed and none is proven for the scores."""
    if task.bound is not None or (task.schedule == "adaptive" and task.sampler not in BOUNDED_METHODS):
        return
    try:
        score_bound(task.structure, task.scores)
    except CapabilityError as error:
        raise CapabilityError(f"{error}, or give bound=, a number that no |⟨s, ψ(y)⟩| exceeds") from None


def _assembled(found: list[AnnealedRow], log_count: float, how: Annealing) -> LogPartition:
    value = log_count + np.array([row.log_ratio for row in found])
    sampler = np.array([row.sampler for row in found])
    details = AnnealingDetails(
        n_steps=np.array([row.levels.n_steps for row in found], dtype=np.int64),
        schedules=tuple(row.schedule.levels for row in found),
        n_level_samples=np.array([row.schedule.n_samples for row in found], dtype=np.int64),
        n_repeats=np.array([row.schedule.n_repeats for row in found], dtype=np.int64),
        sampler=sampler,
        schedule=how.schedule,
        converged=np.array([row.trust.failure is None for row in found]),
        acceptance=np.array([row.levels.n_accepted / row.levels.n_steps for row in found]),
        effective_share=np.array([row.trust.share for row in found]),
        r_hat=np.array([row.trust.r_hat for row in found]),
    )
    return LogPartition(
        value=value,
        lower=value - np.log1p(how.epsilon),
        upper=value - np.log1p(-how.epsilon),
        method="annealed",
        is_guaranteed=~np.isin(sampler, CHAINS),
        n_samples=np.array([row.levels.n_samples for row in found], dtype=np.int64),
        details=details,
    )


class Counted:
    """Progress of an estimate: the number of draws so far and the current level."""

    def __init__(self) -> None:
        self.control = abi.Control()
        self._finished = 0

    def tick(self, n_samples: int, beta: float) -> None:
        """Record the number of draws of the current row and its level."""
        self.control.step, self.control.value = self._finished + n_samples, beta

    def finish(self, n_samples: int) -> None:
        """Go on to the next row."""
        self._finished += n_samples


def warn_of_chains(row: int, sampler: str, trust: Trust) -> None:
    """Issue a ConvergenceWarning, in the name of the user's line, where chains did not converge."""
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


def log_ratios(draw: Draw, schedule: Schedule, n_samples: int) -> FloatArray:
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
    if task.bound is not None:
        reach = task.bound
    elif task.schedule == "thesis":
        squared = score_bound(structure, np.zeros_like(scores), np.ones_like(scores))  # of the norm of ψ
        reach = math.sqrt(max(squared, 0.0)) * float(np.linalg.norm(scores))
    else:
        reach = max(task.spread(), 0.0) / 2
    return level_schedule(reach, task.epsilon, task.delta, printed=task.schedule == "thesis")
