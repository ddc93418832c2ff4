"""Sets of labels: multi-label classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.checks import require_integers
from .._data.converters import as_objects, read_entries, rows_in
from .._data.forms import columns_in_order
from .._data.glossary import documented
from .._data.targets import TargetError, check_width
from .._lib.arrays import refuse_masked, require_memory
from .._lib.structure import Description
from ._base import Sized, Structure
from ._converter import converter

_MOST_NONZERO = 0.1  # above this fraction of nonzero entries, products are faster with dense rows
_REMEDY = "label sets are 0/1 matrices, 1 where the label belongs to the row"


@documented
class LabelSets(Structure):
    r"""Subsets of d labels: all, those of one size, or those that occur.

    :math:`\psi(y)` is the indicator vector of the subset.

    Parameters
    ----------
    n_labels : int, default=None
        Number of labels d. None: the number of columns of y when an estimator is fitted.
    size : int, default=None
        Number of labels in every set, 0 ≤ size ≤ n_labels. None: sets of every size, the empty one included.
    observed : bool or array of shape (k, n_labels), default=False
        The sets that there are, 0/1 or booleans, each once. True: those of y when an estimator is fitted, of the first
        mini-batch where they come in several; of all rows, those of weight 0 too, as classes are. Only these are
        predicted and have a probability, which makes labels dependent on each other. Columns of a data frame are
        matched with `labels`. False: all sets.
    %(labels)s

    Notes
    -----
    y has shape ``(n, d)`` and holds 0/1 or booleans, as an array, a DataFrame or a sparse matrix; or its
    rows are sets or lists of names of labels. `from_sets` and `to_sets` convert one into the other. Predictions are
    int64, in CSR format if the estimator was fitted to sparse y. The default metric is `hamming_score`, the fraction of
    entries that are right.

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
    _sized = Sized("n_labels", "label", names="labels")
    _reads = {"ordered": False}
    _columns = "items"

    def __init__(
        self,
        n_labels: int | None = None,
        *,
        size: int | None = None,
        observed: Any = False,
        labels: Sequence[Any] | None = None,
    ) -> None:
        self.n_labels = n_labels
        self.labels = labels
        self.size = size
        self.observed = observed

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
        return read_entries(rows_in(sets, "sets"), labels, "sets", "labels", ordered=False).matrix(1, 0, np.int64)

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
        parts, called = LabelSets._named_parts(indicators, labels, "indicators")
        return [called[row != 0].tolist() for row in parts]

    def _read_natural(self, rows: list[Any], argument: str) -> NDArray[np.int64]:
        return self._entries(rows, self._known(), argument).matrix(1, 0, np.int64)

    def _in_names(self, y: Any) -> Any:
        return as_objects(LabelSets.to_sets(y, self._names))

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
            require_integers(**{"LabelSets: size": self.size})
            if self.size < 0:  # which the library takes for any size
                raise ValueError(f"LabelSets: size must be at least 0, got {self.size}")
            scalars["size"] = int(self.size)
        return Description(self.name, scalars, self._listed(scalars["n"]))

    def _listed(self, n: int) -> NDArray[np.int32] | None:
        """Return the observed sets; None for all."""
        if isinstance(self.observed, (bool, np.bool_)):
            if self.observed:
                raise ValueError("LabelSets: observed=True takes the sets of y: fit an estimator, or list the sets")
            return None
        refuse_masked(self.observed, "LabelSets: observed")
        sets = np.asarray(columns_in_order(self.observed, self._names, "observed", "the labels"))
        if sets.ndim != 2 or sets.shape[1] != n or len(sets) == 0 or not np.isin(sets, (0, 1)).all():
            raise ValueError(
                f"LabelSets: observed must be a bool, or a 0/1 array of shape (k, {n}) with a row for each set; got "
                f"{self.observed!r:.80}"
            )
        return np.ascontiguousarray(sets, dtype=np.int32).ravel()

    def _resolve(self, y: Any) -> LabelSets:
        compressed = sparse.csr_matrix if isinstance(y, sparse.spmatrix) else sparse.csr_array
        resolved = super()._resolve(y)._with(_sparse_format=compressed if sparse.issparse(y) else None)
        if self.observed is not True:
            return resolved
        return resolved._with(observed=np.unique(resolved._with(observed=False).encode(y), axis=0))

    def _shown(self, y: Any, argument: str = "y") -> int:
        return int(y.shape[1]) if sparse.issparse(y) else super()._shown(y, argument)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        if not sparse.issparse(y):
            return super()._numbers(y, argument)
        rows = self._checked_rows(y, argument)
        n, width = rows.shape
        require_memory(5 * n * width, f"y, {n} × {width} labels as int32,", "use fewer rows or labels")
        dense: NDArray[np.int8] = np.zeros((n, width), dtype=np.int8)
        dense[np.repeat(np.arange(n), np.diff(rows.indptr)), rows.indices] = rows.data
        return dense

    def _checked_rows(self, y: Any, argument: str) -> sparse.csr_array:
        """Return sparse y as CSR of int32 without repeated entries, after checking that all entries are 0 or 1."""
        n, width = y.shape
        labels = self._n()
        check_width(width, argument, labels, f"label (n_labels={labels})")
        if n == 0:
            raise ValueError(f"{argument} has 0 rows; at least 1 is needed")
        rows = sparse.csr_array(y, copy=True)
        rows.sum_duplicates()
        rows.data = _stored_bits(rows)
        return rows

    def embed_sparse(self, y: Any) -> sparse.csr_array | None:
        if not sparse.issparse(y) or self.observed is not False:
            return None
        rows = self._checked_rows(y, "y")
        rows.eliminate_zeros()
        if self.size is not None and (bad := np.flatnonzero(np.diff(rows.indptr) != self.size)).size:
            row = int(bad[0])
            size = rows.indptr[row + 1] - rows.indptr[row]
            found = f"the set has {size} labels, size={self.size} asks for {self.size}"
            raise TargetError(row, f"{found}; size=None takes sets of all sizes")
        return rows.astype(np.float64) if rows.nnz <= _MOST_NONZERO * rows.shape[0] * rows.shape[1] else None


def _stored_bits(rows: Any) -> NDArray[np.int32]:
    """Return the stored entries of a CSR matrix as int32; TargetError for the first that is neither 0 nor 1."""
    data = rows.data
    if data.dtype.kind not in "biuf":
        raise ValueError(f"LabelSets: y has dtype {data.dtype}; {_REMEDY}")
    bad = ~((data == 0) | (data == 1))
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        raise TargetError(row, f"found {data[at].item()!r} in column {rows.indices[at]}; {_REMEDY}")
    values: NDArray[np.int32] = data.astype(np.int32)
    return values
