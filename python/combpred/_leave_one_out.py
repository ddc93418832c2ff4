"""Leave-one-out scores under one penalty after another, from one kernel matrix.

Two routes, chosen by the library's plan: factors of the kernel matrix, made anew for each penalty, or one
eigendecomposition for all of them, which takes less memory where Σ has many distinct eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lib
from ._eigen import eigendecompose
from ._memory import require_memory
from ._training import RidgeProblem, Solution, solve_factored, solve_spectral, with_remedy

FloatArray = NDArray[np.float64]


class FactoredLeaveOneOut:
    """Leave-one-out by factors of the kernel matrix (n, n), in the precision that the plan advises.

    As for :func:`solve_factored`, double precision follows where the library finds single not accurate enough for a
    penalty, at once for smaller ones; the larger work space is then kept.
    """

    def __init__(self, problem: RidgeProblem, plan: dict[str, Any], kernel: FloatArray) -> None:
        self._problem = problem
        self._plan = plan
        self._kernel = kernel
        precision = plan["precision"]
        self._double_up_to = 0.0 if precision == "single" else np.inf  # penalties that need double precision
        self._work = np.empty(plan[f"work_loo_{precision}"], dtype=np.uint8)

    def scores(self, alpha: float) -> FloatArray:
        """Return every row's scores (n, d) without its label."""
        if alpha > self._double_up_to:
            try:
                return self._scores(alpha, "single")
            except _lib.NumericalError:
                self._double_up_to = alpha
                self._widen()
        try:
            return self._scores(alpha, "double")
        except _lib.NumericalError as error:
            raise with_remedy(error, self._problem.with_alpha(alpha)) from error

    def solve(self, alpha: float) -> Solution:
        """Train on all rows; no more scores can be asked for afterwards."""
        self._work = np.empty(0, dtype=np.uint8)
        return solve_factored(self._problem.with_alpha(alpha), self._kernel, self._plan)

    def _widen(self) -> None:
        n, n_bytes = self._problem.n, self._plan["work_loo_double"]
        if self._work.nbytes >= n_bytes:
            return
        self._work = np.empty(0, dtype=np.uint8)
        what = f"leaving out each of {n} rows, in the double precision that so small an alpha needs"
        require_memory(n_bytes, what, "take larger alphas, or fewer rows", square_rows=n)
        self._work = np.empty(n_bytes, dtype=np.uint8)

    def _scores(self, alpha: float, precision: str) -> FloatArray:
        problem = self._problem.with_alpha(alpha)
        return _lib.ridge_kernel_loo(
            problem.description, {**problem.options, "precision": precision}, self._kernel, problem.targets,
            self._work, n_threads=problem.n_threads, verbose=problem.verbose,
        )  # fmt: skip


class SpectralLeaveOneOut:
    """Leave-one-out by the eigendecomposition of the weighted kernel matrix D(K + shift)D, which is overwritten."""

    def __init__(self, problem: RidgeProblem, plan: dict[str, Any], weighted_kernel: FloatArray) -> None:
        self._problem = problem
        self._precision = plan["precision"]
        self._decomposition = eigendecompose(weighted_kernel)
        self._work = np.empty(plan[f"work_loo_{self._precision}"], dtype=np.uint8)

    def scores(self, alpha: float) -> FloatArray:
        """Return every row's scores (n, d) without its label."""
        problem = self._problem.with_alpha(alpha)
        try:
            return _lib.ridge_spectral_loo(
                problem.description, {**problem.options, "precision": self._precision}, self._decomposition.values,
                self._decomposition.vectors, problem.targets, self._work,
                n_threads=problem.n_threads, verbose=problem.verbose,
            )  # fmt: skip
        except _lib.NumericalError as error:
            raise with_remedy(error, problem) from error

    def solve(self, alpha: float) -> Solution:
        """Train on all rows; no more scores can be asked for afterwards."""
        self._work = np.empty(0, dtype=np.uint8)
        return solve_spectral(self._problem.with_alpha(alpha), self._decomposition, "closed-form")
