"""What cycles and routes share: lists of places in the order in which they are visited."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from .._data.targets import padded, whole_numbers
from ._base import Structure


class Visits(Structure):
    """Base class of structures whose outputs list different places out of n, padded with −1 on the right.

    A subclass has one parameter, the number of places, and says which lists are the same output.
    """

    _noun: ClassVar[tuple[str, str]]  # what is visited, such as ("vertex", "vertices")

    @property
    def _least(self) -> int:
        """Number of places in the shortest row."""
        return self._range("n").least

    def _shown(self, y: Any, argument: str = "y") -> int:
        (_, many), most = self._noun, self._range("n").most
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
        return known.space.encode(y_true, "y_true"), known.space.encode(y_pred, "y_pred")
