"""OnlineLabelRanker: its steps one by one in Python, and its mistakes against the bounds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from combpred.ranking import OnlineLabelRanker
from ranking_oracle import (
    hinge,
    random_preferences,
    row_losses,
    smallest_svm_objective,
    subgraphs,
    thirds,
    wrong,
)

DECOMPOSITIONS = ["edges", "stars", "sinks", "graph", thirds]  # no steps of which rounding makes, or breaks, ties
UPDATES = ["additive", "multiplicative", "primal-dual"]


def inputs(n=40, p=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def direction(scores, graph, decomposition):
    """Σ over wrong subgraphs of their share times the mean over their wrong edges of e_u − e_v."""
    total = np.zeros(len(scores))
    parts = subgraphs(graph, decomposition)
    for part in parts:
        bad = [(u, v) for u, v in part if scores[u] <= scores[v]]
        for u, v in bad:
            total[u] += 1.0 / len(bad) / len(parts)
            total[v] -= 1.0 / len(bad) / len(parts)
    return total


def stepwise(update, X, graphs, weights, decomposition, radius=0.1, rate=1.0):
    """Return the last weights, their mean over the rows, and the sums of mistakes and losses."""
    n, q, k = len(X), X.shape[1], graphs.shape[1]
    W, theta, mean, scale, mistakes, losses = np.zeros((k, q)), np.zeros((k, q)), np.zeros((k, q)), 0.0, 0.0, 0.0

    def exponentiated():
        t = rate * theta / (radius * scale)
        return radius * 2.0 * np.sinh(t) / (2.0 * np.cosh(t)).sum()

    for i in range(n):
        if update == "multiplicative" and weights[i] * (X[i] ** 2).max() > scale:
            scale = weights[i] * (X[i] ** 2).max()
            W = exponentiated()
        f = W @ X[i]
        mistakes += weights[i] * row_losses(f[np.newaxis], graphs[i : i + 1], decomposition, wrong)[0]
        losses += weights[i] * row_losses(f[np.newaxis], graphs[i : i + 1], decomposition, hinge)[0]
        move = weights[i] * np.outer(direction(f, graphs[i], decomposition), X[i])
        if update == "additive":
            W = W + move
        else:
            theta += move
            W = exponentiated()
        mean += weights[i] * W
    return W, mean / weights.sum(), mistakes, losses


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("update", ["additive", "multiplicative"])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_steps_are_those_of_the_definition(update, decomposition, average, container):
    X, y = inputs(), random_preferences(40, 4, 1)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=40)
    model = OnlineLabelRanker(update, decomposition=decomposition, average=average)
    for start in range(0, 40, 16):  # in blocks, which change nothing
        rows = slice(start, start + 16)
        model.partial_fit(container(X)[rows], y[rows], weights[rows])
    last, mean, mistakes, losses = stepwise(update, np.hstack([X, np.ones((40, 1))]), y, weights, decomposition)
    expected = mean if average else last
    np.testing.assert_allclose(model.coef_, expected[:, :3], atol=1e-12)
    np.testing.assert_allclose(model.intercept_, expected[:, 3], atol=1e-12)
    assert model.n_mistakes_ == pytest.approx(mistakes, rel=1e-12)
    assert model.loss_sum_ == pytest.approx(losses, rel=1e-12)
    assert model.weight_sum_ == pytest.approx(weights.sum(), rel=1e-12) and model.n_iter_ == 3


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_primal_dual_steps_minimise_distance_and_loss(decomposition, C):
    X, y = inputs(6), random_preferences(6, 3, 3)
    model = OnlineLabelRanker("primal-dual", C=C, decomposition=decomposition, average=False, fit_intercept=False)
    before = np.zeros((3, 3))
    for i in range(1, 6):
        row, graph = X[i : i + 1], y[i : i + 1]
        model.partial_fit(row, graph)
        # In W − before it is the objective of a support vector machine with the margins that are still missed.
        scores = before @ X[i]
        margins = 1.0 - scores[np.newaxis, :, np.newaxis] + scores[np.newaxis, np.newaxis, :]
        least = smallest_svm_objective(row, graph, decomposition, [C], margins)
        loss = row_losses(model.label_scores(row), graph, decomposition, hinge)[0]
        here = 0.5 * ((model.coef_ - before) ** 2).sum() + C * loss
        assert least - 1e-9 <= here <= 1.001 * least + 1e-9  # the duality gap is at most a thousandth of the dual
        before = model.coef_.copy()


def stream(seed, noise, n=150):
    """Return rows, rankings and weights U that rank them, with a margin of 1 where there is no noise."""
    rng = np.random.default_rng(seed)
    X, U = rng.normal(size=(n, 4)) * rng.uniform(0.2, 2.0), rng.normal(size=(4, 4))
    clean = X @ U.T
    gaps = np.diff(np.sort(clean, axis=1), axis=1).min(axis=1)
    keep = gaps > np.quantile(gaps, 0.3)
    X, U = X[keep], U / gaps[keep].min()
    scores = X @ U.T
    scores += noise * scores.std() * rng.normal(size=scores.shape)
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1, U


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("update", UPDATES)
def test_mistakes_stay_below_the_bound(update, decomposition, seed):
    for noise in (0.0, 0.3):
        X, y, U = stream(seed, noise)
        weights = np.random.default_rng(seed).uniform(0.2, 3.0, size=len(X)) if seed % 2 else np.ones(len(X))
        for passes in (1, 3):
            model = OnlineLabelRanker(
                update, decomposition=decomposition, fit_intercept=False, C=[0.01, 1.0, 100.0][seed % 3],
                radius=np.abs(U).sum(), eta0=[0.5, 1.0, 1.9][seed % 3], max_iter=passes, random_state=seed,
            ).fit(X, y, weights)  # fmt: skip
            bound = model.mistake_bound(X, y, U, sample_weight=weights, n_passes=passes)
            assert 0 < model.n_mistakes_ <= bound
            assert model.n_mistakes_ <= model.loss_sum_


def test_bounds_are_their_formulas():
    X, y, U = stream(3, 0.0)
    S, norm = (X**2).sum(axis=1).max(), (U**2).sum()
    model = OnlineLabelRanker(fit_intercept=False, decomposition="graph")
    assert model.mistake_bound(X, y, U) == pytest.approx(2 * S * norm)  # no loss: 2R²‖U‖²
    assert model.set_params(C=1e9, update="primal-dual").mistake_bound(X, y, U) == pytest.approx(1.001 * 2 * S * norm)
    radius, T = np.abs(U).sum(), (X**2).max()
    model.set_params(update="multiplicative", radius=radius)
    assert model.mistake_bound(X, y, U) == pytest.approx(2 * T * radius**2 * np.log(2 * 4 * 4))
    # At half its size the margins are ½, and the losses at most ½ each.
    loss = row_losses(X @ U.T / 2, y[:, :, None] < y[:, None, :], "graph", hinge).sum()
    a = np.sqrt(2 * S * norm / 4)
    model.set_params(update="additive")
    assert model.mistake_bound(X, y, U / 2) == pytest.approx(((a + np.sqrt(a * a + 4 * loss)) / 2) ** 2)
    # A constant feature adds 1 to ‖x‖².
    model.set_params(fit_intercept=True)
    assert model.mistake_bound(X, y, U) == pytest.approx(2 * (S + 1) * norm)
    assert model.mistake_bound(sparse.csr_matrix(X), y, U) == pytest.approx(2 * (S + 1) * norm)


@pytest.mark.parametrize(
    ("arguments", "row"),
    [
        ({"coef": np.zeros((3, 4))}, None),
        ({"coef": np.full((4, 4), np.inf)}, None),
        ({"intercept": np.zeros(4)}, None),
        ({"n_passes": 0}, None),
        ({"sample_weight": -1.0}, 0),
    ],
)
def test_bounds_check_their_arguments(arguments, row):
    X, y, U = stream(0, 0.0)
    with pytest.raises(ValueError) as caught:
        OnlineLabelRanker(fit_intercept=False).mistake_bound(X, y, **{"coef": U, **arguments})
    assert getattr(caught.value, "row", None) == row
    with pytest.raises(ValueError):
        OnlineLabelRanker("multiplicative", radius=0.1).mistake_bound(X, y, U, np.zeros(4))


def test_fit_is_passes_of_partial_fit():
    X, y = inputs(), random_preferences(40, 4, 4)
    model = OnlineLabelRanker(max_iter=3, shuffle=False).fit(X, y)
    steps = OnlineLabelRanker()
    for _ in range(3):
        steps.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, steps.coef_)
    assert (model.n_mistakes_, model.n_iter_) == (steps.n_mistakes_, steps.n_iter_) and model.weight_sum_ == 120.0
    order = np.random.RandomState(5).permutation(40)
    shuffled = OnlineLabelRanker(max_iter=1, random_state=5).fit(X, y)
    np.testing.assert_array_equal(shuffled.coef_, OnlineLabelRanker().partial_fit(X[order], y[order]).coef_)


def test_pickles_learn_on():
    X, y = inputs(), random_preferences(40, 4, 5)
    model = OnlineLabelRanker("multiplicative").partial_fit(X[:20], y[:20])
    copy = pickle.loads(pickle.dumps(model)).partial_fit(X[20:], y[20:])
    np.testing.assert_array_equal(copy.coef_, model.partial_fit(X[20:], y[20:]).coef_)


@pytest.mark.parametrize(
    ("X", "y", "weights", "row"),
    [
        (inputs(2, 4), [[1, 2, 3, 4]] * 2, None, None),
        (inputs(2), [[1, 2, 3]] * 2, None, None),
        (inputs(2), [[1, 2, 3, 0]] * 2, None, 0),
        (inputs(2) * np.nan, [[1, 2, 3, 4]] * 2, None, 0),
        (inputs(2), [[1, 2, 3, 4]] * 3, None, None),
        (inputs(2), [[1, 2, 3, 4]] * 2, [1.0, -2.0], 1),
        (inputs(2) * 1e200, [[1, 2, 3, 4]] * 2, None, None),
    ],
)
def test_bad_blocks_leave_the_model_as_it_was(X, y, weights, row):
    model = OnlineLabelRanker().partial_fit(inputs(), random_preferences(40, 4, 6))
    before = pickle.dumps(model)
    with pytest.raises(Exception) as caught:
        model.partial_fit(X, y, weights)
    assert getattr(caught.value, "row", None) == row
    assert isinstance(caught.value, ValueError | ArithmeticError | np.linalg.LinAlgError)
    assert pickle.dumps(model) == before


def test_what_a_learner_began_with_stays():
    model = OnlineLabelRanker().partial_fit(inputs(), random_preferences(40, 4, 7))
    with pytest.raises(ValueError):
        model.set_params(update="multiplicative").partial_fit(inputs(), random_preferences(40, 4, 7))
    with pytest.raises(ValueError):
        model.set_params(update="additive", eta0=2.0).partial_fit(inputs(), random_preferences(40, 4, 7))


def test_ctrl_c_leaves_the_earlier_model(ctrl_c):
    X, y = inputs(2000, 5), random_preferences(2000, 8, 13)
    model = OnlineLabelRanker("primal-dual").fit(X[:20], y[:20])
    before = model.label_scores(X)
    with ctrl_c():
        model.set_params(max_iter=10**6).fit(X, y)
    np.testing.assert_array_equal(model.label_scores(X), before)


def test_a_batch_without_weight_is_refused_and_leaves_the_learner_as_it_was():
    X, y = [[0.0, 1.0], [1.0, 0.0]], [[1, 2], [2, 1]]
    ranker = OnlineLabelRanker()
    for begun in (False, True):
        with pytest.raises(ValueError):
            ranker.partial_fit(X, y, sample_weight=[0.0, 0.0])
        assert hasattr(ranker, "n_labels_") == begun
        ranker.partial_fit(X, y, sample_weight=[0.0, 1.0])
    assert ranker.weight_sum_ == 2.0


def test_multiplicative_updates_find_the_few_features_that_matter():
    """Three of 200: at the default radius they are not those of a perceptron, which a large radius comes to."""
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(600, 200)), np.zeros((200, 4))
    W[:3] = rng.normal(size=(3, 4))
    y = (-X @ W).argsort(axis=1).argsort(axis=1) + 1
    train, test = slice(300), slice(300, 600)
    rankers = {
        "additive": OnlineLabelRanker(random_state=0),
        "multiplicative": OnlineLabelRanker("multiplicative", random_state=0),
        "large radius": OnlineLabelRanker("multiplicative", radius=1000.0, random_state=0),
    }
    score = {name: ranker.fit(X[train], y[train]).score(X[test], y[test]) for name, ranker in rankers.items()}
    assert score["multiplicative"] > score["additive"] + 0.1
    assert score["large radius"] == pytest.approx(score["additive"], abs=0.01)
