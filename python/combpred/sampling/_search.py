"""Searches for the output of largest score along Markov chains, and the probability that a chain is there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument, choice, seed_of, share, whole_number
from .._data.glossary import documented
from .._lib.arrays import CountArray, FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError, RowError
from .._lib.names import RANDOM_DECODERS
from .._lib.partition import log_partition as exact_sums
from .._lib.table import floats
from ..structures import Structure
from ._sums import log_partition
from .samplers import rows_of
from .theory import _distance_bound

_MOST_STEPS = 2**40


@dataclass(frozen=True, eq=False)
class SearchResult:
    r"""Outputs that a search found for n rows of scores, and what is known about them.

    Attributes
    ----------
    y : ndarray of n rows
        The best output of all runs, in the structure's format.
    value : ndarray of shape (n,)
        Its score.
    upper_bound : ndarray of shape (n,)
        A proven bound on the scores of all outputs; infinite where none is known.
    nu : ndarray of shape (n,)
        The guarantee :math:`\mathrm{value} \ge (1-\nu)\max + \nu\min` over all outputs.
    is_optimal : ndarray of shape (n,), dtype=bool
        Whether no output is proven to score more.
    temperature : ndarray of shape (n,)
        T on the last level, :math:`1/\ln\alpha`; NaN where the output was proven optimal without a step.
    n_steps, n_accepted : ndarray of shape (n,), dtype=int64
        Steps of all runs, and how many of these were accepted.
    success : ndarray of shape (n,)
        A bound from below on the probability that such a search finds an output of largest score: 1 where the one found
        is proven to be; :math:`1 - (1 - 1/|Y|)^t` for t uniform proposals; 0 where nothing is proven.
    """

    y: NDArray[Any]
    value: FloatArray
    upper_bound: FloatArray
    nu: FloatArray
    is_optimal: NDArray[np.bool_]
    temperature: FloatArray
    n_steps: CountArray
    n_accepted: CountArray
    success: FloatArray


@documented
def search(
    structure: Structure,
    scores: ArrayLike,
    *,
    schedule: str | ArrayLike = "anneal",
    alpha: float | None = None,
    proposals: str = "auto",
    n_steps: int | None = None,
    n_runs: int = 1,
    epsilon: float | None = None,
    delta: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> SearchResult:
    r"""Search along Markov chains for an output of largest score for each row of scores.

    With scores :math:`h(y) = \langle s, \psi(y)\rangle` of a row s, a proposal z from y is accepted with probability
    :math:`\min(1, \alpha^{h(z)-h(y)})`, where :math:`\alpha = e^{1/T}`. The best output on the way is returned.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    %(scores)s
    schedule : {"anneal", "metropolis"} or array-like of shape (n_levels,), default="anneal"
        The temperatures T, on levels that share the steps of a run equally.

        - "anneal": from R, a bound on the range of scores, or the range of some uniform draws where the functions of a
          `Custom` structure prove none, by the factor :math:`1 - 1/\sqrt n` from level to level, n
          being the number of parts of an output, such as labels (the schedule of Kalai and Vempala, 2006), to
          :math:`R/(4n)^2`, or to what `epsilon` asks for;
        - "metropolis": one, which `alpha` gives, or R/(10n);
        - an array: these, in the units of scores.
    alpha : float, default=None
        For "metropolis": α above 1; None: exp(10n/R).
    proposals : {"auto", "local", "uniform"}, default="auto"
        "local": the structure's moves, or those of `propose` of a `Custom` one. "uniform": uniform outputs, the chain
        MC(α). "auto": "local" where there are moves.
    n_steps : int, default=None
        Steps of a run. None: some :math:`10^5`, as the decoders "anneal" and "metropolis" make; of a `Custom` structure
        given by functions, its `n_proposals`.
    n_runs : int, default=1
        Number of independent runs, of which the best output is kept. The first starts at the guaranteed solution of
        structures that have one, or at what `decode` of a `Custom` structure finds, the others at uniform outputs.
    epsilon : float, default=None
        For "anneal", above 0: T falls to :math:`\varepsilon/\ln(|Y|/\delta)`. A draw at that temperature is within
        `epsilon` of the largest score with probability 1 − `delta`. Chains give draws in the limit, after
        `theory.mixing_bound` steps for certain.
    delta : float, default=0.05
        With `epsilon`, without which it has no effect: between 0 and 1. How many runs find a best output with
        probability 1 − `delta` is what ``optimum_probability(...).n_draws(delta)`` says.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream, which follows from its scores: an integer gives a
        row the same output whatever the number of threads or the other rows. Equal rows are searched independently.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show progress.

    Returns
    -------
    SearchResult

    Raises
    ------
    CapabilityError
        When the structure lacks the proposals; when the number of its outputs is not known, for `epsilon`.
    ValueError, TypeError
        When a score is not finite, or a parameter out of its range or given to a schedule that does not take it.

    Notes
    -----
    **Uniform proposals never gain by α.** A proposal that beats all before it beats the present output, and is
    accepted: the best of t proposals is that of t uniform draws, at any temperature. And a chain that is run until it
    is near :math:`\pi_\alpha` and started again until it ends at an optimum is no faster: with :math:`\beta =
    E\,\alpha^{h - \max h}` a run takes 1/β steps (`theory.meta_mixing_bound`), and N best outputs of all have the
    probability :math:`N/(|Y|\beta)`, hence :math:`|Y|/N` steps in all. What α and schedules are for are local moves.

    **A guarantee for finite sets.** Kalai and Vempala prove that annealing minimises a linear function on a convex set:
    there a draw at temperature T is n T from the optimum in the mean. Outputs are no convex set; what holds for them is
    :math:`P(h < \max h - \varepsilon) \le |Y| e^{-\varepsilon/T}`, the reason for `epsilon`. That the chains of
    successive levels stay near their distributions is proven for convex sets only.

    A step costs one move and what it gains, O(n) to O(d), or one uniform output and its embedding.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 7, where small α are said to concentrate the
    distribution; large ones do. Kalai and Vempala (2006), Simulated annealing for convex optimization.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Permutations
    >>> scores = np.random.default_rng(0).normal(size=(2, 28))
    >>> found = sampling.search(Permutations(8), scores, n_steps=2000, n_runs=3, random_state=0)
    >>> bool((found.y == Permutations(8).decode(scores, decoder="exact")).all())
    True
    >>> sampling.search(Permutations(3), [1.0, -2.0, 0.5], proposals="uniform", n_steps=20, random_state=0).success
    array([0.97391595])
    """
    rows, n_threads = rows_of(structure, scores), get_n_threads(n_jobs)
    steps = 0 if n_steps is None else whole_number(n_steps, "n_steps", 1, _MOST_STEPS)
    if epsilon is not None:
        check_argument(epsilon, "epsilon", Interval(Real, 0, None, closed="neither"))
    method, temperatures = _temperatures(schedule, alpha)
    space: Any = structure.space
    find = partial(space.search, n_threads=n_threads) if space.in_library else space.search
    found = find(
        rows, method=method, proposals=proposals, temperatures=temperatures, epsilon=epsilon or 0.0, delta=delta,
        steps=steps, runs=n_runs, seed=seed_of(random_state), verbose=verbose,
    )  # fmt: skip
    return SearchResult(space.decode_parts(found.y), *found[1:])


def _temperatures(schedule: str | ArrayLike, alpha: float | None) -> tuple[str, FloatArray]:
    """Return the method of the library, and temperatures in place of its own."""
    if alpha is not None:
        if not (isinstance(schedule, str) and schedule == "metropolis"):
            raise ValueError("alpha is for schedule='metropolis'; leave it out, or take that schedule")
        return "metropolis", np.array([1 / _log_alpha(alpha)])
    if isinstance(schedule, str):
        return choice(schedule, "schedule", RANDOM_DECODERS), np.empty(0)
    given = floats(schedule, "schedule", None)
    if not len(given):
        raise ValueError("schedule has no temperatures; at least 1 is needed")
    return "anneal", given


def _log_alpha(alpha: float) -> float:
    check_argument(alpha, "alpha", Interval(Real, 1, None, closed="neither"))
    return math.log(alpha)


@dataclass(frozen=True, eq=False)
class OptimumProbability:
    r"""The probability of one output of largest score, for n rows of scores.

    It is :math:`\alpha^{\max h}/Z(\alpha)`.

    Attributes
    ----------
    value : ndarray of shape (n,)
        That of a single best output; where N outputs score alike, together they have N times as much. After a number of
        steps, what is proven of it.
    lower, upper : ndarray of shape (n,)
        Bounds, from those of the partition function and of the decoder; equal to `value` where both are exact.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray

    def n_draws(self, delta: float = 0.05) -> FloatArray:
        r"""Return how many independent draws contain a best output with probability 1 − `delta`, for each row.

        Parameters
        ----------
        delta : float, default=0.05
            Between 0 and 1.

        Returns
        -------
        n_draws : ndarray of shape (n,)
            :math:`\lceil \ln\delta / \ln(1-p)\rceil` for the lower bound p: whole numbers, infinite where p is 0.

        Raises
        ------
        ValueError
            When `delta` is not between 0 and 1.
        """
        share(delta, "delta")
        with np.errstate(divide="ignore", over="ignore"):
            draws: FloatArray = np.maximum(1.0, np.ceil(math.log(delta) / np.log1p(-self.lower)))
        return draws


@documented
def optimum_probability(
    structure: Structure,
    scores: ArrayLike,
    alpha: float = math.e,
    *,
    n_steps: int | None = None,
    chain: str = "local",
    **options: Any,
) -> OptimumProbability:
    r"""Return the probability of an output of largest score for each row of scores.

    The distribution is :math:`\pi_\alpha(y) \propto \alpha^{h(y)}`, where h(y) is the score of y.

    That is the probability that a chain MC(α) in its stationary distribution is at an optimum, the thesis's open
    question: :math:`\pi_\alpha(y^*) = \alpha^{\max h}/Z(\alpha)`, by the decoder and the partition function.

    Parameters
    ----------
    structure : Structure
        With its sizes known.
    %(scores)s
    alpha : float, default=e
        Above 1; e gives :math:`p(y) \propto \exp h(y)`.
    n_steps : int, default=None
        Steps of the chain, from any start. Bounds are then those of the probability that it is at that output after
        so many, where `theory.mixing_bound` proves how near it is to its distribution. None: in that distribution.
    chain : {"local", "meta", "cube"}, default="local"
        With `n_steps`: the chain, as for :func:`sample`.
    **options
        Of :func:`log_partition`, such as ``method="annealed"`` and ``epsilon``, whose bounds become those of the
        result.

    Returns
    -------
    OptimumProbability
        With arrays `value`, `lower` and `upper`, and the method `n_draws`.

    Raises
    ------
    CapabilityError
        As :func:`log_partition`, and where the structure has no decoder; with `n_steps`, as `theory.mixing_bound`.
    ValueError, TypeError
        When `alpha` is out of its range, or a score not finite.

    Notes
    -----
    It never falls as α grows, from ``1/|Y|`` to 1/N for N outputs of largest score; see :func:`least_alpha`. The cost
    is that of one decoding and one partition function for each row.

    After t steps a chain is within :math:`\frac12 (1-\gamma)^t/\sqrt{\min \pi_\alpha}` of it in total variation,
    and its probability of being at the output is at least :math:`\pi_\alpha(y^*)` less that: `value` and `lower` are 0
    where t is too small to tell. `n_draws` then says how many such chains are enough.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 7.

    Examples
    --------
    >>> from combpred import sampling
    >>> from combpred.structures import MultiClass
    >>> found = sampling.optimum_probability(MultiClass(3), [1.0, 0.0, 0.0], alpha=2.0)
    >>> found.value, found.n_draws(0.01)
    (array([0.5]), array([7.]))
    """
    inverse = _log_alpha(alpha)
    rows = rows_of(structure, scores)
    best = structure.space.decode(rows)
    log_z = log_partition(structure, inverse * rows, **options)

    def probability(score: FloatArray, log_sum: FloatArray) -> FloatArray:
        return np.minimum(1.0, np.exp(inverse * score - log_sum))

    value, lower = probability(best.value, log_z.value), probability(best.value, log_z.upper)
    upper = probability(best.upper_bound, log_z.lower)
    if n_steps is not None:
        far = _distance_bound(structure, inverse * rows, whole_number(n_steps, "n_steps", 0, _MOST_STEPS), chain)
        value, lower, upper = np.maximum(value - far, 0.0), np.maximum(lower - far, 0.0), np.minimum(upper + far, 1.0)
    return OptimumProbability(value, lower, upper)


@documented
def least_alpha(structure: Structure, scores: ArrayLike, probability: float = 0.5) -> FloatArray:
    r"""Return the smallest α for which a draw is an output of largest score often enough.

    Draws are from the distribution :math:`\pi_\alpha` of `optimum_probability`.

    Parameters
    ----------
    structure : Structure
        With its sizes known, small enough for exact decoding and exact partition functions.
    %(scores)s
    probability : float, default=0.5
        What :func:`optimum_probability` is to be, between 0 and 1.

    Returns
    -------
    alpha : ndarray of shape (n,)
        Within 1e-9, relative to ln α. 1 where uniform draws do; infinite where α is beyond the largest float.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact decoding or exact partition functions.
    ValueError
        When a score is not finite; when so many outputs share the largest score that none has that probability. Names
        the row.

    Notes
    -----
    ln α is found by bisection, with some 50 partition functions for each row.

    Examples
    --------
    >>> from combpred import sampling
    >>> from combpred.structures import MultiClass
    >>> sampling.least_alpha(MultiClass(3), [1.0, 0.0, 0.0]).round(6)
    array([2.])
    """
    share(probability, "probability")
    rows, wanted = rows_of(structure, scores), math.log(probability)
    best = structure.space.decode(rows)
    if not best.optimal.all():
        row = int(np.argmin(best.optimal))
        remedy = "take a smaller size" if structure.space.in_library else "take one that lists its outputs"
        raise CapabilityError(f"the largest score is not proven to be the largest of {structure!r}: {remedy}", row)

    def log_weight(inverse: FloatArray) -> FloatArray:
        return inverse * best.value - exact_sums(structure.space.sums, inverse[:, None] * rows).log_z

    scale = np.abs(rows).sum(axis=1)
    scale[scale == 0] = 1
    low, high = np.zeros(len(rows)), 1 / scale
    found = log_weight(low) >= wanted
    while not (reached := found | (log_weight(high) >= wanted)).all():
        if (~reached & (high * scale > 2.0**40)).any():
            row = int(np.argmax(~reached))
            n_best = round(math.exp(-log_weight(high)[row]))
            said = f"{n_best} outputs share the largest score, so that none has probability {probability}; lower it"
            raise RowError(row, said)
        high = np.where(reached, high, 2 * high)
    while (high - low > 1e-9 * high).any():
        middle = (low + high) / 2
        enough = log_weight(middle) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    with np.errstate(over="ignore"):
        alpha: FloatArray = np.where(found, 1.0, np.exp(high))
    return alpha
