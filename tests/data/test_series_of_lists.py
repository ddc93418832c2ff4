"""Series of lists, of pandas, polars and Arrow, as y: routes, and names that need a converter."""

from __future__ import annotations

import re

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
    ("take", "converter"),
    [
        (lambda y: StructuredRidge("permutations").fit([[0], [1]], y), "Permutations.from_orders"),
        (lambda y: StructuredRidge("labelsets").fit([[0], [1]], y), "LabelSets.from_sets"),
        (lambda y: StructuredRidge(Routes(places=["a", "b"])).fit([[0], [1]], y), "from_names"),
        (lambda y: StructuredRidge().fit([[0], [1]], y), "LabelSets.from_sets"),
        (lambda y: LabelRankingSVM().fit([[0], [1]], y), "structures.Permutations.from_orders"),
        (Hierarchy({"a": None, "b": "a"}).embed, "y_from_paths"),
    ],
    ids=["permutations", "labelsets", "routes", "None", "ranker", "hierarchy"],
)
def test_lists_of_names_are_told_their_converter(series, rows, take, converter):
    with pytest.raises(ValueError, match=rf"row 0: found \['a'.*{converter}"):
        take(series(rows))


@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 2]], [[0, 1, 2], [2, 0, 1]]])
@pytest.mark.parametrize("kind", ["pandas", "polars", "chunks"])
def test_tables_of_one_column_of_lists_are_read_like_series(kind, rows):
    X, y = np.array([[0.0], [1.0]]), SERIES[kind](rows)
    table = y.to_frame() if hasattr(y, "to_frame") else arrow().table({"t": y})
    model, plain = (StructuredRidge(Routes()).fit(X, y) for y in (table, rows))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, table) == 1
    tree = Hierarchy([-1, 0, 0], nodes=[7, 8, 9])
    with pytest.raises(ValueError, match=r"y, row 0: found \[0, 1, 2\]; y_from_paths of Hierarchy"):
        tree.embed(table)


@pytest.mark.parametrize(
    ("kind", "table", "call"),
    [
        ("pandas", False, "y.tolist()"),
        ("objects", False, "y.tolist()"),
        ("polars", False, "y.to_list()"),
        ("chunks", False, "y.to_pylist()"),
        ("pandas", True, "y['t'].tolist()"),
    ],
)
@pytest.mark.parametrize(
    ("structure", "converter"),
    [("permutations", "Permutations.from_orders"), ("partialorders", "PartialOrders"), ("cliques", "Cliques")],
)
def test_lists_of_numbers_in_cells_are_told_the_call_that_makes_columns(kind, table, call, structure, converter):
    y = SERIES[kind]([[1, 0, 1], [0, 1, 0]])
    y = y.to_frame("t") if table else y
    what = f"found the list [1, 0, 1] in one cell: {call} has columns of numbers; of names, {converter}"
    with pytest.raises(ValueError, match=re.escape(what)):
        StructuredRidge(structure).fit([[0], [1]], y)


def test_cells_of_edges_and_graphs_are_told_their_converter():
    networkx = pytest.importorskip("networkx")
    items = Tournaments(items=[3, 1, 0])
    for cells in ([[[3, 1]], [[1, 0]]], [networkx.DiGraph([(3, 1)]), networkx.DiGraph()]):
        for y in (pd.Series(cells), pd.DataFrame({"t": cells})):
            with pytest.raises(ValueError, match=r"y, row 0: found .*; Tournaments\(items=.*from_edges, from_networkx"):
                StructuredRidge(items).fit([[0], [1]], y)
    paths = Paths([(0, 1), (1, 2), (0, 2)], 0, 2)
    with pytest.raises(ValueError, match=r"the longest path has 2 arcs; .*; Paths\(…\).from_vertices makes y"):
        StructuredRidge(paths).fit([[0], [1]], [[0, 1, 2], [0, 2, -1]])


@pytest.mark.parametrize("table", [False, True], ids=["series", "table"])
@pytest.mark.parametrize(
    ("structure", "converter"),
    [
        ("permutations", "Permutations.from_orders"),
        ("labelsets", "LabelSets.from_sets"),
        (Routes(places=["a", "b"]), "from_names"),
    ],
    ids=["permutations", "labelsets", "routes"],
)
@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "chunks"])
def test_strings_are_told_their_converter(kind, structure, converter, table):
    y = SERIES[kind](["a>b", "b>a"])
    if table:
        y = y.to_frame() if hasattr(y, "to_frame") else arrow().table({"y": y})
    with pytest.raises(ValueError, match=rf"row 0: found .*'a>b'.*{converter}"):
        StructuredRidge(structure).fit([[0], [1]], y)


def test_converters_take_them(series):
    assert Permutations.from_orders(series([["b", "a"], ["a"]])).tolist() == [[2, 1], [1, -1]]
    assert LabelSets.from_sets(series([["b", "a"], ["a"]])).tolist() == [[1, 1], [1, 0]]
