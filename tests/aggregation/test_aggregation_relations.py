"""Consensuses with ties, partial orders as input and as output."""

from __future__ import annotations

import numpy as np
import pytest

from combpred import CapabilityError
from combpred.aggregation import acyclic_majority, borda, footrule, kemeny, median_rank
from combpred.sampling import linear_extensions
from random_profiles import (
    KINDS,
    all_orders,
    all_partial_orders,
    all_weak_orders,
    kendall,
    least,
    random_profile,
    relation_of,
)

# Random numbers stand for rankings: they are compared as positions are, and may leave items unknown.
pytestmark = pytest.mark.filterwarnings("ignore:rankings are read as positions", "ignore:no ranking compares item")

MEMBERS = {"weak": {k: all_weak_orders(k) for k in (3, 4, 5)}, "partial": {k: all_partial_orders(k) for k in (3, 4)}}
FORK = np.array([[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["auto", "exact", "local-search", "best-input"])
@pytest.mark.parametrize("output", ["weak", "partial"])
def test_against_all_members(output, method, kind):
    rng = np.random.default_rng(sum(map(ord, output + method + kind)))
    for _ in range(25):
        k = int(rng.choice(list(MEMBERS[output])))
        ranks, weights = random_profile(rng, kind, k, int(rng.integers(1, 6)))
        penalty = float(rng.choice([0.0, 0.25, 0.5, 0.8]))
        result = kemeny(ranks, weights=weights, output=output, method=method, penalty=penalty)
        before = result.consensus if output == "partial" else relation_of(result.consensus)
        best = least(ranks, weights, MEMBERS[output][k], penalty)
        assert result.distance == pytest.approx(kendall(ranks, weights, before, penalty), abs=1e-9)
        assert result.lower_bound - 1e-9 <= best <= result.distance + 1e-9
        assert any(np.array_equal(before, member) for member in MEMBERS[output][k])
        if result.optimal:
            assert result.distance == pytest.approx(best, abs=1e-9) and result.ratio == 1.0
        else:
            assert method in ("local-search", "best-input")
            assert (result.ratio is None) == (kind == "unknown" or penalty == 0.0)
            assert result.ratio is None or result.distance <= result.ratio * best + 1e-9


def test_more_freedom_costs_less():
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(9) for _ in range(4)])
    order, weak = kemeny(ranks, penalty=0.3), kemeny(ranks, output="weak", penalty=0.3)
    partial = kemeny(ranks, output="partial", penalty=0.3)
    assert partial.lower_bound <= weak.distance <= order.distance
    assert partial.distance <= kemeny(ranks, output="partial", penalty=0.3, method="best-input").distance
    with pytest.raises(AttributeError):
        partial.order  # noqa: B018


def test_a_penalty_is_a_threshold_on_majorities():
    """An order of a pair is worth taking where a share of more than 1 − penalty has it."""
    ranks = [[1, 2]] * 7 + [[2, 1]] * 3
    for output in ("weak", "partial"):
        for penalty, apart in ((0.29, True), (0.31, False)):
            result = kemeny(ranks, output=output, penalty=penalty)
            before = result.consensus if output == "partial" else relation_of(result.consensus)
            assert before.any() != apart


def test_large_relations_fall_back_to_search():
    ranks = np.array([np.random.default_rng(seed).permutation(18) for seed in range(9)])
    for output, limit in (("weak", 16), ("partial", 7)):
        result = kemeny(ranks, output=output, penalty=0.4, method="local-search")
        assert result.method == "local-search" and result.ratio == pytest.approx(2.5)
        assert 0 < result.lower_bound < result.distance
        with pytest.raises(CapabilityError) as caught:
            kemeny(ranks, output=output, penalty=0.4, method="exact")
        assert f"limited to size {limit}, this one has size 18; take method milp" in str(caught.value)


# Partial orders as input.


def test_partial_orders_are_sampled():
    """Exact means over all linear extensions lie within 4.5 standard errors: false alarms below 1e-5 each."""
    relations = np.array([FORK, FORK.T])
    extensions = [linear_extensions(np.argwhere(r), 4, 4000, random_state=0) for r in relations]
    every = [np.unique(np.argsort(e, axis=1), axis=0) + 1 for e in extensions]
    weights = [3.0, 1.0]
    for function in (kemeny, borda, footrule, median_rank):
        result = function(relations, weights=weights, n_extensions=400, random_state=1)
        assert result.standard_error > 0
        y = result.consensus
        power = {kemeny: 0, borda: 2, footrule: 1, median_rank: 1}[function]
        if power:
            means = [(np.abs(rows - y) ** power).sum(axis=1).mean() for rows in every]
        else:
            means = [kendall(rows, np.ones(len(rows)), relation_of(y), 0.5) / len(rows) for rows in every]
        assert abs(result.distance - np.dot(weights, means)) < 4.5 * result.standard_error


def test_total_relations_are_rankings():
    ranks = np.array([[1, 2, 3, 4], [2, 4, 1, 3], [4, 3, 1, 2]])
    relations = ranks[:, :, None] < ranks[:, None, :]
    result = kemeny(relations, n_extensions=2, random_state=0)
    assert result.distance == pytest.approx(kemeny(ranks).distance)
    assert result.standard_error == 0.0
    again = kemeny(np.array([FORK]), n_extensions=5, random_state=3)
    np.testing.assert_array_equal(again.consensus, kemeny([FORK], n_extensions=5, random_state=3).consensus)


def test_refused_relations():
    chain = np.zeros((1, 3, 3), dtype=bool)
    chain[0, 0, 1] = chain[0, 1, 2] = True
    with pytest.raises(ValueError) as caught:
        kemeny(chain)
    assert (caught.value.argument, caught.value.row) == ("rankings", 0)
    with pytest.raises(ValueError):
        kemeny([FORK], n_extensions=1)


# Acyclic majorities.


@pytest.mark.parametrize("method", ["auto", "exact", "milp", "local-search"])
def test_acyclic_majorities_against_all_orders(method):
    rng = np.random.default_rng(len(method))
    members = np.array(all_orders(6))
    dropped = 0
    for trial in range(25):
        ranks, weights = random_profile(rng, KINDS[trial % 3], 6, 5)
        threshold = float(rng.choice([0.5, 0.6]))
        result = acyclic_majority(ranks, weights=weights, threshold=threshold, method=method)
        known = (ranks >= 0)[:, :, None] & (ranks >= 0)[:, None, :]
        ahead = (weights[:, None, None] * (known & (ranks[:, :, None] < ranks[:, None, :]))).sum(axis=0)
        total = (weights[:, None, None] * known).sum(axis=0)
        margins = np.where((ahead > ahead.T) & (ahead > threshold * total), ahead - ahead.T, 0.0)
        best = float((members * margins).sum(axis=(1, 2)).max())
        assert result.weight == pytest.approx(margins[result.kept].sum())
        assert result.weight >= result.ratio * best - 1e-9
        assert result.weight - 1e-9 <= best <= result.upper_bound + 1e-9
        assert result.ratio == (1.0 if result.optimal else 0.5)
        closed = result.kept.copy()
        for via in range(6):
            closed |= closed[:, [via]] & closed[via]
        np.testing.assert_array_equal(result.relation, closed)
        assert not closed.diagonal().any()
        dropped += result.weight < margins.sum() - 1e-9
    assert dropped > 0


def test_large_majorities_keep_half():
    counts = np.random.default_rng(0).integers(0, 20, size=(26, 26))
    counts += 7 * np.triu(np.ones_like(counts))
    found, best = acyclic_majority(counts=counts), acyclic_majority(counts=counts, method="milp")
    assert best.optimal and found.ratio == 0.5
    assert best.weight / 2 <= found.weight <= best.weight <= found.upper_bound
    late = acyclic_majority(counts=counts, method="milp", time_limit=1e-6)
    assert not late.optimal and late.ratio == 0.5
    for arguments in (
        {"threshold": 1.0},
        {"method": "lp"},
    ):
        with pytest.raises(ValueError):
            acyclic_majority(counts=counts, **arguments)
