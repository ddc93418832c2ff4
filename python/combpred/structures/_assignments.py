"""One-to-one assignments of items to columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import as_objects, read_entries, rows_in
from .._data.glossary import documented
from .._data.names import Names, checked_names
from .._data.targets import TargetError
from ._base import NaturalForm, Sized, Structure, both_in_parts, copy_with, known_items, rows_of_names
from ._converter import converter, table_in_parts


@documented
@dataclass(eq=False, repr=False)
class Assignments(Structure):
    r"""One-to-one assignments of k items to k columns.

    :math:`\psi_{ij}(y)` is 1 if item i gets column j, else 0.

    Parameters
    ----------
    n_items : int, default=None
        Number of items k, which is also the number of columns. None: the number of columns of y when an estimator is
        fitted.
    %(items)s
    columns : sequence of str or of int, default=None
        Names of the columns, by which conditions may call them; None: the numbers 0..k−1.

    Notes
    -----
    y has shape ``(n, k)``: ``y[r, i]`` is the column 0..k−1 of item i in row r, and each column occurs once. Or its
    rows are lists of pairs of an item and a column, or dicts from items to columns, by name; or it is a data frame of
    such names with an item for each column. `from_pairs` and `to_pairs` convert one into the other. Predictions are
    int32. The embedding is the permutation matrix, row by row, d = k². It says where an item goes, not which items come
    before it; for that see `Permutations`. The covariance has one nonzero eigenvalue, 1/(k−1), whose eigenspace are the
    matrices whose rows and columns add up to 0.

    The default metric is `hamming_score` of the items: the fraction that is assigned as observed.

    Decoding is the linear assignment problem, solved exactly by shortest augmenting paths (Kuhn, 1955, "The Hungarian
    method for the assignment problem") in O(k³).

    Constraints have the keys ``required`` and ``forbidden``, lists of cells, which are pairs of an item and a column.

    Examples
    --------
    >>> from combpred.structures import Assignments
    >>> Assignments(3).embed([[2, 0, 1]])
    array([[0., 0., 1., 1., 0., 0., 0., 1., 0.]])
    >>> Assignments(2).decode([0.9, 1.0, 0.1, 0.8])
    array([0, 1], dtype=int32)
    >>> Assignments(200).count() > 10**300
    True
    """

    name = "assignments"
    default_metric = "hamming_score"
    _sized = Sized("n_items", "item", names="items")
    _columns = "items"
    _natural = NaturalForm("to_pairs", named=True, lists=lambda rows, argument: _sides(rows, argument)[0])

    n_items: int | None = None
    _: KW_ONLY
    items: Sequence[Any] | None = None
    columns: Sequence[Any] | None = None

    @converter
    def from_pairs(
        pairs: Any, items: Sequence[Any] | None = None, columns: Sequence[Any] | None = None
    ) -> NDArray[np.int32]:
        """Return columns of the items, the format of y, for lists of pairs of an item and its column.

        Parameters
        ----------
        pairs : sequence of n lists, or of n dicts
            Each holds a pair of an item and a column, by name or number, for every item; or is a dict from items to
            columns. Data frames have an item for each of their columns.
        items, columns : sequence of str or of int, default=None
            Names of the items and of the columns. None: names that occur, sorted; of numbers those from 0 to the
            largest.

        Returns
        -------
        assignments : ndarray of shape (n, k), dtype=int32
            The number of the column of each item.

        Raises
        ------
        ValueError
            When a row is no one-to-one assignment of all items, or holds an unknown name; names the row.

        See Also
        --------
        to_pairs : The inverse.

        Examples
        --------
        >>> Assignments.from_pairs([[("Ann", "paint"), ("Bob", "cook")]], columns=["cook", "paint"])
        array([[1, 0]], dtype=int32)
        """
        return Assignments(items=items, columns=columns)._read_natural(rows_in(pairs, "pairs", named=True), "pairs")

    @converter
    def to_pairs(
        assignments: Any, items: Sequence[Any] | None = None, columns: Sequence[Any] | None = None
    ) -> list[list[tuple[Any, Any]]]:
        """Return a list of pairs of an item and its column for each row, the inverse of `from_pairs`.

        Parameters
        ----------
        assignments : array-like of shape (n, k)
            Columns of the items, as in y.
        items, columns : sequence of str or of int, default=None
            Their names. None: for items those of the columns of a data frame, otherwise numbers.

        Returns
        -------
        pairs : list of n lists

        Raises
        ------
        ValueError
            When a row is no assignment; names the row.

        Examples
        --------
        >>> Assignments.to_pairs([[1, 0]], items=["Ann", "Bob"], columns=["cook", "paint"])
        [[('Ann', 'paint'), ('Bob', 'cook')]]
        """
        parts, left = table_in_parts(Assignments, assignments, items, "assignments")
        right = as_objects(Assignments(len(left), columns=columns)._second_names or range(len(left)))
        return [list(zip(left.tolist(), right[row].tolist(), strict=True)) for row in parts]

    def _resolve(self, y: Any) -> Assignments:
        resolved = super()._resolve(y)
        rows = rows_of_names(self, y, "y")
        if rows is None:
            return resolved
        columns = _sides(rows, "y")[1]
        names = read_entries(columns, self.columns, "y", "columns").names
        _require_paired(columns, max(len(known_items(resolved) or ()), len(names)), "y")
        return resolved if self.columns is not None else copy_with(resolved, columns=list(names))

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        items, columns = _sides(rows, argument)
        left = read_entries(items, known_items(self), argument, "items")
        right = read_entries(columns, self.columns, argument, "columns")
        _require_paired(columns, max(len(left.names), len(right.names)), argument)
        return left.matrix(right.item, -1, np.int32)

    @property
    def _second_names(self) -> Names | None:
        return None if self.columns is None else checked_names(self.columns, "Assignments: columns")

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        truth, predicted = both_in_parts(self, y_true, y_pred)
        if truth.shape != predicted.shape:
            raise ValueError(f"y_true has shape {truth.shape} and y_pred {predicted.shape}; they must agree row by row")
        # An item is right or wrong as a whole; the fraction of right cells would depend on the number of columns.
        return np.ones_like(truth), (truth == predicted).astype(np.int32)


def _require_paired(columns: list[list[Any]], k: int, argument: str) -> None:
    """Raise TargetError for the first row that does not list k columns."""
    short = next((i for i, row in enumerate(columns) if len(row) != k), None)
    if short is not None:
        raise TargetError(short, f"pair each of {k} items with a column of its own", argument)


def _sides(rows: list[Any], argument: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the items and the columns of rows of pairs."""
    listed = [list(row.items()) if isinstance(row, Mapping) else row for row in rows]
    for i, pairs in enumerate(listed):
        if not isinstance(pairs, (list, tuple, np.ndarray)) or any(np.shape(pair) != (2,) for pair in pairs):
            raise TargetError(i, f"found {pairs!r:.60}; give pairs of an item and a column, or a dict", argument)
    items, columns = ([[pair[side] for pair in pairs] for pairs in listed] for side in (0, 1))
    return items, columns
