"""Nodes of a rooted tree: hierarchical classification with one node for each example."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import allowed_mask, choice
from .._data.converters import paths_of
from .._data.glossary import documented
from .._data.targets import Admissible, TargetError, refuse_rows
from .._data.trees import Tree
from .._lib.structure import Description
from ._base import NaturalForm
from ._trees import Trees


@documented
@dataclass(eq=False, repr=False)
class Hierarchy(Trees):
    r"""One node of a rooted tree.

    :math:`\psi(y)` is 1 at the node and all its ancestors, else 0.

    Parameters
    ----------
    %(parent)s
    allowed : None, "leaves", bool array of shape (n_nodes,) or sequence of nodes, default=None
        The nodes that may be outputs. None: all of them. "leaves": the nodes without children. Otherwise those where
        the mask is True, or those in the list, by index, or by name if they have names.
    %(nodes)s

    Notes
    -----
    y has shape ``(n,)`` and holds node indices, or names if nodes have names; predictions have the same form. Rows of y
    may also be paths, lists of names that lead down to the node, which `to_paths` makes of y. The embedding has d =
    n_nodes entries. The default metric is `accuracy`, for which :class:`combpred.StructuredRidge` predicts the most
    probable node (``decision="mode"``); ``decision="mbr"`` falls back on nodes further up where it is not sure of those
    below. `combpred.metrics.hierarchical_loss` also measures how far a wrong node lies from the right one.

    `from_paths`, `from_nested` and `from_networkx` make a hierarchy of trees in other formats.

    Where a node is known down to a level only, `from_ancestors` makes the set of the allowed nodes below it of it.

    Constraints have the key ``within``, a node by index or name: the output is that node or lies below it.

    Decoding adds up scores from the root downwards and takes the best allowed node, in O(n_nodes). This is the poset
    regression of Vembu (2010), section 4.3.1, on the order of the tree, restricted to the allowed nodes.

    Examples
    --------
    >>> from combpred.structures import Hierarchy
    >>> animals = Hierarchy({"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}, allowed="leaves")
    >>> animals.feature_names().tolist()
    ['animal', 'cat', 'dog', 'mammal', 'fish']
    >>> animals.embed(["dog"])
    array([[1., 0., 1., 1., 0.]])
    >>> animals.count()
    3
    >>> print(animals.decode([0.0, 0.5, 0.1, 0.0, 2.0], constraints={"within": "mammal"}))
    cat
    """

    name = "hierarchy"
    default_metric = "accuracy"
    _is_single = True
    _natural = NaturalForm(strings=False)  # these are names of nodes, the format of y

    parent: ArrayLike | Mapping[Hashable, Hashable]
    _: KW_ONLY
    allowed: str | ArrayLike | Sequence[Hashable] | None = None
    nodes: Sequence[Any] | None = None

    def from_ancestors(self, nodes: Any) -> list[Admissible]:
        """Return y for rows whose node is known down to a level: the allowed nodes that are, or lie below, one node.

        Parameters
        ----------
        nodes : array-like of shape (n,)
            A node of each row, by index, or by name if nodes have names, whether it is allowed or not.

        Returns
        -------
        y : list of n Admissible
            Trained on by the probability of the whole set; see :class:`combpred.ProbabilisticStructured`.

        Raises
        ------
        ValueError
            When a row is no node, or no allowed node lies below it; names the row.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> sets = Hierarchy([-1, 0, 0, 1, 1], allowed="leaves").from_ancestors([1, 2])
        >>> [each.structures.tolist() for each in sets]
        [[3, 4], [2]]
        """
        given, allowed = self._nodes(nodes, "nodes"), np.flatnonzero(self._mask(self._tree()))
        outputs = self.space.decode_parts(allowed[:, np.newaxis].astype(np.int32))
        asked, at = np.unique(given, return_inverse=True)
        within, above = np.full((len(asked), len(allowed)), False), allowed
        while (above >= 0).any():
            within |= above == asked[:, np.newaxis]
            above = np.where(above >= 0, self._tree().parent[above], -1)
        refuse_rows(np.logical_not(within.any(axis=1))[at], "no allowed node lies below the node", "nodes")
        return [Admissible(outputs[within[number]]) for number in at]

    def probabilities(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each allowed node, given the marginals of distributions.

        Parameters
        ----------
        marginals : ndarray of shape (n, d)
            As `marginals` returns them.

        Returns
        -------
        probabilities : ndarray of shape (n, n_allowed)
            Of the allowed nodes in the order of their indices; rows sum to 1.

        Examples
        --------
        >>> from combpred.structures import Hierarchy
        >>> tree = Hierarchy([-1, 0, 0], allowed="leaves")
        >>> tree.probabilities(tree.marginals([[0.0, 0.0, 0.0]]))
        array([[0.5, 0.5]])
        """
        tree = self._tree()
        own = marginals.copy()  # P(node) = P(node or below) − Σ P(child or below)
        below = np.flatnonzero(tree.parent >= 0)
        np.subtract.at(own.T, tree.parent[below], marginals.T[below])
        return np.clip(own[:, self._mask(tree)], 0.0, 1.0)

    def _describe(self) -> Description:
        tree = self._tree()
        ints = np.concatenate([tree.parent, self._mask(tree).astype(np.int32)])
        return Description(self.name, {"n": len(tree)}, ints)

    def _numbers(self, y: Any, argument: str) -> NDArray[np.int32]:
        return self._nodes(y, argument)[:, np.newaxis]

    def _nodes(self, y: Any, argument: str) -> NDArray[np.int32]:
        return self._tree().nodes(self.ordered(y, argument), argument)

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[Any]:
        tree = self._tree()
        index, ends = self._index(tree), []
        for i, row in enumerate(rows):
            paths = paths_of([row] if isinstance(row, str) else row, i, argument)
            if len(paths) > 1:
                raise TargetError(i, "there are several paths, but y is one node; take Subtrees", argument)
            nodes = self._nodes_on(paths[0], index, i, argument)
            odd = next((at for at in range(1, len(nodes)) if tree.parent[nodes[at]] != nodes[at - 1]), None)
            if odd is not None:
                raise TargetError(i, f"{paths[0][odd]!r} is not below {paths[0][odd - 1]!r} in the tree", argument)
            ends.append(nodes[-1])
        return self.space.decode_parts(np.array(ends, dtype=np.int32)[:, np.newaxis])

    def _ends(self, tree: Tree, y: Any) -> list[int]:
        return self._nodes(y, "y").tolist()

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        # A test set may hold nodes that are not allowed; predictions are wrong there, but that is not an error.
        return self._nodes(y_true, "y_true"), self._nodes(y_pred, "y_pred")

    def _mask(self, tree: Tree) -> NDArray[np.bool_]:
        """Return a mask ``(n_nodes,)`` of the allowed nodes; ValueError if the parameter `allowed` is illegal."""
        if isinstance(self.allowed, str):
            choice(self.allowed, "Hierarchy: allowed, if it is no mask and no list of nodes,", ("leaves",))
            return tree.leaves()
        return allowed_mask(self.allowed, len(tree), "Hierarchy", "node", lambda y: tree.nodes(y, "allowed"))
