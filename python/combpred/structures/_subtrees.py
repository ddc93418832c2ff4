"""Rooted subtrees of a tree: hierarchical classification in which an example belongs to several branches."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.converters import paths_of
from .._data.glossary import documented
from .._data.targets import target_matrix
from .._data.trees import Tree
from .._lib.structure import Description
from ._base import NaturalForm
from ._trees import Trees


@documented
class Subtrees(Trees):
    r"""Subtrees of a rooted tree that contain the root.

    :math:`\psi_i(y)` is 1 for the nodes i of the subtree y, else 0.

    Parameters
    ----------
    %(parent)s
    %(nodes)s

    Notes
    -----
    y has shape ``(n, n_nodes)`` and holds 0/1 or booleans, one column for each node. Every row contains the root, and
    with each node its parent. So an example may belong to several branches, and a branch may end above the leaves
    (multiple and partial paths). Predictions are int32. The default metric is `hamming_score`, the fraction of nodes
    that are right.

    Rows of y may also be lists of names of nodes, or of paths that lead down to them; what is above belongs to the row,
    too. `to_paths` makes paths of y. `from_paths`, `from_nested` and `from_networkx` make the structure of trees in
    other formats.

    Constraints have the keys ``required`` and ``forbidden``, lists of nodes, and ``size``, the number of nodes
    including the root, or the least and the largest number as a pair. Decoding with a size costs O(n_nodes size), for
    the largest size.

    With f(v) = 1 + Π f(c) over the children c of v, there are f(root) − 1 subtrees. A uniform subtree is drawn from the
    root downwards: a child c is left out with probability 1/f(c). The moments are products of such probabilities and
    cost O(n_nodes²). Decoding is dynamic programming from the leaves upwards, in O(n_nodes). See Vembu (2010), section
    4.3.2, whose sampler is corrected here.

    Examples
    --------
    >>> from combpred.structures import Subtrees
    >>> animals = Subtrees({"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"})
    >>> animals.feature_names().tolist()
    ['animal', 'cat', 'dog', 'mammal', 'fish']
    >>> animals.count()
    10
    >>> animals.decode([0.0, 1.0, -0.5, -0.2, -1.0])
    array([1, 1, 0, 1, 0], dtype=int32)
    >>> animals.decode([0.0, 1.0, -0.5, -0.2, -1.0], constraints={"size": (1, 2)})
    array([1, 0, 0, 0, 0], dtype=int32)
    """

    name = "subtrees"
    default_metric = "hamming_score"
    _columns = "items"
    _natural = NaturalForm("to_paths")

    def __init__(self, parent: ArrayLike | Mapping[Hashable, Hashable], *, nodes: Sequence[Any] | None = None) -> None:
        self.parent = parent
        self.nodes = nodes

    def _describe(self) -> Description:
        tree = self._tree()
        return Description(self.name, {"n": len(tree)}, tree.parent, None)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return target_matrix(y, argument, self.space.part_len, "node of the tree")

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        tree = self._tree()
        index, y = self._index(tree), np.zeros((len(rows), len(tree)), dtype=np.int32)
        for i, row in enumerate(rows):
            for path in paths_of(row, i, argument):
                for end in self._nodes_on(path, index, i, argument):
                    node = end
                    while node >= 0 and not y[i, node]:
                        y[i, node], node = 1, int(tree.parent[node])
        return y

    def _ends(self, tree: Tree, y: Any) -> list[list[int]]:
        rows = self.encode(y) != 0
        above = np.zeros_like(rows)  # nodes with a child in the subtree
        children = np.flatnonzero(tree.parent >= 0)
        at, child = np.nonzero(rows[:, children])
        above[at, tree.parent[children[child]]] = True
        return [np.flatnonzero(row).tolist() for row in rows & ~above]
