"""How the laws of log-linear models are computed, and what is known about their partition functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import CapabilityError

#: Values of the parameters `inference` and `method`, and of `sampler`.
METHODS = ("auto", "exact")


@dataclass(frozen=True)
class LogPartition:
    r"""The logarithm of :math:`Z(x) = \sum_y \exp\langle f(x), \psi(y)\rangle` for each row; arrays of shape ``(n,)``.

    Attributes
    ----------
    value : ndarray of float64
        ln Z.
    lower, upper : ndarray of float64
        Bounds on ln Z; equal to `value` where that is exact, up to rounding.
    method : ndarray of str
        What computed it: ``"recursion"``, the structure's own recursion or closed form, or ``"enumeration"``.
    n_samples : ndarray of int64
        Samples that were drawn for it; 0 where it is exact.
    """

    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    method: NDArray[np.str_]
    n_samples: NDArray[np.int64]


def require_exact(parameter: str, value: Any) -> None:
    """Raise CapabilityError unless `value` of the parameter stands for exact computation."""
    if value not in METHODS:
        raise CapabilityError(
            f"{parameter}={value!r} is not available: laws are computed exactly, so take {parameter}='auto' or 'exact'"
        )
