"""LabelRankingBoost: its guaranteed decrease, and its objective against general optimisation and scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from combpred.ranking import LabelRankingBoost, LabelRankingSVM
from ranking_oracle import log_sum, overlapping, random_preferences, row_losses, thirds, wrong

DECOMPOSITIONS = ["edges", "stars", "sinks", "graph", thirds, overlapping]
ACCURATE = {"min_gain": 1e-13, "max_iter": 20000}


def inputs(n=12, p=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def bases(k, count=3):
    """Base rankers: scores of k labels that depend on the inputs, some all positive, one of another scale."""
    directions = np.random.default_rng(20).normal(size=(count, 2, k))

    def ranker(j):
        return lambda X: [1.0, 30.0, 0.1][j % 3] * np.tanh(np.asarray(X) @ directions[j])

    return [ranker(j) for j in range(count)]


def penalty(weights, alpha):
    return 2.0 * alpha * np.log(np.cosh(weights / 2.0)).sum()


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("alpha", [0.0, 0.05, 2.0])
@pytest.mark.parametrize("kind", ["features", "large features", "sparse", "base rankers"])
def test_every_round_lowers_the_objective_by_what_is_guaranteed(kind, alpha, decomposition):
    X, y = inputs(), random_preferences(12, 4, 1)
    given = {"large features": 100.0 * X, "sparse": sparse.csr_matrix(X)}.get(kind, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LabelRankingBoost(
            alpha, decomposition=decomposition, base_rankers=bases(4) if kind == "base rankers" else None, max_iter=100
        ).fit(given, y, np.linspace(0.5, 2.0, 12))
    assert len(model.loss_curve_) == model.n_iter_ + 1 and len(model.bound_curve_) == model.n_iter_
    assert (model.bound_curve_ >= 0).all() and model.bound_curve_[0] > 1e-5
    assert (-np.diff(model.loss_curve_) >= model.bound_curve_ - 1e-12 * model.loss_curve_[0]).all()


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_reaches_the_minimum_of_its_objective(decomposition):
    X, y = inputs(), random_preferences(12, 3, 2)
    weights = np.random.default_rng(3).uniform(0.5, 2.0, size=12)
    model = LabelRankingBoost(0.3, decomposition=decomposition, **ACCURATE).fit(X, y, weights)

    def objective(w):
        w = w.reshape(3, 3)
        scores = X @ w[:, :2].T + w[:, 2]
        return weights @ row_losses(scores, y, decomposition, log_sum) + penalty(w, 0.3)

    found = np.hstack([model.coef_, model.intercept_[:, np.newaxis]])
    assert objective(found) == pytest.approx(model.loss_curve_[-1], rel=1e-12)
    best = minimize(objective, np.zeros(9), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(found.ravel(), best.x, atol=1e-4)


def test_base_rankers_reach_it_too():
    X, y = inputs(), random_preferences(12, 3, 4)
    model = LabelRankingBoost(0.1, base_rankers=bases(3), **ACCURATE).fit(X, y)

    def objective(w):
        scores = sum(v * base(X) for v, base in zip(w, bases(3), strict=True))
        return row_losses(scores, y, "edges", log_sum).sum() + penalty(w, 0.1)

    best = minimize(objective, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12})
    assert model.loss_curve_[-1] == pytest.approx(best.fun, rel=1e-8)
    assert objective(model.ranker_weights_) == pytest.approx(model.loss_curve_[-1], rel=1e-12)
    np.testing.assert_allclose(
        model.label_scores(X), sum(v * b(X) for v, b in zip(model.ranker_weights_, bases(3), strict=True))
    )


def test_one_star_of_a_class_is_multinomial_logistic_regression():
    X, classes = inputs(60), np.random.default_rng(5).integers(0, 3, size=60)
    graphs = np.zeros((60, 3, 3), dtype=bool)
    graphs[np.arange(60), classes] = True
    graphs[:, range(3), range(3)] = False
    model = LabelRankingBoost(0.0, decomposition="stars", **ACCURATE).fit(X, graphs)
    reference = LogisticRegression(C=1e10, tol=1e-10, max_iter=10000).fit(X, classes)
    scores = model.label_scores(X)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, reference.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_loss_bounds_the_violated_subgraphs(decomposition):
    X, y = inputs(), random_preferences(12, 4, 6)
    for tol in (1.0, 1e-4):
        model = LabelRankingBoost(0.0, decomposition=decomposition, min_gain=tol, max_iter=2000).fit(X, y)
        violated = row_losses(model.label_scores(X), y, decomposition, wrong).sum()
        assert violated <= model.loss_curve_[-1] / np.log(2.0)


def test_scales_of_features_change_nothing_without_penalty():
    X, y = inputs(), random_preferences(12, 3, 7)
    one = LabelRankingBoost(0.0).fit(X, y)
    other = LabelRankingBoost(0.0).fit(X * [1e-3, 50.0], y)
    np.testing.assert_allclose(other.loss_curve_, one.loss_curve_, rtol=1e-9)
    np.testing.assert_allclose(other.label_scores(X * [1e-3, 50.0]), one.label_scores(X), atol=1e-6)


def test_rankings_without_a_mistake_have_no_minimum_without_penalty():
    X = np.linspace(-1.0, 1.0, 11)[:, np.newaxis] + 0.05
    y = np.where(X > 0, [[1, 2]], [[2, 1]])
    with pytest.warns(ConvergenceWarning):
        model = LabelRankingBoost(0.0, max_iter=3).fit(X, y)
    model.set_params(max_iter=2000).fit(X, y)  # at last, the loss is zero in floating point
    assert np.isfinite(model.coef_).all() and model.score(X, y) == 1.0
    assert LabelRankingBoost(0.01).fit(X, y).score(X, y) == 1.0


def test_a_feature_that_speaks_for_one_side_only_takes_a_bounded_step():
    model = LabelRankingBoost(0.0, fit_intercept=False, min_gain=1.0).fit([[1.0], [0.0]], [[1, 2], [1, 2]])
    assert np.isfinite(model.coef_).all() and model.coef_[0, 0] > model.coef_[1, 0]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([3], TypeError),
        ([], ValueError),
        ([lambda X: np.zeros((len(X), 2))], ValueError),
        ([*bases(3), lambda X: np.full((len(X), 3), np.nan)], ValueError),
        ([lambda X: np.full((len(X), 3), "high")], ValueError),
        ([lambda X: object()], ValueError),
    ],
)
def test_base_rankers_are_checked(given, error):
    with pytest.raises(error) as caught:
        LabelRankingBoost(base_rankers=given).fit(inputs(), random_preferences(12, 3, 8))
    assert "base_rankers" in str(caught.value)


def test_fitted_rankers_are_combined():
    X, y = inputs(40), random_preferences(40, 4, 9)
    parts = [LabelRankingSVM(kernel="rbf", gamma=g, random_state=0).fit(X, y).label_scores for g in (0.1, 1.0)]
    model = LabelRankingBoost(base_rankers=parts).fit(X, y)
    assert model.ranker_weights_.shape == (2,)
    assert model.loss_curve_[-1] < model.loss_curve_[0]


def test_progress_is_shown(capsys, limits):
    limits.progress_at_once()
    with pytest.warns(ConvergenceWarning):
        LabelRankingBoost(min_gain=0.0, max_iter=100, verbose=1).fit(inputs(40), random_preferences(40, 4, 10))
    assert "boosting" in capsys.readouterr().err


def test_ctrl_c_leaves_the_earlier_model(ctrl_c):
    X, y = inputs(20000, 30), random_preferences(20000, 6, 11)
    model = LabelRankingBoost().fit(X[:20], y[:20])
    before = model.label_scores(X)
    with ctrl_c():
        model.set_params(alpha=1e-6, min_gain=0.0, max_iter=10**6).fit(X, y)
    np.testing.assert_array_equal(model.label_scores(X), before)
