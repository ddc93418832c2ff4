"""Heaviest sets of edges, or other elements, with a hereditary property that a user's function tells.

The library asks for verdicts. The function may turn out not to be hereditary: it looks for a counterexample among the
sets that it has met. Properties with a name are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding, best_hereditary
from ..._lib.errors import CapabilityError

Mask = NDArray[np.bool_]


def truth(answer: Any, name: str) -> bool:
    """Return what the user's function of that name answered; TypeError unless it is a bool."""
    if not isinstance(answer, (bool, np.bool_)):
        raise TypeError(f"{name} must return True or False, got {answer!r}")
    return bool(answer)


class SetProperty:
    """A property that sets of given elements have or do not have.

    Parameters
    ----------
    names : sequence of str
        What the elements are called in messages.
    holds : callable
        Function of a bool array ``(n,)`` that returns whether this set has the property.
    owner, parameter, element : str
        What messages call the structure, its parameter that is the function, and an element, such as "edge".
    """

    def __init__(
        self,
        names: Sequence[str],
        holds: Callable[[Mask], Any],
        owner: str = "Graphs",
        parameter: str = "hereditary",
        element: str = "edge",
    ) -> None:
        self._names, self._holds, self._words = names, holds, (owner, parameter, element)
        self._required: Mask | None = None

    def beside(self, required: Mask) -> SetProperty:
        """Return the property of sets that they have this one together with the elements of a set."""
        rest = SetProperty(self._names, self._holds, *self._words)
        rest._required = required
        return rest

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return len(self._names)

    def shown(self, held: Mask) -> str:
        """Return a set of elements for messages."""
        return ", ".join(self._names[e] for e in np.flatnonzero(self._whole(held)).tolist()) or f"no {self._words[2]}"

    def _whole(self, held: Mask) -> Mask:
        return held if self._required is None else held | self._required

    def holds(self, held: Mask) -> bool:
        """Return whether a set of elements, a bool array ``(n,)``, has the property.

        Raises
        ------
        TypeError
            When the user's function returns anything but a bool.
        """
        shown = self._whole(held).view()
        shown.flags.writeable = False  # the user's function must not change the arrays of the search
        return truth(self._holds(shown), f"{self._words[0]}: {self._words[1]}")

    def have(self, rows: NDArray[Any]) -> Mask:
        """Return for each row of zeros and ones whether that set of elements has the property."""
        return np.fromiter((self.holds(row) for row in rows.astype(np.bool_)), dtype=np.bool_, count=len(rows))

    def require_empty(self) -> None:
        """Raise ValueError if the property is False for the empty set."""
        owner, parameter, element = self._words
        if not self.holds(np.zeros(len(self._names), dtype=np.bool_)):
            raise ValueError(
                f"{owner}: {parameter} is False for the set without {element}s, so that no set has a property that is "
                f"kept when {element}s are taken away"
            )

    def contradiction(self, held: Mask, part: Mask) -> ValueError:
        """Return the error that a set has the property, and a part of it has not."""
        owner, parameter, element = self._words
        return ValueError(
            f"{owner}: {parameter} is no hereditary property: it is True for the {element}s {self.shown(held)} and "
            f"False for {self.shown(part)}; a set must keep it when {element}s are taken away"
        )

    def in_words(self, reason: str) -> str:
        """Return what the library says about edges in words of the elements."""
        return reason.replace("edge", self._words[2])


#: The properties that the library knows, with their numbers there.
PROPERTIES = {"forest": 1, "matching": 2, "bipartite": 3}


def edge_property(holds: Callable[[Mask], Any], edges: NDArray[np.int32]) -> SetProperty:
    """Return the property that a user's function tells; ValueError if it is False for the empty set."""
    found = SetProperty([f"{u}-{v}" for u, v in edges.tolist()], holds)
    found.require_empty()
    return found


def decode_hereditary(held: SetProperty, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
    r"""Return a set of edges with the property and a large score for every row, with a certificate.

    Parameters
    ----------
    held : SetProperty
        The property.
    linear : ndarray of shape (n, n_edges)
        Scores of the edges, or of other elements.
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
            found = best_hereditary(scores, how.decoder, held.holds)
        except CapabilityError as error:
            raise CapabilityError(held.in_words(error.reason), row) from None
        except ValueError as error:
            raise ValueError(held.in_words(str(error))) from None
        if found.part is not None:
            raise held.contradiction(found.edges, found.part)
        y[row], value[row], upper_bound[row] = found.edges, found.value, found.upper_bound
    optimal = upper_bound == value
    nu = np.where(optimal, 0.0, 1.0 - value / np.where(optimal, 1.0, upper_bound))
    return Decoded(y, value, upper_bound, nu, optimal)
