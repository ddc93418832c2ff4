"""Rows that list items by name or number, as people keep label sets and rankings: read, and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .checks import columns_of
from .entries import row_entries, sorted_names, table_rows
from .forms import column_names, columns_in_order, frame_kind
from .names import Names, checked_names
from .targets import TargetError, meant, summary


class Listed(NamedTuple):
    """The entries of n lists of items.

    Attributes
    ----------
    row, place : ndarray of shape (m,)
        The list of each entry, and its place there.
    item : ndarray of shape (m,)
        The number of the item.
    n_rows, n_items : int
    names : tuple or None
        Names of the items; None where they have numbers only.
    """

    row: NDArray[np.intp]
    place: NDArray[np.intp]
    item: NDArray[np.intp]
    n_rows: int
    n_items: int
    names: Names | None

    def matrix(self, values: Any, empty: int, dtype: type) -> NDArray[Any]:
        """Return a row for each list and a column for each item: a value for each entry, `empty` elsewhere."""
        table: NDArray[Any] = np.full((self.n_rows, self.n_items), empty, dtype=dtype)
        table[self.row, self.item] = values
        return table

    def lengths(self) -> NDArray[np.intp]:
        """Return the lengths of the lists, ``(n,)``."""
        return np.bincount(self.row, minlength=self.n_rows)


def read_lists(
    lists: Any,
    argument: str,
    names: Any,
    parameter: str,
    *,
    sep: str | None = None,
    one_based: bool | None = None,
    ordered: bool = True,
    complete: bool = False,
) -> Listed:
    """Return the entries of lists of items, each of which occurs at most once in a list.

    Parameters
    ----------
    lists : sequence of n lists, or array or data frame of shape (n, width)
        Of names, or of numbers. Lists of a table may end in missing entries: None, NaN or "", and −1 among numbers.
        Strings are taken apart at `sep`, also those of a table of one column.
    argument : str
        What messages call the lists.
    names : sequence of str or int, or None
        Names of the items. None: of strings, those that occur, sorted; whole numbers stand for themselves.
    parameter : str
        Name of the parameter that holds `names`, such as "labels".
    sep : str or None, default=None
    one_based : bool or None, default=None
        Whether numbers count from 1, those of names in strings, too. None: as False, where the user cannot say so.
    ordered : bool, default=True
        Whether the order of entries matters, so that sets are refused.
    complete : bool, default=False
        Whether the longest list has all items, where these have no names; larger numbers are refused.

    Raises
    ------
    TargetError
        For the first row that is no list, or names an item twice, or one that there is not.
    TypeError, ValueError
        For illegal names, no rows, and names and numbers side by side.
    """
    if not ordered and getattr(lists, "ndim", 0) == 2:
        table = np.asarray(lists)
        if table.dtype.kind in "biuf" and table.shape[1] > 1 and np.isin(table, (0, 1)).all():
            raise ValueError(
                f"{argument} is a 0/1 matrix, which says who is in each row and is the format of y: pass it as it is"
            )
    if isinstance(names, range) and one_based:
        names = range(1, len(names) + 1)
    known = None if names is None else checked_names(names, parameter)
    index = {} if known is None else {name: number for number, name in enumerate(known)}
    rows = [
        row_entries(row, i, argument, sep, ordered, index, numbered=bool(one_based))
        for i, row in enumerate(table_rows(lists, argument, sep))
    ]
    if one_based and known is not None and isinstance(known[0], str):  # numbers stand for the names in their order
        rows = [[known[e - 1] if type(e) is int and 0 < e <= len(known) else e for e in entries] for entries in rows]
    for i, entries in enumerate(rows):
        if len(set(entries)) < len(entries):
            twice = next(entry for at, entry in enumerate(entries) if entry in entries[:at])
            raise TargetError(i, f"{twice!r} occurs twice", argument)
    if known is None:
        kinds = {type(entry) for entries in rows for entry in entries}
        columns = list(columns_of(lists))
        if len(kinds) > 1:
            raise TypeError(f"{argument} holds names and numbers side by side, {_beside(rows, columns, argument)}")
        if kinds == {str}:
            known = tuple(sorted_names(entry for entries in rows for entry in entries))
            index = {name: number for number, name in enumerate(known)}
    if known is None:
        first = int(bool(one_based))
        n_items = max((entry - first + 1 for entries in rows for entry in entries), default=0)
        how = "" if one_based is None else "one_based=True, or "
        from_one = not one_based and n_items > 0 and all(0 not in entries for entries in rows)
        from_one = from_one and all(min(entries, default=1) > 0 for entries in rows)
        if from_one:
            held = ordered and (getattr(lists, "ndim", 0) == 2 or hasattr(lists, "columns"))
            positions = held and all(sorted(entries) == list(range(1, n_items)) for entries in rows)
            raise ValueError(
                f"{argument} never holds 0: where numbers count from 1, pass {how}{parameter}=range(1, {n_items}) "
                f"to keep them as names; where number 0 does not occur, {parameter}=range({n_items})"
                + ("; where its columns are the labels, whose positions it holds, it is y already" if positions else "")
            )
        longest = max(map(len, rows))
        for i, entries in enumerate(rows):
            if entries and min(entries) < first:
                raise TargetError(i, f"found {min(entries)}; numbers count from {first}", argument)
            if complete and entries and max(entries) >= longest + first:
                raise TargetError(
                    i,
                    f"found {max(entries)}, but no list has more than {longest} entries, which are numbered from "
                    f"{first}; pass {parameter}=range({n_items}) where all lists are known in part",
                    argument,
                )
        n_items = longest if complete else n_items
        numbers = [[entry - first for entry in entries] for entries in rows]
    else:
        n_items = len(known)
        for i, entries in enumerate(rows):
            for entry in entries:
                if entry not in index:
                    said = f"{entry!r} is none of {parameter}, which are {summary(known)}{meant(entry, known)}"
                    from_1 = one_based is False and isinstance(entry, int) and isinstance(known[0], str)
                    how = "; of numbers that count them from 1, pass one_based=True" * from_1
                    raise TargetError(i, said + how, argument)
        numbers = [[index[entry] for entry in entries] for entries in rows]
    if n_items == 0:
        raise ValueError(f"{argument} holds no entry in any row: say by {parameter}= what there is")
    lengths = [len(entries) for entries in numbers]
    return Listed(
        np.repeat(np.arange(len(rows)), lengths),
        np.concatenate([np.arange(length) for length in lengths]).astype(np.intp),
        np.array([number for entries in numbers for number in entries], dtype=np.intp),
        len(rows),
        n_items,
        known,
    )


def by_group(argument: str, group: Any, name: Any) -> str:
    """Return what makes lists of a table with a line for each entry, for messages."""
    return f"of a line for each entry, pass {argument}.groupby({group!r})[{name!r}].agg(list)"


def _beside(rows: Sequence[Sequence[Any]], columns: Sequence[Any], argument: str) -> str:
    """Return where numbers stand beside names, in which columns of a table or in which row, and what to do."""
    kinds = [{isinstance(row[at], str) for row in rows if at < len(row)} for at in range(len(columns))]
    numbers = [name for name, kind in zip(columns, kinds, strict=True) if kind == {False}]
    if numbers and all(kind in (set(), {True}, {False}) for kind in kinds):
        how = f"numbers in column {summary(numbers)}: leave it out, or make all of them strings"
        at, names = columns.index(numbers[0]), [name for name in columns if name not in numbers]
        if len(numbers) > 1 or len({row[at] for row in rows if at < len(row)}) == len(rows):
            return how
        pivot = f"of a line for each label, {argument}.pivot(index=…, columns=…, values={numbers[0]!r}) is y"
        return f"{how}; {pivot if len(names) > 1 else by_group(argument, numbers[0], names[0])}"
    named = [(i, isinstance(entry, str)) for i, row in enumerate(rows) for entry in row]
    i = next(i for i, is_name in named if is_name != named[0][1])
    return f"first in row {i}: make all of them strings, or integers"


def as_table(values: Any, names: Names | None, as_frame: bool, rows: Any = None) -> Any:
    """Return rows of y as they are, or as a data frame of pandas with the names of items as columns, or a series.

    `rows` is what y was made of; where that is of pandas, y has its index.
    """
    if not as_frame:
        return values
    import pandas

    index = getattr(rows, "index", None) if frame_kind(rows) == "pandas" else None  # arrays of pandas have none
    columns = None if names is None else list(names)
    if sparse.issparse(values):
        return pandas.DataFrame.sparse.from_spmatrix(values, index=index, columns=columns)
    if values.ndim == 1:
        return pandas.Series(values, index=index)
    return pandas.DataFrame(values, index=index, columns=columns)


def by_name(y: Any, names: Any, argument: str, parameter: str) -> Any:
    """Return y with the columns of a data frame in the order of the names that are given, if they are no range.

    Raises
    ------
    ValueError
        When a data frame has columns of other names, or lacks some.
    """
    if names is None or isinstance(names, range):  # numbers of a structure without names
        return y
    return columns_in_order(y, checked_names(names, parameter), argument, parameter)


def names_of(y: Any, names: Any, parameter: str, n_items: int) -> NDArray[Any]:
    """Return what the items are called, ``(n_items,)``: names that are given, those of a data frame, or numbers.

    Raises
    ------
    ValueError
        When there are more or fewer names than items.
    """
    held = column_names(y) if names is None else checked_names(names, parameter)
    if held is None:
        return np.arange(n_items)
    if len(held) != n_items:
        raise ValueError(f"{parameter} has {len(held)} names for {n_items} columns of y")
    called = np.empty(n_items, dtype=object)
    called[:] = held
    return called


def positions_by_score(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the positions 1..k of the entries of each row by descending score; ties keep their order."""
    orders = np.argsort(-scores, axis=1, kind="stable")
    positions = np.empty(scores.shape, dtype=np.int32)
    np.put_along_axis(positions, orders, np.arange(1, scores.shape[1] + 1, dtype=np.int32)[np.newaxis, :], axis=1)
    return positions


def uncompared(labels: Sequence[Any], rows: str) -> str:
    """Return what to tell of labels that no row compares with others; `rows` is what a row is called."""
    noun, stand = ("label", "it stands") if len(labels) == 1 else ("labels", "they stand")
    return (
        f"no {rows} compares {noun} {summary(labels)} with another one: where {stand} in predictions is arbitrary, "
        "leave such labels out"
    )
