"""Labels as y holds them, of classes, grades, elements and nodes: looked up among those known, and none missing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .targets import TargetError, meant, summary


def codes_of(values: NDArray[Any], known: Sequence[Hashable], argument: str, remedy: str) -> NDArray[np.int32]:
    """Return the index of each value in `known`, as int32.

    Labels are compared by Python's equality, so 1, 1.0 and True are the same label.

    Raises
    ------
    TargetError
        For the first row with a value that is not known.
    """
    index = {label: code for code, label in enumerate(known)}
    try:
        if values.dtype.kind == "O":  # may mix types that cannot be sorted
            codes = np.fromiter((index.get(v, -1) for v in values), dtype=np.int32, count=values.size)
        else:
            distinct, inverse = np.unique(values, return_inverse=True)
            table = np.array([index.get(v, -1) for v in distinct.tolist()], dtype=np.int32)
            codes = table[inverse]
    except TypeError as error:
        raise ValueError(f"{argument} holds a value that cannot be looked up ({error}); {remedy}") from error
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        if isinstance(known[0], str) and isinstance(values[row], (int, np.integer)):
            remedy += (
                "; numbers stand for no names: where scikit-learn numbers them, as for cross_val_predict of "
                "probabilities and in ensembles, number them yourself, and leave the names out"
            )
        shown = summary([values[row]])
        raise TargetError(row, f"unknown label {shown}; {remedy}{meant(values[row], known)}", argument)
    return codes


def names_by(values: NDArray[Any], parameter: str) -> str:
    """Return what to tell of names in the place of numbers, or nothing."""
    return f"; names of them are given by {parameter}=" if values.dtype.kind in "OUT" else ""


def check_present(values: NDArray[Any], argument: str) -> None:
    """Raise TargetError for the first row with a missing (None, NaN, NA, NaT) or infinite label."""
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values)
    elif values.dtype.kind in "mM":
        bad = np.isnat(values)
    elif values.dtype.kind == "O":
        bad = np.fromiter((_missing(v) for v in values), dtype=np.bool_, count=values.size)
    else:
        return
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(
            row,
            f"the label is {summary([values[row]])}, which is no label; drop the row, or give it a label of its own",
            argument,
        )


def _missing(value: Any) -> bool:
    """Return whether a label is None, NA, NaT, NaN or infinite."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)
