"""ARFF files, which liac-arff reads: dense and sparse, those of Mulan with their labels, hierarchies of Clus."""

from __future__ import annotations

import re
from itertools import chain, compress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from .error import UsageError, needed, require

_NAME = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+"""
#: Kinds that liac-arff does not know, which are text; it wants one space before a name, and no notes behind a kind.
_KIND = re.compile(rf"\s*@attribute\s+({_NAME})\s+((hierarchical\b\s*)?.*\S)\s*", re.IGNORECASE)
_TEXT, _INSIDE = re.compile(r"(hierarchical|date)\b", re.IGNORECASE), re.compile(r"""'[^']*'|"[^"]*\"""")


def read_arff(source: str, content: str, labels: str | None) -> tuple[Any, list[int], list[str], dict[str, list[str]]]:
    """Return an ARFF file as a data frame, the lines of its rows, the targets that it tells, the paths of hierarchies.

    Attributes of the kinds numeric, real and integer are numbers, and so are those of the values {0, 1}; nominal ones,
    strings, dates and hierarchies are text. Numbers of sparse files become sparse columns.

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
        Naming the line and, where a value is not of its kind, the attribute.
    """
    import pandas

    text, paths = content.splitlines(), dict[str, list[str]]()
    head = next((i for i, line in enumerate(text) if line.lower().lstrip().startswith("@data")), len(text))
    require(head < len(text), f"{source} is no ARFF file that can be read: it has no line @data")
    declared = text[: head + 1]
    for i, found in enumerate(map(_KIND.fullmatch, declared)):
        if found is not None:
            if found[3]:
                paths[found[1].strip("'\"")] = [path.strip() for path in found[2][len(found[3]) :].split(",")]
            text[i] = f"@attribute {found[1]} string"  # liac-arff names no column where a value is not of its kind
            declared[i] = text[i] if _TEXT.match(found[2]) else f"@attribute {found[1]} {found[2]}"
    lines = [i for i, line in enumerate(text[head + 1 :], head + 2) if line.strip()[:1] not in ("", "%")]
    is_sparse = bool(lines) and text[lines[0] - 1].lstrip().startswith("{")
    for line in lines if is_sparse else ():
        keys = re.findall(r"[{,]\s*(\d+)\s", _INSIDE.sub("''", text[line - 1]))
        require(len(set(keys)) == len(keys), f"{source}, line {line}: an attribute is listed twice")
    names, kinds = map(list, zip(*_decoded(source, declared, "DENSE")["attributes"], strict=True))
    rows = _decoded(source, text, "LOD" if is_sparse else "DENSE")["data"]
    row = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    at = np.fromiter(chain.from_iterable(rows if is_sparse else map(range, map(len, rows))), np.intp, len(row))
    value = np.fromiter(chain.from_iterable(each.values() if is_sparse else each for each in rows), object, len(row))
    numeric = np.array([kind in ("NUMERIC", "REAL", "INTEGER", ["0", "1"]) for kind in kinds])
    held, place = numeric[at], np.where(numeric, np.cumsum(numeric), np.cumsum(~numeric)) - 1
    numbers = pandas.to_numeric(pandas.Series(value[held], dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    allowed = [{None, *kind} if isinstance(kind, list) else set() for kind in kinds]
    odd, listed = np.zeros(len(value), dtype=bool), np.flatnonzero(np.array([isinstance(k, list) for k in kinds])[at])
    odd[held] = np.isnan(numbers) & pandas.notna(value[held])
    odd[listed] |= np.array([v not in allowed[j] for j, v in zip(at[listed], value[listed], strict=True)], dtype=bool)
    if odd.any():
        first = int(np.argmax(odd))
        kind = kinds[at[first]]
        said = kind.lower() if isinstance(kind, str) else "{" + ", ".join(kind) + "}"
        what = f"{names[at[first]]!r} holds {value[first]!r}, which is not as @attribute says: {said}"
        raise UsageError(f"{source}, line {lines[row[first]]}: {what}")
    # What a row of a sparse file does not list is 0, or the first of the values.
    matrix = sparse.csc_matrix((numbers, (row[held], place[at[held]])), shape=(len(rows), numeric.sum()))
    texts = np.empty((len(rows), len(names) - numeric.sum()), dtype=object)
    texts[:] = [k[0] if is_sparse and isinstance(k, list) else None for k in compress(kinds, ~numeric)]
    texts[row[~held], place[at[~held]]] = value[~held]
    frame = pandas.DataFrame.sparse.from_spmatrix(matrix) if is_sparse else pandas.DataFrame(matrix.toarray())
    called = np.array(names, dtype=object)
    both = [frame.set_axis(called[numeric], axis=1), pandas.DataFrame(texts, columns=called[~numeric])]
    return (
        pandas.concat(both, axis=1).reindex(columns=names),
        lines,
        list(paths) if labels is None else _labels(labels, names),
        paths,
    )


def _decoded(source: str, text: list[str], how: str) -> Any:
    liac = needed("arff", "ARFF files are read by liac-arff", "combpred[cli]")
    decoder = liac.ArffDecoder()
    try:
        return decoder.decode(text, return_type=getattr(liac, how))
    except (liac.ArffException, ValueError) as error:
        line = decoder._current_line
        shown, reason = text[line - 1].strip()[:80], re.sub(r",? (at|in) line \d+\b.*", "", str(error))
        raise UsageError(f"{source}, line {line}: {shown!r} is not as @attribute says: {reason}") from error


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
