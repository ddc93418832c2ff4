"""The C interface of ``capi/combpred.h`` in ctypes: structures, constants, and the arguments of every function."""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p
from typing import Any

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

# What is known of the program of a group of items.
PROGRAM_SOLVED = 0
PROGRAM_FRACTIONAL = 1
PROGRAM_OUT_OF_TIME = 2

# Abbreviations for the table: pointers of any kind, sizes, the closing error buffer, the two parameters of long calls.
_P, _N, _NAME = c_void_p, c_int64, c_char * 16
_ERR = (c_void_p, c_int64)
_ROW_ERR = (c_void_p, *_ERR)
_RUN = (c_int32, c_void_p)
_RUN_ROW = (*_RUN, *_ROW_ERR)

# Those that tell by bad_row, right before the error buffer, which of the caller's rows is to blame.
OF_ROWS: dict[str, tuple[type, ...]] = {
    "cp_structure_check": (_P, _P, _N, _N, *_RUN_ROW),
    "cp_structure_embed": (_P, _P, _N, _N, _P, _N, *_RUN_ROW),
    "cp_structure_embed_partial": (_P, _P, _N, _N, _P, _N, *_RUN_ROW),
    "cp_structure_mirror": (_P, _P, _N, _N, _P, *_RUN_ROW),
    "cp_decode": (_P, _P, _P, _P, _N, _P, *_RUN_ROW),
    "cp_log_partition": (_P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_sample_distribution": (_P, _P, _N, c_uint64, _P, _N, *_RUN_ROW),
    "cp_chain_sample": (_P, _P, _P, _P, _N, _P, *_RUN_ROW),
    "cp_extensions_common": (_P, _N, _P, _N, _N, _N, _P, *_RUN_ROW),
    "cp_kernel_check": (_P, _N, *_RUN_ROW),
    "cp_ridge_kernel": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_spectral": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_kernel_loo": (_P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_spectral_loo": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_features": (_P, _P, _P, _P, _N, _P, _P, *_RUN_ROW),
    "cp_ridge_sums": (_P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_product": (_P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_ridge_losses": (_P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_sgd_expansion": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_sgd_features": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_maxmargin_pass": (_P, _P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_labelrank_svm": (_P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_labelrank_svm_kernel": (_P, _P, _P, _P, _P, _P, *_RUN_ROW),
    "cp_labelrank_online": (_P, _P, _P, _P, *_RUN_ROW),
    "cp_aggregate": (_P, _P, _P, _P, _P, _N, _P, *_RUN_ROW),
    "cp_aggregate_pairs": (_P, _P, *_RUN_ROW),
    "cp_aggregate_extend": (_P, _N, c_uint64, _P, _P, *_RUN_ROW),
    "cp_plackett_luce_fit": (_P, c_double, _P, _P, *_RUN_ROW),
}

PROTOTYPES: dict[str, tuple[type, ...]] = {
    "cp_abi_version": (),
    "cp_test_panic": (c_int32, *_ERR),
    "cp_catalogue": (_P, _N, _P, *_ERR),
    "cp_blas_open": (_P, *_ERR),
    "cp_blas_status": (_P, _N, _P, *_ERR),
    "cp_blas_routines": (_P, _N, _P, *_ERR),
    "cp_blas_offer": (_P, _P, _P, *_ERR),
    "cp_blas_activate": _ERR,
    "cp_structure_shape": (_P, _P, _P, _P, *_ERR),
    "cp_structure_count": (_P, _P, _N, _P, *_ERR),
    "cp_structure_capabilities": (_P, _P, _N, _P, *_ERR),
    "cp_structure_mean": (_P, _P, _N, *_ERR),
    "cp_structure_second_moment": (_P, _P, _N, *_RUN, *_ERR),
    "cp_structure_moments": (_P, _P, *_RUN, *_ERR),
    "cp_structure_sample": (_P, c_uint64, _P, _N, _N, *_RUN, *_ERR),
    "cp_structure_enumerate": (_P, _N, _P, _N, _N, _P, *_RUN, *_ERR),
    "cp_chain_diagnose": (_P, _N, _N, _P, _P, _P, _N, *_RUN, *_ERR),
    "cp_extensions_sample": (_P, _N, _N, _P, c_uint64, _P, _N, _P, *_RUN, *_ERR),
    "cp_extensions_count": (_P, _N, _N, _N, _P, _N, _P, *_RUN, *_ERR),
    "cp_ridge_plan": (_P, _P, _N, _N, _N, _P, *_RUN, *_ERR),
    "cp_aggregate_groups": (_P, _N, _P, _P, *_ERR),
    "cp_aggregate_margins": (_P, c_double, _P, _N, *_ERR),
    "cp_aggregate_acyclic": (_P, _N, _P, _P, _P, _P, _P, *_RUN, *_ERR),
    "cp_ridge_primal_sizes": (_P, _P, _N, _P, *_ERR),
    "cp_ridge_primal": (_P, _P, _N, _P, _N, _P, _P, *_RUN, *_ERR),
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


def _fields(**kinds: type) -> list[tuple[str, Any]]:
    """Return the fields of a struct that begins with its size; see ``combpred._lib.call.record``."""
    return [("struct_size", c_int64), *kinds.items()]


class CMomentsInfo(ctypes.Structure):
    """cp_moments_info: what the moments of a structure are."""

    _fields_ = _fields(kind=_NAME, standard_error=c_double)


class CScores(ctypes.Structure):
    """cp_scores: scores of n rows."""

    _fields_ = _fields(n=_N, d=_N, linear=_P, n_magnitude=_N, magnitude=_P)


class CDecodeOptions(ctypes.Structure):
    """cp_decode_options: how to decode."""

    _fields_ = _fields(method=c_char_p, seed=c_uint64)


class CCertificates(ctypes.Structure):
    """cp_certificates: where what is known about decoded outputs goes."""

    _fields_ = _fields(n=_N, value=_P, upper_bound=_P, nu=_P, optimal=_P)


class CPartitionInfo(ctypes.Structure):
    """cp_partition_info: how a partition function is computed."""

    _fields_ = _fields(engine=_NAME, cost=c_double)


class CChainOptions(ctypes.Structure):
    """cp_chain_options: how to sample by proposals."""

    _fields_ = _fields(method=c_char_p, n_samples=_N, burn_in=_N, thin=_N, budget=_N, seed=c_uint64, start=_P, bound=_P)


class CChainRecord(ctypes.Structure):
    """cp_chain_record: where what is known about samples goes."""

    _fields_ = _fields(n=_N, n_samples=_N, value=_P, steps=_P, accepted=_P)


class CRidgeOptions(ctypes.Structure):
    """cp_ridge_options: the options of ridge regression."""

    _fields_ = _fields(
        loss=c_char_p, alpha=c_double, tol=c_double, max_iter=_N, shift=c_double, solver=c_char_p, precision=c_char_p
    )


class CTargets(ctypes.Structure):
    """cp_targets: outputs to learn."""

    _fields_ = _fields(n=_N, d=_N, psi=_P, first=_P, weights=_P)


class CWorkspace(ctypes.Structure):
    """cp_workspace: scratch memory."""

    _fields_ = _fields(data=_P, bytes=_N)


class CFitInfo(ctypes.Structure):
    """cp_fit_info: how a training call ended."""

    _fields_ = _fields(objective=c_double, residual=c_double, n_iter=_N, n_refine=_N)


class CRidgePlanInfo(ctypes.Structure):
    """cp_ridge_plan_info: how a problem is best solved."""

    _fields_ = _fields(
        solver=_NAME,
        route=_NAME,
        route_loo=_NAME,
        precision=_NAME,
        distinct=_N,
        work_single=_N,
        work_double=_N,
        work_loo_single=_N,
        work_loo_double=_N,
    )


class CFeatures(ctypes.Structure):
    """cp_features: input features, dense of any number type or as compressed sparse rows."""

    _fields_ = _fields(
        n=_N, p=_N, type=c_char_p, dense=_P, stride=_N, mapped=_N, nnz=_N, data=_P, indices=_P, indptr=_P
    )


class COutputs(ctypes.Structure):
    """cp_outputs: outputs to learn, encoded or embedded."""

    _fields_ = _fields(
        n=_N,
        d=_N,
        part_len=_N,
        parts=_P,
        partial=_N,
        mapped=_N,
        psi=_P,
        nnz=_N,
        data=_P,
        indices=_P,
        indptr=_P,
        first=_P,
        weights=_P,
    )


class CPrimalSizes(ctypes.Structure):
    """cp_primal_sizes: lengths of the arrays of training in the weights of features."""

    _fields_ = _fields(state=_N, sums=_N, direction=_N, q=_N, d=_N)


class CPrimalStep(ctypes.Structure):
    """cp_primal_step: what that training needs to go on."""

    _fields_ = _fields(request=_NAME, reply=_N, direction=_N, coef=_N)


class CSGDSteps(ctypes.Structure):
    """cp_sgd_steps: sizes of steps."""

    _fields_ = _fields(m=c_double, p=c_double, t0=c_double, t=_N)


class CSGDState(ctypes.Structure):
    """cp_sgd_state: what the steps of a descent change."""

    _fields_ = _fields(rows=_N, d=_N, coef=_P, average=_P, velocity=_P, gains=_P)


class CExpansion(ctypes.Structure):
    """cp_expansion: examples in relation to a support."""

    _fields_ = _fields(n=_N, slots=_N, kernel=_P, at=_P, drop=_P)


class CDesign(ctypes.Structure):
    """cp_design: input features, dense or as compressed sparse rows."""

    _fields_ = _fields(n=_N, p=_N, nnz=_N, intercept=_N, dense=_P, data=_P, indices=_P, indptr=_P)


class CMaxmarginOptions(ctypes.Structure):
    """cp_maxmargin_options: how a pass of max-margin training takes its steps."""

    _fields_ = _fields(rule=c_char_p, method=c_char_p, n_candidates=_N, seed=c_uint64, order=_P, n_order=_N, step=_N)


class CAffineLoss(ctypes.Structure):
    """cp_affine_loss: losses that are affine in ψ."""

    _fields_ = _fields(n=_N, d=_N, constant=_P, gradient=_P, magnitude=_P)


class CMaxmarginState(ctypes.Structure):
    """cp_maxmargin_state: what a pass of max-margin training changes."""

    _fields_ = _fields(n=_N, d=_N, q=_N, v=_P, offset=_P, late_v=_P, late_offset=_P, coef=_P)


class CMaxmarginReport(ctypes.Structure):
    """cp_maxmargin_report: figures of a pass of max-margin training."""

    _fields_ = _fields(gap=c_double, radius=c_double, updates=_N, proven=_N)


class CPreferences(ctypes.Structure):
    """cp_preferences: preferences about pairs of labels."""

    _fields_ = _fields(n=_N, k=_N, signs=_P, margins=_P, weights=_P, subgraphs=c_char_p)


class CLabelrankOptions(ctypes.Structure):
    """cp_labelrank_options: how a support vector machine is trained."""

    _fields_ = _fields(c=c_double, tol=c_double, max_iter=_N, seed=c_uint64)


class CLabelrankInfo(ctypes.Structure):
    """cp_labelrank_info: how its training ended."""

    _fields_ = _fields(objective=c_double, gap=c_double, n_iter=_N)


class COnlineOptions(ctypes.Structure):
    """cp_online_options: how online steps are taken."""

    _fields_ = _fields(update=c_char_p, rate=c_double, radius=c_double, c=c_double, order=_P)


class COnlineState(ctypes.Structure):
    """cp_online_state: what online steps change."""

    _fields_ = _fields(q=_N, k=_N, coef=_P, theta=_P, average=_P, tally=_P)


class CProfile(ctypes.Structure):
    """cp_profile: weighted rankings."""

    _fields_ = _fields(n=_N, k=_N, ranks=_P, weights=_P, n_extensions=_N)


class CPairs(ctypes.Structure):
    """cp_pairs: what rankings prefer, pair by pair."""

    _fields_ = _fields(k=_N, before=_P, tied=_P)


class CPrograms(ctypes.Structure):
    """cp_programs: solutions of programs for groups of items."""

    _fields_ = _fields(k=_N, n_groups=_N, x=_P, state=_P, lower_bound=_P)


class CAggregateOptions(ctypes.Structure):
    """cp_aggregate_options: how to look for a consensus."""

    _fields_ = _fields(method=c_char_p, output=c_char_p, penalty=c_double, seed=c_uint64)


class CConsensusInfo(ctypes.Structure):
    """cp_consensus_info: what is known about a consensus."""

    _fields_ = _fields(
        distance=c_double,
        lower_bound=c_double,
        ratio=c_double,
        standard_error=c_double,
        expected=_N,
        optimal=_N,
        method=_NAME,
        reason=c_char * 256,
    )


class CAcyclicInfo(ctypes.Structure):
    """cp_acyclic_info: what is known about an acyclic part of preferences."""

    _fields_ = _fields(weight=c_double, upper_bound=c_double, ratio=c_double, optimal=_N, method=_NAME)


class CRelations(ctypes.Structure):
    """cp_relations: partial orders."""

    _fields_ = _fields(n=_N, k=_N, before=_P, weights=_P)


class CRankedSets(ctypes.Structure):
    """cp_ranked_sets: sets of weighted rankings."""

    _fields_ = _fields(n=_N, m=_N, k=_N, ranks=_P, weights=_P)
