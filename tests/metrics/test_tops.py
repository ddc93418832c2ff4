"""Metrics of the tops of rankings against all ways to break ties, scikit-learn and sums that are written out."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import ndcg_score
from sklearn.utils._param_validation import InvalidParameterError

from combpred.metrics import get_scorer, ndcg, rank_biased_overlap, top_k_recall

RNG = np.random.default_rng(0)
TRUE, PREDICTED = RNG.integers(1, 5, size=(40, 4)), RNG.integers(1, 5, size=(40, 4))  # most rows have ties


def orders(positions):
    """Return all orders of labels that ties leave open."""
    return [
        order
        for order in permutations(range(len(positions)))
        if all(positions[u] <= positions[v] for u, v in zip(order, order[1:], strict=False))
    ]


def mean_over_ties(metric, truth, predicted):
    return np.mean([metric(a, b) for a in orders(truth) for b in orders(predicted)])


def overlap(a, b, p):
    """Return the extrapolated rank-biased overlap of two lists of the same labels."""
    k = len(a)
    common = [len(set(a[:d]) & set(b[:d])) for d in range(1, k + 1)]
    total = sum((1 - p) / p * common[d - 1] / d * p**d for d in range(1, k + 1))
    return total + common[-1] / k * p**k


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_recall_is_the_mean_over_broken_ties(k):
    expected = [
        mean_over_ties(lambda a, b: len(set(a[:k]) & set(b[:k])) / k, *pair)
        for pair in zip(TRUE, PREDICTED, strict=True)
    ]
    np.testing.assert_allclose(top_k_recall(TRUE, PREDICTED, k=k, per_row=True), expected, atol=1e-12)


@pytest.mark.parametrize("p", [0.2, 0.9])
def test_overlap_is_the_mean_over_broken_ties(p):
    expected = [mean_over_ties(lambda a, b: overlap(a, b, p), *pair) for pair in zip(TRUE, PREDICTED, strict=True)]
    np.testing.assert_allclose(rank_biased_overlap(TRUE, PREDICTED, p=p, per_row=True), expected, atol=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_gain_is_that_of_scikit_learn(k):
    behind = (TRUE[:, :, None] < TRUE[:, None]).sum(axis=2) + ((TRUE[:, :, None] == TRUE[:, None]).sum(axis=2) - 1) / 2
    weights = RNG.random(40)
    expected = ndcg_score(behind, -PREDICTED, k=k, sample_weight=weights)
    assert ndcg(TRUE, PREDICTED, k=k, sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    rows = [ndcg_score(behind[[i]], -PREDICTED[[i]], k=k) for i in range(40)]
    np.testing.assert_allclose(ndcg(TRUE, PREDICTED, k=k, per_row=True), rows, atol=1e-12)


@pytest.mark.parametrize("metric", [top_k_recall, ndcg, rank_biased_overlap])
def test_unknown_labels_are_left_out_of_both(metric):
    truth = [[2, -1, 1, 3, -1], [-1, -1, -1, 1, -1], [1, 2, 3, 4, 5]]
    predicted = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [1, 2, 3, 4, 5]]
    expected = metric([[2, 1, 3]], [[1, 3, 4]])
    np.testing.assert_allclose(metric(truth, predicted, per_row=True), [expected, np.nan, 1.0])
    assert metric(truth, predicted, sample_weight=[3, 9, 1]) == pytest.approx((3 * expected + 1) / 4)
    with pytest.raises(ValueError):
        metric([[1, -1, -1]], [[1, 2, 3]])
    assert top_k_recall(truth, predicted, k=5, per_row=True)[0] == pytest.approx(1.0)


def test_bad_arguments_are_named():
    for k in (0, 5, 1.5, True):
        for metric in (top_k_recall, ndcg):
            with pytest.raises(InvalidParameterError) as refused:
                metric(TRUE, PREDICTED, k=k)
            assert str(refused.value).startswith("k must be")
    with pytest.raises(InvalidParameterError):
        top_k_recall(TRUE, PREDICTED, k=None)
    for p in (0.0, 1.0, "high", np.nan):
        with pytest.raises((TypeError, ValueError)):
            rank_biased_overlap(TRUE, PREDICTED, p=p)
    with pytest.raises(ValueError) as caught:
        ndcg([[1, 2], [1, 2]], [[1, 2], [-1, 1]])
    assert "y_pred" in str(caught.value) and caught.value.row == 1


def test_scorers_take_their_arguments():
    class Fixed(BaseEstimator):
        def predict(self, X):
            return PREDICTED

    for name, metric, params in (
        ("top_k_recall", top_k_recall, {"k": 2}),
        ("ndcg", ndcg, {"k": 3}),
        ("rank_biased_overlap", rank_biased_overlap, {}),
    ):
        assert get_scorer(name, **params)(Fixed(), None, TRUE) == metric(TRUE, PREDICTED, **params)
