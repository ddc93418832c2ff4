"""Ridge regression by stochastic gradient descent."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.warn import warn_user
from .._lib.memory import require_memory
from .._lib.sgd import Coefficients, ridge_curvatures
from .sgd_learners import DescentState, ExpansionLearner, FeatureLearner, Learner, Objective, visited_rows
from .solve import RidgeProblem
from .training import EarlierFit, keep_dual, keep_weights

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Passes over the rows where `max_iter` is None.
PASSES = 100
#: Descent is not judged more finely than this, of what was gained of the objective: its steps have noise.
LEAST_TOL = 1e-4
#: Passes in a row that have to gain less than that before the descent stops, as in scikit-learn's SGD.
PATIENCE = 5

_PLATEAU = 1000.0  # rows before the steps of a stream of rows begin to fall

# Share of the gain that a last pass may change before the end of the passes is worth a warning.
_UNSETTLED = 0.01


@dataclass(frozen=True)
class Pace:
    """Step sizes η = p·m / (alpha (t + t0)).

    Attributes
    ----------
    m, p, t0 : float
    """

    m: float
    p: float
    t0: float

    @classmethod
    def of(cls, alpha: float, m: int, eta0: float, curvature: float, seen: int = 0) -> Pace:
        r"""Return the pace of the next steps.

        No step may expand: with curvature the largest :math:`w_i k(x_i, x_i) (\sigma_{max} + \|\tilde\psi_i\|^2)`, the
        operator of the step on row i is the identity less a positive one of norm η times that at most. t0 bounds η by
        the inverse, and the factor by which a step shrinks from below by one half. Rows that come as a stream, after
        `seen` others, are weighed against ever less penalty, and :math:`p m/\alpha(t + t_0)` would not fall: then the
        bound does, as the square root of their number.
        """
        stable = eta0 * m * curvature / alpha * float(np.sqrt(1.0 + seen / _PLATEAU))
        return cls(float(m), eta0, max(4.0 * eta0, stable))


@dataclass
class Passes:
    """Passes over all rows, up to where they stop. An interrupt leaves the state of the last chunk that was completed.

    Attributes
    ----------
    state : DescentState
    losses : list of float
        The objective after each pass.
    interrupt : KeyboardInterrupt or None
    settled : bool
        Whether they stopped as little was gained, before they ran out.
    """

    learner: Learner
    pace: Pace
    state: DescentState
    losses: list[float] = field(default_factory=list)
    interrupt: KeyboardInterrupt | None = None
    settled: bool = False

    def run(
        self, visits: Rows, rows: Rows, rng: np.random.RandomState | None, *, start: float, tol: float, max_iter: int,
        label: str, verbose: int,
    ) -> None:  # fmt: skip
        """Pass over `visits`, in an order that `rng` draws anew for each pass, or in theirs for None.

        `rows` are those that the objective counts, each once. `start` is the objective of the function that is zero, by
        which gains are measured.
        """
        began, quiet = time.monotonic(), 0
        try:
            for number in range(max_iter):
                self._once(visits if rng is None else rng.permutation(visits))
                self.losses.append(self.learner.objective(self.state, rows))
                if verbose > 0:
                    seconds = time.monotonic() - began
                    line = f"[{label}] pass {number + 1}: objective {self.losses[-1]:.6g}, {seconds:.1f} s"
                    print(line, file=sys.stderr)
                quiet = quiet + 1 if self.change(start) <= max(tol, LEAST_TOL) else 0
                if quiet == PATIENCE:
                    self.settled = True
                    return
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt

    def change(self, start: float) -> float:
        """Return by how much the last pass changed the objective, relative to the gain so far; infinity for one."""
        if len(self.losses) < 2:
            return np.inf
        gain = max(abs(start - self.losses[-1]), np.finfo(float).tiny)
        return abs(self.losses[-2] - self.losses[-1]) / gain

    def _once(self, order: Rows) -> None:
        for chunk in self.learner.chunks(order):
            self.state, _ = self.learner.visit(self.state, chunk, self.pace.m, self.pace.p, self.pace.t0)


def pass_once(
    learner: Learner, pace: Pace, state: DescentState, order: Rows
) -> tuple[DescentState, float, KeyboardInterrupt | None]:
    """Take a step on each row of an order.

    Returns
    -------
    state : DescentState
        After the last chunk that was completed.
    loss : float
        Sum of the losses before the steps.
    interrupt : KeyboardInterrupt or None
        Where that was not all.
    """
    total = 0.0
    try:
        for chunk in learner.chunks(order):
            state, loss = learner.visit(state, chunk, pace.m, pace.p, pace.t0)
            total += loss
    except KeyboardInterrupt as interrupt:
        return state, total, interrupt
    return state, total, None


def fit_by_sgd(model: Any, X: Any, problem: RidgeProblem, earlier: EarlierFit | None) -> KeyboardInterrupt | None:
    """Pass over all rows until little is gained, and set the fitted attributes of `model`.

    Returns
    -------
    KeyboardInterrupt or None
        What came between; the attributes are then those of the last chunk of rows that was completed.
    """
    visits, objective = _visits(model, X, problem)
    m, rows = len(visits), np.unique(visits)
    max_iter = PASSES if model.max_iter is None else int(model.max_iter)
    learner: FeatureLearner | ExpansionLearner
    if model.kernel_.is_linear:
        truncation = None
        learner = FeatureLearner(X, objective)
    else:
        truncation = _truncation(model.truncation, len(rows))
        learner = ExpansionLearner(X, model.kernel_, objective, truncation=truncation, cache=max_iter > 2)
    state = _first_state(model, learner, objective.targets.d, earlier, truncation)
    curvature = _curvature(learner, objective, rows)
    pace = Pace.of(objective.alpha, m, float(model.eta0), curvature)
    passes = Passes(learner, pace, state)
    zero = objective.losses(rows, np.zeros((len(rows), objective.targets.d)))
    passes.run(
        visits, rows, check_random_state(model.random_state) if model.shuffle else None, start=zero,
        tol=float(model.tol), max_iter=max_iter, label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    state = passes.state
    if state.n_steps == 0 and passes.interrupt is not None:
        raise passes.interrupt
    # Rows that come later are to be weighed as a stream of which these were the first.
    state = replace(state, n_steps=min(state.n_steps, m), n_rows=m, curvature=curvature)
    inputs = X
    if not model.kernel_.is_linear:
        state = _spread(state, X.shape[0]) if truncation is None or model.kernel_.is_precomputed else state
        if not model.kernel_.is_precomputed:
            assert state.kept is not None
            inputs = X if truncation is None else X[state.kept]
            state = replace(state, kept=np.arange(len(state.kept)))
    _keep(model, inputs, state)
    model.loss_curve_ = passes.losses
    model.n_iter_ = max(len(passes.losses), 1)
    if passes.interrupt is None:
        model.objective_ = passes.losses[-1]
        change = passes.change(zero)
        if not passes.settled and _UNSETTLED < change < math.inf:
            warn_user(
                f"stochastic gradient descent stopped after {len(passes.losses)} passes, the last of which changed the "
                f"objective by {change:.1%} of what was gained: raise max_iter or alpha, scale the inputs, or take "
                "average=True",
                ConvergenceWarning,
            )
    return passes.interrupt


def continue_by_sgd(model: Any, X: Any, problem: RidgeProblem) -> KeyboardInterrupt | None:
    """Pass once over rows that come after those seen so far, and set the fitted attributes of `model`.

    Returns
    -------
    KeyboardInterrupt or None
        As :func:`fit_by_sgd`.
    """
    before: DescentState | None = getattr(model, "descent_", None)
    visits, objective = _visits(model, X, problem)
    learner: FeatureLearner | ExpansionLearner
    inputs, first = X, 0
    if model.kernel_.is_linear:
        learner = FeatureLearner(X, objective)
    else:
        first = 0 if before is None else len(before.coefficients.iterate)
        inputs = X if before is None else _stacked(model.X_fit_, X)
        truncation = None if model.truncation is None else int(model.truncation)
        learner = ExpansionLearner(inputs, model.kernel_, objective, truncation=truncation, cache=False, first=first)
    state = _continued(model, learner, before, objective.targets.d, first)
    seen = state.n_rows
    curvature = max(state.curvature, _curvature(learner, objective, np.unique(visits), first))
    pace = Pace.of(objective.alpha, seen + len(visits), float(model.eta0), curvature, seen)
    order = check_random_state(model.random_state).permutation(visits) if model.shuffle else visits
    state = replace(state, n_steps=seen)
    state, loss, interrupt = pass_once(learner, pace, state, first + order)
    done = state.n_steps - seen
    if done == 0 and interrupt is not None:
        raise interrupt
    state = replace(state, n_rows=state.n_steps, curvature=curvature, n_pieces=state.n_pieces + 1)
    if not model.kernel_.is_linear:
        assert state.kept is not None
        everything = len(state.kept) == inputs.shape[0] and np.array_equal(state.kept, np.arange(len(state.kept)))
        inputs = inputs if everything else inputs[state.kept]
        state = replace(state, kept=np.arange(len(state.kept)))
    _keep(model, inputs, state)
    weights = objective.visits.weights
    total = float(done) if weights is None else float(weights[order[:done]].sum())
    model.loss_curve_ = [*(model.loss_curve_ if state.n_pieces > 1 else []), loss / total]
    model.n_iter_ = state.n_pieces
    return interrupt


def _visits(model: Any, X: Any, problem: RidgeProblem) -> tuple[Rows, Objective]:
    """Return the visits of a pass over the rows of X, and the problem with their weights."""
    visited = visited_rows(X, problem.targets, sort=bool(model.shuffle) and not model.kernel_.is_precomputed)
    options = {name: problem.options[name] for name in ("loss", "alpha", "shift")}
    threads = problem.n_threads or 1
    return visited.rows, Objective(problem.description, problem.targets, visited.targets, options, threads)


def _curvature(learner: FeatureLearner | ExpansionLearner, objective: Objective, rows: Rows, first: int = 0) -> float:
    """Return the largest curvature of the loss of a row, as a function of f; `first` is the number of row 0."""
    bounds = ridge_curvatures(
        objective.description, objective.options, objective.visits.take(rows), n_threads=objective.n_threads
    )
    return float((bounds * learner.diagonal(first + rows)).max())


def _truncation(given: Any, m: int) -> int | None:
    """Return how many rows are kept, None for all."""
    if given is None:
        return None
    count = math.ceil(given * m) if isinstance(given, (float, np.floating)) else int(given)
    return count if count < m else None


def _first_state(
    model: Any,
    learner: FeatureLearner | ExpansionLearner,
    d: int,
    earlier: EarlierFit | None,
    truncation: int | None,
) -> DescentState:
    """Return the state before the first step: at zero, or at the coefficients of an earlier fit."""
    kinds = {"average": bool(model.average), "meta": model.learning_rate == "smd"}
    if isinstance(learner, FeatureLearner):
        if earlier is None:
            weights = np.zeros((learner.n_weights, d))
        else:
            weights = earlier.input_weights(intercept=bool(model.fit_intercept))
        return DescentState(Coefficients.of(weights, **kinds), None)
    if earlier is None:
        return DescentState(Coefficients.of(np.zeros((0, d)), **kinds), np.zeros(0, dtype=np.intp))
    assert earlier.dual is not None
    kept = np.flatnonzero(earlier.dual.any(axis=1))
    kept = kept if truncation is None else kept[-truncation:]
    return DescentState(Coefficients.of(earlier.dual[kept], **kinds), kept)


def _continued(
    model: Any, learner: FeatureLearner | ExpansionLearner, before: DescentState | None, d: int, first: int
) -> DescentState:
    """Return the state before the steps on further rows, with what the parameters ask for."""
    average, meta = bool(model.average), model.learning_rate == "smd"
    if before is None:
        if isinstance(learner, FeatureLearner):
            return DescentState(Coefficients.of(np.zeros((learner.n_weights, d)), average=average, meta=meta), None)
        return DescentState(Coefficients.of(np.zeros((0, d)), average=average, meta=meta), np.zeros(0, dtype=np.intp))
    old = before.coefficients
    fresh = Coefficients.of(old.iterate, average=average, meta=meta)
    coefficients = Coefficients(
        old.iterate,
        old.average if average and old.average is not None else fresh.average,
        old.velocity if meta and old.velocity is not None else fresh.velocity,
        old.gains if meta and old.gains is not None else fresh.gains,
    )
    kept = None if isinstance(learner, FeatureLearner) else np.arange(first)
    if kept is not None and model.truncation is not None and len(kept) > model.truncation:
        kept = kept[-int(model.truncation) :]
        coefficients = coefficients.rows(kept)
    return replace(before, coefficients=coefficients, kept=kept)


def _spread(state: DescentState, n: int) -> DescentState:
    """Return the state with a row of coefficients for each training row, in their order, zero where none is kept."""
    assert state.kept is not None

    def spread(array: FloatArray | None) -> FloatArray | None:
        if array is None:
            return None
        out = np.zeros((n, array.shape[1]))
        out[state.kept] = array
        return out

    old = state.coefficients
    iterate = spread(old.iterate)
    assert iterate is not None
    coefficients = Coefficients(iterate, spread(old.average), spread(old.velocity), old.gains)
    return replace(state, coefficients=coefficients, kept=np.arange(n))


def _keep(model: Any, inputs: Any, state: DescentState) -> None:
    """Set the coefficients of `model`; `inputs` are the kept rows."""
    if model.kernel_.is_linear:
        keep_weights(model, state.coefficients.model)
    else:
        keep_dual(model, inputs, state.coefficients.model)
    model.solver_, model.precision_, model.descent_ = "sgd", "double", state


def _stacked(above: Any, below: Any) -> Any:
    """Return two blocks of rows as one, sparse where one of them is."""
    rows, d = above.shape[0] + below.shape[0], above.shape[1]
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([sparse.csr_matrix(above), sparse.csr_matrix(below)], format="csr")
    require_memory(8 * rows * d, f"keeping {rows} rows of {d} features", "set truncation to the number of rows to keep")
    return np.vstack([above, below])
