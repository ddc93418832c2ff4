"""Preconditioned stochastic gradient descent on the penalised likelihood, with averaged weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._abi import Control
from ._coordinates import Coordinates, UniformCurvature
from ._features import Features
from ._likelihood import Likelihood

FloatArray = NDArray[np.float64]

_BATCH = 32  # rows of one step: the gradient of one row costs little more than the call that asks for it
_AVERAGING = 3.0  # the last step counts 1 + this, in steps so far
_DECAY = 0.6  # step sizes fall with this power of their number: slowly enough for averages to be optimal
_PLATEAU = 10.0  # steps before they begin to, in units of the inverse of the first step size

#: Order of a second moment of inputs that is diagonalised for descent, which multiplies by its eigenvectors each step.
LARGEST_MOMENT = 512


@dataclass(frozen=True)
class SgdState:
    """Where the descent stands. It is never changed in place, so that an interrupted pass leaves it as it was.

    Attributes
    ----------
    weights, average : ndarray of shape (q, d)
        The last iterate and the average of all; with an intercept, the last row belongs to the constant feature.
    curvature : UniformCurvature
        Of the structure.
    moment : ndarray of shape (q, q) or (q,), or None
        Second moment of the inputs seen by `partial_fit`, or its diagonal where they have many features.
    n_steps : int
    n_rows : int
        Rows seen, those of repeated passes counted anew.
    n_seen : float
        Their total weight.
    """

    weights: FloatArray
    average: FloatArray
    curvature: UniformCurvature
    moment: FloatArray | None = None
    n_steps: int = 0
    n_rows: int = 0
    n_seen: float = 0.0


@dataclass(frozen=True)
class Pace:
    """The steps of a descent: the coordinates in which gradients are taken, and the size of the first step in them.

    Attributes
    ----------
    coordinates : Coordinates
    first : float
    begun : int
        Number of the step that is the first.
    """

    coordinates: Coordinates
    first: float
    begun: int = 0

    @classmethod
    def of(
        cls, coordinates: Coordinates, alpha: float, features: Features, weights: FloatArray, begun: int = 0
    ) -> Pace:
        r"""Return the pace in coordinates of a Hessian, for features whose rows have `weights`.

        In these coordinates, the Hessian of a batch of b of m rows is :math:`\frac{m}{b} \sum_i w_i x_i x_i^\top` at
        most, for the features x of rows in them, the identity on average. Steps of :math:`1/(\rho + R^2/b)` are stable,
        with :math:`\rho` its largest eigenvalue and :math:`R^2` the mean of :math:`m w_i \|x_i\|^2`, weighted by itself
        (Bach and Moulines, 2013).
        """
        # Of the Hessian's eigenvalues 2α + λ_j σ_k, those with the largest σ, in which the mean of rows is largest.
        squares = np.square(coordinates.scale)
        top = squares[:, int(np.argmin(squares.sum(axis=0)))]
        moment = float(np.maximum(1.0 / top - 2.0 * alpha, 0.0).sum())
        scale = moment / max(float(features.curvature.sum()), np.finfo(float).tiny) * top
        leverages = np.count_nonzero(weights) * weights * _leverages(features, coordinates.features, scale)
        norm = float(np.square(leverages).sum()) / max(float(leverages.sum()), np.finfo(float).tiny)
        # Along eigenvectors, no eigenvalue exceeds 1; a diagonal that is taken for the moment may be far from it.
        stretch = max(1.0, features.stretch(scale, weights)) if coordinates.features is None else 1.0
        return cls(coordinates, 1.0 / (stretch + norm / _BATCH), begun)

    def step(self, number: int) -> float:
        """Return the size of a step, by its number."""
        return float(self.first * (1.0 + (number - self.begun) * self.first / _PLATEAU) ** -_DECAY)


def _leverages(features: Features, directions: FloatArray | None, scale: FloatArray) -> FloatArray:
    """Return Σ_j scale_j ⟨u_j, φ_i⟩² of each row, for directions that may have moved."""
    if directions is features.directions or directions is None:
        return features.leverages(scale)
    squares = np.square(features.scores(slice(None), directions * np.sqrt(scale)))
    return np.asarray(squares.sum(axis=1))


def descend(
    state: SgdState,
    likelihood: Likelihood,
    features: Features,
    pace: Pace,
    *,
    alpha: float,
    share: float,
    order: NDArray[np.intp],
    control: Control | None = None,
) -> SgdState:
    r"""Pass once over rows in the given order, up to 32 at a time.

    A step takes the gradient of the penalty plus the loss of the batch, in proportion, in the coordinates of `pace`.
    Iterates are averaged with weights that grow as the cube of their number (Shamir & Zhang, 2013), which keeps the
    noise of gradients out of the result (Polyak & Juditsky, 1992).

    Parameters
    ----------
    share : float
        The rows that the objective counts, over the rows of the pass.
    order : ndarray
        Rows, those of weight 0 left out.
    """
    weights, average, n_steps = state.weights.copy(), state.average.copy(), state.n_steps
    for rows in np.array_split(order, -(-len(order) // _BATCH)):
        residual = likelihood.residual(rows, features.scores(rows, weights))
        gradient = 2.0 * alpha * weights
        features.add_gradient(rows, share * len(order) / len(rows) * residual, gradient)
        weights -= pace.step(n_steps) * pace.coordinates.precondition(gradient)
        n_steps += 1
        average += (1.0 + _AVERAGING) / (n_steps + _AVERAGING) * (weights - average)
        if control is not None:
            control.step = n_steps
    return SgdState(
        weights, average, state.curvature, state.moment, n_steps, state.n_rows + len(order),
        state.n_seen + float(likelihood.weights[order].sum()),
    )  # fmt: skip
