"""Sampling by the Go core, on arrays; :mod:`combpred._lib.call` has the conventions and errors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import abi, names, partition
from .arrays import CountArray, FloatArray, IntArray
from .call import Mover, Session, answer_moves, computed, view
from .decode import Conditions
from .structure import Description
from .table import codes, columns, record

#: Downsets of an inseparable part that exact counting goes through at most, in a few seconds.
MOST_DOWNSETS = 2**24
#: Downsets of a part that estimates count exactly, in a fraction of a second.
FEW_DOWNSETS = 2**21

_DIGITS = 8192  # of a count, hexadecimal: those of 2048!, the largest, are 4895


#: What four chains of each of n rows say: columns of cp_chain_record, arrays of shape (n,).
_MEASURED = (
    "total", "acceptance", "effective_size", "r_hat", "autocorrelation_time", "spacing", "autocorrelation",
    "mixing_bound",
)  # fmt: skip


class Drawn(NamedTuple):
    """Samples for n score vectors.

    Attributes
    ----------
    y : ndarray of shape (n, n_samples, part_len)
        Encoded outputs: int32, or objects where a structure is sampled in Python.
    value : ndarray of shape (n, n_samples)
        The score of each.
    steps : ndarray of shape (n, n_samples), int64
        Steps made for each sample alone.
    accepted : ndarray of shape (n, n_samples), int64
        How many of these were accepted.
    method : str
        By which they were drawn.
    chains : tuple of ndarray, or None
        Of chains that were measured: the `_MEASURED` columns.
    """

    y: npt.NDArray[Any]
    value: FloatArray
    steps: CountArray
    accepted: CountArray
    method: str
    chains: tuple[npt.NDArray[Any], ...] | None

    @classmethod
    def of(cls, y: npt.NDArray[Any], filled: dict[str, Any], known: abi.CChainRecord) -> Drawn:
        """Return what the library has written to the columns of a record."""
        method = known.method.decode()
        measured = method in names.CHAINS and set(_MEASURED) <= filled.keys()
        chains = tuple(filled[name] for name in _MEASURED) if measured else None
        return cls(y, filled["value"], filled["steps"], filled["accepted"], method, chains)


class Plan(NamedTuple):
    """How many samples to draw for each row, and how.

    Attributes
    ----------
    method : str
        "auto", "chain", "exact" or one of ``names.CHAIN_METHODS``.
    n_samples, burn_in, thin, budget : int
        Samples, steps before the first, steps between samples, most steps of one exact sample.
    seed : int
        Modulo 2**64.
    diagnosed : bool
        Whether chains are measured first, and tell how far samples are apart.
    n_rows : int
        Rows of all calls, by which "auto" tells whether "exact" is affordable; those of this one where it is less.
    streams : ndarray of shape (n,), uint64, or None
        Numbers of the rows' random streams; None: they follow from scores, equal rows being told apart.
    """

    method: str
    n_samples: int = 0
    burn_in: int = 0
    thin: int = 1
    budget: int = 1
    seed: int = 0
    diagnosed: bool = False
    n_rows: int = 0
    streams: npt.NDArray[np.uint64] | None = None

    def columns(self, n: int) -> dict[str, npt.NDArray[Any]]:
        """Return zeros for what the library tells about the samples of n rows."""
        measured = _MEASURED if self.diagnosed else ()
        return columns(abi.CChainRecord, "value", "steps", "accepted", *measured, n=n, n_samples=self.n_samples)

    def record(self, start: Any, bound: Any) -> abi.CChainOptions:
        """Return the record that the library reads; the arrays must outlive it."""
        options = self._asdict()
        del options["streams"]
        return record(abi.CChainOptions, start=start, bound=bound, exact_seconds=partition.EXACT_SECONDS, **options)


def chain_sample(
    description: Description,
    linear: Any,
    plan: Plan,
    *,
    start: Any = None,
    bound: Any = None,
    conditions: Conditions | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> Drawn:
    """Draw outputs from p ∝ exp⟨s, ψ⟩ for every row s of `linear` (n, d).

    `start` (n, part_len), or (4 n, part_len) diagnosed, `bound` (n,) and `conditions` are as cp_chain_sample takes
    them. Raises SamplingError when an exact sample would take more than the budget.
    """
    part_len, d, _ = description.shape
    scores = record(abi.CScores, d=d, linear=np.asarray(linear), streams=plan.streams)
    n = scores.n
    if start is not None:
        start, rows = codes(start, "start"), 4 * n if plan.diagnosed else n
        if start.shape != (rows, part_len):
            raise ValueError(f"start has shape {start.shape}, must be ({rows}, {part_len})")
    filled = plan.columns(n)
    known = record(abi.CChainRecord, **filled)
    y = computed(
        "cp_chain_sample", description, scores, conditions, plan.record(start, bound), part_len=part_len, record=known,
        n_threads=n_threads, label="sampling", verbose=verbose, total=n if plan.method in names.CHAINS else None,
    )  # fmt: skip
    return Drawn.of(y, filled, known)


def chain_own(
    description: Description,
    linear: FloatArray,
    plan: Plan,
    move: Mover,
    draw: Callable[[int], FloatArray],
    *,
    moves: bool,
    start: FloatArray | None = None,
    bound: FloatArray | None = None,
    verbose: int = 0,
) -> Drawn:
    """Draw as :func:`chain_sample` does where only `move` knows the outputs; its figures are ψ.

    Chains begin at the outputs from 0 on where their ψ are given as `start`. `draw` returns ψ (k, d) of k draws by
    which "auto" chooses, and `moves` tells whether `move` does more than draw. The samples' `y` (n, n_samples, 1) are
    numbers of outputs.
    """
    n, d = linear.shape
    filled = plan.columns(n)
    known = record(abi.CChainRecord, **filled)
    begin = None if start is None else np.arange(len(start), dtype=np.int32)
    if bound is not None and n == 0:
        bound = np.zeros(1)  # the buffer has room for one bound at least
    scores = {"linear": linear, "streams": plan.streams}
    given = description, scores, plan.record(begin, bound), {"psi": start, "d": d, "moves": moves}
    with Session("cp_chain_start", *given, record=known, n_threads=1, label="sampling", verbose=verbose) as session:
        for request in session:
            if request.ask == abi.ASK_DRAWS:
                view(request.results, np.float64, request.n, d)[:] = draw(request.n)
            else:
                answer_moves(request, d, move)
        return Drawn.of(session.results()[..., np.newaxis], filled, known)


def chain_diagnose(x: Any, n_lags: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what chains of n quantities, `x` (n, n_chains, n_draws), say about each of them.

    Effective sample sizes (n,), split-R̂ (n,) and autocorrelations (n, n_chains, n_lags).
    """
    return computed("cp_chain_diagnose", x, n_lags=n_lags, n_threads=1)


def extensions_count(
    pairs: Any, n_elements: int, n_threads: int | None = None, verbose: int = 0, *, epsilon: float = 0.0,
    most_downsets: int = MOST_DOWNSETS, **options: Any,
) -> Any:  # fmt: skip
    """Return the number of linear extensions of `pairs` (n_pairs, 2).

    With a positive epsilon it may be within 1 ± epsilon with probability 1 − delta; otherwise it is exact, or a
    CapabilityError where an inseparable part has more than `most_downsets` downsets, or 64 elements. Other options are
    those of ``cp_extensions_options``.

    Returns
    -------
    namespace
        The fields of ``cp_extensions_info``, and ``value``, the nearest integer.
    """
    digits, options = ctypes.create_string_buffer(_DIGITS), {**options, "epsilon": epsilon}
    _, info = computed(
        "cp_extensions_count", pairs, n_elements, {**options, "most_downsets": most_downsets}, dst=digits,
        dst_cap=_DIGITS, n_threads=n_threads, label="counting linear extensions", verbose=verbose,
    )  # fmt: skip
    info.value = int(digits.value, 16)
    return info


class Searched(NamedTuple):
    """Outputs that a search along chains found for n score vectors.

    Attributes
    ----------
    y : ndarray of shape (n, part_len), int32
    value, upper_bound, nu, optimal
        As those of :class:`combpred._lib.decode.Decoded`.
    temperature : ndarray of shape (n,)
        Of the last level; NaN where no step was made.
    steps, accepted : ndarray of shape (n,), int64
        Of all runs.
    success : ndarray of shape (n,)
        Bound from below on the probability of finding an output of largest score.
    """

    y: IntArray
    value: FloatArray
    upper_bound: FloatArray
    nu: FloatArray
    optimal: npt.NDArray[np.bool_]
    temperature: FloatArray
    steps: CountArray
    accepted: CountArray
    success: FloatArray


def search_chains(
    description: Description, linear: FloatArray, *, n_threads: int | None = None, verbose: int = 0, **options: Any
) -> Searched:
    """Search for the output of largest score for every row of `linear` (n, d); the options are those of cp_search."""
    n = len(linear)
    known = columns(abi.CSearchRecord, n=n)
    y = computed(
        "cp_search", description, {"linear": linear}, options, part_len=description.shape.part_len, record=known,
        n_threads=n_threads, label="searching", verbose=verbose, total=n * options["runs"],
    )  # fmt: skip
    return Searched(y, **known)


def search_own(
    description: Description,
    linear: FloatArray,
    magnitude: FloatArray | None,
    psi: FloatArray,
    move: Mover,
    *,
    streams: npt.NDArray[np.uint64],
    control: abi.Control,
    temperatures: Any = (),
    **options: Any,
) -> tuple[CountArray, Searched]:
    """Search for outputs of largest score that only `move` knows, from those of the embeddings `psi` (n_psi, d).

    `spread` (n,) are ranges of scores, from which temperatures follow; options are those of cp_search_start. Returns
    the numbers (n,) of the best outputs, and of a `Searched` the values, temperatures, steps and successes.
    """
    n, d = linear.shape
    known = columns(abi.CSearchRecord, "value", "temperature", "steps", "accepted", "success", n=n)
    scores = {"linear": linear, "magnitude": magnitude, "streams": streams}
    how = {**options, "temperatures": np.asarray(temperatures, dtype=np.float64)}
    with Session(
        "cp_search_start", description, scores, how, {"psi": psi, "d": d}, record=known, n_threads=1, control=control
    ) as session:
        for request in session:
            answer_moves(request, d, move)
        best: CountArray = session.results()
    none, inf = np.zeros(n, dtype=np.bool_), np.full(n, np.inf)
    return best, Searched(np.empty((n, 0), np.int32), upper_bound=inf, nu=inf, optimal=none, **known)
