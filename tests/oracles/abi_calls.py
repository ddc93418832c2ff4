"""Legal arguments of every function of the C interface, but for err, in which tests replace one at a time."""

from __future__ import annotations

import ctypes

import numpy as np

from combpred._lib.abi import OF_ROWS
from combpred._lib.ridge import Design
from combpred._lib.structure import Description

PERMUTATIONS = Description("permutations", {"n": 4})
PART_LEN, D = 4, 6


def out(n: int = 1) -> ctypes.Array:
    return (ctypes.c_int64 * n)()


DOUBLES = np.zeros(4096)
INTS = np.tile(np.arange(1, PART_LEN + 1, dtype=np.int32), 16)
PAIRS = np.array([[0, 1], [0, 2]], dtype=np.int32)
SIGNS = np.array([[1, 1, 0, 0, -1, 0]] * 3, dtype=np.int32)
EYE = np.eye(2)
CALLS = {
    "cp_structure_shape": ["s", out(), out(), out()],
    "cp_structure_count": ["s", ctypes.create_string_buffer(64), 64, out()],
    "cp_structure_capabilities": ["s", ctypes.create_string_buffer(512), 512, out()],
    "cp_structure_mean": ["s", DOUBLES.ctypes.data, D],
    "cp_structure_second_moment": ["s", DOUBLES.ctypes.data, D],
    "cp_structure_moments": ["s", (ctypes.c_int32 * 2)(), DOUBLES.ctypes.data],
    "cp_structure_check": ["s", INTS.ctypes.data, 2, PART_LEN],
    "cp_structure_embed": ["s", INTS.ctypes.data, 2, PART_LEN, DOUBLES.ctypes.data, D, 1],
    "cp_structure_embed_partial": ["s", INTS.ctypes.data, 2, PART_LEN, DOUBLES.ctypes.data, D, 1],
    "cp_structure_sample": ["s", 7, INTS.ctypes.data, 2, PART_LEN, 1, None],
    "cp_structure_mirror": ["s", INTS.ctypes.data, 2, PART_LEN, INTS[64:].ctypes.data],
    "cp_structure_enumerate": ["s", 0, INTS.ctypes.data, 3, PART_LEN, out()],
    "cp_decode": [
        *("s", DOUBLES.ctypes.data, 2, D, DOUBLES.ctypes.data, 1, 0, 7, INTS.ctypes.data, PART_LEN),
        *(DOUBLES[64:].ctypes.data, DOUBLES[96:].ctypes.data, DOUBLES[128:].ctypes.data, DOUBLES[160:].ctypes.data),
        *(1, None),
    ],
    "cp_log_partition": [
        *("s", DOUBLES.ctypes.data, 2, D, DOUBLES[64:].ctypes.data, DOUBLES[96:].ctypes.data),
        *((ctypes.c_int32 * 2)(), DOUBLES[128:].ctypes.data, 1, None),
    ],
    "cp_sample_distribution": [
        *("s", DOUBLES.ctypes.data, 2, D, 3, 7, INTS.ctypes.data, PART_LEN, 1, None),
    ],
    "cp_chain_sample": [
        *("s", DOUBLES.ctypes.data, 2, D, 0, 3, 5, 2, 100, 7, INTS.ctypes.data, None, INTS[32:].ctypes.data, PART_LEN),
        *(DOUBLES[64:].ctypes.data, DOUBLES[96:].ctypes.data, DOUBLES[128:].ctypes.data, 1, None),
    ],
    "cp_chain_diagnose": [
        *(DOUBLES.ctypes.data, 2, 8, DOUBLES[64:].ctypes.data, DOUBLES[96:].ctypes.data, DOUBLES[128:].ctypes.data, 3),
    ],
    "cp_extensions_sample": [
        PAIRS.ctypes.data,
        2,
        4,
        0,
        7,
        INTS[16:].ctypes.data,
        2,
        DOUBLES[64:].ctypes.data,
        1,
        None,
    ],
    "cp_extensions_count": [PAIRS.ctypes.data, 2, 4, 1000, ctypes.create_string_buffer(64), 64, out(), 1, None],
    "cp_extensions_common": [
        *(SIGNS.ctypes.data, 2, SIGNS.ctypes.data, 3, 4, 1000, DOUBLES[64:].ctypes.data, 1, None),
    ],
    "cp_kernel_check": [EYE.ctypes.data, 2, 1, None],
    "cp_ridge_plan": ["s", b"{}", 2, 10, 0, 0, ctypes.create_string_buffer(4096), 4096],
    "cp_ridge_kernel": [
        *("s", b"{}", 2, EYE.ctypes.data, 2, DOUBLES.ctypes.data, D, None, None),
        *(DOUBLES[1024:].ctypes.data, 8192, DOUBLES[512:].ctypes.data, DOUBLES[600:].ctypes.data, 1, None),
    ],
    "cp_ridge_spectral": [
        *("s", b"{}", 2, DOUBLES.ctypes.data, EYE.ctypes.data, 2, DOUBLES.ctypes.data, D, None, None),
        *(DOUBLES[512:].ctypes.data, DOUBLES[600:].ctypes.data, 1, None),
    ],
    "cp_ridge_kernel_loo": [
        *("s", b"{}", 2, EYE.ctypes.data, 2, DOUBLES.ctypes.data, D, None, None),
        *(DOUBLES[1024:].ctypes.data, 8192, DOUBLES[512:].ctypes.data, 1, None),
    ],
    "cp_ridge_spectral_loo": [
        *("s", b"{}", 2, DOUBLES.ctypes.data, EYE.ctypes.data, 2, DOUBLES.ctypes.data, D, None, None),
        *(DOUBLES[512:].ctypes.data, 64, DOUBLES[600:].ctypes.data, 1, None),
    ],
}
CALLS["cp_covariance_solve"] = [
    *("s", 1.0, DOUBLES.ctypes.data, DOUBLES[64:].ctypes.data, 2, D, DOUBLES[512:].ctypes.data, 1, None),
]
SLOTS = np.zeros(2, dtype=np.int64)
GAINS = np.ones(D)
STATE = [*(DOUBLES[at:].ctypes.data for at in (2048, 2080, 2112)), GAINS.ctypes.data]
CALLS["cp_ridge_losses"] = [
    *("s", b"{}", 2, DOUBLES.ctypes.data, 2, DOUBLES.ctypes.data, D, None, None),
    *(DOUBLES[512:].ctypes.data, DOUBLES[600:].ctypes.data, 1, None),
]
STEPS = [2.0, 0.5, 3.0, 0]
CALLS["cp_sgd_expansion"] = [
    *("s", b"{}", 2, EYE.ctypes.data, 2, 2, SLOTS.ctypes.data, SLOTS.ctypes.data, DOUBLES.ctypes.data, D, None, None),
    *(*STEPS, *STATE, DOUBLES[600:].ctypes.data, 1, None),
]
DESIGN = Design(np.eye(2))
CALLS["cp_sgd_features"] = [
    *("s", b"{}", 2, DESIGN, 2, DOUBLES.ctypes.data, D, None, None),
    *(*STEPS, *STATE, DOUBLES[600:].ctypes.data, 1, None),
]
PREFERRED = np.tile(np.array([1, -1, 0], dtype=np.int8), 64)
MARGINS = np.ones(64)
MACHINE = [
    *(PREFERRED.ctypes.data, MARGINS.ctypes.data, MARGINS.ctypes.data, 3, 1, 1.0, 1e-3, 100, 7),
    *(*(DOUBLES[at:].ctypes.data for at in (512, 600, 640, 641)), out(), 1, None),
]
CALLS["cp_labelrank_svm"] = [DESIGN, 2, *MACHINE]
CALLS["cp_labelrank_svm_kernel"] = [EYE.ctypes.data, 2, *MACHINE]
CALLS["cp_labelrank_online"] = [
    *(DESIGN, 2, PREFERRED.ctypes.data, MARGINS.ctypes.data, SLOTS.ctypes.data, 3, 1, 0, 1.0, 10.0, 1.0),
    *(DOUBLES[2200:].ctypes.data, DOUBLES[2220:].ctypes.data, DOUBLES[2240:].ctypes.data, DOUBLES[2260:].ctypes.data),
    *(1, None),
]
for name in CALLS.keys() & OF_ROWS.keys():
    CALLS[name].append(out())  # bad_row
