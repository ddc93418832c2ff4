"""Nodes of a tree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.inputs import mean_of_rows
from .._data.trees import Tree
from ._rows import check_same_shape


def hierarchical_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    parent: ArrayLike | Mapping[Hashable, Hashable],
    normalize: bool = False,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return how far predicted nodes lie from the true ones in a tree, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Node indices, or names when `parent` is a mapping.
    parent : array-like of shape (n_nodes,) or mapping
        The tree, as in `combpred.structures.Hierarchy`.
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
    embeddings in `Hierarchy`. Normalised it is the Jaccard distance of A(y) and A(z). Other hierarchical losses in
    use: the H-loss of Cesa-Bianchi et al. (2006), which counts a wrong node only when all its ancestors are right, and
    the same with weights that fall with the depth; for single nodes of a tree, the unweighted H-loss is 0, 1 (one node
    is an ancestor of the other) or 2.

    Costs O(n log h) for height h.

    Examples
    --------
    >>> tree = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}
    >>> hierarchical_loss(["cat", "cat", "cat"], ["cat", "dog", "fish"], parent=tree, per_row=True)
    array([0., 2., 3.])
    """
    tree = Tree(parent)
    a, b = tree.nodes(y_true, "y_true"), tree.nodes(y_pred, "y_pred")
    check_same_shape(a, b)
    common = tree.depth[tree.lowest_common_ancestor(a, b)]
    loss = (tree.depth[a] + tree.depth[b] - 2 * common).astype(np.float64)
    if normalize:
        loss /= tree.depth[a] + tree.depth[b] - common + 1
    return mean_of_rows(loss, sample_weight, per_row)
