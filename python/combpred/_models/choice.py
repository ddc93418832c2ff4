"""The choice among settings by rows left out of training: in rounds, with ever fewer settings on more rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection._search import _yield_masked_array_for_each_param
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import StrOptions, validate_parameter_constraints

from .._data.targets import flat_sets
from .._lib.arrays import FloatArray
from .._lib.control import Steps
from .._lib.errors import CapabilityError
from .._lib.kernel import SCALED_KERNELS, InputKernel
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
_STRIDE = 3
ROUNDS = (500, 5), (1000, 1)  # rows, and how many settings they leave

_KERNELS = ("linear", "rbf", "laplacian")
_WIDTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # times that of gamma="scale"

# Those that decide by the expectation of ψ. Where a structure has one of them, that of "auto" comes first.
_DECISIONS = "auto", "mbr", "mode", "f1"

#: Constraint of the parameter `scoring`.
SCORING = [StrOptions({"metric", "f1", *get_scorer_names()}), None]


@dataclass(frozen=True, eq=False)  # equal to itself alone, so that kernels need no hash
class Setting:
    """What is chosen beside the penalty."""

    kernel: str | Callable[..., float]
    gamma: float | str | None
    loss: str | None = None  # of estimators that have a choice

    @property
    def parameters(self) -> dict[str, Any]:
        """As an estimator takes them."""
        given = {"kernel": self.kernel} if self.loss is None else {"kernel": self.kernel, "loss": self.loss}
        return {**given, "gamma": self.gamma} if self.kernel in SCALED_KERNELS else given


class JudgedRows(NamedTuple):
    """Rows that settings are compared on."""

    rows: TrainingRows
    targets: Targets  # ψ of y
    constraints: Any = None  # on predictions
    folds: NDArray[np.int8] | None = None  # as `folds_of` returns them

    def some(self, most: int, *, square: bool) -> JudgedRows:
        """Return at most so many of them, the same whenever there are n; square if X holds kernel values."""
        rows, targets, constraints, folds = self
        if rows.n <= most:
            return self
        chosen = np.sort(np.random.RandomState(0).permutation(rows.n)[:most])
        if constraints is not None and not isinstance(constraints, Mapping):
            constraints = [constraints[row] for row in chosen]
        X, part = rows.X[np.ix_(chosen, chosen)] if square else rows.X[chosen], targets.take(chosen)
        some = TrainingRows(X, _safe_indexing(rows.y, chosen), None, part.weights)
        return JudgedRows(some, part, constraints, None if folds is None else folds[chosen])


class Trial(ABC):
    """A setting on some rows, and how well penalties predict each row without it.

    Attributes
    ----------
    setting : Setting
    model : estimator
        With that setting; not fitted, its structure is resolved.
    rows : TrainingRows
    targets : Targets
    scores : dict of int to float
        Of the penalties that were tried, by number.
    left_out : ndarray of shape (n, d)
        f(x) of each row left out of training, with the best of them.
    """

    def __init__(self, setting: Setting, model: Any, judged: JudgedRows) -> None:
        self.setting, self.model, (self.rows, self.targets, *_) = setting, model, judged
        self.scores: dict[int, float] = {}
        self.left_out = np.zeros((0, 0))

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
        for (number, alpha), left_out in zip(penalties.items(), self.leave_out(penalties.values()), strict=True):
            score = self.judge(left_out, scoring)
            what = {**self.setting.parameters, "alpha": alpha}.items()
            where = ", ".join(
                f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}" for name, value in what
            )
            if not np.isfinite(score):
                raise ValueError(f"scoring gave {score} at {where}, must be a finite number")
            tell(f"{where}: left-out score {score:.6g}")
            self.scores[number] = float(score)
            if self.best == number:
                self.left_out = left_out

    @abstractmethod
    def leave_out(self, alphas: Iterable[float]) -> Iterable[FloatArray]:
        """Return f(x) of rows left out for each penalty."""

    @abstractmethod
    def judge(self, scores: FloatArray, scoring: str) -> float:
        """Return how good such scores are, larger for better ones."""


class LeaveOut(Trial):
    """The closed form of a ridge model on some rows, with one output each, and its scores of each row without it."""

    def __init__(self, setting: Setting, model: StructuredRidge, judged: JudgedRows) -> None:
        super().__init__(setting, model, judged)
        model.kernel_ = kernel_of(model, self.rows)
        self.problem = model._problem(self.targets).with_options(solver="closed-form")
        given = judged.constraints
        self.held = None if given is None else RowConstraints(model.structure_.space, given, self.targets.n)
        self._without = LeaveOneOut(self.problem, model.kernel_, self.rows.X)
        self.learns_sets = False

    def leave_out(self, alphas: Iterable[float]) -> Iterable[FloatArray]:
        """Return f(x) of rows left out for each penalty."""
        return self._without.scores(alphas)

    def decided_by(self, model: StructuredRidge, scoring: str, *, learns_sets: bool) -> LeaveOut:
        """Return the same for another decision, that of `model`, which is judged at the best penalty alone.

        If it `learns_sets` from the rows, a row left out leaves its set out, too.
        """
        other = copy(self)
        other.learns_sets = learns_sets
        other.model, model.kernel_ = model, self.model.kernel_
        other.scores = {self.best: other.judge(self.left_out, scoring)}
        return other

    def train(self, alpha: float) -> FloatArray:
        """Fit the model with the best penalty, which is `alpha`, and return the scores of rows left out."""
        model, rows = self.model.set_params(alpha=alpha), self.rows
        self._without.train(model, rows)
        if model.decision_ == "f1":
            choose_threshold(model, self.left_out, self.targets.psi, self.targets.weights)
        weights = self.targets.weights
        if weights is not None and not weights.all():  # without a row of weight 0 the model is the same
            self.left_out[weights == 0] = model._scores(rows.X[weights == 0])
        return self.left_out

    def judge(self, scores: FloatArray, scoring: str) -> float:
        """Return how good scores of rows left out are, larger for better ones.

        `scoring` is "explained", the share of the variance of ψ, which the loss "squared" estimates; "threshold", the
        F1 of the threshold chosen; or as for `judge_decisions`.
        """
        model, targets = self.model, self.targets
        if scoring == "explained":
            return explained(targets.psi, scores + model.structure_.mean(), targets.weights)
        reached = choose_threshold(model, scores, targets.psi, targets.weights) if model.decision_ == "f1" else 0.0
        if scoring == "threshold":
            return float(reached)
        return judge_decisions(
            model, scores, self.rows.y, targets.weights, scoring, self.held, learns_sets=self.learns_sets
        )


def judge_decisions(
    model: StructuredEstimator,
    scores: FloatArray,
    y: Any,
    weights: FloatArray | None,
    scoring: str,
    held: Any = None,
    *,
    learns_sets: bool = False,
) -> float:
    """Return how good what a model decides by f(x) of rows is, larger for better ones.

    `scoring` is "metric", the structure's own; "f1", that of label sets; or the name of another metric.
    """
    structure = model.structure_
    scorer = None if scoring in ("metric", "f1") else get_scorer(scoring)
    if scorer is not None and scorer.takes_scores:
        return scorer.judge(structure, y, model._decision(scores), weights)
    parts = model._decode_scores(scores, model._decoding(), held).y
    if learns_sets:
        _leave_own_out(model, scores, structure.encode(y), weights, parts)
    predicted = structure.space.decode_parts(parts)
    if scoring == "f1":
        return mean_f1(structure.embed(y), structure.embed(predicted), weights)
    if scorer is None:
        return float(structure.score(y, predicted, weights))
    return scorer.judge(structure, y, predicted, weights)


def _leave_own_out(model: Any, scores: FloatArray, own: Any, weights: FloatArray | None, parts: Any) -> None:
    """Replace predictions of a row's own set, where no other row of positive weight has it, by the second best."""
    counting = np.ones(len(own)) if weights is None else (weights > 0).astype(np.float64)
    at = np.unique(own, axis=0, return_inverse=True)[1].ravel()
    alone = np.bincount(at, counting)[at] == counting
    for row in np.flatnonzero(alone & (parts == own).all(axis=1)):
        linear, magnitude = model._decoding_scores(scores[row : row + 1])
        *_, parts[row] = model.structure_.space.k_best(linear[0], magnitude, nu=1.0, most=2)


def check_scoring(scoring: str | None, structure: Structure, y: Any) -> None:
    """Raise ValueError if a metric is not for outputs of a structure, which it is tried on."""
    if scoring == "f1" and structure.target_type != "multilabel-indicator":
        raise ValueError(f"scoring='f1' is for label sets, not for {type(structure).__name__}: take 'metric'")
    if scoring in (None, "metric", "f1"):
        return
    scorer = get_scorer(scoring).require_judged(structure)
    scores = np.zeros((1, structure.n_features))
    try:
        found = scores if scorer.takes_scores else structure.space.decode_parts(structure.space.decode(scores).y)
        scorer.judge(structure, _safe_indexing(y, [0]), found)
    except (TypeError, ValueError) as error:
        kind = type(structure).__name__
        raise ValueError(f"scoring={scoring!r} does not judge outputs of {kind}: {error}") from None


def candidates(
    structure: Structure, loss: str, decision: str, scoring: str, y: Any, *, observed: bool = True
) -> list[tuple[Structure, str]]:
    """Return the structures and decisions to choose among by `scoring`, those without a choice first.

    The structure is resolved. If `observed`, such sets stand beside all sets where neither is asked for. Decisions that
    come to the same are listed once.
    """
    if loss != "squared" or (scoring not in ("metric", "f1") and get_scorer(scoring).takes_scores):
        return [(structure, decision)]
    structures, names = [structure], list(_DECISIONS) if decision == "auto" else [decision]
    partial = "partial" in structure.space.capabilities and flat_sets(y) is None
    if partial and structure.encode(y, partial=True).min() < 0:  # a label is unknown
        observed, names = False, [name for name in names if name != "f1" or decision == name]
    if observed and getattr(structure, "observed", False) is None:
        structures.append(resolve_structure(clone(structure).set_params(observed=True), y))
    found: dict[tuple[Structure, str], None] = {}
    for one in structures:
        for name in names:
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


TrialT = TypeVar("TrialT", bound=Trial)


@dataclass(frozen=True)
class Choice(Generic[TrialT]):
    """What is chosen from: penalties and settings.

    Attributes
    ----------
    estimator : estimator
        That chooses.
    alphas : list of float
    settings : list of Setting
    scoring : str
        As the trials take it.
    rounds : tuple of (int, int)
        On how many rows settings are compared, and how many are left.
    trial_of : callable
        Makes the `Trial` of a setting on some rows.
    """

    estimator: Any
    alphas: list[float]
    settings: list[Setting]
    scoring: str
    rounds: tuple[tuple[int, int], ...]
    trial_of: Callable[[Setting, JudgedRows], TrialT]
    tried: dict[tuple[Setting, int], TrialT] = field(default_factory=dict)  # by number of rows

    def _best(self, whole: JudgedRows) -> TrialT:
        """Return the trial of the best setting on all rows."""
        square = self.estimator.kernel is not None
        entrants: dict[Setting, int | None] = dict.fromkeys(self.settings)  # and the best penalty so far
        n, total = len(entrants), 1
        for _, places in self.rounds:
            n, total = min(n, places), total + n * (n > places)
        with Steps(type(self.estimator).__name__, total, int(self.estimator.verbose)) as steps:
            for most, places in self.rounds:
                if len(entrants) > places:
                    judged = whole.some(most, square=square)
                    found = {each: self._try(each, judged, near, steps) for each, near in entrants.items()}
                    ranked = sorted(found, key=lambda each: -found[each].score)  # the first of equals first
                    entrants = {each: found[each].best for each in ranked[:places]}
            ((setting, near),) = entrants.items()
            return self._try(setting, whole, near, steps)

    def _try(self, setting: Setting, judged: JudgedRows, near: int | None, steps: Steps) -> TrialT:
        """Judge penalties near one, or from the smallest to the largest, on some rows: a step."""
        key = setting, judged.rows.n
        trial = self.tried[key] = self.tried.get(key) or self.trial_of(setting, judged)
        ascending = [int(number) for number in np.argsort(self.alphas, kind="stable")]
        if near is not None:
            wanted = _beside(ascending, near)
        elif len(self.settings) > self.rounds[0][1] and len(ascending) > _STRIDE + 1:
            wanted = ascending[1::_STRIDE]
        else:
            wanted = ascending
        while wanted:
            missing = {number: self.alphas[number] for number in sorted(wanted) if number not in trial.scores}
            if missing:
                trial.try_penalties(missing, self.scoring, steps.tell)
            wanted = _beside(ascending, trial.best) if near is not None and missing else []
        steps.advance()
        return trial

    def keep(self, whole: JudgedRows) -> TrialT:
        """Choose, set the attributes that tell of the choice, and return the best trial, on all rows."""
        model, best = self.estimator, self._best(whole)
        model.alpha_ = self.alphas[best.best]
        model.best_score_ = best.score
        model.best_params_ = {"alpha": model.alpha_, **best.setting.parameters}
        model.cv_results_ = self.table()
        model.best_index_ = int(np.argmin(model.cv_results_["rank_test_score"]))
        return best

    def table(self) -> dict[str, Any]:
        """Return what was tried in the form of ``GridSearchCV.cv_results_``."""
        tried = [
            (n_rows, trial.scores[number], {"alpha": self.alphas[number], **setting.parameters})
            for (setting, n_rows), trial in self.tried.items()
            for number in sorted(trial.scores)
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


def require_two_rows(rows: TrainingRows, how: str, single: type[StructuredEstimator]) -> None:
    """Raise ValueError unless two rows of positive weight are there, which `how` needs and `single` does not."""
    counting = rows.n if rows.weights is None else int(np.count_nonzero(rows.weights))
    if counting < 2:
        raise ValueError(
            f"{how} chooses by rows left out of training, of which there must be at least 2 of positive weight, got "
            f"n_samples={counting}; take {single.__name__}, which needs no choice"
        )


def checked_lists(model: Any, single: type[StructuredEstimator]) -> dict[str, list[Any]]:
    """Return the lists that an estimator chooses from, each entry checked as the parameter of `single` that it is of.

    None stands for the default of the parameter, but of the kernel.
    """
    checked: dict[str, list[Any]] = {}
    for name, parameter in {"alphas": "alpha", "kernels": "kernel", "gammas": "gamma", "losses": "loss"}.items():
        given = getattr(model, name, None)
        default = _KERNELS if name == "kernels" else (getattr(single, parameter, None),)
        entries = checked[parameter] = list(default if given is None else given)
        if not entries:
            raise ValueError(f"{name} is empty: name at least one")
        if hasattr(model, name):
            named = {f"{name}[{at}]": entry for at, entry in enumerate(entries)}
            constraints = dict.fromkeys(named, single._parameter_constraints[parameter])
            validate_parameter_constraints(constraints, named, caller_name=type(model).__name__)
    checked["alpha"] = [float(alpha) for alpha in checked["alpha"]]
    kernels = checked["kernel"]
    if getattr(model, "kernel_params", None) and not any(map(callable, kernels)):
        raise ValueError(f"kernel_params={model.kernel_params!r} has no effect: it is for callable kernels")
    if "precomputed" in kernels and len(kernels) > 1:
        raise ValueError(f"kernels={model.kernels!r}: X holds the values of one kernel where it is 'precomputed'")
    return checked


def _given_kernel(model: Any) -> str | None:
    """``"precomputed"`` where X holds kernel values, None where it holds inputs."""
    return "precomputed" if model.kernels is not None and "precomputed" in list(model.kernels) else None


#: The property `kernel` of estimators that choose among kernels.
given_kernel = property(_given_kernel)


def settings_of(lists: dict[str, list[Any]], rows: TrainingRows, *, widths: bool) -> list[Setting]:
    """Return what is to be compared beside the penalties, with `widths` also those of the kernels that have one."""
    scaled, gammas = [kernel for kernel in lists["kernel"] if kernel in SCALED_KERNELS], lists["gamma"]
    if widths and scaled:
        scale = InputKernel.resolve(scaled[0], rows.X, gamma="scale", weights=rows.weights).gamma
        assert scale is not None
        gammas = [width * scale for width in _WIDTHS]
    return [
        Setting(kernel, gamma, loss)
        for loss in lists["loss"]
        for kernel in lists["kernel"]
        for gamma in (gammas if kernel in SCALED_KERNELS else [None])
    ]


ModelT = TypeVar("ModelT", bound=StructuredEstimator)


def take_structure(model: ModelT, searching: StructuredEstimator, structure: Structure | None = None) -> ModelT:
    """Return a model that has the features, and the structure unless another is given, of the estimator that tries it.

    What that has learnt since is none of the model's.
    """
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(searching, name):
            setattr(model, name, getattr(searching, name))
    model._set_structure(structure or searching.structure_)
    return model


def take_fit(model: BaseEstimator, fitted: BaseEstimator) -> None:
    """Take the fitted attributes of another estimator."""
    vars(model).update({k: v for k, v in vars(fitted).items() if k.endswith("_") and not k.startswith("_")})
