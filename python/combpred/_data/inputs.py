"""Inputs and weights as training and prediction read them, and what a failed fit leaves."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # scikit-learn < 1.6: the function was a method of every estimator, with another keyword

    def _validate_data(estimator: Any, /, X: Any, *, ensure_all_finite: bool, **options: Any) -> Any:
        return estimator._validate_data(X, force_all_finite=ensure_all_finite, **options)


def validate_input(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """Convert X as `options` of scikit-learn's check_array say; set (reset) or check its number of features and names.

    NaN and infinity pass: the caller looks for them and names the row.
    """
    return _validate_data(estimator, X=X, reset=reset, ensure_all_finite=False, **options)


def classifier_tags(*, multi_label: bool) -> Any:
    """Return the tags of a classifier; only scikit-learn >= 1.6 asks for them."""
    from sklearn.utils import ClassifierTags

    return ClassifierTags(multi_class=True, multi_label=multi_label)


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


def check_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Return sample weights as a vector of n float64, or None for all ones.

    A number stands for itself in every row. ValueError for a wrong shape, for weights that are not finite or negative
    (naming the row), and when all are zero; `name` and `rows` are what it calls the weights and what they weigh.
    """
    weights = row_weights(sample_weight, n, name=name, rows=rows)
    if weights is not None and not weights.any():
        raise ValueError(f"{name} is zero in every row: at least one weight must be positive")
    return weights


def row_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Do the same for n rows of many, whose weights may all be zero."""
    if sample_weight is None:
        return None
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, one for each row: {error}") from error
    if weights.ndim == 0:
        weights = np.full(n, weights[()])
    if weights.shape != (n,):
        raise ValueError(f"{name} has shape {weights.shape}, must be ({n},): one weight for each row of {rows}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(
            f"{name} is {weights[bad[0]]} at row {bad[0]}, must be finite and at least 0; a weight of 0 leaves "
            "a row out"
        )
    return weights


def release_pages(array: Any) -> None:
    """Tell the system that pages of a memory-mapped array are not needed for now, so that they do not count as held.

    Only of files mapped read-only, whose pages come back from the file unchanged; anything else is left alone.
    """
    mapped = _mapping(array)
    if mapped is None or mapped.mode != "r" or not array.size or not hasattr(mmap, "MADV_DONTNEED"):
        return
    buffer: mmap.mmap = mapped._mmap  # type: ignore[attr-defined]
    reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    first = array.ctypes.data - np.frombuffer(buffer, dtype=np.uint8).ctypes.data
    start = (first + sum(min(r, 0) for r in reach)) // mmap.PAGESIZE * mmap.PAGESIZE
    end = first + sum(max(r, 0) for r in reach) + array.itemsize
    buffer.madvise(mmap.MADV_DONTNEED, start, end - start)


def _mapping(array: Any) -> np.memmap[Any, Any] | None:
    """Return the memory-mapped array that an array is a view of, if there is one."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array
        array = array.base
    return None


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
        clear_fit(estimator)
        yield


def clear_fit(estimator: BaseEstimator) -> None:
    """Delete what an earlier fit left."""
    for name in list(vars(estimator)):
        if name.endswith("_") and not name.startswith("_"):
            delattr(estimator, name)


def is_dask(data: Any) -> bool:
    """Whether data are a dask collection, without importing dask."""
    return hasattr(data, "__dask_graph__") and data.__dask_graph__() is not None


def mean_of_rows(
    values: NDArray[np.float64], sample_weight: ArrayLike | None, per_row: bool
) -> float | NDArray[np.float64]:
    """Return the weighted mean of per-row values, or the values themselves with `per_row`."""
    weights = check_weights(sample_weight, len(values))
    if per_row:
        return values
    return float(np.average(values, weights=weights))
