"""Names in estimators: columns of y in fit, score and partial_fit, and predictions as data frames."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import (
    EmbeddingRegressor,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import LabelSets, Permutations

NAMES = ["tea", "milk", "rum", "gin"]


def ranking_problem(n: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows whose index is no range, and positions of four drinks that depend on them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    scores = X @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(n, 4))
    index = [f"row {i}" for i in range(n)]
    positions = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    return pd.DataFrame(X, columns=["u", "v", "w"], index=index), pd.DataFrame(positions, columns=NAMES, index=index)


ESTIMATORS = [
    StructuredRidge("permutations"),
    StructuredRidge(Permutations(labels=NAMES), loss="auc", solver="primal"),
    StructuredRidgeCV("permutations", alphas=[1.0], kernels=["linear"]),
    ProbabilisticStructured("permutations"),
    ProbabilisticStructuredCV("permutations", alphas=[1.0], kernels=["linear"]),
    StructuredSGD("permutations", random_state=0),
    StructuredSVM("permutations"),
    StructuredPerceptron("permutations", random_state=0),
    EmbeddingRegressor(structure="permutations", random_state=0),
    StructuredVoting([("a", StructuredRidge("permutations")), ("b", StructuredRidge("permutations", kernel="rbf"))]),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_reordered_columns_are_scored_as_they_are_named(estimator: Any) -> None:
    X, y = ranking_problem()
    model = clone(estimator).fit(X, y)
    assert model.structure_.feature_names()[0] == "tea before milk"
    expected = model.score(X, y)
    assert expected > 0.5
    assert model.score(X, y[NAMES[::-1]]) == expected == model.score(X, y.to_numpy())
    other = clone(estimator).fit(X, y[NAMES[::-1]])
    assert other.score(X, y) == pytest.approx(expected, abs=0.1)
    with pytest.raises(ValueError):
        model.score(X, y.rename(columns={"gin": "ale"}))
    first = {name: constraint for name, constraint in [("first", "rum")]}
    if not isinstance(model, StructuredPerceptron):
        assert (model.predict(X, constraints=first)[:, 2] == 1).all()


def test_swapped_columns_of_label_sets_are_matched() -> None:
    X, y = ranking_problem()
    sets = (y <= 2).astype(int)
    model = StructuredRidge().fit(X, sets)
    assert model.score(X, sets[NAMES[::-1]]) == model.score(X, sets) > 0.7
    assert model.classes_.tolist() == NAMES


@pytest.mark.parametrize(
    "estimator", [StructuredSGD("permutations", random_state=0), StructuredPerceptron("permutations", random_state=0)]
)
def test_mini_batches_are_matched(estimator: Any) -> None:
    X, y = ranking_problem()
    expected = clone(estimator).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    model = clone(estimator).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:][NAMES[::-1]])
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    with pytest.raises(ValueError):
        model.partial_fit(X, y.rename(columns={"tea": "ale"}))
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_predictions_are_frames_on_request(estimator: Any) -> None:
    X, y = ranking_problem()
    model = clone(estimator).fit(X, y)
    plain = model.predict(X)
    assert isinstance(plain, np.ndarray)
    for framed in (model.set_output(predict="pandas"), pickle.loads(pickle.dumps(model)), model.set_output()):
        frame = framed.predict(X)
        assert frame.columns.tolist() == NAMES
        assert frame.index.tolist() == X.index.tolist()
        np.testing.assert_array_equal(frame.to_numpy(), plain)
        assert model.score(X, y[NAMES[::-1]]) == model.structure_.score(y, plain)
    polars = model.set_output(predict="polars").predict(X)
    assert polars.columns == NAMES
    np.testing.assert_array_equal(polars.to_numpy(), plain)
    np.testing.assert_array_equal(model.set_output(predict="default").predict(X), plain)
    with pytest.raises(ValueError):
        model.set_output(predict="arrow")


def test_marginals_and_probabilities_are_frames() -> None:
    X, y = ranking_problem()
    model = ProbabilisticStructured("permutations").set_output(predict="pandas").fit(X, y)
    marginals = model.predict_marginals(X)
    assert marginals.columns.tolist() == model.structure_.feature_names().tolist()
    assert marginals.index.tolist() == X.index.tolist()
    sets = ProbabilisticStructured().set_output(predict="pandas").fit(X, (y <= 2).astype(int))
    assert sets.predict_proba(X).columns.tolist() == NAMES
    grades = pd.Series(pd.Categorical(np.where(y["tea"] > 2, "low", "high"), categories=["low", "high"], ordered=True))
    ordinal = ProbabilisticStructured("ordinal").set_output(predict="pandas").fit(X, grades)
    assert ordinal.predict_proba(X).columns.tolist() == ["high", "low"]
    logarithms = ordinal.set_output(predict="polars").predict_log_proba(X)
    assert logarithms.columns == ["high", "low"]
    np.testing.assert_array_equal(logarithms, np.log(ordinal.set_output(predict="default").predict_proba(X)))
    ordinal.set_output(predict="pandas")
    predicted = ordinal.predict(X)
    assert isinstance(predicted, pd.Series)
    assert predicted.index.tolist() == X.index.tolist()
    voting = StructuredVoting([("law", ProbabilisticStructured("permutations").set_output(predict="polars"))])
    assert voting.fit(X, y).score(X, y) > 0.5


def test_sparse_predictions_are_sparse_frames() -> None:
    X, y = ranking_problem()
    sets = sparse.csr_array((y <= 2).to_numpy(dtype=int))
    model = StructuredRidge(LabelSets(labels=NAMES)).fit(X, sets)
    plain = model.predict(X)
    frame = model.set_output(predict="pandas").predict(X)
    assert frame.sparse.to_coo().shape == plain.shape
    assert frame.columns.tolist() == NAMES
    np.testing.assert_array_equal(frame.to_numpy(), plain.toarray())
    np.testing.assert_array_equal(model.set_output(predict="polars").predict(X).to_numpy(), plain.toarray())


def test_searches_and_pipelines_take_named_targets() -> None:
    X, y = ranking_problem()
    model = make_pipeline(StandardScaler(), StructuredRidge("permutations").set_output(predict="pandas"))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.1, 10.0]}, cv=3, error_score="raise").fit(X, y)
    assert search.predict(X[:2]).columns.tolist() == NAMES
    assert search.score(X, y[NAMES[::-1]]) == search.score(X, y)
    assert cross_val_predict(model, X, y, cv=3).shape == y.shape
    plain = cross_val_score(StructuredRidge("permutations"), X.to_numpy(), y.to_numpy(), cv=3, error_score="raise")
    np.testing.assert_allclose(cross_val_score(StructuredRidge("permutations"), X, y, cv=3, error_score="raise"), plain)


@pytest.mark.filterwarnings("ignore:A column-vector")
@pytest.mark.parametrize("y", [pd.Series(["a", "b"] * 3, name="kind"), pd.DataFrame({"kind": ["a", "b"] * 3})])
def test_series_of_single_values_keep_their_name(y):
    model = StructuredRidge().fit(np.arange(6.0)[:, None], y)
    for library in ("pandas", "polars"):
        assert model.set_output(predict=library).predict([[0.0]]).name == "kind"
    assert StructuredRidge().fit([[0.0], [1.0]], ["a", "b"]).set_output(predict="pandas").predict([[0.0]]).name is None
