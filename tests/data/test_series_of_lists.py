"""Series of lists, of pandas, polars and Arrow, as y: routes, and names that need a converter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from combpred import StructuredRidge
from combpred.ranking import LabelRankingSVM
from combpred.structures import LabelSets, Permutations, Routes, Subtrees
from data_frames import imported_pyarrow as arrow

SERIES = {
    "pandas": pd.Series,
    "polars": lambda rows: pytest.importorskip("polars").Series(rows),
    "array": lambda rows: arrow().array(rows),
    "chunks": lambda rows: arrow().chunked_array([rows]),
    "large": lambda rows: arrow().array(rows, arrow().large_list(arrow().infer_type(rows).value_type)),
    "objects": lambda rows: np.fromiter(rows, dtype=object, count=len(rows)),
}


@pytest.fixture(params=SERIES.values(), ids=SERIES)
def series(request):
    return request.param


@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 2]], [[0, 1, 2], [2, 0, 1]]])
def test_lists_of_places_are_routes(series, rows):
    X = np.array([[0.0], [1.0]])
    model, plain = (StructuredRidge(Routes()).fit(X, y) for y in (series(rows), rows))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, series(rows)) == plain.score(X, rows)
    np.testing.assert_array_equal(Routes(3).embed(series(rows)), Routes(3).embed(rows))


@pytest.mark.parametrize("rows", [[["a", "b"], ["b", "a"]], [["a"], ["b", "a"]]])
@pytest.mark.parametrize("structure", ["permutations", "labelsets", Subtrees({"b": "a"}), LabelRankingSVM()], ids=str)
def test_lists_of_names_are_read_like_lists(series, rows, structure):
    model, plain = (
        (clone(structure) if hasattr(structure, "predict") else StructuredRidge(structure)).fit([[0], [1]], y)
        for y in (series(rows), rows)
    )
    np.testing.assert_array_equal(model.predict([[0], [1]]), plain.predict([[0], [1]]))


@pytest.mark.parametrize("rows", [[["a", "b"], ["b", "a"]], [["a"], ["b", "a"]]])
def test_lists_of_names_are_refused_without_a_structure(series, rows):
    with pytest.raises(ValueError) as caught:
        StructuredRidge().fit([[0], [1]], series(rows))
    assert caught.value.row == 0


@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 2]], [[0, 1, 2], [2, 0, 1]]])
@pytest.mark.parametrize("kind", ["pandas", "polars", "chunks"])
def test_tables_of_one_column_of_lists_are_read_like_series(kind, rows):
    X, y = np.array([[0.0], [1.0]]), SERIES[kind](rows)
    table = y.to_frame() if hasattr(y, "to_frame") else arrow().table({"t": y})
    model, plain = (StructuredRidge(Routes()).fit(X, y) for y in (table, rows))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, table) == 1


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("pandas", False),
        ("objects", False),
        ("polars", False),
        ("chunks", False),
        ("pandas", True),
    ],
)
@pytest.mark.parametrize(
    "structure",
    ["permutations", "partialorders", "cliques"],
)
def test_lists_of_numbers_in_cells_are_refused(kind, table, structure):
    y = SERIES[kind]([[1, 0, 1], [0, 1, 0]])
    y = y.to_frame("t") if table else y
    with pytest.raises(ValueError):
        StructuredRidge(structure).fit([[0], [1]], y)


@pytest.mark.parametrize(
    "structure",
    [
        "permutations",
        "labelsets",
        Routes(places=["a", "b"]),
    ],
    ids=["permutations", "labelsets", "routes"],
)
@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "chunks"])
def test_strings_are_refused_by_row(kind, structure):
    y = SERIES[kind](["a>b", "b>a"])
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit([[0], [1]], y)
    assert caught.value.row == 0


def test_converters_take_them(series):
    assert Permutations.from_orders(series([["b", "a"], ["a"]])).tolist() == [[2, 1], [1, -1]]
    assert LabelSets.from_sets(series([["b", "a"], ["a"]])).tolist() == [[1, 1], [1, 0]]
