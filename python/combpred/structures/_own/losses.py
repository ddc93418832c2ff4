"""A user's own loss between outputs, for training by margins: the worst output for a row, as far as it is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._lib.arrays import FloatArray
from ..._lib.errors import naming_row
from ..costs import Worst
from .functions import real_array, real_number

Loss = Callable[[Any, Any], Any]


def worst_of(
    losses: FloatArray,
    psi: FloatArray,
    psi_y: FloatArray,
    linear: FloatArray,
    slack: bool,
    *,
    proven: bool,
    own: FloatArray | None = None,
) -> Worst:
    """Return the worst candidate for every row.

    It has the largest loss + ⟨s, ψ(z) − ψ(y)⟩ or, with slack rescaling, the largest loss · (1 + ⟨s, ψ(z) − ψ(y)⟩).

    Parameters
    ----------
    losses : ndarray of shape (n, k) or (n, k + 1)
        Between the outputs of rows and the candidates, with that of a row's own behind the others.
    psi : ndarray of shape (k, d)
        ψ of candidates for all rows.
    psi_y, linear : ndarray of shape (n, d)
        ψ of the rows' outputs, and their scores s.
    slack : bool
        Whether the loss rescales the slack.
    proven : bool
        Whether there are no worse outputs.
    own : ndarray of shape (n, d) or None, default=None
        ψ of one more candidate for each row.
    """
    scores = linear @ psi.T
    if own is not None:
        scores = np.column_stack([scores, np.einsum("ij,ij->i", linear, own)])
    ahead = scores - np.einsum("ij,ij->i", linear, psi_y)[:, np.newaxis]
    rows, at = np.arange(len(linear)), np.argmax(losses * (1.0 + ahead) if slack else losses + ahead, axis=1)
    found = psi[np.minimum(at, len(psi) - 1)]
    if own is not None:
        found[at == len(psi)] = own[at == len(psi)]
    return Worst(found, losses[rows, at], proven)


def loss_value(loss: Loss, y: Any, z: Any, row: int) -> float:
    """Return the loss between two outputs, checked; `row` is that of y."""
    with naming_row(row):
        return real_number(loss(y, z), "loss", 0.0)


def loss_matrix(structures: Sequence[Any], loss: ArrayLike | Loss | None) -> FloatArray | None:
    """Return the losses (k, k) between the outputs of a list, given as a matrix or as a function, or None."""
    if loss is None:
        return None
    if callable(loss):
        loss = [[loss_value(loss, y, z, row) for z in structures] for row, y in enumerate(structures)]
    values = real_array(loss, "loss", len(structures), len(structures))
    bad = (values < 0) | (np.diag(np.diag(values)) != 0)
    if bad.any():
        at = np.argwhere(bad)[0]
        raise ValueError(
            f"Custom: loss{at.tolist()} is {values[tuple(at)]:g}, must be at least 0, and 0 for equal outputs"
        )
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
