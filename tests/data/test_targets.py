"""Targets as learners see them, and errors about them."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest

from combpred import StructuredRidge
from combpred._data.listings import positions_by_score
from combpred._data.targets import TargetError, doubt_numbers
from combpred.structures import LabelSets, Permutations, WeakOrders
from moved_errors import shows_another_row_everywhere


def test_labels_of_equal_score_are_ranked_by_their_number():
    np.testing.assert_array_equal(
        positions_by_score(np.array([[0.0, 2.0, 0.0, -1.0], [1.0] * 4])), [[2, 1, 3, 4], [1, 2, 3, 4]]
    )


def test_errors_of_another_row_name_the_same_argument():
    error = TargetError(1, "r", "y_pred").at(8)
    assert isinstance(error, TargetError)
    assert (error.row, error.argument, str(error)) == (8, "y_pred", "y_pred, row 8: r")
    shows_another_row_everywhere(TargetError(1, "r", "y_pred"))


@pytest.mark.parametrize("seed", range(10))
def test_no_rankings_are_doubted(seed):
    rng = np.random.default_rng(seed)
    for n, k in itertools.product((2, 3, 5, 10, 40), range(2, 7)):
        scores = pd.DataFrame(rng.normal(size=(n, k)) + 3 * rng.random(k))
        for known, method in itertools.product((scores, scores.round(), scores.round(1)), ("dense", "min", "max")):
            ranks = known.rank(axis=1, method=method)
            for given in (
                ranks,
                ranks - 1,
                ranks.clip(upper=k // 2 + 1),
                ranks.where(ranks < k, 99),
                ranks.mask(scores > 2),
            ):
                assert doubt_numbers(given.to_numpy(), "y", "item", None) is None


@pytest.mark.parametrize("n_labels, listed", [(3, 1), (4, 1), (4, 2), (6, 3)])
def test_zeros_for_labels_that_are_not_listed_are_doubted_and_what_the_message_says_mends_them(n_labels, listed):
    rng = np.random.default_rng(n_labels)
    ranks = np.argsort(rng.random((6, n_labels)), axis=1) + 1
    y = np.where(ranks > listed, 0, ranks)
    doubt = doubt_numbers(y, "y", "label", None)
    assert doubt is not None and f"pandas.DataFrame(y).replace(0, {n_labels + 1})" in doubt
    mended = pd.DataFrame(y).replace(0, n_labels + 1).to_numpy()
    assert doubt_numbers(mended, "y", "label", None) is None
    tiers = [[[np.flatnonzero(row == rank)[0]] for rank in range(1, listed + 1)] for row in y]
    last = [[np.flatnonzero(row == 0).tolist()] for row in y]
    expected = WeakOrders.from_tiers([[*a, *b] for a, b in zip(tiers, last, strict=True)], labels=range(n_labels))
    space = WeakOrders(n_labels)
    np.testing.assert_array_equal(space.embed(mended), space.embed(expected))


def test_rankings_from_zero_are_not_doubted_where_one_label_is_first():
    y = np.array([[0, 0, 1], [0, 0, 1], [1, 0, 0]] * 10)
    assert doubt_numbers(y, "y", "label", None) is not None
    assert doubt_numbers(np.r_[y, [[0, 1, 2]]], "y", "label", None) is None


def test_zeros_are_first_where_other_positions_are_shared_or_few_rows_have_them():
    lists = np.array([[0, 0, 1, 2], [1, 0, 2, 0], [2, 1, 0, 0]] * 5)
    assert doubt_numbers(lists, "y", "label", None) is not None
    assert doubt_numbers(lists[:5], "y", "label", None) is None
    assert doubt_numbers(np.r_[lists, [[0, 1, 1, 2]]], "y", "label", None) is None  # a ranking from 0 on
    lengths = np.r_[lists, [[0, 0, 0, 1], [1, 2, 3, 4], [0, 0, 0, 0]]]
    assert doubt_numbers(lengths, "y", "label", None) is not None
    assert doubt_numbers(np.r_[lists[:5], lengths[15:]], "y", "label", None) != doubt_numbers(
        lengths, "y", "label", None
    )


@pytest.mark.parametrize(
    ("lists", "converter", "made"),
    [
        (["tea>milk", "milk>tea", "tea>milk>cola", "cola>milk>tea"], "Permutations.from_orders(y, sep='>')", (4, 3)),
        (["red|sweet", "sweet", "red|sour", "sour|sweet"], "LabelSets.from_sets(y, sep='|')", (4, 3)),
        (["red; sweet", "sweet; sour", "red; sour", "bitter"], "LabelSets.from_sets(y, sep=';')", (4, 4)),
    ],
)
def test_classes_that_share_their_parts_are_doubted_and_converted_by_the_call_that_is_named(lists, converter, made):
    X, y = np.arange(16.0).reshape(8, 2), np.array(lists * 2)
    with pytest.warns(UserWarning):
        StructuredRidge().fit(X, y)
    assert eval(converter, {"Permutations": Permutations, "LabelSets": LabelSets, "y": y[:4]}).shape == made
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert StructuredRidge(structure="multiclass").fit(X, y).classes_.tolist() == sorted(lists)


@pytest.mark.parametrize(
    "classes",
    [
        ["Portland, Oregon", "Salem, Oregon", "Austin, Texas", "Dallas, Texas"],
        [">50K", "<=50K", ">100K", ">10K"],
        ["AC/DC", "DC/AC", "AC", "DC"],
        ["a|b", "b|a", "c", "d"],
    ],
)
def test_classes_with_marks_are_classes(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredRidge().fit(np.arange(16.0).reshape(8, 2), np.array(classes * 2))
