"""How the entries of ψ make a matrix: which two items each is about, and what it tells of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Layout(NamedTuple):
    r"""The entries of :math:`\psi`, or the first of them, as cells of a matrix.

    Attributes
    ----------
    kind : {"total order", "order", "directions", "arcs", "edges", "cells"}
        What an entry tells. "order": +1 where the row's item is before the column's, −1 where it is behind; with "total
        order" one of the two holds of any pair. "directions": +1 for the arc from row to column, −1 for the one back.
        "arcs": 1 for the arc from row to column. "edges": 1 for the edge between both. "cells": 1 where the row's item
        has the column.
    n_items : int
        Number of items.
    rows, columns : ndarray of shape (m,), dtype=int
        The cell of each entry. For routes, row `n_items` stands for the start and column `n_items` for the end.
    """

    kind: Literal["total order", "order", "directions", "arcs", "edges", "cells"]
    n_items: int
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @classmethod
    def of_pairs(cls, kind: Literal["total order", "order", "directions", "edges"], n_items: int) -> Layout:
        """Return the layout of entries for the pairs u < v in lexicographic order."""
        u, v = np.triu_indices(n_items, 1)
        return cls(kind, n_items, u, v)

    @classmethod
    def of_graph(cls, kind: Literal["arcs", "edges"], n_items: int | None, arcs: NDArray[np.int32]) -> Layout:
        """Return the layout of entries for arcs or edges, of shape (d, 2); the largest vertex is the last for None."""
        ends = np.asarray(arcs, dtype=np.intp)
        return cls(kind, int(ends.max()) + 1 if n_items is None else n_items, ends[:, 0], ends[:, 1])
