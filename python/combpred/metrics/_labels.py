"""Label sets against label sets, and against scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from .._data.inputs import mean_of_rows
from ._rows import check_no_row, compared, number_matrix


def hamming_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of labels that are wrong, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, d), or sparse matrix
        0/1 or booleans.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        Between 0 and 1, smaller is better.

    Raises
    ------
    ValueError
        When the two have different shapes, or hold other values, naming the row.

    Examples
    --------
    >>> hamming_loss([[1, 0, 0, 1]], [[1, 1, 0, 1]])
    0.25
    """
    truth, predicted = compared(y_true, y_pred, _sets)
    return mean_of_rows((truth != predicted).mean(axis=1), sample_weight, per_row)


def hamming_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of labels that are right, averaged over rows: one minus `hamming_loss`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, d), or sparse matrix
        0/1 or booleans.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    ValueError
        When the two have different shapes, or hold other values, naming the row.

    Examples
    --------
    >>> hamming_score([[1, 0, 0, 1]], [[1, 1, 0, 1]])
    0.75
    """
    truth, predicted = compared(y_true, y_pred, _sets)
    return mean_of_rows((truth == predicted).mean(axis=1), sample_weight, per_row)


def ranking_loss(
    y_true: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of pairs of a relevant and an irrelevant label that the scores put in the wrong order.

    Parameters
    ----------
    y_true : array-like of shape (n, d), or sparse matrix
        0/1 or booleans, 1 for relevant labels.
    scores : array-like of shape (n, d)
        Larger for labels thought more relevant, such as the `feature_scores` of an estimator of label sets.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        Between 0 and 1, smaller is better. A pair with equal scores counts as wrong; a row without relevant or without
        irrelevant labels has loss 0. Both as in `sklearn.metrics.label_ranking_loss`.

    Raises
    ------
    ValueError
        When the two have different shapes, labels are not 0 or 1, or a score is not finite; names the row.

    Notes
    -----
    Costs O(n d log d).

    Examples
    --------
    >>> ranking_loss([[1, 0, 0, 1]], [[0.9, 0.5, 0.1, 0.2]])
    0.25
    """
    relevant, values = compared(y_true, scores, _sets_or_scores, "scores")
    # Along ascending scores, relevant labels before irrelevant ones where scores are equal, each irrelevant label is
    # ranked wrongly against all relevant ones seen before it.
    order = np.lexsort((~relevant, values), axis=1)
    sorted_relevant = np.take_along_axis(relevant, order, axis=1)
    seen = np.cumsum(sorted_relevant, axis=1, dtype=np.int64)
    wrong = np.where(sorted_relevant, 0, seen).sum(axis=1)
    positives = seen[:, -1]
    pairs = positives * (relevant.shape[1] - positives)
    return mean_of_rows(wrong / np.maximum(pairs, 1), sample_weight, per_row)


def _sets(y: Any, name: str) -> NDArray[np.bool_]:
    matrix = number_matrix(y.toarray() if issparse(y) else y, name)
    check_no_row(~((matrix == 0) | (matrix == 1)).all(axis=1), name, "must hold 0 and 1; this row holds another value")
    return matrix.astype(np.bool_)


def _sets_or_scores(y: Any, name: str) -> NDArray[Any]:
    return number_matrix(y, name) if name == "scores" else _sets(y, name)
