"""The inequalities behind the guarantees of pivoting and rounding, on a fine grid of their extreme cases."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls

from combpred._programs.orders import relaxed_order
from combpred.aggregation import kemeny

# Random numbers stand for rankings: they are compared as positions are.
pytestmark = pytest.mark.filterwarnings("ignore:rankings are read as positions")

TRIPLES = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]  # a pair and the pivot that separates it
RANKED = [np.array(y) for y in product(range(3), repeat=3) if set(y) in ({0, 1}, {0, 1, 2})]
EXTREMES = np.array([y[:, None] < y for y in RANKED], dtype=float)  # the 12 rankings of three items, ties allowed


def relaxations(steps: int) -> np.ndarray:
    """Return all x of three items with whole multiples of 1/steps that satisfy the triangle inequalities."""
    grid = np.linspace(0.0, 1.0, steps + 1)
    p, q, r = (a.ravel() for a in np.meshgrid(grid, grid, grid))
    inside = (p + q - r >= -1e-12) & (p + q - r <= 1 + 1e-12)
    x = np.zeros((int(inside.sum()), 3, 3))
    for (u, v), value in zip([(0, 1), (1, 2), (0, 2)], (p[inside], q[inside], r[inside]), strict=True):
        x[:, u, v], x[:, v, u] = value, 1.0 - value
    return x


def decided(chance: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """Return the mean excess of the pairs that a uniformly random one of three pivots separates, times 3."""
    total = np.zeros(len(chance))
    for u, v, pivot in TRIPLES:
        total += chance[:, u, pivot] * chance[:, pivot, v] * excess[:, u, v]
        total += chance[:, v, pivot] * chance[:, pivot, u] * excess[:, v, u]
    return total


def against_pivot(chance: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """Return the mean excess of a pair of which one is the pivot."""
    return chance[:, 0, 1] * excess[:, 0, 1] + chance[:, 1, 0] * excess[:, 1, 0]


def shared_costs(before: np.ndarray) -> np.ndarray:
    """Return the mean cost of a pair in a random ranking that orders it."""
    total = before + swap(before)
    return 2 * before * swap(before) / np.where(total > 0, total, 1.0)


def swap(weights: np.ndarray) -> np.ndarray:
    return np.swapaxes(weights, -1, -2)


def test_weights_under_the_triangle_inequality_are_sums_of_rankings():
    """So that inequalities that are linear in them need to be checked for single rankings only."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        weights = rng.random((3, 3)) ** rng.choice([0.3, 1.0, 4.0])
        np.fill_diagonal(weights, 0.0)
        for x in range(3):
            weights = np.minimum(weights, weights[:, [x]] + weights[x])
        _, residual = nnls(EXTREMES.reshape(12, 9).T, weights.ravel())
        assert residual < 1e-9


def test_rounding_takes_at_most_three_halves():
    """Of the cost of the relaxation, for weights under the triangle inequality, hence for rankings with ties."""
    x = relaxations(24)
    chance = np.clip(1.5 * x - 0.25, 0.0, 1.0)
    for weights in EXTREMES:
        excess = weights.T - 1.5 * (x * weights.T + swap(x) * weights)
        assert decided(chance, excess).max() <= 1e-12
        assert against_pivot(chance, excess).max() <= 1e-12
    plain = [decided(x, w.T - 1.5 * (x * w.T + swap(x) * w)).max() for w in EXTREMES]
    assert max(plain) > 0.01  # the stretching is needed


def test_rounding_with_the_best_ranking_takes_at_most_four_thirds():
    """For shares of rankings without ties: all multiples of 1/6, and random ones near the corners."""
    orders = EXTREMES[[len(set(y.tolist())) == 3 for y in RANKED]]
    rng = np.random.default_rng(0)
    sixths = [s for s in np.ndindex(*(7,) * 6) if sum(s) == 6]
    shares = np.concatenate([np.array(sixths) / 6, rng.dirichlet(np.full(6, 0.2), size=300)])
    x = relaxations(12)
    for share in shares:
        weights = np.tensordot(share, orders, 1)
        fractional = x * weights.T + swap(x) * weights
        excess = 2 / 3 * weights.T + 1 / 3 * shared_costs(weights) - 4 / 3 * fractional
        assert decided(x, excess).max() <= 1e-12
        assert against_pivot(x, excess).max() <= 1e-12


def test_directed_triangles_cost_at_most_eight_fifths_with_the_rankings():
    """m are the smaller weights of the pairs of a directed triangle, M at most the sum of the other two."""
    grid = np.linspace(0.0, 1.0, 61)
    m = np.array([a.ravel() for a in np.meshgrid(grid, grid, grid)])
    most = m.sum(axis=0) - m
    inside = (m <= most).all(axis=0)
    m, most = m[:, inside], most[:, inside]
    shared = 2 * m * most / np.where(m + most > 0, m + most, 1.0)
    excess = (0.4 * most + 0.6 * shared - 1.6 * m).sum(axis=0)
    assert excess.max() <= 1e-12
    assert (most - 2 * m).sum(axis=0).max() <= 1e-12
    assert excess.max() == pytest.approx(0.0, abs=1e-12)  # reached where all m are equal


def cyclic_profile(rng: np.random.Generator, k: int, ties: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and weights of three rankings, mostly rotations of one another."""
    base = rng.permutation(k)
    ranks = np.array([np.roll(base, rng.integers(k)) + 1 for _ in range(3)])
    ranks[rng.random(ranks.shape) < 0.2] = rng.integers(1, k + 1)
    if not ties:
        ranks = np.argsort(np.argsort(ranks, axis=1, kind="stable"), axis=1)
    return ranks, rng.random(3) + 0.2


@pytest.mark.parametrize("ties", [False, True])
def test_orders_keep_the_bounds_that_prove_their_guarantees(ties, monkeypatch):
    """Those of the proofs, relative to the bounds and not to the optimum: larger instances can be checked, too.

    Pairs of items of different groups cost the least that they can.
    """

    def mixed(share, *args, **options):
        """Return a solution of the relaxation mixed with 1/2, and never as an order: it is to be rounded."""
        found = relaxed_order(*args, **options)
        off = 1 - np.eye(len(found.before))
        return found._replace(before=(1 - share) * found.before + share / 2 * off, is_order=False)

    rng = np.random.default_rng(1)
    for _ in range(25):
        k = int(rng.integers(8, 25))
        ranks, weights = cyclic_profile(rng, k, ties)
        before = np.tensordot(weights, ranks[:, :, None] < ranks[:, None, :], 1)
        least = float(np.triu(np.minimum(before, before.T), 1).sum())
        shared = float(np.triu(shared_costs(before), 1).sum())

        def cost(method, ranks=ranks, weights=weights):
            """Return what pairs of which rankings have the other order weigh."""
            return kemeny(ranks, weights=weights, method=method, penalty=0.0).distance

        assert cost("best-input") <= shared + 1e-9 <= 2 * least + 2e-9
        assert cost("pivot") <= 1.6 * least + 1e-9
        assert kemeny(counts=before, method="pivot", penalty=0.0).distance <= 2 * least + 1e-9
        u, v = np.triu_indices(k, 1)
        mean = float(before.sum() / 2)
        bound = mean - relaxed_order(k, (before[u, v] - before[v, u]) / 2).upper_bound
        # Any x between the constraints will do, the worse the better: here also a mixture with 1/2.
        for share in (0.0, 0.5):
            with monkeypatch.context() as patch:
                patch.setattr("combpred._programs.orders.relaxed_order", partial(mixed, share))
                found = cost("lp")
            assert found <= (1.5 if ties else 4 / 3) * ((1 - share) * bound + share * mean) + 1e-5
