r"""Marginals :math:`E\psi` as a matrix: of pairs of labels, of edges, of arcs, of cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError
from .._lib.structure import structure_layout
from ..structures import Structure
from ._events import check_marginals


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
        ranks: FloatArray = (len(values) + 1) / 2 - ahead.sum(axis=1) / 2
        return ranks

    def renamed(self, labels: Any) -> MarginalMatrix:
        """Return the matrix with other names of its items, or of its rows and columns alike where it has no items."""
        names = [str(label) for label in labels]
        n = self.n_items or len(self.rows)
        if len(names) != n:
            raise ValueError(f"labels has {len(names)} names, {n} are needed")
        rows = (*names, *self.rows[n:])
        columns = (*names, *self.columns[n:]) if self.n_items else self.columns
        return replace(self, rows=rows, columns=columns)

    def ordered(self, order: Any) -> MarginalMatrix:
        """Return the matrix with its items in another order: a permutation of 0..n_items−1, or "rank"."""
        if not self.n_items:
            raise ValueError("order is for matrices whose rows and columns stand for the same; leave it out")
        if isinstance(order, str):
            if order != "rank":
                raise ValueError(f"order must be None, 'rank' or a permutation of the rows, got {order!r}")
            if not self.ranked:
                raise ValueError("order='rank' is for orders of labels, where rows have ranks; leave it out")
            order = np.argsort(self.expected_ranks(), kind="stable")
        permutation = np.asarray(order)
        if permutation.shape != (self.n_items,) or (np.sort(permutation) != np.arange(self.n_items)).any():
            raise ValueError(f"order must list each of 0..{self.n_items - 1} once, got {order!r}")
        at_row, at_column = (
            np.concatenate([permutation, np.arange(self.n_items, size)]).astype(int) for size in self.values.shape
        )
        return replace(
            self,
            values=self.values[np.ix_(at_row, at_column)],
            rows=tuple(self.rows[i] for i in at_row),
            columns=tuple(self.columns[j] for j in at_column),
        )


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
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    rows = check_marginals(structure, marginals)
    if len(rows) != 1:
        raise ValueError(
            f"marginals has {len(rows)} rows, a matrix shows one distribution; pass one row, such as marginals[0]"
        )
    matrix = _numbered(structure, rows[0])
    names, seconds = structure.space.items, structure.space.seconds
    if names is not None:
        matrix = matrix.renamed(names[: matrix.n_items or len(matrix.rows)])  # paths may have names of more vertices
    return matrix if seconds is None or matrix.n_items else replace(matrix, columns=tuple(map(str, seconds)))


def _numbered(structure: Structure, values: FloatArray) -> MarginalMatrix:
    """Return the matrix with items called by their numbers."""
    layout = structure_layout(structure.space.description)
    if layout is None:
        raise CapabilityError(
            f"the marginals of {structure!r} are one number for each entry of ψ and make no matrix; draw them as bars: "
            "ax.barh(structure.feature_names(), marginals)"
        )
    kind, n = layout.kind, layout.n_items
    if kind in ("total order", "order"):
        return _of_order(structure, kind, n, values)
    at = layout.rows, layout.columns
    size = n + 1 if n in layout.rows else n  # with a row of starts and a column of ends
    matrix = np.full((size, size), np.nan)
    matrix[at] = values
    if kind == "cells":
        items, columns = (tuple(f"{what} {i}" for i in range(n)) for what in ("item", "column"))
        return MarginalMatrix(matrix, items, columns, "P(row has column)", "probability", 0)
    if kind == "directions":
        matrix[at[::-1]] = -values
        return _square(matrix, "P(row→column) − P(column→row)", "difference")
    if kind == "edges":
        matrix[at[::-1]] = values
        return _square(matrix, "P(edge)", "probability")
    if size == n:
        return _square(matrix, "P(row→column)", "probability")
    places = tuple(str(place) for place in range(n))
    return MarginalMatrix(matrix, (*places, "start"), (*places, "end"), "P(row→column)", "probability", n)


def _of_order(structure: Structure, order: str, n: int, marginals: FloatArray) -> MarginalMatrix:
    if not hasattr(structure, "pair_probabilities"):
        values, quantity = _mirrored(n, marginals, -marginals), "P(row before column) − P(column before row)"
        return _square(values, quantity, "difference", ranked=True)
    before, after = structure.pair_probabilities(marginals)
    kind = "pair" if order == "total order" else "probability"
    return _square(_mirrored(n, before, after), "P(row before column)", kind, ranked=True)


def _mirrored(n: int, above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the matrix with values of the pairs u < v above the diagonal, and others below it."""
    values = np.full((n, n), np.nan)
    u, v = np.triu_indices(n, 1)
    values[u, v], values[v, u] = above, below
    return values


def _square(values: FloatArray, quantity: str, kind: str, *, ranked: bool = False) -> MarginalMatrix:
    names = tuple(str(i) for i in range(len(values)))
    return MarginalMatrix(values, names, names, quantity, kind, len(names), ranked)
