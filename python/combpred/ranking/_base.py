"""What all label rankers share: input, formats of y, predictions and their score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from inspect import isabstract
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._data.checks import refuse_called
from .._data.forms import column_names, columns_in_order, frame_of
from .._data.inputs import check_rows, check_weights, refit, rows_in_double, unconverted_rows
from .._data.listings import positions_by_score, uncompared
from .._data.names import output, set_output, with_names
from .._data.targets import TargetError, is_array_of_numbers
from .._data.warn import warn_user
from .._lib.arrays import FloatArray, allocate, row_blocks
from .._lib.errors import RowError
from .._lib.labelrank import Trained
from ..metrics import kendall_tau
from ._preferences import PREFERENCE_FORMATS, Preferences, read_preferences

_Self = TypeVar("_Self", bound="LabelRanker")  # typing.Self needs Python 3.11


class LabelRanker(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Base of estimators that rank a fixed set of labels for each input.

    A subclass says in `_formats` what it learns from beside full rankings and trains in `_train`. Where scores are not
    linear in the inputs, by a `coef_` and `intercept_` that training sets, it gives those of rows in `_label_scores`,
    or replaces `predict`.
    """

    _formats: ClassVar[frozenset[str]]
    """The formats of y in `PREFERENCE_FORMATS` that the learner takes, with some setting of its parameters."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    # What a subclass provides.

    @abstractmethod
    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        """Set the fitted attributes from checked rows, none of weight 0; weights are None where all are 1."""

    def _label_scores(self, X: Any) -> FloatArray:
        """Return the scores of a block of rows, ``(n, k)``."""
        scores: FloatArray = X @ self.coef_.T + self.intercept_
        return scores

    def _formats_taken(self) -> frozenset[str]:
        """Return the formats that the learner takes with these parameters."""
        return self._formats

    def _read(self, y: Any, n_labels: int | None = None) -> Preferences:
        """Return what y says about labels; overridden where that is not, or not all of, the order of positions."""
        return read_preferences(y, n_labels)

    def _has_scores(self) -> bool:
        """Whether labels are ranked by scores with these parameters; otherwise there is no `label_scores`."""
        return True

    def _row_width(self) -> int:
        """Return how many numbers `_label_scores` holds for a row beside its inputs, so that blocks of rows fit."""
        return int(self.n_labels_)

    # Training.

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = None) -> _Self:
        """Train on inputs and what is known of their rankings.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
            Inputs, finite.
        y : array-like of shape (n, k) or (n, k, k)
            Positions of the k labels, 1 for the first. Numbers above 0 are compared by their order. Where the learner
            takes them: equal ones are ties, −1 (or NaN, which scikit-learn's cross-validation refuses) is an unknown
            position. Or preference graphs: booleans, ``y[i, u, v]`` saying that row i prefers label u to label v.
            Such a relation need not be transitive, nor tell about every pair of labels. The columns of a data frame
            give the labels names: frames with these columns in another order are matched here and in `score`.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1. A weight of 0 leaves the row out.

        Returns
        -------
        LabelRanker
            The estimator itself. When ``fit`` raises, an earlier fit is kept as it was.

        Raises
        ------
        ValueError
            For parameters, inputs, rankings or weights that are not legal, naming the row and the remedy. For rankings
            in a format that the learner does not take, naming those that do.
        MemoryError
            When the n k(k−1)/2 preferences do not fit, before they are allocated.

        Notes
        -----
        Cost: O(n k²) for reading y, and that of the learner, which the notes of its class give.

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).n_labels_
        3
        """
        with refit(self):
            X, preferences, weights = self._check_training(X, y, sample_weight)
            self.n_labels_ = preferences.n_labels
            self._train(X, preferences, weights)
        return self

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Preferences, FloatArray | None]:
        """Return checked inputs, preferences and weights, without the rows of weight 0."""
        refuse_called(X, y)
        X = check_rows(self, X, reset=True)
        preferences = self._named(y, reset=True)
        check_consistent_length(X, preferences)
        weights = check_weights(sample_weight, len(preferences))
        if weights is not None and not weights.all():
            rows = np.flatnonzero(weights)
            X, preferences, weights = X[rows], preferences.of_rows(rows), weights[rows]
        if not preferences.signs.any():
            raise ValueError(
                "y: no row of positive weight prefers a label to another one, so there is nothing to learn"
            )
        unknown = preferences.uncompared()
        if unknown.size:
            labels = [self._label_name(label) for label in unknown.tolist()]
            warn_user(uncompared(labels, "row of positive weight"), UserWarning)
        return X, preferences, weights

    def _named(self, y: Any, *, reset: bool = False) -> Preferences:
        """Return what y says, its columns in the order of the labels' names, which are learned where `reset`."""
        plain = is_array_of_numbers(y)
        if reset:
            self.labels_, self._frame = (None, None) if plain else (column_names(y), frame_of(y))
        if not plain:
            y = columns_in_order(y, self.labels_ or (None if reset else ()), "y", f"those of {type(self).__name__}")
        try:
            preferences = self._read(y, None if reset else self.n_labels_)
            if reset:
                self._check_formats(preferences)
        except TargetError as error:
            names = None if self.labels_ is None else tuple(self.labels_)
            reason = with_names(error.reason, "labels?|column", names)
            raise TargetError(error.row, reason, error.argument) from None
        return preferences

    def _label_name(self, label: int) -> Any:
        """Return what messages call a label: its name, or its number."""
        return label if self.labels_ is None else self.labels_[label]

    def _check_formats(self, preferences: Preferences) -> None:
        """Raise ValueError for the first row in a format that the learner does not take."""
        taken = self._formats_taken()
        for form in PREFERENCE_FORMATS:
            if form not in taken and (rows := preferences.is_of(form)).any():
                row = int(np.argmax(rows))
                raise TargetError(row, f"{preferences.shown(form, row)}; {self._refusal(form)}")

    def _refusal(self, form: str) -> str:
        """Return that the learner does not take a format, and which learners do."""
        others = sorted(cls.__name__ for cls in _below(LabelRanker) if form in cls._formats)
        shown = " ".join(repr(self).split())  # with the parameters that may be why
        return f"{shown} does not learn from {PREFERENCE_FORMATS[form]}, which {', '.join(others)} do"

    # Predictions.

    def set_output(self: _Self, *, predict: str | None = None) -> _Self:
        """Set what predictions come back as.

        Parameters
        ----------
        predict : {"default", "pandas", "polars", "y"} or None, default=None
            What `predict` returns. "default": an array. "pandas", "polars": a data frame whose columns have the names
            of the labels, with the index of X. "y": such a frame where y was one in ``fit``, otherwise an array. None:
            as before.

        Returns
        -------
        LabelRanker
            The estimator itself. As in scikit-learn, ``clone`` keeps the choice.

        Raises
        ------
        ValueError
            For another value.

        Examples
        --------
        >>> import pandas as pd
        >>> from combpred.ranking import LabelRankingSVM
        >>> X, y = pd.DataFrame({"age": [-1.0, -0.5, 1.0]}), pd.DataFrame({"tea": [2, 2, 1], "milk": [1, 1, 2]})
        >>> LabelRankingSVM().set_output(predict="pandas").fit(X, y).predict(X[:1])
           tea  milk
        0    2     1
        """
        set_output(self, predict)
        return self

    @available_if(lambda self: self._has_scores())  # type: ignore[untyped-decorator]
    def label_scores(self, X: Any) -> FloatArray:
        """Return the scores that rank the labels of each row: the higher, the earlier.

        Learners that rank without scores, with these parameters, have no such method.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        scores : ndarray of shape (n, k), dtype=float64
            What they measure is in the notes of the class.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where scores overflow, naming the row.
        MemoryError
            When the scores do not fit, before they are allocated.

        Notes
        -----
        Cost: as the notes of the class say. Rows are taken in blocks of 16 MiB.

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).label_scores(X[:5]).shape
        (5, 3)
        """
        X = self._check_new_rows(X)
        scores: FloatArray = self._empty((X.shape[0], self.n_labels_), np.float64)
        for rows, block in self._blocks(X):
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below, with its row
                scores[rows] = self._label_scores(block)
            finite = np.isfinite(scores[rows]).all(axis=1)
            if not finite.all():
                row = rows.start + int(finite.argmin())
                raise RowError(row, "the scores overflow: scale the inputs as those of training were", "X")
        return scores

    def predict(self, X: Any) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or data frame
            The position of each label, 1..k, 1 for the first, as `set_output` has it. Labels of equal score are ranked
            by their index.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, and where scores overflow, naming the row.
        MemoryError
            When the predictions do not fit, before they are allocated.

        Notes
        -----
        Cost: as the notes of the class say, and O(n k log k) for sorting.

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).predict(X[:1])
        array([[1, 2, 3]], dtype=int32)
        """
        positions = self._positions(X)
        return output(self, positions, X, self.labels_, self._frame)

    def _positions(self, X: Any) -> NDArray[np.int32]:
        """Return the position of each label; overridden by those that rank without scores."""
        return positions_by_score(self.label_scores(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        r"""Return the mean of Kendall's τ between observed and predicted rankings; larger is better.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array-like of shape (n, k) or (n, k, k)
            In any of the formats of ``fit``, whatever those of training were.
        sample_weight : array of shape (n,) or float, default=None
            Weights of the rows in the mean; None: equal.

        Returns
        -------
        float
            Between −1 and 1. :func:`combpred.metrics.kendall_tau`: unknown positions are left out, and with ties it is
            :math:`\tau_b`, whose largest value for a prediction without ties is below 1. For preference graphs, the
            share of stated preferences that the prediction agrees with minus the share that it reverses, which for
            the graphs of full rankings is τ. Rows that prefer no label to another do not count.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs, rankings or weights that are not legal, naming the row, and where no row counts.
        MemoryError
            As `predict`.

        Notes
        -----
        Cost: that of `predict`, and O(n k²).

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> round(RankingByPairwiseComparison().fit(X, y).score(X, y), 2)
        0.99
        """
        predicted = self._positions(X)
        truth = self._named(y)
        check_consistent_length(predicted, truth)
        weights = check_weights(sample_weight, len(truth))
        counts = truth.signs.any(axis=1) & (True if weights is None else weights > 0)
        if not counts.any():
            raise ValueError("y: no row of positive weight prefers a label to another one, so no score is defined")
        rows = np.flatnonzero(counts)
        return float(np.average(_taus(truth.of_rows(rows), predicted[rows]), weights=_at(weights, rows)))

    def _check_new_rows(self, X: Any) -> Any:
        """Return X for prediction, which reads it by `rows_in_double`, a block at a time."""
        check_is_fitted(self)
        return unconverted_rows(self, X)

    def _blocks(self, X: Any, width: int = 0) -> Iterator[tuple[slice, Any]]:
        """Yield checked rows in blocks that fit, as float64 or CSR; X must have been through `_check_new_rows`."""
        width = max(self._row_width(), width, 0 if sparse.issparse(X) else X.shape[1])
        for rows in row_blocks(X.shape[0], width):
            yield rows, rows_in_double(X, rows, getattr(self, "feature_names_in_", None))

    def _empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an empty array of predictions, or raise MemoryError before allocating what does not fit."""
        return allocate(shape, dtype, f"predicting {shape[1]} numbers for {shape[0]} rows", "pass fewer rows at once")

    # Manners.

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn < 1.6
        return {"requires_y": True, "multioutput_only": True, "multioutput": True, "X_types": ["2darray", "sparse"]}


def _below(base: type[Any]) -> list[type[Any]]:
    """Return the classes below one that are not abstract."""
    return [cls for sub in base.__subclasses__() for cls in [sub, *_below(sub)] if not isabstract(cls)]


def keep_solution(model: Any, trained: Trained, steps: str) -> None:
    """Set what a support vector machine knows about its training, which counts `steps`; warns where it is not done."""
    model.objective_, model.dual_gap_, model.n_iter_ = trained.objective, trained.gap, trained.n_iter
    if not trained.converged:
        warn_user(
            f"the duality gap is {trained.gap / trained.objective:.2g} of the objective after {trained.n_iter} "
            f"{steps}, tol is {model.tol:g}: raise max_iter or tol, standardise the features, or lower C",
            ConvergenceWarning,
        )


def _taus(truth: Preferences, predicted: NDArray[np.int32]) -> FloatArray:
    """Return the agreement of each row, all of which state a preference, with its prediction."""
    if truth.ranks is not None:
        known = np.where(truth.ranks == 0, -1, truth.ranks)
        taus: FloatArray = np.asarray(kendall_tau(known, predicted, per_row=True))
        return taus
    agreed = (truth.signs * read_preferences(predicted).signs).sum(axis=1, dtype=np.int64)
    shares: FloatArray = agreed / np.count_nonzero(truth.signs, axis=1)
    return shares


def _at(weights: FloatArray | None, rows: NDArray[np.intp]) -> FloatArray | None:
    return None if weights is None else weights[rows]
