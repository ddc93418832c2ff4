"""The result of predicting with a certificate of quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Certified:
    r"""Predicted structures and what is known about their scores, one entry per row.

    For the row's score function :math:`s(y)`, decoding looks for :math:`\max_y s(y)`. Every field but `structures` is
    an array of shape ``(n,)``.

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
    value: NDArray[np.float64]
    nu: NDArray[np.float64]
    optimal: NDArray[np.bool_]
    upper_bound: NDArray[np.float64]
