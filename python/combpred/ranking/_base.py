"""What all label rankers share: input, formats of y, predictions and their score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length

from .._data.checks import check_argument
from .._data.converters import as_objects, natural_rows, positions_by_score
from .._data.inputs import check_weights, column_names, in_double, read_inputs, refit
from .._data.names import output, set_output
from .._data.relations import pair_probabilities
from .._lib.arrays import FloatArray, allocate, row_blocks
from .._lib.call import computed
from .._lib.errors import RowError, renumbered
from .._lib.names import SUBGRAPHS
from ..metrics import kendall_tau
from ..structures import Permutations, resolve_structure
from ._preferences import Preferences, read_preferences

_Self = TypeVar("_Self", bound="LabelRanker")  # typing.Self needs Python 3.11


class LabelRanker(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Base of estimators that rank a fixed set of labels for each input.

    A subclass trains in `_train`. It either sets `coef_` and `intercept_` there, which make its scores linear in the
    inputs, or overrides `_label_scores`, or `_positions` if it ranks without scores.
    """

    # Parameters that several rankers have; scikit-learn checks those that a class has.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "decomposition": [StrOptions(set(SUBGRAPHS)), callable],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    # What a subclass provides.

    @abstractmethod
    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        """Set the fitted attributes from checked rows, none of weight 0; weights are None if all are 1."""

    def _label_scores(self, X: Any) -> FloatArray:
        """Return the scores of a block of rows, ``(n, k)``."""
        return X @ self.coef_.T + self.intercept_

    def _formats_refused(self) -> Collection[str]:
        """Return the `PREFERENCE_FORMATS` that the learner does not take with these parameters."""
        return ()

    def _read(self, y: Any, n_labels: int | None, names: list[Any] | None) -> Preferences:
        """Return what y says about labels; overridden by learners that need more than the order of positions."""
        return read_preferences(y, n_labels, names=names)

    def _has_scores(self) -> bool:
        """Whether labels are ranked by scores with these parameters; otherwise there is no `label_scores`."""
        return True

    def _row_width(self) -> int:
        """Return how many numbers a prediction holds for a row besides its inputs, so that blocks of rows fit."""
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
            Positions of the k labels, 1 for the first. They are numbers above 0, of which only the order counts. Some
            learners also take ties (equal positions), unknown positions (−1, or NaN, which scikit-learn's
            cross-validation refuses), and preference graphs: booleans, where ``y[i, u, v]`` says that row i prefers
            label u to label v. A graph need not be transitive, nor cover every pair of labels. The columns of a data
            frame name the labels; `score` then matches columns by name, in any order. A label that no row compares with
            another one gets an arbitrary place in predictions.
        sample_weight : array of shape (n,) or float, default=None
            Weight of each row, at least 0; None for 1. Rows of weight 0 are left out.

        Returns
        -------
        LabelRanker
            The estimator itself. If ``fit`` raises, an earlier fit stays as it was.

        Raises
        ------
        ValueError
            For illegal parameters, inputs, rankings or weights, naming the row. For rankings in a format that the
            learner does not take with its parameters.
        MemoryError
            When the n k(k−1)/2 preferences do not fit, before they are allocated.

        Notes
        -----
        Cost: O(n k²) to read y, plus the cost of the learner, which the notes of its class give.

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).n_labels_
        3
        """
        with refit(self):
            tags = get_tags(self).input_tags
            X = read_inputs(self, X, reset=True, accept_sparse=tags.sparse)
            if tags.pairwise and X.shape[0] != X.shape[1]:
                raise ValueError(f"X has shape {X.shape}, must be square: precomputed values of all pairs of rows")
            preferences, weights = self._check_targets(X, y, sample_weight, reset=True)
            preferences.states_something(weights)
            self.n_labels_ = preferences.n_labels
            if weights is None or weights.all():
                self._train(X, preferences, weights)
            else:
                rows = np.flatnonzero(weights)
                with renumbered(rows):  # a learner counts the rows that it gets
                    self._train(X[rows], preferences.of_rows(rows), weights[rows])
        return self

    def _check_targets(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool = False
    ) -> tuple[Preferences, FloatArray | None]:
        """Return what y says and the weights, one for each row of X; `reset` learns the names and number of labels."""
        if reset:
            self.labels_ = resolve_structure("permutations", y).labels if natural_rows(y) else column_names(y)
        y = Permutations(labels=self.labels_).ordered(y)
        preferences = self._read(y, None if reset else self.n_labels_, self.labels_)
        if reset:
            preferences.refuse(self._formats_refused(), self)
        check_consistent_length(X, preferences)
        return preferences, check_weights(sample_weight, len(preferences))

    def _keep_weights(self, weights: FloatArray) -> None:
        """Set `coef_` and `intercept_` from weights of the inputs ``(q, k)``, that of the constant feature last."""
        p = self.n_features_in_
        self.coef_ = np.ascontiguousarray(weights[:p].T)
        self.intercept_ = weights[p].copy() if len(weights) > p else np.zeros(weights.shape[1])

    # Predictions.

    def set_output(self: _Self, *, predict: str | None = None) -> _Self:
        """Choose the type of predictions.

        Parameters
        ----------
        predict : {"default", "names", "pandas", "polars"} or None, default=None
            What `predict` returns. "default": an array. "names": an array of n lists of labels, from best to worst.
            "pandas", "polars": a data frame with one column per label, named after it, and the index of X. None keeps
            the setting.

        Returns
        -------
        LabelRanker
            The estimator itself. As in scikit-learn, ``clone`` keeps the choice.

        Raises
        ------
        ValueError
            If `predict` is none of these.

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

        Rankers that use no scores with their parameters do not have this method.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        scores : ndarray of shape (n, k), dtype=float64
            The notes of the class say what they measure.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            If an input is illegal or a score overflows, naming the row.
        MemoryError
            When the scores do not fit, before they are allocated.

        Notes
        -----
        Cost: see the notes of the class. Rows are processed in blocks of 16 MiB.

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).label_scores(X[:5]).shape
        (5, 3)
        """
        return self._by_blocks(X, self._finite_scores)

    def _finite_scores(self, X: Any) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):  # the row is named below
            scores = self._label_scores(X)
        finite = np.isfinite(scores).all(axis=1)
        if not finite.all():
            said = "the scores are not finite: scale the inputs as in training, or check what was trained"
            raise RowError(int(finite.argmin()), said, "X")
        return scores

    def predict(self, X: Any) -> Any:
        """Rank the labels of each row.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        positions : ndarray of shape (n, k), dtype=int32, or data frame
            The position of each label, from 1 (first) to k, in the type chosen by `set_output`. Labels with equal
            scores are ranked by index.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            If an input is illegal or a score overflows, naming the row.
        MemoryError
            When the predictions do not fit, before they are allocated.

        Notes
        -----
        Cost: see the notes of the class; sorting adds O(n k log k).

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> RankingByPairwiseComparison().fit(X, y).predict(X[:1])
        array([[1, 2, 3]], dtype=int32)
        """
        positions = self._positions(X)
        return output(self, positions, X, self.labels_, self._in_names)

    def _in_names(self, positions: Any) -> Any:
        """Return lists of labels from best to worst."""
        return as_objects(Permutations.to_orders(positions, self.labels_))

    def _positions(self, X: Any) -> NDArray[np.int32]:
        """Return the position of each label; overridden by those that rank without scores."""
        return positions_by_score(self.label_scores(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        r"""Return the mean of Kendall's τ between observed and predicted rankings; larger is better.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)
        y : array-like of shape (n, k) or (n, k, k)
            In any format of ``fit``, whichever was used in training.
        sample_weight : array of shape (n,) or float, default=None
            Weights of the rows in the mean; None for equal weights.

        Returns
        -------
        float
            :func:`combpred.metrics.kendall_tau`, between −1 (every pair reversed) and 1 (every pair in order): unknown
            positions are left out, and ties give :math:`\tau_b`, which stays below 1 for predictions without ties.
            For preference graphs it is the share of stated preferences that the prediction keeps, minus the share that
            it reverses; for the graph of a full ranking this is τ. Rows without preferences do not count.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            If an input, ranking or weight is illegal, naming the row, or if no row counts.
        MemoryError
            As `predict`.

        Notes
        -----
        Cost: that of `predict`, plus O(n k²).

        Examples
        --------
        >>> from combpred.datasets import load_iris_ranking
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> X, y = load_iris_ranking(return_X_y=True)
        >>> round(RankingByPairwiseComparison().fit(X, y).score(X, y), 2)
        0.99
        """
        predicted = self._positions(X)
        truth, weights = self._check_targets(predicted, y, sample_weight)
        rows = np.flatnonzero(truth.states_something(weights))
        taus = _taus(truth.of_rows(rows), predicted[rows])
        return float(np.average(taus, weights=None if weights is None else weights[rows]))

    def _by_blocks(self, X: Any, compute: Callable[[Any], NDArray[Any]], width: int = 0) -> NDArray[Any]:
        """Return what `compute` makes of new rows, a block at a time that fits with `width` numbers for each row."""
        X = read_inputs(self, X, reset=False, dtype="numeric", accept_sparse=get_tags(self).input_tags.sparse)
        names, found = getattr(self, "feature_names_in_", None), None
        width = max(self._row_width(), width, 0 if sparse.issparse(X) else X.shape[1])
        for rows in row_blocks(X.shape[0], width):
            block = in_double(X[rows], rows.start, names)
            with renumbered(rows):
                values = compute(block)
            if found is None:
                shape = (X.shape[0], *values.shape[1:])
                what = f"predicting {values[0].size} numbers for each of {shape[0]} rows"
                found = allocate(shape, values.dtype, what, "pass fewer rows at once")
            found[rows] = values
        assert found is not None  # there is a row
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        return tags


def _taus(truth: Preferences, predicted: NDArray[np.int32]) -> FloatArray:
    """Return the agreement of each row, all of which state a preference, with its prediction."""
    if truth.ranks is not None:
        known = np.where(truth.ranks == 0, -1, truth.ranks)
        return np.asarray(kendall_tau(known, predicted, per_row=True))
    agreed = (truth.signs * read_preferences(predicted).signs).sum(axis=1, dtype=np.int64)
    return agreed / np.count_nonzero(truth.signs, axis=1)


def partial_orders(
    proba: ArrayLike, *, threshold: str | float = "least", n_threads: int | None = None
) -> NDArray[np.bool_]:
    r"""Turn pairwise probabilities into partial orders that state only what exceeds a threshold.

    Parameters
    ----------
    proba : array-like of shape (n, k, k) or (n, k(k−1)/2)
        ``proba[i, u, v]`` is the probability in row i that item u comes before item v. The diagonal is not read. The
        two orders of a pair sum to at most 1, and to less than 1 if the pair may be tied. Alternatively, pass only the
        pairs u < v in lexicographic order; the reverse order then has the complementary probability. For the marginals
        m of a ranking model these are ``(1 + m) / 2``.
    threshold : "least" or float, default="least"
        "least" takes, for each row, the smallest q >= 1/2 such that the pairs with probability above q contain no
        cycle. This states as many pairs as possible without contradiction. A number in [1/2, 1) is q itself, raised to
        the least threshold of a row if it is below that. Larger thresholds state fewer pairs.
    n_threads : int or None, default=None
        Number of threads; None uses the configured number.

    Returns
    -------
    relations : ndarray of shape (n, k, k), dtype=bool
        ``relations[i, u, v]`` says that u comes before v. Each relation is a strict partial order: the transitive
        closure of the pairs with probability above q. `PartialOrders` takes this array as y.

    Raises
    ------
    ValueError
        If an entry is not a probability, naming the row, or if the threshold is out of range.

    Notes
    -----
    A pair whose own probability is below q can still be stated, because it follows from others. If the pairs above 1/2
    contain no cycle, q is 1/2; if moreover no probability is exactly 1/2, the result is a total order. Cost: O(n k³).
    `combpred.metrics.abstention_curve` shows the trade-off between thresholds.

    References
    ----------
    Cheng, W., Rademaker, M., De Baets, B. and Hüllermeier, E. (2010). Predicting partial orders: ranking with
    abstention. *ECML PKDD*.

    Examples
    --------
    >>> from combpred.ranking import partial_orders
    >>> proba = [[0.6, 0.3, 0.7]]  # 0 before 1, 2 before 0, 1 before 2: a cycle, whose weakest link goes
    >>> partial_orders(proba).astype(int)
    array([[[0, 0, 0],
            [1, 0, 1],
            [1, 0, 0]]])
    """
    if threshold != "least":
        check_argument(threshold, "threshold, if not 'least',", Interval(Real, 0.5, 1, closed="left"))
    before = pair_probabilities(proba)
    n, k, _ = before.shape
    chains, least = computed("cp_aggregate_chains", before.reshape(n, k * k), k=k, n_threads=n_threads)
    cut: Any = least if threshold == "least" else np.maximum(least, float(threshold))
    return chains > cut[:, np.newaxis, np.newaxis]
