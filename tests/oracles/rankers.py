"""The label rankers that every test of the common battery runs on, and small data in each format of y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from combpred.metrics import kendall_tau
from combpred.ranking import (
    ConstraintClassification,
    DirectRankingSVM,
    LabelRankingBoost,
    LabelRankingSVM,
    NearestNeighborsLabelRanker,
    OnlineLabelRanker,
    RankingByPairwiseComparison,
)

GRAPHS = "graphs"
FORMATS = ("full", "incomplete", "ties", GRAPHS)


@dataclass(frozen=True)
class Case:
    """A ranker with the formats of y that it takes beside full rankings.

    Parameters
    ----------
    ranker : LabelRanker
        Deterministic: with a seed where it draws.
    formats : tuple of str
        Of `FORMATS`.
    grid : dict
        Two values of a parameter for a grid search.
    weights : {"repeat", "leave out", "none"}
        Whether an integer weight equals repeating the row, or 0 leaving it out; "none" where it takes no weights.
    tolerance : float
        How far label scores may be apart where training should agree: what the solver's tolerance leaves.
    has_scores : bool
        Whether there is `label_scores`.
    """

    ranker: Any
    formats: tuple[str, ...]
    grid: dict[str, list[Any]]
    weights: str = "repeat"
    tolerance: float = 1e-8
    has_scores: bool = True


def disagreement(y, z):
    """Return the share of pairs of labels on which rankings differ, row by row: a loss as a user would write it."""
    return (1.0 - kendall_tau(y, z, per_row=True)) / 2.0


ALL = ("incomplete", "ties", GRAPHS)
LOGISTIC = LogisticRegression(tol=1e-10, max_iter=1000)  # converged, so that models of the same objective agree

CONVERGED = {"tol": 1e-6, "max_iter": 20000, "random_state": 0}
SVM = {"C": [0.1, 1.0]}
NEIGHBORS = {"n_neighbors": [3, 10]}

CASES = {
    "boost": Case(LabelRankingBoost(), ALL, {"alpha": [0.1, 1.0]}, tolerance=1e-6),
    "constraint": Case(ConstraintClassification(LOGISTIC), ALL, {"estimator__C": [0.1, 1.0]}, tolerance=1e-5),
    "direct": Case(DirectRankingSVM(tol=1e-6), (), {"C": [1.0, 10.0]}, tolerance=1e-2),
    "direct, precision": Case(DirectRankingSVM(tol=1e-6, loss="precision", top=2), (), {"top": [1, 3]}, tolerance=1e-2),
    "direct, rbf": Case(
        DirectRankingSVM(30.0, tol=1e-6, loss=disagreement, kernel="rbf"), (), {"C": [3.0, 30.0]}, tolerance=1e-2
    ),
    "neighbors": Case(NearestNeighborsLabelRanker(weights="distance"), ALL, NEIGHBORS, weights="leave out"),
    "neighbors, mallows": Case(
        NearestNeighborsLabelRanker(7, aggregation="mallows"), ALL, NEIGHBORS, weights="leave out", has_scores=False
    ),
    "neighbors, plackett-luce": Case(
        NearestNeighborsLabelRanker(aggregation="plackett-luce"), ("incomplete",), NEIGHBORS, weights="leave out"
    ),
    "online": Case(OnlineLabelRanker(random_state=0), ALL, {"decomposition": ["edges", "graph"]}, weights="leave out"),
    "online, multiplicative": Case(
        OnlineLabelRanker("multiplicative", random_state=0), ALL, {"radius": [1.0, 10.0]}, weights="leave out"
    ),
    "online, primal-dual": Case(
        OnlineLabelRanker("primal-dual", random_state=0), ALL, {"C": [0.1, 1.0]}, weights="leave out"
    ),
    "pairwise": Case(RankingByPairwiseComparison(LOGISTIC), ALL, {"estimator__C": [0.1, 1.0]}, tolerance=1e-5),
    "pairwise, trees": Case(
        RankingByPairwiseComparison(DecisionTreeClassifier(max_depth=2, random_state=0), vote="hard"),
        ALL,
        {"estimator__max_depth": [1, 3]},
    ),
    "svm": Case(LabelRankingSVM(**CONVERGED), ALL, SVM, tolerance=1e-2),
    "svm, rbf": Case(LabelRankingSVM(kernel="rbf", decomposition="graph", **CONVERGED), ALL, SVM, tolerance=1e-2),
    "svm, margins by positions": Case(
        LabelRankingSVM(margin="positions", decomposition="stars", **CONVERGED),
        ("incomplete", "ties"),
        SVM,
        tolerance=1e-2,
    ),
}


def small_data(form: str = "full", n: int = 60, k: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and rankings that follow from them up to some noise, in a format of `FORMATS`."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = X @ rng.normal(size=(3, k)) + 0.3 * rng.normal(size=(n, k))
    positions = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    if form == "incomplete":
        return X, np.where(rng.random((n, k)) < 0.2, -1, positions)
    if form == "ties":
        return X, (positions + 1) // 2
    if form == GRAPHS:
        return X, (positions[:, :, None] < positions[:, None, :]) & (rng.random((n, k, k)) < 0.7)
    return X, positions
