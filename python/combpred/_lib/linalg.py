"""Symmetric matrices: eigendecompositions, checks of definiteness and of finite kernel values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigh_tridiagonal

from .arrays import FloatArray, row_blocks
from .control import call_abandonable
from .errors import NumericalError, RowError

_INDEFINITE = 1e-6  # of the largest eigenvalue: more than rounding, that of kernels computed in float32 included
_STEPS = 32


@dataclass(frozen=True)
class Eigendecomposition:
    """Of a symmetric matrix: eigenvalues in ascending order, eigenvectors in the columns of `vectors`."""

    values: FloatArray
    vectors: FloatArray


def eigendecompose(matrix: FloatArray) -> Eigendecomposition:
    """Diagonalise a symmetric C-contiguous matrix, overwriting it. Cost O(n³) and two further matrices of its size."""
    for rows in row_blocks(*matrix.shape):
        check_kernel_values(matrix[rows], rows.start)
    # A symmetric matrix is its own transpose, whose view has the column-major layout that LAPACK overwrites in place.
    values, columns = call_abandonable(_eigh, matrix.T)
    vectors = np.empty(columns.shape)
    # To row-major order: a second's work at n = 6000, so in blocks, between which Ctrl-C is answered.
    for rows in row_blocks(len(values), len(values)):
        vectors[rows] = columns[rows]
    return Eigendecomposition(values, vectors)


def _eigh(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    if len(matrix) == 1:  # SciPy before 1.11 asks LAPACK for too little work space here, and fails
        return matrix[0].copy(), np.ones((1, 1))
    values, vectors = eigh(matrix, overwrite_a=True, check_finite=False, driver="evd")
    return values, vectors


def require_semidefinite(kernel: FloatArray) -> None:
    r"""Raise NumericalError for a symmetric matrix that has been found not to be positive semi-definite.

    Parameters
    ----------
    kernel : ndarray of shape (n, n)
        Finite and symmetric.

    Notes
    -----
    The least and the largest eigenvalue are estimated by 32 steps of the Lanczos process and by the diagonal. Both
    estimates are values of :math:`v^\top K v` at unit vectors, so what is refused does have a negative eigenvalue, of
    at least 1e-6 of the largest: less is what rounding leaves of a kernel computed in float32. Negative eigenvalues
    below some 1e-4 of the largest can be missed. Cost: 32 products with the matrix, O(n²).

    References
    ----------
    Y. Saad (2011), *Numerical methods for large eigenvalue problems*, ch. 6.
    """
    scale = float(max(kernel.max(), -kernel.min()))
    if scale < np.finfo(np.float64).tiny:  # nothing can be divided by it
        return
    low, high = (scale * value for value in _ritz_ends(kernel, scale))
    low = min(low, float(kernel.diagonal().min()))
    if low < -_INDEFINITE * max(high, 0.0):
        raise NumericalError(
            f"the kernel matrix is not positive semi-definite: it has an eigenvalue of {low:.3g} or less, its largest "
            f"is about {high:.3g}; check the kernel, or add a constant to the diagonal of a precomputed one, at least "
            f"{-low:.3g}"
        )


def _ritz_ends(matrix: FloatArray, scale: float) -> tuple[float, float]:
    """Return the least and the largest Ritz value of ``matrix / scale`` from a random vector with a fixed seed."""
    n = len(matrix)
    start = np.random.default_rng(0).normal(size=n)
    basis = np.empty((min(_STEPS, n), n))
    diagonal: list[float] = []
    beside: list[float] = []
    vector = start / np.linalg.norm(start)
    for j in range(len(basis)):
        basis[j] = vector
        image = matrix @ (vector / scale)
        diagonal.append(float(image @ vector))
        for _ in range(2):  # once leaves what rounding has brought back
            image -= basis[: j + 1].T @ (basis[: j + 1] @ image)
        length = float(np.linalg.norm(image))
        if j + 1 == len(basis) or length <= n * np.finfo(np.float64).eps:  # an invariant subspace
            break
        beside.append(length)
        vector = image / length
    values = eigh_tridiagonal(np.array(diagonal), np.array(beside), eigvals_only=True)
    return float(values[0]), float(values[-1])


def check_kernel_values(values: FloatArray, first_row: int = 0) -> None:
    """Raise ValueError for NaN or infinity among kernel values, of rows counted from `first_row`."""
    if not np.isfinite(values).all():
        i, j = (int(at) for at in np.argwhere(~np.isfinite(values))[0])
        raise RowError(
            first_row + i,
            f"kernel values overflow to NaN or infinity: {values[i, j]} at row {first_row + i}, column {j}; scale the "
            "inputs, lower gamma or degree, or check the function where the kernel is one",
            named=True,
        )
