"""Conditions on structures that are sets of edges or arcs, each with an entry of ψ."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _lib
from .._conditions import ConditionError, Conditions, Noun, Pair
from .._constraints import Restriction

KEYS = ("required", "forbidden")


def edge_restriction(
    conditions: Conditions, description: _lib.Description, edges: ArrayLike, *, what: str, directed: bool = False
) -> Restriction:
    """Return the restriction to sets that hold required edges and no forbidden ones.

    Parameters
    ----------
    conditions : Conditions
        With the keys of `KEYS`.
    description : Description
        A space whose ψ has an entry for each edge.
    edges : array-like of shape (m, 2)
    what : str
        What an edge is, such as "edge".
    directed : bool, default=False
        Whether a pair and its reverse are two things.

    Raises
    ------
    ConditionError, ConditionTypeError
        For conditions that are not legal, name an edge that there is not, or contradict one another.
    """
    listed = np.asarray(edges).tolist()
    number = {(u, v): i for i, (u, v) in enumerate(listed)}
    if not directed:
        number |= {(v, u): i for i, (u, v) in enumerate(listed)}
    vertices = Noun("vertex", "vertices", 1 + max(max(pair) for pair in listed))

    def entries(key: str) -> dict[int, Pair]:
        found = {}
        for pair in conditions.pairs(key, vertices):
            if pair not in number:
                raise ConditionError(f"{key!r} holds {pair}, which is no {what} of the graph; leave it out")
            found[number[pair]] = pair
        return found

    must, must_not = entries("required"), entries("forbidden")
    for i in must:
        if i in must_not:
            raise ConditionError(f"the {what} {must[i]} is required and forbidden; drop one of the two conditions")
    return Restriction(
        description,
        must=tuple((i, 1) for i in sorted(must)),
        must_not=tuple((i, 1) for i in sorted(must_not)),
        shown=str(conditions),
    )
