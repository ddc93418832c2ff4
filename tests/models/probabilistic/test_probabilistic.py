"""ProbabilisticStructured: its fit against the enumerated likelihood, against logistic regression, and by routes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

import reference
from combpred import Admissible, ProbabilisticStructured
from combpred.structures import (
    Cycles,
    LabelSets,
    MultiClass,
    Permutations,
)
from enumerated_problem import STRUCTURES, problem


def with_constant(X):
    return np.c_[X, np.ones(len(X))]


# ---- The maximum -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_linear_fit_is_the_enumerated_maximum(structure, weighted):
    X, y, psi, outputs, weights = problem(structure, weighted=weighted)
    W = reference.most_likely(with_constant(X), outputs, psi, alpha=0.3, weights=weights)
    model = ProbabilisticStructured(structure, alpha=0.3, tol=1e-7).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, W[:3].T, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, W[3], atol=1e-5)
    all_weights = np.ones(len(X)) if weights is None else weights
    least = reference.penalised_log_loss(W, with_constant(X), outputs, psi, alpha=0.3, weights=all_weights)
    assert model.objective_ == pytest.approx(least, rel=1e-9)
    able = model.structure_.space.facts["newton"]
    assert (model.solver_, model.n_iter_ >= 1) == ("newton" if able else "lbfgs", True)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("structure", [MultiClass(3), LabelSets(4, size=2), Permutations(4), Cycles(4)])
def test_kernel_fit_is_the_enumerated_maximum(structure, intercept, weighted):
    X, y, psi, outputs, weights = problem(structure, weighted=weighted)
    kernel = rbf_kernel(X, gamma=0.5) + float(intercept)
    features = np.linalg.cholesky(kernel)  # inner products of its rows are the kernel
    f = features @ reference.most_likely(features, outputs, psi, alpha=0.3, weights=weights)
    options = {"alpha": 0.3, "fit_intercept": intercept, "tol": 1e-7}
    model = ProbabilisticStructured(structure, kernel="rbf", gamma=0.5, **options).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.feature_scores(X), f, atol=1e-5)
    given = ProbabilisticStructured(structure, kernel="precomputed", **options)
    matrix = rbf_kernel(X, gamma=0.5)
    before = matrix.copy()
    np.testing.assert_allclose(given.fit(matrix, y, sample_weight=weights).feature_scores(matrix), f, atol=1e-5)
    np.testing.assert_array_equal(matrix, before)
    if weighted:
        assert not model.dual_coef_[weights == 0].any()


@pytest.mark.parametrize("alpha", [0.05, 1.0])
def test_classes_are_multinomial_logistic_regression(alpha):
    X, y = load_iris(return_X_y=True)
    ours = ProbabilisticStructured(alpha=alpha).fit(X, y)
    theirs = LogisticRegression(C=1 / (2 * alpha), fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=10_000)
    theirs.fit(with_constant(X), y)
    np.testing.assert_allclose(np.c_[ours.coef_, ours.intercept_], theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(with_constant(X)), atol=1e-5)
    assert ours.inference_ in ("recursion", "enumeration")


def test_label_sets_are_one_logistic_regression_each():
    X, y = make_multilabel_classification(n_samples=80, n_features=6, n_classes=3, random_state=0)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=80)
    ours = ProbabilisticStructured(alpha=0.5).fit(X, y, weights)
    for j in range(3):
        theirs = LogisticRegression(C=1.0, fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=10_000)
        theirs.fit(with_constant(X), y[:, j], weights)
        np.testing.assert_allclose(np.append(ours.coef_[j], ours.intercept_[j]), theirs.coef_[0], atol=1e-4)
        np.testing.assert_allclose(
            ours.predict_proba(X)[:, j], theirs.predict_proba(with_constant(X))[:, 1], atol=1e-5
        )  # fmt: skip


def test_few_rows_of_many_features_take_the_kernel_route_to_the_same_maximum():
    X, y, psi, outputs, _ = problem(Permutations(4))
    wide = np.c_[X, np.tile(X, 4) ** 2]  # 15 features of 9 rows
    W = reference.most_likely(with_constant(wide), outputs, psi, alpha=0.5)
    for form in (wide, sparse.csr_matrix(wide)):
        model = ProbabilisticStructured("permutations", alpha=0.5, tol=1e-7).fit(form, y)
        np.testing.assert_allclose(np.c_[model.coef_, model.intercept_], W.T, atol=1e-5)


def test_without_the_exact_curvature_the_maximum_is_the_same():
    """Where Σ is too large to be diagonalised."""
    rng = np.random.default_rng(0)
    X, y, k = rng.normal(size=(40, 3)), rng.integers(2100, size=40), 2100
    model = ProbabilisticStructured(MultiClass(k), alpha=0.5, tol=1e-7, solver="lbfgs").fit(X, y)
    W = np.c_[model.coef_, model.intercept_].T
    gradient = 2 * 0.5 * W + with_constant(X).T @ (model.predict_proba(X) - np.eye(k)[y])
    np.testing.assert_allclose(gradient, 0.0, atol=1e-5)


def test_sparse_input_gives_what_dense_input_gives():
    X = sparse.random(60, 7, density=0.4, format="csr", random_state=0)
    y = np.arange(60) % 3
    weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
    for options in ({}, {"kernel": "rbf"}, {"solver": "sgd", "max_iter": 3, "random_state": 0, "tol": 1.0}):
        dense = ProbabilisticStructured(**options).fit(X.toarray(), y, weights)
        for form in (X, sparse.csr_array(X), X.tocsc()):
            model = ProbabilisticStructured(**options).fit(form, y, weights)
            np.testing.assert_allclose(model.feature_scores(form), dense.feature_scores(X.toarray()), atol=1e-6)


# ---- Rows and weights ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"kernel": "rbf", "gamma": "scale"}], ids=str)
def test_zero_weight_leaves_a_row_out_and_integer_weights_repeat_it(options):
    X, y, _, _, _ = problem(Permutations(4))
    times = np.array([0, 1, 2, 3, 1, 0, 1, 2, 1])
    weighted = ProbabilisticStructured(Permutations(4), tol=1e-8, **options).fit(X, y, sample_weight=times)
    repeated = ProbabilisticStructured(Permutations(4), tol=1e-8, **options)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times, axis=0))
    np.testing.assert_allclose(weighted.feature_scores(X), repeated.feature_scores(X), atol=1e-5)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


def test_a_set_of_structures_stands_for_a_row_each():
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0]])
    sets = [[[1, 2, 3], [2, 1, 3]], [[1, 2, 3]], [[3, 2, 1], [3, 1, 2], [2, 3, 1]]]
    weights = np.array([1.0, 2.0, 0.5])
    as_sets = ProbabilisticStructured("permutations", tol=1e-8, partial="mean")
    as_sets.fit(X, [Admissible(s) for s in sets], weights)
    sizes = [len(s) for s in sets]
    flat = ProbabilisticStructured("permutations", tol=1e-8)
    flat.fit(np.repeat(X, sizes, axis=0), np.concatenate(sets), np.repeat(weights, sizes))
    np.testing.assert_allclose(as_sets.coef_, flat.coef_, atol=1e-5)
    assert as_sets.objective_ == pytest.approx(flat.objective_, rel=1e-9)


def test_a_ranking_known_in_part_has_the_mean_loss_of_its_completions():
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0]])
    y = np.array([[1, -1, 2], [1, 2, 3], [3, 2, 1]])
    completions = [[1, 2, 3], [1, 3, 2], [2, 1, 3]]  # the positions of labels 0 before 2, with 1 anywhere
    partial = ProbabilisticStructured("permutations", tol=1e-8, partial="mean").fit(X, y)
    complete = ProbabilisticStructured("permutations", tol=1e-8)
    complete.fit(X[[0, 0, 0, 1, 2]], np.r_[completions, y[1:]], [1 / 3, 1 / 3, 1 / 3, 1, 1])
    np.testing.assert_allclose(partial.coef_, complete.coef_, atol=1e-5)


# ---- Stochastic gradients --------------------------------------------------------------------------------------------


def rankings(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, Permutations.from_orders(np.argsort(-(X @ rng.normal(size=(4, 4)) + rng.gumbel(size=(n, 4))), axis=1))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
def test_descent_approaches_the_maximum(intercept, weighted):
    X, y = rankings()
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=len(X)) if weighted else None
    options = {"alpha": 2.0, "fit_intercept": intercept}
    best = ProbabilisticStructured("permutations", **options).fit(X, y, weights)
    near = ProbabilisticStructured("permutations", solver="sgd", max_iter=100, random_state=0, **options)
    near.fit(X, y, weights)
    assert best.objective_ <= near.objective_ <= 1.0005 * best.objective_
    np.testing.assert_allclose(near.coef_, best.coef_, atol=0.05)
    assert near.intercept_.any() == intercept
    assert near.n_iter_ == 100


def test_descent_stops_at_tol_and_warns_otherwise():
    X, y = rankings()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ProbabilisticStructured("permutations", solver="sgd", tol=1e-2, random_state=0).fit(X, y)
    assert 1 < model.n_iter_ < 200
    with pytest.warns(ConvergenceWarning):
        ProbabilisticStructured("permutations", solver="sgd", max_iter=2).fit(X, y)


def test_descent_is_preconditioned():
    """In five passes to a 500th of what is to be gained; at step sizes for the steepest direction it was a 25th."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    best = ProbabilisticStructured().fit(X, y).objective_
    with pytest.warns(ConvergenceWarning):
        near = ProbabilisticStructured(solver="sgd", max_iter=5, random_state=0).fit(X, y)
    assert best <= near.objective_ <= best + (500 * np.log(10) - best) / 500


def test_a_kernel_model_descends_in_the_features_of_its_matrix():
    X, y = rankings(60)
    best = ProbabilisticStructured("permutations", kernel="rbf").fit(X, y)
    with pytest.warns(ConvergenceWarning):
        near = ProbabilisticStructured("permutations", kernel="rbf", solver="sgd", max_iter=100, random_state=0).fit(
            X, y
        )
    assert best.objective_ <= near.objective_ <= 1.0005 * best.objective_
    np.testing.assert_allclose(near.feature_scores(X), best.feature_scores(X), atol=0.05)
    with pytest.raises(ValueError):
        near.partial_fit(X, y)


def test_many_features_are_scaled_one_by_one():
    X, y = rankings()
    X = np.c_[X * [1.0, 10.0, 0.1, 3.0], np.zeros((len(X), 510))]  # more than are diagonalised
    best = ProbabilisticStructured("permutations", alpha=2.0).fit(X, y).objective_
    for form in (X, sparse.csr_matrix(X)):
        with pytest.warns(ConvergenceWarning):
            near = ProbabilisticStructured("permutations", alpha=2.0, solver="sgd", max_iter=30, random_state=0)
            near.fit(form, y)
        assert best <= near.objective_ <= 1.01 * best


def test_the_preconditioner_follows_distributions_that_move_away():
    """Classes that a plane nearly separates: preconditioned as at uniform outputs it takes 234 iterations."""
    X, y = load_digits(return_X_y=True)
    followed = ProbabilisticStructured(alpha=1e-2).fit(X / 16, y)
    assert followed.n_iter_ < 0.75 * 234


def test_mini_batches_add_up_to_the_data():
    X, y = rankings(2000)
    best = ProbabilisticStructured("permutations", alpha=1.0).fit(X, y)
    model = ProbabilisticStructured("permutations", alpha=1.0, solver="sgd", random_state=0)
    for start in range(0, len(X), 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
    assert model.n_iter_ == 20
    assert model.descent_.n_seen == 2000
    # After one pass, most of what the data gain over the uniform distribution, which is where the descent begins.
    uniform, least = np.log(24), best.score_log_loss(X, y)
    assert model.score_log_loss(X, y) < uniform - 0.98 * (uniform - least)
    assert model.predict(X).shape == y.shape


def test_descent_depends_on_the_seed_alone():
    X, y = rankings(100)
    options = {"solver": "sgd", "max_iter": 3, "tol": 1.0}
    one, two, other = (
        ProbabilisticStructured("permutations", random_state=seed, n_jobs=jobs, **options).fit(X, y)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert (one.coef_ != other.coef_).any()
