"""What a call on an open space costs beside its work, and whether 100 000 spaces that come and go leave memory flat.

Usage: python open_spaces.py [spaces].
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np

from combpred._lib import abi
from combpred._lib.call import library
from combpred._lib.decode import decode
from combpred._lib.structure import Description, structure_mean
from combpred._lib.table import record

ROUNDS, NODES = 7, 30


def microseconds(function: Callable[[], object], n: int = 5000) -> float:
    """Return the time of a call, in the fastest of some rounds."""
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(n):
            function()
        best = min(best, (time.perf_counter() - start) / n)
    return 1e6 * best


def resident() -> float:
    """Return the megabytes that the process has in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def calls() -> None:
    """Print the cost of calls with little work."""
    rankings = Description("permutations", {"n": 6})
    d, dll = rankings.shape.n_features, library().dll
    linear, y, mean = np.random.default_rng(0).normal(size=(1, d)), np.zeros((1, 6), np.int32), np.zeros(d)
    row, err = ctypes.c_int64(), ctypes.create_string_buffer(200)
    scores = record(abi.CScores, n=1, d=d, linear=linear)
    given = (rankings.handle, ctypes.byref(scores), None, y.ctypes.data, 6, None, 1, None, ctypes.byref(row), err, 200)
    moments = (rankings.handle, mean.ctypes.data, None, d, None, 1, None, err, 200)
    print(f"cp_space_moments {microseconds(lambda: dll.cp_space_moments(*moments)):.2f}")
    print(f"cp_decode       {microseconds(lambda: dll.cp_decode(*given)):.2f}")
    print(f"decode          {microseconds(lambda: decode(rankings, linear)):.2f}")


def soak(n: int) -> None:
    """Print the memory of the process while spaces are opened, used and closed."""
    start = time.perf_counter()
    for i in range(n + 1):
        parent = (np.arange(-1, NODES - 1) // (1 + i % 7)).astype(np.int32)
        parent[0], parent[-1] = -1, i % (NODES - 1)
        space = Description("subtrees", {"n": NODES}, parent, names=tuple(f"{i} {node}" for node in range(NODES)))
        if structure_mean(space).shape != (NODES,):
            raise AssertionError(i)
        if i in (n // 100, n // 10, n // 2, n):
            print(f"{i:8d} spaces  {resident():6.1f} MB  {1e6 * (time.perf_counter() - start) / max(i, 1):.0f} µs each")


if __name__ == "__main__":
    print("µs a call")
    calls()
    soak(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
