"""Partition functions and numbers of outputs: exact, expanded, or estimated from draws."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from .._data.checks import choice, seed_of, whole_number
from .._data.glossary import documented
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, require_memory
from .._lib.call import get_n_threads, row_streams
from .._lib.errors import ApproximationWarning, CapabilityError
from .._lib.names import MEANS_METHODS, PARTITION_METHODS
from .._lib.partition import Asked, Estimates, estimate, estimate_own
from ..structures import Structure
from .samplers import bounds_of_rows, method_of, require_structure, rows_of


@dataclass(frozen=True, eq=False)
class AnnealingDetails:
    r"""Details of partition functions that annealing estimated for n rows of scores.

    Attributes
    ----------
    n_steps : ndarray of shape (n,), dtype=int64
        Steps of chains, or proposals, made for the draws.
    schedules : tuple of n ndarrays of shape (l + 1,)
        Levels β from 0 to 1.
    n_level_samples : ndarray of shape (n,), dtype=int64
        Draws in each batch of a repeat. A repeat has a batch at each level but the first or, with "adaptive", two for
        each step between levels.
    n_repeats : ndarray of shape (n,), dtype=int64
        Number of independent estimates; the value is their median.
    sampler : ndarray of shape (n,), dtype=str
        The sampler used, as "auto" resolved it.
    schedule : {"adaptive", "uniform", "thesis"}
        The kind of schedule.
    converged : ndarray of shape (n,), dtype=bool
        False where chains did not converge within their budget of steps. Always true for exact samplers.
    acceptance : ndarray of shape (n,)
        Share of accepted steps.
    effective_share : ndarray of shape (n,)
        Effective sample size over number of draws, at the level where that is smallest; 1 for exact samplers.
    r_hat : ndarray of shape (n,)
        Split R̂ of the scores, at the level where it is largest; 1 for exact samplers.
    """

    n_steps: NDArray[np.int64]
    schedules: tuple[FloatArray, ...]
    n_level_samples: NDArray[np.int64]
    n_repeats: NDArray[np.int64]
    sampler: NDArray[np.str_]
    schedule: str
    converged: NDArray[np.bool_]
    acceptance: FloatArray
    effective_share: FloatArray
    r_hat: FloatArray


@dataclass(frozen=True, eq=False)
class TaylorDetails:
    r"""Details of the Taylor expansion of ln Z for n rows of scores.

    Attributes
    ----------
    expansion : ndarray of shape (n,)
        The value of the expansion, which may be outside the bounds where scores are far from 0.
    marginals : ndarray of shape (n, d)
        Gradients of the expansion, which approximate :math:`E\,\psi`.
    spread : ndarray of shape (n,)
        Bounds on :math:`|\langle s, \psi(y) - \mu\rangle|` over all outputs; the approximation is good where they are
        at most 1. NaN where nothing is proven about the scores of a user's own structure.
    """

    expansion: FloatArray
    marginals: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class LogPartition:
    r"""Logarithms of the partition functions of n rows of scores, with bounds.

    That of a row s is :math:`Z = \sum_y \exp\langle s, \psi(y)\rangle`.

    Attributes
    ----------
    value : ndarray of shape (n,)
        ln Z, exact or estimated.
    lower, upper : ndarray of shape (n,)
        Bounds on ln Z. "exact": `value`, to which ln Z is equal up to rounding. "annealed": the logarithms of
        :math:`\hat Z / (1 + \varepsilon)` and :math:`\hat Z / (1 - \varepsilon)` for the estimate :math:`\hat Z`. They
        contain ln Z with probability 1 − δ for each row on its own; along chains only as far as their convergence can
        be judged. "taylor": bounds that always hold, by the uniform mean of the scores and a bound on the largest;
        `value` is clipped to them.
    method : {"exact", "annealed", "taylor"}
        The method, the same for all rows.
    is_guaranteed : ndarray of shape (n,), dtype=bool
        True where the bounds are guaranteed: those of "exact" and "taylor", and those of estimates from independent
        draws that were exactly distributed. False along chains.
    n_samples : ndarray of shape (n,), dtype=int64
        Outputs drawn in total, including those that determined the schedule; 0 where none were drawn.
    details : AnnealingDetails, TaylorDetails or None
        Details of the method; None where values are exact.

    Examples
    --------
    >>> from combpred.sampling import log_partition
    >>> from combpred.structures import Permutations
    >>> found = log_partition(Permutations(3), [[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    >>> found.method, found.value.round(4)
    ('exact', array([1.7918, 2.4566]))
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    method: str
    is_guaranteed: NDArray[np.bool_]
    n_samples: NDArray[np.int64]
    details: AnnealingDetails | TaylorDetails | None = None

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Whether the value of each row is exact up to rounding, rather than an estimate or an approximation."""
        return np.full(len(self.value), self.method == "exact")


@dataclass(frozen=True)
class CountEstimate:
    """The logarithm of a number of outputs, estimated from repeats.

    Attributes
    ----------
    value : float
        The estimate of the natural logarithm.
    lower, upper : float
        Bounds that contain it with probability 1 − δ: those of a number within a factor of 1 ± ε.
    n_samples : int
        Outputs drawn.
    n_repeats : int
        How many of them had been drawn before.
    """

    value: float
    lower: float
    upper: float
    n_samples: int
    n_repeats: int


_FEW_PROPOSALS = 1000  # for one exact draw, by functions of Python, that are taken where a chain would do
_TRIED = 256  # draws by which that is told
#: Most draws by which outputs are counted, unless a user says otherwise.
MAX_DRAWS = 10**6

_HELD: WeakKeyDictionary[object, dict[tuple[float, float], CountEstimate]] = WeakKeyDictionary()


def log_z_of(structure: Structure, rows: FloatArray, asked: Asked) -> LogPartition:
    """Return ln Z of rows of finite scores (n, d) by one of the methods of `log_partition`."""
    if asked.method == "taylor":
        check_taylor(structure)
        found = warned_expansion(structure, rows, asked)
    elif asked.method == "exact" or structure.space.in_library:
        found = estimated(structure, rows, asked)
    else:
        found = _annealed_own(structure, rows, asked)
    details: AnnealingDetails | TaylorDetails | None = None
    if found.method == "annealed":
        details = AnnealingDetails(
            n_steps=found.steps, schedules=found.schedules, n_level_samples=found.level_samples,
            n_repeats=found.repeats, sampler=found.sampler, schedule=asked.schedule, converged=warn_of_chains(found),
            acceptance=found.accepted / found.steps, effective_share=found.effective_share, r_hat=found.r_hat,
        )  # fmt: skip
    elif found.method == "taylor":
        details = TaylorDetails(found.expansion, found.marginals, found.spread)
    return LogPartition(found.value, found.lower, found.upper, found.method, found.guaranteed, found.samples, details)


def _annealed_own(structure: Structure, rows: FloatArray, asked: Asked) -> Estimates:
    """Return estimates of ln Z by the user's own sampler; the number of outputs is estimated if it is unknown.

    The relative errors of the number and of its ratio to Z are then equal, and the probabilities that they are larger.
    """
    asked, counted = replace(asked, method="annealed"), None
    try:
        log_count = structure.log_count()
    except CapabilityError:
        asked = replace(asked, epsilon=math.sqrt(1.0 + asked.epsilon) - 1.0, delta=asked.delta / 2.0)
        counted = _count_for(structure, asked)
        log_count = counted.value
    found = estimated(structure, rows, asked, log_count)
    if counted is not None:
        found.lower += counted.lower - counted.value
        found.upper += counted.upper - counted.value
        found.samples += counted.n_samples
    return found


def _count_for(structure: Structure, asked: Asked) -> CountEstimate:
    """Return an estimate for a structure from a sampler, made once, with the seed of the structure."""
    held, key = _HELD.setdefault(structure.space, {}), (asked.epsilon, asked.delta)
    if key not in held:
        seed = int(structure.get_params()["random_state"])
        held[key] = _count_by_repeats(structure, replace(asked, max_steps=MAX_DRAWS, seed=seed))
    return held[key]


def _count_by_repeats(structure: Structure, asked: Asked) -> CountEstimate:
    """Return the number of outputs as `estimate_count` does."""
    found = estimated(structure, np.zeros((1, structure.n_features)), replace(asked, method="repeats"))
    return CountEstimate(
        *(getattr(found, name)[0].item() for name in ("value", "lower", "upper", "samples", "repeats"))
    )


def estimated(structure: Structure, rows: FloatArray, asked: Asked, log_count: float = math.nan) -> Estimates:
    """Return estimates of E ψ or of ln Z, which the method says, for rows of finite scores (n, d)."""
    means, space = asked.method in MEANS_METHODS, structure.space
    found, label = Estimates(*rows.shape, means=means, errors=means), "sampling" if means else "annealing"
    if asked.method == "exact" or space.in_library:
        return estimate(space.sums, rows, asked, found, label=label)
    if asked.sampler == "local":
        method_of(structure, "local")  # what it lacks
    if asked.bound is None and asked.method != "repeats":
        asked = _with_bounds(structure, rows, asked)
    rngs = [np.random.default_rng([asked.seed % 2**64, stream]) for stream in row_streams(rows)]
    own: Any = space
    has_mean = asked.method == "counting" and structure.moments_info.kind == "exact"  # else the library refuses
    return estimate_own(
        rows, asked, found, own.outputs(rngs.__getitem__).move, moves=asked.sampler == "local", log_count=log_count,
        mean=structure.mean() if has_mean else None, label=label,
    )  # fmt: skip


def _with_bounds(structure: Structure, rows: FloatArray, asked: Asked) -> Asked:
    """Return what is asked with the bounds that a user's functions prove; infinite if chains are the shorter way."""
    try:
        bounds = structure.space.score_bounds(rows)
    except CapabilityError:
        return asked
    if asked.sampler == "auto" and asked.schedule == "adaptive":
        bounds = np.where(_are_near(structure, rows, bounds), bounds, np.inf)
    return replace(asked, bound=bounds)


def _are_near(structure: Structure, rows: FloatArray, bounds: FloatArray) -> NDArray[np.bool_]:
    """Return for which rows an exact draw is expected to take few proposals, as some uniform draws tell."""
    values = structure.space.embed(structure.space.sample(_TRIED, 0)) @ rows.T
    return logsumexp(values - bounds, axis=0) - np.log(_TRIED) > -np.log(_FEW_PROPOSALS)


def warn_of_chains(found: Estimates) -> NDArray[np.bool_]:
    """Return which rows' draws can be trusted; a ConvergenceWarning, in the name of the user's line, for others."""
    for row, (why, sampler) in enumerate(zip(found.why, found.sampler, strict=True)):
        if why:
            said = f"row {row}: chains of sampler='{sampler}' did not converge: {why}; raise max_steps, or draw exactly"
            warn_user(said, ConvergenceWarning)
    return np.array([not why for why in found.why])


@documented
def log_partition(
    structure: Structure,
    scores: ArrayLike,
    *,
    method: str = "auto",
    epsilon: float = 0.1,
    delta: float = 0.05,
    bound: ArrayLike | None = None,
    sampler: str = "auto",
    schedule: str = "adaptive",
    max_steps: int = 10**8,
    centred: bool = True,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LogPartition:
    r"""Return the logarithm of the partition function of each row of scores, exact or estimated.

    For a row s it is :math:`\ln Z = \ln \sum_y \exp\langle s, \psi(y)\rangle`.

    Parameters
    ----------
    structure : Structure
        With its sizes known. "taylor" also needs the number of its outputs, which a `Custom` structure from a sampler
        has from `log_count`; "annealed" estimates it from repeats where it is unknown, as :func:`estimate_count` does
        with the seed of the structure, and its error is part of ε and δ.
    %(scores)s
    method : {"auto", "exact", "annealed", "taylor"}, default="auto"
        - "exact": by the structure's recursion or closed form, or a sum over up to a million outputs.
        - "annealed": estimated from draws, within a factor of 1 ± `epsilon` with probability 1 − `delta`: a fully
          polynomial randomised approximation scheme wherever the structure can be sampled in polynomial time.
        - "taylor": approximated for small scores by :math:`\ln |Y| + \langle s, \mu\rangle + \ln(1 + \frac12
          s^\top\Sigma s)`, with μ and Σ the mean and the covariance of ψ over all outputs Y. The error is of third
          order in the scores.
        - "auto": "exact" where that is expected to take no more than five minutes of a processor, else "annealed".
    epsilon : float, default=0.1
        Relative error of an estimate of Z, between 0 and 1.
    delta : float, default=0.05
        Probability of a larger error in a row, between 0 and 1.
    bound : float or array-like of shape (n,), default=None
        Only where values are estimated: a number that no :math:`|\langle s, \psi(y)\rangle|` exceeds, one for each row
        or one for all. It replaces the bounds that the structure proves, and makes every schedule and exact sampling
        available to a user's own sampler.
    sampler : {"auto", "monotone", "cftp", "rejection", "exact", "local", "meta", "cube"}, default="auto"
        Only where values are estimated: the sampler, as for :func:`sample`. "auto" takes for each row the first of
        "monotone", "exact", "cftp", "local" and "meta" that the structure has and that is expected to need no more
        than `max_steps`; chains of a user's own moves only where "local" is asked for.
    schedule : {"adaptive", "uniform", "thesis"}, default="adaptive"
        Only where values are estimated: the levels of β between the uniform distribution and p.

        - "adaptive": found from draws, as far apart as tests that prove a bound on the variance allow;
        - "uniform": 3 for each unit of half the range of scores, with 65 ε⁻² l sinh²(1/3) draws at each of l levels;
        - "thesis": 3 for each unit of :math:`\max\|\psi\|\,\|s\|`, or of `bound`, with 65 ε⁻² l exp(2/3) draws at each,
          as printed.
    max_steps : int, default=100000000
        Only where values are estimated: limit on steps of chains, or proposals, for a row.
    centred : bool, default=True
        For "taylor": whether the expansion is that of :math:`\exp\langle s, \psi - \mu\rangle`. False: of
        :math:`\exp\langle s, \psi\rangle`, hence :math:`\ln|Y| + \ln(1 + \langle s,\mu\rangle + \frac12 s^\top M s)`
        with the second moment M, which is worse where :math:`\langle s, \mu\rangle` is not 0.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness. Each row has its own stream, which follows from its scores: an integer gives a
        row the same estimate whatever the number of threads or the other rows. Equal rows are estimated independently.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Positive: show the progress of an estimate, the number of draws so far with the level β.

    Returns
    -------
    LogPartition
        With arrays `value`, `lower`, `upper`, `is_exact`, `is_guaranteed` and `n_samples`, the `method` and its
        `details`.

    Raises
    ------
    CapabilityError
        When the structure is too large for exact sums; when the number of outputs is not known, and too large to be
        told by repeats; when the structure lacks what sampler or schedule need: an exactly uniform sampler for "meta",
        "cftp" and "rejection", a bound on all scores for these last two and for schedules other than "adaptive"; or
        when its moments, which "taylor" takes, are relaxed, those of a larger space.
    SamplingError
        When an exact sampler needs more than `max_steps`; the message estimates how many.
    TypeError, ValueError
        When a parameter is illegal, or given to a method that does not take it, or a score is not finite; when
        `bound` is less than the score of an output that is drawn or decoded.
    MemoryError
        When the d × d covariance of "taylor" does not fit.

    Warns
    -----
    ConvergenceWarning
        When chains did not converge within `max_steps`; names the row and the figure.
    ApproximationWarning
        When scores deviate from their mean by more than 1 with "taylor"; names the row and the figure. The figure comes
        from exact decoding or the bounds of a guaranteed solution; for a structure given by functions it is the
        standard deviation. Also where the moments of the structure are sampled (``moments_info``), whose errors add to
        those of the expansion.

    Notes
    -----
    "adaptive" takes about :math:`\sqrt{\ln|Y|}` levels and their square over ε² draws. The test between two levels is
    Markov's inequality for draws that are made for it, so that its error, an eighth of `delta`, is part of the
    guarantee; Chebyshev's inequality bounds the error of each repeat, and the binomial distribution that of their
    median. Chains ("local", "meta", "cube") give no guarantee. Four of them move from level to level; the number of
    steps between draws follows from measured autocorrelations.

    "taylor" costs O(n d²) beside the covariance, and two decodings a row. Regularised models with a penalty of at least
    :math:`R^2 \ln|Y|` have scores within its range (Vembu, 2010, section 6.4, where the factor ½ is missing).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, sections 6.3 and 6.4. Štefankovič, Vempala and
    Vigoda (2009), Adaptive simulated annealing: a near-optimal connection between sampling and counting.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import LabelSets, Permutations
    >>> structure, scores = Permutations(5), np.linspace(-1, 1, 10)
    >>> exact = sampling.log_partition(structure, scores)
    >>> found = sampling.log_partition(structure, scores, method="annealed", random_state=0)
    >>> bool(found.lower[0] < exact.value[0] < found.upper[0]), found.is_exact, found.is_guaranteed
    (True, array([False]), array([ True]))
    >>> scores = np.array([0.3, -0.2, 0.1])
    >>> found = sampling.log_partition(LabelSets(3), scores, method="taylor")
    >>> round(float(found.value[0]), 4), round(LabelSets(3).log_partition(scores), 4)
    (2.1968, 2.1969)
    >>> found.details.spread
    array([0.3])
    """
    rows = rows_of(structure, scores)
    choice(method, "method", PARTITION_METHODS)
    asked = Asked(
        method, sampler, schedule, epsilon, delta, max_steps, seed_of(random_state), plain=not centred,
        bound=None if bound is None else bounds_of_rows(bound, len(rows)), n_threads=get_n_threads(n_jobs),
        verbose=verbose,
    )  # fmt: skip
    return log_z_of(structure, rows, asked)


def estimate_count(
    structure: Structure,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    max_draws: int = MAX_DRAWS,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> CountEstimate:
    r"""Return the logarithm of the number of outputs, estimated from repeats among exactly uniform draws.

    Nothing but a uniform sampler is needed. Outputs are told apart by ψ.

    Parameters
    ----------
    structure : Structure
        With an exactly uniform sampler, such as a `Custom` structure from a sampler.
    epsilon : float, default=0.1
        Relative error of the number, between 0 and 1.
    delta : float, default=0.05
        Probability of a larger error, between 0 and 1.
    max_draws : int, default=1000000
        Limit on the number of draws.
    random_state : int, RandomState instance or None, default=None
        The only source of randomness.
    verbose : int, default=0
        Positive: show the number of draws so far.

    Returns
    -------
    CountEstimate

    Raises
    ------
    CapabilityError
        When the structure has no uniform sampler; when `max_draws` show too few repeats: the message says how many
        outputs there are at least.
    ValueError, TypeError
        When a parameter is illegal, or the user's functions return what is no output.

    Notes
    -----
    Let K be the number of different outputs that have been drawn. The next draw is one of them with probability K/N.
    Let A be the sum of K over all draws until there have been r repeats. Then A / r estimates N, and

    .. math:: P(A / r > (1 + \varepsilon) N) \le e^{-r (\varepsilon - \ln(1 + \varepsilon))}, \quad
        P(A / r < (1 - \varepsilon) N) \le e^{-r (-\varepsilon - \ln(1 - \varepsilon))}

    for every N, by Markov's inequality for the martingale :math:`\exp(\lambda R - (e^\lambda - 1) A/N)` bounded from
    above, with R the number of repeats. r is the least number for which both are at most δ/2. The number of draws is
    about :math:`\sqrt{2 r N}` for large N: 40 000 for a million outputs, ε = 0.1 and δ = 0.05. A sampler of which
    nothing else is known tells N apart from 2 N after no fewer than about :math:`\sqrt N` draws, so that no number of
    outputs that is exponential in the size of the problem can be estimated in polynomial time: give `log_count`, or
    count by parts, where you can. Memory: the draws' ψ.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 6.3, where the number of outputs is assumed to
    be known or approximated.

    Examples
    --------
    >>> import numpy as np
    >>> from combpred import sampling
    >>> from combpred.structures import Custom
    >>> space = Custom.from_sampler(lambda rng: rng.permutation(5), lambda y: np.eye(5)[y].ravel(), n_moment_samples=99)
    >>> found = sampling.estimate_count(space, random_state=0)
    >>> bool(found.lower < np.log(120) < found.upper)
    True
    """
    require_structure(structure)
    most, seed = whole_number(max_draws, "max_draws", 2, 2**40), seed_of(random_state)
    asked = Asked("repeats", epsilon=epsilon, delta=delta, max_steps=most, seed=seed, verbose=verbose)
    return _count_by_repeats(structure, asked)


_RANGE = 1.0  # of centred scores, in which the expansion is meant to be taken
_ROUNDING = 1e-9


def check_taylor(structure: Structure) -> None:
    """Raise CapabilityError if the structure lacks what the expansion takes; warn if its moments are sampled."""
    structure.log_count()
    info, d = structure.moments_info, structure.n_features
    if info.kind == "relaxed":
        said = f"those of {structure!r} are of a larger space: {structure.space.unrelaxed}"
        raise CapabilityError(f"the Taylor expansion takes moments of ψ over all outputs, but {said}")
    require_memory(8 * d * d, f"the covariance of {structure!r}, {d} × {d} numbers,", "take method='annealed'")
    if info.kind == "sampled":
        warn_user(
            f"the Taylor approximation takes moments of ψ that are sampled: entries of the second one have standard "
            f"errors of up to {info.standard_error:.2g}, which it is off by beside its own error",
            ApproximationWarning,
        )


def expansion(structure: Structure, rows: FloatArray, asked: Asked, *, bounded: bool = True) -> Estimates:
    """Return the library's expansion for rows of scores (n, d), with gradients and, if `bounded`, bounds."""
    found = Estimates(*rows.shape, means=True, bounded=bounded)
    return estimate(structure.space.description, rows, asked, found)


def warned_expansion(structure: Structure, rows: FloatArray, asked: Asked, *, decoded: bool = True) -> Estimates:
    """Return the expansion, with a warning if scores are out of its range.

    Without `decoded`, only what is proven anyway bounds ln Z: a user's own decoder is not asked.
    """
    found = expansion(structure, rows, asked)
    if np.isnan(found.spread).any():  # nothing is proven, as about functions
        _warn_of_range(np.sqrt(found.variance), "have a standard deviation of")
    else:
        _warn_of_range(found.spread, "leave their mean by up to")
    if decoded and not structure.space.in_library:
        # Far from the uniform distribution, the logarithm of a polynomial falls behind scores of any outputs.
        found.lower = _reached(structure, rows)
        found.value = np.maximum(found.value, found.lower)
    return found


def _reached(structure: Structure, rows: FloatArray) -> FloatArray:
    """Return what ln Z is at least, by the outputs of a user's own decoder and, for exact moments, by Jensen."""
    try:
        lower = structure.space.decode(rows).value
    except CapabilityError:
        return np.full(len(rows), -np.inf)
    if structure.moments_info.kind == "exact":
        lower = np.maximum(lower, structure.log_count() + rows @ structure.mean())
    return lower


def _warn_of_range(figure: FloatArray, what: str) -> None:
    """Issue an ApproximationWarning if the figures (n,) say that scores leave the range of the expansion."""
    far = np.flatnonzero(figure > _RANGE + _ROUNDING)
    if far.size:
        row = int(far[np.argmax(figure[far])])
        warn_user(
            f"row {row}: scores {what} {figure[row]:.3g} over the outputs, and the Taylor approximation is meant for "
            f"at most 1 ({far.size} of {len(figure)} rows are beyond); scale the scores down, raise the penalty of the "
            "model, or take exact inference or sampling",
            ApproximationWarning,
        )
