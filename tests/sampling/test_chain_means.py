"""Means of ψ along chains: the error that is stated holds, and the range of ψ that bounds it is known."""

from __future__ import annotations

import numpy as np

from combpred._lib.estimate import Asked
from combpred.sampling._annealing import estimated
from combpred.sampling.engines import feature_range
from combpred.structures import Assignments, Custom, Cycles, LabelSets, MultiClass, Permutations


def test_the_range_of_features_is_known():
    assert feature_range(Permutations(4)) == 2.0
    for binary in (Assignments(3), LabelSets(3), Cycles(4), MultiClass(3)):
        assert feature_range(binary) == 1.0
    assert feature_range(Custom.from_structures(["a", "b"], [[1.0], [0.0]])) is None


def test_the_stated_error_of_means_along_chains_holds():
    """300 equal rows: at δ = 0.1 no more than 30 are expected to be beyond ε, 60 happen in 1e-7 of seeds."""
    scores = np.tile([0.8, -0.3, 0.5, 0.0, 0.9, -0.6], (300, 1))
    expected = Permutations(4).marginals(scores[0])
    asked = Asked("chains", "local", epsilon=0.1, delta=0.1, max_steps=4_000_000, seed=1)
    found = estimated(Permutations(4), scores, asked, means=True, label="marginals")
    off = np.abs(found.marginals - expected)
    assert np.count_nonzero(off.max(axis=1) > 0.1) <= 60
    assert np.count_nonzero((off > found.error).any(axis=1)) <= 60
    assert not any(found.why) and (found.error <= 0.1).all() and (found.r_hat <= 1.1).all()
