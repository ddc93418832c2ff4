"""Series of lists, of pandas, polars and Arrow, as y: routes, and names that need a converter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from combpred import StructuredRidge
from combpred.ranking import LabelRankingSVM
from combpred.structures import Hierarchy, LabelSets, Paths, Permutations, Routes, Tournaments
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
@pytest.mark.parametrize(
    "take",
    [
        lambda y: StructuredRidge("permutations").fit([[0], [1]], y),
        lambda y: StructuredRidge("labelsets").fit([[0], [1]], y),
        lambda y: StructuredRidge(Routes(places=["a", "b"])).fit([[0], [1]], y),
        lambda y: StructuredRidge().fit([[0], [1]], y),
        lambda y: LabelRankingSVM().fit([[0], [1]], y),
        Hierarchy({"a": None, "b": "a"}).embed,
    ],
    ids=["permutations", "labelsets", "routes", "None", "ranker", "hierarchy"],
)
def test_lists_of_names_are_refused_by_row(series, rows, take):
    with pytest.raises(ValueError) as caught:
        take(series(rows))
    assert caught.value.row == 0


@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 2]], [[0, 1, 2], [2, 0, 1]]])
@pytest.mark.parametrize("kind", ["pandas", "polars", "chunks"])
def test_tables_of_one_column_of_lists_are_read_like_series(kind, rows):
    X, y = np.array([[0.0], [1.0]]), SERIES[kind](rows)
    table = y.to_frame() if hasattr(y, "to_frame") else arrow().table({"t": y})
    model, plain = (StructuredRidge(Routes()).fit(X, y) for y in (table, rows))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, table) == 1
    tree = Hierarchy([-1, 0, 0], nodes=[7, 8, 9])
    with pytest.raises(ValueError) as caught:
        tree.embed(table)
    assert (caught.value.argument, caught.value.row) == ("y", 0)


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
def test_lists_of_numbers_in_cells_are_refused_by_row(kind, table, structure):
    y = SERIES[kind]([[1, 0, 1], [0, 1, 0]])
    y = y.to_frame("t") if table else y
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit([[0], [1]], y)
    assert caught.value.row == 0


def test_cells_of_edges_and_graphs_are_refused_by_row():
    networkx = pytest.importorskip("networkx")
    items = Tournaments(items=[3, 1, 0])
    for cells in ([[[3, 1]], [[1, 0]]], [networkx.DiGraph([(3, 1)]), networkx.DiGraph()]):
        for y in (pd.Series(cells), pd.DataFrame({"t": cells})):
            with pytest.raises(ValueError) as caught:
                StructuredRidge(items).fit([[0], [1]], y)
            assert (caught.value.argument, caught.value.row) == ("y", 0)
    paths = Paths([(0, 1), (1, 2), (0, 2)], 0, 2)
    with pytest.raises(ValueError) as caught:
        StructuredRidge(paths).fit([[0], [1]], [[0, 1, 2], [0, 2, -1]])
    assert caught.value.row == 0


@pytest.mark.parametrize("table", [False, True], ids=["series", "table"])
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
def test_strings_are_refused_by_row(kind, structure, table):
    y = SERIES[kind](["a>b", "b>a"])
    if table:
        y = y.to_frame() if hasattr(y, "to_frame") else arrow().table({"y": y})
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit([[0], [1]], y)
    assert caught.value.row == 0


def test_converters_take_them(series):
    assert Permutations.from_orders(series([["b", "a"], ["a"]])).tolist() == [[2, 1], [1, -1]]
    assert LabelSets.from_sets(series([["b", "a"], ["a"]])).tolist() == [[1, 1], [1, 0]]
