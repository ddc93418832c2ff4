"""One-to-one assignments of items to columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._data.checks import counted
from .._data.entries import table_rows
from .._data.glossary import documented
from .._data.listings import as_table, by_name, names_of, read_lists
from .._data.names import Names, checked_names
from .._data.targets import TargetError, target_matrix
from ._base import Sized, Structure
from ._converter import converter


@documented
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
    y has shape ``(n, k)``: ``y[r, i]`` is the column 0..k−1 of item i in row r, and each column occurs once.
    Predictions are int32. The embedding is the permutation matrix, row by row, d = k². It says where an item goes, not
    which items come before it; for that see `Permutations`. The covariance has one nonzero eigenvalue, 1/(k−1), whose
    eigenspace are the matrices whose rows and columns add up to 0.

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
    _converter = "Assignments.from_pairs makes y of lists of pairs, or dicts, y.argmax(axis=2) of 0/1 matrices"
    _columns = "items"

    def __init__(
        self,
        n_items: int | None = None,
        *,
        items: Sequence[Any] | None = None,
        columns: Sequence[Any] | None = None,
    ) -> None:
        self.n_items = n_items
        self.items = items
        self.columns = columns

    @converter
    def from_pairs(pairs: Any, items: Any = None, columns: Any = None, *, as_frame: bool = False) -> Any:
        """Return columns of the items, the format of y, for lists of pairs of an item and its column.

        Parameters
        ----------
        pairs : sequence of n lists, or of n dicts
            Each holds a pair of an item and a column, by name or number, for every item; or is a dict from items to
            columns. Data frames have an item for each of their columns.
        items, columns : sequence of str or of int, default=None
            Names of the items and of the columns. None: names that occur, sorted; numbers stand for themselves, from 0
            on.
        as_frame : bool, default=False
            Whether to return a data frame of pandas with the names of the items as columns, which estimators learn from
            it.

        Returns
        -------
        assignments : ndarray of shape (n, k), dtype=int32, or DataFrame
            The number of the column of each item.

        Raises
        ------
        ValueError
            When a row is no one-to-one assignment of all items, or names what there is not; names the row.

        Examples
        --------
        >>> Assignments.from_pairs([[("Ann", "paint"), ("Bob", "cook")]], columns=["cook", "paint"])
        array([[1, 0]], dtype=int32)
        """
        rows = []
        for i, row in enumerate(table_rows(pairs, "pairs")):
            if not isinstance(row, (list, tuple, np.ndarray, Mapping)):
                raise TargetError(
                    i, f"found {row!r:.60}; give a list of pairs, or a dict from items to columns", "pairs"
                )
            row = list(row.items()) if isinstance(row, Mapping) else list(row)
            if hasattr(pairs, "columns") and not any(isinstance(entry, (list, tuple)) for entry in row):
                row = list(zip(getattr(pairs, "column_names", pairs.columns), row, strict=True))
            rows.append(row)
            odd = [pair for pair in row if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2]
            if odd:
                raise TargetError(i, f"found {odd[0]!r:.60}; entries are pairs of an item and a column", "pairs")
        left = read_lists([[pair[0] for pair in row] for row in rows], "pairs", items, "items")
        right = read_lists([[pair[1] for pair in row] for row in rows], "pairs", columns, "columns")
        for at in np.flatnonzero(left.lengths() != right.lengths())[:1].tolist():
            what = f"found {rows[at][min(left.lengths()[at], right.lengths()[at])]!r:.60}; entries are pairs of an item"
            raise TargetError(at, f"{what} and a column, neither of which may be missing", "pairs")
        table = left.matrix(right.item, -1, np.int32)
        k = max(left.n_items, right.n_items)
        if left.n_items != right.n_items or (table < 0).any():
            at = int(np.argmax((table < 0).any(axis=1) if table.size else [True]))
            raise TargetError(
                at,
                f"assigns {len(rows[at])} of {left.n_items} items to {right.n_items} columns; pair each of {k} items "
                "with a column of its own",
                "pairs",
            )
        return as_table(table, left.names, as_frame, pairs)

    @converter
    def to_pairs(assignments: Any, items: Any = None, columns: Any = None) -> list[list[tuple[Any, Any]]]:
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
        assignments = by_name(assignments, items, "assignments", "items")
        values = target_matrix(assignments, "assignments", None, "item")
        k = values.shape[1]
        left = names_of(assignments, items, "items", k).tolist()
        right = names_of(None, columns, "columns", k)
        parts = Assignments(k).encode(values, "assignments")
        return [list(zip(left, right[row].tolist(), strict=True)) for row in parts]

    @property
    def _second_names(self) -> Names | None:
        names = None if self.columns is None else checked_names(self.columns, "Assignments: columns")
        if names is not None and len(names) != self._n():
            raise ValueError(f"Assignments: columns has {counted(len(names), 'name')} for {self._n()} items")
        return names

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        truth, predicted = self._encoded(y_true, y_pred)
        if truth.shape != predicted.shape:
            raise ValueError(f"y_true has shape {truth.shape} and y_pred {predicted.shape}; they must agree row by row")
        # An item is right or wrong as a whole; the fraction of right cells would depend on the number of columns.
        return np.ones_like(truth), (truth == predicted).astype(np.int32)
