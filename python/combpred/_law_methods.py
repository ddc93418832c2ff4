"""The methods of inference by name, and which of them ``inference="auto"`` takes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from . import _lib
from ._config import get_n_threads
from ._errors import CapabilityError
from ._laws import ExactLaws, LawEngine, LawSettings
from ._sampled_laws import SampledLaws
from ._taylor_laws import TaylorLaws
from .structures import PartialOrders, SpanningTrees, Structure

#: To add a method of inference, subclass `LawEngine` and enter it here.
ENGINES: dict[str, type[LawEngine]] = {"exact": ExactLaws, "mcmc": SampledLaws, "taylor": TaylorLaws}

#: Seconds of one processor that "auto" spends on exact laws in one call.
EXACT_SECONDS = 300.0
#: Elementary operations in a second of a processor, measured: 2.5e8 to 7e8 for the recursions over subsets (cycles,
#: permutations, weak orders, assignments), which are the slowest, and more where the operations are those of a BLAS or
#: of a list of members.
_RATE = 3e8
_RATES: dict[type[Structure], float] = {SpanningTrees: 4e9, PartialOrders: 5e9}
#: Evaluations of all rows that training is taken to need: L-BFGS took 6 to 60.
TRAINING_VISITS = 60


class Work(NamedTuple):
    """How often the laws of how many rows are asked for."""

    rows: int
    visits: int = 1


def exact_seconds(structure: Structure, work: Work) -> float:
    """Return about how long exact laws take on one processor, infinite where the structure is too large."""
    try:
        _, cost = _lib.partition_cost(structure._describe(), marginals=True)
    except CapabilityError:
        return math.inf
    return work.rows * work.visits * cost / _RATES.get(type(structure), _RATE)


def settled_method(inference: str, structure: Structure, work: Work) -> str:
    """Return the method that `inference` names; for "auto", exact laws where they take no more than the constant."""
    if inference != "auto":
        return inference
    return "exact" if exact_seconds(structure, work) <= EXACT_SECONDS else "mcmc"


def engine_of(
    model: Any, method: str, *, epsilon: float | None = None, delta: float | None = None, random_state: Any = None
) -> LawEngine:
    """Return the engine for a fitted model's structure; arguments that are None are the model's parameters."""
    kind, seed = ENGINES[method], 0
    if kind.draws:
        rng = check_random_state(model.random_state if random_state is None else random_state)
        seed = int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64))
    settings = LawSettings(
        model.structure_, model.sampler, float(model.epsilon if epsilon is None else epsilon),
        float(model.delta if delta is None else delta), seed, get_n_threads(model.n_jobs), int(model.verbose),
    )  # fmt: skip
    return kind(settings)
