"""DirectRankingSVM against lists of all rankings, and its objective against a quadratic program."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import ndcg_score

from combpred import NumericalError
from combpred.metrics import spearman_footrule, spearman_rho
from combpred.ranking import DirectRankingSVM

POSITION_LOSSES = ("footrule", "spearman", "ndcg")
ACCURATE = {"tol": 1e-7, "max_iter": 5000}


def data(n=8, k=3, p=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, k)) + rng.normal(size=(n, k))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1


def listed(k):
    return np.array(list(permutations(range(k))))


def losses(name, y, rankings):
    """Δ of one row of positions from 0 on and all rankings, by the measures."""
    truth, k = np.tile(y + 1, (len(rankings), 1)), len(y)
    if name == "footrule":
        return spearman_footrule(truth, rankings + 1, per_row=True) / (k * k // 2)
    if name == "spearman":
        return (1 - spearman_rho(truth, rankings + 1, per_row=True)) / 2
    return 1 - np.array([ndcg_score([k - 1 - y], [-z]) for z in rankings])


def hinges(model, X, y):
    """The maximum over all rankings for each row, at the weights of a fitted model."""
    every, c, f = listed(y.shape[1]), model.position_weights_, model.label_scores(X)
    return np.array(
        [np.max(losses(model.loss, a - 1, every) - (c[a - 1] - c[every]) @ s) for a, s in zip(y, f, strict=True)]
    )


@pytest.mark.parametrize("name", POSITION_LOSSES)
@pytest.mark.parametrize("c", [None, [1.0, 0.5, 0.0], [1.0, 0.0, 0.0]])
def test_reaches_the_minimum_of_its_objective(name, c):
    X, y = data()
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=8)
    model = DirectRankingSVM(3.0, loss=name, position_weights=c, **ACCURATE).fit(X, y, weights)
    norm = (model.coef_**2).sum() + (model.intercept_**2).sum()
    assert model.objective_ == pytest.approx(0.5 * norm + 3.0 * weights @ hinges(model, X, y), rel=1e-9)
    every, c, inputs = listed(3), model.position_weights_, np.hstack([X, np.ones((8, 1))])
    rows, bounds = [], []
    for i in range(8):
        for z, loss in zip(every, losses(name, y[i] - 1, every), strict=True):
            slack = np.eye(8)[i]
            rows.append(np.r_[np.outer(c[y[i] - 1] - c[z], inputs[i]).ravel(), slack])
            bounds.append(loss)
    A, b = np.array(rows), np.array(bounds)
    best = minimize(
        lambda w: 0.5 * (w[:9] ** 2).sum() + 3.0 * weights @ w[9:],
        np.r_[np.zeros(9), np.ones(8)],
        jac=lambda w: np.r_[w[:9], 3.0 * weights],
        constraints={"type": "ineq", "fun": lambda w: A @ w - b, "jac": lambda w: A},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert model.objective_ == pytest.approx(best.fun, rel=1e-5)


@pytest.mark.parametrize("name", POSITION_LOSSES)
def test_hinges_bound_the_losses_of_predictions(name):
    X, y = data(40, 4, seed=3)
    model = DirectRankingSVM(5.0, loss=name).fit(X, y)
    own = np.array([losses(name, a - 1, b[None] - 1)[0] for a, b in zip(y, model.predict(X), strict=True)])
    assert (own <= hinges(model, X, y) + 1e-12).all() and own.sum() > 0


def test_sorting_is_the_best_ranking():
    X, y = data(40, 4, seed=4)
    model = DirectRankingSVM().fit(X, y)
    every, f = listed(4), model.label_scores(X)
    best = every[(model.position_weights_[every] @ f.T).argmax(axis=0)] + 1
    np.testing.assert_array_equal(model.predict(X), best)


def test_gap_bounds_the_distance_to_the_minimum():
    X, y = data(40, 4, seed=5)
    least = DirectRankingSVM(10.0, **ACCURATE).fit(X, y).objective_
    for max_iter in (2, 5, 20):
        with pytest.warns(ConvergenceWarning, match=f"of the objective after {max_iter} iterations"):
            early = DirectRankingSVM(10.0, tol=1e-9, max_iter=max_iter).fit(X, y)
        assert -1e-6 * least <= early.objective_ - least <= early.dual_gap_


@pytest.mark.parametrize(
    ("c", "message"),
    [
        ([1.0, 0.5], r"shape \(2,\), must be \(3,\)"),
        ([1.0, 0.2, 0.5], "rise after position 2"),
        ([1.0, 1.0, 1.0], "are all equal"),
        ([np.inf, 1.0, 0.0], "must be finite"),
        (["a", "b", "c"], r"must be 3 numbers, one for each position, got \['a', 'b', 'c'\]"),
        ([[1.0], [0.5, 0.2]], "must be 3 numbers"),
        ([1j, 0.5, 0.2], "must be 3 numbers"),
    ],
)
def test_position_weights_are_checked(c, message):
    with pytest.raises(ValueError, match=message):
        DirectRankingSVM(position_weights=c).fit(*data())


def test_numbers_that_overflow_are_an_error():
    X, y = data()
    with pytest.raises(NumericalError, match="overflow; scale the inputs, or lower C"):
        DirectRankingSVM(1e100).fit(X * 1e130, y)
    with pytest.raises(ValueError, match="row 0: the squares of the features in X overflow; scale the inputs"):
        DirectRankingSVM().fit(X * 1e300, y)
