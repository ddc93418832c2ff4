"""The core's stochastic gradient descent on the ridge problem, on arrays.

``capi/combpred.h`` states the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from . import abi
from .arrays import FloatArray, IndexArray, allocate
from .call import RowInputs, Session, computed, view
from .control import Steps
from .errors import renumbered
from .kernel import InputKernel
from .ridge import Design, Targets
from .structure import Description
from .table import contents, put, record

_CACHED_BYTES = 2**28  # largest matrix of a user's kernel that is kept from pass to pass


#: What steps change, by the fields of ``cp_sgd_state``, one row for each kept row or input feature: ``coef`` (k, d) of
#: the function that moves, and where they are asked for, ``average`` (k, d) of these functions, ``velocity`` (k, d) of
#: the derivative by the gains, for stochastic meta-descent, and ``gains`` (d,).
Coefficients = dict[str, FloatArray]


def copied(coefficients: Coefficients) -> Coefficients:
    """Return a copy in C-contiguous arrays, which steps may change."""
    return {name: np.array(array, order="C") for name, array in coefficients.items()}


def spread(coefficients: Coefficients, rows: IndexArray, n: int) -> Coefficients:
    """Return those of n rows, of which the last of the old ones have the given numbers, and the others are zero."""

    def among(array: FloatArray) -> FloatArray:
        out: FloatArray = allocate((n, array.shape[1]), np.float64, f"coefficients of {n} rows", "set truncation")
        out[:] = 0.0
        out[rows] = array[len(array) - len(rows) :]
        return out

    return {name: array.copy() if name == "gains" else among(array) for name, array in coefficients.items()}


class Descent:
    """The passes of one training, which are told of as they are made.

    Parameters
    ----------
    description : Description
        The structure.
    options : dict
        Of the fields of ``cp_ridge_options``.
    n_threads : int
    label, verbose
        As :func:`combpred._lib.call.call` takes them.
    max_iter : int, default=1
    tol : float or None, default=None
        None for passes whose objective is not asked for.
    **fields
        Others of ``cp_sgd_passes``.
    """

    def __init__(
        self, description: Description, options: dict[str, Any], n_threads: int, label: str, verbose: int, *,
        max_iter: int = 1, tol: float | None = None, **fields: Any,
    ) -> None:  # fmt: skip
        self._given, self._n_threads, told = (description, options), n_threads, tol is not None
        self._curve = np.zeros(max_iter if told else 0)
        self._steps = Steps(label, max_iter, verbose)
        self._telling = told and verbose > 0
        self.struct = record(
            abi.CSGDPasses, max_iter=max_iter, tol=tol or 0.0, curve=self._curve if told else None, **fields
        )

    def fit(self, design: Design, targets: Targets, coefficients: Coefficients) -> Any:
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
        return self._run("cp_sgd_fit", design, targets, state=coefficients)

    def expand(
        self, X: Any, kernel: InputKernel, targets: Targets, coefficients: Coefficients, support: IndexArray,
        most: int | None,
    ) -> tuple[Coefficients, IndexArray, Any]:  # fmt: skip
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
            Rows that stay in the support, those visited last; None for all.

        Returns
        -------
        coefficients : Coefficients
        support : ndarray
        report : namespace
            As `fit` returns it.
        """
        n = X.shape[0]
        capacity = n if most is None else max(1, min(n, most))
        support = support[-capacity:]
        grown = spread(coefficients, np.arange(len(support)), capacity)
        rows = np.zeros(capacity, dtype=np.int64)
        rows[: len(support)] = support
        values = record(abi.CSGDKernel, n=n)
        if kernel.is_precomputed:
            put(values, matrix=np.asarray(X))
        elif callable(kernel.name):
            repeated = most is None and self.struct.max_iter > 2 and 8 * n * n <= _CACHED_BYTES
            put(values, x=RowInputs(X).struct, matrix=kernel.matrix(X) if repeated else None)
        else:
            put(values, x=RowInputs(X).struct, function=kernel.struct)
        held = record(abi.CSGDSupport, kernel=values, most=most or 0, n=len(support), rows=rows, **grown)
        asks = not values.matrix and not values.function
        answer = partial(_values, kernel, X, n - targets.n) if asks else None
        report = self._run("cp_sgd_expansion", targets, support=held, answer=answer)
        kept = {name: array if name == "gains" else array[: held.n] for name, array in grown.items()}
        return kept, rows[: held.n].astype(np.intp), report

    def _run(
        self, function: str, *rows: Any, answer: Callable[[abi.CRequest], None] | None = None, **named: Any
    ) -> Any:
        """Call a function of the library, or with `answer` hold its session, and return the report."""
        report, interrupt = record(abi.CSGDReport), None
        named |= {"passes": self, "report": report, "n_threads": self._n_threads}
        named["progress"] = (lambda done, _: self._tell(done)) if self._telling else None
        with self._steps:
            try:
                if answer is None:
                    computed(function, *self._given, *rows, **named)
                else:
                    with Session(f"{function}_start", *self._given, *rows, **named) as session:
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
