"""Rows whose squares overflow: every estimator that is linear in its inputs names the row and the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse

from combpred import BlockStatistics, ProbabilisticStructured, StructuredRidge, StructuredSGD
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import Permutations

BAD = 33
SIZES = [0, 10, 25, 40]  # where blocks of rows begin
FACTORS = [1e150, 1e160]  # squares that cannot be added up, and those that are infinite themselves


def data(factor: float = 1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SIZES[-1], 5))
    X[BAD, 1] = factor
    return X, 1 + rng.permuted(np.tile(np.arange(4), (SIZES[-1], 1)), axis=1)


def blocks(X, y):
    return [(X[at:to], y[at:to]) for at, to in zip(SIZES, SIZES[1:], strict=False)]


def sgd(**options):
    return StructuredSGD("permutations", random_state=0, **options)


def probabilistic(**options):
    return ProbabilisticStructured("permutations", random_state=0, **options)


WHOLE = {
    "sgd": lambda X, y: sgd().fit(X, y),
    "sgd, squared": lambda X, y: sgd(loss="squared").fit(X, y),
    "sgd, average": lambda X, y: sgd(average=True).fit(X, y),
    "sgd, smd": lambda X, y: sgd(learning_rate="smd").fit(X, y),
    "sgd, first mini-batch": lambda X, y: sgd().partial_fit(X, y),
    "sgd, mini-batch": lambda X, y: sgd().partial_fit(X[:5], y[:5]).partial_fit(X, y),
    "ridge": lambda X, y: StructuredRidge("permutations").fit(X, y),
    "ridge, squared": lambda X, y: StructuredRidge("permutations", solver="primal", loss="squared").fit(X, y),
    "statistics": lambda X, y: BlockStatistics.of(Permutations(4), X, y).solve(alpha=1.0),
    "probabilistic": lambda X, y: probabilistic().fit(X, y),
    "probabilistic, sgd": lambda X, y: probabilistic(solver="sgd").fit(X, y),
    "probabilistic, first mini-batch": lambda X, y: probabilistic(solver="sgd").partial_fit(X, y),
    "probabilistic, mini-batch": lambda X, y: probabilistic(solver="sgd").partial_fit(X[:5], y[:5]).partial_fit(X, y),
    "svm": lambda X, y: StructuredSVM("permutations").fit(X, y),
    "perceptron": lambda X, y: StructuredPerceptron("permutations").fit(X, y),
}
IN_BLOCKS = {
    "ridge": lambda X, y: StructuredRidge("permutations").fit_blocks(blocks(X, y)),
    "ridge, squared": lambda X, y: StructuredRidge("permutations", loss="squared").fit_blocks(blocks(X, y)),
    "probabilistic": lambda X, y: probabilistic().fit_blocks(blocks(X, y)),
}


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("fit", WHOLE.values(), ids=WHOLE)
def test_the_row_is_named(fit, factor):
    X, y = data(factor)
    for given in (X, sparse.csr_matrix(X)):
        with pytest.raises(ValueError) as caught:
            fit(given, y)
        assert caught.value.row == BAD


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("fit", IN_BLOCKS.values(), ids=IN_BLOCKS)
def test_the_block_and_its_row_are_named(fit, factor):
    with pytest.raises(ValueError) as caught:
        fit(*data(factor))
    assert (caught.value.row, caught.value.block) == (BAD - SIZES[2], 2)


def test_statistics_count_rows_in_their_part():
    parts = blocks(*data(1e160))
    BlockStatistics.of(Permutations(4), *parts[0])
    with pytest.raises(ValueError) as caught:
        BlockStatistics.of(Permutations(4), *parts[2])
    assert caught.value.row == BAD - SIZES[2]


@pytest.mark.parametrize("fit", [StructuredRidge().fit, sgd().fit, probabilistic().fit])
def test_rows_of_weight_zero_are_left_out(fit):
    fit.__self__.set_params(structure="permutations")
    X, y = data(1e160)
    weights = np.ones(len(X))
    weights[BAD] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it converges is not asked
        assert np.abs(fit(X, y, weights).coef_).max() > 1e-3


@pytest.mark.parametrize("partial", [False, True])
def test_kernel_values_name_the_row_as_well(partial):
    model = sgd(kernel="poly", degree=2, truncation=20)
    for factor in [1e150, 1e75]:
        with pytest.raises(ValueError) as caught:
            (model.partial_fit if partial else model.fit)(*data(factor))
        assert caught.value.row == BAD
