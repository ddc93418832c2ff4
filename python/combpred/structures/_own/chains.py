r"""Draws and predictions in spaces that are given by functions, on chains that the library runs.

It asks for what only the user's functions know: uniform draws, and moves. Spaces without a decoder predict the best of
uniform proposals, of their siblings, and of chains of a user's own moves. The chain MC(α) of Vembu (2010, ch. 7)
proposes uniform outputs and accepts by the Metropolis rule with α = exp(1/T). It accepts every proposal that scores
more than all before, whatever α is. So the best output that it has met after n steps is the best of n + 1 uniform
draws, and these can be the same for all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._data.converters import as_objects
from ..._lib.abi import Control
from ..._lib.arrays import FloatArray
from ..._lib.call import row_streams
from ..._lib.control import reported
from ..._lib.decode import Decoded, Decoding, score_values
from ..._lib.errors import CapabilityError, RowError, naming_row
from ..._lib.names import BOUNDED_METHODS
from ..._lib.sampling import Drawn, Plan, Searched, chain_own, search_own

if TYPE_CHECKING:
    from .computed import PythonSpace


class Outputs(dict[int, Any]):
    """Outputs on chains, by the numbers that the library gives them, and the moves that it asks for.

    Parameters
    ----------
    space : PythonSpace
    rng_of : callable
        Function of the number of a row that returns the generator for its outputs.
    """

    def __init__(self, space: PythonSpace, rng_of: Callable[[int], np.random.Generator]) -> None:
        super().__init__()
        self._space, self._rng_of = space, rng_of

    def move(self, rows: list[int], start: list[int], to: list[int]) -> tuple[FloatArray, FloatArray]:
        """Make moves as a `Mover` does; an error about an output names its row."""
        functions, d = self._space.functions, self._space.n_features
        ratios, found = np.full(len(start), -np.inf), []
        for k, (row, source, number) in enumerate(zip(rows, start, to, strict=True)):
            rng = self._rng_of(row)
            with naming_row(row):
                moved = (functions.draw(rng), 0.0) if source < 0 else functions.move(self[source], rng)
            if moved is not None:
                self[number], ratios[k] = moved
                found.append(k)
        psi = np.zeros((len(start), d))
        context = "what sample drew is no output: " if start[0] < 0 else "what propose returned is no output: "
        try:
            psi[found] = functions.embedded([self[to[k]] for k in found], d, "scores", context)
        except RowError as error:
            raise error.at(rows[found[error.row]]) from error.__cause__
        return psi, ratios


def draw_by_proposals(
    space: PythonSpace,
    linear: FloatArray,
    plan: Plan,
    *,
    start: NDArray[Any] | None = None,
    bound: FloatArray | None = None,
    verbose: int = 0,
    **_: Any,
) -> Drawn:
    """Return outputs drawn from p ∝ exp⟨s, ψ⟩ for every row s of `linear`, by uniform proposals or the user's moves.

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
        States in which chains start; None: uniform draws.
    bound : ndarray of shape (n,) or None
        Upper bounds on the scores of all outputs, for "cftp" and "rejection"; None: those that the user's functions
        give, if they do.
    verbose : int
        How often the progress of draws and moves is reported.

    Raises
    ------
    CapabilityError
        For other samplers, and when a bound is needed but not given.
    SamplingError
        When no proposal reaches the bound within the plan's budget; names row and sample.
    ValueError
        When an output scores more than the bound; names the row.
    """
    space.functions.require_sampler()  # whatever else is missing, nothing is drawn without
    if bound is None and space.functions.bounds_scores and plan.method in ("auto", *BOUNDED_METHODS):
        bound = space.functions.bounds(linear)
    streams = row_streams(linear) if plan.streams is None else plan.streams
    rngs = [np.random.default_rng([plan.seed % 2**64, stream]) for stream in streams]
    outputs, began = space.outputs(rngs.__getitem__), None
    if start is not None:
        outputs.update(enumerate(start[:, 0]))
        began = space.embed(start)
    drawn = chain_own(
        space.description, linear, plan._replace(streams=streams), outputs.move,
        lambda n: space.embed(space.sample(n, 0)), moves=space.functions.propose is not None, start=began, bound=bound,
        verbose=verbose,
    )  # fmt: skip
    y = np.empty(drawn.y.shape, dtype=object)
    for place, number in np.ndenumerate(drawn.y):
        y[place] = outputs[number]
    return drawn._replace(y=y)


_MOST_STEPS = 2**40  # of a chain of the library
_STARTS = 256  # uniform draws of which the best is where a chain of own moves starts
_ROUNDING, _TIE = 1e-9, 1e-12  # of scores beyond their bound, and at it, relative


class Proposals(NamedTuple):
    """Uniform draws that serve all rows, with the sibling of each behind them, if there are siblings.

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
    functions, items, rng = space.functions, [], np.random.default_rng(seed)
    for _ in range(n):
        items.append(functions.draw(rng))
        control.step += 1
    psi = functions.embedded(items, space.n_features, "scores", "what sample drew is no output: ")
    if functions.sibling is None:
        return Proposals(items, psi, None)
    siblings, other = functions.siblings(items, space.n_features)
    return Proposals(items + siblings, np.concatenate([psi, other]), psi[0] + other[0])


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
    squares = [None] * len(linear) if magnitude is None else np.broadcast_to(magnitude, linear.shape)
    with reported(control, "predicting", verbose=how.verbose):
        drawn = space.proposals(min(_STARTS, space.n_proposals) if moves else space.n_proposals, control)
        best, value, least = np.empty(len(linear), dtype=np.intp), np.empty(len(linear)), np.empty(len(linear))
        for i, scores in enumerate(linear):
            values = score_values(drawn.psi, scores, squares[i])
            best[i], value[i], least[i] = values.argmax(), values.max(), values.min()
        items = [drawn.items[at] for at in best]
        if moves and how.decoder != "approx" and len(linear):
            streams = row_streams(linear, apart=False) if how.streams is None else how.streams
            items, found = _walk(
                space, items, drawn.psi[best], linear, magnitude, control, spread=value - least, seed=how.seed,
                streams=streams if how.is_random else np.zeros_like(streams), runs=1, proposals="local",
                method="metropolis" if how.decoder == "metropolis" else "anneal",
                temperatures=(0.0,) if how.decoder == "local-search" else (), steps=min(space.n_proposals, _MOST_STEPS),
            )  # fmt: skip
            value = found.value
    return certified(space, items, linear, magnitude, value, least, drawn.sums)


def _walk(
    space: PythonSpace,
    items: list[Any],
    psi: FloatArray,
    linear: FloatArray,
    magnitude: FloatArray | None,
    control: Control,
    *,
    streams: NDArray[np.uint64],
    seed: int,
    **options: Any,
) -> tuple[list[Any], Searched]:
    """Return the best outputs on chains of the library that start at `items`, and what is known of the chains."""
    rngs = [np.random.default_rng([seed % 2**64, stream]) for stream in streams]
    outputs = space.outputs(rngs.__getitem__)
    outputs.update(enumerate(items))
    best, found = search_own(
        space.description, linear, magnitude, psi, outputs.move, seed=seed, streams=streams, control=control, **options
    )
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
    functions, control, n = space.functions, Control(), len(linear)
    moves = proposals != "uniform" and functions.propose is not None
    if proposals == "local" and not moves:
        raise CapabilityError("proposals='local' follows propose=, which is not given: give it, or take 'uniform'")
    if not moves or not space.has_decoder:
        functions.require_sampler()
    first = Decoded(column([None] * n), np.zeros(n), np.full(n, np.inf), np.ones(n), np.zeros(n, dtype=np.bool_))
    if space.has_decoder:
        first = space.decode(linear)
    rows = np.flatnonzero(~first.optimal)  # no other row takes a step
    starts = list(first.y[rows, 0]) if space.has_decoder else []
    if functions.sample is None:
        starts *= runs
    with reported(control, "searching", verbose=verbose):
        ends, walked = _walk(
            space, starts, functions.embedded(starts, space.n_features, "scores"), linear[rows], None, control,
            spread=_ranges(space, linear[rows], how["temperatures"], control), streams=row_streams(linear)[rows],
            seed=seed, runs=runs, proposals="local" if moves else "uniform",
            steps=steps or min(space.n_proposals, _MOST_STEPS), **how,
        )  # fmt: skip
    no_steps: tuple[Any, ...] = (np.full(n, np.nan), *np.zeros((2, n), dtype=np.int64), np.ones(n))
    found = Searched(*map(np.copy, first), *no_steps)
    of_all: tuple[Any, ...] = found
    for values, some in zip(of_all, walked._replace(y=column(ends)), strict=True):
        values[rows] = some
    known = certified(space, found.y[:, 0], linear, None, found.value)
    upper = np.minimum(known.upper_bound, first.upper_bound)
    optimal = known.optimal | first.optimal | (found.value >= upper)
    nu = np.where(optimal, 0.0, np.minimum(known.nu, first.nu))
    success = np.where(optimal, 1.0, found.success)
    return found._replace(upper_bound=upper, nu=nu, optimal=optimal, success=success)


def _ranges(space: PythonSpace, linear: FloatArray, temperatures: FloatArray, control: Control) -> FloatArray:
    """Return bounds on the ranges of scores or, where nothing is proven, the ranges of uniform draws."""
    if len(temperatures):
        return np.zeros(len(linear))
    if space.functions.bounds_scores:
        return 2.0 * space.functions.bounds(linear)
    if space.functions.sample is None:
        raise CapabilityError("nothing bounds scores: give sample=, radius=, bound=, or temperatures as schedule")
    values = space.proposals(min(_STARTS, space.n_proposals), control).psi @ linear.T
    return np.asarray(np.ptp(values, axis=0))


def certified(
    space: PythonSpace,
    items: Any,
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
    upper, nu = np.full(len(value), np.inf), np.ones(len(value))
    if magnitude is None and space.functions.bounds_scores:
        upper = space.functions.bounds(linear)
        exceeded = value > upper + _ROUNDING * (1.0 + upper)
        if exceeded.any():
            row = int(np.argmax(exceeded))
            said = f"an output scores {value[row]:.6g}, beyond the bound {upper[row]:.6g}; correct bound or radius"
            raise RowError(row, said)
        upper = np.where(value >= upper - _TIE * (1.0 + upper), value, upper)
    optimal = value >= upper
    known = np.isfinite(upper) & ~optimal
    if least is not None:
        np.divide(upper - value, upper - least, out=nu, where=known)
    if sums is not None and magnitude is None:
        half = np.full(len(value), 0.5)
        np.divide(upper - value, 2.0 * upper - linear @ sums, out=half, where=known)
        nu = np.minimum(nu, half)
    return Decoded(column(items), value, upper, np.where(optimal, 0.0, nu), optimal)


def column(items: Any) -> NDArray[Any]:
    """Return outputs as parts of objects, shape ``(n, 1)``; NumPy must not look inside them."""
    return as_objects(items)[:, np.newaxis]
