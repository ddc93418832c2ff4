"""Tables for the command line: CSV, Parquet and ARFF files as data frames that know the lines of their rows."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from .._data.checks import counted
from .._data.targets import summary
from .columns import select
from .error import UsageError, needed

#: What pandas needs to know of a CSV file, in its words, and how the command line spells it.
READING = ("sep", "decimal", "thousands", "encoding", "na_values", "keep_default_na", "header", "index_col")
_ARROW = "pyarrow", "Parquet is read and written by pyarrow", "pyarrow"
_SOME = 100  # rows looked at for zeros in front
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Table:
    """A file as a data frame of at least one row, with names of columns that differ.

    Attributes
    ----------
    source : str
        What messages call the file.
    frame : pandas.DataFrame
    lines : sequence of int
        The lines of the rows in the file, counted from 1; none where the format has no lines.
    targets : sequence of str
        What the file itself says the targets are.
    paths : dict of str to list of str
        The paths from the root that a column of a hierarchy may hold (Clus), by the name of the column.
    zeros : sequence of str
        Columns that hold whole numbers with zeros in front, in the first rows.
    """

    source: str
    frame: Any
    lines: Sequence[int] = ()
    targets: Sequence[str] = ()
    paths: dict[str, list[str]] | None = None
    zeros: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        return list(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)

    def where(self, row: int) -> str:
        """Return the place of a row (counted from 0) for messages."""
        return f"{self.source}, line {self.lines[row]}" if len(self.lines) else f"{self.source}, row {row}"

    def columns(self, names: Sequence[str]) -> Any:
        """Return some columns as a data frame; `UsageError` for those that are not there."""
        absent = sorted(set(names).difference(self.frame.columns), key=list(names).index)
        if absent:
            raise UsageError(f"{self.source} has no column {summary(absent)}; it has {summary(self.names)}")
        return self.frame[list(names)]


def read_bytes(path: str) -> bytes:
    """Return a file, unzipped if it is gzipped; "-" is standard input."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def read_table(
    path: str, raw: bytes, reading: dict[str, Any], *, text: str | Sequence[str] | None = (), labels: str | None = None
) -> Table:
    """Return the table in a CSV, Parquet or ARFF file.

    Parameters
    ----------
    path : str
        What messages call the file.
    raw : bytes
        Its contents. Parquet and ARFF are known by what they begin with; all else is CSV.
    reading : dict
        Options of `pandas.read_csv`, of those in `READING`.
    text : str or sequence of str
        Columns that are text even if they read as numbers: their names, or a selection of the option --categorical.
    labels : str or None, default=None
        Mulan's XML file with the names of the labels of an ARFF file.

    Raises
    ------
    UsageError
        When the file cannot be read or is no table; the message names the line, and the option that mends it.
    """
    pandas = needed("pandas", "tables are read by pandas", "combpred[cli]")
    source = "standard input" if path == "-" else path
    if raw[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise UsageError(f"{source} is a workbook or a zip archive; save the sheet as CSV, or unzip it")
    if raw[:4] == b"PAR1":
        table = _read_parquet(source, raw, pandas)
    else:
        content = _decoded(source, raw, reading.get("encoding"))
        if ".arff" in path.lower() or re.match(r"(\s|%.*\n)*@relation\b", content, re.IGNORECASE):
            from .arff import read_arff

            table = Table(source, *read_arff(source, content, labels))
        else:
            table = _read_csv(source, content, reading, text, pandas)
    if not len(table):
        raise UsageError(f"{source} has {'a line of column names' if table.names else 'no column'} but no row")
    for name in select(table.names, text, "--categorical"):
        if name in table.names and pandas.api.types.is_numeric_dtype(table.frame[name]):
            table.frame[name] = table.frame[name].map(_written).astype(object)
    return table


def write_table(frame: Any, path: str | None) -> None:
    """Write a data frame as CSV, or as Parquet if the name ends so; None and "-" are standard output."""
    if str(path).lower().endswith((".xlsx", ".xls", ".ods", ".json", ".arff")):
        raise UsageError(f"--output: {path}: predictions are written as CSV or .parquet; name such a file")
    if path in (None, "-"):
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
    elif str(path).lower().endswith((".parquet", ".pq")):
        needed(*_ARROW)
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, lineterminator="\n")


def _decoded(source: str, raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode(encoding or "utf-8-sig")
    except LookupError:
        raise UsageError(f"--encoding: there is no encoding {encoding!r}; such as utf-8, cp1252, utf-16") from None
    except UnicodeDecodeError as error:
        other = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(
            f"{source}, line {line}, is not text in {encoding or 'UTF-8'} ({error.reason}): say what it is by "
            f"--encoding, such as --encoding {other}"
        ) from error


def _read_csv(
    source: str, content: str, reading: dict[str, Any], text: str | Sequence[str] | None, pandas: Any
) -> Table:
    told = re.match(r"sep=(.)\r?(?=\n)", content)  # Excel's first line
    content = content if told is None else content[told.end() :]
    first = re.sub(r'"[^"]*"', "", next((line for line in content.splitlines() if line.strip()), ""))
    sep = reading.get("sep") or (max(_SEPARATORS, key=first.count) if told is None else told[1])
    sep = {"\\t": "\t", " ": r"\s+"}.get(sep, sep)
    if len(sep) > 1 and sep != r"\s+":
        raise UsageError(f"--sep: {sep!r} is not one character; a space stands for any run of spaces, \\t for a tab")
    names, lines, zeros = _records(source, content, sep)
    has_names = reading.get("header", True)
    if not has_names:
        names = [f"x{j}" for j in range(len(names))]
    elif all(re.fullmatch(r"[+-]?[\d.,]+(e[+-]?\d+)?", name, re.IGNORECASE) for name in names):
        raise UsageError(
            f"the first line of {source} holds numbers, not names of columns; with --no-header it counts as a row"
        )
    if names[0] == "" and len(names) > 1:
        names[0] = "index"  # as pandas writes the index of a data frame
    _check_names(source, names)
    extra = {key: reading[key] for key in ("decimal", "thousands", "keep_default_na") if reading.get(key) is not None}
    try:
        frame = pandas.read_csv(
            io.StringIO(content), sep=sep, names=names, header=0 if has_names else None, index_col=False,
            dtype=dict.fromkeys(select(names, text, "--categorical"), object), skipinitialspace=True,
            na_values=["?", *(reading.get("na_values") or [])], low_memory=False, **extra,
        )  # fmt: skip
    except (pandas.errors.ParserError, ValueError) as error:
        raise UsageError(f"{source}: {str(error).strip()}") from error
    for name in frame.columns[[not pandas.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[name] = frame[name].astype(object).where(frame[name].notna(), np.nan)
    return Table(source, frame, lines[bool(has_names) :], zeros=[names[j] for j in zeros])


def _records(source: str, content: str, sep: str) -> tuple[list[str], list[int], set[int]]:
    """Return the fields of the first record, the line that each begins in, and the columns with zeros in front.

    Blank lines are no records. pandas fills in short rows, cuts long ones, drops zeros and knows no lines.
    """
    spaced = sep == r"\s+"
    reader = csv.reader(
        io.StringIO(content, newline=""), delimiter=" " if spaced else sep, skipinitialspace=True, strict=True
    )
    names: list[str] = []
    lines, zeros, line = [], set[int](), 1
    try:
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                fields = [field for field in fields if field] if spaced else fields
                names = names or [field.strip() for field in fields]
                lines.append(line)
                if 1 < len(lines) < _SOME:
                    zeros.update(j for j, field in enumerate(fields) if field[:1] == "0" and field[1:].isdigit())
                if len(fields) != len(names):
                    raise UsageError(
                        f"{source}, line {line}: {counted(len(fields), 'field')}, the first line has {len(names)}; "
                        f"fields are separated by {sep!r} (see --sep), quote those that contain it"
                    )
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{source}, line {reader.line_num}: {error}") from error
    if not lines:
        raise UsageError(f"{source} is empty; a table needs a line of column names and at least one row")
    return names, lines, zeros


def _read_parquet(source: str, raw: bytes, pandas: Any) -> Table:
    needed(*_ARROW)
    frame = pandas.read_parquet(io.BytesIO(raw))
    frame = frame.reset_index() if frame.index.name is not None else frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    _check_names(source, list(frame.columns))
    for name in frame.columns[[kind.kind == "O" for kind in frame.dtypes]]:
        if isinstance(next(iter(frame[name].dropna()), None), Decimal):
            frame[name] = frame[name].astype(float)
    return Table(source, frame)


def _check_names(source: str, names: Sequence[str]) -> None:
    if "" in names:
        raise UsageError(f"{source}: column {names.index('')} (counted from 0) has no name; name it in the first line")
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise UsageError(f"{source}: two columns are called {twice!r}; rename one of them")


def _written(value: Any) -> Any:
    """Return a number as its text, whole numbers without a point, so that it means the same in every file."""
    return np.nan if value != value else str(int(value)) if float(value).is_integer() else repr(float(value))
