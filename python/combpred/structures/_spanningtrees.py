"""Spanning trees of a graph."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from .._data.targets import target_matrix
from .._lib.structure import Description
from ._base import Sized, Structure
from ._edges import edge_list


class SpanningTrees(Structure):
    r"""Spanning trees of a connected graph: :math:`\psi_e(y)` is 1 for the edges e of the tree y.

    Parameters
    ----------
    n_vertices : int
        Number of vertices N, at least 2.
    edges : array-like of shape (n_edges, 2)
        The edges of the graph, pairs of vertices 0..N−1, without self-loops and repetitions. They must connect all
        vertices.

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
    default_metric = "hamming_score"
    _entries = "bits"
    _sized = Sized("n_vertices", "edge", None)

    def __init__(self, n_vertices: int, edges: ArrayLike) -> None:
        self.n_vertices = n_vertices
        self.edges = edges

    def _describe(self) -> Description:
        n = self._n()
        return Description(self.name, {"n": n}, edge_list("SpanningTrees", self.edges, n).ravel(), None)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return target_matrix(y, argument, self.space.part_len, "edge")
