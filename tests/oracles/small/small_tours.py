"""Enumerable instances of structures, with ψ written out from its definition: cycles and routes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise, permutations
from typing import Any

from combpred.structures import Cycles, DirectedCycles, Routes, Structure


def visited(row: Any) -> list[int]:
    return [place for place in row if place >= 0]


def arcs_around(row: Any) -> set[tuple[int, int]]:
    places = visited(row)
    return set(pairwise([*places, places[0]]))


def directed(n: int) -> Callable[[Any], list[float]]:
    def psi(row: Any) -> list[float]:
        arcs = arcs_around(row)
        return [float((u, v) in arcs) - float((v, u) in arcs) for u, v in combinations(range(n), 2)]

    return psi


def undirected(n: int) -> Callable[[Any], list[float]]:
    def psi(row: Any) -> list[float]:
        arcs = arcs_around(row)
        return [float((u, v) in arcs or (v, u) in arcs) for u, v in combinations(range(n), 2)]

    return psi


def route(n: int) -> Callable[[Any], list[float]]:
    def psi(row: Any) -> list[float]:
        places = visited(row)
        arcs = set(pairwise(places))
        starts = [float(v == places[0]) for v in range(n)]
        ends = [float(v == places[-1]) for v in range(n)]
        return [*(float(arc in arcs) for arc in permutations(range(n), 2)), *starts, *ends]

    return psi


SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (DirectedCycles(3), directed(3)),
    (DirectedCycles(5), directed(5)),
    (Cycles(4), undirected(4)),
    (Cycles(6), undirected(6)),
    (Routes(2), route(2)),
    (Routes(4), route(4)),
]
