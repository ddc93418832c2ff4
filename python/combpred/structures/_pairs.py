"""Outputs that are graphs: as edges, as graphs of networkx and as adjacency matrices.

The functions are methods of `EdgeSets` and `Relations`. A relation is a graph with an edge from u to v where u is
before v.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import refuse_unlisted
from .._data.converters import LISTED, read_entries, rows_in
from .._data.names import Names, index_of
from .._data.targets import TargetError, summary, target_matrix, whole_numbers
from .._lib.structure import structure_layout
from ._base import NaturalForm, entries_in


def from_edges(self: Any, graphs: Any) -> NDArray[np.int32]:
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
    return read_natural(self, rows_in(graphs, "graphs"), "graphs")


def from_networkx(self: Any, graphs: Any) -> NDArray[np.int32]:
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
    return read_natural(self, rows_in(graphs, "graphs"), "graphs")


def from_adjacency(self: Any, graphs: Any) -> NDArray[np.int32]:
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
    tables, called = np.asarray(graphs), called_by(self)
    n = len(called)
    if tables.ndim != 3 or tables.shape[1:] != (n, n) or tables.dtype.kind not in "biuf":
        raise ValueError(f"graphs must hold numbers and have shape (n, {n}, {n}), got {tables.shape}")
    if self._directed:
        return self.encode(tables, "graphs")
    bad = (tables != tables.transpose(0, 2, 1)) | (tables != 0) & (tables != 1)
    if bad.any():
        i, a, b = (int(at) for at in np.argwhere(bad)[0])
        said = f"found {tables[i, a, b].item()!r} for {called[a]!r} and {called[b]!r}"
        raise TargetError(i, f"{said}; matrices are symmetric and hold 0 and 1", "graphs")
    row, u, v = np.nonzero(np.triu(tables))
    return _of_edges(self, len(tables), row, u, v, "graphs")


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
    called, layout = called_by(known), structure_layout(known.space.description)
    ends = [(called[u], called[v]) for u, v in zip(layout.rows, layout.columns, strict=True)]
    parts = known.encode(y)
    return [[ends[e] if row[e] > 0 else ends[e][::-1] for e in np.flatnonzero(row)] for row in parts]


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
    layout, parts = structure_layout(known.space.description), known.encode(y)
    graphs: NDArray[np.bool_] = np.zeros((len(parts), layout.n_items, layout.n_items), dtype=np.bool_)
    graphs[:, layout.rows, layout.columns] = parts > 0
    graphs[:, layout.columns, layout.rows] |= parts < 0 if self._directed else parts > 0
    return graphs


def called_by(self: Any) -> Sequence[Any]:
    """Return what vertices or items are called: their names, or numbers."""
    return self._names or range(self._n())


def natural_form(*, directed: bool) -> NaturalForm:
    """Return the form of rows that are graphs, or lists of edges."""

    def ends(rows: list[Any], argument: str) -> list[Any]:
        return [list(chain.from_iterable(_edges_of(row, i, argument, directed))) for i, row in enumerate(rows)]

    return NaturalForm("to_edges", once=False, lists=ends)


def _edges_of(row: Any, i: int, argument: str, directed: bool) -> list[Any]:
    """Return the edges of row i, a graph or a list of pairs."""
    if hasattr(row, "is_directed"):
        if row.is_directed() != directed:
            raise TargetError(i, f"the graph is {'not ' * directed}directed", argument)
        return list(row.edges())
    if not isinstance(row, LISTED) or any(not isinstance(e, (list, tuple, np.ndarray)) or len(e) != 2 for e in row):
        raise TargetError(i, f"found {row!r:.60}; a row is a list of edges, which are pairs", argument)
    return list(row)


def read_natural(self: Any, rows: list[Any], argument: str) -> NDArray[np.int32]:
    called = called_by(self)
    nodes = [list(row) if hasattr(row, "is_directed") else [] for row in rows]  # some without edges
    read_entries(nodes, called, argument, self._sized.names)
    ends = entries_in(self, rows, called, argument)
    return _of_edges(self, len(rows), ends.row[::2], ends.item[::2], ends.item[1::2], argument)


def _of_edges(
    self: Any, n_rows: int, row: NDArray[np.intp], u: NDArray[np.intp], v: NDArray[np.intp], argument: str
) -> NDArray[np.int32]:
    """Return y, given the row and the two ends of each edge."""
    layout, called = structure_layout(self.space.description), called_by(self)
    d = len(layout.rows)
    entry = np.full((len(called), len(called)), -1)  # of ψ, of each pair
    entry[layout.rows, layout.columns] = entry[layout.columns, layout.rows] = np.arange(d)
    at = entry[u, v]
    bad = np.ones(len(at), dtype=np.bool_)
    bad[np.unique(row * d + at, return_index=True)[1]] = False  # where an edge occurs first
    bad |= at < 0
    if bad.any():
        i = int(np.argmax(bad))
        said = f"there is no edge between {called[u[i]]!r} and {called[v[i]]!r}, or the row has this pair twice"
        raise TargetError(int(row[i]), said, argument)
    y = np.zeros((n_rows, d), dtype=np.int32)
    y[row, at] = np.where(layout.rows[at] == u, 1, -1) if self._directed else 1
    return self.encode(y, argument)


def vertex_pairs(pairs: Any, what: str, names: Names | None) -> NDArray[np.int32]:
    """Return edges or arcs, pairs of vertices that are called by their names or numbers, as numbers ``(m, 2)``.

    Raises
    ------
    TypeError, ValueError
        When they are no list of pairs, or a vertex is unknown; names the pair.
    """
    refuse_unlisted(pairs, what, named=names is not None)
    if names is not None:
        known = f"the vertices are {summary(names)}"
        pairs = [
            [index_of(vertex, names, f"{what} hold {vertex!r}; {known}") for vertex in pair]
            if np.ndim(pair) == 1
            else pair
            for pair in pairs
        ]
    remedy = "vertices are whole numbers from 0 on, or names that vertices= lists"
    return whole_numbers(target_matrix(pairs, what, 2, "end"), what, 0, np.iinfo(np.int32).max, remedy)
