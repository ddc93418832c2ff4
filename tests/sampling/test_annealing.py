"""Annealed partition functions against exact ones: schedules, tests between levels, estimates, refusals.

Seeds are fixed. A correct program fails a statistical test here with probability 1e-5 at most; about ten are made.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning

from combpred import CapabilityError
from combpred.sampling import AnnealingDetails, LogPartition, SamplingError, log_partition
from combpred.structures import (
    Assignments,
    Custom,
    Cycles,
    LabelSets,
    MultiClass,
    Permutations,
    Structure,
    Subtrees,
    WeakOrders,
)

FALSE_ALARM = 1e-5
TREE = [-1, 0, 0, 1, 1, 2, 3]
ROWS = [Permutations(4), Subtrees(TREE), Cycles(5), LabelSets(5, size=2), Assignments(4), WeakOrders(3)]


def annealed(structure: Structure, scores: object, **options: object) -> LogPartition:
    found = log_partition(structure, scores, method="annealed", **options)
    assert found.method == "annealed" and isinstance(found.details, AnnealingDetails)
    return found


def scores_of(structure: Structure, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=structure.n_features)


def test_levels_of_the_thesis():
    """Scores reach 2.5: eight steps of at most 1/7.5, as printed."""
    for schedule in ("thesis", "uniform"):
        found = annealed(
            LabelSets(3), [1.5, 1.0, 0.0], bound=2.5, epsilon=0.9, delta=0.3, schedule=schedule, random_state=0
        )
        np.testing.assert_allclose(found.details.schedules[0], [*np.arange(8) / 7.5, 1.0])
        factor = math.exp(2 / 3) if schedule == "thesis" else math.sinh(1 / 3) ** 2
        assert found.details.n_level_samples[0] == math.ceil(65 * 8 * factor / 0.9**2)
        assert found.details.n_repeats[0] == 1
    with pytest.raises(ValueError) as caught:
        annealed(LabelSets(3), np.zeros(3), bound=1e9, schedule="uniform")
    assert caught.value.row == 0


@pytest.mark.parametrize("sampler", ["auto", "exact", "cftp", "rejection", "local", "meta"])
@pytest.mark.parametrize("structure", ROWS)
def test_estimates_are_near(structure, sampler):
    scores = scores_of(structure)
    found = annealed(structure, scores, epsilon=0.2, delta=0.01, sampler=sampler, random_state=0)
    exact = structure.log_partition(scores)
    # Bounds are Chebyshev's: about 30 of these 36 fail together with far less than their δ, by the standard errors.
    assert found.lower[0] <= exact <= found.upper[0]
    assert found.details.converged[0]
    assert found.lower[0] == pytest.approx(found.value[0] - math.log(1.2))
    assert found.upper[0] == pytest.approx(found.value[0] - math.log(0.8))
    assert found.details.n_steps[0] >= found.n_samples[0] > found.details.n_level_samples[0]
    assert 0 < found.details.acceptance[0] <= 1
    assert not found.is_exact[0] and found.is_guaranteed[0] == (sampler not in ("local", "meta"))


@pytest.mark.parametrize("schedule", ["adaptive", "uniform", "thesis"])
def test_shares_within_epsilon(schedule):
    structure, epsilon, runs = Subtrees(TREE), 0.8, 30
    scores = 0.2 * scores_of(structure)
    exact = structure.log_partition(scores)
    rows = np.tile(scores, (runs, 1))
    for delta in (0.25,) if schedule == "thesis" else (0.25, 0.05):
        found = annealed(
            structure, rows, epsilon=epsilon, delta=delta, schedule=schedule, sampler="exact", random_state=5
        )
        within = int(((found.lower <= exact) & (exact <= found.upper)).sum())
        assert within >= binom.ppf(FALSE_ALARM, runs, 1 - delta)
        assert len(set(found.value.tolist())) == runs  # rows have streams of their own


def test_the_adaptive_schedule_needs_fewer_samples():
    structure = Permutations(5)
    scores = scores_of(structure)
    needed = {
        schedule: annealed(
            structure, scores, epsilon=0.8, delta=0.25, schedule=schedule, sampler="exact", random_state=0
        ).n_samples[0]
        for schedule in ("adaptive", "uniform", "thesis")
    }
    assert needed["uniform"] < needed["thesis"] / 10
    assert needed["adaptive"] < needed["thesis"] / 10  # of which nearly all find the levels, for so large an ε


@pytest.mark.parametrize(
    ("structure", "sampler"),
    [(Subtrees(TREE), "monotone"), (Permutations(4), "exact"), (MultiClass(3), "exact")],
)
def test_auto_takes_exact_samplers(structure, sampler):
    found = annealed(structure, scores_of(structure), epsilon=0.5, random_state=0)
    assert found.details.sampler.tolist() == [sampler]


def test_auto_beyond_recursions():
    structure = Permutations(24)
    weak, strong = np.full(276, 0.002), np.full(276, 0.4)
    found = annealed(structure, [weak, strong], epsilon=0.9, delta=0.5, random_state=0)
    assert found.details.sampler.tolist() == ["cftp", "local"]
    # Σ over orders of exp(2s · pairs in order − s · pairs) is a product of q-numbers (Mahonian), q = exp(2s).
    for s, lower, upper in zip((0.002, 0.4), found.lower, found.upper, strict=True):
        exact = sum(math.log(sum(math.exp(2 * s * i) for i in range(k))) for k in range(1, 25)) - 276 * s
        assert lower < exact < upper


def test_small_failure_probabilities_take_medians():
    structure = Subtrees(TREE)
    scores = scores_of(structure)
    found = annealed(structure, scores, epsilon=0.5, delta=1e-6, sampler="exact", random_state=0)
    assert found.details.n_repeats[0] > 1 and found.details.n_repeats[0] % 2 == 1
    assert found.lower[0] < structure.log_partition(scores) < found.upper[0]
    least = found.details.n_repeats[0] * found.details.n_level_samples[0] * 2 * (len(found.details.schedules[0]) - 1)
    assert found.n_samples[0] > least  # levels took more


def test_zero_scores_give_the_count():
    structure = Permutations(30)
    found = annealed(structure, np.zeros(435), sampler="meta", random_state=0)
    assert found.value[0] == pytest.approx(math.lgamma(31), abs=1e-12)


def test_large_scores():
    found = annealed(LabelSets(3), [1e6, -1e6, 2.0], epsilon=0.5, random_state=0)
    assert found.value[0] == pytest.approx(1e6 + math.log1p(math.exp(2)), abs=0.5)


def test_results_do_not_depend_on_threads_or_later_rows():
    structure = Permutations(4)
    rows = np.array([scores_of(structure, seed) for seed in range(3)])
    for sampler in ("cftp", "local"):
        one = annealed(structure, rows, epsilon=0.5, sampler=sampler, random_state=3, n_jobs=1)
        two = annealed(structure, rows[:2], epsilon=0.5, sampler=sampler, random_state=3, n_jobs=2)
        np.testing.assert_array_equal(one.value[:2], two.value)
        np.testing.assert_array_equal(one.details.n_steps[:2], two.details.n_steps)


def test_outputs_that_only_python_knows():
    own = Custom.from_sampler(
        lambda rng: rng.integers(0, 2, size=3), np.asarray, log_count=3 * math.log(2), n_moment_samples=100
    )
    scores = np.array([1.0, -0.5, 0.2])
    found = annealed(own, scores, epsilon=0.5, delta=0.25, random_state=0)
    assert found.details.sampler.tolist() == ["meta"]
    assert found.lower[0] < np.logaddexp(0, scores).sum() < found.upper[0]
    with pytest.raises(CapabilityError):
        annealed(own, scores, schedule="uniform")
    nameless = Custom(log_count=1.0, mean=[0.5], second_moment=[[0.5]], embed=np.asarray)
    with pytest.raises(CapabilityError):
        annealed(nameless, [1.0])


@pytest.mark.parametrize(
    ("changes", "error", "row"),
    [
        ({"epsilon": 0.0}, ValueError, None),
        ({"epsilon": 1.0}, ValueError, None),
        ({"epsilon": math.nan}, ValueError, None),
        ({"epsilon": "small"}, TypeError, None),
        ({"delta": 1.5}, ValueError, None),
        ({"sampler": "gibbs"}, ValueError, None),
        ({"schedule": "linear"}, ValueError, None),
        ({"max_steps": 0}, ValueError, None),
        ({"max_steps": 1.5}, TypeError, None),
        ({"scores": np.zeros((2, 5))}, ValueError, None),
        ({"scores": np.zeros((0, 6))}, ValueError, None),
        ({"scores": [0, 0, 0, np.inf, 0, 0]}, ValueError, 0),
        ({"structure": "permutations"}, TypeError, None),
        ({"sampler": "monotone"}, CapabilityError, None),
    ],
)
def test_refusals(changes, error, row):
    arguments = {"structure": Permutations(4), "scores": np.ones(6), **changes}
    with pytest.raises(error) as caught:
        annealed(arguments.pop("structure"), arguments.pop("scores"), **arguments)
    assert error is CapabilityError or any(name in str(caught.value) for name in changes)
    assert getattr(caught.value, "row", None) == row


def test_exact_samplers_beyond_their_budget():
    rows = np.array([np.zeros(28), np.full(28, 2.0)])
    with pytest.raises(SamplingError) as caught:
        annealed(Permutations(8), rows, epsilon=0.3, sampler="cftp", max_steps=50_000, random_state=0)
    assert caught.value.row == 1
    with pytest.raises(SamplingError) as caught:
        annealed(Permutations(4), np.ones(6), sampler="exact", schedule="thesis", max_steps=1000)
    assert caught.value.row == 0


def test_chains_beyond_their_budget_are_reported():
    with pytest.warns(ConvergenceWarning) as warned:
        found = annealed(Permutations(8), np.full(28, 2.0), sampler="local", max_steps=20_000, random_state=0)
    assert warned[0].filename == __file__
    assert not found.details.converged[0]


def test_an_estimate_can_be_interrupted(ctrl_c):
    with ctrl_c(after=0.5):
        annealed(Permutations(12), np.full(66, 1.0), epsilon=1e-3, sampler="local", max_steps=2**40, random_state=0)


def test_progress_is_shown(capsys, limits):
    limits.progress_at_once()
    annealed(Permutations(4), np.ones((3, 6)), epsilon=0.3, sampler="cftp", random_state=0, verbose=1)
    assert "annealing" in capsys.readouterr().err
