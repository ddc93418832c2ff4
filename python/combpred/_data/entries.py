"""Rows of entries by name or number, as lists, strings and tables hold them: divided, and what is missing left out."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .._lib.arrays import refuse_masked
from .forms import LISTED, frame_kind
from .targets import TargetError

_WHOLE = re.compile(r"-?[0-9]+")


def given_rows(lists: Any, argument: str) -> Any:
    """Return what holds an entry for each row as it is, or what an iterator yields as a list.

    Raises
    ------
    TypeError
        For what holds no rows: None, a number, a string or a dict.
    ValueError
        When there are no rows.
    """
    refuse_masked(lists, argument)
    if isinstance(lists, Iterator):
        lists = list(lists)
    if isinstance(lists, (str, bytes, Mapping, set, frozenset)) or not (hasattr(lists, "__len__") or issparse(lists)):
        raise TypeError(f"{argument} must be a list with an entry for each row, got {lists!r:.80}")
    if (lists.shape[0] if issparse(lists) else len(lists)) == 0:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    return lists


def table_rows(
    lists: Any, argument: str, sep: str | None = None, cells: tuple[type, ...] = (*LISTED, Mapping)
) -> Sequence[Any]:
    """Return the rows of a sequence of lists, of a series of them, or of a table; strings are divided at `sep`.

    Of a table of one column, rows are what it holds, where that is of the types `cells`, or strings and divided.
    """
    lists = given_rows(lists, argument)
    if getattr(lists, "ndim", 0) == 2 or hasattr(lists, "columns"):  # a table, of pandas, polars, Arrow or NumPy
        if lists.shape[1] == 1:
            lists = [row[0] if isinstance(row[0], (str, *cells) if sep else cells) else row for row in _cells(lists)]
        else:
            lists = lists.to_numpy() if hasattr(lists, "to_numpy") else np.asarray(lists, dtype=object)
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(lists, convert):
            lists = getattr(lists, convert)()
            break
    if not isinstance(lists, (list, tuple)):
        raise TypeError(f"{argument} must be a list with an entry for each row, got {lists!r:.80}")
    return lists


def _cells(table: Any) -> list[list[Any]]:
    """Return the rows of a table of one column."""
    if frame_kind(table) == "polars":  # lists would become arrays, and what is in them
        column = table.column(0).to_pylist() if hasattr(table, "column_names") else table.to_series().to_list()
        return [[cell] for cell in column]
    listed: list[list[Any]] = np.asarray(table, dtype=object).tolist()
    return listed


def sorted_names(names: Iterable[str]) -> list[str]:
    """Return different names in order: by their letters, or as numbers where all are written ones."""
    found = set(names)
    return sorted(found, key=int) if len(found) == len(set(map(_number, found)) - {None}) else sorted(found)


def _number(name: str) -> int | None:
    """Return the whole number that a string is, or None."""
    return int(name) if _WHOLE.fullmatch(name) else None


def divided(text: str, sep: str, names: Container[Any] = (), *, numbered: bool = False) -> list[Any]:
    """Return what stands between dividers: names, as they are written or without spaces around, and numbers.

    Parameters
    ----------
    text : str
    sep : str
    names : container, default=()
        Names that there are. A part is one of these, be it an integer, where it is written like it.
    numbered : bool, default=False
        Whether whole numbers are numbers of items, not their names.
    """
    found: list[Any] = []
    for part in text.split(sep) if text.strip() else []:
        name = part if part in names else part.strip()
        number = None if name in names else _number(name)
        found.append(number if number is not None and (numbered or number in names) else name)
    return found


def row_entries(
    row: Any,
    i: int,
    argument: str,
    sep: str | None,
    ordered: bool,
    names: Container[Any] = (),
    *,
    numbered: bool = False,
    may_be_empty: bool = True,
) -> list[Any]:
    """Return the entries of row i, strings or integers, without missing ones at its end; as `divided` where it is a
    string. What is one of the names is not missing.
    """
    given = row
    if isinstance(row, str):
        if not sep:
            raise TargetError(i, f"found the string {row!r}; give lists, or say by sep= what divides it", argument)
        row = divided(row, sep, names, numbered=numbered)
    elif hasattr(row, "to_list"):
        row = row.to_list()
    elif not isinstance(row, LISTED):
        drop = "drop it, or give an empty list" if may_be_empty else "drop it"
        what = f"is missing; {drop}" if is_missing(row) else f"is {row!r:.60}, which is no list"
        raise TargetError(i, f"the row {what}", argument)
    if ordered and isinstance(row, (set, frozenset)):
        raise TargetError(i, f"{row!r:.60} is a set, which has no order; give a list", argument)
    entries = [entry.item() if isinstance(entry, np.generic) else entry for entry in row]
    numeric = any(isinstance(entry, (int, float)) for entry in entries if not is_missing(entry))
    while entries and (is_missing(entries[-1]) or (numeric and entries[-1] == -1)) and entries[-1] not in names:
        entries.pop()
    for at, entry in enumerate(entries):
        if isinstance(entry, float) and entry.is_integer():
            entries[at] = int(entry)  # integers of a table with missing ones
        elif isinstance(entry, bool) or not isinstance(entry, (str, int)) or (entry == "" and entry not in names):
            if not is_missing(entry):
                raise TargetError(i, f"found {entry!r:.60}; entries are names or whole numbers", argument)
            where = f"nothing beside {sep!r}" if isinstance(given, str) else "a missing entry before others"
            raise TargetError(i, f"found {where} in {given!r:.60}; drop it, or name what is there", argument)
    return entries


def is_missing(entry: Any) -> bool:
    """Return whether an entry of a table is missing: None, NaN, NA or empty."""
    if isinstance(entry, float):
        return math.isnan(entry)
    return entry is None or type(entry).__name__ == "NAType" or (isinstance(entry, str) and not entry)
