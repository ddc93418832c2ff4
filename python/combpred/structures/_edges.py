"""What graphs and spanning trees share: sets of edges as outputs, out of a list of edges that is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import refuse_unlisted
from .._data.names import Names, index_of
from .._data.relations import items_of_pairs
from .._data.targets import TargetError, summary, target_matrix
from .._lib.arrays import refuse_masked
from .._lib.errors import in_words_of
from .._lib.structure import Description
from .._lib.table import codes
from . import _pairs
from ._base import Sized, Structure


class EdgeSets(Structure):
    """Base class of structures whose outputs are sets of edges of a graph, the complete one if no edges are given."""

    default_metric = "hamming_score"
    _sized = Sized("n_vertices", "edge", names="vertices")
    _columns = "entries"
    _directed = False  # whether edges of graphs that are outputs are

    n_vertices: int | None
    edges: Any
    vertices: Sequence[Any] | None

    from_edges, to_edges = _pairs.from_edges, _pairs.to_edges
    from_networkx, to_networkx = _pairs.from_networkx, _pairs.to_networkx
    from_adjacency, to_adjacency = _pairs.from_adjacency, _pairs.to_adjacency
    _names_in, _read_natural, _in_names = _pairs.names_in, _pairs.read_rows, _pairs.in_names

    def _graph(self) -> tuple[int, NDArray[np.int32] | None]:
        """Return the number of vertices, and the edges if they are given."""
        if self.edges is None:
            return self._n(), None
        known = self.n_vertices is not None or self._names is not None
        edges = edge_list(type(self).__name__, self.edges, self._n() if known else None, self._names)
        return self._n() if known else int(edges.max()) + 1, edges

    def _resolve(self, y: Any) -> EdgeSets:
        if self.edges is not None:
            return self._with(n_vertices=self.space.description.scalars["n"])
        return super()._resolve(y)

    def _shown(self, y: Any, argument: str = "y") -> int:
        return items_of_pairs(super()._shown(y, argument), argument)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return target_matrix(y, argument, self.space.part_len, "edge")

    def _of_tables(self, tables: NDArray[np.bool_], argument: str) -> NDArray[np.int32]:
        layout, called = _pairs.layout_of(self), _pairs.called_by(self)
        possible = np.zeros(tables.shape[1:], dtype=np.bool_)
        possible[layout.rows, layout.columns] = possible[layout.columns, layout.rows] = True
        bad = tables & ~(possible & tables.transpose(0, 2, 1))
        if bad.any():
            row, u, v = (int(at) for at in np.argwhere(bad)[0])
            said = f"there is no edge between {called[u]!r} and {called[v]!r}"
            raise TargetError(row, f"{said}, or none back: matrices are symmetric", argument)
        return self.encode(tables[:, layout.rows, layout.columns].astype(np.int32), argument)


def edge_list(cls: str, edges: Any, n_vertices: int | None, names: Names | None = None) -> NDArray[np.int32]:
    """Return the edges of a simple graph as an int32 array of shape ``(n_edges, 2)``, checked.

    Parameters
    ----------
    cls : str
        Name of the class or function that has the parameter `edges`, for messages.
    edges : array-like of shape (n_edges, 2)
        Pairs of vertices.
    n_vertices : int or None
        Number of vertices; None: one more than the largest vertex in `edges`.
    names : tuple or None, default=None
        Names of the vertices, by which edges may call them.

    Raises
    ------
    TypeError
        When vertices are not integers.
    ValueError
        For a vertex out of range, a self-loop, or an edge that repeats or reverses another; names the edge.
    """
    refuse_masked(edges, f"{cls}: edges")
    refuse_unlisted(edges, f"{cls}: edges", named=names is not None)
    if names is not None:
        edges = [[_vertex(cls, v, names) for v in edge] if np.ndim(edge) == 1 else edge for edge in edges]
    try:
        values = np.asarray(edges)
    except ValueError as error:
        raise ValueError(f"{cls}: every edge must be a pair of vertices, but lengths differ in edges") from error
    if values.ndim != 2 or values.shape[1] != 2 or len(values) == 0:
        raise ValueError(
            f"{cls}: edges must be a list of at least one pair of vertices, shape (n_edges, 2); got {values.shape}"
        )
    if values.dtype.kind not in "iuf" or (values.dtype.kind == "f" and (values != np.floor(values)).any()):
        named = "; names of vertices are given by vertices=" if values.dtype.kind in "OU" else ""
        raise TypeError(f"{cls}: edges must hold vertices 0, 1, …, whole numbers; got dtype {values.dtype}{named}")
    whole = codes(values.astype(np.int64), "edges")
    n = max(2, int(whole.max()) + 1) if n_vertices is None else n_vertices
    called = None if names is None else tuple(map(str, names))
    try:
        _ = Description("graphs", {"n": n}, whole.ravel(), names=called).shape  # the library checks them
    except ValueError as error:
        raise in_words_of(cls, error) from None
    return whole


def _vertex(cls: str, vertex: Any, names: Names) -> Any:
    return index_of(vertex, names, f"{cls}: edges hold the vertex {vertex!r}; the vertices are {summary(names)}")
