"""Base of label rankers that are support vector machines with a kernel on the inputs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.arrays import FloatArray, require_memory
from ..kernels import InputKernel
from ._base import LabelRanker


@dataclass(eq=False, repr=False)
class KernelRanker(LabelRanker):
    """Base of support vector machines whose scores are linear in the inputs, or in the features of a kernel."""

    C: float = 1.0
    _: KW_ONLY
    kernel: Any = "linear"
    gamma: float | str | None = None
    degree: float = 3
    coef0: float = 1.0
    kernel_params: dict[str, Any] | None = None
    fit_intercept: bool = True
    max_iter: int = 1000
    n_jobs: int | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        **InputKernel._parameter_constraints,
        "kernel_params": [dict, None],
    }

    def _resolve_kernel(self, X: Any, weights: FloatArray | None) -> InputKernel:
        return InputKernel.resolve(
            self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, params=self.kernel_params,
            weights=weights,
        )  # fmt: skip

    def _training_matrix(self, kernel: InputKernel, X: Any, rows: NDArray[np.intp] | None, matrices: int) -> FloatArray:
        """Return the kernel matrix of the rows of X, after checking that so many fit.

        A precomputed X has a column for each row of y, of which `rows` are kept; None: all, and the matrix may be X.
        """
        n = X.shape[0]
        require_memory(
            8 * matrices * n * n, f"training on {n} rows with a kernel matrix", "train on fewer rows", square_rows=n
        )
        return kernel.matrix(X[:, rows] if kernel.is_precomputed and rows is not None else X)

    def _keep(
        self, kernel: InputKernel, X: Any, trained: Any, dual: FloatArray | None, rows: NDArray[np.intp] | None
    ) -> None:
        """Set the fitted attributes from weights of the inputs or, if there are any, dual coefficients of rows of X."""
        self.kernel_ = kernel
        if dual is None:
            self._keep_weights(trained.coefficients)
        else:
            self.intercept_ = dual.sum(axis=0) if self.fit_intercept else np.zeros(dual.shape[1])
            if not kernel.is_precomputed:
                self.X_fit_ = X
            elif rows is not None:  # new rows come with a column for each training row, also those of weight 0
                whole = np.zeros((self.n_features_in_, dual.shape[1]))
                whole[rows], dual = dual, whole
            self.dual_coef_ = dual
        self.objective_, self.dual_gap_, self.n_iter_ = trained.objective, trained.gap, trained.n_iter
        if not trained.converged:
            warn_user(
                f"the duality gap is {trained.gap / trained.objective:.2g} of the objective after {trained.n_iter} "
                f"iterations, tol is {self.tol:g}: raise max_iter or tol, standardise the features, or lower C",
                ConvergenceWarning,
            )

    def _label_scores(self, X: Any) -> FloatArray:
        if self.kernel_.is_linear:
            return super()._label_scores(X)
        return self.kernel_.matrix(X, getattr(self, "X_fit_", None)) @ self.dual_coef_ + self.intercept_

    def _row_width(self) -> int:
        return int(self.n_features_in_) if self.kernel_.is_linear else len(self.dual_coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags
