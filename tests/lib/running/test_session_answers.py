"""Sessions of every kind that are answered with garbage, stopped and closed early end in errors or results."""

from __future__ import annotations

import ctypes
import re
import threading

import numpy as np
import pytest

from abi_answers import Answer, arguments, functions
from abi_calls import DOUBLES, PART_LEN, D
from combpred._lib import abi
from combpred._lib.call import view
from combpred._lib.table import record

STARTS = [name for name in functions() if name.endswith("_start")]
NUMBERS = [0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e300, 5e-324, 0.5]
P, Q = 2, 3  # features of a row, and with the constant one


def answers(request: abi.CRequest) -> list[np.ndarray]:
    """Return the arrays that a request is to be answered in."""
    n, draws = request.n, request.draws
    fields = {
        abi.ASK_DECODE: {"outputs": n * PART_LEN},
        abi.ASK_HOLDS: {"proven": n},
        abi.ASK_BEST: {"psi": n * D, "proven": n},
        abi.ASK_PLANES: {"psi": n * D, "losses": n, "proven": n},
        abi.ASK_VALUES: {"results": n * max(1, request.n_columns)},
        abi.ASK_SUMS: {"sums": 2 + (P + 1) * (P + 1 + D)},
        abi.ASK_PRODUCT: {"results": Q * D},
        abi.ASK_EXPECT: {"means": n * D, "log_z": n},
        abi.ASK_MEAN: {"means": n * D},
        abi.ASK_PAIR: {"means": 2 * n * D},
        abi.ASK_PSI: {"psi": n * draws * D},
        abi.ASK_UNIFORM: {"psi": draws * D},
        **dict.fromkeys((abi.ASK_MOMENTS, abi.ASK_LOSS, abi.ASK_SPREAD), {"sums": n}),
        abi.ASK_DRAWS: {"results": n},
        abi.ASK_MOVES: {"results": n, "log_ratio": n},
    }.get(request.ask, {})
    dtypes = {"outputs": np.int32, "proven": np.uint8}
    found = ((getattr(request, name), dtypes.get(name, np.float64), size) for name, size in fields.items())
    return [view(at, dtype, size) for at, dtype, size in found if at]


def spoil(array: np.ndarray, rng: np.random.Generator) -> None:
    if array.dtype == np.float64:
        choices = rng.normal(size=4) if rng.random() < 0.5 else np.array(NUMBERS)
    else:
        choices = np.array([0, 1, 2, 3, 4, np.iinfo(array.dtype).max, np.iinfo(array.dtype).min])
    if rng.random() < 0.8:
        array[...] = rng.choice(choices, size=array.shape if rng.random() < 0.7 else ()).astype(array.dtype)


def run(dll, function: str, rng: np.random.Generator, steps: int) -> set[int]:
    """Open a session, answer so many requests at most, close it, and return the statuses."""
    given, names = arguments(function), [re.search(r"\w+$", p)[0] for p in functions()[function]]
    handle, control = ctypes.c_uint64(), abi.Control()
    given[names.index("session")] = ctypes.byref(handle)
    given[names.index("control")] = ctypes.byref(control)
    statuses = {Answer(getattr(dll, function), *given).status}
    if not handle.value:
        assert statuses != {abi.OK}
        return statuses
    request = record(abi.CRequest)
    for _ in range(steps):
        statuses.add(Answer(dll.cp_session_next, handle, ctypes.byref(request), None).status)
        if request.ask == abi.ASK_DONE:
            break
        control.cancel = int(rng.random() < 0.02)
        for array in answers(request):
            spoil(array, rng)
    assert Answer(dll.cp_session_close, handle).status == abi.OK
    return statuses


@pytest.mark.parametrize("function", STARTS)
def test_garbage_ends_in_errors_or_results(dll, function):
    rng, threads, kept = np.random.default_rng(0), threading.active_count(), DOUBLES.copy()
    statuses = set()
    for _ in range(60):
        statuses |= run(dll, function, rng, int(rng.integers(0, 40)))
        DOUBLES[:] = kept
    assert abi.OK in statuses
    assert statuses <= {
        *(abi.OK, abi.EVALUE, abi.ENUMERICAL, abi.ECANCELLED, abi.ENOTCONVERGED, abi.EBUDGET, abi.ECAPABILITY)
    }
    assert threading.active_count() == threads
