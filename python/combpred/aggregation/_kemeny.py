"""Consensus by Kendall's distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .._data.checks import choice, number, seed_of
from .._data.glossary import documented
from .._lib.aggregate import Programs, consensus, item_groups
from .._lib.names import CONSENSUSES, KEMENY_METHODS
from ._aggregate import Aggregate
from ._profile import Votes, item_names, read_votes
from ._programs import EXACT_LIMIT, PROGRAMMED, deadline_after, solve_programs, solve_relation

_AUTO_SECONDS = 10.0
_PROGRAMMED_ITEMS = {
    "order": 200,
    "weak": 60,
    "partial": 60,
}  # of a strongly connected component that "auto" tries a program for


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

    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3.

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
    given = read_votes(rankings, counts, weights, n_extensions, rng)
    if method in (*PROGRAMMED, "auto"):
        given = given._replace(pairs=given.counted())
    seed = seed_of(rng) if method == "random-pivot" else 0
    programs = _programs(given, method, output, penalty, deadline, verbose)
    found = consensus(*given, method, output=output, penalty=penalty, programs=programs, seed=seed)
    return Aggregate(*found, names=item_names(rankings, counts))


def _programs(
    given: Votes, method: str, output: str, penalty: float, deadline: float | None, verbose: int
) -> Programs | None:
    """Return solutions of the integer programs that a method takes, "auto" for what nothing else proves."""
    if method not in (*PROGRAMMED, "auto") or (method == "lp" and output != "order"):  # which the core refuses
        return None
    before, tied = given.counted()
    largest = max(map(len, item_groups(before)))
    programs = None
    if method in PROGRAMMED and output == "order":
        return solve_programs("kemeny", method, before, deadline, verbose)
    if EXACT_LIMIT < largest <= _PROGRAMMED_ITEMS["order"]:
        programs = solve_programs("kemeny", "milp", before, deadline, verbose, EXACT_LIMIT + 1)
    if output == "order":
        return programs
    if method == "auto":
        found = consensus(*given, "auto", output=output, penalty=penalty)
        if found[5] or largest > _PROGRAMMED_ITEMS[output]:
            return None
    known = consensus(*given, "auto", penalty=penalty, programs=programs)[0]
    apart = penalty * (before + before.T)
    cost = before.T if tied is None else before.T + penalty * tied
    return solve_relation(
        "kemeny", cost, apart, known[:, np.newaxis] < known, deadline, verbose, partial=output == "partial"
    )
