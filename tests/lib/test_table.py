"""Arrays are filled by the table of the C interface: types, sizes, and what is new."""

import numpy as np
import pytest

from combpred._lib import abi
from combpred._lib.call import computed
from combpred._lib.decode import decode
from combpred._lib.table import parameters, put, record
from combpred.structures import Permutations


def test_structs_take_types_and_sizes_from_the_table():
    scores = record(abi.CScores, linear=np.arange(6).reshape(2, 3), magnitude=np.ones((1, 3), np.float32))
    assert (scores.n, scores.d, scores.n_magnitude) == (2, 3, 1)
    assert {vars(scores)[name].dtype for name in ("linear", "magnitude")} == {np.dtype(np.float64)}
    put(scores, streams=np.zeros(2, np.uint64), n=2)
    assert scores.n == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"streams": np.zeros(3, np.uint64)},
        {"magnitude": np.ones((2, 4))},
        {"n": 0},
        {"linear": np.zeros((1, 2, 1))},
        {"of": np.array([0, 2**40])},
        {"of": np.array([0.5, 1.0])},
    ],
)
def test_what_does_not_fit_is_refused(fields):
    scores = record(abi.CScores, linear=np.zeros((2, 3)))
    with pytest.raises((ValueError, TypeError)) as caught:
        put(scores, **fields)
    assert any(name in str(caught.value) for name in fields)


@pytest.mark.parametrize("wrong", [np.zeros(2, np.float32), np.zeros(4)[::2], np.zeros(3), np.broadcast_to(0.0, 2)])
def test_results_are_written_in_place_or_refused(wrong):
    with pytest.raises(ValueError):
        record(abi.CCertificates, n=2, value=wrong)


def test_new_arrays_have_the_sizes_that_the_header_says():
    description = Permutations(3).space.description
    mean = computed("cp_space_moments", description, d=3, second=None, info=None)
    np.testing.assert_allclose(mean, 0.0, atol=1e-15)
    y = decode(description, [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]).y
    psi = computed("cp_space_embed", description, y, 0, d=3)
    assert psi.shape == (2, 3)
    scores = record(abi.CScores, linear=psi)
    log_z, marginals = computed("cp_log_partition", description, scores, None)
    assert (log_z.shape, marginals.shape) == ((2,), (2, 3))
    alone = computed("cp_log_partition", description, scores, None, marginals=None)
    np.testing.assert_array_equal(alone, log_z)
    assert computed("cp_space_enumerate", description, 2, dst=np.empty((9, 3), np.int32)) == 4
    assert computed("cp_custom_draws", psi, sums=np.zeros(1 + 3 + 18), moments=None, standard_error=None) == ()


def test_arguments_are_counted():
    space = Permutations(3).space.description
    with pytest.raises(TypeError, match="cp_space_sample lacks the argument seed"):
        computed("cp_space_sample", space, n=1, part_len=3)
    with pytest.raises(TypeError):
        computed("cp_space_sample", space, 1, 2, n=1, part_len=3)


def test_every_function_is_in_the_table():
    assert set(abi.PARAMETERS) == {
        name for name in abi.PROTOTYPES if name not in ("cp_abi_version", "cp_blas_activate")
    }
    n_buffers = sum(p.dtype is not None for name in abi.PARAMETERS for p in parameters(name))
    assert n_buffers > 100


def test_sizes_that_are_expressions_are_checked():
    """Otherwise the library would read beyond the array."""
    with pytest.raises(ValueError, match=r"first has shape \(2,\), must be \(3\)"):
        record(abi.CTargets, n=2, psi=np.zeros((2, 3)), first=np.zeros(2, np.int64))
    preferences = {"k": 3, "signs": np.zeros((2, 3), np.int8), "margins": np.ones((2, 3))}
    record(abi.CPreferences, **preferences)
    with pytest.raises(ValueError, match=r"margins has shape \(2, 2\), must be \(2, 3\)"):
        record(abi.CPreferences, **{**preferences, "margins": np.ones((2, 2))})
    record(abi.COutputs, n=2, d=3, psi=np.zeros((2, 3)), indptr=np.zeros(4, np.int64))  # as the library alone can tell
    description = Permutations(3).space.description
    targets = record(abi.CTargets, psi=np.zeros((2, 3)), n=2)
    with pytest.raises(ValueError, match=r"kernel has shape \(1, 4\), must be \(2, 2\)"):
        computed("cp_ridge_kernel", description, {"alpha": 1.0, "tol": 1e-8}, np.ones((1, 4)), targets, None)


def test_numbers_of_another_byte_order_are_converted():
    scores = record(abi.CScores, linear=np.zeros((2, 3)), of=np.array([1, 0], ">i4"), n_spaces=2)
    np.testing.assert_array_equal(vars(scores)["of"], np.array([1, 0], np.int32))
    assert vars(scores)["of"].dtype.isnative
