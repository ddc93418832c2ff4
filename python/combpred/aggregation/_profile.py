"""Rankings to be aggregated: what users pass as the core reads it, which checks the numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._data.checks import seed_of
from .._data.forms import column_names, columns_in_order
from .._data.inputs import check_weights
from .._data.relations import encode_relations
from .._data.targets import as_array, as_numbers, numbered_positions, target_matrix
from .._lib.aggregate import Pairs, Profile, extended, pair_counts
from .._lib.arrays import FloatArray
from .._lib.table import floats


def read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return the rankings that a user passed: positions ``(n, k)``, or relations ``(n, k, k)`` of partial orders."""
    names = column_names(rankings, "rankings")
    rankings = columns_in_order(rankings, names, "rankings", "")
    given = as_array(rankings, "rankings")
    if given.ndim != 3:
        ranks = numbered_positions(given, "rankings", names=names, zero=True)
        return Profile(ranks, check_weights(weights, len(ranks), name="weights"))
    checked = check_weights(weights, len(given), name="weights")
    encode_relations(given, "rankings", transitive=True)
    before = given.astype(np.bool_) & ~np.eye(given.shape[1], dtype=np.bool_)
    return extended(before, checked, n_extensions, seed_of(random_state))


class Votes(NamedTuple):
    """What is to be aggregated by Kendall's distance.

    Attributes
    ----------
    profile : Profile or None
        The rankings; None where only pairs are known.
    pairs : Pairs or None
        What rankings prefer, pair by pair, where that is what was given.
    """

    profile: Profile | None
    pairs: Pairs | None

    def counted(self) -> Pairs:
        """Return the pairs, of rankings counted."""
        if self.pairs is not None:
            return self.pairs
        assert self.profile is not None
        return pair_counts(self.profile)


def read_votes(rankings: Any, counts: Any, weights: Any, n_extensions: Any, random_state: Any) -> Votes:
    """Return the rankings, or the weights of those with u before v, that a user passed."""
    if (rankings is None) == (counts is None) or (counts is not None and weights is not None):
        raise ValueError("give either rankings, which may have weights, or counts")
    if counts is None:
        return Votes(read_profile(rankings, weights, n_extensions, random_state), None)
    return Votes(None, Pairs(read_pairs(counts, "counts")))


def item_names(rankings: Any, counts: Any = None) -> list[str] | None:
    """Return the names of items that the columns of a data frame give, None if there are none."""
    return column_names(rankings if counts is None else counts, "rankings" if counts is None else "counts")


def rows_in_order(table: Any, names: Sequence[Hashable] | None, argument: str, of: str) -> Any:
    """Return a table with its rows in the order of `names`, if it is a data frame of pandas whose index has them."""
    framed = hasattr(table, "columns") and hasattr(table, "index")
    return columns_in_order(table.T, names, argument, of, "rows").T if framed else table


def read_pairs(counts: Any, name: str) -> FloatArray:
    """Return the weights of those with u before v, at [u, v], that a user passed as an argument; 0 on the diagonal."""
    names, remedy = column_names(counts, name), f"{name}[u, v] counts those with u before v, a number from 0 to 1e280"
    ordered = rows_in_order(columns_in_order(counts, names, name, ""), names, name, "those of its columns")
    values = as_numbers(target_matrix(ordered, name, None, "item"), name, remedy, names)
    before = np.array(floats(values, name, len(values), len(values)))
    np.fill_diagonal(before, 0.0)
    return before
