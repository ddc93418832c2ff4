"""Estimates by the library, from its own draws or, in reverse communication, from those of a user's own sampler."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.arrays import FloatArray, refuse_masked
from .._lib.call import row_streams
from .._lib.errors import CapabilityError, RowError
from .._lib.names import MEANS_METHODS
from .._lib.partition import Asked, Estimates, estimate, estimate_own
from .._lib.table import floats
from ..structures import Structure
from ._estimates import AnnealingDetails, CountEstimate, LogPartition, TaylorDetails
from ._taylor import check_taylor, warned_expansion
from .samplers import method_of

_FEW_PROPOSALS = 1000  # for one exact draw, by functions of Python, that are taken where a chain would do
_TRIED = 256  # draws by which that is told
#: Most draws by which outputs are counted, unless a user says otherwise.
MAX_DRAWS = 10**6

_HELD: WeakKeyDictionary[object, dict[tuple[float, float], CountEstimate]] = WeakKeyDictionary()


def log_z_of(
    structure: Structure, rows: FloatArray, asked: Asked, *, n_threads: int | None = None, verbose: int = 0
) -> LogPartition:
    """Return ln Z of rows of finite scores (n, d) by one of the methods of `log_partition`."""
    if asked.method == "taylor":
        check_taylor(structure)
        found = warned_expansion(structure, rows, asked, n_threads)
    elif asked.method == "exact" or structure.space.in_library:
        found = estimated(structure, rows, asked, n_threads=n_threads, verbose=verbose)
    else:
        found = _annealed_own(structure, rows, asked, n_threads, verbose)
    details: AnnealingDetails | TaylorDetails | None = None
    if found.method == "annealed":
        details = AnnealingDetails(
            n_steps=found.steps, schedules=found.schedules, n_level_samples=found.level_samples,
            n_repeats=found.repeats, sampler=found.sampler, schedule=asked.schedule, converged=warn_of_chains(found),
            acceptance=found.accepted / found.steps, effective_share=found.effective_share, r_hat=found.r_hat,
        )  # fmt: skip
    elif found.method == "taylor":
        assert found.marginals is not None
        details = TaylorDetails(found.expansion, found.marginals, found.spread)
    return LogPartition(
        found.value, found.lower, found.upper, found.method, found.guaranteed, found.samples, details
    )  # fmt: skip


def _annealed_own(
    structure: Structure, rows: FloatArray, asked: Asked, n_threads: int | None, verbose: int
) -> Estimates:
    """Return estimates of ln Z by the user's own sampler; the number of outputs is estimated if it is unknown.

    The relative errors of the number and of its ratio to Z are then equal, and the probabilities that they are larger.
    """
    asked, counted = replace(asked, method="annealed"), None
    try:
        log_count = structure.log_count()
    except CapabilityError:
        asked = replace(asked, epsilon=math.sqrt(1.0 + asked.epsilon) - 1.0, delta=asked.delta / 2.0)
        counted = _count_for(structure, asked.epsilon, asked.delta, verbose)
        log_count = counted.value
    found = estimated(structure, rows, asked, n_threads=n_threads, verbose=verbose, log_count=log_count)
    if counted is not None:
        found.lower += counted.lower - counted.value
        found.upper += counted.upper - counted.value
        found.samples += counted.n_samples
    return found


def _count_for(structure: Structure, epsilon: float, delta: float, verbose: int) -> CountEstimate:
    """Return an estimate for a structure from a sampler, made once, with the seed of the structure."""
    held = _HELD.setdefault(structure.space, {})
    if (epsilon, delta) not in held:
        seed = int(structure.get_params()["random_state"])
        held[epsilon, delta] = count_by_repeats(structure, epsilon, delta, MAX_DRAWS, seed, verbose)
    return held[epsilon, delta]


def count_by_repeats(
    structure: Structure, epsilon: float, delta: float, max_draws: int, seed: int, verbose: int
) -> CountEstimate:
    """Return the number of outputs as `estimate_count` does."""
    asked = Asked("repeats", epsilon=epsilon, delta=delta, max_steps=max_draws, seed=seed)
    found = estimated(structure, np.zeros((1, structure.n_features)), asked, verbose=verbose)
    return CountEstimate(
        *(getattr(found, name)[0].item() for name in ("value", "lower", "upper", "samples", "repeats"))
    )


def estimated(
    structure: Structure,
    rows: FloatArray,
    asked: Asked,
    *,
    n_threads: int | None = None,
    verbose: int = 0,
    log_count: float = math.nan,
) -> Estimates:
    """Return estimates of E ψ or of ln Z, which the method says, for rows of finite scores (n, d)."""
    means, space = asked.method in MEANS_METHODS, structure.space
    found, label = Estimates(*rows.shape, means=means, errors=means), "sampling" if means else "annealing"
    if asked.method == "exact" or space.in_library:
        of = space.sums if asked.method == "exact" else space.description
        return estimate(of, rows, asked, found, n_threads=n_threads, label=label, verbose=verbose)
    if asked.sampler == "local":
        method_of(structure, "local")  # what it lacks
    if asked.bound is None and asked.method != "repeats":
        asked = _with_bounds(structure, rows, asked)
    rngs = [np.random.default_rng([asked.seed % 2**64, stream]) for stream in row_streams(rows)]
    own: Any = space
    has_mean = asked.method == "counting" and structure.moments_info.kind == "exact"  # else the library refuses
    return estimate_own(
        rows, asked, found, own.outputs(rngs.__getitem__).move, moves=asked.sampler == "local", log_count=log_count,
        mean=structure.mean() if has_mean else None, label=label, verbose=verbose,
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
            warn_user(
                f"row {row}: chains of sampler='{sampler}' did not converge: {why}; raise max_steps, or take an exact "
                "sampler",
                ConvergenceWarning,
            )
    return np.array([not why for why in found.why])


def bounds_of_rows(bound: ArrayLike, n: int) -> FloatArray:
    """Return bounds on the magnitudes of scores of n rows, given as one number or one for each."""
    refuse_masked(bound, "bound")
    bounds = floats(np.full(n, bound) if np.ndim(bound) == 0 else bound, "bound", n)
    if not (legal := bounds >= 0).all():
        row = int(np.argmin(legal))
        raise RowError(row, f"bound is {bounds[row]:g}, must be at least 0")
    return bounds
