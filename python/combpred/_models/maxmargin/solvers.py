"""Solvers of max-margin training, block-coordinate Frank–Wolfe and cutting planes.

A new solver is a function that returns a `MarginSolution`, called by name in `svm.train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import FloatArray, IndexArray
from ..._lib.errors import NumericalError, renumbered
from ..._lib.maxmargin import MarginState, Report, maxmargin_pass
from .oracles import Blocks, MarginOracle, Oracle

_ROUNDING = 1e-15  # of the sum of magnitudes that make up a derivative: gains below it are none
_RIDGE = 1e-13  # of the trace, added where equations are solved for a step: planes may depend on each other


_SPACING = 1.3  # by how much a look at the gap comes later than the one before

Pass = Callable[[IndexArray, MarginState], Report]

_IDLE = 30  # iterations after which a plane that plays no part is dropped
_STEP = 0.1  # of the way from the best weights to those that minimise the planes, at least
_INNER_GAP = 0.3  # of the gap, how well the problem of the planes is solved: the next plane changes it by more
_LARGEST = 1e300  # of the squares of planes, some hundred of which are added up


def concave_maximum(gram: FloatArray, linear: FloatArray, start: FloatArray, *, gap: float = 0.0) -> FloatArray:
    r"""Maximise :math:`b^\top x - \tfrac12 x^\top Q x` over x ≥ 0 with sum 1 by an active-set method.

    Parameters
    ----------
    gram : ndarray of shape (k, k)
        Q, positive semi-definite.
    linear : ndarray of shape (k,)
        b.
    start : ndarray of shape (k,)
        A point of the simplex.
    gap : float, default=0.0
        How far from the maximum is near enough.

    Returns
    -------
    ndarray of shape (k,)
        A point of the simplex whose value is not below that of `start`, and at most by `gap` and rounding below the
        maximum.

    Notes
    -----
    The variable of largest derivative joins those that are free, whose maximum under the sum is found by linear
    equations; where that is outside the simplex, the first variable to vanish on the way leaves (Wolfe, 1976, "Finding
    the nearest point in a polytope"). Each round costs :math:`O(k^3)` for k free variables, and few are free.

    Examples
    --------
    >>> concave_maximum(np.eye(2), np.array([0.0, 0.5]), np.array([1.0, 0.0]))
    array([0.25, 0.75])
    """
    x: FloatArray = start.copy()
    free = x > 0.0
    sizes = np.abs(gram)
    for _ in range(20 * len(linear)):
        _to_face_maximum(gram, linear, x, free)
        derivative = linear - gram @ x
        joining = int(np.argmax(derivative))
        rounding = _ROUNDING * (sizes @ x + np.abs(linear)).max()
        # By concavity, the maximum is at most by derivative[joining] − ⟨x, derivative⟩ above the value at x.
        if free[joining] or derivative[joining] <= x @ derivative + max(rounding, gap):
            break
        free[joining] = True
    found: FloatArray = x / x.sum()
    return found


def _to_face_maximum(gram: FloatArray, linear: FloatArray, x: FloatArray, free: NDArray[np.bool_]) -> None:
    """Move x to the maximum over the free variables, taking those that vanish out of `free`."""
    while True:
        at = np.flatnonzero(free)
        n = len(at)
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = gram[np.ix_(at, at)]
        system[range(n), range(n)] += _RIDGE * (float(np.trace(system)) or 1.0)
        system[n, :n] = system[:n, n] = 1.0
        residual = linear[at] - gram[np.ix_(at, at)] @ x[at]  # a step from x: the ridge then bends no maximum
        target = x[at] + np.linalg.solve(system, np.append(residual, 0.0))[:n]
        if (target > 0.0).all():
            x[at] = target
            return
        step = target - x[at]
        falling = step < 0.0
        ratios = np.full(n, np.inf)
        ratios[falling] = x[at][falling] / -step[falling]
        ratios[(target <= 0.0) & ~falling] = 0.0  # free at zero, and staying there
        first = int(np.argmin(ratios))
        x[at] += min(float(ratios[first]), 1.0) * step
        x[at] = np.maximum(x[at], 0.0)
        x[at[first]] = 0.0
        free[at[first]] = False


class MarginSolution(NamedTuple):
    """Solution of a structured support vector machine, as its solvers return it.

    Attributes
    ----------
    weights : ndarray of shape (q, d)
        Of the features.
    objective, gap : float
        Of the primal at these weights, and how much less the dual is.
    n_iter : int
    n_oracle_calls : int
        Rows that were decoded.
    exact : bool
        Whether every hinge loss in `objective` is proven.
    curve : list of (int, float, float)
        After how many iterations the primal and the dual had which values, wherever they were computed.
    """

    weights: FloatArray
    objective: float
    gap: float
    n_iter: int
    n_oracle_calls: int
    exact: bool
    curve: list[tuple[int, float, float]]


@dataclass(frozen=True)
class Dual:
    """A point of the dual, with the data for its duality gap."""

    blocks: Blocks
    oracle: Oracle
    penalties: FloatArray  # C_i of the blocks

    def weights(self, v: FloatArray) -> FloatArray:
        """Return the weights (q, d) that means v (m, d) make up."""
        return self.blocks.combined(self.penalties[:, np.newaxis] * v)

    def look(self, weights: FloatArray, offset: FloatArray, step: int) -> tuple[float, float, bool]:
        """Return the primal, the dual, and whether the primal is proven, for weights and the offsets (m,) with them."""
        scores = self.blocks.scores(weights)
        with renumbered(self.blocks.rows):
            planes = self.oracle.planes(np.arange(len(offset)), scores, step)
        norm = 0.5 * float(np.sum(np.square(weights)))
        primal = norm + float(self.penalties @ planes.values(scores))
        return primal, float(self.penalties @ offset) - norm, bool(planes.proven.all())


def frank_wolfe(
    blocks: Blocks,
    oracle: Oracle,
    penalties: FloatArray,
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
    average: bool,
    rng: np.random.RandomState,
    control: Control,
) -> MarginSolution:
    r"""Minimise :math:`\tfrac12\|W\|^2 + \sum_i C_i H_i(W^\top\phi_i)` for the hinge losses H of an oracle.

    Parameters
    ----------
    blocks : Blocks
    oracle : Oracle
        Its rows are the blocks.
    penalties : ndarray of shape (m,)
        C_i.
    start : ndarray of shape (m,)
        Offsets of the means v = 0, which are 0 where ψ(y) is that of an output.
    tol : float
        Duality gap at which passes end, relative to the primal.
    max_iter : int
        Passes over the blocks.
    average : bool
        Whether the result is the average of all iterates, each weighted by its number.
    rng : RandomState
        Of the order in each pass.
    control : Control
        Gets the number of passes and the latest estimate of the gap, for progress.
    """
    d = blocks.psi.shape[1]
    state = MarginState.zero(len(start), d, blocks.n_weights, average=average)
    state.offset[:] = start
    dual = Dual(blocks, oracle, penalties)
    once = _by_library(blocks, oracle, penalties) or _in_python(blocks, oracle, penalties)
    curve: list[tuple[int, float, float]] = []
    primal, value, proven, look, calls = np.inf, -np.inf, True, 1, 0
    weights = state.coef
    for number in range(1, max_iter + 1):
        report = once(rng.permutation(len(start)), state)
        calls += len(start)
        control.step, control.value = number, report.gap
        if number < look and number < max_iter:
            continue
        look = max(number + 1, int(_SPACING * number))
        v, offset = _model(state)
        weights = dual.weights(v)
        primal, value, proven = dual.look(weights, offset, state.step)
        calls += len(start)
        curve.append((number, primal, value))
        control.value = primal - value
        if primal - value <= tol * primal:
            break
    return MarginSolution(weights, primal, primal - value, number, calls, proven, curve)


def _model(state: MarginState) -> tuple[FloatArray, FloatArray]:
    """Return the means and offsets to predict by."""
    if state.late_v is None or state.late_offset is None:
        return state.v, state.offset
    share = state.step * (state.step + 1.0) / 2.0
    return state.v - state.late_v / share, state.offset - state.late_offset / share


def _by_library(blocks: Blocks, oracle: Oracle, penalties: FloatArray) -> Pass | None:
    """Return what makes a pass in the library, None where it does not know the oracle."""
    if not isinstance(oracle, MarginOracle) or oracle.loss.checked or oracle.how.decoder == "milp":
        return None
    if not oracle.structure.space.in_library:
        return None
    description, design = oracle.structure.space.description, blocks.design()

    def once(order: IndexArray, state: MarginState) -> Report:
        return maxmargin_pass(
            description, "frank-wolfe", design, oracle.psi, oracle.loss, penalties, order, state, oracle.how,
            n_candidates=oracle.n_candidates,
        )  # fmt: skip

    return once


def _in_python(blocks: Blocks, oracle: Oracle, penalties: FloatArray) -> Pass:
    """Return what makes the same pass with any oracle."""
    norms = blocks.square_norms()

    def once(order: IndexArray, state: MarginState) -> Report:
        total, updates, proven = 0.0, 0, 0
        for i in order:
            row = np.array([i])
            scores = blocks.scores(state.coef, row)
            with renumbered(blocks.rows[row]):
                planes = oracle.planes(row, scores, state.step)
            proven += bool(planes.proven[0])
            move = planes.direction[0] - state.v[i]
            gap = float(planes.values(scores)[0] - state.offset[i] + scores[0] @ state.v[i])
            total += penalties[i] * gap
            if gap > 0.0:
                curvature = penalties[i] * norms[i] * float(move @ move)
                size = min(1.0, gap / curvature) if curvature > 0.0 else 1.0
                rise = size * (planes.offset[0] - state.offset[i])
                updates += 1
                state.v[i] += size * move
                state.offset[i] += rise
                if state.late_v is not None and state.late_offset is not None:
                    before = state.step * (state.step + 1.0) / 2.0
                    state.late_v[i] += before * size * move
                    state.late_offset[i] += before * rise
                blocks.add(state.coef, i, penalties[i] * size * move)
            state.step += 1
        return Report(total, 0.0, updates, proven)

    return once


def cutting_planes(
    blocks: Blocks,
    oracle: Oracle,
    penalties: FloatArray,
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
    control: Control,
) -> MarginSolution:
    r"""Minimise :math:`\tfrac12\|W\|^2 + R(W)`, :math:`R(W) = \sum_i C_i H_i(W^\top\phi_i)`, by linear bounds on R.

    Each iteration decodes all blocks at the current weights, which gives a plane below R that touches it there, and
    minimises with R replaced by the largest of all planes so far (Joachims, Finley and Yu, 2009, "Cutting-plane
    training of structural SVMs"). That problem is solved in its dual, one variable for each plane: its value is a
    lower bound, from which the gap follows. Idle planes are dropped.

    The next weights lie near the best so far, on the way to that minimum, where a plane says more about the optimum
    (Franc and Sonnenburg, 2009, "Optimized cutting plane algorithm for large-scale risk minimization", search along
    this way): at large penalties a third to an eighth of the iterations. Unless such weights are better by δ, the plane
    is by convexity at least the best value at the minimum, less δ over the share of the way, so that the gap closes.
    The share doubles where the weights became better, as at small penalties, and is halved where they did not.

    Where decoding is approximate it may overlook what another pass has found. The value of weights is therefore at
    least that of all planes there, those of later passes included, and the share remains small: next to the best
    weights, passes soon find what the value of these has missed.

    Parameters
    ----------
    blocks, oracle, penalties, start, control
        As `frank_wolfe`; `start` makes up the first plane, which is constant.
    tol : float
        Gap at which iterations end, relative to the primal.
    max_iter : int
        Planes.

    Raises
    ------
    NumericalError
        When the numbers overflow.
    """
    m, d = blocks.psi.shape
    every = np.arange(m)
    planes = np.zeros((1, blocks.n_weights * d))  # the gradients −Σ C_i φ_i v_iᵀ, negated
    offsets = np.array([float(penalties @ start)])
    gram, shares, idle = np.zeros((1, 1)), np.ones(1), np.zeros(1, dtype=np.int64)
    weights = np.zeros(planes.shape[1])
    best = np.inf, weights, True
    curve: list[tuple[int, float, float]] = []
    step = _STEP
    bound = float(offsets[0])  # of the first plane, which lies below R
    for number in range(1, max_iter + 1):
        scores = blocks.scores(weights.reshape(-1, d))
        with renumbered(blocks.rows):
            found = oracle.planes(every, scores, number * m)
        risk, proven = float(penalties @ found.values(scores)), bool(found.proven.all())
        if not proven:
            risk = max(risk, float((offsets - planes @ weights).max()))
        primal = 0.5 * float(weights @ weights) + risk
        improved = primal < best[0]
        if improved:
            best = primal, weights, proven
        gap = best[0] - bound
        curve.append((number, best[0], bound))
        control.step, control.value = number, gap
        if gap <= tol * best[0]:
            break
        plane = blocks.combined(penalties[:, np.newaxis] * found.direction).ravel()
        with np.errstate(over="ignore"):
            products, square = planes @ plane, plane @ plane
        if not square < _LARGEST:
            raise NumericalError("C times the features in X has squares that overflow; scale the inputs, or lower C")
        gram = np.block([[gram, products[:, np.newaxis]], [products, np.array([square])]])
        planes = np.vstack([planes, plane])
        offsets = np.append(offsets, float(penalties @ found.offset))
        if not best[2]:
            above = 0.5 * float(best[1] @ best[1]) + float(offsets[-1] - plane @ best[1])
            best = max(best[0], above), best[1], False
        shares = concave_maximum(gram, offsets, np.append(shares, 0.0), gap=_INNER_GAP * gap)
        lowest = shares @ planes
        bound = max(bound, float(offsets @ shares) - 0.5 * float(lowest @ lowest))
        if best[2]:
            bound = min(bound, best[0])  # above it by rounding
        step = min(1.0, 2.0 * step) if improved and proven else max(_STEP, 0.5 * step)
        weights = best[1] + step * (lowest - best[1])
        idle = np.where(shares > 0.0, 0, np.append(idle, 0) + 1)
        kept = idle < _IDLE
        if not kept.all():
            planes, offsets, shares, idle = planes[kept], offsets[kept], shares[kept], idle[kept]
            gram = gram[np.ix_(kept, kept)]
    primal, weights, proven = best
    curve[-1] = number, primal, bound  # which the last plane has raised where there was no time for another one
    return MarginSolution(weights.reshape(-1, d), primal, primal - bound, number, number * m, proven, curve)
