"""Outputs in descending order of their score, against sorting the list of all."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import small_graphs
from combpred import CapabilityError, StructuredRidge
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Subtrees,
    Tournaments,
    WeakOrders,
)
from enumerable import INSTANCES

SMALL = [structure for structure, _ in INSTANCES]
# Features with other values than −1, 0 and 1: sorted, never partitioned.
COUNTED = [s for s in SMALL if isinstance(s, Custom) or s == Paths.trellis(4, 3)]
SIGNED = [s for s in SMALL if s not in COUNTED]


def embedded(structure):
    """Return all members, and their ψ."""
    members = list(structure.enumerate())
    return members, structure.embed(members)


def scores_of(structure, kind, seed=0):
    rng = np.random.default_rng(seed)
    d = structure.n_features
    if kind == "ties":
        return rng.integers(-1, 2, d).astype(float), None
    linear = rng.normal(size=d)
    return (linear, None) if kind == "gaussian" else (linear, rng.normal(size=d))


def check(structure, listed, linear, magnitude, nu=1.0):
    """Compare a listing with all members, sorted, of which those with equal ψ count once."""
    psi = np.unique(embedded(structure)[1], axis=0)
    squares = np.zeros_like(linear) if magnitude is None else magnitude
    values = psi @ linear + psi**2 @ squares
    found = structure.embed(listed)
    assert len(np.unique(found, axis=0)) == len(found)
    expected = np.sort(values[values >= (1 - nu) * values.max() + nu * values.min() - 1e-10])[::-1]
    np.testing.assert_allclose(found @ linear + found**2 @ squares, expected, rtol=0, atol=1e-10)


@pytest.mark.versionless
@pytest.mark.parametrize("kind", ["gaussian", "ties", "magnitudes"])
@pytest.mark.parametrize("structure", SIGNED)
def test_partitions_list_all_members_in_order(structure, kind):
    linear, magnitude = scores_of(structure, kind)
    check(structure, list(structure.k_best(linear, magnitude, method="partition")), linear, magnitude)


@pytest.mark.parametrize("nu", [1.0, 0.5, 0.2])
@pytest.mark.parametrize("kind", ["gaussian", "ties"])
@pytest.mark.parametrize("structure", SMALL)
def test_members_are_listed_in_order_down_to_the_share(structure, kind, nu):
    linear, _ = scores_of(structure, kind)
    check(structure, list(structure.k_best(linear, None, nu=nu)), linear, None, nu)


@pytest.mark.parametrize(
    "structure", [Permutations(4), Cliques(5), DirectedCycles(4), SpanningTrees(6, small_graphs.BOWTIE)]
)
def test_a_bound_on_the_number_changes_nothing_before_it(structure):
    linear, _ = scores_of(structure, "gaussian")
    listed = list(structure.k_best(linear, method="partition"))
    for k in (1, 2, 5, 17, 20):
        some = list(structure.k_best(linear, method="partition", most=k))
        np.testing.assert_array_equal(some, listed[:k])


@pytest.mark.parametrize("structure", [LabelSets(6), Graphs(4), Tournaments(4)])
@pytest.mark.parametrize("kind", ["gaussian", "ties"])
def test_combinations_come_in_order(structure, kind):
    rng = np.random.default_rng(1)
    linear, magnitude = (rng.normal(size=6), rng.normal(size=6)) if kind == "gaussian" else (np.zeros(6), np.ones(6))
    listed = list(structure.k_best(linear, magnitude, method="combinations"))
    check(structure, listed, linear, magnitude)
    np.testing.assert_array_equal(listed, list(structure.k_best(linear, magnitude)))


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_penalties_neither_overflow_nor_vanish(scale):
    structure = Permutations(4)
    linear, _ = scores_of(structure, "gaussian")
    found = structure.embed(list(structure.k_best(scale * linear, method="partition")))
    assert len(found) == 24
    assert (np.diff(found @ linear) <= 1e-10).all()


def fitted(structure, loss="auc", m=9):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 2))
    return StructuredRidge(structure, loss=loss, kernel="rbf", alpha=0.1).fit(X, structure.sample(m, 0)), X


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", SMALL)
def test_estimators_list_what_they_score(structure, loss):
    try:
        model, X = fitted(structure, loss)
    except CapabilityError as error:
        assert loss == "squared" and "loss='auc'" in str(error)  # no pre-images there
        return
    listed = list(model.enumerate(X[0], nu=1))
    members, psi = embedded(structure)
    assert len(listed) == len(np.unique(psi, axis=0))
    repeated = np.repeat(X[:1], len(listed), axis=0)
    scores = model.score_structures(repeated, listed)
    assert (np.diff(scores) <= 1e-10).all()
    all_scores = model.score_structures(np.repeat(X[:1], len(members), axis=0), members)
    assert scores[0] == pytest.approx(all_scores.max(), abs=1e-10)
    few = list(model.enumerate(X[0], nu=1, max_results=2))
    # Scored among as many rows as before: a product of fewer rows may round otherwise, which is for the BLAS to choose.
    np.testing.assert_array_equal(model.score_structures(repeated, [*few, *listed[2:]]), scores)
    # Half of the range, whether or not structures come in pairs.
    least = (all_scores.max() + all_scores.min()) / 2
    assert len(list(model.enumerate(X[0]))) == (scores >= least - 1e-10).sum()


@pytest.mark.parametrize(
    "structure",
    [
        Permutations(9),
        LabelSets(40),
        LabelSets(30, size=10),
        MultiClass(3000),
        Ordinal(40),
        Hierarchy([-1, *range(30)]),
        Subtrees([-1, *(i // 2 for i in range(30))]),
        Graphs(12),
        Tournaments(9),
        WeakOrders(8),
        Cliques(14),
        Cycles(9),
        DirectedCycles(9),
        Routes(8),
        Assignments(8),
        Paths.grid(7, 7),
        Paths.trellis(3, 3),
        SpanningTrees(8, [(u, v) for v in range(8) for u in range(v)]),
    ],
)
def test_large_spaces_start_with_what_is_decoded(structure):
    linear, _ = scores_of(structure, "gaussian")
    found = structure.embed(list(islice(structure.k_best(linear, None), 5)))
    assert found[0] @ linear == pytest.approx(structure.embed([structure.decode(linear)])[0] @ linear, abs=1e-10)
    assert (np.diff(found @ linear) <= 1e-10).all()
    assert len(np.unique(found, axis=0)) == 5


def test_scores_may_be_lists_of_any_numbers():
    listed = list(Permutations(3).k_best(np.array([1.0, 2.0, 3.0]), np.zeros(3)))
    for scores in ([1, 2, 3], [1.0, 2.0, 3.0], np.array([1, 2, 3], dtype=np.float32)):
        np.testing.assert_array_equal(list(Permutations(3).k_best(scores, [0, 0, 0])), listed)
    for scores in ([1.0, 2.0], 1.0):
        with pytest.raises(ValueError) as caught:
            Permutations(3).k_best(scores)
        assert str(caught.value).startswith("scores must have shape")
    with pytest.raises(ValueError) as caught:
        Permutations(3).k_best([1.0, 2.0, 3.0], [1.0])
    assert str(caught.value).startswith("magnitude has shape")


def test_what_cannot_be_listed_in_order_is_refused():
    with pytest.raises(CapabilityError):
        Paths.trellis(8, 6).k_best(np.ones(84))
    with pytest.raises(CapabilityError):
        Custom.from_sampler(lambda rng: rng.permutation(3), lambda y: np.eye(3)[y].ravel()).k_best(np.ones(9))
    for structure in (Permutations(40), PartialOrders(12), Cycles(30)):
        linear, _ = scores_of(structure, "gaussian")
        with pytest.raises(CapabilityError, match="by exact decodings, and .* limited to size"):
            structure.k_best(linear, None)


def test_a_size_that_is_exceeded_only_later_says_so_then():
    structure = Permutations(40)
    best = np.array([1, 40, *range(2, 40)])  # the first label in front, the second at the end
    ordered = structure.embed([best])[0]  # no preferences form a cycle: the best ranking is known at any size
    ordered[0] = 0.5  # a swap of these two, which comes next, puts all labels on cycles of preferences
    listed = structure.k_best(ordered, None)
    np.testing.assert_array_equal(next(listed), best)
    with pytest.raises(CapabilityError):
        list(listed)
