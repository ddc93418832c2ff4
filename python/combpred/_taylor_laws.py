r"""Laws near the uniform one, by the counting formula: the moments of ψ in place of sums over the output space."""

from __future__ import annotations

import numpy as np

from ._errors import CapabilityError
from ._laws import FloatArray, LawEngine, Laws, LawSettings, Rows
from ._taylor import TaylorExpansion, expanded, require_moments, warn_of_sampled_moments


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
        require_moments(self.structure)
        warn_of_sampled_moments(self.structure)

    def in_training(self, n: int) -> LawEngine:
        return _TaylorTraining(self.settings)

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        found = expanded(self.structure, scores)
        n_samples = np.zeros(len(scores), dtype=np.int64)
        if not log_z:
            return Laws(found.marginals, None, None, None, n_samples, self.name)
        lower, upper = self._bounds(scores)
        # Far from the uniform law, the logarithm of a polynomial falls behind scores of any outputs.
        return Laws(found.marginals, np.clip(found.value, lower, upper), lower, upper, n_samples, self.name)

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
        expanded(self.structure, scores)


class _TaylorTraining(TaylorLaws):
    """The expansion without its range: a search may leave that on its way, and what counts is where it ends."""

    def __init__(self, settings: LawSettings) -> None:
        super().__init__(settings)
        self._expansion = TaylorExpansion(self.structure)

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        value, gradient, _ = self._expansion(scores)
        return Laws(gradient, value, None, None, np.zeros(len(scores), dtype=np.int64), self.name)
