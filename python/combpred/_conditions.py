"""The conditions of one constraint: what its keys may hold, and errors that say which key and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Pair = tuple[int, int]


class ConditionError(ValueError):
    """A condition that contradicts another one or the structure; `_constraints` adds the row."""


class ConditionTypeError(TypeError):
    """A condition of a wrong type; `_constraints` adds the row."""


@dataclass(frozen=True)
class Noun:
    """What the numbers in a condition stand for."""

    one: str
    many: str
    n: int

    def check(self, key: str, value: Any) -> int:
        """Return a number 0..n−1."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ConditionTypeError(f"{key!r} holds {_shown(value)}; {self.many} are whole numbers 0..{self.n - 1}")
        if not 0 <= value < self.n:
            raise ConditionError(f"{key!r} holds {value}; {self.many} are whole numbers 0..{self.n - 1}")
        return int(value)


class Conditions:
    """The conditions of one constraint.

    Parameters
    ----------
    given : mapping
        From key to condition; None stands for none.
    keys : tuple of str
        Those that the structure takes.
    what : str
        Name of the structure's class, for messages.

    Raises
    ------
    ConditionError, ConditionTypeError
        For unknown keys and for no mapping; later for every condition that is not legal.
    """

    def __init__(self, given: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
        if not isinstance(given, Mapping):
            raise ConditionTypeError(f"found {_shown(given)}; a constraint is a dict with keys out of {_listed(keys)}")
        for key in given:
            if key not in keys:
                raise ConditionError(f"{what} take no key {key!r}; their keys are {_listed(keys)}")
        self._given = {key: value for key, value in given.items() if value is not None}

    def __bool__(self) -> bool:
        return bool(self._given)

    def __str__(self) -> str:
        text = str(self._given)
        return text if len(text) <= 200 else f"{text[:199]}…"

    def one(self, key: str, noun: Noun) -> int | None:
        """Return the one number that a key holds, None without the key."""
        return noun.check(key, self._given[key]) if key in self._given else None

    def count(self, key: str, least: int, most: int, noun: str) -> int | None:
        """Return how many there shall be, between two bounds; None without the key."""
        value = self._given.get(key)
        if value is None:
            return None
        remedy = f"it is the number of {noun}, {least}..{most}"
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ConditionTypeError(f"{key!r} is {_shown(value)}; {remedy}")
        if not least <= value <= most:
            raise ConditionError(f"{key!r} is {value}; {remedy}")
        return int(value)

    def many(self, key: str, noun: Noun) -> list[int]:
        """Return the numbers that a key lists, in ascending order and each once."""
        return sorted({noun.check(key, value) for value in self._items(key, f"a list of {noun.many}, such as [0, 1]")})

    def pairs(self, key: str, noun: Noun, *, second: Noun | None = None) -> list[Pair]:
        """Return the pairs that a key lists, without repetitions; the second number may count something else."""
        remedy = f"a list of pairs of {noun.many}, such as [(0, 1)]"
        found = dict.fromkeys(_pair(key, item, noun, second or noun, remedy) for item in self._items(key, remedy))
        return list(found)

    def mixed(self, key: str, noun: Noun) -> tuple[list[int], list[Pair]]:
        """Return the numbers and the pairs that a key lists, in any order."""
        remedy = f"a list of {noun.many} and of pairs of them, such as [2, (0, 1)]"
        alone: set[int] = set()
        pairs: dict[Pair, None] = {}
        for item in self._items(key, remedy):
            if isinstance(item, Collection) or getattr(item, "ndim", 0) > 0:
                pairs[_pair(key, item, noun, noun, remedy)] = None
            else:
                alone.add(noun.check(key, item))
        return sorted(alone), list(pairs)

    def _items(self, key: str, remedy: str) -> Iterator[Any]:
        value = self._given.get(key, ())
        listed = isinstance(value, (list, tuple, set, frozenset, range)) or getattr(value, "ndim", 0) > 0
        if not listed:
            raise ConditionTypeError(f"{key!r} is {_shown(value)}; it takes {remedy}")
        return iter(value)


def _pair(key: str, item: Any, first: Noun, second: Noun, remedy: str) -> Pair:
    if not (isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) == 1) or len(item) != 2:
        raise ConditionTypeError(f"{key!r} holds {_shown(item)}; it takes {remedy}")
    return first.check(key, item[0]), second.check(key, item[1])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(repr(key) for key in keys)
