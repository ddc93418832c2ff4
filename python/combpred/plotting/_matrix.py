r"""Marginals :math:`E\psi` as a matrix: of pairs of labels, of edges, of arcs, of cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._data.checks import float_array
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError, RowError
from .._lib.structure import structure_layout
from .._lib.table import floats
from ..structures import Structure

_ROUNDING = 1e-9


@dataclass(frozen=True)
class MarginalMatrix:
    """A matrix of marginals.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns)
        NaN where there is nothing: on the diagonal, where no edge is.
    rows, columns : tuple of str
        What the rows and the columns stand for.
    quantity : str
        What the values are.
    kind : {"pair", "probability", "difference"}
        "pair": of one of two events, ½ being the middle; "difference": of two probabilities, 0 being the middle.
    n_items : int
        How many of the rows, from the first on, stand for the same as the columns; 0 where none do.
    ranked : bool
        Whether the items have ranks.
    """

    values: FloatArray
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    quantity: str
    kind: str
    n_items: int
    ranked: bool = False

    def expected_ranks(self) -> FloatArray:
        """Return the expected rank of every item, 1 for the first; items that share ranks have their mean.

        An item's rank is 1, plus 1 for each other that stands before it and ½ for each that stands neither before nor
        behind it.
        """
        values = np.nan_to_num(self.values)
        ahead = values if self.kind == "difference" else values - values.T  # P(u before v) − P(v before u)
        return (len(values) + 1) / 2 - ahead.sum(axis=1) / 2

    def renamed(self, labels: Any) -> MarginalMatrix:
        """Return the matrix with other names of its items, or of its rows and columns alike where it has no items."""
        n = self.n_items or len(self.rows)
        names = names_for(n, labels, "labels")
        rows = (*names, *self.rows[n:])
        columns = (*names, *self.columns[n:]) if self.n_items else self.columns
        return replace(self, rows=rows, columns=columns)

    def ordered(self, order: Any) -> MarginalMatrix:
        """Return the matrix with its items in another order: a permutation of 0..n_items−1, or "rank"."""
        by_rank = self.ranked and isinstance(order, str) and order == "rank"
        permutation = np.argsort(self.expected_ranks(), kind="stable") if by_rank else np.asarray(order)
        if permutation.shape != (self.n_items,) or (np.sort(permutation) != np.arange(self.n_items)).any():
            raise ValueError(
                f"order must list each of the {self.n_items} items that rows and columns stand for once, or be 'rank' "
                f"for orders of items, got {order!r}"
            )
        at = np.concatenate([permutation, np.arange(self.n_items, len(self.values))]).astype(int)
        rows, columns = (tuple(names[i] for i in at) for names in (self.rows, self.columns))
        return replace(self, values=self.values[np.ix_(at, at)], rows=rows, columns=columns)


#: What the entries of ψ of each kind are the probabilities of, with a row and a column.
_EVENTS = {
    "total order": "P({} before {})",
    "order": "P({} before {})",
    "directions": "P({}→{})",
    "arcs": "P({}→{})",
    "edges": "P(edge)",
    "cells": "P({} has {})",
}


def marginal_matrix(structure: Structure, marginals: Any) -> MarginalMatrix:
    r"""Return the marginals of one distribution as a matrix whose items have the names of the structure.

    Parameters
    ----------
    structure : Structure
    marginals : array-like of shape (d,)
        :math:`E\psi`.

    Raises
    ------
    CapabilityError
        Where the marginals make no matrix.
    ValueError
        When they are not in the range of :math:`\psi`, or of more than one distribution.
    """
    values, space = _of_one(structure, marginals), structure.space
    layout = structure_layout(space.description)
    if layout is None:
        raise CapabilityError(
            f"the marginals of {structure!r} are one number for each entry of ψ and make no matrix; draw them as bars: "
            "ax.barh(structure.feature_names(), marginals)"
        )
    kind, n = layout.kind, layout.n_items
    quantity, scale, back = _EVENTS[kind].format("row", "column"), "probability", None
    if hasattr(structure, "pair_probabilities"):
        values, back = structure.pair_probabilities(values)
        scale = "pair" if kind == "total order" else scale
    elif kind in ("order", "directions"):
        back, scale = -values, "difference"
        quantity += f" − {_EVENTS[kind].format('column', 'row')}"
    elif kind == "edges":
        back = values
    size = n + 1 if n in layout.rows else n  # with a row of starts and a column of ends
    matrix = np.full((size, size), np.nan)
    matrix[layout.rows, layout.columns] = values
    if back is not None:
        matrix[layout.columns, layout.rows] = back
    names = tuple(
        map(str, range(n) if space.items is None else space.items[:n])
    )  # paths may have names of more vertices
    rows, columns = ((*names, "start"), (*names, "end")) if size > n else (names, names)
    if kind == "cells":
        rows = tuple(f"item {i}" for i in range(n)) if space.items is None else names
        columns = tuple(f"column {i}" for i in range(n)) if space.seconds is None else tuple(map(str, space.seconds))
    n_items = 0 if kind == "cells" else n
    return MarginalMatrix(matrix, rows, columns, quantity, scale, n_items, ranked=kind in ("total order", "order"))


def _of_one(structure: Structure, marginals: Any) -> FloatArray:
    r"""Return :math:`E\psi` of one distribution, ``(d,)``, within the range of :math:`\psi`."""
    values = floats(np.atleast_2d(float_array(marginals, "marginals")), "marginals", 1, structure.n_features)[0]
    low = 0.0 if structure.space.has_indicators else -1.0
    bad = ~((values >= low - _ROUNDING) & (values <= 1 + _ROUNDING))  # true of NaN
    if bad.any():
        entry = int(np.argmax(bad))
        name = structure.feature_names()[entry]
        raise RowError(0, f"entry {entry} ({name}) is {values[entry]}, must be between {low:g} and 1", "marginals")
    return np.asarray(np.clip(values, low, 1.0))


def names_for(n: int, names: Any, argument: str) -> tuple[str, ...]:
    """Return names of n rows or columns as strings, their numbers where `names` is None."""
    listed = tuple(map(str, range(n) if names is None else names))
    if len(listed) != n:
        raise ValueError(f"{argument} has {len(listed)} names, {n} are needed")
    return listed
