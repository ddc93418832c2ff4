"""Custom spaces that are given by a list of all outputs with their ψ; the library computes everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from .._data.targets import target_vector, whole_numbers
from .._lib.structure import Description
from ._base import Structure
from ._space import EntryKind, LibrarySpace, MomentsInfo

# Eigenvalues of a kernel up to this fraction of the largest are left out of the basis.
RANK_TOLERANCE = 1e-10
# Negative eigenvalues up to this fraction of the largest are taken for rounding errors.
_INDEFINITE_TOLERANCE = 1e-8


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

    def encode_targets(self, y: Any) -> tuple[NDArray[np.int32], bool]:
        """Return the indices of outputs as parts, all of them known."""
        return self.encode(y), False

    def require_preimage(self) -> None:
        """Do nothing: the output of nearest ψ is always found, by a scan of the list."""


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
    matrix = finite_numbers(values, "gram")
    check_symmetric(matrix, "gram")
    eigenvalues, vectors = eigh(matrix)
    largest = max(float(eigenvalues[-1]), 0.0)
    if eigenvalues[0] < -_INDEFINITE_TOLERANCE * max(largest, float(np.abs(eigenvalues).max())):
        raise ValueError(
            f"Custom: gram is not positive semi-definite, its smallest eigenvalue is {eigenvalues[0]:.6g} (the largest "
            f"is {largest:.6g}); give the values of a kernel, or drop negative eigenvalues yourself"
        )
    kept = np.flatnonzero(eigenvalues > RANK_TOLERANCE * largest)[::-1]
    if kept.size == 0:
        raise ValueError("Custom: gram is 0 everywhere, so that no output can be told from another")
    basis = vectors[:, kept]
    # Of an eigenvector and its negative, take the one whose entry of largest magnitude is positive.
    signs = np.sign(np.take_along_axis(basis, np.abs(basis).argmax(axis=0)[np.newaxis, :], axis=0))
    return ListedSpace(structure, np.ascontiguousarray(basis * (signs * np.sqrt(eigenvalues[kept]))))


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


def check_symmetric(matrix: NDArray[np.float64], parameter: str) -> None:
    """Raise ValueError unless a matrix is symmetric, up to 1e-9 of its largest entry."""
    difference = np.abs(matrix - matrix.T)
    if difference.max() > 1e-9 * np.abs(matrix).max():
        i, j = (int(x) for x in np.unravel_index(int(difference.argmax()), difference.shape))
        raise ValueError(
            f"Custom: {parameter} is not symmetric: {matrix[i, j]} at [{i}, {j}] but {matrix[j, i]} at [{j}, {i}]"
        )
