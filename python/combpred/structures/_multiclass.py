"""One of several classes: ordinary classification."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets

from .._data.glossary import documented
from .._data.names import Names
from .._data.targets import check_present, codes_of, summary, target_vector
from ._base import Sized, Structure, copy_with

_SPARSE_CLASSES = 32  # with this many classes or more, indicators are stored in CSR format


@documented
class MultiClass(Structure):
    r"""One class out of d.

    :math:`\psi(y)` is the indicator vector of the class.

    Parameters
    ----------
    n_classes : int, default=None
        Number of classes d, at least 2. None: the number of different labels in y when an estimator is fitted.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in the order of the features. Only the structure of a fitted estimator has it; without it the labels
        are 0..n_classes−1.

    Notes
    -----
    y has shape ``(n,)`` and holds labels of one type: strings, booleans, integers, or floats with integer values;
    predictions have the same type. The default metric is `accuracy`. Decoding takes the class of largest score, in
    O(d).

    Examples
    --------
    >>> from combpred.structures import MultiClass
    >>> MultiClass(3).embed([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """

    name = "multiclass"
    default_metric = "accuracy"
    any_metric = True
    target_type = "multiclass"
    _is_single = True
    _sized = Sized("n_classes", "class", "the labels in y")

    def __init__(self, n_classes: int | None = None) -> None:
        self.n_classes = n_classes

    def probabilities(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class, given the marginals of distributions.

        Parameters
        ----------
        marginals : ndarray of shape (n, d)
            As `marginals` returns them.

        Returns
        -------
        probabilities : ndarray of shape (n, d)
            In the order of the classes; rows sum to 1.

        Examples
        --------
        >>> from combpred.structures import MultiClass
        >>> space = MultiClass(2)
        >>> space.probabilities(space.marginals([[0.0, 0.0]]))
        array([[0.5, 0.5]])
        """
        return marginals

    def _resolve(self, y: Any) -> MultiClass:
        labels = target_vector(y, "y", warn=False)
        check_present(labels, "y")
        if hasattr(self, "classes_"):
            return copy_with(self)
        try:
            found = np.unique(labels)
        except TypeError as error:
            raise ValueError(f"MultiClass: labels in y mix types ({error}); convert them to one type") from error
        with warnings.catch_warnings():
            # Of few rows, classes may be more than half, as scikit-learn expects of numbers to be regressed on.
            warnings.filterwarnings("ignore", message="The number of unique classes is greater than 50%")
            check_classification_targets(labels)
        if self.n_classes is None:
            if len(found) < 2:
                raise ValueError(f"MultiClass: y has one class only ({summary(found.tolist())}); at least 2 are needed")
            return copy_with(self, n_classes=len(found), classes_=found)
        n = self._n()
        if labels.dtype.kind in "iuf" and found[0] >= 0 and found[-1] < n:
            found = np.arange(n)
        if len(found) != n:
            remedy = f"leave n_classes out, or number the classes 0..{n - 1}"
            raise ValueError(f"MultiClass: n_classes={n}, but y has {len(found)} ({summary(found.tolist())}); {remedy}")
        return copy_with(self, classes_=found)

    def _labels(self) -> NDArray[Any]:
        """Return the labels in the order of the features."""
        n = self._n()
        return getattr(self, "classes_", np.arange(n))

    def _numbers(self, y: Any, argument: str) -> NDArray[np.int32]:
        return codes_of(y, self._labels().tolist(), argument, "classes")[:, np.newaxis]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        check_present(target_vector(y_true, "y_true", warn=False), "y_true")  # those that training lacked are legal
        return y_true, y_pred

    def embed_sparse(self, y: Any) -> sparse.csr_array | None:
        if self.n_features < _SPARSE_CLASSES:
            return None
        codes = self.encode(y)[:, 0]
        ends = np.arange(len(codes) + 1)
        return sparse.csr_array((np.ones(len(codes)), codes, ends), shape=(len(codes), self.n_features))

    @property
    def _names(self) -> Names | None:
        return tuple(self.classes_.tolist()) if hasattr(self, "classes_") else None
