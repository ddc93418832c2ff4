"""StructuredRidgeCV: what it chooses among kernels, widths, losses and penalties, and by which score."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

from combpred import ProbabilisticStructuredCV, StructuredRidge, StructuredRidgeCV, metrics
from combpred._models.choice import Setting
from combpred.structures import LabelSets, Ordinal, Permutations

N = 10


def problem(structure, seed=0):
    """Return inputs, random members of a structure and their ψ."""
    rng = np.random.default_rng(seed)
    members = list(structure.enumerate())
    y = np.array([members[i] for i in rng.integers(len(members), size=N)])
    return rng.normal(size=(N, 3)), y, structure.embed(y)


def test_explained_variance_is_that_of_refits():
    X, y, psi = problem(Permutations(4))
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


@pytest.mark.filterwarnings("error")
def test_many_classes_are_no_doubt():
    """Of some rows, and of all, the classes are more than half as many; scikit-learn's check warns of that."""
    rng = np.random.default_rng(0)
    for n in (60, 200):
        y = np.r_[np.arange(50), rng.integers(50, size=n - 50)]
        model = StructuredRidgeCV("multiclass", alphas=[1.0, 10.0], gammas=[0.1, "scale"], scoring="metric")
        model.fit(rng.normal(size=(n, 3)), y)
        assert len(model.classes_) == 50


def test_one_call_chooses_kernel_width_loss_and_penalty():
    """What is chosen is the best of all settings, each tried alone, and trained as `StructuredRidge` would be."""
    X, y, _ = problem(Permutations(4), seed=2)
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
    assert model.best_index_ == best
    assert model.best_score_ == results["mean_test_score"][best]
    same = StructuredRidge("permutations", solver="closed-form", **model.best_params_).fit(X, y)
    np.testing.assert_allclose(model.feature_scores(X), same.feature_scores(X), atol=1e-9)
    assert (model.alpha_, model.loss_) == (same.alpha, same.loss_)
    assert model.gamma_ == (None if same.kernel == "linear" else same.kernel_.gamma)


def test_widths_by_default_are_around_the_scale():
    X, y, _ = problem(Permutations(4))
    model = StructuredRidgeCV("permutations", kernels=["laplacian"], alphas=[1.0]).fit(X, y)
    np.testing.assert_allclose(
        [each["gamma"] * 3 * X.var() for each in model.cv_results_["params"]], [0.03, 0.1, 0.3, 1, 3, 10]
    )


@pytest.mark.parametrize("precomputed", [False, True])
def test_many_rows_are_compared_on_a_part_of_them(monkeypatch, precomputed):
    """The same part whenever there are as many rows; the best setting is tried again on all, and trained on them."""
    monkeypatch.setattr("combpred._models.ridge_cv.ROUNDS", ((150, 3), (7, 1)))
    X, y, _ = problem(Permutations(4))
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
    assert model.best_index_ >= 4 and results["params"][model.best_index_] == model.best_params_
    rows = np.sort(np.random.RandomState(0).permutation(N)[:7])
    part = X[np.ix_(rows, rows)] if precomputed else X[rows]
    small = StructuredRidgeCV(**options).fit(part, y[rows], weights[rows], constraints=[constraints[i] for i in rows])
    np.testing.assert_allclose(small.cv_results_["mean_test_score"], results["mean_test_score"][:4], atol=1e-12)
    assert {**small.best_params_, "alpha": None} == {**model.best_params_, "alpha": None}
    again = StructuredRidgeCV(**options).fit(X, y, weights, constraints=constraints)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], results["mean_test_score"])
    assert model.feature_scores(X).shape == (N, 6) and model.loo_scores_.shape == (N, 6)


@pytest.mark.parametrize("scoring", [None, "metric"])
def test_finalists_are_tried_near_the_penalties_that_did_best_on_fewer_rows(monkeypatch, scoring):
    """Scores are those of settings tried alone, with every penalty; who comes second and third is looked at as well."""
    monkeypatch.setattr("combpred._models.ridge_cv.ROUNDS", ((20, 3), (1000, 1)))
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 3))
    y = Permutations(4).decode(np.tanh(X @ rng.normal(size=(3, 6))) + 0.3 * rng.normal(size=(40, 6)))
    alphas = rng.permutation(np.logspace(-3, 2, 11))
    options = {"structure": "permutations", "alphas": alphas, "scoring": scoring}
    model = StructuredRidgeCV(**options).fit(X, y)
    results = model.cv_results_
    first, finals = (np.flatnonzero(results["n_rows"] == n) for n in (20, 40))
    assert first.tolist() == list(range(13 * 4)) and len(finals) < 33
    scores = results["mean_test_score"]
    assert set(results["param_alpha"][first].reshape(13, 4).ravel()) == set(np.sort(alphas)[1::3])
    names = [(each["kernel"], each.get("gamma")) for each in results["params"]]
    ranked = np.argsort(-scores[first].reshape(13, 4).max(axis=1), kind="stable")
    assert list(dict.fromkeys(names[at] for at in finals)) == [names[4 * at] for at in ranked[:3]]
    for kernel, gamma in {names[at] for at in finals}:
        alone = StructuredRidgeCV(**options, kernels=[kernel], gammas=[gamma]).fit(X, y)
        every = dict(zip(alphas, alone.cv_results_["mean_test_score"], strict=True))
        tried = {results["param_alpha"][at]: scores[at] for at in finals if names[at] == (kernel, gamma)}
        np.testing.assert_allclose(list(tried.values()), [every[alpha] for alpha in tried], atol=1e-8)
        places = np.searchsorted(np.sort(alphas), sorted(tried))
        assert (np.diff(places) == 1).all()
        best = np.sort(alphas).tolist().index(max(tried, key=tried.get))
        assert {max(best - 1, 0), min(best + 1, 10)} <= set(places.tolist())
    assert model.best_score_ == scores[finals].max() == scores[results["rank_test_score"] == 1][0]
    lists = {"kernels": [model.best_params_["kernel"]], "gammas": [model.best_params_.get("gamma")]}
    alone = StructuredRidgeCV(**{**options, "alphas": [model.alpha_]}, **lists).fit(X, y)
    np.testing.assert_allclose(model.loo_scores_, alone.loo_scores_, atol=1e-7)
    np.testing.assert_allclose(model.feature_scores(X), alone.feature_scores(X), atol=1e-9)


def test_predictions_are_scored_under_constraints():
    X, y, _ = problem(Permutations(4))
    constraints = [{"first": int(np.argmin(row))} for row in y]
    options = {"alphas": [0.3], "kernels": ["linear"]}
    model = StructuredRidgeCV("permutations", **options).fit(X, y, constraints=constraints)
    held = [
        StructuredRidge(Permutations(4), alpha=0.3).fit(np.delete(X, i, 0), np.delete(y, i, 0))
        .predict(X[i : i + 1], constraints=constraints[i])[0]
        for i in range(N)
    ]  # fmt: skip
    assert model.best_score_ == pytest.approx(metrics.kendall_tau(y, held), abs=1e-12)
    free = StructuredRidgeCV("permutations", scoring="metric", **options).fit(X, y)
    assert free.best_score_ < model.best_score_
    with pytest.raises(ValueError) as caught:
        StructuredRidgeCV("permutations", **options).fit(X, y, constraints=[None] * 3 + [{"first": 9}] * 7)
    assert caught.value.row == 3


def test_settings_of_thresholds_are_judged_by_the_variance_explained():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 3))
    y = (X @ rng.normal(size=(3, 5)) + rng.normal(size=(40, 5)) > 0.8).astype(int)
    options = {"kernels": ["linear"], "alphas": [0.1, 3.0, 30.0]}
    model = StructuredRidgeCV("labelsets", decision="f1", **options).fit(X, y)
    explained = StructuredRidgeCV("labelsets", **options).fit(X, y)
    assert (model.alpha_, model.best_score_) == (explained.alpha_, explained.best_score_)
    same = StructuredRidge("labelsets", alpha=model.alpha_, decision="f1").fit(X, y)
    assert model.threshold_ == pytest.approx(same.threshold_, abs=1e-12)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    auc = StructuredRidgeCV("labelsets", decision="f1", losses=["auc"], **options).fit(X, y)  # has no expectations
    assert auc.best_score_ == pytest.approx(mean_f1(y, auc.loo_scores_ > auc.threshold_), abs=1e-12)


def mean_f1(y, predicted):
    both, sizes = 2.0 * (y * predicted).sum(axis=1), y.sum(axis=1) + predicted.sum(axis=1)
    return np.where(sizes == 0, 1.0, both / np.maximum(sizes, 1)).mean()


def tags():
    """Return 60 rows of four tags, of which four sets occur."""
    rng = np.random.default_rng(0)
    sets = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 1, 1]])
    kind = rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=60)
    return np.eye(4)[kind] + 0.8 * rng.normal(size=(60, 4)), sets[kind]


@pytest.mark.parametrize("scoring", ["accuracy", "f1", "hamming_score", "metric"])
def test_sets_and_decisions_that_are_left_open_are_chosen_by_the_metric(scoring):
    X, y = tags()
    options = {"kernels": ["linear", "rbf"], "gammas": [0.5], "alphas": [0.3, 3.0, 30.0]}
    model = StructuredRidgeCV(LabelSets(), scoring=scoring, **options).fit(X, y)
    setting = StructuredRidgeCV(LabelSets(observed=False), **options).fit(X, y)  # by the variance explained
    for name in ("alpha", "kernel", "loss"):
        assert model.best_params_[name] == setting.best_params_[name]
    judge = {
        "accuracy": metrics.accuracy, "f1": mean_f1, "hamming_score": metrics.hamming_score,
        "metric": metrics.hamming_score,
    }[scoring]  # fmt: skip
    found = {}
    for observed, decision in ((False, "mbr"), (False, "f1"), (True, "mbr")):
        fixed = StructuredRidgeCV(
            LabelSets(observed=observed or None), decision=decision, kernels=[setting.best_params_["kernel"]],
            gammas=[setting.gamma_], alphas=[setting.alpha_],
        ).fit(X, y)  # fmt: skip
        expected = fixed.loo_scores_ + fixed.structure_.mean()
        if decision == "f1":
            predicted = expected > fixed.threshold_
            predicted[np.arange(len(y)), expected.argmax(axis=1)] = True
        else:
            sets = np.unique(y, axis=0) if observed else (np.arange(16)[:, None] >> np.arange(4)) & 1
            predicted = sets[((expected[:, None] - sets) ** 2).sum(axis=2).argmin(axis=1)]
        found[observed, decision] = judge(y, predicted.astype(int)), fixed
    best = max(found, key=lambda each: found[each][0])
    assert len({round(score, 12) for score, _ in found.values()}) == 3
    score, fixed = found[best]
    assert model.best_score_ == pytest.approx(score, abs=1e-12)
    assert (model.decision_, model.structure_) == (best[1], fixed.structure_)
    assert (model.best_params_["decision"], model.best_params_["structure"]) == (best[1], fixed.structure_)
    np.testing.assert_allclose(model.loo_scores_, fixed.loo_scores_, atol=1e-12)
    assert hasattr(model, "threshold_") == (best[1] == "f1")
    again = StructuredRidge().set_params(**model.best_params_).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(fixed.predict(X), model.predict(X))


def test_the_choice_of_sets_and_decisions_depends_on_the_metric():
    X, y = tags()
    options = {"kernels": ["linear"], "alphas": [0.3, 3.0, 30.0]}
    found = {}
    for scoring in ("accuracy", "f1", "hamming_score", None):
        model = StructuredRidgeCV(LabelSets(), scoring=scoring, **options).fit(X, y)
        found[scoring] = model.structure_.observed is not None, model.decision_
    assert found == {
        "accuracy": (True, "mbr"), "f1": (False, "f1"), "hamming_score": (False, "mbr"), None: (False, "mbr"),
    }  # fmt: skip
    assert StructuredRidgeCV(LabelSets(), scoring="f1", decision="f1", **options).fit(X, y).decision_ == "f1"


def test_verbose_tells_of_sets_and_decisions(capsys):
    X, y = tags()
    StructuredRidgeCV(LabelSets(), scoring="accuracy", kernels=["linear"], alphas=[3.0], verbose=1).fit(X, y)
    lines = [line.split(": left")[0] for line in capsys.readouterr().err.splitlines() if "among" in line]
    assert lines == [
        f"[StructuredRidgeCV] decision={decision!r} among {among}"
        for decision, among in (("mbr", "all outputs"), ("f1", "all outputs"), ("mbr", "outputs observed"))
    ]


def test_decisions_of_grades_are_chosen_by_the_metric():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 1))
    y = np.where(rng.random(80) < 0.45, 0, rng.integers(1, 5, size=80))  # the mode is not the median
    options = {"kernels": ["linear"], "alphas": [3.0]}
    by_accuracy = StructuredRidgeCV(Ordinal(5), scoring="accuracy", **options).fit(X, y)
    by_distance = StructuredRidgeCV(Ordinal(5), scoring="neg_absolute_error", **options).fit(X, y)
    assert (by_accuracy.decision_, by_distance.decision_) == ("mode", "mbr")
    given = StructuredRidgeCV(Ordinal(5), scoring="accuracy", decision="mbr", **options).fit(X, y)
    assert given.decision_ == "mbr" and "decision" not in given.best_params_


def test_conditions_hold_for_sets_that_are_chosen():
    X, y = tags()
    conditions = {"size": 4}  # no observed set has four labels
    model = StructuredRidgeCV(LabelSets(), scoring="f1", kernels=["linear"]).fit(X, y, constraints=conditions)
    assert model.structure_.observed is None
    assert (model.predict(X, constraints=conditions).sum(axis=1) == 4).all()


@pytest.mark.parametrize(
    ("structure", "options"),
    [
        ("labelsets", {"scoring": "ndcg"}),
        ("labelsets", {"scoring": "kendall_tau"}),
        ("ordinal", {"scoring": "f1"}),
        ("labelsets", {"decision": "mode"}),
        ("ordinal", {"decision": "f1"}),
        (LabelSets(observed=True), {"decision": "f1", "scoring": "f1"}),
    ],
)
def test_metrics_and_decisions_of_other_structures_are_refused(structure, options):
    X, y = tags()
    y = y[:, 0] if structure == "ordinal" else y
    with pytest.raises(ValueError) as caught:
        StructuredRidgeCV(structure, **options).fit(X, y)
    assert any(name in str(caught.value) for name in options)


def test_a_search_over_the_search():
    X, y, _ = problem(Permutations(4))
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


def test_targets_that_do_not_vary_leave_nothing_to_explain():
    """Rounding is not taken for variance, and equal scores are those of equal predictions."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    for structure, y in (("permutations", np.tile([1, 2, 3], (30, 1))), ("labelsets", np.tile([1, 0, 1], (30, 1)))):
        model = StructuredRidgeCV(structure, kernels=["linear"]).fit(X, y)
        assert -1e-6 < model.best_score_ <= 0.0 and model.score(X, y) == 1.0


def test_the_structures_own_metric_chooses_the_decision_by_default():
    """Rare labels, whose expectations stay below one half, are told better by a threshold."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    y = (X[:, :6] > 1.3).astype(int)
    options = {"kernels": ["linear"], "alphas": [1.0, 10.0]}
    model = StructuredRidgeCV(LabelSets(), **options).fit(X, y)
    fixed = {way: StructuredRidgeCV(LabelSets(), decision=way, **options).fit(X, y) for way in ("mbr", "f1")}
    left_out = {
        "mbr": metrics.hamming_score(y, (fixed["mbr"].loo_scores_ > 0).astype(int)),
        "f1": metrics.hamming_score(y, (fixed["f1"].loo_scores_ + 0.5 > fixed["f1"].threshold_).astype(int)),
    }
    assert left_out["f1"] > left_out["mbr"] + 0.01
    assert (model.decision_, model.best_params_["decision"], model.structure_.observed) == ("f1", "f1", None)
    assert model.best_score_ == fixed["mbr"].best_score_  # by which the setting was chosen


def test_a_set_of_one_row_is_not_observed_without_it():
    """Of 32768 sets few occur twice: rows left out would be told by their own, which new rows cannot be."""
    rng = np.random.RandomState(0)
    X, weights = rng.randn(500, 6), rng.randn(6, 15)
    y = (X @ weights + 0.6 * rng.randn(500, 15) > 0).astype(int)
    options = {"kernels": ["linear"], "alphas": [1.0]}
    model = StructuredRidgeCV(LabelSets(), scoring="accuracy", **options).fit(X[:300], y[:300])
    assert model.structure_.observed is None
    observed = StructuredRidgeCV(LabelSets(observed=True), **options).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > observed.score(X[300:], y[300:]) + 0.01


def test_sets_of_rows_left_out_are_left_out_by_enumeration(capsys):
    """The judgement of observed sets is that of a decision among the sets of the other rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X @ rng.normal(size=(3, 5)) + 0.3 * rng.normal(size=(30, 5)) > 0).astype(int)
    StructuredRidgeCV(LabelSets(), scoring="accuracy", kernels=["linear"], alphas=[3.0], verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    said = next(float(line.split()[-1]) for line in lines if "outputs observed" in line)
    fixed = StructuredRidgeCV(LabelSets(observed=True), kernels=["linear"], alphas=[3.0]).fit(X, y)
    expected = fixed.loo_scores_ + fixed.structure_.mean()
    right = 0
    for row, value in enumerate(expected):
        sets = np.unique(np.delete(y, row, axis=0), axis=0)
        right += (sets[((value - sets) ** 2).sum(axis=1).argmin()] == y[row]).all()
    alone = np.array([(y == each).all(axis=1).sum() == 1 for each in y])
    assert alone.any() and said == pytest.approx(right / len(y), abs=1e-6)


@pytest.mark.parametrize("scoring", ["neg_hierarchical_loss", "hamming_score", "neg_ranking_loss", "route_f1"])
def test_metrics_that_a_structure_lacks_are_refused_before_training(scoring):
    X, y, *_ = problem(Permutations(4))
    with pytest.raises(ValueError) as caught:
        StructuredRidgeCV("permutations", scoring=scoring).fit(X, y)
    assert "scoring" in str(caught.value)


@pytest.mark.parametrize("search", [StructuredRidgeCV, ProbabilisticStructuredCV])
def test_models_that_are_tried_have_nothing_of_what_the_search_has_learnt(search):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    model = search("multiclass", alphas=[0.1, 1.0], kernels=["linear"]).fit(X, (X["a"] > 0).to_numpy())
    tried = model._model_of(Setting("linear", None))
    fitted = {name for name in vars(tried) if name.endswith("_") and not name.startswith("_")}
    assert fitted - {"loss_", "decision_"} == {"n_features_in_", "feature_names_in_", "structure_", "classes_"}
