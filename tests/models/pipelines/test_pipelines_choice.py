"""Pipelines in searches, ensembles, inspections and copies, each against a second way to the same numbers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import set_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor, StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    StandardScaler,
)

from combpred import (
    EmbeddingRegressor,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred.baselines import StructuredSVM
from combpred.datasets import load_digits_attributes, load_iris_hierarchy
from combpred.metrics import get_scorer, hamming_score, kendall_tau
from combpred.ranking import NearestNeighborsLabelRanker, RankingByPairwiseComparison
from combpred.structures import Hierarchy, LabelSets, Ordinal, Permutations

same = np.testing.assert_array_equal


# Choosing parameters.


def test_grids_reach_into_steps_and_structures(iris):
    X, y = iris
    pipe = Pipeline([("scale", StandardScaler()), ("rank", StructuredRidge("permutations"))])
    search = GridSearchCV(pipe, {"rank__alpha": [0.01, 1.0], "rank__kernel": ["linear", "rbf"]}, cv=3).fit(X, y)
    best = clone(pipe).set_params(**search.best_params_)
    assert search.best_score_ == pytest.approx(cross_val_score(best, X, y, cv=3).mean())
    same(search.predict(X), best.fit(X, y).predict(X))


def test_parameters_of_structures_are_searched(people, prepared):
    X, y = people
    pipe = make_pipeline(prepared(), ProbabilisticStructured(LabelSets(), tol=1e-3))
    grid = {"probabilisticstructured__structure__observed": [False, True]}
    search = GridSearchCV(pipe, grid, cv=3, error_score="raise").fit(X, y)
    for observed, score in zip((False, True), search.cv_results_["mean_test_score"], strict=True):
        alone = make_pipeline(prepared(), ProbabilisticStructured(LabelSets(observed=observed), tol=1e-3))
        assert score == pytest.approx(cross_val_score(alone, X, y, cv=3).mean())


def test_random_and_halving_searches(iris):
    X, y = iris
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0]}
    random = RandomizedSearchCV(StructuredRidge("permutations"), grid, n_iter=3, random_state=0, cv=3).fit(X, y)
    halving = HalvingGridSearchCV(StructuredRidge("permutations"), grid, cv=3, min_resources=20, random_state=0).fit(
        X, y
    )
    for search in (random, halving):
        assert search.best_params_["alpha"] in grid["alpha"] and search.score(X, y) > 0.5


def test_several_metrics_by_object_and_by_function(iris):
    X, y = iris
    scoring = {
        "tau": get_scorer("kendall_tau"),
        "first": get_scorer("top_k_recall", k=1),
        "own": make_scorer(kendall_tau),
    }
    found = cross_validate(StructuredRidge("permutations"), X, y, scoring=scoring, cv=3)
    same(found["test_tau"], found["test_own"])
    predicted = cross_val_predict(StructuredRidge("permutations"), X, y, cv=3)
    folds = [slice(0, 17), slice(17, 34), slice(34, 50)]
    first = [(predicted[rows].argmin(axis=1) == y[rows].to_numpy().argmin(axis=1)).mean() for rows in folds]
    np.testing.assert_allclose(found["test_first"], first)


def test_curves_of_learning_and_of_a_parameter(iris):
    X, y = iris
    sizes, _, left_out = learning_curve(StructuredRidge("permutations"), X, y, cv=3, shuffle=True, random_state=0)
    assert left_out.shape == (5, 3) and left_out[-1].mean() > left_out[0].mean()
    train, _ = validation_curve(
        StructuredRidge("permutations", kernel="rbf"), X, y, param_name="alpha", param_range=[1e-3, 1e3], cv=3
    )
    assert train[0].mean() > train[1].mean()


def test_groups_stay_together(iris):
    X, y = iris
    groups = np.arange(50) % 5
    scores = cross_val_score(StructuredRidge("permutations"), X, y, groups=groups, cv=GroupKFold(5))
    by_hand = [
        StructuredRidge("permutations").fit(X[groups != g], y[groups != g]).score(X[groups == g], y[groups == g])
        for g in range(5)
    ]
    np.testing.assert_allclose(sorted(scores), sorted(by_hand))


def test_one_call_chooses_within_a_pipeline(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), StructuredRidgeCV("permutations", kernels=["linear", "rbf"])).fit(X, y)
    assert pipe[-1].best_params_["kernel"] in ("linear", "rbf")
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.7


# Classes, as scikit-learn knows them.


def test_grades_are_classes_of_other_estimators():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.5, 0.5])
    grades = ProbabilisticStructured(Ordinal(3))
    calibrated = CalibratedClassifierCV(grades, cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    voted = VotingClassifier([("grades", grades), ("logistic", LogisticRegression())], voting="soft").fit(X, y)
    assert voted.score(X, y) > 0.75
    proba = cross_val_predict(grades, X, y, cv=StratifiedKFold(3), method="predict_proba")
    assert proba.shape == (120, 3)
    assert (np.asarray(grades.fit(X, y).classes_)[proba.argmax(axis=1)] == y).mean() > 0.7


def test_nodes_of_trees_are_classes_of_stacks():
    X, y = load_iris_hierarchy(return_X_y=True)
    tree = load_iris_hierarchy().structure
    stack = StackingClassifier(
        [("tree", ProbabilisticStructured(tree)), ("flat", LogisticRegression(max_iter=1000))],
        LogisticRegression(max_iter=1000), cv=3,
    )  # fmt: skip
    with pytest.raises(ValueError) as caught:  # the stack numbers names
        stack.fit(X, y)
    assert caught.value.row == 0
    leaves = Hierarchy([-1, 0, 0, 2, 2], allowed="leaves")
    codes = np.array([1, 3, 4])[np.unique(y, return_inverse=True)[1]]
    assert ProbabilisticStructured(leaves).fit(X, codes).score(X, codes) > 0.9


# Regressors, rankers and averages.


def test_any_regressor_learns_embeddings(iris):
    X, y = iris
    forest = EmbeddingRegressor(RandomForestRegressor(20, random_state=0), "permutations").fit(X, y)
    psi = Permutations(3).embed(y)
    targets = RandomForestRegressor(20, random_state=0).fit(X, psi).predict(X)
    same(forest.predict(X), Permutations(3).decode(targets))
    trees = MultiOutputRegressor(RandomForestRegressor(5, random_state=0))
    inner = EmbeddingRegressor(make_pipeline(StandardScaler(), trees), "permutations")
    search = GridSearchCV(inner, {"regressor__multioutputregressor__estimator__max_depth": [1, 4]}, cv=3).fit(X, y)
    one, four = search.cv_results_["mean_test_score"]
    assert four == search.best_score_ > one


def test_averages_of_pipelines(iris):
    X, y = iris
    members = [
        ("linear", make_pipeline(StandardScaler(), StructuredRidge("permutations"))),
        ("kernel", StructuredRidge("permutations", kernel="rbf")),
    ]
    voting = StructuredVoting(members, weights=[0.25, 0.75]).fit(X, y)
    each = [clone(member).fit(X, y) for _, member in members]
    linear = each[0][-1].feature_scores(each[0][:-1].transform(X))
    np.testing.assert_allclose(voting.feature_scores(X), 0.25 * linear + 0.75 * each[1].feature_scores(X), atol=1e-9)


def test_label_rankers_are_estimators_like_others(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), NearestNeighborsLabelRanker())
    search = GridSearchCV(pipe, {"nearestneighborslabelranker__n_neighbors": [1, 5]}, cv=3).fit(X, y)
    assert search.score(X, y) > 0.7
    pairs = make_pipeline(StandardScaler(), RankingByPairwiseComparison(LogisticRegression(C=10.0))).fit(X, y)
    assert pairs.score(X, y) > 0.9


def test_batches_train_behind_a_fitted_scaler(iris):
    X, y = iris
    scaler = StandardScaler().fit(X)
    model = StructuredSGD("permutations", average=True, random_state=0)
    for _ in range(20):
        for rows in (slice(0, 25), slice(25, 50)):
            model.partial_fit(scaler.transform(X[rows]), y[rows])
    assert make_pipeline(scaler, model).score(X, y) > 0.7


# What goes along with rows.


def test_weights_reach_the_last_step(iris):
    X, y = iris
    weights = np.arange(50.0)
    pipe = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    pipe.fit(X, y, structuredridge__sample_weight=weights)
    alone = StructuredRidge("permutations").fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    np.testing.assert_allclose(pipe[-1].coef_, alone.coef_)


def test_metadata_are_routed(iris):
    X, y = iris
    weights = np.arange(50.0) + 1
    set_config(enable_metadata_routing=True)
    try:
        model = (
            StructuredRidge("permutations").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        search = GridSearchCV(make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model),
                              {"structuredridge__alpha": [0.1]}, cv=2,
                              # Of a pipeline's own score, scikit-learn 1.5 to 1.7 do not find the request.
                              scoring=get_scorer("kendall_tau").set_score_request(sample_weight=True))  # fmt: skip
        search.fit(X, y, sample_weight=weights)
        alone = StructuredRidge("permutations", alpha=0.1)
        alone.fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
        asked = StructuredRidge("permutations").set_predict_request(constraints=True)
        pipe = make_pipeline(StandardScaler(), asked).fit(X, y)
        found = pipe.predict(X, constraints={"first": "virginica"})
        scored = search.best_estimator_.score(X, y, sample_weight=weights)
    finally:
        set_config(enable_metadata_routing=False)
    np.testing.assert_allclose(search.best_estimator_[-1].coef_, alone.coef_)
    assert scored == alone.score(StandardScaler().fit_transform(X), y, sample_weight=weights)
    same(np.asarray(found)[:, 2], 1)


def test_conditions_and_certificates_go_through_pipelines(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), StructuredRidge("permutations")).fit(X, y)
    found, certificate = pipe.predict(X, constraints={"last": "setosa"}, return_certificate=True)
    same(np.asarray(found)[:, 0], 3)
    assert certificate.optimal.all()


# Inspecting.


def test_importance_of_inputs_by_our_metrics(iris):
    X, y = iris
    noisy = X.assign(noise=np.random.default_rng(0).normal(size=50))
    model = make_pipeline(StandardScaler(), StructuredRidge("permutations", kernel="rbf")).fit(noisy, y)
    found = permutation_importance(model, noisy, y, scoring=get_scorer("kendall_tau"), n_repeats=10, random_state=0)
    assert found.importances_mean[-1] < found.importances_mean[:4].max() / 3


def first_score(estimator: Any, X: Any, y: Any) -> float:
    """Return how often the first label is right, of which importance may be asked."""
    return float((np.asarray(estimator.predict(X)).argmin(axis=1) == np.asarray(y).argmin(axis=1)).mean())


def test_importance_of_inputs_for_one_entry(iris):
    X, y = iris
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    found = permutation_importance(model, X, y, scoring=first_score, n_repeats=5, random_state=0)
    assert found.importances_mean[2:].max() > 0.1


def test_dependence_of_one_class_on_an_input():
    X, y = load_iris_hierarchy(return_X_y=True, as_frame=True)
    codes = pd.Series(np.array([1, 3, 4])[np.unique(y, return_inverse=True)[1]])
    model = ProbabilisticStructured(Hierarchy([-1, 0, 0, 2, 2], allowed="leaves")).fit(X, codes)
    found = partial_dependence(model, X, ["petal length (cm)"], kind="average", grid_resolution=5)
    by_hand = [
        model.predict_proba(X.assign(**{"petal length (cm)": value})).mean(axis=0) for value in found["grid_values"][0]
    ]
    np.testing.assert_allclose(found["average"][:, :], np.array(by_hand).T, atol=1e-12)


# Copies.


def test_whole_pipelines_are_cloned_pickled_and_run_in_parallel(people, prepared):
    X, y = people
    pipe = make_pipeline(prepared(), StructuredRidge(LabelSets(), kernel="rbf")).fit(X, y)
    again = pickle.loads(pickle.dumps(pipe))
    same(again.predict(X), pipe.predict(X))
    same(clone(pipe).fit(X, y).predict(X), pipe.predict(X))
    one, two = (cross_val_score(pipe, X, y, cv=3, n_jobs=jobs) for jobs in (1, 2))
    same(one, two)


def test_digits_in_one_go():
    X, y = load_digits_attributes(return_X_y=True, as_frame=True)
    X, y = X[::6], y[::6]
    pipe = make_pipeline(PCA(20), StandardScaler(), StructuredRidge(LabelSets(), kernel="rbf", gamma=0.01, alpha=0.1))
    predicted = cross_val_predict(pipe, X, y, cv=3)
    separate = make_pipeline(PCA(20), StandardScaler(), StructuredSVM(LabelSets(), tol=0.1))
    assert hamming_score(y, predicted) > 0.9 > hamming_score(y, cross_val_predict(separate, X, y, cv=3)) > 0.7
