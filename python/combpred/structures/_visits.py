"""What cycles and routes share: lists of places in the order in which they are visited, and constraints on them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._data.targets import padded, whole_numbers
from .._lib.arrays import IntArray
from .._lib.structure import Description
from ._base import Structure
from ._search.constraints import ConditionError, Conditions, Noun, Pair, Restriction

VisitEntries = tuple[tuple[int, int], ...]


class Visits(Structure):
    """Base class of structures whose outputs list different places out of n, padded with −1 on the right.

    A subclass has one parameter, the number of places, and says which lists are the same output.
    """

    _noun: ClassVar[tuple[str, str]]  # what is visited, such as ("vertex", "vertices")
    _what: ClassVar[str]  # what a row is, such as "a cycle"
    _constraint_keys = ("start", "end", "length", "required", "forbidden")

    @property
    def _least(self) -> int:
        """Number of places in the shortest row."""
        return self._range("n").least

    def _shown(self, y: Any, argument: str = "y") -> int:
        (_, many), most = self._noun, self._range("n").most
        remedy = f"{many} are whole numbers 0..{most - 1}, and −1 pads short rows at the right"
        values = whole_numbers(self._numbers(y, argument), argument, -1, most - 1, remedy)
        return max(int(values.shape[1]), int(values.max()) + 1, self._least)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return padded(y, argument, self._noun[0])

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self
        if getattr(self, self._sized.parameter) is None:
            n = max(self._shown(y_true, "y_true"), self._shown(y_pred, "y_pred"))
            known = self._with(**{self._sized.parameter: n})
        return known.space.encode(y_true, "y_true"), known.space.encode(y_pred, "y_pred")

    def _restriction(self, conditions: Conditions) -> Restriction:
        one, many = self._noun
        read = VisitConditions(conditions, Noun(one, many, self._n()), self._least, self._what)
        return self._restricted(read, self.space.description)

    @abstractmethod
    def _restricted(self, conditions: VisitConditions, free: Description) -> Restriction:
        """Return the restriction to lists that satisfy the conditions; `free` describes the structure without them."""


class VisitConditions:
    """The conditions of one constraint on cycles or routes, parsed and checked against one another.

    Parameters
    ----------
    conditions : Conditions
        With the keys "start", "end", "length", "required" and "forbidden".
    noun : Noun
        What is visited, such as vertices, and how many there are.
    least : int
        Smallest number of places that a list visits.
    what : str
        What a list is, such as "a route".

    Attributes
    ----------
    n : int
        Number of places.
    start, end : int or None
        First and last place of the list.
    length : int or None
        Number of places that the list visits.
    visited, avoided : list of int
        Places that must, and must not, be visited, apart from the ends.
    used, unused : list of (int, int)
        Steps that must, and must not, be made.
    shown : str
        The constraint, for messages.

    Raises
    ------
    ConditionError, ConditionTypeError
        When a condition is illegal, contradicts another one, or leaves too few places.
    """

    def __init__(self, conditions: Conditions, noun: Noun, least: int, what: str) -> None:
        self.n, self.shown, self._noun, self._what = noun.n, str(conditions), noun, what
        self.start, self.end = conditions.one("start", noun), conditions.one("end", noun)
        self.length = conditions.count("length", least, noun.n, f"{noun.many} that {what} visits")
        self.visited, self.used = conditions.mixed("required", noun)
        self.avoided, self.unused = conditions.mixed("forbidden", noun)
        self._check(least)

    def _check(self, least: int) -> None:
        """Raise ConditionError if two conditions contradict each other."""
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
                f"'length' is {self.length}, but {must} {many} are required with the ends; ask for fewer, or for a "
                "larger 'length'"
            )

    def all_visited(self) -> list[int]:
        """Return all places that must be visited, including the ends and the places of required steps."""
        ends = [v for v in (self.start, self.end) if v is not None]
        return sorted({*self.visited, *ends, *(v for pair in self.used for v in pair)})

    def either_way(self) -> None:
        """Make steps undirected: to forbid or require one direction is to forbid or require the other."""
        self.used, self.unused = ([(min(p), max(p)) for p in pairs] for pairs in (self.used, self.unused))
        both = set(self.used) & set(self.unused)
        if both:
            raise ConditionError(f"the edge {min(both)} is required and forbidden; drop one of the two conditions")

    def excluded_by_used(self) -> list[Pair]:
        """Return the steps that required steps exclude: others that leave or enter the same place."""
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

    def describe(self, free: Description) -> Description:
        """Return the description of the lists that satisfy the conditions on places, but not yet those on steps."""
        scalars = dict(free.scalars)
        for key, value in (("start", self.start), ("end", self.end), ("length", self.length)):
            if value is not None:
                scalars[key] = value
        fixed = None
        visited = self.all_visited()
        if visited or self.avoided:
            fixed = np.zeros(self.n, dtype=np.int32)
            fixed[visited], fixed[self.avoided] = 1, -1
        return Description(free.name, scalars, fixed, None)


def cycle_listing(start: int | None, end: int | None, *, either_way: bool) -> Callable[[IntArray], IntArray] | None:
    """Return a function that lists cycles so that they begin with `start` and end with `end`, or None if both are.

    If only one of the two is given and the direction is free (`either_way`), a list with a start goes on to the smaller
    neighbour of the start, and a list with an end begins with the smaller neighbour of the end.
    """
    if start is None and end is None:
        return None

    def listed(cycles: IntArray) -> IntArray:
        turned = np.full_like(cycles, -1)
        for row, cycle in zip(turned, cycles.tolist(), strict=True):
            places = [v for v in cycle if v >= 0]
            if start is not None:
                places = _rotate_to(places, start)
                if either_way and (places[-1] != end if end is not None else places[1] > places[-1]):
                    places = [places[0], *reversed(places[1:])]
            elif end is not None:
                places = _rotate_to(places, end)
                if either_way and places[1] > places[-1]:
                    places = [places[0], *reversed(places[1:])]
                places = [*places[1:], places[0]]
            row[: len(places)] = places
        return turned

    return listed


def _rotate_to(places: list[int], first: int) -> list[int]:
    """Return a cyclic list from `first` on."""
    at = places.index(first)
    return places[at:] + places[:at]
