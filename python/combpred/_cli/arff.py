"""ARFF files: dense and sparse, those of Mulan with their label files, and hierarchies as Clus writes them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pandas
from scipy import sparse

from .._data.checks import counted
from .error import UsageError

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
_ENTRY = re.compile(r"""\s*(\d+)\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,}\s]+)\s*(?:,|$)""")
_NUMERIC = ("numeric", "real", "integer")


class Arff(NamedTuple):
    """The rows of an ARFF file and their lines, the targets that it tells, and the paths of each hierarchy."""

    frame: Any
    lines: list[int]
    targets: list[str]
    paths: dict[str, list[str]]


def read_arff(source: str, content: str, labels: str | None) -> Arff:
    """Return an ARFF file as a data frame.

    Attributes of the kinds numeric, real and integer are numbers, and so are those of the values {0, 1}; nominal ones,
    strings, dates and hierarchies are text. SciPy's reader knows neither sparse files nor strings nor hierarchies.

    Parameters
    ----------
    source : str
        What messages call the file.
    content : str
    labels : str or None
        Mulan's XML file, whose labels are then the targets.

    Raises
    ------
    UsageError
        Naming the line.
    """
    head, rows = _parts(source, content)
    names, kinds = [name for name, _ in head], [kind for _, kind in head]
    paths = {name: _split(kind[12:]) for name, kind in head if kind.lower().startswith("hierarchical")}
    is_number = [kind.lower() in _NUMERIC or _values(kind) == ["0", "1"] for kind in kinds]
    filled = [(line, text) for line, text in rows if text]
    if filled and all(text.startswith("{") for _, text in filled):
        frame = _sparse_frame(source, filled, names, kinds, is_number)
    else:
        frame = _dense_frame(source, filled, names, is_number)
    targets = [] if labels is None else _labels(labels, names)
    return Arff(frame, [line for line, _ in filled], targets or list(paths), paths)


def _parts(source: str, content: str) -> tuple[list[tuple[str, str]], list[tuple[int, str]]]:
    """Return the name and kind of each attribute, and the lines after @data with their numbers, comments left out."""
    head: list[tuple[str, str]] = []
    lines = enumerate(content.splitlines(), 1)
    for number, line in lines:
        text = line.strip()
        if text.lower().startswith("@data"):
            return head, [(i, "" if row.lstrip()[:1] == "%" else row.strip()) for i, row in lines]
        if text.lower().startswith("@attribute"):
            found = _ATTRIBUTE.match(text)
            kind = "" if found is None else found[2].strip()
            if found is None or not re.match(r"(numeric|real|integer|string|date|hierarchical)\b|{.*}$", kind, re.I):
                raise UsageError(
                    f"{source}, line {number}: {text[:80]!r} is no attribute of the kinds numeric, nominal in {{}}, "
                    "string, date and hierarchical"
                )
            head.append((_unquoted(found[1]), kind))
    raise UsageError(f"{source} is no ARFF file that can be read: it has no line @data")


def _dense_frame(source: str, rows: list[tuple[int, str]], names: list[str], is_number: list[bool]) -> Any:
    quote = "'" if any("'" in text for _, text in rows) else '"'
    found = []
    for line, text in rows:  # one by one: a quote that is not closed is told with its line
        try:
            fields = next(csv.reader([text], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True))
        except csv.Error as error:
            raise UsageError(f"{source}, line {line}: {error}") from error
        found.append(fields)
        if len(fields) != len(names):
            raise UsageError(
                f"{source}, line {line}: {counted(len(fields), 'value')} for {counted(len(names), 'attribute')}"
            )
    frame = pandas.DataFrame(found, columns=names, dtype=object)
    columns = {}
    for j, (name, numeric) in enumerate(zip(names, is_number, strict=True)):
        column = frame.iloc[:, j].str.strip()
        column = column.where(column != "?", np.nan).astype(object)
        columns[j] = _numbers(source, rows, name, column) if numeric else column
    return pandas.DataFrame(columns).set_axis(names, axis=1)


def _numbers(source: str, rows: list[tuple[int, str]], name: str, column: Any) -> Any:
    try:
        return column.astype(np.float64)
    except ValueError:
        numbers = pandas.to_numeric(column, errors="coerce")
        at = int(np.argmax(numbers.isna() & column.notna()))
        raise UsageError(
            f"{source}, line {rows[at][0]}: {name!r} holds {column.iloc[at]!r}, which is not a number"
        ) from None


def _sparse_frame(
    source: str, rows: list[tuple[int, str]], names: list[str], kinds: list[str], is_number: list[bool]
) -> Any:
    """Return a frame of which numbers are sparse columns; what a row does not list is 0, or the first of the values."""
    at: list[int] = []
    which: list[int] = []
    values: list[float] = []
    text: dict[int, list[Any]] = {
        j: [next(iter(_values(kind)), np.nan)] * len(rows)
        for j, (kind, numeric) in enumerate(zip(kinds, is_number, strict=True))
        if not numeric
    }
    for row, (line, entry) in enumerate(rows):
        entries = list(_entries(source, line, entry))
        if len(dict(entries)) < len(entries):
            raise UsageError(f"{source}, line {line}: an attribute is listed twice")
        for j, value in entries:
            if j >= len(names):
                raise UsageError(f"{source}, line {line}: attribute {j} (counted from 0) of {len(names)}")
            if j in text:
                text[j][row] = np.nan if value == "?" else value
                continue
            at.append(row)
            which.append(j)
            try:
                values.append(np.nan if value == "?" else float(value))
            except ValueError:
                raise UsageError(
                    f"{source}, line {line}: {names[j]!r} holds {value!r}, which is not a number"
                ) from None
    matrix = sparse.coo_matrix((values, (at, which)), shape=(len(rows), len(names))).tocsc()
    numeric = np.flatnonzero(is_number)
    frame = pandas.DataFrame.sparse.from_spmatrix(matrix[:, numeric], columns=[names[j] for j in numeric])
    added = pandas.DataFrame({names[j]: column for j, column in text.items()}, dtype=object, index=frame.index)
    return pandas.concat([frame, added], axis=1)[names]


def _entries(source: str, line: int, text: str) -> Iterator[tuple[int, str]]:
    inside, at = text[1:].rstrip().removesuffix("}"), 0
    while at < len(inside) and inside[at:].strip():
        found = _ENTRY.match(inside, at)
        if found is None:
            raise UsageError(f"{source}, line {line}: {inside[at : at + 40]!r} is not INDEX VALUE, … of a sparse row")
        yield int(found[1]), _unquoted(found[2])
        at = found.end()


def _labels(path: str, names: list[str]) -> list[str]:
    """Return the names of the labels in Mulan's XML file, in the order of the attributes."""
    try:
        found = [str(e.get("name")) for e in ElementTree.fromstring(Path(path).read_bytes()).iter() if e.get("name")]
    except (OSError, ElementTree.ParseError) as error:
        raise UsageError(f"--labels: cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    absent = [name for name in found if name not in names]
    if absent or not found:
        what = f"lists {absent[0]!r}, which is no attribute of the ARFF file" if absent else "lists no label"
        raise UsageError(f"--labels: {path} {what}")
    return [name for name in names if name in found]


def _values(kind: str) -> list[str]:
    return _split(kind.strip()[1:-1]) if kind.startswith("{") else []


def _split(text: str) -> list[str]:
    quote = "'" if "'" in text else '"'
    fields = next(csv.reader(io.StringIO(text), quotechar=quote, escapechar="\\", skipinitialspace=True), [])
    return [field.strip() for field in fields if field.strip()]


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') and text[-1:] == text[:1] else text
