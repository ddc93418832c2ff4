"""Ballots of PrefLib, which preflibtools parses, as positions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import counted
from .._data.tables import Named, Tabular
from .._lib.arrays import FloatArray, IntArray
from .._lib.errors import RowError


@dataclass(frozen=True, eq=False, repr=False)
class Ballots(Tabular):
    """Ballots of an election: different rankings, and how many voters cast each.

    Attributes
    ----------
    rankings : ndarray of shape (n, k), dtype=int32
        Position of every item on a ballot, 1 for the first, tied items sharing one, −1 for items that are not listed.
    weights : ndarray of shape (n,)
        How many voters cast the ballot.
    names : list of str
        Names of the k items. ``pandas.DataFrame(ballots.rankings, columns=ballots.names)`` makes a table with them.
    title : str
        Title of the election.
    """

    rankings: IntArray
    weights: FloatArray
    names: list[str]
    title: str

    def _table(self) -> dict[str, Any]:
        return {**super()._table(), "rankings": Named(self.rankings, self.names)}

    def _title(self) -> str:
        n, k = self.rankings.shape
        title = f"{self.title}, " if self.title else ""
        return f"Ballots: {title}{counted(n, 'ranking')} of {k} items by {self.weights.sum():.6g} voters"


def read_preflib(source: Any) -> Ballots:
    """Read ballots in PrefLib's formats of orders, .soc, .soi, .toc and .toi, and of categories, .cat.

    The package preflibtools does the reading: ``pip install "combpred[preflib]"``.

    Parameters
    ----------
    source : path, or instance of preflibtools
        File to read, in the format that PrefLib has had since 2022, or what preflibtools has read, also from a string
        (``parse_str``) or the web (``parse_url``).

    Returns
    -------
    Ballots
        Pass its `rankings` and `weights` to the aggregation functions.

    Raises
    ------
    ImportError
        Without preflibtools.
    ValueError
        When preflibtools cannot read the file; for graphs, .wmd; when a ballot is listed twice, or lists an item twice
        or one that does not exist, naming the ballot and the item.

    Notes
    -----
    Items in the first category of a .cat file come before those in the second, and so on, as "yes" comes before "no". A
    ballot that puts all items into one category, whichever it is, prefers none.

    Items that a ballot does not list are unknown. To rank them behind all others, tied, as most voters mean it, set
    ``rankings[rankings == -1] = k + 1``.

    References
    ----------
    Mattei, N. and Walsh, T. (2013). PrefLib: a library for preferences. *Algorithmic Decision Theory*.

    Examples
    --------
    >>> from preflibtools.instances import OrdinalInstance  # doctest: +SKIP
    >>> from combpred.aggregation import kemeny, read_preflib
    >>> election = OrdinalInstance()  # doctest: +SKIP
    >>> election.parse_str("# NUMBER ALTERNATIVES: 3\\n5: 2,{1,3}\\n2: 3", "toi")  # doctest: +SKIP
    >>> ballots = read_preflib(election)  # doctest: +SKIP
    >>> ballots.rankings.tolist(), ballots.weights.tolist(), ballots.names  # doctest: +SKIP
    ([[2, 1, 2], [-1, -1, 1]], [5.0, 2.0], ['1', '2', '3'])
    >>> kemeny(ballots.rankings, weights=ballots.weights).tiers  # doctest: +SKIP
    [[1], [0], [2]]
    """
    try:
        from preflibtools.instances import get_parsed_instance
    except ImportError as error:
        raise ImportError("read_preflib requires preflibtools: pip install 'combpred[preflib]'") from error
    election = get_parsed_instance(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else source
    if not hasattr(election, "multiplicity"):
        raise ValueError(f"source: {type(election).__name__} holds no ballots; give a file of orders or categories")
    if len(election.preferences) > len(election.multiplicity):  # which keeps the number of voters of the last one only
        raise ValueError("source lists a ballot twice; parse it by preflibtools with autocorrect=True, which adds up")
    k = election.num_alternatives
    rankings = np.array([_positions(i, ballot, k) for i, ballot in enumerate(election.multiplicity)], dtype=np.int32)
    names = [str(election.alternatives_name.get(item, item)) for item in range(1, k + 1)]
    return Ballots(rankings.reshape(-1, k), np.array([*election.multiplicity.values()], float), names, election.title)


def _positions(row: int, ballot: tuple[tuple[int, ...], ...], k: int) -> NDArray[np.int32]:
    items = [item for tier in ballot for item in tier]
    if len(set(items)) < len(items) or not set(items) <= set(range(1, k + 1)):
        raise RowError(row, f"a ballot lists items from 1 to {k}, each at most once, not {items!r:.80}", "source")
    positions, place = np.full(k, -1, dtype=np.int32), 1
    for tier in ballot:
        for item in tier:
            positions[item - 1] = place
        place += len(tier)
    return positions
