"""Maximum likelihood over rows that are read in blocks, one in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..._data.blocks import Block, BlockSource
from ..._lib.arrays import FloatArray
from ..._lib.ridge import Targets
from ...sampling.engines import TRAINING_EVALUATIONS, Engine, engine_of, resolve_method
from ..rows import BlockRows
from ..training import EarlierFit, keep_weights, require_linear, resolve_from_blocks, source_of
from .features import LARGEST_GRAM, LARGEST_MOVED, Curvature, InputFeatures, diagonalised, second_moment
from .lbfgs import maximise_likelihood, warn_unless_maximal
from .likelihood import FLOOR, Likelihood, Preconditioner, UniformCurvature, drawn_spread, mean_outputs


class LossSums(NamedTuple):
    """Sums over rows: −w ln p, its gradient by the feature weights (q, d), and what computed ln Z."""

    loss: float
    gradient: FloatArray
    inference: str


class SpreadSums(NamedTuple):
    """Sums over rows of the covariances C_i of their distributions, with t_i the trace of C_i.

    Attributes
    ----------
    covariance : ndarray of shape (d, d)
        Σ_i w_i C_i, whose trace is Σ_i w_i t_i.
    moment : ndarray of shape (q, q) or None
        Σ_i w_i t_i φ_i φ_iᵀ; None where the preconditioner of the features stays.
    traces : float
        Σ_i t_i.
    n_rows : int
    """

    covariance: FloatArray
    moment: FloatArray | None
    traces: float
    n_rows: int


@dataclass(frozen=True)
class BlockLikelihoods:
    """How blocks become rows of likelihoods. It is pickled to where they are.

    Attributes
    ----------
    rows : BlockRows
    engine : Engine
        Exact.
    intercept : bool
    """

    rows: BlockRows
    engine: Engine
    intercept: bool

    def likelihoods(self, block: Block, *, check: bool = False) -> Iterator[tuple[Likelihood, Any]]:
        """Yield the likelihoods of some rows of positive weight at a time, with their inputs.

        With `check` rows are checked, which the first pass does.
        """
        for part in self.rows.batches(block, check=check):
            psi = part.psi.toarray() if sparse.issparse(part.psi) else part.psi
            psi, weights = mean_outputs(Targets(psi, part.weights, part.first))
            X, kept = part.X, np.flatnonzero(weights)
            if len(kept) < len(weights):
                psi, weights, X = psi[kept], weights[kept], X[kept]
            yield Likelihood(self.rows.structure, psi, weights, self.engine), X


def loss_sums(block: Block, how: BlockLikelihoods, weights: FloatArray) -> LossSums:
    """Return the contribution of a block to the loss and its gradient."""
    loss, gradient, inference = 0.0, np.zeros(weights.shape), ""
    for likelihood, X in how.likelihoods(block):
        loss_, gradient_, inference = likelihood.gradient(InputFeatures(X, intercept=how.intercept), weights)
        loss += loss_
        gradient += gradient_
    return LossSums(loss, gradient, inference)


def add_losses(one: LossSums, other: LossSums) -> LossSums:
    return LossSums(one.loss + other.loss, one.gradient + other.gradient, one.inference or other.inference)


def spread_sums(block: Block, how: BlockLikelihoods, weights: FloatArray) -> SpreadSums | None:
    """Return the contribution of a block, None where nothing can be drawn or d is too large."""
    d, moves = weights.shape[1], len(weights) <= LARGEST_MOVED
    sums: SpreadSums | None = SpreadSums(np.zeros((d, d)), np.zeros((len(weights),) * 2) if moves else None, 0.0, 0)
    for likelihood, X in how.likelihoods(block):
        found = drawn_spread(weights, InputFeatures(X, intercept=how.intercept), likelihood)
        if found is None:
            return None
        traces, covariance = found
        moment = second_moment(X, likelihood.weights * traces, how.intercept) if moves else None
        sums = add_spreads(sums, SpreadSums(covariance, moment, float(traces.sum()), len(traces)))
    return sums


def add_spreads(one: SpreadSums | None, other: SpreadSums | None) -> SpreadSums | None:
    if one is None or other is None:
        return None
    moment = None if one.moment is None or other.moment is None else one.moment + other.moment
    return SpreadSums(one.covariance + other.covariance, moment, one.traces + other.traces, one.n_rows + other.n_rows)


class MomentSums(NamedTuple):
    """Sums over rows from which the first preconditioner is computed.

    Attributes
    ----------
    moment : ndarray of shape (q, q) or (q,)
        Σ_i w_i φ_i φ_iᵀ, or its diagonal.
    weight : float
        Σ_i w_i.
    n_rows : int
        Of positive weight.
    squares : float
        Σ_i ‖ψ_i − μ‖².
    """

    moment: FloatArray
    weight: float
    n_rows: int
    squares: float


def moment_sums(block: Block, how: BlockLikelihoods) -> MomentSums:
    """Return the contribution of a block."""
    q = how.rows.n_features + int(how.intercept)
    sums = MomentSums(np.zeros((q, q) if q <= LARGEST_GRAM else q), 0.0, 0, 0.0)
    mean = how.rows.structure.mean()
    for likelihood, X in how.likelihoods(block, check=True):
        weights, squares = likelihood.weights, float(np.square(likelihood.psi - mean).sum())
        moment = second_moment(X, weights, how.intercept)
        sums = add_moments(sums, MomentSums(moment, float(weights.sum()), len(weights), squares))
    return sums


def add_moments(one: MomentSums, other: MomentSums) -> MomentSums:
    return MomentSums(
        one.moment + other.moment, one.weight + other.weight, one.n_rows + other.n_rows, one.squares + other.squares
    )


class BlockLoss:
    """The sum over the rows of all blocks of −w_i ln p, a function of feature weights (q, d).

    Parameters
    ----------
    blocks : BlockSource
    how : BlockLikelihoods

    Notes
    -----
    Making one, each evaluation, and a preconditioner away from zero cost one pass over the blocks.
    """

    def __init__(self, blocks: BlockSource, how: BlockLikelihoods) -> None:
        self._blocks, self._how = blocks, how
        self._sums = blocks.reduce(moment_sums, how, merge=add_moments)
        if self._sums.weight == 0.0:
            raise ValueError("sample_weight is zero in every row: at least one weight must be positive")
        self.n_rows = self._sums.n_rows
        self._inputs = diagonalised(self._sums.moment.copy())

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        found = self._blocks.reduce(loss_sums, self._how, weights, merge=add_losses)
        return found.loss, found.gradient, found.inference

    def at_zero(self, alpha: float) -> Preconditioner:
        structure = self._how.rows.structure
        variance = self._sums.squares / (self._sums.n_rows * structure.n_features)
        outputs = UniformCurvature.of_variance(structure, variance)
        return Preconditioner.of_curvatures(self._inputs, outputs, alpha)

    def at(self, weights: FloatArray, alpha: float) -> Preconditioner | None:
        found = self._blocks.reduce(spread_sums, self._how, weights, merge=add_spreads)
        total = 0.0 if found is None else float(np.trace(found.covariance))
        if found is None or total == 0.0:
            return None
        added = FLOOR * found.traces / found.n_rows
        if found.moment is None:
            factor = total / self._sums.weight + added
            moved = Curvature(factor * self._inputs.curvature, self._inputs.directions)
        else:
            moved = diagonalised(found.moment + added * self._sums.moment)
        return Preconditioner.of_factors(found.covariance / total, moved, alpha)


def fit_over_blocks(model: Any, blocks: Any, classes: Any = None, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood of the rows of blocks, or of a source of them, and set the fitted attributes of `model`.

    It starts from the weights of an earlier fit, if there is one.
    """
    require_linear(model)
    if model.solver == "sgd":
        raise ValueError(
            "training on blocks needs solver='auto' or 'lbfgs', got solver='sgd': call partial_fit on one block after "
            "another"
        )
    source = source_of(blocks)
    remedy = resolve_from_blocks(model, source, classes)
    model._check_capabilities()
    engine = engine_of(model, "exact")
    engine.check()
    rows = BlockRows.of_model(model, remedy=remedy)
    # How much work there is the first pass tells, which takes nothing from the engine.
    loss = BlockLoss(source, BlockLikelihoods(rows, engine, bool(model.fit_intercept)))
    _require_exact(model, loss.n_rows)
    if earlier is not None:
        earlier.require_match(model, loss.n_rows)
    start = None if earlier is None else earlier.input_weights(intercept=model.fit_intercept)
    found = maximise_likelihood(
        loss, start, alpha=float(model.alpha), tol=float(model.tol), max_iter=int(model.max_iter),
        label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    keep_weights(model, found.weights)
    model.solver_ = "lbfgs"
    model.objective_ = found.objective
    model.n_iter_ = max(found.n_iter, 1)
    model.inference_ = found.inference
    warn_unless_maximal(found, float(model.tol))


def _require_exact(model: Any, n: int) -> None:
    """Raise ValueError unless inference is exact for n rows."""
    method = resolve_method(model.inference, model.structure_, n, min(int(model.max_iter), TRAINING_EVALUATIONS))
    if method != "exact":
        why = "" if model.inference == method else ", which inference='auto' takes for so much work"
        raise ValueError(
            f"training on blocks takes exact partition functions, not those of inference={method!r}{why}: set "
            "inference='exact', or call partial_fit with solver='sgd' on one block after another"
        )
