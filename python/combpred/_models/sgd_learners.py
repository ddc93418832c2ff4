"""The learners of stochastic gradient descent: weights of features, and expansions over rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._lib.memory import row_blocks
from .._lib.ridge import Design, Targets
from .._lib.sgd import Coefficients, Steps, Visits, ridge_losses, sgd_expansion, sgd_features
from .._lib.structure import Description
from ..kernels import InputKernel

FloatArray = NDArray[np.float64]

_SEED = 0x5EED  # of the hash, which decides in which order the rows are shuffled
_MOST_VISITS = 10  # of a row in one pass, on average

Rows = NDArray[np.intp]

_EXPANSION_CHUNK = 128  # rows: a step's own work grows with it, and there are as many calls as chunks
_FEATURE_CHUNK = 8192
_CHUNK_ENTRIES = 2**20  # of rows times coefficients of one output: a chunk takes well under a second
_CACHED_BYTES = 2**28  # largest kernel matrix that is kept from pass to pass
_DIAGONAL_BLOCK = 32


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
    targets: Targets


def visited_rows(X: Any, targets: Targets, *, sort: bool) -> Visited:
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
    return Visited(order.repeat(visits[order].astype(np.intp)), Targets(targets.psi, share, targets.first))


def _output_hashes(targets: Targets) -> NDArray[np.uint64]:
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


@dataclass(frozen=True)
class Objective:
    """The training problem, as the library's calls take it.

    Attributes
    ----------
    description : Description
    targets : Targets
        Of all rows, with their weights.
    visits : Targets
        The same, with the weights of one visit.
    options : dict
    n_threads : int
    """

    description: Description
    targets: Targets
    visits: Targets
    options: dict[str, Any]
    n_threads: int

    @property
    def alpha(self) -> float:
        """The penalty."""
        return float(self.options["alpha"])

    @property
    def shift(self) -> float:
        """What is added to kernel values."""
        return float(self.options["shift"])

    def losses(self, rows: Rows, scores: FloatArray) -> float:
        """Return the sum of the weighted losses of some rows at their scores."""
        targets = self.targets.take(rows)
        return float(ridge_losses(self.description, self.options, scores, targets, n_threads=self.n_threads).sum())


@dataclass(frozen=True)
class DescentState:
    """Where the descent stands. It is never changed in place, so that an interrupted chunk leaves it as it was.

    Attributes
    ----------
    coefficients : Coefficients
        One row for each kept row, or for each input feature, the constant one last.
    kept : ndarray of shape (k,), or None
        Numbers of the kept rows, those visited last at the end; None for input features.
    n_steps : int
        Steps that step sizes and averages count.
    n_rows : int
        Rows that the penalty is weighed against.
    curvature : float
        The largest curvature of the loss of a row seen so far.
    n_pieces : int
        Calls of `partial_fit` so far.
    """

    coefficients: Coefficients
    kept: Rows | None
    n_steps: int = 0
    n_rows: int = 0
    curvature: float = 0.0
    n_pieces: int = 0


class Learner(Protocol):
    """What visits rows."""

    def diagonal(self, rows: Rows) -> FloatArray:
        """Return the kernel value of each row with itself."""

    def chunks(self, order: Rows) -> Iterator[Rows]:
        """Cut an order of visits into chunks."""

    def visit(self, state: DescentState, rows: Rows, m: float, p: float, t0: float) -> tuple[DescentState, float]:
        """Take a step on each row; return the new state and the sum of the losses before the steps."""

    def objective(self, state: DescentState, rows: Rows) -> float:
        """Return the value of the objective on some rows, which include those that are kept."""


class FeatureLearner:
    """Descent in the weights of input features, (p, d), with that of a constant one where there is an intercept."""

    def __init__(self, X: Any, objective: Objective) -> None:
        self._X, self._objective = X, objective
        self._intercept = objective.shift != 0.0

    @property
    def n_weights(self) -> int:
        """Number of rows of the coefficients."""
        return int(self._X.shape[1]) + int(self._intercept)

    def diagonal(self, rows: Rows) -> FloatArray:
        """Return the squared norm of each row, the constant feature included."""
        X = self._X[rows]
        squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
        return np.asarray(squares, dtype=np.float64).ravel() + self._objective.shift

    def chunks(self, order: Rows) -> Iterator[Rows]:
        """Cut an order of visits into chunks of bounded work."""
        X, d = self._X, self._objective.targets.d
        width = (X.nnz // max(X.shape[0], 1) + 1) if sparse.issparse(X) else X.shape[1]
        step = max(16, min(_FEATURE_CHUNK, 16 * _CHUNK_ENTRIES // max((width + d) * d, 1)))
        return (order[at : at + step] for at in range(0, len(order), step))

    def visit(self, state: DescentState, rows: Rows, m: float, p: float, t0: float) -> tuple[DescentState, float]:
        """Take a step on each row."""
        objective, coefficients = self._objective, state.coefficients.copy()
        loss = sgd_features(
            objective.description, objective.options,
            Design(self._X[rows], intercept=self._intercept), objective.visits.take(rows),
            Steps(m, p, t0, state.n_steps), coefficients, n_threads=objective.n_threads,
        )  # fmt: skip
        return replace(state, coefficients=coefficients, n_steps=state.n_steps + len(rows)), loss

    def objective(self, state: DescentState, rows: Rows) -> float:
        """Return the value of the objective on some rows."""
        weights = state.coefficients.model
        value = self._objective.alpha * float(np.vdot(weights, weights))
        p = self._X.shape[1]
        for block in row_blocks(len(rows), weights.shape[1]):
            scores = np.asarray(self._X[rows[block]] @ weights[:p])
            if self._intercept:
                scores += weights[p]
            value += self._objective.losses(rows[block], scores)
        return value


class ExpansionLearner:
    """Descent in coefficients of kept rows, of which the last `truncation` are kept, or all for None.

    Parameters
    ----------
    X : array or CSR of shape (n, p), or (n, n) for a precomputed kernel
        Rows that are or may be kept.
    kernel : InputKernel
    objective : Objective
        Of the rows.
    truncation : int or None
    cache : bool
        Whether to compute the kernel matrix once, where it is of moderate size: for several passes over the rows.
    first : int, default=0
        Number of the first row that the objective counts; those before it are only kept.
    """

    def __init__(
        self, X: Any, kernel: InputKernel, objective: Objective, *, truncation: int | None, cache: bool, first: int = 0
    ) -> None:
        self._X, self._kernel, self._objective, self._truncation = X, kernel, objective, truncation
        self._first = first
        n = X.shape[0]
        self._matrix: FloatArray | None = X if kernel.is_precomputed else None
        if self._matrix is None and cache and truncation is None and 8 * n * n <= _CACHED_BYTES:
            self._matrix = kernel.matrix(X)

    def values(self, rows: Rows, columns: Rows) -> FloatArray:
        """Return kernel values, (len(rows), len(columns))."""
        if self._matrix is None:
            return self._kernel.matrix(self._X[rows], self._X[columns])
        if len(columns) == len(self._matrix) and np.array_equal(columns, np.arange(len(columns))):
            return np.ascontiguousarray(self._matrix[rows])
        return np.ascontiguousarray(self._matrix[np.ix_(rows, columns)])

    def diagonal(self, rows: Rows) -> FloatArray:
        """Return the kernel value of each row with itself."""
        if self._kernel.is_unit:
            return np.full(len(rows), 1.0 + self._objective.shift)
        found = np.empty(len(rows))
        step = 1 if callable(self._kernel.name) else _DIAGONAL_BLOCK
        for at in range(0, len(rows), step):
            block = rows[at : at + step]
            found[at : at + step] = np.diagonal(self.values(block, block))
        return found + self._objective.shift

    def chunks(self, order: Rows) -> Iterator[Rows]:
        """Cut an order of visits into chunks of bounded work."""
        d = self._objective.targets.d
        most = self._X.shape[0] if self._truncation is None else self._truncation
        step = max(16, min(_EXPANSION_CHUNK, 64 * _CHUNK_ENTRIES // max((most + d) * d, 1)))
        return (order[at : at + step] for at in range(0, len(order), step))

    def visit(self, state: DescentState, rows: Rows, m: float, p: float, t0: float) -> tuple[DescentState, float]:
        """Take a step on each row, which is kept from then on until it has become too old."""
        assert state.kept is not None
        slots, at, drop, left = self._slots(state.kept, rows)
        coefficients = state.coefficients.rows(np.arange(len(state.kept)), len(slots) - len(state.kept))
        coefficients = replace(coefficients, gains=None if coefficients.gains is None else coefficients.gains.copy())
        objective = self._objective
        loss = sgd_expansion(
            objective.description, objective.options, Visits(self.values(rows, slots), at, drop),
            objective.visits.take(rows - self._first), Steps(m, p, t0, state.n_steps), coefficients,
            n_threads=objective.n_threads,
        )  # fmt: skip
        if self._truncation is not None:
            slots, coefficients = slots[left], coefficients.rows(left)
        return replace(state, coefficients=coefficients, kept=slots, n_steps=state.n_steps + len(rows)), loss

    def _slots(self, kept: Rows, rows: Rows) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
        """Return the rows of slots, the slots visited and dropped, and those left in the end, the oldest first."""
        slot_of = OrderedDict((row, slot) for slot, row in enumerate(kept.tolist()))
        slots, n = kept.tolist(), len(rows)
        at, drop = np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        known = dict(slot_of)
        for step, row in enumerate(rows.tolist()):
            slot = known.get(row)
            if slot is None:
                slot = known[row] = len(slots)
                slots.append(row)
            slot_of[row] = at[step] = slot
            slot_of.move_to_end(row)
            if self._truncation is not None and len(slot_of) > self._truncation:
                drop[step] = slot_of.popitem(last=False)[1]
        return np.array(slots, dtype=np.intp), at, drop, np.fromiter(slot_of.values(), dtype=np.intp)

    def objective(self, state: DescentState, rows: Rows) -> float:
        """Return the value of the objective on some rows."""
        assert state.kept is not None
        dual = state.coefficients.model
        slot = {row: at for at, row in enumerate(state.kept.tolist())}
        constant, value = self._objective.shift * dual.sum(axis=0), 0.0
        for block in row_blocks(len(rows), max(len(dual), dual.shape[1])):
            scores = self.values(rows[block], state.kept) @ dual
            scores += constant
            value += self._objective.losses(rows[block], scores)
            found = np.array([slot.get(row, -1) for row in rows[block].tolist()], dtype=np.intp)
            here = found >= 0
            value += self._objective.alpha * float(np.vdot(dual[found[here]], scores[here]))
        return value
