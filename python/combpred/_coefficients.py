"""The fitted attributes that make up a scorer: weights of the inputs, or coefficients of training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def keep_weights(model: Any, weights: FloatArray) -> None:
    """Set the coefficients of `model` from weights of the inputs (q, d), the constant one last."""
    p = model.n_features_in_
    model.coef_ = np.ascontiguousarray(weights[:p].T)
    model.intercept_ = weights[p].copy() if model.fit_intercept else np.zeros(weights.shape[1])


def keep_dual(model: Any, X: Any, dual: FloatArray) -> None:
    """Set them from coefficients (n, d) of the rows of X; with a linear kernel they make up weights of the inputs."""
    # f(x) = Σ_i (k(x, x_i) + 1) dual_i: the constant feature's share is the sum of the coefficients.
    model.intercept_ = dual.sum(axis=0) if model.fit_intercept else np.zeros(dual.shape[1])
    if model.kernel_.is_linear:
        model.coef_ = np.ascontiguousarray((X.T @ dual).T)
        return
    model.dual_coef_ = dual
    if not model.kernel_.is_precomputed:
        model.X_fit_ = X
