"""Conditions on cycles and routes: where they start and end, how long they are, what they visit and how they go."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .. import _lib
from .._conditions import ConditionError, Conditions, Noun, Pair

Lists = NDArray[np.int32]
Entries = tuple[tuple[int, int], ...]


class VisitConditions:
    """The conditions of one constraint, read and checked against one another.

    Parameters
    ----------
    conditions : Conditions
        With the keys "start", "end", "length", "required" and "forbidden".
    noun : Noun
        What is visited.
    least : int
        How many a list visits at least.
    what : str
        What a list is, such as "a route".

    Attributes
    ----------
    start, end : int or None
    length : int or None
    visited, avoided : list of int
        What must, and must not, be visited, without the ends.
    used, unused : list of (int, int)
        Which steps must, and must not, be made.

    Raises
    ------
    ConditionError, ConditionTypeError
        When a condition is not legal, contradicts another one, or leaves too few places.
    """

    def __init__(self, conditions: Conditions, noun: Noun, least: int, what: str) -> None:
        self.n, self.shown, self._noun, self._what = noun.n, str(conditions), noun, what
        self.start, self.end = conditions.one("start", noun), conditions.one("end", noun)
        self.length = conditions.count("length", least, noun.n, f"{noun.many} that {what} visits")
        self.visited, self.used = conditions.mixed("required", noun)
        self.avoided, self.unused = conditions.mixed("forbidden", noun)
        self._check(least)

    def _check(self, least: int) -> None:
        one = self._noun.one
        for key, pairs in (("required", self.used), ("forbidden", self.unused)):
            for u, v in pairs:
                if u == v:
                    raise ConditionError(f"{key!r} holds ({u}, {v}), a step from a {one} to itself; leave it out")
        if self.start is not None and self.start == self.end:
            raise ConditionError(
                f"'start' and 'end' are both {self.start}; {self._what} visits each {one} once: change one of them"
            )
        ends = {self.start: "start", self.end: "end"}
        for v in self.all_visited():
            if v in self.avoided:
                key = ends.get(v, "required")
                raise ConditionError(f"{one} {v} is forbidden and, by {key!r}, visited; drop one of the two conditions")
        both = set(self.used) & set(self.unused)
        if both:
            raise ConditionError(f"the step {min(both)} is required and forbidden; drop one of the two conditions")
        must, may = len(self.all_visited()), self.n - len(self.avoided)
        needed = least if self.length is None else self.length
        many = self._noun.many
        if may < needed:
            raise ConditionError(
                f"'forbidden' leaves {may} {many}, {needed} are needed; allow more, or ask for a smaller 'length'"
            )
        if self.length is not None and must > self.length:
            raise ConditionError(
                f"'length' is {self.length}, but {must} {many} are required with the ends; ask for fewer, or for more "
                "'length'"
            )

    def all_visited(self) -> list[int]:
        """Return what must be visited, the ends and those of required steps included."""
        ends = [v for v in (self.start, self.end) if v is not None]
        return sorted({*self.visited, *ends, *(v for pair in self.used for v in pair)})

    def either_way(self) -> None:
        """Take steps as edges: forbidding or requiring one direction is to forbid or require the other."""
        self.used, self.unused = ([(min(p), max(p)) for p in pairs] for pairs in (self.used, self.unused))
        both = set(self.used) & set(self.unused)
        if both:
            raise ConditionError(f"the edge {min(both)} is required and forbidden; drop one of the two conditions")

    def excluded_by_used(self) -> list[Pair]:
        """Return the steps that required ones leave no room for: others from the same place, and others to it."""
        out: dict[int, int] = {}
        into: dict[int, int] = {}
        for u, v in self.used:
            for taken, key, value, way in ((out, u, v, "from"), (into, v, u, "to")):
                if taken.setdefault(key, value) != value:
                    raise ConditionError(
                        f"'required' has two steps {way} {self._noun.one} {key}; {self._what} makes at most one"
                    )
        excluded = {(u, w) for u, v in out.items() for w in range(self.n) if w not in (u, v)}
        excluded |= {(w, v) for v, u in into.items() for w in range(self.n) if w not in (u, v)}
        return sorted(excluded)

    def describe(self, free: _lib.Description) -> _lib.Description:
        """Return the description of the lists that meet the conditions on places."""
        scalars = dict(free.scalars)
        for key, value in (("start", self.start), ("end", self.end), ("length", self.length)):
            if value is not None:
                scalars[key] = value
        fixed = None
        visited = self.all_visited()
        if visited or self.avoided:
            fixed = np.zeros(self.n, dtype=np.int32)
            fixed[visited], fixed[self.avoided] = 1, -1
        return _lib.Description(free.name, scalars, fixed, None)


def listed_cycle(start: int | None, end: int | None, *, either_way: bool) -> Callable[[Lists], Lists] | None:
    """Return how cycles are listed that shall begin or end with a vertex; None: as they are.

    Where only one end is given and the direction is free, the list goes so that the smaller neighbour of that vertex
    is next to it at the list's other side or behind it.
    """
    if start is None and end is None:
        return None

    def listed(cycles: Lists) -> Lists:
        turned = np.full_like(cycles, -1)
        for row, cycle in zip(turned, cycles.tolist(), strict=True):
            places = [v for v in cycle if v >= 0]
            if start is not None:
                places = _from(places, start)
                if either_way and (places[-1] != end if end is not None else places[1] > places[-1]):
                    places = [places[0], *reversed(places[1:])]
            elif end is not None:
                places = _from(places, end)
                if either_way and places[1] > places[-1]:
                    places = [places[0], *reversed(places[1:])]
                places = [*places[1:], places[0]]
            row[: len(places)] = places
        return turned

    return listed


def _from(places: list[int], first: int) -> list[int]:
    at = places.index(first)
    return places[at:] + places[:at]
