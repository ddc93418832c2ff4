"""Custom spaces that are given by functions: the library knows their moments, all else runs in Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.linalg import eigh
from scipy.sparse import issparse

from .._data.targets import TargetError
from .._lib.arrays import FloatArray, allocate
from .._lib.decode import Decoded, Decoding
from .._lib.errors import CapabilityError
from .._lib.names import RANDOM_DECODERS
from .._lib.partition import Partition, log_partition, partition_cost, sample_distribution
from .._lib.sampling import Drawn, Plan
from .._lib.structure import Description, structure_enumerate, structure_mirror
from ._base import Structure
from ._custom_chain import draw_by_proposals
from ._layout import Layout
from ._search.constraints import RowConstraints
from ._space import EntryKind, MomentsInfo
from .costs import OutputLoss

Embed = Callable[[Any], ArrayLike]
Decode = Callable[[NDArray[np.float64]], Any]
Sample = Callable[[np.random.Generator], Any]

# Negative eigenvalues of Σ up to this fraction of the largest entry of the second moment are taken for rounding errors.
_INDEFINITE_TOLERANCE = 1e-9
# Training drops the directions whose eigenvalues are at most d times the first fraction of the largest eigenvalue, or d
# times the second fraction of that entry.
_NULL_TOLERANCE, _ROUNDING = 1e-11, 1e-15


class PythonSpace:
    """A space whose outputs only the user's functions understand; parts are one column of objects.

    Parameters
    ----------
    structure : Structure
        The user's description of the space.
    log_count : float
        Natural logarithm of the number of outputs; NaN if it is not known.
    mean : ndarray of shape (d,)
        Mean of ψ over all outputs.
    second_moment : ndarray of shape (d, d)
        Mean of ψψᵀ over all outputs.
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
    part_len = 1
    entry_kind: EntryKind = "unknown"
    costs: tuple[str, ...] = ()
    sparse_format: type | None = None
    capabilities: frozenset[str] = frozenset()  # of the library
    has_indicators = False
    layout: Layout | None = None

    def __init__(
        self,
        structure: Structure,
        log_count: float,
        mean: NDArray[np.float64],
        second_moment: NDArray[np.float64],
        functions: tuple[Embed, Decode | None, Sample | None],
        moments_info: MomentsInfo,
    ) -> None:
        self.structure = structure
        self._embed, self._decode, self._sample = functions
        self.moments_info = moments_info
        self.description = Description(
            "custom", {"d": len(mean), "members": 0}, None, np.concatenate([[log_count], mean, second_moment.ravel()])
        )
        self._log_count, self._mean, self._second_moment = log_count, mean, second_moment
        values, vectors = eigh(second_moment - np.outer(mean, mean))
        scale = float(np.abs(second_moment).max())
        if values[0] < -_INDEFINITE_TOLERANCE * scale:
            raise ValueError(
                "Custom: second_moment - outer(mean, mean) is not positive semi-definite, its smallest eigenvalue is "
                f"{values[0]:.6g}; both must be averages over the same outputs"
            )
        null = values <= len(mean) * max(_NULL_TOLERANCE * values[-1], _ROUNDING * scale)
        self._null = vectors[:, null]  # directions in which ψ does not vary

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.structure!r})"

    # Facts.

    @property
    def n_features(self) -> int:
        """Length d of ψ."""
        return len(self._mean)

    def count(self) -> int:
        """Raise CapabilityError: functions do not tell how many outputs there are."""
        raise CapabilityError(
            f"{self.structure!r} is given by functions, which do not say how many outputs there are; from_structures "
            "counts and lists them"
        )

    def log_count(self) -> float:
        """Return the natural logarithm of the number of outputs; CapabilityError if the user did not give it."""
        if math.isnan(self._log_count):
            raise CapabilityError(
                f"{self.structure!r} is given by a sampler, which does not say how many outputs there are; give "
                "log_count"
            )
        return self._log_count

    def mean(self) -> NDArray[np.float64]:
        """Return a copy of the mean ``(d,)`` of ψ."""
        mean: NDArray[np.float64] = self._mean.copy()
        return mean

    def second_moment(self) -> NDArray[np.float64]:
        """Return a copy of the second moment ``(d, d)`` of ψ."""
        second: NDArray[np.float64] = self._second_moment.copy()
        return second

    def covariance(self) -> NDArray[np.float64]:
        """Return the covariance ``(d, d)`` of ψ."""
        return self._second_moment - np.outer(self._mean, self._mean)

    def loss_entries(self) -> None:
        """Return None: losses count all entries of ψ."""

    def require_preimage(self) -> None:
        """Raise CapabilityError: the user's `decode` maximises linear scores only."""
        self._refuse_squares()

    def indicators(self, psi: FloatArray) -> None:
        """Return None: the user's names of entries make no statements."""

    # Outputs.

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        """Return the outputs as parts of objects, shape ``(n, 1)``."""
        if y is None:
            raise ValueError(f"{argument} is None; this requires {argument} to be passed")
        if issparse(y):
            raise TypeError(f"{argument} is a sparse matrix; pass a dense array ({argument}.toarray())")
        items = list(y.to_numpy() if hasattr(y, "to_numpy") else y)
        if not items:
            raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
        return _column(items)

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
        """Return ψ of every row, which the default metric compares."""
        return self._embedded(self.encode(y, argument)[:, 0], argument)

    def check(self, parts: NDArray[Any]) -> None:
        """Raise ValueError for the first row whose ψ contradicts the moments."""
        self.embed(parts)

    def embed(self, parts: NDArray[Any], n_threads: int | None = None) -> NDArray[np.float64]:
        """Return ψ of every row, shape ``(n, d)``.

        Raises
        ------
        TargetError
            For the first row whose ψ is illegal, or leaves the mean in a direction in which the moments have no
            variance.
        """
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

    def embed_targets(self, y: Any, n_threads: int | None = None) -> NDArray[np.float64]:
        """Return ψ of every row of training targets, shape ``(n, d)``."""
        return self.embed(self.encode(y), n_threads)

    def encode_targets(self, y: Any) -> tuple[NDArray[Any], bool]:
        """Return the outputs as parts of objects; all are known."""
        return self.encode(y), False

    def embed_sparse(self, y: Any) -> None:
        """Return None: the functions return dense ψ."""

    def free_values(self) -> None:
        """Return None: nothing is known about the entries of ψ."""

    # Lists and distributions. The library refuses these, as they take more than the moments; its error says what lacks.

    def listed(self) -> Iterator[NDArray[Any]]:
        """Raise CapabilityError at the first block: functions do not list the outputs."""
        yield structure_enumerate(self.description, 0, 1)

    def mirror(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Raise CapabilityError: nothing is known about siblings."""
        return structure_mirror(self.description, np.zeros((len(parts), 1), dtype=np.int32))

    def partition_cost(self, marginals: bool = False) -> tuple[str, float]:
        """Raise CapabilityError, as `log_partition` does."""
        return partition_cost(self.description, marginals=marginals)

    def log_partition(
        self, linear: NDArray[np.float64], marginals: bool = False, n_threads: int | None = None
    ) -> Partition:
        """Raise CapabilityError: exact sums need all outputs."""
        return log_partition(self.description, linear, marginals=marginals, n_threads=n_threads)

    def sample_distribution(
        self, linear: NDArray[np.float64], n_samples: int, seed: int, n_threads: int | None = None
    ) -> NDArray[Any]:
        """Raise CapabilityError: independent draws need all outputs; `draw` runs Markov chains."""
        return sample_distribution(self.description, linear, n_samples, seed, n_threads=n_threads)

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        """Return n outputs drawn by the user's sampler, in parts; CapabilityError if there is none."""
        draw, rng = self._sampler(), np.random.default_rng(seed)
        return _column([draw(rng) for _ in range(n)])

    def _sampler(self) -> Callable[[np.random.Generator], Any]:
        """Return the user's function that draws an output; CapabilityError if there is none."""
        if self._sample is None:
            raise CapabilityError(
                "this Custom structure has no sampler, a function that draws an output uniformly: give one to "
                "Custom.from_sampler(sample, embed, decode), or all outputs to Custom.from_structures, which needs none"
            )
        return self._sample

    def draw(
        self,
        linear: NDArray[np.float64],
        plan: Plan,
        start: NDArray[Any] | None = None,
        bound: NDArray[np.float64] | None = None,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> Drawn:
        """Return outputs drawn by Markov chains whose proposals come from the user's sampler."""
        self._sampler()  # whatever else is missing, nothing is drawn without
        return draw_by_proposals(self, linear, plan, start, bound)

    # Best outputs.

    def restricted(self, constraints: Any, n: int) -> RowConstraints:
        """Return a decoder of n rows under the user's constraints; CapabilityError unless these are empty."""
        return RowConstraints(self, constraints, n)

    def loss(self, cost: str = "auto") -> OutputLoss:
        """Return the loss between outputs that is called `cost`; CapabilityError if the structure does not have it."""
        return OutputLoss(self, cost)

    def score_bounds(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Raise CapabilityError: the user's `decode` proves no bound."""
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

    def decode(
        self,
        linear: NDArray[np.float64],
        magnitude: NDArray[np.float64] | None = None,
        how: Decoding = Decoding(),  # noqa: B008  # immutable
    ) -> Decoded:
        """Return the outputs that the user's `decode` finds, with certificates that prove nothing.

        Raises
        ------
        CapabilityError
            For decoders other than "auto" and "local-search", for squared scores, and if there is no `decode`.
        """
        if how.decoder == "milp":
            self.structure._best_by_program(linear[0], np.zeros(len(self._mean)))  # refuses
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
            "term -‖ψ‖²/2 that this needs; take loss='auc', or Custom.from_structures"
        )

    def _embedded(self, items: Any, argument: str, context: str = "") -> NDArray[np.float64]:
        """Return ψ of outputs by the user's `embed`; TargetError for the first that is not d finite numbers."""
        d, what = len(self._mean), f"embedding {len(items)} rows"
        psi = allocate((len(items), d), np.float64, f"{what} in {d} dimensions", "pass fewer rows at a time")
        for i, item in enumerate(items):
            try:
                psi[i] = real_vector(self._embed(item), d)
            except ValueError as error:
                raise TargetError(i, f"{context}embed gave {error}", argument) from error
        finite = np.isfinite(psi)  # checked for all rows at once, as chains embed many small batches
        if not finite.all():
            row = int(np.argmin(finite.all(axis=1)))
            raise TargetError(row, f"{context}embed gave {not_finite(psi[row])}", argument)
        return psi


def _column(items: list[Any]) -> NDArray[Any]:
    """Return outputs as parts of objects, shape ``(n, 1)``; NumPy must not look inside them."""
    parts = np.empty((len(items), 1), dtype=object)
    for i, item in enumerate(items):
        parts[i, 0] = item
    return parts


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
