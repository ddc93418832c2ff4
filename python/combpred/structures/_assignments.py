"""One-to-one assignments of items to columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._data.checks import counted
from .._data.glossary import documented
from .._data.names import Names, checked_names
from ._base import Sized, Structure


@documented
class Assignments(Structure):
    r"""One-to-one assignments of k items to k columns: :math:`\psi_{ij}(y)` is 1 if item i gets column j, else 0.

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
    _entries = "bits"
    _sized = Sized("n_items", "item", names="items")
    _columns = "items"
    _called = "items?|column"

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
