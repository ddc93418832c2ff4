"""decision="f1": label sets decided by one threshold, that of the largest mean F1 of training rows left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.targets import refuse_rows
from .._lib.arrays import FloatArray


def above_threshold(model: Any, scores: FloatArray) -> FloatArray:
    """Return what decodes to the labels that decision="f1" predicts, given f(x) of rows, (n, d)."""
    expected, threshold = _of_labels(model, scores), model.threshold_
    if not model.predicts_empty_:  # a row's threshold is below its largest label
        threshold = np.minimum(threshold, np.nextafter(expected.max(axis=1, keepdims=True), -np.inf))
    return expected - threshold


def choose_threshold(model: Any, left_out: FloatArray, psi: FloatArray, weights: FloatArray | None) -> float:
    """Set `threshold_` and `predicts_empty_` of an estimator with decision="f1", which has `structure_` and `loss_`.

    Parameters
    ----------
    model : estimator
    left_out : ndarray of shape (n, d)
        f(x) of rows left out.
    psi : ndarray of shape (n, d)
        Of their outputs.
    weights : ndarray of shape (n,) or None

    Returns
    -------
    f1 : float
        The largest mean F1, that of the threshold.
    """
    refuse_rows(((psi != 0) & (psi != 1)).any(axis=1), "decision='f1' takes whole sets, and a label is unknown", "y")
    counting = psi if weights is None else psi[weights > 0]
    model.predicts_empty_ = bool((~counting.any(axis=1)).any())
    model.threshold_, reached = best_threshold(
        _of_labels(model, left_out), psi, weights, predicts_empty=model.predicts_empty_
    )
    return reached


def _of_labels(model: Any, scores: FloatArray) -> FloatArray:
    """Return what the threshold is compared with, given f(x)."""
    return scores + model.structure_.mean() if model.loss_ == "squared" else scores


def mean_f1(y: FloatArray, predicted: FloatArray, weights: FloatArray | None = None) -> float:
    """Return the mean F1 of label sets, 0/1 matrices of shape (n, d), 1 where no label is true or predicted."""
    both, sizes = 2.0 * np.einsum("ij,ij->i", y, predicted), y.sum(axis=1) + predicted.sum(axis=1)
    return float(np.average(np.where(sizes == 0, 1.0, both / np.maximum(sizes, 1)), weights=weights))


def best_threshold(
    scores: FloatArray, y: FloatArray, weights: FloatArray | None = None, *, predicts_empty: bool = True
) -> tuple[float, float]:
    """Return the threshold above which labels are to be predicted, and the F1 that it reaches.

    Parameters
    ----------
    scores : ndarray of shape (n, d)
        Of labels of rows that were left out in training.
    y : ndarray of shape (n, d)
        0/1.
    weights : ndarray of shape (n,) or None, default=None
        Of rows; None: equal.
    predicts_empty : bool, default=True
        Whether no label is predicted where none is above the threshold. False: that of the largest score is.

    Returns
    -------
    threshold : float
        In the middle of two scores, or beyond all. Of several with the largest F1, the largest.
    f1 : float
        Mean over rows, 1 where no label is true or predicted.

    Notes
    -----
    As the threshold goes down, labels are predicted one after another, and F1 changes in the row of the label alone:
    O(n d log(n d)).
    """
    if weights is not None:  # rows of weight 0 have no part in where the threshold lies
        counting = weights > 0
        scores, y, weights = scores[counting], y[counting], weights[counting]
    n, d = scores.shape
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    order = np.argsort(-scores, axis=1, kind="stable")
    hits = np.cumsum(np.take_along_axis(y, order, axis=1), axis=1)
    size = y.sum(axis=1, keepdims=True)
    f1 = np.hstack([(size == 0).astype(np.float64), 2.0 * hits / (np.arange(1, d + 1) + size)])
    if not predicts_empty:  # the largest scores of a row are predicted at any threshold
        largest = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
        f1 = np.where(np.arange(d + 1) < largest, np.take_along_axis(f1, largest, axis=1), f1)
    gains = (np.diff(f1, axis=1) * share[:, np.newaxis]).ravel()
    descending = np.take_along_axis(scores, order, axis=1).ravel()
    sequence = np.argsort(-descending, kind="stable")
    reached = share @ f1[:, 0] + np.concatenate([[0.0], np.cumsum(gains[sequence])])
    values = descending[sequence]
    # A threshold lies between scores that differ: behind the last of equal ones.
    ends = np.concatenate([[True], values[:-1] > values[1:], [True]])
    best = int(np.flatnonzero(ends)[np.argmax(reached[ends])])
    if best == 0:
        threshold = values[0] + 1.0
    elif best == len(values):
        threshold = values[-1] - 1.0
    else:
        threshold = (values[best - 1] + values[best]) / 2
    return float(threshold), float(reached[best])
