"""Blocks of training data as users give them: any iterable that starts anew for each pass."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ._blocks import Block, BlockSource, Merge, Result, make_block, merge_results, take_rows

_REMEDY = (
    "pass a list of blocks, an object whose __iter__ starts anew, or a function without arguments that returns a new "
    "iterator, such as a generator function or functools.partial(read_blocks, path)"
)


class IterableBlocks(BlockSource):
    """Blocks (X, y) or (X, y, sample_weight) of an iterable that starts anew each time.

    Parameters
    ----------
    blocks : iterable, or callable that returns an iterator
        Empty blocks are skipped. Large ones are cut.

    Raises
    ------
    TypeError
        For an iterator, which can be gone through only once, and for what is no iterable.
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
        self._begun: Any = None  # the iterator of the last pass, which must not come again
        self._head: tuple[int | None, str] | None = None  # the first row, and its block
        self._sizes: list[int] | None = None  # of the first whole pass, which later ones must repeat

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
        if self._sizes is None or (at < len(self._sizes) and self._sizes[at] == block.n):
            return
        expected = f"{self._sizes[at]} rows" if at < len(self._sizes) else "no such block"
        raise ValueError(
            block.name(f"{block.n} rows in a later pass, {expected} in the first; it must be the same in every pass")
        )

    def _begin(self) -> Iterator[Any]:
        """Return the iterator of a new pass, which must not be the one of the last: that has gone past some blocks."""
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
        """Refuse a pass that begins with other rows than the first one: blocks from a reader that has gone on."""
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
        """Yield the blocks that have rows, as the user gives them."""
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
            if isinstance(iterator, Generator):  # one that is left half-way closes its files now
                iterator.close()
