"""Kernels on inputs: matrices of k(x, x'), built in blocks of rows that bound the memory of prediction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils._param_validation import Interval, StrOptions

from .._lib.arrays import row_blocks
from .._lib.linalg import check_kernel_values

#: Kernels by name; all but "precomputed" are scikit-learn's.
KERNELS = ("linear", "poly", "rbf", "laplacian", "cosine", "precomputed")


@dataclass(frozen=True)
class InputKernel:
    r"""A kernel on inputs, with all its parameters resolved.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"} or callable
        As in :class:`sklearn.kernel_ridge.KernelRidge`: a callable takes two rows and returns a number.
    gamma : float, optional
        Scale of poly, rbf and laplacian. None leaves scikit-learn's default, one over the number of features.
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
        return cls(name, _scale(X, weights) if isinstance(gamma, str) else gamma, degree, coef0, dict(params or {}))

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the inner product of the rows themselves."""
        return self.name == "linear"

    @property
    def is_precomputed(self) -> bool:
        """Whether kernel values are given in place of rows."""
        return self.name == "precomputed"

    @property
    def is_unit(self) -> bool:
        """Whether the kernel value of every row with itself is 1, as for kernels of distances."""
        return self.name in ("rbf", "laplacian")

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
        if callable(self.name):  # all at once: scikit-learn then calls it once for each pair of rows
            values = np.ascontiguousarray(pairwise_kernels(X, Y, metric=self.name, **self.params), dtype=np.float64)
            for rows in row_blocks(*values.shape):
                _require_finite(values[rows], first_row + rows.start)
            return values
        options = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0, "filter_params": True}
        Y = X if Y is None else Y
        values = np.empty((X.shape[0], Y.shape[0]))
        # In blocks, so that temporary arrays stay small and Ctrl-C is answered between two of them.
        for rows in row_blocks(*values.shape):
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused, with its row
                values[rows] = pairwise_kernels(X[rows], Y, metric=self.name, **options)
            _require_finite(values[rows], first_row + rows.start)
        return values


def _require_finite(values: NDArray[np.float64], first_row: int) -> None:
    if not np.isfinite(values).all():
        check_kernel_values(values, first_row)  # which says where


def _scale(X: Any, weights: NDArray[np.float64] | None) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X, np.ones(X.shape[0]) if weights is None else weights)
        scale = X.shape[1] * variance
    if not np.isfinite(scale):
        raise ValueError("gamma='scale' needs the variance of the inputs, which overflows: scale the inputs")
    # Constant inputs have no scale; 1 is also what support vector machines of scikit-learn take.
    return 1.0 / scale if scale > 0 else 1.0


def _variance(X: Any, weights: NDArray[np.float64]) -> float:
    """Return the variance of all entries of X, those of row i counted weights[i] times."""
    n, p = X.shape
    total = float(p * weights.sum())
    mean = float(weights @ np.asarray(X.sum(axis=1)).ravel()) / total
    if sparse.issparse(X):
        stored = weights.repeat(np.diff(X.indptr))  # one weight for each stored entry; the others are zero
        return (float(stored @ (X.data - mean) ** 2) + (total - float(stored.sum())) * mean * mean) / total
    squares = [float(weights[rows] @ ((X[rows] - mean) ** 2).sum(axis=1)) for rows in row_blocks(n, p)]
    return float(np.sum(squares)) / total
