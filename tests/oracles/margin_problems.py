"""Margins by their definition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize


def members(structure):
    return np.concatenate([structure.space.embed(parts) for parts in structure.space.listed()])


def data(structure, n=5, p=2, seed=0):
    """Return inputs and random outputs, so that no scorer explains all of them."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), structure.sample(n, seed)


def hinge_losses(W, X, psi, outputs, losses, slack):
    """Return the loss of each row by a look at all outputs; losses (n, N)."""
    margins = np.einsum("nd,nNd->nN", X @ W, psi[:, np.newaxis] - outputs[np.newaxis])
    return (losses * (1 - margins) if slack else losses - margins).max(axis=1)


def least_objective(X, psi, outputs, losses, penalties, slack):
    """Minimise ½‖W‖² + Σ C_i ξ_i under one constraint for each row and output, by a general solver."""
    n, q, d = len(X), X.shape[1], psi.shape[1]
    features = np.einsum("nq,nNd->nNqd", X, psi[:, np.newaxis] - outputs[np.newaxis])
    if slack:
        features = features * losses[..., np.newaxis, np.newaxis]
    rows = features.reshape(n, -1, q * d)
    slopes = np.hstack([rows.reshape(-1, q * d), np.repeat(np.eye(n), rows.shape[1], axis=0)])

    def above(v):
        return (rows @ v[: q * d] + v[q * d :, np.newaxis] - losses).ravel()

    return least_svm_objective(q * d, penalties, losses.max(axis=1), above, slopes, 1e-12)


def least_svm_objective(
    n_weights: int,
    costs: np.ndarray,
    slacks: np.ndarray,
    above: Callable[[np.ndarray], np.ndarray],
    slopes: np.ndarray,
    tolerance: float,
) -> float:
    """Minimise ½‖w‖² + ⟨costs, ξ⟩ under above(w, ξ) ≥ 0, whose derivative is `slopes`, by SLSQP from three starts.

    From some starts it ends early or gives up, with some kernels of BLAS.
    """
    rng, reached = np.random.default_rng(0), []
    for scale in (0.0, 0.1, 1.0):
        found = minimize(
            lambda z: 0.5 * z[:n_weights] @ z[:n_weights] + costs @ z[n_weights:],
            np.r_[scale * rng.normal(size=n_weights), slacks],
            jac=lambda z: np.r_[z[:n_weights], costs],
            constraints={"type": "ineq", "fun": above, "jac": lambda z: slopes},
            method="SLSQP",
            options={"maxiter": 500, "ftol": tolerance},
        )
        if found.success:
            reached.append(float(found.fun))
    return min(reached)
