"""Log-linear training of the core: its sums, its requests and its features of kernel matrices, on arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.metrics.pairwise import rbf_kernel

import reference
from combpred._lib.call import RowInputs
from combpred._lib.loglinear import KernelFeatures, LoglinearProblem
from combpred._lib.ridge import RowOutputs
from combpred.structures import MultiClass, resolve_structure
from enumerated_problem import STRUCTURES, problem


def with_constant(X):
    return np.c_[X, np.ones(len(X))]


@pytest.mark.parametrize("kind", ["inputs", "inputs without intercept", "kernel"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_gradient_is_that_of_finite_differences(structure, kind):
    X, _, psi, outputs, _ = problem(structure)
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2.0, size=len(X))
    space = (resolve_structure(structure, np.arange(3)) if isinstance(structure, MultiClass) else structure).space
    if kind == "kernel":
        X = KernelFeatures(rbf_kernel(X), weights, shift=1.0).rows
    features = with_constant(X) if kind == "inputs" else X
    shape = features.shape[1], psi.shape[1]
    options = {"solver": "lbfgs", "kernel": int(kind == "kernel"), "intercept": int(kind == "inputs")}
    loglinear = LoglinearProblem(space.description, options, 1)
    given = RowInputs(X), RowOutputs(*psi.shape, psi=psi, weights=weights)

    def sums(w):
        return loglinear.sums("loss", *given, w.reshape(shape))

    w = 0.3 * rng.normal(size=shape).ravel()
    f = features @ w.reshape(shape)
    assert sums(w)[0] == pytest.approx(
        sum(w * reference.enumerated_log_loss(outputs, p, row) for w, p, row in zip(weights, psi, f, strict=True)),
        rel=1e-10,
    )
    gradient = sums(w)[-w.size :]
    error = check_grad(lambda w: sums(w)[0], lambda w: sums(w)[-w.size :], w, epsilon=1e-6)
    assert error <= 1e-4 * (1 + np.linalg.norm(gradient))
