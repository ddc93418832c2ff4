"""From checked training data to the fitted attributes of StructuredRidge, by stochastic gradient descent."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ._coefficients import keep_dual, keep_weights
from ._lib_sgd import Coefficients, ridge_curvatures
from ._memory import require_memory
from ._sgd import PASSES, Pace, Passes, pass_once
from ._sgd_learners import DescentState, ExpansionLearner, FeatureLearner, Objective
from ._sgd_rows import visited_rows
from ._training import RidgeProblem
from ._warm_start import EarlierFit
from ._warn import warn_user

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

# Share of the gain that a last pass may change before the end of the passes is worth a warning.
_UNSETTLED = 0.01


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
