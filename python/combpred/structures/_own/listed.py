"""Custom spaces that are given by a list of all outputs with their ψ; the library computes everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.targets import target_vector, whole_numbers
from ..._lib.errors import in_words_of
from ..._lib.structure import Description, custom_kernel
from .._base import Structure
from .._space import EntryKind, LibrarySpace, MomentsInfo


class ListedSpace(LibrarySpace):
    """A space of outputs in a list, which are encoded as their indices.

    Parameters
    ----------
    structure : Structure
        The user's description of the space.
    psi : ndarray of shape (k, d)
        ψ of all outputs; finite.
    """

    moments_info = MomentsInfo()

    def __init__(self, structure: Structure, psi: NDArray[np.float64]) -> None:
        super().__init__(structure)
        self.n_outputs, d = psi.shape
        self.description = Description("custom", {"d": d, "members": self.n_outputs}, None, psi.ravel())

    @cached_property
    def entry_kind(self) -> EntryKind:
        """ "bits" if all entries of ψ are 0 or 1, otherwise "numbers"."""
        psi = self.description.reals
        return "bits" if psi is not None and bool(((psi == 0.0) | (psi == 1.0)).all()) else "numbers"

    @property
    def costs(self) -> tuple[str, ...]:
        """Names of the losses between outputs; the first is the one that "auto" stands for."""
        return ("hamming", "zero-one") if self.entry_kind == "bits" else ("zero-one",)

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
    structure: Structure, structures: Sequence[Any], psi: ArrayLike | Callable[[Any], ArrayLike]
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
    return ListedSpace(structure, finite_numbers(values, "psi"))


def from_gram(structure: Structure, structures: Sequence[Any], gram: ArrayLike) -> ListedSpace:
    """Return the space of a list of outputs with a kernel, embedded by eigenvectors such that gram ≈ ψψᵀ."""
    k = _length(structures)
    values = np.asarray(gram)
    if values.shape != (k, k):
        raise ValueError(f"Custom: gram must have shape ({k}, {k}), kernel values of all pairs; got {values.shape}")
    finite = finite_numbers(values, "gram")
    try:
        return ListedSpace(structure, custom_kernel(finite))
    except ValueError as error:
        raise in_words_of("Custom", error) from None


def _length(structures: Sequence[Any]) -> int:
    """Return the number of outputs in a list, at least 1."""
    if not hasattr(structures, "__len__"):
        raise TypeError(f"Custom: structures must be a list of all outputs, got {structures!r}")
    if len(structures) == 0:
        raise ValueError("Custom: structures is empty; list at least one output")
    return len(structures)


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
