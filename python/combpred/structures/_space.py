"""What is asked of a structure at given scores, whatever computes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._lib.call import FloatArray
from .._lib.decode import score_rows
from .._lib.errors import CapabilityError
from ._base import Structure


def score_bounds(structure: Structure, rows: FloatArray, magnitude: FloatArray | None = None) -> FloatArray:
    """Return proven bounds (n,) on ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ over all outputs y, for rows s, and t of `magnitude`.

    CapabilityError where nothing is proven about a user's own structure.
    """
    if structure._parts_dtype == np.object_:  # its decoder is the user's word
        raise CapabilityError(
            f"{structure!r}: this needs a proven bound on the scores of all outputs, which functions do not give; take "
            "sampler='meta' and schedule='adaptive'"
        )
    bounds: FloatArray = structure._decode_scores(rows, magnitude).upper_bound
    return bounds


def score_bound(structure: Structure, scores: FloatArray, magnitude: FloatArray | None = None) -> float:
    """Return the bound of `score_bounds` for one row."""
    return float(score_bounds(structure, scores[None], None if magnitude is None else magnitude[None])[0])


def rows_of(structure: Structure, scores: ArrayLike) -> FloatArray:
    """Return scores as rows (n, d), n at least 1, after checking both arguments."""
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    rows, _ = score_rows(scores, structure.n_features)
    if not len(rows):
        raise ValueError("scores has 0 rows; at least 1 is needed")
    return rows
