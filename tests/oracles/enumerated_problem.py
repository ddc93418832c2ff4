"""Training rows whose outputs are members of a space that can be listed, and a small instance of every structure."""

from __future__ import annotations

import numpy as np
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

N = 9


def problem(structure, *, weighted=False, seed=0):
    """Return inputs (N, 3), structures, their ψ, all outputs' ψ and sample weights (one of them zero) or None."""
    rng = np.random.default_rng(seed)
    members = list(structure.enumerate())
    y = np.array([members[i] for i in rng.integers(len(members), size=N)])
    if isinstance(structure, MultiClass):
        y[:3] = [0, 1, 2]  # n_classes=3 is taken from y
    weights = np.append(rng.uniform(0.2, 3.0, size=N - 1), 0.0) if weighted else None
    return rng.normal(size=(N, 3)), y, structure.embed(y), structure.embed(np.array(members)), weights


STRUCTURES = [
    pytest.param(structure, id=type(structure).__name__ + suffix)
    for structure, suffix in (
        (MultiClass(3), ""),
        (LabelSets(3), ""),
        (LabelSets(4, size=2), "-size2"),
        (LabelSets(3, observed=[[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]]), "-observed"),
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
