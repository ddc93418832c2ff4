"""Custom spaces that are given by functions: the library knows their moments, outputs only the user's functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import issparse

from .._data.checks import is_integer, is_number
from .._data.targets import TargetError
from .._lib.arrays import FloatArray, allocate
from .._lib.decode import Decoded, Decoding
from .._lib.errors import CapabilityError, RowError, in_words_of
from .._lib.names import RANDOM_DECODERS
from .._lib.sampling import Drawn, Plan
from .._lib.structure import Description, DrawnMoments, custom_check
from ._base import Structure
from ._custom_chain import draw_by_proposals
from ._custom_listed import finite_numbers
from ._space import EntryKind, LibrarySpace, MomentsInfo

Embed = Callable[[Any], ArrayLike]
Decode = Callable[[NDArray[np.float64]], Any]
Sample = Callable[[np.random.Generator], Any]

_BLOCK = 1024  # number of draws whose ψ is in memory at a time


class PythonSpace(LibrarySpace):
    """A space that the library knows by its moments; its outputs only the user's functions understand.

    Parts are one column of objects. What takes a list of the outputs, or local moves between them, the library refuses.

    Parameters
    ----------
    structure : Structure
        The user's description of the space.
    moments : ndarray of shape (1 + d + d²,)
        Natural logarithm of the number of outputs, NaN if it is not known; mean of ψ over all outputs; and mean of ψψᵀ.
    d : int
        Length of ψ.
    functions : tuple of callable or None
        embed, decode and sample; the last two may be None.
    moments_info : MomentsInfo
        Where the moments come from.

    Raises
    ------
    ValueError
        When the moments are not those of any distribution.
    """

    in_library = False
    parts_dtype: DTypeLike = np.object_
    entry_kind: EntryKind = "unknown"
    costs: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    moments_info = MomentsInfo()

    def __init__(
        self,
        structure: Structure,
        moments: FloatArray,
        d: int,
        functions: tuple[Embed, Decode | None, Sample | None],
        moments_info: MomentsInfo = MomentsInfo(),  # noqa: B008  # immutable
    ) -> None:
        super().__init__(structure)
        self._embed, self._decode, self._sample = functions
        self.moments_info = moments_info
        self.description = Description("custom", {"d": d, "members": 0}, None, moments)
        try:
            custom_check(self.description, np.empty((0, d)))
        except ValueError as error:
            raise in_words_of("Custom", error) from None

    # Facts.

    def count(self) -> int:
        raise CapabilityError(
            f"{self.structure!r} is given by functions, which do not say how many outputs there are; from_structures "
            "counts and lists them"
        )

    def log_count(self) -> float:
        log_count = self.description.shape.log_count
        if math.isnan(log_count):
            raise CapabilityError(
                f"{self.structure!r} is given by a sampler, which does not say how many outputs there are; give "
                "log_count"
            )
        return log_count

    def require_preimage(self) -> None:
        self._refuse_squares()

    # Outputs.

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        if y is None:
            raise ValueError(f"{argument} is None; this requires {argument} to be passed")
        if issparse(y):
            raise TypeError(f"{argument} is a sparse matrix; pass a dense array ({argument}.toarray())")
        items = list(y.to_numpy() if hasattr(y, "to_numpy") else y)
        if not items:
            raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
        return _column(items)

    def encode_targets(self, y: Any) -> tuple[NDArray[Any], bool]:
        return self.encode(y), False  # checked by what embeds them, as functions may take long

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return one array if all outputs are numbers or arrays of one shape, otherwise a 1-D array of objects."""
        items = parts[:, 0]
        arrays = [np.asarray(item) for item in items if isinstance(item, (np.ndarray, np.number, np.bool_, bool, Real))]
        if len(arrays) == len(items) and len({a.shape for a in arrays}) == 1:
            stacked: NDArray[Any] = np.stack(arrays)
            return stacked
        objects: NDArray[Any] = items.copy()
        return objects

    def compared(self, y: Any, argument: str) -> NDArray[Any]:
        return self._embedded(self.encode(y, argument)[:, 0], argument)

    def check(self, parts: NDArray[Any]) -> None:
        self.embed(parts)

    def embed(self, parts: NDArray[Any], n_threads: int | None = None) -> FloatArray:
        """Return ψ of every row; ValueError for a row whose ψ is illegal, or excluded by the moments."""
        psi = self._embedded(parts[:, 0], "y")
        try:
            custom_check(self.description, psi)
        except RowError as error:
            remedy = "the moments are not those of this embedding: correct mean and second_moment"
            if self.moments_info.kind == "sampled":
                remedy = "no draw for the moments showed it: raise n_moment_samples"
            raise TargetError(error.row, f"{error.reason}; {remedy}") from None
        return psi

    # Distributions.

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        draw, rng = self._sampler(), np.random.default_rng(seed)
        return _column([draw(rng) for _ in range(n)])

    def _sampler(self) -> Sample:
        """Return the user's function that draws an output; CapabilityError if there is none."""
        if self._sample is None:
            raise CapabilityError(
                "this Custom structure has no sampler, a function that draws an output uniformly: give one to "
                "Custom.from_sampler(sample, embed, decode), or all outputs to Custom.from_structures, which needs none"
            )
        return self._sample

    def draw(
        self,
        linear: FloatArray,
        plan: Plan,
        start: NDArray[Any] | None = None,
        bound: FloatArray | None = None,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> Drawn:
        if plan.method == "exact":  # the library says what it would take
            return super().draw(linear, plan, start, bound, n_threads, verbose)
        self._sampler()  # whatever else is missing, nothing is drawn without
        return draw_by_proposals(self, linear, plan, start, bound)

    # Best outputs.

    def score_bounds(
        self, linear: FloatArray, magnitude: FloatArray | None = None, n_threads: int | None = None
    ) -> FloatArray:
        raise CapabilityError(
            f"{self.structure!r}: this needs a proven bound on the scores of all outputs, which functions do not give; "
            "take sampler='meta' and schedule='adaptive'"
        )

    def k_best(self, *scores: Any, **options: Any) -> Iterator[Any]:
        """Raise CapabilityError: the best output is not proven to be one, so the next one cannot be found."""
        raise CapabilityError(
            f"{self.structure!r} is given by functions, whose best output is not proven to be one, so that the "
            "outputs that follow it cannot be found; Custom.from_structures lists them"
        )

    def decodes_in_library(self, decoder: str) -> bool:
        return False

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Return the outputs that the user's `decode` finds, with certificates that prove nothing."""
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
            nu=np.ones(n),  # the trivial guarantee: every output scores at least as much as the worst
            optimal=np.zeros(n, dtype=np.bool_),
        )

    def _refuse_squares(self) -> NoReturn:
        """Raise CapabilityError: `decode` takes no scores of squares."""
        raise CapabilityError(
            "loss='squared' predicts the output whose ψ is nearest, and decode maximises scores @ embed(y) without the "
            "term -‖ψ‖²/2 that this needs; take decision='score', loss='auc' or Custom.from_structures"
        )

    def _embedded(self, items: Any, argument: str, context: str = "") -> FloatArray:
        """Return ψ of outputs by the user's `embed`; TargetError for the first that is not d finite numbers."""
        d, what = self.n_features, f"embedding {len(items)} rows"
        psi = allocate((len(items), d), np.float64, f"{what} in {d} dimensions", "pass fewer rows at a time")
        for i, item in enumerate(items):
            try:
                psi[i] = _real_vector(self._embed(item), d)
            except ValueError as error:
                raise TargetError(i, f"{context}embed gave {error}", argument) from error
        finite = np.isfinite(psi)  # checked for all rows at once, as chains embed many small batches
        if not finite.all():
            row = int(np.argmin(finite.all(axis=1)))
            raise TargetError(row, f"{context}embed gave {_not_finite(psi[row])}", argument)
        return psi


def from_formulas(
    structure: Structure, log_count: Any, mean: ArrayLike, second_moment: ArrayLike, embed: Embed, decode: Decode | None
) -> PythonSpace:
    """Return the space whose moments the user has computed; TypeError or ValueError if they are illegal."""
    mu = np.asarray(mean)
    if mu.ndim != 1 or mu.size == 0:
        raise ValueError(f"Custom: mean must have shape (d,), got {mu.shape}")
    mu = finite_numbers(mu, "mean")
    d = len(mu)
    second = np.asarray(second_moment)
    if second.shape != (d, d):
        raise ValueError(f"Custom: second_moment must have shape ({d}, {d}) for a mean of {d}; got {second.shape}")
    moments = np.concatenate([[_log_count(log_count)], mu, finite_numbers(second, "second_moment").ravel()])
    return PythonSpace(structure, moments, d, (embed, decode, None))


def from_sampler(
    structure: Structure,
    sample: Sample,
    embed: Embed,
    decode: Decode | None,
    log_count: Any,
    n_moment_samples: Any,
    random_state: Any,
) -> PythonSpace:
    """Return the space whose moments are averages over draws of the user's sampler.

    Parameters are those of `Custom.from_sampler`. The moments come with the largest standard error of an entry of the
    second moment.

    Raises
    ------
    TypeError, ValueError
        When a parameter is illegal, when `embed` does not return ψ for a draw, or when there are too few draws for d.
    """
    for name, value, least in (("n_moment_samples", n_moment_samples, 2), ("random_state", random_state, 0)):
        if not is_integer(value):
            raise TypeError(f"Custom: {name} must be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"Custom: {name} must be at least {least}, got {value}")
    log = np.nan if log_count is None else _log_count(log_count)
    rng = np.random.default_rng(int(random_state))
    d: int | None = None
    rows: list[NDArray[Any]] = []
    for i in range(n_moment_samples):
        try:
            rows.append(_real_vector(embed(sample(rng)), d))
            if not np.isfinite(rows[-1]).all():
                raise ValueError(_not_finite(rows[-1]))
        except ValueError as error:
            raise ValueError(f"Custom: embed gave {error} for draw {i} of sample") from error
        if d is None:
            d = len(rows[-1])
            if n_moment_samples <= d:
                raise ValueError(
                    f"Custom: n_moment_samples={n_moment_samples} draws leave the covariance of {d} features singular; "
                    f"take several times {d}"
                )
            drawn = DrawnMoments(d)
        if len(rows) == _BLOCK or i == n_moment_samples - 1:
            drawn.add(np.array(rows, dtype=np.float64))
            rows.clear()
    assert d is not None  # there was a draw
    moments, standard_error = drawn.averages()
    functions = embed, decode, sample
    return PythonSpace(structure, np.append(log, moments), d, functions, MomentsInfo("sampled", standard_error))


def _log_count(value: Any) -> float:
    """Return the parameter `log_count` as a float, checked."""
    if not is_number(value):
        raise TypeError(f"Custom: log_count must be a number, got {value!r}")
    if not (0 <= value < np.inf):
        raise ValueError(
            f"Custom: log_count must be at least 0 and finite, got {value}; it is the logarithm of the count"
        )
    return float(value)


def _column(items: list[Any]) -> NDArray[Any]:
    """Return outputs as parts of objects, shape ``(n, 1)``; NumPy must not look inside them."""
    parts = np.empty((len(items), 1), dtype=object)
    for i, item in enumerate(items):
        parts[i, 0] = item
    return parts


def _real_vector(psi: ArrayLike, d: int | None) -> NDArray[Any]:
    """Return an embedding as an array of real numbers of shape ``(d,)``, possibly infinite or NaN.

    ``d=None`` accepts any positive length. The text of the ValueError says what was given instead.
    """
    values = np.asarray(psi)
    if values.ndim != 1 or values.size == 0 or (d is not None and len(values) != d):
        raise ValueError(f"an array of shape {values.shape}, must be ({'d' if d is None else d},)")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"an array of dtype {values.dtype}, must be real numbers")
    return values


def _not_finite(values: NDArray[Any]) -> str:
    """Return a description of the first entry that is not finite, for messages."""
    entry = int(np.argmin(np.isfinite(values)))
    return f"{values[entry]} in entry {entry}"
