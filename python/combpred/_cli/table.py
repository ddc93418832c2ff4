"""Tables for the command line: CSV and ARFF files, read into named columns of numbers or text."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .error import UsageError

_MISSING = frozenset({"", "?", "na", "nan", "null", "none"})
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    numbers : ndarray of shape (n,), float64, or None
        NaN where missing; None when some field is not a number.
    text : ndarray of shape (n,), dtype=object
        The fields as they stand in the file; "" where missing.
    """

    name: str
    numbers: NDArray[np.float64] | None
    text: NDArray[np.object_]

    @property
    def is_number(self) -> bool:
        return self.numbers is not None


@dataclass(frozen=True)
class Table:
    """A file read into columns of equal length, at least one row."""

    source: str
    columns: tuple[Column, ...]
    lines: NDArray[np.int64] | None
    """Line of each row in the file, counted from 1; None where the reader does not tell."""

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def __len__(self) -> int:
        return len(self.columns[0].text)

    def where(self, row: int) -> str:
        """Return the place of a row (counted from 0) for messages."""
        line = f"row {row}" if self.lines is None else f"line {self.lines[row]}"
        return f"{self.source}, {line}"


def read_table(path: str, *, delimiter: str | None = None, header: bool = True) -> Table:
    """Read a CSV or ARFF file, either of them gzipped or not.

    Parameters
    ----------
    path : str
        ARFF when the name ends in ``.arff`` or ``.arff.gz``; everything else is read as CSV in UTF-8.
    delimiter : str, default=None
        Of a CSV file; None: comma, semicolon or tab, whichever is the most frequent in the first line. A space stands
        for any run of spaces.
    header : bool, default=True
        Whether the first line of a CSV file names the columns; without names they are called x0, x1, …

    Returns
    -------
    table : Table

    Raises
    ------
    UsageError
        When the file cannot be read or is no table; the message names the line.
    """
    name = path.lower().removesuffix(".gz")
    try:
        raw = Path(path).read_bytes()
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    if name.endswith(".arff"):
        return _read_arff(path, text)
    return _read_csv(path, text, delimiter, header)


def _read_csv(path: str, text: str, delimiter: str | None, header: bool) -> Table:
    first = next((line for line in text.splitlines() if line.strip()), None)
    if first is None:
        raise UsageError(f"{path} is empty; a table needs a line of column names and at least one row")
    if delimiter is None:
        delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter == " ", strict=True
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for fields in reader:
            if delimiter == " ":
                fields = [field for field in fields if field]
            if any(field.strip() for field in fields):
                rows.append([field.strip() for field in fields])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: {error}") from error
    names = rows.pop(0) if header else [f"x{j}" for j in range(len(rows[0]))]
    lines = lines[1:] if header else lines
    if header and all(_number(name) is not None for name in names):
        raise UsageError(
            f"the first line of {path} holds numbers, not names of columns; with --no-header it counts as a row"
        )
    if not rows:
        raise UsageError(f"{path} has a line of column names but no row")
    for fields, line in zip(rows, lines, strict=True):
        if len(fields) != len(names):
            raise UsageError(
                f"{path}, line {line}: {len(fields)} fields, the first line has {len(names)}; "
                f"fields are separated by {delimiter!r} (see --delimiter), quote those that contain it"
            )
    _check_names(path, names)
    columns = tuple(_column(name, [fields[j] for fields in rows]) for j, name in enumerate(names))
    return Table(path, columns, np.array(lines))


def _read_arff(path: str, text: str) -> Table:
    from scipy.io import arff  # imported when needed: it takes a while

    try:
        records, meta = arff.loadarff(io.StringIO(text))
    except NotImplementedError as error:
        raise UsageError(
            f"{path}: {error}; numeric and nominal attributes are read, save other kinds as CSV"
        ) from error
    except (arff.ArffError, ValueError, StopIteration, IndexError) as error:
        reason = str(error) or type(error).__name__
        raise UsageError(
            f"{path} is not a dense ARFF file that can be read: {reason}; save sparse data as CSV"
        ) from error
    names = list(meta.names())
    if not names or len(records) == 0:
        raise UsageError(f"{path} has no {'row' if names else 'attribute'}")
    _check_names(path, names)
    columns = []
    for name in names:
        values = records[name]
        if values.dtype.kind == "f":
            columns.append(Column(name, values.astype(np.float64), _object([_shown(v) for v in values.tolist()])))
        else:
            columns.append(Column(name, None, _object([_stripped(v) for v in values.tolist()])))
    return Table(path, tuple(columns), None)


def _column(name: str, fields: Sequence[str]) -> Column:
    numbers = np.empty(len(fields))
    text = _object(["" if field.lower() in _MISSING else field for field in fields])
    for i, field in enumerate(text):
        number = np.nan if field == "" else _number(field)
        if number is None:
            return Column(name, None, text)
        numbers[i] = number
    return Column(name, numbers, text)


def _number(field: str) -> float | None:
    # Python also reads 1_000 as a number, which no table means.
    try:
        return None if "_" in field else float(field)
    except ValueError:
        return None


def _check_names(path: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for j, name in enumerate(names):
        if not name:
            raise UsageError(f"{path}: column {j} (counted from 0) has no name; name it in the first line")
        if name in seen:
            raise UsageError(f"{path}: two columns are called {name!r}; rename one of them")
        seen.add(name)


def _stripped(value: bytes) -> str:
    text = value.decode("utf-8")
    return "" if text == "?" else text


def _shown(value: float) -> str:
    if value != value:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


def _object(values: list[Any]) -> NDArray[np.object_]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
