"""Draws from the laws of rows by the estimators' samplers, and which of these a structure has."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from .._lib.chain import Drawn, Plan
from .._lib.decode import score_rows
from .._lib.errors import CapabilityError, SamplingError
from ..structures import Structure

FloatArray = NDArray[np.float64]

#: Values of the parameter `sampler`.
SAMPLERS = ("auto", "exact", "cftp", "meta", "local")
#: The methods of the library that each stands for, the best first. Coupling from the past goes by the heat bath where
#: that keeps inclusions, else by uniform proposals.
_METHODS = {"cftp": ("monotone", "cftp"), "meta": ("meta",), "local": ("local",)}
CHAINED = ("local", "meta")
#: Most steps of one sample by coupling from the past.
PAST_STEPS = 10**6
_SEVERAL = 64  # samples that tell how many proposals coupling takes
_MANY = 4096  # ... and that are enough to refuse it
_LOG_DOUBT = np.log(1e3)  # by how much they may be wrong then


def lacking(structure: Structure, method: str) -> CapabilityError | None:
    """Return why the structure cannot be sampled by a method, or None where it can."""
    if structure.space.capabilities >= ({"exact", "partition"} if method == "exact" else {method}):
        return None
    try:  # Python may know a way, and the error says why there is none
        if method == "exact":
            structure.space.partition_cost()
        else:
            structure.space.draw(np.zeros((1, structure.n_features)), Plan(method, 1, 0, 1, 1, 0))
    except CapabilityError as error:
        return error
    except SamplingError:  # it began, which is all that was asked
        return None
    return None


def first_capable(structure: Structure, sampler: str, methods: tuple[str, ...] | None = None) -> str:
    """Return the first method that the structure has, of those of a sampler; CapabilityError names what works."""
    methods = methods or (("exact",) if sampler == "exact" else _METHODS[sampler])
    reasons = {method: lacking(structure, method) for method in methods}
    for method, reason in reasons.items():
        if reason is None:
            return method
    last = reasons[methods[-1]]
    working = [name for name in SAMPLERS[1:] if _works(structure, name)]
    remedy = f"take sampler={' or '.join(repr(name) for name in working)}" if working else "no sampler works for it"
    raise CapabilityError(f"sampler={sampler!r} is not possible: {last}; {remedy}") from None


def _works(structure: Structure, sampler: str) -> bool:
    methods = ("exact",) if sampler == "exact" else _METHODS[sampler]
    return any(lacking(structure, method) is None for method in methods)


def chain_of(structure: Structure, sampler: str) -> str:
    """Return the chain of "auto", "local" or "meta"."""
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
    return structure.space.draw(scores, plan, n_threads=n_threads).y


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
    """Follow a chain of each row for a plan of (samples, steps before, steps between)."""
    n_samples, burn_in, thin = plan
    whole = Plan(method, n_samples, burn_in, thin, 1, seed)
    return structure.space.draw(scores, whole, start, None, n_threads, verbose)


def natural_thin(structure: Structure, method: str) -> int:
    """Return the steps in which a chain changes as much as one uniform proposal would: some for each part."""
    if method == "meta":
        return 1
    return 2 * structure.space.part_len


def refuse_long_past(structure: Structure, scores: FloatArray, steps: int) -> None:
    """Raise SamplingError where uniform proposals have no prospect of coupling in a number of steps; names the row.

    A sample takes 1/β proposals on average, for β = E exp(h − b) under the uniform law and a bound b on scores h. What
    uniform outputs tell of β misses rare ones of high scores. So it is taken for no less than it would be were scores
    normal, and for a thousand times as much; and 1/β is at most the number of outputs where b is the largest score.
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


def past_is_affordable(structure: Structure, scores: FloatArray, draws: int, budget: float) -> bool:
    """Return whether `draws` samples of each row by uniform proposals are likely to take less than `budget` of them.

    A sample takes 1/β proposals on average, for β = E exp(h − max h) under the uniform law, of which scores of uniform
    outputs tell no less than is true: they show no score above the largest.
    """
    try:
        psi = structure.space.embed(structure.space.sample(_SEVERAL, 0))
    except CapabilityError:
        return False
    h = psi @ scores.T
    beta = np.exp(h - h.max(axis=0)).mean(axis=0)
    return bool(draws * np.sum(1.0 / beta) <= budget and 4.0 / beta.min() <= _SEVERAL)


def rows_of(structure: Structure, scores: ArrayLike) -> FloatArray:
    """Return scores as rows (n, d), n at least 1, after checking both arguments."""
    if not isinstance(structure, Structure):
        raise TypeError(f"structure must be a combpred.structures.Structure, got {structure!r}")
    rows, _ = score_rows(scores, structure.n_features)
    if not len(rows):
        raise ValueError("scores has 0 rows; at least 1 is needed")
    return rows


def score_bound(structure: Structure, scores: FloatArray, magnitude: FloatArray | None = None) -> float:
    """Return a proven bound on ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ over all outputs y, for scores s and t = `magnitude`."""
    return float(structure.space.score_bounds(scores[None], None if magnitude is None else magnitude[None])[0])
