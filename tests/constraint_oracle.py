"""What the keys of constraints mean, written out from their definitions, and random constraints for each structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from combpred.structures import Cycles, DirectedCycles, Routes, Structure
from small_tours import visited

Constraint = dict[str, Any]
Rng = np.random.Generator


def is_pair(item: Any) -> bool:
    return isinstance(item, tuple)


def holds(structure: Structure, row: Any, constraint: Constraint) -> bool:
    """Say whether an output, in any of its listings, satisfies a constraint."""
    return CHECKS[type(structure)](structure, row, constraint)


def _visits(structure: Any, row: Any, c: Constraint) -> bool:
    """Every listing of the same cycle is tried; routes have one."""
    places = visited(row)
    listings = [places]
    if not isinstance(structure, Routes):
        listings = [places[i:] + places[:i] for i in range(len(places))]
    if isinstance(structure, Cycles):
        listings += [listing[::-1] for listing in listings]
    closed = [] if isinstance(structure, Routes) else [(places[-1], places[0])]
    steps = {*pairwise(places), *closed}
    if isinstance(structure, Cycles):
        steps |= {(v, u) for u, v in steps}

    def has(item: Any) -> bool:
        return item in steps if is_pair(item) else item in places

    return (
        any(
            (c.get("start") is None or listing[0] == c["start"]) and (c.get("end") is None or listing[-1] == c["end"])
            for listing in listings
        )
        and ("length" not in c or len(places) == c["length"])
        and all(has(item) for item in c.get("required", ()))
        and not any(has(item) for item in c.get("forbidden", ()))
    )


def _draw_visits(structure: Any, rng: Rng) -> Constraint:
    n = structure._n()
    c: Constraint = {}
    order = rng.permutation(n).tolist()
    if rng.random() < 0.4:
        c["start"] = order[0]
    if rng.random() < 0.4:
        c["end"] = order[1]
    if rng.random() < 0.4:
        c["length"] = int(rng.integers(structure._least, n + 1))
    for key in ("required", "forbidden"):
        items: list[Any] = [int(v) for v in rng.permutation(n)[: rng.integers(0, 2)]]
        items += [tuple(int(v) for v in rng.permutation(n)[:2]) for _ in range(rng.integers(0, 3))]
        if items:
            c[key] = items
    return c


CHECKS: dict[type, Callable[[Any, Any, Constraint], bool]] = {
    Cycles: _visits,
    DirectedCycles: _visits,
    Routes: _visits,
}
DRAWS: dict[type, Callable[[Any, Rng], Constraint]] = {
    Cycles: _draw_visits,
    DirectedCycles: _draw_visits,
    Routes: _draw_visits,
}
STRUCTURES: list[Structure] = [
    Cycles(4),
    Cycles(6),
    DirectedCycles(4),
    DirectedCycles(6),
    Routes(3),
    Routes(5),
]


def random_constraints(structure: Structure, n: int, rng: Rng) -> Iterator[Constraint]:
    """Yield n constraints that are not empty; they may contradict themselves."""
    for _ in range(n):
        while not (c := DRAWS[type(structure)](structure, rng)):
            pass
        yield c
