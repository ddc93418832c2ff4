"""What X, y and weights may be beside data frames, and what X may not be, with the call that makes a table of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import dok_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from combpred import EmbeddingRegressor, StructuredRidge, StructuredSGD
from combpred.kernels import NystromMap
from combpred.ranking import LabelRankingSVM, NearestNeighborsLabelRanker
from data_frames import FRAMES

X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["age", "income"])
Y = pd.DataFrame({"tea": [1, 2, 3] * 10, "milk": [2, 3, 1] * 10, "cola": [3, 1, 2] * 10})
GRADES = np.array(["low", "mid", "high"])[np.arange(30) % 3]


@pytest.mark.parametrize("held", [pd.Categorical, pd.CategoricalIndex, pd.Index, pd.array, np.array, list, pd.Series])
def test_classes_and_weights_are_held_by_anything_beside_a_frame(held):
    plain = StructuredRidge("multiclass").fit(X, GRADES.tolist())
    found = StructuredRidge("multiclass").fit(X, held(GRADES))
    assert found.predict(X).tolist() == plain.predict(X).tolist()
    assert found.score(X, held(GRADES)) == plain.score(X, GRADES)
    weights = np.arange(30.0)
    np.testing.assert_array_equal(
        StructuredRidge("multiclass").fit(X, GRADES, sample_weight=held(weights)).coef_,
        StructuredRidge("multiclass").fit(X, GRADES, sample_weight=weights).coef_,
    )


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge("permutations"),
        StructuredRidge("permutations", kernel="rbf"),
        StructuredSGD("permutations", random_state=0),
        EmbeddingRegressor(structure="permutations", random_state=0),
        LabelRankingSVM(),
        NearestNeighborsLabelRanker(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_inputs_that_are_no_table_are_told_what_makes_one(model):
    fitted = clone(model).fit(X, Y)
    expected = fitted.predict(X)
    for given in (
        X.to_dict("list"),
        dict(X.items()),
        X.to_dict("records"),
        tuple(X.to_dict("records")),
        np.array(X.to_dict("records")),
        pd.Series(X.to_dict("records")),
        X.to_records(index=False),
        pd.Series(X.to_numpy().tolist()),
        pl.Series(X.to_numpy().tolist()),
    ):
        for call in (lambda X: clone(model).fit(X, Y), fitted.predict, lambda X: fitted.score(X, Y)):  # noqa: B023
            with pytest.raises(ValueError) as caught:
                call(given)
        made = eval(str(caught.value).partition("pass ")[2], {"pandas": pd, "X": given})
        np.testing.assert_array_equal(fitted.predict(made.set_axis(X.columns, axis=1)), expected)


@pytest.mark.parametrize("series", [pd.Series, pl.Series, pd.Index], ids=lambda kind: kind.__module__)
def test_series_are_one_feature_or_one_row(series):
    values = series(np.arange(30.0))
    for refused in (StructuredRidge("permutations"), NystromMap(n_components=2)):
        with pytest.raises(ValueError):
            refused.fit(values, Y)
    assert StructuredRidge("permutations").fit(values.to_frame(), Y).n_features_in_ == 1
    assert StructuredRidge("permutations").fit(dok_array(X), Y).n_features_in_ == 2  # which is a dict, too
    model = StructuredRidge("permutations").fit(X, Y)
    with pytest.raises(ValueError):
        model.predict(X.iloc[3])
    np.testing.assert_array_equal(model.predict(X.iloc[3].to_frame().T), model.predict(X)[3:4])


def test_texts_are_refused():
    texts = ["a tent", "a boat"] * 15
    series, arrays = (pd.Series(texts), pl.Series(texts)), (np.array(texts), np.array(texts, dtype=object))
    for refused in (StructuredRidge("permutations"), EmbeddingRegressor(structure="permutations"), LabelRankingSVM()):
        for given in (texts, tuple(texts), *series, *arrays):
            with pytest.raises(ValueError):
                refused.fit(given, Y)
    told = make_pipeline(TfidfVectorizer(), StructuredRidge("permutations")).fit(texts, Y)
    assert told.predict(texts).shape == Y.shape


@pytest.mark.parametrize("frame", [frame for frame, _ in FRAMES])
def test_names_of_columns_in_the_place_of_y_are_told_how_to_take_these(frame):
    given = frame(pd.concat([X, Y], axis=1).to_dict("list"))
    for y in ("tea", ["tea", "milk"]):
        for model in (StructuredRidge("permutations"), StructuredRidge(), LabelRankingSVM()):
            with pytest.raises(ValueError):
                model.fit(given, y)
    with pytest.raises(ValueError):
        StructuredRidge().fit(given, ["tea", "beer"])


@pytest.mark.parametrize("cells", [[[1.0, 2.0], [3.0, 5.0]], [np.array([1.0, 2.0]), np.array([3.0, 5.0])]])
@pytest.mark.parametrize("frame", [frame for frame, _ in FRAMES])
def test_several_values_in_a_cell_are_refused_by_row(frame, cells):
    table = {"age": list(range(30)), "vector": cells * 15}
    given = frame(table)
    for model in (StructuredRidge(), LabelRankingSVM(), EmbeddingRegressor()):
        with pytest.raises(ValueError) as caught:
            model.fit(given, Y if isinstance(model, LabelRankingSVM) else GRADES)
        assert (caught.value.argument, caught.value.row) == ("X", 0)
    made = pd.DataFrame(pd.DataFrame(table)["vector"].to_list())
    assert StructuredRidge().fit(made, ["a", "b"] * 15).score(made, ["a", "b"] * 15) == 1.0


def test_times_are_refused_by_regressors_of_others_in_the_same_words():
    times = X.assign(since=pd.date_range("2020", periods=30))
    for model in (StructuredRidge("permutations"), EmbeddingRegressor(RandomForestRegressor(2), "permutations")):
        with pytest.raises(ValueError, match="^X: column 'since' holds times: make numbers of them"):
            model.fit(times, Y)
