"""The space of outputs that a structure describes, as it is computed with.

A `Structure` is the user's description; its attribute ``space`` is what the rest of the package computes with. There
outputs are rows of parts, scores are rows of numbers, and nothing is checked twice. Later rooms ask a structure for
nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from .._lib.chain import Drawn, Plan, chain_sample
from .._lib.decode import Decoded, Decoding, decode
from .._lib.errors import CapabilityError
from .._lib.maxmargin import AffineLoss
from .._lib.memory import require_memory
from .._lib.partition import Partition, log_partition, partition_cost, sample_distribution
from .._lib.structure import (
    Description,
    structure_capabilities,
    structure_check,
    structure_count,
    structure_embed,
    structure_enumerate,
    structure_mean,
    structure_mirror,
    structure_moments,
    structure_sample,
    structure_second_moment,
)
from ._search.constraints import RowConstraints
from ._search.k_best import best_outputs, better_halves, has_siblings
from .costs import Augmented, OutputLoss, loss_augmented

if TYPE_CHECKING:
    from ._base import Structure

FloatArray = NDArray[np.float64]

#: The values that entries of ψ take: 0 and 1; −1 and 1; these and 0; these, and after them an indicator of 0 for each;
#: other known ones; or nothing is known about them.
EntryKind = Literal["bits", "signs", "signs and zeros", "signs and ties", "numbers", "unknown"]

_CHUNK_BYTES = 2**25


@dataclass(frozen=True)
class MomentsInfo:
    """Where the mean and the second moment of a structure come from.

    Attributes
    ----------
    kind : {"exact", "relaxed", "sampled"}
        "exact": closed forms evaluated from exact counts, or averages over a list of all members. "relaxed": those of a
        larger space that contains the members. "sampled": estimated from samples.
    standard_error : float
        The largest standard error of an entry of the second moment; 0 unless sampled.
    """

    kind: Literal["exact", "relaxed", "sampled"] = "exact"
    standard_error: float = 0.0


class Space(Protocol):
    """What can be asked of a space of outputs, whether the library computes it or a user's functions.

    Attributes
    ----------
    structure : Structure
        The description that it is the space of.
    description : Description
        What the library knows of it.
    in_library : bool
        Whether the library knows the outputs, which are then int32; otherwise they are objects of the user's.
    is_listed : bool
        Whether all outputs are held in a list.
    parts_dtype : dtype
        Of the parts of an output.
    """

    structure: Structure
    in_library: bool
    is_listed: bool
    parts_dtype: DTypeLike

    # Facts.
    @property
    def description(self) -> Description: ...
    @property
    def part_len(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def moments_info(self) -> MomentsInfo: ...
    @property
    def entry_kind(self) -> EntryKind: ...
    @property
    def costs(self) -> tuple[str, ...]: ...
    def count(self) -> int: ...
    def log_count(self) -> float: ...
    def mean(self) -> FloatArray: ...
    def second_moment(self) -> FloatArray: ...
    def covariance(self) -> FloatArray: ...
    def loss_entries(self) -> NDArray[np.bool_] | None: ...
    def require_preimage(self) -> None: ...

    # Outputs.
    def encode(self, y: Any) -> NDArray[Any]: ...
    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]: ...
    def compared(self, y: Any, argument: str) -> Any: ...
    def check(self, parts: NDArray[Any]) -> None: ...
    def embed(self, parts: NDArray[Any], n_threads: int | None = None) -> FloatArray: ...
    def embed_targets(self, y: Any, n_threads: int | None = None) -> FloatArray: ...
    def embed_sparse(self, y: Any) -> sparse.csr_array | None: ...
    def listed(self) -> Iterator[NDArray[Any]]: ...
    def mirror(self, parts: NDArray[Any]) -> NDArray[Any]: ...
    def free_values(self) -> tuple[int, ...] | None: ...

    # Best outputs for scores.
    def decode(self, linear: FloatArray, magnitude: FloatArray | None = ..., how: Decoding = ...) -> Decoded: ...
    def restricted(self, constraints: Any, n: int) -> RowConstraints: ...
    def k_best(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = ...,
        *,
        nu: float = ...,
        max_results: int | None = ...,
        n_threads: int | None = ...,
    ) -> Iterator[Any]: ...
    def enumerate(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = ...,
        *,
        nu: float = ...,
        max_results: int | None = ...,
        n_threads: int | None = ...,
    ) -> Iterator[Any]: ...
    def score_bounds(self, linear: FloatArray, magnitude: FloatArray | None = ...) -> FloatArray: ...
    def loss(self, cost: str = ...) -> OutputLoss: ...
    def augmented(self, loss: AffineLoss, scores: FloatArray, how: Decoding) -> Augmented: ...

    # Distributions.
    def partition_cost(self, marginals: bool = ...) -> tuple[str, float]: ...
    def log_partition(self, linear: FloatArray, marginals: bool = ..., n_threads: int | None = ...) -> Partition: ...
    def sample(self, n: int, seed: int) -> NDArray[Any]: ...
    def sample_distribution(
        self, linear: FloatArray, n_samples: int, seed: int, n_threads: int | None = ...
    ) -> NDArray[Any]: ...
    def draw(
        self,
        linear: FloatArray,
        plan: Plan,
        start: NDArray[Any] | None = ...,
        bound: FloatArray | None = ...,
        n_threads: int | None = ...,
        verbose: int = ...,
    ) -> Drawn: ...


class LibrarySpace:
    """A space that the library computes.

    Parameters
    ----------
    structure : Structure
        With all sizes known. Its translations between the user's format and parts are used as they are.
    """

    in_library = True
    is_listed = False
    parts_dtype: DTypeLike = np.int32

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    # Facts.

    @cached_property
    def description(self) -> Description:
        return self.structure._describe()

    @property
    def part_len(self) -> int:
        return self.description.shape.part_len

    @property
    def n_features(self) -> int:
        return self.description.shape.n_features

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of what the library can do with the space, as cp_structure_capabilities lists them."""
        return structure_capabilities(self.description)

    @property
    def moments_info(self) -> MomentsInfo:
        kind, standard_error = structure_moments(self.description)
        return MomentsInfo(cast(Literal["exact", "relaxed", "sampled"], kind), standard_error)

    @property
    def entry_kind(self) -> EntryKind:
        """Which values the entries of ψ take, on which it depends which losses are affine in ψ."""
        return self.structure._entries

    @property
    def costs(self) -> tuple[str, ...]:
        """Losses between outputs, the one that is meant by "auto" first."""
        return self.structure._costs

    def count(self) -> int:
        return structure_count(self.description)

    def log_count(self) -> float:
        log_count = self.description.shape.log_count
        if math.isnan(log_count):
            raise CapabilityError(
                f"{self.structure!r}: the number of members is not known at this size; take a smaller size"
            )
        return log_count

    def mean(self) -> FloatArray:
        return structure_mean(self.description)

    def second_moment(self) -> FloatArray:
        self._require_square("second_moment", copies=1)
        return structure_second_moment(self.description)

    def covariance(self) -> FloatArray:
        self._require_square("covariance", copies=2)
        mean = structure_mean(self.description)
        moment = structure_second_moment(self.description)
        moment -= np.outer(mean, mean)
        return moment

    def _require_square(self, what: str, copies: int) -> None:
        d = self.n_features
        require_memory(
            8 * copies * d * d,
            f"{what} of {self.structure!r}, {d} × {d} numbers,",
            "train without it (estimators form no such matrix where its spectrum is known) or use a smaller structure",
        )

    def loss_entries(self) -> NDArray[np.bool_] | None:
        """Return which entries of ψ losses look at, None for all."""
        return self.structure._loss_entries()

    def require_preimage(self) -> None:
        """Raise CapabilityError unless the member of nearest ψ can be found, as predicting under "squared" asks."""
        self.structure._require_preimage()

    # Outputs.

    def encode(self, y: Any) -> NDArray[np.int32]:
        """Return y in parts, ``(n, part_len)``; ValueError naming the first bad row and the remedy."""
        return self.structure._encode(y)

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return y in the user's format for parts of shape ``(n, part_len)``."""
        return self.structure._decode_parts(parts)

    def compared(self, y: Any, argument: str) -> Any:
        """Return outputs as the default metric takes them."""
        return y

    def check(self, parts: NDArray[Any]) -> None:
        """Raise ValueError for the first row that is not a member of the space."""
        structure_check(self.description, parts)

    def embed(self, parts: NDArray[Any], n_threads: int | None = None) -> FloatArray:
        """Return ψ of every row, ``(n, d)``; ValueError for a row that is not a member."""
        return structure_embed(self.description, parts, n_threads=n_threads)

    def embed_targets(self, y: Any, n_threads: int | None = None) -> FloatArray:
        """Return ψ of every row of training targets, which some structures let be known in part."""
        return self.structure._embed_targets(y, n_threads)

    def embed_sparse(self, y: Any) -> sparse.csr_array | None:
        """Return ψ of every row of training targets as compressed rows, or None where few entries are zero."""
        return self.structure._embed_sparse(y)

    def listed(self) -> Iterator[NDArray[np.int32]]:
        """Yield all members in parts, in blocks ``(k, part_len)``, however many there are."""
        # Reaching member number `skip` costs O(skip), so blocks double: the whole listing stays O(count).
        capacity, most = 1024, max(1024, _CHUNK_BYTES // (4 * self.part_len))
        skip = 0
        asked = 0
        while skip == asked:  # a block that is not full is the last
            parts = structure_enumerate(self.description, skip, capacity)
            if len(parts):
                yield parts
            asked, skip = skip + capacity, skip + len(parts)
            capacity = min(2 * capacity, most)

    def mirror(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return the sibling of each row; CapabilityError where the structure is no sibling system."""
        return structure_mirror(self.description, parts)

    def free_values(self) -> tuple[int, ...] | None:
        """Return the values of the entries of ψ where every combination of them is a member, whose parts are its ψ."""
        return self.structure._free_values()

    # Best outputs for scores.

    def decode(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = None,
        how: Decoding = Decoding(),  # noqa: B008  # immutable
    ) -> Decoded:
        """Return for every row an output of largest ⟨linear, ψ(y)⟩ + ⟨magnitude, ψ(y)²⟩, with its certificate."""
        if how.decoder == "milp":
            from ._search.programs import decode_rows  # loads the solver

            return decode_rows(self.description, linear, magnitude, self.structure._best_by_program)
        return self._search(linear, magnitude, how)

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Decode by another method than an integer program."""
        return decode(self.description, linear, magnitude, how.decoder, how.n_threads, how.seed)

    def restricted(self, constraints: Any, n: int) -> RowConstraints:
        """Return the constraints on n rows as the user gave them, checked and ready to decode under."""
        return RowConstraints(self, constraints, n)

    def k_best(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = None,
        *,
        nu: float = 1.0,
        max_results: int | None = None,
        n_threads: int | None = None,
    ) -> Iterator[Any]:
        """Return an iterator over outputs in the user's format, best first, for scores of shape ``(d,)``."""
        return best_outputs(self, linear, magnitude, nu=nu, max_results=max_results, n_threads=n_threads)

    def enumerate(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = None,
        *,
        nu: float = 0.5,
        max_results: int | None = None,
        n_threads: int | None = None,
    ) -> Iterator[Any]:
        """Return an iterator over the outputs that `k_best` lists, in no order where that takes no decoding."""
        if nu == 0.5 and has_siblings(self, magnitude):
            return islice(better_halves(self, linear, magnitude), max_results)
        return self.k_best(linear, magnitude, nu=nu, max_results=max_results, n_threads=n_threads)

    def score_bounds(self, linear: FloatArray, magnitude: FloatArray | None = None) -> FloatArray:
        """Return proven bounds (n,) on ⟨linear, ψ(y)⟩ + ⟨magnitude, ψ(y)²⟩ over all outputs y, for every row."""
        return self.decode(linear, magnitude).upper_bound

    def loss(self, cost: str = "auto") -> OutputLoss:
        """Return a loss between outputs by its name; CapabilityError for one that the structure does not have."""
        return OutputLoss(self, cost)

    def augmented(self, loss: AffineLoss, scores: FloatArray, how: Decoding) -> Augmented:
        """Return for every row an output of largest loss plus score."""
        return loss_augmented(self, loss, scores, how)

    # Distributions.

    def partition_cost(self, marginals: bool = False) -> tuple[str, float]:
        """Return what computes partition functions, and how many operations it takes for a row."""
        return partition_cost(self.description, marginals=marginals)

    def log_partition(self, linear: FloatArray, marginals: bool = False, n_threads: int | None = None) -> Partition:
        """Return the partition functions, and on request the marginals, of rows of finite scores."""
        return log_partition(self.description, linear, marginals=marginals, n_threads=n_threads)

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        """Return n uniform members in parts."""
        return structure_sample(self.description, n, seed)

    def sample_distribution(
        self, linear: FloatArray, n_samples: int, seed: int, n_threads: int | None = None
    ) -> NDArray[Any]:
        """Return independent draws from p for rows of finite scores, in parts ``(n_samples, n, part_len)``."""
        return sample_distribution(self.description, linear, n_samples, seed, n_threads=n_threads)

    def draw(
        self,
        linear: FloatArray,
        plan: Plan,
        start: NDArray[Any] | None = None,
        bound: FloatArray | None = None,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> Drawn:
        """Return members drawn by Markov chains from p ∝ exp⟨s, ψ⟩ for every row s."""
        return chain_sample(
            self.description, linear, plan, start=start, bound=bound, n_threads=n_threads, verbose=verbose
        )
