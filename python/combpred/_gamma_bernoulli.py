"""Estimates of products of 1/p from coin flips, whose relative error has a known law whatever the p are.

Points of a Poisson process of rate 1, each kept with probability p, are a Poisson process of rate p. So the time T at
which the k-th kept point comes is a Gamma(k) variable G divided by p: the relative error pT = G has the same law for
all p. The points need no clock: if the k-th success comes at flip N, T is Gamma(N).

References
----------
Huber, M. (2017). A Bernoulli mean estimate with known relative error distribution. *Random Structures & Algorithms* 50.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma


def error_bound(levels: int, successes: int, epsilon: float) -> float:
    r"""Bound the probability that a product of `levels` estimates, each from k `successes`, is off by more than ε.

    The logarithm of the product is off by :math:`D = \sum_i (\ln G_i - \psi(k))`, for which
    :math:`E e^{\theta D} = e^{m \Lambda(\theta)}`, :math:`\Lambda(\theta) = \ln\Gamma(k+\theta) - \ln\Gamma(k)
    - \theta\psi(k)`. By Markov's inequality :math:`P(D \geq t) \leq e^{m\Lambda(\theta) - \theta t}` for all
    :math:`\theta > 0`, and likewise below. Here t is ln(1 + ε) above and −ln(1 − ε) below, and θ is the best one for a
    normal D, in reach of the best.
    """
    total = 0.0
    variance = levels * float(polygamma(1, successes))
    for sign, t in ((1.0, math.log1p(epsilon)), (-1.0, -math.log1p(-epsilon))):
        theta = sign * min(t / variance, successes / 2)
        growth = float(gammaln(successes + theta) - gammaln(successes) - theta * digamma(successes))
        total += math.exp(min(0.0, levels * growth - abs(theta) * t))
    return total


def successes_needed(levels: int, epsilon: float, delta: float) -> int:
    """Return the least k, up to rounding, for which `error_bound` is at most δ: about 2 m ln(2/δ)/ε² for m levels."""
    low, high = 1, 2
    while error_bound(levels, high, epsilon) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error_bound(levels, middle, epsilon) <= delta else (middle, high)
    return high


def log_inverse(
    flip: Callable[[int], NDArray[np.bool_]], successes: int, guess: float, rng: np.random.RandomState, most: int
) -> float:
    """Return an estimate of ln(1/p), without bias.

    Parameters
    ----------
    flip : callable
        Returns so many independent coins, each True with probability p > 0.
    successes : int
        k.
    guess : float
        About p: how many coins are flipped at once depends on it, the law of the result does not.
    rng : RandomState
    most : int
        Coins flipped at once at most.
    """
    seen = trials = 0
    while seen < successes:
        some = min(most, math.ceil(1.02 * (successes - seen) / guess) + 8)
        heads = np.flatnonzero(flip(some))
        left = successes - seen
        trials += some if len(heads) < left else int(heads[left - 1]) + 1
        seen += len(heads)
    return math.log(rng.standard_gamma(trials)) - float(digamma(successes))
