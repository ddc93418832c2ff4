"""A training problem by hand, and what only POSIX has."""

from __future__ import annotations

import os

import numpy as np
import pytest

from combpred._lib.call import computed
from combpred._lib.ridge import Targets, ridge_plan
from combpred._lib.structure import Description, structure_embed, structure_sample

PERMUTATIONS = Description("permutations", {"n": 5})

POSIX = pytest.mark.skipif(os.name != "posix", reason="fork and signals as POSIX has them")


def problem(n: int, seed: int = 0):
    """A radial kernel on random points, and random rankings."""
    x = np.random.default_rng(seed).normal(size=(n, 4))
    squares = (x**2).sum(axis=1)
    kernel = np.exp(x @ x.T - squares[:, None] / 2 - squares / 2)
    return kernel, structure_embed(PERMUTATIONS, structure_sample(PERMUTATIONS, n, seed))


def train(kernel, psi, **settings):
    options = {"alpha": 1.0, "precision": "double"}
    kernel = np.ascontiguousarray(kernel)
    work = np.empty(ridge_plan(PERMUTATIONS, options, len(kernel), 0, 0)["work_double"], dtype=np.uint8)
    scratch = {"data": work, "bytes": work.nbytes}
    return computed("cp_ridge_kernel", PERMUTATIONS, options, kernel, Targets(psi), scratch, **settings)
