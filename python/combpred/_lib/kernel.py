"""Kernels: matrices of k(x, x') of inputs and of orders, their eigenvectors, and predictions of fitted models.

``capi/combpred.h`` states the kernels and the problems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from . import abi, names
from .arrays import FloatArray, row_blocks
from .call import RowInputs, call, computed
from .errors import RowError
from .table import contiguous, record

#: Kernels by name; with "precomputed", kernel values are given in place of inputs.
KERNELS = (*names.INPUT_KERNELS, "precomputed")

#: Those with the parameter gamma.
SCALED_KERNELS = ("poly", "rbf", "laplacian")


@dataclass(frozen=True)
class InputKernel:
    r"""A kernel on inputs, with all its parameters resolved.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable
        As in :class:`sklearn.kernel_ridge.KernelRidge`: a callable takes two rows and returns a number.
    gamma : float, optional
        Scale of poly, rbf and laplacian. None: one over the number of features, as in scikit-learn.
    degree, coef0 : float
        Degree and constant of the polynomial kernel :math:`(\gamma\langle x, x'\rangle + c_0)^{degree}`.
    params : mapping
        Keyword arguments of a callable.
    """

    name: str | Callable[..., float]
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    params: Mapping[str, Any] = field(default_factory=dict)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"}), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    @classmethod
    def resolve(
        cls,
        name: str | Callable[..., float],
        X: Any,
        *,
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        params: Mapping[str, Any] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> InputKernel:
        """Return the kernel with ``gamma="scale"`` resolved to ``1 / (n_features * X.var())`` of the training inputs.

        With `weights` of the rows, (n,), the variance is weighted: a row of weight 0 does not count, and an integer
        weight repeats the row. ValueError when the variance overflows.
        """
        if params and not callable(name):
            raise ValueError(f"kernel_params={params!r} is for callables; {name!r} takes gamma, degree and coef0")
        gamma = computed("cp_kernel_scale", RowInputs(X), weights) if isinstance(gamma, str) else gamma
        return cls(name, gamma, degree, coef0, dict(params or {}))

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the inner product of the rows themselves."""
        return self.name == "linear"

    @property
    def is_precomputed(self) -> bool:
        """Whether kernel values are given in place of rows."""
        return self.name == "precomputed"

    def matrix(self, X: Any, Y: Any = None, *, first_row: int = 0) -> NDArray[np.float64]:
        """Return the kernel values between the rows of X and of Y (default: X itself).

        Parameters
        ----------
        X, Y : array or CSR of shape (n, p) and (m, p)
        first_row : int, default=0
            Number of the first row of X in messages, for callers that pass blocks of a larger X.

        Returns
        -------
        ndarray of shape (n, m), float64
            C-contiguous. "precomputed" returns X, which then holds kernel values.

        Raises
        ------
        ValueError
            When a kernel value is NaN or infinite, naming its row and column.
        """
        if self.is_precomputed:
            return np.ascontiguousarray(X, dtype=np.float64)
        if callable(self.name):
            return self._called(X, Y, first_row)
        rows, others = RowInputs(X), None if Y is None else RowInputs(Y)
        values = np.empty((rows.n, rows.n if others is None else others.n))
        call("cp_kernel", self, rows, others, first_row, "float64", values)
        return values

    def _called(self, X: Any, Y: Any, first_row: int) -> FloatArray:
        """Return the values of a user's function, which scikit-learn calls once for each pair of rows."""
        from sklearn.metrics.pairwise import pairwise_kernels

        values = np.ascontiguousarray(pairwise_kernels(X, Y, metric=self.name, **self.params), dtype=np.float64)
        for rows in row_blocks(*values.shape):
            if not np.isfinite(values[rows]).all():
                i, j = (int(at) for at in np.argwhere(~np.isfinite(values[rows]))[0])
                raise RowError(
                    first_row + rows.start + i,
                    f"kernel values overflow to NaN or infinity: {values[rows][i, j]} in column {j}; scale the inputs, "
                    "lower gamma or degree, or check the function where the kernel is one",
                )
        return values

    @property
    def struct(self) -> abi.CKernelFunction:
        """Return the kernel, which has a name, as the library takes it."""
        assert isinstance(self.name, str)
        return record(
            abi.CKernelFunction, name=self.name, gamma=self.gamma or 0.0, degree=self.degree, coef0=self.coef0
        )


def check_kernel(kernel: FloatArray, *, n_threads: int | None = None) -> None:
    """Raise ValueError unless a kernel matrix is finite and symmetric up to 1e-6 of its largest entry. Cost O(n²).

    The message names the row, the column and the remedy.
    """
    computed("cp_kernel_check", kernel, 0, n_threads=n_threads)


def require_semidefinite(kernel: FloatArray) -> None:
    """Do the same, and raise NumericalError for a matrix that has been found not to be positive semi-definite.

    What is refused does have a negative eigenvalue, of at least 1e-6 of the largest; negative ones below some 1e-4 of
    the largest can be missed. Cost: 32 products with a vector.
    """
    computed("cp_kernel_check", kernel, 1)


class Eigendecomposition(NamedTuple):
    """Of a symmetric matrix: eigenvalues in ascending order, eigenvectors in the columns of `vectors`."""

    values: FloatArray
    vectors: FloatArray


def eigendecompose(matrix: FloatArray) -> Eigendecomposition:
    """Diagonalise a symmetric matrix, overwriting it. Cost O(n³) and three further matrices of its size."""
    vectors: FloatArray = contiguous(matrix, np.float64)
    return Eigendecomposition(computed("cp_symmetric_eigen", matrix=vectors), vectors)


class Orders:
    """Partial orders of the same items, one in each row.

    Parameters
    ----------
    n_items : int
    positions : array of shape (n, n_items), default=None
        Numbers from 0 on, of which only the order counts, −1 where they are unknown.
    signs : array of shape (n, n_pairs), default=None
        Without positions: for each pair u < v 1 where u is before v, −1 where v is before u, otherwise 0.
    """

    def __init__(self, n_items: int, *, positions: Any = None, signs: Any = None) -> None:
        self.n, self.n_items = len(positions if signs is None else signs), n_items
        self.struct = record(abi.COrders, n=self.n, n_items=n_items, positions=positions, signs=signs)


def order_kernel(
    name: str,
    x: Orders,
    y: Orders | None,
    *,
    normalize: bool = False,
    n_threads: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> FloatArray:
    """Return a kernel of the rows of x with those of y, or of x.

    Parameters
    ----------
    name : str
        Of ``names.ORDER_KERNELS``.
    x, y : Orders
    normalize : bool, default=False
        Whether to divide by the root of the kernel values of both orders with themselves.
    n_threads, verbose : int
        As for :func:`~combpred._lib.call.call`.
    **options
        Other fields of ``cp_order_function``.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    RowError
        For relations that lead back to where they begin; the message begins with "x" or "y".
    CapabilityError, NumericalError
        For linear extensions that cannot be counted, and for counts too large for a float.
    """
    function = {**options, "name": name, "normalize": normalize}
    return computed(
        "cp_order_kernel", function, x, y, n_threads=n_threads, label="comparing orders", verbose=verbose, total=x.n
    )
