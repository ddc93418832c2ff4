"""Sampling by the Go core, on arrays; :mod:`combpred._lib.call` has the conventions and errors."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import abi, names
from .arrays import CountArray, FloatArray, IntArray, allocate
from .call import call, codes, floats, record
from .structure import Description

#: Downsets of an inseparable part that exact counting goes through at most, in a few seconds.
MOST_DOWNSETS = 2**24
#: Downsets of a part that estimates count exactly, in a fraction of a second.
FEW_DOWNSETS = 2**21

_LONG = 1e12  # operations: a call that can be interrupted
_DIGITS = 8192  # of a count, hexadecimal: those of 2048!, the largest, are 4895


class Drawn(NamedTuple):
    """Samples for n score vectors.

    Attributes
    ----------
    y : ndarray of shape (n, n_samples, part_len)
        Encoded outputs: int32, or objects where a structure is sampled in Python.
    value : ndarray of shape (n, n_samples)
        The score of each.
    steps : ndarray of shape (n, n_samples), int64
        Steps made for each sample alone.
    accepted : ndarray of shape (n, n_samples), int64
        How many of these were accepted.
    """

    y: npt.NDArray[Any]
    value: FloatArray
    steps: CountArray
    accepted: CountArray


class Plan(NamedTuple):
    """How many samples to draw for each row, and how.

    Attributes
    ----------
    method : str
        One of ``names.CHAIN_METHODS``.
    n_samples, burn_in, thin, budget : int
        Samples, steps before the first, steps between samples, most steps of one exact sample.
    seed : int
        Modulo 2**64.
    """

    method: str
    n_samples: int
    burn_in: int
    thin: int
    budget: int
    seed: int


def chain_sample(
    description: Description,
    linear: Any,
    plan: Plan,
    *,
    start: Any = None,
    bound: Any = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> Drawn:
    """Draw outputs from p ∝ exp⟨s, ψ⟩ for every row s of `linear` (n, d).

    `start` (n, part_len) and `bound` (n,) are as cp_chain_sample takes them. Raises SamplingError when an exact sample
    would take more than the budget.
    """
    part_len, d, _ = description.shape
    linear = floats(linear, "scores", None, d)
    shape = (len(linear), plan.n_samples)
    if start is not None:
        start = codes(start, "start", len(linear), part_len)
    if bound is not None:
        bound = floats(bound, "bound", len(linear))
    drawn = Drawn(
        allocate((*shape, part_len), np.int32, f"drawing {shape[0]} × {shape[1]} outputs", "draw fewer at once"),
        np.empty(shape),
        np.empty(shape, dtype=np.int64),
        np.empty(shape, dtype=np.int64),
    )
    scores = record(abi.CScores, n=len(linear), d=d, linear=linear)
    options = record(
        abi.CChainOptions, method=plan.method, n_samples=plan.n_samples, burn_in=plan.burn_in, thin=plan.thin,
        budget=plan.budget, seed=plan.seed % 2**64, start=start, bound=bound,
    )  # fmt: skip
    known = record(
        abi.CChainRecord, n=shape[0], n_samples=plan.n_samples, value=drawn.value, steps=drawn.steps,
        accepted=drawn.accepted,
    )  # fmt: skip
    exact = plan.method in names.EXACT_METHODS
    steps = shape[0] * (plan.budget if exact else plan.burn_in + plan.n_samples * plan.thin)
    call(
        "cp_chain_sample", description, scores, options, drawn.y, part_len, known, n_threads=n_threads,
        flops=30.0 * steps * max(part_len, d), label="sampling", verbose=verbose,
    )  # fmt: skip
    return drawn


class OwnDrawn(NamedTuple):
    """Samples from a user's own draws, or how many `more` draws these take: then the rest says nothing.

    Attributes
    ----------
    more : int
    number : ndarray of shape (n_samples,), int32
        Which draws the samples are.
    value, steps, accepted : ndarray of shape (n_samples,)
        As in `Drawn`.
    """

    more: int
    number: IntArray
    value: FloatArray
    steps: CountArray
    accepted: CountArray


def chain_next(values: Any, plan: Plan, *, start: bool = False, bound: float | None = None) -> OwnDrawn:
    """Sample for one row by "meta", "rejection" or "cftp" from uniform draws whose scores are `values` (n,).

    With `start` a chain begins at the first of these; the others are its proposals.
    """
    values, n = floats(values, "values", None), plan.n_samples
    more, first, limit = ctypes.c_int64(), np.zeros(1, dtype=np.int32), None if bound is None else np.array([bound])
    found = OwnDrawn(
        0, np.empty(n, dtype=np.int32), np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    )
    supplied = record(abi.CSupplied, n=len(values), width=1, draws=values)
    options = record(
        abi.CChainOptions, method=plan.method, n_samples=n, burn_in=plan.burn_in, thin=plan.thin, budget=plan.budget,
        seed=plan.seed % 2**64, start=first if start else None, bound=limit,
    )  # fmt: skip
    known = record(abi.CChainRecord, n=1, n_samples=n, value=found.value, steps=found.steps, accepted=found.accepted)
    call("cp_chain_next", supplied, options, found.number, known, more, n_threads=1)
    return found._replace(more=more.value)


def chain_diagnose(x: Any, n_lags: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what chains of n quantities, `x` (n, n_chains, n_draws), say about each of them.

    Effective sample sizes (n,), split-R̂ (n,) and autocorrelations (n, n_chains, n_lags).
    """
    x = floats(x, "x", None, None, None)
    sizes, r_hats, lags = np.empty(len(x)), np.empty(len(x)), np.empty((*x.shape[:2], n_lags))
    call("cp_chain_diagnose", x, *x.shape, sizes, r_hats, lags, n_lags, n_threads=1, flops=200.0 * x.size)
    return sizes, r_hats, lags


def extensions_sample(
    pairs: Any, n_elements: int, n_samples: int, method: str, seed: int, *, n_threads: int | None = None
) -> tuple[IntArray, CountArray]:
    """Return uniform linear extensions (n_samples, n_elements) of `pairs` (n_pairs, 2), and the steps of each."""
    pairs = codes(pairs, "pairs", None, 2)
    orders = allocate(
        (n_samples, n_elements), np.int32, f"{n_samples} linear extensions of {n_elements} elements", "draw fewer"
    )
    steps: CountArray = np.empty(n_samples, dtype=np.int64)
    call(
        "cp_extensions_sample", pairs, len(pairs), n_elements, method, seed % 2**64, orders, n_samples, steps,
        n_threads=n_threads,
        flops=1e9 if method != "coupling" else 20.0 * n_samples * n_elements**3 * max(1.0, np.log(n_elements)),
    )  # fmt: skip
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
        "cp_extensions_count", pairs, len(pairs), n_elements, most_downsets, digits, _DIGITS, needed,
        n_threads=n_threads, flops=10.0 * n_elements * (n_elements**2 + min(most_downsets, 2.0 ** min(n_elements, 64))),
    )  # fmt: skip
    return int(digits.value, 16)


class EstimatedCount(NamedTuple):
    """A number of linear extensions, or an estimate of it.

    Attributes
    ----------
    value : int
        The nearest integer.
    log_value : float
    is_exact : bool
    n_samples : int
        Linear extensions drawn.
    """

    value: int
    log_value: float
    is_exact: bool
    n_samples: int


def extensions_estimate(
    pairs: IntArray,
    n_elements: int,
    epsilon: float,
    delta: float,
    seed: int,
    *,
    most_downsets: int = FEW_DOWNSETS,
    n_threads: int | None = None,
    verbose: int = 0,
) -> EstimatedCount:
    """Return the number of linear extensions of `pairs` (n_pairs, 2) within 1 ± epsilon with probability 1 − delta."""
    needed, digits = ctypes.c_int64(), ctypes.create_string_buffer(_DIGITS)
    options = record(
        abi.CExtensionsOptions, epsilon=epsilon, delta=delta, most_downsets=most_downsets, seed=seed % 2**64
    )
    info = record(abi.CExtensionsInfo)
    call(
        "cp_extensions_estimate", pairs, len(pairs), n_elements, options, digits, _DIGITS, needed, info,
        n_threads=n_threads, flops=_LONG, label="counting linear extensions", verbose=verbose,
    )  # fmt: skip
    return EstimatedCount(int(digits.value, 16), info.log_count, info.n_levels == 0, info.n_samples)


def extensions_before(
    pairs: IntArray, n_elements: int, *, n_threads: int | None = None, verbose: int = 0
) -> FloatArray:
    """Return the probability that one element precedes another in linear extensions of `pairs` (n_pairs, 2)."""
    before: FloatArray = np.empty((n_elements, n_elements))
    call(
        "cp_extensions_before", pairs, len(pairs), n_elements, MOST_DOWNSETS, before, n_threads=n_threads, flops=_LONG,
        label="probabilities of linear extensions", verbose=verbose,
    )  # fmt: skip
    return before
