"""Partial orders of probabilities of pairs, and how much they say: against all thresholds, closures and pairs."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import ProbabilisticStructured
from combpred.metrics import abstention_curve, kendall_tau, pair_completeness, pair_gamma
from combpred.ranking import NearestNeighborsLabelRanker, partial_orders
from combpred.ranking._preferences import read_preferences
from combpred.structures import PartialOrders
from rankers import FORMATS, small_data


def closure(relation):
    """Return the transitive closure of a relation, by adding what two pairs imply until nothing is new."""
    while (new := relation | (relation.astype(int) @ relation > 0)).sum() > relation.sum():
        relation = new
    return relation


def by_thresholds(p, least):
    """Return the first closure without a cycle of the thresholds from `least` on, and its threshold."""
    p = np.where(np.eye(len(p), dtype=bool), 0.0, p)
    for q in np.unique([least, *p[p > least]]):
        if not (relation := closure(p > q)).diagonal().any():
            return relation, q
    raise AssertionError("no threshold is without a cycle")


def random_proba(n, k, levels, seed=0):
    """Return reciprocal probabilities that are multiples of 1/levels, or of anything where it is None."""
    upper = np.random.default_rng(seed).random((n, k * (k - 1) // 2))
    return upper if levels is None else np.round(upper * levels) / levels


def squared(upper, k):
    square = np.full((len(upper), k, k), 0.5)
    u, v = np.triu_indices(k, 1)
    square[:, u, v], square[:, v, u] = upper, 1 - upper
    return square


@pytest.mark.parametrize("levels", [None, 10, 4])  # multiples of 1/4: half of all pairs are 1/2
@pytest.mark.parametrize("threshold", ["least", 0.5, 0.62, 0.8])
def test_the_least_threshold_without_a_cycle(levels, threshold):
    upper = random_proba(60, 5, levels)
    square, start = squared(upper, 5), 0.5 if threshold == "least" else threshold
    expected = [by_thresholds(p, start) for p in square]
    np.testing.assert_array_equal(partial_orders(square, threshold=threshold), [relation for relation, _ in expected])
    np.testing.assert_array_equal(partial_orders(upper, threshold=threshold), [relation for relation, _ in expected])
    if threshold == "least" and levels != 4:
        assert 20 < sum(q > 0.5 for _, q in expected) < 60  # rows with cycles and rows without


def test_answers_are_partial_orders_and_complete_where_nothing_conflicts():
    rng = np.random.default_rng(3)
    utilities = rng.normal(size=(40, 6))
    u, v = np.triu_indices(6, 1)
    clear = 1 / (1 + np.exp(utilities[:, v] - utilities[:, u]))
    PartialOrders(6).embed(partial_orders(random_proba(40, 6, None)))  # which checks them
    answers = partial_orders(clear)
    np.testing.assert_array_equal(answers, utilities[:, :, None] > utilities[:, None, :])
    assert partial_orders(np.full((1, 3), 0.5)).sum() == 0  # ties: nothing is said
    assert partial_orders(clear, threshold=0.9).sum() < answers.sum()


@pytest.mark.parametrize("form", FORMATS)
def test_neighbours_vote_on_pairs(form):
    X, y = small_data(form)
    X_new, _ = small_data(seed=1, n=20)
    row_weights = np.random.default_rng(2).random(60)
    ranker = NearestNeighborsLabelRanker(7, weights="distance").fit(X, y, row_weights)
    proba = ranker.predict_pairwise_proba(X_new)
    signs = read_preferences(y).signs.astype(float)
    expected = []
    for distances in np.sqrt(((X_new[:, None] - X) ** 2).sum(axis=2)):
        nearest = np.argsort(distances)[:7]
        expected.append(np.average((1 + signs[nearest]) / 2, axis=0, weights=row_weights[nearest] / distances[nearest]))
    np.testing.assert_allclose(proba, squared(np.array(expected), 4), atol=1e-12)
    for threshold in ("least", 0.75):
        given = {"threshold": threshold}
        np.testing.assert_array_equal(ranker.predict_partial_order(X_new, **given), partial_orders(proba, **given))


def test_agreement_is_a_complete_order_and_disagreement_none():
    X, y = [[0.0], [0.1], [5.0], [5.1]], [[2, 1, 3], [2, 1, 3], [1, 2, 3], [3, 2, 1]]
    ranker = NearestNeighborsLabelRanker(2).fit(X, y)
    orders = ranker.predict_partial_order([[0.0], [5.0]])
    np.testing.assert_array_equal(orders[0].sum(axis=1), [1, 2, 0])
    assert not orders[1].any()


def test_marginals_of_distributions_are_probabilities_too():
    X, y = small_data()
    model = ProbabilisticStructured("permutations").fit(X, y)
    proba = (1 + model.predict_marginals(X)) / 2
    curve = abstention_curve(y, proba)
    assert curve.completeness[0] > 0.99  # rankings' own marginals hardly contradict themselves
    assert curve.correctness[0] > 0.3
    least = partial_orders(proba)
    assert curve.correctness[0] == pytest.approx(pair_gamma(y, least), abs=1e-12)


def test_metrics_count_pairs():
    rng = np.random.default_rng(5)
    y = np.array([rng.permutation(5) + 1 for _ in range(30)])
    y[rng.random(y.shape) < 0.2] = -1
    y[::7, 0] = y[::7, 1]
    predicted = partial_orders(random_proba(30, 5, 10, seed=2), threshold=0.6)
    gamma, completeness = [], []
    for row, relation in zip(y, predicted, strict=True):
        known = right = wrong = 0
        for u in range(5):
            for v in range(5):
                if row[u] != -1 and row[v] != -1 and row[u] < row[v]:
                    known, right, wrong = known + 1, right + relation[u, v], wrong + relation[v, u]
        completeness.append((right + wrong) / known if known else np.nan)
        gamma.append((right - wrong) / (right + wrong) if right + wrong else np.nan)
    np.testing.assert_allclose(pair_completeness(y, predicted, per_row=True), completeness)
    np.testing.assert_allclose(pair_gamma(y, predicted, per_row=True), gamma)
    weights = rng.random(30)
    counts = ~np.isnan(gamma)
    mean = np.average(np.array(gamma)[counts], weights=weights[counts])
    assert pair_gamma(y, predicted, sample_weight=weights) == pytest.approx(mean, abs=1e-12)
    full, other = (np.array([rng.permutation(5) + 1 for _ in range(30)]) for _ in range(2))
    np.testing.assert_allclose(pair_gamma(full, other, per_row=True), kendall_tau(full, other, per_row=True))
    assert pair_completeness(full, other) == 1.0


@pytest.mark.parametrize("levels", [None, 10])
def test_curve_is_that_of_all_thresholds(levels):
    rng = np.random.default_rng(6)
    y = np.array([rng.permutation(4) + 1 for _ in range(40)])
    y[3] = -1  # says nothing
    weights, proba = rng.random(40), random_proba(40, 4, levels, seed=3)
    curve = abstention_curve(y, proba, sample_weight=weights)
    assert curve.thresholds[0] == 0.5
    assert len(curve.thresholds) == (101 if levels is None else 5)
    assert (np.diff(curve.completeness) < 0).all()  # each threshold changes something
    for q, completeness, correctness in zip(curve.thresholds, curve.completeness, curve.correctness, strict=True):
        answers = partial_orders(proba, threshold=q)
        assert completeness == pytest.approx(pair_completeness(y, answers, sample_weight=weights), abs=1e-12)
        assert correctness == pytest.approx(pair_gamma(y, answers, sample_weight=weights), abs=1e-12)
    silent = abstention_curve(y, np.full((40, 6), 0.5), thresholds=[0.5, 0.9])
    assert not silent.completeness.any()
    assert np.isnan(silent.correctness).all()


def test_what_is_refused():
    for threshold in ("most", 0.4, 1.0, None):
        with pytest.raises(ValueError):
            partial_orders([[0.5]], threshold=threshold)
    with pytest.raises(ValueError) as caught:
        partial_orders([[0.5, 0.5, 0.5], [0.1, 1.5, 0.2]])
    assert caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        partial_orders([[[0.5, 0.6], [0.6, 0.5]]])
    assert caught.value.row == 0
    with pytest.raises(ValueError):
        partial_orders([[0.5, 0.5]])
    with pytest.raises(ValueError):
        abstention_curve([[1, 2]], [[0.5]], thresholds=[0.3])
    with pytest.raises(ValueError) as caught:
        pair_gamma([[1, 2], [1, -2]], [[1, 2], [1, 2]])
    assert (caught.value.argument, caught.value.row) == ("y_true", 1)
    for metric in (pair_gamma, pair_completeness, lambda y, _: abstention_curve(y, [[0.5]])):
        with pytest.raises(ValueError):
            metric([[1, -1]], [[1, 2]])
    with pytest.raises(ValueError):
        abstention_curve([[1, 2, 3]], [[0.5]])
