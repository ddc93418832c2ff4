"""What the thesis proves about annealing and chains (section 6.3, chapter 7, appendix C.1), outputs enumerated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from combpred.sampling import log_partition, sample
from combpred.sampling.theory import meta_mixing_bound
from combpred.structures import Cliques, Cycles, LabelSets, MultiClass, Permutations, Routes, Structure

SMOOTHNESS = 3  # the thesis's p
SMALL: list[Structure] = [Cliques(4), Cycles(5), LabelSets(6), LabelSets(6, size=3), Permutations(4), Routes(4)]


def scores_of_all(structure: Structure, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the entries of ψ, and those of all outputs."""
    linear = scale * np.random.default_rng(1).normal(size=structure.n_features)
    return linear, structure.embed(np.array(list(structure.enumerate()))) @ linear


def distribution(values: np.ndarray) -> np.ndarray:
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def relative_variances(values: np.ndarray, schedule: np.ndarray) -> np.ndarray:
    """Var f / (E f)² of f = exp[(β' − β) h] under p ∝ exp(β h) for successive levels β' < β."""
    found = []
    for before, beta in zip(schedule, schedule[1:], strict=False):
        p, f = distribution(beta * values), np.exp((before - beta) * values)
        found.append((p @ f**2) / (p @ f) ** 2 - 1)
    return np.array(found)


@pytest.mark.parametrize("structure", SMALL)
def test_the_relative_variance_of_a_level_is_bounded(structure: Structure) -> None:
    """The variance bound of section 6.3: Var f / (E f)² ≤ exp(2/p), at all levels of schedule="thesis".

    All outputs are summed over. Also the lemma before it, exp(1/p) − 1 ≤ E f ≤ exp(−1/p) + 1, and a bound that is 17
    times better: sinh²(1/p).
    """
    linear, values = scores_of_all(structure)
    found = log_partition(
        structure, linear, method="annealed", schedule="thesis", epsilon=0.9, delta=0.25, random_state=0
    )
    (schedule,) = found.details.schedules
    radius = np.linalg.norm(structure.embed(np.array(list(structure.enumerate()))), axis=1).max()
    assert np.diff(schedule).max() <= (1 + 1e-9) / (SMOOTHNESS * radius * np.linalg.norm(linear))
    assert relative_variances(values, schedule).max() <= math.sinh(1 / SMOOTHNESS) ** 2 <= math.exp(2 / SMOOTHNESS)
    for before, beta in zip(schedule, schedule[1:], strict=False):
        ratio = distribution(beta * values) @ np.exp((before - beta) * values)
        assert math.exp(1 / SMOOTHNESS) - 1 <= ratio <= math.exp(-1 / SMOOTHNESS) + 1


def test_the_better_bound_on_the_variance_is_attained() -> None:
    """Section 6.3: sinh²(1/p) is the variance of two outputs of opposite scores, the extremes, at some distribution."""
    step = 1 / SMOOTHNESS
    tilts = np.linspace(-2, 2, 4001)
    f = np.exp([step, -step])
    p = 1 / (1 + np.exp(tilts))
    variances = (p * f[0] ** 2 + (1 - p) * f[1] ** 2) / (p * f[0] + (1 - p) * f[1]) ** 2 - 1
    assert variances.max() == pytest.approx(math.sinh(step) ** 2, rel=1e-5)
    assert variances.max() <= math.sinh(step) ** 2 * (1 + 1e-12)


def test_the_printed_schedule_ends_in_a_step_that_is_too_long() -> None:
    """Section 6.3, as printed: after p⌊R‖w‖⌋/q the next level is 1, and f leaves [exp(−1/p), exp(1/p)].

    For R‖w‖ = 1.9 the last step is of 0.9/1.9, where 1/q is 1/5.7; the library's schedule has a level at every 1/q.
    """
    reach = 1.9
    printed = np.append(np.arange(SMOOTHNESS * math.floor(reach) + 1) / (SMOOTHNESS * reach), 1.0)
    values = np.array([-reach, reach])
    last = np.exp((printed[-2] - printed[-1]) * values)
    assert last.max() > math.exp(1 / SMOOTHNESS)
    assert relative_variances(values, printed).max() > math.sinh(1 / SMOOTHNESS) ** 2
    found = log_partition(
        MultiClass(2), [-reach, reach], method="annealed", schedule="thesis", epsilon=0.9, delta=0.25, random_state=0
    )
    assert relative_variances(values, found.details.schedules[0]).max() <= math.sinh(1 / SMOOTHNESS) ** 2


def meta_after(values: np.ndarray, steps: int) -> np.ndarray:
    """The distribution of META after so many steps from the best output, the worst start, by its transition matrix."""
    n = len(values)
    moves = np.exp(np.minimum(0, values[None, :] - values[:, None])) / n
    moves[np.diag_indices(n)] += 1 - moves.sum(axis=1)
    start = np.zeros(n)
    start[np.argmax(values)] = 1
    return start @ np.linalg.matrix_power(moves, steps)


@pytest.mark.parametrize("structure", SMALL)
def test_metas_bound_makes_the_approximation_scheme_rigorous(structure: Structure) -> None:
    """The theorem of appendix C.1 without its assumption of rapid mixing: chains as long as META's bound says.

    At each level the law of the chain after that many steps is computed by its transition matrix over all outputs.
    Then all that the proof says is checked: the distance in total variation, the error of each ratio, the error of
    their product, and the variance from which Chebyshev's inequality gives the probability of 3/4.
    """
    epsilon = 0.5
    _, values = scores_of_all(structure, 0.7)
    reach = np.abs(values).max()
    levels = math.ceil(SMOOTHNESS * reach)
    schedule = np.append(np.arange(levels) / (SMOOTHNESS * reach), 1.0)
    allowed = epsilon / (5 * levels * math.exp(2 / SMOOTHNESS))
    draws = math.ceil(65 / epsilon**2 * levels * math.exp(2 / SMOOTHNESS))
    product, spread = 1.0, 1.0
    for before, beta in zip(schedule, schedule[1:], strict=False):
        steps = int(meta_mixing_bound(-beta * (values.max() - values.min()), allowed))
        exact, reached = distribution(beta * values), meta_after(beta * values, steps)
        assert 0.5 * np.abs(reached - exact).sum() <= allowed
        f = np.exp((before - beta) * values)
        ratio = (reached @ f) / (exact @ f)
        assert abs(ratio - 1) <= epsilon / (5 * levels)
        product *= ratio
        relative = (reached @ f**2) / (reached @ f) ** 2 - 1
        assert relative <= math.exp(2 / SMOOTHNESS)
        spread *= 1 + relative / draws
    assert abs(product - 1) <= epsilon / 4
    assert spread - 1 <= epsilon**2 / 64


def test_the_scheme_of_chains_estimates_the_partition_function() -> None:
    """The theorem of appendix C.1, run: META from the best output, as long as its bound says, S draws a level.

    The proof allows a miss of 1 ± ε/2 with probability 1/4. Of that the bias takes ε/4 at most, and as the variance is
    17 times below what the proof says, the standard deviation of ln Z is below ε/30: seven of these are left, and a
    correct chain fails with probability below 1e-9.
    """
    structure, epsilon = Cycles(5), 0.5
    linear, values = scores_of_all(structure, 0.4)
    reach = np.abs(values).max()
    levels = math.ceil(SMOOTHNESS * reach)
    schedule = np.append(np.arange(levels) / (SMOOTHNESS * reach), 1.0)
    allowed = epsilon / (5 * levels * math.exp(2 / SMOOTHNESS))
    draws = math.ceil(65 / epsilon**2 * levels * math.exp(2 / SMOOTHNESS))
    best, log_z = structure.decode(linear), structure.log_count()
    for number, (before, beta) in enumerate(zip(schedule, schedule[1:], strict=False)):
        steps = int(meta_mixing_bound(-beta * (values.max() - values.min()), allowed))
        drawn = sample(
            structure, np.tile(beta * linear, (draws, 1)), 1, sampler="meta", burn_in=steps, thin=1,
            start=np.tile(best, (draws, 1)), random_state=number,
        )  # fmt: skip
        log_z -= math.log(np.exp((before - beta) / beta * drawn.value).mean())
    assert abs(log_z - np.logaddexp.reduce(values)) < math.log(1 + epsilon / 2)


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_cooling_ends_near_the_optimum_of_a_convex_set(n: int) -> None:
    """The theorem that chapter 7 quotes, on the cube [0, 1]^n, the convex hull of all label sets.

    Under p ∝ exp(−⟨c, z⟩/T) on a convex set the mean of ⟨c, z⟩ is at most n T above the least value (Kalai and Vempala,
    2006, lemma 4.1). So with probability 1 − δ a draw at T_I = R (1 − 1/√n)^I ≤ εδ/n is within ε, by Markov's
    inequality, and I = ⌈√n ln(R n/(εδ))⌉ levels reach that. The means are integrals in closed form, side by side.
    """
    rng = np.random.default_rng(n)
    cost = rng.normal(size=n)
    cost /= np.linalg.norm(cost)
    least = np.minimum(cost, 0).sum()

    def mean(temperature: float) -> float:
        t = np.abs(cost) / temperature  # from the better end of each side
        ends = 1 / t - 1 / np.expm1(np.minimum(t, 700))
        return float(least + (np.abs(cost) * ends).sum())

    radius, epsilon, delta = math.sqrt(n), 0.01, 0.1
    levels = math.ceil(math.sqrt(n) * math.log(radius * n / (epsilon * delta)))
    temperatures = radius * (1 - 1 / math.sqrt(max(n, 2))) ** np.arange(levels + 1)
    for temperature in temperatures:
        assert mean(temperature) <= least + n * temperature + 1e-12
    assert n == 1 or temperatures[-1] <= epsilon * delta / n
    assert mean(epsilon * delta / n) - least <= epsilon * delta * (1 + 1e-9)


@pytest.mark.parametrize("structure", SMALL)
def test_cold_draws_are_near_the_optimum_of_a_finite_set(structure: Structure) -> None:
    """Chapter 7 for sets that are not convex: P(h < max − ε) ≤ |Y| exp(−ε/T), over all outputs.

    So a draw at T = ε/ln(|Y|/δ) is within ε of the largest score with probability 1 − δ.
    """
    _, values = scores_of_all(structure)
    for epsilon in (0.1, 1.0, 3.0):
        for delta in (0.5, 0.01):
            temperature = epsilon / (structure.log_count() - math.log(delta))
            p = distribution(values / temperature)
            assert p[values < values.max() - epsilon].sum() <= delta
