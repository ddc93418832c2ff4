"""Edge lists of simple graphs: checks, and names of edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.call import codes
from .._lib.errors import in_words_of
from .._lib.structure import Description


def edge_list(cls: str, edges: Any, n_vertices: int | None) -> NDArray[np.int32]:
    """Return the edges of a simple graph as an int32 array of shape ``(n_edges, 2)``, checked.

    Parameters
    ----------
    cls : str
        Name of the class or function that has the parameter `edges`, for messages.
    edges : array-like of shape (n_edges, 2)
        Pairs of vertices.
    n_vertices : int or None
        Number of vertices; None: one more than the largest vertex in `edges`.

    Raises
    ------
    TypeError
        When vertices are not integers.
    ValueError
        For a vertex out of range, a self-loop, or an edge that repeats or reverses another; names the edge.
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
    whole = codes(values.astype(np.int64), "edges", None, 2)
    n = max(2, int(whole.max()) + 1) if n_vertices is None else n_vertices
    try:
        _ = Description("graphs", {"n": n}, whole.ravel()).shape  # the library checks them
    except ValueError as error:
        raise in_words_of(cls, error) from None
    return whole


def vertices_of_complete_graph(n_edges: int) -> int:
    """Return the number of vertices of the complete graph with `n_edges` edges; ValueError if there is none."""
    n = (1 + int(np.sqrt(1 + 8 * n_edges))) // 2
    if n * (n - 1) // 2 != n_edges or n_edges == 0:
        raise ValueError(
            f"y has {n_edges} columns, which is no number of edges of a complete graph (1, 3, 6, 10, …); "
            "give n_vertices and edges"
        )
    return n
