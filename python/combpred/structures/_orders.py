"""Constraints on rankings: which label is first, which is last, and which label stands before which other."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from .._data.relations import pair_index
from .._lib.structure import Description
from ._search.constraints import ConditionError, Conditions, Noun, Restriction

ORDER_KEYS = ("first", "last", "before")


def order_restriction(conditions: Conditions, description: Description) -> Restriction:
    """Return the restriction to rankings that satisfy the conditions.

    Parameters
    ----------
    conditions : Conditions
        With keys out of `ORDER_KEYS`.
    description : Description
        A space of rankings whose ψ begins with the signs of the pairs u < v.

    Raises
    ------
    ConditionError, ConditionTypeError
        When a condition is illegal, or the pairs in "before" form a cycle, which the message shows.
    """
    n = description.scalars["n"]
    labels = Noun("label", "labels", n)
    first, last = conditions.one("first", labels), conditions.one("last", labels)
    if first is not None and first == last:
        raise ConditionError(f"label {first} is 'first' and 'last'; drop one of the two conditions")
    pairs = conditions.pairs("before", labels)
    for u, v in pairs:
        if u == v:
            raise ConditionError(f"'before' holds ({u}, {u}), a label before itself; leave it out")
        if v == first:
            raise ConditionError(f"'before' puts {u} in front of {v}, which is 'first'; drop one of the two conditions")
        if u == last:
            raise ConditionError(f"'before' puts {v} behind {u}, which is 'last'; drop one of the two conditions")
    followers: dict[int, set[int]] = {v: set() for v in range(n)}
    for u, v in pairs:
        followers[u].add(v)
    try:
        TopologicalSorter(followers).prepare()
    except CycleError as error:
        cycle = " before ".join(str(v) for v in reversed(error.args[1]))
        raise ConditionError(f"'before' has a cycle, {cycle}; leave a pair out") from None
    if first is not None:
        pairs += [(first, v) for v in range(n) if v != first]
    if last is not None:
        pairs += [(u, last) for u in range(n) if u != last]
    pair = pair_index(n)
    must = sorted({(pair(u, v), 1 if u < v else -1) for u, v in pairs})
    return Restriction(description, must=tuple(must), shown=str(conditions))
