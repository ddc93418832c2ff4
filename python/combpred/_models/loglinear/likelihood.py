"""The likelihood of a log-linear model, and preconditioners for maximising it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import eigh

from ..._lib.arrays import FloatArray, Rows, row_blocks
from ..._lib.control import call_abandonable
from ..._lib.ridge import Targets
from ...sampling.engines import TrainingEngine
from ...structures import Structure
from .features import Curvature, Features

#: Order of a covariance of ψ that is still diagonalised: some seconds.
LARGEST_COVARIANCE = 2048
_DRAWS = 4  # from the distribution of each row, for its covariance
#: Share of the mean that is added: rows whose draws agree, and directions in which they do, are not taken for certain.
FLOOR = 1e-2


class Loss(Protocol):
    """The sum over rows of −w_i ln p, a function of feature weights W (q, d)."""

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        """Return the loss, its gradient (q, d), and the method that computed ln Z."""

    def at_zero(self, alpha: float) -> Preconditioner:
        """Return the preconditioner of the Hessian at W = 0, with the penalty α‖W‖² added."""

    def at(self, weights: FloatArray, alpha: float) -> Preconditioner | None:
        """Return the preconditioner of the Hessian near `weights`; None if nothing can be drawn or d is too large."""


@dataclass(frozen=True)
class RowsLoss:
    """The loss of rows whose features are in memory."""

    likelihood: Likelihood
    features: Features

    def evaluate(self, weights: FloatArray) -> tuple[float, FloatArray, str]:
        return self.likelihood.gradient(self.features, weights)

    def at_zero(self, alpha: float) -> Preconditioner:
        curvature = UniformCurvature.of(self.likelihood.structure, self.likelihood.psi)
        return Preconditioner.at_zero(alpha, self.features, curvature)

    def at(self, weights: FloatArray, alpha: float) -> Preconditioner | None:
        spread = Spread.at(weights, self.features, self.likelihood)
        return None if spread is None else Preconditioner.of_spread(spread, alpha, self.features)


@dataclass(frozen=True)
class UniformCurvature:
    """Eigenvalues of Σ and its eigenvectors in columns, or their mean and None where Σ is too large."""

    values: FloatArray
    vectors: FloatArray | None

    @classmethod
    def of(cls, structure: Structure, psi: FloatArray) -> UniformCurvature:
        """Diagonalise Σ; where it is too large, take the variance of the targets `psi` (n, d) in place of it."""
        large = psi.shape[1] > LARGEST_COVARIANCE
        return cls.of_variance(structure, float(np.square(psi - structure.mean()).mean()) if large else np.nan)

    @classmethod
    def of_variance(cls, structure: Structure, variance: float) -> UniformCurvature:
        """Diagonalise Σ; where it is too large, take a multiple of the identity in place of it."""
        if structure.n_features > LARGEST_COVARIANCE:
            return cls(np.full(structure.n_features, variance), None)
        values, vectors = call_abandonable(eigh, structure.covariance())
        return cls(np.maximum(values, 0.0), vectors)


@dataclass(frozen=True)
class Preconditioner:
    """A change of variables W = U (S ∘ z) Vᵀ, after which the Hessian by z is about the identity.

    U and V are eigenvectors of the factors of a Kronecker product, and S the inverse roots of 2α + λ_j σ_k for their
    eigenvalues.
    """

    features: FloatArray | None  # U, None for the identity
    outputs: FloatArray | None  # V, None for the identity
    scale: FloatArray  # S

    @classmethod
    def at_zero(cls, alpha: float, features: Features, curvature: UniformCurvature) -> Preconditioner:
        """Build that of the Hessian at W = 0, exact if the factors are diagonalised, with a penalty."""
        return cls.of_curvatures(Curvature(features.curvature, features.directions), curvature, alpha)

    @classmethod
    def of_curvatures(cls, features: Curvature, outputs: UniformCurvature, alpha: float) -> Preconditioner:
        """Build it for a Kronecker product of two factors, with a penalty."""
        scale = 1.0 / np.sqrt(2.0 * alpha + np.outer(features.curvature, outputs.values))
        return cls(features.directions, outputs.vectors, scale)

    @classmethod
    def of_spread(cls, spread: Spread, alpha: float, features: Features) -> Preconditioner:
        """Build it for the Hessian where distributions have this spread.

        The factors are the mean covariance, in units of its trace, and the second moment of the features with rows
        weighted by the traces.
        """
        moved = features.reweighted(spread.traces + FLOOR * float(spread.traces.mean()))
        return cls.of_factors(spread.covariance, moved, alpha)

    @classmethod
    def of_factors(cls, covariance: FloatArray, moved: Curvature, alpha: float) -> Preconditioner:
        """Build it for a covariance of trace 1 and a second moment of the features with weights of that scale."""
        covariance, d = covariance.copy(), len(covariance)
        covariance[np.diag_indices(d)] += FLOOR / d
        values, vectors = call_abandonable(eigh, covariance)
        scale = 1.0 / np.sqrt(2.0 * alpha + np.outer(moved.curvature, np.maximum(values, 0.0)))
        return cls(moved.directions, vectors, scale)

    def weights(self, z: FloatArray) -> FloatArray:
        """Return W."""
        W = self.scale * z
        W = W if self.outputs is None else W @ self.outputs.T
        return W if self.features is None else self.features @ W

    def of_weights(self, W: FloatArray) -> FloatArray:
        """Return z."""
        return self._turned(W) / self.scale

    def pull_back(self, gradient: FloatArray) -> FloatArray:
        """Return the gradient by z, from that by W."""
        return self.scale * self._turned(gradient)

    def apply(self, gradient: FloatArray) -> FloatArray:
        """Return the product of the inverse of the Hessian with a gradient by W."""
        return self.weights(self.pull_back(gradient))

    def _turned(self, W: FloatArray) -> FloatArray:
        W = W if self.features is None else self.features.T @ W
        return W if self.outputs is None else W @ self.outputs


def drawn_spread(
    weights: FloatArray, features: Features, likelihood: Likelihood
) -> tuple[FloatArray, FloatArray] | None:
    """Estimate, by draws, the traces of the covariances of all rows (n,), and their weighted sum (d, d).

    None where nothing can be drawn or d is too large.
    """
    n, d = likelihood.psi.shape
    if d > LARGEST_COVARIANCE:
        return None
    traces, covariance = np.empty(n), np.zeros((d, d))
    for rows in row_blocks(n, _DRAWS * d):
        psi = likelihood.engine.draw_features(rows, features.scores(rows, weights), _DRAWS)
        if psi is None:
            return None
        centred = (psi - psi.mean(axis=1, keepdims=True)) * np.sqrt(1.0 / (_DRAWS - 1))
        traces[rows] = np.square(centred).sum(axis=(1, 2))
        centred *= np.sqrt(likelihood.weights[rows])[:, None, None]
        flat = centred.reshape(-1, d)
        covariance += flat.T @ flat
    return traces, covariance


@dataclass(frozen=True)
class Spread:
    """How far rows' distributions spread: the traces of their covariances (n,), and a weighted mean of trace 1."""

    traces: FloatArray
    covariance: FloatArray  # (d, d)

    @classmethod
    def at(cls, weights: FloatArray, features: Features, likelihood: Likelihood) -> Spread | None:
        """Estimate it by draws; None where nothing can be drawn, d is too large, or all draws agree."""
        found = drawn_spread(weights, features, likelihood)
        if found is None:
            return None
        traces, covariance = found
        total = float(likelihood.weights @ traces)
        return None if total == 0.0 else cls(traces, covariance / total)

    def towards(self, uniform: UniformCurvature, share: float) -> Spread:
        """Return the spread after `share` of the covariance of uniform outputs is added to that of each row."""
        assert uniform.vectors is not None
        trace, mean = float(uniform.values.sum()), float(self.traces.mean())
        more = share * (uniform.vectors * uniform.values) @ uniform.vectors.T
        return Spread(self.traces + share * trace, (mean * self.covariance + more) / (mean + share * trace))


class Evaluation(NamedTuple):
    """The losses of some rows."""

    loss: float  # weighted sum of −ln p
    residual: FloatArray  # (n, d): its gradient by the scores
    inference: str  # what computed ln Z


@dataclass(frozen=True)
class Likelihood:
    r"""The loss :math:`\sum_i w_i [\ln Z(f_i) - \langle f_i, \psi_i\rangle]` of rows of scores f.

    Attributes
    ----------
    structure : Structure
    psi : ndarray of shape (n, d)
        Embedded targets, or means of several.
    weights : ndarray of shape (n,)
    engine : TrainingEngine
        Computes ln Z and Eψ, or estimates Eψ.
    """

    structure: Structure
    psi: FloatArray
    weights: FloatArray
    engine: TrainingEngine

    def evaluate(self, rows: Rows, scores: FloatArray) -> Evaluation:
        """Return the loss of `rows`, whose scores are given, with the gradient w_i (Eψ − ψ_i)."""
        found = self.engine.infer(rows, scores, means=True)
        assert found.means is not None and found.log_z is not None
        psi, weights = self.psi[rows], self.weights[rows]
        loss = float(weights @ (found.log_z - np.einsum("ij,ij->i", scores, psi)))
        return Evaluation(loss, weights[:, None] * (found.means - psi), found.inference)

    def residual(self, rows: Rows, scores: FloatArray) -> FloatArray:
        """Return the gradient alone, which may be estimated."""
        means = self.engine.infer(rows, scores, means=True, log_z=False).means
        assert means is not None
        residual: FloatArray = self.weights[rows][:, None] * (means - self.psi[rows])
        return residual

    def gradient(self, features: Features, weights: FloatArray) -> tuple[float, FloatArray, str]:
        """Return the loss of all rows under feature weights (q, d), its gradient by them, and what computed ln Z."""
        loss, gradient, inference = 0.0, np.zeros(weights.shape), ""
        for rows in row_blocks(len(self.psi), self.psi.shape[1]):
            found = self.evaluate(rows, features.scores(rows, weights))
            loss += found.loss
            features.add_gradient(rows, found.residual, gradient)
            inference = found.inference
        return loss, gradient, inference


def mean_outputs(targets: Targets) -> tuple[FloatArray, FloatArray]:
    """Return the mean embedded targets of rows (n, d), and their weights (n,).

    A set of k structures is as k rows with one of them each: their mean, with k times the weight.
    """
    psi = targets.psi
    weights = np.ones(targets.n) if targets.weights is None else targets.weights
    if targets.first is None:
        return psi, weights
    sizes = np.diff(targets.first)
    return np.add.reduceat(psi, targets.first[:-1], axis=0) / sizes[:, None], weights * sizes
