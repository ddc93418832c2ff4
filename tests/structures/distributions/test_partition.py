"""Partition functions, marginals and samples of p(y) ∝ exp⟨s, ψ(y)⟩, against sums over all members."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import chi2

from combpred import CapabilityError, sampling
from combpred._lib.partition import log_partition
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    PartialOrders,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    Tournaments,
    WeakOrders,
)
from enumerable import INSTANCES

SMALL = [structure for structure, _ in INSTANCES]


def enumerated(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Return all members in parts, and their ψ."""
    parts = np.concatenate(list(structure.space.listed()))
    return parts, structure.space.embed(parts)


def listable(structure: Structure) -> bool:
    try:
        return structure.count() < 20000 and any(True for _ in structure.space.listed())
    except CapabilityError:
        return False


LISTED = [structure for structure in SMALL if listable(structure)]


def scores_of(structure: Structure) -> np.ndarray:
    rng = np.random.default_rng(7)
    d = structure.n_features
    return np.stack(
        [
            np.zeros(d),
            np.full(d, 700.0),
            rng.normal(size=d),
            5 * rng.normal(size=d),
            rng.choice([-700.0, 700.0], size=d),
        ]
    )


def test_every_structure_is_tested():
    names = {type(structure).__name__ for structure in LISTED}
    assert len(names) >= 18, names


@pytest.mark.parametrize("structure", LISTED)
def test_sums_over_all_members(structure):
    _, psi = enumerated(structure)
    scores = scores_of(structure)
    values = scores @ psi.T
    expected = logsumexp(values, axis=1)
    np.testing.assert_allclose(structure.log_partition(scores), expected, rtol=1e-10, atol=1e-10)
    p = np.exp(values - expected[:, None])
    scale = max(1.0, np.abs(psi).max())
    np.testing.assert_allclose(structure.marginals(scores), p @ psi, rtol=1e-9, atol=1e-10 * scale**2)


@pytest.mark.parametrize("structure", LISTED)
def test_without_scores_they_count_and_average(structure):
    d = structure.n_features
    assert structure.log_partition(np.zeros(d)) == pytest.approx(structure.log_count(), abs=1e-10)
    if structure.moments_info.kind == "exact":
        np.testing.assert_allclose(structure.marginals(np.zeros(d)), structure.mean(), rtol=1e-9, atol=1e-10)


@pytest.mark.versionless
@pytest.mark.parametrize("structure", LISTED)
def test_samples_follow_the_distribution(structure):
    """χ² with members of small expected frequency taken together; false-alarm rate 1e-4 for each structure."""
    parts, psi = enumerated(structure)
    place = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(parts))}
    scores = np.random.default_rng(3).normal(size=(2, structure.n_features))
    n = 2000
    found = [sampling.sample(structure, scores, n, sampler="exact", random_state=11, n_jobs=jobs).y for jobs in (1, 3)]
    drawn = structure.encode(found[0].reshape(2 * n, *found[0].shape[2:])).reshape(n, 2, -1)
    assert drawn.shape == (n, 2, parts.shape[1])
    assert drawn.dtype == np.int32
    np.testing.assert_array_equal(*found)
    for row in range(2):
        values = psi @ scores[row]
        expected = n * np.exp(values - logsumexp(values))
        seen = np.bincount([place[y.tobytes()] for y in np.ascontiguousarray(drawn[:, row])], minlength=len(parts))
        large = expected >= 5
        seen = np.append(seen[large], seen[~large].sum())
        expected = np.append(expected[large], expected[~large].sum())
        if expected[-1] < 5:  # added to another cell
            seen[0], expected[0] = seen[0] + seen[-1], expected[0] + expected[-1]
            seen, expected = seen[:-1], expected[:-1]
        if len(seen) > 1:
            assert chi2.sf(np.sum((seen - expected) ** 2 / expected), len(seen) - 1) > 1e-4 / 2


@pytest.mark.parametrize(
    "structure",
    [
        Permutations(12),
        Cycles(11),
        LabelSets(300, size=120),
        Hierarchy([-1, *np.arange(40)]),
        SpanningTrees(3, [(0, 1), (1, 2), (2, 0)]),
    ],
)
def test_marginals_are_the_gradient(structure):
    rng = np.random.default_rng(0)
    s, v = rng.normal(size=(2, structure.n_features))
    v /= np.linalg.norm(v)
    h = 1e-3
    at = structure.log_partition(s + np.multiply.outer([-2 * h, -h, h, 2 * h], v))
    slope = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * h)
    assert structure.marginals(s) @ v == pytest.approx(slope, abs=1e-7)


def test_one_row_or_many():
    structure = Permutations(4)
    scores = np.random.default_rng(1).normal(size=(3, 6))
    values, means = structure.log_partition(scores), structure.marginals(scores)
    assert values.shape == (3,)
    assert isinstance(structure.log_partition(scores[1]), float)
    assert structure.log_partition(scores[1]) == values[1]
    np.testing.assert_array_equal(structure.marginals(scores[1]), means[1])
    assert structure.log_partition(scores[:0]).shape == (0,)
    assert structure.marginals(scores[:0]).shape == (0, 6)
    np.testing.assert_array_equal(
        structure.log_partition(np.ones((2, 6), dtype=int)), structure.log_partition(np.ones((2, 6)))
    )


@pytest.mark.parametrize("method", ["log_partition", "marginals"])
def test_bad_scores_are_refused(method):
    structure = Permutations(4)
    bad = np.zeros((3, 6))
    bad[2, 4] = np.nan
    with pytest.raises(ValueError) as caught:
        getattr(structure, method)(bad)
    assert caught.value.row == 2
    with pytest.raises(ValueError):
        getattr(structure, method)(np.zeros(5))
    with pytest.raises(TypeError):
        getattr(structure, method)(["a"] * 6)


@pytest.mark.parametrize(
    "structure",
    [
        Permutations(30),
        WeakOrders(30),
        Assignments(30),
        Cycles(30),
        DirectedCycles(30),
        Routes(30),
        Cliques(30),
        PartialOrders(9),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Structure) else "",
)
def test_refusals_name_the_estimates(structure):
    scores = np.zeros((2, structure.n_features))
    for method, door in (
        ("log_partition", "it with combpred.sampling.log_partition"),
        ("marginals", "them with combpred.sampling.estimate_marginals"),
    ):
        with pytest.raises(CapabilityError) as caught:
            getattr(structure, method)(scores)
        assert caught.value.row is None
        name = door.rpartition(".")[2]
        assert name in sampling.__all__ and name in getattr(type(structure), method).__doc__
        with pytest.raises(CapabilityError) as caught:
            log_partition(structure.space.sums, scores, marginals=method == "marginals")
        assert "estimate" not in str(caught.value)


def test_limits_are_those_of_the_docstring():
    said = " ".join(Structure.log_partition.__doc__.split())
    for text, structures in {
        "rankings and assignments of k ≤ 20 items": (Permutations(21), Assignments(21)),
        "cliques of k ≤ 22 vertices": (Cliques(23),),
        "cycles and routes of k ≤ 16 places": (Cycles(17), DirectedCycles(17), Routes(17)),
        "rankings with ties of k ≤ 16 labels": (WeakOrders(17),),
    }.items():
        assert text in said
        for structure in structures:
            with pytest.raises(CapabilityError):
                structure.log_partition(np.zeros(structure.n_features))


def test_probabilities_of_pairs_follow_from_marginals():
    """As the notes of both structures say; those of partial tournaments are proportional to e^s, 1 and e^-s."""
    scores = np.random.default_rng(3).normal(size=(5, 6))
    before, after = Tournaments(4).pair_probabilities(Tournaments(4).marginals(scores))
    total = np.exp(scores) + 1 + np.exp(-scores)
    np.testing.assert_allclose(before, np.exp(scores) / total, rtol=1e-12)
    np.testing.assert_allclose(after, np.exp(-scores) / total, rtol=1e-12)
    left, difference = 1 - before - after, before - after
    np.testing.assert_allclose((1 - left) ** 2 - difference**2, 4 * left**2, rtol=1e-11)
    before, after = Permutations(4).pair_probabilities(Permutations(4).marginals(scores))
    np.testing.assert_allclose(before + after, 1, rtol=1e-12)


def test_large_structures_are_refused():
    with pytest.raises(
        CapabilityError, match="^the exact sum over all rankings is limited to 20 labels, this structure has 21; take "
    ):
        Permutations(21).log_partition(np.zeros(210))
    with pytest.raises(CapabilityError):
        sampling.sample(Permutations(21), np.zeros((1, 210)), 1, sampler="exact", random_state=0)
    with pytest.raises(CapabilityError):
        PartialOrders(9).marginals(np.zeros(36))
    with pytest.raises(CapabilityError):
        Custom(log_count=3.0, mean=[0.0], second_moment=[[1.0]], embed=lambda y: [y]).log_partition([0.0])
    with pytest.raises(CapabilityError):
        Graphs(8, hereditary="forest").log_partition(np.zeros(28))
    with pytest.raises(CapabilityError):
        Graphs(7, hereditary=lambda mask: not mask.all()).log_partition(np.zeros(21))


def test_properties_of_graphs_restrict_the_sums():
    assert np.exp(Graphs(7, hereditary="forest").log_partition(np.zeros(21))) == pytest.approx(36961)  # OEIS A001858
    graphs = Graphs(4, hereditary="forest")
    members = np.array(list(graphs.enumerate()))
    scores = np.random.default_rng(2).normal(size=(3, 6))
    expected = logsumexp(scores @ members.T, axis=1)
    np.testing.assert_allclose(graphs.log_partition(scores), expected, rtol=1e-12)
    drawn = sampling.sample(graphs, scores, 50, sampler="exact", random_state=1).y
    assert drawn.shape == (50, 3, 6)
    graphs.validate(drawn.reshape(-1, 6))
