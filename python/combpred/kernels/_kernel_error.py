"""How far an embedding's inner products are from the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._row_blocks import row_blocks

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class KernelError:
    """Difference between inner products of embedded rows and kernel values.

    Attributes
    ----------
    relative_frobenius : float
        Root of the sum of squared differences over all pairs, divided by that of the kernel values; 0 where both are 0.
    largest : float
        Largest absolute difference.
    n_rows : int
        Rows that were compared with one another.
    exact : bool
        Whether these are all rows, or a sample of them.
    """

    relative_frobenius: float
    largest: float
    n_rows: int
    exact: bool


def compare(
    exact_rows: Callable[[slice], FloatArray], embedded: FloatArray, signs: FloatArray | None, *, exact: bool
) -> KernelError:
    """Compare the kernel matrix, of which `exact_rows` returns some rows, with the products of embedded rows (n, q)."""
    n = len(embedded)
    right = embedded if signs is None else embedded * signs
    wrong = whole = largest = 0.0
    for rows in row_blocks(n, max(n, 1)):
        values = exact_rows(rows)
        whole += float(np.vdot(values, values))
        values = values - embedded[rows] @ right.T
        wrong += float(np.vdot(values, values))
        largest = max(largest, float(np.abs(values).max()))
    relative = np.sqrt(wrong / whole) if whole > 0 else (np.inf if wrong > 0 else 0.0)
    return KernelError(float(relative), largest, n, exact)
