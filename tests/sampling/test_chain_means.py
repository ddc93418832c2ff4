"""Means of ψ along chains: the error that is stated holds, and the range of ψ that bounds it is known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from combpred.sampling._marginals import range_of_features
from combpred.sampling.engines import engine_of
from combpred.structures import Assignments, Custom, Cycles, LabelSets, MultiClass, Paths, Permutations


def test_the_range_of_features_is_known():
    counted = Paths([(0, 1), (1, 2), (0, 2)], source=0, target=2, tied=[0, 0, 1])
    own = Custom.from_sampler(lambda rng: rng.integers(2, size=2), np.asarray, n_moment_samples=50)
    for structure, low, high in (
        (Permutations(4), [-1.0] * 6, [1.0] * 6),
        *(
            (binary, [0.0] * binary.n_features, [1.0] * binary.n_features)
            for binary in (Assignments(3), LabelSets(3), Cycles(4), MultiClass(3))
        ),
        (counted, [0.0, 0.0], [2.0, 1.0]),
        (Custom.from_structures(["a", "b"], [[1.5], [-2.0]]), [-2.0], [1.5]),
        (own.set_params(radius=3.0), [-3.0, -3.0], [3.0, 3.0]),
    ):
        np.testing.assert_allclose(range_of_features(structure), [low, high])
    assert range_of_features(own.set_params(radius=None)) is None


def test_the_stated_error_of_means_along_chains_holds():
    """300 equal rows: at δ = 0.1 no more than 30 are expected to be beyond ε, 60 happen in 1e-7 of seeds."""
    scores = np.tile([0.8, -0.3, 0.5, 0.0, 0.9, -0.6], (300, 1))
    expected = Permutations(4).marginals(scores[0])
    model = SimpleNamespace(structure_=Permutations(4), sampler="local", n_jobs=None, verbose=0)
    engine = engine_of(model, "mcmc", epsilon=0.1, delta=0.1, random_state=1)
    means = engine.infer(scores, means=True, log_z=False).means
    assert np.count_nonzero(np.abs(means - expected).max(axis=1) > 0.1) <= 60
