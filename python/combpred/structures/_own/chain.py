"""Markov chains and exact samplers on custom spaces that are given by functions.

The user's sampler draws uniform proposals, and the library chooses among them by their scores.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.errors import CapabilityError, SamplingError, naming_row
from ..._lib.names import BOUNDED_METHODS, UNIFORM_METHODS
from ..._lib.sampling import Drawn, Plan, chain_next

if TYPE_CHECKING:
    from .computed import PythonSpace

_HELD = 4096  # proposals of a chain that are held at a time, and draws that are embedded
_TRIED = 64  # draws by which the library tells whether a bound is near enough
_CHOICES = ("auto", "chain")
_PROPOSED = "what propose returned is no output: "


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
        Sampler ("meta" for a Metropolis chain, which is "chain", too, "local" for one of the user's own moves, "cftp"
        for coupling from the past, "rejection", or "auto"), numbers of samples and steps, and seed.
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
    if plan.method == "local" and space.functions.propose is not None:
        if plan.diagnosed:
            raise CapabilityError(
                "sampler='local' by propose of a Custom structure is for combpred.sampling.sample, whose chains are "
                "not measured; take sampler='meta'"
            )
        return _draw_by_moves(space, linear, plan, start)
    if plan.method not in (*UNIFORM_METHODS, *_CHOICES):
        raise CapabilityError(
            f"sampler={plan.method!r} needs moves or elements that the library knows, and this Custom structure is "
            "given by functions; take sampler='meta', or 'cftp' or 'rejection' with a bound, or give propose= for "
            "'local'"
        )
    if plan.method in BOUNDED_METHODS and bound is None:
        raise CapabilityError(
            f"sampler={plan.method!r} needs a bound on the scores of all outputs, which functions do not give; pass "
            "bound=, such as the norm of the scores times the largest norm of ψ, or take sampler='meta'"
        )
    if plan.method in _CHOICES:
        method = _chosen(space, linear, plan, bound)
        if method != "meta":
            try:
                return draw_by_proposals(space, linear, plan._replace(method=method), None, bound)
            except SamplingError:  # it takes more proposals than the bound led to expect
                method = "meta"
        plan = plan._replace(method=method)
    drawn = Drawn.room(len(linear), 1, plan, np.object_)
    for i, scores in enumerate(linear):
        own = _OwnDraws(space, scores, np.random.default_rng([plan.seed % 2**64, i]))
        with naming_row(i):
            if plan.method != "meta":
                assert bound is not None
                for j in range(plan.n_samples):
                    _draw_exactly(own, plan, float(bound[i]), drawn, i, j)
            elif plan.diagnosed:
                _run_measured(own, plan, drawn, i)
            else:
                _run_chain(own, plan, start[i : i + 1] if start is not None else None, drawn, i)
    return drawn if plan.method == "meta" else drawn._replace(chains=None)


def _draw_by_moves(space: PythonSpace, linear: NDArray[np.float64], plan: Plan, start: NDArray[Any] | None) -> Drawn:
    """Return samples along chains of the user's moves, accepted by the rule of Metropolis and Hastings."""
    drawn, functions, d = Drawn.room(len(linear), 1, plan, np.object_), space.functions, space.n_features
    for i, scores in enumerate(linear):
        rng = np.random.default_rng([plan.seed % 2**64, i])
        with naming_row(i):
            y = functions.draw(rng) if start is None else start[i, 0]
            value = float(functions.embedded([y], d, "y")[0] @ scores)
            for j in range(plan.n_samples):
                steps = plan.thin + (plan.burn_in if j == 0 else 0)
                accepted = 0
                for _ in range(steps):
                    if (moved := functions.move(y, rng)) is None:
                        continue
                    found = float(functions.embedded([moved[0]], d, "y", _PROPOSED)[0] @ scores)
                    gain = found - value + moved[1]
                    if gain >= 0.0 or rng.random() < math.exp(gain):
                        y, value, accepted = moved[0], found, accepted + 1
                drawn.y[i, j, 0] = y
                drawn.value[i, j], drawn.steps[i, j], drawn.accepted[i, j] = value, steps, accepted
    return drawn


def _chosen(space: PythonSpace, linear: NDArray[np.float64], plan: Plan, bound: NDArray[np.float64] | None) -> str:
    """Return what the library takes for "auto": what proposes uniform outputs where the bounds of all rows are near."""
    if bound is None or plan.method != "auto" or not len(linear):
        return "meta"
    values = space.embed(space.sample(_TRIED, 0)) @ linear.T
    ask = plan._replace(n_samples=0, diagnosed=False)
    chosen = {chain_next(row, ask, bound=b)[1].method for row, b in zip(values.T, bound, strict=True)}
    return "meta" if "meta" in chosen else chosen.pop()


class _OwnDraws:
    """Uniform draws by the user's sampler for one row of scores; the first may be the state of a chain.

    Attributes
    ----------
    parts : ndarray of shape (n, 1)
    values : ndarray of shape (n,)
        Their scores.
    """

    def __init__(self, space: PythonSpace, scores: NDArray[np.float64], rng: np.random.Generator) -> None:
        self._space, self._scores, self._rng = space, scores, rng
        self.parts: NDArray[Any] = np.empty((0, 1), dtype=object)
        self.values = np.empty(0)

    def add(self, parts: NDArray[Any]) -> None:
        """Add outputs behind those that there are."""
        self.parts = np.concatenate([self.parts, parts])
        self.values = np.append(self.values, self._space.embed(parts, None) @ self._scores)

    def draw(self, n: int) -> None:
        """Draw n more outputs."""
        for at in range(0, n, _HELD):
            self.add(self._space.sample(min(_HELD, n - at), int(self._rng.integers(2**63))))

    def keep(self, first: int, last: int | None = None) -> None:
        """Keep a range of the draws."""
        self.parts, self.values = self.parts[first:last], self.values[first:last]

    def next(self, plan: Plan, **options: Any) -> Drawn:
        """Return samples by a plan, after as many more draws as they take."""
        plan = plan._replace(seed=int(self._rng.integers(2**63)))
        while (found := chain_next(self.values, plan, **options))[0]:
            self.draw(found[0])
        return found[1]

    def write(self, found: Drawn, drawn: Drawn, row: int, first: int) -> None:
        """Write the samples of a row to those of all rows, from one of its samples on."""
        some = slice(first, first + found.y.shape[1])
        drawn.y[row, some] = self.parts[found.y[0, :, 0]]
        for name in ("value", "steps", "accepted"):
            getattr(drawn, name)[row, some] = getattr(found, name)[0]


def _run_measured(own: _OwnDraws, plan: Plan, drawn: Drawn, row: int) -> None:
    """Measure four chains of one row, and write what they say and the samples to `drawn`."""
    found = own.next(plan)
    own.write(found, drawn, row, 0)
    assert found.chains is not None and drawn.chains is not None
    for to, column in zip(drawn.chains, found.chains, strict=True):
        to[row] = column[0]


def _run_chain(own: _OwnDraws, plan: Plan, start: NDArray[Any] | None, drawn: Drawn, row: int) -> None:
    """Run the Metropolis chain of one row and write its samples to `drawn`; without a start it begins uniformly."""
    if start is None:
        own.draw(1)
    else:
        own.add(start)

    def advance(n_samples: int, thin: int) -> Drawn:
        own.draw(n_samples * thin)
        return own.next(plan._replace(n_samples=n_samples, burn_in=0, thin=thin), start=True)

    def restart(found: Drawn) -> None:
        last = int(found.y[0, -1, 0])
        own.keep(last, last + 1)

    j, ahead, made = 0, plan.burn_in, np.zeros(2, dtype=np.int64)
    thin = min(plan.thin, _HELD)
    while j < plan.n_samples:
        ahead += plan.thin - thin
        while ahead:  # steps before a sample, whose states are not kept
            steps = min(ahead, _HELD)
            found = advance(1, steps)
            restart(found)
            ahead, made = ahead - steps, made + (found.steps[0, 0], found.accepted[0, 0])
        many = min(plan.n_samples - j, max(1, _HELD // plan.thin))
        found = advance(many, thin)
        own.write(found, drawn, row, j)
        drawn.steps[row, j] += made[0]
        drawn.accepted[row, j] += made[1]
        restart(found)
        j, made = j + many, np.zeros(2, dtype=np.int64)


def _draw_exactly(own: _OwnDraws, plan: Plan, bound: float, drawn: Drawn, row: int, j: int) -> None:
    """Write an exact sample to `drawn`: the first proposal that every state of the chain accepts."""
    try:
        found = own.next(plan._replace(n_samples=1, diagnosed=False), bound=bound)
    except SamplingError as error:
        raise SamplingError(error.reason.replace("sample 0", f"sample {j}", 1)) from None
    own.write(found, drawn, row, j)
    own.keep(int(found.steps[0, 0]))
