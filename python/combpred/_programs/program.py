"""Cutting planes: 0/1 programs, or their linear relaxations, with constraints added when a solution violates them.

HiGHS solves the programs, through SciPy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from .._lib.abi import Control
from .._lib.arrays import FloatArray
from .._lib.control import call_abandonable
from .._lib.errors import NumericalError

_OUT_OF_TIME, _INFEASIBLE = 1, 2  # statuses of scipy.optimize.milp
_TOLERANCE = 1e-5  # on what the solver returns; ten times its own


class Cut(NamedTuple):
    """A constraint ``low <= coefficients @ x[columns] <= high``."""

    columns: list[int]
    coefficients: list[float]
    low: float
    high: float


class InfeasibleError(ValueError):
    """No 0/1 vector satisfies all constraints."""


class OutOfTimeError(RuntimeError):
    """The time limit was reached.

    Parameters
    ----------
    upper_bound : float
        Bound on the values of all solutions that was proven by then.
    """

    def __init__(self, upper_bound: float) -> None:
        super().__init__(upper_bound)
        self.upper_bound = upper_bound


class Watch(NamedTuple):
    """How a program is watched while it is solved.

    Attributes
    ----------
    deadline : float or None
        Time to stop, on the clock of `time.monotonic`; None: no limit.
    control : Control or None
        Where progress is reported: `step` counts the programs after the first, and `value` is the number of
        constraints.
    """

    deadline: float | None = None
    control: Control | None = None


UNWATCHED = Watch()


class Optimum(NamedTuple):
    """An optimal solution.

    Attributes
    ----------
    x : ndarray of shape (v,), bool or float64
        It satisfies all constraints; float64 if the program is relaxed.
    upper_bound : float
        Proven bound on the values of all solutions.
    constraints : list of Cut
        All constraints of the last program.
    """

    x: NDArray[Any]
    upper_bound: float
    constraints: list[Cut]


def maximise(
    scores: FloatArray,
    constraints: list[Cut],
    violated: Callable[[NDArray[Any]], list[Cut]],
    watch: Watch = UNWATCHED,
    *,
    relaxed: bool = False,
    constant: float = 0.0,
    bound: float = np.inf,
) -> Optimum:
    """Return a 0/1 vector x of largest ``scores @ x`` that satisfies all constraints.

    Parameters
    ----------
    scores : ndarray of shape (v,)
        One finite number for each variable.
    constraints : list of Cut
        Constraints of the first program.
    violated : callable
        Function of an optimal x that returns the constraints of the full problem that x violates, or an empty list if x
        is feasible. Those returned must be new, and there must be finitely many in all. x is bool, or float64 if
        `relaxed`.
    watch : Watch, default=UNWATCHED
    relaxed : bool, default=False
        Whether x may have any values between 0 and 1.
    constant : float, default=0.0
        What is added to ``scores @ x`` for the value of x.
    bound : float, default=inf
        Known bound on the values of all solutions.

    Returns
    -------
    Optimum

    Raises
    ------
    OutOfTimeError
        At the deadline.
    InfeasibleError
        When no x satisfies the constraints.
    NumericalError
        When the solver fails, or what it returns violates the constraints, with and without presolve.
    """
    largest = float(np.abs(scores).max(initial=0.0))
    scale = largest if largest > 0 else 1.0  # the solver's tolerances are absolute
    bound = min(bound, constant + float(np.maximum(scores, 0.0).sum()))
    cuts = list(constraints)
    rows = _rows(cuts, len(scores))
    while True:
        low, high = np.array([c.low for c in cuts]), np.array([c.high for c in cuts])
        for presolve in (True, False):  # presolve has errors: with SciPy 1.10 "optimal" vectors can be out of bounds
            options = {"mip_rel_gap": 0.0, "presolve": presolve}
            if watch.deadline is not None:
                options["time_limit"] = max(watch.deadline - time.monotonic(), 0.0)
                if options["time_limit"] == 0.0:
                    raise OutOfTimeError(bound)
            result = call_abandonable(
                milp,
                -scores / scale,
                integrality=np.zeros(len(scores)) if relaxed else np.ones(len(scores)),
                bounds=Bounds(0.0, 1.0),
                constraints=LinearConstraint(rows, low, high) if cuts else (),
                options=options,
            )
            if result.status == _INFEASIBLE:
                raise InfeasibleError("no 0/1 vector satisfies the constraints")
            if result.status == _OUT_OF_TIME and watch.deadline is not None:
                found = None if relaxed else result.mip_dual_bound
                raise OutOfTimeError(bound if found is None else min(bound, constant - float(found) * scale))
            if result.x is None:
                raise NumericalError(f"the integer program was not solved: {result.message}")
            x = np.clip(result.x if relaxed else np.round(result.x), 0.0, 1.0)
            excess = np.concatenate([np.abs(result.x - x), low - rows @ x, rows @ x - high])
            if (excess <= _TOLERANCE).all():
                break
        else:
            raise NumericalError(f"the integer program was not solved: constraints are violated by {excess.max():.3g}")
        bound = min(bound, constant - float(result.fun if relaxed else result.mip_dual_bound) * scale)
        x = x if relaxed else x.astype(bool)
        new = violated(x)
        if not new:
            return Optimum(x, bound, cuts)
        cuts += new
        if watch.control is not None:
            watch.control.step += 1
            watch.control.value = float(len(cuts))
        rows = vstack([rows, _rows(new, len(scores))], format="csr")


def _rows(cuts: list[Cut], width: int) -> csr_array:
    """Return the coefficients of constraints as rows of a sparse matrix with `width` columns."""
    indptr = np.cumsum([0, *(len(c.columns) for c in cuts)])
    columns = np.array([k for c in cuts for k in c.columns], dtype=np.int64)
    values = np.array([v for c in cuts for v in c.coefficients], dtype=np.float64)
    return csr_array((values, columns, indptr), shape=(len(cuts), width))
