"""The maps under test, inputs for them, and a function that is no kernel."""

from __future__ import annotations

import numpy as np

from combpred.kernels import IndefiniteNystromMap, NystromMap, RandomProjectionMap

MAPS = [NystromMap, RandomProjectionMap, IndefiniteNystromMap]


def inputs(n=60, p=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def difference(a, b):
    """Return a function of two rows that is no kernel."""
    return float(np.abs(a - b).sum() - np.dot(a, b))
