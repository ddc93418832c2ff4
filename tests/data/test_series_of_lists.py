"""Series of lists, of pandas, polars and Arrow, as y: routes, and names that need a converter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from combpred import StructuredRidge
from combpred.aggregation import borda
from combpred.metrics import kendall_tau
from combpred.ranking import LabelRankingSVM
from combpred.structures import Hierarchy, LabelSets, Permutations, Routes


def arrow():
    return pytest.importorskip("pyarrow", exc_type=ImportError)


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
        (lambda y: kendall_tau(y, [[1, 2], [2, 1]]), "structures.Permutations.from_orders"),
        (borda, "structures.Permutations.from_orders"),
        (Hierarchy({"a": None, "b": "a"}).embed, "y_from_paths"),
    ],
    ids=["permutations", "labelsets", "routes", "None", "ranker", "metric", "aggregation", "hierarchy"],
)
def test_lists_of_names_are_told_their_converter(series, rows, take, converter):
    with pytest.raises(ValueError, match=rf"row 0: found \['a'.*{converter}"):
        take(series(rows))


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
