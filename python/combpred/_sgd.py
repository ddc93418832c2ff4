"""Passes of stochastic gradient descent over rows: step sizes, order, and when to stop."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ._sgd_learners import DescentState, Learner

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Passes over the rows where `max_iter` is None.
PASSES = 100
#: Descent is not judged more finely than this, of what was gained of the objective: its steps have noise.
LEAST_TOL = 1e-4
#: Passes in a row that have to gain less than that before the descent stops, as in scikit-learn's SGD.
PATIENCE = 5

_PLATEAU = 1000.0  # rows before the steps of a stream of rows begin to fall


@dataclass(frozen=True)
class Pace:
    """Step sizes η = p·m / (alpha (t + t0)).

    Attributes
    ----------
    m, p, t0 : float
    """

    m: float
    p: float
    t0: float

    @classmethod
    def of(cls, alpha: float, m: int, eta0: float, curvature: float, seen: int = 0) -> Pace:
        r"""Return the pace of the next steps.

        No step may expand: with curvature the largest :math:`w_i k(x_i, x_i) (\sigma_{max} + \|\tilde\psi_i\|^2)`, the
        operator of the step on row i is the identity less a positive one of norm η times that at most. t0 bounds η by
        the inverse, and the factor by which a step shrinks from below by one half. Rows that come as a stream, after
        `seen` others, are weighed against ever less penalty, and :math:`p m/\alpha(t + t_0)` would not fall: then the
        bound does, as the square root of their number.
        """
        stable = eta0 * m * curvature / alpha * float(np.sqrt(1.0 + seen / _PLATEAU))
        return cls(float(m), eta0, max(4.0 * eta0, stable))


@dataclass
class Passes:
    """Passes over all rows, up to where they stop. An interrupt leaves the state of the last chunk that was completed.

    Attributes
    ----------
    state : DescentState
    losses : list of float
        The objective after each pass.
    interrupt : KeyboardInterrupt or None
    settled : bool
        Whether they stopped as little was gained, before they ran out.
    """

    learner: Learner
    pace: Pace
    state: DescentState
    losses: list[float] = field(default_factory=list)
    interrupt: KeyboardInterrupt | None = None
    settled: bool = False

    def run(
        self, visits: Rows, rows: Rows, rng: np.random.RandomState | None, *, start: float, tol: float, max_iter: int,
        label: str, verbose: int,
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
                quiet = quiet + 1 if self.change(start) <= max(tol, LEAST_TOL) else 0
                if quiet == PATIENCE:
                    self.settled = True
                    return
        except KeyboardInterrupt as interrupt:
            self.interrupt = interrupt

    def change(self, start: float) -> float:
        """Return by how much the last pass changed the objective, relative to the gain so far; infinity for one."""
        if len(self.losses) < 2:
            return np.inf
        gain = max(abs(start - self.losses[-1]), np.finfo(float).tiny)
        return abs(self.losses[-2] - self.losses[-1]) / gain

    def _once(self, order: Rows) -> None:
        for chunk in self.learner.chunks(order):
            self.state, _ = self.learner.visit(self.state, chunk, self.pace.m, self.pace.p, self.pace.t0)


def pass_once(
    learner: Learner, pace: Pace, state: DescentState, order: Rows
) -> tuple[DescentState, float, KeyboardInterrupt | None]:
    """Take a step on each row of an order.

    Returns
    -------
    state : DescentState
        After the last chunk that was completed.
    loss : float
        Sum of the losses before the steps.
    interrupt : KeyboardInterrupt or None
        Where that was not all.
    """
    total = 0.0
    try:
        for chunk in learner.chunks(order):
            state, loss = learner.visit(state, chunk, pace.m, pace.p, pace.t0)
            total += loss
    except KeyboardInterrupt as interrupt:
        return state, total, interrupt
    return state, total, None
