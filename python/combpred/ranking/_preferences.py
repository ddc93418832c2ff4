"""What the rows of y say about pairs of labels, whichever format they come in."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._data.relations import encode_relations, items_shown
from .._data.targets import TargetError, as_array, as_numbers, error_at, target_matrix
from .._lib.arrays import FloatArray
from .._lib.labelrank import Examples, read_positions

#: Formats beside full rankings, which every learner takes, and what an error calls a row of them.
PREFERENCE_FORMATS = {
    "incomplete": "rankings with unknown positions",
    "ties": "rankings with ties",
    "graphs": "preference graphs",
}
#: A preference: the label that is preferred, and the other one.
Edge = tuple[int, int]

_POSITIONS = "positions are numbers above 0, compared by their order, 1 for the first, and -1 (or NaN) where unknown"
_FEEDBACK = "feedback is a finite number, larger for better labels, and NaN where unknown"


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

    def uncompared(self) -> NDArray[np.intp]:
        """Return the labels that no row prefers to another one, or another one to."""
        u, v = np.triu_indices(self.n_labels, 1)
        seen = self.signs.any(axis=0)
        return np.setdiff1d(np.arange(self.n_labels), np.concatenate([u[seen], v[seen]]))

    def of_form(self, form: str, row: int, names: Sequence[Any] | None) -> str:
        """Return what makes a row one of a format, calling labels by their names, or numbers where these are None."""
        if self.ranks is None:
            return "found a preference graph"
        ranks, called = self.ranks[row], range(self.n_labels) if names is None else names
        if form == "incomplete":
            return f"the position of label {called[int(np.argmin(ranks))]!r} is unknown"
        tied = int(np.argmax(np.bincount(ranks)[1:] > 1)) + 1
        u, v = np.flatnonzero(ranks == tied)[:2].tolist()
        return f"labels {called[u]!r} and {called[v]!r} are tied"


def read_preferences(
    y: Any, n_labels: int | None = None, *, names: Sequence[Any] | None = None, gaps: bool = False
) -> Preferences:
    """Return what y says about pairs of labels.

    Parameters
    ----------
    y : array-like of shape (n, k) or (n, k, k)
        Positions of the labels: numbers above 0, of which only the order counts, smaller ones first. Equal positions
        are ties; −1, NaN and NA are unknown. Or booleans: ``y[i, u, v]`` says that row i prefers label u to label v.
        The relation need not be transitive, nor cover every pair.
    n_labels : int or None, default=None
        The number k of labels, at least 2, if it is known.
    names : sequence or None, default=None
        Names of the labels for messages; None for numbers.
    gaps : bool, default=False
        Whether to keep the differences between positions, too.

    Returns
    -------
    Preferences

    Raises
    ------
    ValueError
        For other shapes, for positions that are not numbers above 0, and for graphs that prefer a label to itself, or
        two labels to each other; names the row.
    MemoryError
        When the n k(k−1)/2 numbers do not fit, before they are allocated.
    """
    given = _array(y)
    if given.ndim == 3:
        k = items_shown(given, "graphs") if n_labels is None else n_labels
        return Preferences(encode_relations(given, k).astype(np.int8), None, k)
    values = _label_columns(given, n_labels, _POSITIONS, names)
    unknown = (values == -1) | np.isnan(values)
    bad = ~unknown & ~((values > 0) & (values < np.inf))
    if bad.any():
        raise error_at(bad, values, _POSITIONS, names=names)
    if not gaps and values.dtype.kind in "iu" and values.max() > 2**53:
        # Floats cannot tell such integers apart, but their ranks can.
        values = np.where(unknown, -1, np.unique(values, return_inverse=True)[1].reshape(values.shape) + 1)
    ranks, signs, apart = read_positions(values, gaps=gaps)
    return Preferences(signs, ranks, values.shape[1], gaps=apart)


def read_feedback(y: Any, n_labels: int | None = None, *, names: Sequence[Any] | None = None) -> Preferences:
    """Return what feedback vectors say about pairs of labels, and by how much.

    Parameters
    ----------
    y : array-like of shape (n, k)
        Finite numbers, larger for better labels; NaN or NA if unknown.
    n_labels, names
        As in `read_preferences`.

    Raises
    ------
    ValueError
        For other shapes, and for entries that are not finite numbers; names the row.
    MemoryError
        When the n k(k−1)/2 numbers do not fit, before they are allocated.
    """
    given = _array(y)
    if given.ndim == 3:
        raise ValueError("y holds preference graphs, which do not say by how much: margin='feedback' takes numbers")
    values = _label_columns(given, n_labels, _FEEDBACK, names).astype(np.float64)
    if np.isinf(values).any():
        raise error_at(np.isinf(values), values, _FEEDBACK, names=names)
    k, unknown = values.shape[1], np.isnan(values)
    ranks = rankdata(np.where(unknown, np.inf, -values), method="dense", axis=1)  # unknown labels come last
    dense, signs, _ = read_positions(np.where(unknown, -1, ranks))
    u, v = np.triu_indices(k, 1)
    apart = np.abs(values[:, u] - values[:, v])
    return Preferences(signs, dense, k, gaps=np.where(np.isnan(apart), 1.0, apart))


def _array(y: Any) -> NDArray[Any]:
    """Return y as an array; TargetError for the first row that is a graph, or differs in length from row 0."""
    rows = y if isinstance(y, (list, tuple)) else ()
    graph = next((i for i, row in enumerate(rows) if hasattr(row, "is_directed")), None)
    if graph is not None:  # NumPy would make a row of its nodes
        raise TargetError(graph, f"found {rows[graph]!s:.60}; pass its matrix, networkx.to_numpy_array(graph, labels)")
    try:
        return as_array(y, "y")
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in rows]
        row = next((i for i, length in enumerate(lengths) if length != lengths[0]), None)
        if row is None:
            raise
        raise TargetError(row, f"found {lengths[row]} entries, but {lengths[0]} in row 0; give one a label") from None


def _label_columns(
    values: NDArray[Any], n_labels: int | None, remedy: str, names: Sequence[Any] | None
) -> NDArray[Any]:
    """Return numbers with a column for each of two labels or more."""
    if names is not None and values.shape[1:] != (len(names),):  # of another table: the width is refused below
        names = None
    values = as_numbers(values if values.dtype.kind in "biuf" else values.astype(object), "y", remedy, names)
    k = target_matrix(values, "y", n_labels, "label").shape[1]
    if k < 2:
        raise ValueError(f"y has {k} column, it needs at least 2, one for each label that is ranked")
    return values


def examples_of(
    preferences: Preferences,
    weights: FloatArray | None,
    decomposition: str | Callable[[list[Edge]], Any],
    *,
    batch: bool = False,
) -> Examples:
    """Return preferences as the library takes them, divided into subgraphs by name or by the user's function.

    Raises
    ------
    TargetError
        Where the function gives subgraphs that are no lists of pairs of the row's; names the row of y.
    ValueError
        Where it gives none for all rows, unless they are a mini-batch of more.
    """
    own = decomposition if isinstance(decomposition, str) else _subgraphs(preferences, decomposition)
    if not (batch or isinstance(own, str) or len(own["own_ends"])) and preferences.signs.any():
        raise ValueError(
            "decomposition gives no subgraph of any row, so that nothing can be learnt: it returns lists of the pairs "
            "that it is given, one for each subgraph"
        )
    return Examples(preferences.signs, preferences.gaps, weights, preferences.n_labels, own)


def _subgraphs(preferences: Preferences, decompose: Callable[[list[Edge]], Any]) -> dict[str, Any]:
    """Return the subgraphs of a user's function as fields of ``cp_preferences``."""
    u, v = np.triu_indices(preferences.n_labels, 1)
    rows, edges, ends = [0], [0], []
    for i, signs in enumerate(preferences.signs):
        stated = [(int(a), int(b)) for a, b in zip(u[signs > 0], v[signs > 0], strict=True)]
        stated += [(int(b), int(a)) for a, b in zip(u[signs < 0], v[signs < 0], strict=True)]
        stated.sort()
        known = set(stated)
        for part in decompose(stated) if stated else ():
            try:
                pairs = [(operator.index(winner), operator.index(loser)) for winner, loser in part]
            except (TypeError, ValueError):
                raise _no_subgraph(i, f"gives the subgraph {part!r:.80}, which is no list of pairs") from None
            if not pairs:
                raise _no_subgraph(i, "gives a subgraph without preferences")
            if strange := [pair for pair in pairs if pair not in known]:
                raise _no_subgraph(i, f"gives {strange[0]}, which is no preference of the row")
            ends += pairs
            edges.append(len(ends))
        rows.append(len(edges) - 1)
    return {
        "own_rows": np.array(rows, np.int64), "n_own": len(edges) - 1, "own_edges": np.array(edges, np.int64),
        "own_ends": np.array(ends, np.int32).reshape(-1, 2),
    }  # fmt: skip


def _no_subgraph(row: int, reason: str) -> TargetError:
    return TargetError(row, f"decomposition {reason}; it returns lists of pairs (u, v) out of those it is given")
