"""Which sampler draws at the levels of a cooling schedule."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _lib, _lib_chain
from ._annealing_chains import ChainLevels
from ._annealing_levels import ExactLevels, Levels, score_bound
from ._annealing_schedules import Schedule, cheapest_repeats
from ._errors import CapabilityError
from .structures import Structure

EXACT = ("monotone", "cftp", "rejection", "exact")
CHAINS = ("local", "meta", "cube")
SAMPLERS = (*EXACT, *CHAINS)

_BOUNDED = ("cftp", "rejection")
_AUTO = ("monotone", "exact", "cftp", "local", "meta")
_TRIAL_DRAWS = 1024
_MOST_OPERATIONS = 1e8  # of a recursion at each level
_CHAIN_LEVELS = 64  # that errors of the laws of chains may add up over


@dataclass(frozen=True)
class Task:
    """One row of scores, and how its partition function is to be estimated.

    Attributes
    ----------
    structure : Structure
    scores : ndarray of shape (d,)
    epsilon, delta : float
    sampler, schedule : str
    max_steps : int
    n_threads : int or None
    rng : Generator
        The row's own.
    tick : callable
        Called with the number of draws so far and the level, after every batch of draws.
    """

    structure: Structure
    scores: NDArray[np.float64]
    epsilon: float
    delta: float
    sampler: str
    schedule: str
    max_steps: int
    n_threads: int | None
    rng: np.random.Generator
    tick: Callable[[int, float], None]


def levels_of(task: Task, fixed: Schedule | None) -> tuple[str, Levels]:
    """Return the sampler's name and its draws; a CapabilityError where the structure lacks what it needs."""
    if task.sampler != "auto":
        return task.sampler, _levels(task, task.sampler)
    for name in _AUTO[:-1]:
        try:
            if _affordable(task, name, fixed):
                levels = _levels(task, name)
                levels.draw(1.0 if name == "exact" else 0.0, 1)  # what it lacks shows at once
                return name, levels
        except CapabilityError:
            continue
    return _AUTO[-1], _levels(task, _AUTO[-1])


def _levels(task: Task, name: str) -> Levels:
    rest = (task.structure, task.scores, task.rng, task.max_steps, task.n_threads, task.tick)
    if name in EXACT:
        return ExactLevels(name, score_bound(task.structure, task.scores) if name in _BOUNDED else None, *rest)
    spread = math.inf
    if name == "meta":
        with contextlib.suppress(CapabilityError):  # no bound, hence burn-in by measured times
            spread = score_bound(task.structure, task.scores) + score_bound(task.structure, -task.scores)
    # The thesis allows ε / (5 l exp(2/p)) at each of l levels.
    return ChainLevels(name, spread, task.epsilon / (5 * _CHAIN_LEVELS * math.exp(2 / 3)), *rest)


def _affordable(task: Task, name: str, fixed: Schedule | None) -> bool:
    """Return whether the expected cost of an exact sampler is within the budget."""
    structure = task.structure
    if name == "exact":
        return _lib.partition_cost(structure._describe())[1] <= _MOST_OPERATIONS
    if name == "cftp":
        top = score_bound(structure, task.scores)
        parts = structure._sample_parts(_TRIAL_DRAWS, int(task.rng.integers(2**63)))
        reached = np.exp(structure._embed_parts(parts) @ task.scores - top)
        return _expected_draws(task, fixed) <= task.max_steps * float(reached.mean())
    if name in ("monotone", "local"):
        plan = _lib_chain.Plan(name, 1, 0, 1, task.max_steps, 0)
        structure._draw_parts(np.zeros((1, len(task.scores))), plan, None, None, task.n_threads)
    return True


def _expected_draws(task: Task, fixed: Schedule | None) -> float:
    """Return about how many draws the estimate takes: by √ln|Y| levels where these are not known yet."""
    if fixed is not None:
        return float(fixed.n_repeats * fixed.n_samples * len(fixed.batches()))
    steps = max(math.sqrt(task.structure.log_count()), 1.0)
    repeats, off = cheapest_repeats(task.delta)
    return repeats * 2 * steps**2 * (math.sqrt(2) + task.epsilon) ** 2 / (off * task.epsilon**2)
