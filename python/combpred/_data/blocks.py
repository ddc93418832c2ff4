"""Training data in blocks of rows: `ArrayBlocks` cuts arrays, `IterableBlocks` reads what users iterate over.

A `BlockSource` gives its blocks as often as needed; `DaskBlocks`, in the module `dask`, is the third one. A new kind of
source implements its two methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._lib.arrays import refuse_masked
from .._lib.errors import DataError
from .inputs import refuse_unread, release_pages, row_weights, take_rows

Result = TypeVar("Result")
Merge = Callable[[Result, Result], Result]

# Size of a block in float64: large enough for BLAS to run at full speed, small beside what training itself holds, and
# a small part of a second's work, after which Ctrl-C is answered.
BLOCK_BYTES = 2**24
_MANY_ROWS = 2**15  # most rows of a block, however few features they have: targets and scores may be much wider

_HOW = "give (X, y) or (X, y, sample_weight)"

_REMEDY = (
    "pass a list of blocks, an object whose __iter__ starts anew, or a function without arguments that returns a new "
    "iterator, such as a generator function or functools.partial(read_blocks, path)"
)


@dataclass(frozen=True)
class Block:
    """Consecutive rows of training data.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, n_features)
        Inputs, not checked, of any number type.
    y : array-like of n targets
        In the structure's format, not checked.
    weights : ndarray of shape (n,) or None
        Sample weights, checked; None if all are 1.
    index : int or None
        Number, from 0, of the user's block that these rows come from; None if the user gave no blocks.
    first_row : int
        Number of the first row among all rows.
    offset : int, default=0
        Number of the first row within the user's block.
    """

    X: Any
    y: Any
    weights: NDArray[np.float64] | None
    index: int | None
    first_row: int
    offset: int = 0

    @property
    def n(self) -> int:
        """Number of rows."""
        return n_rows(self.X)

    def number(self, row: int) -> int:
        """Return the number of a row as the user counts: within the user's block, or among all rows."""
        return row + (self.first_row if self.index is None else self.offset)

    def name(self, message: str) -> str:
        """Return a message that begins with the number of the block, if the user gave blocks."""
        return message if self.index is None else f"block {self.index}: {message}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Renumber errors about rows of this block, raised in the body, as the user counts blocks and rows."""
        try:
            yield
        except DataError as error:
            if error.row is None:
                raise
            raise error.at(self.number(error.row), self.index) from error.__cause__
        except (ValueError, TypeError) as error:
            if self.index is None or type(error) not in (ValueError, TypeError):
                raise
            raise type(error)(self.name(str(error))) from error

    def cut(self, step: int) -> Iterator[Block]:
        """Yield the rows of the block in smaller blocks of at most `step` rows each."""
        if self.n <= step:
            yield self
            return
        for lo in range(0, self.n, step):
            rows = slice(lo, min(lo + step, self.n))
            yield replace(
                self,
                X=take_rows(self.X, rows),
                y=take_rows(self.y, rows),
                weights=None if self.weights is None else self.weights[rows],
                first_row=self.first_row + lo,
                offset=self.offset + lo,
            )

    def parts(self) -> Iterator[Block]:
        """Yield the rows of the block in smaller blocks of about `BLOCK_BYTES` each at most."""
        return self.cut(_rows_at_once(self.X))


class BlockSource(ABC):
    """Training data that can be read block by block, as often as needed.

    Attributes
    ----------
    gathers_classes : bool
        Whether class labels that the user did not give are collected in a pass of their own; otherwise they are those
        of the first block.
    """

    gathers_classes: ClassVar[bool] = False

    @abstractmethod
    def first(self) -> Block:
        """Return the first block that has rows; sizes and types are read from it.

        Raises
        ------
        ValueError
            When no block has rows.
        """

    @abstractmethod
    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        """Call ``function(block, *arguments)`` for all blocks and return the merged results.

        Parameters
        ----------
        function : callable
            It may be pickled and run in another process, so it must be a function of a module or an instance of a small
            frozen dataclass. It must not keep or change its arguments. It may see smaller blocks than the user gave.
        *arguments
            The same for all blocks; picklable.
        merge : callable
            Merges two results into one; results are merged in the order of the blocks. It may change and return its
            first argument, and must be associative up to rounding.
        advance : callable or None, default=None
            Called without arguments, in this process, after each block.

        Returns
        -------
        object
            The merged result.

        Raises
        ------
        ValueError
            When no block has rows.
        Exception
            Whatever `function` raises; it numbers rows by `Block.errors`.
        """


class ArrayBlocks(BlockSource):
    """Rows of arrays, of memory-mapped files, or of compressed sparse rows.

    Parameters
    ----------
    X : ndarray, memmap or CSR of shape (n, n_features)
        Inputs.
    y : array-like of n targets
        In the structure's format.
    weights : ndarray of shape (n,) or None
        Sample weights, already checked; None if all are 1.

    Attributes
    ----------
    whole : Block
        All rows.

    Notes
    -----
    Rows are copied one block at a time at most. Pages of files mapped read-only are released after each block.
    """

    def __init__(self, X: Any, y: Any, weights: NDArray[np.float64] | None) -> None:
        self.whole = Block(X, y, weights, None, 0)

    def first(self) -> Block:
        return next(self.whole.parts())

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        def results() -> Iterator[Result]:
            for block in self.whole.parts():
                yield function(block, *arguments)
                release_pages(block.X)
                release_pages(block.y)

        return merge_results(results(), merge, advance)


class IterableBlocks(BlockSource):
    """Blocks (X, y) or (X, y, sample_weight) from an iterable that can be read several times.

    Parameters
    ----------
    blocks : iterable, or callable that returns an iterator
        Blocks without rows are skipped; large ones are cut.

    Raises
    ------
    TypeError
        For an iterator, which can be read only once, and for objects that are not iterable.

    Notes
    -----
    Passes are compared: a later pass whose blocks differ in number or size from those of the first, or that begins with
    another row, raises ValueError.
    """

    def __init__(self, blocks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        if not callable(blocks):
            try:
                iterator = iter(blocks)
            except TypeError:
                raise TypeError(f"blocks must be an iterable of blocks, got {blocks!r}; {_REMEDY}") from None
            if iterator is blocks:
                raise TypeError(
                    f"blocks is {blocks!r}, an iterator, which ends after one pass over the data; training takes "
                    f"several: {_REMEDY}"
                )
        self._blocks = blocks
        self._begun: Any = None  # the iterator of the last pass; the next pass needs another one
        self._head: tuple[int | None, str] | None = None  # number of the first block with rows, and its first row
        self._sizes: list[int] | None = None  # of the blocks in the first complete pass; later passes must repeat them

    def first(self) -> Block:
        for block in self._given():
            return next(block.parts())
        raise ValueError("blocks has no rows: give at least one block that has")

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        sizes: list[int] = []

        def results() -> Iterator[Result]:
            for block in self._given():
                self._compare(block, len(sizes))
                sizes.append(block.n)
                for part in block.parts():
                    yield function(part, *arguments)

        merged = merge_results(results(), merge, advance)
        if self._sizes is not None and len(sizes) != len(self._sizes):
            raise ValueError(
                f"blocks gave {len(sizes)} blocks of {sum(sizes)} rows in a later pass, {len(self._sizes)} of "
                f"{sum(self._sizes)} in the first: it must give the same data in every pass"
            )
        self._sizes = sizes
        return merged

    def _compare(self, block: Block, at: int) -> None:
        """Raise ValueError if a block differs in size from block number `at` of the first pass."""
        if self._sizes is None or (at < len(self._sizes) and self._sizes[at] == block.n):
            return
        expected = f"{self._sizes[at]} rows" if at < len(self._sizes) else "no such block"
        raise ValueError(
            block.name(f"{block.n} rows in a later pass, {expected} in the first; it must be the same in every pass")
        )

    def _begin(self) -> Iterator[Any]:
        """Return the iterator of a new pass; TypeError if it is that of the last pass, which is already used up."""
        made = self._blocks() if callable(self._blocks) else self._blocks
        try:
            iterator = iter(made)
        except TypeError:
            raise TypeError(
                f"blocks is a function that returned {made!r}, not an iterable of blocks; {_REMEDY}"
            ) from None
        if iterator is self._begun:
            raise TypeError(
                f"blocks gives the same iterator in every pass, {iterator!r}, whose blocks come only once; training "
                f"takes several passes: {_REMEDY}"
            )
        self._begun = iterator
        return iterator

    def _require_head(self, block: Block) -> None:
        """Raise ValueError if a pass begins with another row than the first pass: its reader did not start over."""
        row = take_rows(block.X, slice(0, 1))
        shown = repr((row.toarray() if sparse.issparse(row) else np.asarray(row)).tolist())
        head = (block.index, shown)
        if self._head is None:
            self._head = head
        if head != self._head:
            raise ValueError(
                f"blocks begins with other rows in a later pass than in the first, in block {block.index}; it must "
                f"give the same data in every pass: {_REMEDY}"
            )

    def _given(self) -> Iterator[Block]:
        """Yield the user's blocks, without those that have no rows."""
        start, iterator = 0, self._begin()
        try:
            for index, given in enumerate(iterator):
                block = make_block(given, index, start)
                if block.n:
                    if start == 0:
                        self._require_head(block)
                    yield block
                    start += block.n
        finally:
            if isinstance(iterator, Generator):  # a generator that is not exhausted closes its files now
                iterator.close()


def make_block(given: Any, index: int, start: int) -> Block:
    """Return the user's block number `index` as a `Block` whose first row has the number `start`.

    Raises
    ------
    ValueError
        When it is not (X, y) or (X, y, sample_weight), or when these differ in the number of rows.
    """
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        shown = f"a {type(given).__name__} of {len(given)}" if isinstance(given, (tuple, list)) else f"{given!r:.80}"
        raise ValueError(f"block {index} is {shown}: {_HOW}")
    X: Any = given[0]
    y: Any = given[1]
    if y is None:
        raise ValueError(f"block {index}: y is None: give one structure for each row")
    with Block(X, y, None, index, start).errors():
        refuse_unread(X, "X")
        refuse_unread(y, "y")
        X = X if hasattr(X, "shape") else np.asarray(X)
        if len(X.shape) != 2:
            one = ": pass X.reshape(-1, 1) where it is one feature" if len(X.shape) == 1 else ""
            raise ValueError(f"X has shape {X.shape}, must be (n, n_features){one}")
        refuse_masked(X, "X")
        X = X.tocsr() if sparse.issparse(X) else X
        n = n_rows(X)
        if n != n_rows(y):
            raise ValueError(f"X has {n} rows and y {n_rows(y)}; they must agree row by row")
        return Block(X, y, row_weights(given[2] if len(given) == 3 else None, n), index, start)


def merge_results(results: Iterator[Result], merge: Merge[Result], advance: Callable[[], object] | None) -> Result:
    """Return all results merged in order, calling `advance` after each; ValueError if there are none."""
    merged: Any = None
    empty = True
    for result in results:
        merged = result if empty else merge(merged, result)
        empty = False
        if advance is not None:
            advance()
    if empty:
        raise ValueError("blocks has no rows: give at least one block that has")
    found: Result = merged
    return found


def n_rows(data: Any) -> int:
    """Return the number of rows of an array, a sparse matrix, a data frame or a list."""
    shape = getattr(data, "shape", None)
    return len(data) if not shape else int(shape[0])


def _rows_at_once(X: Any) -> int:
    """Return how many rows of X take about `BLOCK_BYTES` as float64."""
    width = int(X.nnz) / max(n_rows(X), 1) if sparse.issparse(X) else X.shape[1]
    return max(1, min(int(BLOCK_BYTES / (8 * max(width, 1))), _MANY_ROWS))
