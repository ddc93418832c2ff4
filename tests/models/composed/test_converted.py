"""Targets as people write them, in pipelines, searches and cross-validation."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import combpred
from combpred import ConvertedTargets, ProbabilisticStructured, StructuredRidge, baselines, kernels, ranking, structures
from combpred.metrics import get_scorer
from combpred.structures import Assignments, Cliques, Cycles, Hierarchy, LabelSets, Permutations, Routes, WeakOrders

X = np.random.default_rng(0).normal(size=(30, 2))
HIGH = X[:, 0] > 0


def either(one, other):
    """Return targets that the first input tells apart."""
    return [one if high else other for high in HIGH]


CASES = {
    "sets": (LabelSets(labels=["a", "b", "c"]), either(["a"], ["b", "c"])),
    "orders": (Permutations(labels=["x", "y", "z"]), either(["x", "y", "z"], ["z", "x", "y"])),
    "top_k": (Permutations(labels=["x", "y", "z"]), either(["x"], ["z"])),
    "tiers": (WeakOrders(labels=["x", "y", "z"]), either([["x"], ["y", "z"]], [["x", "z"], ["y"]])),
    "names": (Routes(places=["u", "v", "w"]), either(["u", "v"], ["w", "v", "u"])),
    "vertices": (Cliques(vertices=["p", "q", "r"]), either(["p", "q"], ["r"])),
    "pairs": (
        Assignments(items=["Ann", "Bob"], columns=["cook", "paint"]),
        either([("Ann", "cook"), ("Bob", "paint")], [("Ann", "paint"), ("Bob", "cook")]),
    ),
}


@pytest.mark.parametrize("form", CASES)
def test_predictions_come_back_in_the_form_of_targets(form):
    structure, y = CASES[form]
    if form == "top_k":
        y = either(["x", "y", "z"], ["z", "x", "y"])  # complete, so that predictions are
    model = ConvertedTargets(StructuredRidge(structure, alpha=0.01), form).fit(X, y)
    by_hand = StructuredRidge(structure, alpha=0.01).fit(X, getattr(structure, f"from_{form}")(y))
    back = getattr(by_hand.structure_, f"to_{form}")(by_hand.predict(X))
    assert [list(row) for row in model.predict(X)] == [list(row) for row in back]
    assert model.score(X, y) == by_hand.score(X, getattr(structure, f"from_{form}")(y)) > 0.6
    again = pickle.loads(pickle.dumps(model))
    assert [list(row) for row in again.predict(X)] == [list(row) for row in back]
    found, certificate = model.predict(X, return_certificate=True)
    assert len(found) == len(certificate.optimal) == 30
    assert model.n_features_in_ == 2


@pytest.mark.parametrize(
    ("form", "scoring"),
    [
        ("sets", "neg_hamming_loss"), ("orders", "kendall_tau"), ("orders", "top_k_recall"), ("tiers", "tau_x"),
        ("names", "route_f1"), ("vertices", "accuracy"), ("pairs", "neg_zero_one_loss"),
    ],
)  # fmt: skip
def test_scorers_compare_targets_as_arrays(form, scoring):
    structure, y = CASES[form]
    scorer, arrays = get_scorer(scoring), getattr(structure, f"from_{form}")(y)
    weights = np.linspace(0, 1, 30)
    by_hand = scorer(StructuredRidge(structure, alpha=10.0).fit(X[:, 1:], arrays), X[:, 1:], arrays, weights)
    model = ConvertedTargets(StructuredRidge(structure, alpha=10.0), form)
    assert scorer(model.fit(X[:, 1:], y), X[:, 1:], y, weights) == by_hand
    search = GridSearchCV(make_pipeline(StandardScaler(), model), {"convertedtargets__estimator__alpha": [0.1, 10.0]},
                          cv=3, scoring=scorer, error_score="raise").fit(X, y)  # fmt: skip
    plain = GridSearchCV(make_pipeline(StandardScaler(), StructuredRidge(structure)),
                         {"structuredridge__alpha": [0.1, 10.0]}, cv=3, scoring=scorer).fit(X, arrays)  # fmt: skip
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_lists_go_through_searches_and_folds():
    structure, y = CASES["sets"]
    model = ConvertedTargets(make_pipeline(StandardScaler(), StructuredRidge(structure)), "sets")
    search = GridSearchCV(model, {"estimator__structuredridge__alpha": [0.1, 1.0]}, cv=3).fit(X, y)
    converted = structure.from_sets(y)
    plain = make_pipeline(StandardScaler(), StructuredRidge(structure))
    expected = GridSearchCV(plain, {"structuredridge__alpha": [0.1, 1.0]}, cv=3).fit(X, converted)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(cross_val_score(model, X, y, cv=3), cross_val_score(plain, X, converted, cv=3))
    left_out = cross_val_predict(model, X, y, cv=3)
    assert left_out.tolist() == structure.to_sets(cross_val_predict(plain, X, converted, cv=3))
    inside = ConvertedTargets(GridSearchCV(StructuredRidge(structure), {"alpha": [0.1, 1.0]}, cv=3), "sets").fit(X, y)
    assert inside.score(X, y) > 0.9


def test_names_and_separators_are_learnt_where_they_are_not_given():
    y = either("a", "b|c")
    model = ConvertedTargets(StructuredRidge("labelsets"), "sets", sep="|").fit(X, y)
    assert model.predict(X).tolist() == y
    assert accuracy_score(y, model.predict(X)) == get_scorer("accuracy")(model, X, y) == model.score(X, y) == 1.0
    weights = HIGH.astype(float)
    heavy = clone(model).fit(X, y, sample_weight=weights)
    assert all(row == "a" for row in heavy.predict(X))


@pytest.mark.parametrize("form", CASES)
def test_averages_have_the_structure_of_their_members(form):
    structure, y = CASES[form]
    members = [
        ("ridge", make_pipeline(StandardScaler(), StructuredRidge(structure, alpha=0.01))),
        ("probable", ProbabilisticStructured(structure, tol=1e-3)),
    ]
    average = ConvertedTargets(combpred.StructuredVoting(members, weights=[1.0, 0.0]), form).fit(X, y)
    named = ConvertedTargets(combpred.StructuredVoting(members, structure=structure, weights=[1.0, 0.0]), form).fit(
        X, y
    )
    assert [list(row) for row in average.predict(X)] == [list(row) for row in named.predict(X)]
    assert average.score(X, y) == named.score(X, y)


def test_what_does_not_fit_together_is_named():
    y = CASES["sets"][1]
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge("labelsets"), "names").fit(X, y)
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge("permutations"), "ratings").fit(X, np.eye(len(X)))
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge(), "sets").fit(X, y)
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge("assignments"), "pairs", sep="|").fit(X, y)
    with pytest.raises(ValueError) as caught:
        ConvertedTargets(StructuredRidge("labelsets"), "sets").fit(X, [*y[:3], None, *y[4:]])
    assert (caught.value.argument, caught.value.row) == ("y", 3)
    with pytest.raises(NotFittedError):
        ConvertedTargets(StructuredRidge("labelsets"), "sets").predict(X)
    model = ConvertedTargets(StructuredRidge(Cycles(4)), "names")
    tours = [["0", "1", "2"]] * 30
    with pytest.raises(ValueError) as caught:
        model.fit(X, tours)
    assert (caught.value.argument, caught.value.row) == ("y", 0)


def test_names_of_attributes_are_listed_before_sizes_are_known():
    for room in (combpred, ranking, baselines, kernels, structures):
        for name in room.__all__:
            item = getattr(room, name)
            if inspect.isclass(item) and hasattr(item, "get_params") and not inspect.isabstract(item):
                required = [p for p in inspect.signature(item).parameters.values() if p.default is p.empty]
                if not required:
                    assert "get_params" in dir(item())


def test_features_have_the_names_of_those_of_the_estimator():
    structure, y = CASES["sets"]
    frame = pd.DataFrame(X, columns=["age", "income"])
    model = ConvertedTargets(make_pipeline(StandardScaler(), StructuredRidge(structure)), "sets")
    assert model.fit(frame, y).feature_names_in_.tolist() == ["age", "income"] and model.n_features_in_ == 2
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    with pytest.raises(NotFittedError):
        _ = clone(model).feature_names_in_


@pytest.mark.parametrize("estimator", [ranking.LabelRankingSVM(), make_pipeline(StandardScaler(), Ridge())])
def test_estimators_without_a_structure_need_one(estimator):
    structure, y = CASES["orders"]
    with pytest.raises(TypeError):
        ConvertedTargets(estimator, "orders").fit(X, y)
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge(), "orders", structure="permutations").fit(X, y)
    with pytest.raises(ValueError):
        ConvertedTargets(estimator, "orders", structure="rankings").fit(X, y)
    with pytest.raises(TypeError):
        ConvertedTargets(estimator, "orders", structure=Permutations).fit(X, y)
    with pytest.raises(ValueError):
        ConvertedTargets(estimator, "orders", structure=structure).fit(X, None)
    regressor = ConvertedTargets(Ridge(), "orders", structure=structure).fit(X, y)
    with pytest.raises(ValueError) as caught:
        regressor.predict(X)
    assert (caught.value.argument, caught.value.row) == ("what Ridge() predicts", 0)


RANKERS = (
    ranking.LabelRankingSVM(),
    make_pipeline(StandardScaler(), ranking.RankingByPairwiseComparison()),
    GridSearchCV(ranking.LabelRankingBoost(max_iter=5), {"alpha": [0.1, 1.0]}, cv=3),
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few rounds of boosting
@pytest.mark.parametrize("ranker", RANKERS, ids=["alone", "pipeline", "search"])
@pytest.mark.parametrize("labels", [None, ["z", "x", "y"]])
def test_label_rankers_rank_names(ranker, labels):
    y = CASES["orders"][1]
    known = Permutations(labels=labels or ["x", "y", "z"])
    positions = known.from_orders(y)
    by_hand = clone(ranker).fit(X, positions)
    model = ConvertedTargets(ranker, "orders", structure=Permutations(labels=labels) if labels else "permutations")
    model.fit(X, y)
    assert list(model.structure_.labels) == list(known.labels)
    np.testing.assert_array_equal(model.predict(X), known.to_orders(by_hand.predict(X)))
    assert model.score(X, y) == by_hand.score(X, positions) > 0.8
    assert get_scorer("kendall_tau")(model, X, y) == get_scorer("kendall_tau")(by_hand, X, positions)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "classes_")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert cross_val_score(model, X, y, cv=3).min() > 0.7


def test_label_rankers_learn_from_tops_and_tiers():
    tops = ConvertedTargets(ranking.LabelRankingSVM(), "top_k", structure="permutations")
    assert (tops.fit(X, either(["x", "y"], ["z"])).predict(X)[HIGH][:, 0] == "x").mean() > 0.9
    tiers = ConvertedTargets(ranking.LabelRankingSVM(), "tiers", structure="weakorders")
    first = [row[0] for row in tiers.fit(X, either([["x"], ["y", "z"]], [["z"], ["x", "y"]])).predict(X)]
    assert np.mean([found == want for found, want in zip(first, either(["x"], ["z"]), strict=True)]) > 0.9


def test_classifiers_of_other_packages_take_names():
    structure, y = CASES["sets"]
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    model = ConvertedTargets(forest, "sets", structure=structure).fit(X, y)
    assert model.predict(X).tolist() == structure.to_sets(clone(forest).fit(X, structure.from_sets(y)).predict(X))
    paths = either("fruit>apple", "fruit>pear")
    model = ConvertedTargets(forest, "paths", structure="hierarchy", sep=">").fit(X, paths)
    assert model.predict(X).tolist() == paths and model.classes_.tolist() == ["apple", "pear"]


@pytest.mark.parametrize("structure", ["hierarchy", Hierarchy.from_paths([["fruit", "pear"], ["fruit", "apple"]])])
@pytest.mark.parametrize("sep", [None, ">"])
def test_paths_in_trees_go_through_searches(structure, sep):
    y = either(["fruit", "apple"], ["fruit", "pear"])
    y = y if sep is None else [sep.join(path) for path in y]
    model = ConvertedTargets(make_pipeline(StandardScaler(), ProbabilisticStructured(structure)), "paths", sep=sep)
    search = GridSearchCV(model, {"estimator__probabilisticstructured__alpha": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.predict(X).tolist() == y and search.best_score_ > 0.9
    assert search.best_estimator_.classes_.tolist() == ["apple", "fruit", "pear"]
    assert search.predict_proba(X).argmax(axis=1).tolist() == either(0, 2)
    sub = ConvertedTargets(StructuredRidge("subtrees"), "paths").fit(X, either([["r", "a"], ["r", "b"]], [["r"]]))
    assert sub.predict(X).tolist() == either([["r", "a"], ["r", "b"]], [["r"]])
    with pytest.raises(ValueError):
        ConvertedTargets(StructuredRidge(structure), "nested").fit(X, y)


def test_probabilities_are_those_of_the_estimator():
    structure, y = CASES["sets"]
    arrays = structure.from_sets(y)
    model, law = ConvertedTargets(ProbabilisticStructured(structure), "sets"), ProbabilisticStructured(structure)
    assert hasattr(model, "predict_proba") and not hasattr(ConvertedTargets(StructuredRidge(), "sets"), "predict_proba")
    assert not hasattr(model, "classes_")
    model.fit(X, y)
    law.fit(X, arrays)
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict_proba(X), law.predict_proba(X))
    np.testing.assert_array_equal(model.predict_log_proba(X), law.predict_log_proba(X))
    np.testing.assert_array_equal(model.decision_function(X), law.decision_function(X))
    if sklearn.__version__ >= "1.7":  # before, scikit-learn asked for decisions of what is a classifier alone
        scorer = get_scorer("neg_ranking_loss")
        assert scorer(model, X, y) == scorer(law, X, arrays)
    found, marginals = model.predict(X, return_marginals=True)
    np.testing.assert_array_equal(marginals, law.predict_marginals(X))
    held = model.predict(X, constraints={"required": ["a", "c"]})
    assert all({"a", "c"} <= set(row) for row in held)


def test_predictions_come_back_as_series_and_frames():
    structure, y = CASES["sets"]
    frame = pd.DataFrame(X, columns=["age", "income"], index=range(100, 130))
    tags = pd.Series(["|".join(row) for row in y], index=frame.index, name="tags")
    model = ConvertedTargets(ProbabilisticStructured(structure), "sets", sep="|").set_output(predict="pandas")
    for given in (tags, tags.astype("category")):
        found = clone(model).fit(frame, given).predict(frame[:5])
        assert isinstance(found, pd.Series) and found.name == "tags" and found.tolist() == tags.tolist()[:5]
        assert found.index.tolist() == list(range(100, 105)) and not isinstance(found.dtype, pd.CategoricalDtype)
    proba = model.fit(frame, tags).predict_proba(frame)
    assert proba.columns.tolist() == ["a", "b", "c"] and proba.index.tolist() == frame.index.tolist()
    assert model.score(frame, tags) == get_scorer("hamming_score")(model, frame, tags) > 0.9
    model.set_output(predict="y")
    assert isinstance(model.fit(frame, tags.tolist()).predict(frame), np.ndarray)
    assert isinstance(model.fit(frame, tags).predict(frame), pd.Series)
    polars = pytest.importorskip("polars")
    listed = ConvertedTargets(StructuredRidge(structure), "sets").set_output(predict="polars").fit(X, y).predict(X)
    assert listed.dtype == polars.List(polars.String) and listed.to_list() == y


def test_kernel_values_go_through_folds():
    structure, y = CASES["sets"]
    kernel, ridge = X @ X.T, StructuredRidge(structure, kernel="precomputed")
    expected = cross_val_score(ridge, kernel, structure.from_sets(y), cv=3)
    np.testing.assert_array_equal(cross_val_score(ConvertedTargets(ridge, "sets"), kernel, y, cv=3), expected)


def test_refused_targets_are_called_y():
    structure, y = CASES["sets"]
    model = ConvertedTargets(StructuredRidge(structure), "sets").fit(X, y)
    strange = [["a"], ["d"], *y[2:]]
    for call in (
        lambda: model.fit(X, strange),
        lambda: model.score(X, strange),
        lambda: model.convert_targets(strange),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.row == 1
    with pytest.raises(ValueError):
        model.fit(X, (row for row in y))


@pytest.mark.filterwarnings("ignore:no row of ")  # compares labels, in folds without the rare one
@pytest.mark.parametrize(
    ("model", "rare", "first"),
    [
        (ConvertedTargets(StructuredRidge("labelsets"), "sets"), ["c"], either(["a"], ["b"])),
        (ConvertedTargets(make_pipeline(StructuredRidge("permutations")), "orders"), "cab", either("ab", "ba")),
        (
            ConvertedTargets(ranking.LabelRankingSVM(), "orders", structure="permutations"),
            "cab",
            either(["a", "b"], ["b", "a"]),
        ),
        (ConvertedTargets(StructuredRidge("hierarchy"), "paths"), ["a", "y"], either(["a", "b"], ["a", "x"])),
    ],
    ids=lambda value: getattr(value, "form", ""),
)
def test_names_that_training_rows_lack_are_told_of(model, rare, first):
    y = pd.Series([list(row) for row in [*first[:-1], rare]])
    with pytest.raises(ValueError) as caught:
        cross_val_score(model, X, y, cv=3, error_score="raise")
    assert (caught.value.argument, caught.value.row) == ("y", 9)
    made = str(caught.value).partition("structure=")[2]
    names = y.tolist() if made.startswith("H") else ["a", "b", "c"]
    made = eval(made.replace("[…]", "names"), {**vars(structures), "names": names})
    if model.structure is not None:
        mended = clone(model).set_params(structure=made)
    else:
        path = next(name for name in model.get_params() if name.endswith("structure") and name != "structure")
        mended = clone(model).set_params(**{path: made})
    assert np.isfinite(cross_val_score(mended, X, y, cv=3)).all()
    wrong = pd.Series([*y[:-1], ["d"]], index=y.index)
    with pytest.raises(ValueError) as caught:  # where names are given, others are refused without advice
        mended.fit(X, y).score(X, wrong)
    assert caught.value.row == 29
    assert "as folds may" not in str(caught.value)
    with pytest.raises(ValueError) as caught:
        clone(model).fit(X, y).score(X, [*y[:-1], None])
    assert (caught.value.argument, caught.value.row) == ("y", 29)
    assert "as folds may" not in str(caught.value)
