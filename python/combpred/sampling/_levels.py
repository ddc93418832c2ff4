"""Draws at the levels of an annealing schedule, by exact samplers or along chains.

A new kind of sampler is a subclass of `Levels`, chosen in `levels_of`.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError, SamplingError
from .._lib.names import BOUNDED_METHODS, CHAINS
from .._lib.sampling import Plan, chain_diagnose
from ..structures import Structure
from ._bounds import score_bound
from ._diagnostics import cube_mixing_bound, meta_mixing_bound
from ._schedules import Schedule, cheapest_repeats
from .samplers import ANNEALED_ORDER, exact_draws

LevelDraws = tuple[FloatArray, NDArray[Any]]

_N_CHAINS = 4
_TUNING_DRAWS = 256  # of each chain
_DEPENDENCE = 1.25  # draws that are to be worth an independent one
_DECAY = math.log((_DEPENDENCE + 1) / (_DEPENDENCE - 1))  # of the slowest mode from draw to draw that this means
_DRAWN = 1.75  # draws that are made for an independent one: tuned figures are too small rather than too large
_MOST_R_HAT = 1.05
_KEPT = 2**14  # draws of a level for the diagnosis
_FEWEST = 64  # draws at a level where steps are short
_PROVEN_SHARE = 0.01  # of all steps that a burn-in by a bound may take

_TRIAL_DRAWS = 1024
_MOST_OPERATIONS = 1e8  # of a recursion at each level
_CHAIN_LEVELS = 64  # that errors of the distributions of chains may add up over


@dataclass(frozen=True)
class Trust:
    """How far the draws of one row can be trusted.

    Attributes
    ----------
    share : float
        Effective sample size over number of draws, at the level where that is smallest.
    r_hat : float
        The largest split-R̂ of the scores at a level.
    failure : str or None
        Why the draws should not be trusted.
    """

    share: float = 1.0
    r_hat: float = 1.0
    failure: str | None = None


class Levels(ABC):
    """Scores of outputs drawn at levels β for one row s of scores.

    Parameters
    ----------
    structure : Structure
    scores : ndarray of shape (d,)
    rng : Generator
        The row's own.
    max_steps : int
        Limit on all steps together.
    n_threads : int or None
    tick : callable
        Called with the number of draws so far and the level, after every batch of draws.
    bound : float or None
        On the magnitudes of the scores of all outputs, given by the user: a draw that exceeds it is refused.

    Attributes
    ----------
    n_samples, n_steps, n_accepted : int
        Draws and steps made so far, and how many of these were accepted.
    """

    def __init__(
        self,
        structure: Structure,
        scores: FloatArray,
        rng: np.random.Generator,
        max_steps: int,
        n_threads: int | None,
        tick: Callable[[int, float], None],
        bound: float | None = None,
    ) -> None:
        self.structure, self.scores, self.rng, self.max_steps = structure, scores, rng, max_steps
        self.n_threads, self._tick, self._bound = n_threads, tick, bound
        self.n_samples = self.n_steps = self.n_accepted = 0

    def draw(self, beta: float, n: int) -> FloatArray:
        """Return the scores ⟨s, ψ(y)⟩ of n outputs drawn at a level, of shape (n,)."""
        return self.draw_parts(beta, n)[0]

    def draw_parts(self, beta: float, n: int) -> LevelDraws:
        """Return scores, and the outputs in parts, of n draws at a level."""
        drawn = self._draw(beta, n)
        self._refuse_exceeded(drawn[0])
        self._tick(self.n_samples, beta)
        return drawn

    @abstractmethod
    def _draw(self, beta: float, n: int) -> LevelDraws:
        """Make n draws."""

    @abstractmethod
    def visit(self, beta: float) -> None:
        """Prepare for draws at a level, and at levels above it."""

    @abstractmethod
    def affordable(self, levels: Sequence[float], n: int) -> int:
        """Return how many draws at each level are worth n independent ones, or how many the remaining steps allow.

        Raises SamplingError where fewer draws would break a promise.
        """

    def trust(self) -> Trust:
        """Return how far all draws so far can be trusted."""
        return Trust()

    def _uniform(self, n: int) -> LevelDraws:
        parts = self.structure.space.sample(n, self._seed())
        self._count(n, n, n)
        return self._score(parts), parts

    def _score(self, parts: NDArray[Any]) -> FloatArray:
        values: FloatArray = self.structure.space.embed(parts, self.n_threads) @ self.scores
        return values

    def _refuse_exceeded(self, values: FloatArray) -> None:
        """Raise ValueError where a draw scores beyond the user's bound."""
        if self._bound is None:
            return
        extreme = float(values.flat[np.argmax(np.abs(values))])
        if abs(extreme) > self._bound + 1e-9 * (1 + self._bound):
            raise ValueError(
                f"an output scores {extreme:.6g}, beyond the bound {self._bound:.6g} on the magnitudes of all scores; "
                "correct bound"
            )

    def _seed(self) -> int:
        return int(self.rng.integers(2**63))

    def _count(self, samples: int, steps: int, accepted: int) -> None:
        self.n_samples += samples
        self.n_steps += steps
        self.n_accepted += accepted


class ExactLevels(Levels):
    """Independent draws of exactly p_β.

    Parameters
    ----------
    sampler : {"exact", "monotone", "cftp", "rejection"}
        "exact": by the structure's recursion or a list of its outputs.
    top : float or None
        Bound on the scores of all outputs, for "cftp" and "rejection".
    """

    def __init__(self, sampler: str, top: float | None, *args: Any) -> None:
        super().__init__(*args)
        self._sampler, self._top = sampler, top

    def _draw(self, beta: float, n: int) -> LevelDraws:
        if beta == 0:
            return self._checked(self._uniform(n))
        rows = beta * self.scores[None]
        if self._sampler == "exact":
            parts = exact_draws(self.structure, "exact", rows, n, self._seed(), self.n_threads)[0]
            self._count(n, n, n)
            return self._checked((self._score(parts), parts))
        plan = Plan(self._sampler, n, 0, 1, max(self.max_steps - self.n_steps, 1), self._seed())
        bound = None if self._top is None else np.array([beta * self._top])
        try:
            drawn = self.structure.space.draw(rows, plan, None, bound, self.n_threads)
        except SamplingError as error:
            raise SamplingError(self._exhausted(error.reason)) from None
        self._count(n, int(drawn.steps.sum()), int(drawn.accepted.sum()))
        return self._checked((drawn.value[0] / beta, drawn.y[0]))

    def _checked(self, drawn: LevelDraws) -> LevelDraws:
        if self.n_steps > self.max_steps:
            raise SamplingError(self._exhausted(f"{self.n_samples} samples did not suffice"))
        return drawn

    def visit(self, beta: float) -> None:
        pass  # draws are independent of those at other levels

    def affordable(self, levels: Sequence[float], n: int) -> int:
        each = self.n_steps / self.n_samples if self.n_samples else 1.0
        if self.n_steps + each * n * len(levels) > self.max_steps:
            raise SamplingError(
                self._exhausted(f"{n * len(levels)} samples more are needed, each of {each:.3g} steps so far")
            )
        return n

    def _exhausted(self, figure: str) -> str:
        return (
            f"sampler='{self._sampler}' made {self.n_steps} of at most max_steps={self.max_steps} steps, and {figure}; "
            "allow more, ask for a larger epsilon, or take a chain, sampler='local' or 'meta'"
        )


class ChainLevels(Levels):
    """Draws of four chains, which start at a level from the states at the nearest level below.

    At its first visit to a level the number of steps between draws is raised until the autocorrelation time of scores
    is at most 1.25 draws: neighbours then have a correlation of 1/9. The first draw follows after as many as take such
    a correlation down to the total variation allowed, squared; or after what a mixing bound proves, where that is 1 %
    of all steps or less. For each independent draw that a schedule asks for, 1.75 are made.

    Parameters
    ----------
    sampler : {"local", "meta", "cube"}
    spread : float
        Bound on the range of scores, infinite where none is known.
    total_variation : float
        Distance from p_β at which draws begin.
    """

    def __init__(self, sampler: str, spread: float, total_variation: float, *args: Any) -> None:
        super().__init__(*args)
        self._sampler, self._spread, self._tv = sampler, spread, total_variation
        self._states: dict[float, NDArray[Any]] = {}
        self._spacing: dict[float, int] = {}
        self._seen: dict[float, list[FloatArray]] = {}
        self._failure: str | None = None
        self._uniformly = True

    def _draw(self, beta: float, n: int) -> LevelDraws:
        if beta == 0 and self._uniformly:
            try:
                drawn = self._uniform(n)
            except CapabilityError:
                if self._sampler == "meta":  # which proposes such draws at all other levels
                    raise
                self._uniformly = False
            else:
                self._states[beta] = drawn[1][np.arange(_N_CHAINS) % n]
                return drawn
        if beta not in self._spacing:
            self._tune(beta)
        many = -(-n // _N_CHAINS)
        values, parts = self._run(beta, many, 0, self._spacing[beta])
        seen = self._seen[beta]
        if sum(block.shape[1] for block in seen) < _KEPT:
            seen.append(values)
        # One draw of each chain after the other: neighbours are as independent as can be.
        return values.T.ravel()[:n], np.swapaxes(parts, 0, 1).reshape(-1, parts.shape[2])[:n]

    def visit(self, beta: float) -> None:
        if beta == 0:
            self.draw(beta, _N_CHAINS)
        elif beta not in self._spacing:
            self._tune(beta)

    def _run(self, beta: float, many: int, burn_in: int, spacing: int) -> LevelDraws:
        """Go on with the chains at a level; return scores (chains, many) and parts (chains, many, ·)."""
        plan = Plan(self._sampler, many, burn_in, spacing, 1, self._seed())
        rows = np.tile(beta * self.scores, (_N_CHAINS, 1))
        drawn = self.structure.space.draw(rows, plan, self._states.get(beta), None, self.n_threads)
        self._count(drawn.value.size, int(drawn.steps.sum()), int(drawn.accepted.sum()))
        self._states[beta] = drawn.y[:, -1]
        values = drawn.value / beta if beta > 0 else self._score(drawn.y.reshape(-1, drawn.y.shape[2]))
        self._refuse_exceeded(values)
        return values.reshape(_N_CHAINS, many), drawn.y

    def _tune(self, beta: float) -> None:
        below = [level for level in self._states if level < beta]
        spacing = 1
        if below:
            self._states[beta] = self._states[max(below)]
            spacing = max(1, self._states[beta].shape[1], self._spacing.get(max(below), 1))
        while True:
            values, _ = self._run(beta, _TUNING_DRAWS, self._burn_in(beta, spacing), spacing)
            size = float(chain_diagnose(values[np.newaxis])[0][0])
            dependence = values.size / size if size == size else 1.0  # NaN: all scores are equal
            if dependence <= _DEPENDENCE:
                break
            longer = math.ceil(spacing * min(max(dependence, 1.5), 16.0))
            if values.size * longer > (self.max_steps - self.n_steps) / 8:
                self._failure = self._failure or (
                    f"at level {beta:.3g} draws {spacing} steps apart are worth {100 / dependence:.0f} % of as many "
                    "independent ones"
                )
                break
            spacing = longer
        self._spacing[beta] = spacing
        self._seen[beta] = [values]

    def _burn_in(self, beta: float, spacing: int) -> int:
        steps = math.ceil(2 * math.log(1 / self._tv) / _DECAY) * spacing
        proven = math.inf
        if self._sampler == "meta":
            proven = meta_mixing_bound(-beta * self._spread, self._tv)
        elif self._sampler == "cube" and self.structure.space.free_values() == (0, 1):
            proven = cube_mixing_bound(len(self.scores), self._tv)
        return math.ceil(proven) if _N_CHAINS * proven <= _PROVEN_SHARE * self.max_steps else steps

    def affordable(self, levels: Sequence[float], n: int) -> int:
        for beta in levels:
            if beta > 0 and beta not in self._spacing:
                self._tune(beta)
        wanted = math.ceil(_DRAWN * n)
        each = sum(self._spacing.get(beta, 1) for beta in levels)
        possible = max(int((self.max_steps - self.n_steps) / each), _FEWEST)
        if possible < wanted:
            self._failure = (
                f"max_steps={self.max_steps} leave room for {possible} of {wanted} draws at each of "
                f"{len(levels)} levels"
            )
        return min(wanted, possible)

    def trust(self) -> Trust:
        share, r_hat = 1.0, 1.0
        for blocks in self._seen.values():
            size, ratio = (float(found[0]) for found in chain_diagnose(np.concatenate(blocks, axis=1)[np.newaxis])[:2])
            if size == size:  # not NaN, as where all scores are equal
                share = min(share, size / sum(block.size for block in blocks))
                r_hat = max(r_hat, ratio)
        failure = self._failure
        if failure is None and (share < 1 / _DRAWN or r_hat > _MOST_R_HAT):
            failure = f"draws are worth {100 * share:.0f} % of as many independent ones, and split-R̂ is {r_hat:.3f}"
        return Trust(share, r_hat, failure)


@dataclass(frozen=True)
class Task:
    """The task of estimating the partition function of one row of scores.

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
    bound : float or None, default=None
        On the magnitudes of the scores of all outputs, in place of what the structure proves.
    """

    structure: Structure
    scores: FloatArray
    epsilon: float
    delta: float
    sampler: str
    schedule: str
    max_steps: int
    n_threads: int | None
    rng: np.random.Generator
    tick: Callable[[int, float], None]
    bound: float | None = None

    def top(self) -> float:
        """Return a bound on the scores of all outputs; CapabilityError where none is known."""
        return score_bound(self.structure, self.scores) if self.bound is None else self.bound

    def spread(self) -> float:
        """Return a bound on the range of the scores of all outputs; CapabilityError where none is known."""
        if self.bound is not None:
            return 2 * self.bound
        return score_bound(self.structure, self.scores) + score_bound(self.structure, -self.scores)


def levels_of(task: Task, fixed: Schedule | None) -> tuple[str, Levels]:
    """Return the sampler's name and its draws; a CapabilityError where the structure lacks what it needs."""
    if task.sampler != "auto":
        return task.sampler, _levels(task, task.sampler)
    *early, last = ANNEALED_ORDER
    for name in early:
        try:
            if _affordable(task, name, fixed):
                levels = _levels(task, name)
                levels.draw(1.0 if name == "exact" else 0.0, 1)  # what it lacks shows at once
                return name, levels
        except CapabilityError:
            continue
    return last, _levels(task, last)


def _levels(task: Task, name: str) -> Levels:
    rest = (task.structure, task.scores, task.rng, task.max_steps, task.n_threads, task.tick, task.bound)
    if name not in CHAINS:
        return ExactLevels(name, task.top() if name in BOUNDED_METHODS else None, *rest)
    spread = math.inf
    if name == "meta":
        with contextlib.suppress(CapabilityError):  # no bound, hence burn-in by measured times
            spread = task.spread()
    # The thesis allows ε / (5 l exp(2/p)) at each of l levels.
    return ChainLevels(name, spread, task.epsilon / (5 * _CHAIN_LEVELS * math.exp(2 / 3)), *rest)


def _affordable(task: Task, name: str, fixed: Schedule | None) -> bool:
    """Return whether the expected cost of an exact sampler is within the budget."""
    structure = task.structure
    if name == "exact":
        return structure.space.partition_cost()[1] <= _MOST_OPERATIONS
    if name == "cftp":
        top = task.top()
        parts = structure.space.sample(_TRIAL_DRAWS, int(task.rng.integers(2**63)))
        reached = np.exp(structure.space.embed(parts) @ task.scores - top)
        return _expected_draws(task, fixed) <= task.max_steps * float(reached.mean())
    if name in ("monotone", "local"):
        plan = Plan(name, 1, 0, 1, task.max_steps, 0)
        structure.space.draw(np.zeros((1, len(task.scores))), plan, None, None, task.n_threads)
    return True


def _expected_draws(task: Task, fixed: Schedule | None) -> float:
    """Return about how many draws the estimate takes: by √ln|Y| levels where these are not known yet."""
    if fixed is not None:
        return float(fixed.n_repeats * fixed.n_samples * len(fixed.batches()))
    steps = max(math.sqrt(task.structure.log_count()), 1.0)
    repeats, off = cheapest_repeats(task.delta)
    return repeats * 2 * steps**2 * (math.sqrt(2) + task.epsilon) ** 2 / (off * task.epsilon**2)
