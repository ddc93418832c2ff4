"""Listing all structures with at least the mean of the largest and the smallest score, pair by pair."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pandas as pd
import pytest

from combpred import CapabilityError, StructuredRidge
from combpred.structures import (
    DirectedCycles,
    Graphs,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Permutations,
    Tournaments,
)


def fitted(structure, loss="auc"):
    rng = np.random.default_rng(0)
    members = np.array(list(structure.enumerate()))
    y = members[rng.integers(len(members), size=9)]
    X = rng.normal(size=(9, 2))
    decision = "mbr" if loss == "squared" else "score"
    return StructuredRidge(structure, loss=loss, decision=decision, kernel="rbf", alpha=0.1).fit(X, y), X


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", [Permutations(2), Permutations(5), LabelSets(4), LabelSets(4, size=2)])
def test_the_better_half_is_listed_once(structure, loss):
    model, X = fitted(structure, loss)
    members = np.array(list(structure.enumerate()))
    for row in X[:4]:
        scores = model.score_structures(np.repeat(row[None], len(members), axis=0), members)
        expected = members[scores >= (scores.max() + scores.min()) / 2]
        listed = np.array(list(model.enumerate(row)))
        assert len(np.unique(listed, axis=0)) == len(listed)
        np.testing.assert_array_equal(np.unique(listed, axis=0), np.unique(expected, axis=0))


@pytest.mark.parametrize("structure", [Tournaments(3), PartialOrders(3), DirectedCycles(5), Graphs(4)])
def test_relations_and_graphs_come_in_pairs_too(structure):
    model, X = fitted(structure)
    members = np.array(list(structure.enumerate()))
    scores = model.score_structures(np.repeat(X[:1], len(members), axis=0), members)
    listed = [tuple(y) for y in np.array(list(model.enumerate(X[0]))).reshape(-1, members[0].size)]
    assert len(set(listed)) == len(listed)
    # The least share lies at the score of the relation without pairs, on which side of it rounding decides.
    above = scores - (scores.max() + scores.min()) / 2
    surely, perhaps = ({tuple(y.ravel()) for y in members[above >= t]} for t in (1e-12, -1e-12))
    assert surely <= set(listed) <= perhaps
    assert len(perhaps - surely) <= 1


def test_siblings_with_unequal_magnitudes_are_listed_in_order():
    model, X = fitted(Tournaments(3), "squared")
    members = np.array(list(Tournaments(3).enumerate()))
    scores = model.score_structures(np.repeat(X[:1], len(members), axis=0), members)
    listed = np.array(list(model.enumerate(X[0])))
    found = model.score_structures(np.repeat(X[:1], len(listed), axis=0), listed)
    expected = np.sort(scores[scores >= (scores.max() + scores.min()) / 2])[::-1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_pairs_that_are_not_level_are_refused_by_the_listing_of_pairs():
    linear, magnitude = np.ones(3), np.full(3, -0.5)
    with pytest.raises(CapabilityError):
        list(Tournaments(3).k_best(linear, magnitude, method="siblings"))


def test_ties_are_all_listed():
    model = StructuredRidge(Permutations(3)).fit(np.zeros((2, 1)), [[1, 2, 3], [3, 2, 1]])
    model.coef_[:] = model.intercept_[:] = 0.0
    assert len(list(model.enumerate([0.0]))) == 6


def test_large_spaces_come_one_at_a_time():
    X = np.arange(4.0)[:, None]
    y = Permutations(30).sample(4, random_state=0)
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    first = list(islice(model.enumerate([0.0]), 50))
    assert len({tuple(r) for r in first}) == 50
    assert len(list(model.enumerate(pd.DataFrame([[0.0]]).to_numpy(), max_results=7))) == 7


@pytest.mark.parametrize("structure", [MultiClass(4), Ordinal(4), LabelSets(4, size=1)])
def test_other_structures_are_listed_in_order(structure):
    model, X = fitted(structure)
    members = np.array(list(structure.enumerate()))
    scores = model.score_structures(np.repeat(X[:1], len(members), axis=0), members)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= (scores.max() + scores.min()) / 2]
    np.testing.assert_array_equal(list(model.enumerate(X[0])), members[order])


def test_bad_arguments_are_refused():
    model, X = fitted(Permutations(3))
    for nu in (0, -0.5, 1.5, float("nan")):
        with pytest.raises(ValueError):
            model.enumerate(X[0], nu=nu)
    with pytest.raises(TypeError):
        model.enumerate(X[0], nu="all")
    with pytest.raises(TypeError):
        model.enumerate(X[0], max_results=2.5)
    with pytest.raises(ValueError):
        model.enumerate(X[0], max_results=0)
    with pytest.raises(ValueError):
        model.enumerate(X)
