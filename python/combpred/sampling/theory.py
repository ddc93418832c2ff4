"""Bounds that hold before anything is drawn: mixing times of chains, proposals of exact samplers, sample sizes."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument, choice, share, whole_number
from .._lib.arrays import FloatArray
from .._lib.call import computed
from .._lib.errors import CapabilityError
from .._lib.names import CHAINS
from ..structures import Structure
from .samplers import method_of, rows_of

__all__ = [
    "cube_mixing_bound",
    "hoeffding_sample_size",
    "meta_coalescence_time",
    "meta_mixing_bound",
    "mixing_bound",
]


def __dir__() -> list[str]:
    return __all__


_MOVED = 7.0 / 8.0  # share of the steps of "local" that do not stay
_DISTANCES = 0.25, 1e-300  # at which mixing times tell how fast distances fall


def mixing_bound(
    structure: Structure,
    scores: ArrayLike,
    sampler: str = "local",
    epsilon: float = 0.01,
    *,
    gap: float | None = None,
) -> FloatArray:
    r"""Return after how many steps a chain is within `epsilon` of its distribution, for each row of scores.

    The distance is that in total variation, from any start, and proven.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    scores : array-like of shape (n, d) or (d,)
        Finite; one row for shape (d,). Zeros: the chain of the uniform distribution. Columns of data frames are
        matched with `feature_names`.
    sampler : {"meta", "local", "cube"}, default="local"
        The chain, as for :func:`sample`.
    epsilon : float, default=0.01
        Between 0 and 1.
    gap : float, default=None
        For "local": a number above 0 that the spectral gap of the moves under the uniform distribution is not less
        than, where you know one. It takes the place of that of the table below, and makes a bound available for other
        structures, and for the moves of a `Custom` one.

    Returns
    -------
    steps : ndarray of shape (n,)
        Infinite beyond the largest float.

    Raises
    ------
    ValueError
        When a score is not finite, or a parameter out of its range.
    CapabilityError
        When nothing is proven: of "local" for other structures than those below, without `gap`; of "cube" for others
        than all subsets of a set; of "meta" for a structure without an exactly uniform sampler. When a `Custom`
        structure lacks a bound on scores, or, for "local", the number of its outputs. Says what is missing.

    Notes
    -----
    With D a bound on the range of scores, from the decoder, from the guaranteed solution, or from `radius` or `bound`
    of a `Custom` structure:

    - "meta": :func:`meta_mixing_bound` of −D, for every structure with an exactly uniform sampler.
    - "cube": :func:`cube_mixing_bound`, on all subsets of a set.
    - "local": from the spectral gap of the moves under the uniform distribution, and how far they stay above −1:

      ==========================================  ====================================  ==============
      structures                                  gap                                   above −1
      ==========================================  ====================================  ==============
      `LabelSets`, `Cliques`, `Graphs` of n       2/n, coming and going                 0
      `LabelSets` of l out of n                   n/(l(n − l)), exchanges               0 or more
      `Permutations` of n                         (n + 2)/n², random to random          1
      `Assignments` of n                          2/(n − 1), random transpositions      0
      `Tournaments` of m pairs                    3/(2m), one pair                      1/2
      `Paths` of n arcs at most                   1/n at least, a new end               1
      `SpanningTrees`, c edges not in a tree      1/c at least, exchanges               0 or more
      `MultiClass`, `Ordinal`, `PosetElements`,   n/(n − 1), any other                  (n − 2)/(n − 1)
      `Hierarchy`, lists of n outputs
      ==========================================  ====================================  ==============

      The rule of Metropolis leaves at least exp(−D) of each, as :math:`\min p/\max p \ge e^{-D}` bounds what Dirichlet
      forms lose; where entries of ψ are independent and take v values, at least 1/(d(v − 1)) is left of the gap
      whatever D is. One step in eight of the chain stays, which keeps it away from −1. With the resulting gap γ the
      distance after t steps is at most :math:`\frac12 (1-\gamma)^t/\sqrt{\min p}`. Moves of `SpanningTrees` of r edges
      keep a gap of at least 1/(cr) whatever D is, by comparison with the walk that draws an edge outside of the tree,
      and then one of the cycle that it closes with the right probability: the down-up walk on the bases of a matroid
      of rank c, whose gap is at least 1/c for any weights of the elements.

    For other moves (cycles, routes, weak and partial orders, subtrees) no bound is known here. Of any moves on N
    outputs that choose one of at most Δ neighbours with equal probabilities, where δ moves lead from every output to
    every other, the gap is at least 1/(NΔδ), by Poincaré's inequality.
    Linear extensions are drawn exactly by :func:`linear_extensions`; the chain that exchanges neighbours, which is not
    used, takes :math:`O(n^3\ln n)` steps (Bubley and Dyer, 1999; Wilson, 2004).

    References
    ----------
    Diaconis and Shahshahani (1981), Generating a random permutation with random transpositions; (1987), Time to reach
    stationarity in the Bernoulli–Laplace diffusion model. Dieker and Saliola (2018), Spectral analysis of
    random-to-random Markov chains. Diaconis and Saloff-Coste (1993), Comparison theorems for reversible Markov chains.
    Diaconis and Stroock (1991), Geometric bounds for eigenvalues of Markov chains. Anari, Liu, Oveis Gharan and Vinzant
    (2019), Log-concave polynomials II. Liu (1996), Metropolized independent sampling. Vembu (2010), section
    6.6 and app. C.3.

    Examples
    --------
    >>> from combpred.sampling.theory import mixing_bound
    >>> from combpred.structures import Permutations
    >>> mixing_bound(Permutations(10), [0.0] * 45)
    array([104.])
    """
    if gap is None:
        choice(sampler, "sampler", CHAINS)
    else:
        check_argument(gap, "gap", Interval(Real, 0, 2, closed="right"))
        choice(sampler, "sampler for gap=", ("local",))
    rows, space = rows_of(structure, scores), structure.space
    epsilon = share(epsilon, "epsilon")
    method_of(structure, sampler)  # what it lacks
    if gap is None and space.in_library:
        given = space.description, {"linear": np.vstack([rows, np.zeros_like(rows[:1])])}
        known = computed("cp_mixing_bound", *given, sampler, epsilon, n_threads=1)
        if np.isfinite(known[-1]):  # at scores of 0, hence at all
            return known[:-1]
    elif gap is not None or sampler == "meta":
        spread = space.score_bounds(rows) + space.score_bounds(-rows)
        if gap is None:
            return np.array([meta_mixing_bound(-d, epsilon) for d in spread])
        decay = -np.log1p(-np.minimum(_MOVED * gap * np.exp(-spread), 2.0 - 2.0 * _MOVED))
        with np.errstate(divide="ignore"):
            steps = (np.log(0.5 / epsilon) + (structure.log_count() + spread) / 2.0) / decay
        return np.asarray(np.maximum(np.ceil(steps), 0.0))
    raise CapabilityError(
        f"no mixing time of sampler={sampler!r} is known for {structure!r}; give gap=, a number that the spectral gap "
        "of its local moves under the uniform distribution is not less than, or take sampler='meta', whose bound holds "
        "wherever outputs can be drawn uniformly"
    )


def meta_mixing_bound(log_beta: float, epsilon: float = 0.01) -> float:
    r"""Return a bound on the mixing time of the chain "meta".

    After so many steps from any start it is within `epsilon` of its distribution in total variation.

    Parameters
    ----------
    log_beta : float
        :math:`\ln\beta`, at most 0, with :math:`\beta = E\,\exp(h - \max h)` under the uniform distribution, for which
        the result is exact for the worst start (Liu, 1996), or anything below: −(max h − min h), or −2BR for scores of
        norm B and embeddings of norm R (Vembu, 2010, section 6.6.2).
    epsilon : float, default=0.01
        Between 0 and 1.

    Returns
    -------
    steps : float
        :math:`\lceil \ln\varepsilon^{-1} / \ln(1-\beta)^{-1} \rceil`; infinite where no float is large enough.

    Raises
    ------
    ValueError
        When `log_beta` is positive, or `epsilon` not between 0 and 1.

    Examples
    --------
    >>> import math
    >>> from combpred.sampling.theory import meta_mixing_bound
    >>> meta_mixing_bound(math.log(0.5))
    7.0
    """
    share(epsilon, "epsilon")
    beta = _beta(log_beta)
    if beta == 1:
        return 1.0
    steps = math.inf if beta == 0 else math.log(1 / epsilon) / -math.log1p(-beta)  # overflows for β below 1e-307
    return float(math.ceil(steps)) if math.isfinite(steps) else math.inf


def meta_coalescence_time(log_beta: float) -> float:
    r"""Return the mean number of proposals that "cftp" and "rejection" make for a sample: 1/β.

    Parameters
    ----------
    log_beta : float
        :math:`\ln\beta`, at most 0, as for :func:`meta_mixing_bound`.

    Returns
    -------
    proposals : float
        Exact for the largest β, otherwise an upper bound. With probability 1 − δ at most ln(1/δ) times as many are
        made.

    Raises
    ------
    ValueError
        When `log_beta` is positive.

    Examples
    --------
    >>> import math
    >>> from combpred.sampling.theory import meta_coalescence_time
    >>> meta_coalescence_time(math.log(0.25))
    4.0
    """
    beta = _beta(log_beta)
    return math.inf if beta == 0 else 1 / beta


def cube_mixing_bound(n_elements: int, epsilon: float = 0.01, *, heat_bath: bool = False) -> float:
    r"""Return a bound on the mixing time of a chain on all subsets of a set.

    After so many steps from any start it is within `epsilon` of its distribution in total variation.

    Parameters
    ----------
    n_elements : int
        Number d of elements of which sets are made, at least 1.
    epsilon : float, default=0.01
        Between 0 and 1.
    heat_bath : bool, default=False
        Whether the chain is the heat bath, which redraws an element from its conditional distribution, rather than
        "cube".

    Returns
    -------
    steps : float
        :math:`\lceil 2d \ln(d/\varepsilon) \rceil`, half of that for the heat bath, for any scores. (The
        thesis gives :math:`d\ln(d/\varepsilon)` for "cube", which holds where all scores are 0.)

    Raises
    ------
    TypeError, ValueError
        When `n_elements` is no integer, or a parameter is out of its range.

    Examples
    --------
    >>> from combpred.sampling.theory import cube_mixing_bound
    >>> cube_mixing_bound(8), cube_mixing_bound(8, heat_bath=True)
    (107.0, 54.0)
    """
    share(epsilon, "epsilon")
    d = whole_number(n_elements, "n_elements", 1, 2**31 - 1)
    return float(math.ceil((1 if heat_bath else 2) * d * math.log(d / epsilon)))


def hoeffding_sample_size(epsilon: float, delta: float, value_range: float = 1.0) -> int:
    r"""Return how many independent draws Hoeffding's inequality asks for.

    Their mean is within `epsilon` of its expectation with probability at least 1 − `delta`.

    Parameters
    ----------
    epsilon : float
        Absolute error, positive.
    delta : float
        Between 0 and 1.
    value_range : float, default=1.0
        Difference of the largest and the smallest value that a draw can have; not negative.

    Returns
    -------
    n_samples : int
        :math:`\lceil (\text{range}/\varepsilon)^2 \ln(2/\delta) / 2 \rceil`, at least 1.

    Raises
    ------
    ValueError
        When an argument is out of its range, or the number is beyond 2**62.

    References
    ----------
    Hoeffding (1963), Probability inequalities for sums of bounded random variables. Vembu (2010), section 6.5, where
    values lie within ± R G: a range of 2 R G.

    Examples
    --------
    >>> from combpred.sampling.theory import hoeffding_sample_size
    >>> hoeffding_sample_size(0.1, 0.05)
    185
    """
    check_argument(epsilon, "epsilon", Interval(Real, 0, None, closed="neither"))
    check_argument(value_range, "value_range", Interval(Real, 0, None, closed="left"))
    ratio = value_range / epsilon
    needed = ratio * ratio * math.log(2 / share(delta, "delta")) / 2  # a power would raise where this is infinite
    if not needed < 2.0**62:
        raise ValueError(f"this takes {needed:.3g} samples; ask for a larger epsilon")
    return max(1, math.ceil(needed))


def _distance_bound(structure: Structure, rows: FloatArray, n_steps: int, sampler: str) -> FloatArray:
    """Return how far a chain is from its distribution after so many steps at most, in total variation.

    ln 1/ε grows linearly with the mixing time for ε. Two of these, which are whole numbers of steps and at most one
    above that line, give the least slope that it may have.
    """
    near, far = (mixing_bound(structure, rows, sampler, epsilon) for epsilon in _DISTANCES)
    slope = math.log(_DISTANCES[0] / _DISTANCES[1]) / (far - near + 1.0)
    with np.errstate(invalid="ignore"):
        bound = np.where(n_steps >= near, _DISTANCES[0] * np.exp(-slope * (n_steps - near)), 1.0)
    return np.where(far == 0.0, 0.0, np.where(np.isfinite(far), bound, 1.0))


def _beta(log_beta: float) -> float:
    check_argument(log_beta, "log_beta", Interval(Real, None, 0, closed="both"))
    return math.exp(log_beta)
