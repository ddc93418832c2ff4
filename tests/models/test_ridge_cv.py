"""StructuredRidgeCV: its leave-one-out against refitting, its choice, and its folds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict

import reference
from combpred import StructuredRidge, StructuredRidgeCV, metrics
from combpred._models import dual
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


def left_out_scores(X, y, weights=None, **options):
    """Return the leave-one-out scores that StructuredRidgeCV judges, by way of its scorer."""
    seen = []

    def scoring(estimator, X, y):
        seen.append(estimator.decision_function(X))
        return 0.0

    StructuredRidgeCV(scoring=scoring, **options).fit(X, y, weights)
    return seen


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
        np.testing.assert_allclose(scores, expected, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_squared_scores_are_exact_leave_one_out(structure, weighted):
    X, y, psi, outputs = problem(structure)
    weights = np.random.default_rng(5).uniform(0.3, 2.0, size=N) if weighted else None
    options = {"structure": structure, "alphas": [0.3], "losses": ["squared"], "kernels": ["rbf"], "gammas": [0.5]}
    (scores,) = left_out_scores(X, y, weights, **options)
    kernel = rbf_kernel(X, gamma=0.5) + 1
    expected = reference.leave_one_out(kernel, outputs, psi, alpha=0.3, loss="squared", weights=weights)
    np.testing.assert_allclose(scores, expected, atol=1e-8)


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
    plan = dual.ridge_plan
    monkeypatch.setattr(dual, "ridge_plan", lambda *arguments: {**plan(*arguments), "precision": "double"})
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
    np.testing.assert_allclose(scores, expected, atol=1e-8)


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


def test_folds_are_those_of_grid_search():
    X, y, _, _ = problem(Permutations(4))
    alphas = [0.01, 1.0, 100.0]
    cv = KFold(3)
    ours = StructuredRidgeCV("permutations", alphas=alphas, cv=cv, kernels=["rbf"], gammas=[None]).fit(X, y)
    search = GridSearchCV(StructuredRidge(Permutations(4), kernel="rbf"), {"alpha": alphas}, cv=cv).fit(X, y)
    assert ours.alpha_ == search.best_params_["alpha"]
    assert ours.best_score_ == search.best_score_
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(ours.predict(X), search.predict(X))


def test_folds_take_sizes_from_all_of_y():
    """The last fold alone holds grade 3, so that the training part of that fold does not show it."""
    X = np.arange(9.0)[:, None]
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 3])
    model = StructuredRidgeCV(Ordinal(), cv=KFold(3), kernels=["rbf"]).fit(X, y)
    assert model.structure_.n_features == 4


def test_folds_pass_on_sample_weights():
    X, y, _, _ = problem(Permutations(4))
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=N)
    model = StructuredRidgeCV("permutations", alphas=[0.5], cv=2, kernels=["rbf"], gammas=[None]).fit(X, y, weights)
    same = StructuredRidge("permutations", alpha=0.5, kernel="rbf").fit(X, y, weights)
    np.testing.assert_allclose(model.dual_coef_, same.dual_coef_, atol=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1_macro"])
def test_scorers_of_scikit_learn_judge_leave_one_out_predictions(scoring):
    X, y = load_iris(return_X_y=True)
    X, y = X[50::2], np.array(["versicolor", "virginica"])[y[50::2] - 1]
    model = StructuredRidgeCV(alphas=[0.1, 1.0], kernels=["rbf"], scoring=scoring).fit(X, y)
    assert 0.8 < model.best_score_ <= 1


def test_weighted_rows_are_weighted_in_the_score():
    X, y = load_iris(return_X_y=True)
    X, y = X[::5], y[::5]
    weights = np.where(y == 0, 1.0, 0.0)  # only the class that is easy to tell counts, in the fit and in the score
    weights[y == 1] = 1e-6
    model = StructuredRidgeCV(alphas=[0.1], kernels=["rbf"], scoring="metric").fit(X, y, weights)
    assert model.best_score_ == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alphas": []}, "at least one"),
        ({"alphas": [1.0, 0.0]}, r"alphas\[1\] is 0.0"),
        ({"alphas": [1.0, np.inf]}, r"alphas\[1\] is inf"),
        ({"alphas": [[1.0]]}, "alphas must be a list"),
        ({"alphas": ["a"]}, r"alphas must be a list of positive numbers, got \['a'\]"),
        ({"alphas": [None]}, "alphas"),
        ({"kernels": ["rbf"], "kernel_params": {"gamma": 1.0}}, "kernel_params=.* has no effect"),
        ({"kernels": []}, "kernels is empty"),
        ({"kernels": "rbf"}, "The 'kernels' parameter"),
        ({"kernels": ["rbf", "gauss"]}, r"kernels\[1\] is 'gauss', must be callable or one of 'cosine'"),
        ({"kernels": ["linear", "precomputed"]}, "X holds the values of one kernel"),
        ({"gammas": ["large"]}, r"gammas\[0\] is 'large', must be a positive number, 'scale' or None"),
        ({"gammas": [1.0, -1.0]}, r"gammas\[1\] is -1.0"),
        ({"losses": ["squared", "hinge"]}, r"losses\[1\] is 'hinge', must be one of 'auto', 'auc', 'squared'"),
        ({"solver": "primal"}, "leave-one-out"),
        ({"solver": "cg"}, "cv=5"),
        ({"scoring": "no such scorer"}, "scoring"),
        ({"scoring": lambda estimator, X, y: np.nan}, "scoring gave nan"),
    ],
)
def test_bad_parameters_are_refused_by_name(options, message):
    X, y, _, _ = problem(Permutations(4))
    with pytest.raises(ValueError, match=message):
        StructuredRidgeCV("permutations", **options).fit(X, y)


@pytest.mark.parametrize("cv", [None, 2])
def test_scoring_by_what_models_do_not_have_is_refused_by_name(cv):
    X, y = load_iris(return_X_y=True)
    model = StructuredRidgeCV(cv=cv, scoring="neg_log_loss")
    with pytest.raises(ValueError, match="scoring='neg_log_loss' needs predict_proba, .* scorer of predictions"):
        model.fit(X, y)
    model.set_params(scoring=lambda estimator, X, y: y.nonsense)
    with pytest.raises(AttributeError, match="nonsense"):  # a scorer's own error stays what it is
        model.fit(X, y)


def test_scoring_by_what_leave_one_out_does_not_have_names_the_remedy():
    X, y = load_iris(return_X_y=True)
    model = StructuredRidgeCV(scoring=lambda estimator, X, y: estimator.feature_scores(X).mean())
    with pytest.raises(ValueError, match=r"needs feature_scores, and leave-one-out has only predict .*cv=5") as caught:
        model.fit(X, y)
    assert "_LeaveOneOut" not in str(caught.value)
    assert np.isfinite(model.set_params(cv=2).fit(X, y).best_score_)


def test_verbose_prints_a_line_for_each_alpha(capsys):
    X, y, _, _ = problem(Permutations(4))
    StructuredRidgeCV("permutations", alphas=[0.5, 2.0], kernels=["linear"], verbose=1).fit(X, y)
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert [line.split(" score ")[0] for line in lines] == [
        f"[StructuredRidgeCV] kernel='linear', loss='squared', alpha={alpha}: leave-one-out" for alpha in ("0.5", "2")
    ]
    assert captured.out == ""


def test_explained_variance_is_that_of_refits():
    X, y, psi, _ = problem(Permutations(4))
    weights = np.random.default_rng(5).uniform(0.3, 2.0, size=N)
    model = StructuredRidgeCV("permutations", alphas=[0.3], kernels=["rbf"], gammas=[0.5]).fit(X, y, weights)
    expected = np.empty_like(psi)
    for i in range(N):
        rest = np.arange(N) != i
        refitted = StructuredRidge(Permutations(4), alpha=0.3, kernel="rbf", gamma=0.5)
        refitted.fit(X[rest], y[rest], weights[rest])
        expected[i] = refitted.feature_scores(X[i : i + 1])[0] + model.structure_.mean()
    share = weights / weights.sum()
    left = share @ np.square(psi - expected).sum(axis=1)
    assert model.best_score_ == pytest.approx(1 - left / (share @ np.square(psi - share @ psi).sum(axis=1)), abs=1e-8)
    np.testing.assert_allclose(model.loo_scores_, expected - model.structure_.mean(), atol=1e-8)


def test_one_call_chooses_kernel_width_loss_and_penalty():
    """What is chosen is the best of all settings, each tried alone, and trained as `StructuredRidge` would be."""
    X, y, _, _ = problem(Permutations(4), seed=2)
    alphas, losses = [0.1, 3.0], ["auc", "squared"]
    model = StructuredRidgeCV("permutations", alphas=alphas, gammas=[0.2, "scale"], losses=losses).fit(X, y)
    results = model.cv_results_
    settings = [
        {"kernel": kernel, "loss": loss, **scale}
        for loss in losses
        for kernel in ("linear", "rbf", "laplacian")
        for scale in ([{}] if kernel == "linear" else [{"gamma": 0.2}, {"gamma": "scale"}])
    ]
    assert results["params"] == [{"alpha": alpha, **setting} for setting in settings for alpha in alphas]
    assert results["param_kernel"].tolist() == [each["kernel"] for each in results["params"]]
    assert results["param_gamma"].tolist() == [each.get("gamma") for each in results["params"]]
    assert results["param_gamma"].mask.tolist() == ["gamma" not in each for each in results["params"]]
    for setting, scores in zip(settings, results["mean_test_score"].reshape(-1, 2), strict=True):
        lists = {"kernels": [setting["kernel"]], "gammas": [setting.get("gamma")], "losses": [setting["loss"]]}
        alone = StructuredRidgeCV("permutations", alphas=alphas, scoring="metric", **lists).fit(X, y)
        np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], scores)
    best = int(np.argmax(results["mean_test_score"]))
    assert model.best_params_ == results["params"][best] and results["rank_test_score"][best] == 1
    assert model.best_score_ == results["mean_test_score"][best]
    same = StructuredRidge("permutations", solver="closed-form", **model.best_params_).fit(X, y)
    np.testing.assert_allclose(model.feature_scores(X), same.feature_scores(X), atol=1e-9)
    assert (model.alpha_, model.loss_) == (same.alpha, same.loss_)
    assert model.gamma_ == (None if same.kernel == "linear" else same.kernel_.gamma)


def test_widths_by_default_are_around_the_scale():
    X, y, _, _ = problem(Permutations(4))
    model = StructuredRidgeCV("permutations", kernels=["laplacian"], alphas=[1.0]).fit(X, y)
    np.testing.assert_allclose(
        [each["gamma"] * 3 * X.var() for each in model.cv_results_["params"]], [0.03, 0.1, 0.3, 1, 3, 10]
    )


@pytest.mark.parametrize("precomputed", [False, True])
def test_many_rows_are_compared_on_a_part_of_them(monkeypatch, precomputed):
    """The same part whenever there are as many rows; the best setting is tried again on all, and trained on them."""
    monkeypatch.setattr("combpred._models.ridge_cv._COMPARED", 7)
    X, y, _, _ = problem(Permutations(4))
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=N)
    constraints = [{"first": int(row % 4)} for row in range(N)]
    lists = {"kernels": ["rbf", "linear"], "gammas": [0.5]}
    if precomputed:
        X, lists = rbf_kernel(X), {"kernels": ["precomputed"], "losses": ["auc", "squared"]}
    options = {"structure": "permutations", "alphas": [0.1, 1.0], "scoring": "metric", **lists}
    model = StructuredRidgeCV(**options).fit(X, y, weights, constraints=constraints)
    results = model.cv_results_
    assert results["n_rows"].tolist() == [7] * 4 + [N] * 2
    assert sorted(results["rank_test_score"][4:]) == [1, 2] or results["rank_test_score"][4:].tolist() == [1, 1]
    assert (results["rank_test_score"][:4] > 2).all()
    rows = np.sort(np.random.RandomState(0).permutation(N)[:7])
    part = X[np.ix_(rows, rows)] if precomputed else X[rows]
    small = StructuredRidgeCV(**options).fit(part, y[rows], weights[rows], constraints=[constraints[i] for i in rows])
    np.testing.assert_allclose(small.cv_results_["mean_test_score"], results["mean_test_score"][:4], atol=1e-12)
    assert {**small.best_params_, "alpha": None} == {**model.best_params_, "alpha": None}
    again = StructuredRidgeCV(**options).fit(X, y, weights, constraints=constraints)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], results["mean_test_score"])
    assert model.feature_scores(X).shape == (N, 6) and model.loo_scores_.shape == (N, 6)


def test_predictions_are_scored_under_constraints():
    X, y, _, _ = problem(Permutations(4))
    constraints = [{"first": int(np.argmin(row))} for row in y]
    options = {"alphas": [0.3], "kernels": ["linear"], "scoring": "metric"}
    model = StructuredRidgeCV("permutations", **options).fit(X, y, constraints=constraints)
    held = [
        StructuredRidge(Permutations(4), alpha=0.3).fit(np.delete(X, i, 0), np.delete(y, i, 0))
        .predict(X[i : i + 1], constraints=constraints[i])[0]
        for i in range(N)
    ]  # fmt: skip
    assert model.best_score_ == pytest.approx(metrics.kendall_tau(y, held), abs=1e-12)
    free = StructuredRidgeCV("permutations", **options).fit(X, y)
    assert free.best_score_ < model.best_score_
    with pytest.raises(ValueError, match="row 3: 'first' is 9"):
        StructuredRidgeCV("permutations", **options).fit(X, y, constraints=[None] * 3 + [{"first": 9}] * 7)
    with pytest.raises(ValueError, match="constraints are for leave-one-out"):
        StructuredRidgeCV("permutations", cv=2).fit(X, y, constraints={"first": 1})


@pytest.mark.parametrize("cv", [None, 3])
def test_thresholds_are_judged_by_f1(cv):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3))
    y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(40, 5)) > 0.8).astype(int)
    alphas = [0.1, 30.0]
    model = StructuredRidgeCV("labelsets", kernels=["linear"], alphas=alphas, decision="f1", cv=cv).fit(X, y)
    same = StructuredRidge("labelsets", alpha=model.alpha_, decision="f1").fit(X, y)
    assert model.threshold_ == pytest.approx(same.threshold_, abs=1e-12)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    if cv is None:
        predicted = model.loo_scores_ + 0.5 > model.threshold_
        f1 = [
            2 * (a & b).sum() / (a.sum() + b.sum()) if (a | b).any() else 1
            for a, b in zip(y == 1, predicted, strict=True)
        ]
        assert model.best_score_ == pytest.approx(np.mean(f1), abs=1e-12)


def test_a_search_over_the_search():
    X, y, _, _ = problem(Permutations(4))
    inner = StructuredRidgeCV(Permutations(), kernels=["linear", "rbf"], alphas=[0.1, 1.0])
    search = GridSearchCV(inner, {"losses": [["auc"], ["squared"]]}, cv=2).fit(X, y)
    assert search.best_estimator_.loss_ == search.best_params_["losses"][0]
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copy.predict(X), search.predict(X))
    assert clone(inner).get_params()["kernels"] == ["linear", "rbf"]


def test_constant_targets_have_a_score():
    X = np.random.default_rng(0).normal(size=(8, 2))
    model = StructuredRidgeCV("permutations").fit(X, np.tile([2, 1, 3], (8, 1)))
    assert np.isfinite(model.best_score_) and (model.predict(X) == [2, 1, 3]).all()
