"""What is known of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Certified:
    r"""Predicted structures with guarantees on their scores, one entry for each row.

    For a row's score function :math:`s(y)`, decoding maximises :math:`s(y)` over all structures. Every field but
    `structures` is an array of shape ``(n,)``.

    Attributes
    ----------
    structures : array
        The predictions, in the format of y.
    value : ndarray of float64
        The score of the predicted structure.
    nu : ndarray of float64
        The guarantee: ``value >= (1 - nu) * max + nu * min`` over all structures. 0 where `optimal`.
    optimal : ndarray of bool
        Whether no structure scores higher, up to rounding.
    upper_bound : ndarray of float64
        A proven bound on the score of every structure; equal to `value` where `optimal`.
    """

    structures: Any
    value: FloatArray
    nu: FloatArray
    optimal: NDArray[np.bool_]
    upper_bound: FloatArray
