"""Closed forms and iterations of ridge regression, and advice where memory lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.errors import NumericalError
from .._lib.linalg import Eigendecomposition
from .._lib.memory import require_memory, row_blocks
from .._lib.ridge import FitInfo, Targets, ridge_kernel, ridge_plan, ridge_spectral
from .._lib.structure import Description

#: Landmarks, and rows that stochastic gradient descent keeps, of the advice.
N_KEPT = 1000

_PRODUCT = 4e10  # operations a second in products of large matrices
_STEP = 1.8e10  # and in those of conjugate gradient, which have as many columns as ψ has entries
_ENTRY = 1e-8  # seconds for each entry of the n×d scores in a step of conjugate gradient
_N_STEPS = 20  # steps that it usually takes
_EIGEN = 2.8e-10  # seconds of an eigendecomposition, times the cube of the order
_VALUE = 4e-8  # seconds of a kernel value, but for the product it contains
_STRIPS = 2.0**24  # bytes of embedded targets that training holds at most
_MOVED = 1e-9  # seconds to read and update a number that is not in the processor's cache

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Bytes of memory beside the inputs, and seconds of processor time."""

    n_bytes: float
    seconds: float

    def __str__(self) -> str:
        return f"about {_amount(self.n_bytes / 2**20, (('MiB', 1), ('GiB', 1024)))} and {_duration(self.seconds)}"


def primal_estimate(n: int, p: int, d: int) -> Estimate:
    """Training on n rows of p features by ``solver="primal"``, for structures with d entries of ψ."""
    steps = _N_STEPS * (4.0 * (n * p + p * p) * d / _STEP + n * d * _ENTRY)
    # Targets are embedded a strip at a time, or held where rows and targets fill no more than a block.
    strips = min(8.0 * n * d, _STRIPS)
    return Estimate(strips + 8.0 * (3 * p * p + 10 * p * d), 2.0 * n * p * p / _PRODUCT + _EIGEN * p**3 + steps)


def nystrom_estimate(n: int, p: int, d: int, landmarks: int) -> Estimate:
    """Embedding n rows of p features by `landmarks`, and training on them as above. p = 0: values cost nothing."""
    values = float(n) * landmarks * (_VALUE + 2.0 * p / _PRODUCT) if p else 0.0
    embedding = values + 2.0 * n * landmarks**2 / _PRODUCT + _EIGEN * landmarks**3
    training = primal_estimate(n, landmarks, d)
    return Estimate(training.n_bytes + 8.0 * n * landmarks, training.seconds + embedding)


def sgd_estimate(n: int, p: int, d: int, truncation: int) -> Estimate:
    """One pass over n rows of p features by ``solver="sgd"`` that keeps `truncation` of them."""
    row = truncation * (_VALUE + (p + d) * _MOVED)
    return Estimate(8.0 * (n * d + 2 * truncation * (p + d)), n * row)


def alternatives(kernel: str | Callable[..., float], n: int, p: int, d: int) -> str:
    """Return what to do instead of training by the kernel matrix of n rows, with what it takes.

    Parameters
    ----------
    kernel : str or callable
        As the estimators take it.
    n, p, d : int
        Rows, features of a row, and entries of ψ.

    Returns
    -------
    str
        The end of a message.
    """
    kept = min(N_KEPT, n)
    if kernel == "precomputed":
        return (
            "fit fewer rows, or pass inputs and a kernel in place of the matrix, with "
            f"make_pipeline(combpred.kernels.NystromMap({kept}, ...), StructuredRidge()), which takes "
            f"{nystrom_estimate(n, 0, d, kept)} beside the kernel values"
        )
    sgd = f"solver='sgd' with truncation={kept} ({sgd_estimate(n, p, d, kept)} a pass)"
    if kernel == "linear":
        primal = f"solver='primal', which needs no kernel matrix ({primal_estimate(n, p, d)})"
        return f"fit fewer rows, or take {primal}, or {sgd}; times are those of one processor"
    known = not callable(kernel)
    nystrom = (
        f"make_pipeline(combpred.kernels.NystromMap({kept}, ...), StructuredRidge()) "
        f"({nystrom_estimate(n, p if known else 0, d, kept)}{'' if known else ' beside the calls of the kernel'})"
    )
    return f"fit fewer rows, or take {nystrom}, or {sgd}; times are those of one processor"


def _amount(value: float, units: tuple[tuple[str, float], ...]) -> str:
    """Return a value in the largest unit of which it holds at least one."""
    name, size = next(((name, size) for name, size in reversed(units) if value >= size), units[0])
    return f"{value / size:.2g} {name}" if value / size < 10 else f"{value / size:.0f} {name}"


def _duration(seconds: float) -> str:
    return _amount(max(seconds, 0.1), (("s", 1), ("min", 60), ("h", 3600)))


@dataclass(frozen=True)
class RidgeProblem:
    """What all routes need: a structure, its outputs, and the options of the library's training calls."""

    description: Description
    targets: Targets
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
        return ridge_plan(self.description, self.options, self.n, n_features, n_stored)


@dataclass(frozen=True)
class Solution:
    """Coefficients with the account of how they were found."""

    coefficients: FloatArray  # dual (n, d), or primal (q, d)
    solver: str
    precision: str  # of the factors: "single" or "double"; results are refined in double either way
    info: FitInfo


def solve_factored(problem: RidgeProblem, kernel: FloatArray, plan: dict[str, Any]) -> Solution:
    """Solve from the kernel matrix itself, by factors or by iteration.

    Factors are taken in the precision that the plan advises, single for large problems. Where the matrix is too
    ill-conditioned for that, the library says so and they are taken in double; `Solution.precision` records which.
    """
    options = {**problem.options, "solver": plan["solver"], "precision": plan["precision"]}
    try:
        return _solve_factored(problem, kernel, options, plan[f"work_{plan['precision']}"])
    except NumericalError as error:
        if plan["precision"] == "double":
            raise with_remedy(error, problem) from error
    try:
        return _solve_factored(problem, kernel, {**options, "precision": "double"}, plan["work_double"])
    except NumericalError as error:
        raise with_remedy(error, problem) from error


def with_remedy(error: NumericalError, problem: RidgeProblem) -> NumericalError:
    """Return `error` with the penalty, the tolerance and what to do."""
    return NumericalError(
        f"{error}; alpha is {problem.options['alpha']:g}, tol {problem.options['tol']:g}: raise alpha, or check that "
        "the kernel is positive semi-definite"
    )


def _solve_factored(problem: RidgeProblem, kernel: FloatArray, options: dict[str, Any], n_bytes: int) -> Solution:
    require_memory(n_bytes, f"training on {problem.n} rows: the work space", "fit fewer rows", square_rows=problem.n)
    work = np.empty(n_bytes, dtype=np.uint8)
    dual, info = ridge_kernel(
        problem.description, options, kernel, problem.targets, work,
        n_threads=problem.n_threads, verbose=problem.verbose,
    )  # fmt: skip
    # Iterations work on the kernel matrix itself and have no factors.
    precision = options["precision"] if options["solver"] == "closed-form" else "double"
    return Solution(dual, options["solver"], precision, info)


def solve_spectral(problem: RidgeProblem, decomposition: Eigendecomposition, solver: str) -> Solution:
    """Solve from the eigendecomposition of D(K + shift)D."""
    try:
        dual, info = ridge_spectral(
            problem.description, {**problem.options, "solver": solver}, decomposition.values, decomposition.vectors,
            problem.targets, n_threads=problem.n_threads, verbose=problem.verbose,
        )  # fmt: skip
    except NumericalError as error:
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


def warn_unless_converged(info: FitInfo, tol: float) -> None:
    """Issue a ConvergenceWarning for a solution that the iteration limit cut short."""
    if not info.converged:
        warn_user(
            f"the solver stopped after {info.n_iter} iterations at a relative residual of {info.residual:.1e}, above "
            f"tol={tol:.1e}: raise max_iter, alpha or tol, or scale the inputs",
            ConvergenceWarning,
        )
