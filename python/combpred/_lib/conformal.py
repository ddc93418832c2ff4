"""The Go core's sets of outputs of which no part is improbable, on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray, IndexArray, IntArray
from .call import computed
from .decode import Conditions
from .structure import Description


def least_probability(
    description: Description, marginals: FloatArray, parts: IntArray, n_threads: int | None = None
) -> FloatArray:
    """Return the least probability (n,) of a part of outputs (n, part_len), given E ψ (n, d).

    CapabilityError where E ψ does not tell probabilities of parts.
    """
    found: FloatArray = computed("cp_conformal_least", description, marginals, parts, n_threads=n_threads)
    return found


@dataclass(frozen=True)
class Sets:
    """Sets of n rows: for each the outputs of which no part is less probable than its threshold.

    Attributes
    ----------
    description : Description
        The structure.
    marginals : ndarray of shape (n, d)
        E ψ.
    thresholds : ndarray of shape (n,)
    conditions : Conditions or None
        What outputs must satisfy to be in the sets.
    n_threads : int or None
    """

    description: Description
    marginals: FloatArray
    thresholds: FloatArray
    conditions: Conditions | None = None
    n_threads: int | None = None

    def __getitem__(self, rows: IndexArray) -> Sets:
        held = None if self.conditions is None else self.conditions.taken(rows)
        return Sets(self.description, self.marginals[rows], self.thresholds[rows], held, self.n_threads)

    def _computed(self, function: str, *arguments: Any, **sizes: Any) -> Any:
        sets = {"marginals": self.marginals, "thresholds": self.thresholds}
        given = self.description, sets, self.conditions, *arguments
        return computed(f"cp_conformal_{function}", *given, **sizes, n_threads=self.n_threads)

    def contain(self, parts: IntArray) -> NDArray[np.bool_]:
        """Return whether each contains an output (n, part_len)."""
        inside: NDArray[np.uint8] = self._computed("contains", parts)
        return inside.view(np.bool_)

    def log_sizes(self) -> FloatArray:
        """Return ln of the number of outputs in each, −inf for none; CapabilityError where they are not counted."""
        sizes: FloatArray = self._computed("sizes")
        return sizes

    def allowed(self) -> NDArray[np.uint8]:
        """Return which values entries of ψ may have (n, d): the sum of 1 for −1, 2 for 0 and 4 for 1."""
        values: NDArray[np.uint8] = self._computed("allowed")
        return values

    def sample(self, n_samples: int, seed: int) -> IntArray:
        """Return uniform draws (n, n_samples, part_len); RowError for an empty set."""
        sizes = {"n_samples": n_samples, "part_len": self.description.shape.part_len}
        drawn: IntArray = self._computed("sample", seed, **sizes)
        return drawn
