"""What X, y and weights may be beside data frames, and what X may not be, with the call that makes a table of it."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import dok_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import validate_data

from combpred import EmbeddingRegressor, StructuredRidge
from combpred._data import inputs
from combpred._data.checks import whole_number
from combpred.kernels import NystromMap
from combpred.ranking import LabelRankingSVM
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
def test_names_of_columns_in_the_place_of_y_are_no_rows(frame):
    given = frame(pd.concat([X, Y], axis=1).to_dict("list"))
    for y in ("tea", ["tea", "milk"]):
        for model in (StructuredRidge("permutations"), StructuredRidge(), LabelRankingSVM()):
            with pytest.raises(ValueError):
                model.fit(given, y)
    with pytest.raises(ValueError):
        StructuredRidge().fit(given, ["tea", "beer"])


def test_plain_arrays_are_what_scikit_learn_would_return(monkeypatch):
    """They are handed on unread, and so is what it would return; all else goes through its validation."""
    X, y = np.arange(12.0).reshape(6, 2), np.array([[1, 2], [2, 1]] * 3)
    model, calls = StructuredRidge("permutations").fit(X, y), []

    def validated(*given, **how):
        calls.append(how)
        return validate_data(*given, **how)

    monkeypatch.setattr(inputs, "validate_data", validated)
    for dtype in (np.float64, np.float32, np.int8, np.uint64, np.bool_):
        plain = X.astype(dtype)
        assert inputs.read_inputs(model, plain, reset=False, dtype="numeric") is plain
        assert validate_data(model, X=plain, reset=False, dtype="numeric") is plain
    assert not calls
    for other in (X.tolist(), X.astype(object), np.ma.masked_less(X, -1), pd.DataFrame(X)):
        with suppress(ValueError):
            inputs.read_inputs(model, other, reset=False, dtype="numeric")
        assert calls.pop() is not None
    for wrong in (X[:, :1], X[:0], X[0], X.astype(complex), X.astype(str)):
        with pytest.raises(ValueError):
            model.predict(wrong)
    named = StructuredRidge("permutations").fit(pd.DataFrame(X, columns=["a", "b"]), y)
    with pytest.warns(UserWarning):
        named.predict(X)  # scikit-learn says that names are missing


def test_whole_numbers_may_have_one_legal_value():
    assert whole_number(np.int64(0), "row", 0, 0) == 0
    for wrong in (1, -1, True, 0.0, "0", None):
        with pytest.raises(TypeError, match=r"^row must be a whole number from 0 to 0, got "):
            whole_number(wrong, "row", 0, 0)
