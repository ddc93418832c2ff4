"""What partial orders and partial tournaments share: antisymmetric relations between items as outputs."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .._data.relations import items_shown, relation_rows
from ._base import Sized, Structure


class Relations(Structure):
    """Base class of structures whose outputs say of each pair of items which is before the other, if one is."""

    default_metric = "pair_accuracy"
    _entries = "signs and zeros"
    _costs = ("hamming", "kendall")
    _sized = Sized("n_items", "pair of items", "the pairs of y", names="items")
    _columns = "entries"

    def _shown(self, y: Any) -> int:
        return items_shown(y, type(self).__name__)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return relation_rows(y, self._n(), argument)

    _metric_arguments = Structure._encoded
