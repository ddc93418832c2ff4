"""What cycles and routes share: lists of places in the order in which they are visited."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._data.checks import columns_of
from .._data.entries import row_entries, table_rows
from .._data.listings import by_group
from .._data.names import joined, numbers_of
from .._data.sequences import padded
from .._data.targets import TargetError, whole_numbers
from .._lib.structure import parameter_range
from ._base import Structure
from ._converter import converter_of


class Visits(Structure):
    """Base class of structures whose outputs list different places out of n, padded with −1 on the right.

    A subclass has one parameter, the number of places, and says which lists are the same output.
    """

    _noun: ClassVar[tuple[str, str]]  # what is visited, such as ("vertex", "vertices")
    _returns: ClassVar[bool] = True  # whether outputs return to their start, which y does not repeat
    _rows = "lists"

    @converter_of
    def from_names(self, rows: Any, *, sep: str | None = None, closed: bool = False) -> NDArray[np.int32]:
        """Return y for lists of names in the order of the visits.

        Parameters
        ----------
        rows : sequence of n lists, or array or data frame of shape (n, width)
            Names as the structure has them, or numbers where it has none. Rows of a table may end in "", None or NaN.
        sep : str, default=None
            What divides the names where rows are strings, such as ">".
        closed : bool, default=False
            Whether rows of `Routes` that end where they began are taken without this return. Those of `Cycles` and
            `DirectedCycles` may be written with or without it.

        Returns
        -------
        y : ndarray of shape (n, N), dtype=int32
            Numbers in the order given, padded with −1.

        Raises
        ------
        ValueError
            When a row is no output of the structure; names the row and what is wrong there.

        See Also
        --------
        to_names : The inverse.

        Examples
        --------
        >>> from combpred.structures import DirectedCycles, Routes
        >>> towns = ["Bath", "Cork", "Dover"]
        >>> Routes(places=towns).from_names([["Dover", "Bath"], ["Cork", "Dover", "Bath"]])
        array([[ 2,  0, -1],
               [ 1,  2,  0]], dtype=int32)
        >>> DirectedCycles(vertices=towns).from_names(["Cork-Dover-Bath-Cork"], sep="-")
        array([[1, 2, 0]], dtype=int32)
        """
        known, parameter = self._names, str(self._sized.names)
        index = frozenset(known or ())
        lists = [
            row_entries(row, i, "rows", sep, True, index, numbered=known is None, may_be_empty=False)
            for i, row in enumerate(table_rows(rows, "rows", sep))
        ]
        columns = list(columns_of(rows))
        if len(columns) == 2 and len(lists) > 2 and all(row[0] not in index and row[-1] in index for row in lists):
            what = f"column {columns[0]!r} holds none of the {parameter}"
            raise TargetError(0, f"{what}; {by_group('rows', *columns)}", "rows")
        for i, row in enumerate(lists):
            if len(row) > 1 and row[0] == row[-1]:
                if not (self._returns or closed):
                    raise TargetError(
                        i,
                        f"returns to {row[0]!r} at its end: pass closed=True to leave the return out, or take "
                        "DirectedCycles, which return",
                        "rows",
                    )
                row.pop()
        numbers = numbers_of(lists, known, "rows", type(self).__name__, parameter, self._noun[0])
        n = len(known) if known else getattr(self, self._sized.parameter)
        shown = max([self._least, *(max(len(row), max(row) + 1) for row in numbers if row)])
        y = padded([*numbers, [0] * (n or shown)], "rows", self._noun[0])[:-1].astype(np.int32)  # one as wide as y
        self._resolve(y).encode(y, "rows")  # refuses what is no output
        return y

    @converter_of
    def to_names(self, y: Any, *, sep: str | None = None, closed: bool = False) -> list[Any]:
        """Return lists of names in the order of the visits, the inverse of `from_names`.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, such as predictions.
        sep : str, default=None
            What divides the names where rows shall be strings; None: rows are lists.
        closed : bool, default=False
            Whether to end each row where it began.

        Returns
        -------
        rows : list of n lists or strings
            Numbers where the structure has no names.

        Raises
        ------
        ValueError
            When a row of y is no output; names the row.

        Examples
        --------
        >>> from combpred.structures import Cycles
        >>> Cycles(vertices=["Bath", "Cork", "Dover", "Ely"]).to_names([[3, 0, 1, -1]], closed=True)
        [['Ely', 'Bath', 'Cork', 'Ely']]
        """
        visits = self._numbers(y, "y")
        self._resolve(visits).encode(visits)
        names = self._names
        found = []
        for row in visits.astype(np.int64).tolist():
            listed = [place if names is None else names[place] for place in row if place >= 0]
            listed += listed[:1] if closed else []
            found.append(joined(listed, sep))
        return found

    @property
    def _least(self) -> int:
        """Number of places in the shortest row."""
        return parameter_range(self.name, "n").least

    def _shown(self, y: Any, argument: str = "y") -> int:
        (_, many), most = self._noun, parameter_range(self.name, "n").most
        remedy = f"{many} are whole numbers 0..{most - 1}, and −1 pads short rows at the right"
        values = whole_numbers(self._numbers(y, argument), argument, -1, most - 1, remedy)
        return max(int(values.shape[1]), int(values.max()) + 1, self._least)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return padded(y, argument, self._noun[0])

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self
        if getattr(self, self._sized.parameter) is None:
            n = max(self._shown(y_true, "y_true"), self._shown(y_pred, "y_pred"))
            known = self._with(**{self._sized.parameter: n})
        return known.encode(y_true, "y_true"), known.encode(y_pred, "y_pred")
