"""Predictions in the form of y: index, name and categories; and names that are no list."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from combpred import StructuredRidge
from combpred.structures import Hierarchy, LabelSets, Ordinal, Permutations, Routes, Subtrees

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
def test_single_values_come_as_series(structure):
    y = pd.Series(WORDS, name="grade", index=range(100, 160)).astype(ORDERED)
    model = StructuredRidge(structure).fit(pd.DataFrame(X), y)
    plain = model.predict(pd.DataFrame(X[:5])).tolist()
    found = model.set_output(predict="pandas").predict(pd.DataFrame(X[:5], index=list("vwxyz")))
    assert found.index.tolist() == list("vwxyz") and found.tolist() == plain
    assert model.set_output(predict="polars").predict(pd.DataFrame(X[:5])).to_list() == plain
    assert model.set_output(predict="names").predict(pd.DataFrame(X[:5])).tolist() == plain  # names already
    for former in ("y", "numpy"):
        with pytest.raises(ValueError):
            model.set_output(predict=former)


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
    assert model.set_output(predict="pandas").predict(pd.DataFrame(X, index=range(7, 67))[:5]).index[0] == 7
    model.set_output(predict="default")
    with pytest.warns(DataConversionWarning):
        assert model.score(X, y) == model.score(X, WORDS)


@pytest.mark.parametrize(
    ("structure", "rows"),
    [
        (Routes(places=["1", "2", "3"]), [["2", "3"], ["1", "3"]]),
        (Permutations(labels=["1", "2", "3"]), [["2", "3", "1"], ["1", "3", "2"]]),
        (LabelSets(labels=["no", "yes"]), [["yes", "no"], ["yes", "no"]]),
        (Subtrees.from_paths([["1", "2"], ["1", "3"]]), [[["1", "2"]], [["1", "3"]]]),
    ],
    ids=repr,
)
def test_names_that_look_like_numbers_or_truths_are_names(structure, rows):
    model = StructuredRidge(structure, alpha=1e-6, kernel="rbf").fit(X[:2], rows)
    named = model.set_output(predict="names").predict(X[:2]).tolist()
    assert list(map(sorted, named)) == list(map(sorted, rows))


def test_rows_that_are_dicts_are_assignments():
    rows = [{"a": "x", "b": "y"}, {"a": "y", "b": "x"}]
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(X[:2], rows)
    assert caught.value.row == 0
    model = StructuredRidge("assignments").fit(X[:2], rows).structure_
    assert (model.items, model.columns) == (["a", "b"], ["x", "y"])
    frame = StructuredRidge("assignments").fit(X[:2], pd.DataFrame(rows))
    np.testing.assert_array_equal(frame.predict(X), StructuredRidge("assignments").fit(X[:2], rows).predict(X))
    with pytest.raises(ValueError):
        StructuredRidge("assignments").fit(X[:2], np.array([[[0, 1], [1, 0]], [[1, 0], [0, 1]]]))


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
