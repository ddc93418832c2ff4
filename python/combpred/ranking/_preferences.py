"""What the rows of y say about pairs of labels, whichever format they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._data.relations import encode_relations, items_shown
from .._data.targets import TargetError, as_numbers, target_matrix, unknown_positions
from .._lib.arrays import FloatArray, allocate

#: Formats beside full rankings, which every learner takes, and what an error calls a row of them.
PREFERENCE_FORMATS = {
    "incomplete": "rankings with unknown positions",
    "ties": "rankings with ties",
    "graphs": "preference graphs",
}
_REMEDY = "positions are numbers above 0, compared by their order, 1 for the first, and -1 (or NaN) where unknown"


@dataclass(frozen=True, eq=False)
class Preferences:
    """What n rows of y say about k labels.

    Parameters
    ----------
    signs : ndarray of shape (n, k(k-1)/2), dtype=int8
        For the pairs u < v in lexicographic order +1 where u is preferred to v, −1 where v is preferred to u, and 0
        where neither is stated: labels that are tied, or one of which has no known position.
    ranks : ndarray of shape (n, k), dtype=int32, or None
        Dense ranks of the labels, 1 for the first, equal ones tied, 0 where unknown; None for preference graphs.
    n_labels : int
        The number k of labels.
    rows : ndarray of shape (n,), int, or None
        The numbers in y of the rows that were selected from it; None where these are all.
    gaps : ndarray of shape (n, k(k-1)/2), dtype=float64, or None
        By how much the positions in y of the two labels of each pair differ, for a learner to which that matters.
    """

    signs: NDArray[np.int8]
    ranks: NDArray[np.int32] | None
    n_labels: int
    rows: NDArray[np.intp] | None = None
    gaps: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.signs)

    def of_rows(self, rows: NDArray[np.intp]) -> Preferences:
        """Return the preferences of some rows."""
        return Preferences(
            self.signs[rows],
            None if self.ranks is None else self.ranks[rows],
            self.n_labels,
            rows if self.rows is None else self.rows[rows],
            None if self.gaps is None else self.gaps[rows],
        )

    def is_of(self, form: str) -> NDArray[np.bool_]:
        """Return which rows are of a format of `PREFERENCE_FORMATS`; rankings may lack labels and have ties at once."""
        if self.ranks is None or form == "graphs":
            return np.full(len(self), self.ranks is None and form == "graphs")
        known = np.count_nonzero(self.ranks, axis=1)
        rows: NDArray[np.bool_] = known < self.n_labels if form == "incomplete" else self.ranks.max(axis=1) < known
        return rows


def read_preferences(y: Any, n_labels: int | None = None, argument: str = "y") -> Preferences:
    """Return what y says about pairs of labels.

    Parameters
    ----------
    y : array-like of shape (n, k) or (n, k, k)
        Positions of the labels, numbers above 0 that are compared by their order, the first label having the smallest;
        equal ones are ties, and −1, NaN or NA is an unknown position. Or booleans, ``y[i, u, v]`` saying that row i
        prefers label u to label v; the relation need not be transitive, nor tell about every pair.
    n_labels : int or None, default=None
        The number k of labels, at least 2, where it is known.
    argument : str, default="y"
        Name of y in errors.

    Returns
    -------
    Preferences

    Raises
    ------
    ValueError
        For other shapes, for positions that are no numbers above 0, and for graphs in which a label is preferred to
        itself, or two labels to one another; names the row.
    MemoryError
        When the n k(k−1)/2 numbers do not fit, before they are allocated.
    """
    if _is_graphs(y):
        return _from_graphs(y, n_labels)
    ranks = _dense_ranks(target_matrix(y, argument, n_labels, "label"), argument)
    k = ranks.shape[1]
    _require_two(k, argument)
    what, remedy = f"the preferences of {len(ranks)} rows over {k} labels", "train on fewer rows"
    signs: NDArray[np.int8] = allocate((len(ranks), k * (k - 1) // 2), np.int8, what, remedy)
    start = 0
    for u in range(k - 1):
        first, others = ranks[:, u : u + 1], ranks[:, u + 1 :]
        signs[:, start : start + k - 1 - u] = _compared(first, others)
        start += k - 1 - u
    return Preferences(signs, ranks, k)


def pairs_of_labels(n_labels: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return u and v of all pairs u < v of labels in lexicographic order."""
    u, v = np.triu_indices(n_labels, 1)
    return u, v


def summed_by_label(votes: NDArray[np.float64] | NDArray[np.int8], n_labels: int) -> NDArray[np.float64]:
    """Return for each label the sum of votes for it, where ``votes[i, p]`` goes to u and its negative to v of pair p.

    Takes ``(n, k(k-1)/2)`` and returns ``(n, k)``; of the signs of a ranking it is k + 1 − 2 times the positions, the
    Borda score centred.
    """
    total = np.zeros((len(votes), n_labels))
    start = 0
    for u in range(n_labels - 1):
        against = votes[:, start : start + n_labels - 1 - u]
        total[:, u] += against.sum(axis=1)
        total[:, u + 1 :] -= against
        start += n_labels - 1 - u
    return total


def require_format(preferences: Preferences, form: str, message: Callable[[], str], argument: str = "y") -> None:
    """Raise ValueError naming the first row of a format that is not taken; `message` says which learners take it."""
    rows = preferences.is_of(form)
    if not rows.any():
        return
    row = int(np.argmax(rows))
    raise TargetError(row, f"{_found(preferences, form, row)}; {message()}", argument)


def _found(preferences: Preferences, form: str, row: int) -> str:
    if preferences.ranks is None:
        return "found a preference graph"
    ranks = preferences.ranks[row]
    if form == "incomplete":
        return f"the position of label {int(np.argmin(ranks))} is unknown"
    tied = int(np.argmax(np.bincount(ranks)[1:] > 1)) + 1
    u, v = np.flatnonzero(ranks == tied)[:2]
    return f"labels {u} and {v} are tied"


def _compared(first: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int8]:
    """Return 1 where the rank of the first label is the smaller, −1 where it is the larger, 0 if equal or unknown."""
    sign: NDArray[np.int8] = (first < others).view(np.int8) - (first > others).view(np.int8)
    sign *= ((first > 0) & (others > 0)).view(np.int8)
    return sign


def _dense_ranks(values: NDArray[Any], argument: str) -> NDArray[np.int32]:
    """Return the dense ranks of each row's known positions, 0 where they are unknown."""
    values = as_numbers(values, argument, _REMEDY)
    missing = unknown_positions(values, _REMEDY + _likely_cause(values), argument)
    # Behind all others, unknown positions do not change the ranks of the known ones.
    filled = np.where(missing, np.inf, values) if missing.any() else values
    ranks = np.ascontiguousarray(rankdata(filled, method="dense", axis=1), dtype=np.int32)
    ranks[missing] = 0
    return ranks


def _likely_cause(values: NDArray[Any]) -> str:
    """Say what may have been meant where positions are not above 0."""
    if not (values >= 0).all():
        return ""
    return (
        "; where positions count from 0, add 1, and where rows list labels from best to worst, convert them by "
        "structures.Permutations.from_orders"
    )


def _is_graphs(y: Any) -> bool:
    try:
        return np.ndim(y) == 3
    except ValueError:  # rows of different lengths, which reading the other format reports
        return False


def _from_graphs(y: Any, n_labels: int | None) -> Preferences:
    k = items_shown(y, "graphs") if n_labels is None else n_labels
    return Preferences(encode_relations(y, k).astype(np.int8), None, k)


def _require_two(k: int, argument: str) -> None:
    if k < 2:
        raise ValueError(f"{argument} has {k} column, it needs at least 2, one for each label that is ranked")


def position_gaps(y: Any, rows: NDArray[np.intp] | None, n_labels: int) -> FloatArray:
    """Return for some rows of y by how much the positions of the labels of each pair differ, without a sign.

    Parameters
    ----------
    y : array-like of shape (n, k)
        Positions, checked before.
    rows : ndarray or None
        Row numbers; None for all.
    n_labels : int

    Returns
    -------
    ndarray of shape (n, k(k-1)/2), float64
        Pairs in lexicographic order; 1 where a position is unknown.
    """
    values = as_numbers(target_matrix(y, "y", n_labels, "label"), "y", "positions are numbers above 0")
    positions = np.asarray(values if rows is None else values[rows], dtype=np.float64)
    u, v = pairs_of_labels(n_labels)
    known = (positions > 0)[:, u] & (positions > 0)[:, v]  # neither −1 nor NaN
    return np.where(known, np.abs(positions[:, u] - positions[:, v]), 1.0)
