"""What the items of outputs are called, how many there are, and rows of names, the natural form of outputs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from scipy.sparse import issparse

from .._data.converters import Entries, as_objects, natural_rows, read_entries
from .._data.targets import is_array_of_numbers, target_matrix
from .._lib.structure import structure_names


def width_of(structure: Any, y: Any, argument: str) -> int:
    """Return the number of columns of y."""
    if issparse(y):
        return int(y.shape[1])
    return int(target_matrix(y, argument, None, structure._sized.column).shape[1])


class Sized(NamedTuple):
    """The parameter of a structure that the library calls n, the number of its items.

    Attributes
    ----------
    parameter : str
        Its name.
    column : str
        What a column of y stands for, such as "label".
    source : str, default="the columns of y"
        What a fitted estimator reads the value from.
    names : str or None, default=None
        The parameter that holds names of the items.
    shown : callable, default=width_of
        Function of a structure, y and what messages call y that returns the value that y shows.
    """

    parameter: str
    column: str
    source: str | None = "the columns of y"
    names: str | None = None
    shown: Callable[[Any, Any, str], int] = width_of


class NaturalForm(NamedTuple):
    """How rows of names are told from the format of y, read and written.

    A structure that has such a form has the method `_read_natural`, too.

    Attributes
    ----------
    writes : str or None, default=None
        Name of the converter that makes rows of y; None where y has names itself.
    ordered, once : bool, default=True
        How `read_entries` reads rows.
    named : bool, default=False
        Whether rows of a data frame are dicts from the names of its columns.
    strings : bool, default=True
        Whether strings are such rows, and not the format of y.
    lists : callable or None, default=None
        Function of rows and what messages call these that returns a list of names for each; None where they are lists.
    """

    writes: str | None = None
    ordered: bool = True
    once: bool = True
    named: bool = False
    strings: bool = True
    lists: Callable[[list[Any], str], list[Any]] | None = None


def known_items(structure: Any) -> Sequence[Any] | None:
    """Return the names of the items, or their numbers; None where not even their number is known."""
    names: Sequence[Any] | None = structure._names
    if names is None and getattr(structure, structure._sized.parameter) is not None:
        return range(structure._n())
    return names


def names_of_columns(structure: Any) -> Sequence[Hashable] | None:
    """Return the names of the columns of y; None if they have none."""
    names: Sequence[Hashable] | None = structure._names
    if structure._columns is None or names is None:
        held: Sequence[Hashable] | None = structure._y_columns
        return held
    return names if structure._columns == "items" else structure_names(structure.space.description)


def rows_of_names(structure: Any, y: Any, argument: str) -> list[Any] | None:
    """Return the rows of y if they are in natural form; None where they are in the structure's format."""
    form: NaturalForm | None = structure._natural
    rows = None if form is None or is_array_of_numbers(y) else natural_rows(y, argument, named=form.named)
    if rows is not None and form is not None and not form.strings and all(isinstance(row, str) for row in rows):
        return None
    return rows


def entries_in(structure: Any, rows: list[Any], names: Any, argument: str) -> Entries:
    """Return what rows of `names` hold, None: of the names that occur; TargetError for what is no such row."""
    form: NaturalForm = structure._natural
    lists = rows if form.lists is None else form.lists(rows, argument)
    parameter = structure._sized.names
    return read_entries(lists, names, argument, parameter, ordered=form.ordered, once=form.once)


def in_names(structure: Any, y: Any) -> Any:
    """Return outputs in natural form; themselves where they are names already."""
    form: NaturalForm | None = structure._natural
    return y if form is None or form.writes is None else as_objects(getattr(structure, form.writes)(y))
