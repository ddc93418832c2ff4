"""What the keys of constraints mean, written out from their definitions, and random constraints for each structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from combpred.structures import (
    Assignments,
    Cliques,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    WeakOrders,
)
from small_tours import visited

Constraint = dict[str, Any]
Rng = np.random.Generator


def is_pair(item: Any) -> bool:
    return isinstance(item, tuple)


def holds(structure: Structure, row: Any, constraint: Constraint) -> bool:
    """Say whether an output, in any of its listings, satisfies a constraint."""
    return _KINDS[type(structure)][0](structure, row, constraint)


def counted(number: int, c: Constraint, key: str) -> bool:
    """Say whether a number is that of a key, or between its least and its largest one."""
    if key not in c:
        return True
    least, most = c[key] if is_pair(c[key]) else (c[key], c[key])
    return bool(least <= number <= most)


def _draw_count(least: int, most: int, rng: Rng) -> int | tuple[int, int]:
    """Draw a number or a range, which may go beyond the possible numbers on either side."""
    if rng.random() < 0.5:
        return int(rng.integers(least, most + 1))
    low = int(rng.integers(0, most + 1))
    return low, int(rng.integers(max(low, least), most + 3))


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
        and counted(len(places), c, "length")
        and all(has(item) for item in c.get("required", ()))
        and not any(has(item) for item in c.get("forbidden", ()))
    )


def size(structure: Structure) -> int:
    """Return the number of vertices, labels or items."""
    return structure.space.description.scalars["n"]


def _draw_visits(structure: Any, rng: Rng) -> Constraint:
    n = size(structure)
    c: Constraint = {}
    order = rng.permutation(n).tolist()
    if rng.random() < 0.4:
        c["start"] = order[0]
    if rng.random() < 0.4:
        c["end"] = order[1]
    if rng.random() < 0.4:
        c["length"] = _draw_count(2 if isinstance(structure, Routes) else 3, n, rng)
    for key in ("required", "forbidden"):
        items: list[Any] = [int(v) for v in rng.permutation(n)[: rng.integers(0, 2)]]
        items += [tuple(int(v) for v in rng.permutation(n)[:2]) for _ in range(rng.integers(0, 3))]
        if items:
            c[key] = items
    return c


def _order(structure: Any, row: Any, c: Constraint) -> bool:
    others = [u for u in range(len(row)) if u not in (c.get("first"), c.get("last"))]
    return (
        all(row[u] < row[v] for u, v in c.get("before", ()))
        and all(row[c["first"]] < row[u] for u in others if "first" in c)
        and all(row[c["last"]] > row[u] for u in others if "last" in c)
        and ("first" not in c or "last" not in c or row[c["first"]] < row[c["last"]])
    )


def _draw_order(structure: Any, rng: Rng) -> Constraint:
    n = size(structure)
    c: Constraint = {}
    first, last = rng.permutation(n)[:2].tolist()
    if rng.random() < 0.4:
        c["first"] = first
    if rng.random() < 0.4:
        c["last"] = last
    if rng.random() < 0.7:
        c["before"] = [tuple(rng.permutation(n)[:2].tolist()) for _ in range(rng.integers(1, 4))]
    return c


def _members(structure: Any, row: Any, c: Constraint) -> bool:
    return (
        all(row[v] for v in c.get("required", ()))
        and not any(row[v] for v in c.get("forbidden", ()))
        and counted(sum(row), c, "size")
    )


def _draw_members(structure: Any, rng: Rng) -> Constraint:
    n = len(next(iter(structure.enumerate())))
    c: Constraint = {}
    for key in ("required", "forbidden"):
        if rng.random() < 0.5:
            c[key] = rng.permutation(n)[: rng.integers(1, 3)].tolist()
    if rng.random() < 0.6:
        c["size"] = _draw_count(0, n, rng)
    return c


def edges_of(structure: Any) -> Any:
    """Return the edges that a graph may have, all of them where none are given."""
    return list(combinations(range(size(structure)), 2)) if structure.edges is None else structure.edges


def _elements(structure: Any, row: Any) -> set[tuple[int, int]]:
    """The edges, in both directions, arcs or cells of an output."""
    if isinstance(structure, Assignments):
        return set(enumerate(row.tolist()))
    if isinstance(structure, Paths):
        return {tuple(structure.arcs[a]) for a in row if a >= 0}
    edges = edges_of(structure)
    held = [tuple(int(v) for v in edge) for edge, inside in zip(edges, row, strict=True) if inside]
    return {*held, *((v, u) for u, v in held)}


def _pairs(structure: Any, row: Any, c: Constraint) -> bool:
    held = _elements(structure, row)
    return (
        set(c.get("required", ())) <= held
        and not set(c.get("forbidden", ())) & held
        and counted(sum(part >= 0 for part in row), c, "length")
    )


def _draw_pairs(structure: Any, rng: Rng) -> Constraint:
    if isinstance(structure, Assignments):
        possible = [(i, j) for i in range(size(structure)) for j in range(size(structure))]
    elif isinstance(structure, Paths):
        possible = structure.arcs
    else:
        edges = edges_of(structure)
        possible = [tuple(edge) for edge in edges] + [(v, u) for u, v in edges]
    c: Constraint = {}
    for key in ("required", "forbidden"):
        if rng.random() < 0.7:
            c[key] = [possible[i] for i in rng.integers(len(possible), size=rng.integers(1, 3))]
    if isinstance(structure, Paths) and rng.random() < 0.5:
        c["length"] = _draw_count(0, len({v for arc in structure.arcs for v in arc}), rng)
    return c


def _node(structure: Any, row: Any, c: Constraint) -> bool:
    while row >= 0 and row != c["within"]:
        row = structure.parent[row]
    return bool(row >= 0)


def _draw_node(structure: Any, rng: Rng) -> Constraint:
    allowed = [int(y) for y in structure.enumerate()]
    nodes = [v for v in range(len(structure.parent)) if any(_node(structure, y, {"within": v}) for y in allowed)]
    return {"within": int(rng.choice(nodes))}


_KINDS: dict[type, tuple[Callable[[Any, Any, Constraint], bool], Callable[[Any, Rng], Constraint]]] = {
    **dict.fromkeys((Cycles, DirectedCycles, Routes), (_visits, _draw_visits)),
    **dict.fromkeys((Permutations, WeakOrders), (_order, _draw_order)),
    **dict.fromkeys((LabelSets, Subtrees, Cliques), (_members, _draw_members)),
    Hierarchy: (_node, _draw_node),
    **dict.fromkeys((Assignments, Paths, Graphs, SpanningTrees), (_pairs, _draw_pairs)),
}
_GRID = [(0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (3, 6), (4, 7), (5, 8), (6, 7), (7, 8)]
_WHEEL = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1), (4, 2), (4, 3)]
STRUCTURES: list[Structure] = [
    Cycles(4),
    Cycles(6),
    DirectedCycles(4),
    DirectedCycles(6),
    Routes(3),
    Routes(5),
    Permutations(2),
    Permutations(5),
    WeakOrders(3),
    WeakOrders(4),
    LabelSets(5),
    LabelSets(6, size=3),
    Subtrees([-1, 0, 0, 1, 1, 2, 5]),
    Cliques(6),
    Assignments(4),
    Graphs(4),
    Graphs(edges=_WHEEL),
    SpanningTrees(5, _WHEEL),
    Hierarchy([-1, 0, 0, 1, 1, 2, 5]),
    Hierarchy([-1, 0, 0, 1, 1, 2, 5], allowed=[2, 3, 4]),
    Paths(_GRID, 0, 8),
    Paths([*combinations(range(5), 2)], 0, 4),
    Paths(_GRID, 0, 8, tied=[0, 1, 0, 2, 3, 4, 5, 2, 6, 7, 8, 7]),
]


def random_constraints(structure: Structure, n: int, rng: Rng) -> Iterator[Constraint]:
    """Yield n constraints that are not empty; they may contradict themselves."""
    for _ in range(n):
        while not (c := _KINDS[type(structure)][1](structure, rng)):
            pass
        yield c
