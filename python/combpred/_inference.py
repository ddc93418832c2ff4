"""How the laws of log-linear models are computed, and what is known about their partition functions."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Values of the parameters `inference` and `method`.
METHODS = ("auto", "exact", "mcmc", "taylor")


@dataclass(frozen=True)
class LogPartition:
    r"""The logarithm of :math:`Z(x) = \sum_y \exp\langle f(x), \psi(y)\rangle` for each row; arrays of shape ``(n,)``.

    Attributes
    ----------
    value : ndarray of float64
        ln Z.
    lower, upper : ndarray of float64
        Bounds on ln Z: equal to `value` where that is exact, up to rounding; for ``"mcmc"``, those of Z within the
        factors 1 ± ε, which hold with probability 1 − δ where draws are independent, and along chains as far as their
        convergence can be judged; for ``"taylor"``, bounds that hold always, by the uniform mean of the scores and a
        bound on the largest, to which `value` is clipped.
    method : ndarray of str
        What computed it: ``"recursion"``, the structure's own recursion or closed form, ``"enumeration"`` of its
        members, ``"mcmc"``, annealing by samples, or ``"taylor"``, the counting formula.
    n_samples : ndarray of int64
        Samples that were drawn for it; 0 where there are none.
    """

    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    method: NDArray[np.str_]
    n_samples: NDArray[np.int64]


def check_choice(parameter: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return the value of a parameter of a method; ValueError unless it is one of its choices."""
    if value not in choices:
        raise ValueError(f"{parameter} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return str(value)


def check_share(name: str, value: Any) -> None:
    """Raise TypeError or ValueError unless the value is None or a number in (0, 1)."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in (0, 1) or None, got {value!r}")
    if not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
