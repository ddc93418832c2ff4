"""The Go core as Python functions on arrays. This is what the rest of the package uses of it.

Arrays are converted to the type and memory layout that the core needs, copying only where they differ, and their
dimensions are checked. Errors of the core arrive as ValueError, CapabilityError, NumericalError, MemoryError,
RuntimeError (a bug of the library) or KeyboardInterrupt.
"""

from __future__ import annotations

import ctypes
import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _abi, _loader
from ._calls import (
    Description,
    FloatArray,
    IntArray,
    StructureArgument,
    address,
    call,
    checked,
    codes,
    floats,
    structure_shape,
)
from ._config import get_n_threads
from ._errors import NumericalError, RowError
from ._lib_partition import Partition, log_partition, partition_cost, sample_distribution
from ._lib_ridge import (
    Design,
    FitInfo,
    Targets,
    check_kernel,
    covariance_solve,
    ridge_kernel,
    ridge_kernel_loo,
    ridge_plan,
    ridge_spectral,
    ridge_spectral_loo,
)
from ._memory import allocate

__all__ = [
    "Decoded",
    "Description",
    "Design",
    "FitInfo",
    "NumericalError",
    "Partition",
    "RowError",
    "catalogue",
    "decode",
    "Targets",
    "check_kernel",
    "covariance_solve",
    "log_partition",
    "partition_cost",
    "sample_distribution",
    "ridge_kernel",
    "ridge_kernel_loo",
    "ridge_plan",
    "ridge_spectral",
    "ridge_spectral_loo",
    "structure_check",
    "structure_count",
    "structure_embed",
    "structure_enumerate",
    "structure_mean",
    "structure_mirror",
    "structure_moments",
    "structure_sample",
    "structure_second_moment",
    "structure_shape",
]


class Decoded(NamedTuple):
    """Best outputs for n score vectors, and what is known about them.

    Attributes
    ----------
    y : ndarray of shape (n, part_len)
        Encoded outputs: int32, or objects where a structure decodes in Python.
    value : ndarray of shape (n,)
        The score reached.
    upper_bound : ndarray of shape (n,)
        A proven bound on the score of every output.
    nu : ndarray of shape (n,)
        The guarantee ``value >= (1 - nu) * max + nu * min`` over all outputs.
    optimal : ndarray of shape (n,), bool
        Whether the output is proven to be a best one.
    """

    y: npt.NDArray[Any]
    value: FloatArray
    upper_bound: FloatArray
    nu: FloatArray
    optimal: npt.NDArray[np.bool_]


def catalogue() -> list[dict[str, Any]]:
    """Describe every structure of the core: name, doc, params (name, kind, doc), ref, capabilities; sorted by name."""
    entries: list[dict[str, Any]] = json.loads(_loader.library().core.control_Catalogue())
    return entries


def structure_count(description: Description) -> int:
    """Return the exact number of outputs."""
    structure, needed = StructureArgument(description), ctypes.c_int64()
    call("cp_structure_count", structure, None, 0, ctypes.addressof(needed))
    digits = ctypes.create_string_buffer(needed.value)
    call("cp_structure_count", structure, digits, needed.value, ctypes.addressof(needed))
    return int(digits.value, 16)


def structure_mean(description: Description) -> FloatArray:
    """Return the mean of the embedding under the uniform law, of shape (d,)."""
    d = structure_shape(description)[1]
    mean = allocate((d,), np.float64, f"the mean of {d} features", "take a smaller structure")
    call("cp_structure_mean", StructureArgument(description), address(mean), d)
    return mean


def structure_second_moment(description: Description) -> FloatArray:
    """Return the second moment of the embedding under the uniform law, of shape (d, d)."""
    d = structure_shape(description)[1]
    moment = allocate((d, d), np.float64, f"the second moment of {d} features", "take a smaller structure")
    call("cp_structure_second_moment", StructureArgument(description), address(moment), d)
    return moment


def structure_moments(description: Description) -> tuple[str, float]:
    """Return what the moments are (a key of ``_abi.MOMENTS_KINDS``) and the largest standard error of an entry."""
    kind, standard_error = ctypes.c_int32(), ctypes.c_double()
    call(
        "cp_structure_moments",
        StructureArgument(description),
        ctypes.addressof(kind),
        ctypes.addressof(standard_error),
    )
    names = {code: name for name, code in _abi.MOMENTS_KINDS.items()}
    return names[kind.value], standard_error.value


def structure_check(description: Description, y: Any) -> None:
    """Raise RowError for the first row of `y` (n, part_len) that is not in the structure."""
    y = codes(y, "y", None, structure_shape(description)[0])
    bad_row = ctypes.c_int64(-1)
    try:
        call("cp_structure_check", StructureArgument(description), address(y), *y.shape, ctypes.addressof(bad_row))
    except ValueError as error:
        if bad_row.value < 0:
            raise
        raise RowError(bad_row.value, str(error)) from None


def structure_embed(
    description: Description, y: Any, *, partial: bool = False, n_threads: int | None = None
) -> FloatArray:
    """Return the embeddings of the rows of `y` (n, part_len), of shape (n, d).

    A row not in the structure is a ValueError. With ``partial=True`` rows may be known in part, in structures that have
    such rows: theirs is the mean over all outputs that agree with what is known.
    """
    part_len, d, _ = structure_shape(description)
    y = codes(y, "y", None, part_len)
    psi = allocate(
        (len(y), d), np.float64, f"embedding {len(y)} outputs in {d} features", "embed fewer or smaller structures"
    )
    workers = get_n_threads() if n_threads is None else n_threads
    function = "cp_structure_embed_partial" if partial else "cp_structure_embed"
    call(function, StructureArgument(description), address(y), *y.shape, address(psi), d, workers)
    return psi


def structure_sample(description: Description, n: int, seed: int, *, n_threads: int | None = None) -> IntArray:
    """Draw `n` independent uniform outputs, of shape (n, part_len). Equal seeds (64 bits) give equal outputs."""
    if n < 0:
        raise ValueError(f"n is {n}, must not be negative")
    part_len, d, _ = structure_shape(description)
    y = allocate((n, part_len), np.int32, f"drawing {n} outputs of {part_len} parts", "draw fewer at once")
    call(
        "cp_structure_sample",
        StructureArgument(description),
        seed % 2**64,
        address(y),
        *y.shape,
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=30.0 * n * max(part_len, d),
    )
    return y


def structure_mirror(description: Description, y: Any) -> IntArray:
    """Return the sibling of each row of `y` (n, part_len); CapabilityError where the structure is no sibling system."""
    y = codes(y, "y", None, structure_shape(description)[0])
    mirrored: IntArray = np.empty(y.shape, dtype=np.int32)
    call("cp_structure_mirror", StructureArgument(description), address(y), *y.shape, address(mirrored))
    return mirrored


def structure_enumerate(description: Description, skip: int, capacity: int) -> IntArray:
    """List at most `capacity` outputs from number `skip` on, of shape (k, part_len); k = 0 past the end."""
    if capacity < 0:
        raise ValueError(f"capacity is {capacity}, must not be negative")
    part_len = structure_shape(description)[0]
    y = allocate((capacity, part_len), np.int32, f"listing {capacity} outputs of {part_len} parts", "list fewer")
    written = ctypes.c_int64()
    call(
        "cp_structure_enumerate", StructureArgument(description), skip, address(y), *y.shape, ctypes.addressof(written)
    )
    return y[: written.value]


def decode(
    description: Description,
    linear: Any,
    magnitude: Any = None,
    method: str = "auto",
    n_threads: int | None = None,
    seed: int = 0,
) -> Decoded:
    """Find an output of largest score ``<linear, psi> + <magnitude, psi**2>`` for each row.

    Parameters
    ----------
    description : Description
        The structure.
    linear : array of shape (n, d)
        Scores of the embedding.
    magnitude : array of shape (d,) or (n, d), or None, default=None
        Scores of the squares of its entries, for all rows or for each.
    method : {"auto", "exact", "search", "approx", "anneal", "metropolis"}, default="auto"
        "exact" refuses beyond the size that can be solved exactly, "search" takes the structure's local search, "auto"
        the first that is possible. "approx" is the guaranteed solution from which the search begins, "anneal" and
        "metropolis" follow a Markov chain from there. Structures without a search are solved exactly by all of them.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.
    seed : int, default=0
        Of the Markov chains, modulo 2**64. Each row has its own random stream.

    Returns
    -------
    Decoded

    Raises
    ------
    CapabilityError
        If `method` is "exact" and the structure is too large for it.
    ValueError
        If a score is NaN or infinite; the message names the row.
    MemoryError
        If the outputs do not fit.
    """
    if method not in _abi.DECODE_METHODS:
        raise ValueError(f"method is {method!r}, must be one of {', '.join(_abi.DECODE_METHODS)}")
    part_len, d, _ = structure_shape(description)
    linear = floats(linear, "linear", None, d)
    n = len(linear)
    n_magnitude = 0
    if magnitude is not None:
        magnitude = np.asarray(magnitude)
        magnitude = floats(magnitude, "magnitude", d) if magnitude.ndim == 1 else floats(magnitude, "magnitude", n, d)
        n_magnitude = magnitude.size // d
    found = Decoded(
        allocate((n, part_len), np.int32, f"decoding {n} rows into {part_len} parts", "decode fewer rows at once"),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype=np.bool_),
    )
    call(
        "cp_decode",
        StructureArgument(description),
        address(linear),
        n,
        d,
        address(magnitude),
        n_magnitude,
        _abi.DECODE_METHODS[method],
        seed % 2**64,
        address(found.y),
        part_len,
        address(found.value),
        address(found.upper_bound),
        address(found.nu),
        address(found.optimal),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        # Exact decoding may take exponential time in the size, of which d is the square for rankings: from some
        # hundred on, be ready. Below, partial orders of 7 items take longest, 2 ms a row for each entry of ψ; chains
        # take some 100 ms a row at any size.
        flops=1e9 if d >= 100 or method in ("anneal", "metropolis") else 1e6 * n * d,
    )
    return found


def panic(*, in_worker: bool) -> None:
    """Panic inside the library on purpose, to show that the process survives: always raises RuntimeError."""
    message = ctypes.create_string_buffer(1024)
    checked(_loader.library().dll.cp_test_panic(int(in_worker), message, len(message)), message)
