"""What the rows of y say about pairs of labels, whichever format they come in."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._data.relations import encode_relations
from .._data.targets import TargetError, as_array, as_numbers, numbered_positions, refuse_entries, target_matrix
from .._lib.arrays import FloatArray
from .._lib.call import computed
from .._lib.rankings import Examples

#: Formats beside full rankings, and what an error calls a row of them.
PREFERENCE_FORMATS = {"incomplete": "an unknown position", "ties": "a tie", "graphs": "a preference graph"}
#: A preference: the label that is preferred, and the other one.
Edge = tuple[int, int]

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
        whole = self if self.rows is not None else replace(self, rows=np.arange(len(self)))
        held: dict[str, Any] = {name: getattr(whole, name) for name in ("signs", "ranks", "rows", "gaps")}
        return replace(whole, **{name: array[rows] for name, array in held.items() if array is not None})

    def refuse(self, formats: Collection[str], learner: object) -> None:
        """Raise TargetError for the first row in one of the `PREFERENCE_FORMATS` that a learner does not take."""
        if self.ranks is None:
            found = {"graphs": np.ones(len(self), dtype=np.bool_)}
        else:
            known = np.count_nonzero(self.ranks, axis=1)
            found = {"incomplete": known < self.n_labels, "ties": self.ranks.max(axis=1) < known}
        for form, rows in found.items():
            if form in formats and rows.any():
                said = f"found {PREFERENCE_FORMATS[form]}, from which {learner!r} does not learn"
                raise TargetError(int(np.argmax(rows)), said)

    def states_something(self, weights: FloatArray | None) -> NDArray[np.bool_]:
        """Return which rows of positive weight prefer some label to another one; ValueError if none does."""
        rows: NDArray[np.bool_] = self.signs.any(axis=1) & (True if weights is None else weights > 0)
        if not rows.any():
            raise ValueError("y: no row of positive weight prefers a label to another one")
        return rows


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
    given = as_array(y, "y")
    if given.ndim == 3:
        return Preferences(encode_relations(given, items=n_labels).astype(np.int8), None, given.shape[1])
    positions, unwanted = numbered_positions(given, "y", n_labels, names, noun="label"), {} if gaps else {"gaps": None}
    ranks, signs, *apart = computed("cp_labelrank_read", positions, **unwanted)
    return Preferences(signs, ranks, given.shape[1], gaps=apart[0] if gaps else None)


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
    values = as_numbers(target_matrix(y, "y", n_labels, "label"), "y", _FEEDBACK, names).astype(np.float64)
    refuse_entries(np.isinf(values), values, _FEEDBACK, names=names)
    unknown = np.isnan(values)  # which rankdata of SciPy 1.10 cannot omit
    ranks = rankdata(np.where(unknown, np.inf, -values), method="dense", axis=1)
    dense, signs = computed("cp_labelrank_read", np.where(unknown, -1.0, ranks), gaps=None)
    u, v = np.triu_indices(values.shape[1], 1)
    apart = np.abs(values[:, u] - values[:, v])
    return Preferences(signs, dense, values.shape[1], gaps=np.where(np.isnan(apart), 1.0, apart))


def examples_of(
    preferences: Preferences, weights: FloatArray | None, decomposition: str | Callable[[list[Edge]], Any]
) -> Examples:
    """Return preferences as the library takes them, divided into subgraphs by name or by the user's function.

    Raises
    ------
    TargetError
        If the function gives subgraphs that are no lists of pairs of integers; names the row of y.
    """
    own = decomposition if isinstance(decomposition, str) else _subgraphs(preferences, decomposition)
    return Examples(preferences.signs, preferences.gaps, weights, preferences.n_labels, own)


def _subgraphs(preferences: Preferences, decompose: Callable[[list[Edge]], Any]) -> dict[str, Any]:
    """Return the subgraphs of a user's function as fields of ``cp_preferences``."""
    u, v = np.triu_indices(preferences.n_labels, 1)
    rows, edges, ends = [0], [0], []
    for i, signs in enumerate(preferences.signs):
        stated = [(int(a), int(b)) for a, b in zip(u[signs > 0], v[signs > 0], strict=True)]
        stated += [(int(b), int(a)) for a, b in zip(u[signs < 0], v[signs < 0], strict=True)]
        found = decompose(sorted(stated)) if stated else ()
        try:
            for part in found:
                ends += [(operator.index(winner), operator.index(loser)) for winner, loser in part]
                edges.append(len(ends))
        except (TypeError, ValueError) as error:
            said = f"decomposition must return a list of lists of pairs of labels, not {found!r:.80}"
            raise TargetError(i, said) from error
        rows.append(len(edges) - 1)
    return {
        "own_rows": np.array(rows, np.int64), "n_own": len(edges) - 1, "own_edges": np.array(edges, np.int64),
        "own_ends": np.array(ends, np.int32).reshape(-1, 2),
    }  # fmt: skip
