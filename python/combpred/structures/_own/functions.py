"""The functions by which users give a space of their own, called with what they return checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import is_number
from ..._data.targets import TargetError
from ..._lib.arrays import FloatArray, allocate
from ..._lib.errors import CapabilityError, RowError, SamplingError

_REFUSED = 10**6  # draws in a row that are no outputs, after which there may be none


@dataclass(frozen=True)
class Functions:
    """What a user's structure computes by functions; their meaning is that of the parameters of `Custom`.

    Attributes
    ----------
    embed, decode, sample, contains, sibling, propose, log_ratio, bound, loss : callable or None
        Only `embed` is always there.
    radius : float or None
    """

    embed: Callable[[Any], ArrayLike]
    decode: Callable[[NDArray[np.float64]], Any] | None = None
    sample: Callable[[np.random.Generator], Any] | None = None
    contains: Callable[[Any], Any] | None = None
    sibling: Callable[[Any], Any] | None = None
    propose: Callable[[Any, np.random.Generator], Any] | None = None
    log_ratio: Callable[[Any, Any], Any] | None = None
    bound: Callable[[NDArray[np.float64]], Any] | None = None
    loss: Callable[[Any, Any], Any] | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "radius" and value is not None and not callable(value):
                raise TypeError(f"Custom: {field.name} must be a function, got {value!r}")
        if self.log_ratio is not None and self.propose is None:
            raise ValueError("Custom: log_ratio is about the moves of propose, which is not given; give both, or none")
        if self.radius is not None:
            if not is_number(self.radius):
                raise TypeError(f"Custom: radius must be a number, got {self.radius!r}")
            if not 0 < self.radius < np.inf:
                raise ValueError(f"Custom: radius must be positive and finite, got {self.radius}")

    def is_output(self, y: Any) -> bool:
        """Return whether y is an output, as far as `contains` tells; TypeError for an answer that is no bool."""
        if self.contains is None:
            return True
        answer = self.contains(y)
        if not isinstance(answer, (bool, np.bool_)):
            raise TypeError(f"Custom: contains must return True or False, got {answer!r}")
        return bool(answer)

    def require_sampler(self) -> Callable[[np.random.Generator], Any]:
        """Return the user's function that draws an output; CapabilityError if there is none."""
        if self.sample is None:
            raise CapabilityError(
                "this Custom structure has no sampler, a function that draws an output uniformly: give one as sample=, "
                "or all outputs to Custom.from_structures, which needs none"
            )
        return self.sample

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a uniform output; draws that `contains` refuses are drawn again."""
        sample = self.require_sampler()
        for _ in range(_REFUSED):
            if self.is_output(y := sample(rng)):
                return y
        raise SamplingError(
            f"Custom: contains refused {_REFUSED} draws of sample in a row; let sample draw from a set of which the "
            "outputs are a larger share"
        )

    def embedded(self, items: Any, d: int, argument: str, context: str = "") -> FloatArray:
        """Return ψ of outputs; TargetError for the first that is not d finite numbers, or longer than `radius`."""
        what = f"embedding {len(items)} rows"
        psi = allocate((len(items), d), np.float64, f"{what} in {d} dimensions", "pass fewer rows at a time")
        for i, item in enumerate(items):
            try:
                psi[i] = real_vector(self.embed(item), d)
            except ValueError as error:
                raise TargetError(i, f"{context}embed gave {error}", argument) from error
        finite = np.isfinite(psi)  # checked for all rows at once, as chains embed many small batches
        if not finite.all():
            row = int(np.argmin(finite.all(axis=1)))
            raise TargetError(row, f"{context}embed gave {not_finite(psi[row])}", argument)
        if self.radius is not None:
            norms = np.sqrt(np.einsum("ij,ij->i", psi, psi))
            if (norms > self.radius * (1 + 1e-9)).any():
                row = int(np.argmax(norms))
                raise TargetError(
                    row, f"{context}‖ψ‖ is {norms[row]:.6g}, more than radius={self.radius:g}; correct radius", argument
                )
        return psi

    @property
    def bounds_scores(self) -> bool:
        """Whether the user bounds the scores of all outputs."""
        return self.bound is not None or self.radius is not None

    def bounds(self, linear: FloatArray) -> FloatArray:
        """Return what no |⟨s, ψ(y)⟩| exceeds for every row s (n, d), the least that `bound` and `radius` say."""
        found: FloatArray = np.full(len(linear), np.inf)
        if self.radius is not None:
            found = self.radius * np.sqrt(np.einsum("ij,ij->i", linear, linear))
        if self.bound is not None:
            for row, scores in enumerate(linear):
                value = self.bound(scores.copy())
                if not is_number(value) or not 0 <= value < np.inf:
                    raise RowError(row, f"bound gave {value!r}, must be a finite number of at least 0")
                found[row] = min(found[row], float(value))
        return found

    def siblings(self, items: list[Any], d: int) -> tuple[list[Any], FloatArray]:
        """Return the siblings of outputs, and their ψ (n, d)."""
        assert self.sibling is not None
        found = [self.sibling(y) for y in items]
        return found, self.embedded(found, d, "scores", "what sibling returned is no output: ")

    def move(self, y: Any, rng: np.random.Generator) -> tuple[Any, float] | None:
        """Return an output that `propose` moves to from y, with the logarithm of its ratio, or None if it is none."""
        assert self.propose is not None
        z = self.propose(y, rng)
        if not self.is_output(z):
            return None
        if self.log_ratio is None:
            return z, 0.0
        ratio = self.log_ratio(y, z)
        if not is_number(ratio) or np.isnan(ratio):
            raise TypeError(f"Custom: log_ratio must return a number, got {ratio!r}")
        return z, float(ratio)


def real_vector(psi: ArrayLike, d: int | None) -> NDArray[Any]:
    """Return an embedding as an array of real numbers of shape ``(d,)``, possibly infinite or NaN.

    ``d=None`` accepts any positive length. The text of the ValueError says what was given instead.
    """
    values = np.asarray(psi)
    if values.ndim != 1 or values.size == 0 or (d is not None and len(values) != d):
        raise ValueError(f"an array of shape {values.shape}, must be ({'d' if d is None else d},)")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"an array of dtype {values.dtype}, must be real numbers")
    return values


def not_finite(values: NDArray[Any]) -> str:
    """Return a description of the first entry that is not finite, for messages."""
    entry = int(np.argmin(np.isfinite(values)))
    return f"{values[entry]} in entry {entry}"
