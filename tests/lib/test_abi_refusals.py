"""The C interface refuses NULL, illegal sizes and malformed text by a status, whatever the function."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_void_p

import numpy as np
import pytest
import scipy.sparse

import abi_estimates
from abi_answers import Answer, arguments, functions, structs
from abi_calls import CALLS, DESCRIBED, NAMES, PART_LEN, SESSIONS, STRUCTURE, D, opened, out
from combpred._lib import abi
from combpred._lib.ridge import Design


def test_null_structure_is_refused(dll):
    a = Answer(dll.cp_space_open, None, None, 0, out())
    assert a.status == abi.EVALUE and "NULL" in a.message


TAKE_SPACES = [name for name, given in functions().items() if "cp_space space" in given]


@pytest.mark.parametrize("function", TAKE_SPACES)
def test_handles_that_are_not_open_are_refused(dll, function):
    closed = opened()
    assert dll.cp_space_close(closed, None, 0) == abi.OK
    at = parameter_names(function).index("space")
    for handle, expected in (
        (0, "the space is 0"),
        (closed, "has been closed"),
        (2**64 - 1, "no handle"),
        (SESSIONS[0], "no handle of a space"),
    ):
        changed = arguments(function)
        changed[at] = handle
        a = Answer(getattr(dll, function), *changed)
        assert (a.status, expected in a.message) == (abi.EVALUE, True), a.message


def test_a_closed_space_is_not_closed_again(dll):
    handle = opened()
    assert Answer(dll.cp_space_close, handle).status == abi.OK
    a = Answer(dll.cp_space_close, handle)
    assert (a.status, "has been closed" in a.message) == (abi.EVALUE, True)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (b'["a", "b"]', "2 names for 4 items"),
        (b'["a", "b", "a", "c"]', "two items have the name"),
        (b'["a", "b", "c", 4]', "JSON list of strings"),
        (b'["a", "b", "c", "d"', "JSON list of strings"),
        (b'{"a": "b"}', "JSON list of strings"),
        (b"null", "JSON list of strings"),
    ],
)
def test_illegal_names_are_refused(dll, names, expected):
    a = Answer(dll.cp_space_open, ctypes.addressof(DESCRIBED), names, len(names), out())
    assert (a.status, expected in a.message) == (abi.EVALUE, True), a.message


@pytest.mark.parametrize("length", [-5, 5, 2**40])
def test_a_length_without_names_is_refused(dll, length):
    a = Answer(dll.cp_space_open, ctypes.addressof(DESCRIBED), None, length, out())
    assert (a.status, "names" in a.message) == (abi.EVALUE, True), a.message


def test_a_text_that_is_too_long_is_not_read(dll):
    s = abi.CStructure(b"{}", 2**33, None, 0, None, 0)
    a = Answer(dll.cp_space_open, ctypes.addressof(s), None, 0, out())
    assert (a.status, "structure.text has 8589934592 bytes" in a.message) == (abi.EVALUE, True), a.message


def test_names_are_in_messages(dll):
    handle, bad_row = out(), out()
    assert dll.cp_space_open(ctypes.addressof(DESCRIBED), NAMES, len(NAMES), handle, None, 0) == abi.OK
    y = np.array([[1, 2, 3, 3]], dtype=np.int32)
    a = Answer(dll.cp_space_embed, handle[0], y.ctypes.data, 1, PART_LEN, 0, None, D, 1, None, bad_row)
    assert (a.status, bad_row[0]) == (abi.EVALUE, 0)
    assert 'labels "juice" and "water" share position 3' in a.message
    assert dll.cp_space_close(handle[0], None, 0) == abi.OK


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'{"n":4}', 'no "name"'),
        (b'{"name":3}', "must be a string"),
        (b'{"name":"permutations"}', "missing"),
        (b'{"name":"permutations","n":4.5}', "must be an integer"),
        (b'{"name":"permutations","n":"4"}', "must be an integer"),
        (b'{"name":"permutations","n":[4]}', "must be an integer"),
        (b'{"name":"permutations","n":1e400}', "must be an integer"),
        (b'{"name":"permutations","n":99999999999999999999}', "must be an integer"),
        (b'{"name":"permutations","n":9223372036854775807}', "must be between"),
        (b'{"name":"permutations","n":-1}', "must be between"),
        (b'{"name":"permutations","n":4,"n":5}', "twice"),
        (b'{"name":"permutations","name":"permutations","n":4}', "twice"),
        (b'{"name":"permutations","n":4}{}', "goes on"),
        (b'{"name":"nonsense","n":4}', "no structure is called"),
        (b'{"name":"\xff\xfe","n":4}', "no structure is called"),
        (b"{" * 70000, "at most"),
    ],
)
def test_malformed_structure_text_is_refused(dll, text, expected):
    s = abi.CStructure(text, len(text), None, 0, None, 0)
    a = Answer(dll.cp_space_open, ctypes.addressof(s), None, 0, out())
    assert a.status == abi.EVALUE
    assert expected in a.message


@pytest.mark.parametrize("field", ["text_len", "n_ints", "n_reals"])
@pytest.mark.parametrize("length", [-1, -(2**63), 2**63 - 1, 1])
def test_illegal_structure_buffers_are_refused(dll, field, length):
    s = abi.CStructure(None, 0, None, 0, None, 0)
    setattr(s, field, length)
    a = Answer(dll.cp_space_open, ctypes.addressof(s), None, 0, out())
    assert a.status == abi.EVALUE
    assert a.message


def test_misaligned_pointers_are_refused(dll):
    block = ctypes.create_string_buffer(64)
    odd = ctypes.addressof(block) + 1
    a = Answer(dll.cp_space_open, odd, None, 0, out())
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)
    a = Answer(dll.cp_space_moments, STRUCTURE, odd, None, D, None, 1, None)
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)
    a = Answer(dll.cp_space_sample, STRUCTURE, 0, None, 0, PART_LEN, 1, odd)
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)


NULLABLE = {
    *("bad_row", "control", "certificates", "record", "marginals", "losses", "curvatures", "steps"),
    *(
        "cp_decode.options",
        "cp_space_moments.mean",
        "cp_space_moments.second",
        "cp_space_moments.info",
        "cp_space_restrict.restriction",
        "cp_kbest.options",
        "cp_kbest_start.options",
        "cp_hereditary_start.decoder",
        "cp_extensions_count.options",
        "cp_extensions_count.info",
        "cp_ridge_kernel.info",
    ),
    *("cp_labelrank_svm.kernel", "cp_labelrank_svm.info", "cp_extensions_sample.method", "cp_space_embed.dst"),
    *("cp_aggregate.profile", "cp_aggregate.pairs", "cp_aggregate.programs", "cp_aggregate.info"),
    *("cp_aggregate.options", "cp_aggregate_acyclic.options"),
    *("cp_aggregate_acyclic.programs", "cp_aggregate_acyclic.info", "cp_aggregate_acyclic.relation", "kept"),
    *("CComparisons.ties", "CComparisons.covariates"),
    *("cp_loglinear_fit.info", "cp_loglinear_start.info", "cp_loglinear_search_start.info"),
    "cp_loglinear_kernel.weights",
    *("cp_loglinear_sums.kind", "cp_loglinear_kernel_weights.wanted", "CLoglinearFeatures.weights"),
    *(
        "cp_ridge_features.info",
        "cp_ridge_primal_start.info",
        "cp_kernel.y",
        "cp_kernel.type",
        "cp_kernel_scale.weights",
    ),
    *(
        "cp_order_kernel.y",
        "cp_predict.options",
        "cp_sgd_fit.report",
        "cp_sgd_expansion.report",
        "cp_sgd_expansion_start.report",
    ),
    *("cp_log_partition.conditions", "cp_chain_sample.conditions", "cp_order_positions.conditions"),
    "cp_log_seen.conditions",
    *("cp_conformal_contains.conditions", "cp_conformal_sizes.conditions"),
    *("cp_conformal_allowed.conditions", "cp_conformal_sample.conditions"),
    *("cp_sets_decide.conditions", "cp_sets_decide.value", "cp_sets_decide.loss", "cp_sets_value.loss"),
    *("cp_custom_draws.moments", "cp_custom_draws.standard_error"),
    *("cp_estimate.options", "cp_estimate_start.options"),
    # Fields of structs. Names stand for the first of those there are.
    *("CCertificates.value", "CCertificates.upper_bound", "CCertificates.nu", "CCertificates.optimal"),
    *("CCertificates.met", "CDecodeOptions.constraints", "CDecodeOptions.conditions", "CKbestList.value"),
    *("CChainRecord.value", "CChainRecord.steps", "CChainRecord.accepted", "CChainOptions.start"),
    *("cp_mixing_bound.method", *(f"CSearchRecord.{column}" for column in abi_estimates.SEARCHED)),
    *("CTargets.weights", "COutputs.weights", "CSGDState.average", "CSGDState.velocity", "CAffineLoss.magnitude"),
    *("cp_labelrank_boost.curve", "CBoostCurve.losses", "CBoostCurve.bounds"),
    *("cp_labelrank_direct.loss", "cp_labelrank_direct.info", "CRankings.weights", "CNeighbors.counts"),
    *("cp_labelrank_read.gaps", "cp_labelrank_consensus.scores", "cp_labelrank_consensus.pairs"),
    "CSGDPasses.curve",
    *("cp_affine_losses.entries", "cp_affine_losses.cost"),
    *("cp_affine_losses.counted", "cp_affine_losses.parent"),
    *("cp_svm_start.loss", "cp_svm_fit.info", "cp_svm_start.info"),
    *("cp_perceptron_fit.info", "cp_perceptron_start.info"),
    *("CSVMOptions.order", "CPerceptronOptions.order", "CPerceptronOptions.start"),
    *("CPreferences.margins", "CPreferences.weights"),
    *("CPredictions.scores", "CPredictions.outputs", "CPredictions.value", "CPredictions.upper_bound"),
    *("CPredictions.nu", "CPredictions.optimal", "CModel.intercept", "CModel.mean"),
    *("CProfile.weights", "CPairs.tied", "CRelations.weights", "cp_plackett_luce.names"),
    *(
        "cp_metric_rankings.metric",
        "cp_metric_visits.metric",
        "cp_metric_nodes.metric",
        "cp_metric_abstention.thresholds",
        "CTree.rule",
        "CTree.node_weight",
    ),
    *("COnlineOptions.order", "COnlineState.theta", "COnlineState.average"),
    *("CEstimateOptions.bound", *(f"CEstimates.{column}" for column in abi_estimates.WRITTEN)),
}


def parameter_names(function: str) -> list[str]:
    return [p.split()[-1].strip("*") for p in functions()[function]][:-2]


@pytest.mark.parametrize("function", CALLS)
def test_legal_arguments_are_accepted(dll, function):
    given = arguments(function)
    a = Answer(getattr(dll, function), *given)
    assert a.status == abi.OK, a.message
    if function in abi.OF_ROWS:
        assert given[-1][0] == -1  # bad_row


def cases(kind: type) -> list[tuple[str, int]]:
    return [
        (function, index)
        for function in CALLS
        for index, declared in enumerate(abi.PROTOTYPES[function][:-2])
        if declared is kind
    ]


@pytest.mark.parametrize(("function", "index"), cases(c_void_p))
def test_null_pointers_are_refused(dll, function, index):
    name = parameter_names(function)[index]
    changed = arguments(function)
    changed[index] = None
    a = Answer(getattr(dll, function), *changed)
    sgd_steps = function.startswith("cp_sgd_") and name == "steps"
    if {name, f"{function}.{name}"} & NULLABLE and not sgd_steps:
        assert a.status == abi.OK, a.message
    else:
        assert a.status == abi.EVALUE, (name, a.message)
        assert a.message


def fields_of(*kinds: type) -> list[tuple[str, int, str]]:
    """Return the fields of such types of all structs that are set, but for their sizes and for those of results."""
    return [
        (function, index, name)
        for function, index, struct in structs()
        for name, kind in struct._fields_[1:]
        if kind in kinds and getattr(arguments(function)[index], name) is not None
        if not struct.__name__.endswith(("Info", "Report", "Sizes", "Step"))
    ]


@pytest.mark.parametrize(("function", "index", "name"), fields_of(c_void_p, c_char_p))
def test_null_fields_are_refused(dll, function, index, name):
    changed = arguments(function)
    is_name = isinstance(getattr(changed[index], name), bytes)
    setattr(changed[index], name, None)
    a = Answer(getattr(dll, function), *changed)
    if is_name or f"{type(changed[index]).__name__}.{name}" in NULLABLE:
        assert a.status == abi.OK, a.message
    else:
        assert a.status == abi.EVALUE, a.message
        assert a.message


@pytest.mark.parametrize("given", [b"nonsense", b"AUTO", b"x" * 1000])
@pytest.mark.parametrize(("function", "index", "name"), fields_of(c_char_p))
def test_unknown_names_are_refused(dll, function, index, name, given):
    changed = arguments(function)
    setattr(changed[index], name, given)
    a = Answer(getattr(dll, function), *changed)
    if name == "solver" and function not in ("cp_ridge_plan", "cp_ridge_kernel"):
        return  # they have no choice of solvers
    assert a.status == abi.EVALUE
    assert name in a.message


@pytest.mark.parametrize("size", [0, -1, -(2**63), 2**63 - 1, 2**20, "too small by one"])
@pytest.mark.parametrize(("function", "index", "kind"), structs())
def test_illegal_struct_sizes_are_refused(dll, function, index, kind, size):
    changed = arguments(function)
    changed[index].struct_size = ctypes.sizeof(kind) - 1 if size == "too small by one" else size
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.EVALUE
    assert "struct_size" in a.message
    assert parameter_names(function)[index] in a.message


@pytest.mark.parametrize(("function", "index", "kind"), structs())
def test_structs_of_later_versions_are_taken(dll, function, index, kind):
    """What follows the fields that are known is neither read nor written."""
    size = ctypes.sizeof(kind)
    longer = ctypes.create_string_buffer(bytes(arguments(function)[index]) + b"\xa5" * 64, size + 64)
    kind.from_buffer(longer).struct_size = size + 64
    changed = arguments(function)
    changed[index] = longer
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.OK, a.message
    assert longer.raw[size:] == b"\xa5" * 64
    assert kind.from_buffer(longer).struct_size == size + 64


@pytest.mark.parametrize(("function", "index", "kind"), structs())
def test_misaligned_structs_are_refused(dll, function, index, kind):
    block = ctypes.create_string_buffer(b"\0" + bytes(arguments(function)[index]), ctypes.sizeof(kind) + 9)
    changed = arguments(function)
    changed[index] = ctypes.addressof(block) + 1
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.EVALUE
    assert "aligned" in a.message


UNBOUNDED = {"skip", "nnz", "p", "budget"}  # may be as large as they like
UNBOUNDED_FIELDS = {"bytes", "max_iter", "n_rows"}
UNUSED_FIELDS = {
    "budget",
    "nnz",
    "intercept",
    "n_asked",
    "n_squares",
    "levels_needed",
    "needed",
    "until",
    "row",
}  # of such calls, or any number
ANSWERED = {"cp_space_layout", "cp_session_next"}  # whose structs are answers alone


@pytest.mark.parametrize(
    ("function", "index", "size"),
    [
        (function, index, size)
        for function, index in cases(c_int64)
        for size in (-1, -(2**63), 2**62, 2**63 - 1)
        if size < 0 or parameter_names(function)[index] not in UNBOUNDED
    ],
)
def test_illegal_sizes_are_refused(dll, function, index, size):
    name = parameter_names(function)[index]
    changed = arguments(function)
    changed[index] = size
    a = Answer(getattr(dll, function), *changed)
    assert a.status in (abi.EVALUE, abi.EMEMORY), (name, a.message)
    assert a.message


@pytest.mark.parametrize("size", [-1, -(2**63), 2**62, 2**63 - 1])
@pytest.mark.parametrize(("function", "index", "name"), fields_of(c_int64))
def test_illegal_sizes_in_structs_are_refused(dll, function, index, name, size):
    if function in ANSWERED or name in UNUSED_FIELDS or name in UNBOUNDED_FIELDS and size > 0:
        return
    changed = arguments(function)
    setattr(changed[index], name, size)
    a = Answer(getattr(dll, function), *changed)
    assert a.status in (abi.EVALUE, abi.EMEMORY), a.message
    assert a.message


@pytest.mark.parametrize("value", [-1, 0, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("function", [f for f in CALLS if c_int32 in abi.PROTOTYPES[f]])
def test_illegal_workers_are_refused(dll, function, value):
    changed = arguments(function)
    changed[parameter_names(function).index("workers")] = value
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.EVALUE
    assert "workers" in a.message


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, v) for name in ("alpha", "tol") for v in (0.0, -1.0, np.nan, np.inf)]
    + [("shift", v) for v in (-1.0, np.nan, np.inf)],
)
def test_illegal_options_are_refused(dll, name, value):
    changed = arguments("cp_ridge_plan")
    setattr(changed[1], name, value)
    a = Answer(dll.cp_ridge_plan, *changed)
    assert a.status == abi.EVALUE
    assert name in a.message


def test_margins_of_online_learning_are_refused(dll):
    changed = arguments("cp_labelrank_online")
    changed[1] = arguments("cp_labelrank_svm")[2]
    a = Answer(dll.cp_labelrank_online, *changed)
    assert (a.status, "margins must be NULL" in a.message) == (abi.EVALUE, True)


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_constant_features_of_other_numbers_are_refused(dll, shift):
    for function in ("cp_ridge_features", "cp_ridge_sums", "cp_ridge_product", "cp_ridge_primal_start"):
        changed = arguments(function)
        changed[1].shift = shift
        a = Answer(getattr(dll, function), *changed)
        assert (a.status, "shift" in a.message) == (abi.EVALUE, True)


def test_designs_have_an_intercept_or_none(dll):
    changed = arguments("cp_labelrank_svm")
    changed[0].intercept = 2
    a = Answer(dll.cp_labelrank_svm, *changed)
    assert (a.status, a.message) == (abi.EVALUE, "design.intercept is 2, must be 0 or 1")


@pytest.mark.parametrize("given", [(0, None), (1, np.eye(2))])
def test_inputs_are_a_design_or_a_kernel_matrix(dll, given):
    changed = arguments("cp_labelrank_svm")
    changed[given[0]] = given[1] if given[1] is None else given[1].ctypes.data
    a = Answer(dll.cp_labelrank_svm, *changed)
    assert (a.status, a.message) == (abi.EVALUE, "one of design and kernel must be NULL, and not both")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("stride", 1, "stride is 1, must be 0 or at least features.p"), ("mapped", 2, "mapped is 2, must be 0 or 1")],
)
def test_illegal_features_are_refused(dll, field, value, message):
    changed = arguments("cp_ridge_features")
    setattr(changed[2], field, value)
    a = Answer(dll.cp_ridge_features, *changed)
    assert (a.status, message in a.message) == (abi.EVALUE, True)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 2], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 1, 3]), ([0, 1], [-1, 1, 2])],
)
def test_illegal_sparse_rows_are_refused(dll, indices, indptr):
    design = Design(scipy.sparse.csr_matrix(np.eye(2)))
    bad_indices, bad_indptr = np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int64)
    design.struct.indices = bad_indices.ctypes.data
    design.struct.indptr = bad_indptr.ctypes.data
    changed = arguments("cp_sgd_fit")
    changed[2] = design.struct
    a = Answer(dll.cp_sgd_fit, *changed)
    assert a.status == abi.EVALUE
    assert a.message
