"""Sets of labels: multi-label classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._data.checks import require_integers
from .._data.forms import columns_in_order
from .._data.glossary import documented
from .._data.listings import as_table, by_name, names_of, read_lists
from .._data.names import joined
from .._data.targets import TargetError, check_width, target_matrix
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
    y has shape ``(n, d)`` and holds 0/1 or booleans, as an array, a DataFrame or a sparse matrix; `from_sets` makes it
    of lists of labels, and `to_sets` is its inverse. Predictions are
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
    _converter = "LabelSets.from_sets makes y of sets, lists or strings of labels"
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
    def from_sets(
        sets: Any, labels: Any = None, *, sep: str | None = None, as_frame: bool = False, sparse_output: bool = False
    ) -> Any:
        """Return indicators, the format of y, for sets of labels.

        Parameters
        ----------
        sets : sequence of n lists or sets, or of n strings
            The labels of each row, by name or number.
        %(labels_listed)s
        sep : str, default=None
            What divides labels where sets are strings, such as "|".
        %(as_frame_names)s
        sparse_output : bool, default=False
            Whether to return a CSR array (or a data frame of sparse columns), for many labels.

        Returns
        -------
        indicators : ndarray or CSR of shape (n, k), dtype=int64, or DataFrame
            1 where the label belongs to the row.

        Raises
        ------
        ValueError
            When a row is no set of labels, names one twice, or one that there is not; names the row.

        See Also
        --------
        sklearn.preprocessing.MultiLabelBinarizer : Has ``fit``, and drops labels that it has not seen.

        Examples
        --------
        >>> LabelSets.from_sets([["tea", "milk"], []], labels=["milk", "juice", "tea"])
        array([[1, 0, 1],
               [0, 0, 0]])
        >>> LabelSets.from_sets(["tea|milk", "juice"], sep="|", as_frame=True)
           juice  milk  tea
        0      0     1    1
        1      1     0    0
        """
        listed = read_lists(sets, "sets", labels, "labels", sep=sep, ordered=False)
        if not sparse_output:
            return as_table(listed.matrix(1, 0, np.int64), listed.names, as_frame, sets)
        shape = listed.n_rows, listed.n_items
        found = sparse.csr_array((np.ones(len(listed.item), dtype=np.int64), (listed.row, listed.item)), shape=shape)
        return as_table(found, listed.names, as_frame, sets)

    @converter
    @documented
    def to_sets(indicators: Any, labels: Any = None, *, sep: str | None = None) -> list[Any]:
        """Return the labels of each row, the inverse of `from_sets`.

        Parameters
        ----------
        indicators : array-like or sparse matrix of shape (n, k)
            0/1 or booleans, as in y.
        %(labels_shown)s
        %(sep_shown)s

        Returns
        -------
        sets : list of n lists or strings
            Labels in the order of the columns.

        Raises
        ------
        ValueError
            When a row holds anything else than 0 and 1; names the row.

        Examples
        --------
        >>> LabelSets.to_sets([[1, 0, 1], [0, 0, 0]], labels=["milk", "juice", "tea"])
        [['milk', 'tea'], []]
        >>> LabelSets.to_sets([[1, 0, 1], [0, 0, 0]], labels=["milk", "juice", "tea"], sep="|")
        ['milk|tea', '']
        """
        indicators = by_name(indicators, labels, "indicators", "labels")
        values = indicators if sparse.issparse(indicators) else target_matrix(indicators, "indicators", None, "label")
        k = values.shape[1]
        called = names_of(indicators, labels, "labels", k)
        parts = LabelSets(k).encode(values, "indicators")
        return [joined(called[row != 0].tolist(), sep) for row in parts]

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

    def _shown(self, y: Any) -> int:
        return int(y.shape[1]) if sparse.issparse(y) else super()._shown(y)

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
        check_width(width, argument, self._n(), "label", "n_labels")
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
