"""Margins by their definition."""

from __future__ import annotations

import numpy as np

from quadratic import least_svm_objective


def members(structure):
    return np.concatenate([structure.space.embed(parts) for parts in structure.space.listed()])


def data(structure, n=5, p=2, seed=0):
    """Return inputs and random outputs, so that no scorer explains all of them."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), structure.sample(n, seed)


def hinge_losses(W, X, psi, outputs, losses, slack):
    """Return the loss of each row by a look at all outputs; losses (n, N)."""
    margins = np.einsum("nd,nNd->nN", X @ W, psi[:, np.newaxis] - outputs[np.newaxis])
    return (losses * (1 - margins) if slack else losses - margins).max(axis=1)


def least_objective(X, psi, outputs, losses, penalties, slack):
    """Minimise ½‖W‖² + Σ C_i ξ_i under one constraint for each row and output, by a general solver."""
    n, q, d = len(X), X.shape[1], psi.shape[1]
    features = np.einsum("nq,nNd->nNqd", X, psi[:, np.newaxis] - outputs[np.newaxis])
    if slack:
        features = features * losses[..., np.newaxis, np.newaxis]
    rows = features.reshape(n, -1, q * d)
    slopes = np.hstack([rows.reshape(-1, q * d), np.repeat(np.eye(n), rows.shape[1], axis=0)])

    def above(v):
        return (rows @ v[: q * d] + v[q * d :, np.newaxis] - losses).ravel()

    return least_svm_objective(q * d, penalties, losses.max(axis=1), above, slopes, 1e-12)
