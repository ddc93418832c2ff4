"""Ordered grades: ordinal regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.checks import is_number
from .._data.glossary import documented
from .._data.names import Names, checked_names
from .._data.targets import codes_of, summary, target_vector, whole_numbers
from ._base import Sized, Structure, copy_with

_LEAST = int(np.iinfo(np.int32).min)


@documented
class Ordinal(Structure):
    r"""One of d ordered grades.

    :math:`\psi_i(y)` is 1 where :math:`y \geq i`, else 0, for i = 0..d−1.

    Parameters
    ----------
    grades : int or sequence of str or of int, default=None
        Number of grades d, at least 2, which are 0..d−1; or their names from lowest to highest, all strings or all
        integers. None: when an estimator is fitted, the categories of an ordered Categorical y, or the range of the
        integers in y, such as 1..5.

    Attributes
    ----------
    categories_ : ndarray of shape (d,)
        What grades are called, from lowest to highest. Only the structure of an estimator fitted to an ordered
        Categorical has it.

    Notes
    -----
    y has shape ``(n,)`` and holds the names of grades, or whole numbers 0..d−1 if they have none; or it is an ordered
    pandas Categorical, a Series of that type, a polars Series of type Enum, or an ordered dictionary of Arrow.
    Predictions are names, categories or numbers as y holds them. The default metric is `neg_absolute_error`, the
    negative number of grades between truth and prediction.

    The embedding is that of Vembu (2010), section 4.3.1, with grades counted from 0; its first entry is always 1.
    Decoding compares the cumulative sums of the scores, in O(d).

    Examples
    --------
    >>> from combpred.structures import Ordinal
    >>> Ordinal(4).embed([0, 2])
    array([[1., 0., 0., 0.],
           [1., 1., 1., 0.]])
    >>> Ordinal(["low", "mid", "high"]).feature_names().tolist()
    ['>=low', '>=mid', '>=high']
    """

    name = "ordinal"
    default_metric = "neg_absolute_error"
    _is_single = True
    _sized = Sized("grades", "grade", "the largest grade or the categories of y")

    def __init__(self, grades: int | Sequence[Any] | None = None) -> None:
        self.grades = grades

    def probabilities(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each grade, given the marginals of distributions.

        Parameters
        ----------
        marginals : ndarray of shape (n, d)
            As `marginals` returns them.

        Returns
        -------
        probabilities : ndarray of shape (n, d)
            From the lowest grade to the highest; rows sum to 1.

        Examples
        --------
        >>> from combpred.structures import Ordinal
        >>> space = Ordinal(2)
        >>> space.probabilities(space.marginals([[0.0, 0.0]]))
        array([[0.5, 0.5]])
        """
        # P(grade = i) = P(grade ≥ i) − P(grade ≥ i + 1)
        probabilities: NDArray[np.float64] = marginals.copy()
        probabilities[:, :-1] -= marginals[:, 1:]
        np.clip(probabilities, 0.0, 1.0, out=probabilities)
        return probabilities

    @property
    def _names(self) -> Names | None:
        if hasattr(self, "categories_"):
            return tuple(self.categories_.tolist())
        return None if self.grades is None or is_number(self.grades) else checked_names(self.grades, "Ordinal: grades")

    def _n(self) -> int:
        names = self._names
        return super()._n() if names is None else len(names)

    def _resolve(self, y: Any) -> Ordinal:
        categories = _ordered_categories(y)
        if self._names is None and categories is not None and self.grades in (None, len(categories)):
            resolved = copy_with(self, grades=len(categories), categories_=categories)
        elif self.grades is not None:
            self._scale(y, "y")
            return copy_with(self)
        else:
            values = _whole(y, "y", warn=False)
            lowest, highest = int(values.min()), int(values.max())
            resolved = copy_with(self, grades=list(range(lowest, highest + 1)) if lowest else highest + 1)
        if resolved._n() < 2:
            raise ValueError("Ordinal: y has one grade only; at least 2 are needed, or give grades")
        return resolved

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        self._scale(y, argument)
        names = self._names
        values = target_vector(y, argument) if names is None else codes_of(y, names, argument, "grades")
        return values[:, np.newaxis]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        # A test set may hold grades that did not occur in training; predictions are off there, which is no error.
        scale = self._scale(y_true, "y_true")
        first = scale[0]
        if not isinstance(first, int) or scale != list(range(first, first + len(scale))):
            return codes_of(y_true, scale, "y_true", "grades"), codes_of(y_pred, scale, "y_pred", "grades")
        least = 0 if self._names is None else _LEAST
        return _whole(y_true, "y_true", least), _whole(y_pred, "y_pred", least)

    def _scale(self, y: Any, argument: str) -> list[Any]:
        """Return the grades by which to compare y with predictions.

        These are the known ones or, if there are more, the categories of y; ValueError unless one list contains the
        other in the same order.
        """
        known: list[Any] = list(self._names or range(self._n()))
        categories = _ordered_categories(y)
        if categories is None:
            return known
        own: list[Any] = categories.tolist()
        smaller, larger = sorted((own, known), key=len)
        if [category for category in larger if category in smaller] != smaller:
            raise ValueError(
                f"Ordinal: the categories of {argument} ({summary(own)}) do not stand in the order of the grades, or "
                f"lack some and have others ({summary(known)}); give both the same categories, or list them in grades"
            )
        return larger


def _whole(y: Any, argument: str, least: int = _LEAST, *, warn: bool = True) -> NDArray[np.int32]:
    """Return grades as int32, however high; TargetError for the first row that is not one."""
    remedy = "grades are whole numbers; list others from lowest to highest, Ordinal([…]), or an ordered Categorical"
    return whole_numbers(target_vector(y, argument, warn=warn), argument, least, np.iinfo(np.int32).max, remedy)


def _ordered_categories(y: Any) -> NDArray[Any] | None:
    """Return the categories of an ordered Categorical, an Enum or an ordered dictionary of Arrow; None for other y."""
    if len(getattr(y, "columns", ())) == 1:  # of Arrow the column itself, of others its name
        y = y.columns[0] if hasattr(y, "column_names") else y[y.columns[0]]
    dtype: Any = getattr(y, "dtype", None)
    if hasattr(dtype, "pyarrow_dtype"):
        y = getattr(y, "array", y).__arrow_array__()
    if getattr(getattr(y, "type", None), "ordered", False):
        whole = y.unify_dictionaries().chunk(0) if hasattr(y, "chunks") else y
        return np.asarray(whole.dictionary.to_pylist())
    if type(dtype).__name__ == "Enum":  # of polars
        return np.asarray(dtype.categories.to_list())
    return np.asarray(dtype.categories) if getattr(dtype, "ordered", False) else None
