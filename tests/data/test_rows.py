"""Errors about one row of the data carry its number, whatever finds them, and name the same row in their text."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from combpred import Admissible, StructuredRidge, losses, metrics, sampling
from combpred.kernels import NystromMap
from combpred.plotting import ReliabilityDisplay
from combpred.ranking import OnlineLabelRanker, RankingByPairwiseComparison
from combpred.structures import LabelSets

ROW = 3
X = np.random.default_rng(0).normal(size=(6, 2))
Y = np.array([[1, 2, 3], [2, 1, 3], [3, 1, 2], [1, 3, 2], [2, 3, 1], [3, 2, 1]])
SETS = np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 1], [1, 1]])
WEIGHTS = np.where(np.arange(6) == ROW, -1.0, 1.0)


def spoilt(values, value=np.nan):
    values = np.array(values, dtype=np.float64)
    values[ROW, 1] = value
    return values


def asymmetric():
    matrix = np.eye(6)
    matrix[ROW, 1] = 5.0
    return matrix


def ridge(**options):
    return StructuredRidge("permutations", **options)


def steep_ranker():
    ranker = OnlineLabelRanker().fit(X, Y)
    ranker.coef_ = 1e9 * ranker.coef_
    return ranker


def blocks(*, X=X, y=Y, weights=None):
    return [(X[:2], y[:2]), (X[2:], y[2:]) if weights is None else (X[2:], y[2:], weights[2:])]


WAYS = {
    "inputs": lambda: ridge().fit(spoilt(X), Y),
    "inputs, primal": lambda: ridge(solver="primal").fit(spoilt(X), Y),
    "inputs to predict": lambda: ridge().fit(X, Y).predict(spoilt(X)),
    "inputs of a ranker": lambda: RankingByPairwiseComparison().fit(spoilt(X), Y),
    "targets": lambda: ridge().fit(X, spoilt(Y, 7)),
    "targets, some of them sets": lambda: ridge().fit(X, [*[Admissible([y]) for y in Y[:ROW]], *Y[ROW:]]),
    "weights": lambda: ridge().fit(X, Y, sample_weight=WEIGHTS),
    "weights of a metric": lambda: metrics.kendall_tau(Y, Y, sample_weight=WEIGHTS),
    "scores to decode": lambda: LabelSets(2).decode(spoilt(X)),
    "scores of a partition function": lambda: LabelSets(2).log_partition(spoilt(X)),
    "scores to draw": lambda: sampling.sample(LabelSets(2), spoilt(X)),
    "scores of a loss": lambda: losses.structured_log_loss(LabelSets(2), spoilt(X), SETS),
    "kernel values": lambda: ridge(kernel="poly", degree=5).fit(X, Y).predict(spoilt(X, 1e100)),
    "a kernel matrix that is not symmetric": lambda: NystromMap(kernel="precomputed").fit(asymmetric()),
    "scores of a prediction": lambda: (
        ridge(alpha=1e-9, solver="closed-form").fit(1e-3 * X, Y).predict(spoilt(X, 1e307))
    ),
    "scores of a ranker": lambda: steep_ranker().label_scores(spoilt(X, 1e308)),
    "numbers of a metric": lambda: metrics.ranking_loss(SETS, spoilt(X)),
    "ties": lambda: metrics.kendall_tau(np.where(np.arange(6)[:, None] == ROW, 1, Y), Y),
    "events": lambda: metrics.expected_calibration_error(spoilt(SETS, 2), np.full(SETS.shape, 0.5)),
    "marginals": lambda: ReliabilityDisplay.from_predictions(SETS, spoilt(np.full((6, 2), 0.5))),
    "bounds": lambda: sampling.log_partition(LabelSets(2), X, method="annealed", bound=10 * WEIGHTS),
    "bounds that are exceeded": lambda: sampling.log_partition(
        LabelSets(2), 2 + X**2, method="annealed", bound=np.where(WEIGHTS < 0, 0.1, 1e3)
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("way", WAYS)
def test_the_row_is_a_number_of_the_error(way):
    with pytest.raises(ValueError) as caught:
        WAYS[way]()
    assert (caught.value.row, caught.value.block) == (ROW, None)


@pytest.mark.parametrize(
    "spoil", [{"X": spoilt(X)}, {"y": spoilt(Y, 7)}, {"weights": WEIGHTS}], ids=["inputs", "targets", "weights"]
)
def test_rows_of_blocks_are_numbered_within_their_block(spoil):
    kind = type(pytest.raises(ValueError, ridge(solver="primal").fit, X, spoilt(Y, 7)).value)
    with pytest.raises(ValueError) as caught:
        ridge().fit_blocks(blocks(**spoil))
    assert (caught.value.block, caught.value.row) == (1, ROW - 2)
    error = caught.value
    assert (error.row, error.block) == (ROW - 2, 1)
    assert "y" not in spoil or type(error) is kind
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(other), other.row, other.block, str(other)) == (type(error), error.row, 1, str(error))
