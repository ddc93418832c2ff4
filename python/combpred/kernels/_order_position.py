"""The position kernel on orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._row_blocks import row_blocks
from ._order_rows import FloatArray, OrderRows, gram, normalized

BASES = ("linear", "rbf", "delta")


def position_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    format: str = "positions",
    base: str = "linear",
    gamma: float | None = None,
    normalize: bool = False,
) -> FloatArray | float:
    r"""Compare orders by how many items are before each item.

    :math:`k_\#(y, y') = \sum_u \kappa(p_u(y), p_u(y'))`, where :math:`p_u(y)` counts the items that are before u in y.

    Parameters
    ----------
    X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
        Orders in the given format. Two single rows, as callable kernels are passed, give a single number.
    Y : array-like in the format of X, default=None
        None: X.
    format : {"positions", "pairs"}, default="positions"
        "positions": rows of k positions, 1 for the first; only their order counts, equal ones are ties, and −1 or NaN
        are unknown. Ties and unknown positions are no relation. "pairs": as y of
        :class:`~combpred.structures.PartialOrders`, +1, −1 and 0 for the pairs u < v. Boolean matrices, which have
        three dimensions, are recognised. What follows from relations is understood.
    base : {"linear", "rbf", "delta"}, default="linear"
        :math:`\kappa(a, b)`: :math:`ab`, :math:`e^{-\gamma (a-b)^2}`, or 1 where a = b and otherwise 0.
    gamma : float, default=None
        Of "rbf"; positive. None: 1/N² for N items.
    normalize : bool, default=False
        Whether to divide by :math:`\sqrt{k(y, y) k(y', y')}`; orders with :math:`k(y, y) = 0` then have kernel 0.

    Returns
    -------
    kernel : ndarray of shape (n, m), or float for two single rows

    Raises
    ------
    ValueError
        When a row is no order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Positive semidefinite, as κ is. Different orders without ties, and different weak orders, have different features.
    Partial orders may share them: a before c and b before d, or a before d and b before c, give every item the same
    count.

    Costs O(n m N), besides :math:`O(n N^3)` for what follows from relations in pairs.

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
    if base not in BASES:
        raise ValueError(f"base must be one of {', '.join(BASES)}, got {base!r}")
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
