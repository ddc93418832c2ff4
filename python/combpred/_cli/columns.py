"""Columns of a table that a command is about, and what a model keeps of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .error import UsageError
from .table import Column, Table

_RANGE = re.compile(r"(-?\d*):(-?\d*)")
_SHOWN = 12


def select(names: Sequence[str], wanted: str, option: str) -> list[int]:
    """Return the columns that a selection names, in the order of the selection, each once.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.
    wanted : str
        Items separated by commas: a name, a pattern such as ``L*``, or a range of column numbers such as ``-14:``
        with the rules of Python's slices. A name counts as such even if it reads like a range or pattern.
    option : str
        Name of the option, for messages.

    Raises
    ------
    UsageError
        When an item matches no column.
    """
    chosen: dict[int, None] = {}
    for item in (part.strip() for part in wanted.split(",")):
        if item in names:
            found = [list(names).index(item)]
        elif match := _RANGE.fullmatch(item):
            start, stop = (int(end) if end else None for end in match.groups())
            found = list(range(len(names)))[start:stop]
        else:
            found = [j for j, name in enumerate(names) if fnmatchcase(name, item)]
        if not found:
            raise UsageError(
                f"{option}: {item!r} matches none of the {len(names)} columns {_listed(names)}; "
                "give names, patterns such as 'L*', or a range such as -14:"
            )
        chosen.update(dict.fromkeys(found))
    return list(chosen)


@dataclass(frozen=True)
class InputColumn:
    """An input of a model: its name and whether it holds numbers (otherwise categories)."""

    name: str
    is_number: bool


def choose_inputs(table: Table, chosen: Sequence[int], categorical: Sequence[int]) -> list[InputColumn]:
    """Return the inputs at the given columns; text is categorical, and so is what `categorical` lists."""
    return [InputColumn(table.names[j], table.columns[j].is_number and j not in categorical) for j in chosen]


def input_matrix(table: Table, inputs: Sequence[InputColumn], *, missing: bool) -> NDArray[Any]:
    """Return the inputs of all rows, ``(n, p)``: float64, or objects when there are categories among them.

    Missing numbers are NaN if `missing` is true, otherwise refused. A missing category is a category of its own.

    Raises
    ------
    UsageError
        Naming the columns that the table does not have, or the line of a field that is no number.
    """
    columns = _by_name(table, [column.name for column in inputs])
    mixed = not all(column.is_number for column in inputs)
    matrix = np.empty((len(table), len(inputs)), dtype=object if mixed else np.float64)
    for j, (wanted, column) in enumerate(zip(inputs, columns, strict=True)):
        matrix[:, j] = _numbers(table, column, missing=missing) if wanted.is_number else column.text
    return matrix


def target_values(table: Table, names: Sequence[str], *, as_text: bool) -> NDArray[Any]:
    """Return the targets of all rows: ``(n,)`` for one column, numbers or text, else ``(n, k)`` numbers.

    Parameters
    ----------
    table : Table
    names : sequence of str
        The target columns, in order.
    as_text : bool
        Whether a single column holds names even where they read as numbers.
    """
    columns = _by_name(table, names)
    if len(columns) > 1:
        return np.column_stack([_numbers(table, column, missing=True) for column in columns])
    column = columns[0]
    missing = np.flatnonzero(column.text == "")
    if missing.size:
        raise UsageError(
            f"{table.where(int(missing[0]))}: the target {column.name!r} is missing; fill it in or drop the row"
        )
    if column.numbers is None or as_text:
        return column.text.astype(str)
    whole = (
        np.isfinite(column.numbers) & (column.numbers == np.floor(column.numbers)) & (np.abs(column.numbers) < 2**53)
    )
    return column.numbers.astype(np.int64) if whole.all() else column.numbers


def _by_name(table: Table, names: Sequence[str]) -> list[Column]:
    known = {column.name: column for column in table.columns}
    absent = [name for name in names if name not in known]
    if absent:
        raise UsageError(f"{table.source} has no column {_listed(absent)}; it has {_listed(table.names)}")
    return [known[name] for name in names]


def _numbers(table: Table, column: Column, *, missing: bool) -> NDArray[np.float64]:
    numbers = column.numbers
    if numbers is None:
        numbers = np.array([_parsed(table, column, row) for row in range(len(table))])
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise UsageError(
            f"{table.where(row)}: {column.name!r} is infinite; give a finite number, or leave the field empty"
        )
    if not missing and np.isnan(numbers).any():
        row = int(np.argmax(np.isnan(numbers)))
        raise UsageError(
            f"{table.where(row)}: the input {column.name!r} is missing; drop the row, or fit with --impute median"
        )
    return numbers


def _parsed(table: Table, column: Column, row: int) -> float:
    field = column.text[row]
    try:
        return float(field) if field else np.nan
    except ValueError:
        raise UsageError(f"{table.where(row)}: {column.name!r} holds {field!r}, which is not a number") from None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown}, … ({len(names)} in all)"
