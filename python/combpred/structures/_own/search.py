r"""Prediction in spaces without a decoder: the best of uniform proposals, siblings, and chains of a user's own moves.

The chain MC(α) of Vembu (2010, ch. 7) proposes uniform outputs and accepts by the Metropolis rule with α = exp(1/T). It
accepts every proposal that scores more than all before, whatever α is. So the best output that it has met after n steps
is the best of n + 1 uniform draws, and these can be the same for all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import FloatArray, row_streams
from ..._lib.control import reported
from ..._lib.decode import Decoded, Decoding, score_values
from ..._lib.errors import CapabilityError, RowError
from ..._lib.sampling import Searched

if TYPE_CHECKING:
    from .computed import PythonSpace

_STARTS = 256  # uniform draws of which the best is where a chain of own moves starts
_ROUNDING, _TIE = 1e-9, 1e-12  # of scores beyond their bound, and at it, relative


class Proposals(NamedTuple):
    """Uniform draws that serve all rows.

    Attributes
    ----------
    items : list of length n
    psi : ndarray of shape (n, d)
    sums : ndarray of shape (d,) or None
        The sum of ψ of an output and of its sibling.
    """

    items: list[Any]
    psi: FloatArray
    sums: FloatArray | None


def proposals_of(space: PythonSpace, n: int, seed: int, control: Control) -> Proposals:
    """Return n uniform draws."""
    items, rng = [], np.random.default_rng(seed)
    for _ in range(n):
        items.append(space.functions.draw(rng))
        control.step += 1
    psi = space.functions.embedded(items, space.n_features, "scores", "what sample drew is no output: ")
    if space.functions.sibling is None:
        return Proposals(items, psi, None)
    return Proposals(items, psi, space.functions.sum_with_sibling(items[0], psi[0])[2])


def best_proposals(space: PythonSpace, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
    """Return the best outputs that proposals find, with what is proven about them.

    Parameters
    ----------
    space : PythonSpace
        With a sampler.
    linear : ndarray of shape (n, d)
        Scores.
    magnitude : ndarray of shape (d,) or (n, d), or None
        Scores of the squares of ψ.
    how : Decoding
        Without own moves, all decoders take the best of all proposals. Otherwise "auto" and "anneal" follow a chain of
        them that is cooled, "metropolis" one of fixed temperature, "local-search" takes moves that gain, and "approx"
        stays at the best of a few uniform draws. Progress is that of draws and moves, with the score of the last row.
    """
    control = Control()
    with reported(control, "predicting", verbose=how.verbose):
        return _best(space, linear, magnitude, how, control)


def _best(
    space: PythonSpace, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, control: Control
) -> Decoded:
    functions, n = space.functions, len(linear)
    moves = functions.propose is not None
    drawn = space.proposals(min(_STARTS, space.n_proposals) if moves else space.n_proposals, control)
    squares = None if magnitude is None else np.broadcast_to(magnitude, linear.shape)
    items: list[Any] = []
    streams = row_streams(linear, apart=False) if how.streams is None else how.streams
    value, least = np.empty(n), np.empty(n)
    for i, scores in enumerate(linear):
        square = None if squares is None else squares[i]
        values = score_values(drawn.psi, scores, square)
        at, low = int(np.argmax(values)), int(np.argmin(values))
        best, value[i], least[i] = drawn.items[at], values[at], values[low]
        start = drawn.psi[at]
        if drawn.sums is not None:  # where siblings have opposite scores, that of the worst is the best
            other, psi, _ = functions.sum_with_sibling(drawn.items[low], drawn.psi[low])
            of_other = float(score_values(psi[np.newaxis], scores, square)[0])
            if of_other > value[i]:
                best, value[i], start = other, of_other, psi
        if moves and how.decoder != "approx":
            rng = np.random.default_rng([how.seed % 2**64, streams[i] if how.is_random else 0])
            spread = float(value[i] - least[i])
            temperatures = _temperatures(how.decoder, spread, max(2, space.n_features), space.n_proposals)
            move = functions.move
            best, value[i], _ = _moved(
                space, (best, start, value[i]), (scores, square), temperatures, move, rng, control
            )
        control.value = value[i]
        items.append(best)
    return certified(space, items, linear, magnitude, value, least, drawn.sums)


def _moved(
    space: PythonSpace,
    start: tuple[Any, FloatArray, float],
    weights: tuple[FloatArray, FloatArray | None],
    temperatures: Iterator[float],
    move: Callable[[Any, np.random.Generator], tuple[Any, float] | None],
    rng: np.random.Generator,
    control: Control,
) -> tuple[Any, float, int]:
    """Return the best output on a chain of moves, with its score, and how many moves were accepted."""
    functions = space.functions
    now, _, value = start
    best, most, accepted = now, value, 0
    for temperature in temperatures:
        control.step += 1
        if (moved := move(now, rng)) is None:
            continue
        psi = functions.embedded([moved[0]], space.n_features, "scores", "what propose returned is no output: ")
        found = float(score_values(psi, *weights)[0])
        if temperature > 0.0:
            gain = (found - value) / temperature + moved[1]
            takes = gain >= 0.0 or rng.random() < math.exp(gain)
        else:
            takes = found >= value
        if takes:
            now, value, accepted = moved[0], found, accepted + 1
            if value > most:
                best, most = now, value
    return best, most, accepted


def _temperatures(decoder: str, spread: float, d: int, steps: int) -> Iterator[float]:
    """Return the temperature of each step.

    They are those of the decoders of the library, with d for the number of parts: from the spread R of the scores by
    the factor 1 − 1/√d down to R/(4d)², or R/(10d) all the time.
    """
    if decoder == "local-search" or not spread > 0.0:
        return repeat(0.0, steps)
    if decoder == "metropolis":
        return repeat(spread / (10 * d), steps)
    factor = 1.0 - 1.0 / math.sqrt(d)
    levels = math.ceil(2.0 * math.log(4.0 * d) / -math.log(factor))
    return (spread * factor ** (step * levels // steps) for step in range(steps))


def search_space(
    space: PythonSpace,
    linear: FloatArray,
    *,
    method: str,
    proposals: str,
    temperatures: FloatArray,
    epsilon: float,
    delta: float,
    steps: int,
    runs: int,
    seed: int,
    verbose: int,
) -> Searched:
    """Search along chains for outputs of largest score; the options are those of cp_search.

    Raises
    ------
    CapabilityError
        When the moves, a sampler, or what temperatures follow from is missing.
    """
    functions, n, control = space.functions, len(linear), Control()
    moves = proposals != "uniform" and functions.propose is not None
    if proposals == "local" and not moves:
        raise CapabilityError(
            "proposals='local' follows the moves of propose, which this Custom structure does not have: give propose=, "
            "or take proposals='uniform'"
        )
    first = space.decode(linear) if space.has_decoder else None
    if not moves or first is None:
        functions.require_sampler()
    end = epsilon and epsilon / (space.log_count() - math.log(delta))
    steps = steps or space.n_proposals
    drawn = None if functions.sample is None else space.proposals(min(_STARTS, space.n_proposals), control)
    ranges = _ranges(space, linear, drawn) if not len(temperatures) else np.zeros(n)
    items: list[Any] = []
    value, last, success = np.empty(n), np.full(n, np.nan), np.zeros(n)
    made, accepted = np.zeros((2, n), dtype=np.int64)
    streams = row_streams(linear)

    def move(y: Any, rng: np.random.Generator) -> tuple[Any, float] | None:
        return functions.move(y, rng) if moves else (functions.draw(rng), 0.0)

    with reported(control, "searching", verbose=verbose):
        for i, scores in enumerate(linear):
            best, value[i] = (None, -np.inf) if first is None else (first.y[i, 0], first.value[i])
            levels = temperatures if len(temperatures) else _levels(method, ranges[i], space.n_features, end)
            if (first is not None and first.optimal[i]) or not len(levels):
                levels = np.empty(0)
            for run in range(runs if len(levels) or best is None else 0):
                rng = np.random.default_rng([seed % 2**64, streams[i], run])
                y = functions.draw(rng) if functions.sample is not None and (run or first is None) else best
                psi = functions.embedded([y], space.n_features, "scores")[0]
                shares = np.diff(np.arange(len(levels) + 1) * steps // max(1, len(levels)))
                course = chain.from_iterable(map(repeat, levels.tolist(), shares.tolist()))
                found = _moved(space, (y, psi, float(psi @ scores)), (scores, None), course, move, rng, control)
                made[i] += shares.sum()
                accepted[i] += found[2]
                if found[1] > value[i]:
                    best, value[i] = found[0], found[1]
            if len(levels):
                last[i] = levels[-1]
            control.value = value[i]
            items.append(best)
    known = certified(space, items, linear, None, value)
    upper, nu, optimal = known.upper_bound, known.nu, known.optimal
    if first is not None:
        upper, nu = np.minimum(upper, first.upper_bound), np.minimum(nu, first.nu)
        optimal = optimal | first.optimal | (value >= upper)
    log_count = space.description.shape.log_count
    if not moves and not math.isnan(log_count):
        success = -np.expm1(made * np.log1p(-np.exp(-log_count))) if log_count > 0.0 else np.ones(n)
    return Searched(
        known.y, value, upper, np.where(optimal, 0.0, nu), optimal, last, made, accepted,
        np.where(optimal, 1.0, success),
    )  # fmt: skip


def _ranges(space: PythonSpace, linear: FloatArray, drawn: Proposals | None) -> FloatArray:
    """Return bounds on the ranges of scores or, where nothing is proven, the ranges of uniform draws."""
    if space.functions.bounds_scores:
        return 2.0 * space.functions.bounds(linear)
    if drawn is None:
        raise CapabilityError(
            "nothing is known about the range of scores, from which temperatures follow: give the structure sample=, "
            "radius= or bound=, or temperatures as schedule"
        )
    values = drawn.psi @ linear.T
    return np.asarray(np.ptp(values, axis=0))


def _levels(method: str, spread: float, d: int, end: float) -> FloatArray:
    """Return the temperatures that follow from the range of scores; none where all scores are equal."""
    if not spread > 0.0:
        return np.empty(0)
    d = max(2, d)
    if method == "metropolis":
        return np.array([spread / (10 * d)])
    factor, end = 1.0 - 1.0 / math.sqrt(d), end or spread / (4.0 * d) ** 2
    down = math.ceil(max(0.0, math.log(spread / end)) / -math.log(factor))
    return np.append(spread * np.power(factor, np.arange(down)), end)


def certified(
    space: PythonSpace,
    items: list[Any],
    linear: FloatArray,
    magnitude: FloatArray | None,
    value: FloatArray,
    least: FloatArray | None = None,
    sums: FloatArray | None = None,
) -> Decoded:
    r"""Return outputs with what follows from a bound u on all scores, from siblings, and from the worst that was met.

    With the score v of an output and the least score m that was met, the ratio (max − v) / (max − min) is at most
    (u − v) / (u − m), as it grows with max and with min. Siblings have scores of a constant sum 2k, so that min is
    2k − max, and the ratio at most (u − v) / (2u − 2k), which is at most ½ where v is at least k.

    Raises
    ------
    RowError
        When a score exceeds the user's own bound.
    """
    upper = np.full(len(items), np.inf)
    if magnitude is None and space.functions.bounds_scores:
        upper = space.functions.bounds(linear)
        exceeded = value > upper + _ROUNDING * (1.0 + upper)
        if exceeded.any():
            row = int(np.argmax(exceeded))
            raise RowError(
                row,
                f"an output scores {value[row]:.6g}, beyond the bound {upper[row]:.6g} on all scores that the "
                "structure was given; correct bound or radius",
            )
        upper = np.where(value >= upper - _TIE * (1.0 + upper), value, upper)
    optimal = value >= upper
    known = np.isfinite(upper) & ~optimal
    gap, nu = np.where(known, upper - value, 1.0), np.ones(len(items))
    if least is not None:
        nu = np.where(known, gap / np.where(known, upper - least, 1.0), nu)
    if sums is not None and magnitude is None:
        half = np.where(known, gap / np.where(known, 2.0 * upper - linear @ sums, 1.0), 0.5)
        nu = np.minimum(nu, half)
    return Decoded(column(items), value, upper, np.where(optimal, 0.0, nu), optimal)


def column(items: list[Any]) -> NDArray[Any]:
    """Return outputs as parts of objects, shape ``(n, 1)``; NumPy must not look inside them."""
    parts = np.empty((len(items), 1), dtype=object)
    for i, item in enumerate(items):
        parts[i, 0] = item
    return parts
