r"""Kernels between outputs whose functions k(z, ·) span few dimensions, though their feature space may be infinite.

With functions u_1, …, u_k that contain this span, the Gram matrix G of their inner products, and any B with BBᵀ = G,
ψ(y) = B⁺u(y) satisfies ⟨ψ(y), ψ(z)⟩ = k(y, z): u_l(y) = ⟨u_l, k(y, ·)⟩, and the rows of B are the u_l in an orthonormal
basis. Nothing is listed but the basis (Vembu, 2010, ch. 5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import is_number
from ..._lib.arrays import FloatArray
from ..._lib.errors import in_words_of
from ..._lib.structure import custom_kernel
from .functions import real_vector
from .losses import finite_numbers

_LEFT = 1e-6  # share of k(y, y) outside of the span that counts as rounding


class Basis:
    """The embedding that a basis of the functions of a kernel gives.

    Parameters
    ----------
    basis : sequence of k outputs, or callable
        Outputs z, whose functions k(z, ·) are the basis, or a function of y that returns u_1(y), …, u_k(y).
    kernel : callable or None
        Function of two outputs; needed for outputs.
    gram : array-like of shape (k, k) or None
        Inner products of the functions; needed for a function.
    project : bool
        Whether outputs outside of the span are projected; otherwise they are errors.
    """

    def __init__(
        self,
        basis: Sequence[Any] | Callable[[Any], ArrayLike],
        kernel: Callable[[Any, Any], Any] | None,
        gram: ArrayLike | None,
        project: Any,
    ) -> None:
        if kernel is not None and not callable(kernel):
            raise TypeError(f"Custom: kernel must be a function of two outputs, got {kernel!r}")
        if not isinstance(project, (bool, np.bool_)):
            raise TypeError(f"Custom: project must be True or False, got {project!r}")
        self._basis, self._kernel, self._project = basis, kernel, bool(project)
        if callable(basis):
            if gram is None:
                raise ValueError(
                    "Custom: basis is a function: give gram, the inner products of its k values as functions"
                )
            products = np.asarray(gram)
            if products.ndim != 2 or products.shape[0] != products.shape[1]:
                raise ValueError(f"Custom: gram must have shape (k, k), got {products.shape}")
        else:
            if kernel is None or gram is not None:
                raise ValueError("Custom: basis is a list of outputs: give kernel, a function of two, and no gram")
            if not hasattr(basis, "__len__") or len(basis) == 0:
                raise ValueError(f"Custom: basis must be a list of outputs, at least one, or a function; got {basis!r}")
            products = np.array([[self._value(a, b) for b in basis] for a in basis])
        try:
            rows = custom_kernel(finite_numbers(products, "gram"))
        except ValueError as error:
            raise in_words_of("Custom", error) from None
        self.inverse: FloatArray = np.ascontiguousarray(rows.T / np.square(rows).sum(axis=0)[:, np.newaxis])

    def _value(self, y: Any, z: Any) -> float:
        assert self._kernel is not None
        value = self._kernel(y, z)
        if not is_number(value) or not np.isfinite(value):
            raise ValueError(f"Custom: kernel must return a finite number, got {value!r}")
        return float(value)

    def values(self, y: Any) -> NDArray[Any]:
        """Return u_1(y), …, u_k(y); ValueError for what is no array of k numbers."""
        if callable(self._basis):
            return real_vector(self._basis(y), self.inverse.shape[1])
        return np.array([self._value(z, y) for z in self._basis])

    def embed(self, y: Any) -> FloatArray:
        """Return ψ of an output; ValueError where it is outside of the span of the basis."""
        psi: FloatArray = self.inverse @ self.values(y)
        if self._kernel is not None and not self._project:
            whole = self._value(y, y)
            left = whole - float(psi @ psi)
            if abs(left) > _LEFT * max(whole, 1e-300):
                raise ValueError(
                    f"an output outside of the span of the basis, k(y, y) = {whole:.6g} of which the basis has "
                    f"{whole - left:.6g}; take more functions, or project=True"
                )
        return psi

    def coefficients(self, scores: FloatArray) -> FloatArray:
        """Return c with Σ_l c_l u_l(y) = ⟨s, ψ(y)⟩, for users' functions of scores."""
        return np.asarray(scores @ self.inverse)

    def of_coefficients(self, function: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
        """Return a user's function of coefficients as one of scores."""
        return None if function is None else _OfScores(self, function)

    def moments(self, mean: Any, second_moment: Any) -> tuple[Any, Any]:
        """Return the moments of ψ from those of u; None stays."""
        if mean is None or second_moment is None:
            return mean, second_moment
        mu, second, k = np.asarray(mean), np.asarray(second_moment), self.inverse.shape[1]
        if mu.shape != (k,) or second.shape != (k, k):
            raise ValueError(
                f"Custom: mean and second_moment are those of the {k} functions of the basis, of shape ({k},) and "
                f"({k}, {k}); got {mu.shape} and {second.shape}"
            )
        mu, second = finite_numbers(mu, "mean"), finite_numbers(second, "second_moment")
        found = self.inverse @ second @ self.inverse.T
        return self.inverse @ mu, (found + found.T) / 2.0


class _OfScores:
    """A function of the scores of ψ that calls one of the coefficients of the basis; it can be pickled."""

    def __init__(self, basis: Basis, function: Callable[[Any], Any]) -> None:
        self._basis, self._function = basis, function

    def __call__(self, scores: FloatArray) -> Any:
        return self._function(self._basis.coefficients(scores))
