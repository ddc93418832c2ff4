"""Markov chains and exact samplers on custom spaces that are given by functions.

The library runs all chains. It asks for what only the user's functions know: uniform draws, and moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._lib.abi import Control
from ..._lib.arrays import FloatArray
from ..._lib.call import row_streams
from ..._lib.control import reported
from ..._lib.errors import RowError, naming_row
from ..._lib.names import BOUNDED_METHODS
from ..._lib.sampling import Drawn, Plan, chain_own

if TYPE_CHECKING:
    from .computed import PythonSpace


class Outputs(dict[int, Any]):
    """Outputs on chains, by the numbers that the library gives them, and the moves that it asks for.

    Parameters
    ----------
    space : PythonSpace
    rng_of : callable
        Function of the number of a row that returns the generator for its outputs.
    control : Control or None, default=None
        Counts moves.
    """

    def __init__(
        self,
        space: PythonSpace,
        rng_of: Callable[[int], np.random.Generator],
        control: Control | None = None,
    ) -> None:
        super().__init__()
        self._space, self._rng_of, self._control = space, rng_of, control or Control()

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
        self._control.step += len(start)
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
    control = Control()
    streams = row_streams(linear) if plan.streams is None else plan.streams
    rngs = [np.random.default_rng([plan.seed % 2**64, stream]) for stream in streams]
    outputs, began = Outputs(space, rngs.__getitem__, control=control), None
    if start is not None:
        outputs.update(enumerate(start[:, 0]))
        began = space.embed(start)
    with reported(control, "sampling", verbose=verbose):
        drawn = chain_own(
            space.description, linear, plan._replace(streams=streams), outputs.move,
            lambda n: space.embed(space.sample(n, 0)), moves=space.functions.propose is not None, start=began,
            bound=bound, control=control,
        )  # fmt: skip
    y = np.empty(drawn.y.shape, dtype=object)
    for place, number in np.ndenumerate(drawn.y):
        y[place] = outputs[number]
    return drawn._replace(y=y)
