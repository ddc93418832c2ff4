"""Orders by pivoting: everything that beats the pivot before it, everything else behind it, and so on within both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from ._best_input import shared_costs

#: From items to the index of the pivot among them.
Choice = Callable[[NDArray[np.intp]], int]


def pivot_order(before: FloatArray, *, with_inputs: bool) -> NDArray[np.intp]:
    r"""Return the order of a deterministic choice of pivots.

    Parameters
    ----------
    before : ndarray of shape (k, k)
        Weight of the rankings with u before v.
    with_inputs : bool
        Whether the better of this order and `best_order_of_inputs` will be used.

    Notes
    -----
    Let m ≤ M be the costs of the two orders of a pair. A pair pays M only if it lies on a directed triangle of the
    majority with the pivot that separates it, otherwise m. The triangle inequality :math:`w_{uv} \le w_{ux} + w_{xv}`
    bounds M for each side of such a triangle by the sum of the other two m. Hence the sum of M over its sides is at
    most twice that of m; and with c = 2mM/(m + M), the cost of the pair in a random ranking, the sum of
    2/5 M + 3/5 c is at most 8/5 of that of m. Some pivot attains the average over all pivots, so that the order costs
    at most twice Σ m; and the better one of it and the rankings at most 8/5 Σ m, because 2/5 m + 3/5 c ≤ 8/5 m for
    pairs that agree. Of the pivots within the bound, the one is taken that adds the least M − m for each pair that it
    decides. Cost: O(k³) for each pivot, as matrix products.

    References
    ----------
    van Zuylen, A. and Williamson, D. P. (2009). Deterministic pivoting algorithms for constrained ranking and
    clustering problems. *Mathematics of Operations Research* 34.
    """
    share, bound = (0.4, 1.6) if with_inputs else (1.0, 2.0)
    least, most = np.minimum(before, before.T), np.maximum(before, before.T)
    excess = share * most + (1.0 - share) * shared_costs(before) - bound * least
    ahead = majority(before)

    def choose(items: NDArray[np.intp]) -> int:
        square = np.ix_(items, items)
        wins = ahead[square].astype(np.float64)

        def misplaced(values: FloatArray) -> FloatArray:
            # Σ over i before and j behind each pivot where the majority has j before i.
            return np.asarray(((wins.T @ (wins.T * values[square])) * wins).sum(axis=1))

        over = misplaced(excess)
        decided = wins.sum(axis=0) * wins.sum(axis=1) + (len(items) - 1)
        added = misplaced(most - least) / decided
        return int(np.argmin(np.where(over <= max(0.0, float(over.min())), added, np.inf)))

    return _sorted(ahead, choose)


def random_pivot_order(before: FloatArray, rng: np.random.RandomState) -> NDArray[np.intp]:
    r"""Return the order of uniformly random pivots (KwikSort).

    Notes
    -----
    The better of it and a random ranking has at most 11/7 of the least distance on average. Cost: O(k²).

    References
    ----------
    Ailon, N., Charikar, M. and Newman, A. (2008). Aggregating inconsistent information: ranking and clustering. *J.
    ACM* 55.
    """
    return _sorted(majority(before), lambda items: int(rng.randint(len(items))))


def majority(before: FloatArray) -> NDArray[np.bool_]:
    """Return whether u beats v: by more weight, or by its smaller number where the weights are equal."""
    ahead: NDArray[np.bool_] = (before > before.T) | ((before == before.T) & np.triu(np.ones(before.shape, bool), 1))
    return ahead


def _sorted(ahead: NDArray[np.bool_], choose: Choice) -> NDArray[np.intp]:
    order: list[NDArray[np.intp]] = []
    stack = [np.arange(len(ahead))]
    while stack:
        items = stack.pop()
        if len(items) < 2:
            order.append(items)
            continue
        pivot = items[choose(items)]
        stack += [items[ahead[pivot, items]], np.array([pivot]), items[ahead[items, pivot]]]
    return np.concatenate(order)
