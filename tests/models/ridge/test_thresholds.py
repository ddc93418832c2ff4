"""decision="f1" of ridge regression: one threshold for all labels, from rows that were left out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from combpred import Admissible, CapabilityError, StructuredRidge, StructuredSGD
from combpred._models import ridge
from combpred._models.thresholds import best_threshold, choose_threshold
from combpred.structures import LabelSets


def mean_f1(y, predicted, weights=None):
    both, size = 2.0 * (y * predicted).sum(axis=1), (y + predicted).sum(axis=1)
    return np.average(np.where(size == 0, 1.0, both / np.maximum(size, 1)), weights=weights)


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 3))
    return X, (X @ rng.normal(size=(3, 5)) + rng.normal(size=(30, 5)) > 0.8).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_threshold_reaches_the_largest_f1_of_rows_left_out_by_refitting(data, weighted):
    X, y = data
    weights = np.random.default_rng(5).integers(0, 3, size=len(X)).astype(float) if weighted else None
    model = StructuredRidge(LabelSets(), alpha=0.7, loss="squared", decision="f1").fit(X, y, weights)
    mean = model.structure_.mean()
    left_out = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        refitted = StructuredRidge(LabelSets(), alpha=0.7, loss="squared")
        refitted.fit(X[others], y[others], None if weights is None else weights[others])
        left_out.append(mean + refitted.feature_scores(X[i : i + 1])[0])
    scores = np.array(left_out)
    values = np.unique(scores)
    tried = [values[0] - 1, *(values[:-1] + values[1:]) / 2, values[-1] + 1]
    best = max(mean_f1(y, scores > t, weights) for t in tried)
    assert mean_f1(y, scores > model.threshold_, weights) == pytest.approx(best, abs=1e-12)
    assert best > mean_f1(y, scores > 0.5, weights)  # else the test would not tell it from "mbr"


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_few_features_need_no_kernel_matrix(loss, monkeypatch):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(64, 3))
    y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(64, 4)) > 0.5).astype(int)
    options = {"loss": loss, "alpha": 0.5, "decision": "f1"}
    given = StructuredRidge("labelsets", kernel="precomputed", **options).fit(X @ X.T, y)
    matrix = StructuredRidge("labelsets", solver="closed-form", **options).fit(X, y)

    def refused(*arguments, **options):
        raise AssertionError("a kernel matrix")

    monkeypatch.setattr(ridge, "training_kernel", refused)
    model = StructuredRidge("labelsets", **options).fit(X, y)
    assert model.solver_ == "primal"
    for other, rows in ((given, X @ X.T), (matrix, X)):
        assert model.threshold_ == pytest.approx(other.threshold_, abs=1e-8)
        np.testing.assert_allclose(model.feature_scores(X), other.feature_scores(rows), atol=1e-7)


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_above_the_threshold_are_predicted(data, loss, kernel):
    X, y = data
    model = StructuredRidge("labelsets", kernel=kernel, loss=loss, decision="f1").fit(X, y)
    expected = model.feature_scores(X) + (model.structure_.mean() if loss == "squared" else 0.0)
    np.testing.assert_array_equal(model.predict(X), expected > model.threshold_)
    np.testing.assert_array_equal(model.predict(X, return_certificate=True)[1].structures, expected > model.threshold_)
    held = model.predict(X, constraints={"size": 2})
    top = np.argsort(-expected, axis=1)[:, :2]
    assert (held.sum(axis=1) == 2).all() and np.take_along_axis(held, top, axis=1).all()
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_no_set_is_empty_if_none_is_in_training(data, loss, weighted):
    X, y = data
    rows = y.any(axis=1)
    assert not rows.all()
    weights = rows.astype(float) if weighted else None
    if not weighted:
        X, y = X[rows], y[rows]
    model = StructuredRidge(LabelSets(), loss=loss, decision="f1", kernel="rbf").fit(X, y, weights)
    assert not model.predicts_empty_
    far = np.linspace(-9, 9, 200)[:, None] * [1.0, -1.0, 1.0]
    expected = model.feature_scores(far) + (0.5 if loss == "squared" else 0.0)
    model.threshold_ = float(np.median(expected.max(axis=1)))  # half of the rows have no label above it
    above = expected > model.threshold_
    alone = np.flatnonzero(~above.any(axis=1))
    assert len(alone) >= 100
    above[alone, expected[alone].argmax(axis=1)] = True
    predicted, certified = model.predict(far, return_certificate=True)
    np.testing.assert_array_equal(predicted, above)
    np.testing.assert_array_equal(model.predict(far), above)
    every = (np.arange(32)[:, None] >> np.arange(5)) & 1  # what is certified holds of all sets
    values = np.array([model.score_structures(far, np.tile(each, (len(far), 1))) for each in every])
    assert certified.optimal.all() and (certified.nu == 0).all()
    np.testing.assert_allclose(certified.value, values.max(axis=0), atol=1e-12)
    np.testing.assert_allclose(certified.upper_bound, values.max(axis=0), atol=1e-12)
    assert next(model.enumerate(far[alone[0]], nu=1)).any()


def test_the_f1_of_thresholds_counts_the_labels_that_are_predicted_anyhow():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, size=(12, 4))
    y[~y.any(axis=1), 1] = 1
    scores = np.round(rng.normal(size=(12, 4)) + y - 1.0, 1)  # a few are equal
    X = np.eye(12)
    model = StructuredRidge(LabelSets(), decision="f1", loss="squared").fit(X, y)
    reached = choose_threshold(model, scores - 0.5, y, None)
    values = np.unique(scores)

    def f1_of(threshold):
        above = scores > threshold
        return mean_f1(y, above | ((scores == scores.max(axis=1, keepdims=True)) & ~above.any(axis=1, keepdims=True)))

    tried = [values[0] - 1, *(values[:-1] + values[1:]) / 2, values[-1] + 1]
    assert reached == pytest.approx(max(map(f1_of, tried)), abs=1e-12)
    assert f1_of(model.threshold_) == pytest.approx(reached, abs=1e-12)
    assert reached > max(mean_f1(y, scores > t) for t in tried) + 0.01


def test_rows_without_labels():
    X = np.arange(6.0)[:, None]
    nothing = StructuredRidge(LabelSets(), decision="f1").fit(X, np.zeros((6, 2), dtype=int))
    assert not nothing.predict(X).any()
    everything = StructuredRidge(LabelSets(), decision="f1").fit(X, np.ones((6, 2), dtype=int))
    assert everything.predict(X).all()


def test_refusals(data):
    X, y = data
    two = np.tile([1, 1, 0], (30, 1))
    for structure, given in (
        ("permutations", np.tile([1, 2, 3], (30, 1))),
        (LabelSets(observed=True), two),
        (LabelSets(size=2), two),
    ):
        with pytest.raises(CapabilityError):
            StructuredRidge(structure, decision="f1").fit(X, given)
    with pytest.raises(ValueError):
        StructuredRidge(decision="f1", solver="primal").fit(X, y)
    with pytest.raises(ValueError):
        StructuredRidge(decision="f1").fit_blocks([(X, y)])
    with pytest.raises(ValueError) as caught:
        StructuredRidge(LabelSets(5), decision="f1").fit(X, [Admissible([row, 1 - row]) for row in y])
    assert "Admissible" in str(caught.value)
    with pytest.raises(ValueError):
        StructuredSGD(LabelSets(), decision="f1").fit(X, y)


def test_rows_of_weight_zero_do_not_move_the_threshold():
    scores, y = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    assert best_threshold(scores, y, np.array([1.0, 0.0])) == best_threshold(scores[:1], y[:1])
