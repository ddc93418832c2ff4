"""Decisions of distributions: which expected loss the structure that is predicted makes least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._lib.arrays import FloatArray
from .._lib.decode import Decoded
from .._lib.errors import CapabilityError, renumbered
from .._lib.names import SET_LOSSES
from .._lib.partition import decide_sets, value_sets
from ..structures import Structure

if TYPE_CHECKING:
    from ..structures._search.constraints import RowConstraints

#: Values of the parameter `decision`: those of all structures, and those that some have.
DECISIONS = ("map", "mbr", "f1", "ranking", "subset", "median")

#: Those that take the most probable structure, or that of nearest ψ.
MOST_PROBABLE, NEAREST = ("map", "subset"), ("mbr", "median")


def require_decision(structure: Structure, decision: str) -> None:
    """Raise CapabilityError unless the distributions of a structure can decide so, with the decisions there are."""
    known = ("map", "mbr", *structure.space.decisions)
    if decision not in known:
        raise CapabilityError(
            f"decision={decision!r} has no meaning for {type(structure).__name__}, whose decisions are "
            f"{', '.join(map(repr, known))}"
        )
    if decision not in NEAREST:
        return
    try:
        structure.space.require_preimage()
    except CapabilityError:
        raise CapabilityError(
            f"decision={decision!r} predicts the structure whose ψ is nearest to its expectation, which the decoder of "
            f"{structure!r} does not find: take decision='map'"
        ) from None


class BySetLoss:
    """Decisions for label sets by losses that marginals do not determine.

    Parameters
    ----------
    structure : Structure
        Label sets.
    loss : str
        One of ``names.SET_LOSSES``.
    n_threads : int
        Number of threads.
    first : int
        Number of the first row of scores, for messages.
    """

    LOSSES = SET_LOSSES

    def __init__(self, structure: Structure, loss: str, n_threads: int, first: int) -> None:
        self._description, self._loss, self._n_threads = structure.space.description, loss, n_threads
        self._first = first

    def decide(self, scores: FloatArray, held: RowConstraints | None) -> Decoded:
        """Return the sets of least expected loss; their values are expected F1, or negative expected losses."""
        first, loss = self._first, self._loss
        conditions = None if held is None else held.conditions(first, first + len(scores))
        with renumbered(slice(first, None)):
            return decide_sets(self._description, scores, loss, conditions, n_threads=self._n_threads)

    def values(self, scores: FloatArray, parts: Any) -> FloatArray:
        """Return those of given sets."""
        with renumbered(slice(self._first, None)):
            return value_sets(self._description, scores, self._loss, parts, self._n_threads)
