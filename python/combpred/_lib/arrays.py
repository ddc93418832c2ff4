"""Arrays: types for annotations, blocks of rows, and checks that arrays fit in memory."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from .errors import RowError

# Short names of the types that go through the package.
FloatArray = NDArray[np.float64]  #: scores, embeddings, weights: any real numbers
IntArray = NDArray[np.int32]  #: parts of outputs as the core reads them
CountArray = NDArray[np.int64]  #: numbers of rows, steps and the like
IndexArray = NDArray[np.intp]  #: positions in another array

_GIB = 2.0**30
SMALL_BYTES = 2**20  #: the system is not asked for: the question takes longer than filling them
# Files of a control group: its limit, its use, and the statistic that counts file pages which are given back on demand.
_CONTROL_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "inactive_file"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "total_inactive_file",
    ),
)

# Doubles in one block of a larger matrix: 16 MiB, enough for BLAS to run at full speed, and powers or exponentials of
# so many take well under half a second, in which Ctrl-C is not answered.
_BLOCK_ENTRIES = 2**21
# Operations on one block: half a second at most on one processor.
_BLOCK_FLOPS = 2e10


def require_memory(needed: int, what: str, remedy: str, *, square_rows: int | None = None) -> None:
    """Raise MemoryError when more memory is needed than is available.

    Parameters
    ----------
    needed : int
        Bytes.
    what : str
        What they are for; starts the message.
    remedy : str
        What to do instead; ends the message.
    square_rows : int, optional
        Number of rows where the need grows with its square: the message then says how many would fit.
    """
    available = available_memory()
    if available is None or needed <= available:
        return
    fit = "" if square_rows is None else f"; about {int(square_rows * math.sqrt(available / needed))} rows would fit"
    raise MemoryError(f"{what} needs {needed / _GIB:.1f} GiB, {available / _GIB:.1f} GiB are available{fit}: {remedy}")


def allocate(shape: tuple[int, ...], dtype: npt.DTypeLike, what: str, remedy: str) -> npt.NDArray[Any]:
    """Return an empty array, or raise MemoryError, as :func:`require_memory` does, before allocating what does not fit.

    Up to `SMALL_BYTES` the system is not asked.
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if n_bytes > SMALL_BYTES:
        require_memory(n_bytes, what, remedy)
    return np.empty(shape, dtype=dtype)


def available_memory() -> int | None:
    """Return how many bytes can be allocated without swapping, or None where the system does not tell.

    The least of what the kernel counts as available, what a container's limit leaves, and what the limit on the address
    space leaves.
    """
    bounds = [b for b in (_system_memory(), _control_group(), _address_space()) if b is not None]
    return max(min(bounds), 0) if bounds else None


def _system_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:  # other Unixes count as free only what is in no use at all, so take the whole memory
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _control_group() -> int | None:
    for limit, used, reclaimable in _CONTROL_GROUPS:
        try:
            left = int(Path(limit).read_text()) - int(Path(used).read_text())
            for line in Path(limit).with_name("memory.stat").read_text().splitlines():
                name, _, value = line.partition(" ")
                if name == reclaimable:
                    left += int(value)
            return left
        except (OSError, ValueError):  # no such file, or the word "max" for no limit
            continue
    return None


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        return limit - int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return limit


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


def refuse_masked(values: Any, argument: str) -> None:
    """Raise RowError for the first row with a masked entry, whose number NumPy's conversion would take."""
    if isinstance(values, np.ma.MaskedArray) and (mask := np.ma.getmaskarray(values)).any():
        row = int(np.argmax(mask.reshape(len(mask), -1).any(axis=1)))
        raise RowError(row, f"an entry is masked; drop the row, or fill it in by {argument}.filled(…)", argument)


def taken_ranges(first: Any, rows: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the ranges of some rows begin when they follow one another, and the numbers in them.

    Row i has the numbers ``first[i]`` to ``first[i + 1] - 1``; rows may come in any order, and several times.
    """
    rows = np.asarray(rows, dtype=np.intp)
    sizes = np.diff(first)[rows]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    return begins, np.arange(begins[-1]) + np.repeat(first[rows] - begins[:-1], sizes)
