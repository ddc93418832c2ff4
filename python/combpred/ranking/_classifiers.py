"""Label rankers that are classifiers of pairs of labels: one for each pair, or one for all."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.parallel import Parallel, delayed

from .._data.glossary import documented
from .._lib.arrays import FloatArray, require_memory
from .._lib.errors import CapabilityError
from ._base import LabelRanker
from ._preferences import Preferences

_Self = TypeVar("_Self", bound="OfClassifiers")  # typing.Self needs Python 3.11


class OfClassifiers(LabelRanker):
    """Label ranking by binary classifiers: `estimator`, or logistic regression where it is None."""

    estimator: Any

    def set_params(self: _Self, **params: Any) -> _Self:
        """Set parameters, and by ``estimator__C`` those of the classifier, which need not have been given."""
        nested = any(name.startswith("estimator__") for name in params)
        if nested and params.get("estimator", self.estimator) is None:
            params["estimator"] = LogisticRegression()
        super().set_params(**params)
        return self

    def _classifier(self) -> Any:
        """Return a classifier to be trained."""
        return LogisticRegression() if self.estimator is None else clone(self.estimator)


@documented
class RankingByPairwiseComparison(OfClassifiers):
    r"""Label ranking by pairwise comparison: one binary classifier per pair of labels, combined by voting.

    The classifier for labels u < v learns from the rows that prefer one of the two, and predicts which one a new row
    prefers. Labels are ranked by the sum of their votes (Hüllermeier et al., 2008).

    Parameters
    ----------
    estimator : classifier or regressor, default=None
        A binary classifier of scikit-learn, cloned for each pair. Class 1 means that u is preferred, class 0 that v is.
        With ``vote="hard"`` it may also be a regressor, which learns these numbers. None takes
        :class:`sklearn.linear_model.LogisticRegression` with default parameters, or those that are set by name, as
        ``set_params(estimator__C=10.0)`` and grids do.
    vote : {"soft", "hard"}, default="soft"
        ``"soft"``: u gets the probability from ``predict_proba`` that it is preferred, and v gets the rest. ``"hard"``:
        the predicted label gets one vote. A regressor votes for u above ½ and for v below, as in scikit-learn's
        multiclass meta-estimators; exactly ½ is half a vote for each.
    n_jobs : int or None, default=None
        Number of pairs trained in parallel, as in scikit-learn's meta-estimators.

    Attributes
    ----------
    estimators_ : list of k(k-1)/2 classifiers or regressors
        One for each pair u < v in lexicographic order; None for pairs that need no classifier (see the notes).
    pair_counts_ : ndarray of shape (k(k-1)/2, 2), dtype=int64
        Number of training rows that prefer u, and that prefer v.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    ConstraintClassification : One linear classifier for all pairs, with k weight vectors.
    sklearn.multiclass.OneVsOneClassifier : The same for classes, of which one is predicted.

    Notes
    -----
    Takes full and incomplete rankings, ties and preference graphs. The classifier of a pair skips rows that prefer
    neither label. If all rows prefer the same label, that label always gets the vote. If no row compares the pair, each
    label gets ½, and a UserWarning says so.

    The score of a label is the sum of its votes, between 0 and k − 1. If soft votes were the true probabilities, the
    prediction would maximise the expected Spearman correlation (Hüllermeier et al., 2008). With two labels, the
    prediction is the classifier's.

    Training fits `estimator` k(k−1)/2 times, each time on the rows that compare the pair; prediction calls its
    ``predict_proba`` or ``predict`` as often. Standardise features of different scales first, in a pipeline.

    References
    ----------
    E. Hüllermeier, J. Fürnkranz, W. Cheng and K. Brinker (2008), Label ranking by learning pairwise preferences,
    *Artificial Intelligence* 172.

    Examples
    --------
    >>> from combpred.ranking import RankingByPairwiseComparison
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> y = [[1, 2, 3], [1, 2, 3], [-1, 2, 1], [3, 2, 1]]  # positions of three labels, one of them unknown
    >>> RankingByPairwiseComparison().fit(X, y).predict([[0.0], [3.0]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LabelRanker._parameter_constraints,
        "vote": [StrOptions({"soft", "hard"})],
    }

    def __init__(self, estimator: Any = None, *, vote: str = "soft", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.vote = vote
        self.n_jobs = n_jobs

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        model = self._classifier()
        if self.vote == "soft" and not hasattr(model, "predict_proba"):
            remedy = "take vote='hard', or wrap it in sklearn.calibration.CalibratedClassifierCV"
            raise CapabilityError(f"vote='soft' adds up probabilities, but {model!r} has no predict_proba: {remedy}")
        signs = preferences.signs
        self.pair_counts_ = np.stack([(signs == 1).sum(axis=0), (signs == -1).sum(axis=0)], axis=1)
        decided = np.asarray(self.pair_counts_.all(axis=1))
        trained = Parallel(n_jobs=self.n_jobs)(
            delayed(_train_pair)(clone(model), X, signs[:, pair], weights) for pair in np.flatnonzero(decided)
        )
        found = iter(trained)
        self.estimators_ = [next(found) if needed else None for needed in decided]

    def pair_votes(self, X: Any) -> FloatArray:
        """Return the votes for the first label of each pair.

        Parameters
        ----------
        X : array or CSR of shape (n, n_features)

        Returns
        -------
        votes : ndarray of shape (n, k(k-1)/2), dtype=float64
            For the pairs u < v in lexicographic order the vote for u, between 0 and 1; that for v is 1 less this.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        ValueError
            For inputs that are not legal, naming the row.
        MemoryError
            When the votes do not fit, before they are allocated.

        Notes
        -----
        Cost: k(k−1)/2 predictions for each row.

        Examples
        --------
        >>> from combpred.ranking import RankingByPairwiseComparison
        >>> ranker = RankingByPairwiseComparison(vote="hard").fit([[0.0], [1.0]], [[1, 2], [2, 1]])
        >>> ranker.pair_votes([[0.0], [1.0]])
        array([[1.],
               [0.]])
        """
        return self._by_blocks(X, self._votes)

    def _votes(self, X: Any) -> FloatArray:
        votes = np.empty((X.shape[0], len(self.estimators_)))
        for pair, (model, (first, second)) in enumerate(zip(self.estimators_, self.pair_counts_, strict=True)):
            if model is None:
                votes[:, pair] = 0.5 if first == second else float(first > 0)
            elif self.vote == "hard":
                votes[:, pair] = _hard_votes(model.predict(X))
            else:
                votes[:, pair] = model.predict_proba(X)[:, 1]
        return votes

    def _label_scores(self, X: Any) -> FloatArray:
        # A vote p for u is 1 − p for v: centred, one is the negative of the other.
        labels, (u, v) = np.eye(self.n_labels_), np.triu_indices(self.n_labels_, 1)
        return (self._votes(X) - 0.5) @ (labels[u] - labels[v]) + (self.n_labels_ - 1) / 2

    def _row_width(self) -> int:
        return len(self.estimators_)


def _hard_votes(predictions: Any) -> FloatArray:
    """Return 1, 0 and ½ for predictions above, below and at ½. The classes 1 and 0 stay what they are."""
    numbers = np.asarray(predictions, dtype=np.float64).ravel()  # some regressors predict a column
    return (np.sign(numbers - 0.5) + 1.0) / 2.0


def _train_pair(model: Any, X: Any, signs: NDArray[np.int8], weights: FloatArray | None) -> Any:
    """Return the model trained on the rows that prefer one label of the pair to the other."""
    compared = np.flatnonzero(signs)
    if compared.size < signs.size:
        X, signs, weights = X[compared], signs[compared], None if weights is None else weights[compared]
    return model.fit(X, (signs > 0).astype(np.int64), **weight_options(weights))


def weight_options(weights: FloatArray | None) -> dict[str, Any]:
    """Return the keyword arguments that give ``fit`` of another estimator its weights."""
    return {} if weights is None else {"sample_weight": weights}


@documented
class ConstraintClassification(OfClassifiers):
    r"""Label ranking by constraint classification: every preference is an example of one linear classifier.

    Labels are ranked by :math:`\langle w_l, x\rangle`. That a row prefers label p to label q says that
    :math:`\langle w_p - w_q, x\rangle > 0`: the vector of all k weight vectors should have a positive product with
    :math:`x \otimes (e_p - e_q)`, and a negative one with its negative. Both are examples of a binary linear classifier
    without intercept (Har-Peled, Roth & Zimak, 2002), after Kesler's construction for several classes.

    Parameters
    ----------
    estimator : linear classifier, default=None
        Any of scikit-learn's binary classifiers that take sparse inputs and have ``coef_``: among others
        ``LogisticRegression``, ``LinearSVC``, ``Perceptron``, ``SGDClassifier``. A clone is trained, with
        ``fit_intercept=False`` where it has that parameter. None:
        :class:`sklearn.linear_model.LogisticRegression` with its default parameters, or those that are set by name, as
        ``set_params(estimator__C=10.0)`` and grids do.
    %(constant_feature)s
        It gives each label a bias. Its weights are penalised like the others.

    Attributes
    ----------
    estimator_ : classifier
        The one trained, on k weight vectors in a row.
    coef_ : ndarray of shape (k, n_features)
        Weights of each label.
    intercept_ : ndarray of shape (k,)
        Bias of each label; zero without `fit_intercept`.
    %(n_labels_)s
    %(n_features_in_)s
    %(feature_names_in_)s

    See Also
    --------
    RankingByPairwiseComparison : A classifier, linear or not, for each pair of labels.

    Notes
    -----
    Takes full and incomplete rankings, ties and preference graphs: a row gives two examples, of opposite signs and
    classes, for every pair of which it prefers one label, each with the weight of the row. Rows that state more
    preferences therefore count more.

    For a classifier that minimises :math:`\tfrac12\|w\|^2 + C \sum \ell(\text{margin})`, the objective is

    .. math:: \tfrac12 \sum_l \|w_l\|^2 + 2C \sum_i w_i \sum_{(p, q)} \ell(\langle w_p - w_q, x_i\rangle)

    over the preferences (p, q) of the rows i. The score of a label is :math:`\langle w_l, x\rangle` with its bias; only
    differences of scores mean anything.

    The examples are held as compressed rows, of :math:`4 s p` entries for s preferences and p features, not k times as
    many as dense ones would have. Prediction costs O(k p) for a row. Features of different scales are best standardised
    before, in a pipeline.

    References
    ----------
    S. Har-Peled, D. Roth and D. Zimak (2002), Constraint classification for multiclass classification and ranking,
    *NIPS* 15.

    Vembu (2010), *Learning to Predict Combinatorial Structures*, section 3.2, with the vectors of the
    construction corrected.

    Examples
    --------
    >>> from combpred.ranking import ConstraintClassification
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> y = [[1, 2, 3], [1, 2, 3], [-1, 2, 1], [3, 2, 1]]  # positions of three labels, one of them unknown
    >>> ConstraintClassification().fit(X, y).predict([[0.0], [3.0]])
    array([[1, 2, 3],
           [3, 2, 1]], dtype=int32)
    """

    def __init__(self, estimator: Any = None, *, fit_intercept: bool = True) -> None:
        self.estimator = estimator
        self.fit_intercept = fit_intercept

    def _train(self, X: Any, preferences: Preferences, weights: FloatArray | None) -> None:
        model = self._classifier()
        if "fit_intercept" in model.get_params(deep=False):
            model.set_params(fit_intercept=False)
        inputs = sparse.csr_matrix(X)
        if self.fit_intercept:
            inputs = sparse.hstack([inputs, np.ones((X.shape[0], 1))], format="csr")
        examples, rows = kesler_examples(inputs, preferences)
        classes = np.repeat(np.array([1, -1]), len(rows))
        options = weight_options(None if weights is None else np.tile(weights[rows], 2))
        self.estimator_ = model.fit(examples, classes, **options)
        self._keep_weights(_coefficients(model, examples.shape[1]).reshape(self.n_labels_, inputs.shape[1]).T)


def kesler_examples(X: Any, preferences: Preferences) -> tuple[Any, NDArray[np.intp]]:
    """Return x ⊗ (e_p − e_q) for every preference p ≻ q of every row, then their negatives, and the rows they are of.

    Takes a CSR matrix of p features. The result is CSR with k p columns, the features of one label after another.

    Raises
    ------
    MemoryError
        When the examples do not fit, before they are built.
    """
    rows, pairs = np.nonzero(preferences.signs)
    signs = preferences.signs[rows, pairs]
    half = 2 * int(np.diff(X.indptr)[rows].sum(dtype=np.int64))  # entries: each row twice
    require_memory(
        5 * half * 16,  # the labels' parts, their rows side by side, these and their negatives
        f"the construction for {len(rows)} preferences",
        "train on fewer rows, or take RankingByPairwiseComparison, which holds no copies of a row",
    )
    u, v = (label[pairs] for label in np.triu_indices(preferences.n_labels, 1))
    winners, losers = np.where(signs > 0, u, v), np.where(signs > 0, v, u)
    copies = X[rows].tocoo()
    columns = [copies.col + X.shape[1] * labels[copies.row] for labels in (winners, losers)]
    positive = sparse.csr_matrix(
        (np.concatenate([copies.data, -copies.data]), (np.tile(copies.row, 2), np.concatenate(columns))),
        shape=(len(rows), preferences.n_labels * X.shape[1]),
    )
    return sparse.vstack([positive, -positive], format="csr"), rows


def _coefficients(model: Any, width: int) -> FloatArray:
    """Return the weights of a trained linear classifier as a vector."""
    coef: Any = getattr(model, "coef_", None)
    if sparse.issparse(coef):
        coef = coef.toarray()
    if np.size(coef) != width or np.any(getattr(model, "intercept_", 0.0) != 0.0):
        raise CapabilityError(
            f"estimator={model!r} has no coef_ of shape (1, {width}) after fit, or an intercept beside it: take a "
            "linear classifier with the parameter fit_intercept, which is set to False, such as LogisticRegression"
        )
    return np.asarray(coef, dtype=np.float64).ravel()
