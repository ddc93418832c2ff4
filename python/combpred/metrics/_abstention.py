"""Partial orders against what is known: how much they say, and how much of it is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.glossary import documented
from .._data.inputs import check_weights
from .._data.relations import encode_relations, pair_probabilities
from .._lib.arrays import FloatArray, refuse_masked
from .._lib.call import computed
from .._lib.rankings import Examples
from .._lib.table import floats
from ._entries import are_matrices
from ._rankings import positions_of
from ._rows import compared, mean_of_counted

_MOST_THRESHOLDS = 101  # of a curve that is asked for without them


@dataclass(frozen=True, eq=False)
class AbstentionCurve:
    """How completeness and correctness of partial orders go with the threshold above which pairs are stated.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        The thresholds. At 1/2, every row has its least threshold without a cycle.
    completeness : ndarray of shape (m,)
        Means of `pair_completeness`, which do not increase with the threshold.
    correctness : ndarray of shape (m,)
        Means of `pair_gamma` over the rows that state a pair whose order is known; NaN where none does.
    """

    thresholds: NDArray[np.float64]
    completeness: NDArray[np.float64]
    correctness: NDArray[np.float64]


@documented
def pair_completeness(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    """Return the share of pairs of known order that a predicted partial order states, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k) or (n, k, k), k >= 2
        Positions of k items, 1 for the first, equal ones tied, −1 or NaN where unknown; or booleans: ``y[i, u, v]``
        says that u is before v. Two-dimensional arrays are taken for positions, never for the signs of pairs.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    completeness : float or ndarray of shape (n,)
        Between 0 and 1: of the pairs that `y_true` orders, the share that `y_pred` orders in either way. Rows of which
        `y_true` orders no pair do not count.

    Raises
    ------
    ValueError
        For what is neither, naming the row, and where no row counts.

    References
    ----------
    Cheng, W., Rademaker, M., De Baets, B. and Hüllermeier, E. (2010). Predicting partial orders: ranking with
    abstention. *ECML PKDD*.

    Examples
    --------
    >>> pair_completeness([[1, 2, 3]], [[[0, 0, 1], [0, 0, 1], [0, 0, 0]]])
    0.6666666666666666
    """
    truth, predicted = compared(y_true, y_pred, _signs)
    known, stated = np.count_nonzero(truth, axis=1), np.count_nonzero(truth * predicted, axis=1)
    return mean_of_counted(_share(stated, known), sample_weight, per_row)


@documented
def pair_gamma(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, per_row: bool = False
) -> float | NDArray[np.float64]:
    r"""Return Goodman and Kruskal's γ of true and predicted partial orders, averaged over rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n, k) or (n, k, k), k >= 2
        As in `pair_completeness`.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    gamma : float or ndarray of shape (n,)
        Between −1 and 1, larger is better: of the pairs that both order, the share in the same order less that in
        opposite orders. Rows in which there are none do not count.

    Raises
    ------
    ValueError
        For what is neither, naming the row, and where no row counts.

    Notes
    -----
    For rankings without ties this is `kendall_tau`. It says nothing of how many pairs a prediction leaves open, which
    `pair_completeness` does: the two are read together, as in `abstention_curve`.

    References
    ----------
    Goodman, L. A. and Kruskal, W. H. (1954). Measures of association for cross classifications. *J. Am. Stat. Assoc.*
    49.

    Examples
    --------
    >>> pair_gamma([[1, 2, 3], [3, 2, 1]], [[1, 2, 2], [1, 2, 2]], per_row=True)
    array([ 1., -1.])
    """
    truth, predicted = compared(y_true, y_pred, _signs)
    product = truth * predicted
    agreed = product.sum(axis=1, dtype=np.int64)
    return mean_of_counted(_share(agreed, np.count_nonzero(product, axis=1)), sample_weight, per_row)


def abstention_curve(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> AbstentionCurve:
    r"""Return completeness and correctness of the partial orders that probabilities of pairs give by thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n, k) or (n, k, k), k >= 2
        As in `pair_completeness`.
    proba : array-like of shape (n, k, k) or (n, k(k−1)/2)
        Probabilities that u is before v, as in :func:`combpred.ranking.partial_orders`, of any model.
    thresholds : array-like of shape (m,), default=None
        From 1/2 to below 1; None: all at which anything changes or, if these are many, 101 of them, evenly by rank.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the means; None: equal.

    Returns
    -------
    AbstentionCurve

    Raises
    ------
    ValueError
        For what is not legal, naming the row.

    Notes
    -----
    Each row states the transitive closure of the pairs that are more probable than the threshold or than the least one
    at which that row has no cycle, whichever is larger. Cost: O(n k³), and O(m n k²) for m thresholds.

    References
    ----------
    Cheng, W., Rademaker, M., De Baets, B. and Hüllermeier, E. (2010). Predicting partial orders: ranking with
    abstention. *ECML PKDD*.

    Examples
    --------
    >>> curve = abstention_curve([[1, 2, 3], [1, 2, 3]], [[0.9, 0.8, 0.7], [0.4, 0.7, 0.6]])
    >>> curve.thresholds, curve.completeness.round(2)
    (array([0.5, 0.6, 0.7, 0.8]), array([1.  , 0.67, 0.33, 0.17]))
    >>> curve.correctness.round(2)
    array([0.67, 1.  , 1.  , 1.  ])
    """
    before, truth = pair_probabilities(proba), _signs(y_true, "y_true")
    pairs = len(before), math.comb(before.shape[1], 2)
    if truth.shape != pairs:
        raise ValueError(f"y_true has shape {truth.shape} by pairs and proba {pairs}; they must agree row by row")
    known = Examples(truth, None, check_weights(sample_weight, len(truth)), before.shape[1])
    cuts = None if thresholds is None else floats(thresholds, "thresholds", None)
    m = _MOST_THRESHOLDS if cuts is None else len(cuts)
    curve, n_cuts = computed("cp_metric_abstention", known, before, cuts, m=m)
    return AbstentionCurve(*curve[:, :n_cuts])


def _signs(y: Any, name: str) -> NDArray[np.int8]:
    """Return for the pairs u < v 1 where u is before v, −1 where v is before u, 0 where neither is known."""
    refuse_masked(y, name)
    if are_matrices(y):
        return encode_relations(y, name).astype(np.int8)
    positions = positions_of(y, name, unknown=True)
    u, v = np.triu_indices(positions.shape[1], 1)
    first, second = positions[:, u], positions[:, v]
    return (first < second).astype(np.int8) - (first > second)  # neither where one is NaN, unknown


def _share(part: NDArray[np.int64], whole: NDArray[np.int64]) -> FloatArray:
    """Return part / whole, NaN where that is 0."""
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
