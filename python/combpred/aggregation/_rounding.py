"""Orders from the linear relaxation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from ._best_input import shared_costs

_LEAST, _MOST = 1 / 6, 5 / 6  # values of the relaxation that are rounded to 0 and to 1 where rankings have ties


def round_relaxation(relaxed: FloatArray, before: FloatArray, *, with_inputs: bool) -> NDArray[np.intp]:
    r"""Return an order of cost at most 4/3, or 3/2, of the relaxation's.

    Parameters
    ----------
    relaxed : ndarray of shape (k, k)
        An optimum x of the relaxation: how far u is before v, ``relaxed + relaxed.T`` being 1 off the diagonal.
    before : ndarray of shape (k, k)
        Weight of the rankings with u before v.
    with_inputs : bool
        Whether the rankings have no ties, and the better of this order and the best of them will be used: 4/3. False
        takes less for granted, only the triangle inequality of the weights: 3/2.

    Notes
    -----
    Ailon, Charikar and Newman put every item before a random pivot with probability x, independently, and go on within
    both parts. Let e be the cost of a pair's order, c that in a random ranking and l that of x. Without ties the mean
    of 2/3 e + 1/3 c − 4/3 l over the pairs that a pivot decides is not positive; with ties this holds for e − 3/2 l if
    x is first stretched about ½ by 3/2 and cut off at 0 and 1 (Ailon, 2010). Here nothing is random: the pivot of least
    mean is taken, and then its side is chosen for one item after the other, so that the mean never grows. Cost: O(k³)
    for each pivot, as matrix products.

    References
    ----------
    Ailon, N., Charikar, M. and Newman, A. (2008). Aggregating inconsistent information: ranking and clustering. *J.
    ACM* 55.

    Ailon, N. (2010). Aggregation of partial rankings, p-ratings and top-m lists. *Algorithmica* 57.
    """
    share, bound = (2 / 3, 4 / 3) if with_inputs else (1.0, 1.5)
    fractional = relaxed * before.T + relaxed.T * before
    excess = share * before.T + (1.0 - share) * shared_costs(before) - bound * fractional
    np.fill_diagonal(excess, 0.0)
    chance = relaxed if with_inputs else np.clip((relaxed - _LEAST) / (_MOST - _LEAST), 0.0, 1.0)
    chance = chance.copy()
    np.fill_diagonal(chance, 0.0)
    order: list[NDArray[np.intp]] = []
    stack = [np.arange(len(before))]
    while stack:
        items = stack.pop()
        if len(items) < 2:
            order.append(items)
            continue
        square = np.ix_(items, items)
        pivot, first = _split(chance[square], excess[square])
        behind = ~first
        behind[pivot] = False
        stack += [items[behind], items[pivot : pivot + 1], items[first]]
    return np.concatenate(order)


def _split(chance: FloatArray, excess: FloatArray) -> tuple[int, NDArray[np.bool_]]:
    """Return a pivot, and which items go before it."""
    decided = chance * excess
    means = decided.sum(axis=0) + decided.sum(axis=1) + ((chance.T @ excess) * chance).sum(axis=1)
    pivot = int(np.argmin(means))
    first, last = chance[:, pivot].copy(), chance[pivot].copy()
    for i in range(len(chance)):
        if i == pivot:
            continue
        as_first = excess[i, pivot] + excess[i] @ last
        as_last = excess[pivot, i] + first @ excess[:, i]
        first[i] = float(as_first < as_last or (as_first == as_last and first[i] >= 0.5))
        last[i] = 1.0 - first[i]
    return pivot, first > 0.5
