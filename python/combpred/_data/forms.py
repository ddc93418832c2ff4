"""Data frames of any library as targets: the names of their columns, by which these are matched."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .inputs import refuse_unread
from .names import checked_names
from .targets import summary


def native_frame(y: Any) -> Any:
    """Return a data frame of any library as one of narwhals; None for what is none, or is not in memory."""
    if isinstance(y, np.ndarray) or not hasattr(y, "columns"):
        return None
    import narwhals

    frame = narwhals.from_native(y, eager_only=True, pass_through=True)
    return frame if isinstance(frame, narwhals.DataFrame) else None


def column_names(y: Any, argument: str = "y") -> list[Any] | None:
    """Return the names of the columns of a data frame; None for what is none, and for columns called 0, 1, ….

    Raises
    ------
    TypeError
        When names are neither all strings nor all integers.
    ValueError
        When two columns have the same name.
    """
    names = _called(y, argument)
    return None if names == list(range(len(names or ()))) else names


def series_name(y: Any) -> list[Any] | None:
    """Return a list with the name of a series of any library; None for what is none, or has no name."""
    name = None if frame_kind(y) is None else getattr(y, "name", None)
    return None if name is None or name == "" else [name]


def _called(y: Any, argument: str) -> list[Any] | None:
    """Return what the columns of a data frame are called, checked; None if y is none."""
    refuse_unread(y, argument)
    columns = y.column_names if hasattr(y, "column_names") else getattr(y, "columns", None)
    if columns is None or (len(columns) == 1 and not isinstance(columns[0], (str, int))):
        return None  # there is nothing to match by one column
    return list(checked_names(columns, f"the columns of {argument}"))


def columns_in_order(
    y: Any, names: Sequence[Hashable] | None, argument: str, of: str, noun: str = "columns", *, partly: bool = False
) -> Any:
    """Return y with its columns in the order of `names`, if it is a data frame that has names.

    Parameters
    ----------
    y : array-like
        Targets.
    names : sequence of str or int, or None
        Names of the columns, in the order of the structure; None if it has none, or the numbers 0, 1, ….
    argument : str
        What messages call y.
    of : str
        Whose names they are, for messages, such as "labels".
    noun : str, default="columns"
        What messages call the columns, "rows" for those of a transposed table.
    partly : bool, default=False
        Whether there may be others and fewer: those that have names come first, in their order.

    Raises
    ------
    ValueError
        When other columns are there, or some are not.
    """
    found = _called(y, argument)
    if found is not None and set(found) == set(range(len(found))) and (names is None or set(names) != set(found)):
        names = range(len(found))  # such as those of an array that pandas has made a frame of
    if found is None or names is None:
        return y
    wanted = list(names)
    if partly:
        wanted = [*(name for name in names if name in found), *(name for name in found if name not in names)]
    missing = [name for name in wanted if name not in set(found)]
    other = [name for name in found if name not in set(wanted)]
    if missing or other:
        said = [f"lacks the {noun} {summary(missing)}"] * bool(missing) + [f"has {summary(other)}"] * bool(other)
        raise ValueError(f"{argument} {' and '.join(said)}; {of} are {summary(wanted)}")
    if found == wanted:
        return y
    import narwhals

    ordered: Any = wanted  # integers, too, of pandas
    return narwhals.from_native(y).select(narwhals.col(*ordered)).to_native()


def frame_kind(y: Any) -> str | None:
    """Return which library y is a data frame or a series of, "pandas" or "polars" (for Arrow, too); None for others."""
    module = type(y).__module__.partition(".")[0]
    return {"pandas": "pandas", "polars": "polars", "pyarrow": "polars"}.get(module)
