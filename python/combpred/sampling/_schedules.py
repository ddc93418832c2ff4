"""Cooling schedules of partition functions: where to sample, how often, and what that guarantees.

Z(β) is the sum of exp(β h(y)) over all outputs y, p_β(y) = exp(β h(y)) / Z(β). A schedule 0 = β_0 < … < β_l = 1 turns
Z(1) / Z(0) into a product of ratios near 1, each a mean of few values under some p_β.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from .._lib.arrays import FloatArray

Draw = Callable[[float, int], FloatArray]

SMOOTHNESS = 3.0  # p of the thesis: neighbouring levels differ by factors within exp(±1/p)
_CONSTANT = 65.0  # of the thesis's numbers of samples
_MOST_LEVELS = 10**6
_TARGET = math.log(1.5)  # of ln B of the steps that are tried
_MOST = 1.5  # of the bound on B − 1 of the steps that are taken
_BLOCK = 4  # draws of a block of the test
_PILOT_SHARE = 0.125  # of δ, for bounds that do not hold


@dataclass(frozen=True)
class Schedule:
    """Levels, numbers of samples, and what these rest on.

    Attributes
    ----------
    levels : ndarray of shape (l + 1,)
        From 0 to 1, ascending.
    n_samples : int
        In each batch, for each repeat.
    n_repeats : int
        Odd; the estimate is their median.
    variances : ndarray of shape (l,)
        Bounds on the relative variance of one draw of each ratio.
    paired : bool
        Whether ratios are estimated from both sides, by draws at all levels, or from above, by draws at all but the
        first.
    """

    levels: FloatArray
    n_samples: int
    n_repeats: int
    variances: FloatArray
    paired: bool

    def batches(self) -> list[tuple[float, float]]:
        """Return a level β and an exponent e for each batch of independent draws, level by level.

        ln of the mean of exp(e h) under p_β is ln Z(β + e) / Z(β). Paired, steps are gone through up to their middle
        from both ends.
        """
        found = []
        for low, high in zip(self.levels[:-1].tolist(), self.levels[1:].tolist(), strict=True):
            if self.paired:
                found += [(low, (high - low) / 2), (high, (low - high) / 2)]
            else:
                found.append((high, low - high))
        return found


def log_mean_exp(x: FloatArray) -> float:
    """Return ln of the mean of exp(x), without overflow."""
    top = float(x.max())
    return top + math.log(float(np.exp(x - top).mean()))


def fewest_repeats(delta: float) -> int:
    """Return the smallest odd k whose median fails with probability at most `delta` where each fails with 1/4 at most.

    The median is off only if (k + 1) / 2 repeats are; that is less than exp(−k / 8) (Hoeffding, 1963), and the binomial
    distribution says how much less.
    """
    k = 1
    while betainc((k + 1) // 2, (k + 1) // 2, 0.25) > delta:
        k += 2
    return k


def cheapest_repeats(delta: float) -> tuple[int, float]:
    """Return an odd k and p such that the median of k repeats, each off with p at most, is off with `delta` at most.

    By Chebyshev's inequality the number of samples of a repeat grows with 1 / p, hence that of all with k / p, which
    is as small as possible.
    """
    best = 1, delta
    for k in range(3, fewest_repeats(delta) + 1, 2):
        p = float(betaincinv((k + 1) // 2, (k + 1) // 2, delta))
        if k / p < best[0] / best[1]:
            best = k, p
    return best


def level_schedule(reach: float, epsilon: float, delta: float, *, printed: bool) -> Schedule:
    r"""Return evenly spaced levels for scores within ± `reach` of some constant.

    With p = 3 and q = p · reach the levels are j / q and 1, l = ⌈q⌉ steps of at most 1 / q (Vembu, 2010, ch. 6, where
    the last step may be longer). Draws at β_i of exp((β_{i−1} − β_i) h) have a relative variance of at most
    sinh²(1 / p); ⌈65 ε⁻² l sinh²(1 / p)⌉ of them at each level put the product within 1 ± ε with probability 3/4 and
    more. `printed` takes exp(2 / p) in place of sinh²(1 / p), as the thesis does.
    """
    q = SMOOTHNESS * reach
    if not q <= _MOST_LEVELS:
        raise ValueError(
            f"the scores reach {reach:.3g}, which takes {q:.3g} levels, more than {_MOST_LEVELS}; take "
            "schedule='adaptive', or scale them down"
        )
    steps = max(1, math.ceil(q))
    levels = np.append(np.arange(steps) / max(q, 1.0), 1.0)
    spread = math.sinh(1 / SMOOTHNESS) ** 2
    factor = math.exp(2 / SMOOTHNESS) if printed else spread
    size = math.ceil(_CONSTANT * steps * factor / epsilon**2)
    return Schedule(levels, size, fewest_repeats(delta), np.full(steps, spread), paired=False)


def adaptive_schedule(draw: Draw, epsilon: float, delta: float) -> Schedule:
    r"""Return levels found by draws, and the numbers of samples for an error of ε with probability 1 − δ.

    A step from β to γ, with m halfway, is estimated as a quotient of means: exp((m − β) h) under p_β over
    exp((m − γ) h) under p_γ. Both have the second moment B = Z(β) Z(γ) / Z(m)² relative to the square of their mean.
    Steps are tried that look like B = 1.5 from draws at β, and taken where new draws prove B ≤ 2.5, see
    `second_moment_bound`; the k-th test may be wrong with probability η / k(k + 1), η = δ / 8.

    If all bounds hold, the products of numerators and of denominators, from S draws each, are independent and relative
    to their expectations 1 + P and 1 + Q with variances of at most ∏(1 + (B_i − 1) / S) − 1 = τ². The quotient is off
    by more than ε only if |P − Q| + ε|Q| > ε, whose probability is at most τ² (√2 + ε)² / ε² by Chebyshev's and
    Minkowski's inequalities. The median of k such estimates brings it down to 7δ/8.

    References
    ----------
    Štefankovič, Vempala and Vigoda (2009), Adaptive simulated annealing. Huber (2015), Approximation algorithms for the
    normalizing constant of Gibbs distributions: paired product estimators.
    """
    tests, blocks = 0, math.ceil(40 / math.sqrt(epsilon))
    levels, moments = [0.0], []
    seen = draw(0.0, _BLOCK * blocks)
    while levels[-1] < 1:
        beta = levels[-1]
        step = _promising_step(seen, 1 - beta)
        while True:
            upper = beta + step if beta + step < 1 - 1e-9 else 1.0
            low, high = draw(beta, _BLOCK * blocks), draw(upper, _BLOCK * blocks)
            tests += 1
            failure = _PILOT_SHARE * delta / (tests * (tests + 1))
            log_b = second_moment_bound(low, high, (upper - beta) / 2, failure)
            if log_b <= math.log1p(_MOST):
                break
            step *= min(0.7, max(0.05, math.sqrt(_TARGET / log_b)))  # ln B grows with the square of short steps
        levels.append(upper)
        moments.append(math.expm1(log_b))
        seen = high
    variances = np.array(moments)
    repeats, off = cheapest_repeats((1 - _PILOT_SHARE) * delta)
    size = math.ceil(float(variances.sum()) / math.log1p(off * (epsilon / (math.sqrt(2) + epsilon)) ** 2))
    return Schedule(np.array(levels), size, repeats, variances, paired=True)


def second_moment_bound(low: FloatArray, high: FloatArray, half: float, failure: float) -> float:
    r"""Return an upper bound on ln B of a step of length 2 `half`, wrong with probability `failure` at most.

    `low` and `high` are scores of independent draws from both ends. With W = exp(half · h) at the lower and
    V = exp(−half · h) at the upper end, E W · E V = 1 / B exactly. So means over blocks of draws have
    :math:`E \prod_b B \bar W_b \bar V_b = 1`, and by Markov's inequality the product over r blocks is less than
    1 / failure with probability 1 − failure, whatever the scores: ln B is less than the mean of
    :math:`-\ln \bar W_b \bar V_b` plus ln(1 / failure) / r.
    """
    w = (half * low).reshape(-1, _BLOCK)
    v = (-half * high).reshape(-1, _BLOCK)
    logs = np.logaddexp.reduce(w, axis=1) + np.logaddexp.reduce(v, axis=1) - 2 * math.log(_BLOCK)
    return -float(logs.mean()) - math.log(failure) / len(logs)


def _promising_step(values: FloatArray, most: float) -> float:
    """Return the longest step up to `most` of which scores drawn at its lower end suggest B ≤ 1.5."""

    def log_b(step: float) -> float:
        return log_mean_exp(step * values) - 2 * log_mean_exp(step / 2 * values)

    if log_b(most) <= _TARGET:
        return most
    low = most
    while log_b(low) > _TARGET:
        low /= 2
    high = 2 * low
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (middle, high) if log_b(middle) <= _TARGET else (low, middle)
    return low
