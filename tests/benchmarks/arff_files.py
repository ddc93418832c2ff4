"""ARFF files, which liac-arff reads: dense and sparse, those of Mulan with their labels, hierarchies of Clus."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import compress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import arff
import numpy as np
from scipy import sparse

_NAME = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+"""
#: What Weka and Clus write and liac-arff does not take: several spaces, notes, ranges, dates and hierarchies.
_KIND = r"(hierarchical)\s*([^%]*)|(date|\w+)\b(?:\s*\[.*\]|(?<=date)[^%]*)?|(\{.*\})"
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({_NAME})\s+(?:{_KIND})\s*(?:%.*)?", re.IGNORECASE)
_READ_AS = {"date": "string", "integer": "numeric"}  # liac-arff cuts off what integers have behind the point
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


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
    ValueError
        Naming the line and, where a value is not of its kind, the attribute.
    """
    import pandas

    text, paths = content.splitlines(), dict[str, list[str]]()
    head = next((i for i, line in enumerate(text) if line.lower().lstrip().startswith("@data")), len(text))
    if head >= len(text):
        raise ValueError(f"{source} is no ARFF file that can be read: it has no line @data")
    for i, found in enumerate(map(_ATTRIBUTE.fullmatch, text[:head])):
        if found is not None:
            name, tree, nodes, word, nominal = found.groups()
            if tree:
                paths[name.strip("'\"")] = [path.strip() for path in nodes.split(",")]
            kind = "string" if tree else nominal or _READ_AS.get(word.lower(), word)
            text[i] = f"@attribute {name} {kind}"
    lines = [i for i, line in enumerate(text[head + 1 :], head + 2) if line.strip()[:1] not in ("", "%")]
    is_sparse = bool(lines) and text[lines[0] - 1].lstrip().startswith("{")
    for line in lines if is_sparse else ():
        keys = re.findall(r"[{,]\s*(\d+)\s", _QUOTED.sub("''", text[line - 1]))
        if len(set(keys)) != len(keys):
            raise ValueError(f"{source}, line {line}: an attribute is listed twice")
    attributes, data = _decoded(source, text, head, is_sparse)
    names, kinds = np.array([name for name, _ in attributes], dtype=object), [kind for _, kind in attributes]
    numeric = np.array([kind in ("NUMERIC", "REAL", ["0", "1"]) for kind in kinds])
    if is_sparse:
        values, row, at = np.array(data[0], dtype=object), np.array(data[1], np.intp), np.array(data[2], np.intp)
        held, place = numeric[at], np.where(numeric, np.cumsum(numeric), np.cumsum(~numeric)) - 1
        entries = values[held].astype(np.float64), (row[held], place[at[held]])
        matrix = sparse.csc_matrix(entries, shape=(len(lines), numeric.sum()))
        numbers = pandas.DataFrame.sparse.from_spmatrix(matrix)
        # What a row does not list is 0, or the first of the values.
        texts = np.empty((len(lines), (~numeric).sum()), dtype=object)
        texts[:] = [kind[0] if isinstance(kind, list) else None for kind in compress(kinds, ~numeric)]
        texts[row[~held], place[at[~held]]] = values[~held]
    else:
        values = np.array(data, dtype=object).reshape(len(lines), len(names))
        numbers, texts = pandas.DataFrame(values[:, numeric].astype(np.float64)), values[:, ~numeric]
    both = [numbers.set_axis(names[numeric], axis=1), pandas.DataFrame(texts, columns=names[~numeric])]
    targets = list(paths) if labels is None else _labels(labels, names.tolist())
    return pandas.concat(both, axis=1).reindex(columns=names), lines, targets, paths


def _decoded(source: str, text: list[str], head: int, is_sparse: bool) -> tuple[Any, Any]:
    """Return attributes and data; `ValueError` with the line and, which liac-arff does not name, the attribute."""
    from pandas import notna, to_numeric

    decoder, wrong = arff.ArffDecoder(), (arff.ArffException, ValueError)
    try:
        read = decoder.decode(text, return_type=arff.COO if is_sparse else arff.DENSE)
        return read["attributes"], read["data"]
    except wrong as error:
        line = decoder._current_line
        where, reason = f"{source}, line {line}", re.sub(r",? (at|in) line \d+\b.*", "", str(error))
        attributes = arff.loads("\n".join(text[: head + 1]))["attributes"] if line > head else []
        as_text = [f"@attribute {j} string" for j in range(len(attributes))]
        with suppress(*wrong):
            row = "\n".join(["@relation r", *as_text, "@data", text[line - 1]])
            values = arff.loads(row, return_type=arff.LOD if is_sparse else arff.DENSE)["data"][0]
            for j, value in values.items() if is_sparse else enumerate(values):
                name, kind = attributes[j]
                said = kind.lower() if isinstance(kind, str) else "{" + ", ".join(kind) + "}"
                is_number = notna(to_numeric(value, errors="coerce"))
                fits = value in kind if isinstance(kind, list) else kind == "STRING" or is_number
                if value is not None and not fits:
                    what = f"{name!r} holds {value!r}, which is not as @attribute says: {said}"
                    raise ValueError(f"{where}: {what}") from None
        raise ValueError(f"{where}: {text[line - 1].strip()[:80]!r} is not as @attribute says: {reason}") from error


def _labels(path: str, names: list[str]) -> list[str]:
    """Return the names of the labels in Mulan's XML file, in the order of the attributes."""
    try:
        found = [str(e.get("name")) for e in ElementTree.fromstring(Path(path).read_bytes()).iter() if e.get("name")]
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"--labels: cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    absent = [name for name in found if name not in names]
    if absent or not found:
        what = f"lists {absent[0]!r}, which is no attribute of the ARFF file" if absent else "lists no label"
        raise ValueError(f"--labels: {path} {what}")
    return [name for name in names if name in found]
