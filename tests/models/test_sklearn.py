"""The estimators as citizens of scikit-learn."""

from __future__ import annotations

import inspect

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, check_cv, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks, get_tags

from combpred import (
    ConformalStructured,
    EmbeddingRegressor,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred._models import base
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import LabelSets, MultiClass, Ordinal, Permutations


def with_kernel(estimator, kernel):
    """Return the parameter of an estimator that makes it take a kernel."""
    return {"kernels": [kernel]} if estimator in (StructuredRidgeCV, ProbabilisticStructuredCV) else {"kernel": kernel}


ESTIMATORS = [StructuredRidge, StructuredRidgeCV, StructuredSGD, ProbabilisticStructured, ProbabilisticStructuredCV]


def rankings(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X @ rng.normal(size=(4, 5)) + 0.1 * rng.normal(size=(n, 5))
    return X, np.argsort(np.argsort(-scores, axis=1), axis=1) + 1


@pytest.mark.parametrize(
    "estimator",
    [
        "StructuredRidge()",
        "StructuredSGD()",
        "StructuredSGD(kernel='rbf', max_iter=20)",  # what is checked does not hang on passes
        "ProbabilisticStructured()",
        "EmbeddingRegressor(random_state=0)",
        pytest.param(
            "ConformalStructured(combpred.ProbabilisticStructured(), alpha=0.5, cv=0.5)", id="ConformalStructured"
        ),
        # With a choice, or weights, from left-out rows, a row that is repeated is not left out where its copy is.
        pytest.param("StructuredRidgeCV(alphas=[1.0], kernels=['linear'])", id="StructuredRidgeCV"),
        pytest.param(
            "ProbabilisticStructuredCV(alphas=[1.0], kernels=['linear'], cv=2)", id="ProbabilisticStructuredCV"
        ),
        pytest.param(
            "StructuredVoting([(c, combpred.StructuredRidge(alpha=ord(c))) for c in 'ab'], weights=[2, 1])",
            id="StructuredVoting",
        ),
    ],
)
def test_check_estimator_passes_with_nothing_skipped(estimator, passes_check_estimator):
    passes_check_estimator(f"combpred.{estimator}", 50)


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_classifiers_multilabel_representation_invariance,
        estimator_checks.check_classifiers_multilabel_output_format_predict,
        estimator_checks.check_classifiers_multilabel_output_format_decision_function,
    ],
    ids=lambda check: check.__name__,
)
@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_multilabel_checks_pass(Estimator, check):
    """Not among those above, as the tag of several labels is set only when the structure says so."""
    check(Estimator.__name__, Estimator())


@pytest.mark.parametrize("Estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (None, True),
        (MultiClass(), True),
        ("multiclass", True),
        (LabelSets(), True),
        ("labelsets", True),
        (Ordinal(), True),
        (Permutations(), False),
        ("permutations", False),
    ],
)
def test_classifier_or_not_is_a_matter_of_the_structure(Estimator, structure, expected):
    model = Estimator(structure)
    assert is_classifier(model) is expected
    y = np.arange(30) % 3
    assert isinstance(check_cv(3, y, classifier=is_classifier(model)), StratifiedKFold) is expected


def test_tags_follow_the_parameters():
    tags = get_tags(StructuredRidge(LabelSets(), kernel="precomputed"))
    assert tags.input_tags.pairwise and not tags.input_tags.sparse
    assert tags.classifier_tags.multi_label and tags.target_tags.required


@pytest.mark.parametrize(
    "model",
    [
        *(Estimator("permutations") for Estimator in (*ESTIMATORS, StructuredPerceptron, StructuredSVM)),
        EmbeddingRegressor(structure="permutations"),
        ConformalStructured(ProbabilisticStructured("permutations")),
        StructuredVoting([("ridge", StructuredRidge("permutations"))]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_method_says_that_the_model_is_not_fitted(model):
    X, y = rankings(4)
    asked = []
    for name in dir(type(model)):
        if name.startswith(("_", "fit", "partial_fit")) or not callable(method := getattr(model, name, None)):
            continue
        needed = [each.name for each in inspect.signature(method).parameters.values() if each.default is each.empty]
        if "X" in needed:
            asked.append(name)
            with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not fitted yet"):
                method(*({"X": X, "y": y}[each] for each in needed if each in "Xy"))
    assert {"predict", "score"} <= set(asked)


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_clone_and_set_params_reach_the_structure(Estimator):
    model = Estimator(LabelSets(4), **with_kernel(Estimator, "rbf"))
    again = clone(model).set_params(structure__size=2)
    assert again.structure == LabelSets(4, size=2)
    assert model.structure == LabelSets(4)
    assert "structure__size" in model.get_params()


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_joblib_keeps_a_fitted_model(Estimator, tmp_path):
    X, y = rankings()
    model = Estimator("permutations", **with_kernel(Estimator, "rbf")).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model.joblib").predict(X), model.predict(X))


@pytest.mark.parametrize("Estimator", [StructuredRidge, StructuredSGD])
def test_grid_search_in_processes_over_parameters_of_the_structure(Estimator):
    X, y = make_multilabel_classification(n_samples=60, n_classes=4, random_state=0)
    y = np.eye(4, dtype=int)[y.argmax(axis=1)]  # one label each
    grid = {"structure__size": [1, None], "alpha": [0.1, 10.0]}
    model = Estimator(LabelSets(4), **with_kernel(Estimator, "rbf"))
    search = GridSearchCV(model, grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    if search.best_params_["structure__size"] == 1:
        np.testing.assert_array_equal(search.predict(X).sum(axis=1), 1)


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_pipeline_and_cross_validation_of_rankings(Estimator):
    X, y = rankings()
    model = make_pipeline(StandardScaler(), Estimator(Permutations(5), **with_kernel(Estimator, "rbf")))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5  # Kendall's tau of a fair coin: 0
    predicted = cross_val_predict(model, X, y, cv=3)
    np.testing.assert_array_equal(np.sort(predicted, axis=1), np.tile(np.arange(1, 6), (60, 1)))


def test_cross_validation_cuts_precomputed_kernels_on_both_sides():
    X, y = rankings()
    given = cross_val_predict(StructuredRidge("permutations", kernel="precomputed"), X @ X.T, y, cv=3)
    np.testing.assert_array_equal(given, cross_val_predict(StructuredRidge("permutations"), X, y, cv=3))


def test_data_frames_bring_feature_names():
    X, y = rankings()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = StructuredRidge("permutations", kernel="rbf").fit(frame, pd.DataFrame(y))
    assert model.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(model.predict(frame), model.fit(X, y).predict(X))
    model.fit(frame, y)
    with pytest.raises(ValueError):
        model.predict(frame[list("dcba")])
    scaled = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    scaled.set_output(transform="pandas").fit(frame, y)
    assert scaled[-1].feature_names_in_.tolist() == list("abcd")


@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_class_labels_of_any_kind_come_back(dtype):
    X, codes = load_iris(return_X_y=True)
    y = pd.Series(np.array(["setosa", "versicolor", "virginica"])[codes]).astype(dtype)
    model = StructuredRidge(kernel="rbf", alpha=0.1).fit(X, y)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(X, y) > 0.9
    assert set(model.predict(X)) == set(model.classes_)


@pytest.mark.parametrize("y", [[False, True] * 10, [3, 7] * 10, [-1.0, 1.0] * 10], ids=["bool", "int", "float"])
def test_two_classes_keep_their_type(y):
    X = np.arange(20.0)[:, None] % 2
    model = StructuredRidge(alpha=0.01).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.predict(X).dtype == np.asarray(y).dtype


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_a_column_of_labels_is_ravelled_with_a_warning(Estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(DataConversionWarning) as found:
        model = Estimator(**with_kernel(Estimator, "rbf")).fit(X[::5], y[::5, None])
    assert [warning.filename for warning in found if warning.category is DataConversionWarning] == [__file__]
    assert model.predict(X[::5]).shape == (30,)


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_the_class_of_a_structure_is_no_instance(Estimator):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError):
        Estimator(MultiClass).fit(X, y)


def test_seeds_are_drawn_from_random_state_in_every_call(monkeypatch, limits):
    seen = []
    predict = base.Model.predict

    def spy(*arguments, **options):
        seen.append(options["how"].seed)
        return predict(*arguments, **options)

    monkeypatch.setattr(base.Model, "predict", spy)
    X = np.random.default_rng(0).normal(size=(7, 3))
    ranker = StructuredRidge(Permutations(12), decoder="anneal", random_state=np.random.RandomState(1))
    ranker.fit(X, Permutations(12).sample(7, random_state=0))
    ranker.predict(X)
    ranker.predict(X)
    assert len(set(seen)) == 2
    limits.block_entries(4 * ranker.structure_.n_features)
    X = np.asfortranarray(X)  # not read in place, hence in blocks
    ranker.set_params(random_state=1).predict(X)
    assert seen[3] == seen[2]  # blocks share the seed; what a row holds makes its random stream
    state = np.random.RandomState(1)
    before = state.get_state()[2]
    ranker.set_params(decoder="auto", random_state=state).predict(X)
    assert seen[-2:] == [0, 0]  # no seed
    assert state.get_state()[2] == before  # nothing is drawn where nothing is random
