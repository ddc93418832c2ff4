"""ARFF files, which liac-arff reads: dense and sparse, those of Mulan with their labels, hierarchies of Clus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy import sparse

from .error import UsageError, needed

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
        Naming the line.
    """
    import pandas

    liac = needed("arff", "ARFF files are read by liac-arff", "combpred[cli]")
    text = content.splitlines()
    head = next((i for i, line in enumerate(text) if line.lower().lstrip().startswith("@data")), None)
    if head is None:
        raise UsageError(f"{source} is no ARFF file that can be read: it has no line @data")
    paths: dict[str, list[str]] = {}
    for i, found in enumerate(map(_KIND.fullmatch, text[:head])):
        if found is not None:
            if found[3]:
                paths[found[1].strip("'\"")] = [path.strip() for path in found[2][len(found[3]) :].split(",")]
            text[i] = f"@attribute {found[1]} {'string' if _TEXT.match(found[2]) else found[2]}"
    lines = [i for i, line in enumerate(text[head + 1 :], head + 2) if line.strip()[:1] not in ("", "%")]
    is_sparse = bool(lines) and text[lines[0] - 1].lstrip().startswith("{")
    for line in lines if is_sparse else ():
        keys = re.findall(r"[{,]\s*(\d+)\s", _INSIDE.sub("''", text[line - 1]))
        if len(set(keys)) < len(keys):
            raise UsageError(f"{source}, line {line}: an attribute is listed twice")
    decoder = liac.ArffDecoder()
    try:
        read = decoder.decode(text, return_type=liac.LOD if is_sparse else liac.DENSE)
    except (liac.ArffException, ValueError) as error:
        line = decoder._current_line
        shown, reason = text[line - 1].strip()[:80], re.sub(r",? (at|in) line \d+\b.*", "", str(error))
        raise UsageError(f"{source}, line {line}: {shown!r} is not as @attribute says: {reason}") from error
    rows = read["data"]
    names, kinds = ([attribute[k] for attribute in read["attributes"]] for k in (0, 1))
    numeric = [j for j, kind in enumerate(kinds) if kind in ("NUMERIC", "REAL", "INTEGER", ["0", "1"])]
    if is_sparse:  # what a row does not list is 0, or the first of the values
        place = {j: k for k, j in enumerate(numeric)}
        cells = [(i, place[j], v) for i, row in enumerate(rows) for j, v in row.items() if j in place]
        at, which, values = zip(*cells, strict=True) if cells else ((), (), ())
        matrix = sparse.csc_matrix((np.array(values, dtype=float), (at, which)), shape=(len(rows), len(numeric)))
        frame = pandas.DataFrame.sparse.from_spmatrix(matrix, columns=[names[j] for j in numeric])
        others = {
            names[j]: [row.get(j, kind[0] if isinstance(kind, list) else None) for row in rows]
            for j, kind in enumerate(kinds) if j not in place
        }  # fmt: skip
        frame = pandas.concat([frame, pandas.DataFrame(others, dtype=object)], axis=1)[names]
    else:
        frame = pandas.DataFrame(rows, columns=names, dtype=object)
        frame = frame.astype({names[j]: np.float64 for j in numeric})
    return frame, lines, list(paths) if labels is None else _labels(labels, names), paths


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
