"""Training data in blocks of rows: `ArrayBlocks` cuts arrays, `IterableBlocks` reads what users iterate over.

A `BlockSource` gives its blocks as often as needed; `DaskBlocks`, in the module `dask`, is the third one. A new kind of
source implements its two methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _num_samples

from .._lib.arrays import refuse_masked
from .._lib.errors import DataError
from .checks import refuse_unread
from .inputs import check_lengths, check_weights, release_pages, take_rows

Result = TypeVar("Result")
Merge = Callable[[Result, Result], Result]

# Size of a block in float64: large enough for BLAS to run at full speed, small beside what training itself holds, and
# a small part of a second's work, after which Ctrl-C is answered.
BLOCK_BYTES = 2**24
_MANY_ROWS = 2**15  # most rows of a block, however few features they have: targets and scores may be much wider

_REMEDY = (
    "pass a list of blocks, an object whose __iter__ starts anew, or a function without arguments that returns a new "
    "iterator, such as a generator function or functools.partial(read_blocks, path)"
)


class BlockError(DataError, ValueError, TypeError):
    """A block of rows is illegal as a whole."""

    def __init__(self, reason: str, block: int | None) -> None:
        super().__init__(reason)
        self.block = block
        self.args = (reason, block)


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
        return int(_num_samples(self.X))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Renumber errors about rows of this block, raised in the body, as the user counts blocks and rows."""
        try:
            yield
        except DataError as error:
            if error.row is None:
                raise
            first = self.first_row if self.index is None else self.offset
            raise error.at(error.row + first, self.index) from error.__cause__
        except (ValueError, TypeError) as error:
            if self.index is None or type(error) not in (ValueError, TypeError):
                raise
            raise BlockError(str(error), self.index) from error

    def parts(self) -> Iterator[Block]:
        """Yield the rows of the block in smaller blocks of about `BLOCK_BYTES` each at most."""
        width = int(self.X.nnz) / max(self.n, 1) if sparse.issparse(self.X) else self.X.shape[1]
        step = max(1, min(int(BLOCK_BYTES / (8 * max(width, 1))), _MANY_ROWS))
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
        """Return the first block that has rows, or a part of it; sizes and types are read from it.

        Raises
        ------
        ValueError
            When no block has rows.
        """

    @abstractmethod
    def parts(self) -> Iterator[Block]:
        """Yield all rows in blocks that are small enough to be converted as a whole."""

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
        merged: Result | None = None
        for block in self.parts():
            result = function(block, *arguments)
            merged = result if merged is None else merge(merged, result)
            if advance is not None:
                advance()
        return with_rows(merged)


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

    def parts(self) -> Iterator[Block]:
        for block in self.whole.parts():
            yield block
            release_pages(block.X)
            release_pages(block.y)


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
    A later pass whose blocks have more or fewer rows than those of the first raises ValueError.
    """

    def __init__(self, blocks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        if isinstance(blocks, Iterator) or not (callable(blocks) or isinstance(blocks, Iterable)):
            raise TypeError(f"blocks is {blocks!r}, must be blocks that can be read several times: {_REMEDY}")
        self._blocks = blocks
        self._begun: Iterator[Block] | None = None  # the first pass, from which `first` has taken a block
        self._n: int | None = None  # rows of the first complete pass

    def first(self) -> Block:
        given = self._given()
        block = with_rows(next(given, None))
        self._begun = chain([block], given)
        return next(block.parts())

    def parts(self) -> Iterator[Block]:
        given, self._begun = self._begun or self._given(), None
        n = 0
        for block in given:
            n += block.n
            yield from block.parts()
        if self._n not in (None, n):
            raise ValueError(f"blocks gave {n} rows in a later pass and {self._n} in the first: {_REMEDY}")
        self._n = n

    def _given(self) -> Iterator[Block]:
        """Yield the user's blocks, without those that have no rows."""
        start, made = 0, self._blocks() if callable(self._blocks) else self._blocks
        if not isinstance(made, Iterable):
            raise TypeError(f"blocks is a function that returned {made!r}, not an iterable of blocks; {_REMEDY}")
        iterator = iter(made)
        try:
            for index, given in enumerate(iterator):
                block = make_block(given, index, start)
                start += block.n
                if block.n:
                    yield block
        finally:
            if isinstance(iterator, Generator):  # a generator that is not exhausted closes its files now
                iterator.close()


def with_rows(found: Result | None) -> Result:
    """Return what was found in blocks or partitions; ValueError where there is nothing, as none of them has rows."""
    if found is None:
        raise ValueError("no rows: give at least one block or partition that has some")
    return found


def make_block(given: Any, index: int | None, start: int) -> Block:
    """Return the user's block number `index`, None where it is the only one, as a `Block` that begins at row `start`.

    Raises
    ------
    ValueError
        When it is not (X, y) or (X, y, sample_weight), or when these differ in the number of rows.
    """
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        raise BlockError(f"{given!r:.80} must be (X, y) or (X, y, sample_weight)", index)
    X, y, weights = (*given, None)[:3]
    with Block(X, y, None, index, start).errors():
        refuse_unread(X, "X")
        refuse_masked(X, "X")
        X = X.tocsr() if sparse.issparse(X) else X if hasattr(X, "shape") else np.asarray(X)
        if len(X.shape) != 2:
            raise ValueError(f"X has shape {X.shape}, must be (n, n_features)")
        check_lengths(X, y)
        return Block(X, y, check_weights(weights, int(_num_samples(X)), part=True), index, start)
