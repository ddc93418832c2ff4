"""From checked training data to the fitted attributes of a probabilistic model, by L-BFGS or by SGD."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from . import _lib
from ._abi import Control
from ._averaged_sgd import SgdState, descend
from ._config import get_n_threads
from ._features import LARGEST_GRAM, InputFeatures, KernelFeatures
from ._likelihood import Likelihood, UniformCurvature, maximise, warn_unless_maximal
from ._memory import require_memory
from ._progress import reported

FloatArray = NDArray[np.float64]

_NYSTROEM = "fit fewer rows, or take kernel='linear' on inputs mapped by sklearn.kernel_approximation.Nystroem"


def likelihood_of(model: Any, targets: _lib.Targets) -> Likelihood:
    """Return the loss of embedded targets. A set of k structures is k rows: their mean, with k times the weight."""
    psi, n = targets.psi, targets.n
    weights = np.ones(n) if targets.weights is None else targets.weights
    if targets.first is not None:
        sizes = np.diff(targets.first)
        psi = np.add.reduceat(psi, targets.first[:-1], axis=0) / sizes[:, None]
        weights = weights * sizes
    return Likelihood(model.structure_, psi, weights, get_n_threads(model.n_jobs))


def fit_by_lbfgs(model: Any, X: Any, targets: _lib.Targets) -> None:
    """Maximise the likelihood of all rows and set the fitted attributes of `model`."""
    whole = likelihood_of(model, targets)
    kept = np.flatnonzero(whole.weights)  # a weight of 0 leaves a row out
    likelihood = Likelihood(whole.structure, whole.psi[kept], whole.weights[kept], whole.n_threads)
    features = _features(model, X if len(kept) == X.shape[0] else X[kept], likelihood.weights, kept)
    found = maximise(
        likelihood, features, alpha=float(model.alpha), tol=float(model.tol), max_iter=int(model.max_iter),
        label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    if isinstance(features, InputFeatures):
        _keep_weights(model, found.weights)
    else:
        dual = np.zeros((X.shape[0], found.weights.shape[1]))
        dual[kept] = features.dual(found.weights)
        _keep_dual(model, X, dual)
    model.objective_ = found.objective
    model.n_iter_ = max(found.n_iter, 1)
    model.inference_ = found.engine
    warn_unless_maximal(found, float(model.tol))


def _features(model: Any, X: Any, weights: FloatArray, kept: NDArray[np.intp]) -> InputFeatures | KernelFeatures:
    """Return the features in which training is linear; `X` has the rows that are kept."""
    n, p = X.shape
    # A linear kernel is taken as one where the rows are fewer than the features.
    if model.kernel_.is_linear and (n >= p or n > LARGEST_GRAM):
        return InputFeatures(X, weights, intercept=model.fit_intercept)
    require_memory(8 * 5 * n * n, f"training on {n} rows with a kernel matrix", _NYSTROEM, square_rows=n)
    # Indexing makes the copy of a precomputed matrix that may be overwritten.
    matrix = np.ascontiguousarray(X[:, kept]) if model.kernel_.is_precomputed else model.kernel_.matrix(X)
    return KernelFeatures(matrix, weights, shift=float(model.fit_intercept))


def _keep_weights(model: Any, weights: FloatArray) -> None:
    p = model.n_features_in_
    model.coef_ = np.ascontiguousarray(weights[:p].T)
    model.intercept_ = weights[p].copy() if model.fit_intercept else np.zeros(weights.shape[1])


def _keep_dual(model: Any, X: Any, dual: FloatArray) -> None:
    # f(x) = Σ_i (k(x, x_i) + 1) dual_i: the constant feature's share is the sum of the coefficients.
    model.intercept_ = dual.sum(axis=0) if model.fit_intercept else np.zeros(dual.shape[1])
    if model.kernel_.is_linear:
        model.coef_ = np.ascontiguousarray((X.T @ dual).T)
        return
    model.dual_coef_ = dual
    if not model.kernel_.is_precomputed:
        model.X_fit_ = X


def fit_by_descent(model: Any, X: Any, targets: _lib.Targets) -> None:
    """Pass over all rows until the averaged weights settle, and set the fitted attributes of `model`."""
    likelihood = likelihood_of(model, targets)
    kept = np.flatnonzero(likelihood.weights)
    rng = check_random_state(model.random_state)
    state, change = _start(likelihood, X), np.inf
    control = Control()
    with reported(control, type(model).__name__, verbose=int(model.verbose)):
        for n_passes in range(1, int(model.max_iter) + 1):
            before = state.average
            state = descend(
                state, likelihood, X, alpha=float(model.alpha), intercept=model.fit_intercept,
                total=float(likelihood.weights.sum()), order=rng.permutation(kept),
            )  # fmt: skip
            change = float(np.linalg.norm(state.average - before))
            change /= max(float(np.linalg.norm(state.average)), np.finfo(float).tiny)
            control.step, control.value = n_passes, change
            if change <= model.tol:
                break
    _keep_descent(model, state)
    penalty = float(model.alpha) * float(np.sum(np.square(state.average)))
    evaluated = [likelihood.evaluate(rows, scores) for rows, scores in model._score_blocks(X)]
    model.objective_ = penalty + sum(block.loss for block in evaluated)
    model.inference_ = evaluated[0].engine
    model.n_iter_ = n_passes
    if change > model.tol:
        warnings.warn(
            f"the last of {n_passes} passes changed the weights by {change:.1e} of their norm, above "
            f"tol={model.tol:.1e}; raise tol or max_iter, or take solver='lbfgs'",
            ConvergenceWarning,
            stacklevel=2,
        )


def _start(likelihood: Likelihood, X: Any) -> SgdState:
    """Return the state before the first step."""
    d = likelihood.psi.shape[1]
    curvature = float(UniformCurvature.of(likelihood.structure, likelihood.psi).values.max())
    return SgdState(np.zeros((X.shape[1] + 1, d)), np.zeros((X.shape[1] + 1, d)), curvature)


def continue_descent(model: Any, X: Any, targets: _lib.Targets) -> None:
    """Pass once over the rows of X, from where `model` stands, and set its fitted attributes."""
    likelihood = likelihood_of(model, targets)
    state = getattr(model, "descent_", None) or _start(likelihood, X)
    state = descend(
        state, likelihood, X, alpha=float(model.alpha), intercept=model.fit_intercept, total=None,
        order=check_random_state(model.random_state).permutation(np.flatnonzero(likelihood.weights)),
    )  # fmt: skip
    _keep_descent(model, state)
    model.n_iter_ = getattr(model, "n_iter_", 0) + 1


def _keep_descent(model: Any, state: SgdState) -> None:
    model.descent_ = state
    _keep_weights(model, state.average)
