"""An estimator's manners: its input, what it tells scikit-learn about itself, and what a failed fit leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._compat import classifier_tags, validate_input
from .structures import LabelSets, MultiClass, Structure


class StructuredEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of estimators with the constructor parameters `structure` and `kernel`."""

    structure: Any
    kernel: Any

    def _check_input(self, X: Any, *, reset: bool = False) -> Any:
        """Return X as a C-contiguous float64 array, or as CSR with int32 indices where those suffice; always finite."""
        if not reset:
            check_is_fitted(self)
        precomputed = self.kernel == "precomputed"
        if not reset and precomputed:
            shape = np.shape(X)  # X may be a list
            if len(shape) == 2 and shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_}: with "
                    "kernel='precomputed', X holds the kernel values between new rows and the rows of training, of "
                    f"shape (n, {self.n_features_in_})"
                )
        X = validate_input(
            self,
            X,
            reset=reset,
            accept_sparse=False if precomputed else "csr",
            dtype=np.float64,
            order="C",
        )
        if reset and precomputed:
            return X  # training checks a kernel matrix as a whole
        require_finite(X)
        return _with_small_indices(X) if sparse.issparse(X) else X

    def _classifies(self) -> bool:
        """Whether scikit-learn should treat this as a classifier (and stratify, for one)."""
        return self.structure is None or is_a(self.structure, MultiClass) or is_a(self.structure, LabelSets)

    @property
    def _estimator_type(self) -> str:
        if not self._classifies():
            raise AttributeError(f"{type(self).__name__} with structure={self.structure!r} is not a classifier")
        return "classifier"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        if self._classifies():
            tags.estimator_type = "classifier"
            # With structure None it is y that decides, so several labels are claimed only where they are asked for.
            tags.classifier_tags = classifier_tags(multi_label=is_a(self.structure, LabelSets))
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn < 1.6
        return {
            "requires_y": True,
            "pairwise": self.kernel == "precomputed",
            "multilabel": is_a(self.structure, LabelSets),
            "X_types": ["2darray"] if self.kernel == "precomputed" else ["2darray", "sparse"],
        }


def is_a(structure: Any, kind: type[Structure]) -> bool:
    return isinstance(structure, kind) or structure == kind.name


def _with_small_indices(X: Any) -> Any:
    """Return CSR with int32 indices if those suffice: parts of scikit-learn take no others."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def require_finite(X: Any, first_row: int = 0) -> None:
    """Raise ValueError for NaN or infinity in an array or CSR, naming the place, with rows counted from `first_row`."""
    stored = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):  # a sum may overflow where no entry is infinite
        total = stored.sum(dtype=np.float64)
    if np.isfinite(total) or np.isfinite(stored).all():
        return
    if sparse.issparse(X):
        X = X.tocoo()
        at = np.flatnonzero(~np.isfinite(X.data))[0]
        row, column, value = X.row[at], X.col[at], X.data[at]
    else:
        row, column = np.argwhere(~np.isfinite(X))[0]
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    raise ValueError(
        f"Input X contains {what}, first at row {first_row + row}, column {column}: remove such rows, or fill them in "
        "with sklearn.impute.SimpleImputer"
    )


@contextmanager
def unchanged_on_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Bring all attributes back if what follows fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def refit(estimator: BaseEstimator) -> Iterator[None]:
    """Clear what an earlier fit left, and bring all of it back if the new fit fails or is interrupted."""
    with unchanged_on_failure(estimator):
        for name in list(vars(estimator)):
            if name.endswith("_") and not name.startswith("_"):
                delattr(estimator, name)
        yield
