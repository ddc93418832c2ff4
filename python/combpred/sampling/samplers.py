"""Samplers of p(y) ∝ exp⟨s, ψ(y)⟩: which of them a structure has, which "auto" takes, their draws and diagnostics.

The chains and exact samplers themselves are in the core; `_STANDS_FOR` lists those that estimators use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.decode import score_rows
from .._lib.errors import CapabilityError, SamplingError
from .._lib.names import BOUNDED_METHODS, CHAIN_METHODS, CHAINS, UNIFORM_METHODS
from .._lib.partition import exact_is_affordable
from .._lib.sampling import Drawn, Plan, chain_diagnose
from ..structures import Structure
from ._diagnostics import APART, ChainDiagnostics, meta_mixing_bound

__all__ = [
    "AUTO_ORDER",
    "CHAINED",
    "ESTIMATOR_SAMPLERS",
    "PAST_STEPS",
    "SAMPLERS",
    "Diagnosed",
    "RowSampler",
    "Sampled",
    "chain_draws",
    "chain_instead",
    "chain_of",
    "diagnose_chains",
    "exact_draws",
    "first_capable",
    "joined_diagnostics",
    "lacking",
    "methods_of",
    "natural_thin",
    "promising",
    "refuse_long_past",
    "rows_of",
    "with_remedies",
    "warn_unless_mixed",
]


def __dir__() -> list[str]:
    return __all__


#: All samplers: values of the parameter `sampler` of functions, beside "auto".
SAMPLERS = (*CHAIN_METHODS, "exact")
#: Those that estimators use.
ESTIMATOR_SAMPLERS = ("auto", "exact", "cftp", "meta", "local")
#: The order in which "auto" tries samplers. "exact" is first: where the heat bath could take its place, it is ten times
#: as fast.
AUTO_ORDER = ("exact", "monotone", "cftp", "local", "meta")
#: The methods of the library that each stands for, the best first. Coupling from the past goes by the heat bath where
#: that keeps inclusions, else by uniform proposals.
_STANDS_FOR = {"cftp": ("monotone", "cftp"), "meta": ("meta",), "local": ("local",)}
CHAINED = tuple(name for name in AUTO_ORDER if name in CHAINS)
#: Most steps of one sample by coupling from the past.
PAST_STEPS = 10**6
_SEVERAL = 64  # samples that tell how many proposals coupling takes
_MANY = 4096  # ... and that are enough to refuse it
_LOG_DOUBT = np.log(1e3)  # by how much they may be wrong then
_PROPOSALS = 1e7  # uniform proposals that "auto" makes for a block of rows

_CHAINS = 4  # that are diagnosed for each row
_DRAWS = 64  # of each chain
_SLOW = 8.0  # draws that are worth one independent draw: then fewer steps lie between draws than should
_LONGER = 4  # times as many steps between draws, when chains are slow
_TRIALS = {"local": 5, "meta": 3}  # uniform proposals do not become better by being far apart
_RELAXED = 1.5  # autocorrelation times between samples: correlations of exp(-3) where they fall exponentially
_LAGGED = 32  # samples of a chain at least, for the correlation of successive ones


def lacking(structure: Structure, method: str, *, bounded: bool = False) -> CapabilityError | None:
    """Return why the structure cannot be sampled by a method, or None where it can.

    `bounded` says that a bound on scores is given where the method takes one.
    """
    if structure.space.capabilities >= ({"exact", "partition"} if method == "exact" else {method}):
        return None
    try:  # Python may know a way, and the error says why there is none
        if method == "exact":
            structure.space.partition_cost()
        else:
            bound = np.zeros(1) if bounded and method in BOUNDED_METHODS else None
            structure.space.draw(np.zeros((1, structure.n_features)), Plan(method, 1, 0, 1, 1, 0), None, bound)
    except CapabilityError as error:
        return error
    except SamplingError:  # it began, which is all that was asked
        return None
    return None


def first_capable(structure: Structure, sampler: str, methods: tuple[str, ...] | None = None) -> str:
    """Return the first of a sampler's methods that the structure has; CapabilityError names what works."""
    methods = methods or (("exact",) if sampler == "exact" else _STANDS_FOR[sampler])
    reasons = {method: lacking(structure, method) for method in methods}
    for method, reason in reasons.items():
        if reason is None:
            return method
    last = reasons[methods[-1]]
    working = [name for name in ESTIMATOR_SAMPLERS[1:] if _works(structure, name)]
    if not working:
        raise CapabilityError(f"no sampler works for this structure: {last}") from None
    remedy = f"take sampler={' or '.join(repr(name) for name in working)}"
    raise CapabilityError(f"sampler={sampler!r} is not possible: {last}; {remedy}") from None


def _works(structure: Structure, sampler: str) -> bool:
    methods = ("exact",) if sampler == "exact" else _STANDS_FOR[sampler]
    return any(lacking(structure, method) is None for method in methods)


def chain_of(structure: Structure, sampler: str) -> str:
    """Return the chain that "auto", "local" or "meta" stands for."""
    return first_capable(structure, sampler, CHAINED if sampler == "auto" else None)


def exact_draws(
    structure: Structure, method: str, scores: FloatArray, n_samples: int, seed: int, n_threads: int | None
) -> NDArray[np.generic]:
    """Return independent draws in parts (n, n_samples, part_len), by "exact", "cftp" or "monotone"."""
    if method == "exact":
        return np.swapaxes(structure.space.sample_distribution(scores, n_samples, seed, n_threads), 0, 1)
    if method == "cftp":
        refuse_long_past(structure, scores, PAST_STEPS)
    plan = Plan(method, n_samples, 0, 1, PAST_STEPS, seed)
    try:
        return structure.space.draw(scores, plan, n_threads=n_threads).y
    except SamplingError as error:
        raise with_remedies(error, "raise alpha", *chain_instead(structure)) from None


def chain_instead(structure: Structure) -> tuple[str, ...]:
    """Return the advice to take a chain, if the structure has one."""
    try:
        return (f"take sampler={chain_of(structure, 'auto')!r}",)
    except CapabilityError:
        return ()


def with_remedies(error: SamplingError, *remedies: str) -> SamplingError:
    """Return the error of the library, which knows no parameters, with what its user can do."""
    return SamplingError(f"{error.reason}; {', or '.join(remedies)}", error.row)


def chain_draws(
    structure: Structure,
    method: str,
    scores: FloatArray,
    plan: tuple[int, int, int],
    seed: int,
    start: NDArray[np.generic] | None,
    n_threads: int | None,
    verbose: int = 0,
) -> Drawn:
    """Run a chain for each row, by a plan of (samples, burn-in, steps between samples)."""
    n_samples, burn_in, thin = plan
    whole = Plan(method, n_samples, burn_in, thin, 1, seed)
    return structure.space.draw(scores, whole, start, None, n_threads, verbose)


def natural_thin(structure: Structure, method: str) -> int:
    """Return after how many steps a chain has changed about as much as by one uniform proposal: some for each part."""
    if method == "meta":
        return 1
    return 2 * structure.space.part_len


def refuse_long_past(structure: Structure, scores: FloatArray, steps: int) -> None:
    """Raise SamplingError where uniform proposals have no prospect of coupling in a number of steps; names the row.

    A sample takes 1/β proposals on average, for β = E exp(h − b) under the uniform distribution and a bound b on scores
    h. What uniform outputs tell of β misses rare ones of high scores. So it is taken for no less than it would be were
    scores normal, and for a thousand times as much; and 1/β is at most the number of outputs where b is the largest
    score.
    """
    try:
        mean, log_count = structure.mean(), structure.log_count()
        bounds = structure.space.score_bounds(scores)
    except CapabilityError:  # of a user's own structure, of which nothing is proven
        return
    most = np.log(steps) + _LOG_DOUBT
    far = np.flatnonzero(bounds - scores @ mean > most)  # elsewhere 1/β is less, by Jensen's inequality
    if log_count <= most or not len(far):
        return
    h = structure.space.embed(structure.space.sample(_MANY, 0)) @ scores[far].T
    seen = np.maximum(logsumexp(h, axis=0) - np.log(_MANY), h.mean(axis=0) + h.var(axis=0) / 2)
    log_steps = np.minimum(bounds[far] - seen, log_count)
    worst = int(np.argmax(log_steps))
    if log_steps[worst] > most:
        raise SamplingError(
            f"by the scores of {_MANY} uniform outputs, coupling from the past takes about "
            f"10^{log_steps[worst] / np.log(10):.0f} steps for a sample, and is given {steps}: take "
            "sampler='local' or, where the structure has a recursion, 'exact', or raise alpha",
            int(far[worst]),
        )


def methods_of(structure: Structure, sampler: str, n_rows: int, *, bounded: bool = False) -> tuple[str, ...]:
    """Return the methods that an estimator's `sampler` may use, the best first; CapabilityError says what works.

    `bounded` says that bounds on scores are given to "auto".

    "auto" takes the structure's exact sampler where that is affordable, else coupling from the past by the heat bath
    where the structure has it; else uniform proposals, if these turn out to be few, and chains.
    """
    if sampler in ("exact", "cftp"):
        return (first_capable(structure, sampler),)
    if sampler in ("local", "meta"):
        return (chain_of(structure, sampler),)
    found: tuple[str, ...] = ()
    for method in AUTO_ORDER:
        if method in CHAINED:
            break
        if method == "exact":
            if exact_is_affordable(structure.space.description, n_rows):
                return ("exact",)
        elif lacking(structure, method, bounded=bounded) is None:
            found = (*found, method)
            if method not in UNIFORM_METHODS:
                return found
    return (*found, chain_of(structure, "auto"))


def promising(
    structure: Structure,
    methods: tuple[str, ...],
    scores: FloatArray,
    n_samples: int,
    bound: FloatArray | None = None,
) -> tuple[str, ...]:
    """Return the methods without uniform proposals that are likely to take long, where there are others.

    A sample takes 1/β proposals on average, for β = E exp(h − max h) under the uniform distribution, of which scores of
    uniform outputs tell no less than is true: they show no score above the largest. A given `bound` (n,) takes the
    place of max h.
    """
    if methods[0] != "cftp" or len(methods) == 1:
        return methods
    try:
        psi = structure.space.embed(structure.space.sample(_SEVERAL, 0))
    except CapabilityError:
        return methods[1:]
    h = psi @ scores.T
    with np.errstate(over="ignore", divide="ignore"):
        beta = np.exp(h - (h.max(axis=0) if bound is None else bound)).mean(axis=0)
        is_short = bool(n_samples * np.sum(1.0 / beta) <= _PROPOSALS and 4.0 / beta.min() <= _SEVERAL)
    return methods if is_short else methods[1:]


class Sampled(NamedTuple):
    """Samples of k rows in parts (k, n_samples, part_len), with diagnostics where chains drew them."""

    parts: NDArray[Any]
    report: ChainDiagnostics | None


class RowSampler:
    """Draws for rows of scores, by the sampler of an estimator.

    Parameters
    ----------
    structure : Structure
    sampler : str
        As `methods_of` takes it.
    n_rows : int
        In all.

    Raises
    ------
    CapabilityError
        Where the structure lacks the sampler; says what works.
    """

    def __init__(self, structure: Structure, sampler: str, n_rows: int, n_threads: int | None, verbose: int) -> None:
        self._structure, self._n_threads, self._verbose = structure, n_threads, verbose
        self._methods = methods_of(structure, sampler, n_rows)

    def draw(self, scores: FloatArray, n_samples: int, *, first_row: int, seed: int) -> Sampled:
        """Return samples of rows, the first of which has a number among all."""
        *early, last = promising(self._structure, self._methods, scores, n_samples)
        for method in early:
            try:
                return self._drawn(method, scores, n_samples, first_row, seed)
            except (SamplingError, CapabilityError):
                continue  # more proposals than a few uniform outputs led to expect
        return self._drawn(last, scores, n_samples, first_row, seed)

    def _drawn(self, method: str, scores: FloatArray, n_samples: int, first_row: int, seed: int) -> Sampled:
        if method in CHAINED:
            return self._along_chains(method, scores, n_samples, first_row, seed)
        return Sampled(exact_draws(self._structure, method, scores, n_samples, seed, self._n_threads), None)

    def _along_chains(self, method: str, scores: FloatArray, n_samples: int, first_row: int, seed: int) -> Sampled:
        found = diagnose_chains(
            self._structure, method, scores, first_row=first_row, seed=seed, n_threads=self._n_threads
        )
        # Steps between samples that leave little correlation in any row.
        thin = max(1, math.ceil(_RELAXED * float(found.report.autocorrelation_time.max())))
        plan = (max(n_samples, _LAGGED), 0, thin)
        drawn = chain_draws(
            self._structure, method, scores, plan, seed + 2**31, found.states, self._n_threads, self._verbose
        )
        report = replace(
            found.report,
            steps=found.report.steps + drawn.steps.sum(axis=1),
            thin=np.full(len(scores), thin),
            autocorrelation=np.nan_to_num(
                chain_diagnose(drawn.value[:, np.newaxis], 2)[2][:, 0, 1]
            ),  # NaN: all draws are equal
        )
        return Sampled(drawn.y[:, -n_samples:], report)


@dataclass(frozen=True)
class Diagnosed:
    """Diagnostics of chains, and the states of the first chain of each row, in parts (k, part_len)."""

    report: ChainDiagnostics
    states: NDArray[Any]


def diagnose_chains(
    structure: Structure,
    method: str,
    scores: FloatArray,
    *,
    first_row: int,
    seed: int,
    start: NDArray[Any] | None = None,
    n_threads: int | None = None,
) -> Diagnosed:
    """Run four chains for each row, with more steps between draws as long as they mix slowly, and diagnose them.

    `start` are four states of each row; None: uniform outputs.
    """
    n = len(scores)
    repeated = np.repeat(scores, _CHAINS, axis=0)
    thin = natural_thin(structure, method)
    steps, accepted = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    states = start
    trials = _TRIALS[method]
    for trial in range(trials):
        burn_in = 16 * thin if states is None else 0
        drawn = chain_draws(structure, method, repeated, (_DRAWS, burn_in, thin), seed + trial, states, n_threads)
        states = drawn.y[:, -1]
        steps += drawn.steps.reshape(n, -1).sum(axis=1)
        accepted += drawn.accepted.reshape(n, -1).sum(axis=1)
        values = drawn.value.reshape(n, _CHAINS, _DRAWS)
        size, r_hat, lag = _figures(values)
        if (r_hat <= APART).all() and (_CHAINS * _DRAWS / size <= _SLOW).all():
            break
        thin *= _LONGER if trial < trials - 1 else 1
    assert states is not None
    report = ChainDiagnostics(
        method, np.arange(first_row, first_row + n), steps, accepted / steps, size, r_hat,
        thin * _CHAINS * _DRAWS / size, np.full(n, thin), lag, _mixing_bounds(structure, method, scores),
    )  # fmt: skip
    return Diagnosed(report, states.reshape(n, _CHAINS, -1)[:, 0])


def joined_diagnostics(parts: list[ChainDiagnostics]) -> ChainDiagnostics:
    """Return the diagnostics of several blocks of rows, by one sampler, as those of all rows."""
    arrays = [each.name for each in fields(ChainDiagnostics)][1:]
    values = (np.concatenate([getattr(part, name) for part in parts]) for name in arrays)
    return ChainDiagnostics(parts[0].sampler, *values)


def warn_unless_mixed(report: ChainDiagnostics, what: str) -> None:
    """Issue a ConvergenceWarning where chains did not find the same distribution."""
    apart = report.split_r_hat > APART
    if apart.any():
        worst = int(np.argmax(report.split_r_hat))
        warn_user(
            f"{what}: the chains ({report.sampler!r}) of {int(apart.sum())} of {len(apart)} rows did not find the same "
            f"distribution after {report.steps[worst]} steps: split R̂ is up to {report.split_r_hat[worst]:.3g} (row "
            f"{report.rows[worst]}), above {APART}; raise alpha, or take another sampler or inference='exact'",
            ConvergenceWarning,
        )


def _figures(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return effective sizes, split R̂ and correlations of successive draws, of values (n, chains, draws)."""
    _, chains, draws = values.shape
    size, r_hat, lags = chain_diagnose(values, 2)
    lag = np.nan_to_num(lags[:, :, 1]).mean(axis=1)
    constant = np.isnan(r_hat)  # all outputs score alike
    size[constant], r_hat[constant] = chains * draws, 1.0
    return np.minimum(size, chains * draws), r_hat, lag


def _mixing_bounds(structure: Structure, method: str, scores: FloatArray) -> FloatArray:
    """Return proven mixing times, infinite where none is known."""
    bounds = np.full(len(scores), math.inf)
    if method != "meta":
        return bounds
    try:
        reach = structure.space.decode(scores).upper_bound + structure.space.decode(-scores).upper_bound
    except CapabilityError:
        return bounds
    return np.array([meta_mixing_bound(-max(float(r), 0.0)) if np.isfinite(r) else math.inf for r in reach])


def rows_of(structure: Structure, scores: ArrayLike) -> FloatArray:
    """Return scores as rows (n, d), n at least 1, after checking both arguments."""
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    rows, _ = score_rows(scores, structure.n_features)
    if not len(rows):
        raise ValueError("scores has 0 rows; at least 1 is needed")
    return rows
