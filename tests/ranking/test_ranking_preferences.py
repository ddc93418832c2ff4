"""From each format of y to preferences over pairs of labels, and from predictions to their score."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from combpred.metrics import kendall_tau
from combpred.ranking import RankingByPairwiseComparison
from combpred.ranking._preferences import read_preferences
from combpred.structures import Permutations
from rankers import FORMATS, small_data

NAN = float("nan")


def by_definition(y):
    """The signs of every pair, one at a time."""
    y = np.asarray(y, dtype=float)
    if y.ndim == 3:
        return [[int(g[u, v]) - int(g[v, u]) for u, v in combinations(range(len(g)), 2)] for g in y]
    known = ~np.isnan(y) & (y != -1)
    pairs = list(combinations(range(y.shape[1]), 2))
    return [
        [int(np.sign(row[v] - row[u])) if known[i, u] and known[i, v] else 0 for u, v in pairs]
        for i, row in enumerate(y)
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_signs_are_those_of_the_definition(form):
    _, y = small_data(form)
    found = read_preferences(y)
    np.testing.assert_array_equal(found.signs, by_definition(y))
    assert found.signs.dtype == np.int8 and found.n_labels == 4


@pytest.mark.parametrize(
    ("y", "ranks"),
    [
        ([[0.5, 2.5, 0.5]], [[1, 2, 1]]),
        ([[7, 3, 10**12]], [[2, 1, 3]]),
        ([[2.0, NAN, 1.0]], [[2, 0, 1]]),
        ([[2, None, 2]], [[1, 0, 1]]),
        ([[-1, -1, 4]], [[0, 0, 1]]),
        (pd.DataFrame({"a": [3], "b": pd.array([None], dtype="Int64"), "c": [1]}), [[2, 0, 1]]),
    ],
)
def test_positions_are_compared_by_their_order(y, ranks):
    np.testing.assert_array_equal(read_preferences(y).ranks, ranks)


@pytest.mark.parametrize(("form", "row"), [("ties", 1), ("incomplete", 2)])
def test_rows_of_other_formats_are_refused(form, row):
    found = read_preferences([[1, 2, 3], [1, 1, 2], [-1, 1, 2], [-1, 3, 3], [-1, -1, -1]])
    graphs = read_preferences(np.zeros((2, 3, 3), dtype=bool))
    graphs.refuse({form}, "a learner")
    found.refuse({"graphs"}, "a learner")
    for given, refused, number in ((found, form, row), (graphs, "graphs", 0)):
        with pytest.raises(ValueError) as caught:
            given.refuse({refused}, "a learner")
        assert caught.value.row == number


def test_signs_of_rankings_are_their_embedding():
    _, y = small_data()
    np.testing.assert_array_equal(read_preferences(y).signs, Permutations(4).embed(y))


def test_whole_numbers_beyond_those_of_floats_are_told_apart():
    y = [[2**60, 2**60 + 1, 2**60 - 1], [2**60 + 1, -1, 2**60 + 1]]
    np.testing.assert_array_equal(read_preferences(y).ranks, [[2, 3, 1], [1, 0, 1]])


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[1, 2], [0, 1]], 1),
        ([[1, 2], [-2, 1]], 1),
        ([[1.0, np.inf]], 0),
        ([["a", "b"]], 0),
        ([[1], [1]], None),
        ([1, 2], None),
        ([[1, 2], [1]], 1),
        (np.ones((2, 3, 4), dtype=bool), None),
        ([[[0, 0], [1, 0]], [[0, 1], [1, 0]]], 1),
        ([[[0, 0], [0, 1]]], 0),
        ([[[0, 2], [0, 0]]], 0),
    ],
)
def test_what_is_no_ranking_is_refused_with_its_row(y, row):
    with pytest.raises(ValueError) as caught:
        read_preferences(y)
    assert getattr(caught.value, "row", None) == row


@pytest.fixture(scope="module")
def fitted():
    X, y = small_data()
    return RankingByPairwiseComparison().fit(X, y)


def test_score_is_kendalls_tau(fitted):
    X, y = small_data()
    weights = np.arange(60) % 4
    taus = [kendalltau(a, b).statistic for a, b in zip(y, fitted.predict(X), strict=True)]
    assert fitted.score(X, y) == pytest.approx(np.mean(taus), abs=1e-12)
    assert fitted.score(X, y, weights) == pytest.approx(np.average(taus, weights=weights), abs=1e-12)


def test_score_leaves_out_unknown_positions_and_rows_without_preferences(fitted):
    X, y = small_data("incomplete")
    y[:2] = [[-1, -1, 1, -1], [2, 2, 2, 2]]
    taus = []
    for truth, predicted in zip(y[2:], fitted.predict(X[2:]), strict=True):
        known = truth != -1
        if known.sum() > 1:
            taus.append(kendalltau(truth[known], predicted[known]).statistic)
    assert fitted.score(X, y) == pytest.approx(np.mean(taus), abs=1e-12)


def test_score_of_ties_is_tau_b(fitted):
    X, y = small_data("ties")
    taus = [kendalltau(a, b).statistic for a, b in zip(y, fitted.predict(X), strict=True)]
    assert fitted.score(X, y) == pytest.approx(np.mean(taus), abs=1e-12)


def test_score_of_graphs_is_the_share_of_agreement_over_what_is_stated(fitted):
    X, y = small_data("graphs")
    y[0] = False
    predicted = fitted.predict(X)
    shares = []
    for graph, positions in zip(y[1:], predicted[1:], strict=True):
        u, v = np.nonzero(graph)
        shares.append(np.mean(np.sign(positions[v] - positions[u])))
    assert fitted.score(X, y) == pytest.approx(np.mean(shares), abs=1e-12)


def test_score_of_the_graphs_of_rankings_is_that_of_the_rankings(fitted):
    X, y = small_data()
    graphs = y[:, :, None] < y[:, None, :]
    assert fitted.score(X, graphs) == pytest.approx(kendall_tau(y, fitted.predict(X)), abs=1e-12)


def test_score_needs_a_row_that_counts(fitted):
    X, y = small_data()
    with pytest.raises(ValueError):
        fitted.score(X[:2], [[-1, -1, 1, -1], [2, 2, 2, 2]])
    with pytest.raises(ValueError):
        fitted.score(X, y[:, :3])
