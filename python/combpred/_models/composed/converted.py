"""ConvertedTargets: an estimator whose targets and predictions are in the form in which people write them."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from ..._data.glossary import documented
from ..._data.inputs import refit, refuse_unread
from ..._data.targets import TargetError
from ...structures import Structure, structure_classes
from .base import Reached
from .members import reached


@documented
class ConvertedTargets(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose targets are converted before training, and whose predictions are converted back.

    So lists of names, sets or delimited strings go through scikit-learn's searches and cross-validation as they are, as
    numbers do by :class:`sklearn.compose.TransformedTargetRegressor`.

    Parameters
    ----------
    estimator : estimator
        One of this package, a pipeline that ends in one, or a search for one. It is cloned. Give its structure the
        names, as in ``LabelSets(labels=["a", "b"])``: without them they are those that occur in training, where a fold
        may lack one.
    form : str
        The form of y, by the name of the structure's converters: "sets" for `LabelSets.from_sets` and `to_sets`,
        "orders" or "top_k" for `Permutations`, "tiers" for `WeakOrders`, "names" for `Routes`, `Cycles` and
        `DirectedCycles`, "vertices" for `Cliques` and `Paths`, "pairs" for `Assignments`.
    sep : str, default=None
        What divides entries where rows of y are strings, such as "|".

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    sklearn.compose.TransformedTargetRegressor : For targets that are numbers.

    Notes
    -----
    Predictions are an array of n lists, of n strings where `sep` is given, or what the converter returns where that is
    an array. Cost: that of the estimator and of the converters.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from combpred import ConvertedTargets, StructuredRidge
    >>> from combpred.structures import LabelSets
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 3, ["red", "red", "red|sweet", "red|sweet"] * 3
    >>> ridge = StructuredRidge(LabelSets(labels=["red", "sweet"]))
    >>> tags = ConvertedTargets(ridge, "sets", sep="|")
    >>> search = GridSearchCV(tags, {"estimator__alpha": [0.1, 1.0]}, cv=3).fit(X, y)
    >>> search.predict([[0.0], [3.0]]).tolist()
    ['red', 'red|sweet']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "form": [str],
        "sep": [str, None],
    }

    def __init__(self, estimator: Any, form: str, *, sep: str | None = None) -> None:
        self.estimator = estimator
        self.form = form
        self.sep = sep

    @documented
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConvertedTargets:
        """Train the estimator on converted targets.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.
        y : list of n targets
            In the form `form`.
        %(sample_weight)s

        Returns
        -------
        ConvertedTargets
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            For a form that the structure has no converters for, naming those it has, and as the converter and the
            estimator.
        """
        with refit(self):
            estimator = clone(self.estimator)
            innermost = Reached.within(estimator)
            if not hasattr(innermost.estimator, "structure"):
                raise TypeError(
                    "estimator must have a parameter structure, as StructuredRidge has, or be a pipeline or search of "
                    f"one that has, got {innermost.estimator!r}: convert its targets before, as by "
                    "Permutations.from_orders, and its predictions after, as by to_orders"
                )
            given = innermost.estimator.structure
            structure = structure_classes().get(given) if isinstance(given, str) else given
            convert = self._converter(structure, "from")
            # A converter holds the names that its structure has; else they are learnt from the columns of a frame.
            framed = not getattr(convert, "keywords", None) and "as_frame" in inspect.signature(convert).parameters
            y = self._converted(convert, y, **({"as_frame": True} if framed else {}))
            arguments = innermost.fit_arguments(sample_weight, "the estimator")
            self.estimator_ = estimator.fit(X, y, **arguments)
        return self

    def predict(self, X: Any, **options: Any) -> Any:
        """Return predictions in the form `form`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.
        **options
            As the estimator's ``predict`` takes them, such as `constraints` and `return_certificate`.

        Returns
        -------
        y : ndarray of shape (n,), dtype=object, or what the converter returns where that is an array
            With `return_certificate` a tuple, of which this is the first.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError, TypeError
            As ``predict`` of the estimator.
        """
        check_is_fitted(self)
        found = self.estimator_.predict(X, **options)
        if isinstance(found, tuple):
            return (self._back(found[0]), *found[1:])
        return self._back(found)

    def score(self, X: Any, y: Any, **options: Any) -> float:
        """Return the estimator's score, that of its structure, for targets in the form `form`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.
        y : list of n targets
            In the form `form`.
        **options
            As the estimator's ``score`` takes them, such as `sample_weight`.

        Returns
        -------
        score : float
            Larger is better.

        Raises
        ------
        ValueError, TypeError
            As the converter and ``score`` of the estimator.
        """
        return float(self.estimator_.score(X, self.convert_targets(y), **options))

    def convert_targets(self, y: Any) -> Any:
        """Return targets in the form `form` as the fitted estimator takes them.

        Parameters
        ----------
        y : list of n targets
            In the form `form`.

        Returns
        -------
        y : ndarray of n structures
            With names as in training.

        Raises
        ------
        ValueError
            As the converter, naming the row.
        """
        check_is_fitted(self)
        convert = self._converter(self._fitted_structure(), "from")
        return self._converted(convert, y)

    def _converted(self, convert: Any, y: Any, **options: Any) -> Any:
        """Return targets as a converter reads them; what it refuses is y of this estimator."""
        refuse_unread(y, "y")
        try:
            return convert(y, **self._separated(convert), **options)
        except TargetError as error:
            raise TargetError(error.row, error.reason, "y") from None

    @property
    def feature_names_in_(self) -> Any:
        """The names of the features, where the fitted estimator has them."""
        check_is_fitted(self)
        return self.estimator_.feature_names_in_

    @property
    def n_features_in_(self) -> int:
        """The number of features, as the fitted estimator counts them."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    def _fitted_structure(self) -> Structure:
        structure: Structure = reached(self.estimator_, None)[0].structure_
        return structure

    def _converter(self, structure: Any, way: str) -> Any:
        """Return the converter of a structure, or of its class, in one of two ways: "from" and "to"."""
        names = dir(structure if inspect.isclass(structure) else type(structure))
        both = [name for name in names if name.startswith("from_") and hasattr(structure, f"to_{name[5:]}")]
        if f"from_{self.form}" not in both:
            called = structure.__name__ if inspect.isclass(structure) else type(structure).__name__
            forms = ", ".join(repr(name[5:]) for name in both)
            what = f"{called} has those of {forms}" if both else f"structure={structure!r} has none"
            raise ValueError(f"form={self.form!r} must name converters of the structure, and {what}")
        return getattr(structure, f"{way}_{self.form}")

    def _separated(self, convert: Any) -> dict[str, str]:
        if self.sep is None:
            return {}
        if "sep" not in inspect.signature(convert).parameters:
            raise ValueError(f"sep={self.sep!r}: targets of form={self.form!r} are no strings")
        return {"sep": self.sep}

    def _back(self, predicted: Any) -> Any:
        """Return predictions of the estimator in the form."""
        back = self._converter(self._fitted_structure(), "to")
        listed = back(predicted, **self._separated(back))
        if not isinstance(listed, list):
            return listed
        found = np.empty(len(listed), dtype=object)
        found[:] = listed
        return found
