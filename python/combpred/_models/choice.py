"""The choice among settings by leave-one-out: in rounds, with ever fewer settings on ever more rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from .._data.inputs import check_weights
from .._lib.control import Steps
from .._lib.kernel import SCALED_KERNELS
from .leave_one_out import Judge, LeaveOut
from .ridge import StructuredRidge

# Of more settings than finalists each is tried with every third penalty on few rows; finalists are tried on more, with
# the penalties near the one that did best. On rankings this chose as well as all penalties on all of the 1000 rows did,
# in a third to a sixth of its time (tests/benchmarks/choice.py).
_STRIDE, _FINALISTS = 3, 3
_ROUNDS = (150, _FINALISTS), (1000, 1)  # rows, and how many settings they leave


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


@dataclass(frozen=True)
class GivenRows:
    """Rows as the user gives them, and the constraints on predictions for them."""

    X: Any
    y: Any
    weights: Any
    constraints: Any
    known: dict[Setting, LeaveOut] = field(default_factory=dict)  # what has been tried on them

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(_num_samples(self.X))

    def some(self, X: Any, most: int, *, square: bool) -> GivenRows:
        """Return at most so many of them, the same whenever there are n; X is converted, to kernel values if square."""
        if self.n <= most:
            return self
        rows = np.sort(np.random.RandomState(0).permutation(self.n)[:most])
        constraints = self.constraints
        if constraints is not None and not isinstance(constraints, Mapping):
            constraints = [constraints[row] for row in rows]
        weights = None if self.weights is None else check_weights(self.weights, self.n)
        inputs = X[np.ix_(rows, rows)] if square else X[rows]
        return GivenRows(inputs, _safe_indexing(self.y, rows), None if weights is None else weights[rows], constraints)

    def leave_out(self, setting: Setting, model_of: Callable[[Setting], StructuredRidge]) -> LeaveOut:
        """Return the closed form under a setting; the rows are checked once for each loss."""
        if setting not in self.known:
            model = model_of(setting)
            alike = next((self.known[each] for each in self.known if each.loss == setting.loss), None)
            self.known[setting] = (
                LeaveOut(model, self.X, self.y, self.weights, self.constraints) if alike is None else alike.under(model)
            )
        return self.known[setting]


@dataclass(frozen=True)
class Choice:
    """What is chosen from: penalties and settings, whose estimators `model_of` makes."""

    alphas: list[float]
    settings: list[Setting]
    judge: Judge
    model_of: Callable[[Setting], StructuredRidge]
    verbose: int
    tried: dict[tuple[Setting, int], LeaveOut] = field(default_factory=dict)  # by number of rows

    def best(self, whole: GivenRows, X: Any, *, square: bool) -> tuple[Setting, LeaveOut]:
        """Return the best setting, and its closed form on all rows; see `GivenRows.some` for X and `square`."""
        entrants: dict[Setting, int | None] = dict.fromkeys(self.settings)  # and the best penalty so far
        n, total = len(entrants), 1
        for _, places in _ROUNDS:
            n, total = min(n, places), total + n * (n > places)
        with Steps("StructuredRidgeCV", total, self.verbose) as steps:
            for most, places in _ROUNDS:
                if len(entrants) > places:
                    rows = whole.some(X, most, square=square)
                    found = {each: self._try(each, rows, near, steps) for each, near in entrants.items()}
                    ranked = sorted(found, key=lambda each: -found[each].score)  # the first of equals first
                    entrants = {each: found[each].best for each in ranked[:places]}
            ((setting, near),) = entrants.items()
            return setting, self._try(setting, whole, near, steps)

    def _try(self, setting: Setting, rows: GivenRows, near: int | None, steps: Steps) -> LeaveOut:
        """Judge penalties near one, or from the smallest to the largest, on some rows: a step."""
        leave = self.tried[setting, rows.n] = rows.leave_out(setting, self.model_of)
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
                leave.try_penalties(missing, self.judge, steps.tell)
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
        n_rows, scores = np.array([each[0] for each in tried]), np.array([each[1] for each in tried])
        params = [each[2] for each in tried]
        ranks, before = np.empty(len(tried), dtype=np.int32), 0
        for n in np.unique(n_rows)[::-1]:  # scores on more rows come first
            here = n_rows == n
            ranks[here] = before + rankdata(-scores[here], method="min")
            before += int(here.sum())
        columns: dict[str, Any] = {}
        for name in ("alpha", "kernel", "gamma", "loss"):
            absent = [name not in each for each in params]
            values = np.empty(len(params), dtype=np.float64 if name == "alpha" else object)
            values[:] = [each.get(name) for each in params]
            columns[f"param_{name}"] = np.ma.masked_array(values, mask=absent)
        return {"params": params, **columns, "n_rows": n_rows, "mean_test_score": scores, "rank_test_score": ranks}


def _beside(ascending: list[int], number: int) -> list[int]:
    """Return a number and those before and after it."""
    at = ascending.index(number)
    return ascending[max(at - 1, 0) : at + 2]
