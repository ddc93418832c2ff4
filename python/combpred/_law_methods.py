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
from .structures import Structure

#: To add a method of inference, subclass `LawEngine` and enter it here.
ENGINES: dict[str, type[LawEngine]] = {"exact": ExactLaws, "mcmc": SampledLaws, "taylor": TaylorLaws}

#: Elementary operations that "auto" spends on exact laws in one call: some five minutes of one processor, at 4e7 to
#: 5e8 a second for the recursions of different structures.
EXACT_OPERATIONS = 2e10


class Work(NamedTuple):
    """How often the laws of how many rows are asked for."""

    rows: int
    visits: int = 1


def exact_operations(structure: Structure, work: Work) -> float:
    """Return about how many elementary operations exact laws take, infinite where the structure is too large."""
    try:
        _, cost = _lib.partition_cost(structure._describe(), marginals=True)
    except CapabilityError:
        return math.inf
    return work.rows * work.visits * cost


def settled_method(inference: str, structure: Structure, work: Work) -> str:
    """Return the method that `inference` names; for "auto", exact laws where they cost no more than the constant."""
    if inference != "auto":
        return inference
    return "exact" if exact_operations(structure, work) <= EXACT_OPERATIONS else "mcmc"


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
