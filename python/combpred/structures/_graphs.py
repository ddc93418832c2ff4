"""Graphs: sets of edges, on request with a hereditary property such as being a forest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions

from .._data.checks import check_argument
from .._data.glossary import documented
from .._data.targets import refuse_rows
from .._lib.decode import Decoded, Decoding, best_outputs
from .._lib.errors import CapabilityError, RowError, renumbered
from .._lib.structure import Description, structure_count, structure_layout
from ._base import copy_with
from ._edges import EdgeSets
from ._search.constraints import Restriction
from ._search.hereditary import PROPERTIES, SetProperty, decode_hereditary
from ._space import LibrarySpace, MomentsInfo

_MOST_LISTED_EDGES = 14  # the user's function is called for each of 16384 sets


@documented
@dataclass(eq=False, repr=False)
class Graphs(EdgeSets):
    r"""Graphs on N vertices: any sets of edges, or those with a hereditary property.

    :math:`\psi_e(y)` is 1 for the edges e of the graph y, else 0.

    Parameters
    ----------
    n_vertices : int, default=None
        Number of vertices N, at least 2. None: one more than the largest vertex in `edges`; without `edges`, inferred
        from the number of columns of y when an estimator is fitted.
    edges : array-like of shape (n_edges, 2), default=None
        The possible edges, pairs of vertices 0..N−1, without self-loops and repetitions. None: all pairs u < v in
        lexicographic order.
    hereditary : {"forest", "matching", "bipartite"} or callable, default=None
        A property that all rows of y have and that all predictions shall have. It must be hereditary: a set that has it
        keeps it when edges are removed. A function takes a read-only bool array of shape ``(n_edges,)`` and returns
        whether that set of edges has the property. It must be picklable (a function of a module, not a lambda) for
        estimators to be picklable. Functions are equal only if they are the same object. None: all sets of edges.
    %(vertices)s

    Notes
    -----
    y has shape ``(n, n_edges)`` and holds 0/1 or booleans, one column for each edge in the order of `edges`. Without
    `hereditary` every set of edges is a member, so a prediction decides each edge on its own, in O(n_edges). This
    relaxes properties of graphs to all sets of edges (Vembu, 2010, section 4.3.1). Predictions are int32. The default
    metric is `hamming_score`, the fraction of edges that are right.

    With `hereditary`, training is still relaxed to all sets of edges, whose moments are known. `count`, `log_count`,
    `mean`, `second_moment` and `covariance` are those of all sets, ``moments_info.kind`` is "relaxed", and there is no
    sampler of uniform members. `validate`, `enumerate`, partition functions and predictions respect the property. Sets
    with a property are listed for up to 23 edges; partition functions are sums over up to a million of them, for a
    property that is a function over those of up to 14 edges.

    Predictions are exact for forests, greedily in O(n_edges log n_edges) (Kruskal, 1956); for matchings, by Edmonds'
    algorithm (1965); and for bipartite graphs if at most 24 vertices are connected by edges of positive score once
    vertices with one neighbour are left out again and again. Beyond that ``decoder="auto"`` moves single vertices from
    several starts, and ``predict(X, return_certificate=True)`` reports a ratio ν of at most 1/2.

    With a function they are exact if at most 20 edges have a positive score, by a search that calls it between some
    hundred and a hundred thousand times. With more edges, ``decoder="auto"`` splits them into b blocks of 16, takes the
    best set within a block and improves it by local search; ν is at most 1 − 1/b (Vembu, 2010, section 5.4.1). A
    function that turns out not to be hereditary is refused.

    Constraints have the keys ``required`` and ``forbidden``, lists of edges, which are pairs of vertices.

    Rows of y may also be lists of edges, pairs of names of vertices, or graphs of networkx. `from_edges`,
    `from_networkx` and `from_adjacency` convert graphs to y, and `to_edges`, `to_networkx` and `to_adjacency` back.

    Examples
    --------
    >>> from combpred.structures import Graphs
    >>> Graphs(3).feature_names().tolist()
    ['0-1', '0-2', '1-2']
    >>> Graphs(4, edges=[(0, 1), (1, 2), (2, 3)]).decode([0.5, -1.0, 2.0])
    array([1, 0, 1], dtype=int32)
    >>> Graphs(3, hereditary="matching").decode([0.5, 0.7, -1.0])
    array([0, 1, 0], dtype=int32)
    """

    name = "graphs"

    n_vertices: int | None = None
    _: KW_ONLY
    edges: ArrayLike | None = None
    hereditary: str | Callable[[NDArray[np.bool_]], bool] | None = None
    vertices: Sequence[Any] | None = None

    def _describe(self) -> Description:
        described = super()._describe()
        if self.hereditary is None or callable(self.hereditary):
            return described
        check_argument(self.hereditary, "Graphs: hereditary", StrOptions(set(PROPERTIES)))
        return replace(described, scalars=described.scalars | {"property": PROPERTIES[self.hereditary]})

    def _make_space(self, cls: type[LibrarySpace] = LibrarySpace, **options: Any) -> LibrarySpace:
        if self.hereditary is None:
            return super()._make_space(cls, **options)
        if callable(self.hereditary):
            return super()._make_space(HereditarySpace, holds=self.hereditary, **options)
        return super()._make_space(RelaxedSpace, everything=copy_with(self, hereditary=None)._describe(), **options)

    def encode(self, y: Any, argument: str = "y", *, partial: bool = False) -> NDArray[np.int32]:
        parts: NDArray[np.int32] = super().encode(y, argument, partial=partial)
        if callable(self.hereditary):
            space: Any = self.space
            said = f"the edges do not have the property hereditary={self.hereditary!r}; hereditary=None takes all sets"
            refuse_rows(~space.set_property.have(parts), said, argument)
        return parts


_UNRELAXED = (
    "take inference='exact' (method='exact' of combpred.sampling.log_partition), which sums over the sets with the "
    "property where there are few edges, or hereditary=None, whose outputs are all sets of edges"
)


class RelaxedSpace(LibrarySpace):
    """The space of sets of edges with a property that the library knows.

    Its number of members is that of all sets, to which training is relaxed, as its moments are.
    """

    unrelaxed = _UNRELAXED

    def __init__(self, *arguments: Any, everything: Description, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._all, self._log_count = everything, everything.shape.log_count

    def count(self) -> int:
        return structure_count(self._all)


class HereditarySpace(LibrarySpace):
    """The space of sets of edges with a hereditary property that is a user's function.

    Facts and moments are those of all sets of edges, as the library computes them; decoding, listing and distributions
    respect the property.
    """

    moments_info = MomentsInfo("relaxed")
    unrelaxed = _UNRELAXED

    def __init__(self, *arguments: Any, holds: Callable[[NDArray[np.bool_]], bool], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.capabilities = frozenset()
        layout = structure_layout(self.description)
        names = [f"{u}-{v}" for u, v in zip(layout.rows, layout.columns, strict=True)]
        self.set_property = SetProperty(names, holds, "Graphs: hereditary", "edge")

    def decodes_in_library(self, decoder: str) -> bool:
        return False

    def _search(self, linear: NDArray[np.float64], magnitude: NDArray[np.float64] | None, how: Decoding) -> Decoded:
        return decode_hereditary(self.set_property, linear, magnitude, how)

    def decode_within(
        self,
        linear: NDArray[np.float64],
        magnitude: NDArray[np.float64] | None,
        how: Decoding,
        held: Sequence[Restriction],
    ) -> Decoded:
        if how.decoder == "milp":
            return super().decode_within(linear, magnitude, how, held)
        scores = linear if magnitude is None else linear + magnitude  # ψ is 0 or 1
        with_required = []
        for row, restriction in enumerate(held):
            required = np.zeros(self.n_features, dtype=np.bool_)
            required[[e for e, _ in restriction.must]] = True
            rest = self.set_property.beside(required)
            if not rest.holds(np.zeros_like(required)):
                raise RowError(row, "no set with the property satisfies the constraint")
            free = scores[[row]]
            free[:, required] = free[:, [e for e, _ in restriction.must_not]] = 0.0  # what gains nothing is left out
            with renumbered(slice(row, None)):
                found = decode_hereditary(rest, free, None, how)
            gain = scores[row, required].sum()
            with_required.append(
                found._replace(y=found.y | required, value=found.value + gain, upper_bound=found.upper_bound + gain)
            )
        return Decoded(*(np.concatenate(column) for column in zip(*with_required, strict=True)))

    def k_best(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64] | None = None, **options: Any
    ) -> Iterator[NDArray[np.int32]]:
        if self.n_features <= _MOST_LISTED_EDGES:
            places = best_outputs(self.sums, linear, magnitude, **options)
            return (self._members[place[0]] for place in places)
        how = Decoding("exact")
        return best_outputs(self.description, linear, magnitude, lambda s, m: self._search(s, m, how).y, **options)

    def listed(self) -> Iterator[NDArray[np.int32]]:
        for parts in super().listed():
            yield parts[self.set_property.have(parts)]

    def sample(self, *_: Any, **__: Any) -> Any:
        raise CapabilityError(
            f"{self.title}: no sampler is known for sets with a property that is a function; Graphs without hereditary "
            "draws from all sets of edges, and enumerate() lists those with the property where there are few edges"
        )

    draw = search = sample

    @cached_property
    def _members(self) -> NDArray[np.int32]:
        """All sets with the property, shape ``(k, n_edges)``; CapabilityError if there are too many edges."""
        n_edges = self.n_features
        if n_edges > _MOST_LISTED_EDGES:
            said = f"{_MOST_LISTED_EDGES} edges, not {n_edges}; take fewer edges, or Graphs without hereditary"
            raise CapabilityError(f"{self.title}: sums over the sets with a property are for up to {said}")
        return np.concatenate(list(self.listed()))

    @cached_property
    def sums(self) -> Description:
        """The description of the sets with the property as a list of outputs with their ψ."""
        k, d = self._members.shape
        return Description("custom", {"d": d, "members": k}, None, self._members.astype(np.float64).ravel())
