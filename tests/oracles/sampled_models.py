"""Models that are fitted exactly beside those that are fitted by samples."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from combpred import ProbabilisticStructured, sampling
from combpred.structures import (
    Permutations,
)
from enumerated_problem import problem


def quietly(model, X, y, **kwargs):
    """Fit without the warning that passes ran out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **kwargs)


def exact_model(structure, **options):
    X, y, _, _, _ = problem(structure)
    return ProbabilisticStructured(structure, alpha=0.1, random_state=0, **options).fit(X, y), X, y


def drawn(n, n_labels, n_features, scale, seed=0):
    """Inputs and rankings from distributions whose weights are normal, times `scale`."""
    rng = np.random.default_rng(seed)
    X, structure = rng.normal(size=(n, n_features)), Permutations(n_labels)
    scores = X @ (scale * rng.normal(size=(n_features, structure.n_features)))
    y = sampling.sample(structure, scores, 1, sampler="exact", random_state=seed).y[0]
    return structure, X, y
