"""The linear ordering problem as an integer program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ._program import Cut, FloatArray, maximise


def best_order(n: int, scores: FloatArray, conditions: Sequence[Cut] = ()) -> tuple[NDArray[np.int32], float]:
    r"""Return the ranking of n labels with the largest :math:`\sum_{u<v} s_{uv} \psi_{uv}`.

    Parameters
    ----------
    n : int
        Number of labels, at least 2.
    scores : ndarray of shape (n(n−1)/2,)
        For each pair u < v in lexicographic order what it is worth to have u before v (and cost to have it behind).
    conditions : sequence of Cut, default=()
        Further ones, variable number i being that of pair i.

    Returns
    -------
    positions : ndarray of shape (n,), int32
        Position 1..n of each label.
    upper_bound : float
        Proven bound on every ranking's score.

    Notes
    -----
    One 0/1 variable for each pair; a choice is a ranking unless three labels beat one another in a circle, and those
    that do give the constraints :math:`0 \le x_{uv} + x_{vw} - x_{uw} \le 1` (Grötschel, Jünger & Reinelt, 1984, A
    cutting plane algorithm for the linear ordering problem).
    """
    u, v = np.triu_indices(n, 1)
    number = np.zeros((n, n), dtype=np.int64)
    number[u, v] = np.arange(len(u))

    def circles(x: NDArray[np.bool_]) -> list[Cut]:
        before = np.zeros((n, n), dtype=bool)
        before[u, v], before[v, u] = x, ~x
        # Labels with the same number of wins lie on a circle of three; a tournament without ties of wins is a ranking.
        wins = before.sum(axis=1)
        if len(set(wins.tolist())) == n:
            return []
        return [
            Cut([int(number[a, b]), int(number[b, c]), int(number[a, c])], [1.0, 1.0, -1.0], 0.0, 1.0)
            for a, b, c in combinations(range(n), 3)
            if before[a, b] == before[b, c] != before[a, c]
        ]

    optimum = maximise(2.0 * scores, list(conditions), circles)
    before = np.zeros((n, n), dtype=bool)
    before[u, v], before[v, u] = optimum.x, ~optimum.x
    positions = (n - before.sum(axis=1)).astype(np.int32)
    return positions, optimum.upper_bound - float(scores.sum())
