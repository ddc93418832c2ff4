"""Refusing kernel matrices that are clearly not positive semi-definite, without their eigendecomposition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from ._errors import NumericalError

FloatArray = NDArray[np.float64]

_INDEFINITE = 1e-6  # of the largest eigenvalue: more than rounding, that of kernels computed in float32 included
_STEPS = 32


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
