"""Total orders of least weighted Kendall distance, component by component."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._data.checks import is_number
from .._lib.abi import Control
from .._lib.arrays import FloatArray
from .._lib.decode import Decoding
from .._lib.errors import CapabilityError
from ..structures import Permutations
from ._best_input import best_order_of_inputs
from ._components import condorcet_components
from ._pivot import pivot_order, random_pivot_order
from ._profile import Profile
from ._rounding import round_relaxation

#: Methods of aggregation, and what each finds: an "order", a "relation" (a weak or a partial order), or the part of
#: preferences without cycles ("acyclic"). Those for orders are in `OrderSolver`, those for relations in `_relations`.
_FINDS = {
    "auto": ("order", "relation", "acyclic"),
    "exact": ("order", "relation", "acyclic"),
    "milp": ("order", "acyclic"),
    "lp": ("order",),
    "pivot": ("order",),
    "random-pivot": ("order",),
    "local-search": ("order", "relation", "acyclic"),
    "best-input": ("order", "relation"),
}
#: Most items of a component that is solved by the recursion over subsets.
EXACT_LIMIT = 20


@dataclass(frozen=True)
class Part:
    """An order of the items of a component, and what is known about it.

    Attributes
    ----------
    order : ndarray of shape (m,)
        Items from first to last.
    lower_bound : float
        On the cost of all orders.
    optimal : bool
        Whether it is known to be a best one.
    method : str
        The one whose guarantee it holds.
    out_of_time : bool
        Whether that is another one than was asked for, because the time limit was reached.
    """

    order: NDArray[np.intp]
    lower_bound: float
    optimal: bool
    method: str
    out_of_time: bool = False


class OrderSolver:
    """Methods for total orders.

    Parameters
    ----------
    kind : str
        Kind of the rankings; see `kind_of`.
    random_state : int, RandomState instance or None
        Source of randomness for the pivots.
    deadline : float or None
        Of programs, as `time.monotonic` counts.
    control : Control
        Where programs tell their progress.
    """

    def __init__(
        self,
        kind: str,
        random_state: int | np.random.RandomState | None,
        deadline: float | None,
        control: Control,
    ) -> None:
        self._kind = kind
        self._random_state = random_state
        self._rng: np.random.RandomState | None = None
        self._deadline = deadline
        self._control = control

    def solve_groups(self, method: str, before: FloatArray, profile: Profile | None) -> list[Part]:
        """Solve every component, given the weight of the rankings with u before v and the rankings, if any."""
        parts = []
        for items in condorcet_components(before > before.T):
            if len(items) == 1:
                parts.append(Part(items, 0.0, True, "exact"))
                continue
            restricted = None if profile is None else profile.restricted(items)
            part = self._solve(method, before[np.ix_(items, items)], restricted)
            parts.append(replace(part, order=items[part.order]))
        return parts

    def _solve(self, method: str, before: FloatArray, profile: Profile | None) -> Part:
        if method == "auto":
            method = "exact" if len(before) <= EXACT_LIMIT else "local-search"
        if method == "exact":
            if len(before) > EXACT_LIMIT:
                raise CapabilityError(
                    f"method='exact' is limited to strongly connected components of {EXACT_LIMIT} items, here is one "
                    f"of {len(before)}; take method='milp', which has no limit but time, or 'lp' or 'local-search'"
                )
            return _decoded(before, "exact")
        if method == "milp":
            return self._by_program(before, profile)
        if method == "local-search":
            return _best_of(before, profile, _decoded(before, "local-search"))
        bound = float(np.triu(np.minimum(before, before.T), 1).sum())
        if method == "lp":
            return self._rounded(before, profile)
        if method == "pivot":
            order = pivot_order(before, with_inputs=self._kind in ("strict", "ties"))
        elif method == "random-pivot":
            if self._rng is None:
                self._rng = check_random_state(self._random_state)
            order = random_pivot_order(before, self._rng)
        else:
            assert profile is not None  # best-input
            order = best_order_of_inputs(profile, before)
        return _best_of(before, profile, Part(order, bound, False, method))

    def _rounded(self, before: FloatArray, profile: Profile | None) -> Part:
        from .._programs.orders import relaxed_order  # loads the solver
        from .._programs.program import OutOfTimeError

        scores, base = _scores(before)
        try:
            relaxed = relaxed_order(len(before), scores, deadline=self._deadline, control=self._control)
        except OutOfTimeError as error:
            return _searched(before, profile, base - error.upper_bound)
        if relaxed.is_order:
            return _proven(before, np.argsort(-relaxed.before.sum(axis=1), kind="stable"), "lp")
        order = round_relaxation(relaxed.before, before, with_inputs=self._kind == "strict")
        return _best_of(before, profile, Part(order, base - relaxed.upper_bound, False, "lp"))

    def _by_program(self, before: FloatArray, profile: Profile | None) -> Part:
        from .._programs.orders import best_order  # loads the solver
        from .._programs.program import OutOfTimeError

        scores, base = _scores(before)
        try:
            positions, _ = best_order(len(before), scores, deadline=self._deadline, control=self._control)
        except OutOfTimeError as error:
            return _searched(before, profile, base - error.upper_bound)
        return _proven(before, np.argsort(positions), "milp")


def methods_for(what: str) -> tuple[str, ...]:
    """Return the methods that find an "order", a "relation" or what is "acyclic", as values of `method`."""
    return tuple(method for method, found in _FINDS.items() if what in found)


def deadline_after(time_limit: float | None) -> float | None:
    """Return the deadline that many seconds from now; ValueError unless it is a positive number or None."""
    if time_limit is not None and (not is_number(time_limit) or not time_limit > 0.0):
        raise ValueError(f"time_limit must be a positive number of seconds or None, got {time_limit!r}")
    return None if time_limit is None else time.monotonic() + time_limit


def joined(parts: list[Part], before: FloatArray) -> tuple[NDArray[np.intp], float]:
    """Return the order of the components one after the other, and a bound on the cost of all orders."""
    order = np.concatenate([part.order for part in parts])
    number = np.empty(len(order), dtype=np.intp)
    for i, part in enumerate(parts):
        number[part.order] = i
    between = float(before.T[number[:, np.newaxis] < number].sum())
    return order, between + sum(part.lower_bound for part in parts)


def positions_of(order: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the positions 1..k of the items of an order."""
    positions = np.empty(len(order), dtype=np.int32)
    positions[order] = np.arange(1, len(order) + 1)
    return positions


def cost_of(before: FloatArray, order: NDArray[np.intp]) -> float:
    """Return the weight of the pairs that rankings have the other way round."""
    return float(np.triu(before.T[np.ix_(order, order)], 1).sum())


def _scores(before: FloatArray) -> tuple[FloatArray, float]:
    """Return scores s of the pairs u < v, and a number from which ⟨s, ψ⟩ is subtracted to give the cost."""
    u, v = np.triu_indices(len(before), 1)
    return (before[u, v] - before[v, u]) / 2, float((before[u, v] + before[v, u]).sum() / 2)


def _decoded(before: FloatArray, decoder: str) -> Part:
    scores, base = _scores(before)
    found = Permutations(len(before)).space.decode(scores[np.newaxis], None, Decoding(decoder))
    order = np.argsort(found.y[0])
    if found.optimal[0]:
        return _proven(before, order, decoder)
    return Part(order, base - float(found.upper_bound[0]), False, decoder)


def _proven(before: FloatArray, order: NDArray[np.intp], method: str) -> Part:
    return Part(order, cost_of(before, order), True, method)


def _searched(before: FloatArray, profile: Profile | None, bound: float) -> Part:
    """Return what local search finds, where a program that ran out of time has proven a bound."""
    found = _best_of(before, profile, _decoded(before, "local-search"))
    return replace(found, lower_bound=max(found.lower_bound, bound), out_of_time=not found.optimal)


def _best_of(before: FloatArray, profile: Profile | None, part: Part) -> Part:
    """Return the better one of an order and the best of the rankings."""
    if part.optimal or profile is None:
        return part
    other = best_order_of_inputs(profile, before)
    return replace(part, order=other) if cost_of(before, other) < cost_of(before, part.order) else part
