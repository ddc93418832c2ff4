"""Mallows' model of rankings around a centre: its concentration from preferences, and its normalisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from ._preferences import pairs_of_labels

_HALVINGS = 60  # of [0, 1]: to 1e-18


@dataclass(frozen=True, eq=False)
class MallowsEstimate:
    r"""Estimates of Mallows' model :math:`p(y) \propto e^{-\theta D(y, c)}` for n rows, D being Kendall's distance.

    Parameters
    ----------
    positions : ndarray of shape (n, k), dtype=int32
        The centres c, which are predicted: positions 1..k of the labels.
    theta : ndarray of shape (n,)
        Concentrations :math:`\theta \ge 0`: 0 where neighbours agree on nothing, infinity where nothing contradicts
        the centre.
    probability : ndarray of shape (n,)
        That of the centre under the model, between 1/k! and 1: the confidence in the whole predicted ranking.
    """

    positions: NDArray[np.int32]
    theta: FloatArray
    probability: FloatArray


def estimate_mallows(positions: NDArray[np.int32], net: FloatArray, stated: FloatArray) -> MallowsEstimate:
    r"""Return the models around given centres that expect as many contradictions as there are.

    Parameters
    ----------
    positions : ndarray of shape (n, k)
        The centres.
    net, stated : ndarray of shape (n, k(k-1)/2)
        For each pair u < v the weight of what prefers u minus that of what prefers v, and their sum.

    Returns
    -------
    MallowsEstimate

    Notes
    -----
    Solves, for each row, that of the stated pairs as much weight is against the centre as the model expects. For full
    rankings this is the likelihood equation :math:`E_\theta D = \bar D`; otherwise it is an unbiased estimating
    equation, as long as which pairs are stated does not depend on their order. Costs O(n k²).
    """
    u, v = pairs_of_labels(positions.shape[1])
    gaps = positions[:, v] - positions[:, u]
    n, k = positions.shape
    reverse = 0.5 * (stated - np.sign(gaps) * net).sum(axis=1)
    cells = np.arange(n)[:, np.newaxis] * k + np.abs(gaps)
    at_gap = np.asarray(np.bincount(cells.ravel(), weights=stated.ravel(), minlength=n * k), dtype=np.float64)
    decay = _decays(at_gap.reshape(n, k)[:, 1:], np.maximum(reverse, 0.0))
    with np.errstate(divide="ignore"):  # where nothing contradicts the centre
        theta = -np.log(decay)
    return MallowsEstimate(positions, np.abs(theta), np.exp(-log_normalizers(decay, k)))


def log_normalizers(decay: FloatArray, n_labels: int) -> FloatArray:
    r"""Return the logarithm of :math:`\sum_y q^{D(y, c)} = \prod_{i=1}^k (1 + q + \dots + q^{i-1})` for each q."""
    total: FloatArray = np.log(_partial_sums(decay, n_labels)).sum(axis=1)
    return total


def reversal_probabilities(decay: FloatArray, n_labels: int) -> FloatArray:
    r"""Return the probability that labels g places apart in the centre are reversed, g = 1, …, k − 1, for each q.

    With :math:`S_j = 1 + q + \dots + q^{j-1}` it is :math:`q^g \sum_{j=1}^g S_j / (S_g S_{g+1})`, the form without
    cancellation of Mallows's (1957) :math:`1 + h_g - h_{g+1}`, :math:`h_i = i / (1 - q^i)`. Shape ``(n, k-1)``.
    """
    sums = _partial_sums(decay, n_labels)
    powers = decay[:, np.newaxis] ** np.arange(1, n_labels)
    probabilities: FloatArray = powers * np.cumsum(sums, axis=1)[:, :-1] / (sums[:, :-1] * sums[:, 1:])
    return probabilities


def _partial_sums(decay: FloatArray, n_labels: int) -> FloatArray:
    return np.cumsum(decay[:, np.newaxis] ** np.arange(n_labels), axis=1)


def _decays(at_gap: FloatArray, reverse: FloatArray) -> FloatArray:
    """Return q = e^{-θ} in [0, 1] at which the expected weight of reversed preferences is `reverse`, by bisection.

    The expectation grows with q, from 0 to half of all weight, at q = 1. There the search ends, too, where more than
    half is reversed, which a centre found by search may leave.
    """
    low, high = np.zeros(len(at_gap)), np.ones(len(at_gap))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        expected = (at_gap * reversal_probabilities(middle, at_gap.shape[1] + 1)).sum(axis=1)
        below = expected < reverse
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    total = at_gap.sum(axis=1)
    high[reverse >= 0.5 * total] = 1.0
    high[(reverse == 0) & (total > 0)] = 0.0
    return high
