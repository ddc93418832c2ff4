"""Rankings to be aggregated: what users pass as the core reads it, which checks the numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._data.checks import seed_of
from .._data.forms import column_names, columns_in_order
from .._data.inputs import check_weights
from .._data.relations import encode_relations
from .._data.targets import as_numbers, error_at, target_matrix
from .._lib.aggregate import Pairs, Profile, extended, pair_counts
from .._lib.arrays import FloatArray

_REMEDY = "positions are finite numbers from 0 on, the smaller before the larger, or -1 (or NaN) where unknown"


def read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return the rankings that a user passed: positions ``(n, k)``, or relations ``(n, k, k)`` of partial orders."""
    names = column_names(rankings, "rankings")
    rankings = columns_in_order(rankings, names, "rankings", "")
    if getattr(rankings, "ndim", 0) == 3 or (isinstance(rankings, (list, tuple)) and np.ndim(rankings[:1]) == 3):
        relations = np.asarray(rankings)
        encode_relations(relations, relations.shape[1], "rankings", transitive=True)
        before = relations.astype(np.bool_) & ~np.eye(relations.shape[1], dtype=np.bool_)
        checked = check_weights(weights, len(before), name="weights", rows="rankings")
        return extended(before, checked, n_extensions, seed_of(random_state))
    values = as_numbers(target_matrix(rankings, "rankings", None, "item"), "rankings", _REMEDY, names)
    if values.dtype.kind == "b":
        raise ValueError(
            "rankings hold booleans, which are no positions: numpy.where(rankings, 1, 2) ranks what is True first"
        )
    ranks = np.array(values, dtype=np.float64, order="C")
    ranks[ranks == -1] = np.nan
    bad = (ranks < 0) | np.isinf(ranks)
    if bad.any():
        raise error_at(bad, values, _REMEDY, "rankings", names)
    return Profile(ranks, check_weights(weights, len(ranks), name="weights", rows="rankings"))


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
    if (rankings is None) == (counts is None):
        raise ValueError("give either rankings or counts, and not both")
    if counts is None:
        return Votes(read_profile(rankings, weights, n_extensions, random_state), None)
    if weights is not None:
        raise ValueError("weights are those of rankings; multiply counts by them instead")
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
    shape = target_matrix(counts, name, None, "item").shape
    if shape[0] != shape[1]:
        raise ValueError(f"{name} must have shape (k, k), got {shape}; {remedy}")
    ordered = rows_in_order(columns_in_order(counts, names, name, ""), names, name, "those of its columns")
    values = as_numbers(target_matrix(ordered, name, None, "item"), name, remedy, names)
    before = np.array(values, dtype=np.float64, order="C")
    np.fill_diagonal(before, 0.0)
    bad = ~((before >= 0) & (before <= 1e280))  # sums of larger ones may overflow
    if bad.any():
        raise error_at(bad, before, remedy, name, names)
    return before
