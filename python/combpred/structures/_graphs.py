"""Graphs: sets of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _lib
from ._base import Structure
from ._edges import complete_graph, edge_list, edge_names, edge_sets, vertices_of_complete_graph
from ._parameters import SIZE_LIMIT, Limit
from ._values import target_matrix

_COMPLETE = Limit(2**12, "beyond that the edges of the complete graph are too many; list the possible ones in edges")


class Graphs(Structure):
    r"""Graphs on N vertices: :math:`\psi_e(y)` is 1 for the edges e of the graph y.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 2. None: one more than the largest vertex in `edges`; without `edges`, what the
        number of columns of y tells when an estimator is fitted.
    edges : array-like of shape (n_edges, 2), default=None
        The edges that are possible, pairs of vertices 0..N−1, without self-loops and repetitions. None: all pairs u <
        v in lexicographic order.

    Notes
    -----
    y has shape ``(n, n_edges)`` and holds 0/1 or booleans, one column for each edge in the order of `edges`. Every set
    of edges is a member, so that each edge is decided on its own, at cost O(n_edges) for a prediction: graph
    properties relaxed to all edge sets (Vembu, 2010, ch. 5). The default metric is `hamming_score`, the share of edges
    that are right.

    Examples
    --------
    >>> from combpred.structures import Graphs
    >>> Graphs(3).feature_names().tolist()
    ['0-1', '0-2', '1-2']
    >>> Graphs(4, edges=[(0, 1), (1, 2), (2, 3)]).decode([0.5, -1.0, 2.0])
    array([1, 0, 1], dtype=int32)
    """

    name = "graphs"
    default_metric = "hamming_score"

    def __init__(self, n_vertices: int | None = None, *, edges: ArrayLike | None = None) -> None:
        self.n_vertices = n_vertices
        self.edges = edges

    def _n(self) -> int:
        return self._size("n_vertices", 2, "the columns of y", _COMPLETE if self.edges is None else SIZE_LIMIT)

    def _edges(self) -> NDArray[np.int32]:
        if self.edges is None:
            return complete_graph(self._n())
        return edge_list("Graphs", self.edges, None if self.n_vertices is None else self._n())

    def _describe(self) -> _lib.Description:
        if self.edges is None:
            return _lib.Description(self.name, {"n": self._n()}, None, None)
        edges = self._edges()
        n = int(edges.max()) + 1 if self.n_vertices is None else self._n()
        return _lib.Description(self.name, {"n": n}, edges.ravel(), None)

    def _resolve(self, y: Any) -> Graphs:
        if self.edges is not None:
            return self._with(n_vertices=self._describe().scalars["n"])
        if self.n_vertices is not None:
            return self._with(n_vertices=self._n())
        return self._with(n_vertices=vertices_of_complete_graph(target_matrix(y, "y", None, "edge").shape[1]))

    def _encode(self, y: Any) -> NDArray[np.int32]:
        return edge_sets(y, len(self._edges()))

    def _decode_parts(self, parts: NDArray[np.int32]) -> NDArray[Any]:
        return parts

    def _free_values(self) -> tuple[int, ...] | None:
        return (0, 1)

    def feature_names(self) -> NDArray[np.object_]:
        return edge_names(self._edges())
