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
from .targets import check_present, codes_of, summary, target_vector, whole_numbers


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
        When there is no root, more than one, or a cycle; names the node.

    Notes
    -----
    Construction costs O(n log n).
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
                raise ValueError(
                    "nodes are names for an array of parents; the keys of a mapping are names: leave nodes out"
                )
            listed, self.parent = _numbered(parent)
            self.names = tuple(listed)
        else:
            self.parent = _parents(parent)
        if self.names is not None and len(self.names) != len(self.parent):
            raise ValueError(f"nodes has {counted(len(self.names), 'name')}, but parent has {len(self.parent)} entries")
        roots = np.flatnonzero(self.parent == -1)
        if len(roots) == 0:
            raise ValueError("parent: no node is the root; its parent must be -1 (None in a mapping)")
        if len(roots) > 1:
            raise ValueError(
                f"parent: {self.show(roots[0])} and {self.show(roots[1])} are both roots; a hierarchy has one, "
                "add a node above them"
            )
        self._require_acyclic()

    def __len__(self) -> int:
        return len(self.parent)

    def show(self, node: int) -> str:
        """Return a node for messages, by its name if there are names."""
        return f"node {node}" if self.names is None else f"node {self.names[node]!r}"

    def nodes(self, y: Any, argument: str) -> NDArray[np.int32]:
        """Return y as node indices ``(n,)``; y holds names if the tree has them, otherwise indices.

        Raises
        ------
        TargetError
            For the first row that is not a node; the message calls y `argument`.
        """
        values = target_vector(y, argument)
        check_present(values, argument)
        if self.names is None:
            return whole_numbers(values, argument, 0, len(self) - 1, f"nodes are whole numbers 0..{len(self) - 1}")
        return codes_of(values, self.names, argument, f"the nodes are {summary(self.names)}")

    def leaves(self) -> NDArray[np.bool_]:
        """Return a mask ``(n,)`` of the nodes without children."""
        mask = np.ones(len(self), dtype=np.bool_)
        mask[self.parent[self.parent >= 0]] = False
        return mask

    def _require_acyclic(self) -> None:
        """Raise ValueError unless every node reaches the root, by its 2^j-th ancestors for j = 0, 1, …"""
        root = int(np.argmax(self.parent == -1))
        lift = np.where(self.parent < 0, root, self.parent)
        for _ in range(len(self).bit_length() + 1):  # no path is longer
            if (lift == root).all():
                return
            lift = lift[lift]
        raise ValueError(
            f"parent: {self.show(int(np.argmax(lift != root)))} never reaches the root: a cycle is above it"
        )


def _parents(parent: Any) -> NDArray[np.int32]:
    """Return an array of parents as int32, checked."""
    refuse_masked(parent, "parent")
    values = np.asarray(parent)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"parent must hold one entry for each node, shape (n,) with n >= 1; got shape {values.shape}")
    if values.dtype.kind not in "iuf" or (values.dtype.kind == "f" and (values != np.floor(values)).any()):
        raise TypeError(
            f"parent must hold node indices (-1 for the root), or be a mapping from child to parent; got {parent!r}"
        )
    bad = (values < -1) | (values >= len(values))
    if bad.any():
        node = int(np.argmax(bad))
        raise ValueError(
            f"parent[{node}] is {values[node]}; parents are node indices 0..{len(values) - 1}, -1 for the root"
        )
    return values.astype(np.int32)


def _numbered(parent: Mapping[Hashable, Hashable]) -> tuple[list[Hashable], NDArray[np.int32]]:
    """Return the names of the nodes of a mapping, in order, and the parent of each as a node index."""
    if not parent:
        raise ValueError("parent is an empty mapping; a hierarchy needs at least one node")
    above = {child: None if is_missing(p) else p for child, p in parent.items()}
    odd = next((p for p in above.values() if not isinstance(p, (str, int, float, np.integer, type(None)))), None)
    if odd is not None:
        raise TypeError(f"parent maps a node to {odd!r:.60}, which is no name of its parent")
    tops = [p for p in dict.fromkeys(above.values()) if p is not None and p not in above]
    names = list(checked_names([*tops, *above], "parent: the names of a mapping"))
    index = {name: i for i, name in enumerate(names)}
    return names, np.array([-1] * len(tops) + [-1 if p is None else index[p] for p in above.values()], dtype=np.int32)
