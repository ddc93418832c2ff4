"""Oracles of max-margin training, which find the outputs that violate a margin most.

A new oracle has the methods of `Oracle`, and any solver trains with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..._data.inputs import require_short_rows, square_norms
from ..._data.targets import TargetError
from ..._lib.arrays import FloatArray, IndexArray, row_blocks
from ..._lib.decode import Decoding
from ..._lib.errors import CapabilityError, RowError, renumbered
from ..._lib.loglinear import KernelFeatures
from ..._lib.maxmargin import AffineLoss
from ..._lib.ridge import Design, Targets
from ...structures import Structure
from ...structures.costs import loss_augmented
from ..sgd_learners import visited_rows
from ..training import TrainingRows, keep_dual, keep_weights, kernel_features, linear_scores

_ROUNDS = 40  # breakpoints looked at for a row; a handful is common
_PROVEN = 1e-9  # of the largest product: what is found and its bound agree


@dataclass(frozen=True)
class Blocks:
    r"""Blocks of the dual: rows of positive weight, a row of weight w being ⌈w⌉ blocks.

    A weight of 2 then is a row that comes twice in every respect, but for rounding in kernel matrices.

    Attributes
    ----------
    X : array or CSR of shape (m, q)
        Features.
    intercept : bool
        Whether a constant feature is added, as the last one.
    psi : ndarray of shape (m, d)
    weights : ndarray of shape (m,)
    rows : ndarray of shape (m,)
        The training row of each block.
    kernel : KernelFeatures or None
        Where the features are those of a kernel matrix, of the rows that are in any block.
    """

    X: Any
    intercept: bool
    psi: FloatArray
    weights: FloatArray
    rows: IndexArray
    kernel: KernelFeatures | None = None

    @classmethod
    def of(cls, model: Any, X: Any, targets: Targets, *, sort: bool = True) -> Blocks:
        """Return the blocks of checked training data; `model` has resolved its kernel.

        With `sort` their order depends on their contents alone.
        """
        visited = visited_rows(X, targets, sort=sort)
        rows, intercept, features, rows_of = visited.rows, bool(model.fit_intercept), X, visited.rows
        kernel = None
        if not model.kernel_.is_linear:
            kept, rows_of = np.unique(rows, return_inverse=True)
            given = X if len(kept) == X.shape[0] else X[kept]
            kernel = kernel_features(model, given, np.ones(len(kept)), kept)
            features, intercept = kernel.rows, False
        shared = visited.targets.weights
        weights = np.ones(len(rows)) if shared is None else shared[rows]
        blocks = cls(features[rows_of], intercept, targets.psi[rows], weights, rows, kernel)
        require_short_rows(blocks.square_norms(), rows)
        return blocks

    @property
    def n_weights(self) -> int:
        """Number of features, with the constant one."""
        return int(self.X.shape[1]) + int(self.intercept)

    def scores(self, weights: FloatArray, rows: IndexArray | slice = slice(None)) -> FloatArray:
        """Return the scores of some blocks, ``(k, d)``, for weights (q, d) of the features."""
        return linear_scores(self.X[rows], weights)

    def combined(self, coefficients: FloatArray) -> FloatArray:
        """Return the weights Σ_i φ_i a_iᵀ of the features, ``(q, d)``, for coefficients a (m, d) of the blocks."""
        weights = np.asarray(self.X.T @ coefficients)
        return np.vstack([weights, coefficients.sum(axis=0)]) if self.intercept else weights

    def add(self, weights: FloatArray, block: int, coefficient: FloatArray) -> None:
        """Add the features of one block times a coefficient (d,) to the weights (q, d)."""
        p = self.X.shape[1]
        weights[:p] += self.X[[block]].T @ coefficient[np.newaxis]
        weights[p:] += coefficient

    def square_norms(self) -> FloatArray:
        """Return the squared length of the features of each block, ``(m,)``."""
        return square_norms(self.X) + float(self.intercept)

    def design(self) -> Design:
        """Return the features as the library takes them."""
        return Design(self.X, intercept=self.intercept)

    def affine_loss(self, structure: Structure, cost: str) -> AffineLoss:
        """Return the losses of outputs against those of the blocks; TargetError where ψ of a row has no such loss."""
        try:
            return structure.space.loss(cost).affine(self.psi)
        except RowError as error:
            raise TargetError(int(self.rows[error.row]), error.reason) from None

    def require_complete(self, structure: Structure, remedy: str) -> None:
        """Raise TargetError for the first ranking known in part, whose mean of ψ is that of no ranking."""
        bad = (np.abs(self.psi) != 1.0).any(axis=1)
        if structure.space.entry_kind == "signs" and bad.any():
            raise TargetError(int(self.rows[bad].min()), f"the ranking is known in part, and {remedy}")

    def keep(self, model: Any, X: Any, coefficients: FloatArray) -> None:
        """Set the coefficients of `model`, trained on the rows of X, from those of the blocks (m, d)."""
        if self.kernel is None:
            keep_weights(model, self.combined(coefficients))
            return
        dual = np.zeros((X.shape[0], coefficients.shape[1]))
        np.add.at(dual, self.rows, coefficients)
        keep_dual(model, X, dual)

    def keep_weights(self, model: Any, X: Any, weights: FloatArray) -> None:
        """Set them from weights (q, d) of the features."""
        if self.kernel is None:
            keep_weights(model, weights)
            return
        dual = np.zeros((X.shape[0], weights.shape[1]))
        dual[np.unique(self.rows)] = self.kernel.dual(weights)
        keep_dual(model, X, dual)


def refuse_sets(model: Any, rows: TrainingRows) -> None:
    """Raise CapabilityError for rows of y that are sets of structures."""
    if rows.sets is not None:
        raise CapabilityError(
            f"{type(model).__name__} learns one structure for each row, and y holds Admissible sets: take one of each, "
            "or StructuredRidge or ProbabilisticStructured, which learn from sets"
        )


class Planes(NamedTuple):
    r"""For some rows a linear function :math:`\ell - \langle f, v\rangle` of their scores f, at most their hinge loss.

    Attributes
    ----------
    direction : ndarray of shape (k, d)
        v; :math:`\psi(y_i) - \psi(z)` for margin rescaling, the same times the loss for slack rescaling.
    offset : ndarray of shape (k,)
        ℓ, the loss :math:`\Delta(y_i, z)`.
    proven : ndarray of shape (k,), bool
        Whether the function is proven to be the hinge loss at the scores that it was asked for.
    """

    direction: FloatArray
    offset: FloatArray
    proven: NDArray[np.bool_]

    def values(self, scores: FloatArray) -> FloatArray:
        """Return the values at scores f of the same rows."""
        values: FloatArray = self.offset - np.einsum("ij,ij->i", scores, self.direction)
        return values


class Oracle(Protocol):
    """Protocol of oracles, which find the linear functions that make up the hinge losses of n rows of targets.

    Training needs nothing else of a problem, so that other losses and embeddings train by the same solvers.
    """

    def planes(self, rows: IndexArray, scores: FloatArray, step: int) -> Planes:
        """Return the largest functions at scores (k, d) of some rows; `step` chooses the random stream, if any."""


@dataclass(frozen=True)
class MarginOracle:
    """Margin rescaling by decoding with the loss added to the scores.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
    loss : AffineLoss
        Of the n rows.
    how : Decoding
    n_candidates : int
        If positive, the best of so many uniform outputs is taken instead of decoding.
    """

    structure: Structure
    psi: FloatArray
    loss: AffineLoss
    how: Decoding = field(default_factory=Decoding)
    n_candidates: int = 0

    def planes(self, rows: IndexArray, scores: FloatArray, step: int) -> Planes:
        loss, psi = self.loss.rows(rows), self.psi[rows]
        if self.n_candidates:
            found = self._best_candidates(loss, scores, step)
            offset, proven = loss.values(found), np.zeros(len(rows), dtype=np.bool_)
        else:
            how = replace(self.how, seed=self.how.seed + step)
            found, offset, decoded = loss_augmented(self.structure.space, loss, scores, how)
            proven = decoded.optimal
        return _at_least(Planes(psi - found, offset, proven), scores, loss.of_means(psi))

    def _best_candidates(self, loss: AffineLoss, scores: FloatArray, step: int) -> FloatArray:
        found = np.empty_like(scores)
        seed, d = (self.how.seed + step) % 2**63, scores.shape[1]
        for at in row_blocks(len(scores), self.n_candidates * d):
            some = loss.rows(at)
            parts = self.structure.space.sample(self.n_candidates * len(some.constant), seed + at.start)
            psi = self.structure.space.embed(parts, self.how.n_threads).reshape(-1, self.n_candidates, d)
            values = np.einsum("kcd,kd->kc", psi, scores[at] + some.gradient)
            if some.magnitude is not None:
                values += np.einsum("kcd,kd->kc", np.square(psi), some.magnitude)
            found[at] = psi[np.arange(len(psi)), values.argmax(axis=1)]
        return found


@dataclass(frozen=True)
class ListingOracle:
    """Either rescaling and any loss, by a list of ψ of all outputs.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Of complete outputs.
    members : ndarray of shape (N, d)
    cost : str
    slack : bool
        Slack rescaling instead of margin rescaling.
    """

    structure: Structure
    psi: FloatArray
    members: FloatArray
    cost: str
    slack: bool

    def planes(self, rows: IndexArray, scores: FloatArray, step: int) -> Planes:
        at, offset = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        own = np.einsum("ij,ij->i", scores, self.psi[rows])
        for some in row_blocks(len(rows), self.members.size):
            psi = self.psi[rows[some], np.newaxis]
            losses = self.structure.space.loss(self.cost).between(psi, self.members[np.newaxis])
            margins = own[some, np.newaxis] - scores[some] @ self.members.T
            values = losses * (1.0 - margins) if self.slack else losses - margins
            best = values.argmax(axis=1)
            at[some], offset[some] = best, losses[np.arange(len(best)), best]
        direction = self.psi[rows] - self.members[at]
        if self.slack:
            direction *= offset[:, np.newaxis]
        proven = np.ones(len(rows), dtype=np.bool_)
        return _at_least(Planes(direction, offset, proven), scores, np.zeros(len(rows)))


def _at_least(planes: Planes, scores: FloatArray, least: FloatArray) -> Planes:
    """Return the planes, where they are below what y itself gives, that: a constant, 0 but for means of outputs."""
    below = planes.values(scores) < least
    direction, offset = planes.direction, planes.offset
    direction[below] = 0.0
    return Planes(direction, np.where(below, least, offset), planes.proven)


@dataclass(frozen=True)
class SlackOracle:
    r"""Searches for the output z of largest :math:`\Delta(y, z) (1 - \langle f, \psi(y) - \psi(z)\rangle)`.

    Of the pairs a = Δ(y, z) and b = 1 − ⟨f, ψ(y) − ψ(z)⟩ that outputs have, decoding with the loss added μ times finds
    one of largest F(μ) = max μ a + b. The weights μ where F has its corners lead along the upper hull of all pairs
    (Sarawagi and Gupta, 2008, "Accurate max-margin training for structured output spaces", search so for a loss divided
    by the margin). As :math:`ab \le (\mu a + b)^2 / 4\mu` for b ≥ 0, every product is at most
    :math:`\min_\mu F(\mu)^2 / 4 \mu`; the best pair met is proven best where it reaches that bound. Where it lies
    inside the hull, it may be missed.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Of complete outputs.
    loss : AffineLoss
        Of the n rows.
    how : Decoding
    """

    structure: Structure
    psi: FloatArray
    loss: AffineLoss
    how: Decoding = field(default_factory=Decoding)

    def planes(self, rows: IndexArray, scores: FloatArray, step: int) -> Planes:
        search = _Search(self, rows, scores, step)
        search.run()
        direction = (self.psi[rows] - search.psi) * search.loss[:, np.newaxis]
        value = search.loss * search.slack
        proven = search.exact & (value >= search.bound - _PROVEN * np.maximum(1.0, search.bound))
        return Planes(direction, search.loss, proven)


class _Search:
    """The search for some rows at once.

    `psi`, `loss` and `slack` are of the best pairs so far, y itself with loss 0 to begin with; `bound` is on all.
    """

    def __init__(self, oracle: SlackOracle, rows: IndexArray, scores: FloatArray, step: int) -> None:
        self._oracle, self._rows, self._scores = oracle, rows, scores
        self._how = replace(oracle.how, seed=oracle.how.seed + step)
        self._own = np.einsum("ij,ij->i", scores, oracle.psi[rows])
        n = len(rows)
        self.psi, self.loss, self.slack = oracle.psi[rows].copy(), np.zeros(n), np.ones(n)
        self.bound, self.exact = np.full(n, np.inf), np.ones(n, dtype=np.bool_)

    def run(self) -> None:
        every = np.arange(len(self._rows))
        low = self._decoded(every, np.zeros(len(every)))  # largest b
        high = self._decoded(every, np.full(len(every), np.inf))  # largest a
        for _ in range(_ROUNDS):
            rise, fall = high[0] - low[0], low[1] - high[1]
            # A pair that is largest in both has the largest product.
            both = (rise <= 0) | (fall <= 0)
            done = every[both]
            self.bound[done] = np.minimum(self.bound[done], np.maximum(self.loss * self.slack, 0.0)[done])
            every, low, high = every[~both], (low[0][~both], low[1][~both]), (high[0][~both], high[1][~both])
            if not len(every):
                return
            weight = (fall / np.where(rise > 0, rise, 1.0))[~both]
            loss, slack = self._decoded(every, weight)
            value, chord = weight * loss + slack, weight * low[0] + low[1]
            self.bound[every] = np.minimum(self.bound[every], np.square(np.maximum(value, 0.0)) / (4 * weight))
            corner = value > chord + 1e-12 * np.maximum(1.0, np.abs(chord))
            # Between its neighbours a pair is largest at its own b/a, where the bound is its product.
            for (a, b), inside in ((low, weight * low[0] >= low[1]), (high, weight * high[0] <= high[1])):
                tight = ~corner & inside
                self.bound[every[tight]] = np.minimum(self.bound[every[tight]], (a * b)[tight])
            every, weight, loss, slack = every[corner], weight[corner], loss[corner], slack[corner]
            left = weight * loss < slack
            low = np.where(left, loss, low[0][corner]), np.where(left, slack, low[1][corner])
            high = np.where(left, high[0][corner], loss), np.where(left, high[1][corner], slack)

    def _decoded(self, at: IndexArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (a, b) of the pairs of largest weight · a + b, or of largest a for infinity, and keep the best."""
        oracle, scores = self._oracle, self._scores[at]
        if not len(at):
            return np.empty(0), np.empty(0)
        infinite = bool(np.isinf(weight[0]))
        factor = np.ones(len(at)) if infinite else weight
        loss = oracle.loss.rows(self._rows[at])
        weighted = AffineLoss(
            factor * loss.constant, factor[:, np.newaxis] * loss.gradient,
            None if loss.magnitude is None else factor[:, np.newaxis] * loss.magnitude, loss.checked,
        )  # fmt: skip
        with renumbered(at):
            found = loss_augmented(
                oracle.structure.space, weighted, np.zeros_like(scores) if infinite else scores, self._how
            )
        a = loss.values(found.psi)
        b = 1.0 - self._own[at] + np.einsum("ij,ij->i", scores, found.psi)
        better = a * np.maximum(b, 0.0) > self.loss[at] * np.maximum(self.slack[at], 0.0)
        chosen = at[better]
        self.psi[chosen], self.loss[chosen], self.slack[chosen] = found.psi[better], a[better], b[better]
        self.exact[at] &= found.decoded.optimal
        return a, b
