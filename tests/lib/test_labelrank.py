"""The solver of label ranking machines: what its dual variables are."""

from __future__ import annotations

import numpy as np
import pytest

from combpred._lib.rankings import Examples, boost, svm
from combpred._lib.ridge import Design
from ranking_oracle import random_preferences


@pytest.mark.parametrize("decomposition", ["edges", "stars", "graph"])
def test_dual_variables_are_feasible_and_make_up_the_weights(decomposition):
    X, graphs = np.random.default_rng(0).normal(size=(30, 3)), random_preferences(30, 4, 8)
    u, v = np.triu_indices(4, 1)
    signs = graphs[:, u, v].astype(np.int8) - graphs[:, v, u]
    weights = np.random.default_rng(9).uniform(size=30)
    options = {"c": 0.7, "tol": 1e-6, "max_iter": 10000}
    found = svm(Examples(signs, None, weights, 4, decomposition), Design(X), options, n_threads=1)
    winner = np.where(signs > 0, u, v)
    assert (found.alpha >= 0).all() and not found.alpha[signs == 0].any()
    for i in range(1, 30):
        known = signs[i] != 0
        label = {"edges": np.arange(6), "stars": winner[i], "graph": np.zeros(6, dtype=int)}[decomposition][known]
        sums = np.bincount(label, weights=found.alpha[i, known])
        assert (sums <= 0.7 * weights[i] / len(np.unique(label)) + 1e-12).all()
    moves = np.zeros((30, 4))
    for pair, (a, b) in enumerate(zip(u, v, strict=True)):
        moves[:, a] += signs[:, pair] * found.alpha[:, pair]
        moves[:, b] -= signs[:, pair] * found.alpha[:, pair]
    np.testing.assert_allclose(found.coefficients, X.T @ moves, atol=1e-12)
    dual = found.alpha.sum() - 0.5 * (found.coefficients**2).sum()
    assert found.objective - dual == pytest.approx(found.gap, abs=1e-10)


def test_no_rankers_cannot_be_boosted():
    examples = Examples(np.ones((2, 3), dtype=np.int8), None, np.ones(2), 3, "edges")
    with pytest.raises(ValueError, match="base_rankers"):
        boost(examples, Design(np.ones((2, 1))), np.empty((2, 3, 0)), {"max_iter": 2}, n_threads=1)
