"""Pipelines from tables and texts to targets of every kind, each against a second way to the same answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from combpred import EmbeddingRegressor, ProbabilisticStructured, StructuredRidge
from combpred.metrics import get_scorer, route_f1
from combpred.ranking import RankingByPairwiseComparison
from combpred.structures import Hierarchy, LabelSets, Ordinal, Permutations, Routes, SpanningTrees

same = np.testing.assert_array_equal


@pytest.fixture
def walks(people, prepared):
    """Customers, how their columns become numbers, and the rooms that they walked through, by name."""
    X, _ = people
    rooms = [["door", "till"] if row.plan == "plus" else ["door", "shelf", "till"] for row in X.itertuples()]
    return X, prepared(), rooms


def test_routes_by_names_are_predicted_from_categories(walks):
    X, columns, rooms = walks
    shop = Routes(places=["door", "shelf", "till"])
    model = make_pipeline(columns, StructuredRidge(shop).set_output(predict="names"))
    grid = {"structuredridge__alpha": [0.1, 1e6]}
    search = GridSearchCV(model, grid, cv=3, scoring=get_scorer("route_f1")).fit(X, rooms)
    assert search.best_params_ == {"structuredridge__alpha": 0.1}
    assert list(search.predict(X)) == rooms
    y = shop.from_names(rooms)
    left_out = cross_val_predict(make_pipeline(columns, StructuredRidge(shop, alpha=0.1)), X, y, cv=3)
    folds = [slice(0, 30), slice(30, 60), slice(60, 90)]
    assert search.best_score_ == pytest.approx(np.mean([route_f1(y[rows], left_out[rows]) for rows in folds]))


def test_texts_are_put_into_a_tree():
    rng = np.random.default_rng(0)
    words = {"travel>bus": "bus stop fare", "travel>train": "train platform fare", "work": "pay boss office"}
    paths = rng.choice(list(words), 60).tolist()
    texts = [" ".join(rng.choice([*words[path].split(), "late", "strike", "again"], 3)) for path in paths]
    tree = Hierarchy.from_paths([path.split(">") for path in paths])
    model = make_pipeline(TfidfVectorizer(), StructuredRidge(tree, alpha=0.1))
    nodes = tree.ordered([path.split(">") for path in paths])
    found = cross_val_predict(model, texts, nodes, cv=KFold(3))
    folds = [slice(0, 20), slice(20, 40), slice(40, 60)]
    right = [np.mean(nodes[rows] == found[rows]) for rows in folds]
    np.testing.assert_allclose(cross_val_score(model, texts, nodes, cv=KFold(3)), right)
    assert min(right) > 0.5 and max(right) < 1
    model.fit(texts, np.fromiter((path.split(">") for path in paths), dtype=object, count=60))
    assert tree.to_paths(model.predict(["the bus stop", "pay and office"])) == [["travel", "bus"], ["work"]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_either_library_pass_through_prepared_columns(people, library):
    if library == "polars" and not hasattr(pl.DataFrame, "__dataframe__") and sklearn.__version__ < "1.7":
        pytest.skip("scikit-learn 1.6 reads frames of polars by a protocol that polars 2 has no more")
    X, y = people
    X = X.assign(age=X["age"].fillna(40.0)).astype({"plan": str})
    columns = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["city", "plan"]))
    model = make_pipeline(columns, StructuredRidge("labelsets").set_output(predict="pandas"))
    expected = model.fit(X, y).predict(X)
    if library == "polars":
        frames = [pl.DataFrame({name: values.tolist() for name, values in frame.items()}) for frame in (X, y)]
        model[-1].set_output(predict="polars")
        found = model.fit(*frames).predict(frames[0])
        assert isinstance(found, pl.DataFrame) and found.columns == list(y)
        same(found.to_numpy(), expected.to_numpy())
        assert model.score(*frames) == model.score(X, y)
    else:
        assert isinstance(expected, pd.DataFrame)
        same(expected.columns, y.columns)
        same(expected.index, X.index)


def says_the_first(model, X, orders):
    return accuracy_score(orders[:, 0], [order[0] for order in model.predict(X)])


def test_orders_go_through_searches(iris):
    X, y = iris
    orders = Permutations.to_orders(y)
    ranker = make_pipeline(StandardScaler(), StructuredRidge("permutations").set_output(predict="names"))
    grid = {"structuredridge__alpha": [0.1, 10.0]}
    search = GridSearchCV(ranker, grid, cv=3, scoring=says_the_first).fit(X, np.array(orders))
    plain = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    first = GridSearchCV(plain, grid, cv=3, scoring=get_scorer("top_k_recall", k=1))
    same(search.cv_results_["mean_test_score"], first.fit(X, y).cv_results_["mean_test_score"])


def test_grades_by_name_are_predicted_from_bins(people):
    X, _ = people
    X = X[["age", "income"]].fillna(40.0)
    names = ["low", "mid", "high"]
    grades = np.array(names)[np.digitize(X["income"], [18_000, 26_000])]
    model = make_pipeline(KBinsDiscretizer(8, encode="onehot", strategy="uniform"), StructuredRidge(Ordinal(names)))
    plain = make_pipeline(KBinsDiscretizer(8, encode="onehot", strategy="uniform"), StructuredRidge(Ordinal(3)))
    codes = pd.Categorical(grades, names).codes
    same(model.fit(X, grades).predict(X), np.array(names)[plain.fit(X, codes).predict(X)])
    assert model.score(X, grades) == plain.score(X, codes) > -0.3


def test_missing_numbers_and_categories_are_left_to_boosted_trees(people):
    X, y = people
    coded = X.assign(**{name: pd.Categorical(X[name]).codes for name in ("city", "plan")})
    assert coded["age"].isna().any()
    boosted = MultiOutputRegressor(HistGradientBoostingRegressor(categorical_features=[2, 3], max_iter=20))
    model = EmbeddingRegressor(LabelSets(), boosted).fit(coded, y)
    same(model.predict(coded), (boosted.fit(coded, y).predict(coded) > 0.5).astype(int))
    assert model.score(coded, y) > 0.95


def test_trees_on_a_graph_are_predicted_from_texts_and_numbers():
    town = SpanningTrees(vertices=["Bath", "Cork", "Dover", "Ely"])
    frame = pd.DataFrame({"wish": ["by sea", "by land"] * 20, "budget": np.linspace(0, 1, 40)})
    star = nx.Graph([("Ely", "Bath"), ("Ely", "Cork"), ("Ely", "Dover")])
    chain = nx.Graph([("Bath", "Cork"), ("Cork", "Dover"), ("Dover", "Ely")])
    columns = ColumnTransformer([("wish", CountVectorizer(), "wish"), ("budget", StandardScaler(), ["budget"])])
    model = make_pipeline(columns, StructuredRidge(town, alpha=0.1)).fit(frame, town.from_networkx([star, chain] * 20))
    predicted, certificate = model.predict(frame, constraints={"required": [("Bath", "Ely")]}, return_certificate=True)
    graphs = town.to_networkx(predicted)
    assert all(nx.is_tree(graph) and graph.has_edge("Bath", "Ely") for graph in graphs) and certificate.optimal.all()
    weights = dict(zip(town.feature_names(), model[-1].feature_scores(columns.transform(frame))[1], strict=True))
    scored = nx.Graph()
    scored.add_weighted_edges_from((*name.split("-"), weight) for name, weight in weights.items())
    scored["Bath"]["Ely"]["weight"] += 1000.0
    best = nx.maximum_spanning_tree(scored)
    assert {frozenset(edge) for edge in graphs[1].edges} == {frozenset(edge) for edge in best.edges}


def test_rankings_by_votes_of_classifiers_on_two_views(iris):
    X, y = iris
    views = make_union(StandardScaler(), KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform"))
    votes = make_pipeline(views, RankingByPairwiseComparison(SVC(), vote="hard")).fit(X, y)
    seen = views.transform(X)
    before = {(u, v): SVC().fit(seen, y.iloc[:, u] < y.iloc[:, v]).predict(seen) for u, v in ((0, 1), (0, 2), (1, 2))}
    first = before[0, 1] + 0 + before[0, 2]
    wins = np.stack([first, ~before[0, 1] + 0 + before[1, 2], 2 - before[0, 2] - before[1, 2]], axis=1)
    same(np.sort(wins), np.tile([0, 1, 2], (50, 1)))  # votes that go round in circles would be broken by labels
    same(np.asarray(votes.predict(X)), 3 - wins)


def test_probabilities_of_pairs_are_those_of_the_last_step(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), ProbabilisticStructured("permutations")).fit(X, y)
    assert not hasattr(pipe, "predict_pairwise_proba")  # a pipeline of scikit-learn has what it knows of
    proba = pipe[-1].predict_pairwise_proba(pipe[:-1].transform(X))
    found, marginals = pipe.predict(X, return_marginals=True)
    np.testing.assert_allclose(2 * proba[:, [0, 0, 1], [1, 2, 2]] - 1, marginals)
    same((proba[:, 0, 1] > 0.5), np.asarray(found)[:, 0] < np.asarray(found)[:, 1])
