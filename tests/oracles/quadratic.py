"""Quadratic programs by a general solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize


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
