"""Legal arguments of the functions of the C interface about log-linear models; see `abi_calls`."""

from __future__ import annotations

import ctypes

import numpy as np

from combpred._lib import abi
from combpred._lib.call import call
from combpred._lib.structure import Description
from combpred._lib.table import record

STEPS = {"cp_loglinear_rows": abi.CLoglinearRowsStep, "cp_loglinear_search": abi.CLoglinearSearchStep}
NUMBERS = np.zeros(512)  # what is changed in place
ONES = np.ones(16)
ZEROS = np.zeros(16)
EYE = np.eye(2)
KERNEL = np.ones(1)  # overwritten, by a legal one
KEPT: list[np.ndarray] = []  # states that structs point to

OPTIONS = record(abi.CLoglinearOptions, solver=b"lbfgs", distribution=b"exact", alpha=1.0, tol=1e-3, max_iter=10)
FEATURES = record(
    abi.CLoglinearFeatures, n=2, q=2, rows=EYE.ctypes.data, curvature=ONES.ctypes.data, weights=ONES.ctypes.data
)


def doubles(at: int) -> int:
    """Return the address of numbers that are changed in place."""
    return NUMBERS[at:].ctypes.data


def begun(function: str, length: str, s: Description, d: int, *problem: ctypes.Structure) -> ctypes.Structure:
    """Return the step of training on rows whose outputs are the mean: it is done at once, and stays so."""
    model = record(abi.CLoglinearModel, q=2, d=d, weights=doubles(0), average=doubles(50))
    sizes, step = record(abi.CLoglinearSizes), record(STEPS[function])
    call("cp_loglinear_array_sizes", s, ctypes.byref(OPTIONS), 2, 2, ctypes.byref(sizes))
    state = np.zeros(getattr(sizes, length))
    KEPT.append(state)
    step.state, step.state_len = state.ctypes.data, len(state)
    while step.request != b"done":
        if step.request == b"moments":
            state[step.reply : step.reply + 3] = 1.0  # rows, and their weight
        elif step.request == b"expect":
            state[step.means : step.means + 2 * d] = state[step.log_z : step.log_z + 2] = 0.0
        given = (ctypes.byref(a) for a in (OPTIONS, *problem, model, step))
        call(function, s, *given, None, n_threads=1)
    return step


def loglinear_calls(
    s: Description,
    d: int,
    *,
    design: ctypes.Structure,
    targets: ctypes.Structure,
    features: ctypes.Structure,
    outputs: ctypes.Structure,
) -> dict[str, list]:
    """Return the arguments of each function, but for bad_row, err and err_cap."""
    model = record(abi.CLoglinearModel, q=2, d=d, weights=doubles(0), average=doubles(50))
    info, run = record(abi.CLoglinearInfo), (1, None)
    rows = begun("cp_loglinear_rows", "rows", s, d, design, targets)
    search = begun("cp_loglinear_search", "search", s, d)
    return {
        "cp_loglinear_array_sizes": [s, OPTIONS, 2, 2, record(abi.CLoglinearSizes)],
        "cp_loglinear_fit": [s, OPTIONS, design, targets, model, info, *run],
        "cp_loglinear_rows": [s, OPTIONS, design, targets, model, rows, info, *run],
        "cp_loglinear_sums": [s, OPTIONS, features, outputs, b"loss", ZEROS.ctypes.data, doubles(100), *run],
        "cp_loglinear_search": [s, OPTIONS, model, search, info, *run],
        "cp_loglinear_kernel": [KERNEL.ctypes.data, 1, ONES.ctypes.data, 1.0, doubles(200), doubles(300), *run],
        "cp_loglinear_kernel_weights": [FEATURES, b"dual", ZEROS.ctypes.data, 2, doubles(200)],
    }
