"""Rankings without ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.glossary import documented
from .._data.targets import TargetError, target_matrix, whole_numbers
from ._base import Sized, Structure
from ._search.constraints import Restriction


@documented
class Permutations(Structure):
    r"""Rankings of k labels without ties: :math:`\psi_{uv}(y)`, u < v, is +1 if u stands before v, else −1.

    Parameters
    ----------
    %(n_labels)s
    %(labels)s

    Notes
    -----
    y has shape ``(n, k)``: ``y[i, u]`` is the position of label u, 1 for the first. `from_orders` makes such rows from
    lists of labels; `to_orders` is its inverse. In training data a position may be unknown, −1 (or NaN, which
    scikit-learn's cross-validation refuses). Then only the order of the known labels counts: :math:`\psi` is the mean
    over all rankings with that order, and the row keeps weight 1. The last position may be shared, by the labels that a
    list of the first ones leaves out: they come behind all others, in an order that is not known. The embedding has d = k(k−1)/2 entries, pairs in
    lexicographic order. The default metric is `kendall_tau`.

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
    _entries = "signs"
    _costs = ("kendall", "hamming")
    _sized = Sized("n_labels", "label", names="labels")
    _columns = "items"
    _called = "labels?|column"
    _partial = True

    def __init__(self, n_labels: int | None = None, *, labels: Sequence[Any] | None = None) -> None:
        self.n_labels = n_labels
        self.labels = labels

    @staticmethod
    def from_orders(orders: ArrayLike) -> NDArray[np.int32]:
        """Return positions, the format of y, for lists of labels from best to worst.

        Parameters
        ----------
        orders : array-like of shape (n, k)
            Each row lists the label indices 0..k−1 from best to worst.

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32
            ``positions[i, u]`` in 1..k is the position of label u.

        Raises
        ------
        ValueError
            When a row is not a permutation of 0..k−1; names the row.

        Examples
        --------
        >>> Permutations.from_orders([[2, 0, 1]])
        array([[2, 3, 1]], dtype=int32)
        """
        values = target_matrix(orders, "orders", None, "place")
        k = values.shape[1]
        listed = whole_numbers(values, "orders", 0, k, f"labels are whole numbers 0..{k - 1}")
        bad = (np.sort(listed, axis=1) != np.arange(k)).any(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            shifted = (np.sort(listed[row]) == np.arange(1, k + 1)).all()
            remedy = "labels count from 0: subtract 1" if shifted else f"list each of the labels 0..{k - 1} once"
            raise TargetError(row, f"{listed[row].tolist()} is not an order of all labels; {remedy}", "orders")
        positions = np.empty_like(listed)
        np.put_along_axis(positions, listed, np.arange(1, k + 1, dtype=np.int32)[np.newaxis, :], axis=1)
        return positions

    @staticmethod
    def to_orders(positions: ArrayLike) -> NDArray[np.int32]:
        """Return lists of labels from best to worst for positions, the inverse of `from_orders`.

        Parameters
        ----------
        positions : array-like of shape (n, k)
            Positions 1..k of the labels, as in y.

        Returns
        -------
        orders : ndarray of shape (n, k), dtype=int32
            Each row lists the label indices from best to worst.

        Raises
        ------
        ValueError
            When a row is not a ranking; names the row.

        Examples
        --------
        >>> Permutations.to_orders([[2, 3, 1]])
        array([[2, 0, 1]], dtype=int32)
        """
        values = target_matrix(positions, "positions", None, "label")
        return np.argsort(Permutations(values.shape[1]).space.encode(values, "positions"), axis=1).astype(np.int32)

    def _said(self, reason: str) -> str:
        reason = (
            super()
            ._said(reason)
            .replace("structure of rankings with ties", "structure of rankings with ties, WeakOrders")
        )
        return reason.replace("is to be inverted", "is to be converted by Permutations.from_orders")

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        known = self._resolve(y_true).space
        truth = known.read(y_true, "y_true", partial=True)
        return np.where(truth == 0, -1, truth), known.encode(y_pred, "y_pred")

    def _best_by_program(
        self, linear: NDArray[np.float64], magnitude: NDArray[np.float64], restriction: Restriction | None = None
    ) -> tuple[NDArray[np.int32], float]:
        from .._programs.orders import best_order
        from ._search.programs import order_cuts  # loads the solver

        positions, bound = best_order(self._n(), linear, order_cuts(restriction))
        return positions, bound + float(magnitude.sum())  # every |ψ| is 1

    def _indicators(self, psi: NDArray[np.float64]) -> NDArray[np.float64]:
        return (1 + psi) / 2

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
