"""The natural form of outputs, rows of names: told by their types, read as numbers, and written.

A reader of y and the public converters of structures (`LabelSets.from_sets`, …) share these functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from .._lib.arrays import refuse_masked, require_memory
from .checks import refuse_unread
from .inputs import is_dask, native_frame
from .names import checked_names
from .targets import TargetError, as_array, is_absent, meant, summary, target_matrix

LISTED = (list, tuple, set, frozenset, np.ndarray)
"""What holds several entries, such as a row of a list of lists, or a cell of a table."""


def natural_rows(y: Any, argument: str = "y", *, named: bool = False) -> list[Any] | None:
    """Return the rows of y in natural form; None for arrays of numbers.

    They are in natural form where the first one that is not empty is a string, a set, a mapping or a graph, or holds
    strings; and where all are empty, as no matrix is. `named` is as for `rows_in`.
    """
    refuse_unread(y, argument)
    if _is_numeric(y) or not (isinstance(y, (list, tuple)) or any(hasattr(y, name) for name in _HELD)) or not len(y):
        return None
    rows = rows_in(y, argument, named=named)
    full = [row for row in rows if not isinstance(row, Sized) or len(row) > 0]
    return rows if not full or _is_natural(full[0]) else None


_HELD = ("columns", "dtype", "type")  # what frames, series and arrays of any library have


def _is_numeric(y: Any) -> bool:
    """Return whether y is an array or a data frame of numbers, or is not in memory."""
    frame = native_frame(y)
    if frame is not None:
        return all(dtype.is_numeric() for dtype in frame.schema.dtypes())
    return issparse(y) or is_dask(y) or (isinstance(y, np.ndarray) and y.dtype.kind not in "OU")


def padded(y: Any, argument: str, noun: str) -> NDArray[Any]:
    """Return rows of numbers, which may differ in length, as one matrix, padded with −1 on the right.

    `noun` is what messages call an entry of a row.

    Raises
    ------
    TargetError
        For the first row that is not a list of numbers.
    """
    if y is None or _is_numeric(y):
        return target_matrix(y, argument, None, noun)
    rows = rows_in(y, argument)
    for i, row in enumerate(rows):
        if not isinstance(row, LISTED) or any(hasattr(entry, "__len__") for entry in row):
            raise TargetError(i, f"found {row!r:.60}; a row is a list with one number for each {noun}", argument)
    width = max([1, *map(len, rows)])
    return as_array([[*row, *[-1] * (width - len(row))] for row in rows], argument)


def _is_natural(row: Any) -> bool:
    """Return whether a row is a string, a set, a mapping or a graph, or holds strings."""
    if isinstance(row, (str, set, frozenset, Mapping)) or hasattr(row, "is_directed"):
        return True
    return isinstance(row, LISTED) and any(isinstance(entry, str) or _is_natural(entry) for entry in row)


def rows_in(rows: Any, argument: str, *, named: bool = False) -> list[Any]:
    """Return the rows of a list, a series, an array or a table as objects of Python.

    Missing entries at the end of a row of a table are left out. A table of one column that holds lists, sets, mappings
    or graphs has these as rows.

    Parameters
    ----------
    rows : list, series, array or data frame
    argument : str
        What messages call it.
    named : bool, default=False
        Whether rows of a data frame are dicts from the names of its columns.

    Raises
    ------
    TypeError
        For what holds no rows.
    """
    refuse_unread(rows, argument)
    refuse_masked(rows, argument)
    frame = native_frame(rows)
    if frame is not None:
        listed: Any = list(frame.iter_rows(named=named and len(frame.columns) > 1))
    else:
        convert = next((name for name in ("to_pylist", "to_list", "tolist") if hasattr(rows, name)), None)
        listed = rows if convert is None else getattr(rows, convert)()
    if not isinstance(listed, (list, tuple)):
        raise TypeError(f"{argument} must be a list with an entry for each row, got {rows!r:.80}")
    if frame is not None or getattr(rows, "ndim", 1) == 2:
        return [row if isinstance(row, dict) else _of_table(row) for row in listed]
    return list(listed)


def _of_table(cells: Sequence[Any]) -> Any:
    """Return the row that the cells of a line of a table hold."""
    if len(cells) == 1 and (isinstance(cells[0], (*LISTED, Mapping)) or hasattr(cells[0], "is_directed")):
        return cells[0]
    return known_part(cells)


def known_part(entries: Iterable[Any]) -> list[Any]:
    """Return the entries of a row without those that are missing at its end."""
    found = list(entries)
    while found and is_missing(found[-1]):
        found.pop()
    return found


def is_missing(entry: Any) -> bool:
    """Return whether an entry of a table is missing: None, NaN, NA or empty."""
    return is_absent(entry) or (isinstance(entry, str) and not entry)


def entries_of(row: Any, i: int, argument: str, *, ordered: bool = False) -> list[Any]:
    """Return the entries of row i, names or numbers; TargetError for what is no list, or a set if `ordered`."""
    if hasattr(row, "to_list"):
        row = row.to_list()
    if not isinstance(row, LISTED) or (ordered and isinstance(row, (set, frozenset))):
        kind = "list of names, whose order counts" if ordered else "list or a set of names"
        raise TargetError(i, f"found {row!r:.60}; a row is a {kind}", argument)
    entries = known_part(entry.item() if isinstance(entry, np.generic) else entry for entry in row)
    odd = next((entry for entry in entries if not _is_name_or_number(entry)), None)
    if odd is not None or any(map(is_missing, entries)):
        raise TargetError(i, f"found {odd!r:.60} in {entries!r:.60}; entries are names or whole numbers", argument)
    return entries


def _is_name_or_number(entry: Any) -> bool:
    return isinstance(entry, (str, int)) or (isinstance(entry, float) and entry.is_integer())


class Entries(NamedTuple):
    """The entries of n rows of names.

    Attributes
    ----------
    row, place, item : ndarray of shape (m,)
        The row of each entry, its place there, and the number of what it names.
    n_rows : int
    names : tuple or range
        What the numbers stand for.
    argument : str
        What messages call the rows.
    """

    row: NDArray[np.intp]
    place: NDArray[np.intp]
    item: NDArray[np.intp]
    n_rows: int
    names: Sequence[Any]
    argument: str

    def matrix(self, values: Any, empty: int, dtype: type) -> NDArray[Any]:
        """Return a row for each list and a column for each name: a value for each entry, `empty` elsewhere."""
        n, k = self.n_rows, len(self.names)
        if not k:
            raise ValueError(f"{self.argument}: no row names anything; give names, or their number")
        require_memory(8 * n * k, f"a table of {n} rows and {k} columns", "call items by 0, 1, 2, … or by names")
        table: NDArray[Any] = np.full((n, k), empty, dtype=dtype)
        table[self.row, self.item] = values
        return table


def read_entries(
    rows: Iterable[Any], names: Any, argument: str, parameter: str, *, ordered: bool = True, once: bool = True
) -> Entries:
    """Return the entries of rows of names as numbers.

    Parameters
    ----------
    rows : iterable of n lists
        Of names, or of whole numbers.
    names : sequence of str or int, or None
        What there is. None: the strings that occur, sorted; or, of numbers, 0 to the largest.
    argument : str
        What messages call the rows.
    parameter : str
        The parameter that holds `names`, such as "labels".
    ordered : bool, default=True
        Whether the order of entries matters, so that sets are refused.
    once : bool, default=True
        Whether each may occur once in a row.

    Raises
    ------
    TargetError
        For the first row that is no list, holds something else than names, one that is unknown, or one twice.
    """
    listed = [entries_of(row, i, argument, ordered=ordered) for i, row in enumerate(rows)]
    flat = list(chain.from_iterable(listed))
    lengths = [len(row) for row in listed]
    row = np.repeat(np.arange(len(listed)), lengths)
    known = _found(flat, row, argument, parameter) if names is None else names
    known = known if isinstance(known, range) else checked_names(known, parameter)
    if isinstance(known, range):
        found = (int(entry) if not isinstance(entry, str) and 0 <= entry < len(known) else -1 for entry in flat)
    else:
        index = {name: number for number, name in enumerate(known)}
        found = (index.get(entry, -1) for entry in flat)
    item = np.fromiter(found, dtype=np.intp, count=len(flat))
    if (item < 0).any():
        at = int(np.argmax(item < 0))
        said = f"{flat[at]!r} is none of {parameter}, which are {summary(known)}{meant(flat[at], known)}"
        raise TargetError(int(row[at]), said, argument)
    place = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if once and len(flat) > len(np.unique(row * len(known) + item)):
        twice = next((i, name) for i, names in enumerate(listed) for name, n in Counter(names).items() if n > 1)
        raise TargetError(twice[0], f"{twice[1]!r} occurs twice", argument)
    return Entries(row, place.astype(np.intp), item, len(listed), known, argument)


def _found(flat: Sequence[Any], row: NDArray[np.intp], argument: str, parameter: str) -> Sequence[Any]:
    """Return the strings that occur, sorted; of numbers those from 0 to the largest."""
    strings = [isinstance(entry, str) for entry in flat]
    if flat and all(strings):
        return sorted(set(flat))
    if any(strings):
        other = strings.index(not strings[0])
        said = f"found {flat[other]!r} beside {flat[0]!r}: make all of them strings, or integers"
        raise TargetError(int(row[other]), said, argument)
    most = int(max(flat, default=-1))
    if most >= 2**31 - 1:
        said = f"found {most!r}; numbers of {parameter} are below 2**31 - 1"
        raise TargetError(int(row[flat.index(most)]), said, argument)
    return range(max(-1, most) + 1)


def as_objects(values: Iterable[Any]) -> NDArray[np.object_]:
    """Return an array of objects, which may be lists, of shape ``(n,)``."""
    listed = list(values)
    found = np.empty(len(listed), dtype=object)
    found[:] = listed
    return found


def positions_by_score(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the positions 1..k of the entries of each row by descending score; ties keep their order."""
    orders = np.argsort(-scores, axis=1, kind="stable")
    positions = np.empty(scores.shape, dtype=np.int32)
    np.put_along_axis(positions, orders, np.arange(1, scores.shape[1] + 1, dtype=np.int32)[np.newaxis, :], axis=1)
    return positions


#: What the root is called that several tops are joined under.
ROOT = "(root)"


def paths_of(row: Any, i: int, argument: str) -> list[list[Any]]:
    """Return the paths in row i, each of names from the top down: one path, or a list of paths."""
    several = isinstance(row, (list, tuple, np.ndarray)) and any(isinstance(path, LISTED) for path in row)
    found = [entries_of(path, i, argument, ordered=True) for path in (row if several else [row])]
    paths = [path for path in found if path]
    if not paths:
        raise TargetError(i, f"there is no path; drop the row, or give [{ROOT!r}] for a root above all", argument)
    return paths


def parents_of_paths(
    paths: Iterable[Sequence[Any]], root: Any, argument: str
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Return the parent of each node, −1 for the root, and their names, of a tree that paths from the top down make.

    A name that occurs in several places stands for several nodes, which are called by their paths, divided by ">".
    Several tops, or paths that begin with `root`, are joined under a root of that name.
    """
    index: dict[tuple[int, Any], int] = {}  # of nodes by their parents and names
    joined = False
    for path in paths:
        joined |= path[0] == root
        node = -1
        for name in path[path[0] == root :]:
            node = index.setdefault((node, name), len(index))
    nodes = list(index)
    if joined or sum(above < 0 for above, _ in nodes) > 1:
        nodes = [(-1, root), *((above + 1, name) for above, name in nodes)]
        joined = True
    many = Counter(name for _, name in nodes)

    def called(node: int) -> Any:
        above, name = nodes[node]
        path = [name]
        while many[name] > 1 and above >= joined:
            above, upper = nodes[above]
            path.append(upper)
        return name if many[name] == 1 else ">".join(map(str, path[::-1]))

    names = checked_names([called(node) for node in range(len(nodes))], f"{argument}: nodes")
    return np.array([above for above, _ in nodes], dtype=np.int32), list(names)


def paths_of_nested(nested: Any) -> Iterator[list[Any]]:
    """Yield the paths from the top down to each leaf of a tree of dicts and lists, depth first, in their order."""
    stack: list[tuple[list[Any], tuple[Any, Any]]] = [([], member) for member in _members(nested)[::-1]]
    while stack:
        above, (name, below) = stack.pop()
        path, members = [*above, name], _members(below)
        if not members:
            yield path
        stack += [(path, member) for member in members[::-1]]


def _members(level: Any) -> list[tuple[Any, Any]]:
    """Return the names at a level of a nested tree, and what is below each."""
    if isinstance(level, Mapping):
        return list(level.items())
    if isinstance(level, (list, tuple)):
        return [member for each in level for member in _members(each)]
    if isinstance(level, (str, int)):
        return [(level, None)]
    if level is None:
        return []
    raise TypeError(f"nested: found {level!r:.60}; levels are dicts, lists and names")
