"""What the search for the largest likelihood asks of the rows of training, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ._coordinates import Coordinates, Spread, UniformCurvature
from ._features import Features
from ._likelihood import Likelihood

FloatArray = NDArray[np.float64]


class Loss(Protocol):
    """The sum over rows of −w_i ln p, a function of feature weights W (q, d)."""

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        """Return it, its gradient (q, d), and what computed ln Z."""

    def at_zero(self, alpha: float) -> Coordinates:
        """Return coordinates for its Hessian at W = 0, with the penalty α‖W‖² added."""

    def at(self, weights: FloatArray, alpha: float) -> Coordinates | None:
        """Return those near `weights`; None where the laws cannot be drawn from, or d is too large."""


@dataclass(frozen=True)
class RowsLoss:
    """That of rows whose features are in memory."""

    likelihood: Likelihood
    features: Features

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        return self.likelihood.gradient(self.features, weights)

    def at_zero(self, alpha: float) -> Coordinates:
        curvature = UniformCurvature.of(self.likelihood.structure, self.likelihood.psi)
        return Coordinates.at_zero(alpha, self.features, curvature)

    def at(self, weights: FloatArray, alpha: float) -> Coordinates | None:
        spread = Spread.at(weights, self.features, self.likelihood)
        return None if spread is None else Coordinates.of_spread(spread, alpha, self.features)
