"""Elements of a partially ordered set: classes that generalise one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data.checks import allowed_mask
from .._data.glossary import documented
from .._data.inputs import column_names, columns_in_order
from .._data.names import Names, checked_names
from .._data.targets import check_present, check_width, codes_of, target_matrix, target_vector, whole_numbers
from .._lib.structure import Description
from ._base import Structure


@documented
class PosetElements(Structure):
    r"""One element of a partially ordered set of k elements.

    :math:`\psi_i(y)` is 1 where :math:`y \succeq i`, else 0, for i = 0..k−1.

    Parameters
    ----------
    relation : array-like of shape (k, k), bool or 0/1
        ``relation[a, b]`` says that a ⪰ b. It must be reflexive, transitive and antisymmetric. Rows and columns of a
        data frame are matched by name.
    allowed : None, bool array of shape (k,) or sequence of elements, default=None
        The elements that may be outputs. None: all of them. Otherwise those where the mask is True, or those in the
        list.
    elements : sequence of str or of int, default=None
        Names of the elements; None: those of the columns of a data frame, otherwise the numbers 0..k−1.

    Notes
    -----
    y has shape ``(n,)`` and holds names of elements, or indices 0..k−1 if they have none; predictions do, too. ψ has an
    entry for each element, allowed or not. The default metric is `accuracy`.

    Decoding compares the scores of all allowed elements, with one addition for each related pair, O(k²) at most.

    The embedding is that of Vembu (2010), section 4.3.1, with the reflexive order. Under the strict order, ψ of every
    minimal element would be 0, and no score could tell them apart.

    Examples
    --------
    Element 2 lies above both others, which are not comparable:

    >>> from combpred.structures import PosetElements
    >>> PosetElements([[1, 0, 0], [0, 1, 0], [1, 1, 1]]).embed([0, 2])
    array([[1., 0., 0.],
           [1., 1., 1.]])
    >>> PosetElements([[1, 0, 0], [0, 1, 0], [1, 1, 1]], allowed=[0, 1]).count()
    2
    """

    name = "posetelements"
    default_metric = "accuracy"
    _is_single = True

    def __init__(
        self, relation: ArrayLike, *, allowed: ArrayLike | None = None, elements: Sequence[Any] | None = None
    ) -> None:
        self.relation = relation
        self.allowed = allowed
        self.elements = elements

    def probabilities(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each allowed element, given the marginals of distributions.

        Parameters
        ----------
        marginals : ndarray of shape (n, d)
            As `marginals` returns them.

        Returns
        -------
        probabilities : ndarray of shape (n, n_allowed)
            Of the allowed elements in the order of their indices; rows sum to 1.

        Notes
        -----
        Each marginal is a sum of probabilities of elements; this linear system is solved, whose inverse is Möbius's
        function (Rota, 1964). Cost: O(k³ + n k²).

        Examples
        --------
        >>> from combpred.structures import PosetElements
        >>> chain = PosetElements([[1, 1, 1], [0, 1, 1], [0, 0, 1]])
        >>> chain.probabilities(chain.marginals([[0.0, 0.0, 0.0]])).round(3)
        array([[0.333, 0.333, 0.333]])
        """
        psi = np.concatenate([self.space.embed(parts) for parts in self.space.listed()])
        found: NDArray[np.float64] = np.linalg.lstsq(psi.T, marginals.T, rcond=None)[0].T
        return np.clip(found, 0.0, 1.0)

    def _in_order(self) -> Any:
        """Return the relation, rows and columns of a data frame in the order of the elements."""
        table, names, of = self.relation, self._names, "the elements"
        if names is None or not hasattr(table, "columns"):
            return table
        table = columns_in_order(table, names, "relation", of)
        return columns_in_order(table.T, names, "relation", of, "rows").T if hasattr(table, "index") else table

    def _describe(self) -> Description:
        what = "relation"
        if hasattr(self.relation, "is_directed"):
            matrix = "networkx.to_numpy_array(networkx.transitive_closure(graph, reflexive=True))"
            raise TypeError(f"{what} is a graph; pass {matrix}, if its edges lead to what is below")
        values = target_matrix(self._in_order(), what, None, "element")
        k = len(values)
        check_width(values.shape[1], what, k, "element")
        relation = whole_numbers(values, what, 0, 1, "relations hold 1 where a ⪰ b, else 0")
        mask = allowed_mask(self.allowed, k, "PosetElements", "element", lambda y: self._codes(y, "allowed", k))
        return Description(self.name, {"n": k}, np.concatenate([relation.ravel(), mask.astype(np.int32)]))

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        return self._codes(y, argument, self.space.description.scalars["n"])[:, np.newaxis]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        check_present(target_vector(y_true, "y_true", warn=False), "y_true")
        return y_true, y_pred

    def _codes(self, y: Any, argument: str, k: int) -> NDArray[np.int32]:
        """Return elements, by their names or out of 0..k−1, as indices."""
        names = self._names
        if names is not None:
            return codes_of(y, names, argument, "elements")
        return whole_numbers(target_vector(y, argument), argument, 0, k - 1, f"elements are whole numbers 0..{k - 1}")

    @property
    def _names(self) -> Names | None:
        if self.elements is None:
            names = column_names(self.relation, "relation") if hasattr(self.relation, "columns") else None
            return None if names is None else tuple(names)
        return checked_names(self.elements, "PosetElements: elements")
