"""Kernels on orders: edge kernels, which compare pairs of items, and the position kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument, choice, float_array, number, seed_of
from .._data.glossary import documented
from .._data.relations import encode_relations, items_of_pairs
from .._data.targets import as_array, numbered_positions
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.errors import ApproximationWarning
from .._lib.kernel import Orders, order_kernel
from .._lib.sampling import FEW_DOWNSETS, MOST_DOWNSETS
from .._lib.table import floats

ORDER_FORMATS = ("positions", "pairs")

#: What the core calls the position kernel with each base.
BASES = {"linear": "positions", "rbf": "positions-rbf", "delta": "same-positions"}


def read_orders(values: Any, name: str, given: str) -> Orders:
    """Read the argument called `name` in the format `given`; arrays of three dimensions are matrices in any case."""
    choice(given, "format", ORDER_FORMATS)
    values = as_array(values, name)
    if given == "pairs" or values.ndim == 3:
        signs = encode_relations(values, name)
        return Orders(items_of_pairs(signs.shape[1], name), signs=signs)
    positions = numbered_positions(values, name, zero=True)
    return Orders(positions.shape[1], positions=positions)


def gram(X: Any, Y: Any, given: str, compute: Callable[[Orders, Orders | None], FloatArray]) -> FloatArray | float:
    """Return the kernel matrix that `compute` gives for the rows of X and Y, or one number for two single rows."""
    single = Y is not None and np.ndim(X) == np.ndim(Y) == 1
    rows = read_orders([X] if single else X, "X", given)
    columns = None if Y is None else read_orders([Y] if single else Y, "Y", given)
    values = compute(rows, columns)
    return float(values[0, 0]) if single else values


@documented
def edge_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, format: str = "positions", normalize: bool = False
) -> FloatArray | float:
    r"""Count the relations that two orders have in common.

    That is :math:`k(y, y') = |E \cap E'|`, where E is the set of pairs (u, v) such that u is before v in y,
    transitively closed.

    Parameters
    ----------
    %(orders)s
    Y : array-like in the format of X, default=None
        None compares the rows of X with each other.
    format : {"positions", "pairs"}, default="positions"
        As for `position_kernel`.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`; an order without relations then has kernel 0.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows

    Raises
    ------
    ValueError
        If a row is not an order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Features are indicators of the ordered pairs, so that the kernel is positive semidefinite, and different partial
    orders have different features. Cost: :math:`O(n m N^2)`, by words of pairs, and :math:`O(n N^3)` for the
    transitive closure of relations in pairs.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.1.

    Examples
    --------
    >>> from combpred.kernels import edge_kernel
    >>> edge_kernel([[1, 2, 3], [2, 1, 3], [1, 1, 2]])
    array([[3., 2., 2.],
           [2., 3., 2.],
           [2., 2., 2.]])
    """
    return gram(X, Y, format, lambda x, y: order_kernel("edges", x, y, normalize=normalize))


@documented
def signed_edge_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, format: str = "positions", normalize: bool = False
) -> FloatArray | float:
    r"""Count the relations that two orders have in common, minus those that they have in opposite directions.

    This is :math:`\langle\psi(y), \psi(y')\rangle`, where :math:`\psi_{uv}(y)`, u < v, is +1 if u is before v, −1 if v
    is before u and 0 otherwise.

    Parameters
    ----------
    %(orders)s
    Y : array-like in the format of X, default=None
        None compares the rows of X with each other.
    format : {"positions", "pairs"}, default="positions"
        As for `position_kernel`.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`, which makes it Kendall's :math:`\tau_b`; an order without
        relations then has kernel 0.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows

    Raises
    ------
    ValueError
        If a row is not an order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Positive semidefinite; different partial orders have different features. Cost: that of `edge_kernel`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.1.

    Jiao, Y. and Vert, J.-P. (2018). The Kendall and Mallows kernels for permutations. *IEEE TPAMI* 40.

    Examples
    --------
    >>> from combpred.kernels import signed_edge_kernel
    >>> signed_edge_kernel([[1, 2, 3], [3, 2, 1], [1, 1, 2]])
    array([[ 3., -3.,  2.],
           [-3.,  3., -2.],
           [ 2., -2.,  2.]])
    """
    return gram(X, Y, format, lambda x, y: order_kernel("signed-edges", x, y, normalize=normalize))


def position_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    format: str = "positions",
    base: str | ArrayLike | Callable[[int, int], float] = "linear",
    gamma: float | None = None,
    weights: ArrayLike | None = None,
    normalize: bool = False,
) -> FloatArray | float:
    r"""Compare orders by the number of items before each item.

    :math:`k_\#(y, y') = \sum_u w_u \kappa(p_u(y), p_u(y'))`, where :math:`p_u(y)` counts the items that are before u in
    y.

    Parameters
    ----------
    X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
        Orders in the given format. Two single rows, as callable kernels are passed, give a single number.
    Y : array-like in the format of X, default=None
        None compares the rows of X with each other.
    format : {"positions", "pairs"}, default="positions"
        "positions": rows of k positions, 1 for the first; only their order counts, equal ones are ties, and −1 or NaN
        are unknown. Ties and unknown positions give no relation. "pairs": as y of
        :class:`~combpred.structures.PartialOrders`, +1, −1 and 0 for the pairs u < v. Boolean matrices, which have
        three dimensions, are recognised. Relations that follow from others need not be given.
    base : {"linear", "rbf", "delta"}, array of shape (N, N) or callable, default="linear"
        :math:`\kappa(a, b)` for a, b = 0..N−1: :math:`ab`, :math:`e^{-\gamma (a-b)^2}`, or 1 where a = b and otherwise
        0; or a symmetric, positive semi-definite matrix of all values; or a function of a and b, which is called once
        for each pair. So places at the top may count more than others.
    gamma : float, default=None
        Parameter of "rbf", refused with another base; positive. None: 1/N² for N items.
    weights : array-like of shape (N,), default=None
        Weight :math:`w_u \geq 0` of each item. None: 1.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`; orders with :math:`k(y, y) = 0` then have kernel 0.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows

    Raises
    ------
    ValueError
        When a row is not an order, naming it, the rows of X and Y have different items, or κ or a weight is illegal.

    Notes
    -----
    Positive semidefinite, as κ is; a κ that is found to have an eigenvalue below −1e-6 of the largest is refused. With
    a base by name and no weights, different orders without ties, and different weak orders, have different features.
    Partial orders may share them: a before c and b before d, or a before d and b before c, give every item the same
    count.

    Cost: O(n m N), and :math:`O(n N^3)` for the transitive closure of relations in pairs.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.1.

    Examples
    --------
    >>> from combpred.kernels import position_kernel
    >>> position_kernel([[1, 2, 3], [3, 2, 1], [1, 1, -1]])
    array([[5., 1., 0.],
           [1., 5., 0.],
           [0., 0., 0.]])

    Positions that are near each other, the more so at the top:

    >>> position_kernel([[1, 2, 3], [3, 2, 1]], base=lambda a, b: 2.0 ** -max(a, b), normalize=True).round(3)
    array([[1.   , 0.571],
           [0.571, 1.   ]])
    """
    name = BASES[choice(base, "base", BASES) if isinstance(base, str) else "linear"]
    if gamma is not None:
        check_argument(gamma, "gamma", Interval(Real, 0, None, closed="neither"))

    def compare(x: Orders, y: Orders | None) -> FloatArray:
        k = x.n_items
        kappa: Any = None if isinstance(base, str) else base
        if callable(kappa):
            kappa = [[kappa(a, b) for b in range(k)] for a in range(k)]
        return order_kernel(
            name, x, y, normalize=normalize, gamma=0.0 if gamma is None else float(gamma),
            kappa=None if kappa is None else floats(float_array(kappa, "base"), "base", k, k),
            weights=None if weights is None else float_array(weights, "weights"),
        )  # fmt: skip

    return gram(X, Y, format, compare)


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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.1.

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
