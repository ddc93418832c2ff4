"""From checked training data to the fitted attributes of a structured perceptron."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._abi import Control
from .._coefficients import keep_weights
from .._config import get_n_threads
from .._decoding import Decoding
from .._errors import renumbered
from .._kernel_estimator import TrainingRows
from .._lib_maxmargin import MarginState, Report, maxmargin_pass
from .._progress import reported
from ._blocks import Blocks, refuse_sets
from ._mistake_bound import mistake_bound

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

_ROUNDING = 1e-13  # of the sum of the magnitudes of scores: outputs that differ by less score alike


@dataclass(frozen=True)
class PerceptronState:
    """Where training stands. It is never changed in place.

    Attributes
    ----------
    weights : ndarray of shape (q, d)
        Of the features, those of the constant one last.
    late : ndarray of shape (q, d)
        The sum of all changes, each times the visits before it: the average is `weights` less that over `n_visits`.
    n_visits : int
    """

    weights: FloatArray
    late: FloatArray
    n_visits: int

    @property
    def average(self) -> FloatArray:
        """The average of the weights after each visit."""
        average: FloatArray = self.weights - self.late / self.n_visits
        return average


class Learner:
    """Passes over blocks."""

    def __init__(self, model: Any, blocks: Blocks, rng: np.random.RandomState) -> None:
        blocks.require_complete(
            model.structure_, "a perceptron is told by complete ones whether it is wrong; take StructuredRidge"
        )
        self._blocks, self._structure = blocks, model.structure_
        self._candidates = int(model.n_candidates or 0)
        self.how = Decoding(model.decoder, get_n_threads(model.n_jobs), int(rng.randint(2**31)))
        # Structures whose outputs only Python knows, and programs, are decoded in Python.
        self._by_library = self._structure._parts_dtype == np.int32 and model.decoder != "milp"
        self._design, self._norms = blocks.design(), blocks.square_norms()

    def visit(self, order: Rows, state: MarginState) -> Report:
        """Visit some blocks, changing the state."""
        if not self._by_library:
            return self._in_python(order, state)
        return maxmargin_pass(
            self._structure._describe(), "perceptron", self._design, self._blocks.psi, None, self._blocks.weights,
            order, state, self.how, n_candidates=self._candidates,
        )  # fmt: skip

    def _in_python(self, order: Rows, state: MarginState) -> Report:
        updates, proven, radius = 0, 0, 0.0
        for i in order:
            scores = self._blocks.scores(state.coef, np.array([i]))
            how = replace(self.how, seed=self.how.seed + state.step)
            if self._candidates:
                parts = self._structure._sample_parts(self._candidates, how.seed)
                psi = self._structure._embed_parts(parts, how.n_threads)
                found = psi[np.argmax(psi @ scores[0])]
            else:
                with renumbered(self._blocks.rows[[i]]):
                    decoded = self._structure._decode_scores(scores, None, how)
                found = self._structure._embed_parts(decoded.y, how.n_threads)[0]
                proven += bool(decoded.optimal[0])
            move = self._blocks.psi[i] - found
            if move.any() and scores[0] @ move <= _ROUNDING * np.abs(scores).sum():
                updates += 1
                radius = max(radius, float(self._norms[i] * (move @ move)))
                state.v[i] += move
                if state.late_v is not None:
                    state.late_v[i] += state.step * move
                self._blocks.add(state.coef, i, self._blocks.weights[i] * move)
            state.step += 1
        return Report(0.0, radius, updates, proven)


def train(model: Any, rows: TrainingRows, rng: np.random.RandomState) -> None:
    """Pass over all rows until none changes anything, and set the fitted attributes of `model`."""
    refuse_sets(model, rows)
    blocks = Blocks.of(model, rows.X, model._embed_rows(rows), sort=bool(model.shuffle))
    learner = Learner(model, blocks, rng)
    m, d = blocks.psi.shape
    state = MarginState.zero(m, d, blocks.n_weights, average=True)
    control, mistakes, number, separated, radius = Control(), 0, 0, False, 0.0
    with reported(control, type(model).__name__, verbose=int(model.verbose)):
        while number < model.max_iter and not separated:
            number += 1
            report = learner.visit(rng.permutation(m) if model.shuffle else np.arange(m), state)
            mistakes, radius = mistakes + report.updates, max(radius, report.radius)
            separated = report.updates == 0 and not model.n_candidates
            control.step, control.value = number, float(report.updates)
    if separated:
        state.step = m * int(model.max_iter)  # passes that are left would change nothing; the average counts them
    assert state.late_v is not None
    weights = blocks.weights[:, np.newaxis]
    last = weights * state.v
    blocks.keep(model, rows.X, weights * (state.v - state.late_v / state.step) if model.average else last)
    if model.kernel_.is_linear:
        model.state_ = PerceptronState(blocks.combined(last), blocks.combined(weights * state.late_v), state.step)
    model.n_mistakes_, model.n_iter_, model.separated_, model.radius_ = mistakes, number, separated, radius**0.5
    model.mistake_bound_ = mistake_bound(model.structure_, blocks, last, learner.how) if separated else np.nan


def learn_piece(model: Any, rows: TrainingRows, rng: np.random.RandomState) -> None:
    """Visit each row once, from where `model` stands, and set its fitted attributes."""
    refuse_sets(model, rows)
    blocks = Blocks.of(model, rows.X, model._embed_rows(rows), sort=bool(model.shuffle))
    learner = Learner(model, blocks, rng)
    m, d = blocks.psi.shape
    zeros = np.zeros((blocks.n_weights, d))
    before: PerceptronState = getattr(model, "state_", PerceptronState(zeros, zeros, 0))
    state = MarginState.zero(m, d, blocks.n_weights, average=True)
    state.coef[:], state.step = before.weights, before.n_visits
    report = learner.visit(rng.permutation(m) if model.shuffle else np.arange(m), state)
    assert state.late_v is not None
    weights = blocks.weights[:, np.newaxis]
    model.state_ = PerceptronState(
        before.weights + blocks.combined(weights * state.v),
        before.late + blocks.combined(weights * state.late_v),
        state.step,
    )
    keep_weights(model, model.state_.average if model.average else model.state_.weights)
    model.n_mistakes_ = getattr(model, "n_mistakes_", 0) + report.updates
    model.radius_ = max(getattr(model, "radius_", 0.0), report.radius**0.5)
    model.n_iter_ = getattr(model, "n_iter_", 0) + 1
    model.mistake_bound_ = np.nan
    if hasattr(model, "separated_"):
        del model.separated_
