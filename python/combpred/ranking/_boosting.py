"""Rounds of parallel boosting: all weights of a log-linear label ranker at once, with a sure decrease of its loss."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._lib.arrays import FloatArray, require_memory
from .._lib.errors import NumericalError
from ._edges import Edges

_LONGEST_STEP = 10.0  # of a weight that nothing speaks against, in units of its factor: e^−10 of the loss is left
_REPORT_ROUNDS = 100
WINDOW = 10  # rounds over which the decrease is measured: that of a single one varies with its relaxation
_RELAXATION_GROWTH = 1.5  # adaptive overrelaxation (Salakhutdinov & Roweis 2003)


class Boosting(Protocol):
    """Base functions as boosting sees them: an array of weights, and for each edge e and weight j a number a_ej."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the weights."""

    @property
    def factors(self) -> FloatArray:
        """ρ, which broadcasts to `shape`: Σ_j ρ_j |a_ej| <= 1 for all edges."""

    def margins(self, weights: FloatArray) -> FloatArray:
        """Return Σ_j a_ej weights_j for all edges."""

    def pulls(self, pressure: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Σ_e pressure_e max(0, a_ej) and Σ_e pressure_e max(0, −a_ej), of `shape`."""


class FeatureFunctions:
    """Each feature for each label as a base function: a is x_j at the edge's winner and −x_j at its loser."""

    def __init__(self, X: Any, edges: Edges, n_labels: int, fit_intercept: bool) -> None:
        if fit_intercept:
            ones = np.ones((X.shape[0], 1))
            X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        self._X, self._edges, self._n_labels = X, edges, n_labels
        self._positive, self._negative = _parts(X)
        self.shape = (X.shape[1], n_labels)
        size = abs(X)
        largest = size.max(axis=0)
        largest = np.asarray(largest.toarray() if sparse.issparse(largest) else largest).ravel()
        units = 1.0 / np.where(largest > 0, largest, 1.0)
        sums = np.asarray(size @ units).ravel()[edges.row]  # of a row without edges there is no constraint
        self.factors = (units / max(2.0 * sums.max(), np.finfo(float).tiny))[:, np.newaxis]

    def margins(self, weights: FloatArray) -> FloatArray:
        scores = self._X @ weights
        margins: FloatArray = scores[self._edges.row, self._edges.winner] - scores[self._edges.row, self._edges.loser]
        return margins

    def pulls(self, pressure: FloatArray) -> tuple[FloatArray, FloatArray]:
        won, lost = (self._by_label(pressure, label) for label in (self._edges.winner, self._edges.loser))
        with_edge = self._positive.T @ won
        against = self._positive.T @ lost
        if self._negative is not None:
            with_edge += self._negative.T @ lost
            against += self._negative.T @ won
        return with_edge, against

    def _by_label(self, pressure: FloatArray, label: NDArray[np.intp]) -> FloatArray:
        n = self._X.shape[0]
        cell = self._edges.row * self._n_labels + label
        cells = np.bincount(cell, weights=pressure, minlength=n * self._n_labels)
        return cells.reshape(n, self._n_labels).astype(np.float64, copy=False)


class BaseRankers:
    """Functions that score all labels, from their scores (n, k, J)."""

    def __init__(self, scores: FloatArray, edges: Edges) -> None:
        m, n_rankers = len(edges.row), scores.shape[2]
        require_memory(24 * m * n_rankers, f"{m} preferences by {n_rankers} base rankers", "train on fewer rows")
        self._a = scores[edges.row, edges.winner] - scores[edges.row, edges.loser]
        self._positive, self._negative = _parts(self._a)
        self.shape = (n_rankers,)
        size = np.abs(self._a)
        largest = size.max(axis=0)
        units = 1.0 / np.where(largest > 0, largest, 1.0)
        self.factors = units / max((size @ units).max(), np.finfo(float).tiny)

    def margins(self, weights: FloatArray) -> FloatArray:
        margins: FloatArray = self._a @ weights
        return margins

    def pulls(self, pressure: FloatArray) -> tuple[FloatArray, FloatArray]:
        against = np.zeros(self.shape) if self._negative is None else self._negative.T @ pressure
        return self._positive.T @ pressure, against


class Rounds(NamedTuple):
    """What boosting found, and the losses and sure decreases on the way."""

    weights: FloatArray
    losses: list[float]
    bounds: list[float]
    converged: bool


def boost(base: Boosting, edges: Edges, alpha: float, min_gain: float, max_iter: int, verbose: int = 0) -> Rounds:
    """Minimise the loss of `log_loss` plus the penalty 2α Σ ln cosh(λ/2), from zero weights.

    Ends when the last `WINDOW` rounds have lowered it by at most `min_gain` times its value.
    NumericalError when the numbers overflow.
    """
    weights = np.zeros(base.shape)
    factors = np.minimum(base.factors, 1.0) if alpha > 0 else base.factors  # the penalty's edges have |a| = 1
    loss, pressure = log_loss(base.margins(weights), edges)
    losses, relaxation = [loss], 1.0
    bounds: list[float] = []
    while len(bounds) < max_iter:
        with_edge, against = base.pulls(pressure)
        # The penalty is that of two edges with a = ±1, α each; its value at 0 is left out.
        up = factors * (with_edge + alpha * _sigmoid(-weights))
        down = factors * (against + alpha * _sigmoid(weights))
        step = _steps(up, down)
        bounds.append(float((up * -np.expm1(-step) - down * np.expm1(step)).sum()))
        # A longer step along the same line is taken where it lowers the loss by what is sure of the step itself.
        while True:
            moved = weights + relaxation * factors * step
            loss, pressure = log_loss(base.margins(moved), edges)
            loss += _penalty(moved, alpha)
            if relaxation == 1.0 or losses[-1] - loss >= bounds[-1]:
                break
            relaxation = 1.0
        weights, relaxation = moved, relaxation * _RELAXATION_GROWTH
        losses.append(loss)
        if not np.isfinite(loss):
            raise NumericalError("the scores overflow: scale the features, or raise alpha")
        if verbose > 0 and len(bounds) % _REPORT_ROUNDS == 0:
            sys.stderr.write(f"[combpred] boosting: round {len(bounds)}, objective {loss:.6g}\n")
        if loss == 0.0 or len(losses) > WINDOW and losses[-1 - WINDOW] - loss <= min_gain * loss:
            return Rounds(weights, losses, bounds, True)
    return Rounds(weights, losses, bounds, False)


def log_loss(margins: FloatArray, edges: Edges) -> tuple[float, FloatArray]:
    """Return Σ over subgraphs of weight times ln(1 + Σ_e exp(−margin_e)), and its derivative by each −margin."""
    largest = np.maximum(np.maximum.reduceat(-margins, edges.starts), 0.0)
    shifted = np.exp(-margins - np.repeat(largest, edges.sizes))
    total = np.exp(-largest) + np.add.reduceat(shifted, edges.starts)
    loss = float(edges.weights @ (largest + np.log(total)))
    return loss, shifted * np.repeat(edges.weights / total, edges.sizes)


def _steps(up: FloatArray, down: FloatArray) -> FloatArray:
    """Return ½ ln(up/down), bounded where one of them is far smaller than the other; 0 where both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        step = 0.5 * np.log(up / down)
    step[np.isnan(step)] = 0.0
    return np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)


def _sigmoid(values: FloatArray) -> FloatArray:
    return 0.5 * (1.0 + np.tanh(0.5 * values))


def _penalty(weights: FloatArray, alpha: float) -> float:
    half = 0.5 * np.abs(weights)
    return float(2.0 * alpha * (half + np.log1p(np.exp(-2.0 * half)) - np.log(2.0)).sum())


def _parts(values: Any) -> tuple[Any, Any]:
    """Return the positive and the negative part of a matrix, None for the latter when nothing is negative."""
    if sparse.issparse(values):
        if not (values.data < 0).any():
            return values, None
        return values.maximum(0).tocsr(), (-values.minimum(0)).tocsr()
    if not (values < 0).any():
        return values, None
    return np.maximum(values, 0.0), np.maximum(-values, 0.0)
