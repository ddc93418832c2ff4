"""EmbeddingRegressor: any regressor on ψ, then decoding."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor, StackingClassifier, StackingRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from combpred import Admissible, CapabilityError, EmbeddingRegressor, StructuredRidge, StructuredVoting
from combpred.aggregation import kemeny
from combpred.metrics import kendall_tau
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Permutations,
    Routes,
    Subtrees,
    WeakOrders,
)

STRUCTURES = [
    MultiClass(3),
    LabelSets(3),
    Ordinal(4),
    Hierarchy([-1, 0, 0, 1, 1]),
    Subtrees([-1, 0, 0, 1, 1]),
    Permutations(4),
    WeakOrders(3),
    PartialOrders(3),
    Cliques(4),
    Graphs(3),
    Cycles(4),
    Routes(3),
    Assignments(3),
]


def data(structure, n=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), structure.sample(n, random_state=seed)


class Answers(RegressorMixin, BaseEstimator):
    """Predicts what `answer` returns for the number of rows and of targets."""

    def __init__(self, answer):
        self.answer = answer

    def fit(self, X, y):
        self.width_ = y.shape[1] if y.ndim == 2 else 1
        return self

    def predict(self, X):
        return self.answer(len(X), self.width_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self):  # scikit-learn < 1.6
        return {"multioutput": True}


class Certain(ClassifierMixin, BaseEstimator):
    """Tells the probability of one class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.ones((len(X), 1))


@pytest.mark.parametrize("decision", ["auto", "score", "mbr"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_decisions_are_the_best_of_all_outputs_for_what_is_predicted(structure, decision):
    X, y = data(structure)
    forest = ExtraTreesRegressor(10, max_depth=3, random_state=0)
    model = EmbeddingRegressor(structure, forest, decision=decision).fit(X, y)
    targets = structure.embed(y)
    expected = clone(forest).fit(X, targets if targets.shape[1] > 1 else targets.ravel()).predict(X)
    psi = structure.embed(list(structure.enumerate()))
    np.testing.assert_allclose(model.feature_scores(X), expected.reshape(len(X), -1) - psi.mean(axis=0), atol=1e-12)
    values = expected.reshape(len(X), -1) @ psi.T
    if model.decision_ == "mbr":
        values -= (psi**2).sum(axis=1) / 2
    elif model.decision_ == "mode":  # of which all nodes have probabilities p with ψᵀp as expected
        values = np.linalg.solve(psi.T, expected.T).T
    best = values.max(axis=1)
    np.testing.assert_allclose(model.score_structures(X, model.predict(X)), best, atol=1e-9)
    certified = model.predict(X, return_certificate=True)[1]
    np.testing.assert_allclose(certified.value, best, atol=1e-9)
    assert certified.optimal.all()
    if decision == "auto":
        assert model.decision_ == StructuredRidge(structure, loss="squared").fit(X, y).decision_


def test_ridge_regression_on_psi_is_structured_ridge():
    """Signs of rankings have mean 0, so that both penalise the same weights."""
    X, y = data(Permutations(4))
    weights = np.random.default_rng(1).random(len(X))
    regressor = KernelRidge(alpha=0.6, kernel="rbf", gamma=0.2)
    ours = EmbeddingRegressor("permutations", regressor).fit(X, y, sample_weight=weights)
    ridge = StructuredRidge("permutations", alpha=0.3, loss="squared", kernel="rbf", gamma=0.2, fit_intercept=False)
    ridge.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.feature_scores(X), ridge.feature_scores(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), ridge.predict(X))


def test_regressors_of_one_target_are_fitted_for_each_entry():
    X, y = data(Permutations(4))
    weights = np.random.default_rng(1).random(len(X))
    trees = GradientBoostingRegressor(n_estimators=3, random_state=0)
    model = EmbeddingRegressor("permutations", make_pipeline(StandardScaler(), trees)).fit(X, y, sample_weight=weights)
    assert isinstance(model.regressor_, MultiOutputRegressor)
    targets, scaled = Permutations(4).embed(y), StandardScaler().fit_transform(X)
    for entry in range(6):
        alone = clone(trees).fit(scaled, targets[:, entry], sample_weight=weights)
        np.testing.assert_allclose(model.feature_scores(X)[:, entry], alone.predict(scaled))
    two = EmbeddingRegressor(regressor=trees).fit(X, X[:, 0] > 0)
    assert two.decision_function(X).shape == (30,) and two.predict(X).dtype == bool
    single = EmbeddingRegressor("permutations", trees).fit(X, y[:, :2].argsort(axis=1) + 1)  # d = 1
    assert single.feature_scores(X).shape == (30, 1)


def test_regressors_that_can_predict_only_when_fitted():
    X, y = data(Permutations(4))
    stacked = StackingRegressor([("linear", LinearRegression()), ("tree", DecisionTreeRegressor(random_state=0))])
    model = EmbeddingRegressor("permutations", stacked).fit(X, y)
    alone = clone(stacked).fit(X, Permutations(4).embed(y)[:, 2])
    np.testing.assert_allclose(model.feature_scores(X)[:, 2], alone.predict(X))
    with pytest.raises(ValueError):
        EmbeddingRegressor("permutations", StandardScaler()).fit(X, y)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_probabilities_of_values_are_expectations(structure):
    X, y = data(structure)
    y = np.asarray(y)[np.arange(30) % 10]
    psi = structure.embed(y)
    model = EmbeddingRegressor(structure, LogisticRegression()).fit(X, y)
    expected = np.tile(psi[0], (len(X), 1))  # of entries that have one value
    for entry in np.flatnonzero(psi.min(axis=0) < psi.max(axis=0)):
        alone = LogisticRegression().fit(X, psi[:, entry].astype(int))
        expected[:, entry] = alone.predict_proba(X) @ alone.classes_
    np.testing.assert_allclose(model.feature_scores(X), expected - structure.mean(), atol=1e-9)
    assert model.loss_ == "squared"
    whole = EmbeddingRegressor(structure, LogisticRegression(), target="outputs").fit(X, y)
    outputs, codes = np.unique(psi, axis=0, return_inverse=True)
    alone = LogisticRegression().fit(X, codes.ravel())
    expected = alone.predict_proba(X) @ outputs
    np.testing.assert_allclose(whole.feature_scores(X), expected - structure.mean(), atol=1e-9)
    assert whole.decision_ == "mode"
    np.testing.assert_array_equal(structure.embed(whole.predict(X)), outputs[alone.predict(X)])


def test_classifiers_of_several_targets_and_searches_for_one():
    X, y = data(WeakOrders(3))  # entries of three values
    psi, mean = WeakOrders(3).embed(y), WeakOrders(3).mean()
    several = EmbeddingRegressor("weakorders", KNeighborsClassifier(4)).fit(X, y)
    assert isinstance(several.regressor_, KNeighborsClassifier)
    means = KNeighborsRegressor(4).fit(X, psi).predict(X)
    np.testing.assert_allclose(several.feature_scores(X), means - mean, atol=1e-12)
    labels = y[:, :2] == 1
    piped = make_pipeline(StandardScaler(), KNeighborsClassifier())
    search = GridSearchCV(piped, {"kneighborsclassifier__n_neighbors": [4]}, cv=2, error_score="raise")
    found = EmbeddingRegressor("labelsets", search).fit(X, labels).feature_scores(X)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(found + 0.5, KNeighborsRegressor(4).fit(scaled, labels).predict(scaled))
    stacked = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=1))], LogisticRegression())
    stacking = EmbeddingRegressor("labelsets", stacked).fit(X, labels)
    alone = clone(stacked).fit(X, labels[:, 1])
    np.testing.assert_allclose(stacking.feature_scores(X)[:, 1] + 0.5, alone.predict_proba(X)[:, 1])
    chain = ClassifierChain(LogisticRegression())
    model = EmbeddingRegressor("labelsets", chain).fit(X, labels)
    np.testing.assert_allclose(model.feature_scores(X) + 0.5, clone(chain).fit(X, labels).predict_proba(X))
    with pytest.raises(ValueError) as caught:
        EmbeddingRegressor("labelsets", Certain()).fit(X, labels)
    assert "regressor=" in str(caught.value)


def test_weights_reach_classifiers():
    X, y = data(LabelSets(3))
    weights = np.arange(30) % 3
    model = EmbeddingRegressor("labelsets", LogisticRegression()).fit(X, y, weights)
    alone = LogisticRegression().fit(X, y[:, 1], weights)
    np.testing.assert_allclose(model.feature_scores(X)[:, 1] + 0.5, alone.predict_proba(X)[:, 1], atol=1e-6)


@pytest.mark.parametrize(
    ("structure", "y"),
    [
        ("permutations", [[1, 2, 3], [3, 2, 1], [1, 2, -1], [3, 2, 1]]),
        ("labelsets", [[0, 1], [1, 0], [np.nan, 1], [1, 1]]),
    ],
)
def test_classifiers_take_no_unknown_label_for_a_class(structure, y):
    X = np.arange(4.0)[:, None]
    for target in ("entries", "outputs"):
        with pytest.raises(ValueError) as caught:
            EmbeddingRegressor(structure, KNeighborsClassifier(1), target=target).fit(X, y)
        assert (caught.value.row, caught.value.argument) == (2, "y")
    EmbeddingRegressor(structure, KNeighborsRegressor(1)).fit(X, y)  # learns the mean over what is left open


@pytest.mark.parametrize("regressor", [LogisticRegression(), ExtraTreesRegressor(5, random_state=0)])
@pytest.mark.parametrize(
    "structure", [LabelSets(observed=True), Hierarchy([-1, 0, 0, 1, 1]), Permutations(4), Routes(3), Assignments(3)]
)
def test_log_odds_take_the_most_probable_output_of_independent_entries(structure, regressor):
    X, y = data(structure if not isinstance(structure, LabelSets) else LabelSets(3))
    keep = [0, 1, 2, 3, 4, 5] * 5 if isinstance(structure, LabelSets) else slice(None)  # six sets at most
    model = EmbeddingRegressor(structure, regressor, decision="log_odds").fit(X, y[keep])
    assert (model.loss_, model.decision_) == ("squared", "log_odds")
    space = model.structure_
    outputs = list(space.enumerate())
    psi, expected = space.embed(outputs), model.feature_scores(X) + space.mean()
    low = -1.0 if isinstance(structure, Permutations) else 0.0
    high = np.clip((expected - low) / (1.0 - low), 1 / 32, 31 / 32)[:, np.newaxis]  # 30 rows
    best = np.where(psi == 1, np.log(high), np.log(1 - high)).sum(axis=2)
    chosen = (psi[np.newaxis] == space.embed(model.predict(X))[:, np.newaxis]).all(axis=2)
    np.testing.assert_allclose(best[chosen], best.max(axis=1))
    values = np.array([model.score_structures(X, [output] * len(X)) for output in outputs])
    np.testing.assert_allclose(values - values[0], (best - best[:, :1]).T, atol=1e-9)  # up to what all share


def test_members_of_averages_tell_expectations_whatever_decides():
    X, y = data(Permutations(3))
    for model in (
        EmbeddingRegressor("permutations", LogisticRegression(), decision="log_odds"),
        EmbeddingRegressor("permutations", LogisticRegression(), target="outputs"),
    ):
        voting = StructuredVoting([("one", model)], weights=None).fit(X, y)
        np.testing.assert_allclose(voting.feature_scores(X), clone(model).fit(X, y).feature_scores(X))


def test_label_powerset_needs_no_probabilities_to_predict():
    X, y = data(Permutations(4))
    y = y[np.arange(30) % 10]
    model = EmbeddingRegressor("permutations", LinearSVC(), target="outputs").fit(X, y)
    psi, codes = np.unique(Permutations(4).embed(y), axis=0, return_inverse=True)
    predicted = Permutations(4).embed(model.predict(X))
    np.testing.assert_array_equal(predicted, psi[LinearSVC().fit(X, codes.ravel()).predict(X)])
    held = model.predict(X, constraints={"first": 2})  # the nearest output that meets the condition
    outputs = np.array([output for output in Permutations(4).enumerate() if output[2] == 1])
    distance = ((Permutations(4).embed(outputs)[:, None] - predicted) ** 2).sum(axis=2)
    found = ((Permutations(4).embed(held) - predicted) ** 2).sum(axis=1)
    np.testing.assert_allclose(found, distance.min(axis=0))
    assert (held[:, 2] == 1).all()
    for call in (lambda: model.feature_scores(X), lambda: clone(model).set_params(target="entries").fit(X, y)):
        with pytest.raises(CapabilityError) as caught:
            call()
        assert "CalibratedClassifierCV" in str(caught.value)
    with pytest.raises(CapabilityError) as caught:
        clone(model).set_params(target="entries", decision="mode").fit(X, y)
    assert "target='outputs'" in str(caught.value)


class NeverFitted(ClassifierMixin, BaseEstimator):
    """Has no probabilities."""

    def fit(self, X, y):
        raise AssertionError("fitted")


@pytest.mark.parametrize("target", ["entries", "outputs"])
def test_classifiers_without_probabilities_are_refused_before_their_fit(target):
    X, y = data(Permutations(3))
    for classifier in (NeverFitted(), make_pipeline(StandardScaler(), NeverFitted())):
        with pytest.raises(CapabilityError) as caught:
            EmbeddingRegressor("permutations", classifier, target=target, decision="score").fit(X, y)
        assert "regressor=" in str(caught.value)
    stacked = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=1))], cv=2)  # which says only afterwards
    EmbeddingRegressor("permutations", stacked, target=target, decision="score").fit(X, y)


@pytest.mark.parametrize("classifier", [ClassifierChain, MultiOutputClassifier])
def test_classifiers_of_several_columns_do_not_learn_whole_outputs(classifier):
    X, y = data(Permutations(3))
    for given in (classifier(LogisticRegression()), make_pipeline(StandardScaler(), classifier(LogisticRegression()))):
        with pytest.raises(ValueError) as caught:
            EmbeddingRegressor("permutations", given, target="outputs").fit(X, y)
        assert "regressor=" in str(caught.value) and "target='outputs'" in str(caught.value)


def test_the_threshold_of_f1_is_the_best_for_rows_left_out():
    X, y = data(LabelSets(4), n=60)
    y[y.sum(axis=1) == 0, 0] = 1
    model = EmbeddingRegressor("labelsets", LogisticRegression(), decision="f1").fit(X, y)
    left_out = np.empty((60, 4))
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        for label in range(4):
            left_out[test, label] = LogisticRegression().fit(X[train], y[train, label]).predict_proba(X[test])[:, 1]

    def mean_f1(scores, threshold):
        found = (scores > threshold) | (scores == scores.max(axis=1, keepdims=True))
        return (2 * (found & (y == 1)).sum(axis=1) / (found.sum(axis=1) + y.sum(axis=1))).mean()

    best = max(mean_f1(left_out, threshold) for threshold in np.r_[0.0, left_out.ravel()])
    assert mean_f1(left_out, model.threshold_) == pytest.approx(best)
    expected = model.feature_scores(X) + 0.5
    largest = expected == expected.max(axis=1, keepdims=True)
    np.testing.assert_array_equal(model.predict(X), ((expected > model.threshold_) | largest).astype(int))
    whole = EmbeddingRegressor("labelsets", LogisticRegression(), target="outputs", decision="f1").fit(X, y)
    assert whole.decision_ == "f1" and whole.predict(X).any(axis=1).all()
    with pytest.raises(CapabilityError):
        model.fit(X[:2], [Admissible([[1, 0], [1, 1]]), Admissible([[0, 1]])])


def test_draws_of_a_row_depend_on_nothing_else():
    X, y = data(Permutations(7), n=60)
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    columns = ColumnTransformer([("colour", OneHotEncoder(), ["colour"])], remainder="passthrough")
    forest = make_pipeline(columns, ExtraTreesRegressor(5, max_depth=2, random_state=0))
    model = EmbeddingRegressor("permutations", forest, decoder="metropolis", random_state=0).fit(frame, y)
    whole = model.predict(frame)
    np.testing.assert_array_equal(model.predict(frame[::-1]), whole[::-1])
    np.testing.assert_array_equal(model.predict(frame[20:30]), whole[20:30])


def test_weights_of_zero_leave_rows_out_and_searches_get_weights():
    X, y = data(LabelSets(3))
    weights = np.arange(30) % 3
    model = EmbeddingRegressor(structure=LabelSets(3), random_state=0)
    kept = weights > 0
    without = clone(model).fit(X[kept], y[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(model.fit(X, y, sample_weight=weights).feature_scores(X), without.feature_scores(X))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), DecisionTreeRegressor()), {"decisiontreeregressor__max_depth": [2]}
    )
    weighted = EmbeddingRegressor(LabelSets(3), search).fit(X, y, sample_weight=weights)
    tree = DecisionTreeRegressor(max_depth=2).fit(X[kept], y[kept], sample_weight=weights[kept])
    np.testing.assert_allclose(weighted.feature_scores(X), tree.predict(X) - 0.5, atol=1e-9)


def test_sets_of_outputs_are_learnt_output_by_output():
    X = np.arange(3.0)[:, None]
    y = [Admissible([[1, 2, 3], [2, 1, 3]]), Admissible([[1, 2, 3]]), Admissible([[3, 2, 1]])]
    rows, flat = [0, 0, 1, 2], [[1, 2, 3], [2, 1, 3], [1, 2, 3], [3, 2, 1]]
    model = EmbeddingRegressor("permutations", LinearRegression()).fit(X, y, sample_weight=[1, 2, 3])
    other = EmbeddingRegressor("permutations", LinearRegression()).fit(X[rows], flat, sample_weight=[1, 1, 2, 3])
    np.testing.assert_allclose(model.feature_scores(X), other.feature_scores(X))


def test_squared_distance_is_kendall_s_so_that_trees_split_by_it():
    """The best of all splits by Kendall's distance is scikit-learn's on ψ, and leaves are Kemeny consensuses."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), Permutations(4).sample(40, random_state=0)
    y[X[:, 1] > 0.3] = [2, 1, 4, 3]
    psi = Permutations(4).embed(y)
    discordant = np.array([[(1 - kendall_tau(a[None], b[None])) / 2 * 6 for b in y] for a in y])
    np.testing.assert_allclose(((psi[:, None] - psi[None]) ** 2).sum(axis=2), 4 * discordant, atol=1e-9)

    def spread(rows):  # twice the discordant pairs of two rankings drawn from a node, times its rows
        return 2 * discordant[np.ix_(rows, rows)].mean() * rows.sum()

    assert spread(np.ones(40, bool)) == pytest.approx(40 * psi.var(axis=0).sum())
    splits = [
        (spread(low) + spread(~low), f, low) for f in range(3) for t in np.sort(X[:, f])[:-1] for low in [X[:, f] <= t]
    ]
    _, feature, low = min(splits, key=lambda split: split[0])
    model = EmbeddingRegressor("permutations", DecisionTreeRegressor(max_depth=1, random_state=0)).fit(X, y)
    assert model.regressor_.tree_.feature[0] == feature
    np.testing.assert_array_equal(X[:, feature] <= model.regressor_.tree_.threshold[0], low)
    for leaf in (low, ~low):
        np.testing.assert_array_equal(model.predict(X[leaf])[0], kemeny(y[leaf], method="exact").consensus)


def test_constraints_take_the_best_of_what_they_leave():
    X, y = data(Permutations(4))
    model = EmbeddingRegressor("permutations", KNeighborsRegressor(4)).fit(X, y)
    outputs = np.array([output for output in Permutations(4).enumerate() if output[2] == 1])
    values = np.array([model.score_structures(X, np.tile(output, (len(X), 1))) for output in outputs])
    found = model.predict(X, constraints={"first": 2})
    np.testing.assert_allclose(model.score_structures(X, found), values.max(axis=0), atol=1e-9)
    best = next(model.enumerate(X[0], nu=1, max_results=1))
    np.testing.assert_array_equal(best, model.predict(X[:1])[0])


def test_a_citizen_of_scikit_learn():
    X, y = data(Permutations(4))
    model = EmbeddingRegressor(Permutations(), ExtraTreesRegressor(10, random_state=0))
    search = GridSearchCV(model, {"regressor__max_depth": [1, None], "decision": ["score"]}, cv=2, error_score="raise")
    best = search.fit(X, y).best_estimator_
    assert best.regressor_.max_depth == best.regressor.max_depth == search.best_params_["regressor__max_depth"]
    again = pickle.loads(pickle.dumps(best))
    np.testing.assert_array_equal(again.predict(X), best.predict(X))
    piped = make_pipeline(StandardScaler(), clone(best))
    assert np.isfinite(cross_val_score(piped, X, y, cv=3)).all()
    assert (
        not is_classifier(model)
        and is_classifier(EmbeddingRegressor())
        and is_classifier(EmbeddingRegressor("labelsets", None))
    )
    one, other = (EmbeddingRegressor(structure="permutations", random_state=0).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.feature_scores(X), other.feature_scores(X))
    assert isinstance(one.regressor_, ExtraTreesRegressor) and one.regressor is None
    assert one.regressor_.max_features == 1 / 3 and not one.regressor_.bootstrap
    with pytest.raises(AttributeError):  # as of BaggingRegressor(estimator=None): there is no estimator to set it of
        EmbeddingRegressor("permutations").set_params(regressor__max_depth=3)


@pytest.mark.parametrize(("package", "name"), [("lightgbm", "LGBMRegressor"), ("xgboost", "XGBRegressor")])
def test_boosted_trees_of_other_packages(package, name):
    library = pytest.importorskip(package, reason=f"{package} is no dependency; any regressor may take its place")
    regressor = getattr(library, name)(n_estimators=10, n_jobs=1)
    X = np.random.default_rng(0).normal(size=(80, 6))
    y = Permutations(4).decode(X)
    grid = {"regressor__n_estimators": [5, 20]}
    search = GridSearchCV(EmbeddingRegressor("permutations", regressor), grid, cv=2, error_score="raise").fit(X, y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    weighted = clone(again).fit(X, y, np.repeat([0.5, 1.5], 40))
    assert weighted.score(X, y) > 0.6


def test_frames_and_sparse_inputs_reach_the_regressor():
    X, y = data(LabelSets(3))
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    columns = ColumnTransformer([("colour", OneHotEncoder(), ["colour"])], remainder="passthrough")
    model = EmbeddingRegressor(LabelSets(), make_pipeline(columns, KNeighborsRegressor(3))).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["size", "colour"] and model.n_features_in_ == 2
    coded = np.column_stack([X[:, 1] <= 0, X[:, 1] > 0, X[:, 0]])
    plain = EmbeddingRegressor(LabelSets(), KNeighborsRegressor(3)).fit(coded, y)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(coded))
    with pytest.raises(ValueError):
        model.predict(frame[["colour", "size"]])
    dense = EmbeddingRegressor(LabelSets(), KNeighborsRegressor(3)).fit(X, y)
    compressed = clone(dense).fit(sparse.csr_matrix(X), sparse.csr_matrix(y))
    assert sparse.issparse(compressed.predict(sparse.csr_matrix(X)))
    np.testing.assert_array_equal(compressed.predict(sparse.csr_matrix(X)).toarray(), dense.predict(X))
    holes = np.where(X > 1.5, np.nan, X)
    filled = make_pipeline(SimpleImputer(), KNeighborsRegressor(3))
    assert EmbeddingRegressor(LabelSets(), filled).fit(holes, y).predict(holes).shape == (30, 3)
    with pytest.raises(ValueError):
        dense.predict(holes)


def test_kernel_matrices_are_cut_on_both_sides():
    X, y = data(Permutations(4))
    given = EmbeddingRegressor("permutations", KernelRidge(kernel="precomputed"))
    plain = EmbeddingRegressor("permutations", KernelRidge())
    np.testing.assert_allclose(cross_val_score(given, X @ X.T, y, cv=3), cross_val_score(plain, X, y, cv=3))


@pytest.mark.parametrize(
    ("answer", "row"),
    [
        (lambda n, d: np.zeros((n, d - 1)), None),
        (lambda n, d: np.zeros(n), None),
        (lambda n, d: np.full((n, d), np.nan), 0),
        (lambda n, d: np.full((n, d), "high"), None),
        (lambda n, d: np.ma.masked_less(np.zeros((n, d)), 1), 0),
        (lambda n, d: np.full((n, d), 1j), None),
    ],
)
def test_what_regressors_must_not_predict(answer, row):
    X, y = data(Permutations(4))
    model = EmbeddingRegressor("permutations", LinearRegression()).fit(X, y)
    before = model.predict(X)
    with pytest.raises((TypeError, ValueError)) as caught:
        model.set_params(regressor=Answers(answer)).fit(X, y)
    assert getattr(caught.value, "row", None) == row
    np.testing.assert_array_equal(model.predict(X), before)  # the earlier fit


def test_the_row_without_a_prediction_is_named():
    X, y = data(Permutations(4))

    def answer(n, d):
        found = np.zeros((n, d))
        found[7:, 2] = np.inf
        return found

    model = EmbeddingRegressor("permutations", Answers(answer)).fit(X, y)
    for method in (model.predict, model.feature_scores):
        with pytest.raises(ValueError) as found:
            method(X)
        assert found.value.row == 7


def test_refusals():
    X, y = data(Permutations(4))
    with pytest.raises(TypeError):
        EmbeddingRegressor("permutations", KNeighborsRegressor()).fit(X, y, sample_weight=np.arange(30))
    EmbeddingRegressor("permutations", KNeighborsRegressor()).fit(
        X, y, sample_weight=np.arange(30) > 3
    )  # rows left out
    with pytest.raises(ValueError):
        EmbeddingRegressor("permutations", "forest").fit(X, y)
    with pytest.raises(ValueError):
        EmbeddingRegressor(structure="permutations", decision="map").fit(X, y)
    for regressor in (None, LinearRegression()):
        with pytest.raises(ValueError) as caught:
            EmbeddingRegressor("permutations", regressor, target="outputs").fit(X, y)
        assert "target=" in str(caught.value)
    with pytest.raises(CapabilityError):  # three values
        EmbeddingRegressor("weakorders", LogisticRegression(), decision="log_odds").fit(X, y)
    with pytest.raises(CapabilityError):
        EmbeddingRegressor("permutations", LogisticRegression(), decision="f1").fit(X, y)
    with pytest.raises(ValueError) as caught:
        EmbeddingRegressor(structure="permutations").fit(X[:3], [[1, 2], [2, 1], [2, 2]])
    assert (caught.value.argument, caught.value.row) == ("y", 2)
    outputs = [(0, 1), (1, 0), (1, 1)]
    own = Custom(
        log_count=np.log(3.0), mean=np.full(2, 2 / 3), second_moment=np.full((2, 2), 1 / 3) + np.eye(2) / 3,
        embed=lambda y: np.array(y, dtype=float), decode=lambda scores: max(outputs, key=lambda y: scores @ y),
    )  # fmt: skip
    model = EmbeddingRegressor(own, LinearRegression()).fit(X[:6], outputs * 2)
    assert model.decision_ == "score"  # decoders by functions find no pre-images
    with pytest.raises(CapabilityError):
        model.set_params(decision="mbr").fit(X[:6], outputs * 2)
    own.set_params(embed=lambda y: np.array([np.nan, 1.0]))
    with pytest.raises(ValueError):
        EmbeddingRegressor(own, LinearRegression()).fit(X[:6], outputs * 2)


def test_a_failed_fit_keeps_the_earlier_one():
    X, y = data(Permutations(4))
    model = EmbeddingRegressor("permutations", KNeighborsRegressor(3)).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError):
        model.fit(np.where(X > 1, np.nan, X), y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_sparse_predictions_are_those_of_the_same_numbers():
    X, y = data(Permutations(4))
    predictions = np.random.default_rng(0).normal(size=(len(X), 6)).round()
    dense = EmbeddingRegressor("permutations", Answers(lambda n, d: predictions[:n])).fit(X, y)
    compressed = EmbeddingRegressor("permutations", Answers(lambda n, d: sparse.csr_matrix(predictions[:n]))).fit(X, y)
    np.testing.assert_array_equal(compressed.feature_scores(X), dense.feature_scores(X))


@pytest.mark.parametrize("target", ["entries", "outputs"])
@pytest.mark.parametrize("decision", ["auto", "mbr", "log_odds"])
def test_outputs_that_are_all_the_same_are_predicted(target, decision):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.tile([1, 0, 1], (20, 1))
    model = EmbeddingRegressor(LabelSets(), LogisticRegression(), target=target, decision=decision).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[:2]), y[:2])


def test_rows_of_weight_zero_have_no_part_in_the_folds_of_a_threshold():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X + 0.5 * rng.normal(size=X.shape) > 0.8).astype(int)
    weights = np.ones(60)
    weights[::4] = 0
    both = [
        EmbeddingRegressor(LabelSets(3), LogisticRegression(), decision="f1").fit(X[rows], y[rows], sample_weight=some)
        for rows, some in ((slice(None), weights), (weights > 0, None))
    ]
    assert both[0].threshold_ == both[1].threshold_
