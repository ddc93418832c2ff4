"""Integer programs, and their linear relaxations, for groups of items that follow one another in some best order."""

from __future__ import annotations

import time
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from .._data.checks import check_argument
from .._lib import abi
from .._lib.arrays import FloatArray
from .._lib.control import reported
from .._lib.rankings import Programs, item_groups

if TYPE_CHECKING:
    from .._programs.program import Watch

#: Methods that make use of programs.
PROGRAMMED = ("milp", "lp")

#: Most items of a group that is solved by the recursion over subsets.
EXACT_LIMIT = 20


def solve_programs(
    label: str, method: str, before: FloatArray, deadline: float | None, verbose: int, least: int = 2
) -> Programs:
    """Solve the program of every group, given the weights (k, k) of u before v.

    Parameters
    ----------
    label : str
        What reports of progress begin with.
    method : {"milp", "lp"}
        "lp": the linear relaxation.
    before : ndarray of shape (k, k)
        Weights of pairs, 0 on the diagonal.
    deadline : float or None
        As `time.monotonic` counts. Groups that are not done by then have a bound only.
    verbose : int
        When positive, programs that take more than a second report their progress.
    least : int, default=2
        Size of the smallest group whose program is solved.
    """
    from .._programs.program import Watch  # loads the solver

    groups = item_groups(before)
    programs = Programs(np.zeros_like(before), np.zeros(len(groups), dtype=np.int32), np.zeros(len(groups)))
    control = abi.Control()
    watch = Watch(deadline, control)
    with reported(control, label, verbose=verbose):
        for number, items in enumerate(groups):
            if len(items) >= least:
                square = np.ix_(items, items)
                found = _solve(method, before[square], watch)
                programs.x[square], programs.state[number], programs.lower_bound[number] = found
    return programs


def _solve(method: str, before: FloatArray, watch: Watch) -> tuple[FloatArray, int, float]:
    """Return how far u is before v, what is known of the program, and a bound on the cost of all orders."""
    from .._programs.orders import best_order, relaxed_order  # loads the solver
    from .._programs.program import OutOfTimeError

    k = len(before)
    u, v = np.triu_indices(k, 1)
    scores = (before[u, v] - before[v, u]) / 2  # an order costs the mean over both directions of all pairs less these
    mean = float((before[u, v] + before[v, u]).sum() / 2)
    try:
        if method == "milp":
            positions, bound = best_order(k, scores, watch=watch)
            return (positions[:, np.newaxis] < positions).astype(np.float64), abi.PROGRAM_SOLVED, mean - bound
        relaxed = relaxed_order(k, scores, watch=watch)
    except OutOfTimeError as error:
        return np.zeros_like(before), abi.PROGRAM_OUT_OF_TIME, mean - error.upper_bound
    state = abi.PROGRAM_SOLVED if relaxed.is_order else abi.PROGRAM_FRACTIONAL
    return relaxed.before, state, mean - relaxed.upper_bound


def solve_relation(
    before: FloatArray, apart: FloatArray, known: NDArray[np.bool_], *, deadline: float | None, verbose: int, **how: Any
) -> Programs:
    """Solve the program of rankings with ties, or of partial orders.

    Parameters
    ----------
    before, apart : ndarray of shape (k, k)
        Costs of u before v, and of the two tied, or unrelated.
    known : ndarray of shape (k, k), bool
        A good relation, which is what there is at the deadline.
    deadline, verbose
        As in `solve_programs`.
    **how
        `is_partial`, whether it may be any partial order.
    """
    from .._programs.orders import best_relation  # loads the solver
    from .._programs.program import OutOfTimeError, Watch

    gain = apart - before
    order, ends = components(np.maximum(gain, 0.0) > gain.T)  # u leads to v where v before u is not a best choice
    x, bound = np.zeros_like(before), 0.0
    state = abi.PROGRAM_SOLVED
    control = abi.Control()
    watch = Watch(deadline, control)
    with reported(control, "kemeny", verbose=verbose):
        for items, rest in zip(np.split(order, ends), (order[end:] for end in [*ends, len(order)]), strict=True):
            x[np.ix_(items, rest)] = 1.0
            own = gain[np.ix_(items, items)]
            bound += float(before[np.ix_(items, rest)].sum() + np.triu(apart[np.ix_(items, items)], 1).sum())
            most = float(np.triu(np.maximum(np.maximum(own, own.T), 0.0), 1).sum())  # each pair on its own
            if len(items) > 1:
                try:
                    x[np.ix_(items, items)], found = best_relation(own, watch, **how)
                except OutOfTimeError as error:
                    found, state = error.upper_bound, abi.PROGRAM_OUT_OF_TIME
                bound -= min(found, most)
    if state == abi.PROGRAM_OUT_OF_TIME:
        x = known.astype(np.float64)
    return Programs(x, np.array([state], dtype=np.int32), np.array([bound]))


def components(leads: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the items by strongly connected components, those that lead to others first, and their ends."""
    reach = np.eye(len(leads)) + leads
    for _ in range(len(leads).bit_length()):
        reach = np.minimum(reach @ reach, 1.0)
    first = np.argmax(np.minimum(reach, reach.T), axis=1)  # of each item's group
    order = np.lexsort((first, -reach.sum(axis=1)))  # a group leads to more items than those behind it
    return order, np.flatnonzero(np.diff(first[order])) + 1


def deadline_after(time_limit: float | None) -> float | None:
    """Return the deadline that many seconds from now; ValueError unless it is a positive number or None."""
    if time_limit is None:
        return None
    check_argument(time_limit, "time_limit", Interval(Real, 0, None, closed="neither"))
    return time.monotonic() + time_limit
