"""StructuredVoting: links to other structures, and what averages predict."""

from __future__ import annotations

import pickle
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from averages import data, folded, neighbours, refitted
from combpred import (
    Admissible,
    ProbabilisticStructured,
    StructuredRidge,
    StructuredVoting,
)
from combpred.structures import (
    Cycles,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Permutations,
    Routes,
    SpanningTrees,
)


def test_log_odds_and_distributions_become_expectations():
    structure = Permutations(3)
    X, y = data(structure)
    ranker, law = StructuredRidge(structure, loss="auc"), ProbabilisticStructured(structure)
    voting = StructuredVoting([("ranker", ranker), ("law", law)], weights=[1, 3]).fit(X, y)
    assert voting.loss_ == "squared" and not hasattr(voting, "left_out_by_")
    expected = 0.25 * ranker.fit(X, y).feature_scores(X) @ structure.covariance()
    expected += 0.75 * (law.fit(X, y).predict_marginals(X) - structure.mean())
    np.testing.assert_allclose(voting.feature_scores(X), expected, atol=1e-9)
    learnt = StructuredVoting([("ranker", ranker), ("law", law)]).fit(X, y)
    assert learnt.left_out_by_ == ["loo", "cv"] and learnt.weights_.sum() > 0


@pytest.mark.parametrize("decision", ["score", "mbr"])
@pytest.mark.parametrize("loss", ["squared", "auc"])
def test_decisions_are_the_best_of_all_outputs(decision, loss):
    """With a link the score of y is that of ψ, of mean μ + Σf, and, times its weight, that of what is visited."""
    structure = Routes(4)
    X, y = data(structure)
    outputs = list(structure.enumerate())
    psi, visited = structure.embed(outputs), np.array([np.isin(np.arange(4), y) for y in outputs]).astype(float)
    members = [("routes", StructuredRidge(Routes(), loss=loss)), ("places", StructuredRidge(LabelSets()))]
    voting = StructuredVoting(members, weights=[0.5, 1.5], decision=decision).fit(X, y)
    np.testing.assert_array_equal(voting.weights_, [1, 3])
    routes = StructuredRidge(structure, loss=loss).fit(X, y).feature_scores(X)
    routes = routes @ structure.covariance() if loss == "auc" else routes
    places = StructuredRidge(LabelSets()).fit(X, np.array([np.isin(np.arange(4), row) for row in y]).astype(int))
    values = (routes + structure.mean()) @ psi.T + 3 * (places.feature_scores(X) + 0.5) @ visited.T
    if decision == "mbr":
        values -= ((psi**2).sum(axis=1) + 3 * visited.sum(axis=1)) / 2
    np.testing.assert_allclose(voting.score_structures(X, voting.predict(X)), values.max(axis=1), atol=1e-9)
    np.testing.assert_allclose(voting.predict(X, return_certificate=True)[1].value, values.max(axis=1), atol=1e-9)
    held = [{"start": int(row[0]), "length": 3} for row in y]
    kept = np.array([[out[0] == each["start"] and (np.array(out) >= 0).sum() == 3 for out in outputs] for each in held])
    found = voting.predict(X, constraints=held)
    np.testing.assert_allclose(
        voting.score_structures(X, found), np.where(kept, values, -np.inf).max(axis=1), atol=1e-9
    )


def test_members_with_a_link_are_weighed_in_terms_of_their_own_psi():
    structure = Routes(4)
    X, y = data(structure, n=60)
    visited = np.array([np.isin(np.arange(4), row) for row in y]).astype(int)
    members = [
        ("routes", StructuredRidge(structure, loss="squared")),
        ("places", StructuredRidge(LabelSets(), kernel="rbf")),
    ]
    members.append(("near", neighbours(5, LabelSets())))
    voting = StructuredVoting(members).fit(X, y)
    routes = refitted(members[0][1], X, y)
    places = [refitted(members[1][1], X, visited), folded(members[2][1], X, visited)]
    own = lsq_linear(routes.reshape(-1, 1), (structure.embed(y) - structure.mean()).ravel(), bounds=(0, np.inf)).x
    both = np.column_stack([each.ravel() for each in places])
    linked = lsq_linear(both, (visited - 0.5).ravel(), bounds=(0, np.inf)).x
    np.testing.assert_allclose(voting.weights_, [*own, *linked], atol=1e-6)
    into = np.array([[name.endswith(f"→{v}") or name == f"start {v}" for name in NAMES] for v in range(4)])
    expected = own[0] * routes + (sum(w * each for w, each in zip(linked, places, strict=True)) + 0.5) @ into
    np.testing.assert_allclose(voting.left_out_scores_, expected, atol=1e-6)
    fitted = [model.feature_scores(X) for model in voting.estimators_]
    average = (linked[0] * fitted[1] + linked[1] * fitted[2] + 0.5) @ into
    np.testing.assert_allclose(voting.feature_scores(X), own[0] * fitted[0] + average, atol=1e-6)


NAMES = [f"{u}→{v}" for u, v in permutations(range(4), 2)] + [f"start {v}" for v in range(4)] + ["end"] * 4


def test_visits_are_linear_in_psi():
    for structure in (Routes(5), Cycles(5)):
        y = list(structure.enumerate())
        voting = StructuredVoting(
            [("own", StructuredRidge(structure)), ("sets", StructuredRidge(LabelSets()))], weights=None
        )
        X = np.arange(float(len(y)))[:, None]
        voting.fit(X, y)
        visited = np.array([np.isin(np.arange(5), row) for row in y]).astype(int)
        alone = StructuredRidge(LabelSets()).fit(X, visited)  # what the member is trained on
        np.testing.assert_array_equal(voting.estimators_[1].feature_scores(X), alone.feature_scores(X))
        np.testing.assert_allclose(structure.embed(y) @ voting._members[1].link.T, visited, atol=1e-12)


def test_links_of_one_s_own():
    """Rankings are partial orders with the same ψ; a matrix says which leaf of a tree an output is."""
    X, y = data(Permutations(4))
    orders = StructuredRidge(PartialOrders(4), loss="squared")
    link = sparse.identity(6)
    voting = StructuredVoting(
        [("rankings", StructuredRidge()), ("orders", orders, link)], structure="permutations", decision="score"
    )
    voting.fit(X, y)
    assert voting.estimators_[1].structure_.n_items == 4
    tree = Hierarchy([-1, 0, 0, 1, 1], allowed="leaves")
    X, y = data(tree)
    leaves = np.eye(5)[[2, 3, 4]]
    voting = StructuredVoting([("tree", StructuredRidge(tree)), ("leaves", StructuredRidge(MultiClass(3)), leaves)])
    voting.fit(X, y)
    alone = StructuredRidge(MultiClass(3)).fit(X, np.asarray(y) - 2)
    np.testing.assert_array_equal(voting.estimators_[1].feature_scores(X), alone.feature_scores(X))
    assert voting.score(X, y) > voting.structure_.score(y, np.full(len(y), y[0]))


def test_a_citizen_of_scikit_learn():
    X, y = data(Permutations(4))
    voting = StructuredVoting([("ridge", StructuredRidge("permutations")), ("near", neighbours())])
    assert not is_classifier(voting) and is_classifier(StructuredVoting([("ridge", StructuredRidge())]))
    grades = make_pipeline(StandardScaler(), StructuredRidge(Ordinal(["low", "high"])))
    assert is_classifier(StructuredVoting([("grades", grades)]))
    assert is_classifier(StructuredVoting([("ridge", StructuredRidge())], structure="ordinal"))
    assert voting.get_params()["ridge__alpha"] == 1.0 and voting.get_params()["near__regressor__n_neighbors"] == 3
    voting.set_params(ridge__alpha=0.5, near__regressor__n_neighbors=2).fit(X, y)
    assert voting.named_estimators_.ridge.alpha == 0.5 and voting.named_estimators_.ridge is voting.estimators_[0]
    grid = {"ridge__alpha": [0.1, 10.0], "near": ["drop", neighbours(5)], "weights": [None]}
    search = GridSearchCV(voting, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    alone = clone(voting).set_params(near="drop", weights=[2.0, 5.0]).fit(X, y)
    assert alone.named_estimators_.near == "drop" and len(alone.estimators_) == 1
    ridge = StructuredRidge("permutations", alpha=0.5).fit(X, y)
    np.testing.assert_allclose(alone.feature_scores(X), ridge.feature_scores(X), atol=1e-12)
    again = pickle.loads(pickle.dumps(voting))
    np.testing.assert_array_equal(again.predict(X), voting.predict(X))
    assert np.isfinite(cross_val_score(make_pipeline(StandardScaler(), clone(voting)), X, y, cv=3)).all()
    linked = StructuredVoting([("own", StructuredRidge(Routes())), ("sets", StructuredRidge(LabelSets()), None)])
    assert clone(linked.set_params(sets__alpha=3.0)).estimators[1][1].alpha == 3.0


def test_members_within_pipelines_and_searches():
    X, y = data(Permutations(4))
    scaled = make_pipeline(StandardScaler(), StructuredRidge(kernel="rbf"))
    search = GridSearchCV(scaled, {"structuredridge__alpha": [0.1, 1.0]}, cv=3)
    members = [("plain", StructuredRidge("permutations")), ("scaled", scaled), ("search", search)]
    weights = np.random.default_rng(0).random(len(X))
    voting = StructuredVoting(members).fit(X, y, sample_weight=weights)
    assert voting.left_out_by_ == ["loo", "cv", "cv"]
    inner = StandardScaler().fit(X)
    ridge = StructuredRidge("permutations", kernel="rbf").fit(inner.transform(X), y, sample_weight=weights)
    second = StructuredVoting(
        [("scaled", clone(scaled).set_params(structuredridge__structure="permutations"))], weights=None
    )
    second.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(second.feature_scores(X), ridge.feature_scores(inner.transform(X)), atol=1e-10)


def test_frames_sparse_inputs_and_kernel_matrices():
    X, y = data(LabelSets(3))
    members = [("ridge", StructuredRidge(LabelSets())), ("near", neighbours())]
    voting = StructuredVoting(members).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abc"))
    framed = clone(voting).fit(frame, y)
    assert framed.feature_names_in_.tolist() == list("abc")
    np.testing.assert_allclose(framed.feature_scores(frame), voting.feature_scores(X))
    with pytest.raises(ValueError):
        framed.predict(frame[list("bca")])
    compressed = clone(voting).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(compressed.feature_scores(sparse.csr_matrix(X)), voting.feature_scores(X), atol=1e-8)
    # Both are left out by folds, which cut kernel matrices on both sides.
    given = StructuredVoting([("one", ProbabilisticStructured(LabelSets(), kernel="precomputed"))]).fit(X @ X.T, y)
    plain = StructuredVoting([("one", ProbabilisticStructured(LabelSets()))]).fit(X, y)
    np.testing.assert_allclose(given.weights_, plain.weights_, rtol=1e-3)


def test_folds_may_lack_a_class_and_sets_of_outputs_are_left_out_by_folds():
    X = np.arange(12.0)[:, None]
    y = np.array(["a", "b"] * 5 + ["c", "a"])
    voting = StructuredVoting([("near", neighbours(2)), ("ridge", StructuredRidge())]).fit(X, y)
    assert voting.classes_.tolist() == ["a", "b", "c"] and set(voting.predict(X)) <= {"a", "b", "c"}
    sets = [Admissible([[1, 2, 3], [2, 1, 3]]), Admissible([[1, 2, 3]]), Admissible([[3, 2, 1]])] * 4
    voting = StructuredVoting([("ridge", StructuredRidge("permutations", loss="squared"))]).fit(X, sets)
    assert voting.left_out_by_ == ["cv"]


def test_class_weights_of_members_go_into_the_folds():
    X, y = np.arange(12.0)[:, None], np.array(["a", "b"] * 6)
    weights = {"a": 5.0, "b": 1.0, "c": 2.0}
    voting = StructuredVoting([("law", ProbabilisticStructured(class_weight=weights))]).fit(X, y)
    alone = StructuredVoting([("law", ProbabilisticStructured())]).fit(X, y, sample_weight=np.where(y == "a", 5.0, 1.0))
    np.testing.assert_allclose(voting.estimators_[0].coef_, alone.estimators_[0].coef_, atol=1e-6)
    left_out = [each.left_out_scores_ / each.weights_ for each in (voting, alone)]
    np.testing.assert_allclose(*left_out, atol=1e-5)


def test_refusals():
    X, y = data(Permutations(4))
    ridge = StructuredRidge("permutations")

    def refused(estimators, error=ValueError, X=X, y=y, sample_weight=None, **options):
        with pytest.raises(error):
            StructuredVoting(estimators, **options).fit(X, y, sample_weight=sample_weight)

    refused([("a", ridge), ("a", ridge)])
    refused([("a__b", ridge)])
    refused([("a", ridge), "b"])
    refused([("a", "drop")])
    refused(
        [("forest", LinearRegression())],
        TypeError,
    )
    refused([("a", ridge), ("b", StructuredRidge(LabelSets()))])
    refused([("a", ridge, np.eye(6))], structure="permutations")
    refused([("a", ridge), ("b", ridge, np.eye(4))])
    gap = np.eye(6)
    gap[2, 3] = np.nan
    refused([("a", ridge), ("b", ridge, gap)])
    for link in ("visits", [["a"] * 6] * 6, [[1.0, 2.0], [3.0]], 1j * np.eye(6)):
        refused([("a", ridge), ("b", ridge, link)])
    refused(
        [("a", ridge), ("b", StructuredRidge(PartialOrders(4)), np.eye(6)[:5])],
    )
    refused(
        [("a", ridge), ("b", StructuredRidge(PartialOrders(4)), 3 * np.eye(6))],
    )
    refused(
        [("a", ridge), ("b", StructuredRidge(PartialOrders(4)), np.eye(6))],
    )
    refused([("a", ridge)], weights=[1, 2])
    refused([("a", ridge)], weights=[-1.0])
    refused([("a", ridge), ("b", ridge)], weights=[0.0, 0.0])
    refused([("a", ridge)], weights="cv")
    refused(
        [("near", neighbours(3, "permutations"))],
        TypeError,
        sample_weight=np.arange(40),
    )
    refused(
        [("a", neighbours(3, "permutations"))],
        cv=[(np.arange(20), np.arange(20, 40))],
    )


def test_a_failed_fit_keeps_the_earlier_one():
    X, y = data(Permutations(4))
    voting = StructuredVoting([("a", StructuredRidge("permutations"))]).fit(X, y)
    before = voting.predict(X)
    with pytest.raises(ValueError) as caught:
        voting.fit(np.where(X > 1, np.nan, X), y)
    assert caught.value.row == 2
    np.testing.assert_array_equal(voting.predict(X), before)


def test_weights_of_rounding_noise_and_of_any_size():
    X = np.random.default_rng(0).normal(size=(30, 4))
    y = np.argsort(np.argsort(X[:, :3], axis=1), axis=1) + 1
    members = [("a", StructuredRidge("permutations")), ("b", StructuredRidge("permutations", alpha=100.0))]
    flat = [(name, model.set_params(alpha=1e30)) for name, model in clone(StructuredVoting(members)).estimators]
    assert StructuredVoting(flat).fit(X, y).weights_.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError):  # no row of positive weight is left to learn from
        StructuredVoting(members).fit(X, y, sample_weight=np.eye(30)[0])
    large = StructuredVoting(members, weights=[1e308, 1e308]).fit(X, y)
    assert large.weights_.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError):
        StructuredVoting(members, weights=["1", "2"]).fit(X, y)


SWAPPED = pd.DataFrame([[1, 2, 3], [3, 2, 1]] * 5, columns=["tea", "milk", "cola"])


@pytest.mark.parametrize(
    ("first", "second", "y"),
    [
        (Permutations(3), Permutations(4), SWAPPED.to_numpy()),
        (Permutations(labels=["a", "b", "c"]), Permutations(labels=["c", "b", "a"]), SWAPPED.to_numpy()),
        (Permutations(), Permutations(labels=["tea", "milk", "rum"]), SWAPPED),
        (Ordinal(["low", "mid", "high"]), Ordinal(["high", "mid", "low"]), np.array(["low", "high"] * 5)),
        (
            Hierarchy({"r": None, "a": "r", "b": "a"}),
            Hierarchy({"r": None, "a": "r", "b": "r"}),
            np.array(["a", "b"] * 5),
        ),
        (
            SpanningTrees(3, edges=[(0, 1), (1, 2), (0, 2)]),
            SpanningTrees(3, edges=[(0, 2), (1, 2), (0, 1)]),
            np.array([[1, 1, 0], [0, 1, 1]] * 5),
        ),
    ],
)
def test_members_of_other_parameters_are_refused(first, second, y):
    X = np.arange(10.0)[:, np.newaxis] % 2
    named = type(second)() if isinstance(second, (Permutations, Ordinal)) else first
    with pytest.raises(ValueError):
        StructuredVoting([("one", StructuredRidge(first)), ("two", StructuredRidge(second))], weights=[1, 1]).fit(X, y)
    for same in (first, clone(first), named):
        members = [("one", StructuredRidge(first)), ("two", make_pipeline(StandardScaler(), StructuredRidge(same)))]
        np.testing.assert_array_equal(StructuredVoting(members, weights=[1, 1]).fit(X, y).predict(X), y)


def test_members_may_say_their_names_in_any_form():
    X, y = np.arange(10.0)[:, np.newaxis] % 2, SWAPPED.to_numpy()
    for labels in (("tea", "milk", "cola"), np.array(["tea", "milk", "cola"]), pd.Index(["tea", "milk", "cola"]), None):
        two = StructuredRidge(Permutations(3, labels=labels))
        members = [("one", StructuredRidge(Permutations(labels=["tea", "milk", "cola"]))), ("two", two)]
        assert StructuredVoting(members, weights=[1, 1]).fit(X, y).score(X, y) == 1.0
