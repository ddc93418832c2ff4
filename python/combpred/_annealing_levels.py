"""Exact draws from p_β(y) ∝ exp(β⟨s, ψ(y)⟩) at the levels of a cooling schedule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lib_chain
from ._errors import CapabilityError, SamplingError
from .structures import Structure

FloatArray = NDArray[np.float64]
Drawn = tuple[FloatArray, NDArray[Any]]


@dataclass(frozen=True)
class Trust:
    """What is known about the draws of one row.

    Attributes
    ----------
    share : float
        Effective draws over draws at the level where that is least.
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
        Most steps altogether.
    n_threads : int or None
    tick : callable
        Called with the number of draws so far and the level, after every batch of draws.

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
    ) -> None:
        self.structure, self.scores, self.rng, self.max_steps = structure, scores, rng, max_steps
        self.n_threads, self._tick = n_threads, tick
        self.n_samples = self.n_steps = self.n_accepted = 0

    def draw(self, beta: float, n: int) -> FloatArray:
        """Return the scores ⟨s, ψ(y)⟩ of n outputs drawn at a level, of shape (n,)."""
        return self.draw_parts(beta, n)[0]

    def draw_parts(self, beta: float, n: int) -> Drawn:
        """Return scores, and the outputs in parts, of n draws at a level."""
        drawn = self._draw(beta, n)
        self._tick(self.n_samples, beta)
        return drawn

    @abstractmethod
    def _draw(self, beta: float, n: int) -> Drawn:
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
        """Return what is known about all draws so far."""
        return Trust()

    def _uniform(self, n: int) -> Drawn:
        parts = self.structure._sample_parts(n, self._seed())
        self._count(n, n, n)
        return self._score(parts), parts

    def _score(self, parts: NDArray[Any]) -> FloatArray:
        values: FloatArray = self.structure._embed_parts(parts, self.n_threads) @ self.scores
        return values

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

    def _draw(self, beta: float, n: int) -> Drawn:
        if beta == 0:
            return self._checked(self._uniform(n))
        rows = beta * self.scores[None]
        if self._sampler == "exact":
            parts = self.structure._sample_distribution(rows, n, self._seed(), self.n_threads)[:, 0]
            self._count(n, n, n)
            return self._checked((self._score(parts), parts))
        plan = _lib_chain.Plan(self._sampler, n, 0, 1, max(self.max_steps - self.n_steps, 1), self._seed())
        bound = None if self._top is None else np.array([beta * self._top])
        drawn = self.structure._draw_parts(rows, plan, None, bound, self.n_threads)
        self._count(n, int(drawn.steps.sum()), int(drawn.accepted.sum()))
        return self._checked((drawn.value[0] / beta, drawn.y[0]))

    def _checked(self, drawn: Drawn) -> Drawn:
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


def score_bounds(structure: Structure, rows: FloatArray, magnitude: FloatArray | None = None) -> FloatArray:
    """Return proven bounds (n,) on ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ over all outputs y, for rows s, and t of `magnitude`.

    CapabilityError where nothing is proven about a user's own structure.
    """
    if structure._parts_dtype == np.object_:  # its decoder is the user's word
        raise CapabilityError(
            f"{structure!r}: this needs a proven bound on the scores of all outputs, which functions do not give; take "
            "sampler='meta' and schedule='adaptive'"
        )
    bounds: FloatArray = structure._decode_scores(rows, magnitude).upper_bound
    return bounds


def score_bound(structure: Structure, scores: FloatArray, magnitude: FloatArray | None = None) -> float:
    """Return the bound of `score_bounds` for one row."""
    return float(score_bounds(structure, scores[None], None if magnitude is None else magnitude[None])[0])
