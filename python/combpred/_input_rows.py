"""Rows of features as every estimator takes them: converted as scikit-learn does, and finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ._compat import validate_input


def check_rows(estimator: Any, X: Any, *, reset: bool, accept_sparse: bool = True, dtype: Any = np.float64) -> Any:
    """Return X as a C-contiguous array of a type in `dtype`, or as CSR with int32 indices where those suffice.

    The number of features and their names are set (`reset`) or compared. ValueError for what is not finite, naming row
    and column.
    """
    X = validate_input(
        estimator, X, reset=reset, accept_sparse="csr" if accept_sparse else False, dtype=dtype, order="C"
    )
    require_finite(X)
    return _with_small_indices(X) if sparse.issparse(X) else X


def require_finite(X: Any, first_row: int = 0) -> None:
    """Raise ValueError for NaN or infinity in X, an array or a sparse matrix, naming row and column.

    Rows are counted from `first_row`.
    """
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


def _with_small_indices(X: Any) -> Any:
    """Return CSR with int32 indices if those suffice: parts of scikit-learn take no others."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
