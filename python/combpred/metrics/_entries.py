"""Metrics that compare outputs entry by entry: whole rows, label sets, pairs of items, and grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from .._data.glossary import documented
from .._data.inputs import mean_of_rows
from .._data.relations import encode_relations
from .._data.targets import as_array, refuse_rows, target_vector
from ._rows import compared, mean_of_counted, number_matrix


def zero_one_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of rows that are not predicted exactly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        A row of a matrix counts as right only when all its entries are: for label sets this is one minus subset
        accuracy.
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
        When the two have different shapes, no rows, or strings on one side and numbers on the other.

    Examples
    --------
    >>> zero_one_loss([[1, 2, 3], [2, 1, 3]], [[1, 2, 3], [1, 2, 3]])
    0.5
    """
    return 1.0 - accuracy(y_true, y_pred, sample_weight=sample_weight, per_row=per_row)


def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of rows that are predicted exactly, one minus `zero_one_loss`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels or rows.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    accuracy : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    ValueError
        When the two have different shapes, no rows, or strings on one side and numbers on the other.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    truth, predicted = compared(y_true, y_pred, _values)
    all_strings = [all(isinstance(value, str) for value in values.flat) for values in (truth, predicted)]
    if all_strings[0] != all_strings[1]:
        raise ValueError("y_true and y_pred hold strings and numbers, which are never equal: convert one of them")
    return mean_of_rows((truth == predicted).all(axis=1).astype(np.float64), sample_weight, per_row)


def _values(y: Any, name: str) -> NDArray[Any]:
    """Return labels or rows as a matrix; ValueError if a value is missing, as NaN equals nothing."""
    values = as_array(y.toarray() if issparse(y) else y, name)
    matrix = values.reshape(len(values), -1)
    if matrix.dtype.kind == "O":  # pandas' NA compares as neither equal nor different
        missing = [[type(value).__name__ == "NAType" or value != value for value in row] for row in matrix]
    else:
        missing = matrix != matrix
    refuse_rows(np.any(missing, axis=1), "a value is missing; fill it in, or leave the row out", name)
    return matrix


@documented
def hamming_loss(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of labels that are wrong, averaged over rows.

    Parameters
    ----------
    %(known_sets)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    loss : float or ndarray of shape (n,)
        Between 0 and 1, smaller is better; NaN for rows that do not count.

    Raises
    ------
    ValueError
        When the two have different shapes, or hold other values, naming the row.

    Examples
    --------
    >>> hamming_loss([[1, 0, 0, 1]], [[1, 1, 0, 1]])
    0.25
    """
    truth, predicted = compared(y_true, y_pred, _known_sets)
    wrong = np.ma.masked_array(truth != predicted, np.isnan(truth)).mean(axis=1)
    return mean_of_counted(np.ma.filled(wrong.astype(np.float64), np.nan), sample_weight, per_row)


@documented
def hamming_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of labels that are right, averaged over rows: one minus `hamming_loss`.

    Parameters
    ----------
    %(known_sets)s
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
    return 1.0 - hamming_loss(y_true, y_pred, sample_weight=sample_weight, per_row=per_row)


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
    refuse_rows(~((matrix == 0) | (matrix == 1)).all(axis=1), "must hold 0 and 1; this row holds another value", name)
    return matrix.astype(np.bool_)


def _known_sets(y: Any, name: str) -> NDArray[np.float64]:
    """Return sets of which labels of y_true may be unknown, as numbers with NaN for these."""
    if name != "y_true":
        return _sets(y, name).astype(np.float64)
    matrix = number_matrix(y.toarray() if issparse(y) else y, name, missing=True).astype(np.float64)
    matrix[matrix == -1] = np.nan
    bad = ~((matrix == 0) | (matrix == 1) | np.isnan(matrix)).all(axis=1)
    refuse_rows(bad, "must hold 0 and 1, and -1 or NaN where it is unknown; this row holds another value", name)
    return matrix


def _sets_or_scores(y: Any, name: str) -> NDArray[Any]:
    return number_matrix(y, name) if name == "scores" else _sets(y, name)


def pair_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of pairs of items whose predicted relation is right, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, n_pairs) or (n, k, k)
        Relations of items: for each pair +1, −1, or 0 for none, as of `Tournaments` and `PartialOrders`; or booleans,
        ``y[i, u, v]`` saying that u is before v.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    accuracy : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    ValueError
        When an entry is not −1, 0 or 1; names the row.

    Examples
    --------
    >>> pair_accuracy([[1, 0, -1], [1, 1, 1]], [[1, 0, 0], [-1, 1, 1]], per_row=True).round(3)
    array([0.667, 0.667])
    """
    truth, predicted = compared(y_true, y_pred, _relations)
    return mean_of_rows((truth == predicted).mean(axis=1), sample_weight, per_row)


def _relations(y: Any, name: str) -> NDArray[Any]:
    if are_matrices(y):
        return encode_relations(y, name)
    signs = number_matrix(y, name)
    refuse_rows((signs != np.sign(signs)).any(axis=1), "must hold −1, 0 and 1; this row holds another value", name)
    return signs


def are_matrices(y: Any) -> bool:
    """Return whether y holds a matrix for each row, where numbers would be positions or signs of pairs."""
    return getattr(y, "ndim", 0) == 3 or (isinstance(y, (list, tuple)) and np.ndim(y[:1]) == 3)


def neg_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return minus the number of grades between truth and prediction.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Grades as numbers. Pass the codes of ordered Categoricals, ``y.cat.codes``.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        At most 0, larger is better. The mean is scikit-learn's "neg_mean_absolute_error".

    Raises
    ------
    ValueError
        When the two have different shapes, or hold no finite numbers, naming the row.

    Examples
    --------
    >>> neg_absolute_error([0, 3, 2], [0, 1, 1])
    -1.0
    """
    truth, predicted = compared(y_true, y_pred, _grades)
    return mean_of_rows(-np.abs(truth - predicted), sample_weight, per_row)


def _grades(y: Any, name: str) -> NDArray[np.float64]:
    return number_matrix(target_vector(y, name)[:, np.newaxis], name)[:, 0].astype(np.float64)
