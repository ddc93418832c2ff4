"""Proven mixing times against exact ones, by transition matrices over all outputs of small structures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from combpred import CapabilityError
from combpred.sampling import cube_mixing_bound, meta_mixing_bound, mixing_bound, sample
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    Permutations,
    PosetElements,
    Routes,
    Structure,
    Tournaments,
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
    for structure in (Cycles(5), Routes(4)):
        zeros = np.zeros(structure.n_features)
        assert (
            np.isinf(mixing_bound(structure, zeros)).all() and np.isfinite(mixing_bound(structure, zeros, "meta")).all()
        )
    assert np.isinf(mixing_bound(LabelSets(4, size=2), rows, "cube")).all()
    assert mixing_bound(LabelSets(3, size=3), np.ones(3)) == [0.0]  # one output


def test_what_has_no_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="sampler must be one of meta, local, cube, got 'cftp'"):
        mixing_bound(LabelSets(2), np.zeros(2), "cftp")
    with pytest.raises(ValueError, match="epsilon must be between 0 and 1"):
        mixing_bound(LabelSets(2), np.zeros(2), epsilon=1.0)
    with pytest.raises(ValueError, match="row 1, column 0: nan is not finite"):
        mixing_bound(LabelSets(2), [[0.0, 0.0], [np.nan, 0.0]])
    own = Custom.from_sampler(lambda rng: int(rng.integers(3)), lambda y: [float(y)], n_moment_samples=10)
    with pytest.raises(CapabilityError, match="consists of functions"):
        mixing_bound(own, [0.0])


def test_orders_are_reached_in_n_log_n_steps_times_n() -> None:
    """The bound for random-to-random is of order n² ln n: its constant against the spectral one at n = 4 to 40."""
    for n in (4, 10, 40):
        bound = mixing_bound(Permutations(n), np.zeros(n * (n - 1) // 2))[0]
        assert bound / (n * n / (n + 2) * (math.lgamma(n + 1) / 2 + math.log(50)) * 8 / 7) == pytest.approx(1, rel=0.2)
