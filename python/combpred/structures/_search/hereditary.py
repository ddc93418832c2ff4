"""Heaviest sets of edges with a hereditary property that a user's function tells, which the library asks for verdicts.

The function may turn out not to be hereditary: the library looks for a counterexample among the sets that it has met.
Properties with a name are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.call import floats
from ..._lib.decode import Decoded, Decoding, best_hereditary
from ..._lib.errors import CapabilityError

Mask = NDArray[np.bool_]


class EdgeProperty:
    """A property that sets of edges of a given graph have or do not have.

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
        The edges of the graph.
    holds : callable
        Function of a bool array ``(n_edges,)`` that returns whether this set has the property.
    """

    def __init__(self, edges: NDArray[np.int32], holds: Callable[[Mask], Any]) -> None:
        self.edges = edges
        self._holds = holds
        self._required: Mask | None = None

    def beside(self, required: Mask) -> EdgeProperty:
        """Return the property of sets that they have this one together with the edges of a set."""
        rest = EdgeProperty(self.edges, self._holds)
        rest._required = required
        return rest

    def shown(self, edges: Mask) -> str:
        """Return a set of edges for messages."""
        return ", ".join(f"{u}-{v}" for u, v in self.edges[self._whole(edges)].tolist()) or "no edge"

    def _whole(self, edges: Mask) -> Mask:
        return edges if self._required is None else edges | self._required

    def holds(self, edges: Mask) -> bool:
        """Return whether a set of edges, a bool array ``(n_edges,)``, has the property.

        Raises
        ------
        TypeError
            When the user's function returns anything but a bool.
        """
        shown = self._whole(edges).view()
        shown.flags.writeable = False  # the user's function must not change the arrays of the search
        answer = self._holds(shown)
        if not isinstance(answer, (bool, np.bool_)):
            raise TypeError(f"Graphs: hereditary must return True or False, got {answer!r}")
        return bool(answer)


#: The properties that the library knows, with their numbers there.
PROPERTIES = {"forest": 1, "matching": 2, "bipartite": 3}


def edge_property(holds: Callable[[Mask], Any], edges: NDArray[np.int32]) -> EdgeProperty:
    """Return the property that a user's function tells; ValueError if it is False for the empty set."""
    found = EdgeProperty(edges, holds)
    if not found.holds(np.zeros(len(edges), dtype=np.bool_)):
        raise ValueError(
            "Graphs: hereditary is False for the set without edges, so that no set has a property that is kept when "
            "edges are taken away"
        )
    return found


def require_property(hereditary: Any) -> None:
    """Raise ValueError or TypeError unless `hereditary`, the parameter of `Graphs`, is a known name or a function."""
    if isinstance(hereditary, str):
        if hereditary not in PROPERTIES:
            names = ", ".join(PROPERTIES)
            raise ValueError(f"Graphs: hereditary must be one of {names} or a function, got {hereditary!r}")
    elif not callable(hereditary):
        raise TypeError(f"Graphs: hereditary must be a name, a function of a set of edges, or None; got {hereditary!r}")


def decode_hereditary(
    edge_property: EdgeProperty, linear: FloatArray, magnitude: FloatArray | None, how: Decoding
) -> Decoded:
    r"""Return a set of edges with the property and a large score for every row, with a certificate.

    Parameters
    ----------
    edge_property : EdgeProperty
        The property.
    linear : ndarray of shape (n, n_edges)
        Scores of the edges.
    magnitude : ndarray of shape (n_edges,) or (n, n_edges), or None
        Scores of the squares of ψ. As ψ is 0 or 1, they are added to the scores of the edges.
    how : Decoding
        Its decoder is "exact", "auto" or "local-search".

    Returns
    -------
    Decoded
        Its parts are 0/1, shape ``(n, n_edges)``.

    Raises
    ------
    CapabilityError
        When the decoder is "exact" and a row has more than 20 edges of positive score (names the row), and
        for other decoders.
    ValueError
        When a counterexample shows that the property is not hereditary.

    Notes
    -----
    Edges of negative score need not be in a best set, which keeps the property without them. Searching the p other
    edges takes time exponential in p. If p exceeds 20, they are split into b blocks of 16, and a best set is found
    within each block. A best set of all edges scores at most the sum u of these b scores, and so the best of the b sets
    scores at least u / b. As the empty set scores 0, the ratio of the guarantee is at most :math:`\nu = 1 - 1/b`
    (Vembu, 2010, ch. 4). Local search improves that set; a result of score v has the ratio :math:`1 - v/u`.
    """
    if how.decoder not in ("auto", "exact", "local-search"):
        raise CapabilityError(
            f"decoder={how.decoder!r} does not know properties of edge sets; take decoder='auto' or 'local-search'"
        )
    weights = linear if magnitude is None else linear + magnitude
    y, value, upper_bound = np.zeros(weights.shape, dtype=np.int32), np.empty(len(weights)), np.empty(len(weights))
    for row, scores in enumerate(weights):
        try:
            found = best_hereditary(floats(scores, "scores", None), how.decoder, edge_property.holds)
        except CapabilityError as error:
            raise error.at(row) from None
        if found.part is not None:
            raise ValueError(
                "Graphs: hereditary is no hereditary property: it is True for the edges "
                f"{edge_property.shown(found.edges)} and False for {edge_property.shown(found.part)}; a set must keep "
                "it when edges are taken away"
            )
        y[row], value[row], upper_bound[row] = found.edges, found.value, found.upper_bound
    optimal = upper_bound == value
    nu = np.where(optimal, 0.0, 1.0 - value / np.where(optimal, 1.0, upper_bound))
    return Decoded(y, value, upper_bound, nu, optimal)
