r"""What a descent has still to gain, by the gradient where it is and by what it gained of late.

Half the squared norm of the gradient, :math:`\frac12 g^\top H^{-1} g`, is what a step of Newton's method would gain if
H, the Hessian, were constant and known. Where it is known about, far too little may be seen of slow directions. But
descent that gains inversely to its passes has as much to gain as it has gained since half of them: the larger of the
two is taken.

Where gradients are estimated, the squared norm of one is too large by its variance. The product of two that are
independent is right on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._coordinates import Coordinates
from ._features import Features
from ._likelihood import Likelihood
from ._row_blocks import row_blocks
from ._sampled_laws import TrainingLaws

FloatArray = NDArray[np.float64]

_ERRORS = 2.0  # standard errors by which an estimate has to be below a limit to be taken as below
_ROUNDS = 4  # evaluations of all rows that one estimate may cost at most ...
_ROWS = 400  # ... or as many as make up this many rows


class Decrement(NamedTuple):
    """An estimate of what is still to be gained, with its standard error, 0 where gradients are exact."""

    value: float
    error: float = 0.0

    def is_within(self, limit: float) -> bool:
        """Return whether it is at most `limit`, with the certainty of two standard errors."""
        return self.highest() <= limit

    def is_beyond(self, limit: float) -> bool:
        """Return whether it is more than `limit`, with twice that certainty, as many looks are taken."""
        return self.value - 2.0 * _ERRORS * self.error > limit

    def highest(self) -> float:
        """Return what it may well be."""
        return self.value + _ERRORS * self.error


class Look(NamedTuple):
    """Weights (q, d) of a descent after some passes, and the gradient of the objective there, known or estimated.

    An estimate is the mean of two, whose difference tells its noise.
    """

    n_passes: int
    weights: FloatArray
    gradient: FloatArray
    difference: FloatArray | None = None


def look_at_zero(features: Features, likelihood: Likelihood, shape: tuple[int, ...]) -> Look:
    """Look where all weights are 0, at which every law is uniform and its mean is known."""
    gradient, mean = np.zeros(shape), likelihood.structure.mean()
    for rows in row_blocks(*likelihood.psi.shape):
        features.add_gradient(rows, likelihood.weights[rows, None] * (mean - likelihood.psi[rows]), gradient)
    return Look(0, np.zeros(shape), gradient)


def known_decrement(now: Look, half: Look | None, coordinates: Coordinates) -> Decrement:
    """Return what is left by exact gradients now and, if that is to count, after half the passes."""
    newton = 0.5 * float(np.sum(np.square(coordinates.pull_back(now.gradient))))
    if half is None:
        return Decrement(newton)
    return Decrement(max(newton, 0.5 * float(np.vdot(now.gradient + half.gradient, half.weights - now.weights))))


def sampled_decrement(
    n_passes: int,
    weights: FloatArray,
    half: Look | None,
    alpha: float,
    features: Features,
    likelihood: Likelihood,
    laws: TrainingLaws,
    coordinates: Coordinates,
    limit: float,
    *,
    last: bool,
) -> tuple[Look, Decrement]:
    """Look at `weights` (q, d) by sampled gradients, until it is known on which side of `limit` is what is left.

    Each evaluation of all rows gives two gradients, of draws that are independent of each other. As many are averaged
    as it takes, within 4 evaluations of all rows, or of 400 rows if that is more; for the last look, whose figure is
    told, that many unless little is left.
    """
    n, d = likelihood.psi.shape
    most = max(_ROUNDS, -(-_ROWS // n))
    pair = np.zeros((2, *weights.shape))
    done, rounds = 0, 1
    while True:
        for rows in row_blocks(n, 2 * rounds * laws.draws_per_chain * d):
            means = laws.halves(rows, features.scores(rows, weights), rounds)
            for sums, mean in zip(pair, means, strict=True):
                residual = likelihood.weights[rows, None] * (mean - likelihood.psi[rows])
                features.add_gradient(rows, rounds * residual, sums)
        done += rounds
        one, two = (sums / done + 2.0 * alpha * weights for sums in pair)
        now = Look(n_passes, weights, 0.5 * (one + two), one - two)
        newton = _newton_gain(coordinates.pull_back(one), coordinates.pull_back(two))
        figures = [newton] if half is None else [newton, _recent_gain(now, half, coordinates)]
        left = max(figures, key=Decrement.highest)
        beyond = not last and any(figure.is_beyond(limit) for figure in figures)
        if left.is_within(limit) or beyond or done >= most:
            return now, left
        rounds = min(done, most - done)


def _newton_gain(one: FloatArray, two: FloatArray) -> Decrement:
    """Return half the product of two independent estimates of a vector; the error takes their noise as normal.

    With noise of variance v in each, a difference has the mean square 2v and the mean fourth power 12v², and the
    product of the entries the variance v² + 2v m² for their mean m.
    """
    product, squares = one * two, np.square(one - two)
    variance = float(np.sum(np.square(squares)) / 12.0 + max(float(np.sum(squares * product)), 0.0))
    return Decrement(0.5 * float(product.sum()), 0.5 * float(np.sqrt(variance)))


def _recent_gain(now: Look, half: Look, coordinates: Coordinates) -> Decrement:
    """Return what was gained since half the passes: the way times the mean of the gradients at its ends."""
    way = half.weights - now.weights
    steps, variance = np.square(coordinates.of_weights(way)), 0.0
    for end in (now, half):
        if end.difference is not None:  # half of it is the noise of the mean, in coordinates about uncorrelated
            variance += 0.25 * float(np.vdot(np.square(coordinates.pull_back(end.difference)), steps))
    return Decrement(0.5 * float(np.vdot(now.gradient + half.gradient, way)), 0.5 * float(np.sqrt(variance)))
