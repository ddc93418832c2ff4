"""Searches along chains and the probability of the optimum, against enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError
from combpred.sampling import least_alpha, optimum_probability, sample, search
from combpred.sampling.theory import mixing_bound
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)

WITH_START: list[Structure] = [
    Cliques(5), Cycles(6), DirectedCycles(5), PartialOrders(4), Permutations(5), Routes(4), WeakOrders(4),
]  # fmt: skip
WITHOUT: list[Structure] = [
    LabelSets(5), LabelSets(5, size=2), MultiClass(4), Ordinal(4), Hierarchy([-1, 0, 0, 1]), Subtrees([-1, 0, 0, 1]),
    Tournaments(3), Assignments(4), SpanningTrees(4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]),
    Paths([(0, 1), (1, 2), (0, 2), (1, 3), (2, 3)], 0, 3),
]  # fmt: skip


def rows_of(structure: Structure, n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, structure.n_features))


def values_of(structure: Structure, rows: np.ndarray) -> np.ndarray:
    """Scores of all outputs, of shape (n, outputs)."""
    return rows @ structure.embed(np.array(list(structure.enumerate()))).T


def agree(share: float, p: float, n: int) -> bool:
    """Whether a share of n has a probability p: five standard deviations, a false alarm of 6e-7."""
    return abs(share - p) <= 5 * math.sqrt(p * (1 - p) / n) + 1e-12


@pytest.mark.parametrize("structure", [*WITH_START, *WITHOUT])
def test_what_is_found_is_an_output_with_its_score_and_bounds(structure: Structure) -> None:
    rows = rows_of(structure, 8)
    values = values_of(structure, rows)
    most, least = values.max(axis=1), values.min(axis=1)
    for proposals in ("auto", "uniform"):
        found = search(structure, rows, proposals=proposals, n_steps=600, n_runs=2, random_state=0)
        np.testing.assert_allclose((rows * structure.embed(found.y)).sum(axis=1), found.value, atol=1e-9)
        assert (found.value <= most + 1e-9).all() and (found.upper_bound >= most - 1e-9).all()
        assert (found.value >= (1 - found.nu) * most + found.nu * least - 1e-9).all()
        np.testing.assert_allclose(found.value[found.is_optimal], most[found.is_optimal])
        assert (found.success[found.is_optimal] == 1).all()
        assert (np.isnan(found.temperature) == (found.n_steps == 0)).all()
        assert ((found.n_steps == 1200) | found.is_optimal).all() and (found.n_accepted <= found.n_steps).all()
        again = search(structure, rows, proposals=proposals, n_steps=600, n_runs=2, random_state=0, n_jobs=2)
        np.testing.assert_array_equal(again.y, found.y)
    found = search(structure, rows, random_state=0)
    assert (found.value >= most - 1e-9).mean() >= 0.75


@pytest.mark.parametrize("structure", WITH_START)
@pytest.mark.parametrize("decoder", ["anneal", "metropolis"])
def test_the_decoders_are_searches_with_their_defaults(structure: Structure, decoder: str) -> None:
    rows = rows_of(structure, 2)
    found = search(structure, rows, schedule=decoder, random_state=3)
    np.testing.assert_array_equal(found.y, structure.decode(rows, decoder=decoder, random_state=3))


@pytest.mark.parametrize("alpha", [1.01, math.e, 1e6])
def test_uniform_proposals_find_the_optimum_as_uniform_draws_do(alpha: float) -> None:
    """Of t + 1 uniform outputs, the start and t proposals, one is the best with probability 1 − (1 − 1/|Y|)^(t+1).

    At every temperature: α gains nothing. 4000 searches, a false alarm of 6e-7 for each of nine shares.
    """
    structure, n = LabelSets(5), 4000
    rows = np.tile([0.5, -0.3, 0.2, 1.0, -0.7], (n, 1))
    for steps in (1, 10, 60):
        found = search(
            structure, rows, schedule="metropolis", alpha=alpha, proposals="uniform", n_steps=steps, random_state=steps
        )
        share = (found.value > 1.7 - 1e-9).mean()
        assert agree(share, 1 - (31 / 32) ** (steps + 1), n)
        missed = ~found.is_optimal
        np.testing.assert_allclose(found.success[missed], 1 - (31 / 32) ** steps)
        assert found.success.min() <= share + 5 * math.sqrt(0.25 / n)
        np.testing.assert_allclose(found.temperature, 1 / math.log(alpha))


@pytest.mark.parametrize("structure", [Cycles(5), LabelSets(5), Permutations(4), Routes(3)])
def test_chains_of_uniform_proposals_gain_nothing_by_alpha(structure: Structure) -> None:
    """Steps to mix, 1/β, times runs until one ends at an optimum, 1/π, are |Y|/N for any α (chapter 7, ours)."""
    rows = rows_of(structure, 1)
    (values,) = values_of(structure, rows)
    for alpha in (1.2, math.e, 50.0):
        beta = np.mean(alpha ** (values - values.max()))
        weight = optimum_probability(structure, rows, alpha).value[0]
        assert 1 / (beta * weight) == pytest.approx(structure.count())


@pytest.mark.parametrize("structure", [*WITH_START, *WITHOUT])
def test_the_weight_of_an_optimum_is_that_by_enumeration(structure: Structure) -> None:
    rows = rows_of(structure, 5)
    values = values_of(structure, rows)
    for alpha in (1.5, math.e, 40.0):
        p = alpha ** (values - values.max(axis=1, keepdims=True))
        expected = 1 / p.sum(axis=1)
        found = optimum_probability(structure, rows, alpha)
        np.testing.assert_allclose(found.value, expected, rtol=1e-9)
        np.testing.assert_allclose(found.lower, expected, rtol=1e-9)
        np.testing.assert_allclose(found.upper, expected, rtol=1e-9)
        for delta in (0.5, 0.01):
            runs = found.n_draws(delta)
            assert ((1 - expected) ** runs <= delta * (1 + 1e-9)).all()
            assert (((1 - expected) ** (runs - 1) > delta * (1 - 1e-9)) | (runs == 1)).all()


def test_draws_are_optimal_as_often_as_their_weight_says() -> None:
    """4000 exact draws from MC(α)'s distribution, false alarm 6e-7, and restarts that reach 1 − δ, likewise."""
    structure, alpha, n = Permutations(4), 2.0, 4000
    rows = rows_of(structure, 1)
    best = values_of(structure, rows).max()
    weight = optimum_probability(structure, rows, alpha)
    drawn = sample(structure, math.log(alpha) * rows, n, sampler="exact", random_state=0)
    hit = drawn.value[:, 0] > math.log(alpha) * best - 1e-9
    assert agree(hit.mean(), weight.value[0], n)
    runs = int(weight.n_draws(0.1)[0])
    batches = hit[: n // runs * runs].reshape(-1, runs).any(axis=1)
    assert batches.mean() >= 0.9 - 5 * math.sqrt(0.09 / len(batches))


def test_estimates_of_the_partition_function_bound_the_weight() -> None:
    """Annealing is within its bounds with probability 0.99 for each of four rows: one seed, a false alarm of 4 %."""
    structure = Permutations(5)
    rows = rows_of(structure, 4)
    exact = optimum_probability(structure, rows).value
    found = optimum_probability(structure, rows, method="annealed", epsilon=0.2, delta=0.01, random_state=0)
    assert (found.lower <= exact).all() and (exact <= found.upper).all() and (found.lower < found.upper).all()


def test_cooled_chains_mix_as_their_bound_says_and_find_the_optimum() -> None:
    """MC(α) by local moves, run for its proven mixing time, is at an optimum with π_α(opt) ± ε."""
    structure, alpha, n, epsilon = MultiClass(6), 3.0, 4000, 0.05
    row = np.array([0.3, 1.0, -0.5, 0.0, 0.2, -1.0])
    inverse = math.log(alpha)
    steps = int(mixing_bound(structure, inverse * row, epsilon=epsilon)[0])
    start = np.full(n, 5)
    drawn = sample(
        structure, np.tile(inverse * row, (n, 1)), 1, sampler="local", burn_in=steps - 1, thin=1, start=start,
        random_state=2,
    )  # fmt: skip
    weight = optimum_probability(structure, row, alpha).value[0]
    share = (drawn.y[0] == 1).mean()
    assert abs(share - weight) <= epsilon + 5 * math.sqrt(0.25 / n)


@pytest.mark.parametrize("structure", [*WITH_START[:3], *WITHOUT[:4]])
def test_the_least_alpha_reaches_the_probability_and_no_less_does(structure: Structure) -> None:
    rows = rows_of(structure, 4)
    for probability in (0.3, 0.9):
        alpha = least_alpha(structure, rows, probability)
        for row, base in zip(rows, alpha, strict=True):
            if base > 1:
                assert optimum_probability(structure, row, base).value[0] == pytest.approx(probability, abs=1e-6)
                assert optimum_probability(structure, row, 1 + 0.9 * (base - 1)).value[0] < probability
    np.testing.assert_array_equal(least_alpha(structure, rows, 0.9 / structure.count()), 1.0)


def test_shared_optima_limit_the_probability() -> None:
    with pytest.raises(ValueError) as caught:
        least_alpha(MultiClass(3), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 0.6)
    assert caught.value.row == 1
    assert least_alpha(MultiClass(3), [1.0, 1.0, 0.0], 0.4)[0] == pytest.approx(2.0)
    with pytest.raises(ValueError) as caught:
        least_alpha(LabelSets(3), np.zeros(3))
    assert caught.value.row == 0


def test_epsilon_says_where_cooling_ends() -> None:
    """Each of 200 searches is within ε with probability 0.8; fewer than 130 of them with probability below 1e-6."""
    structure, epsilon = Permutations(5), 0.5
    rows = rows_of(structure, 200)
    found = search(structure, rows, epsilon=epsilon, delta=0.2, n_steps=2000, random_state=0)
    moved = found.n_steps > 0
    np.testing.assert_allclose(found.temperature[moved], epsilon / (math.log(120) - math.log(0.2)))
    assert (found.value >= values_of(structure, rows).max(axis=1) - epsilon).sum() >= 130


def test_a_schedule_of_ones_own_is_gone_through() -> None:
    structure = Permutations(6)
    rows = rows_of(structure, 20)
    hot = search(structure, rows, schedule=[1e6], n_steps=400, random_state=0)
    cold = search(structure, rows, schedule=[1e6, 1e-6], n_steps=400, random_state=0)
    moved = hot.n_steps > 0
    assert (hot.temperature[moved] == 1e6).all() and (cold.temperature[moved] == 1e-6).all()
    assert (hot.n_accepted[moved] == 400).all()
    assert (cold.n_accepted[moved] < 400).all() and (cold.n_accepted[moved] >= 200).all()


def test_more_runs_begin_with_the_same_one() -> None:
    structure = Permutations(12)
    rows = rows_of(structure, 20)
    one, many = (search(structure, rows, n_steps=100, n_runs=runs, random_state=0) for runs in (1, 8))
    assert (many.value >= one.value - 1e-12).all() and many.value.sum() > one.value.sum() + 1


@pytest.mark.parametrize(
    "options",
    [
        {"schedule": "tabu"},
        {"schedule": [[1.0]]},
        {"schedule": [1.0, -1.0]},
        {"alpha": 2.0},
        {"alpha": 1.0, "schedule": "metropolis"},
        {"proposals": "global"},
        {"n_steps": 0},
        {"n_runs": 0},
        {"epsilon": 0.0},
        {"epsilon": 0.5, "schedule": "metropolis"},
        {"epsilon": 0.5, "delta": 1.0},
    ],
)
def test_bad_parameters_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as caught:
        search(Permutations(3), np.zeros(3), **options)
    assert any(name in str(caught.value) for name in options)


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(CapabilityError):
        search(PartialOrders(9), np.zeros(36) + 0.1, proposals="uniform")
    with pytest.raises(ValueError) as caught:
        search(Permutations(3), [[0.0, 0.0, 0.0], [0.0, 0.0, np.inf]])
    assert caught.value.row == 1
    with pytest.raises(CapabilityError) as caught:
        least_alpha(Permutations(40), rows_of(Permutations(40), 1))
    assert caught.value.row == 0
    own = Custom.from_sampler(lambda rng: rng.integers(0, 2, 3), np.asarray, log_count=math.log(8))
    with pytest.raises(CapabilityError) as caught:
        least_alpha(own, np.ones(3))
    assert caught.value.row == 0


def test_a_search_shows_its_progress_and_is_interrupted(ctrl_c: Any, capsys: pytest.CaptureFixture[str]) -> None:
    structure = Routes(40)
    rows = rows_of(structure, 1)
    with ctrl_c(polled=True):
        search(structure, rows, n_runs=10**6)


def test_progress_is_shown_and_ctrl_c_ends_a_search(capsys: Any, limits: Any, ctrl_c: Any) -> None:
    limits.progress_at_once()
    rows = rows_of(Permutations(10), 2)
    for verbose in (0, 1):
        search(Permutations(10), rows, n_steps=300_000, n_runs=2, random_state=0, verbose=verbose)
        assert ("searching: " in capsys.readouterr().err) == bool(verbose)
    with ctrl_c():
        search(Permutations(30), rows_of(Permutations(30), 1), n_steps=2**40, random_state=0)
