"""The edge kernels on orders: their relations compared pair by pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._row_blocks import row_blocks
from ._order_rows import FloatArray, OrderRows, gram, normalized

_EXACT_SINGLE = 2**24  # integers up to it are float32


def edge_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, format: str = "positions", normalize: bool = False
) -> FloatArray | float:
    r"""Count the relations that two orders have in common: :math:`k(y, y') = |E \cap E'|`.

    E is the set of pairs (u, v) such that u is before v in y, with all that follows.

    Parameters
    ----------
    X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
        Orders in the given format, as for `position_kernel`. Two single rows give a single number.
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
        When a row is no order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Features are indicators of the ordered pairs, so that the kernel is positive semidefinite, and different partial
    orders have different features. Costs :math:`O(n m N^2)`, in matrix products, besides :math:`O(n N^3)` for what
    follows from relations in pairs.

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


def signed_edge_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, format: str = "positions", normalize: bool = False
) -> FloatArray | float:
    r"""Count the relations that two orders have in common, less those that they have the other way round.

    This is :math:`\langle\psi(y), \psi(y')\rangle`, where :math:`\psi_{uv}(y)`, u < v, is +1 if u is before v, −1 if v
    is before u and 0 otherwise.

    Parameters
    ----------
    X : array-like of shape (n, k), (n, n_pairs) or (n, N, N)
        Orders in the given format, as for `position_kernel`. Two single rows give a single number.
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
        When a row is no order, naming it, or the rows of X and Y have different items.

    Notes
    -----
    Positive semidefinite; different partial orders have different features. Costs as `edge_kernel`.

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
