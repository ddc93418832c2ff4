"""Preferences as the edges of graphs, which losses of label ranking divide into subgraphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._data.targets import as_numbers, target_matrix
from .._lib.arrays import FloatArray, require_memory
from .._lib.names import SUBGRAPHS
from ._preferences import Preferences, pairs_of_labels

#: Ways of dividing the preferences of a row: each on its own, those for each label over others, all together.
DECOMPOSITIONS = tuple(SUBGRAPHS)
_BYTES = 96  # of an edge, with what training makes of it


class Edges(NamedTuple):
    """The preferences of n rows one by one, those of a subgraph side by side.

    Attributes
    ----------
    row, winner, loser : ndarray of shape (m,), int
        Row number, the label preferred, and the other.
    starts : ndarray of shape (g,), int
        Where each subgraph begins.
    sizes : ndarray of shape (g,), int
    weights : ndarray of shape (g,)
        Weights of the subgraphs: the row's weight over the number of its subgraphs.
    """

    row: NDArray[np.intp]
    winner: NDArray[np.intp]
    loser: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    weights: FloatArray


def edges_of(preferences: Preferences, weights: FloatArray | None, decomposition: str) -> Edges:
    """Return the edges of all rows with the subgraphs of a decomposition; some row must have an edge."""
    m = int(np.count_nonzero(preferences.signs))
    require_memory(_BYTES * m, f"{m} preferences of {len(preferences)} rows", "train on fewer rows")
    row, pair = np.nonzero(preferences.signs)
    u, v = pairs_of_labels(preferences.n_labels)
    first = preferences.signs[row, pair] > 0
    winner, loser = np.where(first, u[pair], v[pair]), np.where(first, v[pair], u[pair])
    if decomposition == "stars":
        by_star = np.argsort(row * preferences.n_labels + winner, kind="stable")
        row, winner, loser = row[by_star], winner[by_star], loser[by_star]
    new = np.ones(m, dtype=bool)
    if decomposition != "edges":
        new[1:] = row[1:] != row[:-1]
    if decomposition == "stars":
        new[1:] |= winner[1:] != winner[:-1]
    starts = np.flatnonzero(new)
    owner = row[starts]
    share = 1.0 / np.bincount(owner, minlength=len(preferences))[owner]
    return Edges(
        row, winner, loser, starts, np.diff(starts, append=m), share if weights is None else weights[owner] * share
    )


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
