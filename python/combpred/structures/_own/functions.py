"""The functions by which users give a space of their own, with what they return checked, and losses of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.checks import is_number
from ..._data.targets import TargetError
from ..._lib.arrays import FloatArray, allocate
from ..._lib.errors import CapabilityError, SamplingError, naming_row
from .._search.hereditary import truth
from ..costs import Worst

_REFUSED = 10**6  # draws in a row that are no outputs, after which there may be none
_LARGEST = float(np.finfo(np.float64).max)


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

    def is_output(self, y: Any) -> bool:
        """Return whether y is an output, as far as `contains` tells."""
        return self.contains is None or truth(self.contains(y), "Custom: contains")

    def require_outputs(self, items: Any, argument: str, context: str = "") -> None:
        """Raise TargetError for the first item that is no output, as far as `contains` tells."""
        for row, item in enumerate(items):
            try:
                reason = "" if self.is_output(item) else "contains is False for it; correct the row or contains"
            except ValueError as error:
                reason = str(error)
            if reason:
                raise TargetError(row, f"{context}{reason}", argument)

    def require_sampler(self, instead: str = "or list all outputs by Custom.from_structures") -> None:
        """Raise CapabilityError if no function draws outputs, with what may be given instead."""
        if self.sample is None:
            raise CapabilityError(f"this Custom structure has no sampler of uniform outputs: give sample=, {instead}")

    def draw(self, rng: np.random.Generator) -> Any:
        """Return a uniform output; draws that `contains` refuses are drawn again."""
        self.require_sampler()
        assert self.sample is not None
        for _ in range(_REFUSED):
            if self.is_output(y := self.sample(rng)):
                return y
        raise SamplingError(f"Custom: contains refused {_REFUSED} draws in a row; let sample draw outputs more often")

    def embedded(self, items: Any, d: int, argument: str, context: str = "") -> FloatArray:
        """Return ψ of outputs; TargetError for the first that is not d finite numbers, or longer than `radius`."""
        what = f"embedding {len(items)} rows"
        psi = allocate((len(items), d), np.float64, f"{what} in {d} dimensions", "pass fewer rows at a time")
        for i, item in enumerate(items):
            try:
                psi[i] = real_array(self.embed(item), "what embed returns", d)
            except (ValueError, TypeError) as error:
                raise TargetError(i, f"{context}{error}", argument) from error
        norms = np.sqrt(np.einsum("ij,ij->i", psi, psi))
        if self.radius is not None and (norms > self.radius * (1 + 1e-9)).any():
            row = int(np.argmax(norms))
            raise TargetError(row, f"{context}‖ψ‖ is {norms[row]:.6g}: raise radius={self.radius:g}", argument)
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
                with naming_row(row):
                    found[row] = min(found[row], real_number(self.bound(scores.copy()), "bound", 0.0))
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
        return z, real_number(self.log_ratio(y, z), "log_ratio", -np.inf, np.inf)


def real_number(value: Any, name: str, least: float = -_LARGEST, most: float = _LARGEST) -> float:
    """Return what a function called `name` returned as a float; ValueError unless it is a number in that range."""
    if not (is_number(value) and least <= value <= most):
        raise ValueError(f"Custom: {name} returned {value!r}, must be a number from {least:.4g} to {most:.4g}")
    return float(value)


def real_array(value: ArrayLike, name: str, *shape: int | None) -> FloatArray:
    """Return a parameter as C-contiguous float64, not empty; a size of None is free.

    Raises ValueError for another shape, and for the first entry that is not finite, TypeError for other types.
    """
    try:
        values = np.asarray(value)
    except ValueError:  # rows have different lengths
        values = np.asarray(value, dtype=object)
    fits = values.ndim == len(shape) and all(
        want in (None, size) for want, size in zip(shape, values.shape, strict=True)
    )
    if not fits or values.size == 0:
        sizes = "×".join("k" if size is None else str(size) for size in shape)
        raise ValueError(f"Custom: {name} must be an array of {sizes} numbers, got shape {values.shape}")
    if values.dtype.kind not in "biuf":
        raise TypeError(f"Custom: {name} must hold real numbers, got dtype {values.dtype}")
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        at = np.argwhere(~np.isfinite(numbers))[0]
        raise ValueError(f"Custom: {name}{at.tolist()} is {numbers[tuple(at)]}, must be finite")
    return numbers


Loss = Callable[[Any, Any], Any]
#: Function of the numbers of some rows (m,) that returns losses (m, k) between their outputs and k others.
RowLosses = Callable[[NDArray[np.intp]], FloatArray]


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
        raise ValueError(f"Custom: loss{at.tolist()} is {values[tuple(at)]:g}, must be at least 0, for equal outputs 0")
    return values


def held_losses(loss: Loss, items: Iterable[Any], outputs: Sequence[Any] | NDArray[Any]) -> RowLosses:
    """Return a function of the numbers of rows with these outputs: their losses (m, k) against k items.

    They are computed once for each row.
    """

    @cache
    def of_row(row: int) -> list[float]:
        return [loss_value(loss, outputs[row], z, row) for z in items]

    return lambda rows: np.array([of_row(row) for row in rows.tolist()])
