"""`Layout`: the entries of ψ as cells of a matrix, for displays and other code that works on pairs of items."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: What an entry of ψ for a pair of items means, as `Layout` explains.
PairKind = Literal["total order", "order", "directions", "edges"]


class Layout(NamedTuple):
    r"""The entries of :math:`\psi`, or the first of them, as cells of a matrix.

    Attributes
    ----------
    kind : {"total order", "order", "directions", "arcs", "edges", "cells"}
        What an entry means. "order": +1 if the row's item is before the column's item, −1 if it is after it, 0 if
        neither. "total order": the same, but never 0. "directions": +1 for the arc from row to column, −1 for the
        reverse arc. "arcs": 1 for the arc from row to column. "edges": 1 for the edge between the two. "cells": 1 if
        the row's item gets the column.
    n_items : int
        Number of items.
    rows, columns : ndarray of shape (m,), dtype=int
        Row and column of each entry. For routes, row `n_items` stands for the start and column `n_items` for the end.
    """

    kind: Literal["total order", "order", "directions", "arcs", "edges", "cells"]
    n_items: int
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @classmethod
    def of_pairs(cls, kind: PairKind, n_items: int) -> Layout:
        """Return the layout of ψ with one entry for each pair u < v, in lexicographic order."""
        u, v = np.triu_indices(n_items, 1)
        return cls(kind, n_items, u, v)

    @classmethod
    def of_graph(cls, kind: Literal["arcs", "edges"], n_items: int | None, arcs: NDArray[np.int32]) -> Layout:
        """Return the layout of ψ with one entry for each arc or edge, given as pairs ``(d, 2)`` of vertices.

        ``n_items=None`` means one more than the largest vertex.
        """
        ends = np.asarray(arcs, dtype=np.intp)
        return cls(kind, int(ends.max()) + 1 if n_items is None else n_items, ends[:, 0], ends[:, 1])
