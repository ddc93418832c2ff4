"""Data for stochastic descent, and the estimator with a fixed seed."""

from __future__ import annotations

import numpy as np

from combpred import StructuredSGD

KERNELS = ["linear", "rbf"]


def data(structure, n=80, p=4, seed=0):
    """Structures that depend on the inputs: the best of a random linear model, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, structure.n_features)) + 0.5 * rng.normal(size=(n, structure.n_features))
    return X, structure.decode(scores)


def sgd(structure, **parameters):
    return StructuredSGD(structure, random_state=0, **parameters)
