"""What y is before it is read: a data frame or a series, with names, or rows that name things and need converters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from .._lib.arrays import refuse_masked
from .checks import columns_of
from .inputs import refuse_unread
from .targets import TargetError, require_once, summary
from .warn import warn_user

#: What holds several entries, such as a row of lists, or a cell of a table.
LISTED = (list, tuple, set, frozenset, np.ndarray)


def column_names(y: Any, argument: str = "y") -> list[Any] | None:
    """Return the names of the columns of a data frame of pandas, polars, Arrow or dask; None if it has none.

    Names are strings, or integers, such as the keys of a table; columns called 0, 1, … in this order have none.

    Raises
    ------
    TypeError
        When there are others, or strings beside integers.
    ValueError
        When two columns have the same name.
    """
    names = _called(y, argument)
    return None if names is None or names == list(range(len(names))) else names


def _called(y: Any, argument: str) -> list[Any] | None:
    """Return what the columns of a data frame are called, checked; None if y is none."""
    refuse_unread(y, argument)
    columns = y.column_names if hasattr(y, "column_names") else getattr(y, "columns", None)
    if columns is None:
        return None
    names = [name.item() if isinstance(name, np.generic) else name for name in columns]
    if len(names) == 1 and not isinstance(names[0], (str, int)):
        return None  # there is nothing to match by it
    levels = getattr(columns, "nlevels", 1)
    if levels > 1:
        by = f"take {argument}.droplevel({0 if levels == 2 else list(range(levels - 1))}, axis=1)"
        if not columns.get_level_values(-1).is_unique:
            how = "'_'.join" if all(isinstance(part, str) for name in names for part in name) else "str"
            by = f"join them, as {argument}.columns = {argument}.columns.map({how}) does"
        raise TypeError(f"the columns of {argument} have names of {levels} levels, such as {names[0]!r}: {by}")
    strings = [isinstance(name, str) for name in names]
    if not all(strings) and (any(strings) or not all(type(name) is int for name in names)):
        odd = next(name for name in names if not isinstance(name, str) and (any(strings) or type(name) is not int))
        raise TypeError(
            f"the names of the columns of {argument} must be all strings or all integers, which {odd!r} is not: rename "
            f"them, as {argument}.columns = {argument}.columns.map(str) does, or pass an array, {argument}.to_numpy()"
        )
    require_once(names, f"the columns of {argument}")
    return names


def _are_numbers(names: Sequence[Hashable]) -> bool:
    """Return whether names are the numbers 0, 1, … in some order."""
    return set(names) == set(range(len(names)))


def columns_in_order(
    y: Any,
    names: Sequence[Hashable] | None,
    argument: str,
    of: str,
    noun: str = "columns",
    *,
    partly: bool = False,
) -> Any:
    """Return y with its columns in the order of `names`, if it is a data frame that has them.

    Columns called 0, 1, … are ordered by number where these are not the names; a frame that is warned of comes back as
    an array, all else as it is.

    Parameters
    ----------
    y : array-like
        Targets.
    names : sequence of str or None
        Names of the columns, in the order of the structure; None if it has none, or the numbers 0, 1, …. Empty where
        targets of training had none: the user is warned where y has names.
    argument : str
        What messages call y.
    of : str
        Whose names they are, for messages, such as "the labels of Permutations".
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
    if found is not None and _are_numbers(found) and (names is None or set(names) != set(found)):
        names = range(len(found))
    elif found is not None and names is not None and not len(names):
        warn_user(
            f"{argument} has columns with names, {summary(found)}, but y of training had none: they are taken to stand "
            "in the same order; train with a data frame, or give the structure the names",
            UserWarning,
        )
        return np.asarray(y)  # of whose names no more is said
    elif partly and found is not None and names is not None:
        names = [*(name for name in names if name in set(found)), *(name for name in found if name not in set(names))]
    if names is None or found is None or found == list(names):
        return y
    missing = [name for name in names if name not in set(found)]
    other = [name for name in found if name not in set(names)]
    if missing or other:
        said = [f"lacks the {noun} {summary(missing)}"] * bool(missing) + [f"has {summary(other)}"] * bool(other)
        how = f"rename the {noun}, or pass an array, whose {noun} are taken in that order"
        how = how if missing and other else f"add {summary(missing)}" if missing else f"leave out {summary(other)}"
        raise ValueError(f"{argument} {' and '.join(said)}; {of} are {summary(list(names))}: {how}")
    return y.select(list(names)) if hasattr(y, "select") and not hasattr(y, "iloc") else y[list(names)]


def frame_kind(y: Any) -> str | None:
    """Return which library y is a data frame or a series of, "pandas" or "polars" (for Arrow, too); None for others."""
    module = type(y).__module__.partition(".")[0]
    return {"pandas": "pandas", "polars": "polars", "pyarrow": "polars"}.get(module)


def lists_of(y: Any) -> Any:
    """Return a series of lists of polars or Arrow as an array of lists, like one of pandas; anything else as it is.

    So are tables of pandas, polars and Arrow with one column that holds lists, sets, dicts or graphs.
    """
    has_rows = frame_kind(y) and hasattr(y, "__len__")  # which are read
    columns: Any = columns_of(y) if has_rows else ()
    if len(columns) == 1 and len(y):
        held = lists_of(y.iloc[:, 0] if hasattr(y, "iloc") else y[columns[0]])
        first = held.iloc[0] if hasattr(held, "iloc") else held[0]
        if not (isinstance(first, (*LISTED, dict)) or hasattr(first, "edges")):
            return y
        return np.fromiter(held, dtype=object, count=len(y))
    kind = str(getattr(y, "type", getattr(y, "dtype", ""))) if frame_kind(y) == "polars" else ""
    if not kind.startswith(("List", "list", "large_list", "fixed_size_list")):
        return y
    return np.fromiter(y.to_pylist() if hasattr(y, "to_pylist") else y.to_list(), dtype=object, count=len(y))


class Frame(NamedTuple):
    """What y was, if a data frame or a series.

    Attributes
    ----------
    library : str
        "pandas" or "polars".
    name : str, int, tuple or None
        Of a series, or of the one column of a frame.
    categories : list or None
        Of a Categorical or an Enum, where they are strings or integers.
    is_ordered : bool
        Whether the categories are.
    is_column : bool
        Whether it was a data frame of one column, not a series.
    """

    library: str
    name: Any = None
    categories: list[Any] | None = None
    is_ordered: bool = False
    is_column: bool = False


def frame_of(y: Any) -> Frame | None:
    """Return what y is as a data frame or a series; None for others."""
    library, columns = frame_kind(y), getattr(y, "column_names", getattr(y, "columns", None))  # Arrow's are arrays
    if library is not None and columns is not None and len(columns) == 1:
        found = frame_of(y[columns[0]])
        return Frame(library) if found is None else found._replace(name=columns[0], is_column=True)
    if library is None or columns is not None or not hasattr(y, "dtype"):
        return None if library is None else Frame(library)
    name = getattr(y, "name", None)
    name = name if isinstance(name, (str, int, tuple)) and name != "" else None
    found = getattr(y.dtype, "categories", None)
    categories = None if found is None or type(y.dtype).__name__ == "Categorical" else list(found)
    if categories and not all(isinstance(category, (str, int, np.integer)) for category in categories):
        categories = None
    return Frame(library, name, categories, bool(getattr(y.dtype, "ordered", False)))


def refuse_names(y: Any, argument: str, converter: str, rows: str = "numbers") -> None:
    """Raise TargetError, which names the converter to take, where rows name things, differ in length or are graphs.

    Parameters
    ----------
    y : array-like
    argument : str
        What messages call it.
    converter : str
        Which converter makes y of what.
    rows : str, default="numbers"
        What rows of y may be: "numbers" for the same columns, numbers in "lists" of any length, also "matrices", one of
        "names", or "labels", one or numbers.
    """
    refuse_masked(y, argument)
    given, y = y, lists_of(y)
    if hasattr(y, "is_directed"):  # one graph
        row, differs = y, 0
    elif isinstance(y, (list, tuple)):
        row = y[0] if y else None
        lengths = [len(each) if isinstance(each, (list, tuple)) else -1 for each in y]
        differs = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
    elif getattr(y, "ndim", 0) in (1, 2, 3) and not (hasattr(y, "columns") or issparse(y)) and len(y):
        row, differs = y.iloc[0] if hasattr(y, "iloc") else y[0], 0
    elif frame_kind(y) == "pandas" and len(y):
        row, differs = y.iloc[0].tolist(), 0
    elif frame_kind(y) == "polars" and hasattr(y, "__len__") and len(y):  # or of Arrow
        row, differs = _first_of(y), 0
    else:
        return
    listed = row if isinstance(row, (list, tuple, np.ndarray)) else None
    entry = None if listed is None or len(listed) == 0 else listed[0]
    wrong = {"lists": (str, tuple, dict, list), "matrices": (str, tuple, dict), "names": ()}
    in_cells = listed is not None and getattr(y, "ndim", 2) == 1 and rows in ("numbers", "matrices")
    if in_cells and listed is not None and all(map(_is_number, listed)):
        what = f"found the list {list(listed)!r:.60} in one cell: {argument}{_to_lists(given)} has columns of numbers"
        raise TargetError(0, f"{what}; of names, {converter}", argument)
    of_lists = listed is not None and (len(listed) != 1 or getattr(y, "ndim", 2) == 1)
    named = of_lists if rows == "names" else isinstance(row, str) and rows != "labels"
    if rows == "labels" and isinstance(entry, str) and listed is not None and len(listed) == 1:
        entry = listed if getattr(y, "ndim", 2) == 1 else None  # a column of labels has two dimensions
    first = entry[0] if rows == "matrices" and isinstance(entry, list) and entry else None
    odd = isinstance(first, str) or isinstance(entry, wrong.get(rows, (str, tuple, dict, list, np.ndarray)))
    if in_cells or named or odd or isinstance(row, (set, frozenset, dict)) or hasattr(row, "edges"):
        shown = row.tolist() if isinstance(row, (np.ndarray, np.generic)) else row
        if isinstance(shown, list):
            shown = [each.item() if isinstance(each, np.generic) else each for each in shown]
        raise TargetError(0, f"found {str(row) if hasattr(row, 'edges') else repr(shown):.60}; {converter}", argument)
    if differs and rows in ("numbers", "names", "labels"):
        raise TargetError(differs, f"found {y[differs]!r:.60}, of another length than row 0; {converter}", argument)


def _to_lists(y: Any) -> str:
    """Return the call that makes lists of a series, or of a table of one column, as it is written behind its name."""
    columns = columns_of(y)
    how = {"polars": "to_list", "pyarrow": "to_pylist"}.get(type(y).__module__.partition(".")[0], "tolist")
    return "".join(f"[{name!r}]" for name in columns) + f".{how}()"


def _first_of(y: Any) -> Any:
    """Return the first row of a data frame of polars or Arrow, a tuple, or the first value of a series."""
    first = y[:1]
    if hasattr(first, "rows"):
        return first.rows()[0]
    value = (first.to_pylist() if hasattr(first, "to_pylist") else first.to_list())[0]
    return tuple(value.values()) if hasattr(y, "column_names") else value


def refuse_graphs(y: Any, argument: str, *, transitive: bool = False) -> None:
    """Raise TargetError where rows that rank are graphs or lists of pairs, of which NumPy would read the nodes.

    `transitive` says whether preferences must be.
    """
    row = y if hasattr(y, "is_directed") else None
    if isinstance(y, (list, tuple)) or (getattr(y, "ndim", 0) == 1 and getattr(y, "dtype", None) == np.dtype(object)):
        row = next(iter(y), None)
    pairs = (
        row if isinstance(row, (list, tuple)) and all(type(pair) is tuple and len(pair) == 2 for pair in row) else ()
    )
    of_two = len(pairs) == 2 and all(entry in (0, 1) for pair in pairs for entry in pair)  # or a matrix
    if hasattr(row, "edges") or (pairs and not of_two):
        make = "from_networkx" if hasattr(row, "edges") else "from_edges"
        cls, closed = ("PartialOrders", ", closure=True") if transitive else ("Tournaments", "")
        how = f"relations.to_adjacency(relations.{make}({argument}{closed}))"
        said = f"found {row!s:.60}; pass {how}, with relations = structures.{cls}(items=[…])"
        raise TargetError(0, said, argument)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, np.bool_))
