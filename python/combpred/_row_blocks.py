"""Cutting the rows of a matrix into blocks that bound memory, and the time in which Ctrl-C is not answered."""

from __future__ import annotations

from collections.abc import Iterator

# Doubles in one block of a larger matrix: 16 MiB, enough for BLAS to run at full speed, and powers or exponentials of
# so many take well under half a second, in which Ctrl-C is not answered.
_BLOCK_ENTRIES = 2**21
# Operations on one block: half a second at most on one processor.
_BLOCK_FLOPS = 2e10


def row_blocks(n: int, width: int, *, row_flops: float = 0.0) -> Iterator[slice]:
    """Cut n rows into consecutive slices, each holding at most 16 MiB of `width` float64 columns (one row at least).

    Where a row takes `row_flops` operations, a slice is also limited to about half a second of them.
    """
    step = _BLOCK_ENTRIES // max(width, 1)
    if row_flops > 0:
        step = min(step, int(_BLOCK_FLOPS / row_flops))
    step = max(1, step)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))
