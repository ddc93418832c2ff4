"""Estimates of ln Z and E ψ of the distributions p(y) ∝ exp⟨s, ψ(y)⟩ by the Go core, on arrays."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import FloatArray, allocate
from .call import address, call, floats, get_n_threads, record
from .structure import Description

_SAMPLER, _WHY = 16, 256  # bytes of the texts of a row
_COUNTS = ("samples", "steps", "accepted", "level_samples", "repeats")
_FIGURES = ("value", "lower", "upper", "effective_share", "r_hat", "expansion", "spread", "variance")
_LEVELS = 64  # of a row, for which there is room at first
_LONG = 1e12  # operations: an estimate can be interrupted


@dataclass(frozen=True)
class Asked:
    """What to estimate and how: the fields of cp_estimate_options, with `random_state` drawn as `seed`.

    Attributes
    ----------
    method, sampler, schedule : str
    epsilon, delta : float
    max_steps, seed : int
    plain : bool
    bound : ndarray of shape (n,) or None
    low, high : ndarray of shape (d,) or None
    """

    method: str
    sampler: str = "auto"
    schedule: str = "adaptive"
    epsilon: float = 0.1
    delta: float = 0.05
    max_steps: int = 10**8
    seed: int = 0
    plain: bool = False
    bound: FloatArray | None = None
    low: FloatArray | None = None
    high: FloatArray | None = None

    def record(self) -> abi.CEstimateOptions:
        """Return the record that the library reads; the arrays must outlive it."""
        return record(
            abi.CEstimateOptions,
            method=self.method.encode(), sampler=self.sampler.encode(), schedule=self.schedule.encode(),
            epsilon=self.epsilon, delta=self.delta, max_steps=self.max_steps, seed=self.seed % 2**64,
            plain=int(self.plain), bound=address(self.bound), low=address(self.low), high=address(self.high),
        )  # fmt: skip


class Estimates:
    """What was found for n rows of scores: the columns of cp_estimates, as arrays.

    Parameters
    ----------
    n, d : int
    what : str
        For messages where there is no memory.
    bounded : bool, default=True
        Whether bounds on ln Z are wanted where they take work of their own.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    effective_share: FloatArray
    r_hat: FloatArray
    expansion: FloatArray
    spread: FloatArray
    variance: FloatArray
    samples: NDArray[np.int64]
    steps: NDArray[np.int64]
    accepted: NDArray[np.int64]
    level_samples: NDArray[np.int64]
    repeats: NDArray[np.int64]

    def __init__(self, n: int, d: int, *, means: bool, errors: bool = False, bounded: bool = True) -> None:
        self.n, self.d = n, d
        for name in _FIGURES:
            setattr(self, name, np.zeros(n))
        for name in _COUNTS:
            setattr(self, name, np.zeros(n, dtype=np.int64))
        what, remedy = f"the marginals of {n} rows", "take fewer rows at once"
        self.marginals: FloatArray | None = allocate((n, d), np.float64, what, remedy) if means else None
        self.error: FloatArray | None = allocate((n, d), np.float64, what, remedy) if errors else None
        self.guaranteed: NDArray[np.bool_] = np.ones(n, dtype=np.bool_)
        self._texts = np.zeros(n, dtype=f"S{_SAMPLER}"), np.zeros(n, dtype=f"S{_WHY}")
        self._first: NDArray[np.int64] = np.zeros(n + 1, dtype=np.int64)
        self._levels = np.zeros(_LEVELS * n)
        self._bounded = bounded
        self.method = ""

    @property
    def sampler(self) -> NDArray[np.str_]:
        """Names of the samplers (n,)."""
        return self._texts[0].astype(str)

    @property
    def why(self) -> list[str]:
        """Why the chains of each row should not be trusted, empty where they can be."""
        return [text.decode() for text in self._texts[1].tolist()]

    @property
    def schedules(self) -> tuple[FloatArray, ...]:
        """The levels of each row."""
        return tuple(np.split(self._levels[: self._first[-1]], self._first[1:-1]))

    def put(self, row: int, one: Estimates) -> None:
        """Write what was found for a single row; rows come in their order."""
        for name in (*_FIGURES, *_COUNTS, "guaranteed"):
            getattr(self, name)[row] = getattr(one, name)[0]
        for all_rows, text in zip(self._texts, one._texts, strict=True):
            all_rows[row] = text[0]
        for name in ("marginals", "error"):
            if (whole := getattr(self, name)) is not None:
                whole[row] = getattr(one, name)[0]
        levels = self._levels[: self._first[row]]
        self._levels = np.concatenate([levels, *one.schedules])
        self._first[row + 1 :] = len(self._levels)
        self.method = one.method

    def record(self) -> abi.CEstimates:
        """Return the record that the library fills in."""
        left = () if self._bounded else ("value", "lower", "upper", "spread")
        columns = {name: address(getattr(self, name)) for name in (*_FIGURES, *_COUNTS) if name not in left}
        return record(
            abi.CEstimates,
            n=self.n, d=self.d, marginals=address(self.marginals), error=address(self.error),
            guaranteed=address(self.guaranteed), sampler=address(self._texts[0]), why=address(self._texts[1]),
            first_level=address(self._first), levels=address(self._levels), levels_cap=len(self._levels), **columns,
        )  # fmt: skip

    def lacks_levels(self, found: abi.CEstimates) -> bool:
        """Take in what the library said; return whether it needs more room for levels, which is then there."""
        self.method = found.method.decode()
        if found.levels_needed <= len(self._levels):
            return False
        self._levels = np.zeros(found.levels_needed)
        return True


def estimate(
    function: str,
    description: Description,
    scores: Any,
    asked: Asked,
    found: Estimates,
    *,
    n_threads: int | None = None,
    label: str = "",
    verbose: int = 0,
) -> Estimates:
    """Fill in `found` for every row of scores (n, d), by cp_partition_estimate or cp_marginals_estimate.

    Raises CapabilityError, SamplingError and ValueError as log_partition and estimate_marginals say.
    """
    scores = floats(scores, "scores", None, description.shape.n_features)
    rows = record(abi.CScores, n=found.n, d=found.d, linear=address(scores))
    while True:
        options, result = asked.record(), found.record()
        call(
            function, description, ctypes.byref(rows), ctypes.byref(options), ctypes.byref(result),
            n_threads=get_n_threads() if n_threads is None else n_threads, flops=_LONG, label=label, verbose=verbose,
        )  # fmt: skip
        if not found.lacks_levels(result):  # else the same seed gives the same again
            return found


def estimate_from_draws(
    draw: Callable[[int], FloatArray],
    scores: FloatArray,
    asked: Asked,
    found: Estimates,
    *,
    mean: FloatArray | None = None,
    log_count: float = math.nan,
) -> Estimates:
    """Fill in `found` for one row from a user's own uniform draws, by cp_estimate_next.

    `draw` returns the numbers (k, width) of k draws more: ψ, for scores (width,), or the score, for scores of 1.
    """
    draws, width = np.empty((0, len(scores))), len(scores)
    more = ctypes.c_int64()
    while True:
        supplied = record(
            abi.CSupplied, n=len(draws), width=width, draws=address(draws), scores=address(scores), mean=address(mean),
            log_count=log_count,
        )  # fmt: skip
        options, result = asked.record(), found.record()
        call(
            "cp_estimate_next", ctypes.byref(supplied), ctypes.byref(options), ctypes.byref(result),
            ctypes.addressof(more), n_threads=1, flops=_LONG,
        )  # fmt: skip
        if more.value:
            what = f"{len(draws) + more.value} draws with {width} numbers each"
            longer = allocate((len(draws) + more.value, width), np.float64, what, "ask for a larger epsilon")
            longer[: len(draws)] = draws
            longer[len(draws) :] = draw(more.value)
            draws = longer
        elif not found.lacks_levels(result):
            return found
