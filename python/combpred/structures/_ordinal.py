"""Ordered grades: ordinal regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._data.targets import check_present, codes_of, summary, target_vector, whole_numbers
from ._base import Sized, Structure


class Ordinal(Structure):
    r"""One of d ordered grades: :math:`\psi_i(y) = [y \geq i]` for i = 0..d−1.

    Parameters
    ----------
    n_grades : int, default=None
        Number of grades d, at least 2. None: the number of categories of y when an estimator is fitted, or one more
        than the largest grade.

    Attributes
    ----------
    categories_ : ndarray of shape (n_grades,)
        The categories from lowest to highest. Only the structure of an estimator fitted to an ordered Categorical has
        it.

    Notes
    -----
    y has shape ``(n,)`` and holds whole numbers 0..d−1, or is an ordered pandas Categorical or a Series of that type.
    Predictions are int32 grades, or categories if y was a Categorical. The default metric is `neg_absolute_error`, the
    negative number of grades between truth and prediction.

    The embedding is that of Vembu (2010), ch. 5, with grades counted from 0; its first entry is always 1. Decoding
    compares the cumulative sums of the scores, in O(d).

    Examples
    --------
    >>> from combpred.structures import Ordinal
    >>> Ordinal(4).embed([0, 2])
    array([[1., 0., 0., 0.],
           [1., 1., 1., 0.]])
    """

    name = "ordinal"
    default_metric = "neg_absolute_error"
    _entries = "bits"
    _decisions = ("median",)
    _sized = Sized("n_grades", "grade", "the largest grade or the categories of y", 2)

    def __init__(self, n_grades: int | None = None) -> None:
        self.n_grades = n_grades

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

    def _resolve(self, y: Any) -> Ordinal:
        if hasattr(self, "categories_"):
            return self._with()
        categories = _ordered_categories(y)
        if categories is not None:
            if len(categories) < 2:
                raise ValueError(f"Ordinal: y has {len(categories)} categories; at least 2 are needed")
            if self.n_grades is not None and self._n() != len(categories):
                raise ValueError(
                    f"Ordinal: n_grades={self.n_grades}, but y has {len(categories)} categories "
                    f"({summary(list(categories))}); leave n_grades out, or set the categories of y"
                )
            return self._with(n_grades=len(categories), categories_=categories)
        if self.n_grades is not None:
            return self._with(n_grades=self._n())
        grades = _grades(y)
        lowest, highest = int(grades.min()), int(grades.max())
        if lowest > 0:
            raise ValueError(
                f"Ordinal: the smallest grade in y is {lowest}, but grades count from 0; subtract {lowest} from y, "
                "or give n_grades if the lower grades exist and are only not seen here"
            )
        if highest == 0:
            raise ValueError("Ordinal: y holds one grade only (0); at least 2 are needed, or give n_grades")
        return self._with(n_grades=highest + 1)

    def _numbers(self, y: Any, argument: str) -> NDArray[Any]:
        if hasattr(self, "categories_"):
            return _codes(y, self.categories_.tolist(), argument)[:, np.newaxis]
        self._refuse_categories(y, argument)
        return _unnamed(y, argument)[:, np.newaxis]

    def _metric_arguments(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        # A test set may hold grades that did not occur in training; predictions are off there, which is no error.
        if hasattr(self, "categories_"):
            scale = self._scale(y_true)
            return _codes(y_true, scale, "y_true"), _codes(y_pred, scale, "y_pred")
        for y, argument in ((y_true, "y_true"), (y_pred, "y_pred")):
            self._refuse_categories(y, argument)
        return _grades(y_true, "y_true"), _grades(y_pred, "y_pred")

    def _refuse_categories(self, y: Any, argument: str) -> None:
        """Raise ValueError if y is a Categorical, as this structure was not fitted to one."""
        if _ordered_categories(y) is not None:
            raise ValueError(
                f"Ordinal: {argument} is a Categorical, but this structure knows no categories; pass {argument}.codes "
                f"({argument}.cat.codes of a Series), or use structure_ of an estimator fitted to a Categorical"
            )

    def _scale(self, y_true: Any) -> list[Any]:
        """Return the categories by which to compare `y_true` with predictions.

        These are the known ones or, if there are more, those of `y_true`; ValueError unless one list contains the other
        in the same order.
        """
        known: list[Any] = self.categories_.tolist()
        if not getattr(getattr(y_true, "dtype", None), "ordered", False):
            return known
        own: list[Any] = np.asarray(y_true.dtype.categories).tolist()
        smaller, larger = sorted((own, known), key=len)
        if [category for category in larger if category in smaller] != smaller:
            raise ValueError(
                f"Ordinal: the categories of y_true ({summary(own)}) do not stand in the order of those known, or lack "
                f"some and have others ({summary(known)}); give both the same categories"
            )
        return larger

    def _decode_parts(self, parts: NDArray[np.int32]) -> NDArray[Any]:
        grades: NDArray[Any] = parts[:, 0].copy()
        return self.categories_[grades] if hasattr(self, "categories_") else grades

    def _own_names(self) -> list[str] | None:
        return [f">={grade}" for grade in self.categories_.tolist()] if hasattr(self, "categories_") else None


def _codes(y: Any, scale: list[Any], argument: str) -> NDArray[np.int32]:
    """Return the index of each category in `scale`; TargetError for the first row that is not in it."""
    values = target_vector(y, argument)
    check_present(values, argument)
    return codes_of(values, scale, argument, f"the grades are {summary(scale)}")


def _grades(y: Any, argument: str = "y") -> NDArray[np.int32]:
    """Return grades as int32, however high; TargetError for the first row that is not one."""
    most = np.iinfo(np.int32).max
    return whole_numbers(_unnamed(y, argument), argument, 0, most, "grades are whole numbers from 0 on")


def _unnamed(y: Any, argument: str) -> NDArray[Any]:
    """Return y as an array ``(n,)``; ValueError if it holds strings."""
    values = target_vector(y, argument)
    if values.dtype.kind in "US" or (values.dtype.kind == "O" and any(isinstance(v, str) for v in values)):
        raise ValueError(
            f"Ordinal: {argument} holds strings, whose order is not known; pass whole numbers 0..d−1, or an ordered "
            f"Categorical: pandas.Categorical({argument}, categories=[lowest, …, highest], ordered=True)"
        )
    return values


def _ordered_categories(y: Any) -> NDArray[Any] | None:
    """Return the categories of an ordered Categorical, or None for other y; ValueError for an unordered Categorical."""
    dtype: Any = getattr(y, "dtype", None)
    if not hasattr(dtype, "categories") or not hasattr(dtype, "ordered"):
        return None
    if not dtype.ordered:
        raise ValueError(
            "Ordinal: y is a Categorical without order; give it one: y.as_ordered() (y.cat.as_ordered() of a Series) "
            f"if its categories ({summary(list(dtype.categories))}) stand from lowest to highest, otherwise "
            "reorder_categories(…, ordered=True)"
        )
    return np.asarray(dtype.categories)
