"""The loss of log-linear models over blocks of rows, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._admissible import flat_sets
from ._blocks import Block, BlockSource
from ._coordinates import FLOOR, Coordinates, UniformCurvature, drawn_spread
from ._features import LARGEST_MOVED, Curvature, InputRows, diagonalised, second_moment
from ._laws import LawEngine
from ._likelihood import Likelihood, mean_outputs
from ._targets import embed_targets
from .structures import Structure

FloatArray = NDArray[np.float64]


class LossSums(NamedTuple):
    """Sums over rows: −w ln p, its gradient by the feature weights (q, d), and what computed ln Z."""

    loss: float
    gradient: FloatArray
    engine: str


class SpreadSums(NamedTuple):
    """Sums over rows that tell how far laws spread, with t_i the trace of the covariance C_i of row i.

    Attributes
    ----------
    covariance : ndarray of shape (d, d)
        Σ_i w_i C_i, whose trace is Σ_i w_i t_i.
    moment : ndarray of shape (q, q) or None
        Σ_i w_i t_i φ_i φ_iᵀ; None where the coordinates of the features stay.
    traces : float
        Σ_i t_i.
    n_rows : int
    """

    covariance: FloatArray
    moment: FloatArray | None
    traces: float
    n_rows: int


@dataclass(frozen=True)
class BlockLaws:
    """How blocks become rows of a likelihood. It is pickled to where they are.

    Attributes
    ----------
    structure : Structure
    engine : LawEngine
        Exact.
    intercept : bool
    n_threads : int
    """

    structure: Structure
    engine: LawEngine
    intercept: bool
    n_threads: int

    def prepared(self, block: Block) -> tuple[Likelihood, Any]:
        """Return the likelihood of the rows of positive weight, and their inputs."""
        targets = embed_targets(self.structure, block.y, flat_sets(block.y), block.weights, self.n_threads)
        psi, weights = mean_outputs(targets)
        X = block.X
        kept = np.flatnonzero(weights)
        if len(kept) < len(weights):
            psi, weights, X = psi[kept], weights[kept], X[kept]
        return Likelihood(self.structure, psi, weights, self.engine), X


def loss_sums(block: Block, how: BlockLaws, weights: FloatArray) -> LossSums:
    """Return what the rows of a block add to the loss and its gradient."""
    likelihood, X = how.prepared(block)
    return LossSums(*likelihood.gradient(InputRows(X, intercept=how.intercept), weights))


def add_losses(one: LossSums, other: LossSums) -> LossSums:
    return LossSums(one.loss + other.loss, one.gradient + other.gradient, one.engine or other.engine)


def spread_sums(block: Block, how: BlockLaws, weights: FloatArray) -> SpreadSums | None:
    """Return what the rows of a block add, None where laws cannot be drawn from or d is too large."""
    likelihood, X = how.prepared(block)
    found = drawn_spread(weights, InputRows(X, intercept=how.intercept), likelihood)
    if found is None:
        return None
    traces, covariance = found
    moves = len(weights) <= LARGEST_MOVED
    moment = second_moment(X, likelihood.weights * traces, how.intercept) if moves else None
    return SpreadSums(covariance, moment, float(traces.sum()), len(traces))


def add_spreads(one: SpreadSums | None, other: SpreadSums | None) -> SpreadSums | None:
    if one is None or other is None:
        return None
    moment = None if one.moment is None or other.moment is None else one.moment + other.moment
    return SpreadSums(one.covariance + other.covariance, moment, one.traces + other.traces, one.n_rows + other.n_rows)


@dataclass(frozen=True)
class BlockLoss:
    """The sum over the rows of all blocks of −w_i ln p, a function of feature weights (q, d).

    Attributes
    ----------
    blocks : BlockSource
    how : BlockLaws
    moment : ndarray of shape (q, q) or (q,)
        Second moment of the features, or its diagonal.
    total_weight : float
        Of all rows.
    output_curvature : UniformCurvature
    """

    blocks: BlockSource
    how: BlockLaws
    moment: FloatArray
    total_weight: float
    output_curvature: UniformCurvature
    _uniform: list[Curvature] = field(default_factory=list, init=False)

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        found = self.blocks.reduce(loss_sums, self.how, weights, merge=add_losses)
        return found.loss, found.gradient, found.engine

    def at_zero(self, alpha: float) -> Coordinates:
        inputs, outputs = self._inputs(), self.output_curvature
        scale = 1.0 / np.sqrt(2.0 * alpha + np.outer(inputs.curvature, outputs.values))
        return Coordinates(inputs.directions, outputs.vectors, scale)

    def at(self, weights: FloatArray, alpha: float) -> Coordinates | None:
        found = self.blocks.reduce(spread_sums, self.how, weights, merge=add_spreads)
        if found is None:
            return None
        total = float(np.trace(found.covariance))
        if total == 0.0:
            return None
        added = FLOOR * found.traces / found.n_rows
        if found.moment is None:
            inputs = self._inputs()
            moved = Curvature(inputs.curvature * (total / self.total_weight + added), inputs.directions)
        else:
            moved = diagonalised(found.moment + added * self.moment)
        return Coordinates.of_factors(found.covariance / total, moved, alpha)

    def _inputs(self) -> Curvature:
        """Return the second moment of the features, diagonalised once."""
        if not self._uniform:
            self._uniform.append(diagonalised(self.moment.copy()))
        return self._uniform[0]
