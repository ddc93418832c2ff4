"""Plackett–Luce models of weighted rankings by penalised maximum likelihood, for many sets of rankings at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._data.warn import warn_user
from .._lib.aggregate import plackett_luce_fit
from .._lib.arrays import FloatArray

__all__ = [
    "fit_plackett_luce",
]


def __dir__() -> list[str]:
    return __all__


def fit_plackett_luce(
    ranks: NDArray[np.int32], weights: FloatArray, penalty: float, *, n_threads: int | None = None
) -> FloatArray:
    r"""Return the utilities of the labels that fit each set of rankings best.

    Parameters
    ----------
    ranks : ndarray of shape (n, m, k), dtype=int32
        m rankings for each of n sets: ranks from 1 on without ties, 0 for labels that are not ranked.
    weights : ndarray of shape (n, m)
        Weights of the rankings, at least 0.
    penalty : float
        c > 0, without which a label that is before all others in every ranking would have an infinite utility.
    n_threads : int or None, default=None
        Threads; None: as configured.

    Returns
    -------
    utilities : ndarray of shape (n, k)
        u, of mean 0 in each row: a ranking is drawn place by place, each time one of the labels that are left, with
        probability proportional to exp u.

    Raises
    ------
    NumericalError
        Where the penalty is lost beside the weights.

    Warns
    -----
    ConvergenceWarning
        Where Newton's method is not done after 100 steps.

    Notes
    -----
    Minimises :math:`-\sum_j w_j \ln p(y_j) + \tfrac c2\|u\|^2`, strictly convex in u, by Newton's method with step
    halving. The distribution of the order of some labels does not depend on the others, so that the likelihood of an
    incomplete ranking is that of its known labels. A step costs O(n m k²), and O(n k³).
    """
    utilities, unfitted = plackett_luce_fit(ranks, weights, penalty, n_threads=n_threads)
    if unfitted:
        warn_user(
            f"{unfitted} of {len(utilities)} Plackett–Luce models are not fitted after 100 steps of Newton's method: a "
            "larger penalty makes it easier",
            ConvergenceWarning,
        )
    return utilities
