"""decision="f1" of ridge regression: one threshold for all labels, from rows that were left out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from combpred import Admissible, CapabilityError, StructuredRidge, StructuredSGD
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
