"""The row that is to blame comes as a number, from the C interface and from callers that pass a selection of rows."""

from __future__ import annotations

import copy
import ctypes
import pickle

import numpy as np
import pytest

from abi_calls import PART_LEN, PERMUTATIONS, STRUCTURE, D
from combpred._lib import abi, call
from combpred._lib.decode import decode
from combpred._lib.errors import CapabilityError, NumericalError, RowError, SamplingError, naming_row, renumbered
from combpred._lib.kernel import check_kernel
from combpred._lib.partition import log_partition
from combpred._lib.sampling import Plan, chain_sample
from combpred._lib.structure import Description, structure_embed
from moved_errors import shows_another_row_everywhere

CYCLES = Description("cycles", {"n": 30})
SCORES = np.zeros((4, D))
SCORES[2, 1] = np.nan


@pytest.mark.parametrize(
    "function",
    [
        lambda: decode(PERMUTATIONS, SCORES),
        lambda: log_partition(PERMUTATIONS, SCORES),
        lambda: chain_sample(PERMUTATIONS, SCORES, Plan("meta", 1, 0, 1, 1, 0)),
    ],
)
def test_illegal_scores(function):
    with pytest.raises(RowError) as caught:
        function()
    assert (caught.value.row, caught.value.reason) == (2, "score 1 is NaN, must be finite")


def test_illegal_outputs():
    with pytest.raises(RowError) as caught:
        structure_embed(PERMUTATIONS, [[1, 2, 3, 4], [0, 1, 2, 3]])
    assert caught.value.row == 1


def test_row_beyond_exact_decoding():
    cliques = Description("cliques", {"n": 90})
    scores = np.zeros((3, 90 * 89 // 2))
    scores[1] = np.random.default_rng(0).normal(size=scores.shape[1])
    with pytest.raises(CapabilityError, match=r"^row 1: .*limited to size 48.*; take decoder='auto' to") as caught:
        decode(cliques, scores, method="exact")
    assert caught.value.row == 1


@pytest.mark.parametrize("function", [lambda s: decode(CYCLES, s, method="exact"), lambda s: log_partition(CYCLES, s)])
def test_sizes_beyond_what_is_exact_are_about_no_row(function):
    with pytest.raises(
        CapabilityError,
    ) as caught:
        function(np.zeros((3, 30 * 29 // 2)))
    assert caught.value.row is None


def test_row_beyond_the_budget():
    scores = np.zeros((3, D))
    scores[1] = 100.0
    with pytest.raises(SamplingError) as caught:
        chain_sample(PERMUTATIONS, scores, Plan("rejection", 1, 0, 1, 1, 0))
    assert caught.value.row == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (abi.EVALUE, RowError),
        (abi.ECAPABILITY, CapabilityError),
        (abi.ENUMERICAL, NumericalError),
        (abi.EBUDGET, SamplingError),
    ],
)
def test_every_class_carries_a_row(status, kind):
    def raised(text: bytes, bad_row: int) -> Exception:
        with pytest.raises((kind, ValueError, RuntimeError)) as caught:  # NumPy 1.24 has a LinAlgError of its own kind
            call.checked(status, ctypes.create_string_buffer(text), bad_row)
        return caught.value

    error = raised(b"is wrong", 3)
    assert type(error) is kind
    assert (error.row, error.reason, str(error)) == (3, "is wrong", "row 3: is wrong")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(other), other.row, str(other)) == (kind, 3, "row 3: is wrong")
    moved = error.at(7)
    assert (type(moved), moved.row, str(moved), error.row) == (kind, 7, "row 7: is wrong", 3)
    general = raised(b"is wrong", -1)
    assert (getattr(general, "row", None), str(general)) == (None, "is wrong")


def test_kernel_matrices_name_row_and_column():
    kernel = np.eye(3)
    kernel[1, 2] = np.inf
    with pytest.raises(RowError) as caught:
        check_kernel(kernel)
    assert caught.value.row == 1


def test_the_number_need_not_be_taken():
    dll = call.library().dll
    y = np.array([[1, 2, 3, 4], [1, 2, 3, 3]], dtype=np.int32)
    message = ctypes.create_string_buffer(256)
    arguments = STRUCTURE, y.ctypes.data, 2, PART_LEN
    assert dll.cp_space_embed(*arguments, 0, None, D, 1, None, None, message, 256) == abi.EVALUE
    assert message.value.startswith(b"row 1: ")


def test_selections_are_renumbered():
    for error in (RowError(1, "r"), CapabilityError("r", 1), SamplingError("r", 1), NumericalError("r", 1)):
        for rows in (np.array([5, 8]), slice(7, None)):
            with pytest.raises(type(error)) as caught, renumbered(rows):
                raise error
            assert caught.value.row == 8
    with pytest.raises(CapabilityError) as caught, renumbered(np.array([5])):
        raise CapabilityError("r")
    assert caught.value.row is None


MOVED = [
    RowError(1, "r"),
    RowError(1, "r", "X"),
    CapabilityError("r", 1),
    SamplingError("r", 1),
    NumericalError("r", 1),
]


@pytest.mark.parametrize("error", MOVED, ids=lambda error: type(error).__name__)
def test_another_row_shows_everywhere(error):
    shows_another_row_everywhere(error)


def test_errors_without_a_row_show_their_reason_alone():
    for error in (CapabilityError("r"), pickle.loads(pickle.dumps(CapabilityError("r")))):
        assert (error.args, str(error), error.row) == (("r",), "r", None)


def _raised_with_a_cause() -> CapabilityError:
    try:
        try:
            raise KeyError("cause")
        except KeyError as cause:
            raise CapabilityError("r", 1) from cause
    except CapabilityError as error:
        return error


def test_another_row_keeps_where_an_error_came_from():
    error = _raised_with_a_cause()
    error.__notes__ = ["a note"]
    moved = error.at(7)
    assert moved.__traceback__ is error.__traceback__ is not None
    assert (moved.__cause__, moved.__suppress_context__, moved.__notes__) == (error.__cause__, True, ["a note"])
    moved.__notes__.append("another")
    assert error.__notes__ == ["a note"]
    for names in (renumbered(np.array([5, 8])), naming_row(8)):
        with pytest.raises(CapabilityError) as caught, names:
            raise error
        assert caught.value.row == 8
        assert str(caught.value) == "row 8: r"
        assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(CapabilityError) as caught, naming_row(8):
        raise CapabilityError("r")
    assert (caught.value.row, caught.value.__cause__) == (None, None)


def test_rows_taken_alone_are_named():
    for error in (CapabilityError("r", 0), SamplingError("r"), RowError(0, "r")):
        with pytest.raises(type(error)) as caught, naming_row(6):
            raise error
        assert caught.value.row == 6
    with pytest.raises(RowError) as caught, naming_row(6):
        raise ValueError("r")
    assert caught.value.row == 6
