"""`warm_start`: fewer iterations to the same maximum, and refusals of what does not match."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from combpred import ProbabilisticStructured
from combpred._models import loglinear
from combpred.structures import Permutations
from enumerated_problem import problem

SHORT_X, SHORT_Y, _, _, _ = problem(Permutations(4))
KINDS = [{}, {"fit_intercept": False}, {"kernel": "rbf"}]


def rankings(n=100, p=5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    utilities = X @ rng.normal(size=(p, 5)) + 0.5 * rng.gumbel(size=(n, 5))
    return X, np.argsort(np.argsort(-utilities, axis=1), axis=1) + 1


X, Y = rankings()


@pytest.mark.parametrize("options", [*KINDS, {"kernel": "precomputed"}], ids=str)
def test_the_same_problem_is_done_at_once(options):
    inputs = X @ X.T if options.get("kernel") == "precomputed" else X
    weights = np.arange(len(X)) % 3  # a third of the rows is left out
    model = ProbabilisticStructured("permutations", warm_start=True, **options).fit(inputs, Y, weights)
    scores, cold = model.feature_scores(inputs), model.n_iter_
    model.fit(inputs, Y, weights)
    assert cold > 5 and model.n_iter_ == 1
    np.testing.assert_allclose(model.feature_scores(inputs), scores, rtol=0, atol=1e-9)


def test_fewer_rows_than_features_are_done_at_once_too():
    wide, y = rankings(20, 40)
    model = ProbabilisticStructured("permutations", warm_start=True).fit(wide, y)
    coef, cold = model.coef_, model.n_iter_
    assert cold > 5 and model.fit(wide, y).n_iter_ == 1
    np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=1e-9)


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_a_path_over_penalties_takes_fewer_iterations_to_the_same_maxima(options):
    alphas = np.geomspace(30, 0.03, 7)
    warm = ProbabilisticStructured("permutations", warm_start=True, tol=1e-8, **options)
    iterations = np.zeros(2)
    for alpha in alphas:
        cold = ProbabilisticStructured("permutations", alpha=alpha, tol=1e-8, **options).fit(X, Y)
        warm.set_params(alpha=alpha).fit(X, Y)
        iterations += warm.n_iter_, cold.n_iter_
        assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-10)
        np.testing.assert_allclose(warm.feature_scores(X), cold.feature_scores(X), rtol=0, atol=2e-5)
    assert iterations[0] < 0.95 * iterations[1]  # .85 to .90: a cold fit, too, soon follows the distributions


def test_a_start_worse_than_zero_is_left():
    model = ProbabilisticStructured("permutations", alpha=1.0, warm_start=True).fit(X, Y)
    coef, n_iter = model.coef_, model.n_iter_
    model.coef_ = np.full_like(coef, 1e6)
    assert model.fit(X, Y).n_iter_ == n_iter
    np.testing.assert_array_equal(model.coef_, coef)


def test_without_warm_start_fits_do_not_depend_on_earlier_ones():
    model = ProbabilisticStructured("permutations").fit(X, Y)
    coef, n_iter = model.coef_, model.n_iter_
    np.testing.assert_array_equal(model.fit(X, Y).coef_, coef)
    assert model.n_iter_ == n_iter


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_descent_goes_on_from_earlier_weights(options):
    model = ProbabilisticStructured("permutations", solver="lbfgs", warm_start=True, tol=1e-8, **options).fit(X, Y)
    exact = model.feature_scores(X)
    few = {"solver": "sgd", "max_iter": 1, "tol": 0.5, "random_state": 0}
    with pytest.warns(UserWarning):
        cold = ProbabilisticStructured("permutations", **options, **few | {"tol": 1e-9}).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is known to be near the maximum
        warm = model.set_params(**few).fit(X, Y)
    assert warm.solver_ == "sgd" and warm.n_iter_ == 1
    errors = [np.linalg.norm(found.feature_scores(X) - exact) for found in (warm, cold)]
    assert errors[0] < 0.7 * errors[1]


def test_descent_by_samples_goes_on_from_earlier_weights():
    model = ProbabilisticStructured("permutations", alpha=5.0, warm_start=True, random_state=0).fit(X, Y)
    coef = model.coef_
    with pytest.warns(UserWarning):
        model.set_params(inference="mcmc", max_iter=1).fit(X, Y)
    assert model.inference_ == "mcmc"
    assert np.linalg.norm(model.coef_ - coef) < 0.3 * np.linalg.norm(coef)


def test_what_does_not_match_is_refused_and_the_earlier_fit_kept():
    labels = np.arange(9) % 3
    for options, first, second in (
        ({}, (SHORT_X, labels), (SHORT_X[:, :2], labels)),
        ({}, (SHORT_X, labels), (SHORT_X, labels % 2)),
        ({}, (SHORT_X, labels), (SHORT_X, labels + 1)),
        ({"kernel": "rbf"}, (SHORT_X, labels), (SHORT_X[:8], labels[:8])),
    ):
        model = ProbabilisticStructured(warm_start=True, **options).fit(*first)
        before = dict(vars(model))
        with pytest.raises(ValueError):
            model.fit(*second)
        assert vars(model) == before
        model.set_params(warm_start=False).fit(*second)
    model = ProbabilisticStructured(warm_start=True).fit(SHORT_X, labels).set_params(kernel="rbf")
    with pytest.raises(ValueError):
        model.fit(SHORT_X, labels)
    with pytest.raises(ValueError):
        model.set_params(warm_start="yes").fit(SHORT_X, labels)


def test_an_interrupted_warm_fit_leaves_the_estimator_as_it_was(monkeypatch):
    model = ProbabilisticStructured("permutations", warm_start=True).fit(SHORT_X, SHORT_Y)
    before = dict(vars(model))

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(loglinear.LoglinearProblem, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(alpha=0.1).fit(SHORT_X, SHORT_Y)
    assert vars(model.set_params(alpha=1.0)) == before


def test_clones_start_from_zero():
    model = ProbabilisticStructured("permutations", warm_start=True).fit(X, Y)
    fresh = clone(model)
    assert fresh.warm_start is True and not hasattr(fresh, "coef_")
    assert fresh.fit(X, Y).n_iter_ == model.n_iter_
