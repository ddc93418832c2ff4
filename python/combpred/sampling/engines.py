"""Engines of inference: how models compute E ψ and ln Z of p(y) ∝ exp⟨s, ψ(y)⟩, in training and afterwards.

A new method of inference is a class like those here, entered in `INFERENCE_ENGINES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._data.warn import warn_user
from .._lib.arrays import FloatArray
from .._lib.call import get_n_threads
from .._lib.decode import Conditions
from .._lib.errors import CapabilityError
from .._lib.partition import Asked, exact_is_affordable, log_partition, partition_cost
from ..structures import Structure
from ._marginals import range_of_features
from ._sums import LogPartition, check_taylor, estimated, expansion, log_z_of, warned_expansion
from .samplers import CHAINED, draw_rows, method_of

if TYPE_CHECKING:
    from typing_extensions import Self

#: Evaluations of all rows that training is taken to need: L-BFGS took 6 to 60.
TRAINING_EVALUATIONS = 60

#: With sampled gradients, `tol` is taken to be no less, so that a 400th of the gain may be left.
SAMPLED_TOL = 0.05

# Most steps of all chains of a row: some seconds, of the library's own structures and of those of Python functions.
_MEAN_STEPS, _COMPUTED_STEPS = 4_000_000, 100_000


class Inferred(NamedTuple):
    """Expected features and log partition functions of k rows, as far as they were asked for.

    Attributes
    ----------
    means : ndarray of shape (k, d) or None
        Expectations of ψ, exact or estimated.
    log_z : ndarray of shape (k,) or None
    """

    means: Any
    log_z: Any


class Training(NamedTuple):
    """What training asks about the distributions of its rows.

    Attributes
    ----------
    distribution : str
        What the library computes itself, as ``cp_loglinear_options`` names it, or "".
    answers : callable or None, default=None
        What computes the expectations, where the library does not.
    method : str, default=""
        How outputs are drawn.
    """

    distribution: str
    answers: Any = None
    method: str = ""


@dataclass(frozen=True)
class Engine(ABC):
    """One method of inference. To add one, enter it in `INFERENCE_ENGINES`.

    Attributes
    ----------
    structure : Structure
    asked : Asked
        How to estimate; its seed is used by engines that draw samples.
    conditions : Conditions or None, default=None
        What the outputs of rows, or of all of them, satisfy.
    method : str
        The method of `log_partition` that it stands for.
    is_random : bool
        Whether it draws samples: it then needs a seed, and training uses sampled gradients.
    has_range : bool
        Whether scores may be outside of the range of the method.
    """

    structure: Structure
    asked: Asked
    conditions: Conditions | None = None

    method: ClassVar[str]
    is_random: ClassVar[bool] = False
    has_range: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the engine, as in `inference_`."""

    @property
    def seed(self) -> int:
        """That of samples."""
        return self.asked.seed

    @abstractmethod
    def check(self) -> None:
        """Raise CapabilityError, before any work, where the structure lacks what the engine needs."""

    def within(self, conditions: Conditions | None) -> Self:
        """Return the engine for rows whose outputs satisfy conditions, which only exact sums know of."""
        if conditions is not None:
            raise CapabilityError(f"constraints take exact inference, and this is {self.name!r}: set inference='exact'")
        return self

    @abstractmethod
    def infer(self, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Inferred:
        """Return expected features and/or ln Z for each row of finite scores (k, d).

        Random streams follow from the seed and the scores.
        """

    def log_partition(self, scores: FloatArray) -> LogPartition:
        """Return ln Z with bounds for each row of finite scores (k, d)."""
        return log_z_of(self.structure, scores, self.asked)

    @abstractmethod
    def for_training(self, n: int) -> Training:
        """Return what n training rows are trained by, whose scores change little from one evaluation to the next."""

    def check_range(self, scores: FloatArray) -> None:  # noqa: B027  # most methods have no range
        """Warn, after training, where the scores of the training rows are outside the range of the method."""


class ExactEngine(Engine):
    """Exact inference by recursions and closed forms of the structure, or by enumeration of its members."""

    method = "exact"

    @property
    def name(self) -> str:
        return partition_cost(self.structure.space.sums, marginals=True)[0]

    def check(self) -> None:
        partition_cost(self.structure.space.sums, marginals=True)

    def within(self, conditions: Conditions | None) -> Self:
        return replace(self, conditions=conditions)

    def infer(self, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Inferred:
        options: Any = {"conditions": self.conditions, "n_threads": self.asked.n_threads}
        found = log_partition(self.structure.space.sums, scores, marginals=means, **options)
        return Inferred(found.marginals, found.log_z)

    def log_partition(self, scores: FloatArray) -> LogPartition:
        n, log_z = len(scores), self.infer(scores).log_z
        return LogPartition(log_z, log_z, log_z, "exact", np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64))

    def for_training(self, n: int) -> Training:
        return Training("exact")


class SampledEngine(Engine):
    """Inference from samples: Z to a factor of 1 ± ε by annealing, and means to ± ε, each with probability 1 − δ."""

    is_random = True
    name, method = "mcmc", "annealed"

    def check(self) -> None:
        method_of(self.structure, self.asked.sampler)

    def infer(self, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Inferred:
        values = self.log_partition(scores).value if log_z else None  # refuses what would not end at once
        return Inferred(self._means(scores) if means else None, values)

    def log_partition(self, scores: FloatArray) -> LogPartition:
        sampler = self.asked.sampler
        method = method_of(self.structure, sampler) if sampler == "cftp" else sampler
        return log_z_of(self.structure, scores, replace(self.asked, sampler=method))

    def _means(self, scores: FloatArray) -> FloatArray:
        span, method = range_of_features(self.structure), self._drawn_by()
        if method not in CHAINED and span is not None:  # independent draws, of which Hoeffding's inequality says enough
            asked = replace(self.asked, method="samples", sampler=method, low=span[0], high=span[1])
        else:
            method = method if method in CHAINED else method_of(self.structure, "auto")
            steps = _MEAN_STEPS if self.structure.space.in_library else _COMPUTED_STEPS
            asked = replace(self.asked, method="chains", sampler=method, max_steps=steps)
        found = estimated(self.structure, scores, asked)
        bad = np.array([bool(why) for why in found.why])
        if bad.any() and asked.method == "chains":
            error = found.error.max(axis=1)
            row = int(np.argmax(np.where(bad, error, -np.inf)))
            warn_user(
                f"the chains of {int(bad.sum())} of {len(bad)} rows did not converge: expectations are known to within "
                f"±{error[row]:.2g} in the worst row, epsilon={asked.epsilon:g} was asked for, and split R̂ is up "
                f"to {found.r_hat.max():.3g}; raise epsilon, or alpha, or take another sampler",
                ConvergenceWarning,
            )
        return found.marginals

    def _drawn_by(self) -> str:
        """Return the sampling method for means; "auto" prefers independent draws that cost no more than chains."""
        if self.asked.sampler == "auto" and "monotone" in self.structure.space.capabilities:
            return "monotone"
        return method_of(self.structure, self.asked.sampler)

    def for_training(self, n: int) -> Training:
        method, n_threads = method_of(self.structure, self.asked.sampler), self.asked.n_threads
        if self.structure.space.in_library:
            return Training("draws" if method == "exact" else method, method=method)
        space: Any = self.structure.space
        rng = np.random.default_rng(self.seed)
        if method == "local":  # the library follows chains of the user's moves
            return Training(method, space.outputs(lambda _: rng).move, method)

        def answers(request: str, rows: NDArray[np.intp], scores: FloatArray, draws: int) -> tuple[FloatArray, ...]:
            seed = int(rng.integers(2**63))
            if request == "uniform":
                return (space.embed(space.sample(draws, seed), n_threads),)
            (k, d), many = scores.shape, draws if request == "draw" else max(draws, 1) * (2 if request == "pair" else 1)
            y = draw_rows(self.structure, method, scores, many, seed).y
            psi = space.embed(y.reshape(k * many, -1), n_threads).reshape(k, many, d)
            if request == "draw":
                return (psi,)
            return (psi.mean(axis=1) if request == "mean" else psi.reshape(k, 2, -1, d).mean(axis=2).swapaxes(0, 1),)

        # The library moves chains by proposals that it asks for; of exact draws it asks for means.
        return Training(method if method in CHAINED else "draws", answers, method)


class TaylorEngine(Engine):
    r"""The expansion :math:`Z \approx |\mathcal Y|\, e^{\langle f,\mu\rangle} (1 + \tfrac12 f^\top \Sigma f)`.

    Its gradient stands for the expectation of ψ, so that L-BFGS descends what it reports.
    """

    name = method = "taylor"
    has_range = True

    def check(self) -> None:
        check_taylor(self.structure)

    def infer(self, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Inferred:
        found = warned_expansion(self.structure, scores, self.asked, decoded=log_z)
        return Inferred(found.marginals, found.value if log_z else None)

    def for_training(self, n: int) -> Training:
        def answers(
            request: str, rows: NDArray[np.intp], scores: FloatArray, draws: int
        ) -> tuple[FloatArray, ...] | None:
            if request == "draw":
                return None
            # Without a check of its range: a search may leave it on its way; `check_range` looks at its end.
            found = expansion(self.structure, scores, self.asked, bounded=False)
            return found.marginals, found.expansion

        return Training("", answers)

    def check_range(self, scores: FloatArray) -> None:
        warned_expansion(self.structure, scores, self.asked, decoded=False)


#: To add a method of inference, subclass `Engine` and enter it here.
INFERENCE_ENGINES: dict[str, type[Engine]] = {"exact": ExactEngine, "mcmc": SampledEngine, "taylor": TaylorEngine}
#: Values of the parameter `inference`.
INFERENCES = ("auto", *INFERENCE_ENGINES)
#: The inference by which each method of `log_partition` is computed.
INFERENCE_OF = {"auto": "auto", "exact": "exact", "annealed": "mcmc", "taylor": "taylor"}


def resolve_method(inference: str, structure: Structure, n_rows: int, evaluations: int = 1) -> str:
    """Return the method that `inference` names; "auto" is exact where that is affordable, else samples."""
    if inference != "auto":
        return inference
    return "exact" if exact_is_affordable(structure.space.description, n_rows, evaluations) else "mcmc"


def engine_of(
    model: Any, method: str, *, epsilon: float | None = None, delta: float | None = None, random_state: Any = None
) -> Engine:
    """Return the engine for a fitted model's structure; arguments that are None are the model's parameters."""
    kind, seed = INFERENCE_ENGINES[method], 0
    if kind.is_random:
        rng = check_random_state(model.random_state if random_state is None else random_state)
        seed = int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64))
    asked = Asked(
        kind.method, model.sampler, epsilon=float(model.epsilon if epsilon is None else epsilon),
        delta=float(model.delta if delta is None else delta), seed=seed, n_threads=get_n_threads(model.n_jobs),
        verbose=int(model.verbose),
    )  # fmt: skip
    return kind(model.structure_, asked)
