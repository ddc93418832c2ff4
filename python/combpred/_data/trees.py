"""Rooted trees, given by the parent of each node: checks and names.

Nothing here is recursive, so that trees may be of any depth.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import refuse_masked
from .checks import counted
from .converters import is_missing
from .names import Names, checked_names
from .targets import codes_of, target_vector, whole_numbers


class Tree:
    """A rooted tree with nodes 0..n−1.

    Parameters
    ----------
    parent : array-like of shape (n,) or mapping
        The parent of each node, −1 for the root; or a mapping from the name of each node to the name of its parent, in
        which the root maps to None or is missing. The nodes of a mapping are numbered in the order of its keys; a root
        that is not a key comes first. A series of pandas is such a mapping, too. Or a structure that has these as
        `parent` and `nodes`.
    nodes : sequence of str or of int, default=None
        Names of the nodes of an array.

    Attributes
    ----------
    parent : ndarray of shape (n,), dtype=int32
        The parent of each node, −1 for the root.
    names : tuple of length n, or None
        Names of the nodes, all strings or all integers, if they were given.

    Raises
    ------
    TypeError
        When the parents are not node indices, or names are neither all strings nor all integers.
    ValueError
        When there are not as many names as nodes.

    Notes
    -----
    The library refuses what is no tree when it gets it.
    """

    def __init__(self, parent: Any, nodes: Sequence[Any] | None = None) -> None:
        if nodes is None and hasattr(parent, "parent") and hasattr(parent, "nodes"):  # a structure of a tree
            parent, nodes = parent.parent, parent.nodes
        if getattr(parent, "ndim", 0) == 1 and hasattr(parent, "to_dict"):  # a series of pandas
            counts = list(parent.index) == list(range(len(parent)))
            parent = parent.to_numpy() if counts else parent.to_dict()
        self.names: Names | None = None if nodes is None else checked_names(nodes, "nodes")
        if isinstance(parent, Mapping):
            if nodes is not None:
                raise ValueError("nodes are names for an array of parents; a mapping has names: leave nodes out")
            self.names, parent = _numbered(parent)
        refuse_masked(parent, "parent")
        given = np.asarray(parent)
        if given.ndim != 1 or given.dtype.kind not in "iuf":
            raise TypeError(f"parent must hold node indices (-1 for the root), or map child to parent; got {parent!r}")
        remedy = "parents are node indices, -1 for the root"
        fractions = np.flatnonzero(given != np.floor(given))  # and NaN
        if fractions.size:
            raise TypeError(f"parent[{fractions[0]}] is {given[fractions[0]]}, must be an integer: {remedy}")
        self.parent = whole_numbers(given, "parent", -1, np.iinfo(np.int32).max, remedy)
        if self.names is not None and len(self.names) != len(self.parent):
            raise ValueError(f"nodes has {counted(len(self.names), 'name')}, but parent has {len(self.parent)} entries")

    def __len__(self) -> int:
        return len(self.parent)

    def nodes(self, y: Any, argument: str) -> NDArray[np.int32]:
        """Return y as node indices ``(n,)``; y holds names if the tree has them, otherwise indices.

        Raises
        ------
        TargetError
            For the first row that is not a node; the message calls y `argument`.
        """
        if self.names is not None:
            return codes_of(y, self.names, argument, "nodes")
        remedy = f"nodes are whole numbers 0..{len(self) - 1}"
        return whole_numbers(target_vector(y, argument), argument, 0, len(self) - 1, remedy)

    def leaves(self) -> NDArray[np.bool_]:
        """Return a mask ``(n,)`` of the nodes without children."""
        return ~np.isin(np.arange(len(self)), self.parent)


def _numbered(parent: Mapping[Hashable, Hashable]) -> tuple[Names, list[int]]:
    """Return the names of the nodes of a mapping, in order, and the parent of each as a node index."""
    above = {child: None if is_missing(p) else p for child, p in parent.items()}
    tops = [p for p in dict.fromkeys(above.values()) if p is not None and p not in above]
    names = checked_names([*tops, *above], "parent: the names of a mapping")
    index: dict[Hashable, int] = {name: i for i, name in enumerate(names)}
    return names, [-1] * len(tops) + [-1 if p is None else index[p] for p in above.values()]
