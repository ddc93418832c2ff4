"""Training of ProbabilisticStructured from checked data to fitted attributes, by L-BFGS or SGD.

A new solver is a function like those here, called by ``fit`` for its name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..._data.inputs import require_short_rows, square_norms
from ..._lib.arrays import FloatArray, require_memory, row_blocks
from ..._lib.ridge import Targets
from ...sampling.engines import Engine, SampledTraining, TrainingEngine
from ...sampling.samplers import warn_unless_mixed
from ..training import EarlierFit, keep_dual, keep_weights
from .descent import LARGEST_MOMENT, Descent, LikelihoodSteps, SgdState, descend
from .features import LARGEST_GRAM, InputFeatures, KernelFeatures, second_moment
from .lbfgs import maximise_likelihood, warn_unless_maximal
from .likelihood import Likelihood, Preconditioner, RowsLoss, UniformCurvature, mean_outputs

_DIAGNOSED, _COMPUTED = 64, 16  # rows whose chains are judged after training; of structures that Python draws

_NYSTROM = "fit fewer rows, or take kernel='linear' on inputs mapped by combpred.kernels.NystromMap"


def likelihood_of(model: Any, targets: Targets, engine: TrainingEngine) -> Likelihood:
    """Return the loss of embedded targets."""
    return Likelihood(model.structure_, *mean_outputs(targets), engine)


class _Training(NamedTuple):
    """The rows of positive weight, and the features in which training on them is linear."""

    kept: NDArray[np.intp]
    likelihood: Likelihood
    features: InputFeatures | KernelFeatures


def _prepared(model: Any, X: Any, targets: Targets, engine: Engine) -> _Training:
    whole = likelihood_of(model, targets, engine)
    kept = np.flatnonzero(whole.weights)  # a weight of 0 leaves a row out
    training = engine.for_training(len(kept))
    likelihood = replace(whole, psi=whole.psi[kept], weights=whole.weights[kept], engine=training)
    features = _features(model, X if len(kept) == X.shape[0] else X[kept], likelihood.weights, kept)
    return _Training(kept, likelihood, features)


def fit_by_lbfgs(model: Any, X: Any, targets: Targets, engine: Engine, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood of all rows and set the fitted attributes of `model`."""
    kept, likelihood, features = _prepared(model, X, targets, engine)
    start = None if earlier is None else earlier.weights(X, features, kept)
    found = maximise_likelihood(
        RowsLoss(likelihood, features), start, alpha=float(model.alpha), tol=float(model.tol),
        max_iter=int(model.max_iter), label=type(model).__name__, verbose=int(model.verbose),
    )  # fmt: skip
    _keep(model, X, kept, features, found.weights)
    model.objective_ = found.objective
    model.n_iter_ = max(found.n_iter, 1)
    model.inference_ = found.inference
    for rows in row_blocks(len(kept), likelihood.psi.shape[1]):
        engine.check_range(features.scores(rows, found.weights))
    warn_unless_maximal(found, float(model.tol))


def _features(model: Any, X: Any, weights: FloatArray, kept: NDArray[np.intp]) -> InputFeatures | KernelFeatures:
    """Return the features in which training is linear; `X` has the rows of positive weight."""
    n, p = X.shape
    if model.kernel_.is_linear:
        require_short_rows(square_norms(X), kept)
    if model.kernel_.is_linear and model.solver_ == "sgd":
        moment = second_moment(X, weights, model.fit_intercept, largest=LARGEST_MOMENT)
        return InputFeatures(X, weights, intercept=model.fit_intercept, moment=moment)
    # A linear kernel is taken as one where the rows are fewer than the features.
    if model.kernel_.is_linear and (n >= p or n > LARGEST_GRAM):
        return InputFeatures(X, weights, intercept=model.fit_intercept)
    return kernel_features(model, X, weights, kept)


def kernel_features(model: Any, X: Any, weights: FloatArray, kept: NDArray[np.intp]) -> KernelFeatures:
    """Return the features of the kernel matrix of the rows `kept`, which X has, and all columns where precomputed."""
    n = X.shape[0]
    require_memory(8 * 5 * n * n, f"training on {n} rows with a kernel matrix", _NYSTROM, square_rows=n)
    # Indexing makes the copy of a precomputed matrix that may be overwritten.
    matrix = np.ascontiguousarray(X[:, kept]) if model.kernel_.is_precomputed else model.kernel_.matrix(X)
    return KernelFeatures(matrix, weights, shift=float(model.fit_intercept))


def _keep(
    model: Any, X: Any, kept: NDArray[np.intp], features: InputFeatures | KernelFeatures, weights: FloatArray
) -> None:
    """Set the coefficients of `model`; X has all rows."""
    if isinstance(features, InputFeatures):
        keep_weights(model, weights)
        return
    dual = np.zeros((X.shape[0], weights.shape[1]))
    dual[kept] = features.dual(weights)
    keep_dual(model, X, dual)


def fit_by_descent(model: Any, X: Any, targets: Targets, engine: Engine, earlier: EarlierFit | None = None) -> None:
    """Maximise the likelihood by passes over all rows, and set the fitted attributes of `model`."""
    kept, likelihood, features = _prepared(model, X, targets, engine)
    state = _start(likelihood, features)
    if earlier is not None:
        start = earlier.weights(X, features, kept)
        state = replace(state, weights=start, average=start)
    descent = Descent(likelihood, features, state, alpha=float(model.alpha))
    rng = check_random_state(model.random_state)
    descent.run(
        rng, tol=float(model.tol), max_iter=int(model.max_iter), label=type(model).__name__, verbose=int(model.verbose)
    )
    average = descent.state.average
    _keep(model, X, kept, features, average)
    if isinstance(features, InputFeatures):
        model.descent_ = descent.state
    model.n_iter_ = descent.n_passes
    if isinstance(likelihood.engine, SampledTraining):
        model.inference_ = "mcmc"
        _diagnose(model, likelihood.engine, features, average, len(kept))
    else:
        model.inference_, model.objective_ = descent.inference, descent.objective
        for rows in row_blocks(len(kept), likelihood.psi.shape[1]):
            engine.check_range(features.scores(rows, average))
    descent.warn_unless_converged()


def _diagnose(
    model: Any, engine: SampledTraining, features: InputFeatures | KernelFeatures, weights: FloatArray, n: int
) -> None:
    """Set `chain_diagnostics_` from the chains of some rows, where training left them."""
    if not engine.is_chained:
        return
    most = _COMPUTED if not model.structure_.space.in_library else _DIAGNOSED
    rows = np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
    found = engine.diagnose(rows, features.scores(rows, weights))
    model.chain_diagnostics_ = found
    warn_unless_mixed(found, "training")


def _start(likelihood: Likelihood, features: InputFeatures | KernelFeatures) -> SgdState:
    """Return the state before the first step."""
    shape = len(features.curvature), likelihood.psi.shape[1]
    return SgdState(np.zeros(shape), np.zeros(shape), UniformCurvature.of(likelihood.structure, likelihood.psi))


def continue_descent(model: Any, X: Any, targets: Targets, engine: Engine) -> None:
    """Pass once over the rows of X from the state of `model`, and set its fitted attributes."""
    likelihood = likelihood_of(model, targets, engine.for_training(X.shape[0]))
    kept = np.flatnonzero(likelihood.weights)
    require_short_rows(square_norms(X)[kept], kept)
    order = check_random_state(model.random_state).permutation(kept)
    state: SgdState | None = getattr(model, "descent_", None)
    # After `fit`, which keeps no moment, the rows that it saw are taken to have been as those that come now.
    known = None if state is None else state.moment
    moment = second_moment(X, likelihood.weights, model.fit_intercept, largest=LARGEST_MOMENT)
    seen = 0.0 if state is None else state.n_seen
    weight = float(likelihood.weights.sum())
    total = moment * ((seen + weight) / weight) if known is None else known + moment
    # The penalty is against all rows seen: as if these rows were as many as all are.
    features = InputFeatures(X, likelihood.weights, intercept=model.fit_intercept, moment=total)
    state = replace(_start(likelihood, features) if state is None else state, moment=total)
    share = (seen + weight) / weight
    alpha = float(model.alpha)
    step_sizes = LikelihoodSteps.of(
        Preconditioner.at_zero(alpha, features, state.curvature), alpha, features, share * likelihood.weights
    )
    model.descent_ = state = descend(state, likelihood, features, step_sizes, alpha=alpha, share=share, order=order)
    keep_weights(model, state.average)
    model.n_iter_ = getattr(model, "n_iter_", 0) + 1
    model.inference_ = likelihood.engine.name
