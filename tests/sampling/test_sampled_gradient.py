"""Marginals by draws: Hoeffding's numbers, both estimates against exact marginals, refusals.

Seeds are fixed. Errors hold together with probability 1 − δ in each run; by the slack of the inequalities behind them a
run fails far more seldom.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from combpred import CapabilityError
from combpred.sampling import SamplingError, estimate_marginals
from combpred.sampling.theory import hoeffding_sample_size
from combpred.structures import Custom, Cycles, LabelSets, Permutations, Structure, Subtrees

TREE = [-1, 0, 0, 1, 1]
STRUCTURES: list[Structure] = [Cycles(4), LabelSets(4, size=2), Permutations(4), Subtrees(TREE)]


def scores_of(structure: Structure) -> np.ndarray:
    return np.random.default_rng(0).normal(size=structure.n_features)


def test_the_number_of_samples():
    assert hoeffding_sample_size(0.1, 0.05) == math.ceil(math.log(40) / 0.02)
    # As the thesis states it, 2 exp(−ε² S / 2R²G²) with R G = 3.
    n = hoeffding_sample_size(0.2, 0.01, 6.0)
    assert 2 * math.exp(-(0.2**2) * n / 18) <= 0.01 < 2 * math.exp(-(0.2**2) * (n - 1) / 18)
    assert hoeffding_sample_size(0.2, 0.01, 0.0) == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0.0, 0.1), ValueError),
        ((math.inf, 0.1), ValueError),
        ((0.1, 1.0), ValueError),
        ((0.1, 0.1, -1.0), ValueError),
        (("x", 0.1), TypeError),
        ((1e-12, 0.1), ValueError),
    ],
)
def test_numbers_that_make_no_sense(arguments, error):
    with pytest.raises(error):
        hoeffding_sample_size(*arguments)


@pytest.mark.parametrize("sampler", ["auto", "cftp", "local"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_averages_are_near(structure, sampler):
    scores = scores_of(structure)
    found = estimate_marginals(structure, [scores, -scores], epsilon=0.1, sampler=sampler, random_state=0)
    exact = structure.marginals(np.array([scores, -scores]))
    assert (found.error <= 0.1 + 1e-12).all()
    assert (np.abs(found.value - exact) <= found.error + 1e-12).all()
    assert found.converged.all()
    assert (found.is_guaranteed == (sampler != "local")).all()
    ranges = np.ptp(structure.embed(list(structure.enumerate())), axis=0)
    if sampler == "auto":
        needed = hoeffding_sample_size(0.1, 0.05 / structure.n_features, ranges.max())
        assert (found.n_samples >= needed).all()


@pytest.mark.parametrize("structure", STRUCTURES)
def test_quotients_of_sums_are_near(structure):
    scores = scores_of(structure)
    found = estimate_marginals(
        structure, scores, epsilon=0.5, delta=0.2, method="counting", sampler="exact", random_state=0
    )
    low = structure.embed(list(structure.enumerate())).min(axis=0)
    exact = structure.marginals(scores)
    assert (np.abs(found.value[0] - exact) <= 0.5 * (exact - low) + 1e-12).all()
    assert (np.abs(found.value[0] - exact) <= found.error[0] + 1e-12).all()


@pytest.mark.slow
@pytest.mark.versionless
def test_quotients_keep_the_digits_of_rare_features():
    structure, scores = LabelSets(2), np.array([-9.0, 0.0])
    found = estimate_marginals(structure, scores, epsilon=0.5, delta=0.2, method="counting", random_state=0)
    assert 0.5 < found.value[0, 0] / structure.marginals(scores)[0] < 1.5  # a chance of 1e-4
    # Averages are counts of draws: of the 220 of a row, after one that is not averaged, 0.027 have the feature. In 400
    # rows that makes 10.9, and none, or more than 30, with a probability of 2e-5.
    averaged = estimate_marginals(structure, np.tile(scores, (400, 1)), epsilon=0.1, random_state=0)
    counts = averaged.value[:, 0] * (averaged.n_samples - 1)
    np.testing.assert_allclose(counts, counts.round(), rtol=0, atol=1e-9)
    assert 1 <= counts.round().sum() <= 30


def test_results_do_not_depend_on_threads_or_later_rows():
    structure = Permutations(4)
    rows = np.array([scores_of(structure), -scores_of(structure)])
    one = estimate_marginals(structure, rows, epsilon=0.3, sampler="local", random_state=1, n_jobs=1)
    two = estimate_marginals(structure, rows[:1], epsilon=0.3, sampler="local", random_state=1, n_jobs=2)
    np.testing.assert_array_equal(one.value[:1], two.value)


def test_outputs_that_only_python_knows():
    own = Custom.from_sampler(lambda rng: rng.integers(0, 2, size=3), np.asarray, n_moment_samples=100)
    scores = np.array([1.0, -0.5, 0.2])
    with pytest.raises(CapabilityError):
        estimate_marginals(own, scores)
    found = estimate_marginals(own, scores, epsilon=0.2, feature_range=(0, [1, 1, 1]), random_state=0)
    assert (np.abs(found.value[0] - 1 / (1 + np.exp(-scores))) <= 0.2).all()
    assert found.sampler.tolist() == ["meta"]
    with pytest.raises(CapabilityError):
        estimate_marginals(own, scores, method="counting", feature_range=(0, 1))


@pytest.mark.parametrize(
    ("changes", "error", "row"),
    [
        ({"epsilon": 0}, ValueError, None),
        ({"delta": 1}, ValueError, None),
        ({"method": "exact"}, ValueError, None),
        ({"sampler": "none"}, ValueError, None),
        ({"feature_range": 1}, TypeError, None),
        ({"feature_range": (0, [1, 1])}, ValueError, None),
        ({"feature_range": (1, 0)}, ValueError, None),
        ({"sampler": "cftp", "max_steps": 10}, SamplingError, 0),
        ({"method": "counting", "max_steps": 3000, "sampler": "exact"}, SamplingError, 0),
    ],
)
def test_refusals(changes, error, row):
    with pytest.raises(error) as caught:
        estimate_marginals(Permutations(4), np.ones(6), **changes)
    assert any(name in str(caught.value) for name in changes)
    assert getattr(caught.value, "row", None) == row


def test_chains_beyond_their_budget_are_reported():
    with pytest.warns(ConvergenceWarning):
        found = estimate_marginals(Permutations(8), np.full(28, 2.0), sampler="local", max_steps=5000, random_state=0)
    assert not found.converged[0]
    assert (found.error > 0.1).all()
