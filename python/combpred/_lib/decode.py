"""Decoding by the core: outputs of largest score."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import abi, names
from .arrays import FloatArray, allocate
from .call import address, call, floats, get_n_threads, record
from .errors import RowError
from .structure import Description

#: All values of the parameter `decoder`: those of the compiled library, and integer programs.
DECODERS = (*names.LIBRARY_DECODERS, "milp")


@dataclass(frozen=True)
class Decoding:
    """How to decode a batch of score vectors.

    Attributes
    ----------
    decoder : str
        One of `DECODERS`.
    n_threads : int or None
        Threads; None: as configured.
    seed : int
        Of the random streams of "anneal" and "metropolis", one for each row; 64 bits.
    """

    decoder: str = "auto"
    n_threads: int | None = None
    seed: int = 0

    @property
    def is_random(self) -> bool:
        """Whether what is found depends on the seed."""
        return self.decoder in names.RANDOM_DECODERS


def score_values(psi: FloatArray, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    r"""Return :math:`\langle s, \psi\rangle + \langle t, \psi^2\rangle` of every row of `psi`, of shape ``(n,)``.

    s is the row of `linear` (n, d), or `linear` itself when it is (d,), and t is that of `magnitude` likewise, zero for
    None. The squares are taken entry by entry: they are :math:`|\psi|` where entries are 0 or ±1.
    """
    values = _products(psi, linear)
    return values if magnitude is None else values + _products(np.square(psi), magnitude)


def _products(psi: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the product of every row with its scores, or with the same."""
    products: FloatArray = psi @ scores if scores.ndim == 1 else np.einsum("ij,ij->i", scores, psi)
    return products


def score_rows(scores: ArrayLike, d: int) -> tuple[FloatArray, bool]:
    """Return the scores as rows ``(n, d)`` after checking them, and whether they were a single row ``(d,)``."""
    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"scores must be real numbers, got dtype {values.dtype}")
    values = values.astype(np.float64, copy=False)
    if values.ndim not in (1, 2) or values.shape[-1] != d:
        raise ValueError(f"scores must have shape (n, {d}) or ({d},), got {values.shape}")
    rows = np.atleast_2d(values)
    bad = ~np.isfinite(rows)
    if bad.any():
        row, column = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        reason = f"scores, row {row}, column {column}: {rows[row, column]} is not finite; scores must be finite"
        raise RowError(row, reason, named=True)
    return rows, values.ndim == 1


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
    method : {"auto", "exact", "approx", "local-search", "anneal", "metropolis"}, default="auto"
        "exact" refuses beyond the size that can be solved exactly, "local-search" takes the structure's search, "auto"
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
    if method not in names.LIBRARY_DECODERS:
        raise ValueError(f"method is {method!r}, must be one of {', '.join(names.LIBRARY_DECODERS)}")
    part_len, d, _ = description.shape
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
    scores = record(
        abi.CScores, n=n, d=d, linear=address(linear), n_magnitude=n_magnitude, magnitude=address(magnitude)
    )
    options = record(abi.CDecodeOptions, method=method.encode(), seed=seed % 2**64)
    certificates = record(
        abi.CCertificates,
        n=n,
        value=address(found.value),
        upper_bound=address(found.upper_bound),
        nu=address(found.nu),
        optimal=address(found.optimal),
    )
    call(
        "cp_decode",
        description,
        ctypes.byref(scores),
        ctypes.byref(options),
        address(found.y),
        part_len,
        ctypes.byref(certificates),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        # Exact decoding may take exponential time in the size, of which d is the square for rankings: from some
        # hundred on, be ready. Below, partial orders take longest: 25 µs a row for 5 items (d = 10), 0.5 ms for 6 and
        # 20 ms for 7; at any size a row takes some 10 µs, and chains some 100 ms.
        flops=1e9 if d >= 100 or method in names.RANDOM_DECODERS else n * min(1e5 + d**6, 1e6 * d),
    )
    return found
