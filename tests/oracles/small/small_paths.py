"""Enumerable instances of paths, with ψ written out from its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combpred.structures import Paths, Structure

# Vertex 0 is not reached from the source, vertex 5 does not lead to the target.
ARCS = [(0, 2), (1, 2), (2, 5), (1, 3), (2, 4), (3, 4), (2, 3)]


def held(n_arcs: int) -> Callable[[Any], list[float]]:
    return lambda y: [float(a in y) for a in range(n_arcs)]


def labelled(steps: int, states: int) -> Callable[[Any], list[float]]:
    """One entry for each step and label, and the number of each pair of consecutive labels."""

    def psi(path: Any) -> list[float]:
        labels = [arc % states for arc in path[::2]]
        positions = [float(label == k) for label in labels for k in range(states)]
        pairs = list(zip(labels, labels[1:], strict=False))
        return positions + [float(pairs.count((k, m))) for k in range(states) for m in range(states)]

    return psi


SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (Paths(ARCS, 1, 4), held(7)),
    (Paths.grid(3, 4), held(17)),
    (Paths.trellis(4, 3), labelled(4, 3)),
    (
        Paths([(0, 1), (0, 2), (1, 3), (2, 3)], 0, 3, tied=[0, 1, 2, 2]),
        lambda y: [float(0 in y), float(1 in y), 1.0],
    ),
]
