"""The linear ordering problem as an integer program, and its linear relaxation.

A ranking is a 0/1 variable for each pair of labels. The constraints, added when they are violated, forbid that three
labels precede one another in a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._lib.arrays import FloatArray
from .program import UNWATCHED, Cut, Watch, maximise

_TOLERANCE = 1e-6  # of the solver, on constraints and on the integrality of variables
_CUTS_PER_PAIR = 2  # most constraints added in one round, the most violated ones, so that programs stay small


class RelaxedOrder(NamedTuple):
    """An optimum of the linear relaxation.

    Attributes
    ----------
    before : ndarray of shape (n, n)
        ``before[u, v]`` in [0, 1] is the extent to which u stands before v; ``before + before.T`` is 1 off the
        diagonal, which is 0.
    upper_bound : float
        Proven bound on the scores of all rankings.
    constraints : list of Cut
        All constraints of the last program.
    is_order : bool
        Whether `before` is a ranking; it is then a best one.
    """

    before: FloatArray
    upper_bound: float
    constraints: list[Cut]
    is_order: bool


def relaxed_order(n: int, scores: FloatArray, conditions: Sequence[Cut] = (), watch: Watch = UNWATCHED) -> RelaxedOrder:
    r"""Return an optimum of the linear relaxation of `best_order`, which has the same parameters.

    Raises
    ------
    OutOfTimeError
        At the deadline, with a proven bound on the scores.

    Notes
    -----
    The constraints are :math:`0 \le x_{uv} + x_{vw} - x_{uw} \le 1` for u < v < w. The most violated ones are added
    until all are satisfied.
    """
    u, v = np.triu_indices(n, 1)
    violated = partial(violated_three_cycles, n, limit=_CUTS_PER_PAIR * len(scores))
    optimum = maximise(2.0 * scores, list(conditions), violated, watch, relaxed=True, constant=-float(scores.sum()))
    before = np.zeros((n, n))
    before[u, v], before[v, u] = optimum.x, 1.0 - optimum.x
    is_order = bool((np.minimum(optimum.x, 1.0 - optimum.x) <= _TOLERANCE).all())
    return RelaxedOrder(before, optimum.upper_bound, optimum.constraints, is_order)


def best_order(
    n: int, scores: FloatArray, conditions: Sequence[Cut] = (), watch: Watch = UNWATCHED
) -> tuple[NDArray[np.int32], float]:
    r"""Return a ranking of n labels with the largest :math:`\sum_{u<v} s_{uv} \psi_{uv}`.

    Parameters
    ----------
    n : int
        Number of labels, at least 2.
    scores : ndarray of shape (n(n−1)/2,)
        Score of each pair u < v in lexicographic order: it is gained if u stands before v, and lost otherwise.
    conditions : sequence of Cut, default=()
        Further constraints; variable number i belongs to pair number i.
    watch : Watch, default=UNWATCHED
        Deadline, and where progress is reported.

    Returns
    -------
    positions : ndarray of shape (n,), int32
        Position 1..n of each label.
    upper_bound : float
        Proven bound on the scores of all rankings.

    Raises
    ------
    OutOfTimeError
        At the deadline, with a proven bound on the scores.
    InfeasibleError
        When no ranking satisfies the conditions.

    Notes
    -----
    There is one 0/1 variable for each pair. An assignment of the variables is a ranking unless three labels precede one
    another in a cycle, which the constraints :math:`0 \le x_{uv} + x_{vw} - x_{uw} \le 1` exclude (Grötschel, Jünger &
    Reinelt, 1984, A cutting plane algorithm for the linear ordering problem). The linear relaxation is solved first. If
    its optimum is a ranking, as it often is, that is the result; otherwise its constraints start the integer program.
    """
    before, bound, constraints, is_order = relaxed_order(n, scores, conditions, watch)
    if not is_order:
        u, v = np.triu_indices(n, 1)
        violated = partial(violated_three_cycles, n)
        x, bound, _ = maximise(2.0 * scores, constraints, violated, watch, constant=-float(scores.sum()), bound=bound)
        before[u, v], before[v, u] = x, ~x
    return np.asarray(n - (before > 0.5).sum(axis=1), dtype=np.int32), bound


def best_relation(
    gain: FloatArray, watch: Watch = UNWATCHED, *, is_partial: bool = False
) -> tuple[NDArray[np.bool_], float]:
    r"""Return a ranking with ties, or a partial order, with the largest sum of gains of pairs that it orders.

    Parameters
    ----------
    gain : ndarray of shape (n, n)
        What u before v earns more than a tie of the two, or than none of the two before the other, in row u and
        column v.
    watch : Watch, default=UNWATCHED
        As in `best_order`.
    is_partial : bool, default=False
        Whether it may be any partial order.

    Returns
    -------
    before : ndarray of shape (n, n), bool
        ``before[u, v]`` says that u stands before v.
    upper_bound : float
        Proven bound on the sums of all such relations.

    Raises
    ------
    OutOfTimeError
        At the deadline, with a proven bound.

    Notes
    -----
    There is one 0/1 variable for each ordered pair. The constraints are :math:`x_{uv} + x_{vu} \le 1` and, added as
    they are violated, :math:`x_{uw} \le x_{uv} + x_{vw}`: a relation is a ranking with ties where it is asymmetric and
    its complement is transitive (Gurgel & Wakabayashi, 1997, *Adjacency of vertices of the complete pre-order
    polytope*). For partial orders they are :math:`x_{uv} + x_{vw} \le 1 + x_{uw}`: the relation itself is transitive
    (Müller, 1996, *On the partial order polytope of a digraph*).
    """
    n = len(gain)
    pairs = ~np.eye(n, dtype=bool)
    distinct = pairs[:, np.newaxis] & pairs[:, :, np.newaxis] & pairs  # triples (a, m, b)
    number = np.cumsum(pairs).reshape(n, n) - 1
    u, v = np.triu_indices(n, 1)
    once = [Cut([int(a), int(b)], [1.0, 1.0], 0.0, 1.0) for a, b in zip(number[u, v], number[v, u], strict=True)]

    def violated(x: NDArray[Any]) -> list[Cut]:
        before = np.zeros((n, n))
        before[pairs] = x
        excess = before[:, np.newaxis] - before[:, :, np.newaxis] - before  # of a before b, m stands between neither
        if is_partial:
            excess = -1.0 - excess  # a before m, m before b, and not a before b
        triples = np.argwhere((excess > _TOLERANCE) & distinct)
        most = np.argsort(-excess[tuple(triples.T)], kind="stable")[: _CUTS_PER_PAIR * len(x)]
        a, m, b = triples[most].T
        columns = np.stack([number[a, b], number[a, m], number[m, b]], axis=1).tolist()
        least = -1.0 if is_partial else -2.0  # of x_ab − x_am − x_mb
        return [Cut(of_triple, [1.0, -1.0, -1.0], least, least + 2.0) for of_triple in columns]

    found = maximise(gain[pairs], once, violated, watch, relaxed=True)
    if (np.minimum(found.x, 1.0 - found.x) > _TOLERANCE).any():
        found = maximise(gain[pairs], found.constraints, violated, watch, bound=found.upper_bound)
    before = np.zeros((n, n), dtype=bool)
    before[pairs] = found.x > 0.5
    return before, found.upper_bound


def violated_three_cycles(n: int, x: NDArray[Any], limit: int | None = None) -> list[Cut]:
    """Return the constraints against cycles of three labels that x violates, the most violated first.

    Parameters
    ----------
    n : int
        Number of labels.
    x : ndarray of shape (n(n−1)/2,)
        For each pair u < v in lexicographic order, the extent in [0, 1] to which u stands before v.
    limit : int or None, default=None
        Largest number of constraints to return; None: all.

    Notes
    -----
    Cost: O(n³) time and O(n²) memory. Labels are processed one at a time, and Ctrl-C is answered in between.
    """
    u, v = np.triu_indices(n, 1)
    number = np.zeros((n, n), dtype=np.int64)
    number[u, v] = np.arange(len(u))
    excess, cycles = [np.empty(0)], [np.empty((3, 0), dtype=np.int64)]
    least = _TOLERANCE  # a smaller violation cannot be among the most violated
    for a in range(n - 2):
        behind = slice(int(number[a + 1, a + 2]), None)  # the pairs of labels after a
        first, across = number[a, u[behind]], number[a, v[behind]]
        value = x[first] + 1.0 * x[behind] - x[across]  # x may be bool
        missed = np.maximum(value - 1.0, -value)
        here = np.flatnonzero(missed > least)
        excess.append(missed[here])
        cycles.append(np.stack([first[here], behind.start + here, across[here]]))
        if limit is not None and sum(map(len, excess)) > 2 * limit:
            excess, cycles = _most_violated(excess, cycles, limit)
            least = float(excess[0][-1])
    _, [most] = _most_violated(excess, cycles, limit)
    return [Cut(columns, [1.0, 1.0, -1.0], 0.0, 1.0) for columns in most.T.tolist()]


def _most_violated(
    excess: list[FloatArray], cycles: list[NDArray[np.int64]], limit: int | None
) -> tuple[list[FloatArray], list[NDArray[np.int64]]]:
    """Return the `limit` cycles of largest excess in descending order, as lists of one array; sorting is stable."""
    values = np.concatenate(excess)
    most = np.argsort(-values, kind="stable")[:limit]
    return [values[most]], [np.concatenate(cycles, axis=1)[:, most]]
