"""The space of outputs that a structure describes, in the form that the package computes with.

A `Structure` is the user's description; its attribute ``space`` is what the rest of the package computes with. A space
is made once, gets all that it needs, and knows nothing of the structure. Its outputs are rows of parts (int32 arrays of
shape ``(n, part_len)``), its scores are float64 arrays of shape ``(n, d)``, and nothing is checked a second time.
`LibrarySpace` hands the work to the compiled library; its subclass `PythonSpace`, in `_own.computed`, hands what
concerns outputs to a user's functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._data.names import Names
from .._lib.arrays import FloatArray
from .._lib.call import computed
from .._lib.decode import Decoded, Decoding, best_outputs, decode
from .._lib.errors import CapabilityError, in_words_of
from .._lib.sampling import Drawn, Plan, Searched, chain_sample, search_chains
from .._lib.structure import (
    Description,
    structure_count,
    structure_embed,
    structure_encode,
    structure_enumerate,
    structure_sample,
)
from ._search.constraints import Restriction
from .costs import OutputLoss, WorstOutputs

_LISTING_BYTES = 2**25  # of a block of members, while all of them are listed

#: Function of the number of items, s and m, both (d,), and conditions, that returns an output of largest
#: ⟨s, ψ(y)⟩ + ⟨m, |ψ(y)|⟩ as a row of data, and a proven bound on the scores of all outputs.
Program = Callable[[int, FloatArray, FloatArray, Restriction], tuple[Any, float]]


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
    description : Description
        What the library makes it from.
    title : str
        What messages call it: the class of the structure.
    items, seconds : tuple or None, default=None
        Names of the items, and of what the second of two numbers stands for; None for numbers.
    is_single : bool, default=False
        Whether users write outputs as values, one of `items` or a number each, and not as rows.
    dtype : dtype, default=int32
        Of rows as users get them.
    program : callable or None, default=None
        Solves one row by an integer program; see `Program`.
    counted : ndarray of shape (d,), bool, or None, default=None
        The entries of ψ that losses count; None for all.

    Attributes
    ----------
    in_library : bool
        Whether the library knows the outputs. If so, their parts are int32, otherwise objects that the user's functions
        take.
    unrelaxed : str
        Advice where moments of all outputs are needed, and those of the space are of a larger one.
    parts_dtype : dtype
        Type of the parts of an output.
    facts : dict
        What ``cp_space_facts`` says of the space.
    part_len, n_features : int
        Number of parts of an output, and length d of ψ.
    entry_kind : str
        The values that the entries of ψ take; they determine which losses are affine in ψ.
    costs : tuple of str
        Names of the losses between outputs; the first is the one that "auto" stands for.
    decisions : tuple of str
        Decisions by distributions that the structure has beside "map" and "mbr".
    capabilities : frozenset of str
        What the library can do with the space.

    Raises
    ------
    ValueError
        When the description is illegal.
    """

    in_library = True
    unrelaxed = (
        "take moments='sampled' in the structure, or inference='mcmc' (method='annealed' of "
        "combpred.sampling.log_partition)"
    )
    parts_dtype: DTypeLike = np.int32

    def __init__(
        self,
        description: Description,
        title: str,
        *,
        items: Names | None = None,
        seconds: Names | None = None,
        is_single: bool = False,
        dtype: DTypeLike = np.int32,
        program: Program | None = None,
        counted: NDArray[np.bool_] | None = None,
    ) -> None:
        self.description, self.title = description, title
        self.items, self.seconds = items, seconds
        self.program, self.counted = program, counted
        self._is_single, self._dtype = is_single, dtype
        self._values = None if items is None else np.array(items)
        try:
            self.facts = description.space.facts  # which the library has for legal parameters only
        except ValueError as error:
            raise in_words_of(title, error) from None
        self.part_len, self.n_features, self._log_count = description.shape
        self.entry_kind: str = self.facts["entries"]
        self.costs: tuple[str, ...] = tuple(self.facts["costs"])
        self.decisions: tuple[str, ...] = tuple(self.facts["decisions"])
        self.capabilities = description.space.capabilities

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title})"

    # Facts.

    @property
    def has_indicators(self) -> bool:
        """Whether the entries of ψ are indicators, 0 or 1."""
        return self.entry_kind == "bits" and not self.facts["general"]

    @property
    def moments_info(self) -> MomentsInfo:
        """Where the mean and the second moment come from."""
        given = {"d": self.n_features, "mean": None, "second": None}
        info = computed("cp_space_moments", self.description, **given, n_threads=1)
        return MomentsInfo(info.kind, info.standard_error)

    @property
    def sums(self) -> Description:
        """What exact sums over the outputs are computed of; CapabilityError where there are none."""
        return self.description

    def count(self) -> int:
        """Return the exact number of members."""
        return structure_count(self.description)

    def log_count(self) -> float:
        """Return the natural logarithm of the number of members; CapabilityError if it is not known."""
        if math.isnan(self._log_count):
            remedy = "take a smaller size, or give Custom a log_count, as combpred.sampling.estimate_count estimates it"
            raise CapabilityError(f"{self.title}: the number of outputs is not known; {remedy}")
        return self._log_count

    def require_preimage(self) -> None:
        """Raise CapabilityError if the member of nearest ψ cannot be found, which predicting under "squared" needs."""
        if self.facts["general"]:  # of others ψ² is known
            self.decode(np.zeros((1, self.n_features)), np.zeros(self.n_features))

    def decides_by(self, loss: str, decision: str) -> tuple[str, str]:
        """Return the loss and the decision of ridge regression, with what suits the space in place of "auto"."""
        suited, usual = self.facts["loss"], {"auc": "score", "squared": self.facts["decision"]}
        if suited == "squared":
            try:
                self.require_preimage()
            except CapabilityError:
                suited = "auc"
        if loss == "auto":  # scores of the loss "squared" are expectations, by which sets would have all labels
            loss = "auc" if decision == "score" != usual[suited] else suited
        return loss, usual[loss] if decision == "auto" else decision

    def decide(self, scores: FloatArray, decision: str, conditions: Any, n_threads: int | None) -> Decoded:
        """Return the outputs of least expected loss under p(y) ∝ exp⟨s, ψ(y)⟩ for every row s, loss by loss."""
        given = self.description, {"d": self.n_features, "linear": scores}, decision, conditions
        y, value = computed("cp_sets_decide", *given, part_len=self.part_len, n_threads=n_threads)
        return Decoded(y, value, value.copy(), np.zeros(len(y)), np.ones(len(y), dtype=np.bool_))

    def decision_values(
        self, scores: FloatArray, decision: str, parts: NDArray[Any], n_threads: int | None
    ) -> FloatArray:
        """Return what outputs in parts are expected to be worth, as `decide` does."""
        rows = {"n": len(parts), "d": self.n_features, "linear": scores}
        return computed("cp_sets_value", self.description, rows, decision, parts, n_threads=n_threads)

    # Outputs.

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return y in the user's format, given parts of shape ``(n, part_len)``."""
        if not self._is_single:
            return parts.astype(self._dtype, copy=False)
        numbers = np.ascontiguousarray(parts[:, 0])
        return numbers if self._values is None else self._values[numbers]

    def embed(self, parts: NDArray[Any], n_threads: int | None = None, *, partial: bool = False) -> FloatArray:
        """Return ψ of every row, shape ``(n, d)``; ValueError for a row that is not a member.

        If `partial`, rows may be known in part, in spaces that have such rows: theirs is the mean of ψ.
        """
        return structure_embed(self.description, parts, partial=partial, n_threads=n_threads)

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
            return self.decode_within(linear, magnitude, how, [Restriction()] * len(linear))
        return self._search(linear, magnitude, how)

    def decodes_in_library(self, decoder: str) -> bool:
        """Whether all that `decode` does with a decoder is a call of the library."""
        return decoder != "milp"

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Do the same with a decoder that is not an integer program."""
        return decode(self.description, linear, magnitude, how.decoder, how.n_threads, how.seed, streams=how.streams)

    def decode_within(
        self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding, held: Sequence[Restriction]
    ) -> Decoded:
        """Decode rows under a restriction each where the library does not decode; RowError where none satisfies it."""
        from ._search.programs import decode_rows  # loads the solver

        return decode_rows(self.description, linear, magnitude, self.solve, held)

    def solve(
        self, linear: FloatArray, magnitude: FloatArray, restriction: Restriction
    ) -> tuple[NDArray[np.int32], float]:
        """Return an output of largest score for one row, in parts, and a bound on all, by an integer program."""
        if self.program is None:
            said = "take decoder='auto', which is exact where this structure can be solved exactly at its size"
            raise CapabilityError(f"{self.title} is not decoded as an integer program; {said}")
        row, bound = self.program(self.description.scalars["n"], linear, magnitude, restriction)
        return structure_encode(self.description, np.array([row], dtype=np.float64))[0], bound

    def k_best(
        self, linear: FloatArray, magnitude: FloatArray | None = None, **options: Any
    ) -> Iterator[NDArray[np.int32]]:
        r"""Return an iterator over outputs in parts, shape ``(1, part_len)``, best first, for scores of shape ``(d,)``.

        Parameters
        ----------
        linear : ndarray of shape (d,)
            Scores of the entries of ψ.
        magnitude : ndarray of shape (d,) or None, default=None
            Scores of their squares.
        **options
            `most`, `nu`, `method`, `n_threads` and `conditions`, as `best_outputs` takes them.
        """
        return best_outputs(self.description, linear, magnitude, **options)

    def score_bounds(self, linear: FloatArray) -> FloatArray:
        """Return a proven upper bound on the scores of all outputs for every row, shape ``(n,)``; see `decode`."""
        return self.decode(linear).upper_bound

    def loss(self, cost: str = "auto") -> OutputLoss:
        """Return the loss between outputs that is called `cost`; CapabilityError if the structure does not have it."""
        return OutputLoss(self, cost)

    worst: Callable[[NDArray[Any]], WorstOutputs]
    """Returns what finds the worst outputs against rows with outputs in parts, of spaces with the user's own loss."""

    own_losses: Callable[[NDArray[Any], NDArray[Any]], FloatArray]
    """Returns the user's own losses between outputs and as many predictions, both in parts."""

    # Distributions.

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        """Return n independent uniform members in parts, shape ``(n, part_len)``."""
        return structure_sample(self.description, n, seed)

    def draw(self, linear: FloatArray, plan: Plan, **options: Any) -> Drawn:
        """Return members drawn by Markov chains from p ∝ exp⟨s, ψ⟩ for every row s.

        Parameters
        ----------
        linear : ndarray of shape (n, d)
            Scores, one row for each distribution.
        plan : Plan
            Sampler, numbers of samples and steps, and seed.
        **options
            `start`, states in which the chains start (n, part_len); `bound`, upper bounds on the scores of all outputs
            (n,), for samplers that need them; `conditions` that the members satisfy; `n_threads` and `verbose`.
        """
        return chain_sample(self.description, linear, plan, **options)

    def search(self, linear: FloatArray, **options: Any) -> Searched:
        """Return the best outputs found along Markov chains for every row of `linear` (n, d); options of cp_search."""
        return search_chains(self.description, linear, **options)
