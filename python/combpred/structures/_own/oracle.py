"""Independence systems: sets of elements, with all subsets of each, that a user's membership oracle tells.

A system whose members a bounded number of questions finds is listed, and the library computes everything else. Of
others, predictions have the guarantees of searches for hereditary properties, and moments are the
user's, those of a sampler, or those of all sets of elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data.targets import TargetError
from ..._lib.arrays import FloatArray
from ..._lib.decode import Decoded, Decoding
from .._search.hereditary import SetProperty, decode_hereditary
from .._space import MomentsInfo
from .chains import column
from .computed import PythonSpace, outputs_of
from .functions import Functions, held_losses, real_array
from .listed import ListedSpace

_QUESTIONS = 2**15  # about membership, in which a system is listed


class Oracle:
    """An independence system on numbered elements; what it does to outputs can be pickled.

    Parameters
    ----------
    n_elements : int
    contains : callable
        Function of a read-only bool array ``(n_elements,)``: whether that set is a member.
    weights : array-like of shape (n_elements,) or None
        Measures of the elements: ψ has their roots. None: 1.
    """

    def __init__(self, n_elements: int, contains: Callable[[Any], Any], weights: ArrayLike | None) -> None:
        self.n = int(n_elements)
        measures = np.ones(self.n) if weights is None else real_array(weights, "weights", self.n)
        if not (measures > 0).all():
            raise ValueError(f"Custom: weights[{int(np.argmin(measures))}] is {measures.min():g}, must be positive")
        self.roots: FloatArray = np.sqrt(measures)
        self.property = SetProperty([str(e) for e in range(self.n)], contains, "Custom: contains", "element")

    def mask(self, y: Any) -> NDArray[np.bool_]:
        """Return an output as a bool array; ValueError unless it has a 0 or 1 for every element."""
        values = np.asarray(y)
        if values.shape != (self.n,) or values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
            raise ValueError(f"an output is an array of {self.n} zeros and ones, one for each element, got {y!r:.80}")
        return values.astype(np.bool_)

    def contains(self, y: Any) -> bool:
        """Return whether an output is a member."""
        return self.property.holds(self.mask(y))

    def embed(self, y: Any) -> FloatArray:
        """Return ψ of an output."""
        return self.mask(y) * self.roots

    def flipped(self, y: Any, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return an output with one element more or less, which need not be a member."""
        other = np.array(y, dtype=np.int32)
        other[rng.integers(self.n)] ^= 1
        return other

    def bound(self, scores: FloatArray) -> float:
        """Return the largest magnitude of the score of any set of elements."""
        gains = scores * self.roots
        return float(max(gains[gains > 0].sum(), -gains[gains < 0].sum()))

    @cached_property
    def members(self) -> NDArray[np.int32] | None:
        """All members, shape ``(k, n)``; None where a bounded number of questions does not find them."""
        found, open_sets, asked = [np.zeros(self.n, dtype=np.bool_)], [(0, 0)], 0
        while open_sets:
            at, first = open_sets.pop()
            for e in range(first, self.n):
                asked += 1
                if asked > _QUESTIONS:
                    return None
                larger = found[at].copy()
                larger[e] = True
                if self.property.holds(larger):
                    open_sets.append((len(found), e + 1))
                    found.append(larger)
        return np.array(found, dtype=np.int32)

    def decode(self, linear: FloatArray, magnitude: FloatArray | None, how: Decoding) -> Decoded:
        """Return best members as far as questions find them."""
        scores = linear * self.roots if magnitude is None else linear * self.roots + magnitude * np.square(self.roots)
        found = decode_hereditary(self.property, scores, None, how)
        return found._replace(y=column(list(found.y)))


class MembersSpace(ListedSpace):
    """An independence system that is listed; users give and get members as arrays of zeros and ones.

    Parameters
    ----------
    oracle : Oracle
    members : ndarray of shape (k, n)
        All members, of zeros and ones.
    functions : Functions
        The oracle's, and the user's own loss of two outputs.
    """

    def __init__(self, oracle: Oracle, members: NDArray[np.int32], functions: Functions) -> None:
        losses_of = None if functions.loss is None else partial(held_losses, functions.loss, members)
        super().__init__(members * oracle.roots, members, self._read, losses_of)
        self._oracle, self.members, self._functions, self.set_property = oracle, members, functions, oracle.property
        self._numbers = {held.tobytes(): i for i, held in enumerate(members.astype(np.bool_))}

    def _read(self, y: Any, argument: str) -> NDArray[np.int32]:
        masks = [self._oracle.mask(item) for item in outputs_of(y, argument, self._functions)]
        places = [self._numbers.get(held.tobytes(), -1) for held in masks]
        if -1 in places:
            row = places.index(-1)
            raise TargetError(
                row,
                f"contains is True for it, but adding its elements ({self.set_property.shown(masks[row])}) one by one "
                "does not lead to it; contains must be True for all its subsets",
                argument,
            )
        return np.array(places, dtype=np.int32)


def from_oracle(oracle: Oracle, given: dict[str, Any]) -> PythonSpace | ListedSpace:
    """Return the space of members of an independence system, given the other parameters of `Custom`."""
    functions = Functions(
        embed=oracle.embed,
        sample=given["sample"],
        contains=oracle.contains,
        propose=oracle.flipped,
        bound=oracle.bound,
        loss=given["loss"],
    )
    if oracle.members is not None:
        return MembersSpace(oracle, oracle.members, functions)
    if given["mean"] is not None or given["sample"] is not None:
        return PythonSpace(functions, given, oracle)
    mean = 0.5 * oracle.roots  # of all sets: elements are in half of them, pairs in a quarter
    second = np.outer(mean, mean) + np.diag(0.25 * np.square(oracle.roots))
    space = PythonSpace(functions, {**given, "mean": mean, "second_moment": second}, oracle)
    space.moments_info = MomentsInfo("relaxed")
    space.unrelaxed = "give the structure sample=, which draws its outputs uniformly"
    return space
