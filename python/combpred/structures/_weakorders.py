"""Rankings with ties."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.converters import LISTED, entries_of, read_entries, rows_in
from .._data.glossary import documented
from .._data.targets import TargetError
from ._base import NaturalForm, known_items
from ._converter import converter, table_in_parts
from ._rankings import Rankings, ranks_of, top_k


@documented
class WeakOrders(Rankings):
    r"""Rankings of k labels with ties.

    :math:`\psi` has two parts with one entry for each pair u < v. The first is +1 if u stands before v, −1 if v stands
    before u and 0 if they are tied. The second is 1 if they are tied and 0 otherwise; without it, no score could favour
    a tie.

    Parameters
    ----------
    %(n_labels)s
    %(labels)s

    Notes
    -----
    y has shape ``(n, k)`` and holds finite numbers from 0 on: smaller ones come first and equal ones are tied. In
    training and in what `score` compares, −1 or NaN stands for an unknown position: a row is then known to be one of
    the rankings in which the known labels keep their order and their ties. Or the rows of y are lists of names from
    best to worst, with lists, tuples or sets of tied labels in them, which `from_tiers` and `to_tiers` convert; labels
    that are not listed are unknown. `from_ratings` makes y of ratings and scores, where larger ones come first.
    Predictions are dense ranks, such as 1, 1, 2, of type int32. The embedding has d = k(k−1) entries, pairs in
    lexicographic order in both parts. The default metric is `tau_x`, which reads y alike.

    The number of rankings is the ordered Bell number F(k). A pair is tied with probability F(k−1)/F(k), and two given
    pairs with probability F(k−2)/F(k). The covariance of :math:`\psi` has four eigenvalues: two on the signs, one for
    differences of a potential of the labels and one for the rest, and two on the ties, one for their number and one for
    the rest.

    Decoding is exact, by dynamic programming over subsets of the labels, as long as the groups of labels that cannot be
    separated (by preferences that form a cycle, or by scores that favour ties) have at most 16 labels. A group of m
    costs at most O(m 3^m), and far less as a rule: only labels are tied that no split of the tie serves better, and
    from 9 labels on only subsets are extended that a bound leaves a chance. Beyond that, local search finds a ranking,
    with an upper bound and a guarantee. For `Permutations` the better of a ranking and its
    reverse lies at least half-way between the worst and the best score. That does not hold here, as reversing a ranking
    keeps its ties; instead the guarantee is proven from the scores of each row.

    Constraints have the keys ``first`` and ``last``, one label each, which is then alone in its rank, and
    ``before``, a list of pairs (u, v): u stands before v and is not tied with it.

    References
    ----------
    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 4.3.1, carried over to ties.

    Gross, O. A. (1962). Preferential arrangements. *American Mathematical Monthly* 69.

    Examples
    --------
    >>> from combpred.structures import WeakOrders
    >>> WeakOrders(3).count()
    13
    >>> WeakOrders(3).embed([[0.5, 2.5, 0.5]])
    array([[ 1.,  0., -1.,  0.,  1.,  0.]])
    >>> WeakOrders(3).decode([1.0, 0.1, -1.0, 0.0, 0.5, 0.0])
    array([1, 2, 1], dtype=int32)
    """

    name = "weakorders"
    default_metric = "tau_x"
    _natural = NaturalForm(
        "to_tiers", lists=lambda rows, argument: [list(chain(*groups)) for groups in _tiers(rows, argument)]
    )

    @converter
    @documented
    def from_tiers(tiers: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return ranks, the format of y, for lists of labels and groups of tied labels, the best first.

        Parameters
        ----------
        tiers : sequence of n lists
            Each lists groups: a label, by name or number, or a list, tuple or set of labels that are tied. Labels that
            it leaves out are unknown.
        %(labels_listed)s

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32
            Dense ranks, 1 for the labels of the first group, −1 where unknown.

        Raises
        ------
        ValueError
            When a row names a label twice, or one that is unknown; names the row.

        See Also
        --------
        to_tiers : The inverse.
        from_top_k : Where labels that are left out come behind those that are listed.

        Examples
        --------
        >>> WeakOrders.from_tiers([[("tea", "milk"), "juice"], ["juice", "tea"]], labels=["juice", "milk", "tea"])
        array([[ 2,  1,  1],
               [ 1, -1,  2]], dtype=int32)
        """
        return WeakOrders(labels=labels)._read_natural(rows_in(tiers, "tiers"), "tiers")

    @converter
    @documented
    def to_tiers(ranks: Any, labels: Sequence[Any] | None = None) -> list[list[list[Any]]]:
        """Return lists of groups of tied labels, the best group first, the inverse of `from_tiers`.

        Parameters
        ----------
        ranks : array-like of shape (n, k)
            Rankings with ties, as in y; labels with −1 or NaN are left out.
        %(labels_shown)s

        Returns
        -------
        tiers : list of n lists
            Of the groups, each a list of labels.

        Raises
        ------
        ValueError
            When a row is no ranking; names the row.

        Examples
        --------
        >>> WeakOrders.to_tiers([[2, 1, 1]], labels=["juice", "milk", "tea"])
        [[['milk', 'tea'], ['juice']]]
        """
        parts, called = table_in_parts(WeakOrders, ranks, labels, "ranks", partly_known=True)
        return [[called[row == rank].tolist() for rank in range(1, row.max() + 1)] for row in parts]

    @converter
    def from_top_k(tops: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return ranks, the format of y, for lists of the first labels, best first: the others are tied behind them.

        Parameters
        ----------
        tops, labels
            As for :meth:`Permutations.from_top_k`.

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32

        Raises
        ------
        ValueError
            When a list names a label twice, or one that is unknown; names the row.

        Examples
        --------
        >>> WeakOrders.from_top_k([["tea"], ["juice", "tea"]], labels=["tea", "milk", "juice"])
        array([[1, 2, 2],
               [2, 3, 1]], dtype=int32)
        """
        return top_k(tops, labels, empty=1)

    @converter
    @documented
    def from_ratings(ratings: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return ranks, the format of y, for ratings of the labels: the higher, the earlier, equal ones tied.

        Parameters
        ----------
        ratings : array-like of shape (n, k)
            Numbers; NaN where a label has no rating: its rank is unknown, as in `from_tiers`.
        %(labels_shown)s

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32

        Raises
        ------
        ValueError
            When a rating is infinite; names the row.

        Examples
        --------
        >>> WeakOrders.from_ratings([[3, 5, 5], [2, float("nan"), 1]])
        array([[ 2,  1,  1],
               [ 1, -1,  2]], dtype=int32)
        """
        return ranks_of(ratings, labels)[0]

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int32]:
        tiers = _tiers(rows, argument)
        found = read_entries([list(chain(*groups)) for groups in tiers], known_items(self), argument, "labels")
        ranks = [rank for groups in tiers for rank, group in enumerate(groups, 1) for _ in group]
        return found.matrix(ranks, -1, np.int32)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        values = super()._numbers(y, argument)
        if values.dtype.kind in "iu" and values.max() > 2**53:  # beyond what floats tell apart
            ranks = np.unique(values, return_inverse=True)[1].reshape(values.shape)
            return np.where(values < 0, values, ranks)
        return values

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
        difference, tied = np.split(marginals, 2, axis=-1)
        before, after = (1 - tied + difference) / 2, (1 - tied - difference) / 2
        return np.clip(before, 0.0, 1.0), np.clip(after, 0.0, 1.0)


def _tiers(rows: list[Any], argument: str) -> list[list[list[Any]]]:
    """Return the groups of tied labels in each row."""
    tiers = []
    for i, row in enumerate(rows):
        if not isinstance(row, (list, tuple, np.ndarray)):
            raise TargetError(i, f"found {row!r:.60}; give a list of labels and groups of them", argument)
        groups = [entries_of(group if isinstance(group, LISTED) else [group], i, argument) for group in row]
        tiers.append([group for group in groups if group])  # rows of tables end in empty ones
    return tiers
