"""Partial orders from probabilities of pairs: ranking with abstention."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import is_number
from .._data.relations import pair_probabilities
from .._data.targets import TargetError
from .._lib.aggregate import strongest_chains
from .._lib.errors import RowError


def partial_orders(
    proba: ArrayLike, *, threshold: str | float = "least", n_threads: int | None = None
) -> NDArray[np.bool_]:
    r"""Return the partial orders of what is more probable than a threshold.

    Parameters
    ----------
    proba : array-like of shape (n, k, k) or (n, k(k−1)/2)
        ``proba[i, u, v]``: the probability in row i that item u is before item v; the diagonal is not read. Those of
        both orders sum to at most 1, to less where the two may be tied. Or those of pairs u < v alone, in lexicographic
        order, where the others are 1 less these: of a model of rankings whose marginals are m, ``(1 + m) / 2``.
    threshold : "least" or float, default="least"
        "least": for each row the smallest number q from 1/2 on for which no chain of pairs of probability above q
        leads back to where it began, so that as many pairs are stated as can be without contradiction. A number from
        1/2 to below 1: q, where it is not below the least one of the row, which is taken otherwise. The larger, the
        fewer pairs are stated.
    n_threads : int or None, default=None
        Threads; None: as configured.

    Returns
    -------
    relations : ndarray of shape (n, k, k), dtype=bool
        ``relations[i, u, v]``: u is before v, which is irreflexive, antisymmetric and transitive: the transitive
        closure of the pairs of probability above q. `PartialOrders` takes it as y.

    Raises
    ------
    ValueError
        For numbers that are no probabilities, naming the row, and for other thresholds.

    Notes
    -----
    A pair can be stated as it follows from others although its own probability is below q. Where no pair of
    probabilities above 1/2 contradicts others, q is 1/2, and where none is exactly 1/2 either the answer is a complete
    order. Cost: O(n k³). `combpred.metrics.abstention_curve` shows what thresholds are worth.

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
    if threshold != "least" and not (is_number(threshold) and 0.5 <= float(threshold) < 1.0):
        raise ValueError(f"threshold must be 'least' or a number from 1/2 to below 1, got {threshold!r}")
    try:
        chains, least = strongest_chains(pair_probabilities(proba), n_threads)
    except RowError as error:
        raise TargetError(error.row, error.reason, "proba") from None
    cut: Any = least if threshold == "least" else np.maximum(least, float(threshold))
    relations: NDArray[np.bool_] = chains > cut[:, np.newaxis, np.newaxis]
    return relations
