r"""Scores of the entries of ψ, as users pass them: rows of numbers, or a data frame with a column for each entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._data.inputs import columns_in_order, frame_kind
from .._data.targets import as_numbers, error_at
from .._lib.arrays import FloatArray
from .._lib.decode import score_rows

if TYPE_CHECKING:
    from ._base import Structure

__all__ = ["read_scores"]


def __dir__() -> list[str]:
    return __all__


def read_scores(structure: Structure, scores: Any) -> tuple[FloatArray, bool]:
    """Return scores as rows ``(n, d)``, in the order of ψ, and whether they were a single row ``(d,)``.

    The columns of a data frame, and the index of a series, are `feature_names` in any order, or 0, 1, … in that of ψ.

    Raises
    ------
    TypeError
        When scores are no numbers.
    ValueError
        When they have another shape or other names, or are not finite.
    """
    single = frame_kind(scores) == "pandas" and not hasattr(scores, "columns")
    table = scores.to_frame().T if single else scores
    if hasattr(table, "columns"):
        names, remedy = structure.feature_names().tolist(), "scores are finite numbers"
        table = columns_in_order(table, names, "scores", f"the entries of {type(structure).__name__}")
        table = as_numbers(np.asarray(table), "scores", remedy, names)
        if not np.isfinite(table).all():
            raise error_at(~np.isfinite(table), table, remedy, "scores", names)
    rows, is_row = score_rows(table, structure.n_features)
    return rows, single or is_row
