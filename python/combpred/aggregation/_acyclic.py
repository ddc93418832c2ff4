"""An acyclic part of the majority's preferences, and the partial order that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import choice, number
from .._data.glossary import documented
from .._data.tables import Tabular
from .._lib.aggregate import acyclic_part, majority_margins
from .._lib.names import ACYCLIC_METHODS
from ._consensus import before_what
from ._profile import item_names, read_votes
from ._programs import deadline_after, solve_programs


@dataclass(frozen=True, eq=False, repr=False)
class AcyclicMajority(Tabular):
    """A partial order that follows from an acyclic part of the majority's preferences.

    Attributes
    ----------
    relation : ndarray of shape (k, k), bool
        ``relation[u, v]``: u is before v, by a preference that is kept or by a chain of such.
    kept : ndarray of shape (k, k), bool
        The preferences that are kept.
    weight : float
        Their weight, the sum of the majorities' margins.
    upper_bound : float
        No acyclic part has more.
    ratio : float
        `weight` is at least `ratio` times the largest possible one: 1.0 or 0.5.
    optimal : bool
        Whether no acyclic part has more weight.
    method : str
        The method that was used.
    names : list of str or None
        Names of the items, from the columns of a data frame.
    """

    relation: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    weight: float
    upper_bound: float
    ratio: float
    optimal: bool
    method: str
    names: list[str] | None = field(default=None, kw_only=True)

    def _table(self) -> dict[str, Any]:
        return before_what(self.relation, self.names)

    def _title(self) -> str:
        known = "proven optimal" if self.optimal else f"at most {self.upper_bound:.6g} for any acyclic part"
        return f"{type(self).__name__}: weight {self.weight:.6g}, {known}, method {self.method!r}"


@documented
def acyclic_majority(
    rankings: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    threshold: float = 0.5,
    method: str = "auto",
    n_extensions: int = 100,
    time_limit: float | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> AcyclicMajority:
    r"""Return the partial order implied by the acyclic part of largest weight of the majority's preferences.

    The majority prefers u to v if more than a share `threshold` of the weight of the rankings that know both has u
    before v; the preference weighs as much as the margin of these rankings over those with v before u.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    counts : array-like of shape (k, k), default=None
        In place of rankings, the weight of those with u before v, in row u and column v.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    threshold : float, default=0.5
        At least 1/2 and below 1. The larger, the fewer items are related, and the rarer are cycles.
    method : {"auto", "exact", "milp", "local-search"}, default="auto"
        As in :func:`kemeny`. "local-search" keeps at least half of what can be kept, as the better one of an order and
        its reverse does.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    time_limit : float, default=None
        Seconds after which "milp" gives up, and "local-search" takes its place; None: no limit.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.
    %(verbose_programs)s

    Returns
    -------
    AcyclicMajority

    Raises
    ------
    ValueError
        For illegal rankings, naming the row, or arguments.
    CapabilityError
        When "exact" is asked for and a strongly connected component of the preferences has more than 20 items.

    Notes
    -----
    This is the maximum acyclic subgraph problem: an acyclic part is one that some order of the items agrees with, so
    that a best one follows from an order that violates preferences of the least weight. `kemeny` with
    ``output="partial"`` weighs implied relations, too. Cost: as that of
    `kemeny`.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

    Examples
    --------
    >>> from combpred.aggregation import acyclic_majority
    >>> result = acyclic_majority([[1, 2, 3], [2, 1, 3], [1, 3, 2]], threshold=0.7)
    >>> result
    AcyclicMajority: weight 3, proven optimal, method 'exact'
    item  before
       0  2
       1
       2
    >>> result.relation.astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    choice(method, "method", ACYCLIC_METHODS)  # before any program is solved
    deadline = deadline_after(time_limit)
    given = read_votes(rankings, counts, weights, n_extensions, random_state)
    margins = majority_margins(given.counted(), number(threshold, "threshold"))
    programs = solve_programs("acyclic majority", method, margins, deadline, verbose) if method == "milp" else None
    return AcyclicMajority(*acyclic_part(margins, method, programs=programs), names=item_names(rankings, counts))
