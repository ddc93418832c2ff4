"""Decoding a batch of score vectors, one integer program after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .. import _lib
from .._errors import RowError
from .._scores import score_values
from ._program import FloatArray, InfeasibleError

#: From s and m, both (d,), to the parts of an output of largest ⟨s, ψ(y)⟩ + ⟨m, |ψ(y)|⟩ and a proven bound on all.
RowSolver = Callable[[FloatArray, FloatArray], tuple[NDArray[np.int32], float]]


def decode_rows(
    description: _lib.Description, linear: FloatArray, magnitude: FloatArray | None, solve: RowSolver
) -> _lib.Decoded:
    """Return a best output for each row of `linear` (n, d), with `magnitude` (d,) or (n, d), and its certificate.

    Raises
    ------
    RowError
        For the first row whose program nothing satisfies.
    """
    m = np.zeros(linear.shape[1]) if magnitude is None else magnitude
    solutions = []
    for i, (row, weights) in enumerate(zip(linear, np.broadcast_to(m, linear.shape), strict=True)):
        try:
            solutions.append(solve(row, weights))
        except InfeasibleError as error:
            raise RowError(i, str(error)) from None
    y = np.array([parts for parts, _ in solutions], dtype=np.int32)
    psi = _lib.structure_embed(description, y)
    value = score_values(psi, linear, m)
    bound = np.array([bound for _, bound in solutions])
    return _lib.Decoded(y, value, np.maximum(bound, value), np.zeros(len(y)), np.ones(len(y), dtype=bool))
