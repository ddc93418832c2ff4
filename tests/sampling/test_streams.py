"""What is predicted and drawn for a row follows from the seed and the row: not from its place, other rows or blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from combpred import ProbabilisticStructured, StructuredRidge, sampling
from combpred.structures import LabelSets, PartialOrders, Permutations

X = np.random.default_rng(5).normal(size=(40, 3))
X[33] = X[1]  # a row that is there twice, in other blocks


@pytest.mark.parametrize("structure", [LabelSets(4), Permutations(4)])
def test_samples_do_not_depend_on_blocks(structure: Any, limits: Any) -> None:
    model = ProbabilisticStructured(structure).fit(X, structure.sample(40, random_state=0))
    whole = model.sample(X, 12, sampler="exact", random_state=1).y
    for entries in (1, 100):
        limits.block_entries(entries)
        np.testing.assert_array_equal(model.sample(X, 12, sampler="exact", random_state=1).y, whole)
    np.testing.assert_array_equal(model.sample(X[6:2:-1], 12, sampler="exact", random_state=1).y, whole[:, 6:2:-1])
    assert (whole[:, 1] != whole[:, 33]).any()


@pytest.mark.parametrize("model", [StructuredRidge, ProbabilisticStructured])
def test_predictions_do_not_depend_on_blocks(model: Any, limits: Any) -> None:
    structure = Permutations(8)
    model = model(structure, decoder="metropolis", random_state=2).fit(X, structure.sample(40, random_state=0))
    whole = model.predict(X)
    for entries in (1, 100):
        limits.block_entries(entries)
        np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_array_equal(model.predict(X[6:2:-1]), whole[6:2:-1])
    np.testing.assert_array_equal(whole[1], whole[33])


def test_searches_do_not_depend_on_other_rows() -> None:
    structure = PartialOrders(9)
    scores = np.random.default_rng(0).normal(size=(4, structure.n_features))
    how = {"alpha": 2.0, "schedule": "metropolis", "proposals": "local", "n_steps": 40, "random_state": 3}
    whole = sampling.search(structure, scores, **how)
    turned = sampling.search(structure, scores[::-1], **how, n_jobs=1)
    np.testing.assert_array_equal(turned.y[::-1], whole.y)
    twice = sampling.search(structure, np.tile(scores[0], (2, 1)), **how)
    assert (twice.y[0] == whole.y[0]).all() and (twice.y[1] != whole.y[0]).any()
