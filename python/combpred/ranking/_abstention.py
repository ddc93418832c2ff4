"""Partial orders from probabilities of pairs: ranking with abstention."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument
from .._data.relations import pair_probabilities
from .._lib.aggregate import strongest_chains


def partial_orders(
    proba: ArrayLike, *, threshold: str | float = "least", n_threads: int | None = None
) -> NDArray[np.bool_]:
    r"""Turn pairwise probabilities into partial orders that state only what exceeds a threshold.

    Parameters
    ----------
    proba : array-like of shape (n, k, k) or (n, k(k−1)/2)
        ``proba[i, u, v]`` is the probability in row i that item u comes before item v. The diagonal is not read. The
        two orders of a pair sum to at most 1, and to less than 1 if the pair may be tied. Alternatively, pass only the
        pairs u < v in lexicographic order; the reverse order then has the complementary probability. For the marginals
        m of a ranking model these are ``(1 + m) / 2``.
    threshold : "least" or float, default="least"
        "least" takes, for each row, the smallest q >= 1/2 such that the pairs with probability above q contain no
        cycle. This states as many pairs as possible without contradiction. A number in [1/2, 1) is q itself, raised to
        the least threshold of a row if it is below that. Larger thresholds state fewer pairs.
    n_threads : int or None, default=None
        Number of threads; None uses the configured number.

    Returns
    -------
    relations : ndarray of shape (n, k, k), dtype=bool
        ``relations[i, u, v]`` says that u comes before v. Each relation is a strict partial order: the transitive
        closure of the pairs with probability above q. `PartialOrders` takes this array as y.

    Raises
    ------
    ValueError
        If an entry is not a probability, naming the row, or if the threshold is out of range.

    Notes
    -----
    A pair whose own probability is below q can still be stated, because it follows from others. If the pairs above 1/2
    contain no cycle, q is 1/2; if moreover no probability is exactly 1/2, the result is a total order. Cost: O(n k³).
    `combpred.metrics.abstention_curve` shows the trade-off between thresholds.

    References
    ----------
    Cheng, W., Rademaker, M., De Baets, B. and Hüllermeier, E. (2010). Predicting partial orders: ranking with
    abstention. *ECML PKDD*.

    Examples
    --------
    >>> from combpred.ranking import partial_orders
    >>> proba = [[0.6, 0.3, 0.7]]  # 0 before 1, 2 before 0, 1 before 2: a cycle, whose weakest link goes
    >>> partial_orders(proba).astype(int)
    array([[[0, 0, 0],
            [1, 0, 1],
            [1, 0, 0]]])
    """
    if threshold != "least":
        check_argument(threshold, "threshold, if not 'least',", Interval(Real, 0.5, 1, closed="left"))
    chains, least = strongest_chains(pair_probabilities(proba), n_threads)
    cut: Any = least if threshold == "least" else np.maximum(least, float(threshold))
    return chains > cut[:, np.newaxis, np.newaxis]
