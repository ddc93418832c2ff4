"""Legal arguments of every function of the C interface, but for err, in which tests replace one at a time."""

from __future__ import annotations

import ctypes

import numpy as np

from abi_conditions import CONDITIONS, ORDERED, RESTRICTION, SEEN, SET_CALLS
from abi_estimates import estimate_calls
from abi_loglinear import loglinear_calls
from abi_rankings import ranking_calls
from combpred._lib import abi
from combpred._lib.call import Session, call
from combpred._lib.ridge import Design
from combpred._lib.structure import Description
from combpred._lib.table import record

PERMUTATIONS = Description("permutations", {"n": 4})
STRUCTURE = PERMUTATIONS.handle  # what functions of the C interface take
PART_LEN, D = 4, 6
GRADES = Description("ordinal", {"n": D})  # whose expected ψ tells the probabilities of grades


def out(n: int = 1) -> ctypes.Array:
    return (ctypes.c_int64 * n)()


ZEROS = np.zeros(64)  # inputs
DOUBLES = np.zeros(4096)  # outputs, and what is changed in place
INTS = np.tile(np.arange(1, PART_LEN + 1, dtype=np.int32), 16)  # inputs
WRITTEN = np.zeros(256, dtype=np.int32)
PAIRS = np.array([[0, 1], [0, 2]], dtype=np.int32)
SIGNS = np.array([[1, 1, 0, 0, -1, 0]] * 3, dtype=np.int32)
PARTS, RANKED = INTS.astype(np.float64), np.tile(np.arange(1, PART_LEN + 1, dtype=np.int32), 2)
COUNTS = np.zeros(2, dtype=np.int64)
SEARCH = np.zeros(400)
BYTES = np.zeros(64, dtype=np.uint8)
SLOTS = np.zeros(2, dtype=np.int64)
ONES = np.ones(64)
PREFERRED = np.tile(np.array([1, -1, 0], dtype=np.int8), 64)
EYE, DESCENDING = np.eye(2), np.arange(4.0, 0.0, -1.0)


TEXT, NAMES = b'{"name":"permutations","n":4}', b'["tea", "milk", "juice", "water"]'
DESCRIBED = abi.CStructure(TEXT, len(TEXT), None, 0, None, 0)


def opened() -> int:
    """Return the handle of a space of its own."""
    handle = out()
    call("cp_space_open", ctypes.addressof(DESCRIBED), None, 0, handle)
    return handle[0]


def doubles(at: int) -> int:
    """Return the address of numbers that are zero."""
    return DOUBLES[at:].ctypes.data


S, Y, K, Z = STRUCTURE, INTS.ctypes.data, EYE.ctypes.data, ZEROS.ctypes.data
RUN = (1, None)
INPUTS = Design(np.eye(2))  # keeps the arrays that its struct points to
DESIGN = INPUTS.struct
SCORES = record(abi.CScores, n=2, d=D, linear=Z)

LISTINGS = [Session("cp_kbest_start", PERMUTATIONS, SCORES, record(abi.CKbestOptions, nu=1.0)) for _ in range(2)]
SESSIONS = [listing._handle for listing in LISTINGS]
TARGETS = record(abi.CTargets, n=2, d=D, psi=Z, weights=ONES.ctypes.data)
RIDGE = record(abi.CRidgeOptions, loss="auc", solver="closed-form", precision="single")
WORK = record(abi.CWorkspace, data=doubles(1024), bytes=8192)
COLUMNS = {"value": doubles(64), "upper_bound": doubles(96), "nu": doubles(128), "optimal": doubles(160)}
DESCENT = record(
    abi.CSGDState,
    rows=2,
    d=D,
    coef=doubles(2048),
    average=doubles(2080),
    velocity=doubles(2112),
    gains=ONES.ctypes.data,
)
SIGNED = PREFERRED.ctypes.data
PREFERENCES = record(
    abi.CPreferences, n=2, k=3, margins=ONES.ctypes.data, weights=ONES.ctypes.data, subgraphs=b"stars", signs=SIGNED
)
UNIT_MARGINS = record(abi.CPreferences, n=2, k=3, signs=PREFERRED.ctypes.data, weights=ONES.ctypes.data)
MACHINE = (
    *(PREFERENCES, record(abi.CLabelrankOptions, c=1.0, tol=1e-3, max_iter=100, seed=7)),
    *(doubles(512), doubles(600), record(abi.CLabelrankInfo), *RUN),
)
PRIMAL = record(abi.CRidgeOptions, loss="auc", solver="primal", precision="single")
FEATURES = record(abi.CFeatures, n=2, p=2, type=b"float64", dense=K, stride=2)
OUTPUTS = record(abi.COutputs, n=2, d=D, part_len=PART_LEN, parts=Y, weights=ONES.ctypes.data)
RBF = record(abi.CKernelFunction, name=b"rbf", gamma=0.5, degree=3.0, coef0=1.0)
ONLINE = record(abi.COnlineOptions, update=b"additive", rate=1.0, radius=10.0, c=1.0, order=SLOTS.ctypes.data)
AFFINE = record(abi.CAffineLoss, n=2, d=D, constant=Z, gradient=Z)
MARGINS = (DESIGN, TARGETS, AFFINE)
SVM_FIELDS = {"solver": b"cutting-plane", "rescaling": b"margin", "c": 1.0, "max_iter": 5, "order": SLOTS.ctypes.data}
SVM, OWN_SVM = record(abi.CSVMOptions, method=b"auto", **SVM_FIELDS), record(abi.CSVMOptions, **SVM_FIELDS)
SOLUTION = record(abi.CSVMSolution, q=2, d=D, coef=doubles(2300), n_curve=2, curve=doubles(2320))
VISITS = {"max_iter": 1, "order": SLOTS.ctypes.data, "squared": 1.0, "least": 1.0, "start": Z}
PERCEPTRON = record(abi.CPerceptronOptions, method=b"auto", **VISITS)
OWN_PERCEPTRON = record(abi.CPerceptronOptions, **VISITS)
WEIGHTS = record(
    abi.CPerceptronSolution,
    n=2,
    q=2,
    d=D,
    last=doubles(2300),
    late=doubles(2312),
    dual_last=doubles(2330),
    dual_late=doubles(2350),
)

CALLS = {
    "cp_catalogue": [ctypes.create_string_buffer(1 << 17), 1 << 17, out()],
    "cp_blas_status": [ctypes.create_string_buffer(512), 512, out()],
    "cp_blas_routines": [ctypes.create_string_buffer(4096), 4096, out()],
    "cp_version": [ctypes.create_string_buffer(64), 64, out()],
    "cp_space_open": [ctypes.addressof(DESCRIBED), NAMES, len(NAMES), out()],
    "cp_space_close": [opened],
    "cp_space_facts": [S, ctypes.create_string_buffer(2048), 2048, out()],
    "cp_space_count": [S, ctypes.create_string_buffer(64), 64, out()],
    "cp_space_moments": [S, doubles(0), doubles(16), D, record(abi.CMomentsInfo), *RUN],
    "cp_space_embed": [S, Y, 2, PART_LEN, 1, doubles(0), D, *RUN],
    "cp_space_mode": [GRADES.handle, doubles(0), 2, D, doubles(64), *RUN],
    "cp_space_sample": [S, 7, Y, 2, PART_LEN, *RUN],
    "cp_space_encode": [S, PARTS.ctypes.data, 2, PART_LEN, 0, WRITTEN[64:].ctypes.data, PART_LEN, *RUN],
    "cp_space_names": [S, ctypes.create_string_buffer(512), 512, out(), *RUN],
    "cp_space_layout": [S, record(abi.CLayout), WRITTEN[64:].ctypes.data, WRITTEN[96:].ctypes.data, D, *RUN],
    "cp_space_restrict": [S, CONDITIONS, RESTRICTION, *RUN],
    "cp_space_arrange": [S, CONDITIONS, ORDERED.ctypes.data, 2, PART_LEN, WRITTEN[64:].ctypes.data, *RUN],
    "cp_space_enumerate": [S, 0, Y, 3, PART_LEN, out(), *RUN],
    "cp_custom_kernel": [K, 2, doubles(0), out(), *RUN],
    "cp_custom_draws": [K, 2, 2, doubles(0), doubles(64), doubles(96), *RUN],
    "cp_custom_check": [S, Z, 2, D, *RUN],
    "cp_custom_agree": [S, b"moves", Z, 4, D, *RUN],
    "cp_decode": [
        *(S, record(abi.CScores, n=2, d=D, linear=Z, n_magnitude=1, magnitude=Z)),
        *(record(abi.CDecodeOptions, method=b"auto", seed=7), Y, PART_LEN),
        record(abi.CCertificates, n=2, met=doubles(192), **COLUMNS),
        *RUN,
    ],
    "cp_kbest": [
        *(S, SCORES, record(abi.CKbestOptions, method=b"auto", nu=0.5, skip=1)),
        record(
            *(abi.CKbestList,),
            **{"n": 2, "capacity": 3, "part_len": PART_LEN, "parts": WRITTEN[64:].ctypes.data, "value": doubles(64)},
            count=COUNTS.ctypes.data,
        ),
        *RUN,
    ],
    "cp_hereditary_start": [ZEROS.ctypes.data, 4, b"auto", 20, out(), *RUN],
    "cp_kbest_start": [
        *(S, record(abi.CScores, n=1, d=D, linear=Z), record(abi.CKbestOptions, method=b"partition", nu=1.0)),
        *(out(), *RUN),
    ],
    "cp_session_next": [SESSIONS[0], record(abi.CRequest)],
    "cp_session_close": [SESSIONS[1]],
    "cp_order_positions": [S, SCORES, CONDITIONS, doubles(1024), 4, *RUN],
    "cp_log_seen": [S, SCORES, CONDITIONS, SEEN, doubles(64), *RUN],
    "cp_log_partition": [S, SCORES, CONDITIONS, doubles(64), doubles(96), *RUN],
    **SET_CALLS,
    "cp_chain_sample": [
        *(S, SCORES, None),
        record(abi.CChainOptions, method=b"meta", n_samples=3, burn_in=5, thin=2, budget=100, seed=7, start=Y),
        *(WRITTEN[32:].ctypes.data, PART_LEN),
        record(abi.CChainRecord, n=2, n_samples=3, value=doubles(64), steps=doubles(96), accepted=doubles(128)),
        *RUN,
    ],
    "cp_chain_diagnose": [Z, 1, 2, 8, doubles(64), doubles(96), doubles(128), 3, *RUN],
    "cp_extensions_sample": [PAIRS.ctypes.data, 2, 4, b"auto", 7, WRITTEN[16:].ctypes.data, 2, doubles(64), *RUN],
    "cp_extensions_count": [
        *(PAIRS.ctypes.data, 2, 4, record(abi.CExtensionsOptions, epsilon=0.5, delta=0.5, most_downsets=1)),
        *(ctypes.create_string_buffer(64), 64, out(), record(abi.CExtensionsInfo), *RUN),
    ],
    "cp_extensions_before": [PAIRS.ctypes.data, 2, 4, 1000, doubles(64), *RUN],
    "cp_kernel": [RBF, FEATURES, FEATURES, 0, b"float64", doubles(512), *RUN],
    "cp_kernel_scale": [FEATURES, ONES.ctypes.data, doubles(512), *RUN],
    "cp_nearest": [FEATURES, FEATURES, 2, doubles(2740), doubles(2750), *RUN],
    "cp_kernel_check": [K, 2, 1, *RUN],
    "cp_symmetric_eigen": [doubles(2800), 2, doubles(2810), *RUN],
    "cp_order_kernel": [
        *(
            record(abi.COrderFunction, name=b"edges", most_downsets=1000),
            record(abi.COrders, n=2, n_items=4, positions=Z),
        ),
        *(record(abi.COrders, n=3, n_items=4, positions=Z), doubles(512), *RUN),
    ],
    "cp_predict": [
        *(S, record(abi.CModel, m=2, d=D, coef=Z, intercept=Z, loss=b"auc", mean=Z), RBF, FEATURES, FEATURES),
        record(abi.CDecodeOptions, method=b"auto", seed=7),
        record(abi.CPredictions, n=2, part_len=PART_LEN, scores=doubles(512), outputs=Y, **COLUMNS),
        *RUN,
    ],
    "cp_ridge_plan": [S, RIDGE, 10, 0, 0, record(abi.CRidgePlanInfo), *RUN],
    "cp_ridge_kernel": [S, RIDGE, K, TARGETS, WORK, doubles(512), record(abi.CFitInfo), *RUN],
    "cp_ridge_loo": [
        *(S, RIDGE, K, TARGETS),
        *(record(abi.CLOO, n_alphas=2, n=2, d=D, alphas=ONES.ctypes.data, scores=doubles(512)), WORK, *RUN),
    ],
    "cp_ridge_features": [S, PRIMAL, FEATURES, OUTPUTS, 4096, doubles(512), record(abi.CFitInfo), *RUN],
    "cp_ridge_sums": [S, PRIMAL, FEATURES, OUTPUTS, doubles(2600), *RUN],
    "cp_ridge_product": [S, PRIMAL, FEATURES, OUTPUTS, doubles(2700), doubles(512), *RUN],
    "cp_ridge_primal_start": [S, PRIMAL, 2, doubles(512), D, record(abi.CFitInfo), out(), *RUN],
    "cp_sgd_expansion": [
        *(S, RIDGE, TARGETS, record(abi.CSGDPasses, max_iter=2, curve=doubles(600), eta0=0.5)),
        record(
            abi.CSGDSupport,
            kernel=record(abi.CSGDKernel, n=2, matrix=K),
            capacity=2,
            rows=WRITTEN[56:].ctypes.data,
            coef=doubles(2048),
        ),
        record(abi.CSGDReport),
        *RUN,
    ],
    "cp_sgd_expansion_start": [
        *(S, RIDGE, TARGETS, record(abi.CSGDPasses, max_iter=2, curve=doubles(600), eta0=0.5)),
        record(
            abi.CSGDSupport,
            kernel=record(abi.CSGDKernel, n=2),
            capacity=2,
            rows=WRITTEN[56:].ctypes.data,
            coef=doubles(2048),
        ),
        *(record(abi.CSGDReport), out(), *RUN),
    ],
    "cp_sgd_fit": [
        *(S, RIDGE, DESIGN, TARGETS),
        record(abi.CSGDPasses, order=SLOTS.ctypes.data, n_order=2, max_iter=2, curve=doubles(600), eta0=0.5),
        *(DESCENT, record(abi.CSGDReport), *RUN),
    ],
    "cp_affine_losses": [b"signs and zeros", b"hamming", Z, 2, D, None, None, *map(doubles, (2300, 2310, 2330))],
    "cp_rows_order": [DESIGN, TARGETS, WRITTEN[48:].ctypes.data, *RUN],
    "cp_svm_fit": [S, SVM, *MARGINS, SOLUTION, record(abi.CSVMInfo), *RUN],
    "cp_svm_start": [OWN_SVM, *MARGINS, SOLUTION, record(abi.CSVMInfo), out(), *RUN],
    "cp_perceptron_fit": [S, PERCEPTRON, *MARGINS, WEIGHTS, record(abi.CPerceptronInfo), *RUN],
    "cp_perceptron_start": [OWN_PERCEPTRON, *MARGINS, WEIGHTS, record(abi.CPerceptronInfo), out(), *RUN],
    "cp_labelrank_svm": [DESIGN, None, *MACHINE],
    "cp_labelrank_online": [
        *(DESIGN, UNIT_MARGINS),
        ONLINE,
        record(
            abi.COnlineState,
            q=2,
            k=3,
            coef=doubles(2200),
            theta=doubles(2220),
            average=doubles(2240),
            tally=doubles(2260),
        ),
        *RUN,
    ],
    "cp_labelrank_mistake_bound": [DESIGN, UNIT_MARGINS, ONLINE, doubles(2200), 2, doubles(2270), *RUN],
    "cp_labelrank_boost": [
        *(DESIGN, UNIT_MARGINS),
        record(abi.CBoostOptions, alpha=0.1, min_gain=0.5, max_iter=50),
        record(abi.CBoostCurve, n_curve=20, losses=doubles(2200), bounds=doubles(2230)),
        *(doubles(2280), out(), *RUN),
    ],
    "cp_labelrank_direct": [
        *(DESIGN, record(abi.CRankings, n=2, k=4, positions=RANKED.ctypes.data, weights=ONES.ctypes.data), b"ndcg"),
        DESCENDING.ctypes.data,
        *(MACHINE[1], doubles(2660), MACHINE[4], *RUN),
    ],
    "cp_labelrank_read": [ONES.ctypes.data, 2, 3, doubles(2680), doubles(2684), doubles(2688), *RUN],
    "cp_labelrank_consensus": [
        *(UNIT_MARGINS, record(abi.CNeighbors, n=2, m=1, numbers=SLOTS.ctypes.data, weights=ONES.ctypes.data)),
        *(doubles(2700), doubles(2710), doubles(2720), doubles(2730), doubles(2770), *RUN),
    ],
}
CALLS |= estimate_calls(STRUCTURE, D, SCORES)
CALLS |= ranking_calls()
CALLS |= loglinear_calls(STRUCTURE, D, design=DESIGN, targets=TARGETS, features=FEATURES, outputs=OUTPUTS)
for name in CALLS.keys() & abi.OF_ROWS.keys():
    CALLS[name].append(out())  # bad_row
