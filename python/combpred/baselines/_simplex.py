"""Quadratic programs over the simplex, of some hundred variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-15  # of the sum of magnitudes that make up a derivative: gains below it are none
_RIDGE = 1e-13  # of the trace, added where equations are solved for a step: planes may depend on each other


def concave_maximum(gram: FloatArray, linear: FloatArray, start: FloatArray, *, gap: float = 0.0) -> FloatArray:
    r"""Maximise :math:`b^\top x - \tfrac12 x^\top Q x` over x ≥ 0 with sum 1 by an active-set method.

    Parameters
    ----------
    gram : ndarray of shape (k, k)
        Q, positive semi-definite.
    linear : ndarray of shape (k,)
        b.
    start : ndarray of shape (k,)
        A point of the simplex.
    gap : float, default=0.0
        How far from the maximum is near enough.

    Returns
    -------
    ndarray of shape (k,)
        A point of the simplex whose value is not below that of `start`, and at most by `gap` and rounding below the
        maximum.

    Notes
    -----
    The variable of largest derivative joins those that are free, whose maximum under the sum is found by linear
    equations; where that is outside the simplex, the first variable to vanish on the way leaves (Wolfe, 1976, "Finding
    the nearest point in a polytope"). Each round costs :math:`O(k^3)` for k free variables, and few are free.

    Examples
    --------
    >>> concave_maximum(np.eye(2), np.array([0.0, 0.5]), np.array([1.0, 0.0]))
    array([0.25, 0.75])
    """
    x: FloatArray = start.copy()
    free = x > 0.0
    sizes = np.abs(gram)
    for _ in range(20 * len(linear)):
        _to_face_maximum(gram, linear, x, free)
        derivative = linear - gram @ x
        joining = int(np.argmax(derivative))
        rounding = _ROUNDING * (sizes @ x + np.abs(linear)).max()
        # By concavity, the maximum is at most by derivative[joining] − ⟨x, derivative⟩ above the value at x.
        if free[joining] or derivative[joining] <= x @ derivative + max(rounding, gap):
            break
        free[joining] = True
    found: FloatArray = x / x.sum()
    return found


def _to_face_maximum(gram: FloatArray, linear: FloatArray, x: FloatArray, free: NDArray[np.bool_]) -> None:
    """Move x to the maximum over the free variables, taking those that vanish out of `free`."""
    while True:
        at = np.flatnonzero(free)
        n = len(at)
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = gram[np.ix_(at, at)]
        system[range(n), range(n)] += _RIDGE * (float(np.trace(system)) or 1.0)
        system[n, :n] = system[:n, n] = 1.0
        residual = linear[at] - gram[np.ix_(at, at)] @ x[at]  # a step from x: the ridge then bends no maximum
        target = x[at] + np.linalg.solve(system, np.append(residual, 0.0))[:n]
        if (target > 0.0).all():
            x[at] = target
            return
        step = target - x[at]
        falling = step < 0.0
        ratios = np.full(n, np.inf)
        ratios[falling] = x[at][falling] / -step[falling]
        ratios[(target <= 0.0) & ~falling] = 0.0  # free at zero, and staying there
        first = int(np.argmin(ratios))
        x[at] += min(float(ratios[first]), 1.0) * step
        x[at] = np.maximum(x[at], 0.0)
        x[at[first]] = 0.0
        free[at[first]] = False
