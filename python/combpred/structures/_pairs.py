"""Graphs of other formats, edges, networkx and adjacency matrices, as outputs of structures, and these as graphs.

The functions are methods of `Graphs`, `SpanningTrees`, `PartialOrders` and `Tournaments`; a relation is a graph with an
edge from u to v where u is before v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.entries import given_rows, table_rows
from .._data.forms import columns_in_order
from .._data.listings import as_table
from .._data.names import numbers_of
from .._data.targets import TargetError, summary
from .._lib.structure import structure_layout


def from_edges(self: Any, graphs: Any, *, closure: bool = False, as_frame: bool = False) -> Any:
    """Return y for lists of edges.

    Parameters
    ----------
    graphs : sequence of n lists of pairs
        The edges of each graph: pairs of vertices or items, by name if the structure has names, otherwise by number. Of
        a relation, (u, v) says that u is before v.
    closure : bool, default=False
        Whether to add the pairs that follow by transitivity; of `PartialOrders` only.
    as_frame : bool, default=False
        Whether to return a data frame of pandas with a column for each entry of ψ, by its name.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32, or DataFrame
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
    >>> PartialOrders(items=towns).from_edges([[("Cork", "Bath"), ("Bath", "Dover")]], closure=True)
    array([[-1,  1,  1]], dtype=int32)
    """
    rows = table_rows(graphs, "graphs", cells=(list, np.ndarray))  # a tuple is an edge
    return _y(self, [_pairs(row, i) for i, row in enumerate(rows)], closure, graphs if as_frame else None)


def from_networkx(self: Any, graphs: Any, *, closure: bool = False, as_frame: bool = False) -> Any:
    """Return y for graphs of networkx.

    Parameters
    ----------
    graphs : sequence of n networkx.Graph, or networkx.DiGraph for relations, or one of them
        Their nodes are called by the names of the structure, or by numbers if it has none. Vertices that a graph lacks
        have no edges there. Attributes are not read.
    closure, as_frame
        As for `from_edges`.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32, or DataFrame
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
    rows = [graphs] if hasattr(graphs, "is_directed") else table_rows(graphs, "graphs", cells=(object,))
    for i, graph in enumerate(rows):
        if not hasattr(graph, "is_directed"):
            raise TargetError(i, f"found {graph!r:.60}, which is no graph of networkx; see from_edges", "graphs")
        if graph.is_directed() != self._directed:
            which = "directed: pass graph.to_undirected()"
            if self._directed:
                which = "not directed: pass a DiGraph, whose edges lead from each item to those behind it"
            raise TargetError(i, f"the graph is {which}", "graphs")
    nodes = [list(graph) for graph in rows]
    return _y(self, [list(graph.edges()) for graph in rows], closure, graphs if as_frame else None, nodes)


def from_adjacency(self: Any, graphs: Any, *, closure: bool = False, as_frame: bool = False) -> Any:
    """Return y for adjacency matrices.

    Parameters
    ----------
    graphs : array-like of shape (n, N, N), or sequence of n matrices
        1 or True for an edge, 0 or False for none; symmetric but for relations. Matrices may be sparse, or data frames
        whose columns and index are names, which are matched with those of the structure.
    closure, as_frame
        As for `from_edges`.

    Returns
    -------
    y : ndarray of shape (n, d), dtype=int32, or DataFrame
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
    >>> Graphs().from_adjacency([[[0, 0, 1], [0, 0, 0], [1, 0, 0]]])
    array([[0, 1, 0]], dtype=int32)
    """
    if getattr(graphs, "ndim", 3) not in (1, 3):  # a series holds a matrix for each row
        raise ValueError(f"graphs must have shape (n, N, N), got {graphs.shape}; one matrix is passed as [matrix]")
    matrices = [_matrix(self, matrix, i) for i, matrix in enumerate(given_rows(graphs, "graphs"))]
    if _unsized(self):
        self = self._with(**{self._sized.parameter: len(matrices[0])})
    names, n = self._names, _size(self)
    called = list(range(n)) if names is None else list(names)
    pairs = []
    for i, matrix in enumerate(matrices):
        if matrix.shape != (n, n):
            raise TargetError(i, f"the matrix has shape {matrix.shape}, it needs ({n}, {n})", "graphs")
        if not self._directed and (matrix != matrix.T).any():
            u, v = (called[at] for at in np.argwhere(matrix & ~matrix.T)[0])
            raise TargetError(
                i, f"there is an edge from {u!r} to {v!r} but none back; pass matrix | matrix.T", "graphs"
            )
        if self._directed and matrix.diagonal().all():
            matrix = matrix & ~np.eye(n, dtype=np.bool_)  # the order is given as a reflexive one
        pairs.append([(called[u], called[v]) for u, v in np.argwhere(matrix if self._directed else np.triu(matrix))])
    return _y(self, pairs, closure, graphs if as_frame else None)


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
    ends = _ends(known)
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
    nodes = range(_size(known)) if known._names is None else known._names
    graphs = []
    for edges in to_edges(known, y):
        graph = networkx.DiGraph() if known._directed else networkx.Graph()
        graph.add_nodes_from(nodes)
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
    layout: Any = structure_layout(known.space.description)
    psi = known.space.embed(known.encode(y))
    graphs = np.zeros((len(psi), layout.n_items, layout.n_items), dtype=np.bool_)
    graphs[:, layout.rows, layout.columns] = psi > 0
    graphs[:, layout.columns, layout.rows] |= psi < 0 if known._directed else psi > 0
    return graphs


def _y(
    self: Any, pairs: list[list[Any]], closure: bool, framed: Any = None, nodes: Sequence[Sequence[Any]] | None = None
) -> Any:
    """Return y for pairs of names or numbers, as a frame with the index of `framed`; `nodes` are checked, too."""
    cls, parameter = type(self).__name__, str(self._sized.names)
    if closure and self.name != "partialorders":
        raise TypeError(f"closure: {cls} need not be transitive; leave it out")
    noun = {"vertices": "vertex", "items": "item"}[parameter]
    listed = [[end for pair in row for end in pair] for row in pairs]
    numbers = numbers_of(listed if nodes is None else nodes, self._names, "graphs", cls, parameter, noun)
    n = _size(self)
    for i, row in enumerate(numbers):
        odd = next((number for number in row if not 0 <= number < n), None)
        if odd is not None:
            raise TargetError(i, f"{noun} {odd!r} is none of 0..{n - 1}", "graphs")
    ends = numbers_of(listed, self._names, "graphs", cls, parameter, noun)
    tables = np.zeros((len(pairs), n, n), dtype=np.bool_)
    for i, (row, shown) in enumerate(zip(ends, pairs, strict=True)):
        for u, v, pair in zip(row[::2], row[1::2], shown, strict=True):
            what = f"the edge from {pair[0]!r} to {pair[1]!r}"
            if u == v:
                raise TargetError(i, f"{what} begins where it ends; leave it out", "graphs")
            if tables[i, u, v]:
                raise TargetError(i, f"{what} occurs twice; leave one of them out", "graphs")
            if self._directed and tables[i, v, u] and not closure:
                raise TargetError(
                    i, f"{what} has one in return, but one of two {parameter} is before the other", "graphs"
                )
            tables[i, u, v] = True
            tables[i, v, u] |= not self._directed
    if closure:
        for k in range(n):
            tables |= tables[:, :, k, np.newaxis] & tables[:, np.newaxis, k, :]
    around = tables.diagonal(axis1=1, axis2=2)
    if around.any():
        i, u = (int(at) for at in np.argwhere(around)[0])
        name = u if self._names is None else self._names[u]
        raise TargetError(i, f"{noun} {name!r} is before itself: the pairs form a cycle", "graphs")
    y = self.encode(tables if self._directed else _edge_rows(self, tables, pairs), "graphs")
    return y if framed is None else as_table(y, tuple(self.feature_names()), True, framed)


def _edge_rows(self: Any, tables: NDArray[np.bool_], pairs: list[list[Any]]) -> NDArray[np.int32]:
    """Return a column for each edge that there may be; TargetError for a row with another one."""
    layout: Any = structure_layout(self.space.description)
    y = tables[:, layout.rows, layout.columns].astype(np.int32)
    if (bad := y.sum(axis=1) < [len(row) for row in pairs]).any():
        i = int(np.argmax(bad))
        possible = {frozenset(edge) for edge in _ends(self)}
        u, v = next(edge for edge in pairs[i] if frozenset(edge) not in possible)
        known = summary(self.feature_names().tolist())
        raise TargetError(i, f"there is no edge between {u!r} and {v!r}; the edges are {known}", "graphs")
    return y


def _ends(self: Any) -> list[tuple[Any, Any]]:
    """Return the two vertices or items of each entry of ψ, by name if they have names."""
    called = range(_size(self)) if self._names is None else self._names
    layout: Any = structure_layout(self.space.description)
    return [(called[u], called[v]) for u, v in zip(layout.rows, layout.columns, strict=True)]


def _pairs(row: Any, i: int) -> list[tuple[Any, Any]]:
    """Return the edges of row i as pairs of strings and integers."""
    row = row.to_numpy() if hasattr(row, "to_numpy") else row  # a data frame with two columns
    row = row.tolist() if isinstance(row, np.ndarray) else row
    if not isinstance(row, (list, tuple, set, frozenset)):
        raise TargetError(i, f"found {row!r:.60}; a row is a list of edges, which are pairs", "graphs")
    pairs = []
    for edge in row:
        if not isinstance(edge, (list, tuple, np.ndarray)) or len(edge) != 2:
            what = f"found {edge!r:.60}; edges are pairs such as (u, v)"
            raise TargetError(i, what + _meant(row, edge), "graphs")
        u, v = (end.item() if isinstance(end, np.generic) else end for end in edge)
        for end in (u, v):
            if isinstance(end, bool) or not isinstance(end, (str, int)):
                raise TargetError(i, f"found {end!r:.60} in {edge!r:.60}; edges hold names or whole numbers", "graphs")
        pairs.append((u, v))
    return pairs


def _meant(row: Any, edge: Any) -> str:
    """Return the remedy for a row whose edges are no pairs: one graph in place of many, or weighted edges."""
    if isinstance(edge, (str, int)) and len(row) in (2, 3):
        return ": graphs is a list of lists of edges, so pass one graph as [edges]"
    if isinstance(edge, (list, tuple, np.ndarray)) and len(edge) == 3:
        return ": leave weights out, as by [edge[:2] for edge in edges]"
    return ""


def _matrix(self: Any, matrix: Any, i: int) -> NDArray[np.bool_]:
    """Return the adjacency matrix of row i as booleans."""
    if sparse.issparse(matrix):
        matrix = matrix.toarray()
    if hasattr(matrix, "columns") and hasattr(matrix, "index") and self._names is not None:
        names = list(self._names)
        of = f"the {self._sized.names} of {type(self).__name__}"
        matrix = columns_in_order(
            columns_in_order(matrix, names, f"graphs, row {i}", of).T, names, f"graphs, row {i}", of
        ).T
    try:
        values = np.asarray(matrix)
    except ValueError as error:
        raise TargetError(i, "the rows of the matrix differ in length; a matrix is square", "graphs") from error
    if values.ndim != 2:
        raise TargetError(
            i, f"the matrix has shape {values.shape}; it needs one row and column for each vertex", "graphs"
        )
    odd = values[(values != 0) & (values != 1)]
    if odd.size:
        raise TargetError(
            i, f"found {odd.tolist()[0]!r}; matrices hold 0 and 1: pass matrix > 0 where these are weights", "graphs"
        )
    return values.astype(np.bool_)


def _unsized(self: Any) -> bool:
    """Return whether the structure does not know its size."""
    return getattr(self, self._sized.parameter) is None and self._names is None and getattr(self, "edges", None) is None


def _size(self: Any) -> int:
    """Return the number of vertices or items."""
    return int(self.space.description.scalars["n"])
