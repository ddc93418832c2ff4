"""RankingByPairwiseComparison: one binary classifier for each pair of labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.parallel import Parallel, delayed

from .._data.glossary import documented
from .._lib.arrays import FloatArray
from .._lib.errors import CapabilityError
from ._base import LabelRanker
from ._preferences import Preferences


@documented
class RankingByPairwiseComparison(LabelRanker):
    r"""Label ranking by pairwise comparison: one binary classifier per pair of labels, combined by voting.

    The classifier for labels u < v learns from the rows that prefer one of the two, and predicts which one a new row
    prefers. Labels are ranked by the sum of their votes (Hüllermeier et al., 2008).

    Parameters
    ----------
    estimator : classifier or regressor, default=None
        A binary classifier of scikit-learn, cloned for each pair. Class 1 means that u is preferred, class 0 that v is.
        With ``vote="hard"`` it may also be a regressor, which learns these numbers. None takes
        :class:`sklearn.linear_model.LogisticRegression` with default parameters.
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
        model = LogisticRegression() if self.estimator is None else self.estimator
        if self.vote == "soft" and not hasattr(model, "predict_proba"):
            raise CapabilityError(
                f"vote='soft' adds up probabilities, but estimator={model!r} has no predict_proba: take vote='hard', "
                "or give a classifier probabilities by sklearn.calibration.CalibratedClassifierCV"
            )
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
