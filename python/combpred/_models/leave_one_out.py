"""Leave-one-out without refitting: scores of rows left out, and how they are judged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import f1_score, get_scorer
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from .._lib.arrays import FloatArray
from .advice import alternatives
from .dual import left_out_scores, solve
from .ridge import StructuredRidge, keep, training_kernel

_PROBABILITIES = ("predict_proba", "predict_log_proba")


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
    """

    def __init__(self, model: StructuredRidge, X: Any, y: Any, weights: Any, constraints: Any) -> None:
        self.model, self.X, self.y = model, X, y
        self.inputs, problem = model._validate_training(X, y, weights)
        space = model.structure_.space
        self._held = None if constraints is None else space.restricted(constraints, problem.n)
        self.problem = problem.with_options(solver="closed-form")
        n = problem.n
        self._plan = self.problem.plan(0, n * n)
        # The linear kernel takes the same n×n route, however few its features: leaving rows out needs the diagonal of
        # the inverse of an n×n matrix that is not of low rank. Where that does not fit, folds need no such matrix.
        self._kernel = training_kernel(
            model, self.inputs, self._plan, partial(_advice, model, n, self.inputs.shape[1]), loo="_loo"
        )

    def judged(self, alphas: list[float], judge: Judge) -> list[float]:
        """Return the score of each penalty."""
        found = []
        for alpha, scores in zip(alphas, left_out_scores(self.problem, self._kernel, alphas), strict=True):
            score = judge(self, scores)
            gamma = "" if self.model.gamma is None else f", gamma={self.model.kernel_.gamma:.4g}"
            where = f"kernel={self.model.kernel!r}{gamma}, loss={self.model.loss_!r}, alpha={alpha:g}"
            if not np.isfinite(score):
                raise ValueError(f"scoring gave {score} at {where}, must be a finite number")
            if self.model.verbose:
                print(f"[StructuredRidgeCV] {where}: leave-one-out score {score:.6g}", file=sys.stderr)
            found.append(float(score))
        return found

    def predicted(self, scores: FloatArray) -> Any:
        """Return the predictions from scores, under the constraints of the rows."""
        decoded = self.model._decode_scores(scores, self.model._decoding(), self._held)
        return self.model.structure_.space.decode_parts(decoded.y)

    def train(self, alpha: float) -> FloatArray:
        """Fit the model with a penalty, and return the scores of rows left out."""
        (left_out,) = left_out_scores(self.problem, self._kernel, [alpha])
        problem = self.problem.with_options(alpha=alpha)
        self.model.set_params(alpha=alpha)
        keep(self.model, self.inputs, solve(problem, self._kernel, self._plan))
        if self.model.decision_ == "f1":
            self.model.choose_threshold(left_out, problem.targets)
        return left_out


@dataclass(frozen=True)
class Judge:
    """How scores of rows left out are judged.

    Attributes
    ----------
    scoring : str, callable or None
        As `StructuredRidgeCV` takes it.
    by_f1 : bool
        Whether thresholds are chosen, which F1 judges where `scoring` is None.
    by_distance : bool
        Whether, without `scoring`, the distance of ψ from its expectation judges, which the loss "squared" estimates.
    """

    scoring: str | Callable[..., float] | None
    by_f1: bool
    by_distance: bool

    def __call__(self, leave: LeaveOut, scores: FloatArray) -> float:
        """Return a score, larger for better ones."""
        model, targets = leave.model, leave.problem.targets
        reached = model.choose_threshold(scores, targets) if self.by_f1 else None
        if self.scoring is None and reached is not None:
            return reached
        if self.scoring is None and self.by_distance:
            return explained(targets.psi, scores + model.structure_.mean(), targets.weights)
        predicted = leave.predicted(scores)
        if self.scoring in (None, "metric"):
            return float(model.structure_.score(leave.y, predicted, targets.weights))
        X, y, decision = leave.X, leave.y, model._decision(scores)
        if targets.weights is not None:  # rows of weight 0 are left out, of the score as well
            rows = np.flatnonzero(targets.weights)
            X, y, predicted, decision = (_safe_indexing(each, rows) for each in (X, y, predicted, decision))
        left_out = _LeftOut(model, predicted, decision)
        try:
            return float(get_scorer(self.scoring)(left_out, X, y))  # a callable is returned as it is
        except AttributeError as error:
            refuse_scoring(self.scoring, left_out.missing, error)
            raise


def explained(psi: FloatArray, expected: FloatArray, weights: FloatArray | None) -> float:
    """Return the share of the variance of ψ that expectations explain; minus the mean squared distance without any."""
    share = np.full(len(psi), 1.0 / len(psi)) if weights is None else weights / weights.sum()
    distance = float(share @ np.square(psi - expected).sum(axis=1))
    variance = float(share @ np.square(psi - share @ psi).sum(axis=1))
    return 1.0 - distance / variance if variance > 0 else -distance


def mean_f1(estimator: Any, X: Any, y: Any) -> float:
    """Return the mean F1 of the rows of predicted label sets, as a scorer."""
    return float(f1_score(y, estimator.predict(X), average="samples", zero_division=1))


def _advice(model: StructuredRidge, n: int, p: int) -> str:
    if model.kernel == "linear":
        return "fit fewer rows, or choose alpha by folds (cv=5) with solver='primal', which need no kernel matrix"
    return alternatives(model.kernel, n, p, model.structure_.n_features, model.loss_)


def refuse_scoring(scoring: Any, missing: Sequence[str], error: AttributeError) -> None:
    """Raise ValueError if `error` is about a method that scoring asked of a model and did not find."""
    for name in _PROBABILITIES:
        if name in str(error):
            raise ValueError(
                f"scoring={scoring!r} needs {name}, which structured models do not have: take a scorer of predictions "
                "or of decision_function, or None for the structure's own metric"
            ) from error
    for name in missing:
        if name in str(error):
            raise ValueError(
                f"scoring={scoring!r} needs {name}, and leave-one-out has only predict and decision_function: take "
                "folds (cv=5), or another scorer"
            ) from error


class _LeftOut(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The leave-one-out predictions of the training rows, dressed as an estimator for scikit-learn's scorers."""

    def __init__(self, model: StructuredRidge, predicted: Any, decision: FloatArray) -> None:
        self.model = model
        self.predicted = predicted
        self.decision = decision
        self.missing: list[str] = []
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            self.__dict__.setdefault("missing", []).append(name)
        raise AttributeError(f"leave-one-out predictions have no {name}")

    @property
    def _estimator_type(self) -> str:
        return self.model._estimator_type

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        check_consistent_length(X, self.decision)
        return self.predicted

    def decision_function(self, X: Any) -> FloatArray:
        check_consistent_length(X, self.decision)
        return self.decision
