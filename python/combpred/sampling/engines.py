"""What training and prediction ask of the distributions of rows, and the engines that answer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.warn import warn_user
from .._lib.call import get_n_threads
from .._lib.errors import CapabilityError
from ..structures import PartialOrders, SpanningTrees, Structure
from ._annealing import MAX_STEPS, estimate_log_partition
from ._chain_means import chain_means, embedded, feature_range, independent_means
from ._diagnostics import ChainDiagnostics, judge
from ._marginals import hoeffding_sample_size
from ._taylor import TaylorExpansion, expanded, require_moments, warn_of_sampled_moments
from .draws import chain_draws, chain_of, exact_draws, first_capable, lacking, natural_thin, refuse_long_past

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp] | slice

#: Seconds of one processor that "auto" spends on exact laws in one call.
EXACT_SECONDS = 300.0
#: Elementary operations in a second of a processor, measured: 2.5e8 to 7e8 for the recursions over subsets (cycles,
#: permutations, weak orders, assignments), which are the slowest, and more where the operations are those of a BLAS or
#: of a list of members.
_RATE = 3e8
_RATES: dict[type[Structure], float] = {SpanningTrees: 4e9, PartialOrders: 5e9}
#: Evaluations of all rows that training is taken to need: L-BFGS took 6 to 60.
TRAINING_VISITS = 60

_CHAINS = 2  # that training keeps for each row; judged by four, two from each
_DRAWS = 4  # of each chain for a gradient ...
_FEW_ROWS, _MORE = 256, 8  # ... of this many rows; of fewer, as many more draws, up to 8 times, as noise is their limit
_SPACED = 2  # times as far apart are draws for covariances
_APART = 1.1


class Laws(NamedTuple):
    """What was asked about the laws of k rows.

    Attributes
    ----------
    means : ndarray of shape (k, d) or None
        Expectations of ψ, exact or estimated.
    log_z, lower, upper : ndarray of shape (k,) or None
        ln Z and bounds on it.
    n_samples : ndarray of shape (k,), int64
        Samples that were drawn for ln Z.
    engine : str
        What computed them, as `LogPartition.method` says.
    """

    means: FloatArray | None
    log_z: FloatArray | None
    lower: FloatArray | None
    upper: FloatArray | None
    n_samples: NDArray[np.int64]
    engine: str


@dataclass(frozen=True)
class LawSettings:
    """What engines take from the parameters of a model.

    Attributes
    ----------
    structure : Structure
    sampler : str
    epsilon, delta : float
    seed : int
        Of engines that draw.
    n_threads : int or None
    verbose : int
    """

    structure: Structure
    sampler: str = "auto"
    epsilon: float = 0.1
    delta: float = 0.05
    seed: int = 0
    n_threads: int | None = None
    verbose: int = 0


class LawEngine(ABC):
    """One method of inference. To add one, enter it in `ENGINES`.

    Attributes
    ----------
    draws : bool
        Whether it draws: then it needs a seed, and training with it descends by sampled gradients.
    """

    draws: ClassVar[bool] = False

    def __init__(self, settings: LawSettings) -> None:
        self.settings = settings
        self.structure = settings.structure

    @property
    @abstractmethod
    def name(self) -> str:
        """What `inference_` calls it."""

    @abstractmethod
    def check(self) -> None:
        """Raise CapabilityError, before any work, where the structure lacks what the engine needs."""

    @abstractmethod
    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        """Return what is asked about the laws of rows of finite scores (k, d); more, where it comes along.

        `rows` are their numbers among all rows, which tell their random streams apart.
        """

    def outputs(self, rows: Rows, scores: FloatArray, n: int) -> FloatArray | None:
        """Return ψ of n independent draws from each law, (k, n, d), or None where it cannot be drawn from at once."""
        return None

    def in_training(self, n: int) -> LawEngine:
        """Return the engine for the laws of n training rows, whose scores change little from visit to visit."""
        return self

    def settled(self, scores: FloatArray) -> None:  # noqa: B027  # most methods have no range
        """Warn, after training, where the laws of the training rows are outside the range of the method."""


class ExactLaws(LawEngine):
    """Recursions and closed forms of the structure, or enumeration of its members."""

    @property
    def name(self) -> str:
        return self.structure.space.partition_cost(marginals=True)[0]

    def check(self) -> None:
        try:
            self.structure.space.partition_cost(marginals=True)
        except CapabilityError as error:
            raise CapabilityError(f"inference='exact' is not possible: {error}; or take inference='mcmc'") from None

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        log_z_, marginals, engine = self.structure.space.log_partition(scores, means, self.settings.n_threads)
        return Laws(marginals, log_z_, log_z_, log_z_, np.zeros(len(scores), dtype=np.int64), engine)

    def outputs(self, rows: Rows, scores: FloatArray, n: int) -> FloatArray | None:
        # The draws steer a search and leave where it ends alone: their seed may be any.
        first = int(rows.start or 0) if isinstance(rows, slice) else 0
        parts = self.structure.space.sample_distribution(scores, n, first, self.settings.n_threads)
        psi = self.structure.space.embed(parts.reshape(-1, parts.shape[2]), self.settings.n_threads)
        return np.swapaxes(psi.reshape(n, len(scores), -1), 0, 1)


class Work(NamedTuple):
    """How often the laws of how many rows are asked for."""

    rows: int
    visits: int = 1


def exact_seconds(structure: Structure, work: Work) -> float:
    """Return about how long exact laws take on one processor, infinite where the structure is too large."""
    try:
        _, cost = structure.space.partition_cost(marginals=True)
    except CapabilityError:
        return math.inf
    return work.rows * work.visits * cost / _RATES.get(type(structure), _RATE)


def settled_method(inference: str, structure: Structure, work: Work) -> str:
    """Return the method that `inference` names; for "auto", exact laws where they take no more than the constant."""
    if inference != "auto":
        return inference
    return "exact" if exact_seconds(structure, work) <= EXACT_SECONDS else "mcmc"


def engine_of(
    model: Any, method: str, *, epsilon: float | None = None, delta: float | None = None, random_state: Any = None
) -> LawEngine:
    """Return the engine for a fitted model's structure; arguments that are None are the model's parameters."""
    kind, seed = ENGINES[method], 0
    if kind.draws:
        rng = check_random_state(model.random_state if random_state is None else random_state)
        seed = int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64))
    settings = LawSettings(
        model.structure_, model.sampler, float(model.epsilon if epsilon is None else epsilon),
        float(model.delta if delta is None else delta), seed, get_n_threads(model.n_jobs), int(model.verbose),
    )  # fmt: skip
    return kind(settings)


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
            best = self.structure.space.decode(scores)
        except CapabilityError:  # a user's own structure without a decoder
            return np.full(len(scores), -np.inf), np.full(len(scores), np.inf)
        if self.structure.moments_info.kind == "exact":
            low = log_count + scores @ self.structure.mean()
        else:
            low = log_count - self.structure.space.decode(-scores).upper_bound
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


#: To add a method of inference, subclass `LawEngine` and enter it here.
ENGINES: dict[str, type[LawEngine]] = {"exact": ExactLaws, "mcmc": SampledLaws, "taylor": TaylorLaws}
