"""Means of ψ along chains: the error that is stated holds, and the range of ψ that bounds it is known."""

from __future__ import annotations

import numpy as np

from combpred.sampling.engines import EngineSettings, SampledEngine, feature_range
from combpred.structures import Assignments, Custom, Cycles, LabelSets, MultiClass, Permutations


def test_the_range_of_features_is_known():
    assert feature_range(Permutations(4)) == (-1.0, 1.0)
    for binary in (Assignments(3), LabelSets(3), Cycles(4), MultiClass(3)):
        assert feature_range(binary) == (0.0, 1.0)
    assert feature_range(Custom.from_structures(["a", "b"], [[1.0], [0.0]])) is None


def test_the_stated_error_of_means_along_chains_holds():
    """300 equal rows: at δ = 0.1 no more than 30 are expected to be beyond ε, 60 happen in 1e-7 of seeds."""
    scores = np.tile([0.8, -0.3, 0.5, 0.0, 0.9, -0.6], (300, 1))
    expected = Permutations(4).marginals(scores[0])
    settings = EngineSettings(Permutations(4), "local", epsilon=0.1, delta=0.1, seed=1)
    means = SampledEngine(settings).infer(scores, means=True, log_z=False).means
    assert np.count_nonzero(np.abs(means - expected).max(axis=1) > 0.1) <= 60
