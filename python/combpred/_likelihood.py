r"""The loss of log-linear models of structures, :math:`p(y \mid x) \propto \exp\langle f(x), \psi(y)\rangle`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._features import FeatureRows
from ._laws import LawEngine, Rows
from ._lib import Targets
from ._row_blocks import row_blocks
from .structures import Structure

FloatArray = NDArray[np.float64]


class Evaluation(NamedTuple):
    """The losses of some rows."""

    loss: float  # weighted sum of −ln p
    residual: FloatArray  # (n, d): its gradient by the scores
    engine: str  # what computed ln Z


@dataclass(frozen=True)
class Likelihood:
    r"""The loss :math:`\sum_i w_i [\ln Z(f_i) - \langle f_i, \psi_i\rangle]` of rows of scores f.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Embedded targets, or means of several.
    weights : ndarray of shape (n,)
    laws : LawEngine
        Computes ln Z and Eψ, or estimates Eψ.
    """

    structure: Structure
    psi: FloatArray
    weights: FloatArray
    laws: LawEngine

    def evaluate(self, rows: Rows, scores: FloatArray) -> Evaluation:
        """Return the loss of `rows`, whose scores are given, with the gradient w_i (Eψ − ψ_i)."""
        found = self.laws.laws(rows, scores, means=True)
        assert found.means is not None and found.log_z is not None
        psi, weights = self.psi[rows], self.weights[rows]
        loss = float(weights @ (found.log_z - np.einsum("ij,ij->i", scores, psi)))
        return Evaluation(loss, weights[:, None] * (found.means - psi), found.engine)

    def residual(self, rows: Rows, scores: FloatArray) -> FloatArray:
        """Return the gradient alone, which may be estimated."""
        means = self.laws.laws(rows, scores, means=True, log_z=False).means
        assert means is not None
        residual: FloatArray = self.weights[rows][:, None] * (means - self.psi[rows])
        return residual

    def gradient(self, features: FeatureRows, weights: FloatArray) -> tuple[float, FloatArray, str]:
        """Return the loss of all rows under feature weights (q, d), its gradient by them, and the engine."""
        loss, gradient, engine = 0.0, np.zeros(weights.shape), ""
        for rows in row_blocks(len(self.psi), self.psi.shape[1]):
            found = self.evaluate(rows, features.scores(rows, weights))
            loss += found.loss
            features.add_gradient(rows, found.residual, gradient)
            engine = found.engine
        return loss, gradient, engine


def mean_outputs(targets: Targets) -> tuple[FloatArray, FloatArray]:
    """Return what rows learn, (n, d), and their weights (n,).

    A set of k structures is as k rows with one of them each: their mean, with k times the weight.
    """
    psi = targets.psi
    weights = np.ones(targets.n) if targets.weights is None else targets.weights
    if targets.first is None:
        return psi, weights
    sizes = np.diff(targets.first)
    return np.add.reduceat(psi, targets.first[:-1], axis=0) / sizes[:, None], weights * sizes
