"""The choice among settings by leave-one-out without refitting: in rounds, with ever fewer settings on more rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection._search import _yield_masked_array_for_each_param
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import StrOptions

from .._lib.arrays import FloatArray
from .._lib.control import Steps
from .._lib.errors import CapabilityError
from .._lib.kernel import SCALED_KERNELS
from .._lib.ridge import Targets
from ..metrics import get_scorer, get_scorer_names
from ..structures import RowConstraints, Structure, resolve_structure
from .base import StructuredEstimator
from .ridge import LeaveOneOut, StructuredRidge, decides_by
from .thresholds import choose_threshold, mean_f1
from .training import TrainingRows, kernel_of

# Of more settings than finalists each is tried with every third penalty on few rows; finalists are tried on more, with
# the penalties near the one that did best. With 150 rows and three finalists a choice takes half of the time, and loses
# more where rows are many and outputs noisy (tests/benchmarks/README.md).
_STRIDE, _FINALISTS = 3, 5
_ROUNDS = (500, _FINALISTS), (1000, 1)  # rows, and how many settings they leave

# Those that decide by the expectation of ψ. Where a structure has one of them, that of "auto" comes first.
_DECISIONS = "auto", "mbr", "mode", "f1"

#: Constraint of the parameter `scoring`.
SCORING = [StrOptions({"metric", "f1", *get_scorer_names()}), None]


@dataclass(frozen=True, eq=False)  # equal to itself alone, so that kernels need no hash
class Setting:
    """What is chosen beside the penalty."""

    kernel: str | Callable[..., float]
    gamma: float | str | None
    loss: str

    @property
    def parameters(self) -> dict[str, Any]:
        """As `StructuredRidge` takes them."""
        given = {"kernel": self.kernel, "loss": self.loss}
        return {**given, "gamma": self.gamma} if self.kernel in SCALED_KERNELS else given


class JudgedRows(NamedTuple):
    """Rows that settings are compared on."""

    rows: TrainingRows
    targets: Targets  # ψ of y
    constraints: Any  # on predictions

    def some(self, most: int, *, square: bool) -> JudgedRows:
        """Return at most so many of them, the same whenever there are n; square if X holds kernel values."""
        rows, targets, constraints = self
        if rows.n <= most:
            return self
        chosen = np.sort(np.random.RandomState(0).permutation(rows.n)[:most])
        if constraints is not None and not isinstance(constraints, Mapping):
            constraints = [constraints[row] for row in chosen]
        X, part = rows.X[np.ix_(chosen, chosen)] if square else rows.X[chosen], targets.take(chosen)
        return JudgedRows(TrainingRows(X, _safe_indexing(rows.y, chosen), None, part.weights), part, constraints)


class LeaveOut:
    """The closed form of a model on some rows, and its scores of each row without that row.

    Parameters
    ----------
    model : StructuredRidge
        Not fitted; its structure is resolved.
    judged : JudgedRows
        With one output each.

    Attributes
    ----------
    scores : dict of int to float
        Of the penalties that were tried, by number.
    """

    def __init__(self, model: StructuredRidge, judged: JudgedRows) -> None:
        self.model, (self.rows, targets, given), space = model, judged, model.structure_.space
        model.kernel_ = kernel_of(model, self.rows)
        self.problem = model._problem(targets).with_options(solver="closed-form")
        self.held = None if given is None else RowConstraints(space, given, targets.n)
        self._without = LeaveOneOut(self.problem, model.kernel_, self.rows.X)
        self.scores: dict[int, float] = {}
        self._left_out = np.zeros((0, 0))

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
        for (number, alpha), left_out in zip(penalties.items(), self._without.scores(penalties.values()), strict=True):
            score = judge(self, left_out, scoring)
            gamma = "" if self.model.gamma is None else f", gamma={self.model.kernel_.gamma:.4g}"
            where = f"kernel={self.model.kernel!r}{gamma}, loss={self.model.loss_!r}, alpha={alpha:g}"
            if not np.isfinite(score):
                raise ValueError(f"scoring gave {score} at {where}, must be a finite number")
            tell(f"{where}: leave-one-out score {score:.6g}")
            self.scores[number] = float(score)
            if self.best == number:
                self._left_out = left_out

    def decided_by(self, model: StructuredRidge, scoring: str) -> LeaveOut:
        """Return the same for another decision, that of `model`, which is judged at the best penalty alone."""
        other = copy(self)
        other.model, model.kernel_ = model, self.model.kernel_
        other.scores = {self.best: judge(other, self._left_out, scoring)}
        return other

    def train(self, alpha: float) -> FloatArray:
        """Fit the model with the best penalty, which is `alpha`, and return the scores of rows left out."""
        model, rows = self.model.set_params(alpha=alpha), self.rows
        self._without.train(model, rows)
        if model.decision_ == "f1":
            choose_threshold(model, self._left_out, self.problem.targets.psi, self.problem.targets.weights)
        weights = self.problem.targets.weights
        if weights is not None and not weights.all():  # without a row of weight 0 the model is the same
            self._left_out[weights == 0] = model._scores(rows.X[weights == 0])
        return self._left_out


def judge(leave: LeaveOut, scores: FloatArray, scoring: str) -> float:
    """Return how good scores of rows left out are, larger for better ones.

    `scoring` is "explained", the share of the variance of ψ, which the loss "squared" estimates; "threshold", the F1 of
    the threshold chosen; or as for `judge_decisions`.
    """
    model, targets = leave.model, leave.problem.targets
    if scoring == "explained":
        return explained(targets.psi, scores + model.structure_.mean(), targets.weights)
    reached = choose_threshold(model, scores, targets.psi, targets.weights) if model.decision_ == "f1" else 0.0
    if scoring == "threshold":
        return reached
    return judge_decisions(model, scores, leave.rows.y, targets.weights, scoring, leave.held)


def judge_decisions(
    model: StructuredEstimator, scores: FloatArray, y: Any, weights: FloatArray | None, scoring: str, held: Any = None
) -> float:
    """Return how good what a model decides by f(x) of rows is, larger for better ones.

    `scoring` is "metric", the structure's own; "f1", that of label sets; or the name of another metric.
    """
    structure = model.structure_
    scorer = None if scoring in ("metric", "f1") else get_scorer(scoring)
    if scorer is not None and scorer.takes_scores:
        return scorer.judge(structure, y, model._decision(scores), weights)
    predicted = structure.space.decode_parts(model._decode_scores(scores, model._decoding(), held).y)
    if scoring == "f1":
        return mean_f1(structure.embed(y), structure.embed(predicted), weights)
    if scorer is None:
        return float(structure.score(y, predicted, weights))
    return scorer.judge(structure, y, predicted, weights)


def check_scoring(scoring: str | None, structure: Structure) -> None:
    """Raise ValueError if a metric is not for outputs of a structure."""
    if scoring == "f1" and structure.target_type != "multilabel-indicator":
        raise ValueError(f"scoring='f1' is for label sets, not for {structure!r}: take 'metric'")
    if scoring not in (None, "metric", "f1"):
        get_scorer(scoring).require_judged(structure)


def candidates(
    structure: Structure, loss: str, decision: str, scoring: str | None, y: Any, *, constrained: bool = False
) -> list[tuple[Structure, str]]:
    """Return the structures and decisions to choose among by `scoring`, those without a choice first.

    The structure is resolved. Observed sets stand beside all sets where neither is asked for; a condition on a
    prediction may hold for none of them. Decisions that come to the same are listed once.
    """
    if scoring is None or loss != "squared" or (scoring not in ("metric", "f1") and get_scorer(scoring).takes_scores):
        return [(structure, decision)]
    structures = [structure]
    if not constrained and getattr(structure, "observed", False) is None:
        structures.append(resolve_structure(clone(structure).set_params(observed=True), y))
    found: dict[tuple[Structure, str], None] = {}
    for one in structures:
        for name in _DECISIONS if decision == "auto" else [decision]:
            try:
                decided = decides_by(one, loss, name)[1]
                if decided == "mbr":
                    one.space.require_preimage()
            except CapabilityError:
                continue
            found[one, decided] = None
    return list(found)


def explained(psi: FloatArray, expected: FloatArray, weights: FloatArray | None) -> float:
    """Return the share of the variance of ψ that expectations explain; minus the mean squared distance without any."""
    share = np.full(len(psi), 1.0 / len(psi)) if weights is None else weights / weights.sum()
    distance, variance, square = (
        float(share @ np.einsum("ij,ij->i", each, each)) for each in (psi - expected, psi - share @ psi, psi)
    )
    constant = variance <= 1e-20 * square  # but for rounding
    return -distance if constant else 1.0 - distance / variance


@dataclass(frozen=True)
class Choice:
    """What is chosen from: penalties and settings, whose estimators `model_of` makes; `scoring` is as for `judge`."""

    alphas: list[float]
    settings: list[Setting]
    scoring: str
    model_of: Callable[[Setting], StructuredRidge]
    verbose: int
    tried: dict[tuple[Setting, int], LeaveOut] = field(default_factory=dict)  # by number of rows

    def best(self, whole: JudgedRows, *, square: bool) -> tuple[Setting, LeaveOut]:
        """Return the best setting, and its closed form on all rows; see `JudgedRows.some` for `square`."""
        entrants: dict[Setting, int | None] = dict.fromkeys(self.settings)  # and the best penalty so far
        n, total = len(entrants), 1
        for _, places in _ROUNDS:
            n, total = min(n, places), total + n * (n > places)
        with Steps("StructuredRidgeCV", total, self.verbose) as steps:
            for most, places in _ROUNDS:
                if len(entrants) > places:
                    judged = whole.some(most, square=square)
                    found = {each: self._try(each, judged, near, steps) for each, near in entrants.items()}
                    ranked = sorted(found, key=lambda each: -found[each].score)  # the first of equals first
                    entrants = {each: found[each].best for each in ranked[:places]}
            ((setting, near),) = entrants.items()
            return setting, self._try(setting, whole, near, steps)

    def _try(self, setting: Setting, judged: JudgedRows, near: int | None, steps: Steps) -> LeaveOut:
        """Judge penalties near one, or from the smallest to the largest, on some rows: a step."""
        key = setting, judged.rows.n
        leave = self.tried[key] = self.tried.get(key) or LeaveOut(self.model_of(setting), judged)
        ascending = [int(number) for number in np.argsort(self.alphas, kind="stable")]
        if near is not None:
            wanted = _beside(ascending, near)
        elif len(self.settings) > _FINALISTS and len(ascending) > _STRIDE + 1:
            wanted = ascending[1::_STRIDE]
        else:
            wanted = ascending
        while wanted:
            missing = {number: self.alphas[number] for number in sorted(wanted) if number not in leave.scores}
            if missing:
                leave.try_penalties(missing, self.scoring, steps.tell)
            wanted = _beside(ascending, leave.best) if near is not None and missing else []
        steps.advance()
        return leave

    def table(self) -> dict[str, Any]:
        """Return what was tried in the form of ``GridSearchCV.cv_results_``."""
        tried = [
            (n_rows, leave.scores[number], {"alpha": self.alphas[number], **setting.parameters})
            for (setting, n_rows), leave in self.tried.items()
            for number in sorted(leave.scores)
        ]
        params = [params for *_, params in tried]
        keys = [(-n_rows, -score) for n_rows, score, _ in tried]  # scores on more rows come first
        return {
            "params": params,
            **dict(_yield_masked_array_for_each_param(params)),
            "n_rows": np.array([n_rows for n_rows, *_ in tried]),
            "mean_test_score": np.array([score for _, score, _ in tried]),
            "rank_test_score": np.array([1 + sum(other < key for other in keys) for key in keys], dtype=np.int32),
        }


def _beside(ascending: list[int], number: int) -> list[int]:
    """Return a number and those before and after it."""
    at = ascending.index(number)
    return ascending[max(at - 1, 0) : at + 2]


def take_fit(model: BaseEstimator, fitted: BaseEstimator) -> None:
    """Take the fitted attributes of another estimator."""
    vars(model).update({k: v for k, v in vars(fitted).items() if k.endswith("_") and not k.startswith("_")})
