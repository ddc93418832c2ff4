"""Warnings name the line of the user, not one of the package or of what scikit-learn wraps around it."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import (
    ApproximationWarning,
    ConvertedTargets,
    EmbeddingRegressor,
    ProbabilisticStructured,
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
    StructuredRidgeCV("permutations", alphas=[1.0], kernels=["linear"], cv=2),
    ProbabilisticStructured("permutations", alpha=10.0),
    StructuredSGD("permutations", tol=0.1),
    StructuredSVM("permutations", tol=0.5),
    StructuredPerceptron("permutations"),
    EmbeddingRegressor(Ridge(), "permutations"),
    StructuredVoting([("one", StructuredRidge("permutations"))], weights=None),
    RankingByPairwiseComparison(),
    OnlineLabelRanker(random_state=0),
]


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_rows_of_y_in_another_order_than_those_of_x_are_doubted(model):
    inputs, y = FRAMES
    with pytest.warns(UserWarning) as caught:
        model.fit(inputs, y[::-1])
    assert len({str(each.message) for each in caught if "index" in str(each.message)}) == 1  # shown once
    assert not [said for said in told(lambda: model.fit(inputs, y)) if "index" in said]
    assert not [said for said in told(lambda: model.score(inputs, y[::-1].loc[inputs.index])) if "index" in said]
    for y_moved in (y[::-1], y.sample(frac=1, random_state=0)):
        with pytest.warns(UserWarning):
            score = model.score(inputs, y_moved)
        assert score == model.score(inputs, y_moved.to_numpy()) <= model.score(inputs, y)  # as scikit-learn pairs them
    if hasattr(model, "partial_fit") and not isinstance(model, ProbabilisticStructured):
        with pytest.warns(UserWarning):
            clone(model).partial_fit(inputs, y[::-1])


def test_which_indexes_are_doubted():
    inputs, y = FRAMES
    n = len(X)

    def said(own, other):
        model = StructuredRidge("permutations")
        return "".join(told(lambda: model.fit(inputs.set_axis(own, axis=0), y.set_axis(other, axis=0))))

    counted, moved = np.arange(n), np.arange(n)[::-1]
    assert "in different orders" in said(counted, moved)
    assert said(counted, counted) == said(moved, counted + 2 * n) == said(pd.RangeIndex(n), counted.astype(float)) == ""
    assert said(pd.RangeIndex(n), moved + 3) == said(moved + 3, pd.RangeIndex(n)) == ""  # as frames of arrays have it
    dropped = [np.delete(np.arange(n + 1), row) for row in (1, 4)]
    assert "or of different rows, " in said(*dropped) and "join both before where one lacks rows" in said(*dropped)
    assert "in different orders" in said(counted + 1, counted + 2)
    days = pd.date_range("2020-01-01", periods=n + 1)
    assert "in different orders" in said(days[:-1], days[1:])
    indexes = [
        days[:n],
        pd.date_range("2020-01-01", periods=n, tz="UTC"),
        pd.period_range("2020-01-01", periods=n),
        pd.interval_range(0, n),
        pd.MultiIndex.from_arrays([counted, moved]),
        pd.MultiIndex.from_arrays([counted, moved, counted]),
        pd.CategoricalIndex([f"c{i}" for i in counted]),
        pd.Index([*range(100, 99 + n), None], dtype="Int64"),
        pd.Index([*range(200, 198 + n), "x", None], dtype=object),
    ]
    for own in indexes:
        assert "in different orders" in said(own, own[::-1])
        assert not any(said(own, other) for other in indexes if other is not own)  # of other types
    assert "in different orders" in said(counted // 2, moved // 2)
    weights = pd.Series(np.ones(n), index=moved)
    with pytest.warns(UserWarning):
        StructuredRidge("permutations").fit(inputs.set_axis(counted, axis=0), y.to_numpy(), sample_weight=weights)
    lists = Permutations.to_orders(y.set_axis(list("abcd"), axis=1), sep=">")
    for structure in (Permutations(), Permutations(labels=list("abcd"))):
        model = ConvertedTargets(StructuredRidge(structure), form="orders", sep=">")
        backwards = pd.Series(lists, index=inputs.index)[::-1]
        for ask in (model.fit, model.score):
            assert len([each for each in told(partial(ask, inputs, backwards)) if "index" in each]) == 1


GRADES = np.array([1, 2, 3, 4])
TARGETS = {
    "grades from 1": (Ordinal(), GRADES, "read as counted from 1"),
    "a column of grades": (Ordinal(4), GRADES[:, np.newaxis] - 1, "column-vector y"),
    "a column of names": (Ordinal(["a", "b", "c", "d"]), np.array([["a"], ["b"], ["c"], ["d"]]), "column-vector y"),
    "places from 1": (Routes(), [[1, 2], [2, 3], [3, 1], [1, 3]], "never place 0"),
    "a column of classes": (None, np.array([["a"], ["b"], ["a"], ["b"]]), "column-vector y"),
}


@pytest.mark.parametrize("n", [1, 10])
@pytest.mark.parametrize("model", [StructuredRidge(), StructuredRidge(kernel="rbf"), StructuredSGD(tol=0.1)], ids=repr)
@pytest.mark.parametrize(("structure", "y", "said"), TARGETS.values(), ids=TARGETS)
def test_a_doubt_is_told_once(structure, y, said, model, n):
    """With few rows and with many, which solvers treat differently."""
    rows = [each for each in y for _ in range(n)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.set_params(structure=structure).fit(np.arange(4.0 * n)[:, np.newaxis], np.array(rows))
    assert len([warning for warning in caught if said in str(warning.message)]) == 1


def test_predictions_in_one_column_are_scored_without_a_warning_of_theirs():
    X = np.arange(6.0).reshape(-1, 1)
    y = pd.DataFrame({"grade": pd.Categorical(["low", "mid", "high"] * 2, ["low", "mid", "high"], ordered=True)})
    with pytest.warns(DataConversionWarning) as warned:
        StructuredRidge("ordinal").set_output(predict="y").fit(X, y).score(X, y)
    assert not any("y_pred" in str(each.message) for each in warned)
