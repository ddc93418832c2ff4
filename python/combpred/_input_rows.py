"""Rows of features as every estimator takes them: converted as scikit-learn does, and finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ._compat import validate_input


def check_rows(estimator: Any, X: Any, *, reset: bool, accept_sparse: bool = True, dtype: Any = np.float64) -> Any:
    """Return X as a C-contiguous array of a type in `dtype`, or as CSR with int32 indices where those suffice.

    CSR has sorted indices, each once: what is stored for one entry is added up. The number of features and their names
    are set (`reset`) or compared. ValueError for what is not finite, naming row and column.
    """
    X = validate_input(
        estimator, X, reset=reset, accept_sparse="csr" if accept_sparse else False, dtype=dtype, order="C"
    )
    require_finite(X)
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:  # scikit-learn's norms of rows, hence its distances, are wrong for repeated entries
        X = X.copy()
        X.sum_duplicates()
    return _with_small_indices(X)


def unconverted_rows(estimator: Any, X: Any, *, accept_sparse: bool = True) -> Any:
    """Return X as an array of any number type, or as `check_rows` does where it is sparse, for `rows_in_double`.

    An array is not looked through, so that a memory-mapped file is not read, nor are float32 inputs copied as a whole.
    """
    if sparse.issparse(X):
        return check_rows(estimator, X, reset=False, accept_sparse=accept_sparse)
    return validate_input(estimator, X, reset=False, accept_sparse=False, dtype="numeric")


def rows_in_double(X: Any, rows: slice) -> Any:
    """Return some rows as a C-contiguous float64 array, or as CSR; ValueError for what is not finite."""
    block = X[rows]
    if not sparse.issparse(block):
        block = np.ascontiguousarray(block, dtype=np.float64)
    require_finite(block, rows.start)
    return block


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
