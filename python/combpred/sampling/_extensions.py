"""Linear extensions of partial orders: sampling, counting, and the probability that one element precedes another."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln, polygamma
from sklearn.utils import check_random_state

from .._data.checks import check_share, choice, seed_of, whole_number
from .._data.glossary import documented
from .._data.relations import close_relations
from .._lib import abi
from .._lib.arrays import row_blocks
from .._lib.call import codes, get_n_threads
from .._lib.control import reported
from .._lib.errors import CapabilityError
from .._lib.names import EXTENSION_METHODS
from .._lib.sampling import FEW_DOWNSETS, MOST_DOWNSETS, extensions_common, extensions_count, extensions_sample

COUNT_METHODS = ("auto", "exact", "approximate")
_PILOT = 64  # draws that choose what to take away
_BATCH_NUMBERS = 2**22  # of a batch of draws


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
        About p: how many coins are flipped at once depends on it, the distribution of the result does not.
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


@documented
def linear_extensions(
    pairs: ArrayLike,
    n_elements: int,
    n_samples: int = 1,
    *,
    method: str = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.int32]:
    """Draw independent, uniform linear extensions of a partial order: total orders that agree with it.

    Parameters
    ----------
    %(pairs)s
    n_elements : int
        Elements are 0 to n_elements − 1; at most 2048.
    n_samples : int, default=1
        Number of orders to draw.
    method : {"auto", "counting", "coupling"}, default="auto"
        "counting": by a table of downsets, at most 2²² for each connected component (22 elements with any relations,
        more if there are many relations). "coupling": coupling from the past with the bounding chain of Huber (2006),
        in O(n³ log n) steps on average. "auto": counting for the components where it is possible, else coupling. All
        are exact.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.

    Returns
    -------
    orders : ndarray of shape (n_samples, n_elements), dtype=int32
        The elements of each order, first to last.

    Raises
    ------
    CapabilityError
        With "counting", when there are too many downsets.
    ValueError
        When the relations contain a cycle, or an element is out of range.

    References
    ----------
    Huber (2006), Fast perfect sampling from linear extensions.

    Examples
    --------
    >>> from combpred.sampling import linear_extensions
    >>> linear_extensions([(2, 0), (0, 1)], 3).tolist()
    [[2, 0, 1]]
    """
    choice(method, "method", EXTENSION_METHODS)
    n, n_threads = whole_number(n_elements, "n_elements", 1, 2048), get_n_threads(n_jobs)
    many = whole_number(n_samples, "n_samples", 1, 2**31 - 1)
    relation = relation_of(pairs)
    seed = seed_of(random_state)
    return extensions_sample(relation, n, many, method, seed, n_threads=n_threads)[0]


def relation_of(pairs: ArrayLike) -> NDArray[np.generic]:
    """Return pairs as an array, of shape (0, 2) where there are none."""
    relation = np.asarray(pairs)
    return relation if relation.size else np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class LinearExtensionCount:
    """The number of linear extensions of a partial order, or an estimate of it.

    Attributes
    ----------
    value : int
        The number, of any size; ``int()`` of this object returns it.
    log_value : float
        Its natural logarithm.
    lower, upper : int
        Bounds on the number: `value` where that is exact; otherwise they hold with probability 1 − `delta`.
    method : {"exact", "approximate"}
        How the number was found.
    epsilon, delta : float
        `value` is within the factors 1 − ε and 1 + ε of the number with probability at least 1 − δ; both are 0 where it
        is exact.
    n_samples : int
        Number of linear extensions drawn.
    """

    value: int
    log_value: float
    lower: int
    upper: int
    method: Literal["exact", "approximate"]
    epsilon: float
    delta: float
    n_samples: int

    def __int__(self) -> int:
        return self.value


@documented
def count_linear_extensions(
    pairs: ArrayLike,
    n_elements: int,
    *,
    method: str = "auto",
    epsilon: float = 0.1,
    delta: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LinearExtensionCount:
    r"""Count the linear extensions of a partial order, exactly or by an estimate with guaranteed error.

    Parameters
    ----------
    %(pairs)s
    n_elements : int
        Elements are 0 to n_elements − 1; at most 2048.
    method : {"auto", "exact", "approximate"}, default="auto"
        "exact": by dynamic programming over downsets, where parts that cannot be decomposed further have at most 2²⁴
        of them (24 elements with any relations, up to 64 with many). "approximate": by sampling, as the notes describe,
        until at most 2²¹ downsets are left, which are counted exactly. "auto": exact where possible; ``method`` of the
        result says which was used.
    epsilon : float, default=0.1
        Relative error of an estimate, between 0 and 1.
    delta : float, default=0.05
        Probability that the error is larger, between 0 and 1.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress, in samples drawn.

    Returns
    -------
    LinearExtensionCount

    Raises
    ------
    CapabilityError
        With "exact", when there are too many downsets or too many connected elements.
    ValueError
        When the relations contain a cycle, an element is out of range, or ε or δ is not between 0 and 1.

    Notes
    -----
    *Exact.* With e(D) extensions of the downset D, e(D) is the sum of e(D∖m) over the maximal elements m of D: O(n) for
    each downset. Before that, posets are decomposed where no relation joins two parts, whose orders are merged freely,
    and where all of one part comes before all of another: rankings with ties, of any size, are counted at once.

    *Approximate.* An element m is the last one (or the first) in a share p of the extensions of a part P, and
    :math:`\ell(P) = \ell(P \setminus m) / p`. Elements are removed until the rest can be counted exactly, those
    first whose p is largest in 64 draws. Let there be M of these levels. Then each p is estimated from new draws,
    independent and exactly uniform (coupling from the past): until k of them end in m, at draw N. With T drawn from
    Gamma(N), pT follows Gamma(k) whatever p is (Huber, 2017). So the error of

    .. math:: \ln \hat\ell = \ln \ell(P_M) + \sum_{i=1}^{M} (\ln T_i - \psi(k))

    is a sum of M independent logarithms of Gamma(k) variables less their means ψ(k), given the levels and so in all.
    Its distribution is known, and k is the least number for which Chernoff's bounds on its tails make
    :math:`P(|\hat\ell/\ell - 1| > \varepsilon) \leq \delta`, about :math:`2 M \ln(2/\delta)/\varepsilon^2`. That takes
    k/p draws for a level, each in :math:`O(n^3 \log n)` steps on average.

    Counting linear extensions is #P-complete (Brightwell and Winkler, 1991).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Huber, M. (2017). A Bernoulli mean estimate with known relative error distribution. *Random Structures & Algorithms*
    50.

    Examples
    --------
    >>> from combpred.sampling import count_linear_extensions
    >>> count_linear_extensions([(0, 1), (2, 1), (2, 3), (4, 3)], 5).value
    16
    >>> round(count_linear_extensions([], 100).log_value, 3)  # ln 100!
    363.739
    """
    choice(method, "method", COUNT_METHODS)
    n, n_threads = whole_number(n_elements, "n_elements", 1, 2048), get_n_threads(n_jobs)
    check_share(epsilon, "epsilon")
    check_share(delta, "delta")
    relation = codes(relation_of(pairs), "pairs", None, 2)
    limit = FEW_DOWNSETS if method == "approximate" else MOST_DOWNSETS
    try:
        return _exact(extensions_count(relation, n, most_downsets=limit, n_threads=n_threads))
    except CapabilityError as error:
        if method == "exact":
            raise CapabilityError(f"{error}: take method='approximate'") from None
    rng = check_random_state(random_state)
    return estimate_count(
        relation, n, float(epsilon), float(delta), rng, small=FEW_DOWNSETS, n_threads=n_threads, verbose=verbose
    )


def _exact(number: int) -> LinearExtensionCount:
    return LinearExtensionCount(number, math.log(number), number, number, "exact", 0.0, 0.0, 0)


@dataclass(frozen=True)
class _Level:
    """A part of n elements, and the element that is taken away from one end of its orders."""

    pairs: NDArray[np.int32]
    n: int
    element: int
    place: int  # 0 or −1
    share: float  # of orders with it there, about


def estimate_count(
    pairs: NDArray[np.int32],
    n: int,
    epsilon: float,
    delta: float,
    rng: np.random.RandomState,
    *,
    small: int,
    n_threads: int | None = None,
    verbose: int = 0,
) -> LinearExtensionCount:
    """Estimate as `count_linear_extensions` does, counting parts of up to `small` downsets exactly.

    `pairs` must be free of cycles.
    """
    control = abi.Control()
    with reported(control, "counting linear extensions", verbose=verbose):

        def draw(relation: NDArray[np.int32], size: int, many: int) -> NDArray[np.int32]:
            seed = int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64))
            orders = extensions_sample(relation, size, many, "coupling", seed, n_threads=n_threads)[0]
            control.step += many
            return orders

        known, levels, posets = 1, [], [closed_relation(pairs, n)]
        while posets:
            merges, parts = _inseparable(posets.pop())
            known *= merges
            for before in parts:
                relation = np.argwhere(before).astype(np.int32)
                try:
                    known *= extensions_count(relation, len(before), most_downsets=small, n_threads=n_threads)
                except CapabilityError:
                    level = _level(relation, len(before), draw(relation, len(before), _PILOT))
                    levels.append(level)
                    posets.append(np.delete(np.delete(before, level.element, axis=0), level.element, axis=1))
        if not levels:
            return _exact(known)
        successes = successes_needed(len(levels), epsilon, delta)
        log_factor = 0.0
        for level in levels:

            def ends(many: int, at: _Level = level) -> NDArray[np.bool_]:
                return np.asarray(draw(at.pairs, at.n, many)[:, at.place] == at.element)

            most = max(1, _BATCH_NUMBERS // level.n)
            log_factor += log_inverse(ends, successes, level.share, rng, most)
    value, lower, upper = (_scaled(known, log_factor - off) for off in (0.0, math.log1p(epsilon), math.log1p(-epsilon)))
    return LinearExtensionCount(
        round(value),
        math.log(known) + log_factor,
        math.floor(lower),
        math.ceil(upper),
        "approximate",
        epsilon,
        delta,
        int(control.step),
    )


def closed_relation(pairs: NDArray[np.int32], n: int) -> NDArray[np.bool_]:
    """Return the matrix of the relation and all that follows from it."""
    before = np.zeros((n, n), dtype=np.bool_)
    before[pairs[:, 0], pairs[:, 1]] = True
    close_relations(before)
    return before


def _inseparable(before: NDArray[np.bool_]) -> tuple[int, list[NDArray[np.bool_]]]:
    """Take a closed relation apart: the number of ways to merge the orders of its parts, and those of two elements on.

    What no relation joins is merged in any way, and what comes wholly before another part in one way.
    """
    ways, parts, left = 1, [], [before]
    while left:
        whole = left.pop()
        related = whole | whole.T
        sets = _connected(related)
        if len(sets) > 1:
            ways *= math.factorial(len(whole)) // math.prod(math.factorial(len(each)) for each in sets)
        else:
            sets = _connected(~related)
        if len(sets) > 1:
            left.extend(whole[np.ix_(each, each)] for each in sets)
        elif len(whole) > 1:
            parts.append(whole)
    return ways, parts


def _connected(joined: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return the connected components of a graph. Costs O(n²)."""
    sets, left = [], np.ones(len(joined), dtype=np.bool_)
    while left.any():
        inside = np.zeros_like(left)
        new = np.zeros_like(left)
        new[np.argmax(left)] = True
        while new.any():
            inside |= new
            new = joined[new].any(axis=0) & ~inside
        sets.append(np.flatnonzero(inside))
        left &= ~inside
    return sets


def _level(pairs: NDArray[np.int32], n: int, orders: NDArray[np.int32]) -> _Level:
    """Choose the element, and the end, that most of the orders agree in."""
    shares = np.stack([np.bincount(orders[:, place], minlength=n) / len(orders) for place in (0, -1)])
    end, element = np.unravel_index(int(np.argmax(shares)), shares.shape)
    return _Level(pairs, n, int(element), -int(end), float(shares[end, element]))


def _scaled(number: int, log_factor: float) -> Fraction:
    """Return number · exp(log_factor), which may be far beyond floats."""
    power = math.floor(log_factor / math.log(2))
    factor = Fraction(math.exp(log_factor - power * math.log(2)))
    return number * factor * Fraction(2) ** power


@documented
def linear_extension_probabilities(
    pairs: ArrayLike, n_elements: int, *, n_jobs: int | None = None, verbose: int = 0
) -> NDArray[np.float64]:
    r"""Return the probability that u precedes v in a uniform linear extension of a partial order, for all pairs.

    Parameters
    ----------
    %(pairs)s
    n_elements : int
        Elements are 0 to n_elements − 1; at most 2048.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress.

    Returns
    -------
    before : ndarray of shape (n_elements, n_elements)
        ``before[u, v]`` is exact up to rounding, and 0 on the diagonal.

    Raises
    ------
    CapabilityError
        When the extensions cannot be counted exactly, see :func:`count_linear_extensions`. Frequencies in orders drawn
        by :func:`linear_extensions` are estimates.
    ValueError
        When the relations contain a cycle, or an element is out of range.

    Notes
    -----
    The mean position of v, counted from 1, is ``1 + before[:, v].sum()``: sorting by it is Borda's consensus of all
    linear extensions.

    Cost: one count of the extensions for each pair that the partial order leaves open, with that pair added.

    Examples
    --------
    >>> from combpred.sampling import linear_extension_probabilities
    >>> before = linear_extension_probabilities([(0, 1)], 3)
    >>> before.round(3)
    array([[0.   , 1.   , 0.667],
           [0.   , 0.   , 0.333],
           [0.333, 0.667, 0.   ]])
    >>> (1 + before.sum(axis=0)).round(3)  # mean positions
    array([1.333, 2.667, 2.   ])
    """
    n, n_threads = whole_number(n_elements, "n_elements", 1, 2048), get_n_threads(n_jobs)
    relation = codes(relation_of(pairs), "pairs", None, 2)
    try:
        extensions_count(relation, n, n_threads=n_threads)
    except CapabilityError as error:
        raise CapabilityError(f"{error}: average over linear_extensions(pairs, n_elements, n_samples)") from None
    given = closed_relation(relation, n)
    before = given.astype(np.float64)
    u, v = np.triu_indices(n, 1)
    base = given[u, v].astype(np.int32) - given[v, u].astype(np.int32)
    unsaid = np.flatnonzero(base == 0)
    for block in row_blocks(len(unsaid), len(base)):
        at = unsaid[block]
        signs = np.tile(base, (len(at) + 1, 1))
        signs[np.arange(len(at)), at] = 1
        counts = extensions_common(signs, base[np.newaxis], n, n_threads=n_threads, verbose=verbose)[:, 0]
        if np.isnan(counts).any():
            raise CapabilityError(
                f"{n} elements: with one pair more, linear extensions cannot be counted exactly; average over "
                "linear_extensions(pairs, n_elements, n_samples)"
            )
        before[u[at], v[at]] = np.exp(counts[:-1] - counts[-1])
        before[v[at], u[at]] = 1.0 - before[u[at], v[at]]
    return before
