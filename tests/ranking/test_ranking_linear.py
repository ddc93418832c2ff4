"""Rankers built on scikit-learn's classifiers, against those classifiers and against minimisers of their objectives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from joblib import parallel_backend
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

from combpred import CapabilityError
from combpred.ranking import ConstraintClassification, RankingByPairwiseComparison
from combpred.ranking._classifiers import kesler_examples
from combpred.ranking._preferences import read_preferences
from rankers import FORMATS, LOGISTIC, small_data


class Constant(RegressorMixin, BaseEstimator):
    """Predicts one number, in a column."""

    def __init__(self, number=1.0):
        self.number = number

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.number)


def test_regressors_may_predict_columns_but_not_nan():
    X, y = [[0.0], [1.0]], [[1, 2], [2, 1]]
    ranker = RankingByPairwiseComparison(Constant(0.7), vote="hard").fit(X, y)
    assert ranker.pair_votes(X).tolist() == [[1.0], [1.0]]
    with pytest.raises(ValueError) as caught:
        RankingByPairwiseComparison(Constant(np.nan), vote="hard").fit(X, y).predict(X)
    assert caught.value.row == 0


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB(), RandomForestClassifier(10, random_state=0)])
def test_with_two_labels_pairwise_comparison_is_the_classifier(model, vote):
    X, y = small_data(k=2)
    ranker = RankingByPairwiseComparison(model, vote=vote).fit(X, y)
    model.fit(X, (y[:, 0] < y[:, 1]).astype(int))
    if vote == "soft":
        np.testing.assert_array_equal(ranker.pair_votes(X)[:, 0], model.predict_proba(X)[:, 1])
        np.testing.assert_allclose(ranker.label_scores(X), model.predict_proba(X)[:, ::-1], rtol=0, atol=1e-15)
    # Of equal votes the smaller label is first.
    first = model.predict_proba(X)[:, 1] >= 0.5 if vote == "soft" else model.predict(X) == 1
    np.testing.assert_array_equal(ranker.predict(X)[:, 0] == 1, first)


@pytest.mark.parametrize(
    "model", [Ridge(alpha=0.1), DecisionTreeRegressor(max_depth=3, random_state=0), make_pipeline(Ridge())]
)
def test_hard_votes_of_a_regressor_are_its_predictions_cut_at_one_half(model):
    X, y = small_data()
    ranker = RankingByPairwiseComparison(model, vote="hard").fit(X, y)
    votes = np.empty((60, 6))
    for pair, (u, v) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
        predicted = model.fit(X, y[:, u] < y[:, v]).predict(X)
        assert predicted.min() < 0.5 < predicted.max()
        votes[:, pair] = np.where(predicted == 0.5, 0.5, predicted > 0.5)
    np.testing.assert_array_equal(ranker.pair_votes(X), votes)
    assert ranker.label_scores(X).min() >= 0.0
    assert ranker.label_scores(X).max() <= 3.0


def test_a_regressor_between_both_labels_gives_each_half_a_vote():
    ranker = RankingByPairwiseComparison(DummyRegressor(), vote="hard").fit([[0.0], [1.0]], [[1, 2], [2, 1]])
    np.testing.assert_array_equal(ranker.label_scores([[0.0]]), [[0.5, 0.5]])


def test_hard_votes_of_least_squares_are_those_of_the_linear_discriminant():
    # With as many rows of each class both divide the inputs alike (Fisher, 1936).
    X = np.random.default_rng(1).normal(size=(40, 3))
    y = np.where(np.arange(40)[:, None] % 2 == 0, [1, 2], [2, 1])
    squares, discriminant = (
        RankingByPairwiseComparison(model, vote="hard").fit(X, y).pair_votes(X)
        for model in (LinearRegression(), LinearDiscriminantAnalysis())
    )
    assert set(np.unique(squares)) == {0.0, 1.0}
    np.testing.assert_array_equal(squares, discriminant)


@pytest.mark.parametrize("form", FORMATS)
def test_votes_are_those_of_a_classifier_for_each_pair(form):
    X, y = small_data(form)
    weights = np.random.default_rng(0).random(60)
    ranker = RankingByPairwiseComparison(LogisticRegression()).fit(X, y, weights)
    signs = read_preferences(y).signs
    scores = np.zeros((60, 4))
    for pair, (u, v) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
        compared = signs[:, pair] != 0
        model = LogisticRegression().fit(X[compared], signs[compared, pair], weights[compared])
        scores[:, u] += model.predict_proba(X)[:, 1]
        scores[:, v] += model.predict_proba(X)[:, 0]
    np.testing.assert_allclose(ranker.label_scores(X), scores, rtol=0, atol=1e-12)


def test_pairs_of_one_outcome_need_no_classifier():
    X, y = small_data(k=3)
    y = np.column_stack([y + 1, np.ones(60, dtype=int)])  # the last label is always first
    ranker = RankingByPairwiseComparison().fit(X, y)
    constant = [model is None for model in ranker.estimators_]
    assert constant == [False, False, True, False, True, True]
    np.testing.assert_array_equal(ranker.pair_counts_[2], [0, 60])
    np.testing.assert_array_equal(ranker.pair_votes(X)[:, [2, 4, 5]], 0.0)
    np.testing.assert_array_equal(ranker.predict(X)[:, 3], 1)


def test_pairs_that_no_row_compares_share_the_vote():
    X, y = small_data(k=4)
    y = np.where((np.arange(60)[:, None] % 2 == 0) == (np.arange(4) < 2), y, -1)  # labels 0, 1 or 2, 3 are known
    ranker = RankingByPairwiseComparison().fit(X, y)
    np.testing.assert_array_equal(ranker.pair_votes(X)[:, 1:5], 0.5)
    np.testing.assert_allclose(ranker.label_scores(X)[:, :2].sum(axis=1), 3.0, rtol=0, atol=1e-12)


def test_pairs_are_trained_alike_in_parallel():
    X, y = small_data()
    with parallel_backend("threading"):  # processes take seconds to start
        one, two = (RankingByPairwiseComparison(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.label_scores(X), two.label_scores(X))


def test_what_pairwise_comparison_refuses():
    X, y = small_data()
    with pytest.raises(ValueError, match="vote='soft' adds up probabilities.*vote='hard'.*CalibratedClassifierCV"):
        RankingByPairwiseComparison(LinearSVC()).fit(X, y)
    assert RankingByPairwiseComparison(LinearSVC(), vote="hard").fit(X, y).score(X, y) > 0.5
    for ranker in (RankingByPairwiseComparison(KNeighborsClassifier()), ConstraintClassification(SVCWithoutWeights())):
        with pytest.raises(TypeError) as caught:
            ranker.fit(X, y, np.ones(60))
        assert "sample_weight" in str(caught.value)
    with pytest.raises(ValueError):
        RankingByPairwiseComparison(vote="mean").fit(X, y)


class SVCWithoutWeights(LinearSVC):
    """A classifier whose fit takes no weights."""

    def fit(self, X, y):
        return super().fit(X, y)


@pytest.mark.parametrize("form", FORMATS)
def test_examples_are_those_of_the_construction(form):
    X, y = small_data(form)
    X[np.abs(X) < 0.3] = 0.0
    preferences = read_preferences(y)
    examples, rows = kesler_examples(sparse.csr_matrix(X), preferences)
    expected, expected_rows = [], []
    pairs = list(zip(*np.triu_indices(4, 1), strict=True))
    for i, signs in enumerate(preferences.signs):
        for sign, (u, v) in zip(signs, pairs, strict=True):
            if sign:
                better, worse = (u, v) if sign > 0 else (v, u)
                expected.append(np.kron(np.eye(4)[better] - np.eye(4)[worse], X[i]))
                expected_rows.append(i)
    np.testing.assert_array_equal(examples.toarray(), np.concatenate([expected, np.negative(expected)]))
    np.testing.assert_array_equal(rows, expected_rows)
    assert examples.nnz == 2 * np.count_nonzero(expected)
    assert examples.has_canonical_format


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("loss", ["logistic", "squared hinge"])
def test_weights_minimise_the_objective(form, loss):
    X, y = small_data(form)
    weights = np.random.default_rng(0).random(60)
    C = 0.3
    base = LogisticRegression(C=C, tol=1e-12, max_iter=10000) if loss == "logistic" else LinearSVC(C=C, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the change of a default in LinearSVC
        ranker = ConstraintClassification(base).fit(X, y, weights)
    before = [
        (i, u, v)
        for i, row in enumerate(read_preferences(y).signs)
        for sign, (a, b) in zip(row, zip(*np.triu_indices(4, 1), strict=True), strict=True)
        for u, v in [(a, b) if sign > 0 else (b, a)]
        if sign
    ]
    i, u, v = (np.array(each) for each in zip(*before, strict=True))
    inputs = np.column_stack([X, np.ones(60)])

    def objective(flat):
        W = flat.reshape(4, 4)
        margin = ((W[u] - W[v]) * inputs[i]).sum(axis=1)
        losses = np.logaddexp(0, -margin) if loss == "logistic" else np.maximum(0, 1 - margin) ** 2
        return 0.5 * (W**2).sum() + 2 * C * (weights[i] * losses).sum()

    best = minimize(objective, np.zeros(16), method="BFGS", options={"gtol": 1e-7})
    reached = np.column_stack([ranker.coef_, ranker.intercept_])
    assert objective(reached.ravel()) <= best.fun * (1 + 1e-8)
    np.testing.assert_allclose(reached, best.x.reshape(4, 4), rtol=0, atol=1e-4)
    np.testing.assert_allclose(ranker.label_scores(X), inputs @ reached.T, rtol=0, atol=1e-12)


def test_with_two_labels_constraint_classification_is_logistic_regression():
    """At the minimum ½‖w_0‖² + ½‖w_1‖² = ¼‖w_0 − w_1‖², and each row counts twice: as with C four times as large."""
    X, y = small_data(k=2)
    ranker = ConstraintClassification(LOGISTIC).fit(X, y)
    model = LogisticRegression(C=4.0, fit_intercept=False, tol=1e-10, max_iter=1000)
    model.fit(np.column_stack([X, np.ones(60)]), y[:, 0] < y[:, 1])
    found = np.append(ranker.coef_[0] - ranker.coef_[1], ranker.intercept_[0] - ranker.intercept_[1])
    np.testing.assert_allclose(found, model.coef_[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("model", [Perceptron(), SGDClassifier(random_state=0), LinearSVC()])
def test_other_linear_classifiers_are_taken(model):
    X, y = small_data()
    ranker = ConstraintClassification(model, fit_intercept=False).fit(X, y)
    assert ranker.score(X, y) > 0.5
    assert ranker.coef_.shape == (4, 3) and not ranker.intercept_.any()
    assert model.fit_intercept and not ranker.estimator_.fit_intercept  # the user's model is left as it is


def test_an_intercept_that_cannot_be_left_out_is_refused():
    X, y = small_data()
    with pytest.raises(CapabilityError):
        ConstraintClassification(SVC(kernel="linear")).fit(X, y)


def test_classifiers_that_are_not_linear_are_refused():
    X, y = small_data()
    for model in (SVC(kernel="rbf"), RandomForestClassifier(5), GaussianNBOnSparse()):
        with pytest.raises(CapabilityError):
            ConstraintClassification(model).fit(X, y)
    with pytest.raises(TypeError):
        ConstraintClassification(LinearDiscriminantAnalysis()).fit(X, y)


class GaussianNBOnSparse(GaussianNB):
    """A classifier of another kind that takes sparse inputs."""

    def fit(self, X, y):
        return super().fit(X.toarray(), y)


@pytest.mark.parametrize("ranker", [RankingByPairwiseComparison, ConstraintClassification])
@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_grids_set_parameters_of_the_default_classifier(ranker, estimator):
    X, y = small_data()
    grid = GridSearchCV(ranker(estimator), {"estimator__C": [1e-3, 10.0]}, cv=2).fit(X, y)
    best = ranker(LogisticRegression(C=grid.best_params_["estimator__C"])).fit(X, y)
    np.testing.assert_array_equal(grid.best_estimator_.predict(X), best.predict(X))
    default = ranker()
    assert default.set_params(estimator__C=3.0).estimator.C == 3.0
    assert default.set_params(estimator=None, estimator__tol=0.1).estimator.get_params()["C"] == 1.0
    assert ranker().estimator is None
    with pytest.raises(ValueError):
        ranker().set_params(estimator__alpha=1.0)
