"""Consensuses by positions against enumeration, and against their definitions."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from combpred.aggregation import borda, footrule, kemeny, median_rank
from combpred.metrics import spearman_footrule
from random_profiles import KINDS, random_profile

# Random numbers stand for rankings: they are compared as positions are, and may leave items unknown.
pytestmark = pytest.mark.filterwarnings("ignore:rankings are read as positions", "ignore:no ranking compares item")

FUNCTIONS = {"borda": borda, "footrule": footrule, "median": median_rank}


def mean_positions(ranks: np.ndarray) -> np.ndarray:
    """Return the mean position over all orders of the items that agree with each row, by listing them."""
    k = ranks.shape[1]
    orders = np.array(list(permutations(range(1, k + 1))))
    means = np.full(ranks.shape, np.nan)
    for row, mean in zip(ranks, means, strict=True):
        known = np.flatnonzero(row >= 0)
        agree = np.ones(len(orders), dtype=bool)
        for u in known:
            for v in known:
                if row[u] < row[v]:
                    agree &= orders[:, u] < orders[:, v]
        mean[known] = orders[agree][:, known].mean(axis=0)
    return means


@pytest.mark.parametrize("kind", KINDS)
def test_against_all_orders(kind):
    rng = np.random.default_rng(len(kind))
    ratios = set()
    for _ in range(30):
        k = int(rng.integers(2, 6))
        ranks, weights = random_profile(rng, kind, k, int(rng.integers(1, 6)))
        means = mean_positions(ranks)
        orders = np.array(list(permutations(range(1, k + 1))))
        apart = np.abs(means[:, np.newaxis] - orders)
        total = weights @ np.nan_to_num(apart).sum(axis=2)
        filled = np.where(np.isnan(means), (k + 1) / 2, means)
        squared = weights @ ((filled[:, np.newaxis] - orders) ** 2).sum(axis=2)

        result = borda(ranks, weights=weights)
        at = int(np.flatnonzero((orders == result.consensus).all(axis=1))[0])
        assert result.distance == pytest.approx(squared.min()) == pytest.approx(squared[at])
        assert result.optimal and result.ratio == 1.0 and result.lower_bound == result.distance

        result = footrule(ranks, weights=weights)
        at = int(np.flatnonzero((orders == result.consensus).all(axis=1))[0])
        assert result.distance == pytest.approx(total.min()) == pytest.approx(total[at])
        assert result.optimal

        result = median_rank(ranks, weights=weights)
        at = int(np.flatnonzero((orders == result.consensus).all(axis=1))[0])
        assert result.distance == pytest.approx(total[at])
        assert result.lower_bound <= total.min() + 1e-9
        ratios.add(result.ratio)
        if result.ratio is not None:
            assert total[at] <= result.ratio * total.min() + 1e-9
    assert ratios >= {"strict": {1.0, 2.0}, "ties": {1.0, 3.0}, "unknown": {None}}[kind]


def test_medians_keep_their_guarantee_on_many_profiles():
    """Few rankings of 5 items, where medians tie most, against the exact footrule."""
    rng = np.random.default_rng(0)
    worst = {}
    for trial in range(120):
        kind = KINDS[trial % 2]
        ranks, weights = random_profile(rng, kind, 5, int(rng.integers(2, 5)))
        found, best = median_rank(ranks, weights=weights), footrule(ranks, weights=weights)
        assert best.distance <= found.distance + 1e-9 <= {"strict": 2, "ties": 3}[kind] * best.distance + 1e-6
        if best.distance > 0:
            worst[kind] = max(worst.get(kind, 1.0), found.distance / best.distance)
    assert worst["strict"] > 1.2  # else the test shows nothing


def test_distances_are_those_of_the_metrics():
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 5, size=(6, 5))
    result = footrule(ranks)
    expected = spearman_footrule(ranks, np.tile(result.consensus, (6, 1)), per_row=True).sum()
    assert result.distance == pytest.approx(expected)


def test_the_footrule_is_near_the_kendall_optimum():
    """Diaconis and Graham (1977): at most twice the least Kendall distance."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        ranks, weights = random_profile(rng, "strict", 6, 4)
        y = footrule(ranks, weights=weights).consensus
        inverted = (ranks[:, :, None] < ranks[:, None, :]) & (y[:, None] > y)
        assert weights @ inverted.sum(axis=(1, 2)) <= 2 * kemeny(ranks, weights=weights).distance + 1e-9


def test_items_that_nobody_ranks_are_in_the_middle():
    ranks = [[1, -1, 2], [1, -1, 2]]
    for function in FUNCTIONS.values():
        assert function(ranks).consensus.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_weights_are_numbers_of_equal_rankings(name):
    ranks = np.array([[1, 2, 3, 4], [4, 1, 2, 3], [3, 4, 1, 2]])
    weighted, repeated = FUNCTIONS[name](ranks, weights=[2, 0, 3]), FUNCTIONS[name](ranks[[0, 0, 2, 2, 2]])
    assert weighted.distance == pytest.approx(repeated.distance)
    np.testing.assert_array_equal(weighted.consensus, repeated.consensus)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_refusals(name):
    with pytest.raises(ValueError) as caught:
        FUNCTIONS[name]([[1, 2], [1, -2]])
    assert (caught.value.argument, caught.value.row) == ("rankings", 1)
    with pytest.raises(ValueError) as caught:
        FUNCTIONS[name]([[1, 2], [1, 2]], weights=[np.nan, 1])
    assert caught.value.row == 0
