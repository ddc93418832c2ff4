"""What was seen of the outputs of rows: whole ones, some known in part, or sets of equally good ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._data.targets import FlatSets, TargetError, flat_sets
from .._lib.arrays import FloatArray, IndexArray
from .._lib.decode import Conditions
from .._lib.loglinear import log_seen
from .._lib.ridge import Targets

if TYPE_CHECKING:
    from ._base import Structure


def encode_rows(
    structure: Structure, y: Any, sets: FlatSets | None, *, complete: bool = False
) -> tuple[NDArray[Any], bool]:
    """Return all outputs in parts, and whether some may be known in part, which is refused if `complete`."""
    if sets is not None:
        return encode_sets(structure, sets), False
    partial = not complete and "partial" in structure.space.capabilities
    return structure.encode(y, partial=partial), partial


def encode_sets(structure: Structure, sets: FlatSets) -> NDArray[Any]:
    """Return the outputs of sets in parts; ValueError naming the row where one is illegal or comes twice."""
    try:
        parts = structure.encode(sets.y)
    except TargetError as error:
        row = int(np.searchsorted(sets.first, error.row, side="right")) - 1
        reason = f"output {error.row - int(sets.first[row])} of the set: {error.reason}"
        raise TargetError(row, reason, error.argument) from None
    if not structure.space.in_library:  # outputs of users are objects, which need have no order
        return parts
    # Sorted by row and then by output, repetitions are neighbours.
    rows = np.repeat(np.arange(len(sets.first) - 1), np.diff(sets.first))
    order = np.lexsort((*parts.T[::-1], rows))
    same = (rows[order][1:] == rows[order][:-1]) & (parts[order][1:] == parts[order][:-1]).all(axis=1)
    if same.any():
        raise TargetError(int(rows[order][np.argmax(same)]), "the set lists an output twice; list each once")
    return parts


@dataclass(frozen=True)
class SeenRows:
    """What was seen of the outputs of rows: whole ones, some known in part, or sets.

    Attributes
    ----------
    structure : Structure
    parts : ndarray
    partial : bool
        Whether some may be known in part.
    first : ndarray of shape (n + 1,), or None
        Where the outputs of each row begin; None for one each.
    """

    structure: Structure
    parts: NDArray[Any]
    partial: bool
    first: IndexArray | None

    @classmethod
    def of(cls, structure: Structure, y: Any) -> SeenRows:
        """Return those of y in the user's format."""
        sets = flat_sets(y)
        return cls(structure, *encode_rows(structure, y, sets), None if sets is None else sets.first)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.parts) if self.first is None else len(self.first) - 1

    def log_sums(self, scores: FloatArray, rows: slice, conditions: Conditions | None, n_threads: int) -> FloatArray:
        """Return ln Σ exp⟨s, ψ(y)⟩ over what agrees with each of some rows, given their scores."""
        space, first, some = self.structure.space, self.first, rows
        if first is not None:
            first = first[rows.start : rows.stop + 1]
            some, first = slice(first[0], first[-1]), first - first[0]
        parts = self.parts[some]
        psi = space.embed(parts, n_threads, partial=self.partial)
        targets = Targets(psi, None, first, parts if space.in_library else None)
        return log_seen(space.description, scores, targets, conditions, n_threads)
