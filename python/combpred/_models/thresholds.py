"""The threshold above which labels are predicted for the largest F1, from scores of rows that were left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError

if TYPE_CHECKING:
    from ..structures import Structure


def require_all_sets(structure: Structure) -> None:
    """Raise CapabilityError unless a threshold decides on each label of a structure."""
    if structure.target_type != "multilabel-indicator" or structure.space.facts["free_values"] is None:
        raise CapabilityError(
            "decision='f1' takes a threshold for each label, so it is for LabelSets() of all sets, not for "
            f"{structure!r}: take decision='auto', or ProbabilisticStructured(decision='f1') for other label sets"
        )


def best_threshold(scores: FloatArray, y: NDArray[Any], weights: FloatArray | None = None) -> tuple[float, float]:
    """Return the threshold above which labels are to be predicted, and the F1 that it reaches.

    Parameters
    ----------
    scores : ndarray of shape (n, d)
        Of labels of rows that were left out in training.
    y : ndarray of shape (n, d)
        0/1.
    weights : ndarray of shape (n,) or None, default=None
        Of rows; None: equal.

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
    n, d = scores.shape
    share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    order = np.argsort(-scores, axis=1, kind="stable")
    hits = np.cumsum(np.take_along_axis(y, order, axis=1), axis=1)
    size = y.sum(axis=1, keepdims=True)
    f1 = np.hstack([(size == 0).astype(np.float64), 2.0 * hits / (np.arange(1, d + 1) + size)])
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
