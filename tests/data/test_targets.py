"""Targets as learners see them, and errors about them."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from combpred._data.listings import positions_by_score
from combpred._data.targets import TargetError, doubt_numbers
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
