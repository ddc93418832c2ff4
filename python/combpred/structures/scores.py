r"""Scores of the entries of ψ, as users pass them: rows of numbers, or a data frame with a column for each entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from .._data.forms import columns_in_order, frame_kind
from .._data.targets import as_numbers
from .._lib.arrays import FloatArray
from .._lib.decode import score_rows
from .._lib.errors import RowError

if TYPE_CHECKING:
    from ._base import Structure

__all__ = ["read_scores"]


def __dir__() -> list[str]:
    return __all__


def read_scores(structure: Structure, scores: Any) -> tuple[FloatArray, bool]:
    """Return scores as rows ``(n, d)``, in the order of ψ, and whether they were a single row ``(d,)``.

    Columns of a data frame, and the index of a series, that are `feature_names` are matched by name. Of a structure
    whose items have names others are refused; without names they are taken in their order.

    Raises
    ------
    TypeError
        When scores are no numbers.
    ValueError
        When they have another shape or other names, or are not finite.
    """
    if issparse(scores):
        raise TypeError("scores are a sparse matrix; pass a dense array (scores.toarray())")
    single = frame_kind(scores) == "pandas" and not hasattr(scores, "columns")
    table = scores.to_frame().T if single else scores
    if hasattr(table, "columns") or hasattr(table, "column_names"):
        called = list(table.column_names if hasattr(table, "column_names") else table.columns)
        entries = structure.feature_names().tolist()
        if set(called) == set(entries) or (
            structure.space.items is not None and any(isinstance(c, str) for c in called)
        ):
            table = columns_in_order(table, entries, "scores", f"the entries of {type(structure).__name__}")
        table = as_numbers(np.asarray(table), "scores", "scores are finite numbers")
    try:
        rows, is_row = score_rows(table, structure.n_features)
    except RowError as error:
        raise RowError(error.row, error.reason, "scores") from None
    return rows, single or is_row
