"""Data frames through converters: columns are matched by name, rows keep their index, masks are refused."""

from __future__ import annotations

import inspect
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from combpred.structures import Assignments, Cliques, Hierarchy, LabelSets, Permutations, Routes, Subtrees, WeakOrders
from data_frames import FRAMES

NAMES = ["tea", "big milk", "juice"]
FORMS = {
    "orders": (Permutations(labels=NAMES).to_orders, [[2, 3, 1], [1, 2, 3]]),
    "tops": (Permutations(labels=NAMES).to_top_k, [[2, 2, 1], [3, 1, 2]]),
    "tiers": (WeakOrders(labels=NAMES).to_tiers, [[2, 2, 1], [1, 2, 1]]),
    "sets": (LabelSets(labels=NAMES).to_sets, [[1, 0, 1], [0, 0, 1]]),
    "cliques": (Cliques(vertices=NAMES).to_vertices, [[1, 0, 1], [0, 0, 1]]),
    "pairs": (Assignments(items=NAMES).to_pairs, [[2, 0, 1], [0, 1, 2]]),
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(("convert", "y"), FORMS.values(), ids=FORMS)
def test_columns_are_matched_with_the_names_of_the_structure(convert, y, frame):
    want = list(map(list, convert(np.array(y))))
    table = frame(dict(zip(NAMES, np.transpose(y), strict=True)))
    moved = table[["juice", "tea", "big milk"]]
    assert list(map(list, convert(table))) == list(map(list, convert(moved))) == want
    with pytest.raises(ValueError):
        convert(moved.rename(columns={"tea": "coffee"}) if frame is pd.DataFrame else moved.rename({"tea": "coffee"}))


def test_names_that_are_given_are_matched_not_put_in_place_of_those_of_columns():
    ranks = pd.DataFrame({"b": [2], "a": [1]})
    assert Permutations.to_orders(ranks, labels=["a", "b"]).tolist() == [["a", "b"]]
    assert Permutations.to_orders(ranks).tolist() == [["a", "b"]]
    with pytest.raises(ValueError):
        Permutations.to_orders(ranks, labels=["x", "y"])


@pytest.mark.parametrize("kind", [pd.Index, pd.Categorical, pd.array], ids=lambda kind: kind.__name__)
def test_what_has_no_index_is_made_a_frame_of(kind):
    sets = LabelSets.from_sets(kind(["tea|milk", "milk"]), sep="|", as_frame=True)
    pd.testing.assert_frame_equal(sets, pd.DataFrame({"milk": [1, 1], "tea": [1, 0]}))


def test_columns_of_ids_beside_names_are_doubted():
    held = {"id": [f"r{i}" for i in range(10)], "first": ["tea", "milk"] * 5, "second": [None, "tea"] * 5}
    tops = pd.DataFrame(held)
    for table in (tops, pl.DataFrame(held)):
        with pytest.warns(UserWarning):
            Permutations.from_top_k(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Permutations.from_top_k(tops[["first", "second"]])
        Permutations.from_top_k(tops[:9])  # few rows may name others each
        Permutations.from_orders(tops[["id"]])
        Permutations.from_orders(tops.assign(second=tops["id"][::-1].to_numpy())[["id", "second"]])


LINES = pd.DataFrame({"who": np.repeat([f"p{i}" for i in range(5)], 2), "drink": ["tea", "milk"] * 4 + ["milk", "tea"]})


def test_tables_with_a_line_for_each_entry_are_told_what_makes_lists_of_them():
    lists = LINES.groupby("who")["drink"].agg(list)
    with pytest.warns(UserWarning):
        Permutations.from_orders(LINES)
    assert Permutations.from_orders(lists).tolist() == [[2, 1]] * 4 + [[1, 2]]
    numbered = LINES.assign(who=np.repeat(range(5), 2))
    with pytest.raises(TypeError):
        Permutations.from_orders(numbered)
    ranked = LINES.assign(rank=[1, 2] * 5)
    with pytest.raises(TypeError):
        Permutations.from_orders(ranked)
    pivoted = ranked.pivot(index="who", columns="drink", values="rank")
    np.testing.assert_array_equal(pivoted, Permutations.from_orders(lists))
    places = Routes(places=["tea", "milk"])
    for table in (LINES, numbered):
        with pytest.raises(ValueError) as caught:
            places.from_names(table)
        assert caught.value.row == 0
    assert places.from_names(lists).tolist() == [[0, 1]] * 4 + [[1, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Permutations.from_orders(pd.DataFrame({"first": ["tea"] * 10, "second": ["milk"] * 10}))
        Permutations.from_top_k(LINES.assign(who=[*("abcde" * 2)], drink=[*("bcdea" * 2)]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    "make",
    [Permutations.from_ratings, Permutations.from_scores, WeakOrders.from_ratings],
    ids=lambda make: make.__qualname__,
)
def test_columns_of_numbers_are_matched_with_labels(make, frame):
    cls = Permutations if "Perm" in make.__qualname__ else WeakOrders
    table = frame({"milk": [1.0, 2.0], "tea": [3.0, 4.0], "cola": [2.0, 1.0]})
    names = ["tea", "milk", "cola"]
    want = [[1, 3, 2], [1, 2, 3]]
    assert make(table, names).tolist() == want
    assert getattr(cls(labels=names), make.__name__)(table).tolist() == want
    assert make(table, names, as_frame=True).columns.tolist() == names
    assert make(table[names].to_numpy(), names, as_frame=True).to_numpy().tolist() == want
    assert make(table).tolist() == [[3, 1, 2], [2, 1, 3]]
    assert getattr(cls(3), make.__name__)(table).tolist() == [[3, 1, 2], [2, 1, 3]]
    with pytest.raises(ValueError):
        make(table, ["tea", "beer", "cola"])
    with pytest.raises(ValueError):
        make(table.to_numpy(), ["tea", "milk"])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (Permutations.from_orders, True),
        (Permutations.from_top_k, True),
        (WeakOrders.from_top_k, True),
        (LabelSets.from_sets, False),
        (Cliques.from_vertices, False),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_advice_names_what_a_converter_takes(make, says):
    with pytest.raises(ValueError) as caught:
        make([[1, 2], [2]])
    assert ("one_based=True" in str(caught.value)) is says is ("one_based" in inspect.signature(make).parameters)
    np.testing.assert_array_equal(make(row for row in [["a", "b"], ["b"]]), make([["a", "b"], ["b"]]))


@pytest.mark.parametrize("frame", [frame for frame, _ in FRAMES])
def test_frames_of_assignments_have_an_item_in_each_column(frame):
    want = Assignments.from_pairs([{"Ann": "cook", "Bob": "paint"}, {"Ann": "paint", "Bob": "cook"}])
    made = Assignments.from_pairs(frame({"Bob": ["paint", "cook"], "Ann": ["cook", "paint"]}))
    assert made.tolist() == want.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError) as caught:
        Assignments.from_pairs(frame({"Bob": ["paint", "cook"], "Ann": ["cook", "cook"]}))
    assert (caught.value.argument, caught.value.row) == ("pairs", 1)
    for row in (None, 3, "ab"):
        with pytest.raises(ValueError) as caught:
            Assignments.from_pairs([{"Ann": "cook"}, row])
        assert caught.value.row == 1


INDEX = ["u1", "u7"]
LISTS = pd.Series([["a", "b"], ["b", "a"]], index=INDEX)
NUMBERS = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}, index=INDEX)
MADE = {
    "from_orders": lambda: Permutations.from_orders(LISTS, as_frame=True),
    "table of orders": lambda: Permutations.from_orders(pd.DataFrame([["a", "b"]] * 2, index=INDEX), as_frame=True),
    "from_top_k": lambda: Permutations.from_top_k(LISTS, as_frame=True),
    "from_ratings": lambda: Permutations.from_ratings(NUMBERS, as_frame=True),
    "from_scores": lambda: Permutations.from_scores(NUMBERS, as_frame=True),
    "tied ratings": lambda: WeakOrders.from_ratings(NUMBERS, as_frame=True),
    "from_tiers": lambda: WeakOrders.from_tiers(LISTS, as_frame=True),
    "from_sets": lambda: LabelSets.from_sets(LISTS, as_frame=True),
    "sparse sets": lambda: LabelSets.from_sets(LISTS, as_frame=True, sparse_output=True),
    "from_vertices": lambda: Cliques.from_vertices(LISTS, as_frame=True),
    "from_pairs": lambda: Assignments.from_pairs(
        pd.Series([{"a": "x", "b": "y"}, {"a": "y", "b": "x"}], index=INDEX), as_frame=True
    ),
    "y_from_paths": lambda: Hierarchy.from_paths([["r", "a"], ["r", "b"]]).y_from_paths(
        pd.Series([["r", "a"], ["r", "b"]], index=INDEX), as_frame=True
    ),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_rows_keep_their_index(make):
    assert make().index.tolist() == INDEX


@pytest.mark.parametrize(
    "make",
    [
        Permutations.from_orders,
        Permutations.from_top_k,
        LabelSets.from_sets,
        Cliques.from_vertices,
        Hierarchy.from_paths,
    ],
    ids=lambda make: make.__qualname__,
)
def test_masks_are_refused_not_dropped(make):
    with pytest.raises(ValueError) as caught:
        make(np.ma.array([[2, 0], [0, 1]], mask=[[0, 0], [0, 1]]))
    assert caught.value.row == 1


NAMED = ["b c", "a", "d"]
STRINGS = {
    "orders": (Permutations(labels=NAMED), ["a>b c>d", "d>a>b c", "b c>d", ""]),
    "top_k": (Permutations(labels=NAMED), ["a", "d>a>b c", ""]),
    "sets": (LabelSets(labels=NAMED), ["b c>d", "", "a"]),
    "vertices": (Cliques(vertices=NAMED), ["b c>a>d", "", "a"]),
    "names": (Routes(places=NAMED), ["a>b c", "d>a>b c"]),
}


@pytest.mark.parametrize("form", STRINGS)
def test_strings_come_back_as_they_were(form):
    structure, rows = STRINGS[form]
    y = getattr(structure, f"from_{form}")(rows, sep=">")
    back = getattr(structure, f"to_{form}")
    assert back(y, sep=">") == rows
    with pytest.raises(ValueError):
        back(y, sep=" ")


@pytest.mark.parametrize(
    "make", [Permutations.from_orders, Permutations.from_top_k, LabelSets.from_sets, Cliques.from_vertices]
)
def test_names_that_differ_in_spaces_are_doubted(make):
    rows = [["tea", "milk "], ["milk", "tea"]]
    with pytest.warns(UserWarning):
        assert make(rows).shape == (2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make([[name.strip() for name in row] for row in rows]).shape == (2, 2)
        assert make(rows, ["milk", "milk ", "tea"]).shape == (2, 3)  # as the user says


@pytest.mark.parametrize(
    "make",
    [
        lambda one, other: Hierarchy.from_paths([["food", one], ["food", other]]),
        lambda one, other: Subtrees.from_paths([[["food", one], ["food", other]]]),
        lambda one, other: Hierarchy.from_paths([[one, "hot"], [other, "hot"]], qualified=True),
        lambda one, other: Hierarchy.from_nested({"food": [one, other]}),
        lambda one, other: Hierarchy.from_networkx(nx.DiGraph([("food", one), ("food", other)])),
    ],
    ids=["paths", "several paths", "qualified", "nested", "networkx"],
)
def test_names_of_trees_that_differ_in_spaces_are_doubted(make):
    for one, other in (("tea ", "tea"), ("ice tea", "icetea")):
        with pytest.warns(UserWarning):
            assert len(make(one, other).nodes) >= 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make("tea", "coffee")
        Hierarchy.from_paths(["food > tea", "food>tea"], sep=">")
        Hierarchy.from_nested({1: [2, 3]})
