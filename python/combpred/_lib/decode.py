"""Decoding by the core: outputs of largest score, for scores or for new rows of a fitted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import abi, names
from .arrays import FloatArray, IntArray, allocate, taken_ranges
from .call import RowInputs, Session, call, computed, view
from .errors import RowError
from .kernel import InputKernel
from .structure import Description
from .table import columns, floats, put, record

#: All values of the parameter `decoder`: those of the compiled library, and integer programs.
DECODERS = (*names.LIBRARY_DECODERS, "milp")

_SETS = 64  # of edges that are asked about at a time
_REQUEST_NUMBERS = 2**17  # scores that a caller decodes at a time


@dataclass(frozen=True)
class Decoding:
    """How to decode a batch of score vectors.

    Attributes
    ----------
    decoder : str
        One of `DECODERS`.
    n_threads : int or None
        Threads; None: as configured.
    seed : int
        Of "anneal" and "metropolis"; 64 bits.
    verbose : int
        Positive: progress is shown where a user's own functions are searched.
    streams : ndarray of shape (n,), uint64, or None
        Numbers of the rows' random streams; None: they follow from scores.
    """

    decoder: str = "auto"
    n_threads: int | None = None
    seed: int = 0
    verbose: int = 0
    streams: npt.NDArray[np.uint64] | None = None

    @property
    def is_random(self) -> bool:
        """Whether what is found depends on the seed."""
        return self.decoder in names.RANDOM_DECODERS


def score_values(psi: FloatArray, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    r"""Return :math:`\langle s, \psi\rangle + \langle t, \psi^2\rangle` of every row of `psi`, of shape ``(n,)``.

    s is the row of `linear` (n, d), or `linear` itself when it is (d,), and t is that of `magnitude` likewise, zero for
    None. The squares are taken entry by entry: they are :math:`|\psi|` where entries are 0 or ±1.
    """
    values: FloatArray = np.einsum("...j,...j->...", psi, linear)
    return values if magnitude is None else values + np.einsum("...j,...j->...", np.square(psi), magnitude)


class Decoded(NamedTuple):
    """Best outputs for n score vectors, and what is known about them.

    Attributes
    ----------
    y : ndarray of shape (n, part_len)
        Encoded outputs: int32, or objects where a structure decodes in Python.
    value : ndarray of shape (n,)
        The score reached.
    upper_bound : ndarray of shape (n,)
        A proven bound on the score of every output.
    nu : ndarray of shape (n,)
        The guarantee ``value >= (1 - nu) * max + nu * min`` over all outputs.
    optimal : ndarray of shape (n,), bool
        Whether the output is proven to be a best one.
    """

    y: npt.NDArray[Any]
    value: FloatArray
    upper_bound: FloatArray
    nu: FloatArray
    optimal: npt.NDArray[np.bool_]

    def rows(self, rows: slice) -> Decoded:
        """Return views of some rows."""
        return Decoded(*(column[rows] for column in self))  # type: ignore[arg-type]


ALONE = -1  # in place of the second number of a pair, where a condition holds a single number


def condition_key(name: str) -> int:
    """Return the number of a key of `Conditions`."""
    return getattr(abi, f"KEY_{name.upper()}")


class Conditions(NamedTuple):
    """Conditions on outputs by key: those of row i are number ``first[i]`` to ``first[i + 1] - 1``.

    Attributes
    ----------
    first : ndarray of shape (n + 1,), int64
        n is the number of rows, or 1 where all rows have the same conditions.
    key : ndarray of shape (k,), int32
        What they are about, as `condition_key` returns it.
    u, v : ndarray of shape (k,), int32
        Pairs of numbers; v is `ALONE` for single ones.
    """

    first: npt.NDArray[np.int64]
    key: IntArray
    u: IntArray
    v: IntArray

    @classmethod
    def of(cls, rows: list[list[tuple[int, int, int]]]) -> Conditions:
        """Return the conditions of rows, given key, u and v of each."""
        table = np.array([condition for row in rows for condition in row], dtype=np.int32).reshape(-1, 3)
        first = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(first, *(np.ascontiguousarray(column) for column in table.T))

    def taken(self, rows: npt.ArrayLike) -> Conditions:
        """Return those of some rows, in any order, each as often as it occurs."""
        if len(self.first) == 2:  # those of all rows
            return self
        first, at = taken_ranges(self.first, rows)
        return Conditions(first, *(column[at] for column in self[1:]))

    def given(self, row: int) -> dict[str, list[tuple[int, int]]]:
        """Return what each key holds in a row: pairs (u, v)."""
        found: dict[str, list[tuple[int, int]]] = {}
        some = slice(self.first[row], self.first[row + 1])
        for key, u, v in zip(*(column[some].tolist() for column in self[1:]), strict=True):
            found.setdefault(_KEYS[key], []).append((u, v))
        return found

    @property
    def struct(self) -> abi.CConditions:
        """The struct that functions of the C interface take."""
        return record(abi.CConditions, n=len(self.first) - 1, **self._asdict())


_KEYS = {number: name[4:].lower() for name, number in vars(abi).items() if name.startswith("KEY_")}


def entries_of_conditions(
    description: Description, conditions: Conditions
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return what conditions say about entries of ψ: where those of each row begin; entries, their values, and 1 or 0.

    1: the entry must have the value; 0: it must not.
    """
    n, k = len(conditions.first) - 1, 0
    while True:
        arrays = columns(abi.CRestriction, n=n, capacity=k)
        found = record(abi.CRestriction, n=n, capacity=k, **arrays)
        call("cp_space_restrict", description, conditions, found, n_threads=1)
        if found.needed <= k:
            return tuple(arrays[name].tolist() for name in ("first", "feature", "value", "must"))
        k = found.needed


def arrange(description: Description, conditions: Conditions, y: IntArray) -> IntArray:
    """Return outputs `y` (n, part_len) as their conditions ask for: cycles from their start to their end."""
    return computed("cp_space_arrange", description, conditions, y, n_threads=1)


def _scores(linear: Any, magnitude: Any, d: int, streams: Any = None) -> abi.CScores:
    """Return scores as a struct."""
    squares = None if magnitude is None else np.atleast_2d(magnitude)
    return record(abi.CScores, d=d, linear=np.asarray(linear), magnitude=squares, streams=streams)


def decode(
    description: Description,
    linear: Any,
    magnitude: Any = None,
    method: str = "auto",
    n_threads: int | None = None,
    seed: int = 0,
    conditions: Conditions | None = None,
    met: npt.NDArray[np.bool_] | None = None,
    streams: npt.NDArray[np.uint64] | None = None,
) -> Decoded:
    """Find an output of largest score ``<linear, psi> + <magnitude, psi**2>`` for each row.

    Parameters
    ----------
    description : Description
        The structure.
    linear : array of shape (n, d)
        Scores of the embedding.
    magnitude : array of shape (d,) or (n, d), or None, default=None
        Scores of the squares of its entries, for all rows or for each.
    method : {"auto", "exact", "approx", "local-search", "anneal", "metropolis"}, default="auto"
        "exact" refuses beyond the size that can be solved exactly, "local-search" takes the structure's search, "auto"
        the first that is possible. "approx" is the guaranteed solution from which the search begins, "anneal" and
        "metropolis" follow a Markov chain from there. Structures without a search are solved exactly by all of them.
    n_threads : int or None, default=None
        Threads; None as :func:`get_n_threads` says.
    seed : int, default=0
        Of the Markov chains, modulo 2**64. Each row has its own random stream, which follows from its scores.
    conditions : Conditions or None, default=None
        What the outputs must satisfy; for "auto", "exact" and "local-search".
    met : ndarray of shape (n,), bool, or None, default=None
        Gets whether the output of a row satisfies its conditions. Where it does not, none was found, and if the row is
        "optimal" there is none. None: that is an error.
    streams : ndarray of shape (n,), uint64, or None, default=None
        Numbers of the rows' random streams in place of those that follow from scores.

    Returns
    -------
    Decoded

    Raises
    ------
    CapabilityError
        If `method` is "exact" and the structure is too large for it.
    ValueError
        If a score is NaN or infinite; the message names the row.
    MemoryError
        If the outputs do not fit.
    """
    part_len, d, _ = description.shape
    scores = _scores(linear, magnitude, d, streams)
    n = scores.n
    y = allocate((n, part_len), np.int32, f"decoding {n} rows into {part_len} parts", "decode fewer rows at once")
    found = Decoded(y, np.empty(n), np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_))
    options = record(abi.CDecodeOptions, method=method, seed=seed, conditions=conditions)
    known = {"value": found.value, "upper_bound": found.upper_bound, "nu": found.nu, "optimal": found.optimal}
    certificates = record(abi.CCertificates, met=met, **known)
    # Many callers decode row by row: a plain call takes half the time of `computed`.
    call("cp_decode", description, scores, options, y, part_len, certificates, n_threads=n_threads)
    return found


def best_outputs(
    description: Description,
    linear: FloatArray,
    magnitude: FloatArray | None = None,
    solve: Callable[[FloatArray, FloatArray | None], IntArray] | None = None,
    *,
    most: int | None = None,
    nu: float = 1.0,
    method: str = "auto",
    n_threads: int | None = None,
    conditions: Conditions | None = None,
) -> Iterator[IntArray]:
    """Yield outputs in descending order of their scores, for those of one row, each as parts (part_len,).

    Parameters
    ----------
    description : Description
        A structure to which all outputs belong; with `solve` the space may have fewer.
    linear, magnitude : ndarray of shape (d,)
        Scores, `magnitude` may be None.
    solve : callable or None, default=None
        Function of scores ``(k, d)``, and of those of the squares or None, that returns the parts of an output of
        largest score for each row. None: by the decoder of the core.
    most : int or None, default=None
        How many outputs are listed at most; None: all.
    nu : float, default=1.0
        Outputs are listed while their score is at least ``(1 - nu) * max + nu * min``; 1 lists all.
    method : str, default="auto"
        One of ``names.KBEST_METHODS``, without `solve`.
    n_threads : int or None, default=None
        As for :func:`decode`.
    conditions : Conditions or None, default=None
        What the outputs must satisfy, without `solve`.

    Raises
    ------
    CapabilityError
        If the structure has no exact decoder at its size, or an embedding that cannot be partitioned.
    """
    part_len, d, _ = description.shape
    if most == 0:
        return
    scores = _scores(floats(linear, "linear", d)[np.newaxis], magnitude, d)
    rows = 0 if solve is None else max(1, _REQUEST_NUMBERS // d)
    options = record(abi.CKbestOptions, method=method, nu=nu, most=most or 0, rows=rows, conditions=conditions)
    try:
        with Session("cp_kbest_start", description, scores, options, n_threads=n_threads) as session:
            for request in session:
                if request.ask == abi.ASK_LISTED:
                    yield view(request.parts, np.int32, part_len).copy()
                    continue
                assert solve is not None
                n = request.n
                asked = view(request.linear, np.float64, n, d).copy()
                squares = view(request.magnitude, np.float64, n, d).copy() if request.magnitude else None
                view(request.outputs, np.int32, n, part_len)[:] = solve(asked, squares)
    except RowError as error:
        if solve is None:
            raise ValueError(error.reason) from None  # there is one row
        raise


def best_hereditary(weights: FloatArray, method: str, holds: Callable[[npt.NDArray[np.bool_]], bool]) -> Any:
    """Return a set of edges of large weight, for weights (n,), with the hereditary property that `holds` tells.

    Returns
    -------
    namespace
        ``edges`` (n,), bool; ``value`` and ``upper_bound``, the weight and a proven bound on that of all such sets;
        ``part``, None, or a counterexample: a part of the edges without the property, which these have. No weight is
        known then.
    """
    with Session("cp_hereditary_start", weights, method, _SETS) as session:
        for request in session:
            n, verdicts = len(weights), view(request.proven, np.uint8, request.n)
            for i, held in enumerate(view(request.parts, np.int32, request.n, n).astype(np.bool_)):
                verdicts[i] = holds(held)
                if verdicts[i] == request.stream:
                    break
        last = session.last
        edges, *parts = view(last.parts, np.int32, last.n, len(weights)).astype(np.bool_)
        part = parts[0] if parts else None
        return SimpleNamespace(edges=edges, value=last.value, upper_bound=last.bound, part=part)


class Model:
    """What a fitted model predicts from: scores f(x) = k(x, train) coef + intercept.

    Parameters
    ----------
    description : Description
    function : InputKernel or None
        With a name; None for rows that are features, or kernel values with the rows of training.
    train : array or CSR of shape (m, p), or None
        Rows of training, with a function.
    n_threads : int
    coef : array of shape (m, d)
        Of the rows of training, or of the features, which may have to be copied, once for all blocks.
    **fields
        Others of ``cp_model``: `intercept` (d,); `loss` and `decision`, which predictions go by; and `mean` (d,), what
        is added to f(x) for ``loss="squared"``, None for the mean of ψ.
    """

    def __init__(
        self, description: Description, function: InputKernel | None, train: Any, n_threads: int, *, coef: Any,
        **fields: Any,
    ) -> None:  # fmt: skip
        rows, self._n_threads = None if train is None else RowInputs(train), n_threads
        self._given = description, record(abi.CModel, coef=np.asarray(coef), **fields), function, rows

    def predict(
        self,
        X: Any,
        *,
        scores: Any = None,
        found: Decoded | None = None,
        how: Decoding | None = None,
        first: int = 0,
        mapped: bool = False,
    ) -> None:
        """Write f(x) of rows to `scores`, and outputs of largest score to `found`; None: they are not asked for.

        Parameters
        ----------
        X : array or CSR of shape (n, p)
        scores : ndarray of shape (n, d)
        found : Decoded
            Of n rows.
        how : Decoding
            With `found`: by a decoder of the library.
        first : int, default=0
            Number of the first row in messages.
        mapped : bool, default=False
            As :class:`combpred._lib.call.RowInputs` takes it.

        Raises
        ------
        RowError
            Where an input is not finite, or kernel values or scores overflow.
        CapabilityError
            When the decoder is beyond its size.
        """
        rows = RowInputs(X, mapped=mapped)
        into = record(abi.CPredictions, n=rows.n, first=first, scores=scores)
        options = None
        if found is not None and how is not None:
            certificates = found._asdict()
            put(into, outputs=certificates.pop("y"), **certificates)
            options = record(abi.CDecodeOptions, method=how.decoder, seed=how.seed)
        call("cp_predict", *self._given, rows, options, into, n_threads=self._n_threads)
