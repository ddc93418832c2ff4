"""Custom spaces that are given by functions: the library knows their moments, outputs only the user's functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import issparse

from ..._data.targets import TargetError
from ..._lib.abi import Control
from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding
from ..._lib.errors import CapabilityError, RowError
from ..._lib.names import RANDOM_DECODERS
from ..._lib.structure import Description, custom_check, moments_of_draws
from .._search.hereditary import SetProperty
from .._space import LibrarySpace, MomentsInfo
from ..costs import OWN, Worst, WorstOutputs
from .chains import Outputs, Proposals, best_proposals, certified, column, draw_by_proposals, proposals_of, search_space
from .functions import Functions, held_losses, loss_value, real_array, worst_of

if TYPE_CHECKING:
    from .oracle import Oracle


class PythonSpace(LibrarySpace):
    """A space that the library knows by its moments; its outputs only the user's functions understand.

    Parts are one column of objects. What takes a list of the outputs, or local moves between them, the library refuses.

    Parameters
    ----------
    functions : Functions
        The user's.
    given : dict
        The other parameters of `Custom`.
    solver : Oracle or None, default=None
        What takes the place of a decoder, if the library has one.

    Raises
    ------
    ValueError
        When the moments are not those of any distribution.
    """

    in_library = False
    parts_dtype: DTypeLike = np.object_
    moments_info = MomentsInfo()

    def __init__(self, functions: Functions, given: dict[str, Any], solver: Oracle | None = None) -> None:
        moments, self.moments_info = moments_of(functions, given)
        d = (math.isqrt(1 + 4 * len(moments)) - 1) // 2  # there are d + d²
        log_count = math.nan if given["log_count"] is None else given["log_count"]
        described = Description("custom", {"d": d, "members": 0}, None, np.append(log_count, moments))
        super().__init__(described, "Custom")
        self.functions, self._solver = functions, solver
        self.entry_kind = "unknown"
        if solver is not None:  # the library knows more than the user's functions
            self.entry_kind = "bits" if (solver.roots == 1.0).all() else "numbers"
        losses = {"bits": ("hamming", "zero-one"), "numbers": ("zero-one",)}
        self.costs = (*([] if functions.loss is None else [OWN]), *losses.get(self.entry_kind, ()))
        # What is estimated from the draws of `sample`.
        self.capabilities = frozenset(() if functions.sample is None else ("meta", "log-count"))
        self.n_proposals, self._seed = int(given["n_proposals"]), int(given["random_state"])
        self._proposals: dict[int, Proposals] = {}
        custom_check(self.description, np.empty((0, d)))

    # Facts.

    @property
    def set_property(self) -> SetProperty | None:
        """The property that sets of elements have as members; None where outputs are none."""
        return None if self._solver is None else self._solver.property

    def require_preimage(self) -> None:
        """Raise CapabilityError where `decode`, which takes no scores of squares, is all that predicts."""
        if self._solver is None and (self.functions.decode is not None or self.functions.sample is None):
            remedy = "take decision='score' or Custom.from_structures"
            raise CapabilityError(f"loss='squared' needs the term -‖ψ‖²/2, without which decode maximises: {remedy}")

    # Outputs.

    def encode(self, y: Any, argument: str = "y") -> NDArray[Any]:
        return column(outputs_of(y, argument, self.functions))

    def decode_parts(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Return one array if all outputs are numbers or arrays of one shape, otherwise a 1-D array of objects."""
        items = parts[:, 0]
        arrays = [np.asarray(item) for item in items if isinstance(item, (np.ndarray, np.number, np.bool_, bool, Real))]
        if len(arrays) == len(items) and len({a.shape for a in arrays}) == 1:
            return np.stack(arrays)
        return items.copy()

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

    draw = draw_by_proposals

    def sample(self, n: int, seed: int) -> NDArray[Any]:
        rng = np.random.default_rng(seed)
        return column([self.functions.draw(rng) for _ in range(n)])

    def proposals(self, n: int, control: Control | None = None) -> Proposals:
        """Return n uniform draws that serve the predictions of all rows; they are drawn once."""
        if n not in self._proposals:
            self._proposals[n] = proposals_of(self, n, self._seed, control or Control())
        return self._proposals[n]

    def outputs(self, rng_of: Callable[[int], np.random.Generator]) -> Outputs:
        """Return what makes the user's moves for chains of the library, given the generator of each row."""
        return Outputs(self, rng_of)

    # Best outputs.

    search: Any = search_space

    def score_bounds(self, linear: FloatArray) -> FloatArray:
        if self.functions.bounds_scores:
            return self.functions.bounds(linear)
        raise CapabilityError(f"{self.title}: scores have no proven bound; give radius= (at least each ‖ψ‖) or bound=")

    def worst(self, parts: NDArray[Any]) -> WorstOutputs:
        loss = self.functions.loss
        assert loss is not None
        self.functions.require_sampler()  # the worst outputs are searched among draws
        drawn = self.proposals(self.n_proposals)
        losses_of = held_losses(loss, drawn.items, parts[:, 0])

        def found(rows: NDArray[np.intp], psi_y: FloatArray, linear: FloatArray, slack: bool) -> Worst:
            losses, psi = losses_of(rows), None
            if self.functions.decode is not None:
                items = self._search(linear, None, Decoding()).y[:, 0]
                psi = self.functions.embedded(items, self.n_features, "scores")
                values = [loss_value(loss, parts[row, 0], z, row) for row, z in zip(rows, items, strict=True)]
                losses = np.column_stack([losses, values])
            return worst_of(losses, drawn.psi, psi_y, linear, slack, proven=False, own=psi)

        return found

    def own_losses(self, parts: NDArray[Any], predicted: NDArray[Any]) -> FloatArray:
        loss = self.functions.loss
        assert loss is not None
        pairs = zip(parts[:, 0], predicted[:, 0], strict=True)
        return np.array([loss_value(loss, y, z, row) for row, (y, z) in enumerate(pairs)])

    @property
    def has_decoder(self) -> bool:
        """Whether the user or the library decodes."""
        return self._solver is not None or self.functions.decode is not None

    def decodes_in_library(self, decoder: str) -> bool:
        return False

    def _search(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Return the outputs that the user's `decode` finds or, without one or where they are asked for, proposals."""
        functions = self.functions
        among_draws = how.decoder in ("approx", *RANDOM_DECODERS)
        if self._solver is not None and not among_draws:
            return self._solver.decode(linear, magnitude, how)
        if how.decoder == "exact":
            raise CapabilityError("decoder='exact' needs proof, which your functions do not give; take decoder='auto'")
        if functions.decode is None or among_draws:
            functions.require_sampler(
                "or give decode=, a function that returns an output of largest score"
                if functions.decode is None
                else "or take decoder='auto', which calls your decode"
            )
            return best_proposals(self, linear, magnitude, how)
        if magnitude is not None:
            self.require_preimage()
        items, context = [functions.decode(scores.copy()) for scores in linear], "what decode returned is no output: "
        functions.require_outputs(items, "scores", context)
        psi = functions.embedded(items, self.n_features, "scores", context)
        value, sums = np.einsum("ij,ij->i", linear, psi), None
        if functions.sibling is not None and items:
            siblings, other = functions.siblings(items, self.n_features)
            for i, score in enumerate(np.einsum("ij,ij->i", linear, other)):
                if score > value[i]:
                    items[i], value[i] = siblings[i], score
            sums = psi[0] + other[0]
        return certified(self, items, linear, None, value, sums=sums)


def outputs_of(y: Any, argument: str, functions: Functions) -> list[Any]:
    """Return the rows of y; ValueError for the first that is no output."""
    if issparse(y) or not hasattr(y, "__len__") or len(y) == 0:
        raise ValueError(f"{argument} must be a sequence of outputs, one for each row, got {y!r:.80}")
    items = list(y.to_numpy() if hasattr(y, "to_numpy") else y)
    functions.require_outputs(items, argument)
    return items


_BLOCK = 1024  # number of draws whose ψ is in memory at a time


def moments_of(functions: Functions, given: dict[str, Any]) -> tuple[FloatArray, MomentsInfo]:
    """Return mean and second moment, one behind the other, and where they come from."""
    if given["mean"] is not None or given["second_moment"] is not None:
        mean = real_array(given["mean"], "mean", None)
        second = real_array(given["second_moment"], "second_moment", len(mean), len(mean))
        return np.concatenate([mean, second.ravel()]), MomentsInfo()
    functions.require_sampler("or mean and second_moment")
    n, rng = int(given["n_moment_samples"]), np.random.default_rng(int(given["random_state"]))
    items = [functions.draw(rng)]
    d = len(real_array(functions.embed(items[0]), "what embed returns", None))
    if n <= d:
        raise ValueError(f"Custom: n_moment_samples={n} is too few for {d} features; take several times {d}")

    def drawn() -> Iterator[FloatArray]:
        for at in range(0, n, _BLOCK):
            items.extend(functions.draw(rng) for _ in range(min(_BLOCK, n - at) - len(items)))
            yield functions.embedded(items, d, "draws of sample")
            items.clear()

    moments, error = moments_of_draws(drawn(), d)
    return moments, MomentsInfo("sampled", error)
