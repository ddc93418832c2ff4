"""Block-coordinate Frank–Wolfe on the dual of the structured support vector machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._abi import Control
from .._errors import renumbered
from .._lib_maxmargin import MarginState, Report, maxmargin_pass
from ._blocks import Blocks
from ._oracles import MarginOracle, Oracle

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]

_SPACING = 1.3  # by how much a look at the gap comes later than the one before


class Solution(NamedTuple):
    """What a solver of the structured support vector machine found.

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
    """A point of the dual, with what it takes to say how far it is from the optimum."""

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
) -> Solution:
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
    return Solution(weights, primal, primal - value, number, calls, proven, curve)


def _model(state: MarginState) -> tuple[FloatArray, FloatArray]:
    """Return the means and offsets to predict by."""
    if state.late_v is None or state.late_offset is None:
        return state.v, state.offset
    share = state.step * (state.step + 1.0) / 2.0
    return state.v - state.late_v / share, state.offset - state.late_offset / share


Pass = Callable[[Rows, MarginState], Report]


def _by_library(blocks: Blocks, oracle: Oracle, penalties: FloatArray) -> Pass | None:
    """Return what makes a pass in the library, None where it does not know the oracle."""
    if not isinstance(oracle, MarginOracle) or oracle.loss.checked or oracle.how.decoder == "milp":
        return None
    if oracle.structure._parts_dtype != np.int32:
        return None
    description, design = oracle.structure._describe(), blocks.design()

    def once(order: Rows, state: MarginState) -> Report:
        return maxmargin_pass(
            description, "frank_wolfe", design, oracle.psi, oracle.loss, penalties, order, state, oracle.how,
            n_candidates=oracle.n_candidates,
        )  # fmt: skip

    return once


def _in_python(blocks: Blocks, oracle: Oracle, penalties: FloatArray) -> Pass:
    """Return what makes the same pass with any oracle."""
    norms = blocks.square_norms()

    def once(order: Rows, state: MarginState) -> Report:
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
