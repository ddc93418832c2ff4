"""Kernels on orders: edge kernels, which compare pairs of items, and the position kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from .._data.checks import choice
from .._data.glossary import documented
from .._data.relations import close_relations, encode_relations, items_shown, relation_matrices
from .._data.targets import TargetError, as_numbers, target_matrix, unknown_positions
from .._lib.arrays import FloatArray, row_blocks

ORDER_FORMATS = ("positions", "pairs")
_REMEDY = "positions are finite numbers from 0 on, compared by their order, or -1 where they are unknown"

_EXACT_SINGLE = 2**24  # integers up to it are float32

BASES = ("linear", "rbf", "delta")


@dataclass(frozen=True)
class OrderRows:
    """Partial orders of the same items, one in each row.

    Attributes
    ----------
    n_items : int
    signs : ndarray of shape (n, n_pairs), dtype=int8
        For each pair u < v, in lexicographic order: 1 where u is before v, −1 where v is before u, otherwise 0;
        transitively closed.
    predecessors : ndarray of shape (n, n_items), dtype=int64
        How many items are before each.
    """

    n_items: int
    signs: NDArray[np.int8]
    predecessors: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.signs)


def read_orders(values: Any, name: str, given: str) -> OrderRows:
    """Read the argument called `name` in the format `given`; arrays of three dimensions are matrices in any case."""
    choice(given, "format", ORDER_FORMATS)
    if given == "pairs" or np.ndim(values) == 3:
        return _from_pairs(values, name)
    return _from_positions(values, name)


def gram(
    X: Any,
    Y: Any,
    given: str,
    compute: Callable[[OrderRows, OrderRows | None], FloatArray],
) -> FloatArray | float:
    """Return the kernel matrix that `compute` gives for the rows of X and Y, or one number for two single rows."""
    single = Y is not None and np.ndim(X) == np.ndim(Y) == 1
    rows = read_orders([X] if single else X, "X", given)
    columns = None if Y is None else read_orders([Y] if single else Y, "Y", given)
    if columns is not None and columns.n_items != rows.n_items:
        raise ValueError(
            f"X has orders of {rows.n_items} items and Y of {columns.n_items}; they must be the same items"
        )
    values = compute(rows, columns)
    return float(values[0, 0]) if single else values


def normalized(values: FloatArray, own: FloatArray, others: FloatArray | None) -> FloatArray:
    """Divide kernel values by the roots of those of rows and columns with themselves; 0 where one of these is 0."""
    left = np.sqrt(own)
    right = left if others is None else np.sqrt(others)
    scale = left[:, np.newaxis] * right
    result: FloatArray = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)
    return result


def _from_positions(values: Any, name: str) -> OrderRows:
    positions = as_numbers(target_matrix(values, name, None, "item"), name, _REMEDY)
    n, k = positions.shape
    if k < 2:
        raise ValueError(f"{name} must have orders of at least 2 items, got {k}")
    positions = positions.astype(np.float64)
    unknown = unknown_positions(positions, _REMEDY, name, zero=True)
    ranked = rankdata(np.where(unknown, np.inf, positions), method="min", axis=1)
    predecessors = np.where(unknown, 0, ranked - 1).astype(np.int64)
    u, v = np.triu_indices(k, 1)
    signs = np.empty((n, len(u)), dtype=np.int8)
    for rows in row_blocks(n, len(u)):
        known = ~unknown[rows]
        differ = np.sign(predecessors[rows][:, v] - predecessors[rows][:, u])
        signs[rows] = differ * (known[:, u] & known[:, v])
    return OrderRows(k, signs, predecessors)


def _from_pairs(values: Any, name: str) -> OrderRows:
    try:
        items = items_shown(values, name)
        given = encode_relations(values, items, reflexive=True)
    except TargetError as error:
        raise TargetError(error.row, error.reason, name) from None
    u, v = np.triu_indices(items, 1)
    signs = np.empty(given.shape, dtype=np.int8)
    predecessors = np.empty((len(given), items), dtype=np.int64)
    for rows in row_blocks(len(given), items * items):
        before = relation_matrices(given[rows], items)
        close_relations(before)
        circular = np.diagonal(before, axis1=1, axis2=2)
        if circular.any():
            row = int(np.argmax(circular.any(axis=1)))
            reason = f"the relations lead from item {int(np.argmax(circular[row]))} back to it; leave one of them out"
            raise TargetError(rows.start + row, reason, name)
        signs[rows] = before[:, u, v].astype(np.int8) - before[:, v, u].astype(np.int8)
        predecessors[rows] = before.sum(axis=1)
    return OrderRows(items, signs, predecessors)


@documented
def edge_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, format: str = "positions", normalize: bool = False
) -> FloatArray | float:
    r"""Count the relations that two orders have in common: :math:`k(y, y') = |E \cap E'|`.

    E is the set of pairs (u, v) such that u is before v in y, transitively closed.

    Parameters
    ----------
    %(orders)s
    Y : array-like in the format of X, default=None
        None: X.
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
        When a row is not an order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Features are indicators of the ordered pairs, so that the kernel is positive semidefinite, and different partial
    orders have different features. Cost: :math:`O(n m N^2)`, in matrix products, and :math:`O(n N^3)` for the
    transitive closure of relations in pairs.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Examples
    --------
    >>> from combpred.kernels import edge_kernel
    >>> edge_kernel([[1, 2, 3], [2, 1, 3], [1, 1, 2]])
    array([[3., 2., 2.],
           [2., 3., 2.],
           [2., 2., 2.]])
    """
    return _kernel(X, Y, format, normalize, opposite=False)


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
        None: X.
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
        When a row is not an order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Positive semidefinite; different partial orders have different features. Cost: that of `edge_kernel`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Jiao, Y. and Vert, J.-P. (2018). The Kendall and Mallows kernels for permutations. *IEEE TPAMI* 40.

    Examples
    --------
    >>> from combpred.kernels import signed_edge_kernel
    >>> signed_edge_kernel([[1, 2, 3], [3, 2, 1], [1, 1, 2]])
    array([[ 3., -3.,  2.],
           [-3.,  3., -2.],
           [ 2., -2.,  2.]])
    """
    return _kernel(X, Y, format, normalize, opposite=True)


def _kernel(X: ArrayLike, Y: ArrayLike | None, given: str, normalize: bool, *, opposite: bool) -> FloatArray | float:
    """Return one of the edge kernels: with `opposite`, pairs the other way round are subtracted."""

    def compute(rows: OrderRows, columns: OrderRows | None) -> FloatArray:
        right = rows if columns is None else columns
        values = _products(rows.signs, right.signs, opposite)
        if not normalize:
            return values
        sizes = [np.count_nonzero(each.signs, axis=1).astype(np.float64) for each in (rows, right)]
        return normalized(values, sizes[0], sizes[1])

    return gram(X, Y, given, compute)


def _products(a: NDArray[np.int8], b: NDArray[np.int8], opposite: bool) -> FloatArray:
    """Return the sums over pairs, exactly: products of signs, of which a common relation makes 1, for `opposite`.

    Otherwise the sum over |signs| is added and the whole halved, which leaves the pairs of the same sign.
    """
    values = np.empty((len(a), len(b)))
    dtype = np.float32 if a.shape[1] <= _EXACT_SINGLE else np.float64
    for rows in row_blocks(len(a), a.shape[1]):
        left = a[rows].astype(dtype)
        for columns in row_blocks(len(b), b.shape[1]):
            right = b[columns].astype(dtype)
            products = left @ right.T
            if not opposite:
                products += np.abs(left) @ np.abs(right).T
                products /= 2
            values[rows, columns] = products
    return values


def position_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    format: str = "positions",
    base: str = "linear",
    gamma: float | None = None,
    normalize: bool = False,
) -> FloatArray | float:
    r"""Compare orders by the number of items before each item.

    :math:`k_\#(y, y') = \sum_u \kappa(p_u(y), p_u(y'))`, where :math:`p_u(y)` counts the items that are before u in y.

    Parameters
    ----------
    X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
        Orders in the given format. Two single rows, as callable kernels are passed, give a single number.
    Y : array-like in the format of X, default=None
        None: X.
    format : {"positions", "pairs"}, default="positions"
        "positions": rows of k positions, 1 for the first; only their order counts, equal ones are ties, and −1 or NaN
        are unknown. Ties and unknown positions give no relation. "pairs": as y of
        :class:`~combpred.structures.PartialOrders`, +1, −1 and 0 for the pairs u < v. Boolean matrices, which have
        three dimensions, are recognised. Relations that follow from others need not be given.
    base : {"linear", "rbf", "delta"}, default="linear"
        :math:`\kappa(a, b)`: :math:`ab`, :math:`e^{-\gamma (a-b)^2}`, or 1 where a = b and otherwise 0.
    gamma : float, default=None
        Parameter of "rbf"; positive. None: 1/N² for N items.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`; orders with :math:`k(y, y) = 0` then have kernel 0.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows

    Raises
    ------
    ValueError
        When a row is not an order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Positive semidefinite, as κ is. Different orders without ties, and different weak orders, have different features.
    Partial orders may share them: a before c and b before d, or a before d and b before c, give every item the same
    count.

    Cost: O(n m N), and :math:`O(n N^3)` for the transitive closure of relations in pairs.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Examples
    --------
    >>> from combpred.kernels import position_kernel
    >>> position_kernel([[1, 2, 3], [3, 2, 1], [1, 1, -1]])
    array([[5., 1., 0.],
           [1., 5., 0.],
           [0., 0., 0.]])
    """
    choice(base, "base", BASES)
    if gamma is not None and not (isinstance(gamma, (int, float, np.floating)) and gamma > 0):
        raise ValueError(f"gamma must be a positive number or None, got {gamma!r}")

    def compute(rows: OrderRows, columns: OrderRows | None) -> FloatArray:
        table = _table(base, rows.n_items, gamma)
        right = rows if columns is None else columns
        values = np.zeros((len(rows), len(right)))
        if base == "linear":
            values += rows.predecessors.astype(np.float64) @ right.predecessors.T.astype(np.float64)
        else:
            for block in row_blocks(len(rows), rows.n_items + len(right)):
                for u in range(rows.n_items):
                    values[block] += table[rows.predecessors[block, u]][:, right.predecessors[:, u]]
        if not normalize:
            return values
        own = [table[each.predecessors, each.predecessors].sum(axis=1) for each in (rows, right)]
        return normalized(values, own[0], own[1])

    return gram(X, Y, format, compute)


def _table(base: str, n: int, gamma: float | None) -> FloatArray:
    """Return κ for all numbers of predecessors, 0 to n − 1."""
    count: np.ndarray[Any, np.dtype[np.float64]] = np.arange(n, dtype=np.float64)
    if base == "linear":
        return np.outer(count, count)
    if base == "delta":
        return np.eye(n)
    values: FloatArray = np.exp(-(1 / n**2 if gamma is None else gamma) * np.subtract.outer(count, count) ** 2)
    return values
