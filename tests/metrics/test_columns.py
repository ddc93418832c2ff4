"""Columns of data frames are matched by name, whatever their order, before anything is compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from combpred import metrics

NAMES = ["sushi", "tofu", "big eel", "tea"]
NUMBERS = [40, 10, 30, 20]
RANKS = metrics.kendall_tau, metrics.tau_x, metrics.spearman_rho, metrics.spearman_footrule, metrics.ndcg
TOPS = metrics.top_k_recall, metrics.rank_biased_overlap
SETS = metrics.hamming_loss, metrics.hamming_score, metrics.zero_one_loss, metrics.accuracy, metrics.ranking_loss
PAIRS = metrics.pair_completeness, metrics.pair_gamma
TREE = {"sushi": None, "tofu": "sushi", "big eel": "sushi", "tea": "tofu"}


def of_tree(y_true, y_pred):
    return metrics.hierarchical_h_loss(y_true, y_pred, parent=TREE)


def of_nodes_by_number(y_true, y_pred):
    return metrics.hierarchical_h_loss(y_true, y_pred, parent=[-1, 0, 0, 1])


def outputs(metric, seed):
    rng = np.random.default_rng(seed)
    if metric is metrics.pair_accuracy:
        return rng.integers(-1, 2, size=(20, 4))
    if metric in (of_tree, of_nodes_by_number):
        members = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [1, 0, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])
        return members[rng.integers(5, size=20)]
    ranks = rng.permuted(np.tile(np.arange(1, 5), (20, 1)), axis=1)
    return (ranks <= 2).astype(int) if metric in SETS else ranks


@pytest.mark.parametrize(
    "metric", [*RANKS, *TOPS, *SETS, *PAIRS, metrics.pair_accuracy, of_tree], ids=lambda metric: metric.__name__
)
def test_columns_are_matched_by_name(metric):
    truth, predicted = outputs(metric, 0), outputs(metric, 1)
    want = metric(truth, predicted)
    framed = pd.DataFrame(truth, columns=NAMES)
    for order in ([3, 1, 0, 2], [1, 0, 2, 3]):
        moved = pd.DataFrame(predicted, columns=NAMES).iloc[:, order]
        assert metric(framed, moved) == pytest.approx(want, abs=1e-12)
        assert metric(framed.iloc[:, order], pd.DataFrame(predicted, columns=NAMES)) == pytest.approx(want, abs=1e-12)
    with pytest.raises(ValueError):
        metric(framed, pd.DataFrame(predicted, columns=NAMES).rename(columns={"tea": "coffee"}))


@pytest.mark.parametrize(
    ("metric", "names"),
    [(metric, names) for metric in (*RANKS, *SETS) for names in (NUMBERS, [0, 1, 2, 3])]
    + [(of_nodes_by_number, [0, 1, 2, 3])],
)
def test_columns_are_matched_by_number(metric, names):
    truth, predicted = outputs(metric, 0), outputs(metric, 1)
    framed, moved = pd.DataFrame(truth, columns=names), pd.DataFrame(predicted, columns=names).iloc[:, [3, 1, 0, 2]]
    assert metric(framed, moved) == pytest.approx(metric(truth, predicted), abs=1e-12)
    assert metric(moved, framed) == pytest.approx(metric(predicted, truth), abs=1e-12)


def test_one_column_may_be_called_otherwise():
    truth, predicted = pd.DataFrame({"class": ["a", "b"]}), pd.DataFrame({"predicted": ["a", "a"]})
    assert metrics.accuracy(truth, predicted) == 0.5


def test_names_that_cannot_be_compared_are_refused():
    pairs = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    with pytest.raises(TypeError):
        metrics.kendall_tau(pairs, pairs)


def test_probabilities_are_matched_with_what_happened():
    rng = np.random.default_rng(0)
    probability = rng.random((50, 4))
    happened = (rng.random((50, 4)) < probability).astype(int)
    framed, order = pd.DataFrame(happened, columns=NAMES), ["tea", "sushi", "big eel", "tofu"]
    found = metrics.expected_calibration_error(framed[order], pd.DataFrame(probability, columns=NAMES))
    assert found == pytest.approx(metrics.expected_calibration_error(happened, probability), abs=1e-12)


@pytest.mark.parametrize("metric", [metrics.kendall_tau, metrics.ndcg, *TOPS], ids=lambda metric: metric.__name__)
def test_missing_positions_are_unknown(metric):
    truth, predicted = outputs(metric, 0), outputs(metric, 1)
    unknown = np.random.default_rng(2).random(truth.shape) < 0.3
    rows = np.flatnonzero((~unknown).sum(axis=1) >= 2)
    want = metric(np.where(unknown, -1, truth), predicted)
    one_by_one = [metric(truth[[i]][:, ~unknown[i]], predicted[[i]][:, ~unknown[i]]) for i in rows]
    assert want == pytest.approx(np.mean(one_by_one), abs=1e-12)
    assert metric(np.where(unknown, np.nan, truth), predicted) == want
    assert metric(pd.DataFrame(truth, columns=NAMES).mask(unknown).astype("Int64"), predicted) == want
    with pytest.raises(ValueError, match="y_pred, row 0: found nan in column 'big eel'; metrics compare finite"):
        metric(pd.DataFrame([[1, 2, 3, 4]], columns=NAMES), pd.DataFrame([[1, 2, np.nan, 4]], columns=NAMES))


@pytest.mark.parametrize("metric", [*RANKS, *TOPS], ids=lambda metric: metric.__name__)
def test_what_is_no_ranking_is_refused(metric):
    ranks = np.array([[1, 2, 2], [2, 1, 1]])
    assert metric(ranks == 2, ranks) == metric(ranks, ranks)  # False before True, as 0 before 1
    for orders in ([["b", "a", "c"], ["a", "b", "c"]], [["b"], ["a", "b"]]):
        with pytest.raises(ValueError) as caught:
            metric(ranks, orders)
        assert "y_pred" in str(caught.value)
