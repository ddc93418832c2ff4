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
from .functions import Loss, RowLosses, loss_matrix, real_array, worst_of


class ListedSpace(LibrarySpace):
    """A space of outputs in a list, which are encoded as their indices.

    Parameters
    ----------
    psi : ndarray of shape (k, d)
        ψ of all outputs; finite.
    outputs : ndarray of k outputs
        The list, in the user's format.
    places : callable
        Function of y and the name of that argument that returns the index of the output in each row, shape ``(n,)``;
        ValueError for the first row that is no output.
    losses_of : callable or None, default=None
        Function of the outputs of n rows that returns a function of the numbers of some of these rows, which returns
        the user's own losses (m, k) between their outputs and all in the list.
    """

    moments_info = MomentsInfo()

    def __init__(
        self,
        psi: FloatArray,
        outputs: NDArray[Any],
        places: Callable[[Any, str], NDArray[np.int32]],
        losses_of: Callable[[NDArray[Any]], RowLosses] | None = None,
    ) -> None:
        self._psi, self._outputs, self._places, self._losses_of = psi, outputs, places, losses_of
        k, d = psi.shape
        super().__init__(Description("custom", {"d": d, "members": k}, None, psi.ravel()), "Custom")
        self.costs = self.costs if losses_of is None else (OWN, *self.costs)

    def encode(self, y: Any, argument: str = "y") -> NDArray[np.int32]:
        """Return indices into the list as parts, shape ``(n, 1)``; ValueError for the first row that is no output."""
        return self._places(y, argument)[:, np.newaxis]

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return outputs in the user's format."""
        return self._outputs[parts[:, 0]]

    def compared(self, y: Any, argument: str) -> NDArray[Any]:
        """Return the outputs, which the default metric compares."""
        return self.decode_parts(self.encode(y, argument))

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        assert self._losses_of is not None
        losses = self._losses_of(self.decode_parts(parts))
        return lambda rows, psi_y, linear, slack: worst_of(losses(rows), self._psi, psi_y, linear, slack, proven=True)

    def own_losses(self, parts: NDArray[Any], predicted: NDArray[Any]) -> FloatArray:
        assert self._losses_of is not None
        rows = np.arange(len(parts))
        return self._losses_of(self.decode_parts(parts))(rows)[rows, predicted[:, 0]]


class IndexedSpace(ListedSpace):
    """A space whose outputs users give and get as indices into the list; its losses are a matrix ``(k, k)`` or None."""

    def __init__(self, psi: FloatArray, losses: FloatArray | None = None) -> None:
        outputs = np.arange(len(psi), dtype=np.int32)
        super().__init__(psi, outputs, self._read, None if losses is None else lambda y: losses[y].__getitem__)
        self._losses, self.decisions = losses, () if losses is None else (OWN,)

    def _read(self, y: Any, argument: str) -> NDArray[np.int32]:
        most = len(self._psi) - 1
        remedy = f"outputs are given by their places 0..{most} in the list of structures"
        return whole_numbers(target_vector(y, argument), argument, 0, most, remedy)

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


def from_list(structures: Sequence[Any], psi: Any, gram: Any, loss: ArrayLike | Loss | None) -> ListedSpace:
    """Return the space of a list of outputs: with their ψ ``(k, d)``, or a function, or with a kernel, gram ≈ ψψᵀ."""
    k = len(structures)
    if k == 0:
        raise ValueError("Custom: structures is empty, give at least one output")
    if psi is None:
        rows = custom_kernel(real_array(gram, "gram", k, k))
    else:
        rows = real_array([psi(each) for each in structures] if callable(psi) else psi, "psi", k, None)
    return IndexedSpace(rows, loss_matrix(structures, loss))
