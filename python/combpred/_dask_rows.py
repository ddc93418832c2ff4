"""Methods of fitted estimators on dask collections: lazily, one task for each partition."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._dask_blocks import is_dask

Method = TypeVar("Method", bound=Callable[..., Any])


def lazily_on_dask(method: Method) -> Method:
    """Make a method, which returns an array with one row for each row of X, return a dask array for a dask X.

    The array is of the blocks that the method returns for the partitions; nothing is computed before it is.
    """

    @wraps(method)
    def on_any(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if is_dask(X):
            check_is_fitted(self)
            return _over_partitions(self, method.__name__, X, arguments, options)
        return method(self, X, *arguments, **options)

    return on_any  # type: ignore[return-value]


def _over_partitions(model: Any, name: str, X: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    import dask
    import dask.array as da

    for key, value in options.items():
        if isinstance(value, (list, tuple, np.ndarray)):
            raise ValueError(
                f"{key} has one entry for each row, which is not possible where X is a dask collection; give one for "
                "all rows, or compute X first"
            )
    sample = _call(model, name, _sample(X), arguments, options)
    if not isinstance(sample, np.ndarray):
        raise TypeError(f"{name} gives {type(sample).__name__}, which dask arrays cannot hold; compute X first")
    shared = dask.delayed(model, pure=False, traverse=False)
    call = dask.delayed(_call, pure=False)
    lengths = getattr(X, "chunks", (None,))[0] or (np.nan,) * X.npartitions
    if hasattr(X, "rechunk"):
        X = X.rechunk({1: -1})
    parts = np.ravel(np.asarray(X.to_delayed(), dtype=object))
    return da.concatenate(
        [
            da.from_delayed(call(shared, name, part, arguments, options), (n, *sample.shape[1:]), dtype=sample.dtype)
            for part, n in zip(parts, lengths, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def _sample(X: Any) -> Any:
    """Return a row like those of X, for the type and the width of what a method returns."""
    if hasattr(X, "_meta_nonempty"):
        return X._meta_nonempty.iloc[:1]
    return np.zeros((1, X.shape[1]), dtype=X.dtype)


def _call(model: Any, name: str, X: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if len(X) == 0:  # a partition that a filter has emptied
        like = X if hasattr(X, "iloc") else np.zeros((1, X.shape[1]))
        if hasattr(X, "iloc"):
            like = X.reindex([0]).fillna(0)
        return getattr(model, name)(like, *arguments, **options)[:0]
    return getattr(model, name)(X, *arguments, **options)
