"""Files mapped into memory: pages that were read can be given back to the system at once."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np


def release_pages(array: Any) -> None:
    """Tell the system that pages of a memory-mapped array are not needed for now, so that they do not count as held.

    Only of files mapped read-only, whose pages come back from the file unchanged; anything else is left alone.
    """
    mapped = _mapping(array)
    if mapped is None or mapped.mode != "r" or not array.size or not hasattr(mmap, "MADV_DONTNEED"):
        return
    buffer: mmap.mmap = mapped._mmap  # type: ignore[attr-defined]
    reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    first = array.ctypes.data - np.frombuffer(buffer, dtype=np.uint8).ctypes.data
    start = (first + sum(min(r, 0) for r in reach)) // mmap.PAGESIZE * mmap.PAGESIZE
    end = first + sum(max(r, 0) for r in reach) + array.itemsize
    buffer.madvise(mmap.MADV_DONTNEED, start, end - start)


def _mapping(array: Any) -> np.memmap[Any, Any] | None:
    """Return the memory-mapped array that an array is a view of, if there is one."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array
        array = array.base
    return None
