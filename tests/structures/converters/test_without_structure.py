"""Without a structure, y holds labels or 0/1; other rows are told of the converters there are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from combpred import StructuredRidge

X = np.arange(3.0).reshape(-1, 1)


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([["a", "b"], ["c"], ["a"]], 0),
        ([["c"], ["a", "b"], ["a"]], 0),
        ([{"a"}, {"b"}, {"a"}], 0),
        ([["a", "b"], ["c", "d"], ["a", "b"]], 0),
        (np.array([["a", "b"], ["c", "d"], ["a", "b"]]), 0),
        (pd.Series([["a"], ["b", "c"], ["a"]]), 0),
        (pd.DataFrame({"first": ["a", "a", "b"], "second": ["c", "d", None]}), 0),
        (pl.DataFrame({"first": ["a", "a", "b"], "second": ["c", "d", None]}), 0),
        ([[("a", "b")]] * 3, 0),
        ([[0, 1], [2], [1, 0]], 1),
    ],
)
def test_rows_of_names_are_told_of_converters(y, row):
    with pytest.raises(ValueError) as caught:
        StructuredRidge().fit(X, y)
    assert caught.value.row == row


def test_graphs_are_told_of_converters():
    nx = pytest.importorskip("networkx")
    for graph in (nx.path_graph(3), nx.Graph([("a", "b")])):
        with pytest.raises(ValueError) as caught:
            StructuredRidge().fit(X, [graph] * 3)
        assert (caught.value.argument, caught.value.row) == ("y", 0)


def test_labels_and_zeros_and_ones_are_read():
    for labels in (["a>b", "a|c", "a>b"], np.array(["b", "a", "b"]), pd.Series(["b", "a", "b"]), [1, 2, 1]):
        assert type(StructuredRidge().fit(X, labels).structure_).__name__ == "MultiClass"
    for columns in ([["a"], ["b"], ["a"]], np.array([["a"], ["b"], ["a"]]), pd.DataFrame({"label": ["a", "b", "a"]})):
        with pytest.warns(DataConversionWarning):
            assert StructuredRidge().fit(X, columns).classes_.tolist() == ["a", "b"]
    for sets in ([[0, 1], [1, 1], [0, 0]], np.eye(3), pd.DataFrame({"a": [1, 0, 1], "b": [0, 0, 1]})):
        assert type(StructuredRidge().fit(X, sets).structure_).__name__ == "LabelSets"
