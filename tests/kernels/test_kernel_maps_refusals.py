"""Low-dimensional maps of kernels refuse what is no kernel and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from combpred import NumericalError
from combpred.kernels import NystromMap, RandomProjectionMap
from kernel_maps import MAPS, difference, inputs


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("Map", MAPS)
def test_matrices_that_are_not_symmetric_are_refused(Map, form):
    K = inputs(6, 6) @ inputs(6, 6).T
    K[1, 3] += 1
    with pytest.raises(ValueError) as caught:
        Map(3, kernel="precomputed").fit(form(K))
    assert caught.value.row == 3  # the later one of the two
    with pytest.raises(ValueError):
        Map(3, kernel="precomputed").fit(form(K[:4]))


@pytest.mark.parametrize("Map", [NystromMap, RandomProjectionMap])
def test_what_is_no_kernel_is_refused(Map):
    with pytest.raises(NumericalError):
        Map(20, kernel=difference).fit(inputs())
    with pytest.raises(NumericalError):
        Map(3, kernel="precomputed").fit(-np.eye(3))


@pytest.mark.parametrize("Map", MAPS)
def test_bad_input_is_refused(Map):
    X = inputs()
    wrong = X.copy()
    wrong[7, 2] = np.nan
    with pytest.raises(ValueError) as caught:
        Map().fit(wrong)
    assert caught.value.row == 7
    embedding = Map(5).fit(X)
    with pytest.raises(ValueError) as caught:
        embedding.transform(sparse.csr_matrix(wrong))
    assert caught.value.row == 7
    with pytest.raises(ValueError, match="row 2: kernel values overflow"):
        Map(5, kernel="poly").fit(X).transform(np.vstack([X[:2], 1e200 * X[2:3]]))
    with pytest.raises(ValueError):
        Map(kernel_params={"power": 2}).fit(X)
    options = {"n_landmarks": 5} if Map is RandomProjectionMap else {"n_components": 5}
    with pytest.raises(ValueError):
        Map(**options, kernel="precomputed", landmarks="k-means++").fit(X @ X.T)


def test_there_are_no_more_landmarks_than_rows_and_no_more_features_than_landmarks():
    with pytest.raises(ValueError):
        NystromMap(5, n_landmarks=0).fit(inputs())
    assert NystromMap(5, n_landmarks=100).fit(inputs()).normalization_.shape == (60, 5)
    assert NystromMap(5, n_landmarks=4).fit(inputs()).normalization_.shape == (4, 4)
    assert NystromMap(1000).fit(inputs()).normalization_.shape[0] == 60


@pytest.mark.parametrize("Map", MAPS)
def test_what_does_not_fit_in_memory_is_refused_before_it_is_allocated(Map, limits):
    X = inputs(300)
    embedding = Map(50, random_state=0).fit(X)
    limits.available_memory(10_000)
    with pytest.raises(MemoryError):
        Map(50).fit(X)
    many = np.zeros((300_000, 4))
    with pytest.raises(MemoryError):
        embedding.transform(many)


@pytest.mark.parametrize("Map", MAPS)
def test_a_failed_fit_keeps_the_earlier_one(Map):
    X = inputs()
    embedding = Map(5, random_state=0).fit(X)
    before = embedding.transform(X)
    with pytest.raises(ValueError) as caught:
        embedding.fit(np.full((9, 2), np.nan))
    assert caught.value.row == 0
    np.testing.assert_array_equal(embedding.transform(X), before)
