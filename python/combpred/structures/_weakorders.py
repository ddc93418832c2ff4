"""Rankings with ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.entries import divided, is_missing, table_rows
from .._data.glossary import documented
from .._data.listings import as_table, by_name, names_of, read_lists
from .._data.names import checked_names, joined
from .._data.targets import TargetError, target_matrix
from ._base import Sized, Structure
from ._converter import converter
from ._permutations import TIES_AND_GAPS, ranked_lists, ranks_of


@documented
class WeakOrders(Structure):
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
    y has shape ``(n, k)`` and holds finite numbers from 0 on: smaller ones come first and equal ones are tied.
    `from_ratings` makes y of ratings and scores, where larger ones come first. Predictions are dense ranks, such as
    1, 1, 2, of type int32. The embedding has d = k(k−1) entries, pairs in lexicographic order in both parts. The
    default metric is `tau_x`, which reads y alike.

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
    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 5, carried over to ties.

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
    _sized = Sized("n_labels", "label", names="labels")
    _converter = "WeakOrders.from_tiers makes y of lists of groups of tied labels, from_top_k of the first ones"
    _columns = "items"

    def __init__(self, n_labels: int | None = None, *, labels: Sequence[Any] | None = None) -> None:
        self.n_labels = n_labels
        self.labels = labels

    @converter
    @documented
    def from_tiers(
        tiers: Any,
        labels: Any = None,
        *,
        sep: str | None = None,
        tie_sep: str | None = None,
        as_frame: bool = False,
    ) -> Any:
        """Return ranks, the format of y, for lists of groups of tied labels, the best group first.

        Parameters
        ----------
        tiers : sequence of n lists
            Each lists groups: a label, by name or number, or a list of labels that are tied. Every label is in one.
            Rows of a table may end in None or NaN.
        %(labels_listed)s
        sep : str, default=None
            What divides groups where rows are strings, such as ">".
        tie_sep : str, default=None
            What divides labels where groups are strings, such as "=". None: each string is one label.
        %(as_frame_names)s

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32, or DataFrame
            Dense ranks, 1 for the labels of the first group.

        Raises
        ------
        ValueError
            When a row names a label twice, not at all, or one that there is not; names the row.

        Examples
        --------
        >>> WeakOrders.from_tiers([[["tea", "milk"], "juice"], ["juice", "tea", "milk"]], as_frame=True)
           juice  milk  tea
        0      2     1    1
        1      1     3    2
        >>> WeakOrders.from_tiers(["tea=milk>juice"], labels=["tea", "milk", "juice"], sep=">", tie_sep="=")
        array([[1, 1, 2]], dtype=int32)
        """
        flat, ranks = [], []
        names = frozenset(() if labels is None else checked_names(labels, "labels"))
        for i, row in enumerate(table_rows(tiers, "tiers", sep)):
            divider = tie_sep
            if sep and isinstance(row, str):
                row, divider = row.split(sep), tie_sep or sep
            if not isinstance(row, (list, tuple, np.ndarray)):
                how = ", or say by sep= and tie_sep= what divides them" if isinstance(row, str) else ""
                raise TargetError(i, f"found {row!r:.60}; give a list of groups, the best one first{how}", "tiers")
            groups = [_group(group, divider, names) for group in _known_groups(row)]
            flat.append([label for group in groups for label in group])
            if any((is_missing(label) or label == -1) and label not in names for label in flat[-1]):
                raise TargetError(i, f"{row!r:.60} has an empty name; leave it out", "tiers")
            ranks += [rank for rank, group in enumerate(groups, 1) for _ in group]
        listed = read_lists(flat, "tiers", labels, "labels", sep=sep)
        table = listed.matrix(np.array(ranks, dtype=np.int32), 0, np.int32)
        if (table == 0).any():
            row, label = (int(at) for at in np.argwhere(table == 0)[0])
            shown = label if listed.names is None else listed.names[label]
            raise TargetError(
                row,
                f"label {shown!r} is in no group; add it, or take WeakOrders.from_top_k, which puts what is not listed "
                "behind the others",
                "tiers",
            )
        return as_table(table, listed.names, as_frame, tiers)

    @converter
    @documented
    def to_tiers(ranks: Any, labels: Any = None, *, sep: str | None = None, tie_sep: str | None = None) -> list[Any]:
        """Return lists of groups of tied labels, the best group first, the inverse of `from_tiers`.

        Parameters
        ----------
        ranks : array-like of shape (n, k)
            Rankings with ties, as in y.
        %(labels_shown)s
        sep : str, default=None
            What divides groups where rows shall be strings, such as ">"; None: rows are lists.
        tie_sep : str, default=None
            What divides labels where groups shall be strings, such as "="; None: groups are lists.

        Returns
        -------
        tiers : list of n lists or strings
            Of the groups, each a list of labels or a string.

        Raises
        ------
        ValueError
            When a row is no ranking, or has ties where `sep` is given but not `tie_sep`; names the row.

        Examples
        --------
        >>> WeakOrders.to_tiers([[2, 1, 1]], labels=["juice", "milk", "tea"])
        [[['milk', 'tea'], ['juice']]]
        >>> WeakOrders.to_tiers([[2, 1, 1]], labels=["juice", "milk", "tea"], sep=">", tie_sep="=")
        ['milk=tea>juice']
        """
        ranks = by_name(ranks, labels, "ranks", "labels")
        values = target_matrix(ranks, "ranks", None, "label")
        k = values.shape[1]
        called = names_of(ranks, labels, "labels", k)
        parts = WeakOrders(k).encode(values, "ranks")
        tiers = [[called[row == rank].tolist() for rank in range(1, row.max() + 1)] for row in parts]
        tied = next((i for i, row in enumerate(tiers) if len(row) < k), None) if sep and not tie_sep else None
        if tied is not None:
            raise TargetError(tied, "labels are tied: say by tie_sep= what divides them, such as '='", "ranks")
        if tie_sep:
            tiers = [[joined(group, tie_sep) for group in row] for row in tiers]
        elif sep:
            tiers = [[label for [label] in row] for row in tiers]
        return [joined(row, sep) for row in tiers]

    @converter
    def from_top_k(
        tops: Any, labels: Any = None, *, one_based: bool = False, sep: str | None = None, as_frame: bool = False
    ) -> Any:
        """Return ranks, the format of y, for lists of the first labels, best first: the others are tied behind them.

        Parameters
        ----------
        tops, labels, one_based, sep, as_frame
            As for :meth:`Permutations.from_top_k`.

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32, or DataFrame

        Raises
        ------
        ValueError
            When a list names a label twice, or one that there is not; names the row.

        Examples
        --------
        >>> WeakOrders.from_top_k([["tea"], ["juice", "tea"]], labels=["tea", "milk", "juice"])
        array([[1, 2, 2],
               [2, 3, 1]], dtype=int32)
        """
        return ranked_lists(tops, "tops", labels, one_based, sep, as_frame, empty=1)

    @converter
    @documented
    def from_ratings(ratings: Any, labels: Any = None, *, as_frame: bool = False) -> Any:
        """Return ranks, the format of y, for ratings of the labels: the higher, the earlier, equal ones tied.

        Parameters
        ----------
        ratings : array-like of shape (n, k)
            Finite numbers.
        %(labels_shown)s
        %(as_frame_labels)s

        Returns
        -------
        ranks : ndarray of shape (n, k), dtype=int32, or DataFrame

        Raises
        ------
        ValueError
            When a rating is missing or infinite; names the row.

        Examples
        --------
        >>> WeakOrders.from_ratings([[3, 5, 5]])
        array([[2, 1, 1]], dtype=int32)
        """
        ranks, names = ranks_of(ratings, labels)
        if (ranks < 0).any():
            row, label = (int(at) for at in np.argwhere(ranks < 0)[0])
            ties = any(len(set(known)) < len(known) for known in (each[each > 0].tolist() for each in ranks))
            how = TIES_AND_GAPS if ties else "take Permutations.from_ratings"
            raise TargetError(
                row,
                f"label {names[label]!r} has no rating, and rankings with ties leave nothing unknown; fill it in, or "
                f"{how}",
                "ratings",
            )
        return as_table(ranks, names, as_frame, ratings)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        values = super()._numbers(y, argument)
        if values.dtype.kind in "iu" and values.max() > 2**53:  # beyond what floats tell apart
            return np.unique(values, return_inverse=True)[1].reshape(values.shape)
        return values

    _metric_arguments = Structure._encoded

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


def _known_groups(row: Any) -> list[Any]:
    """Return the groups of a row without missing ones at its end."""
    groups = list(row)
    while groups and not isinstance(groups[-1], str) and is_missing(groups[-1]):
        groups.pop()
    return groups


def _group(group: Any, divider: str | None, names: frozenset[Any]) -> Any:
    """Return the labels of a group: those of a list, of a string that is divided, or one."""
    if isinstance(group, (list, tuple, set, frozenset)):
        return group
    return (divided(group, divider, names) or [""]) if divider and isinstance(group, str) else [group]
