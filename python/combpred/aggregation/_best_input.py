"""The best of the rankings themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from .._lib.arrays import FloatArray
from ._profile import Profile


def shared_costs(before: FloatArray) -> FloatArray:
    """Return the mean cost 2 w_uv w_vu / (w_uv + w_vu) of a pair that a random ranking which orders it decides."""
    total = before + before.T
    shared: FloatArray = 2.0 * before * before.T / np.where(total > 0, total, 1.0)
    return shared


def best_order_of_inputs(profile: Profile, before: FloatArray) -> NDArray[np.intp]:
    r"""Return the order of items in a ranking whose ties are broken by other rankings, as good as a random choice.

    Parameters
    ----------
    profile : Profile
        The rankings.
    before : ndarray of shape (k, k)
        Weight of the rankings with u before v.

    Returns
    -------
    order : ndarray of shape (k,)
        Items from first to last.

    Notes
    -----
    Drawing rankings with probabilities in proportion to their weights, each breaking the ties that the earlier ones
    left, puts u before v with probability :math:`w_{uv} / (w_{uv} + w_{vu})`, so that a pair costs
    :math:`2 w_{uv} w_{vu} / (w_{uv} + w_{vu})` on average, at most twice its least cost (RepeatChoice; Ailon, 2010).
    Here the next ranking is the one with the least conditional mean: over all rankings that mean stays the same, so
    that the best one does not exceed it. Without ties the result is the ranking of least distance to all. Where items
    are unknown, a ranking has them last, and nothing is guaranteed. Cost: O(n k²) for every ranking that is used.

    References
    ----------
    Ailon, N. (2010). Aggregation of partial rankings, p-ratings and top-m lists. *Algorithmica* 57.
    """
    excess = before.T - shared_costs(before)  # cost of u before v, beyond the mean
    used = np.where(np.isnan(profile.ranks), np.inf, profile.ranks)[profile.weights > 0]
    current = np.zeros(profile.n_items)
    while True:
        undecided = current[:, np.newaxis] == current
        values = np.zeros(len(used))
        decides = np.zeros(len(used), dtype=bool)
        for u in range(profile.n_items):
            ahead = (used[:, u, np.newaxis] < used) & undecided[u]
            values += ahead @ excess[u]
            decides |= ahead.any(axis=1)
        if not decides.any():
            return np.argsort(current, kind="stable")
        chosen = used[int(np.argmin(np.where(decides, values, np.inf)))]
        # Ties of the order so far are broken, its other pairs stay.
        finer = rankdata(chosen, method="dense")
        current = np.asarray(rankdata(current * (profile.n_items + 1) + finer, method="dense"), dtype=np.float64)


def best_row(profile: Profile, cost: FloatArray, apart: FloatArray) -> FloatArray:
    """Return the ranking of least total cost: `cost` for u before v, `apart` for tied pairs, all of shape (k, k).

    Items that are unknown are tied in the last place. Cost: O(n k²).
    """
    used = np.where(np.isnan(profile.ranks), np.inf, profile.ranks)[profile.weights > 0]
    values = np.zeros(len(used))
    for u in range(profile.n_items):
        own = used[:, u, np.newaxis]
        values += (own < used) @ cost[u] + (own == used) @ (apart[u] / 2)
    return np.asarray(rankdata(used[int(np.argmin(values))], method="dense"), dtype=np.float64)
