"""Spanning trees of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from numpy.typing import ArrayLike

from .._data.glossary import documented
from ._edges import EdgeSets


@documented
@dataclass(eq=False, repr=False)
class SpanningTrees(EdgeSets):
    r"""Spanning trees of a connected graph.

    :math:`\psi_e(y)` is 1 for the edges e of the tree y, else 0.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 2. None: the number of names; without names, one more than the largest vertex in
        `edges`; without `edges`, inferred from the number of columns of y when an estimator is fitted.
    edges : array-like of shape (n_edges, 2), default=None
        The edges of the graph, pairs of vertices, without self-loops and repetitions. They must connect all vertices.
        None: all pairs u < v in lexicographic order.
    %(vertices)s

    Notes
    -----
    y has shape ``(n, n_edges)`` and holds 0/1 or booleans: every row marks N−1 edges that form no cycle. Predictions
    are int32. The default metric is `hamming_score`, the fraction of entries that are right.

    The number of trees is a determinant (Kirchhoff's matrix-tree theorem), computed in exact arithmetic. The moments
    follow from electrical currents in the graph (Burton and Pemantle, 1993). If :math:`T_{ef}` is the current through f
    when one unit enters at one end of e and leaves at the other, then :math:`P(e) = T_{ee}` and :math:`P(e, f) = T_{ee}
    T_{ff} - T_{ef}^2`; this costs at most O(N³ + n_edges²). Samples are drawn by Wilson's algorithm (1996), and a tree
    of largest score is found by Kruskal's algorithm (1956) in O(n_edges log n_edges).

    Constraints have the keys ``required`` and ``forbidden``, lists of edges, which are pairs of vertices.

    Rows of y may also be lists of edges, pairs of names of vertices, or graphs of networkx. `from_edges`,
    `from_networkx` and `from_adjacency` convert graphs to y, and `to_edges`, `to_networkx` and `to_adjacency` back.

    Examples
    --------
    >>> from combpred.structures import SpanningTrees
    >>> square = SpanningTrees(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> square.count(), square.mean().tolist()
    (4, [0.75, 0.75, 0.75, 0.75])
    >>> square.decode([0.5, -1.0, 2.0, 0.0])
    array([1, 0, 1, 1], dtype=int32)
    """

    name = "spanningtrees"

    n_vertices: int | None = None
    edges: ArrayLike | None = None
    _: KW_ONLY
    vertices: Sequence[Any] | None = None
