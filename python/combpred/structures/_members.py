"""Constraints on sets of labels, nodes or vertices: required members, forbidden members, and the size of the set."""

from __future__ import annotations

from typing import TypedDict

from ._search.constraints import ConditionError, Conditions, Noun

MEMBER_KEYS = ("required", "forbidden", "size")


class Entries(TypedDict):
    """Arguments of `Restriction` for structures whose ψ has one entry for each possible member."""

    must: tuple[tuple[int, int], ...]
    must_not: tuple[tuple[int, int], ...]
    shown: str


class MemberConditions:
    """The conditions "required", "forbidden" and "size" of one constraint, parsed and checked.

    Parameters
    ----------
    conditions : Conditions
        With keys out of `MEMBER_KEYS`.
    noun : Noun
        What the members are, such as labels, and how many there are.

    Attributes
    ----------
    required, forbidden : list of int
        Members that the set must, or must not, contain.
    size : int or None
        Number of members of the set; None: any.
    shown : str
        The constraint, for messages.

    Raises
    ------
    ConditionError, ConditionTypeError
        When a condition is illegal or contradicts another one.
    """

    def __init__(self, conditions: Conditions, noun: Noun) -> None:
        self._noun, self.shown = noun, str(conditions)
        self.required, self.forbidden = conditions.many("required", noun), conditions.many("forbidden", noun)
        self.size = conditions.count("size", 0, noun.n, noun.many)
        both = set(self.required) & set(self.forbidden)
        if both:
            raise ConditionError(f"{noun.one} {min(both)} is required and forbidden; drop one of the two conditions")

    def check_size(self, size: int | None, least: int) -> None:
        """Raise ConditionError if no set of this size is left, or, when `size` is None, none of at least `least`."""
        may, many = self._noun.n - len(self.forbidden), self._noun.many
        if size is not None and len(self.required) > size:
            raise ConditionError(
                f"{len(self.required)} {many} are required, with what they imply, but the size is {size}; ask for "
                "fewer, or for a larger size"
            )
        if may < max(least, size or 0):
            raise ConditionError(
                f"'forbidden' leaves {may} {many}, but the size is {max(least, size or 0)}; allow more, or ask for a "
                "smaller size"
            )

    def entries(self) -> Entries:
        """Return the conditions on single entries of ψ, as keyword arguments of `Restriction`."""
        return {
            "must": tuple((v, 1) for v in self.required),
            "must_not": tuple((v, 1) for v in self.forbidden),
            "shown": self.shown,
        }
