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
from ._base import Sized, Structure


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

    The embedding is that of Vembu (2010), ch. 5, with grades counted from 0; its first entry is always 1. Decoding
    compares the cumulative sums of the scores, in O(d).

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
        if names is None:
            return super()._n()
        return len(names)

    def _resolve(self, y: Any) -> Ordinal:
        if self._names is not None:
            self._scale(y, self._names, "y")
            return self._with()
        categories = _ordered_categories(y)
        if categories is not None:
            if len(categories) < 2:
                raise ValueError(f"Ordinal: y has {len(categories)} categories; at least 2 are needed")
            if self.grades is not None and self._n() != len(categories):
                raise ValueError(
                    f"Ordinal: grades={self.grades}, but y has {len(categories)} categories "
                    f"({summary(list(categories))}); leave grades out, or set the categories of y"
                )
            return self._with(grades=len(categories), categories_=categories)
        if self.grades is not None:
            return self._with(grades=self._n())
        values = _grades(y, "y", int(np.iinfo(np.int32).min), warn=False)
        lowest, highest = int(values.min()), int(values.max())
        if lowest == highest:
            raise ValueError(f"Ordinal: y holds one grade only ({lowest}); at least 2 are needed, or give grades")
        return self._with(grades=list(range(lowest, highest + 1)) if lowest else highest + 1)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        if self._names is not None:
            return codes_of(y, self._names, argument, "grades")[:, np.newaxis]
        self._refuse_categories(y, argument)
        return _unnamed(y, argument)[:, np.newaxis]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        # A test set may hold grades that did not occur in training; predictions are off there, which is no error.
        names = self._names
        if names is not None and list(names) != _consecutive(names):
            scale = self._scale(y_true, names, "y_true")
            return codes_of(y_true, scale, "y_true", "grades"), codes_of(y_pred, scale, "y_pred", "grades")
        for y, argument in ((y_true, "y_true"), (y_pred, "y_pred")):
            self._refuse_categories(y, argument)
        least = 0 if names is None else int(np.iinfo(np.int32).min)
        return _grades(y_true, "y_true", least), _grades(y_pred, "y_pred", least)

    def _refuse_categories(self, y: Any, argument: str) -> None:
        """Raise ValueError if y is a Categorical, as this structure was not fitted to one."""
        if _ordered_categories(y) is not None:
            raise ValueError(
                f"Ordinal: {argument} is a Categorical, but this structure knows no categories; pass {argument}.codes "
                f"({argument}.cat.codes of a Series), list them in grades, or use structure_ of an estimator fitted to "
                "a Categorical"
            )

    def _scale(self, y: Any, names: Names, argument: str) -> list[Any]:
        """Return the categories by which to compare y with predictions.

        These are the known ones or, if there are more, those of y; ValueError unless one list contains the other in the
        same order.
        """
        known = list(names)
        categories = None if getattr(_dtype(y), "ordered", None) is False else _ordered_categories(y)
        if categories is None:
            return known
        own: list[Any] = categories.tolist()
        smaller, larger = sorted((own, known), key=len)
        if [category for category in larger if category in smaller] != smaller:
            raise ValueError(
                f"Ordinal: the categories of {argument} ({summary(own)}) do not stand in the order of those known, or "
                f"lack some and have others ({summary(known)}); give both the same categories"
            )
        return larger


def _consecutive(names: Names) -> list[int]:
    """Return as many consecutive integers as there are names, from the first one on; none where that is a string."""
    return list(range(names[0], names[0] + len(names))) if isinstance(names[0], int) else []


def _grades(y: Any, argument: str, least: int, *, warn: bool = True) -> NDArray[np.int32]:
    """Return grades as int32, however high; TargetError for the first row that is not one."""
    values = _unnamed(y, argument, warn=warn)
    return whole_numbers(values, argument, least, np.iinfo(np.int32).max, "grades are whole numbers")


def _unnamed(y: Any, argument: str, *, warn: bool = True) -> NDArray[Any]:
    """Return y as an array ``(n,)``; ValueError if it holds strings."""
    values = target_vector(y, argument, warn=warn)
    if values.dtype.kind in "US" or (values.dtype.kind == "O" and any(isinstance(v, str) for v in values)):
        found = sorted(set(map(str, values.tolist())))
        raise ValueError(
            f"Ordinal: {argument} holds strings, whose order is not known; list the grades from lowest to "
            f"highest, as in Ordinal({found[:4]!r:.60}), or pass an ordered Categorical"
        )
    return values


def _dtype(y: Any) -> Any:
    """Return the type of y, of a data frame with one column that of the column; None if y has none."""
    if hasattr(y, "columns") and hasattr(y, "dtypes") and len(y.columns) == 1:
        return next(iter(y.dtypes))
    return getattr(y, "dtype", None)


def _ordered_categories(y: Any) -> NDArray[Any] | None:
    """Return the categories of an ordered Categorical, an Enum or an ordered dictionary of Arrow, None for other y.

    Raises
    ------
    ValueError
        For a Categorical without an order.
    """
    dtype = _dtype(y)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):  # of polars
        return np.asarray(dtype.categories.to_list())
    if not hasattr(dtype, "categories") or not hasattr(dtype, "ordered"):
        return _ordered_dictionary(y)
    if not dtype.ordered:
        raise ValueError(
            "Ordinal: y is a Categorical without order; give it one: y.as_ordered() (y.cat.as_ordered() of a Series) "
            f"if its categories ({summary(list(dtype.categories))}) stand from lowest to highest, otherwise "
            "reorder_categories(…, ordered=True)"
        )
    return np.asarray(dtype.categories)


def _ordered_dictionary(y: Any) -> NDArray[Any] | None:
    """Return the values of an ordered dictionary of Arrow, in an array of its own or of pandas; None for other y."""
    if len(getattr(y, "columns", ())) == 1:
        y = y.columns[0] if hasattr(y, "column_names") else y[y.columns[0]]
    if hasattr(_dtype(y), "pyarrow_dtype"):
        y = y.array.__arrow_array__() if hasattr(y, "array") else y.__arrow_array__()
    if not getattr(getattr(y, "type", None), "ordered", False):
        return None
    chunks = y.unify_dictionaries().chunks if hasattr(y, "chunks") else [y]
    return np.asarray(chunks[0].dictionary.to_pylist())
