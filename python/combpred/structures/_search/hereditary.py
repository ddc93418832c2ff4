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
from ..._lib.errors import renumbered

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
    parameter, element : str
        What messages call this function and an element, such as "Graphs: hereditary" and "edge".
    required : ndarray of shape (n,), bool, or None, default=None
        Elements that all sets have besides; None: none.

    Raises
    ------
    ValueError
        When the property is False for the empty set, so that it is hereditary for no set.
    """

    def __init__(
        self,
        names: Sequence[str],
        holds: Callable[[Mask], Any],
        parameter: str,
        element: str,
        required: Mask | None = None,
    ) -> None:
        self._names, self._holds, self._parameter, self._element = names, holds, parameter, element
        self._required = np.zeros(len(names), dtype=np.bool_) if required is None else required
        if required is None and not self.holds(self._required):
            raise ValueError(f"{parameter} is False for the set without {element}s, which all sets contain")

    def beside(self, required: Mask) -> SetProperty:
        """Return the property of sets that they have this one together with the elements of a set."""
        return SetProperty(self._names, self._holds, self._parameter, self._element, required)

    @property
    def n_elements(self) -> int:
        """Number of elements."""
        return len(self._names)

    def shown(self, held: Mask) -> str:
        """Return a set of elements for messages."""
        elements = np.flatnonzero(held | self._required).tolist()
        return ", ".join(self._names[e] for e in elements) or f"no {self._element}"

    def holds(self, held: Mask) -> bool:
        """Return whether a set of elements, a bool array ``(n,)``, has the property.

        Raises
        ------
        TypeError
            When the user's function returns anything but a bool.
        """
        whole = held | self._required
        whole.flags.writeable = False  # the function must not change what later questions begin with
        return truth(self._holds(whole), self._parameter)

    def have(self, rows: NDArray[Any]) -> Mask:
        """Return for each row of zeros and ones whether that set of elements has the property."""
        return np.fromiter((self.holds(row) for row in rows.astype(np.bool_)), dtype=np.bool_, count=len(rows))

    def contradiction(self, held: Mask, part: Mask) -> ValueError:
        """Return the error that a set has the property, and a part of it has not."""
        return ValueError(
            f"{self._parameter} is no hereditary property: it is True for the {self._element}s {self.shown(held)} and "
            f"False for {self.shown(part)}; a set must keep it when {self._element}s are taken away"
        )


#: The properties of edge sets that the library knows, with their numbers there.
PROPERTIES = {"forest": 1, "matching": 2, "bipartite": 3}


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
    (Vembu, 2010, section 5.4.1). Local search improves that set; a result of score v has the ratio :math:`1 - v/u`.
    """
    weights = linear if magnitude is None else linear + magnitude
    y, value, upper_bound = np.zeros(weights.shape, dtype=np.int32), np.empty(len(weights)), np.empty(len(weights))
    for row, scores in enumerate(weights):
        with renumbered(slice(row, None)):
            found = best_hereditary(scores, how.decoder, held.holds)
        if found.part is not None:
            raise held.contradiction(found.edges, found.part)
        y[row], value[row], upper_bound[row] = found.edges, found.value, found.upper_bound
    optimal = upper_bound == value
    nu = np.where(optimal, 0.0, 1.0 - value / np.where(optimal, 1.0, upper_bound))
    return Decoded(y, value, upper_bound, nu, optimal)
