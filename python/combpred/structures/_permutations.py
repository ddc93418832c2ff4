"""Rankings without ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import positions_by_score, rows_in
from .._data.glossary import documented
from .._data.targets import TargetError, refuse_rows
from ._base import NaturalForm
from ._converter import converter, table_in_parts
from ._rankings import Rankings, ranks_of, table_of_numbers, top_k
from ._search.constraints import Restriction


@documented
class Permutations(Rankings):
    r"""Rankings of k labels without ties.

    :math:`\psi_{uv}(y)`, u < v, is +1 if u stands before v, else −1.

    Parameters
    ----------
    %(n_labels)s
    %(labels)s

    Notes
    -----
    y has shape ``(n, k)``: ``y[i, u]`` is the position of label u, 1 for the first. Or its rows are lists of names of
    labels from best to worst; the positions of labels that a list leaves out are unknown. `from_orders` and `to_orders`
    convert one into the other, and `from_top_k` reads lists of the first labels, behind which all others stand.
    `from_ratings` and `from_scores` make positions of numbers.
    The embedding has d = k(k−1)/2 entries, pairs in lexicographic order. The default metric is `kendall_tau`.

    Training data may know part of a ranking, in one of two ways, never both in one row. A position that is −1 (or
    NaN, which scikit-learn's cross-validation refuses) is unknown: only the order of the other labels counts. Or
    labels share the last position, as `from_top_k` writes them: they stand behind all others, in an unknown order.
    :class:`ProbabilisticStructured` trains by the probability of all rankings that agree with the row; for others
    :math:`\psi` is the mean over these. Either way the row keeps weight 1. Any other tie is refused, as is a tie beside
    −1 or NaN: :class:`WeakOrders` are rankings with ties.

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
    _natural = NaturalForm("to_orders")

    @converter
    @documented
    def from_orders(orders: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return positions, the format of y, for lists of labels from best to worst.

        Parameters
        ----------
        orders : sequence of n lists, or array or data frame of shape (n, width)
            Each lists labels from best to worst, by name or number. Those that it leaves out are unknown.
        %(labels_listed)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32
            ``positions[i, u]`` in 1..k is the position of label u, −1 where it is unknown.

        Raises
        ------
        ValueError
            When a list names a label twice, or one that is unknown; names the row.

        See Also
        --------
        to_orders : The inverse.
        from_top_k : Where labels that are left out come behind those that are listed.

        Examples
        --------
        >>> Permutations.from_orders([["tea", "milk", "juice"], ["juice", "tea"]], labels=["juice", "milk", "tea"])
        array([[ 3,  2,  1],
               [ 1, -1,  2]], dtype=int32)
        """
        return Permutations(labels=labels)._read_natural(rows_in(orders, "orders"), "orders")

    @converter
    @documented
    def to_orders(positions: Any, labels: Sequence[Any] | None = None) -> list[list[Any]]:
        """Return lists of labels from best to worst for positions, the inverse of `from_orders`.

        Parameters
        ----------
        positions : array-like of shape (n, k)
            Positions of the labels, as in y.
        %(labels_shown)s

        Returns
        -------
        orders : list of n lists
            Labels from best to worst, without those whose position is unknown.

        Raises
        ------
        ValueError
            When a row is not a ranking, or several labels share its last position; names the row.

        Examples
        --------
        >>> Permutations.to_orders([[2, 3, 1]])
        [[2, 0, 1]]
        >>> Permutations.to_orders([[2, -1, 1]], labels=["tea", "milk", "juice"])
        [['juice', 'tea']]
        """
        parts, called = table_in_parts(Permutations, positions, labels, "positions", partly_known=True)
        shared = (parts > 0) & (parts == parts.max(axis=1, keepdims=True))
        said = "labels share the last position; Permutations.to_top_k lists the others"
        refuse_rows(shared.sum(axis=1) > 1, said, "positions")
        return _in_order(parts, parts > 0, called)

    @converter
    @documented
    def from_top_k(tops: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return positions, the format of y, for lists of the first labels, best first.

        Parameters
        ----------
        tops : sequence of n lists, or array or data frame of shape (n, width)
            Each lists the first labels by name or number, as many as are known. All others come behind them.
        %(labels_listed)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32
            Labels that are not listed share the last position: their order is not known. `WeakOrders`, label rankers
            and rank aggregation take such rows, too, the first as a tie. All are −1 where none is listed.

        Raises
        ------
        ValueError
            When a list names a label twice, or one that is unknown; names the row.

        See Also
        --------
        to_top_k : The inverse.

        Examples
        --------
        >>> Permutations.from_top_k([["tea"], ["juice", "tea"]], labels=["tea", "milk", "juice"])
        array([[1, 2, 2],
               [2, 3, 1]], dtype=int32)
        """
        return top_k(tops, labels, empty=-1)

    @converter
    @documented
    def to_top_k(positions: Any, labels: Sequence[Any] | None = None) -> list[list[Any]]:
        """Return the first labels of rankings, best first, the inverse of `from_top_k`.

        Parameters
        ----------
        positions : array-like of shape (n, k)
            Positions of the labels, as in y.
        %(labels_shown)s

        Returns
        -------
        tops : list of n lists
            Labels that do not share the last position, so all where one alone is last, as after a list of all but one.

        Raises
        ------
        ValueError
            When a row is not a ranking; names the row.

        Examples
        --------
        >>> Permutations.to_top_k([[1, 2, 2], [2, 3, 1]], labels=["tea", "milk", "juice"])
        [['tea'], ['juice', 'tea', 'milk']]
        """
        parts, called = table_in_parts(Permutations, positions, labels, "positions", partly_known=True)
        shared = (parts[:, :, np.newaxis] == parts[:, np.newaxis]).sum(axis=2) > 1
        return _in_order(parts, (parts > 0) & ~shared, called)

    @converter
    @documented
    def from_ratings(ratings: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return positions, the format of y, for ratings of the labels: the higher, the earlier.

        Parameters
        ----------
        ratings : array-like of shape (n, k)
            Numbers, all different in a row. NaN where a label has no rating: its position is unknown.
        %(labels_shown)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32

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
            raise TargetError(row, f"labels {names[u]!r} and {names[v]!r} have one rating; {how}", "ratings")
        return ranks

    @converter
    @documented
    def from_scores(scores: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return positions, the format of y, for scores of the labels: the higher, the earlier, ties by their order.

        Parameters
        ----------
        scores : array-like of shape (n, k)
            Finite numbers.
        %(labels_shown)s

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32

        Raises
        ------
        ValueError
            When a score is not finite; names the row.

        Examples
        --------
        >>> Permutations.from_scores([[0.5, 2.0, 0.5]])
        array([[2, 1, 3]], dtype=int32)
        """
        remedy = "scores are finite numbers; Permutations.from_ratings takes NaN"
        return positions_by_score(table_of_numbers(scores, "scores", labels, remedy, np.isfinite)[0])

    @staticmethod
    def _program(
        n: int, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction
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


def _in_order(parts: NDArray[np.int32], listed: NDArray[np.bool_], called: NDArray[Any]) -> list[list[Any]]:
    """Return what the labels of each row that are listed are called, best first."""
    order = np.argsort(np.where(listed, parts, np.iinfo(np.int32).max), axis=1, kind="stable")
    return [called[row[:n]].tolist() for row, n in zip(order, listed.sum(axis=1), strict=True)]
