"""Solving one structured ridge problem: memory, the library call for each route, and what it returned.

The matrices of n² entries live here, in NumPy arrays: the kernel matrix, and the work space that the library asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from . import _lib
from ._eigen import Eigendecomposition
from ._memory import require_memory
from ._row_blocks import row_blocks
from ._warn import warn_user

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeProblem:
    """What all routes need: a structure, its outputs, and the options of the library's training calls."""

    description: _lib.Description
    targets: _lib.Targets
    options: dict[str, Any]
    n_threads: int | None
    verbose: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.targets.n

    def with_alpha(self, alpha: float) -> RidgeProblem:
        """Return the same problem under another penalty."""
        return replace(self, options={**self.options, "alpha": float(alpha)})

    def plan(self, n_features: int, n_stored: int) -> dict[str, Any]:
        """Ask the library how to solve it; n_features = 0 when only a kernel is given."""
        return _lib.ridge_plan(self.description, self.options, self.n, n_features, n_stored)


@dataclass(frozen=True)
class Solution:
    """Coefficients with the account of how they were found."""

    coefficients: FloatArray  # dual (n, d), or primal (q, d)
    solver: str
    precision: str  # of the factors: "single" or "double"; results are refined in double either way
    info: _lib.FitInfo


def solve_factored(problem: RidgeProblem, kernel: FloatArray, plan: dict[str, Any]) -> Solution:
    """Solve from the kernel matrix itself, by factors or by iteration.

    Factors are taken in the precision that the plan advises, single for large problems. Where the matrix is too
    ill-conditioned for that, the library says so and they are taken in double; `Solution.precision` records which.
    """
    options = {**problem.options, "solver": plan["solver"], "precision": plan["precision"]}
    try:
        return _solve_factored(problem, kernel, options, plan[f"work_{plan['precision']}"])
    except _lib.NumericalError as error:
        if plan["precision"] == "double":
            raise with_remedy(error, problem) from error
    try:
        return _solve_factored(problem, kernel, {**options, "precision": "double"}, plan["work_double"])
    except _lib.NumericalError as error:
        raise with_remedy(error, problem) from error


def with_remedy(error: _lib.NumericalError, problem: RidgeProblem) -> _lib.NumericalError:
    """Return `error` with the penalty, the tolerance and what to do."""
    return _lib.NumericalError(
        f"{error}; alpha is {problem.options['alpha']:g}, tol {problem.options['tol']:g}: raise alpha, or check that "
        "the kernel is positive semi-definite"
    )


def _solve_factored(problem: RidgeProblem, kernel: FloatArray, options: dict[str, Any], n_bytes: int) -> Solution:
    require_memory(n_bytes, f"training on {problem.n} rows: the work space", "fit fewer rows", square_rows=problem.n)
    work = np.empty(n_bytes, dtype=np.uint8)
    dual, info = _lib.ridge_kernel(
        problem.description, options, kernel, problem.targets, work,
        n_threads=problem.n_threads, verbose=problem.verbose,
    )  # fmt: skip
    # Iterations work on the kernel matrix itself and have no factors.
    precision = options["precision"] if options["solver"] == "closed-form" else "double"
    return Solution(dual, options["solver"], precision, info)


def solve_spectral(problem: RidgeProblem, decomposition: Eigendecomposition, solver: str) -> Solution:
    """Solve from the eigendecomposition of D(K + shift)D."""
    try:
        dual, info = _lib.ridge_spectral(
            problem.description, {**problem.options, "solver": solver}, decomposition.values, decomposition.vectors,
            problem.targets, n_threads=problem.n_threads, verbose=problem.verbose,
        )  # fmt: skip
    except _lib.NumericalError as error:
        raise with_remedy(error, problem) from error
    return Solution(dual, solver, "double", info)


def gram_matrix(X: Any, weights: FloatArray | None, intercept: bool) -> FloatArray:
    """Return XᵀD²X, with a last column of ones appended to X when `intercept`. Cost O(n p²), less when X is sparse."""
    n, p = X.shape
    w = np.ones(n) if weights is None else weights
    gram = np.empty((p + int(intercept), p + int(intercept)))
    if sparse.issparse(X):
        weighted = X if weights is None else sparse.diags(w).dot(X)
        gram[:p, :p] = (X.T @ weighted).toarray()
    else:
        gram[:p, :p] = 0.0
        for rows in row_blocks(n, p):
            gram[:p, :p] += (X[rows].T * w[rows]) @ X[rows]
    if intercept:
        gram[p, :p] = gram[:p, p] = X.T @ w
        gram[p, p] = w.sum()
    return gram


def weighted_kernel(kernel: FloatArray, weights: FloatArray | None, shift: float) -> FloatArray:
    """Return D(K + shift)D with D = diag(√weights), overwriting `kernel`."""
    root = None if weights is None else np.sqrt(weights)
    for rows in row_blocks(*kernel.shape):
        block = kernel[rows]
        block += shift
        if root is not None:
            block *= root[rows, None]
            block *= root
    return kernel


def warn_unless_converged(info: _lib.FitInfo, tol: float) -> None:
    """Issue a ConvergenceWarning for a solution that the iteration limit cut short."""
    if not info.converged:
        warn_user(
            f"the solver stopped after {info.n_iter} iterations at a relative residual of {info.residual:.1e}, above "
            f"tol={tol:.1e}: raise max_iter, alpha or tol, or scale the inputs",
            ConvergenceWarning,
        )
