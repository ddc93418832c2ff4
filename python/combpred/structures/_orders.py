"""Constraints on rankings: which label is first, which is last, and which label stands before which other."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import numpy as np

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

    Notes
    -----
    Pairs that follow from others by transitivity become conditions too. A local search can therefore always repair a
    ranking that violates some of them: among the violated pairs it takes one whose labels are closest, and puts the
    label that must come first directly in front of the other.
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
        from_last_on = list(TopologicalSorter(followers).static_order())
    except CycleError as error:
        cycle = " before ".join(str(v) for v in reversed(error.args[1]))
        raise ConditionError(f"'before' has a cycle, {cycle}; leave a pair out") from None
    behind = np.zeros((n, n), dtype=np.bool_)  # behind[u, v]: v stands behind u
    for u in from_last_on:
        for v in followers[u]:
            behind[u] |= behind[v]
            behind[u, v] = True
    if first is not None:
        behind[first] = np.arange(n) != first
    if last is not None:
        behind[:, last] = np.arange(n) != last
    pair = pair_index(n)
    must = sorted((pair(u, v), 1 if u < v else -1) for u, v in np.argwhere(behind).tolist())
    return Restriction(description, must=tuple(must), shown=str(conditions))
