"""Consensus of the nearest neighbours: against loops over neighbours and enumeration of all rankings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics.pairwise import euclidean_distances

from combpred import NumericalError
from combpred.aggregation.utilities import fit_plackett_luce
from combpred.ranking import NearestNeighborsLabelRanker
from combpred.ranking._preferences import read_preferences
from rankers import FORMATS, small_data

EVERY = np.array(list(itertools.permutations(range(1, 5))))  # positions of four labels
SIGNS = read_preferences(EVERY).signs.astype(int)
KNN = {"n_neighbors": 7, "aggregation": "kemeny"}
WEIGHTS = {"uniform": np.ones_like, "distance": lambda d: 1 / d, "callable": lambda d: np.exp(-d)}


def neighbourhoods(X, X_new, weighing, row_weights=None, count=7):
    """Yield the numbers of the neighbours of each new row and their weights, by sorting all distances."""
    for distances in euclidean_distances(X_new, X):
        nearest = np.argsort(distances)[:count]
        weights = WEIGHTS[weighing](distances[nearest])
        yield nearest, weights if row_weights is None else weights * row_weights[nearest]


@pytest.mark.parametrize("weighing", WEIGHTS)
def test_borda_sorts_by_mean_position(weighing):
    X, y = small_data()
    X_new, _ = small_data(seed=1)
    row_weights = np.random.default_rng(2).random(60) + 0.1
    given = WEIGHTS["callable"] if weighing == "callable" else weighing
    ranker = NearestNeighborsLabelRanker(7, weights=given).fit(X, y, row_weights)
    scores = ranker.label_scores(X_new)
    for i, (nearest, weights) in enumerate(neighbourhoods(X, X_new, weighing, row_weights)):
        np.testing.assert_allclose(scores[i], 5 - 2 * np.average(y[nearest], axis=0, weights=weights), atol=1e-12)


def test_borda_counts_preferences_that_are_stated():
    X, y = small_data("incomplete")
    scores = NearestNeighborsLabelRanker(7).fit(X, y).label_scores(X)
    for i, (nearest, _) in enumerate(neighbourhoods(X, X, "uniform")):
        for u in range(4):
            rows = y[nearest][y[nearest][:, u] != -1]
            known = rows != -1
            wins = (known & (rows > rows[:, u : u + 1])).sum() - (known & (rows < rows[:, u : u + 1])).sum()
            assert scores[i, u] == pytest.approx(wins / 7, abs=1e-12)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("weighing", WEIGHTS)
def test_kemeny_reverses_the_least_weight_of_all_rankings(form, weighing):
    X, y = small_data(form)
    X_new, _ = small_data(seed=1, n=30)
    row_weights = np.random.default_rng(2).random(60)
    given = WEIGHTS["callable"] if weighing == "callable" else weighing
    predicted = NearestNeighborsLabelRanker(**KNN, weights=given).fit(X, y, row_weights).predict(X_new)
    stated = read_preferences(y).signs.astype(int)
    at = {tuple(row): i for i, row in enumerate(EVERY)}
    for i, (nearest, weights) in enumerate(neighbourhoods(X, X_new, weighing, row_weights)):
        reversed_weight = weights @ (stated[nearest][:, None] * SIGNS[None] == -1).sum(axis=2)
        assert reversed_weight[at[tuple(predicted[i])]] <= reversed_weight.min() + 1e-9


def test_mallows_has_the_largest_likelihood_of_all_centres_and_concentrations():
    X, y = small_data()
    X_new, _ = small_data(seed=1, n=12)
    row_weights = np.random.default_rng(2).random(60)
    ranker = NearestNeighborsLabelRanker(7, aggregation="mallows").fit(X, y, row_weights)
    estimate = ranker.predict_mallows(X_new)
    np.testing.assert_array_equal(estimate.positions, ranker.predict(X_new))
    stated = read_preferences(y).signs.astype(int)
    for i, (nearest, weights) in enumerate(neighbourhoods(X, X_new, "uniform", row_weights)):
        found = []
        for signs in SIGNS:  # each ranking as the centre
            distances = (stated[nearest] * signs == -1).sum(axis=1)
            from_centre = (SIGNS * signs == -1).sum(axis=1)

            def loss(theta, distances=distances, from_centre=from_centre, weights=weights):
                return weights @ (theta * distances + np.log(np.exp(-theta * from_centre).sum()))

            best = minimize_scalar(loss, bounds=(0, 30), method="bounded", options={"xatol": 1e-10})
            found.append((best.fun, best.x))
        least = min(found)
        centre = [tuple(row) for row in EVERY].index(tuple(estimate.positions[i]))
        assert found[centre][0] <= least[0] + 1e-9
        if np.isfinite(estimate.theta[i]):
            assert estimate.theta[i] == pytest.approx(found[centre][1], abs=1e-5)
        else:
            assert found[centre][0] < 1e-9  # nothing contradicts the centre


@pytest.mark.parametrize("form", FORMATS)
def test_mallows_expects_as_many_contradictions_as_there_are(form):
    X, y = small_data(form)
    estimate = NearestNeighborsLabelRanker(9, aggregation="mallows").fit(X, y).predict_mallows(X)
    stated = read_preferences(y).signs.astype(int)
    finite = 0
    for i, (nearest, _) in enumerate(neighbourhoods(X, X, "uniform", count=9)):
        centre = read_preferences(estimate.positions[i : i + 1]).signs[0].astype(int)
        observed = (stated[nearest] * centre == -1).sum()
        assert (observed == 0) == np.isinf(estimate.theta[i])
        weights = np.exp(-min(estimate.theta[i], 700.0) * (SIGNS * centre == -1).sum(axis=1))
        p = weights / weights.sum()
        expected = (p @ (SIGNS * centre == -1)) @ np.abs(stated[nearest]).sum(axis=0)
        assert expected == pytest.approx(observed, abs=1e-9)
        assert estimate.probability[i] == pytest.approx(p.max(), abs=1e-9)
        finite += bool(np.isfinite(estimate.theta[i]))
    assert finite > 10


def test_concentration_at_its_ends():
    X, y = np.arange(6.0)[:, None], [[1, 2, 3], [3, 2, 1], [1, 2, 3], [1, 2, 3], [-1, 1, -1], [2, 2, 2]]
    ranker = NearestNeighborsLabelRanker(2, aggregation="mallows", algorithm="kd_tree").fit(X, y)
    estimate = ranker.predict_mallows([[0.4], [2.4], [4.6]])  # as much for as against; agreement; nothing stated
    np.testing.assert_array_equal(estimate.theta, [0.0, np.inf, 0.0])
    np.testing.assert_allclose(estimate.probability, [1 / 6, 1.0, 1 / 6], rtol=0, atol=1e-12)
    nearly = NearestNeighborsLabelRanker(2, aggregation="mallows", weights=lambda d: np.tile([1e9, 1.0], (len(d), 1)))
    theta = nearly.fit(X, y).predict_mallows([[0.4]]).theta
    assert 20 < theta < 21  # e^-θ is about 1e-9 for pairs of neighbours in the centre


@pytest.mark.parametrize("form", ["full", "incomplete"])
def test_plackett_luce_has_the_largest_penalised_likelihood(form):
    X, y = small_data(form)
    X_new, _ = small_data(seed=1, n=8)
    row_weights = np.random.default_rng(2).random(60)
    ranker = NearestNeighborsLabelRanker(7, aggregation="plackett-luce", penalty=0.05).fit(X, y, row_weights)
    scores = ranker.label_scores(X_new)
    for i, (nearest, weights) in enumerate(neighbourhoods(X, X_new, "uniform", row_weights)):

        def loss(u, nearest=nearest, weights=weights):
            total = 0.5 * 0.05 * (u**2).sum()
            for row, weight in zip(y[nearest], weights, strict=True):
                order = [label for label in np.argsort(row) if row[label] != -1]
                total -= weight * sum(u[order[t]] - np.log(np.exp(u[order[t:]]).sum()) for t in range(len(order)))
            return total

        best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
        assert loss(scores[i]) <= best.fun + 1e-12
        np.testing.assert_allclose(scores[i], best.x, rtol=0, atol=1e-5)
    np.testing.assert_allclose(scores.sum(axis=1), 0.0, atol=1e-9)


def test_plackett_luce_of_rankings_that_agree_is_finite_and_agrees():
    """Nothing contradicts the order, so that only the penalty, however small, keeps utilities finite."""
    ranks = np.tile(np.arange(1, 13, dtype=np.int32), (2, 20, 1))
    ranks[1, :, 3] = 0
    utilities = fit_plackett_luce(ranks, np.ones((2, 20)), 1e-6)
    assert np.isfinite(utilities).all() and (np.diff(utilities[0]) < -1).all()
    assert utilities[1, 3] == pytest.approx(0.0, abs=1e-6)  # a label that no ranking has


def test_plackett_luce_of_large_weights_has_utilities_of_mean_zero():
    # Many equal rankings are fitted as without a penalty: 1e6 and 1e15 of each give the same but for 1e-6.
    ranks = np.array([EVERY[[0, 5, 9, 14, 20, 21]]], dtype=np.int32)
    few, many = (fit_plackett_luce(ranks, np.full((1, 6), weight), 0.1) for weight in (1e6, 1e15))
    np.testing.assert_allclose(many, few, atol=1e-5)
    assert abs(many.mean()) < 1e-6


def test_a_penalty_that_is_lost_beside_the_weights_is_an_error():
    with pytest.raises(NumericalError) as caught:
        fit_plackett_luce(np.array([[[1, 2, 0, 0], [0, 1, 2, 0]]], dtype=np.int32), np.full((1, 2), 1e300), 0.1)
    assert caught.value.row == 0


def test_distances_of_zero_count_alone():
    X, y = small_data()
    ranker = NearestNeighborsLabelRanker(7, weights="distance").fit(X, y)
    np.testing.assert_array_equal(ranker.predict(X), y)
    assert np.isfinite(ranker.label_scores(np.nextafter(X, np.inf))).all()


# Squares of norms are 1e12, which products round by 1e-3: beside that, the distances below are nothing.
FAR = np.full(20, 1e6 / np.sqrt(20))


def near_rows(n=40):
    """Return rows far from 0 and near one another, at 1e-6, 1e-5, ... 0.1 from the first, each four times, with y."""
    rng = np.random.default_rng(0)
    away = rng.normal(size=(10, 20))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    X = FAR + np.array([0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0])[:, None] * away
    return np.tile(X, (4, 1))[:n], rng.permuted(np.tile([1, 2, 3, 4], (n, 1)), axis=1)


@pytest.mark.parametrize(
    ("container", "metric"),
    [
        *itertools.product((np.asarray, sparse.csr_matrix), ("euclidean", "l2")),
        (np.asarray, "sqeuclidean"),
        (np.asarray, "nan_euclidean"),
    ],
)
@pytest.mark.parametrize("k", [3, 7, 40])
def test_neighbours_are_those_by_differences_however_products_round(k, container, metric):
    """Against sorting sums of squared differences; of rows equally far, those that come first in training."""
    X, y = near_rows()
    ranker = NearestNeighborsLabelRanker(k, weights="distance", algorithm="brute", metric=metric).fit(container(X), y)
    squares = ((X[:, None, :] - X) ** 2).sum(axis=2)
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :k]
    # The four equal rows, or as many of them as there is room for, count alike and alone.
    mean = np.array([y[same[: min(k, 4)]].mean(axis=0) for same in nearest])
    np.testing.assert_allclose(ranker.label_scores(container(X)), 5 - 2 * mean, rtol=0, atol=1e-12)
    distances, neighbors = ranker._nearest(container(X))
    np.testing.assert_array_equal(neighbors, nearest)
    expected = np.take_along_axis(squares, nearest, axis=1)
    np.testing.assert_allclose(distances, expected if metric == "sqeuclidean" else np.sqrt(expected), rtol=1e-9, atol=0)


@pytest.mark.parametrize("k", [3, 7])
def test_sparse_and_dense_rows_have_the_same_neighbours_and_distances(k):
    """To the last bit, whichever of training and new rows are sparse; with few values, so that many are as far."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(200, 8)) / 3.0
    y = rng.permuted(np.tile([1, 2, 3], (200, 1)), axis=1)
    by_product = {"weights": "distance", "algorithm": "brute"}
    found = [
        NearestNeighborsLabelRanker(k, **by_product).fit(train(X), y)._nearest(new(X))
        for train in (np.asarray, sparse.csr_matrix)
        for new in (np.asarray, sparse.csr_matrix)
    ]
    tree = NearestNeighborsLabelRanker(k, weights="distance", algorithm="kd_tree").fit(X, y)._nearest(X)
    for distances, neighbors in found:
        np.testing.assert_array_equal(distances, tree[0])
        np.testing.assert_array_equal(neighbors, found[0][1])


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("metric", ["minkowski", "chebyshev", "manhattan"])
def test_new_rows_may_be_sparse_where_those_of_training_are_not(algorithm, metric):
    X, y = small_data()
    ranker = NearestNeighborsLabelRanker(3, algorithm=algorithm, metric=metric, weights="distance").fit(X[:40], y[:40])
    for container in (sparse.csr_matrix, sparse.csc_array):
        np.testing.assert_array_equal(ranker.predict(container(X)), ranker.predict(X))
        np.testing.assert_array_equal(ranker.predict_pairwise_proba(container(X)), ranker.predict_pairwise_proba(X))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_equal_directions_count_alike_and_alone(container):
    """Of cosine distances, which are products, what rounding alone can make is 0."""
    X = np.abs(near_rows(10)[0] - FAR)[4:]  # directions far from one another
    X, y = np.tile(X, (3, 1)), np.random.default_rng(0).permuted(np.tile([1, 2, 3, 4], (18, 1)), axis=1)
    ranker = NearestNeighborsLabelRanker(5, weights="distance", metric="cosine").fit(container(X), y)
    mean = np.tile(y.reshape(3, 6, 4).mean(axis=0), (3, 1))
    np.testing.assert_allclose(ranker.label_scores(container(X)), 5 - 2 * mean, rtol=0, atol=1e-12)


def test_neighbours_without_weight_prefer_nothing():
    X, y = small_data()
    ranker = NearestNeighborsLabelRanker(3, weights=np.zeros_like).fit(X, y)
    np.testing.assert_array_equal(ranker.label_scores(X[:2]), 0.0)
    np.testing.assert_array_equal(ranker.predict(X[:2]), [[1, 2, 3, 4]] * 2)


@pytest.mark.parametrize("aggregation", ["borda", "kemeny"])
def test_precomputed_distances_give_the_same(aggregation):
    X, y = small_data()
    distances = euclidean_distances(X)
    given = NearestNeighborsLabelRanker(4, aggregation=aggregation, metric="precomputed").fit(
        distances[:50, :50], y[:50]
    )
    direct = NearestNeighborsLabelRanker(4, aggregation=aggregation).fit(X[:50], y[:50])
    np.testing.assert_array_equal(given.predict(distances[50:, :50]), direct.predict(X[50:]))
    with pytest.raises(ValueError):
        given.fit(distances, y, np.arange(60))


def test_what_is_refused():
    X, y = small_data()
    with pytest.raises(ValueError):
        NearestNeighborsLabelRanker(61).fit(X, y)
    with pytest.raises(ValueError):
        NearestNeighborsLabelRanker(aggregation="median").fit(X, y)
    with pytest.raises(ValueError):
        NearestNeighborsLabelRanker(weights=lambda d: -d).fit(X, y).predict(X)
    for weights in (lambda d: np.full(d.shape, "m"), lambda d: d[:1], lambda d: None):
        with pytest.raises(ValueError) as caught:
            NearestNeighborsLabelRanker(weights=weights).fit(X, y).predict(X)
        assert "weights" in str(caught.value)
    with pytest.raises(ValueError):
        NearestNeighborsLabelRanker(algorithm="hash").fit(X, y)
    with pytest.raises(ValueError) as caught:
        NearestNeighborsLabelRanker(aggregation="plackett-luce").fit(X, (y + 1) // 2)
    assert caught.value.row == 0
    assert not hasattr(NearestNeighborsLabelRanker(), "predict_mallows")
