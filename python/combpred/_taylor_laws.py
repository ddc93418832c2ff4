r"""Laws near the uniform one, by the counting formula: the moments of ψ in place of sums over the output space."""

from __future__ import annotations

import numpy as np

from ._errors import CapabilityError
from ._laws import FloatArray, LawEngine, Laws, LawSettings, Rows
from ._taylor import TaylorExpansion, taylor_log_partition


class TaylorLaws(LawEngine):
    r"""The expansion :math:`Z \approx |\mathcal Y|\, e^{\langle f,\mu\rangle} (1 + \tfrac12 f^\top \Sigma f)`.

    Its gradient stands for the expectation of ψ, so that L-BFGS descends what it reports.
    """

    name = "taylor"

    def check(self) -> None:
        try:
            self.structure.log_count()
        except CapabilityError as error:
            raise CapabilityError(
                f"inference='taylor' needs the number of members: {error}; or take inference='mcmc'"
            ) from None

    def in_training(self, n: int) -> LawEngine:
        return _TaylorTraining(self.settings)

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        found = taylor_log_partition(self.structure, scores)
        lower, upper = self._bounds(scores) if log_z else (None, None)
        return Laws(found.marginals, found.value, lower, upper, np.zeros(len(scores), dtype=np.int64), "taylor")

    def _bounds(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds on ln Z that hold for any scores.

        Z lies between |𝒴| times the exponentials of the least and of the largest score, and is no less than that of
        any one output; where the mean μ of ψ is exact, Jensen's inequality gives ln Z ≥ ln |𝒴| + ⟨f, μ⟩.
        """
        log_count = self.structure.log_count()
        try:
            best = self.structure._decode_scores(scores)
        except CapabilityError:  # a user's own structure without a decoder
            return np.full(len(scores), -np.inf), np.full(len(scores), np.inf)
        if self.structure.moments_info.kind == "exact":
            low = log_count + scores @ self.structure.mean()
        else:
            low = log_count - self.structure._decode_scores(-scores).upper_bound
        return np.maximum(low, best.value), log_count + best.upper_bound

    def settled(self, scores: FloatArray) -> None:
        taylor_log_partition(self.structure, scores)


class _TaylorTraining(TaylorLaws):
    """The expansion without its range: a search may leave that on its way, and what counts is where it ends."""

    def __init__(self, settings: LawSettings) -> None:
        super().__init__(settings)
        self._expansion = TaylorExpansion(self.structure)

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        value, gradient, _ = self._expansion(scores)
        return Laws(gradient, value, None, None, np.zeros(len(scores), dtype=np.int64), self.name)
