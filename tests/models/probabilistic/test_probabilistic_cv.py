"""ProbabilisticStructuredCV: held-out likelihoods by enumeration, what is chosen by them, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    train_test_split,
)

import reference
from combpred import Admissible, CapabilityError, ProbabilisticStructured, ProbabilisticStructuredCV, metrics
from combpred.structures import Hierarchy, LabelSets, MultiClass, Permutations
from enumerated_problem import STRUCTURES, problem

FOLDS = KFold(3, shuffle=True, random_state=4)
LINEAR = {"kernels": ["linear"], "cv": FOLDS}
PENALTIES = [0.1, 1.0, 10.0]


@pytest.fixture
def tight(monkeypatch):
    """Fits to folds that are as tight as `tol`."""
    monkeypatch.setattr("combpred._models.probabilistic_cv._TOL", 1e-8)


def left_out(X, outputs, psi, alpha, weights=None):
    """Return the enumerated ln p of each row by the model of the folds without it."""
    features, logs = np.c_[X, np.ones(len(X))], np.empty(len(X))
    for training, test in FOLDS.split(X):
        some = None if weights is None else weights[training]
        scores = features[test] @ reference.most_likely(
            features[training], outputs, psi[training], alpha=alpha, weights=some
        )
        logs[test] = (scores * psi[test]).sum(axis=1) - np.logaddexp.reduce(scores @ outputs.T, axis=1)
    return logs


@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_scores_are_enumerated_likelihoods_of_rows_left_out(structure, weighted):
    X, y, psi, outputs, weights = problem(structure, weighted=weighted)
    model = ProbabilisticStructuredCV(structure, alphas=PENALTIES, tol=1e-7, **LINEAR).fit(X, y, sample_weight=weights)
    expected = [np.average(left_out(X, outputs, psi, alpha, weights), weights=weights) for alpha in PENALTIES]
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], expected, atol=1e-5)
    best = int(np.argmax(expected))
    assert (model.alpha_, model.best_index_) == (PENALTIES[best], best)
    assert model.best_params_ == {"alpha": model.alpha_, "kernel": "linear"}
    assert model.best_score_ == model.cv_results_["mean_test_score"][best]
    alone = ProbabilisticStructured(structure, alpha=model.alpha_, tol=1e-7).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-9)
    assert (model.solver_, model.inference_, model.n_iter_) == (alone.solver_, alone.inference_, alone.n_iter_)


def test_left_out_scores_are_those_of_the_folds():
    X, y, *_ = problem(Permutations(4))
    model = ProbabilisticStructuredCV("permutations", alphas=[0.3], kernels=["rbf"], gammas=[0.5], cv=FOLDS).fit(X, y)
    for training, test in FOLDS.split(X):
        alone = ProbabilisticStructured("permutations", alpha=0.3, kernel="rbf", gamma=0.5, tol=1e-5)
        np.testing.assert_array_equal(
            alone.fit(X[training], y[training]).feature_scores(X[test]), model.left_out_scores_[test]
        )
    assert model.gamma_ == 0.5


def test_kernel_values_are_chosen_by_as_the_kernel_is():
    X, y, *_ = problem(Permutations(4))
    given = ProbabilisticStructuredCV("permutations", alphas=PENALTIES, kernels=["rbf"], gammas=[0.5], cv=FOLDS)
    values = ProbabilisticStructuredCV("permutations", alphas=PENALTIES, kernels=["precomputed"], cv=FOLDS)
    given, values = given.fit(X, y), values.fit(rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_allclose(values.cv_results_["mean_test_score"], given.cv_results_["mean_test_score"], atol=1e-6)
    np.testing.assert_allclose(values.dual_coef_, given.dual_coef_, atol=1e-5)


def test_the_penalty_that_suits_is_chosen():
    """Of rows of pure noise the largest, of rows that tell the class a small one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10))
    noise = ProbabilisticStructuredCV(alphas=[0.01, 1.0, 100.0], kernels=["linear"]).fit(X, rng.integers(3, size=60))
    clear = ProbabilisticStructuredCV(alphas=[0.01, 1.0, 100.0], kernels=["linear"]).fit(X, X[:, 0] > 0)
    assert (noise.alpha_, clear.alpha_) == (100.0, 0.01)


def test_many_settings_are_compared_on_few_rows_first():
    X, y, *_ = problem(Permutations(4))
    X, y = np.tile(X, (40, 1))[:300], np.tile(y, (40, 1))[:300]
    model = ProbabilisticStructuredCV("permutations", gammas=[0.1, 0.5, 2.0], alphas=[0.1, 1.0]).fit(X, y)
    results = model.cv_results_
    tried = [
        (n, each["kernel"], each.get("gamma")) for n, each in zip(results["n_rows"], results["params"], strict=True)
    ]
    counts = {n: len({setting for setting in tried if setting[0] == n}) for n in (200, 300)}
    assert counts == {200: 7, 300: 3}
    assert results["rank_test_score"][model.best_index_] == 1 and results["n_rows"][model.best_index_] == 300


@pytest.mark.parametrize(
    ("scoring", "metric"), [("metric", metrics.kendall_tau), ("spearman_rho", metrics.spearman_rho)]
)
def test_predictions_are_judged_by_the_metric_asked_for(scoring, metric):
    X, y, *_ = problem(Permutations(4))
    model = ProbabilisticStructuredCV("permutations", alphas=[0.3], scoring=scoring, **LINEAR).fit(X, y)
    predicted = np.empty_like(y)
    for training, test in FOLDS.split(X):
        alone = ProbabilisticStructured("permutations", alpha=0.3, tol=1e-5).fit(X[training], y[training])
        predicted[test] = alone.predict(X[test])
    assert model.best_score_ == pytest.approx(metric(y, predicted), abs=1e-12)


def test_a_fold_may_lack_a_class():
    X = np.arange(9.0)[:, None]
    y = np.array(["a"] * 4 + ["b"] * 4 + ["c"])
    model = ProbabilisticStructuredCV(alphas=[1.0], kernels=["linear"], cv=LeaveOneOut()).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"] and np.isfinite(model.best_score_)
    assert model.predict_proba(X).shape == (9, 3)


def test_rows_of_weight_zero_do_not_train():
    X, y, *_ = problem(MultiClass(3))
    weights = np.ones(len(X))
    weights[:4] = 0
    changed = y.copy()
    changed[:4] = (y[:4] + 1) % 3
    one, other = (
        ProbabilisticStructuredCV(MultiClass(3), alphas=PENALTIES, **LINEAR).fit(X, some, sample_weight=weights)
        for some in (y, changed)
    )
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_what_rows_may_be_counts_by_its_probability():
    """Of sets of outputs, and of rankings known in part, whatever they are trained by."""
    X, y, *_ = problem(Permutations(4))
    sets = [Admissible([row]) for row in y]
    sets[0] = Admissible([y[0], y[0][::-1]])
    for how in ("mean", "likelihood"):
        both = ProbabilisticStructuredCV("permutations", alphas=[0.3], partial=how, **LINEAR).fit(X, sets)
        logs = 0.0
        for training, test in FOLDS.split(X):
            alone = ProbabilisticStructured("permutations", alpha=0.3, tol=1e-5, partial=how)
            alone.fit(X[training], [sets[row] for row in training])
            logs += alone.log_proba(X[test], [sets[row] for row in test]).sum()
        assert both.best_score_ == pytest.approx(logs / len(X), abs=1e-6)
    partial = y.copy()
    partial[::2, 0] = -1
    for how in ("mean", "likelihood"):
        known = ProbabilisticStructuredCV("permutations", alphas=PENALTIES, partial=how, **LINEAR).fit(X, partial)
        assert np.isfinite(known.cv_results_["mean_test_score"]).all()


def test_chains_can_be_chosen_by():
    X, y, *_ = problem(Permutations(4))
    options = {"inference": "mcmc", "tol": 0.1, "random_state": 0}
    model = ProbabilisticStructuredCV("permutations", alphas=[3.0, 30.0], **options, **LINEAR).fit(X, y)
    exact = ProbabilisticStructuredCV("permutations", alphas=[3.0, 30.0], **LINEAR).fit(X, y)
    assert model.inference_ == "mcmc" and model.alpha_ == exact.alpha_
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"], atol=0.1)


@pytest.mark.parametrize(
    "options",
    [
        {"alphas": []},
        {"alphas": [1.0, -1.0]},
        {"kernels": ["linear", "sigmoid"]},
        {"kernels": ["precomputed", "rbf"]},
        {"gammas": [0.0]},
        {"scoring": "no such scorer"},
        {"scoring": "cycle_f1"},
        {"cv": 1},
        {"cv": []},
        {"cv": GroupKFold(3)},
        {"cv": [([0, 1, 2], [9])]},
        {"cv": [(list(range(9)), list(range(9)))]},
        {"scoring": "neg_hierarchical_loss"},
        {"scoring": "hamming_score"},
        {"inference": "exactly"},
    ],
)
def test_bad_parameters_are_refused_by_name(options):
    X, y, *_ = problem(Permutations(4))
    with pytest.raises(ValueError) as caught:
        ProbabilisticStructuredCV("permutations", **options).fit(X, y)
    assert any(name in str(caught.value) for name in options)


def test_folds_must_leave_out_every_row_once():
    X, y, *_ = problem(Permutations(4))
    splits = ShuffleSplit(4, test_size=0.5, random_state=0)
    times = sum(np.isin(np.arange(len(X)), test).astype(int) for _, test in splits.split(X))
    row = int(np.argmax(times != 1))
    with pytest.raises(ValueError) as caught:
        ProbabilisticStructuredCV("permutations", cv=splits).fit(X, y)
    assert f"row {row} is left out {times[row]} times" in str(caught.value)
    with pytest.raises(ValueError) as caught:
        ProbabilisticStructuredCV("permutations").fit(X[:1], y[:1])
    assert "n_samples=1" in str(caught.value)
    with pytest.raises(ValueError) as caught:
        ProbabilisticStructuredCV("permutations").fit(X, y, sample_weight=np.eye(len(X))[0])
    assert "n_samples=1" in str(caught.value)


def test_classes_may_be_stratified():
    X, y = load_wine(return_X_y=True)
    model = ProbabilisticStructuredCV(alphas=[1.0], kernels=["linear"], cv=StratifiedKFold(3)).fit(X, y)
    found = np.zeros(len(X))
    for training, test in StratifiedKFold(3).split(X, y):
        alone = ProbabilisticStructured(alpha=1.0, tol=1e-5).fit(X[training], y[training])
        found[test] = alone.log_proba(X[test], y[test])
    assert model.best_score_ == pytest.approx(found.mean(), rel=1e-6)


def test_folds_are_trained_until_they_are_overconfident():
    """Of inputs on different scales a fit that stops early looks as if its penalty were larger."""
    X, y = load_wine(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=1, stratify=y)
    model = ProbabilisticStructuredCV().fit(X, y)
    assert model.score_log_loss(X_test, y_test) < 0.25


def test_decisions_that_a_structure_lacks_are_refused():
    X, y, *_ = problem(Permutations(4))
    with pytest.raises(CapabilityError) as caught:
        ProbabilisticStructuredCV("permutations", decision="f1").fit(X, y)
    assert "f1" in str(caught.value)


def test_a_failed_fit_keeps_the_earlier_one():
    X, y, *_ = problem(LabelSets(4))
    model = ProbabilisticStructuredCV("labelsets", alphas=[1.0], **LINEAR).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError):
        model.set_params(scoring="cycle_f1").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_inner_nodes_and_leaves_of_trees_are_chosen_for():
    parents = [-1, 0, 0, 1, 1, 2, 2]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = 3 + 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    model = ProbabilisticStructuredCV(Hierarchy(parents), kernels=["linear"]).fit(X, y)
    assert model.score(X, y) > 0.9 and model.score_log_loss(X, y) < 0.3
