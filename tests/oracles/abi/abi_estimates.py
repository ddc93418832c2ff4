"""Legal arguments of the functions of the C interface that draw, search and estimate; see `abi_calls`."""

from __future__ import annotations

import ctypes

import numpy as np

from combpred._lib import abi
from combpred._lib.structure import Description
from combpred._lib.table import record

RUN = (1, None)
COLUMNS = np.zeros((32, 64))  # results, each in a row of its own
LIMITS = np.stack([-np.ones(64), np.ones(64)])
TALLY, MORE = np.zeros(64, dtype=np.int64), np.zeros(1, dtype=np.int64)
WRITTEN = (
    *("value", "lower", "upper", "marginals", "error", "guaranteed", "samples", "steps", "accepted"),
    *("level_samples", "repeats", "effective_share", "r_hat", "first_level", "expansion", "spread", "variance"),
)
SEARCHED = ("value", "upper_bound", "nu", "temperature", "steps", "accepted", "success")
FOUND = np.zeros((2, 4), dtype=np.int32)
STARTS, BEST = np.zeros((2, 64)), np.zeros(2, dtype=np.int64)


def estimates(n: int, d: int, *, levels: bool) -> ctypes.Structure:
    columns = {name: COLUMNS[i].ctypes.data for i, name in enumerate(WRITTEN)}
    if levels:
        columns |= {"levels": COLUMNS[30].ctypes.data, "levels_cap": 64}
    return record(abi.CEstimates, n=n, d=d, **columns)


def estimate_calls(s: Description, d: int, scores: ctypes.Structure) -> dict[str, list]:
    """Return the arguments of each function, but for bad_row, err and err_cap."""
    bound = {"bound": LIMITS[1].ctypes.data}
    loose = {"epsilon": 0.5, "delta": 0.5, "max_steps": 1_000_000, "exact_seconds": 1.0, "seed": 7}
    limits = {"low": LIMITS[0].ctypes.data, "high": LIMITS[1].ctypes.data}
    starts = record(abi.CStarts, n=2, d=d, psi=STARTS.ctypes.data, moves=1)
    supplied = record(abi.CSupplied, n=1, d=d, scores=LIMITS[1].ctypes.data, log_count=0.0)
    annealed = record(
        abi.CEstimateOptions, method=b"annealed", sampler=b"auto", schedule=b"adaptive", **loose, **bound, **limits
    )  # fmt: skip
    own = record(abi.CEstimateOptions, method=b"annealed", sampler=b"auto", schedule=b"adaptive", **loose, **bound)
    chain = record(abi.CChainOptions, method=b"meta", n_samples=3, burn_in=5, thin=2, budget=100, seed=7)
    chain.start = TALLY.ctypes.data
    kept = record(abi.CChainRecord, n=2, n_samples=3, value=COLUMNS[20].ctypes.data, steps=COLUMNS[21].ctypes.data)
    options = record(abi.CSearchOptions, method=b"anneal", proposals=b"local", steps=20, runs=2, seed=7)
    once = record(abi.CSearchOptions, method=b"anneal", proposals=b"local", steps=20, runs=1, seed=7)
    columns = {name: COLUMNS[i].ctypes.data for i, name in enumerate(SEARCHED, 22)}
    return {
        "cp_search": [s, scores, options, FOUND.ctypes.data, 4, record(abi.CSearchRecord, n=2, **columns), *RUN],
        "cp_search_start": [
            s,
            scores,
            once,
            starts,
            BEST.ctypes.data,
            record(abi.CSearchRecord, n=2, value=COLUMNS[31].ctypes.data),
            MORE.ctypes.data,
            *RUN,
        ],  # fmt: skip
        "cp_mixing_bound": [s, scores, b"local", 0.25, COLUMNS[29].ctypes.data, *RUN],
        "cp_estimate": [s, scores, annealed, estimates(2, d, levels=True), *RUN],
        "cp_estimate_start": [supplied, own, estimates(1, d, levels=True), MORE.ctypes.data, *RUN],
        "cp_chain_start": [
            s,
            scores,
            chain,
            starts,
            TALLY[8:].ctypes.data,
            kept,
            MORE.ctypes.data,
            *RUN,
        ],  # fmt: skip
    }
