"""Data in blocks of uneven sizes, and what it means that two models agree."""

from __future__ import annotations

import numpy as np
import pytest

from combpred.structures import Hierarchy, LabelSets, MultiClass, Ordinal, Permutations

N, P = 60, 5
CUTS = [0, 7, 7, 8, 40, N]  # blocks of uneven sizes, one of them empty, one of a single row
STRUCTURES = [
    pytest.param(MultiClass(4), id="multiclass"),
    pytest.param(MultiClass(32), id="multiclass-sparse"),
    pytest.param(LabelSets(4), id="labelsets"),
    pytest.param(LabelSets(5, size=2), id="labelsets-size2"),
    pytest.param(Ordinal(4), id="ordinal"),
    pytest.param(Hierarchy([-1, 0, 0, 1, 1], allowed="leaves"), id="hierarchy"),
    pytest.param(Permutations(4), id="permutations"),
]


def data(structure, *, weighted=False):
    rng = np.random.default_rng(0)
    y = structure.sample(N, random_state=0)
    if isinstance(structure, MultiClass):
        y[: structure.n_classes] = np.arange(structure.n_classes)
    X = rng.normal(size=(N, P)) + 0.5 * rng.normal(size=P)
    return X, y, np.append(rng.uniform(0.2, 3.0, size=N - 1), 0.0) if weighted else None


def cut(X, y, weights=None):
    pairs = list(zip(CUTS[:-1], CUTS[1:], strict=True))
    if weights is None:
        return [(X[a:b], y[a:b]) for a, b in pairs]
    return [(X[a:b], y[a:b], weights[a:b]) for a, b in pairs]


def same(model, expected, X, atol=1e-8):
    np.testing.assert_allclose(model.feature_scores(X), expected.feature_scores(X), atol=atol)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-8)
