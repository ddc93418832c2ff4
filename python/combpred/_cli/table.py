"""Tables for the command line: CSV, Parquet and ARFF files as data frames that know the lines of their rows."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from .._data.checks import counted
from .._data.targets import summary
from .._data.warn import warn_user
from .columns import NUMBERS
from .error import UsageError, needed, require

#: What pandas needs to know of the fields of a CSV file, and of the file, in its words.
_FIELDS = ("keep_default_na", "true_values", "false_values")
READING = (*_FIELDS, "decimal", "thousands", "sep", "encoding", "na_values", "header", "comment")
_ARROW = "pyarrow", "Parquet is read and written by pyarrow", "pyarrow"
#: What the names of tables that are written may end in.
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".parquet", ".pq")
_BOOLEANS = ("True", "TRUE", "true", "False", "FALSE", "false")
_SOME = 100  # rows whose spelling is looked at
#: Whole numbers with points between digits by threes, or that need none.
_THREES = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+|[+-]?\d{0,3}")
#: What files begin with that are workbooks, or packed by zip, bzip2, xz, zstd or 7z.
_PACKED = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf"
#: What JSON and HTML begin with; names of columns may begin with such a bracket, as in <OPEN> and [pH].
_MARKED = re.compile(r"\s*(\[\s*[\[{]|\{\s*\"|<(!doctype|\?xml|html|head|body|table)\b)", re.IGNORECASE)
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
    doubts : dict of str to str
        Columns of numbers that may be something else by how the first of them are written, and what users should know.
    marks : tuple of two str
        Between thousands, "" for none, and of decimals.
    words : sequence of str
        What stands for yes and no.
    written : callable or None
        Returns some columns as text, as they are written in the file, whole numbers without a point; None where numbers
        have no spelling.
    """

    source: str
    frame: Any
    lines: Sequence[int] = ()
    targets: Sequence[str] = ()
    paths: dict[str, list[str]] | None = None
    doubts: dict[str, str] = field(default_factory=dict)
    marks: tuple[str, str] = ("", ".")
    words: Sequence[str] = ()
    written: Callable[[list[str]], Any] | None = None

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
        sep = " (see --sep)" * (len(self.names) == 1)
        require(not absent, f"{self.source} has no column {summary(absent)}; it has {summary(self.names)}{sep}")
        return self.frame[list(names)]

    def take_as_text(self, names: Sequence[str]) -> None:
        """Make text of those columns, among some that may be there, which read as numbers."""
        kinds = dict(self.frame.dtypes)
        numbers = [name for name in self.names if name in names and kinds[name].kind in NUMBERS]
        if numbers:
            spelt = self.frame[numbers].apply(_spelt) if self.written is None else self.written(numbers)
            self.frame[numbers] = spelt.astype(object)


def read_bytes(path: str) -> bytes:
    """Return a file, unzipped if it is gzipped; "-" is standard input."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def read_table(
    path: str, reading: dict[str, Any], *, labels: str | None = None, default: dict[str, Any] | None = None
) -> Table:
    """Return the table in a CSV, Parquet or ARFF file.

    Parameters
    ----------
    path : str
        Parquet and ARFF are known by what they begin with, all else is CSV; "-" is standard input.
    reading : dict
        Options of `pandas.read_csv`, of those in `READING`.
    labels : str or None, default=None
        Mulan's XML file with the names of the labels of an ARFF file.
    default : dict, default=None
        As `reading`, and counts where that says nothing and the file has use for it.

    Raises
    ------
    UsageError
        When the file cannot be read as is said, or is no table; the message names the line and what mends it.
    """
    pandas = needed("pandas", "tables are read by pandas", "combpred[cli]")
    raw, source = read_bytes(path), "standard input" if path == "-" else path
    every, unused = {**(default or {}), **reading}, {**reading}
    require(not raw.startswith(_PACKED), f"{source} is a workbook or packed; save the sheet as CSV, or unpack the file")
    if raw[:4] == b"PAR1":
        table = _read_parquet(source, raw, pandas)
    else:
        content = _decoded(source, raw, every.get("encoding"))
        unused.pop("encoding", None)
        if ".arff" in path.lower() or re.match(r"(\s|%.*\n)*@relation\b", content, re.IGNORECASE):
            from .arff import read_arff

            table = Table(source, *read_arff(source, content, labels))
        else:
            table, unused = _read_csv(source, content, every, pandas), {}
    for key in unused:
        option = "--" + {"header": "no-header"}.get(key, key.replace("_", "-"))
        raise UsageError(f"{option} is of CSV files, which {source} is none of; leave it out")
    require(table.names, f"{source} has no column")
    require(len(table), f"{source} has a line of column names but no row")
    return table


def write_table(frame: Any, path: str | None, noun: str) -> None:
    """Write a data frame as its name ends: CSV, with tabs, or Parquet; None and "-" are standard output."""
    if path in (None, "-"):
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    try:
        if str(path).lower().endswith((".parquet", ".pq")):
            needed(*_ARROW)
            frame.to_parquet(path, index=False)
        else:
            sep = "\t" if str(path).lower().removesuffix(".gz").endswith(".tsv") else ","
            frame.to_csv(path, sep=sep, index=False, lineterminator="\n")
    except OSError as error:
        raise UsageError(f"--output: cannot write {path}: {error.strerror or error}") from error
    print(f"{counted(len(frame), noun)} written to {path}")


def _decoded(source: str, raw: bytes, encoding: str | None) -> str:
    try:
        text = raw.decode(encoding or "utf-8-sig")
        require("\0" not in text, f"{source} holds NUL characters, as text in another encoding does: see --encoding")
        return text
    except LookupError:
        raise UsageError(f"--encoding: there is no encoding {encoding!r}; such as utf-8, cp1252, utf-16") from None
    except UnicodeDecodeError as error:
        other = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
        line = raw[: error.start].count(b"\n") + 1
        what = f"{source}, line {line}, is not text in {encoding or 'UTF-8'} ({error.reason})"
        raise UsageError(f"{what}: say what it is by --encoding, such as --encoding {other}") from error


def _read_csv(source: str, content: str, reading: dict[str, Any], pandas: Any) -> Table:
    what = f"{source} begins with {content.lstrip()[:1]!r}, as JSON and HTML do: save the table as CSV or Parquet"
    require(not _MARKED.match(content), what)
    told = re.match(r"sep=(.)\r?(?=\n)", content)  # Excel's first line
    content = content if told is None else content[told.end() :]
    if comment := reading.get("comment"):
        quoted_or_comment = rf'(?<!\w)"[^"]*"|^{re.escape(comment)}.*'  # what is quoted may begin lines, too
        content = re.sub(quoted_or_comment, lambda it: it[0] * (it[0][0] == '"'), content, flags=re.MULTILINE)
    first = re.sub(r'"[^"]*"', "", content.lstrip().partition("\n")[0])
    sep = reading.get("sep") or (max(_SEPARATORS, key=first.count) if told is None else told[1])
    sep = {"\\t": "\t", " ": r"\s+"}.get(sep, sep)
    single = len(sep) == 1 or sep == r"\s+"
    require(single, f"--sep: {sep!r} is not one character; a space stands for any run of spaces, \\t for a tab")
    thousands = reading.get("thousands") or ""
    decimal = reading.get("decimal") or ("," if thousands == "." else ".")
    for option, mark in ("thousands", thousands), ("decimal", decimal):
        require(len(mark) == 1 or mark == thousands == "", f"--{option}: {mark!r} is not one character")
        require(
            mark.isascii(), f"--{option}: {mark!r} is not ASCII, as pandas needs: write plain numbers into the file"
        )
    require(thousands != decimal, f"--thousands and --decimal are both {decimal!r}; they must differ")
    words = [*(reading.get("true_values") or ()), *(reading.get("false_values") or ())]
    twice = [word for word, n in Counter(words).items() if n > 1]
    require(not twice, f"--true-values and --false-values: {summary(twice)} is given twice; once tells which it is")
    lines, header = _lines(source, content, sep), int(reading.get("header", True))
    data = content.encode()  # which pandas reads faster than text
    how: dict[str, Any] = {"sep": sep, "index_col": False, "skipinitialspace": True, "low_memory": False}
    try:
        head = pandas.read_csv(io.BytesIO(data), header=None, nrows=_SOME, dtype=str, na_filter=False, **how)
        names = [name.strip() for name in head.iloc[0]] if header else [f"x{j}" for j in range(head.shape[1])]
        numbers = [name for name in names if re.fullmatch(r"[+-]?[\d.,]+(e[+-]?\d+)?", name, re.IGNORECASE)]
        numbered, how_else = f"the first line of {source} holds numbers", "with --no-header it counts as a row"
        counted_columns = len(names) > 2 and names == [str(j) for j in range(len(names))]  # as pandas calls them
        require(numbers != names or counted_columns, f"{numbered}, not names of columns; {how_else}")
        ranked = counted_columns and sorted(map(str.strip, head.iloc[-1])) == sorted(names)  # as positions from 0 are
        if ranked or any("." in name for name in numbers):
            warn_user(f"{numbered}, taken for names of columns; {how_else}", UserWarning)
        if names[0] == "" and len(names) > 1:
            names[0] = "index"  # as pandas writes the index of a data frame
        _check_names(source, names)
        how |= {"names": names, "header": 0 if header else None, "thousands": thousands or None, "decimal": decimal}
        how |= {key: reading[key] for key in _FIELDS if reading.get(key) is not None}
        how["na_values"] = ["", "?", *(reading.get("na_values") or [])]
        frame = pandas.read_csv(io.BytesIO(data), **how)
    except (pandas.errors.ParserError, ValueError) as error:
        raise UsageError(f"{source}: {str(error).strip()}") from error
    text = list(frame.select_dtypes(exclude=["number", "bool"]))
    frame[text] = frame[text].astype(object)
    doubts = _doubts(head[header:], names) if decimal == "." else {}

    def again(some: list[str]) -> Any:
        text = pandas.read_csv(io.BytesIO(data), usecols=some, dtype=object, **how)[some]
        return text.replace(rf"(?<=\d){re.escape(decimal)}0+$", "", regex=True)  # 2.0 beside blanks

    zeros = re.search(rf"(^|{sep if len(sep) > 1 else re.escape(sep)})[ \"]*0\d", content, re.MULTILINE)
    marks, words = (thousands, decimal), [*words, *_BOOLEANS]
    table = Table(source, frame, lines[header:], doubts=doubts, marks=marks, words=words, written=again)
    numeric = list(frame.select_dtypes("number"))
    if numeric and (zeros or thousands):
        _check_spelling(table, again(numeric))
    return table


def _check_spelling(table: Table, written: Any) -> None:
    """Note zeros in front of numbers, as they are written, and refuse marks that stand between no thousands."""
    mark = table.marks[0]
    groups = rf"[+-]?\d{{1,3}}({re.escape(mark)}\d{{2,3}})*{re.escape(mark)}\d{{3}}(\D.*)?"
    for name, column in written.items():
        if column.str.match(r"0\d+$").any():
            table.doubts[name] = f"has zeros in front; if these are codes, give --categorical {name!r}"
        marked = column[column.str.contains(mark, regex=False, na=False)] if mark else column[:0]
        for row, cell in marked[~marked.str.fullmatch(groups).astype(bool)].items():
            what = f"{name!r} holds {cell!r}, in which {mark!r} marks no thousands: mend it, or see --decimal"
            raise UsageError(f"{table.where(row)}: {what}")


def _doubts(head: Any, names: list[str]) -> dict[str, str]:
    """Return what to know of columns whose points may mark thousands, by how their first fields are written."""
    columns = dict(zip(names, head.to_numpy(dtype=object).T, strict=True))
    pointed = [name for name, cells in columns.items() if any("." in cell for cell in cells)]
    doubted = [name for name in pointed if all(map(_THREES.fullmatch, columns[name]))]
    return dict.fromkeys(doubted, "has three digits behind each point; if it marks thousands, give --thousands .")


def _lines(source: str, content: str, sep: str) -> list[int]:
    """Return the line that each record begins in, blank lines being none; `UsageError` for one of another width.

    pandas fills in short records, cuts long ones and knows no lines. Where nothing is quoted, counting is enough.
    """
    rows = content.replace("\r\n", "\n") if "\r" in content else content
    if '"' not in content and "\r" not in rows and sep != r"\s+":
        counts = {line: row.count(sep) for line, row in enumerate(rows.split("\n"), 1) if sep in row or row.strip()}
        if counts and len(set(counts.values())) == 1:
            return list(counts)
    names, lines, line = 0, [], 1
    delimiter = " " if sep == r"\s+" else sep
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for fields in reader:
            if len(fields) > 1 or (fields and fields[0].strip()):
                width = len(fields) if sep == delimiter else sum(map(bool, fields))
                names = names or width
                if width != names:
                    what = f"{counted(width, 'field')}, the first line has {names}; fields are separated by {sep!r}"
                    mend = "(see --sep), quote those that contain it"
                    if "#" in (fields[0][:1], content.lstrip()[:1]):
                        mend += ", or give --comment '#' if lines that begin so are comments"
                    raise UsageError(f"{source}, line {line}: {what} {mend}")
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        opened = f"the quotation mark that opens in line {line} is not closed"
        how = opened if "end of data" in str(error) else "quotation marks within quoted fields are written twice"
        raise UsageError(f"{source}, line {reader.line_num}: {error}; {how}") from error
    require(lines, f"{source} is empty; a table needs a line of column names and at least one row")
    return lines


def _read_parquet(source: str, raw: bytes, pandas: Any) -> Table:
    needed(*_ARROW)
    try:
        frame = pandas.read_parquet(io.BytesIO(raw))
    except (ValueError, OSError) as error:
        raise UsageError(f"{source}: {error}") from error
    number = frame.index.dtype.kind in "iu" and frame.index.name is None  # of the row, as pandas gives it
    frame = frame.reset_index(drop=number)
    frame.columns = [str(name) for name in frame.columns]
    _check_names(source, list(frame.columns))
    for name in frame.columns[[kind.kind == "O" for kind in frame.dtypes]]:
        if isinstance(next(iter(frame[name].dropna()), None), Decimal):
            frame[name] = frame[name].astype(float)
    return Table(source, frame)


def _check_names(source: str, names: Sequence[str]) -> None:
    where = [*names, ""].index("")
    end = ", or take out the mark at the end of the lines" * (where == len(names) - 1)
    require("" not in names, f"{source}: column {where} (counted from 0) has no name; name it in the first line{end}")
    twice = next((name for name, n in Counter(names).items() if n > 1), "")
    require(not twice, f"{source}: two columns are called {twice!r}; rename one of them")


def _spelt(column: Any) -> Any:
    """Return numbers as text, whole ones without a point, so that they mean the same in every file."""
    return column.map(lambda v: str(int(v)) if float(v).is_integer() else repr(float(v)), na_action="ignore")
