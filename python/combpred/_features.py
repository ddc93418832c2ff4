"""Features of the inputs in which a scorer is linear: the inputs themselves, or those that a kernel matrix implies."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._errors import NumericalError
from ._training import eigendecompose, gram_matrix, weighted_kernel
from .kernels import row_blocks

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp] | slice

#: Order of a second moment of features that is still diagonalised: some ten seconds.
LARGEST_GRAM = 4096
# Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding ...
_INDEFINITE = 1e-8
_NULL = 1e-15  # ... and up to this one, times the order, they are dropped.


class Features(Protocol):
    """Rows φ_i of q features; a scorer with weights W (q, d) has the scores f_i = Wᵀφ_i.

    Attributes
    ----------
    curvature : ndarray of shape (q,)
        Eigenvalues of Σ_i w_i φ_i φ_iᵀ, or its diagonal.
    directions : ndarray of shape (q, q), or None
        Its eigenvectors in columns; None where it is diagonal, or taken to be.
    """

    curvature: FloatArray
    directions: FloatArray | None

    def scores(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the scores of some rows, ``(k, d)``."""

    def add_gradient(self, rows: Rows, residual: FloatArray, gradient: FloatArray) -> None:
        """Add to `gradient` (q, d) what the gradient `residual` (k, d) by the scores of some rows contributes."""


class InputFeatures:
    """The inputs, with a constant feature last where there is an intercept.

    Parameters
    ----------
    X : array or CSR of shape (n, p)
    weights : ndarray of shape (n,)
        Of the rows.
    intercept : bool
    """

    def __init__(self, X: Any, weights: FloatArray, *, intercept: bool) -> None:
        self._X = X
        self._intercept = intercept
        if X.shape[1] + int(intercept) <= LARGEST_GRAM:
            found = eigendecompose(gram_matrix(X, weights, intercept))
            self.curvature: FloatArray = np.maximum(found.values, 0.0)
            self.directions: FloatArray | None = found.vectors
        else:
            self.curvature, self.directions = _mean_squares(X, weights, intercept), None

    def scores(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the scores of some rows."""
        if not self._intercept:
            return np.asarray(self._X[rows] @ weights)
        scores = np.asarray(self._X[rows] @ weights[:-1])
        scores += weights[-1]
        return scores

    def add_gradient(self, rows: Rows, residual: FloatArray, gradient: FloatArray) -> None:
        """Add the product of some rows with their residuals."""
        if self._intercept:
            gradient[:-1] += self._X[rows].T @ residual
            gradient[-1] += residual.sum(axis=0)
        else:
            gradient += self._X[rows].T @ residual


class KernelFeatures:
    r"""The features :math:`D^{-1/2} U \Lambda^{1/2}` of a kernel matrix, for which :math:`D^{1/2} K D^{1/2} = U \Lambda
    U^\top`: their inner products are K, and their second moment under the weights D is Λ.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
        Overwritten.
    weights : ndarray of shape (n,)
        Of the rows, positive.
    shift : float
        Added to every entry of the kernel matrix.
    """

    directions: FloatArray | None = None

    def __init__(self, kernel: FloatArray, weights: FloatArray, *, shift: float) -> None:
        found = eigendecompose(weighted_kernel(kernel, weights, shift))
        largest = max(float(found.values[-1]), 0.0)
        if found.values[0] < -_INDEFINITE * largest or (largest == 0.0 and found.values[0] < 0.0):
            raise NumericalError(
                f"the kernel matrix is not positive semi-definite: its eigenvalues reach from {found.values[0]:.3g} to "
                f"{largest:.3g}; check the kernel, or add a constant to the diagonal of a precomputed one"
            )
        kept = found.values > _NULL * len(weights) * largest
        self.curvature: FloatArray = found.values[kept]
        self._vectors = np.ascontiguousarray(found.vectors[:, kept])
        self._weights = weights
        self._rows = self._vectors * np.sqrt(self.curvature)
        self._rows /= np.sqrt(weights)[:, None]

    def scores(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the scores of some rows."""
        return np.asarray(self._rows[rows] @ weights)

    def add_gradient(self, rows: Rows, residual: FloatArray, gradient: FloatArray) -> None:
        """Add the product of some rows with their residuals."""
        gradient += self._rows[rows].T @ residual

    def dual(self, weights: FloatArray) -> FloatArray:
        """Return the coefficients A (n, d) of the rows whose scores K A are those of the feature weights (q, d)."""
        dual: FloatArray = np.sqrt(self._weights)[:, None] * (
            self._vectors @ (weights / np.sqrt(self.curvature)[:, None])
        )
        return dual


def _mean_squares(X: Any, weights: FloatArray, intercept: bool) -> FloatArray:
    """Return the diagonal of the second moment of the features."""
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).T @ weights).ravel()
    else:
        squares = np.zeros(X.shape[1])
        for rows in row_blocks(*X.shape):
            squares += weights[rows] @ np.square(X[rows])
    return np.append(squares, weights.sum()) if intercept else squares
