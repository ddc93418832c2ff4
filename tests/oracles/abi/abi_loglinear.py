"""Legal arguments of the functions of the C interface about log-linear models; see `abi_calls`."""

from __future__ import annotations

import ctypes

import numpy as np

from combpred._lib import abi
from combpred._lib.structure import Description
from combpred._lib.table import record

NUMBERS = np.zeros(512)  # what is changed in place
ONES = np.ones(16)
ZEROS = np.zeros(16)
EYE = np.eye(2)
KERNEL = np.ones(1)  # overwritten, by a legal one

OPTIONS = record(abi.CLoglinearOptions, solver=b"lbfgs", distribution=b"exact", alpha=1.0, tol=1e-3, max_iter=10)
FEATURES = record(
    abi.CLoglinearFeatures, n=2, q=2, rows=EYE.ctypes.data, curvature=ONES.ctypes.data, weights=ONES.ctypes.data
)


def doubles(at: int) -> int:
    """Return the address of numbers that are changed in place."""
    return NUMBERS[at:].ctypes.data


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
    info, opened, run = record(abi.CLoglinearInfo), doubles(310), (1, None)
    return {
        "cp_loglinear_array_sizes": [s, OPTIONS, 2, record(abi.CLoglinearSizes)],
        "cp_loglinear_fit": [s, OPTIONS, design, targets, model, info, *run],
        "cp_loglinear_start": [s, OPTIONS, design, targets, model, info, opened, *run],
        "cp_loglinear_sums": [s, OPTIONS, features, outputs, b"loss", ZEROS.ctypes.data, doubles(100), *run],
        "cp_loglinear_search_start": [s, OPTIONS, model, info, opened, *run],
        "cp_loglinear_kernel": [KERNEL.ctypes.data, 1, ONES.ctypes.data, 1.0, doubles(200), doubles(300), *run],
        "cp_loglinear_kernel_weights": [FEATURES, b"dual", ZEROS.ctypes.data, 2, doubles(200)],
    }
