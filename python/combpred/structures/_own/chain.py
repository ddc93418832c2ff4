"""Markov chains and exact samplers on custom spaces that are given by functions.

The user's sampler draws uniform proposals, and the library chooses among them by their scores; or chains follow the
user's own moves, as the library asks for them.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import CountArray, FloatArray, row_streams
from ..._lib.errors import CapabilityError, SamplingError, naming_row
from ..._lib.names import BOUNDED_METHODS, UNIFORM_METHODS
from ..._lib.partition import Walk
from ..._lib.sampling import Drawn, Plan, chain_from_draws

if TYPE_CHECKING:
    from .computed import PythonSpace

_HELD = 4096  # proposals of a chain that are held at a time, and draws that are embedded
_TRIED = 64  # draws by which the library tells whether a bound is near enough
_CHOICES = ("auto", "chain")
_PROPOSED = "what propose returned is no output: "
_STAYS = 1.0 / 8.0  # share of the moves of a chain that stay, as moves may be periodic, like those of the library
_CHAINS, _BURN_IN, _DRAWS, _APART = 2, 16, 4, 2  # of training, as the library's own; moves apart for each entry of ψ
_FEW_ROWS, _MOST_TIMES = 256, 8  # with fewer rows, as many times more draws


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


def follow_chain(
    space: PythonSpace,
    scores: NDArray[np.float64],
    y: Any,
    lengths: tuple[int, int, int],
    rng: np.random.Generator,
    control: Control,
) -> tuple[list[Any], FloatArray, CountArray]:
    """Return states of a chain of the user's moves, accepted by the rule of Metropolis and Hastings for p ∝ exp⟨s, ψ⟩.

    Parameters
    ----------
    space : PythonSpace
        With `propose`.
    scores : ndarray of shape (d,)
    y : object
        Where the chain begins.
    lengths : tuple of int
        Moves before the first state, moves from state to state, number of states.
    rng : Generator
    control : Control
        Counts moves.

    Returns
    -------
    states : list of length n
    psi : ndarray of shape (n, d)
    accepted : ndarray of shape (n,)
        How many of the moves to each state were accepted, those that stay included.
    """
    functions, d, (burn_in, thin, n) = space.functions, space.n_features, lengths
    psi = functions.embedded([y], d, "y")[0]
    value, states, rows = float(psi @ scores), [], np.empty((n, d))
    accepted: CountArray = np.zeros(n, dtype=np.int64)
    for j in range(n):
        steps = thin + (burn_in if j == 0 else 0)
        for _ in range(steps):
            if rng.random() < _STAYS:
                accepted[j] += 1
                continue
            if (moved := functions.move(y, rng)) is None:
                continue
            other = functions.embedded([moved[0]], d, "y", _PROPOSED)[0]
            found = float(other @ scores)
            gain = found - value + moved[1]
            if gain >= 0.0 or rng.random() < math.exp(gain):
                y, psi, value = moved[0], other, found
                accepted[j] += 1
        control.step += steps
        states.append(y)
        rows[j] = psi
    return states, rows, accepted


def follow_walk(
    space: PythonSpace,
    scores: NDArray[np.float64],
    walk: Walk,
    outputs: dict[int, Any],
    rng: np.random.Generator,
    control: Control,
) -> tuple[list[Any], FloatArray, CountArray]:
    """Return what `follow_chain` does for all chains of a walk; `outputs` has those where they begin, and gets ends."""
    lengths = walk.burn_in, walk.thin, walk.n_states
    found = [follow_chain(space, walk.beta * scores, outputs[k], lengths, rng, control) for k in walk.start]
    for c, (states, _, _) in enumerate(found):
        outputs[walk.first + (c + 1) * walk.n_states - 1] = states[-1]
    items, psi, accepted = zip(*found, strict=True)
    return [state for of_chain in items for state in of_chain], np.concatenate(psi), np.concatenate(accepted)


class PersistentChains:
    """Two chains of the user's moves for each row of a training set, which go on as the scores of the rows change.

    Parameters
    ----------
    space : PythonSpace
        With `propose` and a sampler.
    n : int
        Number of rows.
    seed : int
    """

    def __init__(self, space: PythonSpace, n: int, seed: int) -> None:
        self._space, self._rng = space, np.random.default_rng(seed % 2**64)
        self._usual = _DRAWS * min(_MOST_TIMES, (_FEW_ROWS - 1) // max(n, 1) + 1)
        self._thin = _APART * space.n_features
        self._states: dict[int, list[Any]] = {}

    def answer(self, request: str, rows: NDArray[np.intp], scores: FloatArray, draws: int) -> tuple[FloatArray, ...]:
        """Return what training asks about rows of scores (k, d): "mean", "pair" or "draw", as the library says."""
        many, apart = self._usual * (max(1, draws) if request == "pair" else 1), self._thin
        if request == "draw":  # for covariances, which correlation would bias
            many, apart = (draws - 1) // _CHAINS + 1, 2 * self._thin
        psi = np.empty((len(rows), _CHAINS, many, scores.shape[1]))
        for k, row in enumerate(rows.tolist()):
            begun = row in self._states
            states = self._states.get(row) or self._space.sample(_CHAINS, int(self._rng.integers(2**63)))[:, 0].tolist()
            lengths = (0 if begun else _BURN_IN * self._thin), apart, many
            for c, y in enumerate(states):
                items, psi[k, c], _ = follow_chain(self._space, scores[k], y, lengths, self._rng, Control())
                states[c] = items[-1]
            self._states[row] = states
        if request == "draw":
            return (psi.swapaxes(1, 2).reshape(len(rows), _CHAINS * many, -1)[:, :draws],)
        return (psi.mean(axis=2).swapaxes(0, 1) if request == "pair" else psi.mean(axis=(1, 2)),)


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
        self._walked: dict[int, Any] = {}  # states of walks by their numbers
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
        follow = self._follow if plan.method == "local" else None
        return chain_from_draws(self.values, plan, self.draw, follow=follow, **options)

    def _follow(self, walk: Walk) -> tuple[FloatArray, CountArray]:
        known = dict(enumerate(self.parts[:, 0])) | self._walked
        states, psi, accepted = follow_walk(self._space, self._scores, walk, known, self._rng, self._control)
        self._walked |= dict(enumerate(states, walk.first))
        return psi @ self._scores[:, np.newaxis], accepted

    def write(self, found: Drawn, drawn: Drawn, row: int, first: int) -> None:
        """Write the samples of a row to those of all rows, from one of its samples on."""
        some = slice(first, first + found.y.shape[1])
        for j, number in enumerate(found.y[0, :, 0].tolist(), first):
            drawn.y[row, j, 0] = self._walked[number] if number in self._walked else self.parts[number, 0]
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
