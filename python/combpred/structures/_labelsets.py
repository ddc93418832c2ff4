"""Sets of labels: multi-label classification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.checks import whole_number
from .._data.converters import rows_in
from .._data.glossary import documented
from .._data.inputs import columns_in_order
from .._data.targets import check_width, not_empty, target_matrix, whole_numbers
from .._lib.errors import renumbered
from .._lib.structure import Description
from ._base import NaturalForm, Sized, Structure, copy_with, entries_in, known_items, width_of
from ._converter import converter, table_in_parts

_MOST_NONZERO = 0.1  # above this fraction of nonzero entries, products are faster with dense rows
_REMEDY = "label sets are 0/1 matrices, 1 where the label belongs to the row"


def _width(structure: Any, y: Any, argument: str) -> int:
    return int(y.shape[1]) if sparse.issparse(y) else width_of(structure, y, argument)


@documented
@dataclass(eq=False, repr=False)
class LabelSets(Structure):
    r"""Subsets of d labels: all, those of one size, or those that occur.

    :math:`\psi(y)` is the indicator vector of the subset.

    Parameters
    ----------
    n_labels : int, default=None
        Number of labels d. None: the number of columns of y when an estimator is fitted.
    size : int, default=None
        Number of labels in every set, 0 ≤ size ≤ n_labels. None: sets of every size, the empty one included.
    observed : bool, array of shape (k, n_labels) or None, default=None
        The sets that there are, 0/1 or booleans, each once. True: those of y when an estimator is fitted, of the first
        mini-batch where they come in several; of all rows, those of weight 0 too, as classes are. Only these are
        predicted and have a probability, which makes labels dependent on each other. Sets with unknown labels are no
        observed ones, and must agree with one. Columns of a data frame are
        matched with `labels`. False: all sets. None: all sets, but :class:`StructuredRidgeCV` and
        :class:`StructuredVoting` choose between False and True where their `scoring` is given.
    %(labels)s

    Notes
    -----
    y has shape ``(n, d)`` and holds 0/1 or booleans, as an array, a DataFrame or a sparse matrix; or its
    rows are sets or lists of names of labels. `from_sets` and `to_sets` convert one into the other. Predictions are
    int64, in CSR format if the estimator was fitted to sparse y. The default metric is `hamming_score`, the fraction of
    entries that are right.

    Labels of which nobody knows whether they are in a set are −1, NaN or None. :class:`ProbabilisticStructured` trains
    by the likelihood of those that are known, and ridge regression by the mean of ψ over the sets that agree, which is
    ½ for an unknown label of sets of any size. `hamming_score` compares known labels.

    There are :math:`2^d` sets, or :math:`\binom{d}{size}` of a fixed size. Decoding takes the labels of positive score,
    in O(d), or, if the size is fixed, the labels of the largest scores, in O(d log d). Of k observed sets everything is
    computed by sums over them, in O(k d); `log_proba` of a set that is none of them is an error, which names the row.

    Constraints have the keys ``required`` and ``forbidden``, lists of labels, and ``size``, the number of labels, or
    the least and the largest number as a pair.

    Examples
    --------
    >>> from combpred.structures import LabelSets
    >>> LabelSets(4).count(), LabelSets(4, size=2).count()
    (16, 6)
    >>> LabelSets(4, size=2).decode([0.1, 3.0, -1.0, 0.2])
    array([0, 1, 0, 1])
    >>> LabelSets(4).decode([0.1, 3.0, -1.0, 0.2], constraints={"required": [2], "size": 2})
    array([0, 1, 1, 0])
    >>> LabelSets(4).decode([0.1, 3.0, -1.0, 0.2], constraints={"size": (1, 2)})
    array([0, 1, 0, 1])
    >>> LabelSets(3, observed=[[0, 0, 0], [1, 1, 0], [0, 1, 1]]).decode([0.5, -0.2, 0.1])
    array([1, 1, 0])
    """

    name = "labelsets"
    default_metric = "hamming_score"
    target_type = "multilabel-indicator"
    _dtype = np.int64  # the type of scikit-learn's indicator matrices, which its checks require
    _sized = Sized("n_labels", "label", names="labels", shown=_width)
    _natural = NaturalForm("to_sets", ordered=False)
    _columns = "items"

    n_labels: int | None = None
    _: KW_ONLY
    size: int | None = None
    observed: Any = None
    labels: Sequence[Any] | None = None

    @converter
    @documented
    def from_sets(sets: Any, labels: Sequence[Any] | None = None) -> NDArray[np.int64]:
        """Return indicators, the format of y, for sets of labels.

        Parameters
        ----------
        sets : sequence of n lists or sets, or array or data frame of shape (n, width)
            The labels of each row, by name or number.
        %(labels_listed)s

        Returns
        -------
        indicators : ndarray of shape (n, k), dtype=int64
            1 where the label belongs to the row.

        Raises
        ------
        ValueError
            When a row is no set of labels, names one twice, or one that is unknown; names the row.

        See Also
        --------
        to_sets : The inverse.
        sklearn.preprocessing.MultiLabelBinarizer : Makes sparse matrices, too, for many labels.

        Examples
        --------
        >>> LabelSets.from_sets([["tea", "milk"], []], labels=["milk", "juice", "tea"])
        array([[1, 0, 1],
               [0, 0, 0]])
        """
        return LabelSets(labels=labels)._read_natural(rows_in(sets, "sets"), "sets")

    @converter
    @documented
    def to_sets(indicators: Any, labels: Sequence[Any] | None = None) -> list[list[Any]]:
        """Return the labels of each row, the inverse of `from_sets`.

        Parameters
        ----------
        indicators : array-like or sparse matrix of shape (n, k)
            0/1 or booleans, as in y.
        %(labels_shown)s

        Returns
        -------
        sets : list of n lists
            Labels in the order of the columns.

        Raises
        ------
        ValueError
            When a row holds anything else than 0 and 1; names the row.

        Examples
        --------
        >>> LabelSets.to_sets([[1, 0, 1], [0, 0, 0]], labels=["milk", "juice", "tea"])
        [['milk', 'tea'], []]
        """
        parts, called = table_in_parts(LabelSets, indicators, labels, "indicators")
        return [called[row != 0].tolist() for row in parts]

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int64]:
        return entries_in(self, rows, known_items(self), argument).matrix(1, 0, np.int64)

    def probabilities(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each label, given the marginals of distributions.

        Parameters
        ----------
        marginals : ndarray of shape (n, d)
            As `marginals` returns them.

        Returns
        -------
        probabilities : ndarray of shape (n, d)
            That the label is in the set.

        Examples
        --------
        >>> from combpred.structures import LabelSets
        >>> space = LabelSets(4, size=1)
        >>> space.probabilities(space.marginals([[0.0, 0.0, 0.0, 0.0]]))
        array([[0.25, 0.25, 0.25, 0.25]])
        """
        return marginals

    def _describe(self) -> Description:
        scalars = {"n": self._n()}
        if self.size is not None:
            scalars["size"] = whole_number(self.size, "LabelSets: size", 0, scalars["n"])
        if self.observed is None or isinstance(self.observed, (bool, np.bool_)):
            if self.observed:
                raise ValueError("LabelSets: observed=True takes the sets of y: fit an estimator, or list the sets")
            return Description(self.name, scalars)
        what = "observed"
        sets = target_matrix(
            columns_in_order(self.observed, self._names, what, "the labels"), what, scalars["n"], "label"
        )
        return Description(self.name, scalars, whole_numbers(sets, what, 0, 1, _REMEDY).ravel())

    def _resolve(self, y: Any) -> LabelSets:
        compressed = sparse.csr_matrix if isinstance(y, sparse.spmatrix) else sparse.csr_array
        resolved = copy_with(super()._resolve(y), _sparse_format=compressed if sparse.issparse(y) else None)
        if self.observed is not True:
            return resolved
        sets = copy_with(resolved, observed=False).encode(y, partial=True)
        whole = sets[sets.min(axis=1) >= 0]
        if not len(whole):
            raise ValueError("LabelSets: observed=True takes the sets of y, and every row has unknown labels")
        return copy_with(resolved, observed=np.unique(whole, axis=0))

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        if not sparse.issparse(y):
            return super()._numbers(y, argument)
        check_width(y.shape[1], argument, self._n(), "label")
        return not_empty(sparse.csr_array(y), argument)

    def embed_sparse(self, y: Any) -> sparse.csr_array | None:
        if not sparse.issparse(y) or not (self.observed is None or self.observed is False):
            return None
        rows = sparse.csr_array(self._numbers(y, "y"), dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        sizes = np.diff(rows.indptr)
        bad = sizes != (sizes if self.size is None else self.size)
        bad[np.repeat(np.arange(len(sizes)), sizes)[rows.data != 1]] = True
        for row in np.flatnonzero(bad)[:1]:
            with renumbered(slice(row, None)):
                self.encode(rows[[row]])  # which the library refuses
        return rows if rows.nnz <= _MOST_NONZERO * rows.shape[0] * rows.shape[1] else None
