"""The Go core's partition functions, marginals and samples of p(y) ∝ exp⟨s, ψ(y)⟩, exact and estimated, on arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import abi
from .arrays import SMALL_BYTES, FloatArray, IndexArray, IntArray, allocate, require_memory
from .call import Mover, Session, answer_moves, call, computed, view
from .decode import Conditions
from .errors import CapabilityError
from .structure import Description
from .table import columns, record

#: Seconds of one processor that "auto" spends on exact computations in one call.
EXACT_SECONDS = 300.0
_SAMPLER, _WHY = 16, 256  # bytes of the texts of a row
_COUNTS = ("samples", "steps", "accepted", "level_samples", "repeats")
_FIGURES = ("value", "lower", "upper", "effective_share", "r_hat", "expansion", "spread", "variance")
_LEVELS = 64  # of a row, for which there is room at first


class Partition(NamedTuple):
    """Partition functions of n score vectors.

    Attributes
    ----------
    log_z : ndarray of shape (n,)
        The logarithm of the sum of exp⟨s, ψ(y)⟩ over all outputs y.
    marginals : ndarray of shape (n, d) or None
        The mean of ψ, the gradient of `log_z`, where it was asked for.
    """

    log_z: FloatArray
    marginals: Any


def partition_cost(description: Description, *, marginals: bool = False) -> tuple[str, float]:
    """Return the engine of `log_partition`, and about how many elementary operations it takes for each row.

    Raises CapabilityError where the structure is too large for all engines.
    """
    engine, cost, _ = _known(description, marginals)
    return engine, cost


def exact_seconds(description: Description, n_rows: int, evaluations: int = 1) -> float:
    """Return about how long one processor takes for exact ln Z and E ψ, infinite where the structure is too large."""
    try:
        return n_rows * evaluations * _known(description, True)[2]
    except CapabilityError:
        return math.inf


def exact_is_affordable(description: Description, n_rows: int, evaluations: int = 1) -> bool:
    """Return whether "auto" computes exactly: where that takes no more than `EXACT_SECONDS`."""
    return exact_seconds(description, n_rows, evaluations) <= EXACT_SECONDS


def _known(description: Description, marginals: bool) -> tuple[str, float, float]:
    """Return the engine, and operations and seconds for each row."""
    known = description.space.facts["marginals" if marginals else "log_partition"]
    if known is None:  # the core says why
        d = description.shape.n_features
        one = record(abi.CScores, n=1, d=d, linear=np.zeros(d))
        call("cp_log_partition", description, one, None, np.empty(1), np.empty(d) if marginals else None, n_threads=1)
    return known["engine"], known["cost"], known["seconds"]


def log_partition(
    description: Description,
    scores: Any,
    *,
    marginals: bool = False,
    conditions: Conditions | None = None,
    n_threads: int | None = None,
) -> Partition:
    """Return ln Σ_y exp⟨s, ψ(y)⟩ for every row s, and the mean of ψ under p(y) ∝ exp⟨s, ψ(y)⟩.

    Parameters
    ----------
    description : Description
        The structure.
    scores : array of shape (n, d)
        Finite.
    marginals : bool, default=False
        Whether the means are wanted, too.
    conditions : Conditions or None, default=None
        What outputs must satisfy to be summed over.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.

    Returns
    -------
    Partition

    Raises
    ------
    CapabilityError
        If the structure is too large for exact sums.
    ValueError
        If a score is NaN or infinite, or no output satisfies the conditions; the message names the row.
    MemoryError
        If the marginals do not fit.
    """
    rows = {"d": description.shape.n_features, "linear": np.asarray(scores)}
    if not marginals:
        log_z = computed("cp_log_partition", description, rows, conditions, marginals=None, n_threads=n_threads)
        return Partition(log_z, None)
    return Partition(*computed("cp_log_partition", description, rows, conditions, n_threads=n_threads))


def order_positions(
    description: Description, scores: FloatArray, n_threads: int | None = None, conditions: Conditions | None = None
) -> FloatArray:
    """Return the probabilities (n, k, k) that item u of a ranking is at position r + 1, under scores (n, d).

    CapabilityError for other structures than rankings without ties, and beyond 20 items.
    """
    n, k = len(scores), description.shape.part_len
    positions = allocate((n, k, k), np.float64, f"the positions of {k} items of {n} rows", "pass fewer rows at once")
    computed("cp_order_positions", description, {"linear": scores}, conditions, positions, k, n_threads=n_threads)
    return positions


@dataclass(frozen=True)
class Asked:
    """What to estimate and how: the fields of cp_estimate_options, with `random_state` drawn as `seed`.

    Attributes
    ----------
    method, sampler, schedule : str
    epsilon, delta : float
    max_steps, seed : int
    plain : bool
    bound : ndarray of shape (n,) or None
    low, high : ndarray of shape (d,) or None
    n_threads : int or None
        Threads; None as :func:`get_n_threads` says.
    verbose : int
        Positive: progress is shown.
    """

    method: str
    sampler: str = "auto"
    schedule: str = "adaptive"
    epsilon: float = 0.1
    delta: float = 0.05
    max_steps: int = 10**8
    seed: int = 0
    plain: bool = False
    bound: FloatArray | None = None
    low: FloatArray | None = None
    high: FloatArray | None = None
    n_threads: int | None = None
    verbose: int = 0

    def record(self) -> abi.CEstimateOptions:
        """Return the options as the library reads them."""
        options = vars(self).copy()
        del options["n_threads"], options["verbose"]
        return record(abi.CEstimateOptions, **options, exact_seconds=EXACT_SECONDS)


class Estimates(SimpleNamespace):
    """What was found for n rows of scores: the columns of cp_estimates, as arrays of their names.

    Parameters
    ----------
    n, d : int
    means, errors : bool
        Whether `marginals`, and bounds on their `error`, are wanted, (n, d); else these are None.
    bounded : bool, default=True
        Whether bounds on ln Z are wanted where they take work of their own.
    """

    def __init__(self, n: int, d: int, *, means: bool, errors: bool = False, bounded: bool = True) -> None:
        super().__init__(n=n, d=d, **columns(abi.CEstimates, *_FIGURES, *_COUNTS, n=n))
        what, remedy = f"the marginals of {n} rows", "take fewer rows at once"
        self.marginals: Any = allocate((n, d), np.float64, what, remedy) if means else None
        self.error: Any = allocate((n, d), np.float64, what, remedy) if errors else None
        self.guaranteed = np.ones(n, dtype=np.bool_)
        self._texts = np.zeros(n, dtype=f"S{_SAMPLER}"), np.zeros(n, dtype=f"S{_WHY}")
        self._first = np.zeros(n + 1, dtype=np.int64)
        self.levels = np.zeros(_LEVELS * n)
        self._bounded = bounded
        self.method = ""

    @property
    def sampler(self) -> NDArray[np.str_]:
        """Names of the samplers (n,)."""
        return self._texts[0].astype(str)

    @property
    def why(self) -> list[str]:
        """Why the chains of each row should not be trusted, empty where they can be."""
        return [text.decode() for text in self._texts[1].tolist()]

    @property
    def schedules(self) -> tuple[FloatArray, ...]:
        """The levels of each row."""
        return tuple(np.split(self.levels[: self._first[-1]], self._first[1:-1]))

    def record(self) -> abi.CEstimates:
        """Return the record that the library fills in."""
        left = () if self._bounded else ("value", "lower", "upper", "spread")
        filled = {name: getattr(self, name) for name in (*_FIGURES, *_COUNTS) if name not in left}
        return record(
            abi.CEstimates, n=self.n, d=self.d, marginals=self.marginals, error=self.error, guaranteed=self.guaranteed,
            sampler=self._texts[0], why=self._texts[1], first_level=self._first, levels=self.levels,
            levels_cap=len(self.levels), **filled,
        )  # fmt: skip


def estimate(description: Description, scores: Any, asked: Asked, found: Estimates, *, label: str = "") -> Estimates:
    """Fill in `found` for every row of scores (n, d), by the method asked for.

    Raises CapabilityError, SamplingError and ValueError as log_partition and estimate_marginals say.
    """
    rows = record(abi.CScores, n=found.n, d=found.d, linear=np.asarray(scores))
    while True:
        given, result = (description, rows, asked.record()), found.record()
        call("cp_estimate", *given, result, n_threads=asked.n_threads, label=label, verbose=asked.verbose)
        found.method = result.method.decode()
        if result.levels_needed <= len(found.levels):
            return found
        found.levels = np.zeros(result.levels_needed)  # the same seed gives the same again


def estimate_own(
    scores: FloatArray,
    asked: Asked,
    found: Estimates,
    move: Mover,
    *,
    moves: bool,
    mean: FloatArray | None = None,
    log_count: float = math.nan,
    label: str = "",
) -> Estimates:
    """Fill in `found` for every row of scores (n, d) as `estimate` does where only `move` knows the outputs, by ψ.

    It draws, and with `moves` also moves, uniform outputs. `mean` is that of ψ, for the method "counting".
    """
    supplied = {"scores": scores, "mean": mean, "log_count": log_count, "moves": moves}
    result = found.record()
    with Session(
        "cp_estimate_start", supplied, asked.record(), dst=result, n_threads=1, label=label, verbose=asked.verbose
    ) as session:
        for request in session:
            if (kept := 8 * request.draws) > SMALL_BYTES:
                require_memory(kept, "keeping uniform draws", "ask for a larger epsilon, or for fewer steps")
            answer_moves(request, scores.shape[1], move)
        found.levels = view(session.last.linear, np.float64, session.last.n).copy()
    found.method = result.method.decode()
    return found


def least_probability(
    description: Description, marginals: FloatArray, parts: IntArray, n_threads: int | None = None
) -> FloatArray:
    """Return the least probability (n,) of a part of outputs (n, part_len), given E ψ (n, d).

    CapabilityError where E ψ does not tell probabilities of parts.
    """
    return computed("cp_conformal_least", description, marginals, parts, n_threads=n_threads)


@dataclass(frozen=True)
class Sets:
    """Sets of n rows: for each the outputs of which no part is less probable than its threshold.

    Attributes
    ----------
    description : Description
        The structure.
    marginals : ndarray of shape (n, d)
        E ψ.
    thresholds : ndarray of shape (n,)
    conditions : Conditions or None
        What outputs must satisfy to be in the sets.
    n_threads : int or None
    """

    description: Description
    marginals: FloatArray
    thresholds: FloatArray
    conditions: Conditions | None = None
    n_threads: int | None = None

    def __getitem__(self, rows: IndexArray) -> Sets:
        held = None if self.conditions is None else self.conditions.taken(rows)
        return Sets(self.description, self.marginals[rows], self.thresholds[rows], held, self.n_threads)

    def ask(self, what: str, *arguments: Any, **sizes: Any) -> Any:
        """Return what a function of the library says of each set.

        Parameters
        ----------
        what : str
            The end of its name in combpred.h.
        *arguments, **sizes
            Its own, as :func:`computed` takes them.
        """
        sets = {"marginals": self.marginals, "thresholds": self.thresholds}
        given = self.description, sets, self.conditions, *arguments
        return computed(f"cp_conformal_{what}", *given, **sizes, n_threads=self.n_threads)
