"""The visits of stochastic gradient descent: which rows, how often, and with which weight."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _lib

FloatArray = NDArray[np.float64]

_SEED = 0x5EED  # of the hash, which decides in which order the rows are shuffled
_MOST_VISITS = 10  # of a row in one pass, on average


class Visited(NamedTuple):
    """The visits of one pass.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The row of each visit.
    targets : Targets
        Of all rows, with the weight of one visit.
    """

    rows: NDArray[np.intp]
    targets: _lib.Targets


def visited_rows(X: Any, targets: _lib.Targets, *, sort: bool) -> Visited:
    """Return the visits to rows of positive weight.

    A row of weight w is visited ⌈w⌉ times with a weight of w/⌈w⌉: large weights would otherwise force small steps on
    all rows, and a weight of 2 is a row that comes twice. Where that makes more than ten visits for each row, on
    average, weights are taken in a larger unit.

    Parameters
    ----------
    X : array or CSR of shape (n, p)
    targets : Targets
        Of the n rows.
    sort : bool
        Whether the visits come in an order that depends on the contents of rows alone, to be shuffled: the same rows in
        another order then are the same training data in every digit but those that rounding changes.
    """
    n = targets.n
    order = np.arange(n)
    if sort:
        order = np.argsort(_hashes(X) + np.uint64(3) * _output_hashes(targets), kind="stable")
    if targets.weights is None:
        return Visited(order, targets)
    weights = targets.weights
    visits = np.ceil(weights)
    if visits.sum() > _MOST_VISITS * n:
        visits = np.ceil(weights / (weights.sum() / (_MOST_VISITS * n)))
    share = np.divide(weights, visits, out=np.zeros(n), where=visits > 0)
    return Visited(order.repeat(visits[order].astype(np.intp)), _lib.Targets(targets.psi, share, targets.first))


def _output_hashes(targets: _lib.Targets) -> NDArray[np.uint64]:
    codes = _hashes(targets.psi)
    return codes if targets.first is None else np.add.reduceat(codes, targets.first[:-1])


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
