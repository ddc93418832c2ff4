"""Names of labels, which label rankers learn from the columns of y."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from combpred.aggregation import kemeny
from combpred.ranking import (
    ConstraintClassification,
    DirectRankingSVM,
    LabelRankingBoost,
    LabelRankingSVM,
    NearestNeighborsLabelRanker,
    OnlineLabelRanker,
    RankingByPairwiseComparison,
)
from combpred.structures import Permutations, Tournaments, WeakOrders

NAMES = ["tea", "milk", "juice"]
RANKERS = [
    LabelRankingBoost(alpha=0.1),
    ConstraintClassification(),
    DirectRankingSVM(),
    LabelRankingSVM(),
    NearestNeighborsLabelRanker(n_neighbors=3),
    NearestNeighborsLabelRanker(n_neighbors=3, aggregation="kemeny"),
    OnlineLabelRanker(random_state=0),
    RankingByPairwiseComparison(),
]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    scores = X @ rng.normal(size=(2, 3))
    y = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    return pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(y, columns=NAMES)


def test_ratings_with_ties_and_gaps_are_learnt_as_refusals_advise(data):
    X, y = data
    ratings = (4 - y).astype(float)  # juice is as good as milk for those who like tea best, or not rated
    ratings.loc[y["tea"] == 1, "juice"] = ratings["milk"]
    ratings.loc[y["tea"] == 3, "tea"] = np.nan
    with pytest.raises(ValueError):
        Permutations.from_ratings(ratings)
    ranks = pd.DataFrame(ratings).rank(axis=1, method="dense", ascending=False)
    np.testing.assert_array_equal(ranks.fillna(-1), WeakOrders.from_ratings(ratings))
    assert RankingByPairwiseComparison().fit(X, ranks).score(X, y) > 0.7
    assert kemeny(ranks).distance == kemeny(ranks.fillna(-1)).distance


def test_preference_graphs_are_matrices(data):
    nx = pytest.importorskip("networkx")
    X, y = data
    best = y.to_numpy().argmin(axis=1) + 1
    pairs = [[(first, last) for last in (1, 2, 3) if last != first] for first in best.tolist()]
    graphs = [nx.DiGraph(each) for each in pairs]
    tournaments = Tournaments(items=[1, 2, 3])
    for given in (graphs, pairs, pd.Series(pairs)):
        with pytest.raises(ValueError):
            LabelRankingSVM().fit(X, given)
        with pytest.raises(ValueError):
            kemeny(given)
    made = tournaments.to_adjacency(tournaments.from_networkx(graphs))
    np.testing.assert_array_equal(made, tournaments.to_adjacency(tournaments.from_edges(pairs)))
    firsts = LabelRankingSVM().fit(X, made).predict(X).argmin(axis=1)
    assert (firsts + 1 == best).mean() > 0.8
    chain = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    with pytest.raises(ValueError) as caught:
        kemeny(chain)
    assert caught.value.row == 0


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda r: type(r).__name__ + str(getattr(r, "aggregation", "")))
def test_columns_are_matched_and_come_back(ranker, data):
    X, y = data
    model = clone(ranker).fit(X, y)
    assert model.labels_ == NAMES
    plain = clone(ranker).fit(X, y.to_numpy())
    assert plain.labels_ is None
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, y[NAMES[::-1]]) == model.score(X, y) == plain.score(X, y.to_numpy())
    found = clone(ranker).set_output(predict="pandas").fit(X, y).predict(X)
    pd.testing.assert_frame_equal(found, pd.DataFrame(plain.predict(X), columns=NAMES))
    orders = Permutations.to_orders(y)
    named = clone(ranker).set_output(predict="names").fit(X, orders)
    assert named.labels_ == sorted(NAMES) and named.score(X, orders) == pytest.approx(model.score(X, y), abs=0.1)
    assert all(sorted(row) == sorted(NAMES) for row in named.predict(X))
    with pytest.raises(ValueError, match=r"y lacks the columns 'tea' and has 'coffee'; those of \w+ are 'tea', 'milk'"):
        model.score(X, y.rename(columns={"tea": "coffee"}))


def test_partial_fit_matches_columns(data):
    X, y = data
    named, plain = OnlineLabelRanker(shuffle=False), OnlineLabelRanker(shuffle=False)
    for rows in (slice(0, 10), slice(10, 30)):
        named.partial_fit(X[rows], y[NAMES if rows.start == 0 else NAMES[::-1]][rows])
        plain.partial_fit(X[rows], y.to_numpy()[rows])
    np.testing.assert_array_equal(named.coef_, plain.coef_)
    assert named.labels_ == NAMES
    with pytest.raises(ValueError):
        named.partial_fit(X, y.rename(columns={"tea": "coffee"}))


def test_messages_call_labels_by_their_names(data):
    X, y = data
    tied = y.astype(float)
    tied.loc[4] = [1.0, 2.0, 1.0]
    with pytest.raises(ValueError) as caught:
        DirectRankingSVM().fit(X, tied)
    assert (caught.value.argument, caught.value.row) == ("y", 4)
    tied.loc[4] = [1.0, -3.0, 2.0]
    with pytest.raises(ValueError) as caught:
        LabelRankingSVM().fit(X, tied)
    assert (caught.value.argument, caught.value.row) == ("y", 4)


def test_names_survive_cross_validation_and_a_failed_refit(data):
    X, y = data
    assert np.isfinite(cross_val_score(LabelRankingSVM(), X, y, cv=3)).all()
    model = LabelRankingSVM().fit(X, y)
    with pytest.raises(ValueError) as caught:
        model.fit(X, -2 * y)
    assert caught.value.row == 0
    assert model.labels_ == NAMES and model.set_output(predict="pandas").predict(X).columns.tolist() == NAMES


def test_frames_of_other_libraries(data):
    polars = pytest.importorskip("polars")
    X, y = data
    model = LabelRankingSVM().set_output(predict="polars").fit(X, polars.DataFrame(y.to_dict("list")))
    found = model.predict(X)
    assert isinstance(found, polars.DataFrame) and found.columns == NAMES


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[1, 2, 3], [2, 1]], 1),
        (["a>b>c", "c>b>a"], 0),
        ([["a", "b"], ["b", 3]], 1),
    ],
)
def test_other_rows_are_refused(y, row):
    with pytest.raises(ValueError) as caught:
        RankingByPairwiseComparison().fit([[0.0], [1.0]], y)
    assert (caught.value.argument, caught.value.row) == ("y", row)
