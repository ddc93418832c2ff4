"""The C interface refuses NULL, illegal sizes and malformed text by a status, whatever the function."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p

import numpy as np
import pytest
import scipy.sparse

from abi_answers import Answer, arguments, functions
from abi_calls import CALLS, DESIGN, PART_LEN, PERMUTATIONS, D, out
from combpred._lib import abi
from combpred._lib.ridge import Design


def test_null_structure_is_refused(dll):
    a = Answer(dll.cp_structure_shape, None, out(), out(), out())
    assert a.status == abi.EVALUE
    assert "NULL" in a.message


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
    a = Answer(dll.cp_structure_shape, ctypes.addressof(s), out(), out(), out())
    assert a.status == abi.EVALUE
    assert expected in a.message


@pytest.mark.parametrize("field", ["text_len", "n_ints", "n_reals"])
@pytest.mark.parametrize("length", [-1, -(2**63), 2**63 - 1, 1])
def test_illegal_structure_buffers_are_refused(dll, field, length):
    s = abi.CStructure(None, 0, None, 0, None, 0)
    setattr(s, field, length)
    a = Answer(dll.cp_structure_shape, ctypes.addressof(s), out(), out(), out())
    assert a.status == abi.EVALUE
    assert a.message


def test_misaligned_pointers_are_refused(dll):
    block = ctypes.create_string_buffer(64)
    odd = ctypes.addressof(block) + 1
    a = Answer(dll.cp_structure_shape, odd, out(), out(), out())
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)
    a = Answer(dll.cp_structure_mean, PERMUTATIONS, odd, D)
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)
    a = Answer(dll.cp_structure_sample, PERMUTATIONS, 0, None, 0, PART_LEN, 1, odd)
    assert (a.status, "aligned" in a.message) == (abi.EVALUE, True)


NULLABLE = {
    *("margins", "order", "theta"),
    *("losses", "curvatures", "average", "velocity"),
    *("first", "weights", "info", "magnitude", "value", "upper_bound", "nu", "optimal", "control"),
    *("start", "bound", "steps", "accepted"),
    *("marginals", "engine", "cost", "bad_row"),
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
    if name in NULLABLE and not (function == "cp_decode" and name == "magnitude"):
        assert a.status == abi.OK, a.message
    else:
        assert a.status == abi.EVALUE, (name, a.message)
        assert a.message


UNBOUNDED = {"skip", "nnz", "p", "work_bytes"}  # may be as large as they like


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


@pytest.mark.parametrize("value", [-1, 3, 2**31 - 1])
@pytest.mark.parametrize(
    ("function", "name"),
    [
        *((f"cp_labelrank_{which}", "subgraphs") for which in ("svm", "svm_kernel", "online")),
        ("cp_labelrank_online", "update"),
    ],
)
def test_unknown_kinds_of_label_ranking_are_refused(dll, function, name, value):
    changed = arguments(function)
    changed[parameter_names(function).index(name)] = value
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.EVALUE
    assert a.message


@pytest.mark.parametrize("value", [-1, 0, -(2**31), 2**31 - 1])
@pytest.mark.parametrize("function", [f for f in CALLS if c_int32 in abi.PROTOTYPES[f]])
def test_illegal_workers_are_refused(dll, function, value):
    changed = arguments(function)
    changed[parameter_names(function).index("workers")] = value
    a = Answer(getattr(dll, function), *changed)
    assert a.status == abi.EVALUE
    assert "workers" in a.message


@pytest.mark.parametrize("method", [-1, 6, 2**31 - 1])
def test_unknown_decoding_methods_are_refused(dll, method):
    changed = arguments("cp_decode")
    changed[6] = method
    assert "method" in Answer(dll.cp_decode, *changed).message


@pytest.mark.parametrize(
    "options", [b"{", b"[]", b'{"alpha":0}', b'{"alpha":-1}', b'{"loss":"no"}', b'{"tol":"x"}', b'{"bogus":1}', b"{}{}"]
)
def test_malformed_options_are_refused(dll, options):
    changed = arguments("cp_ridge_plan")
    changed[1:3] = options, len(options)
    a = Answer(dll.cp_ridge_plan, *changed)
    assert a.status == abi.EVALUE
    assert a.message


@pytest.mark.parametrize("shift", [0.0, -1.0, np.nan, np.inf])
def test_illegal_shifts_are_refused(dll, shift):
    changed = arguments("cp_covariance_solve")
    changed[1] = shift
    a = Answer(dll.cp_covariance_solve, *changed)
    assert a.status == abi.EVALUE
    assert "shift" in a.message


@pytest.mark.parametrize("field", ["n", "p"])
@pytest.mark.parametrize("size", [-1, 2**62, 2**63 - 1])
def test_illegal_designs_are_refused(dll, field, size):
    changed = arguments("cp_sgd_features")
    design = abi.CDesign.from_buffer_copy(DESIGN._struct)
    setattr(design, field, size)
    changed[3] = ctypes.addressof(design)
    a = Answer(dll.cp_sgd_features, *changed)
    assert a.status == abi.EVALUE
    assert a.message


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 2], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 1, 3]), ([0, 1], [-1, 1, 2])],
)
def test_illegal_sparse_rows_are_refused(dll, indices, indptr):
    design = Design(scipy.sparse.csr_matrix(np.eye(2)))
    bad_indices, bad_indptr = np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int64)
    design._struct.indices = bad_indices.ctypes.data
    design._struct.indptr = bad_indptr.ctypes.data
    changed = arguments("cp_sgd_features")
    changed[3] = design
    a = Answer(dll.cp_sgd_features, *changed)
    assert a.status == abi.EVALUE
    assert a.message
