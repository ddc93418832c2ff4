"""Stochastic gradient descent: visits of rows, what learns from them, step sizes, and passes until little is gained."""

from __future__ import annotations

import math
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._data.inputs import require_short_rows
from .._lib.arrays import CountArray, FloatArray, IndexArray, require_memory, row_blocks
from .._lib.errors import renumbered
from .._lib.ridge import Design, Targets, rows_order
from .._lib.sgd import Coefficients, Steps, Visits, ridge_curvatures, ridge_losses, sgd_expansion
from .._lib.structure import Description
from ..kernels import InputKernel

_MOST_VISITS = 10  # of a row in one pass, on average


_EXPANSION_BATCH = 128  # rows: a step's own work grows with it, and there are as many calls as batches
_BATCH_ENTRIES = 2**20  # of rows times coefficients of one output: a batch takes well under a second
_CACHED_BYTES = 2**28  # largest kernel matrix that is kept from pass to pass
_DIAGONAL_BLOCK = 32

_PLATEAU = 1000.0  # rows before the steps of a stream of rows begin to fall
_PATIENCE = 5  # passes in a row that gain little before the descent stops, as in scikit-learn's SGD


class Visited(NamedTuple):
    """The visits of one pass.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The row of each visit.
    targets : Targets
        Of all rows, with the weight of one visit.
    """

    rows: IndexArray
    targets: Targets


def visited_rows(X: Any, targets: Targets, *, sort: bool, n_threads: int) -> Visited:
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
    n_threads : int
    """
    n = targets.n
    order = np.arange(n)
    if sort:
        order = rows_order(Design(X), targets, n_threads)
    if targets.weights is None:
        return Visited(order, targets)
    weights = targets.weights
    visits = np.ceil(weights)
    if visits.sum() > _MOST_VISITS * n:
        visits = np.ceil(weights / (weights.sum() / (_MOST_VISITS * n)))
    share = np.divide(weights, visits, out=np.zeros(n), where=visits > 0)
    return Visited(order.repeat(visits[order].astype(np.intp)), Targets(targets.psi, share, targets.first))


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

    def curvature(self, rows: IndexArray, diagonal: FloatArray) -> float:
        """Return the largest curvature of the loss of a row, as a function of f, from kernel values k(x, x)."""
        bounds = ridge_curvatures(self.description, self.options, self.visits.take(rows), n_threads=self.n_threads)
        return float((bounds * diagonal).max())

    def losses(self, rows: IndexArray, scores: FloatArray) -> float:
        """Return the sum of the weighted losses of some rows at their scores."""
        targets = self.targets.take(rows)
        return float(ridge_losses(self.description, self.options, scores, targets, n_threads=self.n_threads).sum())


@dataclass(frozen=True)
class DescentState:
    """State of the descent. It is never changed in place, so that an interrupted batch leaves it as it was.

    Attributes
    ----------
    coefficients : Coefficients
        One row for each row of the support, or for each input feature, the constant one last.
    kept : ndarray of shape (k,), or None
        Numbers of the rows of the support, those visited last at the end; None for input features.
    n_steps : int
        Steps that step sizes and averages count.
    n_rows : int
        Rows that the penalty is weighed against.
    curvature : float
        The largest curvature of the loss of a row seen so far.
    n_mini_batches : int
        Calls of `partial_fit` so far.
    parameters : mapping
        Those of the estimator on which the coefficients depend: others would make another function of them.
    """

    coefficients: Coefficients
    kept: IndexArray | None
    n_steps: int = 0
    n_rows: int = 0
    curvature: float = 0.0
    n_mini_batches: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def spread(self, n: int) -> DescentState:
        """Return the state with a row of coefficients for each of n rows, in their order, zero where none is kept."""
        assert self.kept is not None
        old = self.coefficients
        iterate, average, velocity = (_spread(each, self.kept, n) for each in (old.iterate, old.average, old.velocity))
        assert iterate is not None
        return replace(self, coefficients=Coefficients(iterate, average, velocity, old.gains), kept=np.arange(n))


def _spread(array: FloatArray | None, at: IndexArray, n: int) -> FloatArray | None:
    if array is None:
        return None
    out = np.zeros((n, array.shape[1]))
    out[at] = array
    return out


@dataclass(frozen=True)
class StepSizes:
    """Step sizes η = p·m / (alpha (t + t0)).

    Attributes
    ----------
    m, p, t0 : float
    """

    m: float
    p: float
    t0: float

    @classmethod
    def of(cls, alpha: float, m: int, eta0: float, curvature: float, seen: int = 0) -> StepSizes:
        r"""Return the sizes of the next steps.

        No step may expand: with curvature the largest :math:`w_i k(x_i, x_i) (\sigma_{max} + \|\tilde\psi_i\|^2)`, the
        operator of the step on row i is the identity less a positive one of norm η times that at most. t0 bounds η by
        the inverse, and the factor by which a step shrinks from below by one half. Rows that come as a stream, after
        `seen` others, are weighed against ever less penalty, and :math:`p m/\alpha(t + t_0)` would not fall: then the
        bound does, as the square root of their number.
        """
        stable = eta0 * m * curvature / alpha * float(np.sqrt(1.0 + seen / _PLATEAU))
        return cls(float(m), eta0, max(4.0 * eta0, stable))


class ExpansionLearner:
    """Descent in the coefficients of a support: the last `truncation` rows visited, or all for None.

    Parameters
    ----------
    X : array or CSR of shape (n, p), or (n, n) for a precomputed kernel
        Rows that are or may be in the support.
    kernel : InputKernel
    objective : Objective
        Of the rows.
    truncation : int or None
    cache : bool
        Whether to compute the kernel matrix once, where it is of moderate size: for several passes over the rows.
    first : int, default=0
        Number of the first row that the objective counts; those before it are only in the support.
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

    def values(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Return kernel values, (len(rows), len(columns))."""
        if self._matrix is None:
            return self._kernel.matrix(self._X[rows], self._X[columns])
        if len(columns) == len(self._matrix) and np.array_equal(columns, np.arange(len(columns))):
            return np.ascontiguousarray(self._matrix[rows])
        return np.ascontiguousarray(self._matrix[np.ix_(rows, columns)])

    def diagonal(self, rows: IndexArray) -> FloatArray:
        """Return the kernel value of each row with itself."""
        if self._kernel.is_unit:
            return np.full(len(rows), 1.0 + self._objective.shift)
        found = np.empty(len(rows))
        step = 1 if callable(self._kernel.name) else _DIAGONAL_BLOCK
        for at in range(0, len(rows), step):
            block = rows[at : at + step]
            with renumbered(block - self._first):
                found[at : at + step] = np.diagonal(self.values(block, block))
        reason = "its kernel value with itself overflows; scale the inputs, or the kernel"
        require_short_rows(found, rows - self._first, reason=reason)
        return found + self._objective.shift

    def batches(self, order: IndexArray) -> Iterator[IndexArray]:
        """Cut an order of visits into batches of bounded work."""
        d = self._objective.targets.d
        most = self._X.shape[0] if self._truncation is None else self._truncation
        step = max(16, min(_EXPANSION_BATCH, 64 * _BATCH_ENTRIES // max((most + d) * d, 1)))
        return (order[at : at + step] for at in range(0, len(order), step))

    def visit(self, state: DescentState, rows: IndexArray, sizes: StepSizes) -> tuple[DescentState, float]:
        """Take a step on each row, which joins the support until it has become too old."""
        assert state.kept is not None
        slots, at, drop, left = self._slots(state.kept, rows)
        coefficients = state.coefficients.rows(np.arange(len(state.kept)), len(slots) - len(state.kept))
        coefficients = replace(coefficients, gains=None if coefficients.gains is None else coefficients.gains.copy())
        objective = self._objective
        loss = sgd_expansion(
            objective.description, objective.options, Visits(self.values(rows, slots), at, drop),
            objective.visits.take(rows - self._first), Steps(sizes.m, sizes.p, sizes.t0, state.n_steps), coefficients,
            n_threads=objective.n_threads,
        )  # fmt: skip
        if self._truncation is not None:
            slots, coefficients = slots[left], coefficients.rows(left)
        return replace(state, coefficients=coefficients, kept=slots, n_steps=state.n_steps + len(rows)), loss

    def _slots(self, kept: IndexArray, rows: IndexArray) -> tuple[IndexArray, CountArray, CountArray, IndexArray]:
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

    def objective(self, state: DescentState, rows: IndexArray) -> float:
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


@dataclass
class Passes:
    """Passes over all rows, up to where they stop. An interrupt leaves the state of the last batch that was completed.

    Attributes
    ----------
    state : DescentState
    losses : list of float
        The objective after each pass.
    interrupt : KeyboardInterrupt or None
    converged : bool
        Whether they stopped because little was gained, before `max_iter`.
    """

    learner: ExpansionLearner
    sizes: StepSizes
    state: DescentState
    losses: list[float] = field(default_factory=list)
    interrupt: KeyboardInterrupt | None = None
    converged: bool = False

    def run(
        self, visits: IndexArray, rows: IndexArray, rng: np.random.RandomState | None, *, start: float, tol: float,
        max_iter: int, label: str, verbose: int,
    ) -> None:  # fmt: skip
        """Pass over `visits`, in an order that `rng` draws anew for each pass, or in theirs for None.

        `rows` are those that the objective counts, each once. `start` is the objective of the function that is zero, by
        which gains are measured.
        """
        began, quiet = time.monotonic(), 0
        try:
            for number in range(max_iter):
                self._once(visits if rng is None else rng.permutation(visits))
                self.losses.append(self.learner.objective(self.state, rows))
                if verbose > 0:
                    seconds = time.monotonic() - began
                    line = f"[{label}] pass {number + 1}: objective {self.losses[-1]:.6g}, {seconds:.1f} s"
                    print(line, file=sys.stderr)
                quiet = quiet + 1 if self.change(start) <= tol else 0
                if quiet == _PATIENCE:
                    self.converged = True
                    return
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt

    def change(self, start: float) -> float:
        """Return by how much the last pass changed the objective, relative to the gain so far; infinity for one."""
        return last_change(self.losses, start)

    def _once(self, order: IndexArray) -> None:
        for batch in self.learner.batches(order):
            self.state, _ = self.learner.visit(self.state, batch, self.sizes)


def last_change(losses: list[float], start: float) -> float:
    """Return by how much the last pass changed the objective, relative to the gain since `start`; infinity for one."""
    if len(losses) < 2:
        return np.inf
    gain = max(abs(start - losses[-1]), np.finfo(float).tiny)
    return abs(losses[-2] - losses[-1]) / gain


def pass_once(
    learner: ExpansionLearner, sizes: StepSizes, state: DescentState, order: IndexArray
) -> tuple[DescentState, float, KeyboardInterrupt | None]:
    """Take a step on each row of an order.

    Returns
    -------
    state : DescentState
        After the last batch that was completed.
    loss : float
        Sum of the losses before the steps.
    interrupt : KeyboardInterrupt or None
        Where that was not all.
    """
    total = 0.0
    try:
        for batch in learner.batches(order):
            state, loss = learner.visit(state, batch, sizes)
            total += loss
    except KeyboardInterrupt as interrupt:
        return state, total, interrupt
    return state, total, None


def stacked(above: Any, below: Any) -> Any:
    """Return two blocks of rows as one, sparse where one of them is."""
    rows, d = above.shape[0] + below.shape[0], above.shape[1]
    if sparse.issparse(above) or sparse.issparse(below):
        return sparse.vstack([sparse.csr_matrix(above), sparse.csr_matrix(below)], format="csr")
    require_memory(8 * rows * d, f"keeping {rows} rows of {d} features", "set truncation to the number of rows to keep")
    return np.vstack([above, below])


def support_limit(given: Any, m: int) -> int | None:
    """Return the largest size of the support, None for no limit."""
    if given is None:
        return None
    count = math.ceil(given * m) if isinstance(given, (float, np.floating)) else int(given)
    return count if count < m else None
