"""Divisions of preferences into subgraphs by users' functions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from combpred.ranking import LabelRankingBoost, LabelRankingSVM, OnlineLabelRanker
from ranking_oracle import overlapping

RANKERS = [
    LabelRankingBoost(min_gain=1e-12, max_iter=20000),
    OnlineLabelRanker(random_state=0),
    LabelRankingSVM(tol=1e-8, max_iter=20000, random_state=0),
]
NAMED = {
    "edges": lambda edges: [[edge] for edge in edges],
    "graph": lambda edges: [edges],
    "stars": lambda edges: [[e for e in edges if e[0] == u] for u in sorted({u for u, _ in edges})],
    "sinks": lambda edges: [[e for e in edges if e[1] == v] for v in sorted({v for _, v in edges})],
}


def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = rng.permuted(np.tile(np.arange(1.0, 5.0), (30, 1)), axis=1)
    y[3, 1], y[5], y[7] = -1, [1, 1, 2, 2], [-1, -1, -1, 1]  # known in part, with ties, and without a preference
    return X, y


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_functions_divide_as_names_do(ranker, name):
    X, y = problem()
    weights = np.arange(30) % 3
    by_name = clone(ranker).set_params(decomposition=name).fit(X, y, weights)
    by_function = clone(ranker).set_params(decomposition=NAMED[name]).fit(X, y, weights)
    np.testing.assert_allclose(by_function.label_scores(X), by_name.label_scores(X), atol=1e-3)


@pytest.mark.parametrize("ranker", RANKERS[:2], ids=lambda ranker: type(ranker).__name__)
def test_rankers_with_functions_are_cloned_and_pickled(ranker):
    X, y = problem()
    model = clone(ranker).set_params(decomposition=overlapping).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


def test_mini_batches_are_divided_too():
    X, y = problem()
    by_name, by_function = (
        OnlineLabelRanker(decomposition=how, shuffle=False).partial_fit(X[:9], y[:9]).partial_fit(X[9:], y[9:])
        for how in ("sinks", NAMED["sinks"])
    )
    np.testing.assert_allclose(by_function.coef_, by_name.coef_, atol=1e-12)


@pytest.mark.parametrize(
    "decomposition",
    [
        lambda edges: [[]],
        lambda edges: [[(1, 0), (0, 2)]],
        lambda edges: [[(0, 9)]],
        lambda edges: edges,
        lambda edges: [[("a", "b")]],
        lambda edges: [5],
        lambda edges: 5,
        lambda edges: None,
    ],
)
def test_illegal_divisions_are_refused(decomposition):
    y = [[2, 1, 3], [1, 2, 3]]
    with pytest.raises(ValueError) as caught:
        LabelRankingBoost(decomposition=decomposition).fit([[0.0], [1.0]], y, sample_weight=[0, 1])
    assert caught.value.row == 1


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_what_is_no_division_is_named(ranker):
    X, y = problem()
    with pytest.raises(ValueError) as caught:
        clone(ranker).set_params(decomposition=lambda edges: 5).fit(X, y)
    assert caught.value.row == 0 and "decomposition must return" in str(caught.value)


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_divisions_into_nothing_teach_nothing(ranker):
    X, y = problem()
    model = clone(ranker).set_params(decomposition=lambda edges: []).fit(X, y)
    assert not model.coef_.any() and not model.intercept_.any()


def test_mini_batches_may_have_no_subgraphs():
    X, y = problem()
    ranker = OnlineLabelRanker(decomposition=lambda edges: [[e] for e in edges if e[0] == 0], average=False)
    before = ranker.partial_fit(X, y).coef_.copy()
    assert before.any()
    np.testing.assert_array_equal(ranker.partial_fit(X[:1], [[4, 1, 2, 3]]).coef_, before)


def test_dual_variables_are_one_a_preference():
    with pytest.raises(ValueError) as caught:
        LabelRankingSVM(decomposition=overlapping).fit([[0.0]], [[1, 2, 3]])
    assert caught.value.row == 0
