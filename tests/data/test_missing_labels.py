"""Labels that are missing, or of several types, are named by their row, whatever holds them; none becomes a string."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from combpred import StructuredRidge
from combpred.structures import Hierarchy, MultiClass, Ordinal, PosetElements
from data_frames import FRAMES, imported_pyarrow

X = np.arange(4.0)[:, np.newaxis]
TREE = Hierarchy({"a": None, "b": "a"})
STRUCTURES = [None, MultiClass(), Ordinal(["a", "b"]), TREE, PosetElements([[1, 0], [0, 1]], elements=["a", "b"])]
FORMS = [
    list,
    tuple,
    lambda y: [[label] for label in y],
    lambda y: np.array(y, dtype=object),
    pd.Series,
    pl.Series,
    *(lambda y, frame=frame: frame({"label": y}) for frame, _ in FRAMES),
]


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_missing_labels_are_named_by_their_row(structure, form):
    model = StructuredRidge(structure).fit(X, form(["a", "b", "b", "a"]))
    for call in (StructuredRidge(structure).fit, model.score):
        with pytest.raises(ValueError) as caught:
            call(X, form(["a", "b", None, "a"]))
        assert caught.value.row == 2


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_lists_do_not_make_strings_of_what_is_missing(structure):
    for missing in (float("nan"), None, pd.NA, pd.NaT):
        with pytest.raises(ValueError) as caught:
            StructuredRidge(structure).fit(X, ["a", "b", missing, "a"])
        assert (caught.value.argument, caught.value.row) == ("y", 2)
    with pytest.raises(ValueError) as caught:
        StructuredRidge().fit(X, [1, None, 2, 1])
    assert (caught.value.argument, caught.value.row) == ("y", 1)


def test_lists_do_not_make_strings_of_numbers():
    with pytest.raises(ValueError):
        StructuredRidge().fit(X, [1, "a", 2, "b"])
    with pytest.raises(ValueError) as caught:
        StructuredRidge(Ordinal(["a", "1"])).fit(X, ["a", 1, "1", "a"])
    assert caught.value.row == 1
    assert StructuredRidge().fit(X, ["1", "a", "1", "b"]).classes_.dtype.kind == "U"


def test_arrays_of_arrow_are_labels():
    pa = imported_pyarrow()
    for array in (pa.array, lambda y: pa.chunked_array([y[:1], y[1:]])):
        assert StructuredRidge().fit(X, array(["a", "b", "b", "a"])).classes_.tolist() == ["a", "b"]
        with pytest.raises(ValueError) as caught:
            StructuredRidge().fit(X, array(["a", "b", None, "a"]))
        assert (caught.value.argument, caught.value.row) == ("y", 2)


@pytest.mark.parametrize("columns", [[True, False], [1.5, 2.5], ["a", True], [0, True]])
def test_columns_that_are_no_names_are_refused(columns):
    y = pd.DataFrame([[1, 2], [2, 1], [1, 2], [2, 1]])
    y.columns = columns
    with pytest.raises(TypeError):
        StructuredRidge("permutations").fit(X, y)
