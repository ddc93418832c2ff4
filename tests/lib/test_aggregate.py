"""Pairs of rankings and groups of items by the core, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from combpred._lib.rankings import Profile, item_groups, pair_counts
from random_profiles import KINDS, all_orders, least, random_profile

ORDERS = all_orders(6)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_are_counted_where_both_items_are_known(kind):
    rng = np.random.default_rng(4)
    for _ in range(15):
        ranks, weights = random_profile(rng, kind, 6, 5)
        known = (ranks >= 0)[:, :, None] & (ranks >= 0)[:, None, :] & ~np.eye(6, dtype=bool)
        pairs = pair_counts(Profile(np.where(ranks < 0, np.nan, ranks), weights))
        before = np.tensordot(weights, known & (ranks[:, :, None] < ranks[:, None, :]), 1)
        tied = np.tensordot(weights, known & (ranks[:, :, None] == ranks[:, None, :]), 1)
        np.testing.assert_allclose(pairs.before, before, atol=1e-12)
        np.testing.assert_allclose(pairs.tied, tied, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_groups_follow_one_another_in_a_best_order(kind):
    """The extended Condorcet criterion: some best order has no item of a later group before one of an earlier."""
    rng = np.random.default_rng(3)
    sizes = set()
    for _ in range(15):
        ranks, weights = random_profile(rng, kind, 6, 5)
        before = pair_counts(Profile(np.where(ranks < 0, np.nan, ranks), weights)).before
        groups = item_groups(before)
        sizes.add(len(groups))
        assert sorted(np.concatenate(groups).tolist()) == list(range(6))
        number = np.empty(6, dtype=int)
        for i, items in enumerate(groups):
            number[items] = i
            if len(items) > 1:  # each item of a group reaches every other one through majorities
                reach = np.linalg.matrix_power(np.eye(len(items)) + (before > before.T)[np.ix_(items, items)], 6)
                assert (reach > 0).all()
        divided = [y for y in ORDERS if not (y & (number[:, None] > number)).any()]
        assert least(ranks, weights, divided) == pytest.approx(least(ranks, weights, ORDERS), abs=1e-9)
    assert len(sizes) > 2
