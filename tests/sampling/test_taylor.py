"""The Taylor approximation of partition functions: order of its error, gradients, range."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

from combpred import ApproximationWarning, CapabilityError
from combpred.sampling import LogPartition, TaylorDetails, log_partition
from combpred.structures import (
    Assignments,
    Custom,
    Cycles,
    Graphs,
    LabelSets,
    PartialOrders,
    Permutations,
    Structure,
    Subtrees,
    WeakOrders,
)

STRUCTURES: list[Structure] = [
    Assignments(4),
    Cycles(5),
    LabelSets(5, size=2),
    Permutations(4),
    Subtrees([-1, 0, 0, 1, 1]),
    WeakOrders(3),
]


def expanded(structure: Structure, scores: object, **options: object) -> LogPartition:
    found = log_partition(structure, scores, method="taylor", **options)
    assert found.method == "taylor" and isinstance(found.details, TaylorDetails)
    assert not found.is_exact.any() and not found.n_samples.any()
    assert (found.lower <= found.value).all() and (found.value <= found.upper).all()
    return found


def scores_of(structure: Structure) -> np.ndarray:
    return np.random.default_rng(0).normal(size=structure.n_features)


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_expansion_is_that_of_all_outputs(structure, centred):
    scores = 0.1 * scores_of(structure)
    values = structure.embed(list(structure.enumerate())) @ scores
    mean = values.mean() if centred else 0.0
    series = 1 + values - mean + (values - mean) ** 2 / 2
    found = expanded(structure, scores, centred=centred)
    assert found.value[0] == pytest.approx(math.log(len(values)) + mean + math.log(series.mean()), abs=1e-12)
    assert found.details.spread[0] == pytest.approx(np.abs(values - values.mean()).max(), abs=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_error_is_of_third_order(structure):
    scores = scores_of(structure) / 100
    error = [abs(float(expanded(structure, s).value[0]) - structure.log_partition(s)) for s in (scores, scores / 4)]
    assert error[1] < error[0] / 40 + 1e-14  # 4³ = 64, and 256 where the third moment is 0
    gradients = [np.abs(expanded(structure, s).details.marginals[0] - structure.marginals(s)).max()
                 for s in (scores, scores / 4)]  # fmt: skip
    assert gradients[1] < gradients[0] / 10 + 1e-14  # 4² = 16


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_marginals_are_the_gradient(structure, centred):
    scores, step = 0.1 * scores_of(structure), 1e-5
    shifts = step * np.eye(structure.n_features)
    high = expanded(structure, scores + shifts, centred=centred).value
    low = expanded(structure, scores - shifts, centred=centred).value
    found = expanded(structure, scores, centred=centred).details.marginals[0]
    np.testing.assert_allclose(found, (high - low) / (2 * step), atol=1e-8)


def test_scores_of_zero():
    structure = Subtrees([-1, 0, 0, 1])
    found = expanded(structure, np.zeros(4))
    assert found.value[0] == pytest.approx(structure.log_count())
    np.testing.assert_allclose(found.details.marginals[0], structure.mean())
    assert found.details.spread[0] == pytest.approx(0.0, abs=1e-15)


def test_centring_helps_where_the_mean_is_not_zero():
    structure, scores = LabelSets(6), np.full(6, 0.3)
    errors = [
        abs(expanded(structure, scores, centred=centred).value[0] - structure.log_partition(scores))
        for centred in (True, False)
    ]
    assert errors[0] < errors[1] / 3


def test_a_warning_outside_the_range():
    structure = LabelSets(3)  # centred scores reach half the sum of magnitudes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expanded(structure, [[1.0, -1.0, 0.0], [0.5, 0.5, 0.5]])
    with pytest.warns(ApproximationWarning, match=r"row 1: .* by up to 1\.5 .*1 of 2 rows") as warned:
        found = expanded(structure, [[0.0, 0.0, 0.0], [1.0, -1.0, 1.0]])
    assert warned[0].filename == __file__
    np.testing.assert_allclose(found.details.spread, [0.0, 1.5])


def test_outputs_that_only_python_knows():
    own = Custom.from_sampler(
        lambda rng: rng.integers(0, 2, size=3), np.asarray, log_count=3 * math.log(2), n_moment_samples=1000
    )
    with pytest.warns(ApproximationWarning) as warned:
        found = expanded(own, [0.1, 0.1, -0.1])
    assert len(warned) == 1 and warned[0].filename == __file__
    assert np.isnan(found.details.spread[0])
    # Moments of 1000 draws: entries of the mean have standard errors of 0.016; five of them.
    assert found.value[0] == pytest.approx(LabelSets(3).log_partition([0.1, 0.1, -0.1]), abs=0.02)
    with (
        pytest.warns(ApproximationWarning, match="standard deviation"),
        pytest.warns(ApproximationWarning, match="sampled"),
    ):
        expanded(own, [3.0, 0.0, 0.0])


def test_refusals():
    with pytest.raises(ValueError):
        expanded(LabelSets(3), np.zeros(4))
    nameless = Custom.from_sampler(lambda rng: rng.integers(0, 2, size=3), np.asarray, n_moment_samples=100)
    with pytest.raises(CapabilityError):
        expanded(nameless, np.zeros(3))


def test_moments_of_a_larger_space_are_refused():
    """Partial orders of 8 items have the moments of partial tournaments, whose pairs are independent."""
    large = PartialOrders(8)
    assert large.moments_info.kind == "relaxed"
    with pytest.raises(CapabilityError):
        expanded(large, np.zeros(large.n_features))
    assert expanded(PartialOrders(4), np.zeros(6)).value[0] == pytest.approx(math.log(219))
    assert named_by_advice(large) == {"moments", "inference", "method"}
    with pytest.warns(ApproximationWarning):
        expanded(PartialOrders(8, moments="sampled"), np.zeros(large.n_features))


def named_by_advice(structure):
    """Return the parameters that the refusal of relaxed moments names, behind the structure itself."""
    with pytest.raises(CapabilityError) as caught:
        expanded(structure, np.zeros(structure.n_features))
    return set(re.findall(r"(\w+)=", str(caught.value).replace(repr(structure), "")))


def at_most_two(held):
    return held.sum() <= 2


@pytest.mark.parametrize("hereditary", ["forest", "bipartite", at_most_two])
def test_graphs_with_a_property_are_summed_or_expanded_without_it(hereditary):
    structure, scores = Graphs(4, hereditary=hereditary), np.linspace(-0.1, 0.1, 6)
    assert named_by_advice(structure) == {"inference", "method", "hereditary"}
    assert log_partition(structure, scores, method="exact").is_exact.all()
    structure.set_params(hereditary=None)
    assert expanded(structure, scores).value[0] == pytest.approx(structure.log_partition(scores), abs=1e-4)


def test_independence_systems_are_expanded_about_the_moments_of_draws():
    """Of 20 elements, at most 12: more sets than can be listed, whose moments are relaxed unless they are drawn."""

    def contains(held):
        return held.sum() <= 12

    def draw(rng):
        while not contains(held := rng.random(20) < 0.5):
            pass
        return held

    log_count = math.log(sum(math.comb(20, size) for size in range(13)))
    assert named_by_advice(Custom.from_oracle(20, contains, log_count=log_count)) == {"sample"}
    drawn = Custom.from_oracle(20, contains, sample=draw, log_count=log_count, random_state=0)
    with pytest.warns(ApproximationWarning):
        found = expanded(drawn, np.full(20, 0.05)).value[0]
    assert found == pytest.approx(math.log(sum(math.comb(20, n) * math.exp(0.05 * n) for n in range(13))), abs=0.05)


def test_sampled_moments_are_as_good_as_their_errors():
    """Those of partial orders of 5 items from samples, beside the exact ones of a list of all 4231."""
    sampled, scores = PartialOrders(5, moments="sampled"), 0.1 * scores_of(PartialOrders(5))
    with pytest.warns(ApproximationWarning):
        found = expanded(sampled, scores).value[0]
    # Errors of the mean and of half the second moment, were all as large as the largest and of the sign of the scores.
    reach, error = np.abs(scores).sum(), sampled.moments_info.standard_error
    exact = expanded(PartialOrders(5), scores).value[0]
    assert 0 < error < 2e-3 and abs(found - exact) < 5 * error * (reach + reach**2)


def test_far_from_uniform_the_value_is_within_what_is_proven():
    scores = np.array([30.0, -30.0, 30.0])
    with pytest.warns(ApproximationWarning):
        found = expanded(LabelSets(3), scores)
    exact = LabelSets(3).log_partition(scores)
    assert found.details.expansion[0] < found.lower[0] == found.value[0] == 60.0 <= exact <= found.upper[0]
