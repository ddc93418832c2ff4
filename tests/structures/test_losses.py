"""Losses that are affine in ψ, and decoding with them added, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import CapabilityError, metrics
from combpred._lib.decode import Decoding
from combpred._lib.errors import RowError
from combpred.structures import (
    Custom,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Paths,
    Permutations,
    Subtrees,
    Tournaments,
    WeakOrders,
)  # fmt: skip
from combpred.structures.costs import COSTS, loss_augmented
from enumerable import INSTANCES

SMALL = [structure for structure, _ in INSTANCES if structure.count() <= 600]
AFFINE = [(each, cost) for each in SMALL for cost in each.space.costs if each.space.loss(cost).is_affine]


def members(structure):
    """Return ψ of all outputs."""
    return np.concatenate([structure.space.embed(parts) for parts in structure.space.listed()])


@pytest.mark.parametrize("structure", SMALL)
def test_entries_are_as_declared(structure):
    psi, kind = members(structure), structure.space.entry_kind
    counted = structure.space.counted
    values = set(np.unique(psi if counted is None else psi[:, counted]).tolist())
    if kind == "signs and ties":
        half = psi.shape[1] // 2
        np.testing.assert_array_equal(psi[:, half:], psi[:, :half] == 0)
        values = set(np.unique(psi[:, :half]).tolist())
    expected = {"bits": {0, 1}, "signs": {-1, 1}, "signs and zeros": {-1, 0, 1}, "signs and ties": {-1, 0, 1}}
    assert (values <= {0, 1}) == (kind == "bits")
    assert values <= expected.get(kind, values)


@pytest.mark.parametrize(("structure", "cost"), AFFINE)
def test_losses_are_what_their_definitions_say_on_all_pairs(structure, cost):
    psi = members(structure)
    psi = psi[:60]
    loss = structure.space.loss(cost).affine(psi)
    for i, row in enumerate(psi):
        expected = structure.space.loss(cost).between(row, psi)
        one = loss.rows(np.full(len(psi), i))
        np.testing.assert_allclose(one.values(psi), expected, atol=1e-12)
        assert expected[i] == 0
        different = (psi != row).any(axis=1)
        assert (expected[different] > 0).all()


@pytest.mark.parametrize(("structure", "cost"), AFFINE)
def test_decoding_with_the_loss_finds_the_largest_sum(structure, cost):
    psi = members(structure)
    rng = np.random.default_rng(0)
    rows = rng.integers(len(psi), size=12)
    scores = rng.normal(size=(12, psi.shape[1])) * rng.choice([0.1, 1.0, 5.0], size=(12, 1))
    found = loss_augmented(structure.space, structure.space.loss(cost).affine(psi[rows]), scores, Decoding("exact"))
    reached = found.loss + np.einsum("ij,ij->i", scores, found.psi)
    sums = structure.space.loss(cost).between(psi[rows, np.newaxis], psi[np.newaxis]) + scores @ psi.T
    np.testing.assert_allclose(reached, sums.max(axis=1), atol=1e-10)
    assert found.decoded.optimal.all()


def test_losses_are_the_metrics_of_the_package():
    rng = np.random.default_rng(1)
    ranking = Permutations(5)
    y, z = ranking.sample(30, 0), ranking.sample(30, 1)
    pairs = ranking.space.loss("kendall").affine(ranking.embed(y)).values(ranking.embed(z))
    np.testing.assert_allclose(1 - 2 * pairs / 10, metrics.kendall_tau(y, z, per_row=True))
    weak = WeakOrders(4)
    y, z = weak.sample(30, 0), weak.sample(30, 1)
    tied = weak.space.loss().affine(weak.embed(y)).values(weak.embed(z))
    discordant = [
        sum(0.5 * abs(np.sign(a[u] - a[v]) - np.sign(b[u] - b[v])) for u in range(4) for v in range(u))
        for a, b in zip(y, z, strict=True)
    ]
    np.testing.assert_allclose(tied, discordant)
    parent = np.array([-1, 0, 0, 1, 1, 2])
    tree = Hierarchy(parent)
    y, z = rng.integers(6, size=30), rng.integers(6, size=30)
    nodes = tree.space.loss().affine(tree.embed(y)).values(tree.embed(z))
    np.testing.assert_allclose(nodes, metrics.hierarchical_loss(y, z, parent=parent, per_row=True))
    for structure in (tree, Subtrees(parent)):
        y, z = structure.sample(30, 0), structure.sample(30, 1)
        for cost, weights in (("h-loss", None), ("h-loss-sibling", "sibling")):
            lost = structure.space.loss(cost).affine(structure.embed(y)).values(structure.embed(z))
            wanted = metrics.hierarchical_h_loss(y, z, parent=parent, node_weight=weights, per_row=True)
            np.testing.assert_allclose(lost, wanted, atol=1e-12)
    labels = LabelSets(4)
    y, z = labels.sample(30, 0), labels.sample(30, 1)
    np.testing.assert_allclose(
        labels.space.loss().affine(labels.embed(y)).values(labels.embed(z)) / 4,
        metrics.hamming_loss(y, z, per_row=True),
    )
    chain = Paths.trellis(4, 3)
    y, z = rng.integers(3, size=(30, 4)), rng.integers(3, size=(30, 4))
    wrong = chain.space.loss().affine(chain.embed(Paths.from_labels(y, 3))).values(chain.embed(Paths.from_labels(z, 3)))
    np.testing.assert_allclose(wrong, 2 * (y != z).sum(axis=1))


def test_the_loss_of_a_partial_ranking_is_the_mean_over_its_completions():
    ranking = Permutations(4)
    known = np.array([1, -1, 2, 3])
    psi = members(ranking)
    complete = np.array(list(ranking.enumerate()))
    agree = (complete[:, 0] < complete[:, 2]) & (complete[:, 2] < complete[:, 3])
    loss = ranking.space.loss().affine(
        ranking.space.embed(ranking.encode(known[np.newaxis], partial=True), partial=True)
    )
    expected = ranking.space.loss("kendall").between(psi[agree, np.newaxis], psi[np.newaxis]).mean(axis=0)
    np.testing.assert_allclose(loss.rows(np.zeros(len(psi), dtype=int)).values(psi), expected, atol=1e-12)


def test_auto_is_the_loss_of_the_kind_of_output():
    assert Permutations(3).space.loss().name == "kendall"
    assert MultiClass(3).space.loss().name == "zero-one"
    assert Hierarchy([-1, 0]).space.loss().name == "tree"
    assert LabelSets(3).space.loss().name == "hamming"
    assert Custom.from_structures("ab", [[0.5], [1.0]]).space.loss().name == "zero-one"
    assert set(COSTS) == {"auto", "own", "hamming", "kendall", "tree", "zero-one", "h-loss", "h-loss-sibling"}


def test_losses_that_a_structure_does_not_have_are_refused_with_those_that_it_has():
    with pytest.raises(CapabilityError, match="no loss 'kendall'; it has cost='hamming' and cost='zero-one'"):
        LabelSets(3).space.loss("kendall")
    with pytest.raises(CapabilityError):
        Graphs(3).space.loss("zero-one").affine(np.zeros((1, 3)))
    with pytest.raises(CapabilityError):
        Custom.from_structures("ab", [[0.5], [1.0]]).space.loss("zero-one").affine(np.ones((1, 1)))
    tied = Paths([(0, 1), (1, 2), (0, 3), (3, 2)], 0, 2, tied=[0, 0, 1, 1])
    with pytest.raises(CapabilityError):
        tied.space.loss().affine(np.zeros((1, 2)))
    assert Tournaments(2).space.loss().affine(np.array([[1.0]])).magnitude is None


def test_a_space_of_functions_has_hamming_only_for_bits():
    sets = Custom(
        log_count=2 * np.log(2), mean=[0.5] * 2, second_moment=np.full((2, 2), 0.25) + np.eye(2) / 4,
        embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    )  # fmt: skip
    with pytest.raises(CapabilityError):
        sets.space.loss().affine(np.eye(2))
    loss = sets.space.loss("hamming").affine(np.eye(2))
    np.testing.assert_array_equal(loss.values(np.ones((2, 2))), [1, 1])
    with pytest.raises(CapabilityError):
        loss.values(np.array([[0.0, 1.0], [2.0, 0.0]]))
    with pytest.raises(RowError) as caught:
        sets.space.loss("hamming").affine(np.array([[0.5, 0.0]]))
    assert caught.value.row == 0
