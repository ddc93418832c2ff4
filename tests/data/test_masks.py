"""Masked entries are refused wherever arrays are read: NumPy would take the numbers that are under the mask."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import Admissible, StructuredRidge, StructuredSGD, StructuredVoting, losses, metrics
from combpred.aggregation import bradley_terry, kemeny
from combpred.metrics import abstention_curve, expected_calibration_error, pair_completeness, pair_gamma
from combpred.ranking import OnlineLabelRanker, RankingByPairwiseComparison, partial_orders
from combpred.sampling import log_partition
from combpred.structures import (
    Assignments,
    Graphs,
    Hierarchy,
    LabelSets,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Subtrees,
    Tournaments,
    WeakOrders,
)

N = 12
X = np.random.default_rng(0).normal(size=(N, 2))
CHAIN = np.triu(np.ones((3, 3), dtype=int))
RANKS = np.array([[1, 2, 3], [2, 1, 3]] * 6)
SETS = np.array([[1, 0, 1], [0, 1, 0]] * 6)
SCORES = np.zeros((4, 3))
RIDGE = StructuredRidge("permutations")
WINS = np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 4.0], [5.0, 1.0, 0.0]])
OUTPUTS = {
    "rankings": (Permutations(3), RANKS),
    "tied": (WeakOrders(3), RANKS),
    "sets": (LabelSets(3), SETS),
    "grades": (Ordinal(3), np.arange(N) % 3),
    "nodes": (Hierarchy([-1, 0, 0]), np.arange(N) % 3),
    "subtrees": (Subtrees([-1, 0, 0]), np.array([[1, 1, 0], [1, 0, 1]] * 6)),
    "elements": (PosetElements(CHAIN), np.arange(N) % 3),
    "signs": (Tournaments(3), np.array([[1, 1, 1], [-1, -1, -1]] * 6)),
    "matrices": (PartialOrders(3), np.array([np.triu(np.ones((3, 3)), 1)] * N)),
    "routes": (Routes(4), np.array([[0, 1, 2, -1], [0, 2, 3, 1]] * 6)),
    "trees": (SpanningTrees(3), np.array([[1, 0, 1], [0, 1, 1]] * 6)),
    "assignments": (Assignments(3), np.array([[0, 1, 2], [1, 0, 2]] * 6)),
}


def masked(values):
    """Return an array whose first entry is masked, the one that readers look at to tell what y is."""
    found = np.ma.array(values, mask=np.zeros(np.shape(values), dtype=bool))
    found[(0,) * found.ndim] = np.ma.masked
    return found


@pytest.mark.parametrize(("structure", "y"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs_and_scores_of_structures(structure, y):
    model = StructuredRidge(structure).fit(X, y)
    scores = model.feature_scores(X)
    for call in (
        lambda: StructuredRidge(structure).fit(X, masked(y)),
        lambda: model.score(X, masked(y)),
        lambda: model.score_structures(X, masked(y)),
        lambda: structure.embed(masked(y)),
        lambda: structure.decode(masked(scores)),
        lambda: structure.log_partition(masked(scores)),
        lambda: structure.marginals(masked(scores)),
        lambda: losses.structured_max_loss(structure, masked(scores), y),
        lambda: losses.structured_max_loss(structure, scores, masked(y)),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.row == 0
    whole = np.ma.array(y, mask=np.zeros(y.shape, dtype=bool))
    np.testing.assert_array_equal(structure.embed(whole), structure.embed(y))  # nothing is masked


PROBA = np.array([[0.9, 0.8, 0.7], [0.4, 0.7, 0.6]])
CALLS = {
    "counts": lambda: kemeny(counts=masked(WINS)),
    "wins": lambda: bradley_terry(masked(WINS)),
    "ballots": lambda: kemeny(masked(RANKS)),
    "ranker": lambda: RankingByPairwiseComparison().fit(X, masked(RANKS)),
    "pairs": lambda: partial_orders(masked(PROBA)),
    "curve": lambda: abstention_curve(masked(RANKS[:2]), PROBA),
    "curve's probabilities": lambda: abstention_curve(RANKS[:2], masked(PROBA)),
    "completeness": lambda: pair_completeness(masked(RANKS), RANKS),
    "gamma": lambda: pair_gamma(RANKS, masked(RANKS)),
    "matrix of pairs": lambda: pair_gamma(masked(np.array([CHAIN] * 2)), np.array([CHAIN] * 2)),
    "calibration": lambda: expected_calibration_error(masked([0, 1, 1]), [0.2, 0.7, 0.9]),
    "probabilities": lambda: expected_calibration_error([0, 1, 1], masked([0.2, 0.7, 0.9])),
    "tau": lambda: metrics.kendall_tau(masked(RANKS), RANKS),
    "admissible": lambda: StructuredRidge("permutations").fit(X, [Admissible(masked(RANKS[:1]))] * N),
    "observed": lambda: LabelSets(3, observed=masked(SETS[:2])).count(),
    "relation": lambda: PosetElements(masked(CHAIN)).count(),
    "parent": lambda: Hierarchy(masked(np.array([-1, 0, 0]))).count(),
    "allowed": lambda: Hierarchy([-1, 0, 0], allowed=masked(np.array([True, True, True]))).count(),
    "edges": lambda: Graphs(4, edges=masked(np.array([[0, 1], [1, 2]]))).count(),
    "arcs": lambda: Paths(masked(np.array([[0, 1], [1, 2]])), 0, 2).count(),
    "tied": lambda: Paths([[0, 1], [1, 2]], 0, 2, tied=masked(np.array([0, 1]))).count(),
    "bound": lambda: log_partition(Permutations(3), SCORES, method="annealed", bound=masked(np.ones(len(SCORES)))),
    "weights of members": lambda: StructuredVoting([("a", RIDGE)], weights=masked(np.ones(1))).fit(X, RANKS),
    "link": lambda: StructuredVoting([("a", RIDGE), ("b", RIDGE, masked(np.eye(3)))]).fit(X, RANKS),
    "classes": lambda: StructuredSGD().partial_fit(X, RANKS[:, 0], classes=masked([1, 2, 3])),
    "coef": lambda: OnlineLabelRanker().fit(X, RANKS).mistake_bound(X, RANKS, coef=masked(np.ones((3, X.shape[1])))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_tables_metrics_and_parameters(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert caught.value.row == 0
