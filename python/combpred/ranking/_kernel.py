"""What label rankers with a kernel on the inputs share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._lib.arrays import FloatArray
from .._models.training import keep_dual
from ..kernels import InputKernel
from ._base import LabelRanker
from ._preferences import Preferences


class KernelRanker(LabelRanker):
    """Base of rankers by scores that are linear in the inputs or in a kernel, which their parameters describe."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **InputKernel._parameter_constraints,
        "kernel_params": [dict, None],
        "fit_intercept": ["boolean"],
    }

    def _resolve_kernel(self, X: Any, weights: FloatArray | None) -> None:
        """Set `kernel_`."""
        self.kernel_ = InputKernel.resolve(
            self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0, params=self.kernel_params,
            weights=weights,
        )  # fmt: skip

    def _keep_dual(self, X: Any, dual: FloatArray, rows: NDArray[np.intp] | None) -> None:
        """Set the coefficients of the rows of X, those of training that have these numbers; None: all."""
        if self.kernel_.is_precomputed and rows is not None:  # new rows come with a column for each row of training
            whole = np.zeros((self.n_features_in_, dual.shape[1]))
            whole[rows], dual = dual, whole
        keep_dual(self, X, dual)

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Preferences, FloatArray | None]:
        InputKernel.check_params(self.kernel, self.kernel_params)
        if self.kernel == "precomputed":
            _require_dense(X)
            if np.ndim(X) != 2 or np.shape(X)[0] != np.shape(X)[1]:
                raise ValueError(
                    f"X must be a square kernel matrix when kernel='precomputed', got shape {np.shape(X)}; pass "
                    "k(x_i, x_j) of all pairs of training rows"
                )
        return super()._check_training(X, y, sample_weight)

    def _label_scores(self, X: Any) -> FloatArray:
        if self.kernel_.is_linear:
            return super()._label_scores(X)
        scores: FloatArray = self.kernel_.matrix(X, getattr(self, "X_fit_", None)) @ self.dual_coef_ + self.intercept_
        return scores

    def _check_new_rows(self, X: Any) -> Any:
        if self.kernel == "precomputed":
            _require_dense(X)
        return super()._check_new_rows(X)

    def _row_width(self) -> int:
        return int(self.n_features_in_) if self.kernel_.is_linear else len(self.dual_coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn < 1.6
        if self.kernel != "precomputed":
            return super()._more_tags()
        return {**super()._more_tags(), "pairwise": True, "X_types": ["2darray"]}


def _require_dense(X: Any) -> None:
    if sparse.issparse(X):
        raise TypeError("X is a sparse matrix; with kernel='precomputed' pass a dense array (X.toarray())")
