"""Random profiles of rankings, and consensuses found by comparing all, written out from the definitions."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np

KINDS = ("strict", "ties", "unknown")


def random_profile(rng: np.random.Generator, kind: str, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (n, k) and weights: without ties, with ties, or with both ties and unknown items."""
    ranks = np.array([rng.permutation(k) + 1 for _ in range(n)])
    if kind != "strict":
        ranks = (ranks + 1) // 2 if rng.random() < 0.5 else rng.integers(1, k + 1, size=(n, k))
    if kind == "unknown":
        ranks = np.where(rng.random((n, k)) < 0.35, -1, ranks)
    weights = rng.integers(0, 4, size=n) * rng.choice([1.0, 0.3])
    weights[0] += 1
    return ranks, weights


def relation_of(y: np.ndarray) -> np.ndarray:
    return y[:, None] < y[None, :]


def kendall(ranks: np.ndarray, weights: np.ndarray, before: np.ndarray, penalty: float) -> float:
    """Return the distance of a relation to all rankings, pair by pair."""
    total = 0.0
    for row, weight in zip(ranks, weights, strict=True):
        for u, v in combinations(range(len(row)), 2):
            if row[u] < 0 or row[v] < 0:
                continue
            sign = np.sign(row[v] - row[u])
            own = int(before[u, v]) - int(before[v, u])
            if sign * own < 0:
                total += weight
            elif sign != own:
                total += weight * penalty
    return total


def all_orders(k: int) -> list[np.ndarray]:
    return [relation_of(np.array(y)) for y in permutations(range(k))]


def all_weak_orders(k: int) -> list[np.ndarray]:
    return [relation_of(np.array(y)) for y in product(range(k), repeat=k) if set(y) == set(range(max(y) + 1))]


def all_partial_orders(k: int) -> list[np.ndarray]:
    found = []
    pairs = list(combinations(range(k), 2))
    for signs in product((0, 1, -1), repeat=len(pairs)):
        before = np.zeros((k, k), dtype=bool)
        for (u, v), sign in zip(pairs, signs, strict=True):
            before[u, v], before[v, u] = sign > 0, sign < 0
        if not ((before.astype(int) @ before > 0) & ~before).any():
            found.append(before)
    return found


def least(ranks: np.ndarray, weights: np.ndarray, members: list[np.ndarray], penalty: float = 0.5) -> float:
    """Return the least distance of all members, from the counts of pairs."""
    k = ranks.shape[1]
    known = (ranks >= 0)[:, :, None] & (ranks >= 0)[:, None, :]
    before = (weights[:, None, None] * (known & (ranks[:, :, None] < ranks[:, None, :]))).sum(axis=0)
    tied = (weights[:, None, None] * (known & (ranks[:, :, None] == ranks[:, None, :]))).sum(axis=0)
    stack = np.array(members)
    apart = np.triu(~(stack | stack.transpose(0, 2, 1)), 1)
    own = (stack * (before.T + penalty * tied)).reshape(-1, k * k).sum(axis=1)
    return float((own + (apart * penalty * (before + before.T)).reshape(-1, k * k).sum(axis=1)).min())
