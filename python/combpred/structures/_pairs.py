"""Graphs as edges, networkx graphs and adjacency matrices: as outputs of structures, and outputs as these.

The functions are methods of `EdgeSets` and `Relations`. A relation is a graph with an edge from u to v where u is
before v.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import LISTED, as_objects, read_entries, rows_in
from .._data.targets import TargetError
from .._lib.structure import structure_layout


def from_edges(self: Any, graphs: Any) -> Any:
    """Return y for lists of edges.

    Parameters
    ----------
    graphs : sequence of n lists of pairs
        The edges of each graph: pairs of vertices or items, by name if the structure has names, otherwise by
        number. Of a relation, (u, v) says that u is before v.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32
        1 for the edges of the graph, 0 for others. Of a relation, 1 where u is before v, u < v, and −1 where it is
        after v.

    Raises
    ------
    TypeError, ValueError
        When a row is no output of the structure; names the row, and the vertex or the edge.

    See Also
    --------
    to_edges : The inverse.

    Examples
    --------
    >>> from combpred.structures import PartialOrders, SpanningTrees
    >>> towns = ["Bath", "Cork", "Dover"]
    >>> SpanningTrees(vertices=towns).from_edges([[("Bath", "Dover"), ("Cork", "Bath")]])
    array([[1, 1, 0]], dtype=int32)
    >>> PartialOrders(items=towns).from_edges([[("Cork", "Bath")]])
    array([[-1,  0,  0]], dtype=int32)
    """
    return read_rows(self, rows_in(graphs, "graphs"), "graphs")


def from_networkx(self: Any, graphs: Any) -> Any:
    """Return y for graphs of networkx.

    Parameters
    ----------
    graphs : sequence of n networkx.Graph, or networkx.DiGraph for relations
        Their nodes are called by the names of the structure, or by numbers if it has none. Vertices that a graph
        lacks have no edges there. Attributes are not read.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32
        As of `from_edges`.

    Raises
    ------
    TypeError, ValueError
        When a row is no output of the structure; names the row, and the vertex or the edge.

    See Also
    --------
    to_networkx : The inverse.

    Examples
    --------
    >>> import networkx as nx
    >>> from combpred.structures import Graphs
    >>> Graphs(vertices=["Bath", "Cork", "Dover"]).from_networkx([nx.Graph([("Bath", "Dover")])])
    array([[0, 1, 0]], dtype=int32)
    """
    return read_rows(self, rows_in(graphs, "graphs"), "graphs")


def from_adjacency(self: Any, graphs: Any) -> Any:
    """Return y for adjacency matrices.

    Parameters
    ----------
    graphs : array-like of shape (n, N, N)
        1 or True for an edge, 0 or False for none; symmetric but for relations.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32
        As of `from_edges`.

    Raises
    ------
    TypeError, ValueError
        When a row is no output of the structure; names the row, and the vertex or the edge.

    See Also
    --------
    to_adjacency : The inverse.

    Examples
    --------
    >>> from combpred.structures import Graphs
    >>> Graphs(3).from_adjacency([[[0, 0, 1], [0, 0, 0], [1, 0, 0]]])
    array([[0, 1, 0]], dtype=int32)
    """
    tables, n = np.asarray(graphs), _count(self)
    if tables.ndim != 3 or tables.shape[1:] != (n, n) or tables.dtype.kind not in "biuf":
        raise ValueError(f"graphs must hold numbers and have shape (n, {n}, {n}), got {tables.shape}")
    bad = (tables != 0) & (tables != 1)
    if bad.any():
        row, u, v = (int(at) for at in np.argwhere(bad)[0])
        said = f"found {tables[row, u, v].item()!r} at {u}, {v}; matrices hold 0 and 1"
        raise TargetError(row, said, "graphs")
    return self._of_tables(tables.astype(np.bool_), "graphs")


def to_edges(self: Any, y: Any) -> list[list[tuple[Any, Any]]]:
    """Return lists of edges for y, the inverse of `from_edges`.

    Parameters
    ----------
    y : array-like of n rows
        In the structure's format, such as predictions.

    Returns
    -------
    graphs : list of n lists of pairs
        By name if the structure has names, otherwise by number. Of a relation, (u, v) says that u is before v.

    Raises
    ------
    ValueError
        When a row of y is no output; names the row.

    Examples
    --------
    >>> from combpred.structures import Tournaments
    >>> Tournaments(items=["Ann", "Bob", "Cid"]).to_edges([[1, 0, -1]])
    [[('Ann', 'Bob'), ('Cid', 'Bob')]]
    """
    known = self._resolve(y)
    called, layout = called_by(known), layout_of(known)
    ends = [(called[u], called[v]) for u, v in zip(layout.rows, layout.columns, strict=True)]
    psi = known.space.embed(known.encode(y))
    return [[ends[e] if row[e] > 0 else ends[e][::-1] for e in np.flatnonzero(row)] for row in psi]


def to_networkx(self: Any, y: Any) -> list[Any]:
    """Return graphs of networkx for y, the inverse of `from_networkx`.

    Parameters
    ----------
    y : array-like of n rows
        In the structure's format, such as predictions.

    Returns
    -------
    graphs : list of n networkx.Graph, or networkx.DiGraph for relations
        Each has all vertices or items as nodes.

    Raises
    ------
    ValueError
        When a row of y is no output; names the row.

    Examples
    --------
    >>> from combpred.structures import Graphs
    >>> [graph] = Graphs(vertices=["Bath", "Cork", "Dover"]).to_networkx([[0, 1, 0]])
    >>> list(graph), list(graph.edges)
    (['Bath', 'Cork', 'Dover'], [('Bath', 'Dover')])
    """
    import networkx

    known = self._resolve(y)
    graphs = []
    for edges in to_edges(known, y):
        graph = networkx.DiGraph() if self._directed else networkx.Graph()
        graph.add_nodes_from(called_by(known))
        graph.add_edges_from(edges)
        graphs.append(graph)
    return graphs


def to_adjacency(self: Any, y: Any) -> NDArray[np.bool_]:
    """Return adjacency matrices for y, the inverse of `from_adjacency`.

    Parameters
    ----------
    y : array-like of n rows
        In the structure's format, such as predictions.

    Returns
    -------
    graphs : ndarray of shape (n, N, N), dtype=bool
        Symmetric but for relations.

    Raises
    ------
    ValueError
        When a row of y is no output; names the row.

    Examples
    --------
    >>> from combpred.structures import Tournaments
    >>> Tournaments(3).to_adjacency([[1, 0, -1]]).astype(int)
    array([[[0, 1, 0],
            [0, 0, 0],
            [0, 1, 0]]])
    """
    known = self._resolve(y)
    layout = layout_of(known)
    psi = known.space.embed(known.encode(y))
    graphs: NDArray[np.bool_] = np.zeros((len(psi), layout.n_items, layout.n_items), dtype=np.bool_)
    graphs[:, layout.rows, layout.columns] = psi > 0
    graphs[:, layout.columns, layout.rows] |= psi < 0 if self._directed else psi > 0
    return graphs


def names_in(self: Any, rows: list[Any]) -> Sequence[Any]:
    ends = [list(chain.from_iterable(_edges_of(self, row, i, "y"))) for i, row in enumerate(rows)]
    return read_entries(ends, None, "y", str(self._sized.names), once=False).names


def read_rows(self: Any, rows: list[Any], argument: str) -> Any:
    edges = [_edges_of(self, row, i, argument) for i, row in enumerate(rows)]
    parameter, called = str(self._sized.names), called_by(self)
    nodes = [list(row) if hasattr(row, "is_directed") else [] for row in rows]
    read_entries(nodes, called, argument, parameter)  # refuses nodes without edges that are unknown
    flat = [list(chain.from_iterable(row)) for row in edges]
    ends = read_entries(flat, called, argument, parameter, once=False)
    row, u, v = ends.row[::2], ends.item[::2], ends.item[1::2]
    tables = np.zeros((len(rows), len(called), len(called)), dtype=np.bool_)
    tables[row, u, v] = True
    counts = np.bincount(row, minlength=len(rows))
    if not self._directed:
        tables[row, v, u] = True
        counts = 2 * counts
    bad = tables.sum(axis=(1, 2)) != counts
    if bad.any():
        i = int(np.argmax(bad))
        raise TargetError(i, f"an edge of {edges[i]!r:.80} occurs twice, or ends where it begins", argument)
    return self._of_tables(tables, argument)


def in_names(self: Any, y: Any) -> Any:
    return as_objects(to_edges(self, y))


def _edges_of(self: Any, row: Any, i: int, argument: str) -> list[Any]:
    """Return the edges of row i, a graph or a list of pairs."""
    if hasattr(row, "is_directed"):
        if row.is_directed() != self._directed:
            raise TargetError(i, f"the graph is {'not ' * self._directed}directed", argument)
        return list(row.edges())
    if not isinstance(row, LISTED) or any(not isinstance(e, (list, tuple, np.ndarray)) or len(e) != 2 for e in row):
        raise TargetError(i, f"found {row!r:.60}; a row is a list of edges, which are pairs", argument)
    return list(row)


def layout_of(self: Any) -> Any:
    """Return which two vertices or items each entry of ψ is about."""
    return structure_layout(self.space.description)


def _count(self: Any) -> int:
    """Return the number of vertices or items."""
    return int(self.space.description.scalars["n"])


def called_by(self: Any) -> Sequence[Any]:
    """Return what vertices or items are called: their names, or numbers."""
    return range(_count(self)) if self._names is None else self._names
