"""Rankings with ties that are known in part: ψ is its mean over what agrees with them, metrics count known pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from combpred import StructuredRidge
from combpred._models.training import encode_rows
from combpred.metrics import tau_x
from combpred.structures import WeakOrders

THREE = WeakOrders(3)
MEMBERS = np.array([y for y in product((1, 2, 3), repeat=3) if sorted(set(y)) == list(range(1, max(y) + 1))])


def agree(y: np.ndarray, row: np.ndarray) -> bool:
    known = np.flatnonzero(row >= 0)
    return all(np.sign(y[u] - y[v]) == np.sign(row[u] - row[v]) for u in known for v in known)


@pytest.mark.parametrize("row", [[1, -1, 2], [-1, 4, 4], [-1, -1, 0], [-1, -1, -1], [2.5, np.nan, 0.5]])
def test_training_targets_are_means_over_what_agrees(row):
    row = np.array(row, dtype=float)
    parts, partial = encode_rows(THREE, row[np.newaxis], None)
    psi = THREE.space.embed(parts, partial=partial)[0]
    agreeing = [y for y in MEMBERS if agree(y, np.nan_to_num(row, nan=-1))]
    np.testing.assert_allclose(psi, THREE.embed(agreeing).mean(axis=0), atol=1e-14)
    assert len(MEMBERS) == THREE.count() == 13


def test_models_learn_from_rows_known_in_part_and_are_judged_by_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    scores = np.column_stack([X[:, 0], -X[:, 0], X[:, 1]])
    y = WeakOrders.from_ratings(np.round(scores))
    gaps = np.where(rng.random(y.shape) < 0.3, -1, y)
    model = StructuredRidge(WeakOrders(), alpha=0.1)
    assert model.fit(X, gaps).score(X, y) > 0.5  # 0 for guesses
    assert cross_val_score(model, X, gaps, cv=3).min() > 0.5


def test_lists_leave_labels_out():
    tiers = [[("tea", "milk"), "juice"], ["juice", "tea"], [("juice", "milk")]] * 3
    model = StructuredRidge("weakorders").set_output(predict="names").fit(np.arange(9)[:, np.newaxis], tiers)
    assert model.structure_.labels == ["juice", "milk", "tea"]
    assert sorted(label for tier in model.predict([[0.0]])[0] for label in tier) == ["juice", "milk", "tea"]
    ranks = WeakOrders.from_tiers(tiers)
    assert WeakOrders.to_tiers(ranks, labels=["juice", "milk", "tea"])[:2] == [
        [["milk", "tea"], ["juice"]],
        [["juice"], ["tea"]],
    ]


@pytest.mark.parametrize("y", [[[1, 2, 3], [1, -2, 3]], [[1, 2, 3], [1, np.inf, -1]], [[1, -1, 2], [-1.5, 1, 2]]])
def test_other_negative_numbers_are_refused(y):
    with pytest.raises(ValueError) as caught:
        StructuredRidge("weakorders").fit([[0.0], [1.0]], y)
    assert caught.value.row == 1 and caught.value.argument == "y"


def test_predictions_are_complete():
    with pytest.raises(ValueError) as caught:
        THREE.score([[1, -1, 2]], [[1, -1, 2]])
    assert caught.value.row == 0


def test_tau_x_counts_pairs_that_are_known():
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(-1, 4, size=(50, 5)), rng.integers(0, 4, size=(50, 5))
    truth[0] = -1
    for row, (a, b) in enumerate(zip(truth, predicted, strict=True)):
        pairs = [(u, v) for u in range(5) for v in range(u) if a[u] >= 0 and a[v] >= 0]
        agreed = [(np.sign(a[u] - a[v]) * np.sign(b[u] - b[v])) + ((a[u] == a[v]) and (b[u] == b[v])) for u, v in pairs]
        found = tau_x(truth, predicted, per_row=True)[row]
        assert (np.isnan(found) and not pairs) or found == pytest.approx(np.mean(agreed))
    counted = tau_x(truth, predicted, per_row=True)
    assert tau_x(truth, predicted) == pytest.approx(np.nanmean(counted))
