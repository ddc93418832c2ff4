"""Names of items, which the columns of data frames give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

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
    with pytest.raises(ValueError, match="counts lacks the rows 'Cid' and has 'Dan'"):
        kemeny(counts=WINS.rename(index={"Cid": "Dan"}))


@pytest.mark.parametrize("order", [["Cid", "Ann", "Bob"], ["Bob", "Cid", "Ann"]])
def test_rows_of_covariates_are_matched_with_the_items(order):
    features = pd.DataFrame({"age": [30.0, 20.0, 50.0], "wins": [1.0, 4.0, 2.0]}, index=NAMES)
    want = bradley_terry(WINS.to_numpy(), covariates=features.to_numpy(), penalty=0.1)
    found = bradley_terry(WINS, covariates=features.loc[order], penalty=0.1)
    np.testing.assert_allclose(found.coef, want.coef, rtol=1e-10)
    np.testing.assert_allclose(found.utilities, want.utilities, rtol=1e-10)
    assert not np.allclose(features.loc[order].to_numpy(), features.to_numpy())
    with pytest.raises(ValueError):
        bradley_terry(WINS, covariates=features.rename(index={"Cid": "Dan"}), penalty=0.1)
    with pytest.raises(ValueError) as caught:
        bradley_terry(WINS, covariates=features.assign(age=[30.0, np.nan, 50.0]), penalty=0.1)
    assert "covariate" in str(caught.value) and caught.value.row == 1


def masked(values):
    return np.ma.masked_equal(np.asarray(values, dtype=float), 4)


def test_tables_of_pairs_are_read_as_rankings_are():
    counts = WINS.to_numpy()
    for call, argument, row in (
        (lambda: kemeny(counts=masked(counts)), "counts", 2),
        (lambda: acyclic_majority(counts=masked(counts)), "counts", 2),
        (lambda: bradley_terry(masked(counts)), "wins", 2),
        (lambda: bradley_terry(WINS, ties=masked(4 * (1 - np.eye(3)))), "ties", 0),
        (lambda: bradley_terry(WINS, covariates=masked([[1], [4], [2]]), penalty=0.1), "covariates", 1),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert (caught.value.argument, caught.value.row) == (argument, row)
    with pytest.raises(TypeError):
        kemeny(counts=csr_array(counts))
    with pytest.raises(ValueError):
        bradley_terry(WINS.astype("Int64").mask(WINS == 8))
    with pytest.raises(ValueError):
        kemeny(counts=-np.where(counts == 8, counts, 0))


def test_approvals_are_no_positions():
    approved = RANKINGS == 1
    for method in (kemeny, borda, footrule, median_rank, plackett_luce, acyclic_majority):
        with pytest.raises(ValueError):
            method(approved)
    found = borda(pd.DataFrame(np.where(approved, 1, 2), columns=NAMES))
    assert found.tiers[0] == ["Ann"]  # whom two of four approve, and one each of the others


@pytest.mark.parametrize("aggregate", [kemeny, borda, footrule, median_rank, acyclic_majority])
def test_items_that_nothing_is_said_of_stand_somewhere(aggregate):
    alone = RANKINGS.astype(float).assign(Cid=np.nan)
    alone.loc[4] = [np.nan, np.nan, 1.0]  # the only item of a ranking is compared with none
    found = aggregate(alone)
    assert found.names == NAMES


def test_messages_call_items_by_their_names():
    bad = RANKINGS.copy()
    bad.loc[2, "Bob"] = -5
    with pytest.raises(ValueError) as caught:
        kemeny(bad)
    assert (caught.value.argument, caught.value.row) == ("rankings", 2)
    with pytest.raises(ValueError):
        plackett_luce(RANKINGS[:1])


@pytest.mark.parametrize("rankings", [[["a", "b", "c"], ["c", "a", "b"]], [[1, 2, 3], [2, 1]], ["a>b>c", "c>b>a"], {}])
def test_what_is_no_table_of_numbers_is_refused(rankings):
    for method in (kemeny, borda, plackett_luce):
        with pytest.raises(ValueError):
            method(rankings)


@pytest.mark.parametrize("aggregate", [kemeny, borda, footrule, median_rank, acyclic_majority])
def test_numbers_are_positions_whatever_they_are(aggregate):
    stars = pd.DataFrame(np.random.default_rng(0).integers(1, 6, size=(40, 3)), columns=NAMES)
    for method in ("dense", "min", "max", "average"):
        assert repr(aggregate(stars.rank(axis=1, method=method))) == repr(aggregate(stars / 2))
    aggregate(RANKINGS.reset_index())  # numbers of rows are positions, too


@pytest.mark.parametrize("count", [bradley_terry, lambda given: kemeny(counts=given)])
def test_pairs_row_by_row_are_counted_first(count):
    pairs = [("Ann", "Bob"), ("Ann", "Cid"), ("Bob", "Cid"), ("Bob", "Ann"), ("Cid", "Ann")]
    table = pd.DataFrame(pairs, columns=["winner", "loser"])
    for given in (pairs, table):
        with pytest.raises(ValueError):
            count(given)
    counted = pd.crosstab(table.winner, table.loser).reindex(index=NAMES, columns=NAMES, fill_value=0)
    assert count(counted).names == NAMES and count(counted).consensus[1] == 1  # Bob wins two of three
    with pytest.raises(ValueError):
        count(RANKINGS)
