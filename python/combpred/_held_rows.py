"""Rows that are few enough to be kept as training reads them, so that later passes need not embed targets again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._block_rows import BlockRows, HeldBlock, Strip
from ._blocks import BLOCK_BYTES, ArrayBlocks, Block, BlockSource, Merge, Result


class HeldRows(BlockSource):
    """The rows of another source, read once.

    Parameters
    ----------
    source : BlockSource
    rows : BlockRows
        How its blocks are read.
    """

    def __init__(self, source: BlockSource, rows: BlockRows) -> None:
        self._source = source
        strips: list[Strip] = source.reduce(_ReadStrips(rows), merge=_joined)
        self._held = HeldBlock(tuple(strips))

    @classmethod
    def where_few(cls, source: BlockSource, rows: BlockRows) -> BlockSource:
        """Return the source itself, or its rows held where they are those of arrays and fill no more than a block."""
        if not isinstance(source, ArrayBlocks):
            return source
        n_bytes = 8 * source.n * (rows.n_features + rows.structure.n_features)
        return cls(source, rows) if n_bytes <= BLOCK_BYTES else source

    def first(self) -> Block:
        return self._source.first()

    def reduce(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        merge: Merge[Result],
        advance: Callable[[], object] | None = None,
    ) -> Result:
        result = function(self._held, *arguments)
        if advance is not None:
            advance()
        return result


@dataclass(frozen=True)
class _ReadStrips:
    rows: BlockRows

    def __call__(self, block: Block) -> list[Strip]:
        return list(self.rows.strips(block))


def _joined(one: list[Strip], other: list[Strip]) -> list[Strip]:
    one += other
    return one
