"""Choice of kernel, width, penalty and loss inside a training fold: shared by the benchmarks of rankings.

Leave-one-out, smoothed over neighbouring widths and penalties, chooses kernel (Gaussian or Laplacian), width and
penalty for each loss. The AUC loss is tried with the three kernels that do best under the squared loss, whose
leave-one-out costs least. Three times five inner folds then compare the losses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import KFold, RepeatedKFold, cross_val_score

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Structure

KERNELS = ("rbf", "laplacian")
WIDTHS = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0])  # gamma times the number of features, features standardised
ALPHAS = np.logspace(-4, 1, 11) / 2


def outer_folds(X: np.ndarray, repeats: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows of ten folds, drawn anew for each repeat."""
    return [fold for repeat in range(repeats) for fold in KFold(10, shuffle=True, random_state=repeat).split(X)]


def choose(structure: Structure, X: np.ndarray, y: np.ndarray) -> dict[str, tuple[dict[str, Any], float]]:
    """Return the parameters that do best for each loss, and the score that these reach in inner folds."""
    inner = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    chosen: dict[str, tuple[dict[str, Any], float]] = {}
    for loss, setting in settings(structure, X, y).items():
        score = cross_val_score(StructuredRidge(structure, **setting), X, y, cv=inner).mean()
        chosen[loss] = (setting, float(score))
    return chosen


def settings(
    structure: Structure, X: np.ndarray, y: np.ndarray, losses: tuple[str, ...] = ("squared", "auc")
) -> dict[str, dict[str, Any]]:
    """Return the parameters that do best for each loss by leave-one-out."""
    every = np.ones((len(KERNELS), len(WIDTHS)), dtype=bool)
    scores = {"squared": smooth(grid(structure, X, y, "squared", every))}
    if "auc" in losses:
        reached = scores["squared"].max(axis=2)
        scores["auc"] = smooth(grid(structure, X, y, "auc", reached >= np.sort(reached, axis=None)[-3]))
    chosen = {}
    for loss in losses:
        k, w, a = np.unravel_index(scores[loss].argmax(), scores[loss].shape)
        chosen[loss] = {"loss": loss, "kernel": KERNELS[k], "gamma": WIDTHS[w] / X.shape[1], "alpha": ALPHAS[a]}
    return chosen


def grid(structure: Structure, X: np.ndarray, y: np.ndarray, loss: str, tried: np.ndarray) -> np.ndarray:
    """Return the leave-one-out score of every (kernel, width, penalty), NaN where the (kernel, width) is not tried."""
    scores = np.full((len(KERNELS), len(WIDTHS), len(ALPHAS)), np.nan)
    for k, w in zip(*np.nonzero(tried), strict=True):
        gamma = WIDTHS[w] / X.shape[1]
        model = StructuredRidgeCV(
            structure, alphas=ALPHAS, losses=[loss], kernels=[KERNELS[k]], gammas=[gamma], scoring="metric"
        )
        scores[k, w] = model.fit(X, y).cv_results_["mean_test_score"]
    return scores


def smooth(scores: np.ndarray) -> np.ndarray:
    """Average over neighbouring widths and penalties: the best of many noisy scores is too often a lucky one.

    The weights are 1, 2, 1 along both axes, over the neighbours that were tried.
    """
    total, weight = np.zeros_like(scores), np.zeros_like(scores)
    padded = np.pad(scores, ((0, 0), (1, 1), (1, 1)), constant_values=np.nan)
    for i, j in np.ndindex(3, 3):
        part = padded[:, i : i + scores.shape[1], j : j + scores.shape[2]]
        share = (1 + (i == 1)) * (1 + (j == 1)) * np.isfinite(part)
        total += share * np.nan_to_num(part)
        weight += share
    return np.where(np.isfinite(scores), total / np.maximum(weight, 1), -1.0)
