"""StructuredRidgeCV: its leave-one-out against refitting, its choice, and its folds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import reference
from combpred import StructuredRidge, StructuredRidgeCV, metrics
from combpred._models import ridge
from combpred._models.ridge import RidgeProblem
from combpred.structures import LabelSets, Ordinal, Permutations

STRUCTURES = [
    pytest.param(LabelSets(3), id="labelsets"),
    pytest.param(Ordinal(4), id="ordinal"),
    pytest.param(Permutations(4), id="permutations"),
]
N = 10


def problem(structure, seed=0):
    rng = np.random.default_rng(seed)
    members = list(structure.enumerate())
    y = np.array([members[i] for i in rng.integers(len(members), size=N)])
    return rng.normal(size=(N, 3)), y, structure.embed(y), structure.embed(np.array(members))


def decided(scores, structure, loss):
    """Return reference scores as `decision_function` has them: of grades what their decision maximises, centred."""
    if not isinstance(structure, Ordinal):
        return scores
    psi = structure.embed(np.arange(structure.n_features))
    values = scores @ psi.T if loss == "auc" else (structure.mean() + scores - 0.5) @ psi.T
    return values - values.mean(axis=1, keepdims=True)


def left_out_scores(X, y, weights=None, *, alphas, **options):
    """Return what StructuredRidgeCV says of rows left out, in the form of `decision_function`, for each penalty."""
    models = (StructuredRidgeCV(alphas=[alpha], **options).fit(X, y, weights) for alpha in alphas)
    return [model._decision(model.loo_scores_) for model in models]


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_auc_scores_are_label_removed_refits(structure, weighted):
    X, y, psi, outputs = problem(structure)
    weights = np.random.default_rng(5).uniform(0.3, 2.0, size=N) if weighted else None
    alphas = [0.05, 1.0]
    ours = left_out_scores(
        X, y, weights, structure=structure, alphas=alphas, kernels=["rbf"], gammas=[0.5], losses=["auc"]
    )
    for alpha, scores in zip(alphas, ours, strict=True):
        kernel = rbf_kernel(X, gamma=0.5) + 1
        expected = reference.label_removed(kernel, outputs, psi, alpha=alpha, weights=weights)
        np.testing.assert_allclose(scores, decided(expected, structure, "auc"), atol=1e-8)


@pytest.mark.parametrize("intercept", [False, True], ids=["homogeneous", "intercept"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_few_features_of_the_linear_kernel_need_no_kernel_matrix(structure, loss, intercept, monkeypatch):
    rng = np.random.default_rng(0)
    members = np.array(list(structure.enumerate()))
    chosen, n = rng.integers(len(members), size=48), 48
    X, y, weights = rng.normal(size=(n, 3)), members[chosen], rng.uniform(0.3, 2.0, size=n)

    def refused(*arguments, **options):
        raise AssertionError("a kernel matrix")

    monkeypatch.setattr(ridge, "training_kernel", refused)
    options = {"structure": structure, "alphas": [0.3], "losses": [loss], "kernels": ["linear"]}
    model = StructuredRidgeCV(fit_intercept=intercept, **options).fit(X, y, weights)
    compressed = StructuredRidgeCV(fit_intercept=intercept, **options).fit(sparse.csr_matrix(X), y, weights)
    np.testing.assert_allclose(compressed.loo_scores_, model.loo_scores_, atol=1e-10)
    kernel, outputs, psi = X @ X.T + intercept, structure.embed(members), structure.embed(y)
    if loss == "auc":
        expected = reference.label_removed(kernel, outputs, psi, alpha=0.3, weights=weights)
    else:
        expected = reference.leave_one_out(kernel, outputs, psi, alpha=0.3, loss="squared", weights=weights)
    np.testing.assert_allclose(model._decision(model.loo_scores_), decided(expected, structure, loss), atol=1e-8)
    alone = StructuredRidge(structure, alpha=0.3, loss=loss, fit_intercept=intercept).fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    assert model.solver_ == "primal"


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_a_row_that_alone_knows_a_feature_is_left_out_by_the_kernel_matrix(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.permuted(np.tile(np.arange(1, 5), (60, 1)), axis=1)
    X[:, 2] = 0.0
    X[7, 2] = 1e6
    options = {"structure": "permutations", "alphas": [1e-2, 1.0], "losses": [loss]}
    model = StructuredRidgeCV(kernels=["linear"], **options).fit(X, y)
    given = StructuredRidgeCV(kernels=["precomputed"], **options).fit(X @ X.T, y)
    np.testing.assert_allclose(model.loo_scores_, given.loo_scores_, atol=1e-6)
    np.testing.assert_allclose(model.feature_scores(X), given.feature_scores(X @ X.T), atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_squared_scores_are_exact_leave_one_out(structure, weighted):
    X, y, psi, outputs = problem(structure)
    weights = np.random.default_rng(5).uniform(0.3, 2.0, size=N) if weighted else None
    options = {"structure": structure, "alphas": [0.3], "losses": ["squared"], "kernels": ["rbf"], "gammas": [0.5]}
    (scores,) = left_out_scores(X, y, weights, **options)
    kernel = rbf_kernel(X, gamma=0.5) + 1
    expected = reference.leave_one_out(kernel, outputs, psi, alpha=0.3, loss="squared", weights=weights)
    np.testing.assert_allclose(scores, decided(expected, structure, "squared"), atol=1e-8)


def test_auc_scores_are_near_true_leave_one_out():
    """First-order correction: within a quarter in norm here, and nearer than without it (see the next assertion)."""
    X, y, psi, outputs = problem(Permutations(4))
    kernel = rbf_kernel(X, gamma=0.5) + 1
    for alpha in (0.1, 0.3, 1.0):
        (ours,) = left_out_scores(
            X, y, structure=Permutations(4), alphas=[alpha], losses=["auc"], kernels=["rbf"], gammas=[0.5]
        )
        true = reference.leave_one_out(kernel, outputs, psi, alpha=alpha)
        plain = np.array([reference.minimise(kernel, outputs, psi, alpha=alpha, unlabelled=i)[i] for i in range(N)])
        gap = np.linalg.norm(ours - true) / np.linalg.norm(true)
        assert gap < 0.25
        assert gap < np.linalg.norm(plain - true) / np.linalg.norm(true)


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_large_problems_keep_three_digits_at_every_penalty(loss, monkeypatch):
    """From 1000 rows on factors are in single precision, and in double where the penalty is too small for that."""
    rng = np.random.default_rng(3)
    n, structure = 1000, Permutations(4)
    X = rng.normal(size=(n, 3))
    y = structure.decode(np.tanh(X @ rng.normal(size=(3, structure.n_features))))
    alphas = [1e-4, 1e-2, 1.0]  # the first needs double precision
    options = {"structure": structure, "kernels": ["rbf"], "gammas": [0.05], "losses": [loss]}
    ours = left_out_scores(X, y, alphas=alphas, **options)
    plan = RidgeProblem.plan
    monkeypatch.setattr(RidgeProblem, "plan", lambda *arguments: {**plan(*arguments), "precision": "double"})
    in_double = left_out_scores(X, y, alphas=alphas, **options)
    assert not np.array_equal(ours[-1], in_double[-1])
    for scores, expected in zip(ours, in_double, strict=True):
        assert np.linalg.norm(scores - expected) < 1e-3 * np.linalg.norm(expected)


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_rows_of_weight_zero_are_left_out_of_the_score(loss):
    X, y, _, _ = problem(Permutations(4))
    weights = np.ones(N)
    weights[[2, 7]] = 0
    options = {"structure": "permutations", "alphas": [0.5], "kernels": ["rbf"], "gammas": [None], "losses": [loss]}
    (scores,) = left_out_scores(X, y, weights, **options)
    (expected,) = left_out_scores(X[weights > 0], y[weights > 0], **options)
    np.testing.assert_allclose(scores[weights > 0], expected, atol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_rows_of_weight_zero_have_the_scores_that_the_others_give_them(loss, kernel):
    X, y, _, _ = problem(Permutations(4))
    weights = np.random.default_rng(0).uniform(0.5, 2.0, N)
    weights[[2, 7]] = 0
    given = rbf_kernel(X) if kernel == "precomputed" else X
    options = {"alphas": [0.5, 5.0], "kernels": [kernel], "gammas": [None], "losses": [loss]}
    model = StructuredRidgeCV("permutations", **options).fit(given, y, weights)
    kept = weights > 0
    alone = StructuredRidge("permutations", **{**model.best_params_, "gamma": None})
    rows, new = (given[np.ix_(kept, kept)], given[~kept][:, kept]) if kernel == "precomputed" else (X[kept], X[~kept])
    expected = alone.fit(rows, y[kept], weights[kept]).feature_scores(new)
    np.testing.assert_allclose(model.loo_scores_[~kept], expected, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_fits_as_structured_ridge_with_the_best_alpha(loss, kernel):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    if kernel == "precomputed":
        X = rbf_kernel(X)
    alphas = [1e-3, 0.1, 10.0, 1e3]
    model = StructuredRidgeCV(alphas=alphas, kernels=[kernel], gammas=[None], losses=[loss]).fit(X, y)
    results = model.cv_results_
    assert model.alpha_ == alphas[int(np.argmax(results["mean_test_score"]))]
    assert model.best_score_ == results["mean_test_score"].max()
    scale = {"gamma": None} if kernel == "rbf" else {}
    assert results["params"] == [{"alpha": a, "kernel": kernel, "loss": loss, **scale} for a in alphas]
    assert results["rank_test_score"][alphas.index(model.alpha_)] == 1
    same = StructuredRidge(alpha=model.alpha_, kernel=kernel, loss=loss, solver="closed-form").fit(X, y)
    np.testing.assert_allclose(model.feature_scores(X), same.feature_scores(X), atol=1e-7)
    assert model.objective_ == pytest.approx(same.objective_, rel=1e-8)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


def test_leave_one_out_accuracy_is_that_of_scikit_learns_leave_one_out():
    """Exact for the squared loss, up to ties of the decoder (there are none here)."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    model = StructuredRidgeCV(alphas=[0.1], kernels=["rbf"], gammas=[None], losses=["squared"], scoring="metric").fit(
        X, y
    )
    left_out = cross_val_predict(StructuredRidge(alpha=0.1, kernel="rbf", loss="squared"), X, y, cv=LeaveOneOut())
    assert model.best_score_ == pytest.approx(accuracy_score(y, left_out), abs=1e-12)


def test_weighted_rows_are_weighted_in_the_score():
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    weights = np.where(y == 0, 1.0, 0.0)  # only the class that is easy to tell counts, in the fit and in the score
    weights[y == 1] = 1e-6
    model = StructuredRidgeCV(alphas=[0.1], kernels=["rbf"], scoring="metric").fit(X, y, weights)
    assert model.best_score_ == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"alphas": []},
        {"alphas": [1.0, 0.0]},
        {"alphas": [1.0, np.inf]},
        {"alphas": [[1.0]]},
        {"alphas": [1, "0.1"]},
        {"alphas": np.ma.masked_less([1.0, 0.1], 0.5)},
        {"gammas": np.ma.masked_less([1.0, 0.1], 0.5)},
        {"alphas": [None]},
        {"kernels": ["rbf"], "kernel_params": {"gamma": 1.0}},
        {"kernels": []},
        {"kernels": "rbf"},
        {"kernels": ["rbf", "gauss"]},
        {"kernels": ["linear", "precomputed"]},
        {"gammas": ["large"]},
        {"gammas": [1.0, -1.0]},
        {"losses": ["squared", "hinge"]},
        {"scoring": "no such scorer"},
        {"scoring": metrics.kendall_tau},
        {"scoring": "cycle_f1"},
    ],
)
def test_bad_parameters_are_refused_by_name(options):
    X, y, _, _ = problem(Permutations(4))
    with pytest.raises(ValueError) as caught:
        StructuredRidgeCV("permutations", **options).fit(X, y)
    assert any(name in str(caught.value) for name in options)


def test_verbose_prints_a_line_for_each_alpha(capsys):
    X, y, _, _ = problem(Permutations(4))
    StructuredRidgeCV("permutations", alphas=[0.5, 2.0], kernels=["linear"], verbose=1).fit(X, y)
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert [line.split(" score ")[0] for line in lines] == [
        f"[StructuredRidgeCV] kernel='linear', loss='auto', alpha={alpha}: left-out" for alpha in ("0.5", "2")
    ]
    assert captured.out == ""


@pytest.mark.parametrize(("rows", "weights"), [(1, None), (3, [0.0, 2.0, 0.0])])
def test_one_row_leaves_nothing_to_choose_by(rows, weights):
    X, y, _, _ = problem(Permutations(4))
    with pytest.raises(ValueError):
        StructuredRidgeCV("permutations").fit(X[:rows], y[:rows], sample_weight=weights)
