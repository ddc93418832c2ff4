"""Names of items, which the columns of data frames give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from combpred.aggregation import (
    acyclic_majority,
    borda,
    bradley_terry,
    footrule,
    kemeny,
    median_rank,
    plackett_luce,
)

NAMES = ["Ann", "Bob", "Cid"]
RANKINGS = pd.DataFrame([[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]], columns=NAMES)
WINS = pd.DataFrame([[0, 7, 8], [3, 0, 6], [2, 4, 0]], index=NAMES, columns=NAMES)


@pytest.mark.parametrize("aggregate", [kemeny, borda, footrule, median_rank, plackett_luce, acyclic_majority])
def test_results_know_the_names(aggregate):
    found, plain = aggregate(RANKINGS), aggregate(RANKINGS.to_numpy())
    assert found.names == NAMES and plain.names is None
    for name in ("consensus", "relation"):
        if hasattr(plain, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))


def test_tiers_are_lists_of_names():
    tied = pd.DataFrame([[1, 1, 2], [2, 2, 1], [1, 1, 2]], columns=NAMES)
    assert kemeny(tied, output="weak").tiers == [["Ann", "Bob"], ["Cid"]]
    assert kemeny(tied.to_numpy(), output="weak").tiers == [[0, 1], [2]]
    assert kemeny(RANKINGS).tiers == [["Ann"], ["Bob"], ["Cid"]]


def test_rows_of_counts_are_matched_with_their_columns():
    want, mixed = kemeny(counts=WINS), WINS.loc[["Cid", "Ann", "Bob"]]
    assert kemeny(counts=mixed).tiers == want.tiers == [["Ann"], ["Bob"], ["Cid"]]
    model = bradley_terry(mixed, ties=pd.DataFrame(1.0, NAMES, NAMES).loc[["Bob", "Ann", "Cid"]])
    plain = bradley_terry(WINS.to_numpy(), ties=np.ones((3, 3)))
    np.testing.assert_allclose(model.utilities, plain.utilities, rtol=1e-12)
    assert model.names == NAMES
    with pytest.raises(ValueError, match="counts lacks the columns 'Cid' and has 'Dan'"):
        kemeny(counts=WINS.rename(index={"Cid": "Dan"}))


def test_messages_call_items_by_their_names():
    bad = RANKINGS.copy()
    bad.loc[2, "Bob"] = -5
    with pytest.raises(ValueError, match="rankings, row 2: found -5 in column 'Bob'"):
        kemeny(bad)
    with pytest.raises(ValueError, match="no other item is ever before item 'Ann'"):
        plackett_luce(RANKINGS[:1])


@pytest.mark.parametrize(
    ("rankings", "row"),
    [
        ([["a", "b", "c"], ["c", "a", "b"]], "0: found .*'a', 'b', 'c'"),
        ([[1, 2, 3], [2, 1]], r"1: found \[2, 1\], of another length than row 0"),
        (["a>b>c", "c>b>a"], "0: found 'a>b>c'"),
    ],
)
def test_lists_of_items_name_their_converter(rankings, row):
    message = f"rankings, row {row}.*; structures.Permutations.from_orders makes positions of lists of items from"
    for method in (kemeny, borda, plackett_luce):
        with pytest.raises(ValueError, match=message):
            method(rankings)
