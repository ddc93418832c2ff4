"""Strings that converters divide: in tables of one column, with ties, and by what probably does not divide them."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combpred import ConvertedTargets, StructuredRidge
from combpred.structures import Cliques, Hierarchy, LabelSets, Paths, Permutations, Routes, WeakOrders

ABC = ["a", "b", "c"]
TIED = {"sep": ">", "tie_sep": "="}
ONE_COLUMN = {
    "frame": lambda rows: pd.DataFrame({"t": rows}),
    "array": lambda rows: np.array(rows)[:, np.newaxis],
    "objects": lambda rows: np.array(rows, dtype=object)[:, np.newaxis],
    "polars": lambda rows: pytest.importorskip("polars").DataFrame({"t": rows}),
    "Arrow": lambda rows: pytest.importorskip("pyarrow", exc_type=ImportError).table({"t": rows}),
}


@pytest.mark.parametrize("made", ONE_COLUMN.values(), ids=ONE_COLUMN)
@pytest.mark.parametrize(
    ("convert", "rows"),
    [
        (LabelSets.from_sets, ["a>b", "c"]),
        (Cliques.from_vertices, ["a>b", "c"]),
        (Permutations.from_orders, ["a>b", "b>a"]),
        (Permutations.from_top_k, ["a>b", "b"]),
        (WeakOrders.from_tiers, ["a>b", "b>a"]),
        (WeakOrders.from_top_k, ["a>b", "b"]),
        (Routes(places=ABC).from_names, ["a>b", "b>c>a"]),
        (Hierarchy.from_paths([["a", "b"]]).y_from_paths, ["a>b", "a"]),
        (Paths([("a", "b"), ("b", "c")], "a", "c", vertices=ABC).from_vertices, ["a>b>c"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_tables_of_one_column_are_divided_like_series(convert, rows, made):
    np.testing.assert_array_equal(convert(made(rows), sep=">"), convert([row.split(">") for row in rows]))


def test_tables_keep_what_they_are():
    frame = pd.DataFrame({"t": ["a|b", None]}, index=[7, 8])
    found = LabelSets.from_sets(frame, sep="|", as_frame=True)
    assert found.columns.tolist() == ["a", "b"] and found.index.tolist() == [7, 8]
    assert found.to_numpy().tolist() == [[1, 1], [0, 0]]
    assert LabelSets.from_sets(pd.DataFrame({"t": [1, 0]}), sep="|").tolist() == [[0, 1], [1, 0]]
    assert LabelSets.from_sets(frame[:1], as_frame=True).columns.tolist() == ["a|b"]


def test_targets_of_one_column_are_divided():
    X, y = np.arange(20.0).reshape(-1, 1), pd.DataFrame({"t": ["a|b", "b"] * 10})
    model = ConvertedTargets(StructuredRidge("labelsets"), "sets", sep="|").fit(X, y)
    assert model.structure_.labels == ["a", "b"]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=1, max_size=4))
def test_tiers_in_strings_come_back(ranks):
    dense = WeakOrders(3).space.decode_parts(WeakOrders(3).space.encode(ranks))
    strings = WeakOrders.to_tiers(dense, ABC, **TIED)
    assert [[group.split("=") for group in row.split(">")] for row in strings] == WeakOrders.to_tiers(dense, ABC)
    np.testing.assert_array_equal(WeakOrders.from_tiers(strings, ABC, **TIED), dense)
    groups = WeakOrders.to_tiers(dense, ABC, tie_sep="=")
    assert groups == [row.split(">") for row in strings]
    np.testing.assert_array_equal(WeakOrders.from_tiers(groups, ABC, tie_sep="="), dense)
    untied = Permutations.from_scores(dense)
    assert WeakOrders.to_tiers(untied, ABC, sep=">") == Permutations.to_orders(untied, ABC, sep=">")


def test_targets_with_ties_are_strings():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    y = ["a=b>c"] * 10 + ["c > a = b"] * 10
    model = ConvertedTargets(StructuredRidge("weakorders"), "tiers", sep=">").fit(X, y)
    assert model.predict([[0.0], [1.0]]).tolist() == ["a=b>c", "c>a=b"]


LISTS = "a list written as text: make lists of such strings, as by ast.literal_eval"
TIES = "row 0: 'a=b' joins names of other rows by '=': where they are tied, take WeakOrders.from_tiers(…, sep='>', tie"


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (lambda: WeakOrders.from_tiers(["a>b"]), "tiers, row 0: found 'a>b'; .* say by sep= and tie_sep= what divides"),
        (lambda: WeakOrders.from_tiers(["a=>b"], **TIED), "tiers, row 0: .* has an empty name"),
        (lambda: WeakOrders.from_tiers(["a=b>c", "a>b>c"], sep=">"), re.escape(TIES)),
        (lambda: WeakOrders.to_tiers([[1, 2], [1, 1]], sep=">"), "ranks, row 1: labels are tied: say by tie_sep="),
        (lambda: WeakOrders.to_tiers([[1, 1]], ["a=", "b"], **TIED), "sep='=' occurs in the name 'a='"),
        (lambda: WeakOrders.to_tiers([[1, 2]], ["a>", "b"], **TIED), "sep='>' occurs in the name 'a>'"),
        (lambda: Permutations.from_orders(["a = b>c", "b>a"], sep=">"), "orders, row 0: 'a = b' joins names"),
        (lambda: Permutations.from_top_k(["c>a", "b", "a=b"], sep=">"), "tops, row 2: 'a=b' joins names"),
        (lambda: LabelSets.from_sets(["['a', 'b']", "", "['b']"], sep=","), f"sets holds .*, {LISTS}"),
        (lambda: LabelSets.from_sets(['{"a", "b"}']), f"sets, row 0: found .*, {LISTS}"),
        (lambda: Permutations.from_orders(["[a, b]", "[b, a]"], sep=","), "a list written as text: strip the brackets"),
    ],
)
def test_strings_that_hold_something_else_are_refused(convert, message):
    with pytest.raises(ValueError, match=message):
        convert()


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (
            lambda: LabelSets.from_sets(["a;b", "b;c", "a"], sep="|"),
            r"sets never holds sep='\|', so that each row is one name, but 2 of 3 hold ';', such as 'a;b': .* sep=';'",
        ),
        (lambda: Permutations.from_orders(["a,b,c", "b,a,c"], sep=">"), "orders never holds sep='>', .* pass sep=','"),
        (lambda: Hierarchy.from_paths(pd.Series(["a|b", "a"]), sep=">"), "paths never holds sep='>'"),
    ],
)
def test_other_dividers_are_doubted(convert, message):
    with pytest.warns(UserWarning, match=message):
        convert()


@pytest.mark.parametrize(
    "convert",
    [
        lambda: LabelSets.from_sets(["a", "b", "c, d"], sep="|"),  # of few rows
        lambda: LabelSets.from_sets(["a;b", "b;c", "a|b"], sep="|"),  # of rows that are divided
        lambda: LabelSets.from_sets(["a", "b"], sep="|"),
        lambda: LabelSets.from_sets(["a, b"], sep="|"),  # one row alone
        lambda: LabelSets.from_sets(["[a]|b", "[b]"], sep="|"),
        lambda: LabelSets.from_sets([["a, b"], ["c, d"]], sep="|"),  # no strings
        lambda: LabelSets.from_sets(["a=1|b", "a|b"], sep="|"),
        lambda: LabelSets.from_sets(["a=b|b", "a|b"], sep="|"),  # sets have no ties
        lambda: Permutations.from_orders(["a=b>c", "c>a=b"], sep=">"),
        lambda: Permutations.from_orders([["a=b", "a"], ["b", "a"]]),
    ],
)
def test_what_may_be_meant_is_not_doubted(convert):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert()
