"""Masked arrays: what is under the mask is never taken for data."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import ProbabilisticStructured, StructuredRidge, metrics
from combpred.aggregation import kemeny
from combpred.ranking import LabelRankingSVM

X = np.random.default_rng(0).normal(size=(6, 2))
RANKS = np.array([[1, 2, 3], [3, 1, 2]] * 3)


def masked(values, row):
    mask = np.zeros(values.shape, dtype=bool)
    mask[row, ...] = True
    return np.ma.masked_array(values, mask)


@pytest.mark.parametrize("estimator", [StructuredRidge("permutations"), ProbabilisticStructured("permutations")])
def test_masked_entries_are_refused_wherever_they_are(estimator):
    for call in (
        lambda: estimator.fit(masked(X, 2), RANKS),
        lambda: estimator.fit(X, masked(RANKS, 2)),
        lambda: estimator.fit(X, RANKS, sample_weight=masked(np.ones(6), 2)),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.row == 2
    estimator.fit(X, RANKS)
    with pytest.raises(ValueError, match="X, row 4: an entry is masked"):
        estimator.predict(masked(X, 4))
    with pytest.raises(ValueError) as caught:
        estimator.score(X, masked(RANKS, 4))
    assert caught.value.row == 4


def test_other_readers_refuse_them_too():
    for call in (
        lambda: LabelRankingSVM().fit(X, masked(RANKS, 1)),
        lambda: kemeny(masked(RANKS, 1)),
        lambda: metrics.kendall_tau(masked(RANKS, 1), RANKS),
        lambda: metrics.accuracy(RANKS, masked(RANKS, 1)),
        lambda: metrics.neg_absolute_error(masked(RANKS[:, 0], 1), RANKS[:, 0]),
        lambda: StructuredRidge("labelsets").fit(X, masked(RANKS % 2, 1)),
        lambda: StructuredRidge("multiclass").fit(X, masked(RANKS[:, 0], 1)),
        lambda: StructuredRidge("ordinal").fit(X, masked(RANKS[:, 0] - 1, 1)),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.row == 1


def test_masks_without_masked_entries_are_arrays():
    plain = StructuredRidge("permutations").fit(X, RANKS)
    same = StructuredRidge("permutations").fit(np.ma.masked_array(X), np.ma.masked_array(RANKS))
    np.testing.assert_array_equal(plain.predict(X), same.predict(np.ma.masked_array(X)))
