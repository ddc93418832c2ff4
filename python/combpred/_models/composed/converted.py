"""ConvertedTargets: an estimator whose targets and predictions are in the form in which people write them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._data.forms import frame_of
from ..._data.glossary import documented
from ..._data.inputs import refit, refuse_unread
from ..._data.names import output, set_output
from ..._data.targets import TargetError
from ...structures import Structure, resolve_structure, structure_classes
from ..base import StructuredEstimator
from .base import Reached
from .members import reached


def _has(name: str) -> Callable[[Any], bool]:
    """Return a check that the estimator has a method."""
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


@documented
class ConvertedTargets(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose targets are converted before training, and whose predictions are converted back.

    So lists of names, sets or delimited strings go through scikit-learn's searches and cross-validation as they are, as
    numbers do by :class:`sklearn.compose.TransformedTargetRegressor`.

    Parameters
    ----------
    estimator : estimator
        One of this package, a pipeline that ends in one, or a search for one; with `structure` any estimator that
        learns and predicts y of that structure. It is cloned. Give its structure the names, as in
        ``LabelSets(labels=["a", "b"])``: without them they are those that occur in training, where a fold may lack one.
    form : str
        The form of y, by the name of the structure's converters: "sets" for `LabelSets.from_sets` and `to_sets`,
        "orders" or "top_k" for `Permutations`, "tiers" for `WeakOrders`, "paths" for `Hierarchy` and `Subtrees`,
        "names" for `Routes`, `Cycles` and `DirectedCycles`, "vertices" for `Cliques` and `Paths`, "pairs" for
        `Assignments`, "edges", "adjacency" or "networkx" for graphs, trees, tournaments and partial orders.
    structure : Structure or str, default=None
        What y is for estimators that have no such parameter: ``Permutations(labels=["tea", "milk"])`` or
        "permutations" for label rankers (:mod:`combpred.ranking`). None: the structure of the estimator.
    sep : str, default=None
        What divides entries where rows of y are strings, such as "|"; of "tiers" the groups, whose labels "=" divides.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    structure_ : Structure
        The structure of converted targets, with the names.
    classes_ : ndarray
        Where the estimator has it: the columns of `predict_proba`, labels or nodes by their names.
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

    Label rankers have no parameter `structure`, and rank the names that occur in y:

    >>> from combpred.ranking import LabelRankingSVM
    >>> orders = [["tea", "milk"], ["tea", "milk"], ["milk", "tea"], ["milk", "tea"]]
    >>> ranker = ConvertedTargets(LabelRankingSVM(), "orders", structure="permutations")
    >>> ranker.fit([[0.0], [1.0], [2.0], [3.0]], orders).predict([[3.0]]).tolist()
    [['milk', 'tea']]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "form": [str],
        "structure": [object],  # `resolve_structure` checks it, in words of its own
        "sep": [str, None],
    }

    def __init__(self, estimator: Any, form: str, *, structure: Any = None, sep: str | None = None) -> None:
        self.estimator = estimator
        self.form = form
        self.structure = structure
        self.sep = sep

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

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
        TypeError
            For an estimator without a structure where `structure` is None.
        """
        if y is None:
            raise ValueError("ConvertedTargets requires y to be passed, but the target y is None: give one per row")
        with refit(self):
            estimator, self._frame = clone(self.estimator), frame_of(y)
            innermost = Reached.within(estimator)
            structure = self._meant(innermost)
            if inspect.isclass(structure) and hasattr(structure, f"y_from_{self.form}"):  # a tree, learnt from y
                make = getattr(structure, f"from_{self.form}")
                structure = self._converted(make, y)
                if self.structure is None:
                    estimator.set_params(**{f"{innermost.path}structure": structure})
            convert = self._converter(structure, "from")
            # Names are learnt from the columns of a frame, but for those that the structure of the estimator has.
            known = self.structure is None and getattr(convert, "keywords", None)
            framed = not known and "as_frame" in inspect.signature(convert).parameters
            y = self._converted(convert, y, **({"as_frame": True} if framed else {}))
            if self.structure is not None:
                self.structure_ = resolve_structure(self.structure if inspect.isclass(structure) else structure, y)
            arguments = innermost.fit_arguments(sample_weight)
            self.estimator_ = estimator.fit(X, y, **arguments)
            if self.structure is None:
                self.structure_ = reached(self.estimator_, None)[0].structure_
        return self

    def predict(
        self, X: Any, *, constraints: Any = None, return_certificate: bool = False, return_marginals: bool = False
    ) -> Any:
        """Return predictions in the form `form`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.
        constraints, return_certificate, return_marginals
            As the estimator's ``predict`` takes them.

        Returns
        -------
        y : ndarray of shape (n,), dtype=object, or what the converter returns where that is an array
            Or a series, as `set_output` has it. With `return_certificate` or `return_marginals` a tuple, of which this
            is the first.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError, TypeError
            As ``predict`` of the estimator.
        """
        check_is_fitted(self)
        options = {
            "constraints": constraints, "return_certificate": return_certificate, "return_marginals": return_marginals
        }  # fmt: skip
        found = self.estimator_.predict(
            X, **{name: value for name, value in options.items() if value is not None and value is not False}
        )
        if isinstance(found, tuple):
            return (self._back(found[0], X), *found[1:])
        return self._back(found, X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return what ``predict_proba`` of the estimator does, a column for each of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.

        Returns
        -------
        ndarray of shape (n, k), or data frame
            Of label sets the probability of each label to be in the set, of hierarchies that of each allowed node.

        Raises
        ------
        AttributeError
            Where the estimator has no such method.
        sklearn.exceptions.NotFittedError, ValueError
            As the estimator.
        """
        return self._per_class("predict_proba", X)

    @available_if(_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.

        Returns
        -------
        ndarray of shape (n, k), or data frame

        Raises
        ------
        AttributeError, sklearn.exceptions.NotFittedError, ValueError
            As `predict_proba`.
        """
        return self._per_class("predict_log_proba", X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return what ``decision_function`` of the estimator does.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.

        Returns
        -------
        ndarray of shape (n, k) or (n,)

        Raises
        ------
        AttributeError, sklearn.exceptions.NotFittedError, ValueError
            As `predict_proba`.
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the estimator's score, that of its structure, for targets in the form `form`.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Inputs, which the estimator gets as they are.
        y : list of n targets
            In the form `form`.
        sample_weight : array of shape (n,), optional
            Weights of the rows, where the estimator's ``score`` takes them.

        Returns
        -------
        score : float
            Larger is better.

        Raises
        ------
        ValueError, TypeError
            As the converter and ``score`` of the estimator.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        targets = self.convert_targets(y)  # refuses what is not fitted
        return float(self.estimator_.score(X, targets, **weights))

    def set_output(self, *, predict: str | None = None) -> ConvertedTargets:
        """Set what predictions come back as.

        Parameters
        ----------
        predict : {"default", "pandas", "polars", "y"} or None, default=None
            What `predict`, `predict_proba` and `predict_log_proba` return. "default": arrays. "pandas", "polars": a
            series with the name of y (a data frame where all rows have as many entries, as orders do), and data frames
            with the columns `classes_`, all with the index of X. "y": such where y was a series or a data frame in
            ``fit``, otherwise arrays. None: as before.

        Returns
        -------
        ConvertedTargets
            The estimator itself. As in scikit-learn, ``clone`` keeps the choice.

        Raises
        ------
        ValueError
            For another value.
        """
        set_output(self, predict)
        return self

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
        convert = self._converter(self.structure_, "from")
        try:
            return self._converted(convert, y)
        except TargetError as error:
            raise TargetError(error.row, error.reason + self._lacking(y), "y") from None

    def _lacking(self, y: Any) -> str:
        """Return what mends y where training rows lacked some of its names, which is all that is wrong with it."""
        cls, given = type(self.structure_), self._meant(Reached.within(self.estimator))
        is_tree = hasattr(given, "parent") and not inspect.isclass(given)
        if is_tree or getattr(self._converter(given, "from"), "keywords", None):
            return ""  # the names are given
        try:
            self._converted(getattr(cls, f"from_{self.form}"), y)
        except (TypeError, ValueError):
            return ""
        learnt = getattr(self._converter(self.structure_, "from"), "keywords", None)
        how = f"({', '.join(f'{name}=[…]' for name in learnt)})" if learnt else f".from_{self.form}([…])"
        return (
            "; names are those of the training rows: where these lack some, as folds may, give all of them by "
            f"structure={cls.__name__}{how}"
        )

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

    @property
    def classes_(self) -> Any:
        """The classes, where the fitted estimator has them."""
        check_is_fitted(self)
        return self.estimator_.classes_

    def _meant(self, innermost: Reached) -> Any:
        """Return the structure of targets, as it is given, or its class."""
        own = hasattr(innermost.estimator, "structure")
        if own and self.structure is not None:
            raise ValueError(
                f"structure={self.structure!r} is for estimators without one: give it to {innermost.estimator!r}"
            )
        if not own and self.structure is None:
            raise TypeError(
                f"estimator {innermost.estimator!r} has no parameter structure: give it here, such as "
                "structure='permutations' for label rankers"
            )
        given = innermost.estimator.structure if own else self.structure
        if given is None and isinstance(innermost.estimator, StructuredEstimator):
            given = innermost.estimator._own_structure()  # of averages that of their members
        if given is None:
            raise ValueError(f"form={self.form!r} is of a structure, and {innermost.estimator!r} has none: give it one")
        if isinstance(given, Structure):
            return given
        known = structure_classes().get(given) if isinstance(given, str) else None
        return known or resolve_structure(given, None)  # which refuses all else

    def _converter(self, structure: Any, way: str) -> Any:
        """Return the converter of a structure, or of its class, in one of two ways: "from" and "to"."""
        names = dir(structure if inspect.isclass(structure) else type(structure))
        # Where `from_paths` makes the structure, `y_from_paths` is what reads y.
        start = "y_from_" if any(name.startswith("y_from_") for name in names) else "from_"
        forms = [name[len(start) :] for name in names if name.startswith(start)]
        forms = [form for form in forms if f"to_{form}" in names]
        if self.form not in forms:
            called = structure.__name__ if inspect.isclass(structure) else type(structure).__name__
            what = f"those of {', '.join(map(repr, forms))}" if forms else "none"
            one = f"; y = {called}.{start}{self.form}(…) has no inverse: convert before training"
            what += one if f"{start}{self.form}" in names else ""
            raise ValueError(f"form={self.form!r} must name converters of the structure, and {called} has {what}")
        return getattr(structure, f"{start if way == 'from' else 'to_'}{self.form}")

    def _separated(self, convert: Any) -> dict[str, str]:
        if self.sep is None:
            return {}
        if "sep" not in inspect.signature(convert).parameters:
            raise ValueError(f"sep={self.sep!r}: targets of form={self.form!r} are no strings")
        return {"sep": self.sep, **({"tie_sep": "="} if self.form == "tiers" else {})}

    def _back(self, predicted: Any, X: Any) -> Any:
        """Return predictions of the estimator in the form."""
        back = self._converter(self.structure_, "to")
        options = self._separated(back)
        try:
            found = back(predicted, **options)
        except TargetError as error:  # of an estimator that has no structure
            raise TargetError(error.row, error.reason, f"what {self.estimator!r} predicts") from None
        if isinstance(found, list):
            listed, found = found, np.empty(len(found), dtype=object)
            found[:] = listed
        return output(self, found, X, None, self._frame and self._frame._replace(categories=None))

    def _per_class(self, method: str, X: Any) -> Any:
        """Return what a method of the estimator does, with the names of classes as `set_output` has it."""
        check_is_fitted(self)
        found = getattr(self.estimator_, method)(X)
        if not isinstance(found, np.ndarray):  # the estimator has an output of its own
            return found
        return output(self, found, X, self.classes_.tolist(), self._frame)
