"""Grades, nodes and elements as classes: their probabilities, and what scikit-learn does with them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import get_scorer, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.structures import Hierarchy, LabelSets, MultiClass, Ordinal, Permutations, PosetElements

TREE = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
DIAMOND = [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
STRUCTURES = [
    (MultiClass(3), [0, 1, 2]),
    (Ordinal(4), [0, 1, 2, 3]),
    (Ordinal(["low", "mid", "high"]), ["high", "low", "mid"]),
    (Ordinal(["poor", "good"]), ["good", "poor"]),
    (Ordinal([1, 2, 3]), [1, 2, 3]),
    (Ordinal([3, 2, 1]), [1, 2, 3]),
    (Hierarchy([-1, 0, 0, 1, 1]), [0, 1, 2, 3, 4]),
    (Hierarchy(TREE), ["animal", "cat", "dog", "fish", "mammal"]),
    (Hierarchy(TREE, allowed="leaves"), ["cat", "dog", "fish"]),
    (PosetElements(DIAMOND), [0, 1, 2, 3]),
    (PosetElements(DIAMOND, allowed=[0, 3]), [0, 3]),
    (PosetElements(DIAMOND, elements=["d", "c", "b", "a"], allowed=["b", "d", "a"]), ["a", "b", "d"]),
]
both = pytest.mark.parametrize(("structure", "classes"), STRUCTURES, ids=[f"{s!r:.40}" for s, _ in STRUCTURES])


def data(classes, n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.array(classes)[(np.arange(n) + (X[:, 0] > 0)) % len(classes)]


@both
def test_probabilities_are_those_of_the_list_of_classes(structure, classes):
    X, y = data(classes)
    model = ProbabilisticStructured(structure, alpha=0.1).fit(X, y)
    assert model.classes_.tolist() == classes
    scores = model.feature_scores(X) @ model.structure_.embed(classes).T
    want = np.exp(scores - scores.max(axis=1, keepdims=True))
    want /= want.sum(axis=1, keepdims=True)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, want, atol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(want), atol=1e-10)
    np.testing.assert_allclose(np.log(found[np.arange(len(y)), [classes.index(c) for c in y]]), model.log_proba(X, y))
    np.testing.assert_array_equal(model.predict(X), model.classes_[found.argmax(axis=1)])
    framed = model.set_output(predict="pandas").predict_proba(X)
    if isinstance(classes[0], str):
        assert framed.columns.tolist() == classes


@both
@pytest.mark.parametrize("estimator", [ProbabilisticStructured(), StructuredRidge(), StructuredRidge(loss="auc")])
def test_predictions_are_the_classes_of_largest_decision_value(estimator, structure, classes):
    X, y = data(classes)
    model = estimator.set_params(structure=structure).fit(X, y)
    assert is_classifier(model)
    values = model.decision_function(X)
    assert values.shape == ((40,) if len(classes) == 2 else (40, len(classes)))
    best = (values > 0).astype(int) if len(classes) == 2 else values.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), np.array(classes)[best])


@pytest.mark.parametrize("structure", [Ordinal(4), Hierarchy([-1, 0, 0, 1]), PosetElements(DIAMOND)])
def test_scikit_learn_takes_the_probabilities(structure):
    X, y = data([0, 1, 2, 3], n=80)
    model = ProbabilisticStructured(structure)
    found = cross_val_predict(model, X, y, cv=4, method="predict_proba")
    assert found.shape == (80, 4)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert cross_val_predict(model, X, y, cv=4, method="decision_function").shape == (80, 4)
    scores = cross_val_score(model, X, y, cv=4, scoring="neg_log_loss")
    folds = [np.arange(80)[i::4] for i in range(4)]
    assert np.isfinite(scores).all() and len(folds) == len(scores)
    assert log_loss(y, found, labels=range(4)) == pytest.approx(-scores.mean(), rel=1e-9)
    calibrated = CalibratedClassifierCV(ProbabilisticStructured(structure), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("structure", [Ordinal(4), PosetElements(DIAMOND), PosetElements(np.transpose(DIAMOND))])
def test_calibration_of_each_class_against_the_rest_sees_the_others(structure):
    """ψ of grade 0, and of the least element, is the same in all classes: scores alone tell nothing of it."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    y = np.digitize(X @ [1.0, 0.5] + 0.3 * rng.normal(size=400), [-1, 0, 1])
    model = ProbabilisticStructured(structure, kernel="rbf", alpha=0.01)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X[:300], y[:300])
    plain = model.fit(X[:300], y[:300])
    np.testing.assert_allclose(plain.decision_function(X).sum(axis=1), 0.0, atol=1e-9)
    accuracy = [(each.predict(X[300:]) == y[300:]).mean() for each in (plain, calibrated)]
    assert accuracy[0] > 0.75
    assert accuracy[1] > accuracy[0] - 0.05


@pytest.mark.parametrize(
    "structure",
    [
        Ordinal(["low", "mid", "high"]),
        Hierarchy({"low": "all", "mid": "all", "high": "mid"}, allowed=["low", "mid", "high"]),
        PosetElements(np.triu(np.ones((3, 3))), elements=["low", "mid", "high"]),
    ],
)
def test_scikit_learn_scores_the_probabilities_of_names(structure):
    """Its metrics take columns to be sorted by name, whatever `classes_` says."""
    X, y = data(["low", "mid", "high"], n=90)
    model = ProbabilisticStructured(structure).fit(X, y)
    loss = -model.log_proba(X, y).mean()
    assert get_scorer("neg_log_loss")(model, X, y) == pytest.approx(-loss, rel=1e-9)
    found, names = model.predict_proba(X), model.classes_.tolist()
    areas = [roc_auc_score(y == name, found[:, names.index(name)]) for name in ("low", "mid", "high")]
    assert get_scorer("roc_auc_ovr")(model, X, y) == pytest.approx(np.mean(areas), rel=1e-12)


def test_names_that_scikit_learn_would_number_are_not_taken_for_numbers():
    """`cross_val_predict` encodes names by their order in the alphabet before it fits."""
    X, y = data(["low", "mid", "high"])
    with pytest.raises(ValueError) as caught:
        cross_val_predict(ProbabilisticStructured(Ordinal(["low", "mid", "high"])), X, y, method="predict_proba")
    assert caught.value.row == 0


def test_what_has_no_classes_says_so():
    model = ProbabilisticStructured(Permutations(3))
    assert not is_classifier(model) and not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    sets = ProbabilisticStructured(LabelSets()).fit([[0.0], [1.0]], pd.DataFrame({"a": [0, 1], "b": [1, 0]}))
    np.testing.assert_allclose(np.exp(sets.predict_log_proba([[0.5]])), sets.predict_proba([[0.5]]))
    assert sets.classes_.tolist() == ["a", "b"]
