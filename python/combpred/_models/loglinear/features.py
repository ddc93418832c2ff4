"""Features of the inputs in which a scorer is linear: the inputs themselves, or those that a kernel matrix implies."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from ..._lib.arrays import FloatArray, Rows, row_blocks
from ..._lib.errors import NumericalError
from ..._lib.kernel import eigendecompose

#: Order of a second moment of features that is still diagonalised: some ten seconds.
LARGEST_GRAM = 4096
#: Order of one that is diagonalised anew as distributions move away from the uniform one.
LARGEST_MOVED = 512
# Eigenvalues of a kernel matrix, relative to the largest: from minus this on they are errors of rounding ...
_INDEFINITE = 1e-8
_POWERS = 10  # steps of power iteration: within some ten per cent
_NULL = 1e-15  # ... and up to this one, times the order, they are dropped.


class Curvature(NamedTuple):
    """Eigenvalues of a second moment (q,) and its eigenvectors in columns, None where it is, or is taken, diagonal."""

    curvature: FloatArray
    directions: FloatArray | None


class Features(Protocol):
    """Rows φ_i of q features, with their second moment; a scorer with weights W (q, d) has the scores f_i = Wᵀφ_i."""

    @property
    def curvature(self) -> FloatArray:
        """Eigenvalues of Σ_i w_i φ_i φ_iᵀ, or its diagonal, (q,)."""

    @property
    def directions(self) -> FloatArray | None:
        """Its eigenvectors in columns, (q, q); None where it is diagonal, or taken to be."""

    def scores(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the scores of some rows, ``(k, d)``."""

    def add_gradient(self, rows: Rows, residual: FloatArray, gradient: FloatArray) -> None:
        """Add to `gradient` (q, d) what the gradient `residual` (k, d) by the scores of some rows contributes."""

    def reweighted(self, factors: FloatArray) -> Curvature:
        """Return the second moment after the weight of each row is multiplied by a factor, about, where q is large."""

    def leverages(self, scale: FloatArray) -> FloatArray:
        """Return Σ_j scale_j ⟨u_j, φ_i⟩² of each row, for the directions u_j: (n,)."""

    def stretch(self, scale: FloatArray, weights: FloatArray) -> float:
        """Return the largest eigenvalue of Σ_i w_i φ_i φ_iᵀ after each direction u_j is scaled by √scale_j."""


class InputFeatures:
    """Inputs, with a constant feature last where there is an intercept, as features that a scorer is linear in.

    Their second moment is computed when it is first asked for: sums over blocks of rows do without.

    Parameters
    ----------
    X : array or CSR of shape (n, p)
    weights : ndarray of shape (n,), default=None
        Of the rows; None: 1.
    intercept : bool
    moment : ndarray of shape (q, q) or (q,), default=None
        The second moment or its diagonal, as :func:`second_moment` returns it, where that is not of these rows alone.
    """

    def __init__(
        self, X: Any, weights: FloatArray | None = None, *, intercept: bool, moment: FloatArray | None = None
    ) -> None:
        self._X, self._given, self._intercept, self._moment = X, weights, intercept, moment

    @property
    def curvature(self) -> FloatArray:
        """Eigenvalues of the second moment, or its diagonal."""
        return self._diagonalised.curvature

    @property
    def directions(self) -> FloatArray | None:
        """Its eigenvectors in columns, None where only its diagonal is known."""
        return self._diagonalised.directions

    @cached_property
    def _diagonalised(self) -> Curvature:
        # A given moment is copied, as it is overwritten.
        own = second_moment(self._X, self._weights, self._intercept) if self._moment is None else self._moment.copy()
        return diagonalised(own)

    @property
    def _weights(self) -> FloatArray:
        return np.ones(self._X.shape[0]) if self._given is None else self._given

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

    def reweighted(self, factors: FloatArray) -> Curvature:
        """Return the second moment under other weights, for many features along the same directions."""
        if len(self.curvature) > LARGEST_MOVED:
            return _scaled(self, self._weights, factors)
        return diagonalised(second_moment(self._X, self._weights * factors, self._intercept))

    def leverages(self, scale: FloatArray) -> FloatArray:
        """Return the sums of scaled squares along the directions."""
        found = np.empty(self._X.shape[0])
        last = float(self._intercept)
        for rows in row_blocks(*self._X.shape):
            X = self._X[rows]
            if self.directions is None:
                squares = X.multiply(X) if sparse.issparse(X) else np.square(X)
                found[rows] = squares @ scale[: X.shape[1]] + last * scale[-1]
            else:
                along = np.asarray(X @ self.directions[: X.shape[1]])
                if self._intercept:
                    along += self.directions[-1]
                found[rows] = np.square(along) @ scale
        return found

    def stretch(self, scale: FloatArray, weights: FloatArray) -> float:
        """Return the largest eigenvalue: at most that of the scaled moment where it is diagonal, else by iteration."""
        if self.directions is not None:
            return float((scale * self.curvature).max())
        root, value = np.sqrt(scale), 0.0
        vector = np.ones(len(scale)) / np.sqrt(len(scale))
        for _ in range(_POWERS):
            along = self.scores(slice(None), (root * vector)[:, None])
            image = np.zeros((len(scale), 1))
            self.add_gradient(slice(None), weights[:, None] * along, image)
            vector = root * image[:, 0]
            value = float(np.linalg.norm(vector))
            if value == 0.0:
                break
            vector /= value
        return value


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

    @property
    def rows(self) -> FloatArray:
        """The features themselves, (n, q)."""
        return self._rows

    def scores(self, rows: Rows, weights: FloatArray) -> FloatArray:
        """Return the scores of some rows."""
        return np.asarray(self._rows[rows] @ weights)

    def add_gradient(self, rows: Rows, residual: FloatArray, gradient: FloatArray) -> None:
        """Add the product of some rows with their residuals."""
        gradient += self._rows[rows].T @ residual

    def reweighted(self, factors: FloatArray) -> Curvature:
        """Return the second moment under other weights, for many rows along the same directions."""
        if len(self.curvature) > LARGEST_MOVED:
            return _scaled(self, self._weights, factors)
        return diagonalised(gram_matrix(self._rows, self._weights * factors, False))

    def leverages(self, scale: FloatArray) -> FloatArray:
        """Return the sums of scaled squares of the rows."""
        return np.asarray(np.square(self._rows) @ scale)

    def stretch(self, scale: FloatArray, weights: FloatArray) -> float:
        """Return the largest eigenvalue; the moment is diagonal."""
        return float((scale * self.curvature).max())

    def of_dual(self, dual: FloatArray) -> FloatArray:
        """Return the feature weights (q, d) with the scores K A of coefficients A (n, d): the inverse of `dual`."""
        weights: FloatArray = self._vectors.T @ (dual / np.sqrt(self._weights)[:, None])
        weights *= np.sqrt(self.curvature)[:, None]
        return weights

    def of_scores(self, scores: FloatArray) -> FloatArray:
        """Return the feature weights (q, d) whose scores of all rows are nearest to `scores` (n, d)."""
        weights: FloatArray = self._vectors.T @ (scores * np.sqrt(self._weights)[:, None])
        weights /= np.sqrt(self.curvature)[:, None]
        return weights

    def dual(self, weights: FloatArray) -> FloatArray:
        """Return the coefficients A (n, d) of the rows whose scores K A are those of the feature weights (q, d)."""
        dual: FloatArray = np.sqrt(self._weights)[:, None] * (
            self._vectors @ (weights / np.sqrt(self.curvature)[:, None])
        )
        return dual


def diagonalised(moment: FloatArray) -> Curvature:
    """Diagonalise a second moment, overwriting it; a diagonal is taken as it is."""
    if moment.ndim == 1:
        return Curvature(moment, None)
    found = eigendecompose(moment)
    return Curvature(np.maximum(found.values, 0.0), found.vectors)


def _scaled(features: Features, weights: FloatArray, factors: FloatArray) -> Curvature:
    return Curvature(features.curvature * float(np.average(factors, weights=weights)), features.directions)


def second_moment(X: Any, weights: FloatArray, intercept: bool, *, largest: int = LARGEST_GRAM) -> FloatArray:
    """Return Σ_i w_i φ_i φ_iᵀ of inputs and constant feature; its diagonal where the order exceeds `largest`."""
    if X.shape[1] + int(intercept) <= largest:
        return gram_matrix(X, weights, intercept)
    return _mean_squares(X, weights, intercept)


def _mean_squares(X: Any, weights: FloatArray, intercept: bool) -> FloatArray:
    """Return the diagonal of the second moment of the features."""
    if sparse.issparse(X):
        squares = np.asarray(X.multiply(X).T @ weights).ravel()
    else:
        squares = np.zeros(X.shape[1])
        for rows in row_blocks(*X.shape):
            squares += weights[rows] @ np.square(X[rows])
    return np.append(squares, weights.sum()) if intercept else squares


def gram_matrix(X: Any, weights: FloatArray | None, intercept: bool) -> FloatArray:
    """Return XᵀD²X, with a last column of ones appended to X when `intercept`. Cost O(n p²), less when X is sparse."""
    n, p = X.shape
    w = np.ones(n) if weights is None else weights
    gram = np.empty((p + int(intercept), p + int(intercept)))
    if sparse.issparse(X):
        weighted = X if weights is None else sparse.diags(w).dot(X)
        gram[:p, :p] = (X.T @ weighted).toarray()
    else:
        gram[:p, :p] = 0.0
        for rows in row_blocks(n, p):
            gram[:p, :p] += (X[rows].T * w[rows]) @ X[rows]
    if intercept:
        gram[p, :p] = gram[:p, p] = X.T @ w
        gram[p, p] = w.sum()
    return gram


def weighted_kernel(kernel: FloatArray, weights: FloatArray | None, shift: float) -> FloatArray:
    """Return D(K + shift)D with D = diag(√weights), overwriting `kernel`."""
    root = None if weights is None else np.sqrt(weights)
    for rows in row_blocks(*kernel.shape):
        block = kernel[rows]
        block += shift
        if root is not None:
            block *= root[rows, None]
            block *= root
    return kernel
