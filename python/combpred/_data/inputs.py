"""Inputs X and sample weights as estimators read them, and columns of data frames of any library."""

from __future__ import annotations

import mmap
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from .._lib.arrays import refuse_masked
from .._lib.errors import RowError
from .checks import float_array, refuse_unread
from .names import checked_names
from .targets import summary

_NOT_FINITE = "remove rows with NaN or infinity, or impute them"


def check_lengths(X: Any, y: Any) -> None:
    """Raise ValueError unless X and y, which are to be in memory, have the same number of rows."""
    if y is None:
        raise ValueError("this requires y to be passed, but the target y is None: give one structure per row")
    refuse_unread(y, "y")
    if _num_samples(X) != _num_samples(y):
        raise ValueError(f"X has {_num_samples(X)} rows and y {_num_samples(y)}: each row of X needs one of y")


def take_rows(data: Any, rows: slice) -> Any:
    """Return consecutive rows of an array, a sparse matrix, a data frame or a list, as a view if possible."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def in_memory(values: Any, argument: str = "X") -> Any:
    """Return X or y, but a dask collection computed: converted by NumPy, its columns would lose their names."""
    refuse_unread(values, argument)
    return values.compute() if is_dask(values) else values


def read_inputs(estimator: Any, X: Any, *, reset: bool, dtype: Any = np.float64, accept_sparse: bool = True) -> Any:
    """Return X as an array or as CSR, after scikit-learn's validation.

    Parameters
    ----------
    estimator : estimator
        Where the number of features and their names are recorded or looked up.
    X : array-like or sparse matrix of shape (n, n_features)
        Inputs; dask collections are computed.
    reset : bool
        Whether to record the number of features and their names, as `fit` does, or to compare them.
    dtype : type, list of types, "numeric" or None, default=float64
        Types that the result may have. With "numeric", arrays keep their number type and are not looked through, so
        that mapped files stay on disk; `in_double` converts some rows at a time. With None, X is for other estimators:
        data frames stay as they are, and entries may be anything.
    accept_sparse : bool, default=True
        Whether X may be sparse.

    Returns
    -------
    X : ndarray or CSR
        Finite, but for arrays that are not looked through. CSR has sorted indices without repetitions (entries stored
        several times are added up), which are int32 if they fit.

    Raises
    ------
    NotFittedError
        When the estimator is not fitted, unless `reset`.
    ValueError
        For NaN or infinity, naming row and column, and whatever scikit-learn's validation refuses.
    """
    if not reset:
        if dtype == "numeric" and _is_plain(estimator, X):
            return X
        check_is_fitted(estimator)
    refuse_masked(X, "X")
    X, framed = in_memory(X), hasattr(X, "columns")
    X = validate_data(
        estimator, X=X, reset=reset, skip_check_array=dtype is None and framed, dtype=dtype,
        accept_sparse="csr" if accept_sparse else False, order=None if dtype in (None, "numeric") else "C",
        ensure_all_finite=False,
    )  # fmt: skip
    if dtype is None or (dtype == "numeric" and not framed and not sparse.issparse(X)):
        return X
    _require_finite(X, names=getattr(estimator, "feature_names_in_", None))
    return _canonical(X) if sparse.issparse(X) else X


def _is_plain(estimator: Any, X: Any) -> bool:
    """Return whether scikit-learn would return X itself, after most of the time that the prediction of a row takes."""
    table = type(X) is np.ndarray and X.ndim == 2 and len(X) > 0 and X.dtype.kind in "biuf"
    known = getattr(estimator, "n_features_in_", None)
    return table and X.shape[1] == known and not hasattr(estimator, "feature_names_in_")


def in_double(X: Any, first_row: int = 0, names: Sequence[str] | None = None) -> Any:
    """Return rows as a C-contiguous array or CSR of float64; RowError for NaN or infinity.

    `first_row` is the number of the first row of X, `names` are those of its columns.
    """
    if hasattr(X, "iloc"):  # pandas has values of its own where a number is missing
        X = X.to_numpy(dtype=np.float64, na_value=np.nan)
    X = X.astype(np.float64, copy=False) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    _require_finite(X, first_row, names)
    return X


def _require_finite(X: Any, first_row: int = 0, names: Sequence[str] | None = None) -> None:
    """Raise RowError for the first row of X, an array or a sparse matrix, that holds NaN or infinity."""
    stored = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):  # a sum may overflow where no entry is infinite
        total = stored.sum(dtype=np.float64)
    if np.isfinite(total) or np.isfinite(stored).all():
        return
    if sparse.issparse(X):
        entries = X.tocoo()
        at = np.flatnonzero(~np.isfinite(entries.data))[0]
        row, column, value = entries.row[at], entries.col[at], entries.data[at]
    else:
        row, column = np.argwhere(~np.isfinite(X))[0]
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    called = int(column) if names is None else repr(str(names[int(column)]))
    raise RowError(first_row + int(row), f"X holds {what} in column {called}: {_NOT_FINITE}")


def _canonical(X: Any) -> Any:
    """Return a CSR matrix with each entry stored once, and with int32 indices where they fit."""
    if not X.has_canonical_format:  # scikit-learn's norms of rows, hence its distances, are wrong for repeated entries
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == X.indptr.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def is_dask(data: Any) -> bool:
    """Return whether data are a dask collection, without importing dask."""
    return hasattr(data, "__dask_graph__") and data.__dask_graph__() is not None


def check_weights(
    sample_weight: Any, n: int, *, name: str = "sample_weight", part: bool = False
) -> NDArray[np.float64] | None:
    """Return sample weights as float64 of shape ``(n,)``, or None if all are 1.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        A number is the weight of every row; None weighs all rows equally.
    n : int
        Number of rows.
    name : str, default="sample_weight"
        What messages call the weights.
    part : bool, default=False
        Whether these are some of the rows, which may all weigh 0.

    Raises
    ------
    ValueError
        When the shape is wrong, a weight is negative or not finite (names the row), or all weights are 0.
    """
    if sample_weight is None:
        return None
    weights = float_array(sample_weight, name)
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.shape != (n,):
        raise ValueError(f"{name} has shape {weights.shape}, must be ({n},): one weight for each")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        reason = f"{name} is {weights[bad[0]]}, must be finite and at least 0; a weight of 0 leaves out what it is for"
        raise RowError(int(bad[0]), reason)
    if not part:
        require_weight(weights.max(initial=0.0), name)
    return weights


def require_weight(weight: float, name: str = "sample_weight") -> None:
    """Raise ValueError unless the sum, or the largest, of the weights of all rows is positive."""
    if not weight > 0:
        raise ValueError(f"{name} is zero in every row: at least one weight must be positive")


def mean_of_rows(
    values: NDArray[np.float64], sample_weight: ArrayLike | None, per_row: bool
) -> float | NDArray[np.float64]:
    """Return the weighted mean of one value for each row, or the values themselves if `per_row`.

    Raises
    ------
    ValueError
        When `sample_weight` is illegal; see `check_weights`.
    """
    weights = check_weights(sample_weight, len(values))
    if per_row:
        return values
    return float(np.average(values, weights=weights))


def release_pages(array: Any) -> None:
    """Tell the operating system that the pages of a memory-mapped array can leave memory for now.

    Only files mapped read-only are released, as their pages can be read again unchanged; other arrays are left alone.
    """
    mapped = _mapping(array)
    if mapped is None or not array.size:
        return
    buffer: mmap.mmap = mapped._mmap  # type: ignore[attr-defined]
    reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    first = array.ctypes.data - np.frombuffer(buffer, dtype=np.uint8).ctypes.data
    start = (first + sum(min(r, 0) for r in reach)) // mmap.PAGESIZE * mmap.PAGESIZE
    end = first + sum(max(r, 0) for r in reach) + array.itemsize
    buffer.madvise(mmap.MADV_DONTNEED, start, end - start)


def is_mapped(array: Any) -> bool:
    """Return whether an array is a view of a file mapped read-only, whose pages the system takes back."""
    return _mapping(array) is not None


def _mapping(array: Any) -> np.memmap[Any, Any] | None:
    """Return the file mapped read-only of which an array is a view, or None."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array if array.mode == "r" and hasattr(mmap, "MADV_DONTNEED") else None
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


def native_frame(y: Any) -> Any:
    """Return a data frame of any library as one of narwhals; None for what is none, or is not in memory."""
    if isinstance(y, np.ndarray) or not hasattr(y, "columns"):
        return None
    import narwhals

    frame = narwhals.from_native(y, eager_only=True, pass_through=True)
    return frame if isinstance(frame, narwhals.DataFrame) else None


def column_names(y: Any, argument: str = "y") -> list[Any] | None:
    """Return the names of the columns of a data frame; None for what is none, and for columns called 0, 1, ….

    Raises
    ------
    TypeError
        When names are neither all strings nor all integers.
    ValueError
        When two columns have the same name.
    """
    names = _called(y, argument)
    return None if names == list(range(len(names or ()))) else names


def series_name(y: Any) -> list[Any] | None:
    """Return a list with the name of a series of any library; None for what is none, or has no name."""
    name = None if frame_kind(y) is None else getattr(y, "name", None)
    return None if name is None or name == "" else [name]


def _called(y: Any, argument: str) -> list[Any] | None:
    """Return what the columns of a data frame are called, checked; None if y is none."""
    refuse_unread(y, argument)
    columns = y.column_names if hasattr(y, "column_names") else getattr(y, "columns", None)
    if columns is None or (len(columns) == 1 and not isinstance(columns[0], (str, int))):
        return None  # there is nothing to match by one column
    return list(checked_names(columns, f"the columns of {argument}"))


def columns_in_order(
    y: Any, names: Sequence[Hashable] | None, argument: str, of: str, noun: str = "columns", *, partly: bool = False
) -> Any:
    """Return y with its columns in the order of `names`, if it is a data frame that has names.

    Parameters
    ----------
    y : array-like
        Targets.
    names : sequence of str or int, or None
        Names of the columns, in the order of the structure; None if it has none, or the numbers 0, 1, ….
    argument : str
        What messages call y.
    of : str
        Whose names they are, for messages, such as "labels".
    noun : str, default="columns"
        What messages call the columns, "rows" for those of a transposed table.
    partly : bool, default=False
        Whether there may be others and fewer: those that have names come first, in their order.

    Raises
    ------
    ValueError
        When other columns are there, or some are not.
    """
    found = _called(y, argument)
    if found is not None and set(found) == set(range(len(found))) and (names is None or set(names) != set(found)):
        names = range(len(found))  # such as those of an array that pandas has made a frame of
    if found is None or names is None:
        return y
    wanted = list(names)
    if partly:
        wanted = [*(name for name in names if name in found), *(name for name in found if name not in names)]
    missing = [name for name in wanted if name not in set(found)]
    other = [name for name in found if name not in set(wanted)]
    if missing or other:
        said = [f"lacks the {noun} {summary(missing)}"] * bool(missing) + [f"has {summary(other)}"] * bool(other)
        raise ValueError(f"{argument} {' and '.join(said)}; {of} are {summary(wanted)}")
    if found == wanted:
        return y
    import narwhals

    ordered: Any = wanted  # integers, too, of pandas
    return narwhals.from_native(y).select(narwhals.col(*ordered)).to_native()


def frame_kind(y: Any) -> str | None:
    """Return which library y is a data frame or a series of, "pandas" or "polars" (for Arrow, too); None for others."""
    module = type(y).__module__.partition(".")[0]
    return {"pandas": "pandas", "polars": "polars", "pyarrow": "polars"}.get(module)
