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
from ..._lib.errors import in_words_of
from ..._lib.structure import Description, custom_kernel
from .._space import LibrarySpace, MomentsInfo
from ..costs import OWN, WorstOutputs
from .losses import Loss, finite_numbers, loss_matrix, worst_of


class ListedSpace(LibrarySpace):
    """A space of outputs in a list, which are encoded as their indices.

    Parameters
    ----------
    psi : ndarray of shape (k, d)
        ψ of all outputs; finite.
    losses : ndarray of shape (k, k) or None, default=None
        The user's own, between observed outputs and others.
    """

    moments_info = MomentsInfo()

    def __init__(self, psi: NDArray[np.float64], losses: NDArray[np.float64] | None = None) -> None:
        self._psi, self._losses = psi, losses
        self.n_outputs, d = psi.shape
        super().__init__(Description("custom", {"d": d, "members": self.n_outputs}, None, psi.ravel()), "Custom")

    @property
    def costs(self) -> tuple[str, ...]:
        """Names of the losses between outputs; the first is the one that "auto" stands for."""
        own = () if self._losses is None else (OWN,)
        return own + super().costs

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions by distributions beside "map" and "mbr"."""
        return () if self._losses is None else (OWN,)

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
        values: FloatArray = self._worth(scores)[np.arange(len(scores)), parts[:, 0]]
        return values

    def _worth(self, scores: FloatArray) -> FloatArray:
        """Return the negative expected loss of every output (n, k) under p(y) ∝ exp⟨s, ψ(y)⟩ for every row s."""
        assert self._losses is not None
        worth: FloatArray = -(softmax(scores @ self._psi.T, axis=1) @ self._losses)
        return worth

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        assert self._losses is not None
        of_rows = self._losses[parts[:, 0]]
        return lambda rows, psi_y, linear, slack: worst_of(of_rows[rows], self._psi, psi_y, linear, slack, proven=True)

    def encode(self, y: Any, argument: str = "y") -> NDArray[np.int32]:
        """Return indices into the list as parts, shape ``(n, 1)``; ValueError for the first row that is not one."""
        most = self.n_outputs - 1
        remedy = f"outputs are given by their places 0..{most} in the list of structures"
        return whole_numbers(target_vector(y, argument), argument, 0, most, remedy)[:, np.newaxis]

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return the indices of outputs, shape ``(n,)``."""
        return np.ascontiguousarray(parts[:, 0])

    def compared(self, y: Any, argument: str) -> NDArray[Any]:
        """Return the indices, shape ``(n,)``, which the default metric compares."""
        return self.encode(y, argument)[:, 0]


def from_list(
    structures: Sequence[Any],
    psi: ArrayLike | Callable[[Any], ArrayLike],
    loss: ArrayLike | Loss | None = None,
) -> ListedSpace:
    """Return the space of a list of outputs with their ψ, which is given as ``(k, d)`` or as a function."""
    k = _length(structures)
    rows = [np.asarray(psi(each)) for each in structures] if callable(psi) else psi
    try:
        values = np.asarray(rows)
    except ValueError as error:
        raise ValueError(f"Custom: psi gives rows of different lengths; each must have shape (d,) ({error})") from error
    if values.ndim != 2 or values.shape[0] != k or values.shape[1] == 0:
        raise ValueError(f"Custom: psi must have shape ({k}, d), one row for each structure; got {values.shape}")
    finite = finite_numbers(values, "psi")
    if k > 1 and (finite == finite[0]).all():
        raise ValueError(f"Custom: psi is the same for all {k} outputs, {finite[0]}: nothing tells them apart")
    return ListedSpace(finite, loss_matrix(structures, loss))


def from_gram(structures: Sequence[Any], gram: ArrayLike, loss: ArrayLike | Loss | None = None) -> ListedSpace:
    """Return the space of a list of outputs with a kernel, embedded by eigenvectors such that gram ≈ ψψᵀ."""
    k = _length(structures)
    values = np.asarray(gram)
    if values.shape != (k, k):
        raise ValueError(f"Custom: gram must have shape ({k}, {k}), kernel values of all pairs; got {values.shape}")
    finite = finite_numbers(values, "gram")
    try:
        return ListedSpace(custom_kernel(finite), loss_matrix(structures, loss))
    except ValueError as error:
        raise in_words_of("Custom", error) from None


def _length(structures: Sequence[Any]) -> int:
    """Return the number of outputs in a list, at least 1."""
    if not hasattr(structures, "__len__"):
        raise TypeError(f"Custom: structures must be a list of all outputs, got {structures!r}")
    if len(structures) == 0:
        raise ValueError("Custom: structures is empty; list at least one output")
    return len(structures)
