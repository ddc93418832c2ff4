"""Sampling from p ∝ exp⟨s, ψ⟩ through Python, against enumeration; diagnostics; refusals; interrupts.

Seeds are fixed. A correct sampler fails one χ² test with probability 1e-6; about forty are made.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from combpred import CapabilityError, sampling
from combpred.sampling.samplers import SAMPLERS
from combpred.structures import (
    Assignments,
    Custom,
    Cycles,
    Graphs,
    Hierarchy,
    LabelSets,
    PartialOrders,
    Permutations,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)

FALSE_ALARM = 1e-6
TREE = [-1, 0, 0, 1, 1]
STRUCTURES: list[Structure] = [
    Assignments(3),
    Cycles(4),
    Graphs(3),
    Hierarchy(TREE),
    LabelSets(4),
    LabelSets(4, size=2),
    PartialOrders(3),
    Permutations(4),
    SpanningTrees(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
    Subtrees(TREE),
    Tournaments(2),
    WeakOrders(3),
]
SETS = (LabelSets(4), Graphs(3), Subtrees(TREE))


def key(y: object) -> tuple[int, ...]:
    """Return an output as a key of a dictionary."""
    return tuple(np.ravel(y).tolist())


def fits(structure: Structure, scores: np.ndarray, y: np.ndarray) -> None:
    """Fail unless the rows of y are independent draws from p, by χ² over outputs with enough expected."""
    members = list(structure.enumerate())
    values = structure.embed(members) @ scores
    p = np.exp(values - values.max())
    p /= p.sum()
    number = {key(member): i for i, member in enumerate(members)}
    frequency = np.bincount([number[key(row)] for row in y], minlength=len(p))
    expected = p * len(y)
    common = expected >= 8
    seen = [*frequency[common], *([frequency[~common].sum()] if expected[~common].sum() >= 8 else [])]
    want = [*expected[common], *([expected[~common].sum()] if expected[~common].sum() >= 8 else [])]
    statistic = sum((s - w) ** 2 / w for s, w in zip(seen, want, strict=True))
    assert chi2.sf(statistic, len(want) - 1) > FALSE_ALARM


def scores_of(structure: Structure, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=structure.n_features)


@pytest.mark.versionless
@pytest.mark.parametrize("sampler", ["cftp", "rejection"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_exact_samples_follow_the_distribution(structure, sampler):
    scores = scores_of(structure)
    drawn = sampling.sample(structure, scores, 2000, sampler=sampler, random_state=1)
    fits(structure, scores, drawn.y[:, 0])
    values = structure.embed(list(structure.enumerate())) @ scores
    beta = np.exp(values - values.max()).mean()
    # Geometric numbers of mean 1/β; 5.3 standard errors are left by chance with probability 1e-7.
    error = math.sqrt((1 / beta) * (1 / beta - 1) / 2000) + 1e-12
    assert abs(drawn.steps.mean() - sampling.theory.meta_coalescence_time(math.log(beta))) < 5.3 * error
    np.testing.assert_allclose(drawn.value[:, 0], structure.embed(list(drawn.y[:, 0])) @ scores, atol=1e-12)
    assert drawn.is_exact


@pytest.mark.versionless
@pytest.mark.parametrize("structure", SETS)
def test_monotone_samples_follow_the_distribution(structure):
    scores = 2 * scores_of(structure)
    drawn = sampling.sample(structure, scores, 2000, sampler="monotone", random_state=2)
    assert drawn.is_exact
    fits(structure, scores, drawn.y[:, 0])


@pytest.mark.versionless
@pytest.mark.parametrize("structure", STRUCTURES)
def test_auto_takes_the_recursion_where_it_is_affordable(structure):
    scores = 2 * scores_of(structure)
    drawn = sampling.sample(structure, np.array([scores, -scores]), 2000, random_state=2)
    assert drawn.sampler == "exact" and drawn.is_exact
    fits(structure, scores, drawn.y[:, 0])
    np.testing.assert_allclose(drawn.value[:, 1], structure.embed(list(drawn.y[:, 1])) @ -scores, atol=1e-12)
    assert (drawn.steps == 1).all() and (drawn.accepted == 1).all() and drawn.steps.shape == (2000, 2)
    again = sampling.sample(structure, np.array([scores, -scores]), 2000, sampler="exact", random_state=2)
    np.testing.assert_array_equal(again.y, drawn.y)


def test_auto_beyond_recursions():
    sets = Graphs(7)  # 2 million of them, and independent edges
    assert sampling.sample(sets, np.ones(21), random_state=0).sampler == "exact"
    large, weak = Permutations(24), np.full(276, 0.002)
    assert sampling.sample(large, weak, 5, random_state=0).sampler == "cftp"
    assert sampling.sample(large, 200 * weak, 5, random_state=0).sampler == "local"
    started = sampling.sample(Permutations(4), np.ones(6), start=[[1, 2, 3, 4]], random_state=0)
    assert started.sampler == "local"


@pytest.mark.versionless
@pytest.mark.parametrize("sampler", ["meta", "local"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_chains_reach_the_distribution(structure, sampler):
    # A chain for each draw, so that draws are independent.
    scores = scores_of(structure) / 2
    drawn = sampling.sample(structure, np.tile(scores, (1500, 1)), sampler=sampler, burn_in=500, random_state=3)
    fits(structure, scores, drawn.y[0])
    assert not drawn.is_exact
    assert (drawn.acceptance > 0.05).all()


def test_rows_and_formats():
    structure = Permutations(3)
    scores = np.array([[9.0, 9.0, 9.0], [-9.0, -9.0, -9.0]])
    drawn = sampling.sample(structure, scores, 5, sampler="local", random_state=0)
    assert drawn.y.shape == (5, 2, 3)
    assert drawn.value.shape == drawn.steps.shape == drawn.accepted.shape == (5, 2)
    np.testing.assert_array_equal(drawn.y[-1], [[1, 2, 3], [3, 2, 1]])
    again = sampling.sample(structure, scores[:1], 5, sampler="local", random_state=0, n_jobs=2)
    np.testing.assert_array_equal(again.y[:, 0], drawn.y[:, 0])  # each row has its own stream
    turned = sampling.sample(structure, scores[::-1], 5, sampler="local", random_state=0)
    np.testing.assert_array_equal(turned.y, drawn.y[:, ::-1])
    kept = sampling.sample(structure, scores, sampler="local", burn_in=0, thin=1, start=drawn.y[-1], random_state=1)
    assert (np.abs(kept.y[0] - drawn.y[-1]).sum(axis=1) <= 4).all()  # one move from where it began


def test_partial_orders_beyond_uniform_samples_have_local_chains():
    drawn = sampling.sample(PartialOrders(9), np.ones(36), 3, random_state=0)
    assert drawn.sampler == "local"
    PartialOrders(9).validate(drawn.y[:, 0])
    with pytest.raises(CapabilityError):
        sampling.sample(PartialOrders(9), np.ones(36), sampler="cftp")


class UsersOwn:
    """Subsets of three things by functions."""

    structure = Custom.from_sampler(lambda rng: rng.integers(0, 2, size=3), lambda y: np.asarray(y, dtype=float))
    scores = np.array([1.0, -0.5, 0.2])


@pytest.mark.parametrize(
    ("sampler", "options"), [("auto", {}), ("cftp", {"bound": 1.2}), ("rejection", {"bound": 1.5})]
)
def test_a_users_own_structure_is_sampled(sampler, options):
    drawn = sampling.sample(
        UsersOwn.structure, UsersOwn.scores, 1000, sampler=sampler, thin=8, random_state=4, **options
    )
    assert drawn.sampler == ("meta" if sampler == "auto" else sampler)
    fits(LabelSets(3), UsersOwn.scores, drawn.y[:, 0].astype(np.int32))


@pytest.mark.parametrize("bound", [1.2, [1.2]])
def test_auto_draws_exactly_where_a_bound_is_given(bound):
    drawn = sampling.sample(UsersOwn.structure, UsersOwn.scores, 1000, bound=bound, random_state=4)
    assert drawn.sampler == "cftp" and drawn.is_exact
    fits(LabelSets(3), UsersOwn.scores, drawn.y[:, 0].astype(np.int32))
    with pytest.raises(ValueError) as caught:
        sampling.sample(UsersOwn.structure, UsersOwn.scores, 100, bound=0.1, random_state=0)
    assert caught.value.row == 0
    far = sampling.sample(UsersOwn.structure, UsersOwn.scores, bound=40.0, random_state=0)
    assert far.sampler == "meta"  # exp(40) proposals for a sample


def test_bounds_mean_the_same_for_samples_and_partition_functions():
    structure, scores = (
        Custom.from_sampler(
            lambda rng: rng.integers(0, 2, size=3), np.asarray, log_count=3 * math.log(2), n_moment_samples=100
        ),
        np.array([UsersOwn.scores, -UsersOwn.scores]),
    )
    for bound in (1.2, [1.2, 1.2]):
        assert sampling.sample(structure, scores, bound=bound, random_state=0).is_exact
        found = sampling.log_partition(structure, scores, bound=bound, epsilon=0.9, delta=0.25, random_state=0)
        assert set(found.details.sampler) == {"cftp"}
    for function in (sampling.sample, sampling.log_partition):
        with pytest.raises(ValueError) as caught:
            function(structure, scores, bound=[1.3, -1.0])
        assert "bound" in str(caught.value) and caught.value.row == 1


@pytest.mark.parametrize(
    ("options", "error", "row"),
    [
        ({"sampler": "cftp"}, CapabilityError, None),
        ({"sampler": "local"}, CapabilityError, None),
        ({"sampler": "rejection", "bound": 0.1}, ValueError, 0),
        ({"sampler": "rejection", "bound": 60.0, "max_steps": 9}, sampling.SamplingError, 0),
    ],
)
def test_a_users_own_structure_is_refused_what_it_lacks(options, error, row):
    with pytest.raises(error) as caught:
        sampling.sample(UsersOwn.structure, UsersOwn.scores, 50, random_state=0, **options)
    assert any(name in str(caught.value) for name in options)
    assert caught.value.row == row


@pytest.mark.parametrize("sampler", ["auto", *sorted({*sampling.samplers.SAMPLERS} - {"exact"})])
def test_without_a_users_own_sampler_nothing_is_drawn(sampler):
    structure = Custom(
        log_count=3 * np.log(2), mean=[0.5] * 3, second_moment=np.full((3, 3), 0.25) + np.eye(3) / 4, embed=np.asarray
    )
    with pytest.raises(CapabilityError) as caught:
        sampling.sample(structure, UsersOwn.scores, sampler=sampler, random_state=0)
    assert "sampler='auto' is not possible" not in str(caught.value)
    with pytest.raises(CapabilityError) as caught:
        sampling.log_partition(structure, UsersOwn.scores, method="annealed")
    assert caught.value.row is None


def test_diagnostics_agree_with_their_definitions():
    x = np.random.default_rng(0).normal(size=(3, 41)).cumsum(axis=1)
    centred = x - x.mean(axis=1, keepdims=True)
    want = [[(c[lag:] * c[: 41 - lag]).sum() / (c * c).sum() for lag in range(41)] for c in centred]
    np.testing.assert_allclose(sampling.autocorrelation(x), want, atol=1e-12)
    halves = np.concatenate([x[:, :20], x[:, -20:]])
    within = halves.var(axis=1, ddof=1).mean()
    pooled = within * 19 / 20 + halves.mean(axis=1).var(ddof=1)
    assert sampling.split_r_hat(x) == pytest.approx(math.sqrt(pooled / within), rel=1e-12)
    covariances = np.mean(
        [[((h - h.mean())[lag:] * (h - h.mean())[: 20 - lag]).sum() / 19 for lag in range(20)] for h in halves], axis=0
    )
    rho = 1 - (within - covariances) / pooled
    rho[0] = 1
    tau, last = -1.0, math.inf
    for lag in range(0, 19, 2):
        if rho[lag] + rho[lag + 1] <= 0:
            break
        last = min(last, rho[lag] + rho[lag + 1])
        tau += 2 * last
    assert sampling.effective_sample_size(x) == pytest.approx(120 / tau, rel=1e-10)
    assert math.isnan(sampling.split_r_hat(np.ones(9))) and math.isnan(sampling.effective_sample_size(x[0, :3]))
    assert sampling.effective_sample_size(np.tile([1.0, -1.0], 500)) == pytest.approx(1000 * math.log10(1000))
    assert math.isnan(sampling.split_r_hat([]))
    for bad in (np.ones((2, 2, 2)), [1.0, np.nan]):
        with pytest.raises(ValueError):
            sampling.effective_sample_size(bad)


def test_bounds():
    assert sampling.theory.meta_mixing_bound(0.0) == 1
    assert sampling.theory.meta_mixing_bound(-1000.0) == math.inf == sampling.theory.meta_coalescence_time(-1000.0)
    assert sampling.theory.meta_mixing_bound(-720.0) == math.inf  # exp(-720) is a number, the steps are none
    with pytest.raises(ValueError):
        sampling.theory.meta_mixing_bound(0.1)
    with pytest.raises(ValueError):
        sampling.theory.cube_mixing_bound(3, 1.0)


@pytest.mark.parametrize("method", ["counting", "coupling"])
def test_linear_extensions_are_uniform(method):
    pairs = [(0, 1), (2, 1), (2, 3), (4, 3)]  # a zigzag of five: the Euler number 16
    orders = sampling.linear_extensions(pairs, 5, 1600, method=method, random_state=5)
    position = np.argsort(orders, axis=1)
    assert all((position[:, u] < position[:, v]).all() for u, v in pairs)
    frequency = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(frequency) == 16
    assert chi2.sf(((frequency - 100.0) ** 2 / 100).sum(), 15) > FALSE_ALARM


def test_linear_extensions_refuse():
    assert sampling.linear_extensions([], 30, random_state=0).shape == (1, 30)
    for arguments in (
        ([(0, 1), (1, 0)], 2),
        ([(0, 5)], 3),
        ([(0, 1)], 0),
        ([], 2049),
    ):
        with pytest.raises(ValueError):
            sampling.linear_extensions(*arguments)
    with pytest.raises(CapabilityError):
        sampling.linear_extensions([(i, 99) for i in range(99)], 100, method="counting")


@pytest.mark.parametrize("sampler", ["local", "rejection"])
def test_sampling_is_interrupted(sampler, ctrl_c):
    with ctrl_c(polled=True):
        sampling.sample(Permutations(30), np.full(435, 9.0), sampler=sampler, burn_in=2**40, max_steps=2**40)


@pytest.mark.parametrize(
    "structure", [*STRUCTURES, Graphs(3, hereditary="forest"), Custom.from_structures(["a", "b"], psi=np.eye(2))]
)
def test_what_the_library_can_draw_is_drawn(structure: Structure) -> None:
    able = structure.space.capabilities
    for sampler in set(SAMPLERS) - {"exact"}:  # which is no chain of the library
        try:
            sampling.sample(structure, np.zeros(structure.n_features), 1, sampler=sampler, thin=1, max_steps=1)
            can = True
        except sampling.SamplingError:  # it began
            can = True
        except CapabilityError:
            can = False
        assert can == (sampler in able), sampler
