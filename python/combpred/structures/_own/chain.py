"""Markov chains and exact samplers on custom spaces that are given by functions.

The library runs all chains. It asks for what only the user's functions know: uniform draws, of which it chooses by
their scores, and moves.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import FloatArray, row_streams
from ..._lib.errors import CapabilityError, RowError, SamplingError, naming_row
from ..._lib.names import BOUNDED_METHODS, UNIFORM_METHODS
from ..._lib.sampling import Drawn, Plan, chain_from_draws

if TYPE_CHECKING:
    from .computed import PythonSpace

_HELD = 4096  # proposals of a chain that are held at a time, and draws that are embedded
_TRIED = 64  # draws by which the library tells whether a bound is near enough
_CHOICES = ("auto", "chain")


def draw_by_proposals(
    space: PythonSpace,
    linear: NDArray[np.float64],
    plan: Plan,
    start: NDArray[Any] | None,
    bound: NDArray[np.float64] | None,
    control: Control,
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
    control : Control
        Counts draws, and moves.

    Raises
    ------
    CapabilityError
        For other samplers, and when a bound is needed but not given.
    SamplingError
        When no proposal reaches the bound within the plan's budget; names row and sample.
    ValueError
        When an output scores more than the bound; names the row.
    """
    moves = plan.method == "local" and space.functions.propose is not None
    if plan.method not in (*UNIFORM_METHODS, *_CHOICES) and not moves:
        raise CapabilityError(
            f"sampler={plan.method!r} needs moves or elements that the library knows, and this Custom structure is "
            "given by functions; take sampler='meta', or 'cftp' or 'rejection' with a bound, or give propose= for "
            "'local'"
        )
    if plan.method in BOUNDED_METHODS and bound is None:
        raise CapabilityError(
            f"sampler={plan.method!r} needs a bound on the scores of all outputs, which functions do not give: give "
            "the structure radius= or bound=, or take sampler='meta'"
        )
    if plan.method in _CHOICES:
        method = _chosen(space, linear, plan, bound)
        if method != "meta":
            try:
                return draw_by_proposals(space, linear, plan._replace(method=method), None, bound, control)
            except SamplingError:  # it takes more proposals than the bound led to expect
                method = "meta"
        plan = plan._replace(method=method)
    drawn = Drawn.room(len(linear), 1, plan, np.object_)
    streams = row_streams(linear) if plan.streams is None else plan.streams
    for i, scores in enumerate(linear):
        own = _OwnDraws(space, scores, np.random.default_rng([plan.seed % 2**64, streams[i]]), control)
        first = start[i : i + 1] if start is not None else None
        with naming_row(i):
            if plan.method in BOUNDED_METHODS:
                assert bound is not None
                for j in range(plan.n_samples):
                    _draw_exactly(own, plan, float(bound[i]), drawn, i, j)
            elif plan.diagnosed:
                _run_measured(own, plan, drawn, i)
            elif moves:
                if first is not None:
                    own.add(first)
                own.write(own.next(plan, start=first is not None), drawn, i, 0)
            else:
                _run_chain(own, plan, first, drawn, i)
    return drawn._replace(chains=None) if plan.method in BOUNDED_METHODS else drawn


class Outputs(dict[int, Any]):
    """Outputs on chains, by the numbers that the library gives them, and the moves that it asks for.

    Parameters
    ----------
    space : PythonSpace
    rngs : sequence of Generator
        For the user's functions: one, or one for each chain, where all chains move together.
    scores : ndarray of shape (d,) or None, default=None
        Scores of the one row, where the library knows outputs by these; None: it knows them by ψ.
    """

    def __init__(
        self, space: PythonSpace, rngs: Sequence[np.random.Generator], scores: FloatArray | None = None
    ) -> None:
        super().__init__()
        self._space, self._rngs, self._scores = space, rngs, scores

    def move(self, start: list[int], to: list[int]) -> tuple[FloatArray, FloatArray]:
        """Make moves as a `Mover` does; an error about an output names the number of its chain."""
        functions, d = self._space.functions, self._space.n_features
        ratios, found = np.full(len(start), -np.inf), []
        for k, (source, number) in enumerate(zip(start, to, strict=True)):
            rng = self._rngs[k % len(self._rngs)]
            moved = (functions.draw(rng), 0.0) if source < 0 else functions.move(self[source], rng)
            if moved is not None:
                self[number], ratios[k] = moved
                found.append(k)
        psi = np.zeros((len(start), d))
        context = "what sample drew is no output: " if start[0] < 0 else "what propose returned is no output: "
        try:
            psi[found] = functions.embedded([self[to[k]] for k in found], d, "scores", context)
        except RowError as error:
            raise error.at(found[error.row]) from error.__cause__
        return (psi if self._scores is None else (psi @ self._scores)[:, np.newaxis]), ratios


def _chosen(space: PythonSpace, linear: NDArray[np.float64], plan: Plan, bound: NDArray[np.float64] | None) -> str:
    """Return what the library takes for "auto": what proposes uniform outputs where the bounds of all rows are near."""
    if bound is None or plan.method != "auto" or not len(linear):
        return "meta"
    values = space.embed(space.sample(_TRIED, 0)) @ linear.T
    ask = plan._replace(n_samples=0, diagnosed=False)
    none = functools.partial(np.empty, dtype=np.float64)  # these draws do
    chosen = {chain_from_draws(row, ask, none, bound=b).method for row, b in zip(values.T, bound, strict=True)}
    return "meta" if "meta" in chosen else chosen.pop()


class _OwnDraws:
    """Uniform draws by the user's sampler for one row of scores; the first may be the state of a chain.

    Attributes
    ----------
    parts : ndarray of shape (n, 1)
    values : ndarray of shape (n,)
        Their scores.
    """

    def __init__(
        self, space: PythonSpace, scores: NDArray[np.float64], rng: np.random.Generator, control: Control
    ) -> None:
        self._space, self._scores, self._rng, self._control = space, scores, rng, control
        self._moved = Outputs(space, [rng], scores)  # states of chains of moves
        self.parts: NDArray[Any] = np.empty((0, 1), dtype=object)
        self.values = np.empty(0)

    def add(self, parts: NDArray[Any]) -> None:
        """Add outputs behind those that there are."""
        self.parts = np.concatenate([self.parts, parts])
        self.values = np.append(self.values, self._space.embed(parts, None) @ self._scores)

    def draw(self, n: int) -> FloatArray:
        """Draw n more outputs, and return their scores."""
        for at in range(0, n, _HELD):
            self.add(self._space.sample(min(_HELD, n - at), int(self._rng.integers(2**63))))
            self._control.step += min(_HELD, n - at)
        return self.values[len(self.values) - n :]

    def keep(self, first: int, last: int | None = None) -> None:
        """Keep a range of the draws."""
        self.parts, self.values = self.parts[first:last], self.values[first:last]

    def next(self, plan: Plan, **options: Any) -> Drawn:
        """Return samples by a plan, after as many more draws as they take."""
        plan = plan._replace(seed=int(self._rng.integers(2**63)))
        if plan.method != "local":
            return chain_from_draws(self.values, plan, self.draw, **options)
        self._moved.update(enumerate(self.parts[:, 0]))

        def draw(n: int) -> FloatArray:
            first, values = len(self.parts), self.draw(n)
            self._moved.update(enumerate(self.parts[first:, 0], first))
            return values

        return chain_from_draws(self.values, plan, draw, move=self._moved.move, **options)

    def write(self, found: Drawn, drawn: Drawn, row: int, first: int) -> None:
        """Write the samples of a row to those of all rows, from one of its samples on."""
        some = slice(first, first + found.y.shape[1])
        for j, number in enumerate(found.y[0, :, 0].tolist(), first):
            drawn.y[row, j, 0] = self._moved[number] if number in self._moved else self.parts[number, 0]
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
