"""Enumerable instances of structures, with ψ written out from its definition: labels, grades, trees and rankings.

Every module of this folder whose name starts with ``small_`` lists instances as `SMALL`; together they must hold at
least one of every structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combpred.structures import Hierarchy, LabelSets, MultiClass, Ordinal, Permutations, PosetElements, Structure

RELATION = np.array(
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=bool
)  # a diamond, element 0 at the bottom
PARENT = [3, 3, 0, -1, 0, 1, 5]  # parents in any order
ANIMALS = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}


def path_indicator(parent: list[int], node: int) -> list[float]:
    psi = [0.0] * len(parent)
    while node >= 0:
        psi[node] = 1.0
        node = parent[node]
    return psi


def pair_signs(row: Any) -> list[float]:
    k = len(row)
    return [1.0 if row[u] < row[v] else -1.0 for u in range(k) for v in range(u + 1, k)]


ANIMAL_NAMES = ["animal", "cat", "dog", "mammal", "fish"]
ANIMAL_PARENTS = [-1, 3, 3, 0, 0]

SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (MultiClass(4), lambda y: [float(y == c) for c in range(4)]),
    (LabelSets(3), list),
    (LabelSets(5, size=2), list),
    (LabelSets(4, observed=[[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 1]]), list),
    (Ordinal(4), lambda y: [float(y >= i) for i in range(4)]),
    (PosetElements(RELATION), lambda y: [float(RELATION[y, i]) for i in range(4)]),
    (PosetElements(RELATION, allowed=[3, 1]), lambda y: [float(RELATION[y, i]) for i in range(4)]),
    (Hierarchy(PARENT), lambda y: path_indicator(PARENT, y)),
    (Hierarchy(PARENT, allowed="leaves"), lambda y: path_indicator(PARENT, y)),
    (
        Hierarchy(ANIMALS, allowed=["cat", "dog", "animal"]),
        lambda y: path_indicator(ANIMAL_PARENTS, ANIMAL_NAMES.index(y)),
    ),
    (Permutations(2), pair_signs),
    (Permutations(4), pair_signs),
]
