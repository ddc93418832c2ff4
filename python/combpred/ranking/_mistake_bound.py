"""What the mistakes of an online label ranker cannot exceed, from the losses of fixed weights."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._lib.arrays import FloatArray
from .._lib.labelrank import OnlineUpdate
from ._edges import Edges

_STEP_ACCURACY = 1e-3  # of the rise of the dual that steps of "primal-dual" leave out, as combpred.h says


class Competitor(NamedTuple):
    """Fixed weights that online learners are compared with.

    Attributes
    ----------
    coef : ndarray of shape (k, n_features)
    intercept : ndarray of shape (k,)
    has_constant : bool
        Whether there is a constant feature.
    """

    coef: FloatArray
    intercept: FloatArray
    has_constant: bool

    @classmethod
    def read(cls, coef: Any, intercept: Any, n_features: int, n_labels: int, has_constant: bool) -> Competitor:
        """Check the arguments of the user; ValueError when they do not fit the data."""
        weights = np.asarray(coef, dtype=np.float64)
        if weights.shape != (n_labels, n_features) or not np.isfinite(weights).all():
            raise ValueError(
                f"coef must hold finite numbers of shape ({n_labels}, {n_features}), a row for each label; its shape "
                f"is {weights.shape}"
            )
        if intercept is not None and not has_constant:
            raise ValueError(
                "intercept is given, but with fit_intercept=False there is no constant feature: leave it out"
            )
        constant = np.zeros(n_labels) if intercept is None else np.asarray(intercept, dtype=np.float64)
        if constant.shape != (n_labels,) or not np.isfinite(constant).all():
            raise ValueError(
                f"intercept must hold finite numbers of shape ({n_labels},), one for each label; its shape is "
                f"{constant.shape}"
            )
        return cls(weights, constant, has_constant)

    def losses(self, X: Any, edges: Edges) -> float:
        """Return the sum of the weighted losses of all rows."""
        scores = X @ self.coef.T + self.intercept
        missed = 1.0 - scores[edges.row, edges.winner] + scores[edges.row, edges.loser]
        return float(edges.weights @ np.maximum(np.maximum.reduceat(missed, edges.starts), 0.0))

    @property
    def squared_norm(self) -> float:
        return float((self.coef**2).sum() + (self.intercept**2).sum())

    @property
    def absolute_sum(self) -> float:
        return float(np.abs(self.coef).sum() + np.abs(self.intercept).sum())


def online_mistake_bound(
    rival: Competitor, X: Any, edges: Edges, weights: FloatArray | None, update: OnlineUpdate, n_passes: int
) -> float:
    """Return the bound that `OnlineLabelRanker.mistake_bound` states."""
    loss = n_passes * rival.losses(X, edges) if len(edges.row) else 0.0
    scale = _largest_weighted_norm(X, weights, rival.has_constant, update.name == "multiplicative")
    if update.name == "additive":
        # M − L <= ⟨U, W⟩ <= ‖U‖ √(2 S M): each step adds at least (mistake − loss of U) to the first inner product, and
        # at most 2S mistakes to ‖W‖², as the scores of wrong edges are not in their favour.
        root = math.sqrt(2.0 * scale * rival.squared_norm)
        return 0.25 * (root + math.sqrt(root * root + 4.0 * loss)) ** 2
    if update.name == "primal-dual":
        # A row's step raises the dual by at least mistake · max_c (c − c²S) over c <= C, and the dual stays below the
        # primal at U.
        rise = min(update.cost / 2.0, 0.25 / scale) if scale > 0 else update.cost / 2.0
        return (1.0 + _STEP_ACCURACY) * (0.5 * rival.squared_norm + update.cost * loss) / rise
    if rival.absolute_sum > update.radius * (1.0 + 1e-12):
        raise ValueError(
            f"the absolute values of coef and intercept add up to {rival.absolute_sum:.6g}, above radius "
            f"{update.radius:g}: multiplicative updates are only compared with weights within it"
        )
    # Dual averaging under the entropy of 2qk weights: the regret is at most ln(2qk)/η_T + ½ Σ η_t max|g_t|².
    n_weights = 2 * (X.shape[1] + int(rival.has_constant)) * len(rival.coef)
    start = scale * update.radius**2 * math.log(n_weights) / update.rate
    return (loss + start) / (1.0 - update.rate / 2.0)


def _largest_weighted_norm(X: Any, weights: FloatArray | None, has_constant: bool, maximum: bool) -> float:
    """Return the largest weight times ‖x‖², or times the largest |x_j|², over the rows."""
    if maximum:
        largest = abs(X).max(axis=1)
        squares = np.asarray(largest.toarray() if sparse.issparse(largest) else largest).ravel() ** 2
        squares = np.maximum(squares, 1.0) if has_constant else squares
    else:
        squares = np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=1)).ravel() + int(has_constant)
    return float((squares if weights is None else weights * squares).max())
