"""The linear ordering problem as an integer program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._lib.abi import Control
from .program import Cut, FloatArray, OutOfTimeError, maximise

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

    def circles(x: FloatArray) -> list[Cut]:
        return violated_circles(n, x, _CUTS_PER_PAIR * len(scores))

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

    def circles(x: NDArray[np.bool_]) -> list[Cut]:
        before = np.zeros((n, n), dtype=bool)
        before[u, v], before[v, u] = x, ~x
        # Labels with the same number of wins lie on a circle of three; a tournament without ties of wins is a ranking.
        wins = before.sum(axis=1)
        if len(set(wins.tolist())) == n:
            return []
        return violated_circles(n, x.astype(np.float64))

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


def violated_circles(n: int, x: FloatArray, limit: int | None = None) -> list[Cut]:
    """Return the constraints on three labels that x violates, the most violated first.

    Parameters
    ----------
    n : int
        Number of labels.
    x : ndarray of shape (n(n−1)/2,)
        For each pair u < v in lexicographic order how far u is before v, from 0 to 1.
    limit : int or None, default=None
        Most constraints to return.

    Notes
    -----
    Cost: O(n³) for looking at all, a label and O(n²) memory at a time: Ctrl-C is answered in between.
    """
    u, v = np.triu_indices(n, 1)
    number = np.zeros((n, n), dtype=np.int64)
    number[u, v] = np.arange(len(u))
    excess, circles = [np.empty(0)], [np.empty((3, 0), dtype=np.int64)]
    least = _TOLERANCE  # only what exceeds this can be among the most violated
    for a in range(n - 2):
        behind = slice(int(number[a + 1, a + 2]), None)  # the pairs of labels after a
        first, across = number[a, u[behind]], number[a, v[behind]]
        value = x[first] + x[behind] - x[across]
        missed = np.maximum(value - 1.0, -value)
        here = np.flatnonzero(missed > least)
        excess.append(missed[here])
        circles.append(np.stack([first[here], behind.start + here, across[here]]))
        if limit is not None and sum(map(len, excess)) > 2 * limit:
            excess, circles = _most_violated(excess, circles, limit)
            least = float(excess[0][-1])
    _, [most] = _most_violated(excess, circles, limit)
    return [Cut(columns, [1.0, 1.0, -1.0], 0.0, 1.0) for columns in most.T.tolist()]


def _most_violated(
    excess: list[FloatArray], circles: list[NDArray[np.int64]], limit: int | None
) -> tuple[list[FloatArray], list[NDArray[np.int64]]]:
    """Return those of largest excess in descending order, in one piece; of equal ones the first is first."""
    values = np.concatenate(excess)
    most = np.argsort(-values, kind="stable")[:limit]
    return [values[most]], [np.concatenate(circles, axis=1)[:, most]]
