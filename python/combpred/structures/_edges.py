"""What graphs and spanning trees share: sets of edges as outputs, out of a list of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.relations import items_of_pairs
from .._data.targets import target_matrix
from .._lib.structure import Description
from ._base import Sized
from ._pairs import Pairs, vertex_pairs


class EdgeSets(Pairs):
    """Base class of structures whose outputs are sets of edges of a graph, the complete one if no edges are given."""

    default_metric = "hamming_score"
    _sized = Sized("n_vertices", "edge", names="vertices")
    _directed = False

    n_vertices: int | None
    edges: Any
    vertices: Sequence[Any] | None

    def _ends(self) -> NDArray[np.int32]:
        """Return the two vertices of each edge that is given."""
        return vertex_pairs(self.edges, f"{type(self).__name__}: edges", self._names)

    def _n(self) -> int:
        if self.edges is None or self.n_vertices is not None or self._names is not None:
            return super()._n()
        return int(self._ends().max()) + 1

    def _describe(self) -> Description:
        return Description(self.name, {"n": self._n()}, None if self.edges is None else self._ends().ravel())

    def _resolve(self, y: Any) -> EdgeSets:
        if self.edges is not None:
            return self._with(n_vertices=self.space.description.scalars["n"])
        return super()._resolve(y)

    def _shown(self, y: Any) -> int:
        return items_of_pairs(super()._shown(y), "y")

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return target_matrix(y, argument, self.space.part_len, "edge")
