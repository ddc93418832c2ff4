r"""Kernels between outputs whose functions k(z, ·) span few dimensions, though their feature space may be infinite.

With functions u_1, …, u_k that contain this span, the Gram matrix G of their inner products, and any B with BBᵀ = G,
ψ(y) = B⁺u(y) satisfies ⟨ψ(y), ψ(z)⟩ = k(y, z): u_l(y) = ⟨u_l, k(y, ·)⟩, and the rows of B are the u_l in an orthonormal
basis. Nothing is listed but the basis (Vembu, 2010, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._lib.arrays import FloatArray
from ..._lib.structure import custom_kernel
from .functions import real_array, real_number

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
        project: bool,
    ) -> None:
        self._basis, self._kernel, self._project = basis, kernel, project
        products: Any = gram if callable(basis) else [[self._value(a, b) for b in basis] for a in basis]
        values = real_array(products, "gram", None, None)
        rows = custom_kernel(real_array(values, "gram", len(values), len(values)))
        self.inverse: FloatArray = np.ascontiguousarray(rows.T / np.square(rows).sum(axis=0)[:, np.newaxis])

    def _value(self, y: Any, z: Any) -> float:
        assert self._kernel is not None
        return real_number(self._kernel(y, z), "kernel")

    def values(self, y: Any) -> NDArray[Any]:
        """Return u_1(y), …, u_k(y)."""
        if callable(self._basis):
            return real_array(self._basis(y), "what basis returns", self.inverse.shape[1])
        return np.array([self._value(z, y) for z in self._basis])

    def embed(self, y: Any) -> FloatArray:
        """Return ψ of an output; ValueError where it is outside of the span of the basis."""
        psi: FloatArray = self.inverse @ self.values(y)
        if self._kernel is not None and not self._project:
            whole = self._value(y, y)
            left = whole - float(psi @ psi)
            if abs(left) > _LEFT * max(whole, 1e-300):
                has = f"k(y, y) = {whole:.6g} of which the basis has {whole - left:.6g}"
                raise ValueError(f"an output outside the span of the basis, {has}; take more functions or project=True")
        return psi

    def described(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of `Custom` as those of ψ in place of u."""
        mean, second = given["mean"], given["second_moment"]
        if mean is not None or second is not None:
            k = self.inverse.shape[1]
            mean = self.inverse @ real_array(mean, "mean", k)
            second = self.inverse @ real_array(second, "second_moment", k, k) @ self.inverse.T
            second = (second + second.T) / 2.0
        own = {key: given[key] and partial(self._of_coefficients, given[key]) for key in ("decode", "bound")}
        return {**given, **own, "embed": self.embed, "mean": mean, "second_moment": second}

    def _of_coefficients(self, function: Callable[[Any], Any], scores: FloatArray) -> Any:
        """Return a user's function of c, with Σ_l c_l u_l(y) = ⟨s, ψ(y)⟩, for scores s."""
        return function(np.asarray(scores @ self.inverse))
