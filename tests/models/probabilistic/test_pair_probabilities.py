"""Probabilities of pairs and of positions, against the list of all outputs."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import CapabilityError, ProbabilisticStructured
from combpred.ranking import partial_orders
from combpred.structures import LabelSets, Permutations, Tournaments, WeakOrders


def fitted(structure, seed=0, n=15, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return ProbabilisticStructured(structure, alpha=0.05, **options).fit(X, structure.sample(n, random_state=seed)), X


def listed(model, X):
    """Return all outputs, and their probabilities for each row."""
    outputs = list(model.structure_.enumerate())
    log_proba = np.column_stack([model.log_proba(X, [y] * len(X)) for y in outputs])
    return np.array(outputs), np.exp(log_proba)


@pytest.mark.parametrize("structure", [Permutations(4), WeakOrders(4), Tournaments(3)])
def test_pairs_are_those_of_the_list(structure):
    model, X = fitted(structure)
    outputs, proba = listed(model, X[:3])
    before = outputs[:, :, np.newaxis] < outputs[:, np.newaxis]
    if isinstance(structure, Tournaments):  # +1 where the first of a pair wins
        before = np.zeros((len(outputs), 3, 3), dtype=bool)
        for pair, (u, v) in enumerate([(0, 1), (0, 2), (1, 2)]):
            before[:, u, v], before[:, v, u] = outputs[:, pair] > 0, outputs[:, pair] < 0
    want = np.einsum("ny,yuv->nuv", proba, before.astype(float))
    k = want.shape[1]
    want[:, np.arange(k), np.arange(k)] = 0.5
    found = model.predict_pairwise_proba(X[:3])
    np.testing.assert_allclose(found, want, atol=1e-10)
    assert partial_orders(found, threshold=0.5).shape == found.shape


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few draws
def test_positions_are_those_of_the_list():
    model, X = fitted(Permutations(5))
    outputs, proba = listed(model, X[:3])
    want = np.einsum("ny,yur->nur", proba, outputs[:, :, np.newaxis] == np.arange(1, 6))
    found = model.predict_position_proba(X[:3])
    np.testing.assert_allclose(found, want, atol=1e-10)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.sum(axis=2), 1.0)
    sampled = fitted(Permutations(5), inference="mcmc", max_iter=5)[0].set_params(inference="exact")
    first = sampled.set_params(inference="mcmc").predict_position_proba(X[:2])
    np.testing.assert_array_equal(first, sampled.set_params(inference="exact").predict_position_proba(X[:2]))


def test_positions_agree_with_pairs_on_mean_positions():
    """The mean position of a label is 1 plus the sum of the probabilities of the others to be before it."""
    model, X = fitted(Permutations(9))
    pairs = model.predict_pairwise_proba(X)
    mean = 0.5 + pairs.sum(axis=1)
    np.testing.assert_allclose(model.predict_position_proba(X) @ np.arange(1, 10), mean, rtol=1e-9)


def test_what_has_neither_says_what_has():
    model = ProbabilisticStructured(LabelSets(3))
    for name, message in (("pairwise", "Permutations, Tournaments, WeakOrders"), ("position", "Permutations")):
        with pytest.raises(AttributeError) as caught:
            getattr(model, f"predict_{name}_proba")([[0.0]])
        assert f"predict_{name}_proba is for {message}, not for structure=LabelSets" in str(caught.value.__cause__)
    assert not hasattr(ProbabilisticStructured("weakorders"), "predict_position_proba")
    large = ProbabilisticStructured(Permutations(21), inference="mcmc", solver="sgd", max_iter=1)
    X, y = np.zeros((2, 1)), [list(range(1, 22))] * 2
    with pytest.warns(Warning):
        large.fit(X, y)
    with pytest.raises(CapabilityError):
        large.predict_position_proba(X)
