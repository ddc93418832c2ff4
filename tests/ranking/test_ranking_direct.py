"""DirectRankingSVM against lists of all rankings, and its objective against a quadratic program."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import ndcg_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

from combpred import CapabilityError, NumericalError
from combpred.metrics import kendall_tau, spearman_footrule, spearman_rho
from combpred.ranking import DirectRankingSVM
from margin_problems import least_objective


def reciprocal(y, z):
    """Return 1 less the reciprocal rank in z of what is first in y, row by row: no loss of the library."""
    return 1.0 - 1.0 / z[np.arange(len(y)), y.argmin(axis=1)]


def disagreement(y, z):
    return (1.0 - kendall_tau(y, z, per_row=True)) / 2.0


MISPLACED = np.array([[0.0, 0.5, 1.0], [0.1, 0.0, 0.6], [0.3, 0.2, 0.0]])  # not symmetric
JACCARD = [1.0, 2 / 3, 0.0]
#: Losses of three labels.
LOSSES = [
    pytest.param({"loss": "footrule"}, id="footrule"),
    pytest.param({"loss": "spearman"}, id="spearman"),
    pytest.param({"loss": "ndcg"}, id="ndcg"),
    pytest.param({"loss": "ndcg", "top": 1}, id="ndcg at 1"),
    pytest.param({"loss": "ndcg", "top": 2}, id="ndcg at 2"),
    pytest.param({"loss": "precision"}, id="precision at 1"),
    pytest.param({"loss": "precision", "top": 2}, id="precision at 2"),
    pytest.param({"loss": MISPLACED}, id="by position"),
    pytest.param({"loss": JACCARD}, id="by hits"),
    pytest.param({"loss": disagreement}, id="function"),
    pytest.param({"loss": reciprocal}, id="another function"),
]
ACCURATE = {"tol": 1e-7, "max_iter": 5000}


def data(n=8, k=3, p=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, k)) + rng.normal(size=(n, k))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1


def listed(k):
    return np.array(list(permutations(range(k))))


def losses(model, y, rankings):
    """Δ of one row of positions from 0 on and all rankings, by the measures."""
    truth, k, name, top = np.tile(y + 1, (len(rankings), 1)), len(y), model.loss, model.top
    if callable(name):
        return name(truth, rankings + 1)
    if not isinstance(name, str):
        if np.ndim(name) == 2:
            return np.asarray(name)[truth - 1, rankings].sum(axis=1)
        top = len(name) - 1
        return np.asarray(name)[((truth <= top) & (rankings < top)).sum(axis=1)]
    if name == "footrule":
        return spearman_footrule(truth, rankings + 1, per_row=True) / (k * k // 2)
    if name == "spearman":
        return (1 - spearman_rho(truth, rankings + 1, per_row=True)) / 2
    if name == "precision":
        return np.array(
            [1 - len({*np.argsort(y)[: top or 1]} & {*np.argsort(z)[: top or 1]}) / (top or 1) for z in rankings]
        )
    return 1 - np.array([ndcg_score([k - 1 - y], [-z], k=top) for z in rankings])


def hinges(model, X, y):
    """The maximum over all rankings for each row, at the weights of a fitted model."""
    every, c, f = listed(y.shape[1]), model.position_weights_, model.label_scores(X)
    return np.array(
        [np.max(losses(model, a - 1, every) - (c[a - 1] - c[every]) @ s) for a, s in zip(y, f, strict=True)]
    )


def least(model, features, y, weights):
    """The minimum of the objective by a quadratic program with a constraint for each row and ranking."""
    every, c = listed(y.shape[1]), model.position_weights_
    table = np.array([losses(model, row - 1, every) for row in y])
    return least_objective(features, c[y - 1], c[every], table, model.C * weights, slack=False)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("c", [None, [1.0, 0.5, 0.0], [1.0, 0.0, 0.0]])
def test_reaches_the_minimum_of_its_objective(loss, c):
    X, y = data()
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=8)
    model = DirectRankingSVM(3.0, **loss, position_weights=c, **ACCURATE).fit(X, y, weights)
    norm = (model.coef_**2).sum() + (model.intercept_**2).sum()
    assert model.objective_ == pytest.approx(0.5 * norm + 3.0 * weights @ hinges(model, X, y), rel=1e-9)
    assert model.objective_ == pytest.approx(least(model, np.hstack([X, np.ones((8, 1))]), y, weights), rel=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
def test_kernels_reach_the_minimum_in_their_space(loss, intercept):
    X, y = data()
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=8)
    model = DirectRankingSVM(3.0, **loss, kernel="rbf", gamma=0.4, fit_intercept=intercept, **ACCURATE)
    model.fit(X, y, weights)
    K = rbf_kernel(X, gamma=0.4) + intercept
    norm = (model.dual_coef_ * (K @ model.dual_coef_)).sum()
    np.testing.assert_allclose(model.label_scores(X), K @ model.dual_coef_, rtol=0, atol=1e-10)
    assert model.objective_ == pytest.approx(0.5 * norm + 3.0 * weights @ hinges(model, X, y), rel=1e-8)
    assert model.objective_ == pytest.approx(least(model, np.linalg.cholesky(K), y, weights), rel=1e-5)


@pytest.mark.parametrize("intercept", [False, True])
def test_the_linear_kernel_is_that_of_the_inputs(intercept):
    X, y = data(40, 4, seed=6)
    new, options = data(9, 4, seed=7)[0], {"fit_intercept": intercept, **ACCURATE}
    one = DirectRankingSVM(2.0, loss="precision", top=2, **options).fit(X, y)
    for kernel, rows, others in (("precomputed", X @ X.T, new @ X.T), (np.dot, X, new)):
        other = DirectRankingSVM(2.0, loss="precision", top=2, kernel=kernel, **options).fit(rows, y)
        assert other.objective_ == pytest.approx(one.objective_, rel=1e-6)
        np.testing.assert_allclose(other.label_scores(others), one.label_scores(new), rtol=0, atol=1e-3)


def test_rows_of_weight_0_are_left_out_of_a_precomputed_kernel():
    X, y = data(20, 3, seed=8)
    weights = np.arange(20.0) % 3
    K, kept = rbf_kernel(X), np.flatnonzero(weights)
    one = DirectRankingSVM(10.0, kernel="precomputed", **ACCURATE).fit(K, y, weights)
    other = DirectRankingSVM(10.0, kernel="precomputed", **ACCURATE).fit(K[np.ix_(kept, kept)], y[kept], weights[kept])
    assert one.dual_coef_.shape == (20, 3) and not one.dual_coef_[weights == 0].any()
    np.testing.assert_allclose(one.label_scores(K), other.label_scores(K[:, kept]), rtol=0, atol=1e-8)


def test_searches_choose_kernels_losses_and_positions():
    X, y = data(40, 4, seed=9)
    grid = {"loss": ["spearman", "precision", disagreement], "top": [None, 2], "kernel": ["linear", "rbf"], "C": [30.0]}
    search = GridSearchCV(DirectRankingSVM(), grid, cv=2).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all() and search.best_score_ > 0.4


def test_losses_given_in_several_ways_are_the_same():
    X, y = data(40, 4, seed=10)
    at = np.arange(4)
    for name, top, others in (
        ("precision", 3, [[1.0, 2 / 3, 1 / 3, 0.0], (at[:, None] < 3) * (at >= 3) / 3.0]),
        ("precision", None, [[1.0, 0.0], (at[:, None] < 1) * (at >= 1) / 1.0]),
        ("footrule", None, [abs(at[:, None] - at) / 8.0, lambda y, z: spearman_footrule(y, z, per_row=True) / 8.0]),
        ("spearman", 2, [(at[:, None] - at) ** 2 / 20.0, lambda y, z: (1 - spearman_rho(y, z, per_row=True)) / 2]),
    ):
        one = DirectRankingSVM(5.0, loss=name, top=top, **ACCURATE).fit(X, y)
        for other in others:
            assert DirectRankingSVM(5.0, loss=other, **ACCURATE).fit(X, y).objective_ == pytest.approx(
                one.objective_, rel=1e-6
            )


@pytest.mark.parametrize("loss", LOSSES)
def test_hinges_bound_the_losses_of_predictions(loss):
    X, y = data(40, 3, seed=3)
    model = DirectRankingSVM(5.0, **loss).fit(X, y)
    own = np.array([losses(model, a - 1, b[None] - 1)[0] for a, b in zip(y, model.predict(X), strict=True)])
    assert (own <= hinges(model, X, y) + 1e-12).all() and own.sum() > 0


@pytest.mark.parametrize(
    ("loss", "row"),
    [
        ({"loss": "precision", "top": 3}, None),
        ({"loss": "ndcg", "top": 4}, None),
        ({"loss": [1.0, 0.5, 0.2, 0.0]}, None),
        ({"loss": np.ones((2, 3))}, None),
        ({"loss": [["a", "b"]]}, None),
        ({"loss": np.ones((3, 3))}, None),
        ({"loss": [0.0, 0.5, 1.0]}, None),
        ({"loss": np.array([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]])}, None),
        ({"loss": lambda y, z: kendall_tau(y, z, per_row=True)}, 1),
        ({"loss": lambda y, z: np.full(len(y), np.inf)}, 1),
        ({"loss": lambda y, z: 0.0}, 1),
        ({"loss": lambda y, z: ["a"] * len(y)}, None),
    ],
)
def test_losses_are_checked(loss, row):
    X, y = data()
    with pytest.raises(ValueError) as caught:  # the first row is left out, and others keep their numbers
        DirectRankingSVM(**loss).fit(X, y, [0.0] + [1.0] * 7)
    assert any(name in str(caught.value) for name in loss)
    assert getattr(caught.value, "row", None) == row


def test_functions_are_for_few_labels():
    X, y = data(6, 9)
    with pytest.raises(CapabilityError):
        DirectRankingSVM(loss=disagreement).fit(X, y)
    with pytest.raises(ValueError):
        DirectRankingSVM(loss=lambda y, z: z.sort()).fit(*data())


def test_sorting_is_the_best_ranking():
    X, y = data(40, 4, seed=4)
    model = DirectRankingSVM().fit(X, y)
    every, f = listed(4), model.label_scores(X)
    best = every[(model.position_weights_[every] @ f.T).argmax(axis=0)] + 1
    np.testing.assert_array_equal(model.predict(X), best)


def test_gap_bounds_the_distance_to_the_minimum():
    X, y = data(40, 4, seed=5)
    least = DirectRankingSVM(10.0, **ACCURATE).fit(X, y).objective_
    for max_iter in (2, 5, 8):
        with pytest.warns(ConvergenceWarning):
            early = DirectRankingSVM(10.0, tol=1e-9, max_iter=max_iter).fit(X, y)
        assert -1e-6 * least <= early.objective_ - least <= early.dual_gap_


@pytest.mark.parametrize(
    "c",
    [
        [1.0, 0.5],
        [1.0, 0.2, 0.5],
        [1.0, 1.0, 1.0],
        [np.inf, 1.0, 0.0],
        ["a", "b", "c"],
        [[1.0], [0.5, 0.2]],
        [1j, 0.5, 0.2],
    ],
)
def test_position_weights_are_checked(c):
    with pytest.raises(ValueError):
        DirectRankingSVM(position_weights=c).fit(*data())


def test_numbers_that_overflow_are_an_error():
    X, y = data()
    with pytest.raises(NumericalError):
        DirectRankingSVM(1e100).fit(X * 1e130, y)
    with pytest.raises(ValueError) as caught:
        DirectRankingSVM().fit(X * 1e300, y)
    assert caught.value.row == 0
