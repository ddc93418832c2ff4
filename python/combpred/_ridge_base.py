"""What StructuredRidge and StructuredRidgeCV share: parameters, the training problem, and keeping its solution."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ._alternatives import alternatives
from ._coefficients import keep_dual, keep_weights
from ._config import get_n_threads
from ._kernel_estimator import KernelEstimator, TrainingRows
from ._memory import require_memory
from ._training import RidgeProblem, Solution, warn_unless_converged, weighted_kernel

FloatArray = NDArray[np.float64]


class RidgeBase(KernelEstimator):
    """Base of the ridge estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        "loss": [StrOptions({"auc", "squared"})],
        "kernel_params": [dict, None],
        "solver": [StrOptions({"auto", "closed-form", "cg", "newton-cg", "primal", "sgd"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    }

    def _check_options(self) -> None:
        """Raise ValueError for parameters that contradict each other."""
        if self.solver == "primal" and self.kernel != "linear":
            raise ValueError(
                f"solver='primal' needs kernel='linear', got kernel={self.kernel!r}: take solver='auto', or a linear "
                "kernel on inputs mapped by combpred.kernels.NystromMap"
            )
        if self.kernel_params and not callable(self.kernel):
            raise ValueError(
                f"kernel_params={self.kernel_params!r} has no effect on kernel={self.kernel!r}: it is for callable "
                "kernels; give gamma, degree and coef0 as parameters of their own"
            )

    def _validate_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Check the training data, set `structure_` and `kernel_`, and return X with the problem to solve."""
        self._require_target(y)
        X = self._check_input(X, reset=True)
        self._check_options()
        rows = self._check_training_rows(X, y, sample_weight)
        self._settle_kernel(rows, self.kernel_params)
        return X, self._problem(rows)

    def _problem(self, rows: TrainingRows) -> RidgeProblem:
        """Return the problem to solve on checked rows."""
        if self.loss == "squared":
            self.structure_._require_preimage()
        return RidgeProblem(
            description=self.structure_._describe(),
            targets=self._embed_rows(rows),
            options=self._library_options(),
            n_threads=get_n_threads(self.n_jobs),
            verbose=int(self.verbose),
        )

    def _library_options(self) -> dict[str, Any]:
        return {
            "loss": self.loss,
            "tol": float(self.tol),
            "max_iter": int(self.max_iter or 0),
            "shift": float(self.fit_intercept),
            "solver": self.solver,
        }

    def _training_kernel(self, X: Any, n_bytes: int, *, overwritable: bool = False) -> FloatArray:
        """Return the n×n kernel matrix after checking that it fits in memory beside `n_bytes` of work space.

        `overwritable` makes sure that the caller may write to it: a precomputed matrix is then copied.
        """
        n = X.shape[0]
        copied = self.kernel_.is_precomputed and overwritable
        own = 8 * n * n if copied or not self.kernel_.is_precomputed else 0
        remedy = self._remedy(n, X.shape[1])
        require_memory(own + n_bytes, f"training on {n} rows with a kernel matrix", remedy, square_rows=n)
        kernel = self.kernel_.matrix(X)
        return kernel.copy() if copied else kernel

    def _remedy(self, n: int, p: int) -> str:
        """Return what to do when n×n matrices do not fit."""
        return alternatives(self.kernel, n, p, self.structure_.n_features)

    def _weighted_kernel(self, X: Any, problem: RidgeProblem) -> FloatArray:
        """Return D(K + shift)D for the spectral route, after checking that diagonalising it fits: two more matrices."""
        kernel = self._training_kernel(X, 16 * problem.n**2, overwritable=True)
        return weighted_kernel(kernel, problem.targets.row_weights(), problem.options["shift"])

    def _keep(self, X: Any, solution: Solution) -> None:
        """Set the fitted attributes from a solution."""
        if solution.solver == "primal":
            keep_weights(self, solution.coefficients)
        else:
            keep_dual(self, X, solution.coefficients)
        self.solver_ = solution.solver
        self.precision_ = solution.precision
        self.objective_ = float(solution.info.objective)
        self.n_iter_ = max(int(solution.info.n_iter), 1)
        warn_unless_converged(solution.info, self.tol)

    def _decoding_scores(self, scores: FloatArray, first: int = 0) -> tuple[FloatArray, FloatArray | None]:
        if self.loss == "auc":
            return scores, None
        # Pre-image of f + μ: argmin_y ‖ψ(y) − (f + μ)‖² = argmax_y ⟨f + μ, ψ(y)⟩ − ½‖ψ(y)‖², a score of −½ on the
        # squares of the entries of ψ (Weston et al., 2002, "Kernel dependency estimation").
        return scores + self.structure_.mean(), np.full(scores.shape[1], -0.5)
