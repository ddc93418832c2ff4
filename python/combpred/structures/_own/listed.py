"""Custom spaces that are given by a list of all outputs with their ψ; the library computes everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ..._data.targets import target_vector, whole_numbers
from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded
from ..._lib.structure import Description, custom_kernel
from .._space import LibrarySpace, MomentsInfo
from ..costs import OWN, WorstOutputs
from .functions import Loss, loss_matrix, real_array, worst_of


class ListedSpace(LibrarySpace):
    """A space of outputs in a list, which are encoded as their indices.

    Parameters
    ----------
    psi : ndarray of shape (k, d)
        ψ of all outputs; finite.
    loss : object or None, default=None
        The user's own, in the form that `_losses_of` knows.
    """

    moments_info = MomentsInfo()

    def __init__(self, psi: FloatArray, loss: Any = None) -> None:
        self._psi, self._losses = psi, loss
        self.n_outputs, d = psi.shape
        super().__init__(Description("custom", {"d": d, "members": self.n_outputs}, None, psi.ravel()), "Custom")
        self.costs = self.costs if loss is None else (OWN, *self.costs)

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        losses_of = self._losses_of(parts)
        return lambda rows, psi_y, linear, slack: worst_of(
            losses_of(rows), self._psi, psi_y, linear, slack, proven=True
        )

    def _losses_of(self, parts: NDArray[Any]) -> Callable[[NDArray[np.intp]], FloatArray]:
        """Return a function that gives the losses of all outputs for some of the rows with outputs `parts`."""
        raise NotImplementedError

    def encode(self, y: Any, argument: str = "y") -> NDArray[np.int32]:
        """Return indices into the list as parts, shape ``(n, 1)``; ValueError for the first row that is no output."""
        raise NotImplementedError

    def compared(self, y: Any, argument: str) -> NDArray[Any]:
        """Return the outputs, which the default metric compares."""
        return self.decode_parts(self.encode(y, argument))


class IndexedSpace(ListedSpace):
    """A space whose outputs users give and get as indices into the list; its losses are a matrix ``(k, k)`` or None."""

    def __init__(self, psi: FloatArray, losses: FloatArray | None = None) -> None:
        super().__init__(psi, losses)
        self.decisions = () if losses is None else (OWN,)

    def decide(self, scores: FloatArray, decision: str, conditions: Any, n_threads: int | None) -> Decoded:
        """Return the outputs of least expected loss of the user's own, with negative expected losses as values."""
        worth = self._worth(scores)
        best = worth.argmax(axis=1)
        value = worth[np.arange(len(worth)), best]
        n = len(worth)
        return Decoded(best[:, np.newaxis].astype(np.int32), value, value, np.zeros(n), np.ones(n, dtype=np.bool_))

    def decision_values(
        self, scores: FloatArray, decision: str, parts: NDArray[Any], n_threads: int | None
    ) -> FloatArray:
        """Return negative expected losses of outputs in parts."""
        return self._worth(scores)[np.arange(len(scores)), parts[:, 0]]

    def _worth(self, scores: FloatArray) -> FloatArray:
        """Return the negative expected loss of every output (n, k) under p(y) ∝ exp⟨s, ψ(y)⟩ for every row s."""
        assert self._losses is not None
        return -(softmax(scores @ self._psi.T, axis=1) @ self._losses)

    def _losses_of(self, parts: NDArray[Any]) -> Callable[[NDArray[np.intp]], FloatArray]:
        assert self._losses is not None
        losses: FloatArray = self._losses[parts[:, 0]]
        return losses.__getitem__

    def encode(self, y: Any, argument: str = "y") -> NDArray[np.int32]:
        """Return indices into the list as parts, shape ``(n, 1)``; ValueError for the first row that is not one."""
        most = self.n_outputs - 1
        remedy = f"outputs are given by their places 0..{most} in the list of structures"
        return whole_numbers(target_vector(y, argument), argument, 0, most, remedy)[:, np.newaxis]

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return the indices of outputs, shape ``(n,)``."""
        return np.ascontiguousarray(parts[:, 0])


def from_list(
    structures: Sequence[Any],
    psi: ArrayLike | Callable[[Any], ArrayLike],
    loss: ArrayLike | Loss | None = None,
) -> ListedSpace:
    """Return the space of a list of outputs with their ψ, which is given as ``(k, d)`` or as a function."""
    if len(structures) == 0:
        raise ValueError("Custom: structures is empty, give at least one output")
    rows: Any = [psi(each) for each in structures] if callable(psi) else psi
    return IndexedSpace(real_array(rows, "psi", len(structures), None), loss_matrix(structures, loss))


def from_gram(structures: Sequence[Any], gram: ArrayLike, loss: ArrayLike | Loss | None = None) -> ListedSpace:
    """Return the space of a list of outputs with a kernel, embedded by eigenvectors such that gram ≈ ψψᵀ."""
    values = real_array(gram, "gram", len(structures), len(structures))
    return IndexedSpace(custom_kernel(values), loss_matrix(structures, loss))
