"""Edge lists of simple graphs: checks and names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.targets import target_matrix, whole_numbers
from .._lib.structure import Description
from ._search.constraints import ConditionError, Conditions, Noun, Pair, Restriction

KEYS = ("required", "forbidden")


def edge_list(cls: str, edges: Any, n_vertices: int | None) -> NDArray[np.int32]:
    """Return edges as an array of shape ``(n_edges, 2)``.

    Parameters
    ----------
    cls : str
        Name of the class whose parameter `edges` is, for messages.
    edges : array-like of shape (n_edges, 2)
        Pairs of vertices.
    n_vertices : int or None
        Number of vertices; None: one more than the largest vertex in `edges`.

    Raises
    ------
    TypeError
        When the vertices are no integers.
    ValueError
        Naming the edge, for a vertex out of range, a self-loop, and an edge that repeats or reverses another.
    """
    try:
        values = np.asarray(edges)
    except ValueError as error:
        raise ValueError(f"{cls}: every edge must be a pair of vertices, but lengths differ in edges") from error
    if values.ndim != 2 or values.shape[1] != 2 or len(values) == 0:
        raise ValueError(
            f"{cls}: edges must be a list of at least one pair of vertices, shape (n_edges, 2); got {values.shape}"
        )
    if values.dtype.kind not in "iuf" or (values.dtype.kind == "f" and (values != np.floor(values)).any()):
        raise TypeError(f"{cls}: edges must hold vertices 0, 1, …, whole numbers; got dtype {values.dtype}")
    most = int(values.max()) if n_vertices is None else n_vertices - 1
    bad = ((values < 0) | (values > most)).any(axis=1)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{cls}: edges[{i}] is {_pair(values, i)}; vertices are whole numbers 0..{most}")
    loops = values[:, 0] == values[:, 1]
    if loops.any():
        i = int(np.argmax(loops))
        raise ValueError(f"{cls}: edges[{i}] is {_pair(values, i)}, a self-loop; leave it out")
    first: dict[tuple[int, int], int] = {}
    for i, (u, v) in enumerate(np.sort(values, axis=1).tolist()):
        other = first.setdefault((u, v), i)
        if other < i:
            same = bool((values[other] == values[i]).all())
            what = "repeats" if same else "is the reverse of"
            raise ValueError(f"{cls}: edges[{i}] is {_pair(values, i)}, which {what} edges[{other}]; leave it out")
    return np.ascontiguousarray(values, dtype=np.int32)


def edge_names(edges: NDArray[np.int32]) -> NDArray[np.object_]:
    """Return a name such as "0-3" for every edge."""
    return np.array([f"{u}-{v}" for u, v in edges.tolist()], dtype=object)


def edge_sets(y: Any, n_edges: int) -> NDArray[np.int32]:
    """Return rows of 0/1 for the edges as int32; the first other value is refused with its row."""
    values = target_matrix(y, "y", n_edges, "edge")
    return whole_numbers(values, "y", 0, 1, "edge sets are 0/1 matrices, 1 where the edge belongs to the row")


def complete_graph(n_vertices: int) -> NDArray[np.int32]:
    """Return the pairs u < v in lexicographic order, shape ``(n_edges, 2)``."""
    return np.stack(np.triu_indices(n_vertices, 1), axis=1).astype(np.int32)


def vertices_of_complete_graph(n_edges: int) -> int:
    """Return the number of vertices of the complete graph with that many edges; ValueError where there is none."""
    n = (1 + int(np.sqrt(1 + 8 * n_edges))) // 2
    if n * (n - 1) // 2 != n_edges or n_edges == 0:
        raise ValueError(
            f"y has {n_edges} columns, which is no number of edges of a complete graph (1, 3, 6, 10, …); "
            "give n_vertices and edges"
        )
    return n


def _pair(values: NDArray[Any], i: int) -> str:
    u, v = (int(x) for x in values[i])
    return f"({u}, {v})"


def edge_restriction(
    conditions: Conditions, description: Description, edges: ArrayLike, *, what: str, directed: bool = False
) -> Restriction:
    """Return the restriction to sets that hold required edges and no forbidden ones.

    Parameters
    ----------
    conditions : Conditions
        With the keys of `KEYS`.
    description : Description
        A space whose ψ has an entry for each edge.
    edges : array-like of shape (m, 2)
    what : str
        What an edge is, such as "edge".
    directed : bool, default=False
        Whether a pair and its reverse are two things.

    Raises
    ------
    ConditionError, ConditionTypeError
        For conditions that are not legal, name an edge that there is not, or contradict one another.
    """
    listed = np.asarray(edges).tolist()
    number = {(u, v): i for i, (u, v) in enumerate(listed)}
    if not directed:
        number |= {(v, u): i for i, (u, v) in enumerate(listed)}
    vertices = Noun("vertex", "vertices", 1 + max(max(pair) for pair in listed))

    def entries(key: str) -> dict[int, Pair]:
        found = {}
        for pair in conditions.pairs(key, vertices):
            if pair not in number:
                raise ConditionError(f"{key!r} holds {pair}, which is no {what} of the graph; leave it out")
            found[number[pair]] = pair
        return found

    must, must_not = entries("required"), entries("forbidden")
    for i in must:
        if i in must_not:
            raise ConditionError(f"the {what} {must[i]} is required and forbidden; drop one of the two conditions")
    return Restriction(
        description,
        must=tuple((i, 1) for i in sorted(must)),
        must_not=tuple((i, 1) for i in sorted(must_not)),
        shown=str(conditions),
    )
