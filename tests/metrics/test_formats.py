"""Metrics and scorers take y in every format of its structure, and refuse others with what makes one of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from combpred import StructuredRidge, metrics
from combpred.structures import Assignments, Hierarchy, Ordinal, PartialOrders, Permutations, Subtrees

RANKS = np.array([[1, 2, 3], [2, 1, 3], [3, 2, 1]])
TREE = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
GRADES = ["low", "mid", "high"]


def cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    level = (X[:, 0] > 0).astype(int) + (X[:, 0] > 0.7)
    grades = pd.Series(np.array(GRADES)[level])
    utility = X @ rng.normal(size=(2, 3))
    yield Ordinal(GRADES), X, grades
    yield "ordinal", X, pd.Series(pd.Categorical(grades, GRADES, ordered=True))
    yield PartialOrders(3), X, utility[:, :, np.newaxis] > utility[:, np.newaxis, :]
    yield Assignments(3), X, rng.permuted(np.tile(np.arange(3), (30, 1)), axis=1)
    yield Hierarchy(TREE), X, np.array(["cat", "dog", "fish"])[level]
    yield Subtrees([-1, 0, 0]), X, np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]])[level]
    yield Permutations(3), X, np.where(rng.random((30, 3)) < 0.1, np.nan, np.argsort(np.argsort(utility)) + 1)


@pytest.mark.parametrize(("structure", "X", "y"), list(cases()), ids=lambda each: getattr(type(each), "__name__", None))
def test_the_scorer_of_a_structure_takes_its_formats(structure, X, y):
    model, weights = StructuredRidge(structure).fit(X, y), np.arange(30)
    scorer = metrics.get_scorer(model.structure_.default_metric)
    assert scorer(model, X, y) == model.score(X, y)
    assert scorer(model, X, y, sample_weight=weights) == model.score(X, y, sample_weight=weights)


@pytest.mark.parametrize("name", ["hierarchical_loss", "hierarchical_h_loss"])
def test_estimators_know_their_trees(name):
    structure, X, y = next(case for case in cases() if isinstance(case[0], Hierarchy))
    model = StructuredRidge(structure).fit(X, y)
    want = -getattr(metrics, name)(y, model.predict(X), parent=TREE)
    assert metrics.get_scorer(f"neg_{name}")(model, X, y) == want < 0


def test_what_has_no_common_format_is_never_compared():
    for y_true, y_pred in ((["a", "b"], [0, 1]), ([0, 1], pd.Series(["a", "b"]))):
        for metric in (metrics.accuracy, metrics.zero_one_loss):
            with pytest.raises(ValueError):
                metric(y_true, y_pred)
    assert metrics.accuracy(["a", None], np.array(["a", None], dtype=object)) == 1.0
    assert metrics.accuracy([True, False], [1, 1]) == 0.5
    for missing in (
        [1.0, np.nan],
        pd.Series([1, pd.NA], dtype="Int64"),
        pd.DataFrame({"x": ["a", np.nan]}, dtype=object),
    ):
        with pytest.raises(ValueError) as caught:
            metrics.accuracy(missing, missing)
        assert (caught.value.argument, caught.value.row) == ("y_true", 1)
    with pytest.raises(ValueError):
        metrics.accuracy([[1, 2], [1, 2]], [[1, 2], [1]])
    with pytest.raises(ValueError):
        metrics.accuracy([1], None)


def test_weights_of_nodes_go_by_names():
    weights = {"fish": 0.5, "animal": 4.0, "dog": 2.0, "cat": 1.0, "mammal": 3.0}
    names = ["animal", "cat", "dog", "mammal", "fish"]
    truth, predicted = ["cat", "cat", "fish"], ["dog", "fish", "animal"]
    for given in (weights, pd.Series(weights), [weights[name] for name in names]):
        found = metrics.hierarchical_h_loss(truth, predicted, parent=TREE, node_weight=given, per_row=True)
        assert found.tolist() == [1.0 + 2.0, 3.0 + 0.5, 0.5]
    for odd in ({"cat": 1.0}, {**weights, "eel": 1.0}, pd.Series([1.0] * 5)):
        with pytest.raises(ValueError):
            metrics.hierarchical_h_loss(["cat"], ["dog"], parent=TREE, node_weight=odd)


def test_a_column_of_nodes_is_no_set_of_them():
    with pytest.warns(DataConversionWarning):
        found = metrics.hierarchical_h_loss(pd.DataFrame({"y": ["cat", "dog"]}), ["cat", "fish"], parent=TREE)
    assert found == metrics.hierarchical_h_loss(["cat", "dog"], ["cat", "fish"], parent=TREE) == 1.0


@pytest.mark.parametrize("metric", [metrics.pair_gamma, metrics.pair_completeness])
def test_partial_orders_may_be_positions_with_gaps_in_both(metric):
    truth, predicted = np.array([[1, 2, -1], [2, 1, 3]]), np.array([[2, 1, 3], [-1, 1, 2]])
    want = metric(truth, predicted)
    assert metric(np.where(truth < 0, np.nan, truth), pd.DataFrame(predicted).replace(-1, np.nan)) == want
    assert metric(RANKS > 1, RANKS) == metric((RANKS > 1).astype(int), RANKS)
    with pytest.raises(ValueError) as caught:
        metric([[1, 2]], [["b", "a"]])
    assert (caught.value.argument, caught.value.row) == ("y_pred", 0)


def test_pairs_may_be_relations():
    u, v = np.triu_indices(3, 1)
    relations = RANKS[:, :, np.newaxis] < RANKS[:, np.newaxis, :]
    signs = np.sign(RANKS[:, v] - RANKS[:, u])
    for y_true in (relations, relations.tolist(), signs):
        found = metrics.pair_accuracy(y_true, signs[::-1], per_row=True)
        np.testing.assert_array_equal(found, (signs == signs[::-1]).mean(axis=1))


@pytest.mark.parametrize(
    ("metric", "y"),
    [
        (metrics.route_f1, [["pier", "zoo"], ["zoo"]]),
        (metrics.cycle_f1, [["pier", "zoo", "park"]]),
        (metrics.hamming_loss, [["a", "b"], ["a"]]),
        (metrics.hamming_score, [{"a"}, {"b"}]),
        (metrics.ranking_loss, [["a", "b"], ["a", "b"]]),
        (metrics.neg_absolute_error, ["low", "high"]),
        (metrics.neg_absolute_error, pd.Categorical(["low", "high"], ordered=True)),
        (metrics.expected_calibration_error, ["no", "yes"]),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_names_are_no_numbers(metric, y):
    with pytest.raises(ValueError):
        metric(y, y if metric is not metrics.expected_calibration_error else [0.1, 0.2])


def test_probabilities_of_both_classes_are_told_apart():
    with pytest.raises(ValueError):
        metrics.expected_calibration_error([0, 1, 1], [[0.2, 0.8], [0.3, 0.7], [0.5, 0.5]])
