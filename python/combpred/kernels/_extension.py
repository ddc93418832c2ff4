"""The extension kernel on orders: counts of common linear extensions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.checks import choice, number, seed_of
from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import ApproximationWarning
from .._lib.kernel import Orders, order_kernel
from .._lib.sampling import FEW_DOWNSETS, MOST_DOWNSETS
from ._orders import gram

KERNEL_METHODS = ("auto", "exact", "approximate")
# Downsets of what is counted exactly.
_LIMITS = {"auto": MOST_DOWNSETS, "exact": MOST_DOWNSETS, "approximate": FEW_DOWNSETS}


@documented
def extension_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    format: str = "positions",
    normalize: bool = False,
    method: str = "auto",
    epsilon: float = 0.1,
    delta: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> FloatArray | float:
    r"""Count the linear extensions that two orders have in common.

    That is :math:`k_\ell(y, y') = \ell(y \cup y')`, the number of those of their union.

    Parameters
    ----------
    %(orders)s
    Y : array-like in the format of X, default=None
        None: X.
    format : {"positions", "pairs"}, default="positions"
        As for `position_kernel`.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`. Counts range from 1 to N!, so that learners
        usually need this, and orders of more than 170 items may: it is computed from logarithms, without overflow.
    method : {"auto", "exact", "approximate"}, default="auto"
        As for :func:`combpred.sampling.count_linear_extensions`. "auto" warns (ApproximationWarning) where entries are
        estimated.
    epsilon, delta : float, default=0.1 and 0.05
        With probability 1 − δ the relative errors of all estimated counts together are at most ε. A normalised entry,
        from three counts, is then off by at most the factor (1 + ε)/(1 − ε).
    random_state : int, RandomState instance or None, default=None
        The only source of randomness, used by estimates.
    n_jobs : int, default=None
        Number of threads, -1 for all; None: as configured.
    verbose : int, default=0
        Show progress when positive.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows
        Exact counts up to 10¹³ are whole numbers, larger ones floats of about 13 correct digits.

    Raises
    ------
    ValueError
        If a row is not an order, naming it, or the rows of X and Y have different items.
    CapabilityError
        If "exact" meets too many downsets, naming the rows; "approximate" then estimates the count.
    NumericalError
        If a count is too large for a float; ``normalize=True`` avoids this.

    Notes
    -----
    Features are indicators of all orders, 1 for the linear extensions: the kernel is positive semidefinite, and
    different partial orders have different features, as a partial order is what its linear extensions agree in. A
    matrix with estimated entries need not be positive semidefinite.

    The kernel is 0 exactly where the union of both relations has a cycle. No two pairs need contradict each other for
    that: a before b and c before d, with b before c and d before a, form one.

    Cost: that of `count_linear_extensions` for each pair of rows, with exact counts of N items at most
    :math:`O(2^N N)`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Examples
    --------
    >>> from combpred.kernels import extension_kernel
    >>> extension_kernel([[1, 2, 3], [1, 2, -1], [-1, -1, -1]])
    array([[1., 1., 1.],
           [1., 3., 3.],
           [1., 3., 6.]])
    >>> extension_kernel([[1, 2, -1]], [[-1, -1, -1]], normalize=True).round(3)
    array([[0.707]])
    """
    choice(method, "method", KERNEL_METHODS)
    options: dict[str, Any] = {
        "normalize": normalize, "most_downsets": _LIMITS[method],
        "epsilon": 0.0 if method == "exact" else number(epsilon, "epsilon"), "delta": number(delta, "delta"),
        "seed": seed_of(random_state), "n_threads": get_n_threads(n_jobs), "verbose": verbose,
    }  # fmt: skip

    def compute(rows: Orders, columns: Orders | None) -> FloatArray:
        estimated = np.zeros(1, dtype=np.int64)
        values = order_kernel("extensions", rows, columns, n_estimated=estimated, **options)
        if estimated[0] and method == "auto":
            warnings.warn(
                f"{estimated[0]} counts were estimated, within a factor 1 ± {epsilon:g} with "
                f"probability {1 - delta:g}; take method='approximate' to accept that, or 'exact' to refuse it",
                ApproximationWarning,
                stacklevel=4,
            )
        return values

    return gram(X, Y, format, compute)
