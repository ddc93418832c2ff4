"""Integer programs against enumeration, written out here."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from combpred._integer import best_cycle, best_directed_cycle, best_order, best_route

TRIALS = 12


def directed_cycles(n: int) -> list[tuple[int, ...]]:
    return [
        (chosen[0], *rest)
        for size in range(3, n + 1)
        for chosen in combinations(range(n), size)
        for rest in permutations(chosen[1:])
    ]


def arcs_of(cycle: tuple[int, ...] | list[int]) -> list[tuple[int, int]]:
    return list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_orders(n):
    rng = np.random.default_rng(n)
    u, v = np.triu_indices(n, 1)
    members = np.array(list(permutations(range(1, n + 1))))
    psi = np.where(members[:, u] < members[:, v], 1.0, -1.0)
    for _ in range(TRIALS):
        scores = rng.normal(size=len(u)) * 10.0 ** rng.integers(-8, 8)
        positions, bound = best_order(n, scores)
        best = (psi @ scores).max()
        found = np.where(positions[u] < positions[v], 1.0, -1.0) @ scores
        assert sorted(positions.tolist()) == list(range(1, n + 1))
        assert found == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_directed_cycles(n):
    rng = np.random.default_rng(n)
    members = directed_cycles(n)
    for trial in range(TRIALS):
        gains = rng.normal(loc=-1.0 + trial / 4, size=(n, n))
        cycle, bound = best_directed_cycle(n, gains)
        best = max(sum(gains[a] for a in arcs_of(each)) for each in members)
        assert tuple(cycle) in members
        assert sum(gains[a] for a in arcs_of(cycle)) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_cycles(n):
    rng = np.random.default_rng(n)
    members = [c for c in directed_cycles(n) if c[1] < c[-1]]
    number = {e: k for k, e in enumerate(combinations(range(n), 2))}
    for trial in range(TRIALS):
        gains = rng.normal(loc=-1.0 + trial / 4, size=len(number))
        worth = lambda cycle, gains=gains: sum(gains[number[min(a), max(a)]] for a in arcs_of(cycle))  # noqa: E731
        cycle, bound = best_cycle(n, gains)
        best = max(map(worth, members))
        assert tuple(cycle) in members
        assert worth(cycle) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_routes(n):
    rng = np.random.default_rng(n)
    members = [route for size in range(2, n + 1) for route in permutations(range(n), size)]
    for trial in range(TRIALS):
        gains, starts, ends = rng.normal(loc=-1.0 + trial / 4, size=(n, n)), rng.normal(size=n), rng.normal(size=n)

        def worth(route, gains=gains, starts=starts, ends=ends):
            return starts[route[0]] + ends[route[-1]] + sum(gains[a] for a in zip(route, route[1:], strict=False))

        route, bound = best_route(n, gains, starts, ends)
        best = max(map(worth, members))
        assert tuple(route) in members
        assert worth(route) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


def test_scores_of_zero_and_ties():
    assert sorted(best_order(4, np.zeros(6))[0].tolist()) == [1, 2, 3, 4]
    assert len(best_directed_cycle(5, np.zeros((5, 5)))[0]) >= 3
    assert len(best_cycle(5, np.ones(10))[0]) == 5
    assert len(best_route(4, np.zeros((4, 4)), np.zeros(4), np.zeros(4))[0]) >= 2
