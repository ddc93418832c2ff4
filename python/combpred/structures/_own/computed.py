"""Custom spaces that are given by functions: the library knows their moments, outputs only the user's functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import issparse

from ..._data.targets import TargetError
from ..._lib.abi import Control
from ..._lib.arrays import FloatArray
from ..._lib.control import reported
from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError, RowError, in_words_of
from ..._lib.names import RANDOM_DECODERS
from ..._lib.sampling import Drawn, Plan, Searched
from ..._lib.structure import Description, custom_check
from .._search.hereditary import SetProperty
from .._space import LibrarySpace, MomentsInfo
from ..costs import OWN, Worst, WorstOutputs
from .chain import Outputs, draw_by_proposals
from .functions import Functions
from .losses import HeldLosses, badness, loss_value, worst_of
from .moments import moments_of, optional_log_count
from .search import Proposals, best_proposals, certified, column, proposals_of, search_space

_NO_DECODER = (
    "this Custom structure has neither decode nor sample, so nothing can be predicted: give decode=, a function that "
    "returns an output y of largest scores @ embed(y) for scores of shape (d,), or sample=, whose draws are searched; "
    "fit, feature_scores and score_structures work without"
)
_NO_LIST = "a list of the outputs, which this Custom structure, given by functions, does not have"
_NO_PROPOSALS = (
    "needs uniform proposals: give the structure sample=, or take decoder='auto', which calls your decode, or "
    "Custom.from_structures, which is exact"
)


@dataclass(frozen=True)
class Solved:
    """What the library knows of a space beside the user's functions.

    Attributes
    ----------
    decode : callable
        Function of scores, scores of squares, and a `Decoding`, that finds best outputs as `decode` of a space does.
    held : SetProperty
        The property that sets of elements have as members.
    is_binary : bool
        Whether ψ has entries 0 and 1 only.
    why : str
        Why outputs are not listed, for messages.
    """

    decode: Callable[[FloatArray, FloatArray | None, Decoding], Decoded]
    held: SetProperty
    is_binary: bool
    why: str


class PythonSpace(LibrarySpace):
    """A space that the library knows by its moments; its outputs only the user's functions understand.

    Parts are one column of objects. What takes a list of the outputs, or local moves between them, the library refuses.

    Parameters
    ----------
    moments : ndarray of shape (1 + d + d²,)
        Natural logarithm of the number of outputs, NaN if it is not known; mean of ψ over all outputs; and mean of ψψᵀ.
    d : int
        Length of ψ.
    functions : Functions
        The user's.
    n_proposals : int
        Proposals for the prediction of one row, where there is no decoder.
    seed : int
        Of these proposals.
    solved : Solved or None, default=None
        What takes the place of a decoder, if the library has one.
    moments_info : MomentsInfo
        Where the moments come from.

    Raises
    ------
    ValueError
        When the moments are not those of any distribution.
    """

    in_library = False
    parts_dtype: DTypeLike = np.object_
    moments_info = MomentsInfo()

    def __init__(
        self,
        moments: FloatArray,
        d: int,
        functions: Functions,
        moments_info: MomentsInfo = MomentsInfo(),  # noqa: B008  # immutable
        n_proposals: int = 1,
        seed: int = 0,
        solved: Solved | None = None,
    ) -> None:
        super().__init__(Description("custom", {"d": d, "members": 0}, None, moments), "Custom")
        self.functions, self.n_proposals, self._seed = functions, n_proposals, seed
        self._solved = solved
        self._proposals: dict[int, Proposals] = {}
        self.moments_info = moments_info
        try:
            custom_check(self.description, np.empty((0, d)))
        except ValueError as error:
            raise in_words_of("Custom", error) from None

    # Facts.

    @property
    def set_property(self) -> SetProperty | None:
        """The property that sets of elements have as members; None where outputs are none."""
        return None if self._solved is None else self._solved.held

    @property
    def entry_kind(self) -> str:
        """ "unknown", unless the library knows more than the user's functions."""
        return "unknown" if self._solved is None else "bits" if self._solved.is_binary else "numbers"

    @property
    def costs(self) -> tuple[str, ...]:
        """Names of the losses between outputs; the first is the one that "auto" stands for."""
        own = () if self.functions.loss is None else (OWN,)
        return own + {"bits": ("hamming", "zero-one"), "numbers": ("zero-one",)}.get(self.entry_kind, ())

    def count(self) -> int:
        raise CapabilityError(
            f"{self.title} is given by functions, which do not say how many outputs there are; from_structures "
            "counts and lists them"
            if self._solved is None
            else f"{self.title} does not say how many outputs there are: it {self._solved.why}"
        )

    @property
    def capabilities(self) -> frozenset[str]:
        """What is estimated from the draws of `sample`."""
        return frozenset(() if self.functions.sample is None else ("meta", "log-count"))

    @property
    def sums(self) -> NoReturn:
        self._require_list()
        raise CapabilityError(f"exact sums run over {_NO_LIST}")

    def _require_list(self) -> None:
        """Raise CapabilityError that says why there is no list of outputs, where the library knows."""
        if self._solved is not None:
            raise CapabilityError(f"{self.title} {self._solved.why}")

    def log_count(self) -> float:
        log_count = self.description.shape.log_count
        if math.isnan(log_count):
            raise CapabilityError(
                f"{self.title} does not say how many outputs there are; give log_count, which "
                "combpred.sampling.estimate_count estimates"
            )
        return log_count

    def require_preimage(self) -> None:
        if self._solved is None and (self.functions.decode is not None or self.functions.sample is None):
            self._refuse_squares()

    # Outputs.

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        return column(outputs_of(y, argument, self.functions.is_output))

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
        return self.functions.embedded(self.encode(y, argument)[:, 0], self.n_features, argument)

    def embed(self, parts: NDArray[Any], n_threads: int | None = None, *, partial: bool = False) -> FloatArray:
        """Return ψ of every row; ValueError for a row whose ψ is illegal, or excluded by the moments."""
        psi = self.functions.embedded(parts[:, 0], self.n_features, "y")
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
        rng = np.random.default_rng(seed)
        return column([self.functions.draw(rng) for _ in range(n)])

    def proposals(self, n: int, control: Control | None = None) -> Proposals:
        """Return n uniform draws that serve the predictions of all rows; they are drawn once."""
        if n not in self._proposals:
            self._proposals[n] = proposals_of(self, n, self._seed, control or Control())
        return self._proposals[n]

    def draw(
        self,
        linear: FloatArray,
        plan: Plan,
        start: NDArray[Any] | None = None,
        bound: FloatArray | None = None,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> Drawn:
        if plan.method == "exact":
            self._require_list()
            raise CapabilityError(
                f"sampler='exact' draws from {_NO_LIST}; take sampler='meta', or 'cftp' or 'rejection' with a bound"
            )
        self.functions.require_sampler()  # whatever else is missing, nothing is drawn without
        if bound is None and self.functions.bounds_scores:
            bound = self.functions.bounds(linear)
        control = Control()
        with reported(control, "sampling", verbose=verbose):
            return draw_by_proposals(self, linear, plan, start, bound, control)

    def outputs(self, rng: np.random.Generator, scores: FloatArray | None = None) -> Outputs:
        """Return what makes the user's moves for chains of the library."""
        return Outputs(self, lambda _: rng, scores)

    # Best outputs.

    def score_bounds(
        self, linear: FloatArray, magnitude: FloatArray | None = None, n_threads: int | None = None
    ) -> FloatArray:
        if magnitude is None and self.functions.bounds_scores:
            return self.functions.bounds(linear)
        raise CapabilityError(
            f"{self.title}: this needs a proven bound on the scores of all outputs; give the structure "
            "radius=, a number that no ‖ψ(y)‖ exceeds, or bound="
        )

    def k_best(self, *scores: Any, **options: Any) -> Iterator[Any]:
        """Raise CapabilityError: the best output is not proven to be one, so the next one cannot be found."""
        self._require_list()
        raise CapabilityError(
            f"{self.title} is given by functions, whose best output is not proven to be one, so that the "
            "outputs that follow it cannot be found; Custom.from_structures lists them"
        )

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        loss = self.functions.loss
        assert loss is not None
        if self.functions.sample is None:
            raise CapabilityError("cost='own' is searched among draws, and there is no sampler: give sample=")
        drawn = self.proposals(self.n_proposals)
        held = HeldLosses(loss, drawn.items, parts)

        def found(rows: NDArray[np.intp], psi_y: FloatArray, linear: FloatArray, slack: bool) -> Worst:
            worst = worst_of(held.of(rows), drawn.psi, psi_y, linear, slack, proven=False)
            return (
                worst if self.functions.decode is None else self._or_decoded(worst, parts[rows], psi_y, linear, slack)
            )

        return found

    def _or_decoded(
        self, worst: Worst, parts: NDArray[Any], psi_y: FloatArray, linear: FloatArray, slack: bool
    ) -> Worst:
        """Return the worst outputs, or those of largest score where they are worse."""
        assert self.functions.loss is not None
        items = self._search(linear, None, Decoding()).y[:, 0]
        psi = self.functions.embedded(items, self.n_features, "scores")
        pairs = zip(parts[:, 0], items, strict=True)
        losses = np.array([loss_value(self.functions.loss, y, z, row) for row, (y, z) in enumerate(pairs)])
        worse = badness(losses, psi, psi_y, linear, slack) > badness(worst.loss, worst.psi, psi_y, linear, slack)
        return Worst(np.where(worse[:, np.newaxis], psi, worst.psi), np.where(worse, losses, worst.loss), False)

    @property
    def has_decoder(self) -> bool:
        """Whether the user or the library decodes."""
        return self._solved is not None or self.functions.decode is not None

    def search(self, linear: FloatArray, **options: Any) -> Searched:
        """Search along chains for outputs of largest score, as `search_space` says."""
        return search_space(self, linear, **options)

    def decodes_in_library(self, decoder: str) -> bool:
        return False

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Return the outputs that the user's `decode` finds or, without one or where they are asked for, proposals."""
        functions = self.functions
        if self._solved is not None and how.decoder not in ("approx", *RANDOM_DECODERS):
            return self._solved.decode(linear, magnitude, how)
        if how.decoder == "exact":
            raise CapabilityError(
                "decoder='exact' asks for proof, which a user's own functions do not give; take decoder='auto'"
            )
        proposed = functions.decode is None or how.decoder in ("approx", *RANDOM_DECODERS)
        if proposed and functions.sample is None:
            raise CapabilityError(
                _NO_DECODER if functions.decode is None else f"decoder={how.decoder!r} {_NO_PROPOSALS}"
            )
        if proposed:
            return best_proposals(self, linear, magnitude, how)
        if magnitude is not None:
            self._refuse_squares()
        assert functions.decode is not None
        items, context = (
            [functions.decode(scores.copy()) for scores in linear],
            "what decode returned there is no output: ",
        )
        for row, item in enumerate(items):
            if not functions.is_output(item):
                raise TargetError(row, f"{context}contains is False for it", "scores")
        psi = functions.embedded(items, self.n_features, "scores", context)
        value, sums = np.einsum("ij,ij->i", linear, psi), None
        if functions.sibling is not None:
            siblings, other = functions.siblings(items, self.n_features)
            for i, score in enumerate(np.einsum("ij,ij->i", linear, other)):
                if score > value[i]:
                    items[i], value[i] = siblings[i], score
            sums = psi[0] + other[0] if items else None
        return certified(self, items, linear, None, value, sums=sums)

    def _refuse_squares(self) -> NoReturn:
        """Raise CapabilityError: `decode` takes no scores of squares."""
        raise CapabilityError(
            "loss='squared' predicts the output whose ψ is nearest, and decode maximises scores @ embed(y) without the "
            "term -‖ψ‖²/2 that this needs; take decision='score' or Custom.from_structures"
        )


def outputs_of(y: Any, argument: str, is_output: Callable[[Any], bool]) -> list[Any]:
    """Return the rows of y; ValueError for the first that is no output."""
    if y is None:
        raise ValueError(f"{argument} is None; this requires {argument} to be passed")
    if issparse(y):
        raise TypeError(f"{argument} is a sparse matrix; pass a dense array ({argument}.toarray())")
    items = list(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if not items:
        raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
    for i, item in enumerate(items):
        try:
            is_member = is_output(item)
        except ValueError as error:
            raise TargetError(i, str(error), argument) from error
        if not is_member:
            reason = "contains is False for it, so it is no output; correct the row or contains"
            raise TargetError(i, reason, argument)
    return items


def from_functions(functions: Functions, given: dict[str, Any]) -> PythonSpace:
    """Return the space whose moments the user has computed, or that the draws of the user's sampler give.

    Parameters
    ----------
    functions : Functions
    given : dict
        The other parameters of `Custom`.

    Raises
    ------
    TypeError, ValueError
        When a parameter is illegal, when `embed` does not return ψ for a draw, or when there are too few draws for d.
    """
    log = optional_log_count(given["log_count"])
    moments, info = moments_of(functions, given)
    d = int((math.isqrt(1 + 4 * len(moments)) - 1) // 2)  # there are d + d²
    counts = int(given["n_proposals"]), int(given["random_state"])
    return PythonSpace(np.append(log, moments), d, functions, info, *counts)
