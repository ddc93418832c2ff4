"""Inputs X and sample weights as estimators read them, and the state of an estimator before and after `fit`."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, validate_data

from .._lib.arrays import refuse_masked
from .._lib.errors import RowError

_LONGEST = 1e280  # of squares of features: their sums over rows, and products with weights, stay finite


def validate_input(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """Return X after scikit-learn's validation, which gets `options`.

    It records (`reset`) or compares the number of features and their names. NaN and infinity pass: the caller looks for
    them and names the row.
    """
    refuse_masked(X, "X")
    return validate_data(estimator, X=in_memory(X), reset=reset, ensure_all_finite=False, **options)


def refuse_unread(values: Any, argument: str) -> None:
    """Raise ValueError for rows that are yet to be computed or iterated over, naming the call that does so."""
    if type(values).__name__ == "LazyFrame":
        raise ValueError(f"{argument} is a LazyFrame, which holds no rows yet: pass {argument}.collect()")
    if isinstance(values, Iterator):
        raise ValueError(f"{argument} is a {type(values).__name__}, which can be read once only: pass list({argument})")


def check_lengths(X: Any, y: Any) -> None:
    """Raise ValueError unless X and y, which are to be in memory, have the same number of rows."""
    refuse_unread(y, "y")
    try:
        check_consistent_length(X, y)
    except ValueError as error:
        raise ValueError(f"{error}, of X and y: each row of X needs one of y") from None


def take_rows(data: Any, rows: slice) -> Any:
    """Return consecutive rows of an array, a sparse matrix, a data frame or a list, as a view if possible."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def in_memory(values: Any, argument: str = "X") -> Any:
    """Return X or y, but a dask collection computed: converted by NumPy, its columns would lose their names."""
    refuse_unread(values, argument)
    return values.compute() if is_dask(values) else values


def rows_for_others(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return X for estimators that hand it on to others: data frames as they are, all else as an array or CSR.

    Numbers need not be finite, or numbers at all: that is up to those who get them.
    """
    X = in_memory(X)
    if not hasattr(X, "columns"):
        return validate_input(estimator, X, reset=reset, accept_sparse="csr", dtype=None)
    validate_input(estimator, X, reset=reset, skip_check_array=True)
    return X


def check_rows(estimator: Any, X: Any, *, reset: bool, accept_sparse: bool = True, dtype: Any = np.float64) -> Any:
    """Return X as a C-contiguous array, or as a CSR matrix in canonical format.

    Parameters
    ----------
    estimator : estimator
        Where the number of features and their names are recorded or looked up.
    X : array-like or sparse matrix of shape (n, n_features)
        Inputs.
    reset : bool
        Whether to record the number of features and their names, as `fit` does, or to compare them.
    accept_sparse : bool, default=True
        Whether X may be sparse.
    dtype : type or list of types, default=float64
        Types that the result may have.

    Returns
    -------
    X : ndarray or CSR
        CSR has sorted indices without repetitions (entries stored several times are added up), which are int32 if they
        fit.

    Raises
    ------
    ValueError
        For NaN or infinity, naming row and column, and whatever scikit-learn's validation refuses.
    """
    X = validate_input(
        estimator, X, reset=reset, accept_sparse="csr" if accept_sparse else False, dtype=dtype, order="C"
    )
    require_finite(X, names=getattr(estimator, "feature_names_in_", None))
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:  # scikit-learn's norms of rows, hence its distances, are wrong for repeated entries
        X = X.copy()
        X.sum_duplicates()
    return _with_small_indices(X)


def unconverted_rows(estimator: Any, X: Any, *, accept_sparse: bool = True) -> Any:
    """Return X as an array of any number type, or, if it is sparse, as `check_rows` does.

    Entries of an array are not read, so a memory-mapped file stays on disk and float32 inputs are not copied as a
    whole; `rows_in_double` converts and checks some rows at a time.
    """
    if _is_plain(X) and X.shape[1] == estimator.n_features_in_ and not hasattr(estimator, "feature_names_in_"):
        return X  # which scikit-learn would return, after most of the time that the prediction of a row takes
    X = in_memory(X)
    if sparse.issparse(X) or (hasattr(X, "columns") and hasattr(X, "sparse")):  # also a data frame of sparse columns
        return check_rows(estimator, X, reset=False, accept_sparse=accept_sparse)
    return validate_input(estimator, X, reset=False, accept_sparse=False, dtype="numeric")


def _is_plain(X: Any) -> bool:
    """Return whether X is a table of numbers with at least one row, and nothing else."""
    return type(X) is np.ndarray and X.ndim == 2 and len(X) > 0 and X.dtype.kind in "biuf"


def rows_in_double(X: Any, rows: slice, names: Sequence[str] | None = None) -> Any:
    """Return some rows as a C-contiguous float64 array, or as CSR; ValueError for NaN or infinity.

    `names` are those of the features, for messages.
    """
    block = X[rows]
    if not sparse.issparse(block):
        block = np.ascontiguousarray(block, dtype=np.float64)
    require_finite(block, rows.start, names)
    return block


def require_finite(X: Any, first_row: int = 0, names: Sequence[str] | None = None) -> None:
    """Raise ValueError if X, an array or a sparse matrix, holds NaN or infinity; names row and column.

    `first_row` is the number of the first row of X, `names` are those of its columns.
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
    called = int(column) if names is None else repr(str(names[int(column)]))
    raise RowError(
        first_row + int(row),
        f"Input X contains {what} in column {called}: remove such rows, or fill them in with "
        "sklearn.impute.SimpleImputer",
    )


def square_norms(X: Any) -> NDArray[np.float64]:
    """Return the squared length of each row of an array or a CSR matrix, infinite where it overflows."""
    with np.errstate(over="ignore"):
        squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    return np.asarray(squares, dtype=np.float64).ravel()


def require_short_rows(
    squares: NDArray[np.float64],
    rows: NDArray[np.intp] | None = None,
    *,
    reason: str = "the squares of the features in X overflow; scale the inputs",
) -> None:
    """Raise RowError for the first row whose squared length, with those of other rows, is too large for sums.

    Parameters
    ----------
    squares : ndarray of shape (n,)
        Squared lengths of rows, or their kernel values with themselves.
    rows : ndarray of shape (n,), default=None
        Numbers of the rows; None: 0 to n − 1.
    reason : str
        What the error says.
    """
    long = np.flatnonzero(~(squares <= _LONGEST))
    if long.size:
        raise RowError(int((long if rows is None else rows[long]).min()), reason)


def _with_small_indices(X: Any) -> Any:
    """Return a CSR matrix with int32 indices if they fit, as parts of scikit-learn take no others."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def is_dask(data: Any) -> bool:
    """Return whether data are a dask collection, without importing dask."""
    return hasattr(data, "__dask_graph__") and data.__dask_graph__() is not None


def check_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Return sample weights as float64 of shape ``(n,)``, or None if all are 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        A number is the weight of every row; None weighs all rows equally.
    n : int
        Number of rows.
    name, rows : str
        What messages call the weights, and the argument whose rows they weigh.

    Raises
    ------
    ValueError
        When the shape is wrong, a weight is negative or not finite (names the row), or all weights are 0.
    """
    weights = row_weights(sample_weight, n, name=name, rows=rows)
    if weights is not None:
        require_weight(weights.max(initial=0.0), name)
    return weights


def require_weight(weight: float, name: str = "sample_weight") -> None:
    """Raise ValueError unless the sum, or the largest, of the weights of all rows is positive."""
    if not weight > 0:
        raise ValueError(f"{name} is zero in every row: at least one weight must be positive")


def row_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", rows: str = "X"
) -> NDArray[np.float64] | None:
    """Do the same as `check_weights`, but accept weights that are all 0, as those of a block of rows may be."""
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, name)
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
        row = int(bad[0])
        raise RowError(
            row,
            f"{name} is {weights[row]}, must be finite and at least 0; a weight of 0 leaves a row out",
        )
    return weights


def mean_of_rows(
    values: NDArray[np.float64], sample_weight: ArrayLike | None, per_row: bool, *, rows: str = "y_true"
) -> float | NDArray[np.float64]:
    """Return the weighted mean of one value for each row, or the values themselves if `per_row`.

    Raises
    ------
    ValueError
        When `sample_weight` is illegal; see `check_weights`.
    """
    weights = check_weights(sample_weight, len(values), rows=rows)
    if per_row:
        return values
    return float(np.average(values, weights=weights))


def release_pages(array: Any) -> None:
    """Tell the operating system that the pages of a memory-mapped array can leave memory for now.

    Only files mapped read-only are released, as their pages can be read again unchanged; other arrays are left alone.
    """
    mapped = _mapping(array)
    if mapped is None or not is_mapped(array) or not array.size:
        return
    buffer: mmap.mmap = mapped._mmap  # type: ignore[attr-defined]
    reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    first = array.ctypes.data - np.frombuffer(buffer, dtype=np.uint8).ctypes.data
    start = (first + sum(min(r, 0) for r in reach)) // mmap.PAGESIZE * mmap.PAGESIZE
    end = first + sum(max(r, 0) for r in reach) + array.itemsize
    buffer.madvise(mmap.MADV_DONTNEED, start, end - start)


def is_mapped(array: Any) -> bool:
    """Return whether an array is a view of a file mapped read-only, whose pages the system takes back."""
    mapped = _mapping(array)
    return mapped is not None and mapped.mode == "r" and hasattr(mmap, "MADV_DONTNEED")


def _mapping(array: Any) -> np.memmap[Any, Any] | None:
    """Return the memory-mapped array of which an array is a view, or None."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array
        array = array.base
    return None


@contextmanager
def unchanged_on_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Restore all attributes of an estimator if the body of the ``with`` statement fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@contextmanager
def refit(estimator: BaseEstimator) -> Iterator[None]:
    """Delete the fitted attributes, and restore them if the body, a new fit, fails or is interrupted."""
    with unchanged_on_failure(estimator):
        clear_fit(estimator)
        yield


def clear_fit(estimator: BaseEstimator) -> None:
    """Delete the attributes that an earlier fit has set."""
    for name in list(vars(estimator)):
        if name.endswith("_") and not name.startswith("_"):
            delattr(estimator, name)
