"""Rankings without ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import whole_number
from .._data.glossary import documented
from .._data.listings import as_table, by_name, names_of, positions_by_score, read_lists
from .._data.names import Names, joined
from .._data.targets import TargetError, as_numbers, error_at, target_matrix
from ._base import Sized, Structure
from ._converter import converter
from ._search.constraints import Restriction


@documented
class Permutations(Structure):
    r"""Rankings of k labels without ties.

    :math:`\psi_{uv}(y)`, u < v, is +1 if u stands before v, else −1.

    Parameters
    ----------
    %(n_labels)s
    %(labels)s

    Notes
    -----
    y has shape ``(n, k)``: ``y[i, u]`` is the position of label u, 1 for the first. `from_orders` makes such rows
    from lists of labels, `from_top_k` from lists of the first ones, `from_ratings` and `from_scores` from numbers.
    The embedding has d = k(k−1)/2 entries, pairs in lexicographic order. The default metric is `kendall_tau`.

    Training data may know part of a ranking, in one of two ways, never both in one row. A position that is −1 (or
    NaN, which scikit-learn's cross-validation refuses) is unknown: only the order of the other labels counts. Or
    labels share the last position, as `from_top_k` writes them: they stand behind all others, in an unknown order.
    In both cases :math:`\psi` is the mean over all rankings that agree with the row, which keeps weight 1. Any other
    tie is refused, as is a tie beside −1 or NaN: :class:`WeakOrders` are rankings with ties.

    Decoding is the linear ordering problem. In the directed graph whose arcs point from u to v where the scores prefer
    u before v, it is solved exactly if every strongly connected component has at most 20 labels. The cost is O(k²), and
    O(2^m m) for each component of m labels, by dynamic programming over subsets. Larger components are improved by
    local search, whose result scores at least half-way between the worst and the best.

    Constraints have the keys ``first`` and ``last``, one label each, and ``before``, a list of pairs (u, v): u
    stands before v.

    Examples
    --------
    >>> from combpred.structures import Permutations
    >>> Permutations(3).embed([[2, 1, 3]])
    array([[-1.,  1.,  1.]])
    >>> Permutations(3).decode([-0.5, 1.0, 1.0])
    array([2, 1, 3], dtype=int32)
    >>> Permutations(3).decode([-0.5, 1.0, 1.0], constraints={"last": 0, "before": [(2, 1)]})
    array([3, 2, 1], dtype=int32)
    """

    name = "permutations"
    default_metric = "kendall_tau"
    _sized = Sized("n_labels", "label", names="labels")
    _converter = "Permutations.from_orders makes y of lists of labels from best to worst, from_top_k of the first ones"
    _columns = "items"

    def __init__(self, n_labels: int | None = None, *, labels: Sequence[Any] | None = None) -> None:
        self.n_labels = n_labels
        self.labels = labels

    @converter
    @documented
    def from_orders(
        orders: Any, labels: Any = None, *, one_based: bool = False, sep: str | None = None, as_frame: bool = False
    ) -> Any:
        """Return positions, the format of y, for lists of labels from best to worst.

        Parameters
        ----------
        orders : sequence of n lists, or array or data frame of shape (n, k)
            Each lists labels from best to worst, by name or number. Those that it leaves out are unknown. Where neither
            names nor `labels` are given, the longest list has all.
        %(labels_listed)s
        one_based : bool, default=False
            Whether numbers of labels count from 1 rather than 0. Of `labels` that are strings, 1 is then the first.
        sep : str, default=None
            What divides labels where orders are strings, such as ">".
        %(as_frame_names)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or DataFrame
            ``positions[i, u]`` in 1..k is the position of label u, −1 where it is unknown.

        Raises
        ------
        ValueError
            When a list names a label twice, or one that there is not; names the row.

        See Also
        --------
        from_top_k : Where labels that are left out come behind those that are listed.

        Examples
        --------
        >>> Permutations.from_orders([[2, 0, 1]])
        array([[2, 3, 1]], dtype=int32)
        >>> Permutations.from_orders(["tea > milk > juice", "juice > tea"], sep=">", as_frame=True)
           juice  milk  tea
        0      3     2    1
        1      1    -1    2
        """
        listed = read_lists(orders, "orders", labels, "labels", sep=sep, one_based=one_based, complete=True)
        return as_table(listed.matrix(listed.place + 1, -1, np.int32), listed.names, as_frame, orders)

    @converter
    @documented
    def to_orders(positions: Any, labels: Any = None, *, sep: str | None = None) -> Any:
        """Return lists of labels from best to worst for positions, the inverse of `from_orders`.

        Parameters
        ----------
        positions : array-like of shape (n, k)
            Positions of the labels, as in y.
        %(labels_shown)s
        %(sep_shown)s

        Returns
        -------
        orders : ndarray of shape (n, k), dtype=int32 or object, or list of n strings
            Each row lists labels from best to worst. Labels whose position is unknown are left out: rows end in −1
            for each, or in None where labels have names.

        Raises
        ------
        ValueError
            When a row is not a ranking, or several labels share its last position; names the row.

        Examples
        --------
        >>> Permutations.to_orders([[2, 3, 1]])
        array([[2, 0, 1]], dtype=int32)
        >>> Permutations.to_orders([[2, -1, 1]], labels=["tea", "milk", "juice"]).tolist()
        [['juice', 'tea', None]]
        """
        positions = by_name(positions, labels, "positions", "labels")
        parts = _parts_of(positions)
        shared = (parts > 0) & (parts == parts.max(axis=1, keepdims=True))
        if (shared.sum(axis=1) > 1).any():
            row = int(np.argmax(shared.sum(axis=1) > 1))
            raise TargetError(
                row, "labels share the last position; Permutations.to_top_k lists the others", "positions"
            )
        return _joined(_listed(parts, parts > 0, names_of(positions, labels, "labels", parts.shape[1])), sep)

    @converter
    @documented
    def from_top_k(
        tops: Any, labels: Any = None, *, one_based: bool = False, sep: str | None = None, as_frame: bool = False
    ) -> Any:
        """Return positions, the format of y, for lists of the first labels, best first.

        Parameters
        ----------
        tops : sequence of n lists, or array or data frame of shape (n, m)
            Each lists the first labels by name or number, as many as are known. All others come behind them.
        %(labels_listed)s
        one_based, sep, as_frame
            As for `from_orders`.

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or DataFrame
            Labels that are not listed share the last position: their order is not known. `WeakOrders`, label rankers
            and rank aggregation take such rows, too, the first as a tie. All are −1 where none is listed.

        Raises
        ------
        ValueError
            When a list names a label twice, or one that there is not; names the row.

        Examples
        --------
        >>> Permutations.from_top_k([["tea"], ["juice", "tea"]], labels=["tea", "milk", "juice"])
        array([[1, 2, 2],
               [2, 3, 1]], dtype=int32)
        """
        return ranked_lists(tops, "tops", labels, one_based, sep, as_frame, empty=-1)

    @converter
    @documented
    def to_top_k(positions: Any, k: int | None = None, labels: Any = None, *, sep: str | None = None) -> Any:
        """Return the first labels of rankings, best first, the inverse of `from_top_k`.

        Parameters
        ----------
        positions : array-like of shape (n, n_labels)
            Positions of the labels, as in y.
        k : int, default=None
            How many labels to list. None: those that do not share the last position, so all where one alone is last,
            as after a list of all but one.
        labels : sequence of str or of int, default=None
            As for `to_orders`.
        %(sep_shown)s

        Returns
        -------
        tops : ndarray of shape (n, k), dtype=int32 or object, or list of n strings
            Shorter rows end in −1, or in None where labels have names.

        Raises
        ------
        ValueError
            When a row is not a ranking; names the row.

        Examples
        --------
        >>> Permutations.to_top_k([[1, 2, 2], [2, 3, 1]], labels=["tea", "milk", "juice"]).tolist()
        [['tea', None, None], ['juice', 'tea', 'milk']]
        >>> Permutations.to_top_k([[1, 3, 2], [2, 3, 1]], 2).tolist()
        [[0, 2], [2, 0]]
        """
        positions = by_name(positions, labels, "positions", "labels")
        parts = _parts_of(positions)
        width = whole_number(k, "k", 1, parts.shape[1]) if k is not None else parts.shape[1]
        shared = (parts[:, :, np.newaxis] == parts[:, np.newaxis]).sum(axis=2) > 1
        called = names_of(positions, labels, "labels", parts.shape[1])
        return _joined(_listed(parts, (parts > 0) & ~shared, called)[:, :width], sep)

    @converter
    @documented
    def from_ratings(ratings: Any, labels: Any = None, *, as_frame: bool = False) -> Any:
        """Return positions, the format of y, for ratings of the labels: the higher, the earlier.

        Parameters
        ----------
        ratings : array-like of shape (n, k)
            Numbers, all different in a row. NaN where a label has no rating: its position is unknown.
        %(labels_shown)s
        %(as_frame_labels)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or DataFrame

        Raises
        ------
        ValueError
            When two ratings of a row are equal, for which there is :meth:`WeakOrders.from_ratings`, or infinite; names
            the row.

        See Also
        --------
        from_scores : Breaks ties, as predictions do.

        Examples
        --------
        >>> Permutations.from_ratings([[3.5, 5.0, 1.0], [2.0, float("nan"), 4.0]])
        array([[ 2,  1,  3],
               [ 2, -1,  1]], dtype=int32)
        """
        ranks, names = ranks_of(ratings, labels)
        same = (ranks[:, :, np.newaxis] == ranks[:, np.newaxis]) & (ranks[:, np.newaxis] > 0)
        tied = (same.sum(axis=2) > 1).any(axis=1)
        if tied.any():
            row = int(np.argmax(tied))
            u, v = np.argwhere(np.triu(same[row], 1))[0]
            how = "WeakOrders.from_ratings keeps ties, and Permutations.from_scores puts the first of them first"
            how = f"others have none: fill these in, or {TIES_AND_GAPS}" if (ranks < 0).any() else how
            raise TargetError(row, f"labels {names[u]!r} and {names[v]!r} have one rating; {how}", "ratings")
        return as_table(ranks, names, as_frame, ratings)

    @converter
    @documented
    def from_scores(scores: Any, labels: Any = None, *, as_frame: bool = False) -> Any:
        """Return positions, the format of y, for scores of the labels: the higher, the earlier, ties by their order.

        Parameters
        ----------
        scores : array-like of shape (n, k)
            Finite numbers.
        %(labels_shown)s
        %(as_frame_labels)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or DataFrame

        Raises
        ------
        ValueError
            When a score is not finite; names the row.

        Examples
        --------
        >>> Permutations.from_scores([[0.5, 2.0, 0.5]])
        array([[2, 1, 3]], dtype=int32)
        """
        values, names = _table_of_numbers(scores, "scores", labels, "scores are finite numbers")
        if (missing := np.isnan(values)).any():
            remedy = "scores are finite numbers; Permutations.from_ratings takes NaN"
            raise error_at(missing, values, remedy, "scores", names)
        return as_table(positions_by_score(values), names, as_frame, scores)

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self._resolve(y_true)
        truth = known.encode(y_true, "y_true", partial=True)
        return np.where(truth == 0, -1, truth), known.encode(y_pred, "y_pred")

    @staticmethod
    def _program(
        n: int, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction | None
    ) -> tuple[NDArray[np.int32], float]:
        from .._programs.orders import best_order
        from ._search.programs import order_cuts  # loads the solver

        positions, bound = best_order(n, linear, order_cuts(restriction))
        return positions, bound + float(magnitude.sum())  # every |ψ| is 1

    def pair_probabilities(self, marginals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities that u is before v, and that v is before u, for all pairs u < v.

        Parameters
        ----------
        marginals : ndarray of shape (…, d)
            As `marginals` returns them.

        Returns
        -------
        before, after : ndarray of shape (…, n_pairs)
        """
        return (1 + marginals) / 2, (1 - marginals) / 2


def ranked_lists(
    lists: Any, argument: str, labels: Any, one_based: bool, sep: str | None, as_frame: bool, *, empty: int
) -> Any:
    """Return positions for lists of the first labels, best first, the others sharing the position behind them.

    `empty` is the position of all labels where a list has none.
    """
    listed = read_lists(lists, argument, labels, "labels", sep=sep, one_based=one_based)
    ranks = listed.matrix(listed.place + 1, 0, np.int32)
    behind = np.bincount(listed.row, minlength=listed.n_rows)[:, np.newaxis] + 1
    behind[behind == 1] = empty
    return as_table(np.where(ranks == 0, behind, ranks).astype(np.int32), listed.names, as_frame, lists)


#: What keeps both ties and missing ratings, and who takes them.
TIES_AND_GAPS = (
    "pass pandas.DataFrame(ratings).rank(axis=1, method='dense', ascending=False) to rank aggregation or to a label "
    "ranker, such as ranking.RankingByPairwiseComparison, which learn from ties beside unknown positions"
)


def ranks_of(ratings: Any, labels: Any) -> tuple[NDArray[np.int32], Names]:
    """Return dense ranks of ratings, the highest first, −1 for NaN, and the names of the columns, or their numbers."""
    from scipy.stats import rankdata  # slow to import

    remedy = "ratings are finite numbers, or NaN where there is none"
    values, names = _table_of_numbers(ratings, "ratings", labels, remedy)
    unknown = np.isnan(values)
    ranks = rankdata(np.where(unknown, np.inf, -values), method="dense", axis=1)  # what is unknown comes last
    return np.where(unknown, -1, ranks).astype(np.int32), names


def _table_of_numbers(table: Any, argument: str, labels: Any, remedy: str) -> tuple[NDArray[np.float64], Names]:
    """Return numbers that are not infinite, and the names of their columns, or their numbers."""
    table = by_name(table, labels, argument, "labels")
    given = target_matrix(table, argument, None, "label")
    names = tuple(names_of(table, labels, "labels", given.shape[1]).tolist())
    how = f"{remedy}; .astype(float) makes numbers of strings of digits, .replace({{name: number, …}}) of names"
    values = as_numbers(given, argument, how, names).astype(np.float64)
    if np.isinf(values).any():
        raise error_at(np.isinf(values), values, remedy, argument, names)
    return values, names


def _parts_of(positions: Any) -> NDArray[np.int32]:
    """Return rankings, which may be known in part, in parts."""
    values = target_matrix(positions, "positions", None, "label")
    return Permutations(values.shape[1]).encode(values, "positions", partial=True)


def _listed(parts: NDArray[np.int32], shown: NDArray[np.bool_], called: NDArray[Any]) -> NDArray[Any]:
    """Return what labels are called, best first, those that are not shown as −1, or None, at the end of the row."""
    order = np.argsort(np.where(shown, parts, np.iinfo(np.int32).max), axis=1, kind="stable")
    named = called.dtype == object
    lists: NDArray[Any] = called[order] if named else order.astype(np.int32)
    hidden = ~np.take_along_axis(shown, order, axis=1)
    return np.where(hidden, np.array(None if named else -1, dtype=lists.dtype), lists)


def _joined(lists: NDArray[Any], sep: str | None) -> Any:
    """Return rows of labels as strings, without what fills them up at their ends."""
    empty = None if lists.dtype == object else -1
    return lists if sep is None else [joined([label for label in row if label != empty], sep) for row in lists.tolist()]
