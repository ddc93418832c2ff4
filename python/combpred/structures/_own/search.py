r"""Prediction in spaces without a decoder: the best of uniform proposals, siblings, and chains of a user's own moves.

The chain MC(α) of Vembu (2010, ch. 7) proposes uniform outputs and accepts by the Metropolis rule with α = exp(1/T). It
accepts every proposal that scores more than all before, whatever α is. So the best output that it has met after n steps
is the best of n + 1 uniform draws, and these can be the same for all rows.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import FloatArray, row_streams
from ..._lib.control import reported
from ..._lib.decode import Decoded, Decoding, score_values
from ..._lib.errors import CapabilityError, RowError
from ..._lib.sampling import Searched, search_own
from .chain import Outputs

if TYPE_CHECKING:
    from .computed import PythonSpace

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # sets the random streams of the runs of a row apart
_MOST_STEPS = 2**40  # of a chain of the library
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
    control, moves = Control(), space.functions.propose is not None
    with reported(control, "predicting", verbose=how.verbose):
        drawn = space.proposals(min(_STARTS, space.n_proposals) if moves else space.n_proposals, control)
        items, psi, value, least = _best_of(space, drawn, linear, magnitude)
        if moves and how.decoder != "approx" and len(linear):
            streams = row_streams(linear, apart=False) if how.streams is None else how.streams
            streams = streams if how.is_random else np.zeros_like(streams)
            walked, found = _walk(
                space, items, psi, linear, magnitude, value - least, control, streams=streams, seed=how.seed,
                method="metropolis" if how.decoder == "metropolis" else "anneal", proposals="local",
                temperatures=(0.0,) if how.decoder == "local-search" else (), steps=min(space.n_proposals, _MOST_STEPS),
            )  # fmt: skip
            better = found.value > value
            items = [new if gains else old for old, new, gains in zip(items, walked, better, strict=True)]
            value = np.maximum(value, found.value)
        return certified(space, items, linear, magnitude, value, least, drawn.sums)


def _best_of(
    space: PythonSpace, drawn: Proposals, linear: FloatArray, magnitude: FloatArray | None
) -> tuple[list[Any], FloatArray, FloatArray, FloatArray]:
    """Return the best of uniform draws for each row, or a better sibling, with its ψ and score, and the least score."""
    n = len(linear)
    squares = repeat(None) if magnitude is None else np.broadcast_to(magnitude, linear.shape)
    items: list[Any] = []
    psi, value, least = np.empty(linear.shape), np.empty(n), np.empty(n)
    for i, (scores, square) in enumerate(zip(linear, squares)):  # noqa: B905  # one may have no end
        values = score_values(drawn.psi, scores, square)
        at, low = int(np.argmax(values)), int(np.argmin(values))
        best, psi[i], value[i], least[i] = drawn.items[at], drawn.psi[at], values[at], values[low]
        if drawn.sums is not None:  # siblings have opposite scores, so that of the worst is the best
            other, of_other, _ = space.functions.sum_with_sibling(drawn.items[low], drawn.psi[low])
            other_value = float(score_values(of_other[np.newaxis], scores, square)[0])
            if other_value > value[i]:
                best, psi[i], value[i] = other, of_other, other_value
        items.append(best)
    return items, psi, value, least


def _walk(
    space: PythonSpace,
    items: list[Any],
    psi: FloatArray,
    linear: FloatArray,
    magnitude: FloatArray | None,
    spread: FloatArray,
    control: Control,
    *,
    streams: NDArray[np.uint64],
    seed: int,
    **options: Any,
) -> tuple[list[Any], Searched]:
    """Return the best outputs on chains of the library that start at `items`, and what is known of the chains."""
    rngs = [np.random.default_rng([seed % 2**64, stream]) for stream in streams]
    outputs = Outputs(space, rngs)
    outputs.update(enumerate(items))
    best, found = search_own(
        space.description, linear, magnitude, psi, spread, outputs.move, seed=seed, streams=streams, control=control,
        **options,
    )  # fmt: skip
    return [outputs[number] for number in best.tolist()], found


def search_space(
    space: PythonSpace,
    linear: FloatArray,
    *,
    proposals: str,
    steps: int,
    runs: int,
    seed: int,
    verbose: int,
    **how: Any,
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
    if how["epsilon"]:
        space.log_count()  # says what is missing
    with reported(control, "searching", verbose=verbose):
        drawn = None if functions.sample is None else space.proposals(min(_STARTS, space.n_proposals), control)
        ranges = np.zeros(n) if len(how["temperatures"]) else _ranges(space, linear, drawn)
        streams = row_streams(linear)
        searched = np.arange(n) if first is None else np.flatnonzero(~first.optimal)
        starts = []
        for i in searched:
            for run in range(runs):
                uniform = functions.sample is not None and (run or first is None)
                rng = np.random.default_rng([seed % 2**64, streams[i], run])
                starts.append(functions.draw(rng) if uniform or first is None else first.y[i, 0])
        rows = np.repeat(searched, runs)
        apart = streams[rows] + np.tile(np.arange(runs, dtype=np.uint64), len(searched)) * _GOLDEN
        psi = functions.embedded(starts, space.n_features, "scores")
        ends, found = _walk(
            space, starts, psi, linear[rows], None, ranges[rows], control, streams=apart, seed=seed,
            proposals="local" if moves else "uniform", steps=steps or min(space.n_proposals, _MOST_STEPS), **how,
        )  # fmt: skip
    return _joined(space, linear, first, searched, runs, ends, found)


def _joined(
    space: PythonSpace,
    linear: FloatArray,
    first: Decoded | None,
    searched: NDArray[np.intp],
    runs: int,
    ends: list[Any],
    found: Searched,
) -> Searched:
    """Return the best of all runs of each row, and of the outputs that `decode` found before."""
    n = len(linear)
    items = [None] * n if first is None else list(first.y[:, 0])
    value = np.full(n, -np.inf) if first is None else first.value.copy()
    values = found.value.reshape(-1, runs)
    for k, i in enumerate(searched):
        run = int(np.argmax(values[k]))
        if values[k, run] > value[i]:
            items[i], value[i] = ends[k * runs + run], values[k, run]
    last, success = np.full(n, np.nan), np.zeros(n)
    made, accepted = np.zeros((2, n), dtype=np.int64)
    last[searched] = found.temperature.reshape(-1, runs)[:, -1]
    success[searched] = 1.0 - np.prod(1.0 - found.success.reshape(-1, runs), axis=1)
    for total, of_runs in ((made, found.steps), (accepted, found.accepted)):
        total[searched] = of_runs.reshape(-1, runs).sum(axis=1)
    known = certified(space, items, linear, None, value)
    upper, nu, optimal = known.upper_bound, known.nu, known.optimal
    if first is not None:
        upper, nu = np.minimum(upper, first.upper_bound), np.minimum(nu, first.nu)
        optimal = optimal | first.optimal | (value >= upper)
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
