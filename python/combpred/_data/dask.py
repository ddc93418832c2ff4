"""Dask collections: their partitions as training blocks, and lazy predictions on them."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce, wraps
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples, check_is_fitted

from .._lib.arrays import refuse_masked
from .blocks import Block, BlockSource, Merge, Result, make_block, with_rows
from .inputs import is_dask, require_weight, take_rows

# Number of results that one task merges: a pass over a hundred partitions takes fifteen such tasks.
_MERGED_AT_ONCE = 8

_AGREE = "give collections with the same partitions, such as arrays with equal chunks of rows"

Method = TypeVar("Method", bound=Callable[..., Any])


class DaskBlocks(BlockSource):
    """Partitions of dask arrays or data frames as blocks; partitions without rows are skipped.

    Parameters
    ----------
    X : dask array of shape (n, n_features), or dask data frame
        Inputs. Chunks across features are joined.
    y : dask array, series or data frame, array-like or sparse matrix
        Targets. What is not a dask collection is cut like X, whose partitions must have known lengths.
    weights : as y, or a number, or None, default=None
        Sample weights; a number is the weight of every row.

    Raises
    ------
    ValueError
        When the partitions of X, y and the weights do not agree.
    """

    gathers_classes = True

    def __init__(self, X: Any, y: Any, weights: Any = None) -> None:
        self._chunks: Any = getattr(X, "chunks", (None,))[0]
        self._X = _partitions(X)
        self._parts = list(zip(self._X, self._aligned(y, "y"), self._aligned(weights, "sample_weight"), strict=True))

    def __len__(self) -> int:
        return len(self._X)

    def first(self) -> Block:
        heads = (_delayed(_head)(*parts, index).compute() for index, parts in enumerate(self._parts))
        block: Block | None = next((head for head in heads if head is not None), None)
        return with_rows(block)

    def parts(self) -> Iterator[Block]:
        raise AssertionError("partitions are read where they are, by reduce")

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        shared = [_delayed(argument, pure=False, traverse=False) for argument in arguments]
        level = [
            _delayed(_on_partition, pure=False)(function, merge, index, *parts, *shared)
            for index, parts in enumerate(self._parts)
        ]
        while len(level) > 1:
            groups = [level[lo : lo + _MERGED_AT_ONCE] for lo in range(0, len(level), _MERGED_AT_ONCE)]
            level = [_delayed(_merge_all, pure=False)(merge, group) for group in groups]
        found: Result = with_rows(level[0].compute())
        if advance is not None:  # the scheduler, which runs the tasks, has its own display of progress
            for _ in self._X:
                advance()
        return found

    def _aligned(self, data: Any, argument: str) -> list[Any]:
        """Return the partitions of y or of the weights, cut like those of X; a number or None is that of all rows."""
        chunks: Any = getattr(data, "chunks", (None,))[0]
        if not is_dask(data):
            if data is None or np.ndim(data) == 0:
                return [data] * len(self._X)
            if not _known(self._chunks):
                said = f"is of unknown lengths: {_AGREE}, or X.to_dask_array(lengths=True) of a data frame"
                raise ValueError(f"{argument} is a {type(data).__name__} to be cut as X, which {said}")
            refuse_masked(data, argument)
            rows = data.tocsr() if sparse.issparse(data) else data if hasattr(data, "columns") else np.asarray(data)
            chunks = (rows.shape[0],)
        if _known(self._chunks) and _known(chunks) and sum(chunks) != sum(self._chunks):
            raise ValueError(f"X has {sum(self._chunks)} rows and {argument} {sum(chunks)}: {_AGREE}")
        if not is_dask(data):
            ends = np.cumsum([0, *self._chunks])
            return [_delayed(take_rows(rows, slice(lo, hi)), pure=False) for lo, hi in pairwise(ends)]
        if _known(self._chunks) and _known(chunks):
            data = data.rechunk({0: self._chunks})
        found = _partitions(data)
        if len(found) != len(self._X):
            raise ValueError(f"X has {len(self._X)} partitions and {argument} {len(found)}: {_AGREE}")
        return found


def _delayed(*arguments: Any, **options: Any) -> Any:
    """Call `dask.delayed`, importing dask at the first call."""
    import dask

    return dask.delayed(*arguments, **options)


def _known(chunks: Any) -> bool:
    """Return whether the lengths of partitions are known: a data frame has none, a filtered array has NaN."""
    return chunks is not None and not np.isnan(chunks).any()


def _partitions(data: Any) -> list[Any]:
    """Return the partitions of a collection, across rows only, as delayed objects."""
    if hasattr(data, "rechunk") and data.ndim > 1:
        data = data.rechunk(dict.fromkeys(range(1, data.ndim), -1))
    return list(np.ravel(np.asarray(data.to_delayed(), dtype=object)))


def _head(X: Any, y: Any, weights: Any, index: int) -> Block | None:
    """Return the first rows of a partition as a block, or None if it has no rows."""
    block = make_block((X, y, weights), index, 0)
    return next(block.parts()) if block.n else None


def _on_partition(
    function: Callable[..., Result], merge: Merge[Result], index: int, X: Any, y: Any, weights: Any, *arguments: Any
) -> Result | None:
    """Return the merged results of the blocks of a partition, or None if it has no rows."""
    block = make_block((X, y, weights), index, 0)
    return reduce(merge, (function(part, *arguments) for part in block.parts())) if block.n else None


def _merge_all(merge: Merge[Result], results: Sequence[Result | None]) -> Result | None:
    """Return the results that are not None, merged in order, or None if all are."""
    given = [result for result in results if result is not None]
    if not given:
        return None
    return reduce(merge, given[1:], copy.deepcopy(given[0]))  # a task must not change the results of other tasks


def lazily_on_dask(method: Method) -> Method:
    """Decorate a method that returns one row for each row of X, so that it returns a dask array when X is one.

    The blocks of that array are what the method returns for the partitions of X. Nothing is computed until the array
    is.
    """

    @wraps(method)
    def on_any(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if is_dask(X):
            check_is_fitted(self)
            return _over_partitions(self, method.__name__, X, arguments, options)
        return method(self, X, *arguments, **options)

    return on_any  # type: ignore[return-value]


def _require_shared(options: dict[str, Any]) -> None:
    """Raise ValueError for an option that has an entry for each row."""
    for key, value in options.items():
        if hasattr(value, "__len__") and not isinstance(value, (Mapping, str)):
            raise ValueError(f"{key} has one entry a row, but X is a dask collection; give one for all, or compute X")


def _over_partitions(model: Any, name: str, X: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the dask array of what a method returns for the partitions of X; its type is learnt from one row."""
    import dask
    import dask.array as da

    _require_shared(options)
    sample = _call(model, name, _sample(X), arguments, options)
    if not isinstance(sample, np.ndarray):
        raise TypeError(f"{name} gives a {type(sample).__name__}, not an array: compute X, or reset set_output")
    shared = dask.delayed(model, pure=False, traverse=False)
    call = dask.delayed(_call, pure=False)
    lengths = getattr(X, "chunks", (None,))[0] or (np.nan,) * X.npartitions
    return da.concatenate(
        [
            da.from_delayed(call(shared, name, part, arguments, options), (n, *sample.shape[1:]), dtype=sample.dtype)
            for part, n in zip(_partitions(X), lengths, strict=True)
        ],
        allow_unknown_chunksizes=True,
    )


def _sample(X: Any) -> Any:
    """Return a made-up row like those of X, to learn the type and shape of what a method returns."""
    return X._meta_nonempty.iloc[:1] if hasattr(X, "_meta_nonempty") else np.zeros((1, X.shape[1]), dtype=X.dtype)


def _call(model: Any, name: str, X: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a method of a model on one partition, which may have no rows."""
    if _num_samples(X):
        return getattr(model, name)(X, *arguments, **options)
    # A filter has emptied this partition. Estimators refuse X without rows, so one is made up and its result dropped.
    row = X.reindex([0]).fillna(0) if hasattr(X, "iloc") else np.zeros((1, X.shape[1]))
    return getattr(model, name)(row, *arguments, **options)[:0]


def mean_over_rows(model: Any, function: Any, X: Any, y: Any, sample_weight: Any, **options: Any) -> float:
    """Return a score over dask collections, the mean of what a function returns for rows.

    Parameters
    ----------
    model : estimator
        Fitted.
    function : callable
        Of the model, X and y; returns a value for each row, NaN where it does not count.
    X, y, sample_weight : dask collections
        As `DaskBlocks` takes them.
    **options
        Of the function, the same for all rows.

    Raises
    ------
    ValueError
        When all weights are 0, and for an option that has an entry for each row.
    """
    check_is_fitted(model)
    _require_shared(options)
    total, weight = DaskBlocks(X, y, sample_weight).reduce(_weighted, model, function, options, merge=operator.add)
    require_weight(weight)
    return float(total / weight)


def _weighted(block: Block, model: Any, function: Any, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return the weighted sum over the rows of a block, and the sum of their weights."""
    values = function(model, block.X, block.y, **options)
    weights = np.where(np.isnan(values), 0.0, 1.0 if block.weights is None else block.weights)
    return np.array([weights @ np.nan_to_num(values), weights.sum()])


def sampled_rows(X: Any, n: int, seed: int) -> Any:
    """Return up to n rows of a dask collection, drawn uniformly without replacement, in memory."""
    _, rows = DaskBlocks(X, X).reduce(_drawn, n, seed, merge=partial(_merged_draws, n))
    return rows


def _drawn(block: Block, n: int, seed: int) -> tuple[NDArray[np.float64], Any]:
    """Return the rows with the n smallest of random keys, which depend on the seed, the partition and the place."""
    keys = np.random.default_rng([seed, block.index or 0, block.offset]).random(block.n)
    return _smallest(n, keys, block.X.to_numpy() if hasattr(block.X, "to_numpy") else block.X)


def _merged_draws(n: int, one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[NDArray[np.float64], Any]:
    """Return the draw from the rows of both draws."""
    stack = sparse.vstack if sparse.issparse(one[1]) else np.concatenate
    return _smallest(n, np.concatenate([one[0], other[0]]), stack([one[1], other[1]]))


def _smallest(n: int, keys: NDArray[np.float64], rows: Any) -> tuple[NDArray[np.float64], Any]:
    """Return the n smallest keys and their rows."""
    kept = np.argsort(keys, kind="stable")[:n]
    return keys[kept], rows.tocsr()[kept] if sparse.issparse(rows) else rows[kept]
