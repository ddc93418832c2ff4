"""ConstraintClassification: one linear classifier in the space of Kesler's construction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from .._data.glossary import documented
from .._lib.arrays import FloatArray, require_memory
from .._lib.errors import CapabilityError
from ._base import LabelRanker
from ._pairwise import weight_options
from ._preferences import Preferences


@documented
class ConstraintClassification(LabelRanker):
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
        :class:`sklearn.linear_model.LogisticRegression` with its default parameters.
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

    Vembu (2010), *Learning to Predict Combinatorial Structures*, ch. 3, with the vectors of the construction corrected.

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
        model = LogisticRegression() if self.estimator is None else clone(self.estimator)
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
