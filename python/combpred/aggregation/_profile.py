"""Ballots: what users pass, or PrefLib has, as the core reads it, which checks the numbers."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import counted, seed_of
from .._data.inputs import check_weights, column_names, columns_in_order
from .._data.relations import encode_relations
from .._data.tables import Named, Tabular
from .._data.targets import as_array, as_numbers, numbered_positions, target_matrix
from .._lib.aggregate import Pairs, Profile, extended, pair_counts
from .._lib.arrays import FloatArray, IntArray
from .._lib.errors import RowError
from .._lib.table import floats


def read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> tuple[Profile, list[Any] | None]:
    """Return rankings, positions ``(n, k)`` or relations ``(n, k, k)`` of partial orders, and the names of items."""
    names = column_names(rankings, "rankings")
    rankings = columns_in_order(rankings, names, "rankings", "")
    given = as_array(rankings, "rankings")
    if given.ndim != 3:
        ranks = numbered_positions(given, "rankings", names=names, zero=True)
        return Profile(ranks, check_weights(weights, len(ranks), name="weights")), names
    checked = check_weights(weights, len(given), name="weights")
    encode_relations(given, "rankings", transitive=True)
    before = given.astype(np.bool_) & ~np.eye(given.shape[1], dtype=np.bool_)
    return extended(before, checked, n_extensions, seed_of(random_state)), names


def read_votes(
    rankings: Any, counts: Any, weights: Any, n_extensions: Any, random_state: Any
) -> tuple[tuple[Profile | None, Pairs], list[Any] | None]:
    """Return rankings, if they are given, and what they prefer pair by pair; and the names of items."""
    if (rankings is None) == (counts is None) or (counts is not None and weights is not None):
        raise ValueError("give either rankings, which may have weights, or counts")
    if counts is None:
        profile, names = read_profile(rankings, weights, n_extensions, random_state)
        return (profile, pair_counts(profile)), names
    before, names = read_pairs(counts, "counts")
    return (None, Pairs(before)), names


def rows_in_order(table: Any, names: Sequence[Hashable] | None, argument: str, of: str) -> Any:
    """Return a table with its rows in the order of `names`, if it is a data frame of pandas whose index has them."""
    framed = hasattr(table, "columns") and hasattr(table, "index")
    return columns_in_order(table.T, names, argument, of, "rows").T if framed else table


def read_pairs(counts: Any, name: str) -> tuple[FloatArray, list[Any] | None]:
    """Return the weights of those with u before v, at [u, v], with 0 on the diagonal, and the names of items."""
    names, remedy = column_names(counts, name), f"{name}[u, v] counts those with u before v, a number from 0 to 1e280"
    ordered = rows_in_order(columns_in_order(counts, names, name, ""), names, name, "those of its columns")
    values = as_numbers(target_matrix(ordered, name, None, "item"), name, remedy, names)
    before = np.array(floats(values, name, len(values), len(values)))
    np.fill_diagonal(before, 0.0)
    return before, names


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
        positions[np.array(tier, dtype=np.intp) - 1] = place
        place += len(tier)
    return positions
