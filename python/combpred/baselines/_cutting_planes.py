"""One-slack cutting planes for the structured support vector machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._abi import Control
from .._errors import NumericalError, renumbered
from ._blocks import Blocks
from ._frank_wolfe import Solution
from ._oracles import Oracle
from ._simplex import concave_maximum

FloatArray = NDArray[np.float64]

_IDLE = 30  # iterations after which a plane that plays no part is dropped
_STEP = 0.1  # of the way from the best weights to those that minimise the planes, at least
_INNER_GAP = 0.3  # of the gap, how well the problem of the planes is solved: the next plane changes it by more
_LARGEST = 1e300  # of the squares of planes, some hundred of which are added up


def cutting_planes(
    blocks: Blocks,
    oracle: Oracle,
    penalties: FloatArray,
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
    control: Control,
) -> Solution:
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
    return Solution(weights.reshape(-1, d), primal, primal - bound, number, number * m, proven, curve)
