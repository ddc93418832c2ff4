"""Data frames through converters: columns are matched by name, rows keep their index, masks are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from combpred.structures import Assignments, Cliques, Hierarchy, LabelSets, Permutations, WeakOrders
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
    assert Permutations.to_orders(ranks, labels=["a", "b"]) == [["a", "b"]]
    assert Permutations.to_orders(ranks) == [["a", "b"]]
    with pytest.raises(ValueError):
        Permutations.to_orders(ranks, labels=["x", "y"])


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
    assert make(table[names].to_numpy(), names).tolist() == want
    assert make(table).tolist() == [[3, 1, 2], [2, 1, 3]]
    assert getattr(cls(3), make.__name__)(table).tolist() == [[3, 1, 2], [2, 1, 3]]
    with pytest.raises(ValueError):
        make(table, ["tea", "beer", "cola"])
    with pytest.raises(ValueError):
        make(table.to_numpy(), ["tea", "milk"])


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
