"""The C interface of ``capi/combpred.h`` in ctypes: structures, constants, and the arguments of every function."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p

ABI_VERSION = 3

OK = 0
EVALUE = 1
ECAPABILITY = 2
ENUMERICAL = 3
ECANCELLED = 4
EINTERNAL = 5
EMEMORY = 6
ENOTCONVERGED = 7
EBUDGET = 8
EFORKED = 9

# Abbreviations for the table: pointers of any kind, sizes, the closing error buffer, the two parameters of long calls.
_P, _N = c_void_p, c_int64
_ERR = (c_void_p, c_int64)
_ROW_ERR = (c_void_p, *_ERR)
_RUN = (c_int32, c_void_p)
_OPT = (c_void_p, c_void_p, c_int64)  # structure, options, options_len
_ROWS = (c_void_p, c_int64, c_void_p, c_void_p)  # psi, d, first, weights
_STEPS = (c_double, c_double, c_double, c_int64)  # m, p, t0, t

# Those that tell by bad_row, right before the error buffer, which of the caller's rows is to blame.
OF_ROWS: dict[str, tuple[type, ...]] = {
    "cp_structure_check": (_P, _P, _N, _N, *_ROW_ERR),
    "cp_structure_embed": (_P, _P, _N, _N, _P, _N, c_int32, *_ROW_ERR),
    "cp_structure_embed_partial": (_P, _P, _N, _N, _P, _N, c_int32, *_ROW_ERR),
    "cp_structure_mirror": (_P, _P, _N, _N, _P, *_ROW_ERR),
    "cp_decode": (_P, _P, _N, _N, _P, _N, c_int32, c_uint64, _P, _N, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_log_partition": (_P, _P, _N, _N, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_sample_distribution": (_P, _P, _N, _N, _N, c_uint64, _P, _N, *_RUN, *_ROW_ERR),
    "cp_chain_sample": (
        *(_P, _P, _N, _N, c_int32, _N, _N, _N, _N, c_uint64, _P, _P, _P, _N, _P, _P, _P),
        *(*_RUN, *_ROW_ERR),
    ),
    "cp_extensions_common": (_P, _N, _P, _N, _N, _N, _P, *_RUN, *_ROW_ERR),
    "cp_kernel_check": (_P, _N, *_RUN, *_ROW_ERR),
    "cp_ridge_kernel": (*_OPT, _P, _N, _P, _N, _P, _P, _P, _N, _P, _P, *_RUN, *_ROW_ERR),
    "cp_ridge_spectral": (*_OPT, _P, _P, _N, _P, _N, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_ridge_kernel_loo": (*_OPT, _P, _N, _P, _N, _P, _P, _P, _N, _P, *_RUN, *_ROW_ERR),
    "cp_ridge_spectral_loo": (*_OPT, _P, _P, _N, _P, _N, _P, _P, _P, _N, _P, *_RUN, *_ROW_ERR),
    "cp_ridge_losses": (*_OPT, _P, _N, _P, _N, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_sgd_expansion": (*_OPT, _P, _N, _N, _P, _P, *_ROWS, *_STEPS, _P, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_maxmargin_pass": (
        *(_P, c_int32, c_int32, _N, c_uint64, _P, _P, _N, _P, _P, _P, _P, _P, _N, _N, _P, _P, _P, _P, _P, _N, _P),
        *(*_RUN, *_ROW_ERR),
    ),
    "cp_sgd_features": (*_OPT, _P, _N, *_ROWS, *_STEPS, _P, _P, _P, _P, _P, *_RUN, *_ROW_ERR),
    "cp_labelrank_svm": (
        *(_P, _N, _P, _P, _P, _N, c_int32, c_double, c_double, _N, c_uint64, _P, _P, _P, _P, _P),
        *(*_RUN, *_ROW_ERR),
    ),
    "cp_labelrank_svm_kernel": (
        *(_P, _N, _P, _P, _P, _N, c_int32, c_double, c_double, _N, c_uint64, _P, _P, _P, _P, _P),
        *(*_RUN, *_ROW_ERR),
    ),
    "cp_labelrank_online": (
        *(_P, _N, _P, _P, _P, _N, c_int32, c_int32, c_double, c_double, c_double, _P, _P, _P, _P),
        *(*_RUN, *_ROW_ERR),
    ),
}

PROTOTYPES: dict[str, tuple[type, ...]] = {
    "cp_abi_version": (),
    "cp_test_panic": (c_int32, *_ERR),
    "cp_structure_shape": (_P, _P, _P, _P, *_ERR),
    "cp_structure_count": (_P, _P, _N, _P, *_ERR),
    "cp_structure_capabilities": (_P, _P, _N, _P, *_ERR),
    "cp_structure_mean": (_P, _P, _N, *_ERR),
    "cp_structure_second_moment": (_P, _P, _N, *_ERR),
    "cp_structure_moments": (_P, _P, _P, *_ERR),
    "cp_structure_sample": (_P, c_uint64, _P, _N, _N, *_RUN, *_ERR),
    "cp_structure_enumerate": (_P, _N, _P, _N, _N, _P, *_ERR),
    "cp_chain_diagnose": (_P, _N, _N, _P, _P, _P, _N, *_ERR),
    "cp_extensions_sample": (_P, _N, _N, c_int32, c_uint64, _P, _N, _P, *_RUN, *_ERR),
    "cp_extensions_count": (_P, _N, _N, _N, _P, _N, _P, *_RUN, *_ERR),
    "cp_ridge_plan": (*_OPT, _N, _N, _N, _P, _N, *_ERR),
    "cp_covariance_solve": (_P, c_double, _P, _P, _N, _N, _P, *_RUN, *_ERR),
    **OF_ROWS,
}


class CStructure(ctypes.Structure):
    """cp_structure: the description of an output space."""

    _fields_ = [
        ("text", c_char_p),
        ("text_len", c_int64),
        ("ints", c_void_p),
        ("n_ints", c_int64),
        ("reals", c_void_p),
        ("n_reals", c_int64),
    ]


class Control(ctypes.Structure):
    """cp_control: cancellation and progress of a running call.

    Setting `cancel` stops it; `step` and `value` report its progress.
    """

    _fields_ = [("cancel", c_int64), ("step", c_int64), ("value", c_double)]


class CFitInfo(ctypes.Structure):
    """cp_fit_info: how a training call ended."""

    _fields_ = [("objective", c_double), ("residual", c_double), ("n_iter", c_int64), ("n_refine", c_int64)]


class CDesign(ctypes.Structure):
    """cp_design: input features, dense or as compressed sparse rows."""

    _fields_ = [
        ("n", c_int64),
        ("p", c_int64),
        ("nnz", c_int64),
        ("intercept", c_int32),
        ("dense", c_void_p),
        ("data", c_void_p),
        ("indices", c_void_p),
        ("indptr", c_void_p),
    ]


class CMarginReport(ctypes.Structure):
    """cp_margin_report: figures of a pass of max-margin training."""

    _fields_ = [("gap", c_double), ("radius", c_double), ("updates", c_int64), ("proven", c_int64)]
