"""Columns of y that are called by integers, as pivot tables call them, or by names that the structure does not have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from combpred import StructuredRidge, StructuredSGD, metrics
from combpred.aggregation import borda, kemeny
from combpred.ranking import RankingByPairwiseComparison
from combpred.structures import (
    Cycles,
    DirectedCycles,
    Graphs,
    LabelSets,
    PartialOrders,
    Permutations,
    Routes,
    SpanningTrees,
    Subtrees,
    Tournaments,
)
from data_frames import FRAMES

ITEMS = [31, 7, 12, 5]


def problem(columns=ITEMS):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = Permutations.from_scores(X @ rng.normal(size=(3, 4)))
    return X, pd.DataFrame(y, columns=columns)


@pytest.mark.parametrize("names", [[("rank", item) for item in "abcd"], [(0, 1), (1, 1), (0, 2), (1, 2)]])
def test_columns_of_several_levels_are_refused(names):
    X, y = problem(pd.MultiIndex.from_tuples(names))
    with pytest.raises(TypeError):
        borda(y)
    with pytest.raises(TypeError):
        StructuredRidge("permutations").fit(X, y)


@pytest.mark.parametrize("columns", [ITEMS, [0, 1, 2, 3]], ids=["keys", "numbered"])
@pytest.mark.parametrize("model", [StructuredRidge("permutations"), RankingByPairwiseComparison()], ids=repr)
def test_columns_called_by_integers_are_matched(model, columns):
    X, y = problem(columns)
    model.fit(X, y)
    moved = y[[columns[j] for j in (2, 0, 3, 1)]]
    assert model.score(X, moved) == model.score(X, y) > 0.8
    model.fit(X, moved)
    assert model.score(X, y) == model.score(X, moved) > 0.8
    # Predictions have the columns of y of training, in their order.
    assert metrics.kendall_tau(moved, model.predict(X)) == pytest.approx(model.score(X, moved), abs=1e-12)
    framed = model.set_output(predict="pandas").predict(X)
    assert framed.columns.tolist() == moved.columns.tolist()
    assert metrics.kendall_tau(y, framed) == pytest.approx(model.score(X, y), abs=1e-12)
    model.set_output(predict="default")
    if columns is ITEMS:
        with pytest.raises(ValueError):
            model.score(X, y.rename(columns={31: 8}))


def test_integer_columns_are_names():
    X, y = problem()
    model = StructuredRidge("permutations").fit(X, y)
    assert model.structure_.feature_names()[0] == "31 before 7"
    best = model.set_output(predict="pandas").predict(X, constraints={"first": 12})
    assert best.columns.tolist() == ITEMS and (best[12] == 1).all()
    sets = StructuredRidge(LabelSets(labels=ITEMS)).fit(X, (y[ITEMS[::-1]] <= 2).astype(int))
    assert sets.score(X, (y <= 2).astype(int)) > 0.8
    online = StructuredSGD("permutations", random_state=0).partial_fit(X, y)
    for _ in range(5):
        online.partial_fit(X, y[ITEMS[::-1]])
    assert online.score(X, y) > 0.8
    weights = np.arange(60) + 0.5  # so that there are no ties
    placed, moved = borda(y, weights=weights), borda(y[ITEMS[::-1]], weights=weights)
    assert placed.names == ITEMS == moved.names[::-1]
    np.testing.assert_array_equal(placed.consensus, moved.consensus[::-1])
    numbered = borda(y.set_axis([0, 1, 2, 3], axis=1)[[2, 3, 1, 0]], weights=weights)
    assert numbered.names == [2, 3, 1, 0]
    np.testing.assert_array_equal(numbered.consensus, placed.consensus[[2, 3, 1, 0]])
    counts = pd.DataFrame(np.triu(np.ones((4, 4)), 1)).iloc[[2, 3, 1, 0], [1, 0, 3, 2]]
    consensus = kemeny(counts=counts)
    assert consensus.names == [1, 0, 3, 2] and consensus.consensus.tolist() == [2, 1, 4, 3]


def test_ratings_of_pivot_tables_keep_their_items():
    ratings = pd.DataFrame({"user": [1, 1, 2, 2], "film": [31, 7, 31, 7], "stars": [5.0, 1.0, 2.0, 4.0]})
    table = ratings.pivot(index="user", columns="film", values="stars")
    ranks = pd.DataFrame(Permutations.from_ratings(table), columns=table.columns)
    assert ranks.to_dict("list") == {7: [2, 1], 31: [1, 2]}
    assert Permutations.to_orders(ranks) == [[31, 7], [7, 31]]


ENTRIES = {
    "graphs": (Graphs(4), [[1, 0, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0]]),
    "tournaments": (Tournaments(3), [[1, -1, -1], [-1, -1, 1], [1, 1, 1]]),
    "trees": (SpanningTrees(3), [[1, 1, 0], [0, 1, 1], [1, 0, 1]]),
    "subtrees": (Subtrees([-1, 0, 0, 1]), [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]),
}


@pytest.mark.parametrize(("structure", "members"), ENTRIES.values(), ids=ENTRIES)
def test_columns_of_what_has_no_names_are_matched_with_those_of_training(structure, members):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = pd.DataFrame(np.array(members)[(X > 0).sum(axis=1)])
    y.columns = [f"column {j}" for j in y.columns[::-1]]  # in no order of the alphabet
    model = StructuredRidge(structure).fit(X, y)
    moved = y.sample(frac=1, axis=1, random_state=1)
    assert list(moved) != list(y)
    assert model.score(X, moved) == model.score(X, y) == model.score(X, y.to_numpy()) > 0.7
    assert model.set_output(predict="pandas").predict(X).columns.tolist() == y.columns.tolist()
    with pytest.raises(ValueError):
        model.score(X, y.rename(columns={"column 0": "edge"}))


def test_numbered_columns_of_what_has_no_names_are_matched():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = pd.DataFrame(np.array(ENTRIES["graphs"][1])[(X > 0).sum(axis=1)])
    moved = y[[3, 0, 5, 1, 4, 2]]
    for first, second in ((y, moved), (moved, y)):
        structure = Graphs(4)
        model = StructuredRidge(structure).fit(X, first)
        assert model.score(X, second) == model.score(X, first) > 0.7


@pytest.mark.parametrize("frame", [frame for frame, _ in FRAMES])
@pytest.mark.parametrize("structure", [Routes(4), Cycles(4), DirectedCycles(4)], ids=repr)
def test_columns_of_visits_keep_their_order(structure, frame):
    rng = np.random.default_rng(0)
    y = np.array([rng.permutation(4) for _ in range(40)])
    X = y[:, :3].astype(float)
    names = ["morning", "noon", "evening", "at night"]
    model = StructuredRidge(structure).set_output(predict="pandas").fit(X, table(frame, y, names))
    score = model.score(X, table(frame, y, names))
    assert score > structure.score(y, y[rng.permutation(40)])
    moved = [1, 0, 2, 3]
    assert (
        model.score(X, table(frame, y[:, moved], [names[at] for at in moved])) == score != model.score(X, y[:, moved])
    )
    assert list(model.predict(X).columns) == names
    # There may be fewer columns, and others.
    short = np.array([[1, 0, -1], [2, 3, 1]])
    ordered = model.structure_.ordered(table(frame, short, ["noon", "morning", "later"]))
    assert np.asarray(ordered).tolist() == [[0, 1, -1], [3, 2, 1]]
    assert np.asarray(model.structure_.ordered(table(frame, short, list("abc")))).tolist() == short.tolist()


def table(frame, rows, names):
    """Return rows as a data frame of a library."""
    return frame(dict(zip(names, rows.T, strict=True)))


def test_relations_in_frames_are_compared_by_name():
    pairs = [f"pair {i}" for i in range(3)]
    for structure in (Tournaments(), PartialOrders()):
        y = pd.DataFrame(type(structure)(3).sample(8, random_state=0), columns=pairs)
        assert structure.score(y, y[pairs[::-1]]) == 1
        with pytest.raises(ValueError):
            structure.score(y, y.rename(columns={"pair 0": "other"}))
