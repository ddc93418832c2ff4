"""The Go core's partition functions, marginals and samples of the distributions p(y) ∝ exp⟨s, ψ(y)⟩ on arrays."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np

from . import abi
from .arrays import FloatArray, IntArray, allocate
from .call import Remembered, address, call, floats, get_n_threads, record
from .errors import CapabilityError
from .structure import Description

_COSTS = Remembered[tuple[str, float]]()

#: Seconds of one processor that "auto" spends on exact computations in one call.
EXACT_SECONDS = 300.0
#: Elementary operations in a second of a processor, measured: 2.5e8 to 7e8 for the recursions over subsets (cycles,
#: permutations, weak orders, assignments), which are the slowest, and more where the operations are those of a BLAS or
#: of a list of members.
_RATE = 3e8
_RATES = {"spanningtrees": 4e9, "partialorders": 5e9}


class Partition(NamedTuple):
    """Partition functions of n score vectors.

    Attributes
    ----------
    log_z : ndarray of shape (n,)
        The logarithm of the sum of exp⟨s, ψ(y)⟩ over all outputs y.
    marginals : ndarray of shape (n, d) or None
        The mean of ψ, the gradient of `log_z`, where it was asked for.
    engine : {"recursion", "enumeration"}
        What computed them: the structure's own recursion or closed form, or a sum over all outputs one by one.
    """

    log_z: FloatArray
    marginals: FloatArray | None
    engine: str


def partition_cost(description: Description, *, marginals: bool = False) -> tuple[str, float]:
    """Return the engine of `log_partition`, and about how many elementary operations it takes for each row.

    Raises CapabilityError where the structure is too large for all engines. The core is asked once for each structure.
    """
    return _COSTS.get((description.key, marginals), lambda: _cost(description, marginals))


def exact_seconds(description: Description, n_rows: int, evaluations: int = 1) -> float:
    """Return about how long one processor takes for exact ln Z and E ψ, infinite where the structure is too large."""
    try:
        _, cost = partition_cost(description, marginals=True)
    except CapabilityError:
        return math.inf
    return n_rows * evaluations * cost / _RATES.get(description.name, _RATE)


def exact_is_affordable(description: Description, n_rows: int, evaluations: int = 1) -> bool:
    """Return whether "auto" computes exactly: where that takes no more than `EXACT_SECONDS`."""
    return exact_seconds(description, n_rows, evaluations) <= EXACT_SECONDS


def _cost(description: Description, marginals: bool) -> tuple[str, float]:
    scores, info = record(abi.CScores, d=description.shape.n_features), record(abi.CPartitionInfo)
    unused = ctypes.c_double()
    call(
        "cp_log_partition",
        description,
        ctypes.byref(scores),
        None,
        ctypes.byref(unused) if marginals else None,
        ctypes.byref(info),
        n_threads=1,
    )
    return info.engine.decode(), info.cost


def log_partition(
    description: Description, scores: Any, *, marginals: bool = False, n_threads: int | None = None
) -> Partition:
    """Return ln Σ_y exp⟨s, ψ(y)⟩ for every row s, and the mean of ψ under p(y) ∝ exp⟨s, ψ(y)⟩.

    Parameters
    ----------
    description : Description
        The structure.
    scores : array of shape (n, d)
        Finite.
    marginals : bool, default=False
        Whether the means are wanted, too.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.

    Returns
    -------
    Partition

    Raises
    ------
    CapabilityError
        If the structure is too large for exact sums.
    ValueError
        If a score is NaN or infinite; the message names the row.
    MemoryError
        If the marginals do not fit.
    """
    d = description.shape.n_features
    scores = floats(scores, "scores", None, d)
    n = len(scores)
    _, cost = partition_cost(description, marginals=marginals)
    log_z = np.empty(n)
    means = allocate((n, d), np.float64, f"the marginals of {n} rows", "take fewer rows at once") if marginals else None
    rows, info = record(abi.CScores, n=n, d=d, linear=address(scores)), record(abi.CPartitionInfo)
    call(
        "cp_log_partition",
        description,
        ctypes.byref(rows),
        address(log_z),
        address(means),
        ctypes.byref(info),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=10 * n * cost,  # an operation is up to an exponential
    )
    return Partition(log_z, means, info.engine.decode())


def sample_distribution(
    description: Description, scores: Any, n_samples: int, seed: int, *, n_threads: int | None = None
) -> IntArray:
    """Draw `n_samples` independent outputs from p(y) ∝ exp⟨s, ψ(y)⟩ for every row s, exactly up to rounding.

    Parameters
    ----------
    description : Description
        The structure.
    scores : array of shape (n, d)
        Finite.
    n_samples : int
        How many for each row; not negative.
    seed : int
        Modulo 2**64. Each row has its own random stream: results do not depend on the number of threads.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.

    Returns
    -------
    y : ndarray of shape (n_samples, n, part_len)
        Encoded outputs.

    Raises
    ------
    CapabilityError, ValueError, MemoryError
        As `log_partition`.
    """
    if n_samples < 0:
        raise ValueError(f"n_samples is {n_samples}, must not be negative")
    part_len, d, _ = description.shape
    scores = floats(scores, "scores", None, d)
    n = len(scores)
    y = allocate(
        (n_samples, n, part_len), np.int32, f"drawing {n_samples} outputs for each of {n} rows", "draw fewer at once"
    )
    rows = record(abi.CScores, n=n, d=d, linear=address(scores))
    call(
        "cp_sample_distribution",
        description,
        ctypes.byref(rows),
        n_samples,
        seed % 2**64,
        address(y),
        part_len,
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=1e3 * n * d * max(n_samples, 1) if d < 100 else 1e9,
    )
    return y
