"""Markov chains and exact samplers on custom spaces that are given by functions.

All of them draw uniform proposals from the user's sampler, and accept or reject them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._lib.errors import CapabilityError, RowError, SamplingError
from .._lib.names import BOUNDED_METHODS, UNIFORM_METHODS
from .._lib.sampling import Drawn, Plan

if TYPE_CHECKING:
    from ._custom_computed import PythonSpace

_BLOCK = 256  # proposals drawn at a time


class _Proposals:
    """An endless stream of uniform proposals for one row of scores, each with its score and its reach.

    In state y the chain accepts a proposal z with probability min(1, exp(h(z) − h(y))), where h is the score. It does
    so by drawing a standard exponential number E and accepting if h(y) ≤ h(z) + E. The right-hand side is the reach of
    the proposal: the largest score of a state that accepts it.

    Parameters
    ----------
    space : PythonSpace
        With a sampler.
    scores : ndarray of shape (d,)
        Scores of the entries of ψ.
    rng : numpy.random.Generator
        The source of randomness.
    at_once : int, default=256
        Number of proposals drawn at a time.
    """

    def __init__(
        self, space: PythonSpace, scores: NDArray[np.float64], rng: np.random.Generator, at_once: int = _BLOCK
    ) -> None:
        self._space, self._scores, self._rng, self._at_once = space, scores, rng, at_once

    def __iter__(self) -> Iterator[tuple[Any, float, float]]:
        """Yield an output, its score and its reach, without end."""
        while True:
            parts = self._space.sample(self._at_once, int(self._rng.integers(2**63)))
            values = self._space.embed(parts, None) @ self._scores
            reaches = values + self._rng.exponential(size=self._at_once)
            yield from zip(parts[:, 0], values.tolist(), reaches.tolist(), strict=True)


def draw_by_proposals(
    space: PythonSpace,
    linear: NDArray[np.float64],
    plan: Plan,
    start: NDArray[Any] | None,
    bound: NDArray[np.float64] | None,
) -> Drawn:
    """Return outputs drawn from p ∝ exp⟨s, ψ⟩ for every row s of `linear`, by uniform proposals.

    Parameters
    ----------
    space : PythonSpace
        With a sampler.
    linear : ndarray of shape (n, d)
        Scores.
    plan : Plan
        Sampler ("meta" for a Metropolis chain, "cftp" for coupling from the past, or "rejection"), numbers of samples
        and steps, and seed.
    start : ndarray of shape (n, 1) or None
        States in which the chains of "meta" start; None: uniform draws.
    bound : ndarray of shape (n,) or None
        Upper bounds on the scores of all outputs, for "cftp" and "rejection".

    Raises
    ------
    CapabilityError
        For other samplers, and when a bound is needed but not given.
    SamplingError
        When no proposal reaches the bound within the plan's budget; names row and sample.
    ValueError
        When an output scores more than the bound; names the row.
    """
    if plan.method not in UNIFORM_METHODS:
        raise CapabilityError(
            f"sampler={plan.method!r} needs moves or elements that the library knows, and this Custom structure is "
            "given by functions; take sampler='meta', or 'cftp' or 'rejection' with a bound"
        )
    if plan.method in BOUNDED_METHODS and bound is None:
        raise CapabilityError(
            f"sampler={plan.method!r} needs a bound on the scores of all outputs, which functions do not give; pass "
            "bound=, such as the norm of the scores times the largest norm of ψ, or take sampler='meta'"
        )
    shape = len(linear), plan.n_samples
    drawn = Drawn(
        np.empty((*shape, 1), dtype=object),
        np.empty(shape),
        np.ones(shape, dtype=np.int64),
        np.ones(shape, dtype=np.int64),
    )
    at_once = _BLOCK
    if plan.method == "meta":  # draw no more proposals than needed: often a few, when a chain continues
        at_once = min(_BLOCK, plan.burn_in + plan.n_samples * plan.thin + (start is None))
    for i, scores in enumerate(linear):
        proposals = iter(_Proposals(space, scores, np.random.default_rng([plan.seed % 2**64, i]), at_once))
        if plan.method == "meta":
            _run_chain(i, drawn, proposals, plan, None if start is None else _state(space, start[i : i + 1], scores))
            continue
        assert bound is not None
        for j in range(plan.n_samples):
            drawn.y[i, j, 0], drawn.value[i, j], drawn.steps[i, j], drawn.accepted[i, j] = _draw_exactly(
                i, j, proposals, plan, float(bound[i])
            )
    return drawn


def _state(space: PythonSpace, parts: NDArray[Any], scores: NDArray[np.float64]) -> tuple[Any, float]:
    """Return the output of one row of parts, and its score."""
    return parts[0, 0], float(space.embed(parts, None)[0] @ scores)


def _run_chain(
    row: int, drawn: Drawn, proposals: Iterator[tuple[Any, float, float]], plan: Plan, state: tuple[Any, float] | None
) -> None:
    """Run the Metropolis chain of one row and write its samples to `drawn`; without a state it starts uniformly."""
    y, value = next(proposals)[:2] if state is None else state
    for j in range(plan.n_samples):
        steps = plan.thin + (plan.burn_in if j == 0 else 0)
        accepted = 0
        for _ in range(steps):
            proposed, score, reach = next(proposals)
            if reach >= value:
                y, value, accepted = proposed, score, accepted + 1
        drawn.y[row, j, 0], drawn.value[row, j] = y, value
        drawn.steps[row, j], drawn.accepted[row, j] = steps, accepted


def _draw_exactly(
    row: int, draw: int, proposals: Iterator[tuple[Any, float, float]], plan: Plan, bound: float
) -> tuple[Any, float, int, int]:
    """Return one exact sample, its score, the number of proposals, and how many of these were accepted.

    A proposal whose reach is the bound is accepted in every state. "rejection" returns the first such proposal. "cftp"
    starts there and runs the chain on the proposals before it, in reverse order of drawing: coupling from the past.
    """
    past: list[tuple[Any, float, float]] = []
    for steps in range(1, plan.budget + 1):
        proposal = next(proposals)
        if proposal[1] > bound + 1e-9 * (1 + abs(bound)):
            raise RowError(
                row,
                f"an output scores {proposal[1]:.6g}, more than the bound {bound:.6g} on all scores; correct bound",
            )
        if plan.method == "cftp":
            past.append(proposal)
        if proposal[2] >= bound:  # every state accepts it
            y, value, accepted = proposal[0], proposal[1], 1
            for other, score, reach in reversed(past[:-1]):
                if reach >= value:
                    y, value, accepted = other, score, accepted + 1
            return y, value, steps, accepted
    raise SamplingError(
        f"sample {draw}: no proposal reached the bound within {plan.budget} steps",
        row,
    )
