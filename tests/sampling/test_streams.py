"""What is drawn for a row follows from the seed and the row: not from its place, other rows, blocks or threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import combpred._lib.arrays
from combpred import ProbabilisticStructured, StructuredRidge, sampling
from combpred._lib.sampling import Plan
from combpred._lib.streams import row_streams
from combpred.structures import LabelSets, PartialOrders, Permutations

X = np.random.default_rng(5).normal(size=(9, 3)) * (np.arange(27).reshape(9, 3) % 4 > 0)
X[7] = X[1]  # a row that is there twice


def test_streams_are_those_of_the_library() -> None:
    """The library computes them from scores where it is given none."""
    space, scores = Permutations(3).space, np.array([[1.0, 0.0, -2.0], [0.5, -0.0, 3.0], [1.0, 0.0, -2.0]])
    plan = Plan("exact", 20, seed=3)
    given = space.draw(scores, plan._replace(streams=row_streams(scores))).y
    np.testing.assert_array_equal(given, space.draw(scores, plan).y)
    assert (given[0] != given[2]).any()  # equal rows are told apart


@pytest.mark.parametrize("apart", [True, False])
def test_streams_follow_from_rows(apart: bool) -> None:
    dense = row_streams(X, apart=apart)
    np.testing.assert_array_equal(row_streams(sparse.csr_matrix(X), apart=apart), dense)
    np.testing.assert_array_equal(row_streams(X[2:7], apart=apart), dense[2:7])
    assert len(set(dense.tolist())) == (9 if apart else 8)
    assert row_streams(X[:0], apart=apart).shape == (0,)


def _cut(monkeypatch: pytest.MonkeyPatch, entries: int) -> None:
    monkeypatch.setattr(combpred._lib.arrays, "_BLOCK_ENTRIES", entries)


@pytest.mark.parametrize("structure", [LabelSets(4), Permutations(4)])
def test_samples_do_not_depend_on_blocks(structure: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ProbabilisticStructured(structure).fit(X, structure.sample(9, random_state=0))
    whole = model.sample(X, 12, sampler="exact", random_state=1)
    for entries in (1, 13):
        _cut(monkeypatch, entries)
        np.testing.assert_array_equal(model.sample(X, 12, sampler="exact", random_state=1), whole)
    np.testing.assert_array_equal(model.sample(X[6:2:-1], 12, sampler="exact", random_state=1), whole[:, 6:2:-1])
    assert (whole[:, 1] != whole[:, 7]).any()


@pytest.mark.parametrize("model", [StructuredRidge, ProbabilisticStructured])
def test_predictions_do_not_depend_on_blocks(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    structure = Permutations(8)
    model = model(structure, decoder="metropolis", random_state=2).fit(X, structure.sample(9, random_state=0))
    whole = model.predict(X)
    for entries in (1, 40):
        _cut(monkeypatch, entries)
        np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_array_equal(model.predict(X[6:2:-1]), whole[6:2:-1])
    np.testing.assert_array_equal(whole[1], whole[7])


def test_searches_do_not_depend_on_other_rows() -> None:
    structure = PartialOrders(9)
    scores = np.random.default_rng(0).normal(size=(4, structure.n_features))
    how = {"alpha": 2.0, "schedule": "metropolis", "proposals": "local", "n_steps": 40, "random_state": 3}
    whole = sampling.search(structure, scores, **how)
    turned = sampling.search(structure, scores[::-1], **how, n_jobs=1)
    np.testing.assert_array_equal(turned.y[::-1], whole.y)
    twice = sampling.search(structure, np.tile(scores[0], (2, 1)), **how)
    assert (twice.y[0] == whole.y[0]).all() and (twice.y[1] != whole.y[0]).any()
