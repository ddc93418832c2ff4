"""Sampling by the Go core, as Python functions on arrays; see :mod:`combpred._lib` for conventions and errors."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import abi, names
from .call import FloatArray, address, call, codes, floats, get_n_threads, record
from .memory import allocate
from .structure import Description

CountArray = npt.NDArray[np.int64]


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
    scores = record(abi.CScores, n=len(linear), d=d, linear=address(linear))
    options = record(
        abi.CChainOptions,
        method=plan.method.encode(),
        n_samples=plan.n_samples,
        burn_in=plan.burn_in,
        thin=plan.thin,
        budget=plan.budget,
        seed=plan.seed % 2**64,
        start=address(start),
        bound=address(bound),
    )
    known = record(
        abi.CChainRecord,
        n=shape[0],
        n_samples=plan.n_samples,
        value=address(drawn.value),
        steps=address(drawn.steps),
        accepted=address(drawn.accepted),
    )
    exact = plan.method in names.EXACT_METHODS
    steps = shape[0] * (plan.budget if exact else plan.burn_in + plan.n_samples * plan.thin)
    call(
        "cp_chain_sample",
        description,
        ctypes.byref(scores),
        ctypes.byref(options),
        address(drawn.y),
        part_len,
        ctypes.byref(known),
        n_threads=get_n_threads() if n_threads is None else n_threads,
        flops=30.0 * steps * max(part_len, d),
        label="sampling",
        verbose=verbose,
    )
    return drawn


def chain_diagnose(x: Any, n_lags: int = 0) -> tuple[float, float, FloatArray]:
    """Return effective sample size, split-R̂ and autocorrelations (n_chains, n_lags) of `x` (n_chains, n_draws)."""
    x = floats(x, "x", None, None)
    size, r_hat = ctypes.c_double(), ctypes.c_double()
    lags = np.empty((len(x), n_lags))
    call(
        "cp_chain_diagnose",
        address(x),
        *x.shape,
        ctypes.addressof(size),
        ctypes.addressof(r_hat),
        address(lags),
        n_lags,
    )
    return size.value, r_hat.value, lags
