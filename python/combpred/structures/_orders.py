"""Conditions on rankings: who is first, who is last, who stands before whom."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import numpy as np

from .._data.relations import pair_number
from .._lib.structure import Description
from ._search.constraints import ConditionError, Conditions, Noun, Restriction

KEYS = ("first", "last", "before")


def order_restriction(conditions: Conditions, description: Description) -> Restriction:
    """Return the restriction to rankings that meet the conditions; ψ begins with the signs of the pairs u < v.

    Pairs that follow from others are conditions too: so a local search whose ranking violates some of them can always
    put the later label of a violated pair, a closest one, directly in front of the earlier one.

    Raises
    ------
    ConditionError, ConditionTypeError
        For conditions that are not legal or go in a circle, which the message shows.
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
        circle = " before ".join(str(v) for v in reversed(error.args[1]))
        raise ConditionError(f"'before' goes in a circle, {circle}; leave a pair out") from None
    behind = np.zeros((n, n), dtype=np.bool_)  # whether the column's label stands behind the row's
    for u in from_last_on:
        for v in followers[u]:
            behind[u] |= behind[v]
            behind[u, v] = True
    if first is not None:
        behind[first] = np.arange(n) != first
    if last is not None:
        behind[:, last] = np.arange(n) != last
    pair = pair_number(n)
    must = sorted((pair(u, v), 1 if u < v else -1) for u, v in np.argwhere(behind).tolist())
    return Restriction(description, must=tuple(must), shown=str(conditions))
