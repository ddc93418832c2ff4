"""Stochastic gradient descent on the penalised likelihood, with averaged weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._likelihood import Likelihood

FloatArray = NDArray[np.float64]

_BATCH = 32  # rows of one step: the gradient of one row costs little more than the call that asks for it
_AVERAGING = 3.0  # the last step counts 1 + this, in steps so far


@dataclass(frozen=True)
class SgdState:
    """Where the descent stands. It is never changed in place, so that an interrupted pass leaves it as it was.

    Attributes
    ----------
    weights, average : ndarray of shape (p + 1, d)
        The last iterate and the average of all; the last row belongs to the constant feature.
    curvature : float
        The largest eigenvalue of Σ.
    n_steps : int
    n_rows : int
        Rows seen, those of repeated passes counted anew.
    n_seen : float
        Their total weight.
    stretch : float
        Sum over the steps of the largest eigenvalue of the batch's second moment.
    """

    weights: FloatArray
    average: FloatArray
    curvature: float
    n_steps: int = 0
    n_rows: int = 0
    n_seen: float = 0.0
    stretch: float = 0.0


def descend(
    state: SgdState,
    likelihood: Likelihood,
    X: Any,
    *,
    alpha: float,
    intercept: bool,
    total: float | None,
    order: NDArray[np.intp],
) -> SgdState:
    r"""Pass once over the rows of X (array or CSR) in the given order, up to 32 at a time.

    A step takes the gradient of :math:`\frac{\alpha}{m}\|W\|^2` plus the mean loss of the batch, for m the total weight
    of the data, and the step size :math:`1 / (L + 2 \alpha t / m)` of strongly convex problems, for L the product of
    the largest eigenvalues of Σ and, on average so far, of the batch's second moment of features. Iterates are averaged
    with weights that grow as the cube of their number (Shamir & Zhang, 2013).

    Parameters
    ----------
    total : float or None
        m; None where the end of the data is not known: the weight of the rows seen so far.
    order : ndarray
        Rows, those of weight 0 left out. With a `total`, all that have a part in it.
    """
    weights, average = state.weights.copy(), state.average.copy()
    n_steps, n_rows, n_seen, stretch = state.n_steps, state.n_rows, state.n_seen, state.stretch
    for rows in np.array_split(order, -(-len(order) // _BATCH)):
        batch, row_weights = X[rows], likelihood.weights[rows]
        n_steps, n_rows, n_seen = n_steps + 1, n_rows + len(rows), n_seen + float(row_weights.sum())
        # The mean weight is that of all rows, not of the batch, so that heavy batches count for more.
        mass = len(rows) * (n_seen / n_rows if total is None else total / len(order))
        stretch += _largest_eigenvalue(batch, row_weights / mass, intercept)
        residual = likelihood.evaluate(rows, np.asarray(batch @ weights[:-1]) + weights[-1]).residual / mass
        convexity = 2.0 * alpha / (n_seen if total is None else total)
        step = 1.0 / (state.curvature * stretch / n_steps + convexity * (n_steps + 1))
        weights *= 1.0 - step * convexity
        weights[:-1] -= step * (batch.T @ residual)
        if intercept:
            weights[-1] -= step * residual.sum(axis=0)
        average += (1.0 + _AVERAGING) / (n_steps + _AVERAGING) * (weights - average)
    return SgdState(weights, average, state.curvature, n_steps, n_rows, n_seen, stretch)


def _largest_eigenvalue(batch: Any, shares: FloatArray, intercept: bool) -> float:
    """Return that of Σ_i shares_i φ_i φ_iᵀ over the rows of a batch, from their inner products."""
    products = batch @ batch.T
    gram = (products.toarray() if sparse.issparse(products) else products) + float(intercept)
    root = np.sqrt(shares)
    return float(np.linalg.eigvalsh(gram * root * root[:, None])[-1])
