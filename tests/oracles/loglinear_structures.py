"""A small instance of every kind of structure on which likelihoods are enumerated."""

from __future__ import annotations

import pytest

from combpred.structures import (
    Assignments,
    Custom,
    Cycles,
    DirectedCycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Subtrees,
    Tournaments,
    WeakOrders,
)

STRUCTURES = [
    pytest.param(structure, id=type(structure).__name__ + suffix)
    for structure, suffix in (
        (MultiClass(3), ""),
        (LabelSets(3), ""),
        (LabelSets(4, size=2), "-size2"),
        (Ordinal(4), ""),
        (Hierarchy([-1, 0, 0, 1, 1], allowed="leaves"), ""),
        (Subtrees([-1, 0, 0, 1]), ""),
        (Permutations(4), ""),
        (WeakOrders(3), ""),
        (Tournaments(3), ""),
        (PartialOrders(3), ""),
        (Cycles(4), ""),
        (DirectedCycles(4), ""),
        (Routes(3), ""),
        (Paths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 0, 3), ""),
        (SpanningTrees(3, [(0, 1), (1, 2), (2, 0)]), ""),
        (Assignments(3), ""),
        (Custom.from_structures(["a", "b", "c"], [[1.0, 0.5], [0.0, -2.0], [0.3, 0.3]]), ""),
    )
]
