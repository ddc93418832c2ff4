"""The baselines as citizens of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

from combpred import Admissible, CapabilityError
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import LabelSets, MultiClass, Ordinal, Permutations

BASELINES = [StructuredPerceptron, StructuredSVM]


def rankings(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X @ rng.normal(size=(4, 5)) + 0.1 * rng.normal(size=(n, 5))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["StructuredPerceptron", "StructuredSVM"])
def test_check_estimator_passes_with_nothing_skipped(name, passes_check_estimator):
    passes_check_estimator(f"combpred.baselines.{name}(random_state=0)", 50)


@pytest.mark.parametrize("Estimator", BASELINES)
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_classifiers_multilabel_representation_invariance,
        estimator_checks.check_classifiers_multilabel_output_format_predict,
        estimator_checks.check_classifiers_multilabel_output_format_decision_function,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_multilabel_checks_pass(Estimator, check):
    check(Estimator.__name__, Estimator(random_state=0))


@pytest.mark.parametrize("Estimator", BASELINES)
def test_classifier_or_not_is_a_matter_of_the_structure(Estimator):
    for structure in (None, LabelSets(), Ordinal(), "ordinal"):
        assert is_classifier(Estimator(structure))
    assert not is_classifier(Estimator("permutations"))


@pytest.mark.parametrize("Estimator", BASELINES)
def test_clones_pickles_and_parameters_of_the_structure(Estimator):
    X, y = rankings()
    model = Estimator("permutations", random_state=0).fit(X, y)
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(Estimator(LabelSets(4))).set_params(structure__size=2).structure == LabelSets(4, size=2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("Estimator", "grid"), [(StructuredPerceptron, "max_iter"), (StructuredSVM, "C")])
def test_grid_searches_and_pipelines(Estimator, grid):
    X, y = rankings(30)
    pipeline = make_pipeline(StandardScaler(), Estimator(Permutations(5), random_state=0))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.5  # Kendall's tau of a fair coin: 0
    search = GridSearchCV(Estimator("permutations", random_state=0), {grid: [1, 3]}, cv=2, error_score="raise")
    assert search.fit(X, y).best_score_ > 0.5


@pytest.mark.parametrize("Estimator", BASELINES)
def test_sparse_rows_are_dense_rows(Estimator):
    X, y = rankings()
    X[np.abs(X) < 0.5] = 0.0
    dense = Estimator("permutations", random_state=0).fit(X, y, sample_weight=np.arange(40) % 3)
    thin = clone(dense).fit(sparse.csr_array(X), y, sample_weight=np.arange(40) % 3)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-9)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("Estimator", BASELINES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_repeat_rows(Estimator, kernel):
    X, y = rankings(20)
    weights = np.arange(20) % 4
    model = Estimator("permutations", kernel=kernel, max_iter=50, random_state=0).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(20), weights)[::-1]
    repeated = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(repeated.feature_scores(X), model.feature_scores(X), atol=1e-6)


@pytest.mark.parametrize("Estimator", BASELINES)
def test_data_frames_bring_feature_names_and_labels_come_back(Estimator):
    X, codes = load_iris(return_X_y=True, as_frame=True)
    y = pd.Series(np.array(["setosa", "versicolor", "virginica"])[codes])
    model = make_pipeline(StandardScaler(), Estimator(random_state=0)).set_output(transform="pandas").fit(X, y)
    assert model[-1].feature_names_in_.tolist() == list(X.columns)
    assert model[-1].classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (150, 3)
    certified = model[-1].predict(model[0].transform(X), return_certificate=True)[1]
    assert certified.optimal.all()


@pytest.mark.parametrize("Estimator", BASELINES)
def test_predictions_are_held_to_constraints(Estimator):
    X, y = rankings()
    model = Estimator("permutations", random_state=0).fit(X, y)
    assert (model.predict(X, constraints={"first": 2})[:, 2] == 1).all()


@pytest.mark.parametrize("Estimator", BASELINES)
def test_a_failed_refit_keeps_the_earlier_model(Estimator):
    X, y = rankings()
    model = Estimator("permutations", random_state=0).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError) as caught:
        model.fit(X, np.vstack([y[:3], np.ones((37, 5), dtype=int)]))
    assert caught.value.row == 3
    np.testing.assert_array_equal(model.predict(X), before)
    if Estimator is StructuredPerceptron:
        with pytest.raises(ValueError) as caught:
            model.partial_fit(X[:1], [[1, 1, 2, 3, 4]])
        assert caught.value.row == 0
        np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("Estimator", BASELINES)
def test_ctrl_c_ends_training_and_keeps_the_earlier_model(Estimator, ctrl_c):
    X, y = rankings()
    model = Estimator("permutations", random_state=0).fit(X, y)
    before = model.predict(X)
    rng = np.random.default_rng(0)
    hard = rng.normal(size=(300, 4))
    noise = rng.permuted(np.tile(np.arange(1, 17), (300, 1)), axis=1)
    endless = {"tol": 1e-12, "max_iter": 10**6} if Estimator is StructuredSVM else {"max_iter": 10**6}
    model.set_params(**endless)
    with ctrl_c(0.5):
        model.fit(hard, noise)
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("Estimator", BASELINES)
def test_what_is_not_legal_is_refused(Estimator):
    X, y = rankings(6)
    with pytest.raises(ValueError):
        Estimator().fit(X, None)
    with pytest.raises(ValueError) as caught:
        Estimator("permutations").fit(np.where(np.arange(24).reshape(6, 4) == 9, np.nan, X), y)
    assert caught.value.row == 2
    with pytest.raises(ValueError):
        Estimator("permutations").fit(X, y, sample_weight=-np.ones(6))
    with pytest.raises(ValueError):
        Estimator("permutations", kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError):
        Estimator(max_iter=0).fit(X, y)
    sets = np.empty(6, dtype=object)
    sets[:] = [Admissible([row]) for row in y]
    with pytest.raises(CapabilityError):
        Estimator("permutations").fit(X, sets)
    many = np.argsort(np.random.default_rng(0).normal(size=(6, 40)), axis=1) + 1
    with pytest.raises(CapabilityError):
        Estimator("permutations", decoder="exact").fit(X, many)


@pytest.mark.parametrize("Estimator", BASELINES)
def test_constant_inputs_and_one_class_are_no_problem(Estimator):
    model = Estimator(MultiClass(2), random_state=0).fit(np.zeros((4, 1)), [0, 1, 1, 1])
    np.testing.assert_array_equal(model.predict(np.zeros((2, 1))), model.predict(np.ones((2, 1))))
