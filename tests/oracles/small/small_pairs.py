"""Enumerable instances of relations between pairs, with ψ written out from its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combpred.structures import PartialOrders, Structure, Tournaments, WeakOrders


def compared_pairs(row: Any) -> list[float]:
    """Signs of all pairs of positions, then indicators of their ties."""
    k = len(row)
    pairs = [(row[u], row[v]) for u in range(k) for v in range(u + 1, k)]
    return [float((b > a) - (b < a)) for a, b in pairs] + [float(a == b) for a, b in pairs]


SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (Tournaments(2), list),
    (Tournaments(3), list),
    (WeakOrders(2), compared_pairs),
    (WeakOrders(3), compared_pairs),
    (WeakOrders(5), compared_pairs),
    (PartialOrders(2), list),
    (PartialOrders(3, moments="exact"), list),
    (PartialOrders(4), list),
]
