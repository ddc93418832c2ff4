"""Linear extensions of partial orders: sampling, counting, and the probability that one element precedes another."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import choice, require_integers, seed_of, share, whole_number
from .._data.glossary import documented
from .._data.names import Names, checked_names
from .._data.targets import TargetError, meant, summary
from .._lib.arrays import FloatArray, IntArray
from .._lib.call import computed, get_n_threads
from .._lib.errors import CapabilityError
from .._lib.sampling import FEW_DOWNSETS, MOST_DOWNSETS, extensions_count
from .._lib.table import codes

COUNT_METHODS = ("auto", "exact", "approximate")


@documented
def linear_extensions(
    pairs: ArrayLike,
    n_elements: int | Sequence[Hashable],
    n_samples: int = 1,
    *,
    method: str = "auto",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> IntArray:
    """Draw independent, uniform linear extensions of a partial order: total orders that agree with it.

    Parameters
    ----------
    %(pairs)s
    %(n_elements)s
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
    orders : ndarray of shape (n_samples, n_elements), dtype=int32 or object
        The elements of each order, first to last; of dtype object, by their names, if these are given.

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
    >>> linear_extensions([("tea", "milk"), ("milk", "juice")], ["juice", "milk", "tea"]).tolist()
    [['tea', 'milk', 'juice']]
    """
    many, n_threads = whole_number(n_samples, "n_samples", 1, 2**31 - 1), get_n_threads(n_jobs)
    relation, n, names = _poset(pairs, n_elements)
    given = relation, method, seed_of(random_state)
    orders, _ = computed("cp_extensions_sample", *given, n_samples=many, n_elements=n, n_threads=n_threads)
    return orders if names is None else np.array(names, dtype=object)[orders]


def _poset(pairs: Any, n_elements: Any) -> tuple[IntArray, int, Names | None]:
    """Return pairs as an array (n, 2), the number of elements, and their names."""
    listed = pairs if hasattr(pairs, "__array__") else list(pairs)
    if np.ndim(n_elements) == 0:
        require_integers(n_elements=n_elements)
        return codes(listed if len(listed) else np.empty((0, 2), np.int32), "pairs"), n_elements, None
    names = checked_names(n_elements, "n_elements")
    number = {name: at for at, name in enumerate(names)}
    before: TopologicalSorter[Hashable] = TopologicalSorter()  # Python 3.10 cannot subscript it
    numbered = np.empty((len(listed), 2), dtype=np.int32)
    for i, pair in enumerate(np.asarray(listed, dtype=object)):
        if isinstance(pair, str) or np.shape(pair) != (2,):
            raise TargetError(i, f"found {pair!r:.60}, which is no pair of elements (u, v)", "pairs")
        for name in pair:
            if name not in number:
                said = f"{name!r} is no element; n_elements are {summary(names)}{meant(name, names)}"
                raise TargetError(i, said, "pairs")
        before.add(pair[1], pair[0])
        numbered[i] = number[pair[0]], number[pair[1]]
    try:
        before.prepare()
    except CycleError as error:  # which the core would call by numbers
        raise ValueError(f"pairs lead from an element back to it: {', '.join(map(repr, error.args[1]))}") from None
    return numbered, len(names), names


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

    def __repr__(self) -> str:
        shown = [f"{name}={_rounded(value)}" for name, value in vars(self).items()]
        return f"{type(self).__name__}({', '.join(shown)})"


def _rounded(value: object) -> str:
    """Return a value as it is shown: integers of more digits than Python prints by their logarithm."""
    return f"10^{math.log10(value):.4f}" if isinstance(value, int) and value >= 10**60 else repr(value)


@documented
def count_linear_extensions(
    pairs: ArrayLike,
    n_elements: int | Sequence[Hashable],
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
    %(n_elements)s
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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.1.

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
    n_threads = get_n_threads(n_jobs)
    epsilon, delta = share(epsilon, "epsilon"), share(delta, "delta")
    relation, n, _ = _poset(pairs, n_elements)
    if method != "approximate":
        try:
            return _exact(extensions_count(relation, n, n_threads).value)
        except CapabilityError:
            if method == "exact":
                raise
    found = extensions_count(
        relation, n, n_threads, verbose, epsilon=epsilon, delta=delta, seed=seed_of(random_state),
        most_downsets=FEW_DOWNSETS,
    )  # fmt: skip
    if not found.n_levels:
        return _exact(found.value)
    lower = math.floor((found.value - Fraction(1, 2)) / (1 + Fraction(epsilon)))  # the value is rounded
    upper = math.ceil((found.value + Fraction(1, 2)) / (1 - Fraction(epsilon)))
    return LinearExtensionCount(
        found.value, found.log_count, lower, upper, "approximate", epsilon, delta, found.n_samples
    )


def _exact(number: int) -> LinearExtensionCount:
    return LinearExtensionCount(number, math.log(number), number, number, "exact", 0.0, 0.0, 0)


@documented
def linear_extension_probabilities(
    pairs: ArrayLike, n_elements: int | Sequence[Hashable], *, n_jobs: int | None = None, verbose: int = 0
) -> FloatArray:
    r"""Return the probability that u precedes v in a uniform linear extension of a partial order, for all pairs.

    Parameters
    ----------
    %(pairs)s
    %(n_elements)s
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress.

    Returns
    -------
    before : ndarray of shape (n_elements, n_elements)
        ``before[u, v]`` is exact up to rounding, and 0 on the diagonal. Names of elements keep their order.

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
    relation, n, _ = _poset(pairs, n_elements)
    return computed(
        "cp_extensions_before", relation, MOST_DOWNSETS, n_elements=n, n_threads=get_n_threads(n_jobs),
        label="probabilities of linear extensions", verbose=verbose,
    )  # fmt: skip
