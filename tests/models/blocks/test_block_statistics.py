"""BlockStatistics: sums over parts of the data that add up, and what does not add up."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pandas as pd
import pytest

from combpred import Admissible, BlockStatistics, StructuredRidge
from combpred.structures import (
    Graphs,
    MultiClass,
    PartialOrders,
    Permutations,
    SpanningTrees,
    Subtrees,
    Tournaments,
    form_of,
)
from rows_in_blocks import STRUCTURES, N, cut, data, same


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_statistics_of_parts_add_up_across_processes(structure, weighted):
    X, y, weights = data(structure, weighted=weighted)
    if isinstance(structure, MultiClass):
        structure = StructuredRidge(structure).fit(X, y).structure_  # which knows the labels
    parts = [
        pickle.loads(pickle.dumps(BlockStatistics.of(structure, *block)))
        for block in cut(X, y, weights)
        if len(block[0])
    ]
    whole = functools.reduce(BlockStatistics.__add__, parts)
    assert whole.n_rows == N
    assert parts[0].n_rows == 7  # adding changed none of them
    expected = StructuredRidge(structure, alpha=0.2, loss="squared", solver="closed-form").fit(X, y, weights)
    same(whole.solve(alpha=0.2), expected, X)
    psi, w = structure.embed(y), np.ones(N) if weights is None else weights
    np.testing.assert_allclose(whole.gram, (X.T * w) @ X)
    np.testing.assert_allclose(whole.cross, (X.T * w) @ psi)
    assert whole.psi_squares == pytest.approx(w @ (psi**2).sum(axis=1))
    assert (
        repr(whole) == f"BlockStatistics(structure={whole.structure!r}, n_rows={N}, total_weight={whole.total_weight})"
    )


def test_statistics_of_parts_that_lack_some_classes():
    X = np.arange(12.0).reshape(6, 2) % 5
    y = np.array(["a", "b", "a", "b", "c", "a"])
    parts = [BlockStatistics.of(None, X[rows], y[rows], classes=["c", "b", "a"]) for rows in np.split(np.arange(6), 3)]
    found = sum(parts).solve(alpha=0.1)
    assert found.classes_.tolist() == ["a", "b", "c"]
    same(found, StructuredRidge(alpha=0.1, loss="squared", solver="closed-form").fit(X, y), X)
    with pytest.raises(ValueError):
        BlockStatistics.of(None, X[:2], y[:2]) + BlockStatistics.of(None, X[3:5], y[3:5])
    with pytest.raises(ValueError) as caught:
        BlockStatistics.of(None, X, y, classes=["a", "b"])
    assert caught.value.row == 4
    with pytest.raises(ValueError):
        BlockStatistics.of("permutations", X, y, classes=["a", "b"])
    with pytest.raises(TypeError):
        sum(parts, start=1)


def test_statistics_of_data_frames_know_their_columns():
    X, y, _ = data(Permutations(4))
    frame = pd.DataFrame(X, columns=list("abcde"))
    one, other = BlockStatistics.of("permutations", frame[:9], y[:9]), BlockStatistics.of("permutations", X[9:], y[9:])
    for whole in (one + other, other + one):
        model = whole.solve()
        assert model.feature_names_in_.tolist() == list("abcde")
        expected = StructuredRidge(Permutations(4), loss="squared", solver="closed-form").fit(X, y)
        np.testing.assert_allclose(model.decision_function(frame), expected.decision_function(X), atol=1e-10)
    with pytest.raises(ValueError):
        one + BlockStatistics.of("permutations", frame[list("bacde")], y)


def test_statistics_of_sets_of_outputs_take_sizes_from_them():
    X, y, _ = data(Permutations(4))
    sets = [Admissible([row, row[::-1]]) for row in y]
    expected = StructuredRidge("permutations", loss="squared", solver="closed-form").fit(X, sets)
    same(BlockStatistics.of("permutations", X, sets).solve(), expected, X)


def test_statistics_that_do_not_belong_together_are_refused():
    X, y, _ = data(Permutations(4))
    one = BlockStatistics.of("permutations", X, y)
    with pytest.raises(ValueError):
        one + BlockStatistics.of("permutations", X[:, :4], y)
    with pytest.raises(ValueError):
        one + BlockStatistics.of("permutations", X, Permutations(3).sample(N, 0))
    with pytest.raises(ValueError):
        BlockStatistics.of("permutations", X, y, 0.0).solve()
    with pytest.raises(ValueError):
        one.solve(alpha=0.0)
    with pytest.raises(ValueError):
        BlockStatistics.of("permutations", X, None)
    with pytest.raises(ValueError):
        BlockStatistics.of("permutations", X[:0], y[:0])


@pytest.mark.parametrize(
    "structure",
    [Graphs(4), SpanningTrees(4), Tournaments(4), PartialOrders(4), Subtrees([-1, 0, 0, 1])],
    ids=lambda structure: structure.name,
)
def test_statistics_match_columns_that_are_no_items(structure):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), structure.sample(20, random_state=0)
    named = pd.DataFrame(y, columns=[f"column {j}" for j in range(y.shape[1])])
    other = named[named.columns[::-1]]
    expected = BlockStatistics.of(structure, X, y)
    first = BlockStatistics.of(structure, X[:9], named[:9])
    both = first + BlockStatistics.of(first.structure, X[9:], other[9:])
    np.testing.assert_allclose(both.cross, expected.cross)
    assert both.solve().set_output(predict="pandas").predict(X).columns.tolist() == named.columns.tolist()
    if isinstance(structure, (Graphs, Tournaments)):  # where columns may take each other's place
        with pytest.raises(ValueError):
            first + BlockStatistics.of(structure, X[9:], other[9:])
    renamed = BlockStatistics.of(first.structure, X[9:], named[9:].add_prefix("new "))  # other data, of the same kind
    assert form_of(renamed.structure).columns[0] == "new column 0"
