"""The score that decoding maximises, from embedded structures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def score_values(psi: FloatArray, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
    r"""Return :math:`\langle s, \psi\rangle + \langle t, \psi^2\rangle` of every row of `psi`, of shape ``(n,)``.

    s is the row of `linear` (n, d), or `linear` itself when it is (d,), and t is that of `magnitude` likewise, zero for
    None. The squares are taken entry by entry: they are :math:`|\psi|` where entries are 0 or ±1.
    """
    values = _products(psi, linear)
    return values if magnitude is None else values + _products(np.square(psi), magnitude)


def _products(psi: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the product of every row with its scores, or with the same."""
    products: FloatArray = psi @ scores if scores.ndim == 1 else np.einsum("ij,ij->i", scores, psi)
    return products
