"""Members of averages and what they say of rows that are left out, by refits."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor

from combpred import EmbeddingRegressor


def data(structure, n=40, seed=0):
    """Outputs that depend on inputs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    scores = X @ rng.normal(size=(3, structure.n_features)) + 0.5 * rng.normal(size=(n, structure.n_features))
    return X, structure.decode(scores)


def neighbours(k=3, structure=None):
    return EmbeddingRegressor(structure, KNeighborsRegressor(k))


def refitted(model, X, y, weights=None):
    """Return scores of rows by models without them."""
    found = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        given = {} if weights is None else {"sample_weight": weights[rest]}
        found.append(clone(model).fit(X[rest], y[rest], **given).feature_scores(X[[i]])[0])
    return np.array(found)


def folded(model, X, y):
    found = None
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        scores = clone(model).fit(X[train], y[train]).feature_scores(X[test])
        found = np.empty((len(X), scores.shape[1])) if found is None else found
        found[test] = scores
    return found
