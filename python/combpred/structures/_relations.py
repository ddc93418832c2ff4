"""What partial orders and partial tournaments share: antisymmetric relations between items as outputs."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .._data.inputs import column_names, columns_in_order
from .._data.relations import relation_rows
from . import _pairs
from ._base import Sized, Structure, both_in_parts


class Relations(Structure):
    """Base class of structures whose outputs say of each pair of items which is before the other, if one is."""

    default_metric = "pair_accuracy"
    _sized = Sized(
        "n_items", "pair of items", "the pairs of y", "items", lambda _, y, argument: relation_rows(y, argument)[1]
    )
    _columns = "entries"
    _directed = True  # whether edges of graphs that are outputs are

    from_edges, to_edges = _pairs.from_edges, _pairs.to_edges
    from_networkx, to_networkx = _pairs.from_networkx, _pairs.to_networkx
    from_adjacency, to_adjacency = _pairs.from_adjacency, _pairs.to_adjacency
    _natural, _read_natural = _pairs.natural_form(directed=True), _pairs.read_natural

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return relation_rows(y, argument, self._n())[0]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        names = column_names(y_true, "y_true")
        return both_in_parts(self, y_true, columns_in_order(y_pred, names, "y_pred", "those of y_true"))
