"""A user's own loss between outputs, for training by margins: the worst output for a row, as far as it is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import is_number
from ..._data.targets import TargetError
from ..._lib.arrays import FloatArray
from ..costs import Worst

Loss = Callable[[Any, Any], Any]


def worst_of(
    losses: FloatArray, psi: FloatArray, psi_y: FloatArray, linear: FloatArray, slack: bool, *, proven: bool
) -> Worst:
    """Return the worst of k candidates `psi` (k, d) with their losses (n, k) for every row.

    They have the largest loss + ⟨s, ψ(z) − ψ(y)⟩ or, with slack rescaling, the largest loss · (1 + ⟨s, ψ(z) − ψ(y)⟩).
    """
    ahead = linear @ psi.T - np.einsum("ij,ij->i", linear, psi_y)[:, np.newaxis]
    at = np.argmax(losses * (1.0 + ahead) if slack else losses + ahead, axis=1)
    return Worst(psi[at], losses[np.arange(len(at)), at], proven)


def badness(losses: FloatArray, psi: FloatArray, psi_y: FloatArray, linear: FloatArray, slack: bool) -> FloatArray:
    """Return by how much outputs of rows violate their margins (n,); slack rescaling weighs that by the losses."""
    ahead = np.einsum("ij,ij->i", linear, psi - psi_y)
    return np.asarray(losses * (1.0 + ahead) if slack else losses + ahead)


def loss_value(loss: Loss, y: Any, z: Any, row: int) -> float:
    """Return the loss between two outputs, checked; `row` is that of y."""
    value = loss(y, z)
    if not is_number(value) or not 0 <= value < np.inf:
        raise TargetError(row, f"loss gave {value!r} between it and another output, must be finite and at least 0")
    return float(value)


def loss_matrix(structures: Sequence[Any], loss: ArrayLike | Loss | None) -> FloatArray | None:
    """Return the losses (k, k) between the outputs of a list, given as a matrix or as a function, or None."""
    if loss is None:
        return None
    k = len(structures)
    if callable(loss):
        values = np.array([[loss_value(loss, y, z, row) for z in structures] for row, y in enumerate(structures)])
    else:
        values = finite_numbers(np.asarray(loss), "loss")
    if values.shape != (k, k):
        raise ValueError(f"Custom: loss must have shape ({k}, {k}), a row for each observed output; got {values.shape}")
    for name, bad in (("at least 0", values < 0), ("0 between an output and itself", np.diag(np.diag(values)) != 0)):
        if bad.any():
            at = [int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape)]
            raise ValueError(f"Custom: loss{at} is {values[tuple(at)]:g}, must be {name}")
    return values


class HeldLosses:
    """Losses between rows of training and candidates, which are computed once for each row.

    Parameters
    ----------
    loss : callable
    items : list of length k
        The candidates.
    parts : ndarray of shape (n, 1)
        The outputs of the rows.
    """

    def __init__(self, loss: Loss, items: list[Any], parts: NDArray[Any]) -> None:
        self._loss, self._items, self._parts = loss, items, parts
        self._known: dict[int, FloatArray] = {}

    def of(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return the losses (len(rows), k) of some rows."""
        for row in rows.tolist():
            if row not in self._known:
                y = self._parts[row, 0]
                values = [loss_value(self._loss, y, z, row) for z in self._items]
                self._known[row] = np.array(values, dtype=np.float64)
        return np.array([self._known[row] for row in rows.tolist()])


def finite_numbers(values: NDArray[Any], parameter: str) -> NDArray[np.float64]:
    """Return a parameter as C-contiguous float64; TypeError or ValueError unless all entries are finite numbers."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"Custom: {parameter} must hold real numbers, got dtype {values.dtype}")
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        at = [int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape)]
        raise ValueError(f"Custom: {parameter}{at} is {numbers[tuple(at)]}, must be finite")
    return numbers
