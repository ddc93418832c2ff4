"""Laws known by samples alone: annealed partition functions, estimated means, and the chains that training keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ._annealing import MAX_STEPS, estimate_log_partition
from ._chain_means import chain_means, embedded, feature_range, independent_means
from ._chain_report import ChainDiagnostics, judge
from ._law_draws import chain_draws, chain_of, exact_draws, first_capable, lacking, natural_thin, refuse_long_past
from ._laws import FloatArray, LawEngine, Laws, LawSettings, Rows
from ._sampled_gradient import hoeffding_sample_size
from ._warn import warn_user

_CHAINS = 2  # that training keeps for each row; judged by four, two from each
_DRAWS = 4  # of each chain for a gradient ...
_FEW_ROWS, _MORE = 256, 8  # ... of this many rows; of fewer, as many more draws, up to 8 times, as noise is their limit
_SPACED = 2  # times as far apart are draws for covariances
_APART = 1.1


class SampledLaws(LawEngine):
    """Estimates for any row: ln Z by annealing, to the factor 1 ± ε, and means to ± ε, with probability 1 − δ each."""

    draws = True
    name = "mcmc"

    def check(self) -> None:
        if self.settings.sampler in ("exact", "cftp"):
            first_capable(self.structure, self.settings.sampler)
        else:
            chain_of(self.structure, self.settings.sampler)

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        seed = (self.settings.seed + 2**20 * _first(rows)) % 2**63
        if log_z and self._annealed_by() == "cftp":
            refuse_long_past(self.structure, scores, MAX_STEPS)  # the last levels are as good as the law itself
        expectations = self._means(scores, seed) if means else None
        n_samples = np.zeros(len(scores), dtype=np.int64)
        if not log_z:
            return Laws(expectations, None, None, None, n_samples, "mcmc")
        found = estimate_log_partition(
            self.structure, scores, epsilon=self.settings.epsilon, delta=self.settings.delta,
            sampler=self._annealed_by(), random_state=seed % 2**32, n_jobs=self.settings.n_threads,
            verbose=self.settings.verbose,
        )  # fmt: skip
        return Laws(expectations, found.value, found.lower, found.upper, found.n_samples, "mcmc")

    def _annealed_by(self) -> str:
        sampler = self.settings.sampler
        return first_capable(self.structure, sampler) if sampler == "cftp" else sampler

    def _means(self, scores: FloatArray, seed: int) -> FloatArray:
        given, reach = self.settings, feature_range(self.structure)
        method = self._drawn_by()
        if method not in ("local", "meta") and reach is not None:
            many = hoeffding_sample_size(given.epsilon, given.delta / scores.shape[1], reach)
            return independent_means(self.structure, method, scores, many, seed, given.n_threads)
        if method not in ("local", "meta"):
            method = chain_of(self.structure, "auto")
        found = chain_means(
            self.structure, method, scores, epsilon=given.epsilon, delta=given.delta, seed=seed,
            n_threads=given.n_threads, verbose=given.verbose,
        )  # fmt: skip
        bad = (found.error > given.epsilon) | (found.r_hat > _APART)
        if bad.any():
            row = int(np.argmax(np.where(bad, found.error, -np.inf)))
            warn_user(
                f"the chains of {int(bad.sum())} of {len(bad)} rows did not settle: expectations are known to within "
                f"±{found.error[row]:.2g} in the worst row, epsilon={given.epsilon:g} was asked for, and split R̂ is up "
                f"to {found.r_hat.max():.3g}; raise epsilon, or alpha, or take another sampler",
                ConvergenceWarning,
            )
        return found.means

    def _drawn_by(self) -> str:
        """Return the method that draws for means; "auto" prefers independent draws that cost as little as chains."""
        sampler = self.settings.sampler
        if sampler == "auto" and lacking(self.structure, "monotone") is None:
            return "monotone"
        if sampler in ("exact", "cftp"):
            return first_capable(self.structure, sampler)
        return chain_of(self.structure, sampler)

    def in_training(self, n: int) -> LawEngine:
        return TrainingLaws(self.settings, n)


class TrainingLaws(LawEngine):
    """Means of ψ from few samples, for descent: of chains that are kept from visit to visit, or fresh exact draws.

    The chains of a row move as its scores do: slowly, so that they stay near the law (Younes, 1999; Tieleman, 2008).
    """

    draws = True
    name = "mcmc"

    def __init__(self, settings: LawSettings, n: int) -> None:
        super().__init__(settings)
        fresh = settings.sampler in ("exact", "cftp")
        self.method = (
            first_capable(self.structure, settings.sampler) if fresh else chain_of(self.structure, settings.sampler)
        )
        self._fresh = fresh
        #: Half the draws of a row for a gradient.
        self.draws_per_chain = _DRAWS * min(_MORE, max(1, -(-_FEW_ROWS // n)))
        self._rng = np.random.default_rng(settings.seed)
        self._visited = np.zeros(n, dtype=np.bool_)
        self._states: NDArray[Any] | None = None  # (n, chains, part_len)
        self._thin = (4 if self.method == "meta" else 1) * natural_thin(self.structure, self.method)

    def check(self) -> None:
        """Pass: the method was found when this was made."""

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        n_samples = np.full(len(scores), _CHAINS * self.draws_per_chain, dtype=np.int64)
        return Laws(self.halves(rows, scores, 1).mean(axis=0), None, None, None, n_samples, "mcmc")

    def halves(self, rows: Rows, scores: FloatArray, times: int) -> FloatArray:
        """Return two estimates of the means, from draws independent of each other's, (2, k, d).

        `times` as many draws are taken as for a gradient.
        """
        psi = self._drawn(rows, scores, times * self.draws_per_chain, self._thin)
        means: FloatArray = psi.reshape(len(scores), _CHAINS, -1, psi.shape[2]).mean(axis=2)
        return np.swapaxes(means, 0, 1)

    def outputs(self, rows: Rows, scores: FloatArray, n: int) -> FloatArray | None:
        # Draws of a chain further apart than those for means, whose correlation would pass for a smaller covariance.
        return self._drawn(rows, scores, -(-n // _CHAINS), _SPACED * self._thin)[:, :n]

    def _drawn(self, rows: Rows, scores: FloatArray, draws: int, thin: int) -> FloatArray:
        """Return ψ of draws (k, 2 draws, d), the first half independent of the second."""
        threads = self.settings.n_threads
        if self._fresh:
            seed = int(self._rng.integers(2**63))
            parts = exact_draws(self.structure, self.method, scores, _CHAINS * draws, seed, threads)
            return embedded(self.structure, parts, threads)
        numbers = np.arange(len(self._visited))[rows]
        found = np.empty((len(scores), _CHAINS * draws, scores.shape[1]))
        known = self._visited[numbers]
        for old in (True, False):
            some = np.flatnonzero(known == old)
            if len(some):
                found[some] = self._advanced(numbers[some], scores[some], draws, thin, warm=old)
        return found

    def _advanced(
        self, numbers: NDArray[np.intp], scores: FloatArray, draws: int, thin: int, *, warm: bool
    ) -> FloatArray:
        repeated = np.repeat(scores, _CHAINS, axis=0)
        start = None
        if warm:
            assert self._states is not None
            start = self._states[numbers].reshape(len(repeated), -1)
        plan = (draws, 0 if warm else 16 * self._thin, thin)
        drawn = chain_draws(
            self.structure, self.method, repeated, plan, int(self._rng.integers(2**63)), start,
            self.settings.n_threads,
        )  # fmt: skip
        if self._states is None:
            shape = (len(self._visited), _CHAINS, drawn.y.shape[2])
            self._states = np.empty(shape, dtype=drawn.y.dtype)
        self._states[numbers] = drawn.y[:, -1].reshape(len(numbers), _CHAINS, -1)
        self._visited[numbers] = True
        psi = embedded(self.structure, drawn.y, self.settings.n_threads)
        return psi.reshape(len(numbers), _CHAINS * draws, -1)

    @property
    def is_chained(self) -> bool:
        """Whether there are chains to be judged."""
        return not self._fresh

    def diagnosed(self, numbers: NDArray[np.intp], scores: FloatArray) -> ChainDiagnostics:
        """Judge the chains of some rows, which have been visited, at the scores that training ended with."""
        assert self._states is not None
        start = np.repeat(self._states[numbers], 2, axis=1)
        seed = int(self._rng.integers(2**62))
        report = judge(
            self.structure, self.method, scores, first_row=0, seed=seed,
            start=start.reshape(-1, start.shape[2]), n_threads=self.settings.n_threads,
        ).report  # fmt: skip
        return replace(report, rows=numbers.astype(np.int64))


def _first(rows: Rows) -> int:
    return int(rows.start or 0) if isinstance(rows, slice) else int(rows[0])
