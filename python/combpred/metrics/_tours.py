"""Cycles and routes: lists of places in the order in which they are visited."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.converters import padded
from .._data.glossary import documented
from .._data.inputs import mean_of_rows
from .._data.targets import whole_numbers
from .._lib.call import computed

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
    return _visited("route_f1", y_true, y_pred, sample_weight, per_row)


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
    return _visited("route_pairs_f1", y_true, y_pred, sample_weight, per_row)


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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 5.5: the experiment on policy
    estimation.

    Examples
    --------
    >>> policy_cosine([[0, 1, 2], [0, 1, 2]], [[1, 2, 0], [2, 1, 0]], per_row=True)
    array([ 1., -1.])
    """
    return _visited("policy_cosine", y_true, y_pred, sample_weight, per_row)


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
    return _visited("cycle_f1", y_true, y_pred, sample_weight, per_row)


def _visited(
    metric: str, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None, per_row: bool
) -> float | NDArray[np.float64]:
    """Return a metric of the core over lists of places, which may differ in length."""
    rows = (
        whole_numbers(padded(y, name, "place"), name, -1, np.iinfo(np.int32).max, _PLACES)
        for y, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    )
    return mean_of_rows(computed("cp_metric_visits", *rows, metric), sample_weight, per_row)
