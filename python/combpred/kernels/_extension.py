"""The extension kernel on orders: counts of common linear extensions."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .._data.checks import check_share, choice
from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import ApproximationWarning, CapabilityError, NumericalError
from .._lib.kernel import Orders, order_kernel
from .._lib.sampling import FEW_DOWNSETS, MOST_DOWNSETS
from ..sampling import count_linear_extensions
from ._orders import gram

KERNEL_METHODS = ("auto", "exact", "approximate")
# Downsets of what is counted exactly.
_LIMITS = {"auto": MOST_DOWNSETS, "exact": MOST_DOWNSETS, "approximate": FEW_DOWNSETS}
_WHOLE = 30.0  # below it a logarithm tells a whole number exactly


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
    r"""Count the linear extensions that two orders have in common: :math:`k_\ell(y, y') = \ell(y \cup y')`.

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
        When a row is not an order, naming it, or the rows of X and Y have different items.
    CapabilityError
        With "exact", when there are too many downsets; names the rows.
    NumericalError
        When a count is too large for a float, without `normalize`.

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
    check_share(epsilon, "epsilon")
    check_share(delta, "delta")
    n_threads = get_n_threads(n_jobs)

    def compute(rows: Orders, columns: Orders | None) -> FloatArray:
        n, m = rows.n, (rows if columns is None else columns).n
        entries = n * (n + 1) // 2 if columns is None else n * m + (n + m if normalize else 0)
        count = _Counting(method, float(epsilon), delta / entries, check_random_state(random_state), n_threads, verbose)
        logs = count.common(rows, columns)
        if normalize:
            left = logs.diagonal().copy() if columns is None else count.own(rows, "X")
            right = left if columns is None else count.own(columns, "Y")
            logs -= (left[:, np.newaxis] + right) / 2
        if count.estimated and method == "auto":
            warnings.warn(
                f"{count.estimated} of {entries} counts were estimated, within a factor 1 ± {epsilon:g} with "
                f"probability {1 - delta:g}; take method='approximate' to accept that, or 'exact' to refuse it",
                ApproximationWarning,
                stacklevel=4,
            )
        return _exponential(logs, whole=not normalize)

    return gram(X, Y, format, compute)


@dataclass
class _Counting:
    """Counts of common linear extensions, exact where that is possible."""

    method: str
    epsilon: float
    delta: float  # of each estimate
    rng: np.random.RandomState
    n_threads: int
    verbose: int
    estimated: int = 0

    def common(self, a: Orders, b: Orders | None) -> FloatArray:
        """Return ln of the counts for all rows of a with all rows of b, or of a itself."""
        logs = order_kernel(
            "extensions", a, b, logarithms=1, most_downsets=_LIMITS[self.method],
            n_threads=self.n_threads, verbose=self.verbose,
        )  # fmt: skip
        for i, j in np.argwhere(np.isnan(logs)).tolist():
            known = b is None and j < i  # by symmetry
            logs[i, j] = logs[j, i] if known else self._estimate(a, a if b is None else b, i, j)
        return logs

    def own(self, orders: Orders, name: str) -> FloatArray:
        """Return ln of the counts for each row alone, of the argument called `name`."""
        logs = np.empty(orders.n)
        for i in range(orders.n):
            try:
                logs[i] = self.common(Orders(orders.n_items, signs=orders.signs(i)[np.newaxis]), None)[0, 0]
            except CapabilityError:
                raise CapabilityError(
                    f"{name}, row {i}: its linear extensions, by which normalize=True divides, cannot be counted "
                    "exactly, as too many downsets are connected; take method='approximate'",
                    i,
                    named=True,
                ) from None
        return logs

    def _estimate(self, x: Orders, y: Orders, i: int, j: int) -> float:
        if self.method == "exact":
            raise CapabilityError(
                f"X, row {i}, and row {j} of the other argument: their common linear extensions cannot be counted "
                "exactly, as too many downsets are connected; take method='approximate'",
                i,
                named=True,
            )
        self.estimated += 1
        u, v = np.triu_indices(x.n_items, 1)
        a, b = x.signs(i), y.signs(j)
        before, after = (a > 0) | (b > 0), (a < 0) | (b < 0)
        pairs = np.concatenate([np.stack([u, v], axis=1)[before], np.stack([v, u], axis=1)[after]]).astype(np.int32)
        return count_linear_extensions(
            pairs, x.n_items, method="approximate", epsilon=self.epsilon, delta=self.delta, random_state=self.rng,
            n_jobs=self.n_threads, verbose=self.verbose,
        ).log_value  # fmt: skip


def _exponential(logs: FloatArray, *, whole: bool) -> FloatArray:
    """Return the exponentials of logarithms, rounded to integers for `whole` where they are small enough for that."""
    if whole and (largest := float(logs.max())) > math.log(np.finfo(np.float64).max):
        raise NumericalError(f"a count is about exp({largest:.6g}), too large for a float; take normalize=True")
    values: FloatArray = np.exp(logs)
    if whole:
        np.rint(values, out=values, where=logs < _WHOLE)
    return values
