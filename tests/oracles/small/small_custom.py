"""Enumerable instances of user-defined spaces and assignments, with ψ written out from its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combpred.structures import Assignments, Custom, Structure

WORDS = ["", "a", "ab", "abba", "bab", "cccc"]
TABLE = [[0.5, -1.25, 0.0], [2.0, 0.0, 1.0], [-0.75, 0.5, 0.5], [0.0, 0.0, -2.0], [1.5, 1.5, 1.5]]


def letters(word: str) -> list[float]:
    return [float(word.count(letter)) for letter in "abc"]


def cells(row: Any) -> list[float]:
    return [float(column == j) for column in row for j in range(len(row))]


SMALL: list[tuple[Structure, Callable[[Any], list[float]]]] = [
    (Assignments(2), cells),
    (Assignments(4), cells),
    (Custom.from_structures(WORDS, letters), lambda y: letters(WORDS[y])),
    (Custom.from_structures(list("vwxyz"), TABLE), lambda y: TABLE[y]),
    # The kernel of three outputs that are orthogonal to one another, the longest first.
    (Custom.from_kernel("abc", np.diag([9.0, 4.0, 1.0])), lambda y: [3.0 * (y == 0), 2.0 * (y == 1), 1.0 * (y == 2)]),
]
