"""Custom spaces given by functions: the library knows their moments, everything else runs in Python."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse import issparse

from .._data.checks import is_integer
from .._data.targets import TargetError
from .._lib.decode import Decoded, Decoding
from .._lib.errors import CapabilityError
from .._lib.memory import allocate
from .._lib.names import RANDOM_DECODERS
from .._lib.structure import Description
from ._base import MomentsInfo
from ._custom_listed import check_symmetric, finite_numbers

Embed = Callable[[Any], ArrayLike]
Decode = Callable[[NDArray[np.float64]], Any]
Sample = Callable[[np.random.Generator], Any]

# Eigenvalues of Σ from minus this share of the largest entry of the second moment on are errors of rounding.
_INDEFINITE_TOLERANCE = 1e-9
# Up to these shares, of the largest eigenvalue and of that entry, times d, training drops the direction.
_NULL_TOLERANCE, _ROUNDING = 1e-11, 1e-15
_BLOCK = 1024  # draws whose ψ is held at a time


class ComputedOutputs:
    """Outputs that only the user's functions understand, as objects in one column of parts."""

    parts_dtype = np.object_

    def __init__(
        self,
        log_count: float,
        mean: NDArray[np.float64],
        second_moment: NDArray[np.float64],
        functions: tuple[Embed, Decode | None, Sample | None],
        moments_info: MomentsInfo,
    ) -> None:
        self._embed, self._decode, self._sample = functions
        self.moments_info = moments_info
        self.description = Description(
            "custom", {"d": len(mean), "members": 0}, None, np.concatenate([[log_count], mean, second_moment.ravel()])
        )
        self._mean = mean
        values, vectors = eigh(second_moment - np.outer(mean, mean))
        scale = float(np.abs(second_moment).max())
        if values[0] < -_INDEFINITE_TOLERANCE * scale:
            raise ValueError(
                "Custom: second_moment - outer(mean, mean) is not positive semi-definite, its smallest eigenvalue is "
                f"{values[0]:.6g}; both must be averages over the same outputs"
            )
        null = values <= len(mean) * max(_NULL_TOLERANCE * values[-1], _ROUNDING * scale)
        self._null = vectors[:, null]  # directions in which ψ does not vary

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        """Return the outputs as parts ``(n, 1)`` of objects."""
        if y is None:
            raise ValueError(f"{argument} is None; this requires {argument} to be passed")
        if issparse(y):
            raise TypeError(f"{argument} is a sparse matrix; pass a dense array ({argument}.toarray())")
        items = list(y.to_numpy() if hasattr(y, "to_numpy") else y)
        if not items:
            raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
        return _column(items)

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return numbers and arrays of one shape stacked, other outputs as a 1-D array of objects."""
        items = parts[:, 0]
        arrays = [np.asarray(item) for item in items if isinstance(item, (np.ndarray, np.number, np.bool_, bool, Real))]
        if len(arrays) == len(items) and len({a.shape for a in arrays}) == 1:
            stacked: NDArray[Any] = np.stack(arrays)
            return stacked
        objects: NDArray[Any] = items.copy()
        return objects

    def compared(self, y: Any, argument: str) -> NDArray[Any]:
        """Return what the default metric compares: ψ, by which outputs are told apart."""
        return self._embedded(self.encode(y, argument)[:, 0], argument)

    def embed(self, parts: NDArray[Any], n_threads: int | None) -> NDArray[np.float64]:
        """Return ψ of every row, after checking that it lies where the moments say that ψ lies."""
        psi = self._embedded(parts[:, 0], "y")
        centred = psi - self._mean
        off = np.linalg.norm(centred @ self._null, axis=1)
        bad = off > 1e-6 * (1 + np.linalg.norm(centred, axis=1))
        if bad.any():
            row = int(np.argmax(bad))
            remedy = "the moments are not those of this embedding: correct mean and second_moment"
            if self.moments_info.kind == "sampled":
                remedy = "no draw for the moments showed it: raise n_moment_samples"
            raise TargetError(
                row,
                f"ψ leaves the mean by {off[row]:.3g} in a direction in which the moments have no variance; {remedy}",
            )
        return psi

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        """Return n outputs drawn by the user's sampler as parts."""
        if self._sample is None:
            raise CapabilityError(
                "this Custom structure has no sampler; Custom.from_sampler takes one, and from_structures needs none"
            )
        rng = np.random.default_rng(seed)
        return _column([self._sample(rng) for _ in range(n)])

    def decode(self, linear: NDArray[np.float64], magnitude: NDArray[np.float64] | None, how: Decoding) -> Decoded:
        """Return what the user's function decodes; nothing is known about its quality."""
        if self._decode is None:
            raise CapabilityError(
                "this Custom structure has no decode, so nothing can be predicted: give decode=, a function that "
                "returns an output y of largest scores @ embed(y) for scores of shape (d,); fit, feature_scores and "
                "score_structures work without"
            )
        if magnitude is not None:
            self._refuse_squares()
        if how.decoder == "exact":
            raise CapabilityError(
                "decoder='exact' asks for proof, which a user's own decode does not give; take decoder='auto'"
            )
        if how.decoder in ("approx", *RANDOM_DECODERS):
            raise CapabilityError(
                f"decoder={how.decoder!r} needs a guaranteed solution and local moves, which functions do not give; "
                "take decoder='auto', which calls your decode, or Custom.from_structures, which is exact"
            )
        items = [self._decode(scores.copy()) for scores in linear]
        psi = self._embedded(items, "scores", "what decode returned there is no output: ")
        n = len(items)
        return Decoded(
            _column(items),
            value=np.einsum("ij,ij->i", linear, psi),
            upper_bound=np.full(n, np.inf),
            nu=np.ones(n),  # no output scores less than the worst
            optimal=np.zeros(n, dtype=np.bool_),
        )

    def require_preimage(self) -> None:
        """Refuse: the user's function maximises linear scores only."""
        self._refuse_squares()

    def _refuse_squares(self) -> NoReturn:
        raise CapabilityError(
            "loss='squared' predicts the output whose ψ is nearest, and decode maximises scores @ embed(y) without the "
            "term -‖ψ‖²/2 that this needs; take loss='auc', or Custom.from_structures"
        )

    def _embedded(self, items: Any, argument: str, context: str = "") -> NDArray[np.float64]:
        d, what = len(self._mean), f"embedding {len(items)} rows"
        psi = allocate((len(items), d), np.float64, f"{what} in {d} dimensions", "pass fewer rows at a time")
        for i, item in enumerate(items):
            try:
                psi[i] = _real_vector(self._embed(item), d)
            except ValueError as error:
                raise TargetError(i, f"{context}embed gave {error}", argument) from error
        finite = np.isfinite(psi)  # of all at once: a chain embeds one output after the other
        if not finite.all():
            row = int(np.argmin(finite.all(axis=1)))
            raise TargetError(row, f"{context}embed gave {_not_finite(psi[row])}", argument)
        return psi


def _column(items: list[Any]) -> NDArray[Any]:
    parts = np.empty((len(items), 1), dtype=object)
    for i, item in enumerate(items):
        parts[i, 0] = item
    return parts


def _vector(psi: ArrayLike, d: int | None) -> NDArray[np.float64]:
    """Return an embedding as float64 of shape ``(d,)``; the ValueError says what it is instead."""
    values = _real_vector(psi, d)
    if not np.isfinite(values).all():
        raise ValueError(_not_finite(values))
    return values.astype(np.float64)


def _real_vector(psi: ArrayLike, d: int | None) -> NDArray[Any]:
    """Return an embedding as real numbers of shape ``(d,)``, which may be infinite or NaN."""
    values = np.asarray(psi)
    if values.ndim != 1 or values.size == 0 or (d is not None and len(values) != d):
        raise ValueError(f"an array of shape {values.shape}, must be ({'d' if d is None else d},)")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"an array of dtype {values.dtype}, must be real numbers")
    return values


def _not_finite(values: NDArray[Any]) -> str:
    """Say which entry is the first that is not finite."""
    entry = int(np.argmin(np.isfinite(values)))
    return f"{values[entry]} in entry {entry}"


def from_formulas(
    log_count: Any, mean: ArrayLike, second_moment: ArrayLike, embed: Embed, decode: Decode | None
) -> ComputedOutputs:
    """Return the space with the moments that the user's formulas give."""
    mu = np.asarray(mean)
    if mu.ndim != 1 or mu.size == 0:
        raise ValueError(f"Custom: mean must have shape (d,), got {mu.shape}")
    mu = finite_numbers(mu, "mean")
    second = np.asarray(second_moment)
    if second.shape != (len(mu), len(mu)):
        raise ValueError(
            f"Custom: second_moment must have shape ({len(mu)}, {len(mu)}) for a mean of {len(mu)}; got {second.shape}"
        )
    second = finite_numbers(second, "second_moment")
    check_symmetric(second, "second_moment")
    return ComputedOutputs(_log_count(log_count), mu, (second + second.T) / 2, (embed, decode, None), MomentsInfo())


def _log_count(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"Custom: log_count must be a number, got {value!r}")
    if not (0 <= value < np.inf):
        raise ValueError(
            f"Custom: log_count must be at least 0 and finite, got {value}; it is the logarithm of the count"
        )
    return float(value)


def from_sampler(
    sample: Sample, embed: Embed, decode: Decode | None, log_count: Any, n_moment_samples: Any, random_state: Any
) -> ComputedOutputs:
    """Return the space with moments averaged over draws."""
    for name, value, least in (("n_moment_samples", n_moment_samples, 2), ("random_state", random_state, 0)):
        if not is_integer(value):
            raise TypeError(f"Custom: {name} must be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Custom: {name} must be at least {least}, got {value}")
    rng = np.random.default_rng(int(random_state))
    d: int | None = None
    totals: tuple[Any, Any, Any] = 0.0, 0.0, 0.0
    for start in range(0, n_moment_samples, _BLOCK):
        rows = []
        for i in range(start, min(start + _BLOCK, n_moment_samples)):
            try:
                rows.append(_vector(embed(sample(rng)), d))
            except ValueError as error:
                raise ValueError(f"Custom: embed gave {error} for draw {i} of sample") from error
            d = len(rows[-1])
        if n_moment_samples <= len(rows[-1]):
            raise ValueError(
                f"Custom: n_moment_samples={n_moment_samples} draws leave the covariance of {d} features singular; "
                f"take several times {d}"
            )
        psi = np.array(rows)
        squares = psi**2
        totals = totals[0] + psi.sum(axis=0), totals[1] + psi.T @ psi, totals[2] + squares.T @ squares
    mean, second, fourth = (total / n_moment_samples for total in totals)
    # The variance of ψ_i ψ_j is E ψ_i² ψ_j² − (E ψ_i ψ_j)².
    largest = float(np.sqrt(max(float((fourth - second**2).max()), 0.0) / n_moment_samples))
    log = np.nan if log_count is None else _log_count(log_count)
    return ComputedOutputs(log, mean, second, (embed, decode, sample), MomentsInfo("sampled", largest))
