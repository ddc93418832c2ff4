"""Rankings against rankings where their tops count for more: positions of labels in both."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import require_integers, share
from .._data.glossary import documented
from ._orders import ranked


@documented
def top_k_recall(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    k: int = 1,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the share of the first k labels that are among the first k of the prediction, averaged over rows.

    Parameters
    ----------
    %(positions_known)s
    k : int, default=1
        How many labels are the first. 1: whether the first label is right. Of rows with fewer known labels all are.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    recall : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    TypeError, ValueError
        For another `k`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    Where ties leave open which labels are the first, the mean over all ways to break them, in both rankings on their
    own. Costs O(n k log k) for k labels.

    Examples
    --------
    >>> top_k_recall([[1, 2, 3, 4]], [[2, 4, 1, 3]], k=2)
    0.5
    """
    require_integers(k=k)
    return ranked("top_k_recall", y_true, y_pred, sample_weight, per_row, parameter=k)


@documented
def ndcg(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the normalised discounted cumulative gain of predicted rankings, averaged over rows.

    The gain of a label is the number of labels behind it in the true ranking, half of those tied with it. For true
    grades and scores of labels in place of rankings take :func:`sklearn.metrics.ndcg_score`.

    Parameters
    ----------
    %(positions_known)s
    k : int, default=None
        How many places of the prediction count; None: all.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    gain : float or ndarray of shape (n,)
        Between 0 and 1, larger is better.

    Raises
    ------
    TypeError, ValueError
        For another `k`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    The gain at place i counts 1/log₂(i + 1), and the sum is divided by that of the true ranking. Labels that the
    prediction ties share the mean of their places' discounts. With these gains, and predictions as negative positions,
    it is :func:`sklearn.metrics.ndcg_score`. Costs O(n k log k) for k labels.

    References
    ----------
    Järvelin, K. and Kekäläinen, J. (2002). Cumulated gain-based evaluation of IR techniques. *ACM TOIS* 20.

    Examples
    --------
    >>> round(ndcg([[1, 2, 3]], [[1, 3, 2]]), 3)
    0.95
    """
    if k is not None:
        require_integers(k=k)
    return ranked("ndcg", y_true, y_pred, sample_weight, per_row, parameter=k)


@documented
def rank_biased_overlap(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    p: float = 0.9,
    sample_weight: ArrayLike | None = None,
    per_row: bool = False,
) -> float | NDArray[np.float64]:
    r"""Return the rank-biased overlap of true and predicted rankings, averaged over rows.

    The mean share that the first d labels of both have in common, where a reader who looks at place d goes on to the
    next with probability p.

    Parameters
    ----------
    %(positions_known)s
    p : float, default=0.9
        How patient the reader is, above 0 and below 1: with probability :math:`p^d`, places behind the first d are
        looked at, too.
    sample_weight : array-like of shape (n,), default=None
        Weights of the rows in the mean; None: equal.
    %(counted_per_row)s

    Returns
    -------
    overlap : float or ndarray of shape (n,)
        Between 0 and 1, larger is better; 1 for equal rankings without ties.

    Raises
    ------
    TypeError, ValueError
        For another `p`, when a predicted position is missing, naming the row, or when no row counts.

    Notes
    -----
    With :math:`X_d` common labels among the first d of k labels it is
    :math:`\frac{1-p}{p} \sum_{d=1}^k \frac{X_d}{d} p^d + \frac{X_k}{k} p^k`, the extrapolated value of Webber et
    al. for lists of the same labels. Where ties leave open which labels are the first, :math:`X_d` is its mean over all
    ways to break them, in both rankings on their own (variant a of Corsi and Urbano). Costs O(n k²).

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. *ACM TOIS* 28.

    Corsi, M. and Urbano, J. (2024). The treatment of ties in rank-biased overlap. *SIGIR*.

    Examples
    --------
    >>> round(rank_biased_overlap([[1, 2, 3, 4]], [[2, 1, 3, 4]]), 3)
    0.9
    """
    return ranked("rank_biased_overlap", y_true, y_pred, sample_weight, per_row, parameter=share(p, "p"))
