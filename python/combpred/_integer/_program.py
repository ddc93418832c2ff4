"""A 0/1 program that grows by the constraints its solutions violate."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from .._errors import NumericalError
from .._interrupt import call_abandonable

FloatArray = NDArray[np.float64]

_INFEASIBLE = 2  # status of scipy.optimize.milp


class Cut(NamedTuple):
    """``low <= coefficients @ x[columns] <= high``."""

    columns: list[int]
    coefficients: list[float]
    low: float
    high: float


class InfeasibleError(ValueError):
    """No 0/1 vector satisfies the constraints."""


class Optimum(NamedTuple):
    """A solution that satisfies every constraint, and a proven bound on the value of all others."""

    x: NDArray[np.bool_]
    upper_bound: float


def maximise(scores: FloatArray, constraints: list[Cut], violated: Callable[[NDArray[np.bool_]], list[Cut]]) -> Optimum:
    """Return the 0/1 vector x of largest ``scores @ x`` that satisfies all constraints.

    Parameters
    ----------
    scores : ndarray of shape (v,)
        One finite number for each variable.
    constraints : list of Cut
        Those to begin with.
    violated : callable
        Given x that satisfies the constraints so far, the ones of the full problem that it violates; none when x is
        feasible. It must be finite in the end: each call returns at least one new constraint, or none.

    Raises
    ------
    InfeasibleError
        When nothing satisfies the constraints.
    NumericalError
        When the solver fails, which its own message explains.
    """
    largest = float(np.abs(scores).max(initial=0.0))
    scale = largest if largest > 0 else 1.0  # the solver's tolerances are absolute
    cuts = list(constraints)
    rows = _rows(cuts, len(scores))
    while True:
        options = {"mip_rel_gap": 0.0}
        result = call_abandonable(
            milp,
            -scores / scale,
            integrality=np.ones(len(scores)),
            bounds=Bounds(0.0, 1.0),
            constraints=LinearConstraint(rows, [c.low for c in cuts], [c.high for c in cuts]) if cuts else (),
            options=options,
        )
        if result.status == _INFEASIBLE:
            raise InfeasibleError("no 0/1 vector satisfies the constraints")
        if result.x is None:
            raise NumericalError(f"the integer program was not solved: {result.message}")
        x = np.round(result.x).astype(bool)
        new = violated(x)
        if not new:
            return Optimum(x, -float(result.mip_dual_bound) * scale)
        cuts += new
        rows = vstack([rows, _rows(new, len(scores))], format="csr")


def _rows(cuts: list[Cut], width: int) -> csr_array:
    indptr = np.cumsum([0, *(len(c.columns) for c in cuts)])
    columns = np.array([k for c in cuts for k in c.columns], dtype=np.int64)
    values = np.array([v for c in cuts for v in c.coefficients], dtype=np.float64)
    return csr_array((values, columns, indptr), shape=(len(cuts), width))
