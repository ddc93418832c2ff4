"""The laws p(y | x) of a model, behind one interface: what training and prediction ask, whatever computes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _lib
from ._errors import CapabilityError
from .structures import Structure

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp] | slice


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
    """One method of inference. Registered in :mod:`combpred._law_methods`.

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
        return _lib.partition_cost(self.structure._describe(), marginals=True)[0]

    def check(self) -> None:
        try:
            _lib.partition_cost(self.structure._describe(), marginals=True)
        except CapabilityError as error:
            raise CapabilityError(f"inference='exact' is not possible: {error}; or take inference='mcmc'") from None

    def laws(self, rows: Rows, scores: FloatArray, *, means: bool = False, log_z: bool = True) -> Laws:
        log_z_, marginals, engine = self.structure._log_partition(scores, means, self.settings.n_threads)
        return Laws(marginals, log_z_, log_z_, log_z_, np.zeros(len(scores), dtype=np.int64), engine)

    def outputs(self, rows: Rows, scores: FloatArray, n: int) -> FloatArray | None:
        # The draws steer a search and leave where it ends alone: their seed may be any.
        first = int(rows.start or 0) if isinstance(rows, slice) else 0
        parts = self.structure._sample_distribution(scores, n, first, self.settings.n_threads)
        psi = self.structure._embed_parts(parts.reshape(-1, parts.shape[2]), self.settings.n_threads)
        return np.swapaxes(psi.reshape(n, len(scores), -1), 0, 1)
