"""Cycles and routes: lists of places in the order in which they are visited."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.converters import padded
from .._data.glossary import documented
from .._data.inputs import mean_of_rows
from .._data.targets import whole_numbers
from .._lib.arrays import IntArray
from ._rows import check_no_row

_PLACES = "places are whole numbers from 0 on, and −1 pads short rows at the right"


def route_f1(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return the F1 score of the places that each route visits, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), or lists of different lengths
        Places in visiting order, padded with −1 at the right; the two may differ in width. A place that is visited
        twice counts twice.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        :math:`2|A \cap B| / (|A| + |B|)` for the multisets A and B; between 0 and 1, larger is better. The order does
        not count, and given endpoints do.

    Raises
    ------
    ValueError
        When a row visits no place or is no padded list; names the argument and the row.

    Notes
    -----
    Costs O(n k²).

    References
    ----------
    Lim, K. H., Chan, J., Leckie, C. and Karunasekera, S. (2015). Personalized tour recommendation based on user
    interests and points of interest visit durations. *IJCAI*.

    Examples
    --------
    >>> route_f1([[0, 1, 2, 3]], [[0, 2, 4, 3]])
    0.75
    """
    truth, predicted = _both(y_true, y_pred)
    common = np.zeros(len(truth), dtype=np.int64)
    for i, first in enumerate(_first_visits(truth).T):
        often = (np.count_nonzero(rows == truth[:, i : i + 1], axis=1) for rows in (truth, predicted))
        common += np.where(first, np.minimum(*often), 0)
    return mean_of_rows(2 * common / (_lengths(truth) + _lengths(predicted)), sample_weight, per_row)


def route_pairs_f1(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return the F1 score of the ordered pairs of places that each route visits, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k), or lists of different lengths
        Places in visiting order, padded with −1 at the right; the two may differ in width. A place that `y_true`
        visits again counts at its first visit there.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        :math:`2|P \cap Q| / (|P| + |Q|)`, where P and Q hold the pairs (u, v) with u visited before v, next to it or
        not, endpoints included. Between 0 and 1, larger is better; 1 for the same places in the same order only. Of
        predictions that repeat places every pair of visits counts, as the authors have it: to Q, and, if its places are
        in this order in P, to what both share. Visits repeated in the right order may then score above 1.

    Raises
    ------
    ValueError
        When a row of `y_true` visits fewer than two places or a row is no padded list; names the argument and the
        row.

    Notes
    -----
    Costs O(n k²).

    References
    ----------
    Chen, D., Ong, C. S. and Xie, L. (2016). Learning points and routes to recommend trajectories. *CIKM*.

    Examples
    --------
    >>> round(route_pairs_f1([[0, 1, 2, 3]], [[0, 2, 1, 3]]), 3)
    0.833
    """
    truth, predicted = _both(y_true, y_pred)
    a, b = _number(truth), _lengths(predicted)
    check_no_row(a < 2, "y_true", "visits one place and has no pair of places; leave the row out")
    places = np.stack([_place_in(truth, predicted[:, i : i + 1]) for i in range(predicted.shape[1])], axis=1)
    common = np.zeros(len(truth), dtype=np.int64)
    for i in range(places.shape[1] - 1):
        common += ((places[:, i + 1 :] > places[:, i : i + 1]) & (places[:, i : i + 1] >= 0)).sum(axis=1)
    return mean_of_rows(4 * common / (a * (a - 1) + b * (b - 1)), sample_weight, per_row)


@documented
def policy_cosine(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return the cosine between the embeddings of directed cycles, averaged over rows.

    Parameters
    ----------
    %(cycles)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        :math:`\langle\psi(y), \psi(\hat y)\rangle / \|\psi(y)\|\|\psi(\hat y)\|`: the arcs that both cycles have, less
        those that they run through in opposite directions, over the square root of the product of their lengths.
        Between −1 and 1, larger is better.

    Raises
    ------
    ValueError
        When a row is no cycle of three or more different vertices; names the argument and the row.

    Notes
    -----
    Costs O(n k²).

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 5: the experiment on policy estimation.

    Examples
    --------
    >>> policy_cosine([[0, 1, 2], [0, 1, 2]], [[1, 2, 0], [2, 1, 0]], per_row=True)
    array([ 1., -1.])
    """
    truth, predicted, same, opposite = _arcs(y_true, y_pred)
    lengths = _number(truth).astype(np.float64) * _number(predicted)
    return mean_of_rows((same - opposite) / np.sqrt(lengths), sample_weight, per_row)


@documented
def cycle_f1(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return the F1 score of the edges of undirected cycles, averaged over rows.

    Parameters
    ----------
    %(cycles)s
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    per_row : bool, default=False
        Whether to return one value per row in place of their mean.

    Returns
    -------
    score : float or ndarray of shape (n,)
        :math:`2|E \cap F| / (|E| + |F|)` for the sets of edges E and F; between 0 and 1, larger is better.

    Raises
    ------
    ValueError
        When a row is no cycle of three or more different vertices; names the argument and the row.

    Notes
    -----
    Costs O(n k²).

    Examples
    --------
    >>> cycle_f1([[0, 1, 2, 3], [0, 1, 2, 3]], [[3, 2, 1, 0], [0, 2, 1, 3]], per_row=True)
    array([1. , 0.5])
    """
    truth, predicted, same, opposite = _arcs(y_true, y_pred)
    return mean_of_rows(2 * (same + opposite) / (_number(truth) + _number(predicted)), sample_weight, per_row)


def _both(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[IntArray, IntArray]:
    truth, predicted = _visits(y_true, "y_true"), _visits(y_pred, "y_pred")  # which may differ in width
    if len(truth) != len(predicted):
        raise ValueError(f"y_true has {len(truth)} rows and y_pred {len(predicted)}; they must agree row by row")
    return truth, predicted


def _visits(y: ArrayLike, name: str) -> IntArray:
    """Return padded rows of one place or more."""
    rows = whole_numbers(padded(y, name, "place"), name, -1, np.iinfo(np.int32).max, _PLACES)
    late = ((rows[:, 1:] >= 0) & (rows[:, :-1] < 0)).any(axis=1)
    check_no_row(late, name, "goes on behind −1; padding stands at the right end only")
    check_no_row(rows[:, 0] < 0, name, "visits no place; leave the row out")
    return rows


def _first_visits(rows: IntArray) -> NDArray[np.bool_]:
    """Mark the entries that are no padding and no place visited before."""
    first: NDArray[np.bool_] = rows >= 0
    for i in range(1, rows.shape[1]):
        first[:, i] &= (rows[:, :i] != rows[:, i : i + 1]).all(axis=1)
    return first


def _lengths(rows: IntArray) -> NDArray[np.int64]:
    """Return the number of visits in each row."""
    lengths: NDArray[np.int64] = (rows >= 0).sum(axis=1)
    return lengths


def _place_in(rows: IntArray, visited: IntArray) -> NDArray[np.int64]:
    """Return where each row first visits a place, ``(n, 1)``; −1 where it does not, or there is none."""
    equal = (rows == visited) & (visited >= 0)
    return np.where(equal.any(axis=1), equal.argmax(axis=1), -1)


def _number(rows: IntArray) -> NDArray[np.int64]:
    """Return the number of different places in each row."""
    number: NDArray[np.int64] = _first_visits(rows).sum(axis=1)
    return number


def _met(truth: IntArray, predicted: IntArray) -> NDArray[np.int64]:
    """Return for the first visits of each true row where the predicted row first visits the same place, else −1."""
    met = np.full(truth.shape, -1, dtype=np.int64)
    for i, first in enumerate(_first_visits(truth).T):
        met[:, i] = np.where(first, _place_in(predicted, truth[:, i : i + 1]), -1)
    return met


def _arcs(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[IntArray, IntArray, NDArray[np.int64], NDArray[np.int64]]:
    """Return two sets of cycles and how many arcs of each pair agree and how many are opposite."""
    truth, predicted = _both(y_true, y_pred)
    for rows, name in ((truth, "y_true"), (predicted, "y_pred")):
        bad = (_number(rows) < _lengths(rows)) | (_lengths(rows) < 3)
        check_no_row(bad, name, "is no cycle of three or more different vertices")
    true_lengths, lengths = _lengths(truth), _lengths(predicted)
    same, opposite = np.zeros((2, len(truth)), dtype=np.int64)
    every = np.arange(len(truth))
    for i, place in enumerate(_met(truth, predicted).T):
        after = truth[every, (i + 1) % true_lengths]
        same += (place >= 0) & (predicted[every, (place + 1) % lengths] == after)
        opposite += (place >= 0) & (predicted[every, (place - 1) % lengths] == after)
    return truth, predicted, same, opposite
