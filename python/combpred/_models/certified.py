"""What is known of predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import counted
from .._data.tables import Named, Tabular
from .._lib.arrays import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Tabular):
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

    Examples
    --------
    >>> from combpred import StructuredRidge
    >>> model = StructuredRidge("permutations").fit([[0.0], [1.0], [2.0]], [[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    >>> y, certified = model.predict([[0.0], [1.0], [3.0]], return_certificate=True)
    >>> certified
    Certified: 3 predictions, 3 proven optimal
    row  structures      value  nu  optimal  upper_bound
      0  [1 2 3]     -0.653846   0  True       -0.653846
      1  [2 1 3]     -0.961538   0  True       -0.961538
      2  [3 2 1]      0.884615   0  True        0.884615
    """

    structures: Any
    value: FloatArray
    nu: FloatArray
    optimal: NDArray[np.bool_]
    upper_bound: FloatArray

    _outputs = "structures"
    _shown: Named | None = field(default=None, kw_only=True)

    def _title(self) -> str:
        return f"Certified: {counted(len(self.value), 'prediction')}, {int(self.optimal.sum())} proven optimal"
