"""Linear extensions of partial orders by the Go core; see :mod:`combpred._lib` for conventions and errors."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from .call import FloatArray, IntArray, address, call, codes, get_n_threads
from .memory import allocate

#: Downsets of an inseparable part that exact counting goes through at most, in a few seconds.
MOST_DOWNSETS = 2**24
#: Downsets of a part that estimates count exactly, in a fraction of a second.
FEW_DOWNSETS = 2**21

_DIGITS = 8192  # of a count, hexadecimal: those of 2048!, the largest, are 4895


def extensions_sample(
    pairs: Any, n_elements: int, n_samples: int, method: str, seed: int, *, n_threads: int | None = None
) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """Return uniform linear extensions (n_samples, n_elements) of `pairs` (n_pairs, 2), and the steps of each."""
    pairs = codes(pairs, "pairs", None, 2)
    orders = allocate(
        (n_samples, n_elements), np.int32, f"{n_samples} linear extensions of {n_elements} elements", "draw fewer"
    )
    steps: npt.NDArray[np.int64] = np.empty(n_samples, dtype=np.int64)
    call(
        "cp_extensions_sample",
        address(pairs),
        len(pairs),
        n_elements,
        method.encode(),
        seed % 2**64,
        address(orders),
        n_samples,
        address(steps),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        # A table of downsets may take seconds; coupling makes some n³ ln n steps for each order.
        flops=1e9 if method != "coupling" else 20.0 * n_samples * n_elements**3 * max(1.0, np.log(n_elements)),
    )
    return orders, steps


def extensions_count(
    pairs: Any, n_elements: int, *, most_downsets: int = MOST_DOWNSETS, n_threads: int | None = None
) -> int:
    """Return the number of linear extensions of `pairs` (n_pairs, 2).

    Raises CapabilityError where an inseparable part has more than `most_downsets` downsets, or 64 elements.
    """
    pairs = codes(pairs, "pairs", None, 2)
    needed, digits = ctypes.c_int64(), ctypes.create_string_buffer(_DIGITS)
    call(
        "cp_extensions_count",
        address(pairs),
        len(pairs),
        n_elements,
        most_downsets,
        digits,
        _DIGITS,
        ctypes.addressof(needed),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=10.0 * n_elements * (n_elements**2 + min(most_downsets, 2.0 ** min(n_elements, 64))),
    )
    return int(digits.value, 16)


def extensions_common(
    x: IntArray,
    y: IntArray | None,
    n_elements: int,
    *,
    most_downsets: int = MOST_DOWNSETS,
    n_threads: int | None = None,
    verbose: int = 0,
) -> FloatArray:
    """Return ln of the number of common linear extensions of each row of x with each row of y (None: of x).

    Rows hold 1, −1 and 0 for the pairs u < v of elements. −inf: there is none. NaN: `extensions_count` is beyond its
    limits.
    """
    width = n_elements * (n_elements - 1) // 2
    x = codes(x, "x", None, width)
    y = None if y is None else codes(y, "y", None, width)
    n, m = len(x), len(x) if y is None else len(y)
    logs = allocate((n, m), np.float64, f"a kernel matrix of {n} × {m} entries", "take fewer rows at once")
    call(
        "cp_extensions_common",
        address(x),
        n,
        address(y),
        m,
        n_elements,
        most_downsets,
        address(logs),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=10.0 * n * m * n_elements * (n_elements + min(most_downsets, 2.0 ** min(n_elements, 64))),
        label="common linear extensions",
        verbose=verbose,
    )
    return logs
