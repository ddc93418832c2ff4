"""Ballots in the text formats of PrefLib.

The reader is our own, as that of preflibtools overwrites the number of voters where a ballot is listed twice, passes
over braces that do not close, items listed twice and items that do not exist, and has a copyleft licence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from .._data.checks import counted
from .._data.listings import as_table
from .._data.tables import Named, Tabular

_HEADER = re.compile(r"#\s*([A-Z ]+?)\s*(\d*)\s*:\s*(.*)")
_BALLOT = re.compile(r"\s*(\d+)\s*:\s*(.*)")
_PLACE = re.compile(r"\s*(?:\{([\d,\s]*)\}|(\d+))\s*(?:,|$)")


@dataclass(frozen=True, eq=False, repr=False)
class Ballots(Tabular):
    """Ballots of an election: different rankings, and how many voters cast each.

    Attributes
    ----------
    rankings : ndarray of shape (n, k), int32, or DataFrame
        Position of every item on a ballot, 1 for the first, tied items sharing one, −1 for items that are not listed.
        Columns of a data frame have the names of the items, which the aggregation functions then know.
    weights : ndarray of shape (n,), float64
        How many voters cast the ballot.
    names : list of str
        Names of the k items.
    title : str
        Title of the election, empty if the file has none.
    """

    rankings: Any
    weights: NDArray[np.float64]
    names: list[str]
    title: str

    def _table(self) -> dict[str, Any]:
        named = Named(self.rankings, self.names) if isinstance(self.rankings, np.ndarray) else self.rankings
        return {**super()._table(), "rankings": named}

    def _title(self) -> str:
        n, k = self.rankings.shape
        return (
            f"Ballots: {self.title + ', ' if self.title else ''}{counted(n, 'ranking')} of {k} items by "
            f"{self.weights.sum():.6g} voters"
        )


def read_preflib(source: str | PathLike[str] | TextIO, *, as_frame: bool = False) -> Ballots:
    """Read ballots in PrefLib's formats of orders, .soc, .soi, .toc and .toi, and of categories, .cat.

    Parameters
    ----------
    source : str, path or text file
        File to read, in the format with a header of lines that begin with ``#``, as PrefLib has it since 2022.
    as_frame : bool, default=False
        Whether `rankings` are a data frame of pandas, whose columns have the names of the items.

    Returns
    -------
    Ballots
        Their `rankings` and `weights` are what the aggregation functions take.

    Raises
    ------
    ValueError
        For a line that is no ballot, or names an item twice or one that does not exist; names the line. For graphs
        whose edges have weights, .wmd.

    Notes
    -----
    Items in the first category of a .cat file are before those in the second, and so on, as "yes" is before "no".
    A ballot that puts all items into one category, whichever it is, prefers none.

    Items that a ballot does not list are unknown. To rank them behind all others, tied, as voters mostly mean, set
    ``rankings[rankings == -1] = k + 1``.

    References
    ----------
    Mattei, N. and Walsh, T. (2013). PrefLib: a library for preferences. *Algorithmic Decision Theory*.

    Examples
    --------
    >>> import io
    >>> from combpred.aggregation import kemeny, read_preflib
    >>> text = "# NUMBER ALTERNATIVES: 3\\n# ALTERNATIVE NAME 1: Ann\\n5: 2,{1,3}\\n2: 3\\n"
    >>> ballots = read_preflib(io.StringIO(text))
    >>> ballots.rankings.tolist(), ballots.weights.tolist(), ballots.names
    ([[2, 1, 2], [-1, -1, 1]], [5.0, 2.0], ['Ann', '2', '3'])
    >>> ballots = read_preflib(io.StringIO(text), as_frame=True)
    >>> kemeny(ballots.rankings, weights=ballots.weights).tiers
    [['2'], ['Ann'], ['3']]
    """
    if isinstance(source, (str, PathLike)):
        lines = Path(source).read_text(encoding="utf-8").splitlines()
    elif hasattr(source, "read"):
        lines = source.read().splitlines()
    else:
        raise TypeError(f"source must be a path or an open file, got {source!r:.80}")
    header: dict[tuple[str, str], str] = {}
    ballots: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            entry = _HEADER.match(line.strip())
            if entry is not None:
                header[entry[1], entry[2]] = entry[3].strip()
            continue
        if header.get(("DATA TYPE", "")) == "wmd":
            raise ValueError(
                "the file is a graph whose edges have weights (.wmd), which holds no ballots; read its lines of "
                "'from, to, weight' with numpy.loadtxt(file, delimiter=',')"
            )
        ballot = _BALLOT.fullmatch(line)
        if ballot is None:
            raise ValueError(f"line {number}: {line!r} is no ballot, such as '3: 2,{{1,4}},3' for 3 voters")
        ballots.append((number, int(ballot[1]), ballot[2]))
    k = _number_of_items(header)
    if not ballots:
        raise ValueError("the file has no ballots; lines such as '3: 2,{1,4},3' are expected after the header")
    rankings = np.array([_positions(text, k, number) for number, _, text in ballots], dtype=np.int32)
    names = [header.get(("ALTERNATIVE NAME", str(item)), str(item)) for item in range(1, k + 1)]
    weights = np.array([count for _, count, _ in ballots], dtype=np.float64)
    rankings = as_table(rankings, tuple(names), as_frame)
    return Ballots(rankings, weights, names, header.get(("TITLE", ""), ""))


def _number_of_items(header: dict[tuple[str, str], str]) -> int:
    text = header.get(("NUMBER ALTERNATIVES", ""), "")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(
            "the header has no line '# NUMBER ALTERNATIVES: k'; files in the format of before 2022 are on PrefLib's "
            "site in the new one"
        )
    return int(text)


def _positions(text: str, k: int, line: int) -> list[int]:
    positions = [-1] * k
    place, at = 1, 0
    text = text.rstrip().rstrip(",")
    while at < len(text):
        match = _PLACE.match(text, at)
        if match is None:
            raise ValueError(f"line {line}: {text[at:]!r} is no list of items such as '2,{{1,4}},3'")
        items = [int(item) for item in (match[1] if match[2] is None else match[2]).split(",") if item.strip()]
        for item in items:
            if not 1 <= item <= k:
                raise ValueError(f"line {line}: there is no item {item}, they are 1 to {k}")
            if positions[item - 1] != -1:
                raise ValueError(f"line {line}: item {item} is listed twice")
            positions[item - 1] = place
        place += len(items)
        at = match.end()
    return positions
