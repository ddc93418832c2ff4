"""Rankings with ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.glossary import documented
from ._base import Sized, Structure


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
    y has shape ``(n, k)`` and holds any finite numbers: smaller ones come first and equal ones are tied. Predictions
    are dense ranks, such as 1, 1, 2, of type int32. The embedding has d = k(k−1) entries, pairs in lexicographic order
    in both parts. The default metric is `tau_x`.

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
    _entries = "signs and ties"
    _costs = ("kendall", "hamming")
    _sized = Sized("n_labels", "label", names="labels")
    _columns = "items"
    _called = "labels?|column"

    def __init__(self, n_labels: int | None = None, *, labels: Sequence[Any] | None = None) -> None:
        self.n_labels = n_labels
        self.labels = labels

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        values = self._matrix(y, argument)
        if values.dtype.kind in "iu" and values.max() > 2**53:  # beyond what floats tell apart
            return np.unique(values, return_inverse=True)[1].reshape(values.shape)
        return values

    _metric_arguments = Structure._encoded

    def _indicators(self, psi: NDArray[np.float64]) -> NDArray[np.float64]:
        tied = np.split(psi, 2, axis=1)[1]
        return np.concatenate([self.pair_probabilities(psi)[0], tied], axis=1)

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
