r"""The penalised likelihood of log-linear models of structures, minimised by L-BFGS.

The model is :math:`p(y \mid x) \propto \exp\langle f(x), \psi(y)\rangle` with f linear in some features of x. At f = 0
the law is uniform and its covariance Σ is what every structure knows, so that the Hessian of the objective there,
:math:`2\alpha I + \Phi^\top D \Phi \otimes \Sigma` for features Φ and weights D, is known before training. The search
runs in coordinates in which that matrix is the identity.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ._abi import Control
from ._features import Features
from ._interrupt import call_abandonable
from ._progress import reported
from .kernels import row_blocks
from .structures import Structure

FloatArray = NDArray[np.float64]

_LARGEST_COVARIANCE = 2048  # order of a matrix Σ that is still diagonalised: some seconds
_CORRECTIONS = 20  # pairs of differences that L-BFGS keeps


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
    n_threads : int or None
    """

    structure: Structure
    psi: FloatArray
    weights: FloatArray
    n_threads: int | None

    def evaluate(self, rows: NDArray[np.intp] | slice, scores: FloatArray) -> Evaluation:
        """Return the loss of `rows`, whose scores are given, with the gradient w_i (Eψ − ψ_i)."""
        log_z, marginals, engine = self.structure._log_partition(scores, True, self.n_threads)
        assert marginals is not None
        psi, weights = self.psi[rows], self.weights[rows]
        loss = float(weights @ (log_z - np.einsum("ij,ij->i", scores, psi)))
        return Evaluation(loss, weights[:, None] * (marginals - psi), engine)

    def gradient(self, features: Features, weights: FloatArray) -> tuple[float, FloatArray, str]:
        """Return the loss of all rows under feature weights (q, d), its gradient by them, and the engine."""
        loss, gradient, engine = 0.0, np.zeros(weights.shape), ""
        for rows in row_blocks(len(self.psi), self.psi.shape[1]):
            found = self.evaluate(rows, features.scores(rows, weights))
            loss += found.loss
            features.add_gradient(rows, found.residual, gradient)
            engine = found.engine
        return loss, gradient, engine


@dataclass(frozen=True)
class UniformCurvature:
    """Eigenvalues of Σ and its eigenvectors in columns, or their mean and None where Σ is too large."""

    values: FloatArray
    vectors: FloatArray | None

    @classmethod
    def of(cls, structure: Structure, psi: FloatArray) -> UniformCurvature:
        """Diagonalise Σ; where it is too large, take the variance of the targets `psi` (n, d) in place of it."""
        d = psi.shape[1]
        if d > _LARGEST_COVARIANCE:
            return cls(np.full(d, float(psi.var(axis=0).mean())), None)
        values, vectors = call_abandonable(eigh, structure.covariance())
        return cls(np.maximum(values, 0.0), vectors)


@dataclass(frozen=True)
class Coordinates:
    """Coordinates z of feature weights W (q, d) in which the Hessian of the objective at W = 0 is about the identity.

    W = U (S ∘ z) Vᵀ with eigenvectors U and V of the second moment of the features and of Σ, and S the inverse roots of
    2α + λ_j σ_k for their eigenvalues.
    """

    features: FloatArray | None  # U, None for the identity
    outputs: FloatArray | None  # V, None for the identity
    scale: FloatArray  # S

    @classmethod
    def at_zero(cls, alpha: float, features: Features, curvature: UniformCurvature) -> Coordinates:
        """Build the coordinates for a penalty."""
        scale = 1.0 / np.sqrt(2.0 * alpha + np.outer(features.curvature, curvature.values))
        return cls(features.directions, curvature.vectors, scale)

    def weights(self, z: FloatArray) -> FloatArray:
        """Return W."""
        W = self.scale * z
        W = W if self.outputs is None else W @ self.outputs.T
        return W if self.features is None else self.features @ W

    def pull_back(self, gradient: FloatArray) -> FloatArray:
        """Return the gradient by z, from that by W."""
        gradient = gradient if self.features is None else self.features.T @ gradient
        gradient = gradient if self.outputs is None else gradient @ self.outputs
        return self.scale * gradient


@dataclass(frozen=True)
class Maximum:
    """Feature weights of largest penalised likelihood."""

    weights: FloatArray
    objective: float
    n_iter: int
    residual: float  # largest entry of the gradient, relative to that at zero
    engine: str


def maximise(
    likelihood: Likelihood, features: Features, *, alpha: float, tol: float, max_iter: int, label: str, verbose: int
) -> Maximum:
    """Minimise α‖W‖² plus the loss over the feature weights W, from zero.

    Stops when no entry of the gradient, in the coordinates of :class:`Coordinates`, exceeds `tol` times the largest one
    at zero, or after `max_iter` iterations. Each costs about one evaluation of ln Z and its gradient for all rows.
    """
    coordinates = Coordinates.at_zero(alpha, features, UniformCurvature.of(likelihood.structure, likelihood.psi))
    shape = coordinates.scale.shape
    engine = ""
    control = Control()

    def objective(z: FloatArray) -> tuple[float, FloatArray]:
        nonlocal engine
        weights = coordinates.weights(z.reshape(shape))
        loss, gradient, engine = likelihood.gradient(features, weights)
        gradient += 2.0 * alpha * weights
        control.value = loss + alpha * float(np.sum(weights * weights))
        return control.value, coordinates.pull_back(gradient).ravel()

    def count(z: FloatArray) -> None:
        control.step += 1

    start = np.zeros(shape).ravel()
    with reported(control, label, verbose=verbose):
        z, value, n_iter, residual = _lbfgs(objective, start, tol, max_iter, count)
    return Maximum(coordinates.weights(z.reshape(shape)), value, n_iter, residual, engine)


def _lbfgs(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    tol: float,
    max_iter: int,
    callback: Callable[[FloatArray], None],
) -> tuple[FloatArray, float, int, float]:
    """Return the point reached from `start`, its value, the iterations, and the gradient relative to that at start."""
    value, gradient = objective(start)
    first = float(np.abs(gradient).max(initial=0.0))
    z, n_iter, residual = start, 0, 1.0
    if first == 0.0:  # the observed means are those of the uniform law
        return z, value, n_iter, 0.0
    while residual > tol and n_iter < max_iter:
        found = minimize(
            objective, z, jac=True, method="L-BFGS-B", callback=callback,
            options={
                "maxiter": max_iter - n_iter, "maxfun": 20 * max_iter + 100, "maxcor": _CORRECTIONS, "ftol": 0.0,
                "gtol": tol * first,
            },
        )  # fmt: skip
        improved = found.fun < value
        if found.fun <= value:
            z, value, residual = found.x, float(found.fun), float(np.abs(found.jac).max()) / first
        n_iter += int(found.nit)
        # A line search can fail for rounding; it starts anew from the gradient, as long as that leads further.
        if not improved:
            break
    return z, value, n_iter, residual


def warn_unless_maximal(found: Maximum, tol: float) -> None:
    """Issue a ConvergenceWarning where the search ended before `tol`."""
    if found.residual > tol:
        warnings.warn(
            f"the likelihood was not maximal after {found.n_iter} iterations: the gradient is {found.residual:.1e} "
            f"times that at zero, above tol={tol:.1e}; raise max_iter, alpha or tol, or scale the inputs",
            ConvergenceWarning,
            stacklevel=2,
        )
