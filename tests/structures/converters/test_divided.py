"""Strings that converters divide: in tables of one column, with ties, and by what probably does not divide them."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combpred import ConvertedTargets, StructuredRidge
from combpred.structures import (
    Assignments,
    Cliques,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    Paths,
    Permutations,
    Routes,
    Subtrees,
    WeakOrders,
)
from data_frames import imported_pyarrow

ABC = ["a", "b", "c"]
TIED = {"sep": ">", "tie_sep": "="}
ONE_COLUMN = {
    "frame": lambda rows: pd.DataFrame({"t": rows}),
    "array": lambda rows: np.array(rows)[:, np.newaxis],
    "objects": lambda rows: np.array(rows, dtype=object)[:, np.newaxis],
    "polars": lambda rows: pytest.importorskip("polars").DataFrame({"t": rows}),
    "Arrow": lambda rows: imported_pyarrow().table({"t": rows}),
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


LISTS_IN_ONE_COLUMN = {
    "frame": lambda rows: pd.DataFrame({"t": rows}),
    "objects": lambda rows: pd.DataFrame({"t": rows}).to_numpy(),
    "polars": ONE_COLUMN["polars"],
    "Arrow": ONE_COLUMN["Arrow"],
}
TREE = [["a", "b"], ["a", "c"]]


@pytest.mark.parametrize("made", LISTS_IN_ONE_COLUMN.values(), ids=LISTS_IN_ONE_COLUMN)
@pytest.mark.parametrize(
    ("convert", "rows"),
    [
        (LabelSets.from_sets, [["a", "b"], ["c"]]),
        (Cliques.from_vertices, [["a", "b"], ["c"]]),
        (Permutations.from_orders, [["a", "b"], ["b", "a"]]),
        (Permutations.from_top_k, [["a", "b"], ["b"]]),
        (WeakOrders.from_tiers, [["a", "b"], ["b", "a"]]),
        (WeakOrders.from_tiers, [[["a"], ["b"]], [["b", "a"]]]),
        (Routes(places=ABC).from_names, [["a", "b"], ["b", "c", "a"]]),
        (Hierarchy.from_paths(TREE).y_from_paths, TREE),
        (Subtrees.from_paths(TREE).y_from_paths, [[["a", "b"]], TREE]),
        (partial(Subtrees.from_paths(TREE).y_from_paths, sep=">"), [["a>b"], ["a>c", "a>b"]]),
        (Paths([("a", "b"), ("b", "c")], "a", "c", vertices=ABC).from_vertices, [["a", "b", "c"]]),
        (Assignments.from_pairs, [{"a": "x", "b": "y"}, {"a": "y", "b": "x"}]),
        (Assignments.from_pairs, [[("a", "x"), ("b", "y")], [("a", "y"), ("b", "x")]]),
        (Graphs(vertices=ABC).from_edges, [[("a", "b")], [("a", "c"), ("b", "c")]]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_lists_in_one_column_are_rows(convert, rows, made):
    np.testing.assert_array_equal(convert(made(rows)), convert(rows))


def test_matrices_in_a_series_are_read_and_come_back():
    graphs, X = Graphs(vertices=ABC), np.arange(6.0).reshape(-1, 1)
    matrices = pd.Series(list(graphs.to_adjacency(graphs.sample(6, random_state=0))))
    model = ConvertedTargets(StructuredRidge(graphs), "adjacency").set_output(predict="pandas").fit(X, matrices)
    assert np.array_equal(model.convert_targets(matrices), graphs.from_adjacency(list(matrices)))
    assert [each.shape for each in model.predict(X)] == [(3, 3)] * 6
    assert isinstance(model.set_output(predict="polars").predict(X), pytest.importorskip("polars").Series)


def test_pairs_of_names_and_numbers_come_back_as_series():
    pytest.importorskip("polars")
    pairs = [[("a", 0), ("b", 1)], [("a", 1), ("b", 0)]] * 3
    model = ConvertedTargets(StructuredRidge("assignments"), "pairs").set_output(predict="polars")
    assert model.fit(np.arange(6.0).reshape(-1, 1), pairs).predict([[0.0]]).to_list()[0][0][0] == "a"


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
    dense = WeakOrders(3).space.decode_parts(WeakOrders(3).encode(ranks))
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


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (lambda: WeakOrders.from_tiers(["a>b"]), 0),
        (lambda: WeakOrders.from_tiers(["a=>b"], **TIED), 0),
        (lambda: WeakOrders.from_tiers(["a=b>c", "a>b>c"], sep=">"), 0),
        (lambda: WeakOrders.to_tiers([[1, 2], [1, 1]], sep=">"), 1),
        (lambda: WeakOrders.to_tiers([[1, 1]], ["a=", "b"], **TIED), None),
        (lambda: WeakOrders.to_tiers([[1, 2]], ["a>", "b"], **TIED), None),
        (lambda: LabelSets.from_sets(['{"a", "b"}']), 0),
    ],
)
def test_strings_that_hold_something_else_are_refused(convert, row):
    with pytest.raises(ValueError) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


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
        lambda: LabelSets.from_sets(["a; b", "c", "a b", "c", "c"], sep="|"),
        lambda: Hierarchy.from_paths(["a/b;c", "a/b"], sep="/"),  # there is no c elsewhere
        lambda: Permutations.from_orders(["a=b>c", "c>a=b"], sep=">"),
        lambda: Permutations.from_orders([["a=b", "a"], ["b", "a"]]),
    ],
)
def test_what_may_be_meant_is_not_doubted(convert):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert()


#: Names that strings, or the padding of tables, may hide; None: items have numbers.
ODD_NAMES = [
    [30, 7, 12, 101],
    [-1, 5, -7, 0],
    [3, 1, 0, 2],
    [" x", "y ", "a b", " c "],
    ["a", "", "b", "c"],
    ["2", "10", "1", "x"],
    None,
]
ARCS = [(0, 1), (1, 3), (0, 2), (2, 3), (0, 3)]


def with_odd_names(names):
    """Return structures with these names, and pairs of converters: what makes lists or strings, and their inverse."""
    called = list(range(4)) if names is None else names
    arcs = [(called[u], called[v]) for u, v in ARCS]
    size = 4 if names is None else None
    tree = [-1, 0, 0, 1]
    return [
        (Permutations(size, labels=names), "to_orders", "from_orders", {"sep": "~"}),
        (Permutations(size, labels=names), "to_top_k", "from_top_k", {"sep": "~"}),
        (WeakOrders(size, labels=names), "to_tiers", "from_tiers", {"sep": "~", "tie_sep": "^"}),
        (LabelSets(size, labels=names, size=2), "to_sets", "from_sets", {"sep": "~"}),
        (Cliques(size, vertices=names), "to_vertices", "from_vertices", {"sep": "~"}),
        (Routes(size, places=names), "to_names", "from_names", {"sep": "~"}),
        (Cycles(size, vertices=names), "to_names", "from_names", {"sep": "~"}),
        (DirectedCycles(size, vertices=names), "to_names", "from_names", {"sep": "~"}),
        (Paths(arcs, called[0], called[3], vertices=names), "to_vertices", "from_vertices", {"sep": "~"}),
        (Hierarchy(tree, nodes=names), "to_paths", "y_from_paths", {"sep": "~"}),
        (Subtrees(tree, nodes=names), "to_paths", "y_from_paths", {"sep": "~"}),
        (Assignments(items=called, columns=called), "to_pairs", "from_pairs", {}),
        (Assignments(items=["a", "b", "c", "d"], columns=called), "to_pairs", "from_pairs", {}),
    ]


@pytest.mark.parametrize("names", ODD_NAMES, ids=str)
def test_odd_names_come_back(names):
    for structure, to, back, options in with_odd_names(names):
        y = structure.sample(40, random_state=0)
        for given_options in ({}, {} if names is not None and "" in names else options):
            listed = getattr(structure, to)(y, **given_options)
            found = getattr(structure, back)(listed, **given_options)
            np.testing.assert_array_equal(structure.embed(found), structure.embed(y), err_msg=f"{structure}")


def test_numbers_in_strings_are_those_of_the_columns():
    y = Permutations.from_scores(np.random.default_rng(0).normal(size=(3, 12)))
    strings = Permutations.to_orders(y, sep=">")
    np.testing.assert_array_equal(Permutations.from_orders(strings, sep=">"), y)
    from_1 = [">".join(str(int(label) + 1) for label in row.split(">")) for row in strings]
    np.testing.assert_array_equal(Permutations.from_orders(from_1, sep=">", one_based=True), y)
    framed = Permutations.from_orders(from_1, sep=">", as_frame=True)
    assert framed.columns.tolist() == [str(label) for label in range(1, 13)]
    np.testing.assert_array_equal(framed, y)
    assert LabelSets.from_sets(["10|9", "9|b"], sep="|", as_frame=True).columns.tolist() == ["10", "9", "b"]


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (lambda: LabelSets(labels=["", "b"]).to_sets([[1, 0]], sep="|"), None),
        (
            lambda: Assignments.from_pairs(pd.DataFrame({"a": ["x", "y"], "b": ["y", None]})),
            1,
        ),
        (lambda: Assignments.from_pairs([[("a", 0), ("b", -1)]]), 0),
        (lambda: WeakOrders.from_tiers([["a", "b"], ["b", np.nan]]), 1),
        (lambda: WeakOrders.from_tiers([["b", np.nan, "a"]]), 0),
        (lambda: WeakOrders.from_tiers([[0, -1], [0, 1]]), 0),
    ],
)
def test_what_is_missing_is_refused(convert, row):
    with pytest.raises(ValueError) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


def test_rows_of_fewer_tiers_end_in_nothing():
    table = pd.DataFrame({"1st": ["a=b", "a"], "2nd": ["c", "b"], "3rd": [None, "c"]})
    assert WeakOrders.from_tiers(table, tie_sep="=").tolist() == [[1, 1, 2], [1, 2, 3]]


READ = [
    Permutations.from_orders,
    Permutations.from_top_k,
    WeakOrders.from_tiers,
    LabelSets.from_sets,
    Cliques.from_vertices,
    Assignments.from_pairs,
    Routes(places=ABC).from_names,
    Routes().from_names,
    Paths([("a", "b"), ("b", "c")], "a", "c", vertices=ABC).from_vertices,
    Hierarchy.from_paths,
    Hierarchy.from_paths(TREE).y_from_paths,
    Subtrees.from_paths(TREE).y_from_paths,
    Graphs(vertices=ABC).from_edges,
    Graphs(vertices=ABC).from_networkx,
    Graphs(vertices=ABC).from_adjacency,
]


@pytest.mark.parametrize("convert", READ, ids=lambda convert: getattr(convert, "__qualname__", str(convert)))
def test_what_has_no_rows_is_refused(convert):
    for empty in ([], pd.Series([], dtype=object), iter([])):
        with pytest.raises(ValueError):
            convert(empty)
    for wrong in (None, 3, "a", {"a": 1}):
        with pytest.raises(TypeError):
            convert(wrong)


def test_numbers_from_1_stand_for_names_in_their_order():
    expected = Permutations.from_orders([["c", "a", "b"], ["b", "c"]], ABC)
    for rows, options in (([[3, 1, 2], [2, 3]], {}), (["3>1>2", "2 > 3"], {"sep": ">"}), ([["c", 1, 2], [2, 3]], {})):
        found = Permutations.from_orders(rows, ABC, one_based=True, **options)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(Permutations(labels=ABC).from_orders(rows, one_based=True, **options), expected)
    assert WeakOrders.from_top_k([[3]], ABC, one_based=True).tolist() == [[2, 2, 1]]
    assert Permutations.from_orders([[3, 2]], [1, 2, 3], one_based=True).tolist() == [[-1, 2, 1]]
    for rows in (
        [[4, 1]],
        [["a", 1]],
    ):
        with pytest.raises(ValueError) as caught:
            Permutations.from_orders(rows, ABC, one_based=True)
        assert (caught.value.argument, caught.value.row) == ("orders", 0)
    with pytest.raises(ValueError) as caught:
        Permutations.from_orders([[3, 1, 2]], ABC)
    assert caught.value.row == 0
