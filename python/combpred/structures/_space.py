"""The space of outputs that a structure describes, in the form that the package computes with.

A `Structure` is the user's description; its attribute ``space`` is what the rest of the package calls. In a space,
outputs are rows of parts (int32 arrays of shape ``(n, part_len)``), scores are float64 arrays of shape ``(n, d)``, and
nothing is checked a second time. `LibrarySpace` hands the work to the compiled library; its subclass `PythonSpace`, in
`_own.computed`, hands what concerns outputs to a user's functions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from .._data.forms import Frame
from .._data.targets import encoded_rows
from .._lib.arrays import FloatArray, require_memory
from .._lib.decode import Decoded, Decoding, best_outputs, decode
from .._lib.errors import CapabilityError, in_words_of
from .._lib.partition import Partition, decide_sets, log_partition, partition_cost, sample_distribution, value_sets
from .._lib.sampling import Drawn, Plan, chain_sample
from .._lib.structure import (
    Description,
    structure_capabilities,
    structure_count,
    structure_embed,
    structure_enumerate,
    structure_layout,
    structure_mean,
    structure_moments,
    structure_sample,
    structure_second_moment,
)
from ._classes import sorted_classes, sorted_probabilities, values_of
from ._search.constraints import Restriction, RowConstraints
from .costs import OWN, OutputLoss, WorstOutputs

if TYPE_CHECKING:
    from ._base import Structure


#: The values that the entries of ψ take. "bits": 0 and 1. "signs": −1 and 1. "signs and zeros": −1, 0 and 1. "signs and
#: ties": a first half of −1, 0 and 1, and a second half that is 1 where the first is 0. "numbers": any real numbers.
#: "unknown": nothing is known about them.
EntryKind = Literal["bits", "signs", "signs and zeros", "signs and ties", "numbers", "unknown"]

_LISTING_BYTES = 2**25  # of a block of members, while all of them are listed


@dataclass(frozen=True)
class MomentsInfo:
    """Where the mean and the second moment of a structure come from.

    Attributes
    ----------
    kind : {"exact", "relaxed", "sampled"}
        "exact": evaluated in closed form from exact counts, or averaged over a list of all members. "relaxed": exact
        moments of a larger space that contains the members. "sampled": estimated from samples.
    standard_error : float
        The largest standard error of an entry of the second moment; 0 unless `kind` is "sampled".
    """

    kind: Literal["exact", "relaxed", "sampled"] = "exact"
    standard_error: float = 0.0


class LibrarySpace:
    """A space whose computations are done by the compiled library; subclasses do some of them in other ways.

    Parameters
    ----------
    structure : Structure
        With all sizes known. Its hooks translate between the user's format and parts.

    Attributes
    ----------
    in_library : bool
        Whether the library knows the outputs. If so, their parts are int32, otherwise objects that the user's functions
        take.
    parts_dtype : dtype
        Type of the parts of an output.

    Raises
    ------
    ValueError
        When a size is not known yet, or a parameter is illegal; raised by the first method that is called.
    """

    in_library = True
    parts_dtype: DTypeLike = np.int32

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.structure!r})"

    # Facts.

    @cached_property
    def description(self) -> Description:
        """The description that the library reads, made once."""
        description = self.structure._describe()
        description = replace(description, names=self.structure._called())
        try:
            _ = description.shape  # which the library finds for legal parameters only
        except ValueError as error:
            raise in_words_of(type(self.structure).__name__, error) from None
        return description

    @property
    def part_len(self) -> int:
        """Number of int32 parts of an output."""
        return self.description.shape.part_len

    @property
    def n_features(self) -> int:
        """Length d of ψ."""
        return self.description.shape.n_features

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of the library's capabilities for this space, as ``cp_space_facts`` lists them."""
        return structure_capabilities(self.description)

    @property
    def moments_info(self) -> MomentsInfo:
        """Where the mean and the second moment come from."""
        kind, standard_error = structure_moments(self.description)
        return MomentsInfo(cast(Literal["exact", "relaxed", "sampled"], kind), standard_error)

    @property
    def entry_kind(self) -> EntryKind:
        """The values that the entries of ψ take; they determine which losses are affine in ψ."""
        return self.structure._entries

    @property
    def costs(self) -> tuple[str, ...]:
        """Names of the losses between outputs; the first is the one that "auto" stands for."""
        return self.structure._costs

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions by distributions that the structure has beside "map" and "mbr"."""
        return self.structure._decisions

    def count(self) -> int:
        """Return the exact number of members."""
        return structure_count(self.description)

    def log_count(self) -> float:
        """Return the natural logarithm of the number of members; CapabilityError if it is not known."""
        log_count = self.description.shape.log_count
        if math.isnan(log_count):
            raise CapabilityError(
                f"{self.structure!r}: the number of members is not known at this size; take a smaller size"
            )
        return log_count

    def mean(self) -> FloatArray:
        """Return the mean ``(d,)`` of ψ over uniform members."""
        return structure_mean(self.description)

    def second_moment(self) -> FloatArray:
        """Return the second moment ``(d, d)`` of ψ over uniform members; MemoryError if it does not fit."""
        self._require_matrices("second_moment", copies=1)
        return structure_second_moment(self.description)

    def covariance(self) -> FloatArray:
        """Return the covariance ``(d, d)`` of ψ over uniform members; MemoryError if it does not fit."""
        self._require_matrices("covariance", copies=2)
        mean = structure_mean(self.description)
        moment = structure_second_moment(self.description)
        moment -= np.outer(mean, mean)
        return moment

    def _require_matrices(self, what: str, copies: int) -> None:
        """Raise MemoryError unless there is room for `copies` matrices of shape ``(d, d)``."""
        d = self.n_features
        require_memory(
            8 * copies * d * d,
            f"{what} of {self.structure!r}, {d} × {d} numbers,",
            "train without it (estimators form no such matrix where its spectrum is known) or use a smaller structure",
        )

    @property
    def sparse_format(self) -> type | None:
        """The class of predictions where y was sparse; None where they are arrays."""
        return self.structure._sparse_format

    @property
    def frame(self) -> Frame | None:
        """What y was as a data frame or a series when an estimator was fitted; None if it was none."""
        return self.structure._frame

    def column_names(self) -> Sequence[Hashable] | None:
        """Return the names of the columns of predictions; None if they have none."""
        names = self.structure._column_names()
        return names if names and (self.structure._columns or len(names) == self.part_len) else None

    def value_names(self) -> Sequence[Hashable] | None:
        """Return the names of the values of an output, classes, labels or grades; None if they have none."""
        return self.structure._names

    def second_names(self) -> Sequence[Hashable] | None:
        """Return the names of what items are assigned; None if it has none."""
        return self.structure._second_names

    def classes(self) -> NDArray[Any] | None:
        """Return the outputs in the format of y where they are classes of one row, sorted; None where they are not."""
        return sorted_classes(self.structure) if hasattr(self.structure, "_classes") else None

    def class_probabilities(self, marginals: FloatArray) -> FloatArray:
        """Return the probabilities of `classes` (n, k), given marginals (n, d)."""
        return sorted_probabilities(self.structure, marginals)

    def class_values(self, linear: FloatArray, magnitude: FloatArray | None) -> FloatArray:
        """Return ⟨s, ψ(y)⟩ + ⟨t, ψ(y)²⟩ of `classes` y (n, k), for scores s (n, d) and t (d,) of a decision."""
        return values_of(self.embed(self.encode(self.classes())), linear, magnitude)

    def loss_entries(self) -> NDArray[np.bool_] | None:
        """Return a mask ``(d,)`` of the entries of ψ that losses count, or None for all."""
        return self.structure._loss_entries()

    def require_preimage(self) -> None:
        """Raise CapabilityError if the member of nearest ψ cannot be found, which predicting under "squared" needs."""
        self.structure._require_preimage()

    @property
    def suits(self) -> str:
        """The loss by which ridge regression predicts best, as measured on held-out rows."""
        if self.description.space.facts["loss"] == "auc":
            return "auc"
        try:
            self.require_preimage()
        except CapabilityError:
            return "auc"
        return "squared"

    def decides_by(self, loss: str, decision: str) -> tuple[str, str]:
        """Return the loss and the decision of ridge regression, with what suits the space in place of "auto"."""
        usual = {"auc": "score", "squared": self.description.space.facts["decision"]}
        if loss == "auto":  # scores of the loss "squared" are expectations, by which sets would have all labels
            loss = "auc" if decision == "score" != usual[self.suits] else self.suits
        return loss, usual[loss] if decision == "auto" else decision

    def require_decision(self, decision: str) -> None:
        """Raise CapabilityError unless distributions on the space can decide so, with the decisions there are."""
        known = ("map", "mbr", *self.decisions)
        if decision not in known:
            raise CapabilityError(
                f"decision={decision!r} has no meaning for {type(self.structure).__name__}, whose decisions are "
                f"{', '.join(map(repr, known))}"
                + ("; it is the loss that Custom.from_structures(..., loss=) was given" if decision == OWN else "")
            )
        if decision not in ("mbr", "median"):  # which take the output of nearest ψ
            return
        try:
            self.require_preimage()
        except CapabilityError:
            raise CapabilityError(
                f"decision={decision!r} predicts the structure whose ψ is nearest to its expectation, which the "
                f"decoder of {self.structure!r} does not find: take decision='map'"
            ) from None

    def decide(self, scores: FloatArray, decision: str, conditions: Any, n_threads: int | None) -> Decoded:
        """Return the outputs of least expected loss under p(y) ∝ exp⟨s, ψ(y)⟩ for every row s, loss by loss."""
        return decide_sets(self.description, scores, decision, conditions, n_threads=n_threads)

    def decision_values(
        self, scores: FloatArray, decision: str, parts: NDArray[Any], n_threads: int | None
    ) -> FloatArray:
        """Return what outputs in parts are expected to be worth, as `decide` does."""
        return value_sets(self.description, scores, decision, parts, n_threads)

    @property
    def has_indicators(self) -> bool:
        """Whether the entries of ψ are indicators, 0 or 1."""
        return self.structure._has_indicators()

    def indicators(self, psi: FloatArray) -> FloatArray | None:
        """Return for every entry of ψ whether the statement that its name makes is true.

        Parameters
        ----------
        psi : ndarray of shape (n, d)
            Embeddings of outputs, or marginals.

        Returns
        -------
        indicators : ndarray of shape (n, d) or None
            1 or 0 for embeddings, probabilities for marginals. None if they cannot be read from ψ.
        """
        return self.structure._indicators(psi)

    @property
    def layout(self) -> Any:
        """The entries of ψ as cells of a matrix of items by items; None if they do not form one."""
        return structure_layout(self.description)

    # Outputs.

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        """Return y in parts, shape ``(n, part_len)``; ValueError for the first bad row, with the remedy.

        `argument` is what the error calls y.
        """
        return self.read(y, argument)

    def read(self, y: Any, argument: str, *, partial: bool = False) -> NDArray[Any]:
        """Do the same for rows that, if `partial`, may be known in part."""
        y = self.structure.ordered(y, argument)
        return encoded_rows(self.description, self.structure._numbers(y, argument), argument, partial=partial)

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return y in the user's format, given parts of shape ``(n, part_len)``."""
        return self.structure._decode_parts(parts)

    def compared(self, y: Any, argument: str) -> Any:
        """Return outputs in the format that the default metric takes; messages call them `argument`."""
        return y

    def check(self, parts: NDArray[Any]) -> None:
        """Raise ValueError for the first row that is not a member, where `encode` does not look."""

    def embed(self, parts: NDArray[Any], n_threads: int | None = None) -> FloatArray:
        """Return ψ of every row, shape ``(n, d)``; ValueError for a row that is not a member."""
        return structure_embed(self.description, parts, n_threads=n_threads)

    def embed_targets(self, y: Any, n_threads: int | None = None) -> FloatArray:
        """Return ψ of every row of training targets, shape ``(n, d)``; some structures accept partly known targets."""
        parts, partial = self.encode_targets(y)
        if partial:
            return structure_embed(self.description, parts, partial=True, n_threads=n_threads)
        return self.embed(parts, n_threads)

    def encode_targets(self, y: Any) -> tuple[NDArray[Any], bool]:
        """Return training targets in parts, and whether they may be known in part."""
        if not self.structure._partial:
            return self.encode(y), False
        parts = self.read(y, "y", partial=True)
        # Complete outputs embed several times faster. Others have a 0, or no last position.
        return parts, bool(((parts.min(axis=1) == 0) | (parts.max(axis=1) < parts.shape[1])).any())

    def embed_sparse(self, y: Any) -> sparse.csr_array | None:
        """Return ψ of every row of training targets in CSR format, or None if ψ is not sparse enough."""
        return self.structure._embed_sparse(self.structure.ordered(y))

    def listed(self) -> Iterator[NDArray[np.int32]]:
        """Yield all members as blocks of parts, shape ``(k, part_len)``, without a limit on their number."""
        # Reaching member number `skip` costs O(skip). Blocks double in size, so that listing all costs O(count).
        capacity, most = 1024, max(1024, _LISTING_BYTES // (4 * self.part_len))
        skip = 0
        asked = 0
        while skip == asked:  # a block that is not full is the last
            parts = structure_enumerate(self.description, skip, capacity)
            if len(parts):
                yield parts
            asked, skip = skip + capacity, skip + len(parts)
            capacity = min(2 * capacity, most)

    # Best outputs for scores.

    def decode(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = None,
        how: Decoding = Decoding(),  # noqa: B008  # immutable
    ) -> Decoded:
        """Return an output y of largest score for every row, with a certificate of its quality.

        Parameters
        ----------
        linear : ndarray of shape (n, d)
            Scores s of the entries of ψ.
        magnitude : ndarray of shape (d,) or (n, d), or None, default=None
            Scores m of their squares: the score of y is ⟨s, ψ(y)⟩ + ⟨m, ψ(y)²⟩. None: 0.
        how : Decoding, default=Decoding()
            Decoder, number of threads and seed.

        Raises
        ------
        CapabilityError
            When the decoder does not know the structure or is beyond its size.
        """
        if how.decoder == "milp":
            from ._search.programs import decode_rows  # loads the solver

            return decode_rows(self.description, linear, magnitude, repeat(self.structure._best_by_program))
        return self._search(linear, magnitude, how)

    def decodes_in_library(self, decoder: str) -> bool:
        """Whether all that `decode` does with a decoder is a call of the library."""
        return decoder != "milp"

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Do the same with a decoder that is not an integer program."""
        return decode(self.description, linear, magnitude, how.decoder, how.n_threads, how.seed, streams=how.streams)

    def decode_within(
        self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, held: Restriction
    ) -> Decoded | None:
        """Decode rows that share a constraint where the library does not decode; None where nothing satisfies it."""
        raise CapabilityError(f"{self.structure!r} takes no constraints; leave them out")

    def restricted(self, constraints: Any, n: int) -> RowConstraints:
        """Return a decoder of n rows under the user's constraints, after checking these."""
        return RowConstraints(self, constraints, n)

    def k_best(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None = None,
        *,
        nu: float = 1.0,
        max_results: int | None = None,
        n_threads: int | None = None,
        method: str = "auto",
    ) -> Iterator[Any]:
        r"""Return an iterator over outputs in the user's format, best first, for scores of shape ``(d,)``.

        Parameters
        ----------
        linear : ndarray of shape (d,)
            Scores of the entries of ψ.
        magnitude : ndarray of shape (d,) or None, default=None
            Scores of their squares.
        nu : float, default=1.0
            Outputs are listed while their score is at least :math:`(1-\nu)\max + \nu\min`; 1 lists all.
        max_results : int or None, default=None
            Largest number of outputs to list; None: no limit.
        n_threads : int or None, default=None
            Number of threads for decoding; None: as configured.
        method : str, default="auto"
            One of ``names.KBEST_METHODS``; "unordered" lists those of sibling systems without decoding for ``nu=0.5``.

        Yields
        ------
        y : one row in the structure's format
            Of several outputs with equal ψ, which no score tells apart, only one is listed.

        Raises
        ------
        CapabilityError
            When the structure has no exact decoder at its size, or an embedding that cannot be partitioned. Only later
            decodings raise errors during iteration; all others are raised at once.
        """
        outputs = self._best_parts(linear, magnitude, nu, max_results, n_threads, method)
        try:
            first = list(islice(outputs, 1))
        except CapabilityError as error:
            raise self._not_in_order(error) from None
        return self._best_outputs(first, outputs)

    def _best_parts(
        self,
        linear: FloatArray,
        magnitude: FloatArray | None,
        nu: float,
        most: int | None,
        n_threads: int | None,
        method: str,
    ) -> Iterator[NDArray[np.int32]]:
        """Yield the outputs of `k_best` as parts."""
        return best_outputs(self.description, linear, magnitude, most=most, nu=nu, method=method, n_threads=n_threads)

    def _best_outputs(self, first: list[NDArray[np.int32]], rest: Iterator[NDArray[np.int32]]) -> Iterator[Any]:
        """Yield outputs in the user's format, of which the first, if there is one, is found already."""
        try:
            for parts in chain(first, rest):
                yield from self.decode_parts(parts[np.newaxis])
        except CapabilityError as error:
            raise self._not_in_order(error) from None

    def _not_in_order(self, error: CapabilityError) -> CapabilityError:
        """Return the error that outputs cannot be listed in order, with the remedy."""
        reason = error.reason.removesuffix("; decode for the best one alone")
        return CapabilityError(
            f"{self.structure!r}: {reason}; take predict for the best one, and nu=0.5 lists those of sibling "
            "systems without decoding"
        )

    def score_bounds(
        self, linear: FloatArray, magnitude: FloatArray | None = None, n_threads: int | None = None
    ) -> FloatArray:
        """Return a proven upper bound on the scores of all outputs for every row, shape ``(n,)``; see `decode`."""
        return self.decode(linear, magnitude, Decoding(n_threads=n_threads)).upper_bound

    def loss(self, cost: str = "auto") -> OutputLoss:
        """Return the loss between outputs that is called `cost`; CapabilityError if the structure does not have it."""
        return OutputLoss(self, cost)

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        """Return what finds the worst outputs by the user's own loss against rows with outputs `parts`."""
        raise CapabilityError(f"{self.structure!r} has no loss of its own; give loss to a Custom structure")

    # Distributions.

    def partition_cost(self, marginals: bool = False) -> tuple[str, float]:
        """Return the name of the algorithm that computes partition functions, and its operations for one row."""
        return partition_cost(self.description, marginals=marginals)

    def log_partition(self, linear: FloatArray, marginals: bool = False, n_threads: int | None = None) -> Partition:
        """Return ln Z, and if `marginals` the mean of ψ, for each row of finite scores."""
        return log_partition(self.description, linear, marginals=marginals, n_threads=n_threads)

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        """Return n independent uniform members in parts, shape ``(n, part_len)``."""
        return structure_sample(self.description, n, seed)

    def sample_distribution(
        self, linear: FloatArray, n_samples: int, seed: int, n_threads: int | None = None
    ) -> NDArray[Any]:
        """Return independent draws from p ∝ exp⟨s, ψ⟩ for every row s, in parts ``(n_samples, n, part_len)``."""
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
        """Return members drawn by Markov chains from p ∝ exp⟨s, ψ⟩ for every row s.

        Parameters
        ----------
        linear : ndarray of shape (n, d)
            Scores, one row for each distribution.
        plan : Plan
            Sampler, numbers of samples and steps, and seed.
        start : ndarray of shape (n, part_len) or None, default=None
            States in which the chains start; None lets the sampler choose.
        bound : ndarray of shape (n,) or None, default=None
            Upper bounds on the scores of all outputs, for samplers that need them.
        n_threads : int or None, default=None
            Number of threads; None: as configured.
        verbose : int, default=0
            Whether to show progress.
        """
        return chain_sample(
            self.description, linear, plan, start=start, bound=bound, n_threads=n_threads, verbose=verbose
        )
