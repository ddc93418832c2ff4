"""The rows that stochastic gradient descent visits: those of positive weight, equal ones as one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _lib

FloatArray = NDArray[np.float64]

_SEED = 0x5EED  # of the hash, which decides in which order the rows are shuffled


class VisitedRows(NamedTuple):
    """Rows to visit.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Their numbers.
    targets : Targets
        Of all rows, in which those that are visited have the weights of those that are equal to them, too.
    leader : ndarray of shape (n,)
        The row that stands for each.
    """

    rows: NDArray[np.intp]
    targets: _lib.Targets
    leader: NDArray[np.intp]


def visited_rows(X: Any, targets: _lib.Targets, *, merge: bool, sort: bool) -> VisitedRows:
    """Return the rows of positive weight.

    Parameters
    ----------
    X : array or CSR of shape (n, p)
    targets : Targets
        Of the n rows.
    merge : bool
        Whether rows that are equal in inputs and output are one row, the first, with the sum of their weights: the
        objective is the same, and a weight then equals repetition in every digit. Rows with sets of outputs never are.
    sort : bool
        Whether the rows that are merged come in an order that depends on their contents alone.
    """
    n = targets.n
    weights = np.ones(n) if targets.weights is None else targets.weights
    leader = np.arange(n)
    if not merge or targets.first is not None:
        return VisitedRows(np.flatnonzero(weights), targets, leader)
    codes = _hashes(X) + np.uint64(3) * _hashes(targets.psi)
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    for at in same:  # few: repeated rows, or as good as never a collision
        first, second = leader[order[at]], order[at + 1]
        if np.array_equal(targets.psi[first], targets.psi[second]) and _equal_inputs(X, first, second):
            leader[second] = first
    total = np.bincount(leader, weights=weights, minlength=n)
    rows = order if sort else np.arange(n)
    rows = rows[total[rows] > 0]
    return VisitedRows(rows, _lib.Targets(targets.psi, total), leader)


def _hashes(X: Any) -> NDArray[np.uint64]:
    """Return a hash of each row of an array or CSR, from the bits of its entries."""
    rng = np.random.default_rng(_SEED)
    factors = rng.integers(2**64, size=X.shape[1], dtype=np.uint64) | np.uint64(1)
    if not sparse.issparse(X):
        codes = np.zeros(X.shape[0], dtype=np.uint64)
        for j, factor in enumerate(factors):
            codes += _bits(X[:, j]) * factor
        return codes
    entries = _bits(X.data) * factors[X.indices]
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(entries, dtype=np.uint64)])
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])


def _bits(values: FloatArray) -> NDArray[np.uint64]:
    """Return the bits of numbers, mixed (0 to 0), as those of round numbers are zero at the end."""
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    bits = (bits ^ (bits >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray(bits ^ (bits >> np.uint64(29)))


def _equal_inputs(X: Any, first: int, second: int) -> bool:
    if sparse.issparse(X):
        return bool((X[[first]] != X[[second]]).nnz == 0)
    return bool(np.array_equal(X[first], X[second]))
