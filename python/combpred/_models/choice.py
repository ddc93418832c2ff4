"""The choice among settings by leave-one-out: in rounds, with ever fewer settings on ever more rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from .._lib.control import Steps
from .._lib.kernel import SCALED_KERNELS
from .leave_one_out import LeaveOut
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
    n: int

    def some(self, X: Any, most: int, *, square: bool) -> GivenRows:
        """Return at most so many of them, the same whenever there are n; X is converted, to kernel values if square."""
        if self.n <= most:
            return self
        rows = np.sort(np.random.RandomState(0).permutation(self.n)[:most])
        constraints = self.constraints
        if constraints is not None and not isinstance(constraints, Mapping):
            constraints = [constraints[row] for row in rows]
        weights = None if self.weights is None else self.weights[rows]
        return GivenRows(
            X[np.ix_(rows, rows)] if square else X[rows], _safe_indexing(self.y, rows), weights, constraints, most
        )


@dataclass(frozen=True)
class Choice:
    """What is chosen from: penalties and settings, whose estimators `model_of` makes; `scoring` is as for `judge`."""

    alphas: list[float]
    settings: list[Setting]
    scoring: str
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
        leave = self.tried[setting, rows.n] = self._leave_out(setting, rows)
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

    def _leave_out(self, setting: Setting, rows: GivenRows) -> LeaveOut:
        """Return the closed form under a setting; rows are read once for each loss."""
        if (setting, rows.n) in self.tried:
            return self.tried[setting, rows.n]
        model = self.model_of(setting)
        for (other, n), leave in self.tried.items():
            if (n, other.loss) == (rows.n, setting.loss):
                return leave.under(model)
        return LeaveOut(model, rows.X, rows.y, rows.weights, rows.constraints)

    def table(self) -> dict[str, Any]:
        """Return what was tried in the form of ``GridSearchCV.cv_results_``."""
        tried = [
            (n_rows, leave.scores[number], {"alpha": self.alphas[number], **setting.parameters})
            for (setting, n_rows), leave in self.tried.items()
            for number in sorted(leave.scores)
        ]
        columns = {
            f"param_{name}": np.ma.masked_array(
                np.array([params.get(name) for *_, params in tried], dtype=float if name == "alpha" else object),
                mask=[name not in params for *_, params in tried],
            )
            for name in ("alpha", "kernel", "gamma", "loss")
        }
        keys = [(-n_rows, -score) for n_rows, score, _ in tried]  # scores on more rows come first
        return {
            "params": [params for *_, params in tried],
            **columns,
            "n_rows": np.array([n_rows for n_rows, *_ in tried]),
            "mean_test_score": np.array([score for _, score, _ in tried]),
            "rank_test_score": np.array([1 + sum(other < key for other in keys) for key in keys], dtype=np.int32),
        }


def _beside(ascending: list[int], number: int) -> list[int]:
    """Return a number and those before and after it."""
    at = ascending.index(number)
    return ascending[max(at - 1, 0) : at + 2]
