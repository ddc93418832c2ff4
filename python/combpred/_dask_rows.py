"""Methods of fitted estimators on dask collections: lazily, one task for each partition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ._blocks import Block, n_rows
from ._dask_blocks import DaskBlocks, is_dask

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
        table = "set_output(transform='default'), or " if hasattr(sample, "columns") else ""
        raise TypeError(f"{name} gives {type(sample).__name__}, which dask arrays cannot hold: {table}compute X first")
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


def mean_over_rows(model: Any, name: str, X: Any, y: Any, sample_weight: Any) -> float:
    """Return what a method of (X, y, sample_weight) that is a weighted mean over rows gives for dask collections."""
    check_is_fitted(model)
    total, weight = DaskBlocks(X, y, sample_weight).reduce(_weighted, model, name, merge=_added)
    if weight == 0.0:
        raise ValueError("sample_weight is zero in every row: at least one weight must be positive")
    return total / weight


def _weighted(block: Block, model: Any, name: str) -> tuple[float, float]:
    """Return the sum over the rows of a block, and of their weights."""
    weight = float(block.n if block.weights is None else block.weights.sum())
    if weight == 0.0:
        return 0.0, 0.0
    return weight * getattr(model, name)(block.X, block.y, block.weights), weight


def _added(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]


def sampled_rows(X: Any, n: int, seed: int) -> Any:
    """Return up to n rows of a dask collection, drawn uniformly without replacement, in memory."""
    return DaskBlocks(X, X).reduce(RowDraw(n, seed), merge=RowDraw.merged).rows


@dataclass(frozen=True)
class RowDraw:
    """A draw of rows: those with the n smallest of random keys, which each has from its partition and place."""

    n: int
    seed: int

    def __call__(self, block: Block) -> DrawnRows:
        keys = np.random.default_rng([self.seed, block.index or 0, block.offset]).random(block.n)
        X = block.X.to_numpy() if hasattr(block.X, "to_numpy") else block.X
        return DrawnRows.smallest(self.n, keys, X)

    @staticmethod
    def merged(one: DrawnRows, other: DrawnRows) -> DrawnRows:
        """Return the draw from the rows of both."""
        stack = sparse.vstack if sparse.issparse(one.rows) else np.concatenate
        keys = np.concatenate([one.keys, other.keys])
        return DrawnRows.smallest(one.n, keys, stack([one.rows, other.rows]))


class DrawnRows(NamedTuple):
    """Rows of the n smallest keys."""

    n: int
    keys: NDArray[np.float64]
    rows: Any

    @classmethod
    def smallest(cls, n: int, keys: NDArray[np.float64], rows: Any) -> DrawnRows:
        kept = np.argsort(keys, kind="stable")[:n]
        return cls(n, keys[kept], rows.tocsr()[kept] if sparse.issparse(rows) else rows[kept])


def _sample(X: Any) -> Any:
    """Return a row like those of X, for the type and the width of what a method returns."""
    return X._meta_nonempty.iloc[:1] if hasattr(X, "_meta_nonempty") else np.zeros((1, X.shape[1]), dtype=X.dtype)


def _call(model: Any, name: str, X: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if n_rows(X):
        return getattr(model, name)(X, *arguments, **options)
    # A partition that a filter has emptied: estimators refuse no rows, so one is made up and its result dropped.
    row = X.reindex([0]).fillna(0) if hasattr(X, "iloc") else np.zeros((1, X.shape[1]))
    return getattr(model, name)(row, *arguments, **options)[:0]
