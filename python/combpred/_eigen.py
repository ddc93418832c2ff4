"""Eigendecomposition of symmetric matrices, large ones included: checked, in place, and left at once on Ctrl-C."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ._interrupt import call_abandonable
from ._kernel_values import check_kernel_values
from ._row_blocks import row_blocks

FloatArray = NDArray[np.float64]


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
