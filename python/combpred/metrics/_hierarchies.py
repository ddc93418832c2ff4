"""Nodes of a tree, and sets of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import float_array
from .._data.glossary import documented
from .._data.inputs import columns_in_order, mean_of_rows
from .._data.targets import encoded_rows, summary, target_matrix
from .._data.trees import Tree
from .._lib.arrays import FloatArray, IntArray
from .._lib.call import computed
from .._lib.errors import in_words_of
from .._lib.structure import Description, OpenSpace
from ._rows import compared


@documented
def hierarchical_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    parent: Any,
    normalize: bool = False,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return how far predicted nodes lie from the true ones in a tree, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Node indices, or names where `parent` has some.
    %(parent_of_metrics)s
    normalize : bool, default=False
        Whether to divide each row by the number of nodes on either path, :math:`|A(y) \cup A(z)|`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        At least 0, smaller is better; below 1 when normalised.

    Raises
    ------
    ValueError
        When `parent` is no rooted tree or a row holds no node of it; names the node or the row.

    Notes
    -----
    With :math:`A(y)` the node and all its ancestors, the loss is the size of the symmetric difference
    :math:`|A(y) \mathbin{\triangle} A(z)|`: the length of the path from y to z, and the squared distance of their
    embeddings in `Hierarchy`. Normalised it is the Jaccard distance of A(y) and A(z). `hierarchical_h_loss` counts a
    wrong node only where all its ancestors are right.

    Costs O(n h) for height h.

    Examples
    --------
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
    >>> hierarchical_loss(["cat", "cat", "cat"], ["cat", "dog", "fish"], parent=tree, per_row=True)
    array([0., 2., 3.])
    """
    tree, metric = _tree(parent), "path-distance" if normalize else "path-length"
    values = _measured(metric, compared(y_true, y_pred, tree.nodes), tree)
    return mean_of_rows(values, sample_weight, per_row)


@documented
def hierarchical_h_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    parent: Any,
    node_weight: str | ArrayLike | Mapping[Hashable, float] | None = None,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the H-loss of predictions in a tree, averaged over rows: wrong nodes count where all above is right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_nodes)
        Node indices, or names when `parent` is a mapping; or sets of nodes, 0/1 with a column for each node, that hold
        the parent of every node, as y of `combpred.structures.Subtrees`.
    %(parent_of_metrics)s
    node_weight : {"sibling", "subtree"}, array-like of shape (n_nodes,), dict or None, default=None
        What a wrong node costs; in a dict or a pandas Series by its name. None: 1. "sibling": 1 for the root, whose
        weight is shared by its children in equal parts, and so on. "subtree": the share of all nodes that are below it,
        itself included.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        At least 0, smaller is better.

    Raises
    ------
    ValueError
        When `parent` is no rooted tree, a row holds no node of it or no such set, or weights are illegal.

    Notes
    -----
    With :math:`\psi_i(y)` whether node i or one below it belongs to y, the loss is :math:`\sum_i c_i [\psi_i(y) \neq
    \psi_i(z) \wedge \psi_j(y) = \psi_j(z) \text{ for all ancestors } j]`: a mistake makes those below it unimportant.
    For single nodes and weights 1 it is 0, 1 (one node is an ancestor of the other) or 2. It is affine in
    :math:`\psi(z)`: :class:`combpred.baselines.StructuredSVM` trains for it with ``cost="h-loss"`` or, for weights
    "sibling", ``cost="h-loss-sibling"``.

    Costs O(n h) for single nodes in a tree of height h, and O(n n_nodes) for sets.

    References
    ----------
    Cesa-Bianchi, N., Gentile, C. and Zaniboni, L. (2006). Incremental algorithms for hierarchical classification.
    *Journal of Machine Learning Research* 7.

    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 5.5.

    Examples
    --------
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
    >>> hierarchical_h_loss(["cat", "cat", "cat", "cat"], ["cat", "dog", "fish", "mammal"], parent=tree, per_row=True)
    array([0., 2., 2., 1.])
    >>> hierarchical_h_loss(["cat", "cat"], ["dog", "fish"], parent=tree, node_weight="sibling", per_row=True)
    array([0.5, 1. ])
    """
    tree = _tree(parent)
    are_sets = any(np.ndim(y) == 2 and (np.shape(y)[1] > 1 or len(tree) == 1) for y in (y_true, y_pred))
    rows = compared(y_true, y_pred, partial(_sets, tree) if are_sets else tree.nodes)
    values = _measured("set-h-loss" if are_sets else "h-loss", rows, tree, node_weight)
    return mean_of_rows(values, sample_weight, per_row)


def _sets(tree: Tree, y: ArrayLike, argument: str) -> NDArray[np.int32]:
    """Return sets of nodes, 0/1; ValueError for the first row that lacks the parent of a node."""
    y = columns_in_order(y, tree.names, argument, "the nodes")
    values = target_matrix(y, argument, len(tree), "node of the tree")
    return encoded_rows(Description("subtrees", {"n": len(tree)}, tree.parent), values, argument)


def _measured(metric: str, rows: Sequence[IntArray], tree: Tree, node_weight: Any = None) -> FloatArray:
    """Return a metric of the core for each row of truths and predictions."""
    if hasattr(node_weight, "items"):
        by_name, names = dict(node_weight.items()), tree.names or tuple(range(len(tree)))
        if set(by_name) != set(names):
            raise ValueError(f"node_weight must have one number for each of the nodes {summary(names)}, and no other")
        node_weight = [by_name[node] for node in names]
    by_rule = node_weight is None or isinstance(node_weight, str)
    costs = {"rule": node_weight} if by_rule else {"node_weight": float_array(node_weight, "node_weight")}
    given = (y.reshape(len(y), -1) for y in rows)
    return computed("cp_metric_nodes", *given, {"parent": tree.parent, **costs}, metric)


def _tree(parent: Any) -> Tree:
    """Return the tree that `parent` gives; ValueError, with the names of nodes, where it is none."""
    tree = Tree(parent)
    names = None if tree.names is None else tuple(map(str, tree.names))
    ints = np.concatenate([tree.parent, np.ones_like(tree.parent)])  # all nodes are allowed
    try:
        OpenSpace(Description("hierarchy", {"n": len(tree)}, ints, names=names))
    except ValueError as error:
        raise in_words_of("parent", error) from None
    return tree
