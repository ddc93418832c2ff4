"""Warnings name the line of the user, not one of the package or of what scikit-learn wraps around it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import ApproximationWarning, ProbabilisticStructured, StructuredRidge, StructuredSGD
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
