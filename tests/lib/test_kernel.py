"""Kernel matrices of the core, and what estimators do with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from sklearn.metrics.pairwise import pairwise_kernels

from combpred import StructuredRidge
from combpred._lib.errors import NumericalError, RowError
from combpred._lib.kernel import InputKernel, eigendecompose, require_semidefinite
from combpred.structures import Ordinal


@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian", "cosine"])
@pytest.mark.parametrize("gamma", [None, 0.3])
def test_kernels_are_those_of_scikit_learn(name, gamma):
    rng = np.random.default_rng(0)
    x, y = (np.where(rng.random((n, 9)) < 0.5, rng.normal(size=(n, 9)), 0.0) for n in (300, 41))
    kernel = InputKernel(name, gamma, 2.5 if gamma is None else 3, 20.0)
    options = {"gamma": gamma, "degree": kernel.degree, "coef0": 20.0}
    among, between = (pairwise_kernels(x, z, metric=name, filter_params=True, **options) for z in (x, y))
    for rows, others in [(x, y), *((sparse.csr_matrix(x), z) for z in (y, sparse.csr_matrix(y)))]:
        np.testing.assert_allclose(kernel.matrix(rows, others), between, rtol=1e-11, atol=1e-13)
        matrix = kernel.matrix(rows)
        np.testing.assert_allclose(matrix, among, rtol=1e-11, atol=1e-13)
        assert (matrix == matrix.T).all()


def test_rows_of_other_types_are_converted():
    x = np.random.default_rng(1).integers(0, 9, size=(20, 5))
    want = InputKernel("rbf", 0.1).matrix(x.astype(np.float64))
    for given in (x, x.astype(np.uint8), x.astype(np.float32), np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
        np.testing.assert_array_equal(InputKernel("rbf", 0.1).matrix(given), want)


def test_values_that_overflow_are_named():
    x = np.ones((4, 2))
    x[2] = 1e200
    with pytest.raises(RowError) as caught:
        InputKernel("linear").matrix(x)
    assert caught.value.row == 2
    with pytest.raises(RowError) as caught:
        InputKernel("linear").matrix(x[2:], x, first_row=9)
    assert caught.value.row == 9


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_the_scale_is_that_of_repeated_rows(layout):
    rng = np.random.default_rng(2)
    x, weights = np.where(rng.random((30, 4)) < 0.4, rng.normal(3, 2, size=(30, 4)), 0.0), rng.integers(0, 4, 30)
    repeated = np.repeat(x, weights, axis=0)
    found = InputKernel.resolve("rbf", layout(x), gamma="scale", weights=weights.astype(float)).gamma
    assert found == pytest.approx(1 / (4 * repeated.var()), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 90])
def test_eigenvectors_are_those_of_lapack(n):
    a = np.random.default_rng(n).normal(size=(n, n))
    a += a.T
    found = eigendecompose(a.copy())
    np.testing.assert_allclose(found.values, eigh(a, eigvals_only=True), atol=1e-12)
    np.testing.assert_allclose(found.vectors * found.values @ found.vectors.T, a, atol=1e-12)
    a[n - 1, 0] = np.nan
    with pytest.raises(RowError) as caught:
        eigendecompose(a)
    assert caught.value.row == n - 1


@pytest.mark.parametrize("options", [{"kernel": "rbf"}, {"solver": "primal", "fit_intercept": False}])
def test_one_row_is_enough(options):
    model = StructuredRidge(Ordinal(4), **options).fit([[2.0]], [3])
    assert model.predict([[2.0]]).tolist() == [3]


@pytest.mark.parametrize("rank", [0, 1, 5, 40])
@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1.0, 1e300])
def test_no_semidefinite_matrix_is_refused(rank, scale):
    features = np.random.default_rng(rank).normal(size=(40, rank))
    require_semidefinite(scale * (features @ features.T))  # of rounding its eigenvalues are negative


def test_an_indefinite_matrix_is_refused():
    a = np.eye(40)
    a[3, 3] = -0.25
    with pytest.raises(NumericalError):
        require_semidefinite(a)
