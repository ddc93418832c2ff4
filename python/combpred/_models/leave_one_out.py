"""Leave-one-out without refitting: scores of rows left out, and how they are judged."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._lib.arrays import FloatArray
from .._lib.ridge import left_out_scores, solve
from ..metrics import get_scorer
from ..structures import RowConstraints
from .ridge import StructuredRidge, training_kernel


class LeaveOut:
    """The closed form of a model on some rows, and its scores of each row without that row.

    Parameters
    ----------
    model : StructuredRidge
        Not fitted; its structure is resolved on these rows.
    X, y, weights
        As its ``fit`` takes them.
    constraints : dict, list or None
        On predictions for these rows.

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Of ψ under the uniform distribution.
    scores : dict of int to float
        Of the penalties that were tried, by number.
    """

    def __init__(self, model: StructuredRidge, X: Any, y: Any, weights: Any, constraints: Any) -> None:
        self.rows, problem = model._prepare(X, y, weights)
        space = model.structure_.space
        self.held = None if constraints is None else RowConstraints(space, constraints, problem.n)
        self.problem = problem.with_options(solver="closed-form")
        self._plan = self.problem.plan(0, problem.n**2)
        self.mean = model.structure_.mean()
        # The linear kernel takes the same n×n route, however few its features: leaving rows out needs the diagonal of
        # the inverse of an n×n matrix that is not of low rank. Where that does not fit, folds need no such matrix.
        self._begin(model, training_kernel(model.kernel_, self.rows.X, self._plan, loo="_loo"))

    def _begin(self, model: StructuredRidge, kernel: FloatArray) -> None:
        self.model, self._kernel = model, kernel
        self.scores: dict[int, float] = {}
        self._left_out = np.zeros((0, 0))

    def under(self, model: StructuredRidge) -> LeaveOut:
        """Return the same for another model of the same structure and loss, which differs in its kernel."""
        other = copy(self)
        take_fit(model, self.model)
        model.kernel_ = model._kernel_of(self.rows)
        other._begin(model, model.kernel_.matrix(self.rows.X))  # there was memory for as much before
        return other

    @property
    def best(self) -> int:
        """The number of the penalty with the best score, of several the first."""
        return max(self.scores, key=lambda number: (self.scores[number], -number))

    @property
    def score(self) -> float:
        """The best score."""
        return self.scores[self.best]

    def try_penalties(self, penalties: dict[int, float], scoring: str, tell: Callable[[str], None]) -> None:
        """Add the scores of penalties, by number, tell of them, and keep what the best one says of rows left out."""
        tried = left_out_scores(self.problem, self._kernel, list(penalties.values()))
        for (number, alpha), left_out in zip(penalties.items(), tried, strict=True):
            score = judge(self, left_out, scoring)
            gamma = "" if self.model.gamma is None else f", gamma={self.model.kernel_.gamma:.4g}"
            where = f"kernel={self.model.kernel!r}{gamma}, loss={self.model.loss_!r}, alpha={alpha:g}"
            if not np.isfinite(score):
                raise ValueError(f"scoring gave {score} at {where}, must be a finite number")
            tell(f"{where}: leave-one-out score {score:.6g}")
            self.scores[number] = float(score)
            if self.best == number:
                self._left_out = left_out

    def train(self, alpha: float) -> FloatArray:
        """Fit the model with the best penalty, which is `alpha`, and return the scores of rows left out."""
        self.model.set_params(alpha=alpha)
        solution = solve(self.problem.with_options(alpha=alpha), self._kernel, self._plan)
        self.model._keep_solution(solution, self.rows.X)
        if self.model.decision_ == "f1":
            self.model._choose_threshold(self._left_out, self.problem.targets)
        return self._left_out


def judge(leave: LeaveOut, scores: FloatArray, scoring: str) -> float:
    """Return how good scores of rows left out are, larger for better ones.

    `scoring` is "explained", the share of the variance of ψ, which the loss "squared" estimates; "threshold", the F1 of
    the threshold chosen; "metric", the structure's own; or the name of another metric.
    """
    model, targets = leave.model, leave.problem.targets
    reached = model._choose_threshold(scores, targets) if model.decision_ == "f1" else 0.0
    if scoring == "threshold":
        return reached
    if scoring == "explained":
        return explained(targets.psi, scores + leave.mean, targets.weights)
    scorer = None if scoring == "metric" else get_scorer(scoring)
    if scorer is not None and scorer.takes_scores:
        return scorer.judge(model.structure_, leave.rows.y, model._decision(scores), targets.weights)
    decoded = model._decode_scores(scores, model._decoding(), leave.held)
    predicted = model.structure_.space.decode_parts(decoded.y)
    if scorer is None:
        return float(model.structure_.score(leave.rows.y, predicted, targets.weights))
    return scorer.judge(model.structure_, leave.rows.y, predicted, targets.weights)


def explained(psi: FloatArray, expected: FloatArray, weights: FloatArray | None) -> float:
    """Return the share of the variance of ψ that expectations explain; minus the mean squared distance without any."""
    share = np.full(len(psi), 1.0 / len(psi)) if weights is None else weights / weights.sum()
    distance = float(share @ np.square(psi - expected).sum(axis=1))
    variance = float(share @ np.square(psi - share @ psi).sum(axis=1))
    constant = variance <= 1e-20 * float(share @ np.square(psi).sum(axis=1))  # but for rounding
    return -distance if constant else 1.0 - distance / variance


def take_fit(model: BaseEstimator, fitted: BaseEstimator) -> None:
    """Take the fitted attributes of another estimator."""
    vars(model).update({k: v for k, v in vars(fitted).items() if k.endswith("_") and not k.startswith("_")})
