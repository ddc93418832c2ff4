"""From y to what training learns: embedded outputs, one for each row or a set of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _lib
from ._admissible import FlatSets, flat_sets
from .structures import Structure, resolve_structure
from .structures._values import TargetError

FloatArray = NDArray[np.float64]


def resolve_targets(structure: Any, y: Any) -> tuple[Structure, FlatSets | None]:
    """Return the structure of y with all sizes settled, and the sets of outputs where rows of y are `Admissible`."""
    sets = flat_sets(y)
    return resolve_structure(structure, y if sets is None else sets.y), sets


def embed_targets(
    structure: Structure, y: Any, sets: FlatSets | None, weights: FloatArray | None, n_threads: int
) -> _lib.Targets:
    """Return the targets of training; ValueError naming the row where y is not in the structure."""
    if sets is None:
        return _lib.Targets(structure._embed_targets(y, n_threads), weights)
    try:
        parts = structure._encode(sets.y)
    except TargetError as error:
        row, number = sets.locate(error.row)
        raise TargetError(row, f"output {number} of the set: {error.reason}", error.argument) from None
    _refuse_repetitions(parts, sets)
    psi = structure._embed_parts(parts, n_threads)
    return _lib.Targets(psi, weights, sets.first)


def _refuse_repetitions(parts: NDArray[np.int32], sets: FlatSets) -> None:
    # Sorted by row and then by output, repetitions are neighbours.
    rows = np.repeat(np.arange(len(sets.first) - 1), np.diff(sets.first))
    order = np.lexsort((*parts.T[::-1], rows))
    same = (rows[order][1:] == rows[order][:-1]) & (parts[order][1:] == parts[order][:-1]).all(axis=1)
    if same.any():
        at = int(np.argmax(same))
        row, one = sets.locate(int(order[at]))
        _, other = sets.locate(int(order[at + 1]))
        raise TargetError(row, f"outputs {one} and {other} of the set are the same; list each output once")
