"""A slow, independent reference of structured ridge: the objective by enumeration, and its minimiser by dense algebra.

Nothing here uses the closed form. The loss of a row is a sum over all outputs of an enumerated space, its second-order
expansion gives a quadratic function of all coefficients at once, and that is minimised as one dense linear system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def moments(outputs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the covariance of ψ under the uniform distribution, from all outputs, an array (|Y|, d)."""
    mean = outputs.mean(axis=0)
    centred = outputs - mean
    return mean, centred.T @ centred / len(outputs)


def enumerated_auc_loss(outputs: FloatArray, psi: FloatArray, f: FloatArray) -> float:
    """Return the quadratic bound of the AUC loss of one row, minus a constant: the mean over z of u + u²/2.

    u = ⟨f, ψ(z) − ψ(y)⟩, and 1 + u + u²/2 is the expansion of exp(u), which bounds the step function [u > 0]
    (Vembu 2010, section 5.2; divided by the number of outputs, with the constant 1 left out).
    """
    u = (outputs - psi) @ f
    return float(np.mean(u + u**2 / 2))


def enumerated_squared_loss(outputs: FloatArray, psi: FloatArray, f: FloatArray) -> float:
    """Return half the squared distance of f from the centred ψ of one row."""
    return float(np.sum((f - (psi - outputs.mean(axis=0))) ** 2) / 2)


LOSSES = {"auc": enumerated_auc_loss, "squared": enumerated_squared_loss}


def objective(
    dual: FloatArray,
    kernel: FloatArray,
    outputs: FloatArray,
    psi: FloatArray,
    *,
    alpha: float,
    loss: str = "auc",
    weights: FloatArray | None = None,
) -> float:
    """Return alpha tr(aᵀKa) + Σ_i w_i loss_i with f = Ka, for dual coefficients a of shape (n, d)."""
    f = kernel @ dual
    w = np.ones(len(psi)) if weights is None else weights
    losses = [LOSSES[loss](outputs, p, row) for p, row in zip(psi, f, strict=True)]
    return float(alpha * np.sum(dual * f) + w @ losses)


def loss_quadratic(outputs: FloatArray, psi: FloatArray, *, loss: str) -> tuple[FloatArray, FloatArray]:
    """Return (H, g) such that the loss of one row is ½fᵀHf − ⟨g, f⟩ + constant, by summing over the outputs."""
    if loss == "squared":
        return np.eye(len(psi)), psi - outputs.mean(axis=0)
    differences = outputs - psi
    return differences.T @ differences / len(outputs), -differences.mean(axis=0)


def minimise(
    kernel: FloatArray,
    outputs: FloatArray,
    psi: FloatArray,
    *,
    alpha: float,
    loss: str = "auc",
    weights: FloatArray | None = None,
    unlabelled: int | None = None,
) -> FloatArray:
    """Return the scores f = Ka of shape (n, d) at the minimum of `objective`, by one dense system of n·d unknowns.

    `unlabelled` is a row whose label is removed but whose input stays: for the AUC loss its term ½(1 − ⟨ψ̃, f⟩)² is
    dropped and ½fᵀΣf stays.
    """
    n, d = psi.shape
    w = np.ones(n) if weights is None else weights
    values, vectors = np.linalg.eigh(kernel)
    root = vectors * np.sqrt(np.maximum(values, 0.0))  # K = root rootᵀ, and f = root b with penalty alpha ‖b‖²
    hessian = 2 * alpha * np.eye(n * d)
    gradient = np.zeros(n * d)
    for i in range(n):
        h, g = loss_quadratic(outputs, psi[i], loss=loss)
        if i == unlabelled:
            h, g = moments(outputs)[1], np.zeros(d)
        hessian += w[i] * np.kron(np.outer(root[i], root[i]), h)
        gradient += w[i] * np.kron(root[i], g)
    return root @ np.linalg.solve(hessian, gradient).reshape(n, d)


def leave_one_out(
    kernel: FloatArray,
    outputs: FloatArray,
    psi: FloatArray,
    *,
    alpha: float,
    loss: str = "auc",
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return each row's scores from a fit without that row, by n fits."""
    n = len(psi)
    w = np.ones(n) if weights is None else weights
    scores = np.empty_like(psi)
    for i in range(n):
        without = np.where(np.arange(n) == i, 0.0, w)
        scores[i] = minimise(kernel, outputs, psi, alpha=alpha, loss=loss, weights=without)[i]
    return scores


def label_removed(
    kernel: FloatArray,
    outputs: FloatArray,
    psi: FloatArray,
    *,
    alpha: float,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return each row's scores from a fit without its label, corrected to first order for its input, by n fits.

    In the eigenspace of Σ with eigenvalue σ the term ½w fᵀΣf of the row is ½wσ‖f‖². Were the residuals of the other
    rows not to change, dropping it would divide that component of f by 1 − σH[i, i], where
    H = DKD(2 alpha I + σDKD)⁻¹ and D = diag(√w).
    """
    n = len(psi)
    root = np.sqrt(np.ones(n) if weights is None else weights)
    weighted = root[:, None] * kernel * root
    _, covariance = moments(outputs)
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    factors = np.empty((n, len(eigenvalues)))
    for column, sigma in enumerate(eigenvalues):
        hat = np.linalg.solve(2 * alpha * np.eye(n) + sigma * weighted, weighted)
        factors[:, column] = 1 - sigma * np.diag(hat)
    scores = np.empty_like(psi)
    for i in range(n):
        f = minimise(kernel, outputs, psi, alpha=alpha, weights=weights, unlabelled=i)[i]
        scores[i] = eigenvectors @ ((eigenvectors.T @ f) / factors[i])
    return scores


def enumerated_log_loss(outputs: FloatArray, psi: FloatArray, f: FloatArray) -> float:
    """Return −ln p of one row under p ∝ exp⟨f, ψ⟩, summing over the outputs; `psi` may be a mean of several ψ."""
    scores = outputs @ f
    top = scores.max()
    return float(top + np.log(np.exp(scores - top).sum()) - psi @ f)


def gibbs(outputs: FloatArray, f: FloatArray) -> FloatArray:
    """Return the probabilities of all outputs under p ∝ exp⟨f, ψ⟩, ``(|Y|,)``."""
    scores = outputs @ f
    p = np.exp(scores - scores.max())
    return p / p.sum()


def penalised_log_loss(
    W: FloatArray, features: FloatArray, outputs: FloatArray, psi: FloatArray, *, alpha: float, weights: FloatArray
) -> float:
    """Return α‖W‖² + Σ_i w_i (−ln p_i) for scores f_i = Wᵀφ_i, features (n, q) and weights W (q, d)."""
    losses = [enumerated_log_loss(outputs, p, row) for p, row in zip(psi, features @ W, strict=True)]
    return float(alpha * np.sum(W * W) + weights @ losses)


def most_likely(
    features: FloatArray, outputs: FloatArray, psi: FloatArray, *, alpha: float, weights: FloatArray | None = None
) -> FloatArray:
    """Minimise `penalised_log_loss` by Newton's method with the Hessian in full, to rounding; return W (q, d)."""
    w = np.ones(len(psi)) if weights is None else weights
    q, d = features.shape[1], psi.shape[1]
    W = np.zeros((q, d))
    value = penalised_log_loss(W, features, outputs, psi, alpha=alpha, weights=w)
    for _ in range(100):
        gradient = 2 * alpha * W
        hessian = 2 * alpha * np.eye(q * d)
        for phi, target, weight in zip(features, psi, w, strict=True):
            p = gibbs(outputs, W.T @ phi)
            mean = p @ outputs
            covariance = (outputs - mean).T @ ((outputs - mean) * p[:, None])
            gradient = gradient + weight * np.outer(phi, mean - target)
            hessian += weight * np.kron(np.outer(phi, phi), covariance)
        step = np.linalg.solve(hessian, gradient.ravel()).reshape(q, d)
        if np.abs(step).max() < 1e-12 * (1 + np.abs(W).max()):
            return W - step
        share = 1.0
        while (
            after := penalised_log_loss(W - share * step, features, outputs, psi, alpha=alpha, weights=w)
        ) > value + 1e-12 * abs(value):
            share /= 2
        W, value = W - share * step, after
    raise AssertionError("Newton's method did not converge")
