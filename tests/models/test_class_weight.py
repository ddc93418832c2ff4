"""Weights of classes, which are weights of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.utils.class_weight import compute_sample_weight

from combpred import (
    Admissible,
    EmbeddingRegressor,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import Hierarchy, MultiClass, Ordinal

X, LABELS = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
KEPT = np.r_[0:50, 50:80, 100:110]  # 50, 30 and 10 of the classes
X, LABELS = X[KEPT], LABELS[KEPT]
NAMES = np.array(["a", "b", "c"], dtype=object)
ESTIMATORS = [
    StructuredRidge(),
    StructuredRidge(kernel="rbf"),
    StructuredRidgeCV(kernels=["linear"], alphas=[0.1, 1.0], scoring="metric"),
    StructuredRidgeCV(kernels=["linear"], alphas=[0.1, 1.0], cv=3),
    StructuredSGD(random_state=0),
    ProbabilisticStructured(),
    StructuredSVM(),
    StructuredPerceptron(random_state=0),
]


@pytest.mark.parametrize("given", ["balanced", {"a": 3.0, "c": 0.5}], ids=str)
@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_weights_of_classes_are_those_of_their_rows(model, given):
    y = NAMES[LABELS]
    known = given if given == "balanced" else {"b": 1.0, **given}
    expected = clone(model).fit(X, y, sample_weight=compute_sample_weight(known, y)).feature_scores(X)
    found = clone(model).set_params(class_weight=given).fit(X, y)
    if getattr(model, "cv", None) is None:  # folds are balanced on their own
        np.testing.assert_allclose(found.feature_scores(X), expected, rtol=1e-9, atol=1e-9)
    assert np.abs(found.feature_scores(X) - clone(model).fit(X, y).feature_scores(X)).max() > 1e-3


def test_both_kinds_of_weights_multiply():
    y, rows = NAMES[LABELS], np.random.default_rng(0).integers(0, 3, size=len(LABELS)).astype(float)
    model = ProbabilisticStructured(alpha=0.5, tol=1e-9)
    of_classes = np.array([3.0, 1.0, 0.5])[LABELS]
    expected = clone(model).fit(X, y, sample_weight=rows * of_classes)
    found = clone(model).set_params(class_weight={"a": 3.0, "c": 0.5}).fit(X, y, sample_weight=rows)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    # Balanced by what rows weigh: as on rows repeated, and rows of weight 0 left out.
    repeated = np.repeat(np.arange(len(y)), rows.astype(int))
    expected = clone(model).set_params(class_weight="balanced").fit(X[repeated], y[repeated])
    found = clone(model).set_params(class_weight="balanced").fit(X, y, sample_weight=rows)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)


def test_a_class_of_weight_zero_rows_alone_stays_out():
    y = NAMES[LABELS]
    weights = (y != "c").astype(float)
    found = ProbabilisticStructured(class_weight="balanced").fit(X, y, sample_weight=weights)
    expected = ProbabilisticStructured().fit(X, y, sample_weight=weights * np.where(y == "a", 80 / 150, 80 / 90))
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9, atol=1e-9)


def test_grades_nodes_and_columns_of_frames_have_classes():
    grades = pd.DataFrame({"grade": NAMES[LABELS]})
    model = StructuredRidge(Ordinal(["a", "b", "c"]), class_weight={"c": 9.0}).fit(X, grades["grade"])
    weights = np.where(LABELS == 2, 9.0, 1.0)
    expected = StructuredRidge(Ordinal(["a", "b", "c"])).fit(X, grades["grade"], sample_weight=weights)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
    tree = Hierarchy([-1, 0, 0, 1])
    nodes = np.array([1, 2, 3])[LABELS]
    model = StructuredRidge(tree, class_weight={3: 9.0}).fit(X, nodes)
    expected = StructuredRidge(tree).fit(X, nodes, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-12)


def test_searches_and_averages_take_them():
    y = NAMES[LABELS]
    search = GridSearchCV(StructuredRidge(), {"class_weight": [None, "balanced", {"c": 9.0}]}, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 3
    members = [
        ("plain", StructuredRidge()),
        ("heavy", ProbabilisticStructured(class_weight={"c": 9.0})),
        ("forest", EmbeddingRegressor(random_state=0)),
    ]
    assert StructuredVoting(members).fit(X, y).score(X, y) > 0.8


def test_weights_are_any_real_numbers():
    y = NAMES[LABELS]
    expected = StructuredRidge(class_weight={"a": 0.5, "b": 1.0, "c": 2.0}).fit(X, y)
    found = StructuredRidge(class_weight={"a": Fraction(1, 2), "b": True, "c": np.float32(2)}).fit(X, y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_mini_batches_take_a_dict():
    y = NAMES[LABELS]
    model = StructuredSGD(random_state=0, class_weight={"c": 9.0})
    expected = clone(model).set_params(class_weight=None)
    for rows in (slice(0, 90, 2), slice(1, 90, 2)):
        model.partial_fit(X[rows], y[rows], classes=NAMES)
        expected.partial_fit(X[rows], y[rows], classes=NAMES, sample_weight=np.where(y[rows] == "c", 9.0, 1.0))
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError):
        StructuredSGD(class_weight="balanced").partial_fit(X, y, classes=NAMES)


@pytest.mark.parametrize(
    ("structure", "y", "given"),
    [
        (None, NAMES[LABELS], {"d": 2.0}),
        (None, NAMES[LABELS], {"a": -1.0}),
        (
            None,
            NAMES[LABELS],
            "heavy",
        ),
        ("permutations", np.tile([1, 2, 3], (90, 1)), "balanced"),
        (
            MultiClass(3),
            [Admissible([0, 1])] * 90,
            "balanced",
        ),
    ],
)
def test_bad_weights_are_named(structure, y, given):
    with pytest.raises(ValueError):
        StructuredRidge(structure, class_weight=given).fit(X, y)


def test_blocks_are_refused():
    with pytest.raises(ValueError):
        StructuredRidge(class_weight="balanced").fit_blocks([(X, LABELS)])
