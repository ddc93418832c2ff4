"""The annealed estimate of one row: its schedule, its product of ratios, and what is known about both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._annealing_levels import Levels, Trust, score_bound
from ._annealing_samplers import Task, levels_of
from ._annealing_schedules import Draw, Schedule, adaptive_schedule, level_schedule, log_mean_exp

_BATCH = 2**14  # draws that are held at a time


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
