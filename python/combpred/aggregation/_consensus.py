"""What votes agree on: consensus orders, of Kemeny and by positions, and an acyclic part of what a majority prefers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from .._data.checks import choice, number, seed_of
from .._data.glossary import documented
from .._data.tables import Tabular
from .._lib.call import computed
from .._lib.names import ACYCLIC_METHODS, CONSENSUSES, KEMENY_METHODS
from .._lib.rankings import Pairs, Profile, Programs, acyclic_part, consensus, item_groups
from ._profile import read_profile, read_votes
from ._programs import EXACT_LIMIT, PROGRAMMED, deadline_after, solve_programs, solve_relation


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Tabular):
    """A consensus of rankings, and what is known about it.

    Attributes
    ----------
    consensus : ndarray
        Positions of the k items, int32 of shape ``(k,)``, 1 for the first, tied items sharing one; or, for partial
        orders, a boolean relation of shape ``(k, k)``, ``consensus[u, v]`` saying that u is before v.
    distance : float
        Weighted sum of the distances to the rankings.
    lower_bound : float
        No consensus of this kind has a smaller distance.
    ratio : float or None
        `distance` is at most `ratio` times the least possible one: 1.0 when proven optimal, otherwise what the method
        guarantees beforehand for rankings of this kind. None where nothing is guaranteed.
    expected : bool
        Whether `ratio` bounds the mean of `distance` over the random choices of the method, not each of its results.
    optimal : bool
        Whether no consensus has a smaller distance.
    method : str
        The method that was used.
    reason : str
        Where `ratio` comes from, or why there is none.
    standard_error : float
        Standard error of `distance` where partial orders were replaced by samples of their linear extensions; else 0.
    names : list of str or None
        Names of the items, from the columns of a data frame.

    Notes
    -----
    `certified_ratio` is proven from the numbers at hand, and is often much closer to 1 than `ratio`.

    Examples
    --------
    >>> from combpred.aggregation import borda
    >>> import pandas as pd
    >>> borda(pd.DataFrame([[1, 2, 3], [1, 3, 2], [2, 1, 3]], columns=["sushi", "ramen", "udon"]))
    Aggregate: distance 4, proven optimal, method 'borda'
    position  items
           1  sushi
           2  ramen
           3  udon
    """

    consensus: NDArray[Any]
    distance: float
    lower_bound: float
    ratio: float | None
    expected: bool
    optimal: bool
    method: str
    reason: str
    standard_error: float = 0.0
    names: list[str] | None = field(default=None, kw_only=True)

    @property
    def certified_ratio(self) -> float:
        """`distance` over `lower_bound`, which bounds its ratio to the least distance; infinite for a bound of 0."""
        if self.distance <= self.lower_bound:
            return 1.0
        return self.distance / self.lower_bound if self.lower_bound > 0 else math.inf

    def _table(self) -> dict[str, Any]:
        if self.consensus.ndim == 1:
            shown = [", ".join(map(str, tier)) for tier in self.tiers]
            return {"position": np.unique(self.consensus), "items": shown}
        return before_what(self.consensus, self.names)

    def _title(self) -> str:
        known = "proven optimal" if self.optimal else f"at least {self.lower_bound:.6g} for any consensus"
        return f"Aggregate: distance {self.distance:.6g}, {known}, method {self.method!r}"

    @property
    def order(self) -> NDArray[np.intp]:
        """The items from first to last, tied ones in ascending order; AttributeError for a partial order."""
        if self.consensus.ndim != 1:
            raise AttributeError("a partial order has no single order; combpred.sampling.linear_extensions draws some")
        return np.argsort(self.consensus, kind="stable")

    @property
    def tiers(self) -> list[list[Any]]:
        """The items, by their names if they have some, from first to last: a list for each position."""
        items = self.order.tolist() if self.names is None else [self.names[item] for item in self.order]
        ends = np.flatnonzero(np.diff(self.consensus[self.order])) + 1
        return [items[first:end] for first, end in zip([0, *ends], [*ends, len(items)], strict=True)]


def before_what(relation: NDArray[np.bool_], names: Sequence[Hashable] | None) -> dict[str, Any]:
    """Return the columns of a table of items and of those that each is before in a partial order."""
    items = list(range(len(relation)) if names is None else names)
    after = [", ".join(str(items[v]) for v in np.flatnonzero(row)) for row in relation]
    return {"item": items, "before": after}


def borda(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the consensus of least total squared difference of positions: the order of the mean positions.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        Always optimal. `distance` is :math:`\sum_i w_i \sum_u (y_u - \bar r_{iu})^2`, where :math:`\bar r_{iu}` is the
        mean position of item u over all orders that agree with ranking i: tied items share the mean of their ranks, the
        r-th of m known items is at r(k + 1)/(m + 1) and unknown ones are at (k + 1)/2. Where items have the same mean
        position the one of smaller number is first.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    Borda's count, and the generalised Spearman distance of Brinker and Hüllermeier. Its Kendall distance is at most 5
    times the least for rankings of all items without ties (Coppersmith, Fleischer and Rudra, 2010). Cost: O(n k log k).

    References
    ----------
    Brinker, K. and Hüllermeier, E. (2007). Case-based multilabel ranking. *IJCAI*.

    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.7.

    Examples
    --------
    >>> from combpred.aggregation import borda
    >>> result = borda([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance
    (array([1, 2, 3], dtype=int32), 8.0)
    """
    profile, names = read_profile(rankings, weights, n_extensions, random_state)
    return Aggregate(*consensus(profile, None, "borda"), names=names)


def footrule(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the consensus of least total absolute difference of positions, Spearman's footrule.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        Always optimal. `distance` is :math:`\sum_i w_i \sum_u |y_u - \bar r_{iu}|`, where :math:`\bar r_{iu}` is the
        mean position of item u over all orders that agree with ranking i: tied items share the mean of their ranks, the
        r-th of m known items is at r(k + 1)/(m + 1). Items count nothing in rankings where they are unknown.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    An assignment of items to positions. The Kendall distance of two
    rankings without ties is between half their footrule and all of it (Diaconis and Graham, 1977), so that the result
    has at most twice the least Kendall distance. Cost: O(n k log k + k³).

    References
    ----------
    Dwork, C., Kumar, R., Naor, M. and Sivakumar, D. (2001). Rank aggregation methods for the web. *WWW 10*.

    Examples
    --------
    >>> from combpred.aggregation import footrule
    >>> result = footrule([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance
    (array([1, 2, 3], dtype=int32), 6.0)
    """
    profile, names = read_profile(rankings, weights, n_extensions, random_state)
    return Aggregate(*consensus(profile, None, "footrule"), names=names)


def median_rank(
    rankings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    n_extensions: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> Aggregate:
    r"""Return the order of the median positions, which approximates the consensus of `footrule`.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        As in :func:`kemeny`.
    weights : array-like of shape (n,), default=None
        Weights of the rankings; None: 1 each.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for the linear extensions.

    Returns
    -------
    Aggregate
        `distance` as that of :func:`footrule`: at most twice the least for rankings of all items, three times with
        ties, no guarantee where items are unknown. `lower_bound` is the distance to the medians themselves. Of items
        with one median the one of smaller mean position is first.

    Raises
    ------
    ValueError
        For illegal rankings, naming the row.

    Notes
    -----
    For every place t the items before it are t of those that most rankings have there, or all of these and more.
    Exchanging one of them for another costs at most the weight of all rankings, and the best t items miss at least half
    of that for each item that differs: at most twice the least for each t, and their sum is the footrule. With ties the
    triangle inequality gives 3: the order is the nearest one to the medians, and these are nearer to the rankings than
    any order is. Cost: O(n k log(n k)).

    References
    ----------
    Fagin, R., Kumar, R. and Sivakumar, D. (2003). Efficient similarity search and classification via rank aggregation.
    *SIGMOD*.

    Fagin, R., Kumar, R., Mahdian, M., Sivakumar, D. and Vee, E. (2006). Comparing partial rankings. *SIAM J. Discrete
    Math.* 20.

    Examples
    --------
    >>> from combpred.aggregation import median_rank
    >>> result = median_rank([[1, 2, 3], [3, 1, 2], [1, 3, 2]])
    >>> result.consensus, result.distance, result.lower_bound, result.ratio
    (array([1, 2, 3], dtype=int32), 6.0, 5.0, 2.0)
    """
    profile, names = read_profile(rankings, weights, n_extensions, random_state)
    return Aggregate(*consensus(profile, None, "median-rank"), names=names)


_AUTO_SECONDS = 10.0
# Most items of a strongly connected component that "auto" tries a program for.
_PROGRAMMED_ITEMS = {"order": 200, "weak": 60, "partial": 60}


@documented
def kemeny(
    rankings: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    method: str = "auto",
    output: str = "order",
    penalty: float = 0.5,
    n_extensions: int = 100,
    time_limit: float | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: int = 0,
) -> Aggregate:
    r"""Return the consensus of least total Kendall distance to rankings, or one that is near it.

    The distance of two rankings is the number of pairs that they have in opposite orders, plus `penalty` for every pair
    that is tied, or unrelated, in only one of them.

    Parameters
    ----------
    rankings : array-like of shape (n, k) or (n, k, k)
        Positions of the k items in each ranking, the smaller before the larger, equal ones tied, −1 or NaN where
        unknown: pairs with such an item count nothing. Lists that end before the last item are taken so, too, unless
        the items that they leave out are given one common last position. Or booleans: partial orders,
        ``rankings[i, u, v]`` saying that u is before v. Each of these is replaced by random linear extensions.
    counts : array-like of shape (k, k), default=None
        In place of rankings, the weight of those with u before v, in row u and column v. The diagonal is not used.
        The columns of a data frame, here or of `rankings`, are the names of the items.
    weights : array-like of shape (n,), default=None
        Weights of the rankings, as the number of ballots that are alike; None: 1 each.
    method : str, default="auto"
        One of these; "lp" and the pivots are for ``output="order"`` only:

        - "milp": exact, by an integer program. Takes 10 to 100 ms for a strongly connected component of 40 items, with
          ties, and for partial orders, up to seconds.
        - "lp": rounds the program's linear relaxation: at most 4/3 of the least distance, 3/2 with ties.
        - "pivot": puts what beats a pivot before it, and so on: with the best of the rankings at most 8/5.
        - "random-pivot": the same with random pivots: at most 11/7 on average, 8/5 with ties.
        - "exact": by dynamic programming over subsets, for strongly connected components of up to 20 items; of up to 16
          with ties allowed, of up to 7 for partial orders.
        - "local-search": moves single items while that helps, from several starts: at most 2.
        - "best-input": the best of the rankings, its ties broken by others: at most 2.
        - "auto": "exact" for components that are small enough, "milp" for others of up to 200 items (60 with ties, and
          for partial orders), and "local-search" where that is not done in time, and for larger components.
    output : {"order", "weak", "partial"}, default="order"
        What the consensus may be: without ties, with ties, or a partial order. The latter two are never farther from
        the rankings than the order that the same method finds.
    penalty : float, default=0.5
        Between 0 and 1; from 1/2 on the distance is a metric. In a "weak" or "partial" consensus of rankings without
        ties, an order of a pair is worth taking where a share of more than ``1 - penalty`` of the weight has it.
    n_extensions : int, default=100
        Linear extensions for each partial order in `rankings`, at least 2.
    time_limit : float, default=None
        Seconds after which programs are given up; None: no limit for "milp" and "lp", 10 for "auto". The result is then
        that of "local-search", with the best bound that the program has proven, and `reason` says so.
    random_state : int, RandomState instance or None, default=None
        Source of randomness for "random-pivot" and the linear extensions.
    %(verbose_programs)s

    Returns
    -------
    Aggregate
        The consensus with its distance, a lower bound, and what is guaranteed. With sampled linear extensions these
        refer to the sample, and `standard_error` says how far the distance may be from that to all extensions; it does
        not contain the advantage of a consensus chosen on the same sample.

    Raises
    ------
    ValueError, TypeError
        For illegal rankings, naming the row, or arguments.
    CapabilityError
        When "exact" is asked for and a strongly connected component is too large, or a method is not one for `output`.

    Notes
    -----
    Numbers are positions whatever they look like: rank ratings, where larger is better, by
    ``ratings.rank(axis=1, ascending=False)`` first. An item that no ranking compares with another may stand anywhere.

    Items are first divided into groups that follow one another in some best consensus (the extended Condorcet
    criterion): the strongly connected components of the graph in which u points to v where putting v before u is not a
    best choice for that pair alone. Every method works within these. For rankings that mostly agree they are small, so
    that large instances are often solved exactly.

    The guarantees are for rankings of all items, with or without ties. Where items are unknown, or from `counts`, those
    of "pivot" (2 then), "random-pivot" (2 on average) and "lp" (3/2) still hold if
    :math:`w_{uv} \le w_{ux} + w_{xv}` for all items, which is checked; otherwise `ratio` is None. With "weak" and
    "partial" the search guarantees max(2, 1/penalty) for rankings of all items. With "weak" it starts, beside
    others, from the best order found and from the 64 best rankings (Cohen-Boulakia et al., 2011, start from all).

    Cost: O(n k²) to count pairs; then O(m 2^m) for "exact" in a component of m items, 3^m with ties; O(m³) for each
    pivot. The search takes O(m²) for each round of moves. "milp" and "lp" look at O(m³) triples of items whenever they
    have solved a program.

    Ctrl-C is answered while a program is being solved, if SciPy is 1.15 or later. SciPy has no means to stop its
    solver: left alone it keeps a processor busy until it is done, or has reached `time_limit`, or Python ends, which
    does not wait for it.

    References
    ----------
    Kemeny, J. G. (1959). Mathematics without numbers. *Daedalus* 88.

    Fagin, R., Kumar, R., Mahdian, M., Sivakumar, D. and Vee, E. (2006). Comparing partial rankings. *SIAM J. Discrete
    Math.* 20.

    Ailon, N., Charikar, M. and Newman, A. (2008). Aggregating inconsistent information: ranking and clustering. *J.
    ACM* 55.

    van Zuylen, A. and Williamson, D. P. (2009). Deterministic pivoting algorithms for constrained ranking and
    clustering problems. *Mathematics of Operations Research* 34.

    Ailon, N. (2010). Aggregation of partial rankings, p-ratings and top-m lists. *Algorithmica* 57.

    Cohen-Boulakia, S., Denise, A. and Hamel, S. (2011). Using medians to generate consensus rankings for biological
    data. *SSDBM*.

    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.7.

    Examples
    --------
    >>> from combpred.aggregation import kemeny
    >>> votes = [[1, 2, 3], [3, 1, 2], [1, 3, 2]]
    >>> best = kemeny(votes, weights=[4, 3, 2])
    >>> best.consensus, best.distance, best.optimal
    (array([1, 2, 3], dtype=int32), 8.0, True)
    >>> kemeny(votes, weights=[4, 3, 2], output="weak", penalty=0.3).consensus
    array([1, 1, 2], dtype=int32)
    """
    choice(output, "output", CONSENSUSES)  # before any program is solved
    choice(method, "method", KEMENY_METHODS)
    deadline = deadline_after(_AUTO_SECONDS if time_limit is None and method == "auto" else time_limit)
    rng, penalty = check_random_state(random_state), number(penalty, "penalty")
    votes, names = read_votes(rankings, counts, weights, n_extensions, rng)
    seed = seed_of(rng) if method == "random-pivot" else 0
    programs = _programs(votes, method, output, penalty, deadline=deadline, verbose=verbose)
    found = consensus(*votes, method, output=output, penalty=penalty, programs=programs, seed=seed)
    return Aggregate(*found, names=names)


def _programs(
    votes: tuple[Profile | None, Pairs], method: str, output: str, penalty: float, **how: Any
) -> Programs | None:
    """Return solutions of the integer programs that a method takes, "auto" for what nothing else proves."""
    if method not in (*PROGRAMMED, "auto") or (method == "lp" and output != "order"):  # which the core refuses
        return None
    before, tied = votes[1]
    largest = max(map(len, item_groups(before)))
    programs = None
    if method in PROGRAMMED and output == "order":
        return solve_programs("kemeny", method, before, **how)
    if EXACT_LIMIT < largest <= _PROGRAMMED_ITEMS["order"]:
        programs = solve_programs("kemeny", "milp", before, least=EXACT_LIMIT + 1, **how)
    if output == "order":
        return programs
    if method == "auto":
        found = consensus(*votes, "auto", output=output, penalty=penalty)
        if found[5] or largest > _PROGRAMMED_ITEMS[output]:
            return None
    known = consensus(*votes, "auto", penalty=penalty, programs=programs)[0]
    apart = penalty * (before + before.T)
    cost = before.T if tied is None else before.T + penalty * tied
    return solve_relation(cost, apart, known[:, np.newaxis] < known, is_partial=output == "partial", **how)


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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.7.

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
    (_, pairs), names = read_votes(rankings, counts, weights, n_extensions, random_state)
    margins = computed("cp_aggregate_margins", pairs, number(threshold, "threshold"), k=len(pairs.before))
    programs = solve_programs("acyclic majority", method, margins, deadline, verbose) if method == "milp" else None
    return AcyclicMajority(*acyclic_part(margins, method, programs=programs), names=names)
