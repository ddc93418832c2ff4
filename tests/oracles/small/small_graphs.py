"""Enumerable instances of structures, with ψ written out from its definition: subtrees, cliques and graphs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

from combpred.structures import Cliques, Graphs, SpanningTrees, Structure, Subtrees

PARENT = [3, 3, 0, -1, 0, 1, 5]  # parents in any order
ANIMALS = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
# Two triangles joined by a bridge, edges in any order and direction.
BOWTIE = [(5, 4), (1, 0), (2, 1), (0, 2), (3, 4), (4, 2), (5, 3)]
WHEEL = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 1)]  # a hub and a rim of four


def membership(row: Any) -> list[float]:
    return [float(v) for v in row]


def inner_edges(row: Any) -> list[float]:
    return [float(row[u] == 1 and row[v] == 1) for u, v in combinations(range(len(row)), 2)]


SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (Subtrees(PARENT), membership),
    (Subtrees(ANIMALS), membership),
    (Cliques(2), inner_edges),
    (Cliques(3), inner_edges),
    (Cliques(6), inner_edges),
    (Graphs(4), membership),
    (Graphs(5, edges=[(4, 0), (1, 2), (0, 1)]), membership),
    (SpanningTrees(6, BOWTIE), membership),
    (SpanningTrees(5, WHEEL), membership),
]
