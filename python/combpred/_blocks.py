"""Training data in blocks of rows: where they come from, and the one operation that trains on them.

Whatever is learnt from more rows than fit in memory is a sum over blocks of rows. A `BlockSource` says which blocks
there are; `BlockSource.reduce` maps a function over them and merges what it returns. Solvers know no other operation,
so that blocks may lie in an array, in a file, behind an iterator or on another machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._lib import RowError
from ._mapped import release_pages
from ._weights import row_weights
from .structures._values import TargetError

Result = TypeVar("Result")
Merge = Callable[[Result, Result], Result]

# Of a block, in float64: enough for BLAS to run at full speed, little beside what training itself holds, and a small
# part of a second's work, after which Ctrl-C is answered.
BLOCK_BYTES = 2**24
_MANY_ROWS = 2**15  # of few features: targets and scores may be much wider than those

_HOW = "give (X, y) or (X, y, sample_weight)"


@dataclass(frozen=True)
class Block:
    """Consecutive rows of training data.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, n_features)
        As the source has it: not checked, of any number type.
    y : array-like of n targets
        In the format of the structure, not checked.
    weights : ndarray of shape (n,) or None
        Sample weights, checked; None for all 1.
    index : int or None
        Number of the block as the user gave it, from 0. None where the user gave no blocks.
    first_row : int
        Number of its first row among all rows.
    offset : int, default=0
        Number of its first row in the block as the user gave it, of which it may be a part.
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
        """Return the number that the user knows a row of this block by: in the block given, or among all rows."""
        return row + (self.first_row if self.index is None else self.offset)

    def name(self, message: str) -> str:
        """Return a message with the block it is about, where the user gave blocks."""
        return message if self.index is None else f"block {self.index}: {message}"

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Let errors about rows of this block come out with the block and the numbers that the user knows them by."""
        try:
            yield
        except RowError as error:
            argument = error.argument if isinstance(error, TargetError) else "y"
            found = TargetError(self.number(error.row), error.reason, argument)
            if self.index is None:
                raise found from None
            raise ValueError(self.name(str(found))) from None
        except (ValueError, TypeError) as error:
            if self.index is None or type(error) not in (ValueError, TypeError):
                raise
            raise type(error)(self.name(str(error))) from error

    def cut(self, step: int) -> Iterator[Block]:
        """Cut the block into blocks of at most `step` rows."""
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
        """Cut the block into blocks of bounded size."""
        return self.cut(_rows_at_once(self.X))


class BlockSource(ABC):
    """Blocks of training data that can be gone through as often as needed.

    Attributes
    ----------
    gathers_classes : bool
        Whether class labels that are not given are gathered in a pass of their own, rather than from the first block.
    """

    gathers_classes: ClassVar[bool] = False

    @abstractmethod
    def first(self) -> Block:
        """Return the first block that has rows, from which sizes and types are taken.

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
        """Return ``function(block, *arguments)`` of all blocks, merged in the order of the blocks.

        Parameters
        ----------
        function : callable
            A function of a module, or an instance of a small frozen dataclass: it may be pickled and run in another
            process. It must not keep or change what it is given. Blocks may be cut into smaller ones before it sees
            them.
        *arguments
            The same for all blocks; picklable.
        merge : callable
            Takes two results and returns one; it may change and return its first argument. Associative up to rounding.
        advance : callable or None, default=None
            Called without arguments, in this process, when a block is done.

        Returns
        -------
        object
            The merged result.

        Raises
        ------
        Exception
            What `function` raises: it names rows by `Block.errors`.
        """


class ArrayBlocks(BlockSource):
    """Rows of arrays, of memory-mapped files, or of compressed sparse rows.

    Parameters
    ----------
    X : ndarray, memmap or CSR of shape (n, n_features)
    y : array-like of n targets
    weights : ndarray of shape (n,) or None
        Checked before.

    Notes
    -----
    A row is never copied but in its block. Pages of files mapped read-only are given back once their block is done.
    """

    def __init__(self, X: Any, y: Any, weights: NDArray[np.float64] | None) -> None:
        self._whole = Block(X, y, weights, None, 0)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._whole.n

    def first(self) -> Block:
        return next(self._whole.parts())

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        def results() -> Iterator[Result]:
            for block in self._whole.parts():
                yield function(block, *arguments)
                release_pages(block.X)
                release_pages(block.y)

        return merge_results(results(), merge, advance)


def make_block(given: Any, index: int, start: int) -> Block:
    """Return block number `index`, whose first row is number `start`, after checking that its rows go together."""
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        shown = f"a {type(given).__name__} of {len(given)}" if isinstance(given, (tuple, list)) else repr(given)
        raise ValueError(f"block {index} is {shown}: {_HOW}")
    X: Any = given[0]
    y: Any = given[1]
    if y is None:
        raise ValueError(f"block {index}: y is None: give one structure for each row")
    X = X if hasattr(X, "shape") else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"block {index}: X has shape {X.shape}, must be (n, n_features)")
    X = X.tocsr() if sparse.issparse(X) else X
    n = n_rows(X)
    if n != n_rows(y):
        raise ValueError(f"block {index}: X has {n} rows and y {n_rows(y)}; they must agree row by row")
    try:
        weights = row_weights(given[2] if len(given) == 3 else None, n)
    except ValueError as error:
        raise ValueError(f"block {index}: {error}") from error
    return Block(X, y, weights, index, start)


def merge_results(results: Iterator[Result], merge: Merge[Result], advance: Callable[[], object] | None) -> Result:
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


def take_rows(data: Any, rows: slice) -> Any:
    """Return consecutive rows of an array, a sparse matrix, a data frame or a list, without a copy where that goes."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def _rows_at_once(X: Any) -> int:
    width = int(X.nnz) / max(n_rows(X), 1) if sparse.issparse(X) else X.shape[1]
    return max(1, min(int(BLOCK_BYTES / (8 * max(width, 1))), _MANY_ROWS))
