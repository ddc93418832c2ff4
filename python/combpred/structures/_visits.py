"""What cycles and routes share: lists of places in the order in which they are visited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import padded, rows_in
from .._data.targets import whole_numbers
from .._lib.structure import parameter_range
from ._base import NaturalForm, Sized, Structure, copy_with, entries_in, known_items


def size_of_visits(structure: Any, y: Any, argument: str) -> int:
    """Return the number of places that y shows: the longest row, or the largest number."""
    (_, many), (least, most) = structure._noun, parameter_range(structure.name, "n")
    remedy = f"{many} are whole numbers 0..{most - 1}, and −1 pads short rows at the right"
    values = whole_numbers(structure._numbers(y, argument), argument, -1, most - 1, remedy)
    return max(int(values.shape[1]), int(values.max()) + 1, least)


class Visits(Structure):
    """Base class of structures whose outputs list different places out of n, padded with −1 on the right.

    A subclass has one parameter, the number of places, and says which lists are the same output.
    """

    _sized = Sized("n_vertices", "vertex", "y", "vertices", size_of_visits)
    _noun = ("vertex", "vertices")  # what is visited
    _natural = NaturalForm("to_names", once=False)

    def __init__(self, n_vertices: int | None = None, *, vertices: Sequence[Any] | None = None) -> None:
        self.n_vertices = n_vertices
        self.vertices = vertices

    def from_names(self, rows: Any) -> NDArray[np.int32]:
        """Return y for lists of names in the order of the visits.

        Parameters
        ----------
        rows : sequence of n lists, or array or data frame of shape (n, width)
            Names as the structure has them, or numbers where it has none. Cycles are written without their return.

        Returns
        -------
        y : ndarray of shape (n, width), dtype=int32
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
        >>> from combpred.structures import Routes
        >>> towns = ["Bath", "Cork", "Dover"]
        >>> Routes(places=towns).from_names([["Dover", "Bath"], ["Cork", "Dover", "Bath"]])
        array([[ 2,  0, -1],
               [ 1,  2,  0]], dtype=int32)
        """
        y = self._read_natural(rows_in(rows, "rows"), "rows")
        self._resolve(y).encode(y, "rows")  # refuses what is no output
        return y

    def to_names(self, y: Any) -> list[list[Any]]:
        """Return lists of names in the order of the visits, the inverse of `from_names`.

        Parameters
        ----------
        y : array-like of n rows
            In the structure's format, such as predictions.

        Returns
        -------
        rows : list of n lists
            Numbers where the structure has no names. Cycles do not repeat their start.

        Raises
        ------
        ValueError
            When a row of y is no output; names the row.

        Examples
        --------
        >>> from combpred.structures import Cycles
        >>> Cycles(vertices=["Bath", "Cork", "Dover", "Ely"]).to_names([[3, 0, 1, -1]])
        [['Ely', 'Bath', 'Cork']]
        """
        visits = self._numbers(y, "y")
        known = self._resolve(visits)
        known.encode(visits)
        names = known_items(known) or ()
        return [[names[place] for place in row if place >= 0] for row in visits.astype(np.int64).tolist()]

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        found = entries_in(self, rows, known_items(self), argument)
        width = max(parameter_range(self.name, "n")[0], int(found.place.max(initial=0)) + 1)
        y = np.full((found.n_rows, width), -1, dtype=np.int32)
        y[found.row, found.place] = found.item
        return y

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return padded(y, argument, self._noun[0])

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self
        if getattr(self, self._sized.parameter) is None:
            n = max(size_of_visits(self, y_true, "y_true"), size_of_visits(self, y_pred, "y_pred"))
            known = copy_with(self, **{self._sized.parameter: n})
        return known.encode(y_true, "y_true"), known.encode(y_pred, "y_pred")
