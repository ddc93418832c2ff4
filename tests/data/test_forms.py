"""Predictions in the form of y: index, name and categories; and names that are no list."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.structures import Assignments, Hierarchy, LabelSets, Ordinal, Permutations, Routes

GRADES = ["low", "mid", "high"]
X = np.random.default_rng(0).normal(size=(60, 2))
WORDS = np.array(GRADES)[(X > 0).sum(axis=1)]
ORDERED = pd.CategoricalDtype(GRADES, ordered=True)


def polars(rows):
    return pl.DataFrame(np.array(rows))


@pytest.mark.parametrize("rows", [list, tuple, np.array, polars], ids=lambda rows: rows.__name__)
def test_frames_come_for_inputs_of_any_kind(rows):
    y = pd.DataFrame(Permutations.from_scores(X @ np.eye(2, 3)), columns=["a", "b", "c"])
    model = StructuredRidge("permutations").set_output(predict="pandas").fit(rows(X.tolist()), y)
    found = model.predict(rows(X[:4].tolist()))
    assert found.columns.tolist() == ["a", "b", "c"] and found.index.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(found, model.set_output(predict="default").predict(rows(X[:4].tolist())))


@pytest.mark.parametrize(
    "structure", [None, Ordinal(), Ordinal(GRADES), Hierarchy({"low": None, "mid": "low", "high": "mid"})]
)
def test_series_keep_name_and_categories(structure):
    y = pd.Series(WORDS, name="grade", index=range(100, 160)).astype(ORDERED)
    model = StructuredRidge(structure).set_output(predict="y").fit(pd.DataFrame(X), y)
    found = model.predict(pd.DataFrame(X[:5], index=list("vwxyz")))
    assert found.name == "grade" and found.dtype == ORDERED and found.index.tolist() == list("vwxyz")
    assert found.tolist() == model.set_output(predict="default").predict(pd.DataFrame(X[:5])).tolist()
    assert model.set_output(predict="polars").predict(pd.DataFrame(X[:5])).name == "grade"


def test_series_of_polars_keep_name_and_categories():
    y = pl.Series("grade", WORDS, dtype=pl.Enum(GRADES))
    found = StructuredRidge(Ordinal()).set_output(predict="y").fit(X, y).predict(X[:5])
    assert found.name == "grade" and found.dtype == pl.Enum(GRADES)
    plain = StructuredRidge(Ordinal(GRADES)).set_output(predict="y").fit(X, pl.Series(WORDS)).predict(X[:5])
    assert plain.name == "" and plain.dtype == pl.String and plain.to_list() == found.to_list()


def test_series_of_numbers_and_frames_stay_as_they_were():
    counted = pd.Series((X > 0).sum(axis=1), name=7)
    found = ProbabilisticStructured(Ordinal()).set_output(predict="y").fit(X, counted).predict(X[:5])
    assert found.name == 7 and found.dtype.kind == "i"
    times = pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"] * 30), dtype="category")
    found = StructuredRidge().set_output(predict="y").fit(X, times).predict(X[:5])
    assert found.dtype.kind == "M"  # categories that are neither strings nor integers are not kept


@pytest.mark.parametrize(
    "names", [{"x", "y", "z"}, frozenset("xyz"), {"x": 0, "y": 1, "z": 2}], ids=lambda names: type(names).__name__
)
@pytest.mark.parametrize(
    ("structure", "parameter"),
    [(Permutations, "labels"), (LabelSets, "labels"), (Ordinal, "grades"), (Routes, "places")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_names_without_an_order_are_refused(structure, parameter, names):
    with pytest.raises(
        TypeError,
    ):
        structure(**{parameter: names}).count()
    with pytest.raises(TypeError):
        Permutations.from_orders([["x", "y", "z"]], labels=names)


@pytest.mark.parametrize(
    "frame",
    [lambda y: pd.DataFrame({"g": y}), lambda y: pl.DataFrame({"g": pl.Series(np.asarray(y), dtype=pl.Enum(GRADES))})],
    ids=["pandas", "polars"],
)
def test_a_frame_with_one_column_has_the_order_of_its_categories(frame):
    y = frame(pd.Categorical(WORDS, GRADES, ordered=True))
    with pytest.warns(DataConversionWarning):
        model = StructuredRidge(Ordinal()).fit(X, y)
    assert model.structure_.feature_names().tolist() == [">=low", ">=mid", ">=high"]
    np.testing.assert_array_equal(model.predict(X), StructuredRidge(Ordinal(GRADES)).fit(X, WORDS).predict(X))
    found = model.set_output(predict="y").predict(X[:5])
    assert type(found) is type(y) and list(found.columns) == ["g"] and found["g"].dtype == y["g"].dtype
    assert model.set_output(predict="pandas").predict(pd.DataFrame(X, index=range(7, 67))[:5]).index[0] == 7
    model.set_output(predict="default")
    with pytest.warns(DataConversionWarning):
        assert model.score(X, y) == model.score(X, WORDS)


@pytest.mark.parametrize("structure", [None, Ordinal(GRADES), Hierarchy({"low": None, "mid": "low", "high": "mid"})])
def test_one_column_comes_back_as_one(structure):
    y = pd.DataFrame({"grade": WORDS})
    with pytest.warns(DataConversionWarning):
        model = StructuredRidge(structure).set_output(predict="y").fit(X, y)
    found = model.predict(X[:3])
    assert isinstance(found, pd.DataFrame) and found.columns.tolist() == ["grade"]
    polars = model.set_output(predict="polars").predict(X[:3])
    assert isinstance(polars, pl.DataFrame) and polars.columns == ["grade"]
    assert polars["grade"].to_list() == found["grade"].tolist()
    with pytest.warns(DataConversionWarning):
        model.fit(X, y.set_axis(pd.MultiIndex.from_tuples([("meal", "grade")]), axis=1))
    assert model.set_output(predict="y").predict(X[:3]).columns.tolist() == [("meal", "grade")]
    assert model.fit(X, y["grade"]).predict(X[:3]).name == "grade"


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, np.array, list], ids=lambda form: form.__name__)
def test_what_is_no_name_is_not_sent_to_converters_of_names(form):
    def given(rows):
        return form(rows, orient="row") if form is pl.DataFrame else form(rows)

    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(X[:2], given([["2", "1", "3"], ["1", "2", "3"]]))
    assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        StructuredRidge("labelsets").fit(X[:2], given([["No", "Yes"], ["Yes", "No"]]))
    assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(X[:2], given([["b", "a"], ["a", "b"]]))
    assert caught.value.row == 0


@pytest.mark.parametrize(
    ("structure", "rows"),
    [
        (Routes(places=["1", "2", "3"]), [["2", "3"], ["1", "3"]]),
        (Permutations(labels=["1", "2", "3"]), [["2", "3", "1"], ["1", "3", "2"]]),
        (LabelSets(labels=["no", "yes"]), [["yes", "no"], ["yes", "no"]]),
    ],
    ids=repr,
)
def test_names_that_look_like_numbers_or_truths_are_names(structure, rows):
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(X[:2], rows)
    assert caught.value.row == 0


def test_rows_that_are_dicts():
    rows = [{"a": 1, "b": 2}, {"a": 2, "b": 1}]
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(X[:2], rows)
    assert caught.value.row == 0
    assert StructuredRidge("permutations").fit(X[:2], pd.DataFrame(rows)).structure_.labels == ["a", "b"]
    with pytest.raises(ValueError) as caught:
        StructuredRidge("assignments").fit(X[:2], rows)
    assert caught.value.row == 0
    matrices = np.array([[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
    with pytest.raises(ValueError) as caught:
        StructuredRidge("assignments").fit(X[:2], matrices)
    assert caught.value.row == 0
    assert Assignments(2).to_pairs(matrices.argmax(axis=2))[0] == [(0, 1), (1, 0)]


def test_digits_that_are_names_of_nodes_stay_names():
    tree = Hierarchy.from_paths([["1", "2"], ["1", "3"]])
    with pytest.raises(ValueError) as caught:
        StructuredRidge(tree).fit(X[:2], [["1", "2"], ["1", "3"]])
    assert caught.value.row == 0


def test_categories_in_another_order_than_the_grades_are_refused():
    downwards = pd.Series(pd.Categorical(WORDS, GRADES[::-1], ordered=True))
    with pytest.raises(ValueError):
        StructuredRidge(Ordinal(GRADES)).fit(X, downwards)
    unordered = pd.Series(pd.Categorical(WORDS, GRADES[::-1]))  # says nothing of an order
    assert StructuredRidge(Ordinal(GRADES)).fit(X, unordered).score(X, unordered) > -1


@pytest.mark.parametrize("name", [("size", "of shirts"), 2.5, pd.Timestamp("2020-01-01")])
def test_one_column_may_be_called_by_anything(name):
    y = pd.DataFrame({"g": WORDS}).set_axis(pd.Index([name], tupleize_cols=False), axis=1)
    with pytest.warns(DataConversionWarning):
        model = StructuredRidge().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), StructuredRidge().fit(X, WORDS).predict(X))
