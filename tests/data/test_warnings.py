"""Warnings name the line of the user, not one of the package or of what scikit-learn wraps around it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import (
    ApproximationWarning,
    EmbeddingRegressor,
    ProbabilisticStructured,
    ProbabilisticStructuredCV,
    StructuredRidge,
    StructuredRidgeCV,
    StructuredSGD,
    StructuredVoting,
)
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.ranking import OnlineLabelRanker, RankingByPairwiseComparison
from combpred.sampling import log_partition
from combpred.structures import LabelSets, Ordinal, Permutations, Routes
from enumerated_problem import problem

X, Y, _, _, _ = problem(Permutations(4))
BRIEF = {"max_iter": 1, "tol": 1e-12, "random_state": 0}


def fitted():
    model = ProbabilisticStructured("permutations", inference="taylor", alpha=1e3).fit(X, Y)
    model.coef_ = 50.0 * np.ones_like(model.coef_)
    return model


@pytest.mark.parametrize(
    ("ask", "category"),
    [
        (lambda: ProbabilisticStructured("permutations", **BRIEF).fit(X, Y), ConvergenceWarning),
        (lambda: ProbabilisticStructured("permutations", solver="sgd", **BRIEF).fit(X, Y), ConvergenceWarning),
        (lambda: ProbabilisticStructured("permutations", inference="mcmc", **BRIEF).fit(X, Y), ConvergenceWarning),
        (lambda: StructuredRidge("permutations", solver="newton-cg", max_iter=1, tol=1e-15).fit(X, Y),
         ConvergenceWarning),
        (lambda: make_pipeline(StandardScaler(), ProbabilisticStructured("permutations", **BRIEF)).fit(X, Y),
         ConvergenceWarning),
        (lambda: GridSearchCV(ProbabilisticStructured("permutations", **BRIEF), {"alpha": [1.0]}, cv=2).fit(X, Y),
         ConvergenceWarning),
        (lambda: fitted().predict_marginals(X), ApproximationWarning),
        (lambda: fitted().entropy(X), ApproximationWarning),
        (lambda: log_partition(LabelSets(3), [9.0, 9.0, 9.0], method="taylor"), ApproximationWarning),
        (lambda: log_partition(Permutations(7), np.full(21, 40.0), method="annealed", sampler="meta",
                               max_steps=10**5, random_state=0), ConvergenceWarning),
    ],
)  # fmt: skip
def test_the_line_of_the_user_is_named(ask, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    found = [warning for warning in caught if issubclass(warning.category, category)]
    assert found
    assert {warning.filename for warning in found} == {__file__}


def told(ask):
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    return [str(warning.message) for warning in caught]


FRAMES = (
    pd.DataFrame(X, index=[f"r{i}" for i in range(len(X))]),
    pd.DataFrame(Y, index=[f"r{i}" for i in range(len(X))]),
)
LEARNERS = [
    StructuredRidge("permutations"),
    StructuredRidge("permutations", kernel="rbf"),
    StructuredRidge("permutations", solver="primal"),
    StructuredRidgeCV("permutations", alphas=[1.0], kernels=["linear"]),
    ProbabilisticStructured("permutations", alpha=10.0),
    ProbabilisticStructuredCV("permutations", alphas=[10.0], kernels=["linear"]),
    StructuredSGD("permutations", tol=0.1),
    StructuredSVM("permutations", tol=0.5),
    StructuredPerceptron("permutations"),
    EmbeddingRegressor("permutations", Ridge()),
    StructuredVoting([("one", StructuredRidge("permutations"))], weights=None),
    RankingByPairwiseComparison(),
    OnlineLabelRanker(random_state=0),
]


GRADES = np.array([1, 2, 3, 4])
TARGETS = {
    "grades from 1": (Ordinal(), GRADES, "read as counted from 1"),
    "a column of grades": (Ordinal(4), GRADES[:, np.newaxis] - 1, "column-vector y"),
    "a column of names": (Ordinal(["a", "b", "c", "d"]), np.array([["a"], ["b"], ["c"], ["d"]]), "column-vector y"),
    "places from 1": (Routes(), [[1, 2], [2, 3], [3, 1], [1, 3]], "never place 0"),
    "a column of classes": (None, np.array([["a"], ["b"], ["a"], ["b"]]), "column-vector y"),
}


def test_predictions_in_one_column_are_scored_without_a_warning_of_theirs():
    X = np.arange(6.0).reshape(-1, 1)
    y = pd.DataFrame({"grade": pd.Categorical(["low", "mid", "high"] * 2, ["low", "mid", "high"], ordered=True)})
    with pytest.warns(DataConversionWarning) as warned:
        StructuredRidge("ordinal").set_output(predict="pandas").fit(X, y).score(X, y)
    assert not any("y_pred" in str(each.message) for each in warned)
