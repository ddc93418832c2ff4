"""Refusing kernel values that are not numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def check_kernel_values(values: NDArray[np.float64], first_row: int = 0) -> None:
    """Raise ValueError for NaN or infinity among kernel values, of rows counted from `first_row`."""
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"kernel values overflow to NaN or infinity: {values[i, j]} at row {first_row + i}, column {j}; scale the "
            "inputs, lower gamma or degree, or check the function where the kernel is one"
        )
