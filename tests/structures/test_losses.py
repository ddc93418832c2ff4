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
    Tournaments,
    WeakOrders,
)  # fmt: skip
from combpred.structures._losses import COSTS, affine_loss, is_affine, loss_augmented, loss_between, resolve_cost
from enumerable import INSTANCES

SMALL = [structure for structure, _ in INSTANCES if structure.count() <= 600]
AFFINE = [(each, cost) for each in SMALL for cost in each._loss_names() if is_affine(each, cost)]


def members(structure):
    """Return ψ of all outputs."""
    return np.concatenate([structure._embed_parts(parts) for parts in structure._listed_parts()])


@pytest.mark.parametrize("structure", SMALL)
def test_entries_are_as_declared(structure):
    psi, kind = members(structure), structure._entry_kind()
    counted = structure._loss_entries()
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
    loss = affine_loss(structure, psi, cost)
    for i, row in enumerate(psi):
        expected = loss_between(structure, row, psi, cost)
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
    found = loss_augmented(structure, affine_loss(structure, psi[rows], cost), scores, Decoding("exact"))
    reached = found.loss + np.einsum("ij,ij->i", scores, found.psi)
    sums = loss_between(structure, psi[rows, np.newaxis], psi[np.newaxis], cost) + scores @ psi.T
    np.testing.assert_allclose(reached, sums.max(axis=1), atol=1e-10)
    assert found.decoded.optimal.all()


def test_losses_are_the_metrics_of_the_package():
    rng = np.random.default_rng(1)
    ranking = Permutations(5)
    y, z = ranking.sample(30, 0), ranking.sample(30, 1)
    pairs = affine_loss(ranking, ranking.embed(y), "kendall").values(ranking.embed(z))
    np.testing.assert_allclose(1 - 2 * pairs / 10, metrics.kendall_tau(y, z, per_row=True))
    weak = WeakOrders(4)
    y, z = weak.sample(30, 0), weak.sample(30, 1)
    tied = affine_loss(weak, weak.embed(y)).values(weak.embed(z))
    discordant = [
        sum(0.5 * abs(np.sign(a[u] - a[v]) - np.sign(b[u] - b[v])) for u in range(4) for v in range(u))
        for a, b in zip(y, z, strict=True)
    ]
    np.testing.assert_allclose(tied, discordant)
    parent = np.array([-1, 0, 0, 1, 1, 2])
    tree = Hierarchy(parent)
    y, z = rng.integers(6, size=30), rng.integers(6, size=30)
    nodes = affine_loss(tree, tree.embed(y)).values(tree.embed(z))
    np.testing.assert_allclose(nodes, metrics.hierarchical_loss(y, z, parent=parent, per_row=True))
    labels = LabelSets(4)
    y, z = labels.sample(30, 0), labels.sample(30, 1)
    np.testing.assert_allclose(
        affine_loss(labels, labels.embed(y)).values(labels.embed(z)) / 4, metrics.hamming_loss(y, z, per_row=True)
    )
    chain = Paths.trellis(4, 3)
    y, z = rng.integers(3, size=(30, 4)), rng.integers(3, size=(30, 4))
    wrong = affine_loss(chain, chain.embed(Paths.from_labels(y, 3))).values(chain.embed(Paths.from_labels(z, 3)))
    np.testing.assert_allclose(wrong, 2 * (y != z).sum(axis=1))


def test_the_loss_of_a_partial_ranking_is_the_mean_over_its_completions():
    ranking = Permutations(4)
    known = np.array([1, -1, 2, 3])
    psi = members(ranking)
    complete = np.array(list(ranking.enumerate()))
    agree = (complete[:, 0] < complete[:, 2]) & (complete[:, 2] < complete[:, 3])
    loss = affine_loss(ranking, ranking._embed_targets(known[np.newaxis]))
    expected = loss_between(ranking, psi[agree, np.newaxis], psi[np.newaxis], "kendall").mean(axis=0)
    np.testing.assert_allclose(loss.rows(np.zeros(len(psi), dtype=int)).values(psi), expected, atol=1e-12)


def test_auto_is_the_loss_of_the_kind_of_output():
    assert resolve_cost(Permutations(3)) == "kendall"
    assert resolve_cost(MultiClass(3)) == "zero-one"
    assert resolve_cost(Hierarchy([-1, 0])) == "tree"
    assert resolve_cost(LabelSets(3)) == "hamming"
    assert resolve_cost(Custom.from_structures("ab", [[0.5], [1.0]])) == "zero-one"
    assert set(COSTS) == {"auto", "hamming", "kendall", "tree", "zero-one"}


def test_losses_that_a_structure_does_not_have_are_refused_with_those_that_it_has():
    with pytest.raises(CapabilityError, match="no loss 'kendall'; it has cost='hamming' and cost='zero-one'"):
        resolve_cost(LabelSets(3), "kendall")
    with pytest.raises(CapabilityError, match="take cost='hamming'"):
        affine_loss(Graphs(3), np.zeros((1, 3)), "zero-one")
    with pytest.raises(CapabilityError, match="StructuredPerceptron"):
        affine_loss(Custom.from_structures("ab", [[0.5], [1.0]]), np.ones((1, 1)), "zero-one")
    tied = Paths([(0, 1), (1, 2), (0, 3), (3, 2)], 0, 2, tied=[0, 0, 1, 1])
    with pytest.raises(CapabilityError, match="leave arcs untied"):
        affine_loss(tied, np.zeros((1, 2)))
    assert affine_loss(Tournaments(2), np.array([[1.0]])).magnitude is None


def test_a_space_of_functions_has_hamming_only_for_bits():
    sets = Custom(
        log_count=2 * np.log(2), mean=[0.5] * 2, second_moment=np.full((2, 2), 0.25) + np.eye(2) / 4,
        embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    )  # fmt: skip
    with pytest.raises(CapabilityError, match="take cost=.hamming. if all are 0 or 1"):
        affine_loss(sets, np.eye(2))
    loss = affine_loss(sets, np.eye(2), "hamming")
    np.testing.assert_array_equal(loss.values(np.ones((2, 2))), [1, 1])
    with pytest.raises(CapabilityError, match="^ψ of what was decoded has 2 in entry 0"):
        loss.values(np.array([[0.0, 1.0], [2.0, 0.0]]))
    with pytest.raises(RowError, match="row 0: ψ of y"):
        affine_loss(sets, np.array([[0.5, 0.0]]), "hamming")
