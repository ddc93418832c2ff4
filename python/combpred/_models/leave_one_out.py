"""Leave-one-out without refitting: scores of rows left out, and how they are judged."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import f1_score, get_scorer, get_scorer_names
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from .._lib.arrays import FloatArray
from .._lib.ridge import left_out_scores, solve
from ..metrics import get_scorer as get_structured_scorer
from ..metrics import get_scorer_names as get_structured_names
from .advice import alternatives
from .ridge import StructuredRidge, keep, training_kernel
from .training import TrainingRows

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

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Of ψ under the uniform distribution.
    scores : dict of int to float
        Of the penalties that were tried, by number.
    """

    def __init__(self, model: StructuredRidge, X: Any, y: Any, weights: Any, constraints: Any) -> None:
        self.X, self.y = X, y
        self.inputs, problem = model._validate_training(X, y, weights)
        space = model.structure_.space
        self._held = None if constraints is None else space.restricted(constraints, problem.n)
        self.problem = problem.with_options(solver="closed-form")
        self._plan, n = self.problem.plan(0, problem.n**2), problem.n
        self.mean = model.structure_.mean()
        # The linear kernel takes the same n×n route, however few its features: leaving rows out needs the diagonal of
        # the inverse of an n×n matrix that is not of low rank. Where that does not fit, folds need no such matrix.
        advice = partial(_advice, model, n, self.inputs.shape[1])
        self._begin(model, training_kernel(model, self.inputs, self._plan, advice, loo="_loo"))

    def _begin(self, model: StructuredRidge, kernel: FloatArray) -> None:
        self.model, self._kernel = model, kernel
        self.scores: dict[int, float] = {}
        self._left_out = np.zeros((0, 0))

    def under(self, model: StructuredRidge) -> LeaveOut:
        """Return the same for another model of the same structure and loss, which differs in its kernel."""
        other = copy(self)
        take_fit(model, self.model)
        model._resolve_kernel(
            TrainingRows(self.inputs, self.y, None, self.problem.targets.weights), model.kernel_params
        )
        other._begin(model, model.kernel_.matrix(self.inputs))  # there was memory for as much before
        return other

    @property
    def best(self) -> int:
        """The number of the penalty with the best score, of several the first."""
        return max(self.scores, key=lambda number: (self.scores[number], -number))

    @property
    def score(self) -> float:
        """The best score."""
        return self.scores[self.best]

    def try_penalties(self, penalties: dict[int, float], judge: Judge, tell: Callable[[str], None]) -> None:
        """Add the scores of penalties, by number, tell of them, and keep what the best one says of rows left out."""
        tried = left_out_scores(self.problem, self._kernel, list(penalties.values()))
        for (number, alpha), left_out in zip(penalties.items(), tried, strict=True):
            score = judge(self, left_out)
            gamma = "" if self.model.gamma is None else f", gamma={self.model.kernel_.gamma:.4g}"
            where = f"kernel={self.model.kernel!r}{gamma}, loss={self.model.loss_!r}, alpha={alpha:g}"
            if not np.isfinite(score):
                raise ValueError(f"scoring gave {score} at {where}, must be a finite number")
            tell(f"{where}: leave-one-out score {score:.6g}")
            self.scores[number] = float(score)
            if self.best == number:
                self._left_out = left_out

    def predicted(self, scores: FloatArray) -> Any:
        """Return the predictions from scores, under the constraints of the rows."""
        decoded = self.model._decode_scores(scores, self.model._decoding(), self._held)
        return self.model.structure_.space.decode_parts(decoded.y)

    def train(self, alpha: float) -> FloatArray:
        """Fit the model with the best penalty, which is `alpha`, and return the scores of rows left out."""
        self.model.set_params(alpha=alpha)
        keep(self.model, self.inputs, solve(self.problem.with_options(alpha=alpha), self._kernel, self._plan))
        if self.model.decision_ == "f1":
            self.model._choose_threshold(self._left_out, self.problem.targets)
        return self._left_out


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
        reached = model._choose_threshold(scores, targets) if self.by_f1 else None
        if self.scoring is None and reached is not None:
            return reached
        if self.scoring is None and self.by_distance:
            return explained(targets.psi, scores + leave.mean, targets.weights)
        predicted = leave.predicted(scores)
        if self.scoring in (None, "metric"):
            return float(model.structure_.score(leave.y, predicted, targets.weights))
        X, y, decision = leave.X, model.structure_.ordered(leave.y), model._decision(scores)
        if targets.weights is not None:  # rows of weight 0 are left out, of the score as well
            rows = np.flatnonzero(targets.weights)
            X, y, predicted, decision = (_safe_indexing(each, rows) for each in (X, y, predicted, decision))
        left_out = _LeftOut(model, predicted, decision)
        try:
            return float(scorer_of(self.scoring)(left_out, X, y))
        except AttributeError as error:
            refuse_scoring(self.scoring, left_out.missing, error)
            raise
        except ValueError as error:
            if not isinstance(self.scoring, str):  # a user's own function says what it means
                raise
            raise ValueError(
                f"scoring={self.scoring!r} does not judge predictions of {model.structure_!r} ({error}): take "
                "'metric' for the structure's own metric, or a function of estimator, X and y"
            ) from error


def explained(psi: FloatArray, expected: FloatArray, weights: FloatArray | None) -> float:
    """Return the share of the variance of ψ that expectations explain; minus the mean squared distance without any."""
    share = np.full(len(psi), 1.0 / len(psi)) if weights is None else weights / weights.sum()
    distance = float(share @ np.square(psi - expected).sum(axis=1))
    variance = float(share @ np.square(psi - share @ psi).sum(axis=1))
    constant = variance <= 1e-20 * float(share @ np.square(psi).sum(axis=1))  # but for rounding
    return -distance if constant else 1.0 - distance / variance


def mean_f1(estimator: Any, X: Any, y: Any) -> float:
    """Return the mean F1 of the rows of predicted label sets, as a scorer."""
    return float(f1_score(y, estimator.predict(X), average="samples", zero_division=1))


def take_fit(model: BaseEstimator, fitted: BaseEstimator) -> None:
    """Take the fitted attributes of another estimator."""
    vars(model).update({k: v for k, v in vars(fitted).items() if k.endswith("_") and not k.startswith("_")})


def _advice(model: StructuredRidge, n: int, p: int) -> str:
    if model.kernel == "linear":
        return "fit fewer rows, or choose alpha by folds (cv=5) with solver='primal', which need no kernel matrix"
    return alternatives(model.kernel, n, p, model.structure_.n_features, model.loss_)


def scorer_of(scoring: str | Callable[..., float]) -> Callable[..., float]:
    """Return the scorer of a name, of scikit-learn or of `combpred.metrics`; a callable as it is, unless a metric."""
    if inspect.isfunction(scoring) and scoring.__module__.startswith("combpred.metrics"):
        return get_structured_scorer(scoring)  # type: ignore[arg-type]  # refuses it: metrics are named
    if isinstance(scoring, str) and scoring in get_structured_names() and scoring not in get_scorer_names():
        return get_structured_scorer(scoring)
    found: Callable[..., float] = get_scorer(scoring)
    return found


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
