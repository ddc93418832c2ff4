"""Refusing matrices of similarities that are not symmetric."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._row_blocks import row_blocks

# Of the largest entry: above the rounding of kernels computed in single precision, far below a wrong matrix.
_TOLERANCE = 1e-6


def require_symmetric(matrix: Any) -> None:
    """Raise ValueError unless a square array or sparse matrix is symmetric up to 1e-6 of its largest entry. O(n²)."""
    if sparse.issparse(matrix):
        difference = abs(matrix - matrix.T).tocoo()
        worst = int(difference.data.argmax()) if difference.nnz else 0
        if difference.nnz and difference.data[worst] > _TOLERANCE * abs(matrix).max():
            _refuse(matrix, int(difference.row[worst]), int(difference.col[worst]))
        return
    n = len(matrix)
    blocks = list(row_blocks(n, n))
    allowed = _TOLERANCE * max((float(np.abs(matrix[rows]).max()) for rows in blocks), default=0.0)
    for rows in blocks:
        difference = np.abs(matrix[rows] - matrix[:, rows].T)
        if difference.max() > allowed:
            i, j = np.unravel_index(int(difference.argmax()), difference.shape)
            _refuse(matrix, rows.start + int(i), int(j))


def _refuse(matrix: Any, i: int, j: int) -> None:
    raise ValueError(
        f"the kernel matrix is not symmetric: {matrix[i, j]} at row {i}, column {j} but {matrix[j, i]} at row {j}, "
        f"column {i}; pass (K + K.T) / 2 where the order of two rows does not matter"
    )
