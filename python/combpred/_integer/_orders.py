"""The linear ordering problem as an integer program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._abi import Control
from ._program import Cut, FloatArray, OutOfTimeError, maximise

_TOLERANCE = 1e-6  # of the solver, on constraints and on values that are meant to be whole
_CUTS_PER_PAIR = 2  # in one round: those violated most, so that programs stay small


class RelaxedOrder(NamedTuple):
    """An optimum of the linear relaxation.

    Attributes
    ----------
    before : ndarray of shape (n, n)
        For each pair how far u is before v: in [0, 1], ``before + before.T`` is 1 off the diagonal, which is 0.
    upper_bound : float
        Proven bound on every ranking's score.
    is_order : bool
        Whether `before` is a ranking, which then is a best one.
    constraints : list of Cut
        All that were used.
    """

    before: FloatArray
    upper_bound: float
    is_order: bool
    constraints: list[Cut]


def relaxed_order(
    n: int,
    scores: FloatArray,
    conditions: Sequence[Cut] = (),
    *,
    deadline: float | None = None,
    control: Control | None = None,
) -> RelaxedOrder:
    r"""Solve the linear relaxation of `best_order`, whose parameters these are.

    Notes
    -----
    The constraints are :math:`0 \le x_{uv} + x_{vw} - x_{uw} \le 1` for u < v < w, of which those that are violated
    most are added until none is.

    Raises
    ------
    OutOfTimeError
        At the deadline; its bound is on the score.
    """
    u, v = np.triu_indices(n, 1)
    number = _numbers(n)
    a, b, c = np.array(list(combinations(range(n), 3)), dtype=np.int64).reshape(-1, 3).T
    first, second, across = number[a, b], number[b, c], number[a, c]

    def circles(x: FloatArray) -> list[Cut]:
        value = x[first] + x[second] - x[across]
        excess = np.maximum(value - 1.0, -value)
        worst = np.argsort(-excess, kind="stable")[: _CUTS_PER_PAIR * len(scores)]
        return [_circle(int(first[t]), int(second[t]), int(across[t])) for t in worst[excess[worst] > _TOLERANCE]]

    try:
        optimum = maximise(2.0 * scores, list(conditions), circles, relaxed=True, deadline=deadline, control=control)
    except OutOfTimeError as error:
        raise OutOfTimeError(error.upper_bound - float(scores.sum())) from None
    before = np.zeros((n, n))
    before[u, v], before[v, u] = optimum.x, 1.0 - optimum.x
    is_order = bool((np.minimum(optimum.x, 1.0 - optimum.x) <= _TOLERANCE).all())
    return RelaxedOrder(before, optimum.upper_bound - float(scores.sum()), is_order, optimum.constraints)


def best_order(
    n: int,
    scores: FloatArray,
    conditions: Sequence[Cut] = (),
    *,
    deadline: float | None = None,
    control: Control | None = None,
) -> tuple[NDArray[np.int32], float]:
    r"""Return the ranking of n labels with the largest :math:`\sum_{u<v} s_{uv} \psi_{uv}`.

    Parameters
    ----------
    n : int
        Number of labels, at least 2.
    scores : ndarray of shape (n(n−1)/2,)
        For each pair u < v in lexicographic order what it is worth to have u before v (and cost to have it behind).
    conditions : sequence of Cut, default=()
        Further ones, variable number i being that of pair i.
    deadline : float or None, default=None
        When to stop, as `time.monotonic` counts; None: never.
    control : Control or None, default=None
        Where progress is told; see `maximise`.

    Returns
    -------
    positions : ndarray of shape (n,), int32
        Position 1..n of each label.
    upper_bound : float
        Proven bound on every ranking's score.

    Raises
    ------
    OutOfTimeError
        At the deadline; its bound is on the score.

    Notes
    -----
    One 0/1 variable for each pair; a choice is a ranking unless three labels beat one another in a circle, and those
    that do give the constraints :math:`0 \le x_{uv} + x_{vw} - x_{uw} \le 1` (Grötschel, Jünger & Reinelt, 1984, A
    cutting plane algorithm for the linear ordering problem). The relaxation, whose optimum often is a ranking, is
    solved first, and gives the constraints to begin with.
    """
    u, v = np.triu_indices(n, 1)
    number = _numbers(n)

    def circles(x: NDArray[np.bool_]) -> list[Cut]:
        before = np.zeros((n, n), dtype=bool)
        before[u, v], before[v, u] = x, ~x
        # Labels with the same number of wins lie on a circle of three; a tournament without ties of wins is a ranking.
        wins = before.sum(axis=1)
        if len(set(wins.tolist())) == n:
            return []
        return [
            _circle(int(number[a, b]), int(number[b, c]), int(number[a, c]))
            for a, b, c in combinations(range(n), 3)
            if before[a, b] == before[b, c] != before[a, c]
        ]

    relaxed = relaxed_order(n, scores, conditions, deadline=deadline, control=control)
    if relaxed.is_order:
        return _positions(relaxed.before > 0.5), relaxed.upper_bound
    try:
        optimum = maximise(2.0 * scores, relaxed.constraints, circles, deadline=deadline, control=control)
    except OutOfTimeError as error:
        raise OutOfTimeError(min(relaxed.upper_bound, error.upper_bound - float(scores.sum()))) from None
    before = np.zeros((n, n), dtype=bool)
    before[u, v], before[v, u] = optimum.x, ~optimum.x
    return _positions(before), optimum.upper_bound - float(scores.sum())


def _positions(before: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.asarray(len(before) - before.sum(axis=1), dtype=np.int32)


def _numbers(n: int) -> NDArray[np.int64]:
    """Return the number of the pair u < v in row u and column v."""
    number = np.zeros((n, n), dtype=np.int64)
    number[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
    return number


def _circle(first: int, second: int, across: int) -> Cut:
    """Return that the pairs uv, vw and uw of three labels do not go round in a circle."""
    return Cut([first, second, across], [1.0, 1.0, -1.0], 0.0, 1.0)
