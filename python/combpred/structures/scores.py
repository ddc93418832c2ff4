r"""Scores of the entries of ψ, as users pass them: rows of numbers, or a data frame with a column for each entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.inputs import columns_in_order, frame_kind
from .._data.targets import as_numbers, refuse_entries
from .._lib.arrays import FloatArray, refuse_masked

if TYPE_CHECKING:
    from ._base import Structure


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
    names: list[Any] | None = None
    single = frame_kind(scores) == "pandas" and not hasattr(scores, "columns")
    table = scores.to_frame().T if single else scores
    if hasattr(table, "columns"):
        names = structure.feature_names().tolist()
        table = columns_in_order(table, names, "scores", f"the entries of {type(structure).__name__}")
        table = as_numbers(np.asarray(table), "scores", "scores are finite numbers", names)
    rows, is_row = score_rows(table, structure.n_features, names=names)
    return rows, single or is_row


def score_rows(
    scores: ArrayLike, d: int, name: str = "scores", names: list[Any] | None = None
) -> tuple[FloatArray, bool]:
    """Return the scores as rows ``(n, d)`` after checking them, and whether they were a single row ``(d,)``.

    Messages call them `name`, and the columns by `names`.
    """
    refuse_masked(scores, name)
    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got dtype {values.dtype}")
    values = values.astype(np.float64, copy=False)
    if values.ndim not in (1, 2) or values.shape[-1] != d:
        raise ValueError(f"{name} must have shape (n, {d}) or ({d},), got {values.shape}")
    rows = np.atleast_2d(values)
    refuse_entries(~np.isfinite(rows), rows, f"{name} must be finite", name, names)
    return rows, values.ndim == 1
