"""Proven mixing times against exact ones, by transition matrices over all outputs of small structures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from combpred import CapabilityError
from combpred.sampling import optimum_probability, sample
from combpred.sampling.theory import cube_mixing_bound, meta_mixing_bound, mixing_bound
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)

Output = tuple[int, ...]


def flips(y: Output) -> list[Output]:
    return [(*y[:i], 1 - y[i], *y[i + 1 :]) for i in range(len(y))]


def exchanges(y: Output) -> list[Output]:
    places = range(len(y))
    both = [(i, j) for i in places for j in places if y[i] == 1 and y[j] == 0]
    return [tuple(y[j] if k == i else y[i] if k == j else y[k] for k in places) for i, j in both]


def transpositions(y: Output) -> list[Output]:
    places = range(len(y))
    return [
        tuple(y[j] if k == i else y[i] if k == j else y[k] for k in places) for i in places for j in places if i != j
    ]


def reinsertions(y: Output) -> list[Output]:
    """A random label to a random position, labels having positions from 1 on."""
    order = sorted(range(len(y)), key=lambda label: y[label])
    found = []
    for label in order:
        rest = [other for other in order if other != label]
        for to in range(len(y)):
            moved = [*rest[:to], label, *rest[to:]]
            found.append(tuple(moved.index(other) + 1 for other in range(len(y))))
    return found


def other_values(y: Output) -> list[Output]:
    return [(*y[:i], v, *y[i + 1 :]) for i in range(len(y)) for v in (-1, 0, 1) if v != y[i]]


def others(*outputs: int) -> Callable[[Output], list[Output]]:
    return lambda y: [(z,) for z in outputs if z != y[0]]


MOVES: list[tuple[Structure, Callable[[Output], list[Output]]]] = [
    (LabelSets(4), flips),
    (Cliques(4), flips),
    (LabelSets(5, size=2), exchanges),
    (LabelSets(4, size=3), exchanges),
    (Permutations(2), reinsertions),
    (Permutations(4), reinsertions),
    (Assignments(4), transpositions),
    (Tournaments(3), other_values),
    (MultiClass(5), others(0, 1, 2, 3, 4)),
    (Ordinal(4), others(0, 1, 2, 3)),
    (Hierarchy([-1, 0, 0, 2, 2], allowed=[4, 0, 1]), others(0, 1, 4)),
    (PosetElements(np.tri(5, dtype=bool), allowed=[1, 4, 3, 0]), others(0, 1, 3, 4)),
]
NAMES = [repr(structure) for structure, _ in MOVES]
with_moves = pytest.mark.parametrize(("structure", "moves"), MOVES, ids=NAMES)


def outputs_of(structure: Structure) -> list[Output]:
    return [tuple(int(v) for v in np.atleast_1d(y)) for y in structure.enumerate()]


def move_matrix(structure: Structure, moves: Callable[[Output], list[Output]]) -> np.ndarray:
    outputs = outputs_of(structure)
    number = {y: i for i, y in enumerate(outputs)}
    matrix = np.zeros((len(outputs), len(outputs)))
    for i, y in enumerate(outputs):
        proposed = moves(y)
        for z in proposed:
            matrix[i, number[z]] += 1 / len(proposed)
    return matrix


def chain_matrix(structure: Structure, moves: Callable[[Output], list[Output]], scores: np.ndarray) -> np.ndarray:
    """The chain "local": by the rule of Metropolis, one step in eight staying."""
    values = structure.embed(np.array(list(structure.enumerate()))) @ scores
    matrix = move_matrix(structure, moves) * np.exp(np.minimum(0, values[None, :] - values[:, None]))
    matrix[np.diag_indices(len(values))] += 1 - matrix.sum(axis=1)
    return np.eye(len(values)) / 8 + 7 / 8 * matrix


def distance(structure: Structure, matrix: np.ndarray, scores: np.ndarray, steps: int) -> float:
    """The largest distance in total variation from any start after so many steps."""
    values = structure.embed(np.array(list(structure.enumerate()))) @ scores
    p = np.exp(values - values.max())
    p /= p.sum()
    return float(0.5 * np.abs(np.linalg.matrix_power(matrix, steps) - p).sum(axis=1).max())


@with_moves
def test_the_spectra_of_moves_are_those_of_their_matrices(structure: Structure, moves: Any) -> None:
    """The bound of the uniform distribution is that of the spectral gap, which the matrix of the moves has exactly."""
    eigenvalues = np.sort(np.linalg.eigvalsh(move_matrix(structure, moves)))
    held = 1 / 8 + 7 / 8 * eigenvalues
    gap = min(1 - held[-2], 1 + held[0])
    for epsilon in (0.01, 0.2):
        steps = (math.log(0.5 / epsilon) + structure.log_count() / 2) / -math.log1p(-gap)
        found = mixing_bound(structure, np.zeros(structure.n_features), epsilon=epsilon)
        assert found == pytest.approx([math.ceil(steps - 1e-9)], abs=1)


@with_moves
def test_the_chain_makes_the_moves_of_the_matrix(structure: Structure, moves: Any) -> None:
    """One step from an output, 4000 times: chi-squared with a false alarm of 1e-6 for each structure."""
    outputs, draws = outputs_of(structure), 4000
    start = np.array(list(structure.enumerate()))[[0]].repeat(draws, axis=0)
    drawn = sample(
        structure, np.zeros((draws, structure.n_features)), 1, sampler="local", burn_in=0, thin=1, start=start,
        random_state=1,
    )  # fmt: skip
    number = {y: i for i, y in enumerate(outputs)}
    seen = np.bincount([number[tuple(int(v) for v in np.atleast_1d(y))] for y in drawn.y[0]], minlength=len(outputs))
    expected = draws * chain_matrix(structure, moves, np.zeros(structure.n_features))[0]
    assert (seen[expected == 0] == 0).all()
    possible = expected > 0
    statistic = ((seen - expected)[possible] ** 2 / expected[possible]).sum()
    assert statistic < chi2.isf(1e-6, possible.sum() - 1)


@with_moves
def test_chains_are_mixed_after_the_bound(structure: Structure, moves: Any) -> None:
    """The exact distance from the worst start, at scores that are zero, moderate and large."""
    rng = np.random.default_rng(0)
    for scale in (0.0, 0.2, 1.0):
        scores = scale * rng.normal(size=structure.n_features)
        matrix = chain_matrix(structure, moves, scores)
        for epsilon in (0.01, 0.25):
            steps = int(mixing_bound(structure, scores, epsilon=epsilon)[0])
            assert distance(structure, matrix, scores, steps) <= epsilon
            if (
                scale == 0 and structure.count() > 2
            ):  # the bound is no formality: at a tenth of it the chain is not mixed
                assert distance(structure, matrix, scores, steps // 10) > epsilon


def test_independent_entries_mix_in_time_linear_in_their_scores() -> None:
    """The range of scores is 0, 30 and 300; where entries depend on one another, it enters by its exponential."""
    rows = np.array([np.zeros(10), np.full(10, 3.0), np.full(10, 30.0)])
    zero, moderate, large = mixing_bound(LabelSets(10), rows)
    assert zero < moderate < large < 50 * zero
    assert mixing_bound(Cliques(4), np.full(6, 30.0))[0] > 1e30


def test_other_chains_have_the_bounds_of_their_functions() -> None:
    rows = np.array([[0.3, -1.0, 0.5, 0.2], [0.0, 0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(mixing_bound(LabelSets(4), rows, "cube", 0.1), [cube_mixing_bound(4, 0.1)] * 2)
    np.testing.assert_array_equal(
        mixing_bound(LabelSets(4), rows, "meta", 0.1), [meta_mixing_bound(-2.0, 0.1), meta_mixing_bound(0.0, 0.1)]
    )
    for structure in (Cycles(5), Routes(4), WeakOrders(3), PartialOrders(3), Subtrees([-1, 0, 0])):
        zeros = np.zeros(structure.n_features)
        with pytest.raises(CapabilityError, match="no mixing time of sampler='local' is known for.*give gap="):
            mixing_bound(structure, zeros)
        if not isinstance(structure, PartialOrders):
            assert mixing_bound(structure, zeros, "meta") == [1.0]
    with pytest.raises(CapabilityError):
        mixing_bound(PartialOrders(8), np.zeros(28), "meta")
    with pytest.raises(CapabilityError):
        mixing_bound(LabelSets(4, size=2), rows, "cube")
    assert mixing_bound(LabelSets(3, size=3), np.ones(3)) == [0.0]  # one output


def test_what_has_no_bound_is_refused() -> None:
    with pytest.raises(ValueError):
        mixing_bound(LabelSets(2), np.zeros(2), "cftp")
    with pytest.raises(ValueError):
        mixing_bound(LabelSets(2), np.zeros(2), epsilon=1.0)
    with pytest.raises(ValueError) as caught:
        mixing_bound(LabelSets(2), [[0.0, 0.0], [np.nan, 0.0]])
    assert caught.value.row == 1
    for gap in (0.0, 3.0, "1", math.nan):
        with pytest.raises((ValueError, TypeError)):
            mixing_bound(Cycles(4), np.zeros(6), gap=gap)
    with pytest.raises(ValueError):
        mixing_bound(Cycles(4), np.zeros(6), "meta", gap=0.1)
    with pytest.raises(CapabilityError):
        mixing_bound(own_ring(5), [1.0], "meta")


def own_ring(n: int, **options: Any) -> Custom:
    """Numbers on a ring, which move to either neighbour."""
    return Custom.from_sampler(
        lambda rng: int(rng.integers(n)), lambda y: [math.cos(2 * math.pi * y / n)], n_moment_samples=10,
        log_count=math.log(n), propose=lambda y, rng: int(y + rng.choice([-1, 1])) % n, **options,
    )  # fmt: skip


def test_the_moves_of_users_have_the_bounds_of_their_gaps() -> None:
    """The ring's gap is 1 − cos(2π/n); by diameter and degree it is at least 1/(n · 2 · n/2)."""
    n, gap = 7, 1 - math.cos(2 * math.pi / 7)
    values = np.cos(2 * np.pi * np.arange(n) / n)
    neighbours = (np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1)) / 2
    assert gap >= 1 / (n * 2 * 3)
    for score in (0.0, 0.5, 2.0):
        matrix = neighbours * np.exp(np.minimum(0, score * (values[None, :] - values[:, None])))
        matrix[np.diag_indices(n)] += 1 - matrix.sum(axis=1)
        matrix = np.eye(n) / 8 + 7 / 8 * matrix
        p = np.exp(score * values) / np.exp(score * values).sum()
        uniform = np.minimum(1.0, np.exp(score * (values[None, :] - values[:, None]))) / n
        uniform[np.diag_indices(n)] += 1 - uniform.sum(axis=1)
        for epsilon in (0.01, 0.25):
            steps = mixing_bound(own_ring(n, radius=1.0), [score], epsilon=epsilon, gap=gap)
            far = 0.5 * np.abs(np.linalg.matrix_power(matrix, int(steps[0])) - p).sum(axis=1).max()
            assert far <= epsilon
            steps = mixing_bound(own_ring(n, radius=1.0), [score], "meta", epsilon)
            assert 0.5 * np.abs(np.linalg.matrix_power(uniform, int(steps[0])) - p).sum(axis=1).max() <= epsilon
    assert mixing_bound(own_ring(n, radius=1.0), [0.0], gap=gap) == pytest.approx(
        [(math.log(50) + math.log(n) / 2) / -math.log1p(-min(7 / 8 * gap, 1 / 4))], abs=1
    )
    with pytest.raises(CapabilityError):
        mixing_bound(own_ring(n, radius=1.0), [1.0])
    for sampler, given in (("local", {"gap": gap}), ("meta", {})):
        with pytest.raises(CapabilityError):
            mixing_bound(own_ring(n), [1.0], sampler, **given)
    still = own_ring(n, radius=1.0).set_params(propose=None)
    with pytest.raises(CapabilityError):
        mixing_bound(still, [1.0], gap=gap)


def given_cycles(structure: Structure) -> np.ndarray:
    """The moves of spanning trees: an edge outside comes, and another one of its cycle goes."""
    trees = outputs_of(structure)
    number, edges = {y: i for i, y in enumerate(trees)}, [name.split("-") for name in structure.feature_names()]
    matrix = np.zeros((len(trees), len(trees)))
    for i, y in enumerate(trees):
        outside = [e for e, held in enumerate(y) if not held]
        for e in outside:
            swaps = [tuple(1 if g == e else 0 if g == f else v for g, v in enumerate(y)) for f in range(len(y)) if y[f]]
            ends = [number[z] for z in swaps if z in number]
            matrix[i, ends] += 1 / len(outside) / len(ends)
    assert len(edges) == structure.n_features
    return matrix


def new_ends(structure: Structure) -> np.ndarray:
    """The moves of paths: a new end, behind a random number of arcs."""
    paths = outputs_of(structure)
    matrix = np.zeros((len(paths), len(paths)))
    for i, y in enumerate(paths):
        for place in range(len(y)):
            keep = y if y[place] < 0 else y[:place]
            alike = [j for j, z in enumerate(paths) if z[: len(keep)] == keep]
            matrix[i, alike] += 1 / len(y) / len(alike)
    return matrix


DENSE = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
LADDER = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (0, 3)]
BOUNDED = [
    (SpanningTrees(4, DENSE), given_cycles), (SpanningTrees(5, LADDER), given_cycles),
    (SpanningTrees(4, [(0, 1), (1, 2), (2, 3), (0, 3)]), given_cycles),
    (Paths(LADDER, 0, 4), new_ends),
    (Paths([(0, 1), *((1, v) for v in range(2, 6)), *((v, 6) for v in range(2, 6))], 0, 6), new_ends),
]  # fmt: skip


@pytest.mark.parametrize(
    ("structure", "matrix_of"), BOUNDED, ids=[repr(s)[:20] + str(i) for i, (s, _) in enumerate(BOUNDED)]
)
def test_trees_and_paths_mix_within_their_bounds(structure: Structure, matrix_of: Any) -> None:
    """The claimed gap, the moves of the chain (a false alarm of 1e-6), and the exact distance after the bound."""
    moves, n = matrix_of(structure), structure.count()
    np.testing.assert_allclose(moves, moves.T, atol=1e-12)
    eigenvalues = np.sort(np.linalg.eigvalsh(moves))
    first = 1 - eigenvalues[-2]
    claimed = 1 / len(outputs_of(structure)[0])
    if isinstance(structure, SpanningTrees):
        claimed = 1 / outputs_of(structure)[0].count(0)
    else:
        assert eigenvalues[0] >= -1e-12
    assert claimed <= first + 1e-12 <= 4 * claimed  # within a factor of four
    zeros, draws = np.zeros((4000, structure.n_features)), 4000
    members = np.array(list(structure.enumerate()))
    drawn = sample(
        structure,
        zeros,
        1,
        sampler="local",
        burn_in=0,
        thin=1,
        start=members[[0]].repeat(draws, axis=0),
        random_state=1,
    )
    counts = (drawn.y[0][:, None] == members).all(axis=2).sum(axis=0)
    expected = draws * (np.eye(n)[0] / 8 + 7 / 8 * moves[0])
    assert (counts[expected == 0] == 0).all()
    possible = expected > 0
    assert ((counts - expected)[possible] ** 2 / expected[possible]).sum() < chi2.isf(1e-6, max(1, possible.sum() - 1))
    rng = np.random.default_rng(0)
    for scale in (0.0, 0.3, 1.0, 6.0):
        scores = scale * rng.normal(size=structure.n_features)
        values = structure.embed(members) @ scores
        matrix = moves * np.exp(np.minimum(0, values[None, :] - values[:, None]))
        matrix[np.diag_indices(n)] += 1 - matrix.sum(axis=1)
        matrix = np.eye(n) / 8 + 7 / 8 * matrix
        for epsilon in (0.01, 0.25):
            steps = mixing_bound(structure, scores, epsilon=epsilon)[0]
            assert np.isfinite(steps)
            if steps < 1e15:
                assert distance(structure, matrix, scores, int(steps)) <= epsilon


def test_trees_mix_in_time_linear_in_their_scores() -> None:
    """By comparison with the down-up walk, not by the exponential of the range of scores."""
    structure = SpanningTrees(5, LADDER)
    for scores in (np.full(8, 50.0) * (np.arange(8) % 2), np.arange(8) * 100.0):
        assert mixing_bound(structure, scores)[0] < 8 / 7 * 4 * 4 * (
            math.log(50) + structure.log_count() + scores.sum()
        )


def test_orders_are_reached_in_n_log_n_steps_times_n() -> None:
    """The bound for random-to-random is of order n² ln n: its constant against the spectral one at n = 4 to 40."""
    for n in (4, 10, 40):
        bound = mixing_bound(Permutations(n), np.zeros(n * (n - 1) // 2))[0]
        assert bound / (n * n / (n + 2) * (math.lgamma(n + 1) / 2 + math.log(50)) * 8 / 7) == pytest.approx(1, rel=0.2)


@with_moves
def test_chains_are_at_the_optimum_as_often_as_proven(structure: Structure, moves: Any) -> None:
    """After t steps, from the start from which it is least probable, against powers of the transition matrix."""
    scores = np.random.default_rng(2).normal(size=structure.n_features) / 4
    values = structure.embed(np.array(list(structure.enumerate()))) @ scores
    at, alpha = int(np.argmax(values)), 3.0
    matrix = chain_matrix(structure, moves, scores * math.log(alpha))
    limit = optimum_probability(structure, scores, alpha)
    told = False
    for steps in (0, 3, 30, 100, 300, 1000, 10**4):
        found = optimum_probability(structure, scores, alpha, n_steps=steps)
        exact = np.linalg.matrix_power(matrix, steps)[:, at]
        assert found.lower[0] <= exact.min() + 1e-12 and exact.max() <= found.upper[0] + 1e-12
        assert found.lower[0] <= limit.lower[0] <= found.upper[0]
        told = told or found.lower[0] > 0.9 * limit.lower[0]
    assert told
    uniform = optimum_probability(structure, scores, alpha, n_steps=3000, chain="meta")
    np.testing.assert_allclose(uniform.value, limit.value, rtol=1e-3)
    assert np.isinf(optimum_probability(structure, scores, alpha, n_steps=0).n_draws()[0])
