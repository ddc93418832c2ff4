"""The core's stochastic gradient descent on the ridge problem, on arrays.

``capi/combpred.h`` states the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from . import abi
from .arrays import FloatArray, IndexArray, allocate
from .call import RowInputs, computed
from .control import Steps
from .errors import renumbered
from .kernel import InputKernel
from .ridge import Design, Targets
from .session import Session, view
from .structure import Description
from .table import contents, put, record

_CACHED_BYTES = 2**28  # largest matrix of a user's kernel that is kept from pass to pass


@dataclass(frozen=True)
class Coefficients:
    """What steps change, one row for each kept row or input feature. Calls return new ones.

    Attributes
    ----------
    iterate : ndarray of shape (k, d)
        Of the function that moves.
    average : ndarray of shape (k, d), or None
        Of the average of these functions.
    velocity : ndarray of shape (k, d), or None
        Of the derivative by the gains, for stochastic meta-descent.
    gains : ndarray of shape (d,), or None
    """

    iterate: FloatArray
    average: FloatArray | None = None
    velocity: FloatArray | None = None
    gains: FloatArray | None = None

    @classmethod
    def of(cls, iterate: FloatArray, *, average: bool, meta: bool) -> Coefficients:
        """Begin at `iterate`, with or without an average and gains."""
        return cls(
            iterate,
            iterate.copy() if average else None,
            np.zeros(iterate.shape) if meta else None,
            np.ones(iterate.shape[1]) if meta else None,
        )

    @property
    def model(self) -> FloatArray:
        """The coefficients of the function that predicts."""
        return self.iterate if self.average is None else self.average

    def copy(self) -> Coefficients:
        """Return a copy in C-contiguous arrays."""
        return self._each(lambda array: np.array(array, order="C"))

    def take(self, rows: IndexArray) -> Coefficients:
        """Return those of some rows."""
        return self._each(lambda array: array[rows])

    def fields(self) -> dict[str, FloatArray | None]:
        """Return the arrays, which are written to in place, by the names of their fields in structs."""
        return {"coef": self.iterate, "average": self.average, "velocity": self.velocity, "gains": self.gains}

    def spread(self, rows: IndexArray, n: int) -> Coefficients:
        """Return those of n rows, of which these have the given numbers and the others are zero."""

        def among(array: FloatArray) -> FloatArray:
            out: FloatArray = allocate((n, array.shape[1]), np.float64, f"coefficients of {n} rows", "set truncation")
            out[:] = 0.0
            out[rows] = array
            return out

        return self._each(among)

    def _each(self, change: Callable[[FloatArray], FloatArray]) -> Coefficients:
        iterate, average, velocity = (
            None if array is None else change(array) for array in (self.iterate, self.average, self.velocity)
        )
        assert iterate is not None
        return Coefficients(iterate, average, velocity, None if self.gains is None else self.gains.copy())


@dataclass(frozen=True)
class Schedule:
    """How passes go over the rows.

    Attributes
    ----------
    max_iter : int
    tol : float or None
        None for passes whose objective is not asked for.
    eta0 : float
    seed : int or None
        None for rows in the order as they are; else they are shuffled from one that depends on what they hold alone.
    seen : int, default=0
        Visits before, of a stream of rows.
    curvature : float, default=0
        What the report on them said.
    label, verbose
        As :func:`combpred._lib.call.call` takes them.
    """

    max_iter: int
    tol: float | None
    eta0: float
    seed: int | None
    seen: int = 0
    curvature: float = 0.0
    label: str = ""
    verbose: int = 0


class _Passes:
    """The passes of one training, which are told of as they are made."""

    def __init__(self, schedule: Schedule) -> None:
        how = schedule
        told = how.tol is not None
        self._curve = np.zeros(how.max_iter if told else 0)
        self._steps = Steps(how.label, how.max_iter, how.verbose if told else 0)
        self._telling = how.verbose > 0 and told
        self.struct = record(
            abi.CSGDPasses, shuffle=how.seed is not None, seed=how.seed or 0, max_iter=how.max_iter, tol=how.tol or 0.0,
            curve=self._curve if told else None, eta0=how.eta0, seen=how.seen, curvature=how.curvature,
        )  # fmt: skip

    def run(
        self, function: str, *arguments: Any, answer: Callable[[abi.CRequest], None] | None = None, **named: Any
    ) -> Any:
        """Call a function of the library, or with `answer` hold its session, and return the report."""
        report, interrupt = record(abi.CSGDReport), None
        named["progress"] = (lambda done, _: self._tell(done)) if self._telling else None
        with self._steps:
            try:
                if answer is None:
                    computed(function, *arguments, report=report, **named)
                else:
                    with Session(f"{function}_start", *arguments, report=report, **named) as session:
                        for request in session:
                            answer(request)
            except KeyboardInterrupt as error:
                interrupt = error
            if self._telling:
                self._tell(report.passes)
        curve, loss = self._curve[: report.passes].tolist(), report.loss / (report.weight or 1.0)
        return contents(report, curve=curve, loss=loss, interrupt=interrupt)

    def _tell(self, done: int) -> None:
        while self._steps.done < done:
            number = self._steps.done
            self._steps.tell(f"pass {number + 1}: objective {self._curve[number]:.6g}, {self._steps.seconds:.1f} s")
            self._steps.advance()


def sgd_fit(
    description: Description,
    options: dict[str, Any],
    design: Design,
    targets: Targets,
    coefficients: Coefficients,
    schedule: Schedule,
    *,
    n_threads: int,
) -> Any:
    """Train the weights of input features, the constant one last, in passes over the rows of positive weight.

    `coefficients` are changed in place.

    Returns
    -------
    namespace
        The fields of ``cp_sgd_report``: ``loss``, there a sum, is the weighted mean of the losses of the last pass,
        each before its step. With ``curve``, a list of the objective after each pass, and ``interrupt``, the
        KeyboardInterrupt that ended the passes, or None; the rest is about the steps until then.

    Raises
    ------
    NumericalError
        When the numbers overflow.
    """
    state = {"rows": design.n_weights, "d": targets.d, **coefficients.fields()}
    passes = _Passes(schedule)
    return passes.run("cp_sgd_fit", description, options, design, targets, passes, state, n_threads=n_threads)


def sgd_expansion(
    description: Description,
    options: dict[str, Any],
    X: Any,
    kernel: InputKernel,
    targets: Targets,
    coefficients: Coefficients,
    support: IndexArray,
    schedule: Schedule,
    *,
    most: int | None,
    n_threads: int,
) -> tuple[Coefficients, IndexArray, Any]:
    """Do the same for coefficients of a support of rows, each of which joins it as it is visited.

    Parameters
    ----------
    X : array or CSR of shape (n, p), or (n, n) for a precomputed kernel
        The rows that are or may be in the support, those of `targets` the last.
    kernel : InputKernel
    coefficients : Coefficients
        Of the support.
    support : ndarray of shape (k,)
        Numbers of its rows, those visited last at the end.
    most : int or None
        Rows that stay in the support; None for all.

    Returns
    -------
    coefficients : Coefficients
    support : ndarray
    report : namespace
        As :func:`sgd_fit` returns it.
    """
    n = X.shape[0]
    capacity = n if most is None else max(1, min(n, most))
    grown = coefficients.spread(np.arange(len(support)), capacity)
    rows = np.zeros(capacity, dtype=np.int64)
    rows[: len(support)] = support
    values = record(abi.CSGDKernel, n=n)
    if kernel.is_precomputed:
        put(values, matrix=np.asarray(X))
    elif callable(kernel.name):
        repeated = most is None and schedule.max_iter > 2 and 8 * n * n <= _CACHED_BYTES
        put(values, x=RowInputs(X).struct, matrix=kernel.matrix(X) if repeated else None)
    else:
        put(values, x=RowInputs(X).struct, function=kernel.struct)
    held = record(
        abi.CSGDSupport, kernel=values, capacity=capacity, most=most or 0, n=len(support), rows=rows, **grown.fields()
    )
    asks = not values.matrix and not values.function
    passes = _Passes(schedule)
    report = passes.run(
        "cp_sgd_expansion", description, options, targets, passes, support=held, n_threads=n_threads,
        answer=partial(_values, kernel, X, n - targets.n) if asks else None,
    )  # fmt: skip
    return grown.take(np.arange(held.n)), rows[: held.n].astype(np.intp), report


def _values(kernel: InputKernel, X: Any, first: int, request: abi.CRequest) -> None:
    """Answer with kernel values of rows with columns, or, without any, of each row with itself."""
    rows = view(request.rows, np.int64, request.n)
    if request.n_columns:
        columns = view(request.columns, np.int64, request.n_columns)
        with renumbered(rows - first):
            view(request.results, np.float64, request.n, request.n_columns)[:] = kernel.matrix(X[rows], X[columns])
        return
    values = view(request.results, np.float64, request.n)
    for at, row in enumerate(rows):
        with renumbered(rows[at:] - first):
            values[at] = kernel.matrix(X[row : row + 1]).item()
