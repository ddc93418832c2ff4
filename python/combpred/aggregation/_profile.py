"""Rankings to be aggregated: what users pass, checked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._data.checks import seed_of, whole_number
from .._data.forms import column_names, columns_in_order, refuse_graphs, refuse_names
from .._data.inputs import check_weights
from .._data.listings import rankings_of
from .._data.names import with_names
from .._data.relations import encode_relations
from .._data.targets import TargetError, as_numbers, summary, target_matrix, unknown_positions
from .._data.warn import warn_user
from .._lib.aggregate import Pairs, Profile, extended, pair_counts
from .._lib.arrays import FloatArray

_LARGEST = 1e290  # sum of weights: times any power of the number of items that occurs it is still finite
_REMEDY = "positions are finite numbers from 0 on, the smaller before the larger, or -1 (or NaN) where unknown"
_COUNTED = (
    "{name}[u, v] counts those with u before v: of a pair a row, pandas.crosstab(winner, loser).reindex(index=items, "
    "columns=items, fill_value=0) makes it"
)
_CLOSED = "as closure=True of structures.PartialOrders(…).from_adjacency and from_edges does"
_INTRANSITIVE = "kemeny and acyclic_majority also take the sum of relations that are not transitive, as counts"


def read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return the rankings that a user passed: positions ``(n, k)``, or relations ``(n, k, k)`` of partial orders."""
    if hasattr(rankings, "rankings"):
        raise TypeError("rankings are a whole election: pass ballots.rankings, with weights=ballots.weights")
    if isinstance(rankings, Mapping):
        raise TypeError("rankings are a dict: pass pandas.DataFrame(rankings), with a column for each item")
    names = column_names(rankings, "rankings")
    rankings = columns_in_order(rankings, names, "rankings", "")
    try:
        profile = _read_profile(rankings, weights, n_extensions, random_state)
    except TargetError as error:
        reason = with_names(error.reason, "item|column", None if names is None else tuple(names))
        raise TargetError(error.row, reason, error.argument) from None
    _warn_of_unranked(profile, names)
    return profile


def _warn_of_unranked(profile: Profile, names: Sequence[Hashable] | None) -> None:
    """Warn of items that no ranking compares with another one."""
    known = ~np.isnan(profile.ranks)
    known &= (known.sum(axis=1) > 1)[:, np.newaxis]
    unknown = np.flatnonzero(~known[slice(None) if profile.weights is None else profile.weights > 0].any(axis=0))
    if unknown.size:
        shown = summary([u if names is None else names[u] for u in unknown.tolist()])
        items, stand = ("item", "it stands") if unknown.size == 1 else ("items", "they stand")
        warn_user(
            f"no ranking compares {items} {shown} with another one: where {stand} is arbitrary, leave such items out",
            UserWarning,
        )


def _read_profile(rankings: Any, weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    refuse_graphs(rankings, "rankings", transitive=True)
    try:
        relations = np.ndim(rankings) == 3
    except ValueError:  # rows that differ in length are refused below
        relations = False
    if relations:
        return _extended(np.asarray(rankings), weights, n_extensions, random_state)
    try:
        values = as_numbers(target_matrix(rankings, "rankings", None, "item"), "rankings", _REMEDY)
    except ValueError:
        refuse_names(rankings, "rankings", rankings_of("items"))
        raise
    if values.dtype.kind == "b":
        raise ValueError(
            "rankings hold booleans, which are no positions: where True stands for what is approved, hence before the "
            "rest, pass numpy.where(rankings, 1, 2)"
        )
    if values.shape[1] < 2:
        raise ValueError(f"rankings must rank at least 2 items, got {values.shape[1]}")
    ranks = np.array(values, dtype=np.float64, order="C")
    ranks[unknown_positions(ranks, _REMEDY, "rankings", zero=True)] = np.nan
    return Profile(ranks, _weights(weights, len(ranks)))


def _extended(relations: NDArray[Any], weights: Any, n_extensions: Any, random_state: Any) -> Profile:
    """Return samples of the linear extensions of partial orders, which share the weight of theirs."""
    many = whole_number(n_extensions, "n_extensions", 2, 2**24)
    n, k = relations.shape[:2]
    if n == 0 or k < 2:
        raise ValueError(f"rankings must have at least 1 row and 2 items, got shape {relations.shape}")
    try:
        encode_relations(relations, k, "rankings", transitive=True)
    except TargetError as error:
        reason = error.reason.replace("or take partial tournaments, which need not be transitive", _CLOSED)
        raise TargetError(error.row, f"{reason}; {_INTRANSITIVE}", "rankings") from None
    before = relations.astype(np.bool_) & ~np.eye(k, dtype=np.bool_)
    return extended(before, _weights(weights, n), many, seed_of(random_state))


def _weights(weights: Any, n: int) -> FloatArray | None:
    checked = check_weights(weights, n, name="weights", rows="rankings")
    if checked is not None:
        _require_summable(checked, "weights")
    return checked


def _require_summable(values: FloatArray, name: str) -> None:
    """Raise ValueError where numbers, at least 0, leave no room for sums of their multiples."""
    if values.max() > _LARGEST / values.size:
        raise ValueError(f"{name} are up to {values.max():.3g}, so that sums of them may overflow: scale them down")


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
    return Votes(None, read_pairs(counts, "counts"))


def item_names(rankings: Any, counts: Any = None) -> list[str] | None:
    """Return the names of items that the columns of a data frame give, None if there are none."""
    return column_names(rankings if counts is None else counts, "rankings" if counts is None else "counts")


def rows_in_order(table: Any, names: Sequence[Hashable] | None, argument: str, of: str) -> Any:
    """Return a table with its rows in the order of `names`, if it is a data frame of pandas whose index has them."""
    framed = hasattr(table, "columns") and hasattr(table, "index")
    return columns_in_order(table.T, names, argument, of, "rows").T if framed else table


def _require_square(shape: tuple[int, ...], name: str) -> None:
    if shape[0] != shape[1] or shape[0] < 2:
        raise ValueError(
            f"{name} must have shape (k, k) with k at least 2, {name}[u, v] counting those with u before v; got "
            f"{shape}: rankings, a row each, are taken by kemeny, borda and plackett_luce"
        )


def read_pairs(counts: Any, name: str) -> Pairs:
    """Return the weights of those with u before v, at [u, v], that a user passed as an argument."""
    names = column_names(counts, name)
    refuse_names(counts, name, _COUNTED.format(name=name))
    if hasattr(counts, "index") and names is not None and set(counts.index).isdisjoint(names):  # rows of something else
        _require_square(counts.shape, name)
    counts = rows_in_order(columns_in_order(counts, names, name, ""), names, name, "those of its columns")
    values = as_numbers(target_matrix(counts, name, None, "item"), name, f"{name} are finite numbers, at least 0")
    before = np.array(values, dtype=np.float64, order="C")
    _require_square(before.shape, name)
    np.fill_diagonal(before, 0.0)
    bad = ~(np.isfinite(before) & (before >= 0))
    if bad.any():
        u, v = (int(i) for i in np.argwhere(bad)[0])
        at = f"{u}, {v}" if names is None else f"{names[u]!r}, {names[v]!r}"
        raise ValueError(f"{name}[{at}] is {before[u, v]}; {name} must be finite and at least 0")
    _require_summable(before, name)
    return Pairs(before)
