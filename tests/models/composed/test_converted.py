"""Targets as people write them, in pipelines, searches and cross-validation."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import combpred
from combpred import ConvertedTargets, StructuredRidge, baselines, kernels, ranking, structures
from combpred.metrics import get_scorer
from combpred.structures import Assignments, Cliques, Cycles, LabelSets, Permutations, Routes, WeakOrders

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


def test_what_does_not_fit_together_is_named():
    y = CASES["sets"][1]
    with pytest.raises(
        ValueError, match="form='names' must name converters of the structure, and LabelSets has those of"
    ):
        ConvertedTargets(StructuredRidge("labelsets"), "names").fit(X, y)
    with pytest.raises(ValueError, match="structure=None has none"):
        ConvertedTargets(StructuredRidge(), "sets").fit(X, y)
    with pytest.raises(ValueError, match=r"sep='\|': targets of form='tiers' are no strings"):
        ConvertedTargets(StructuredRidge(WeakOrders()), "tiers", sep="|").fit(X, CASES["tiers"][1])
    with pytest.raises(ValueError, match="y, row 3: the row is missing"):
        ConvertedTargets(StructuredRidge("labelsets"), "sets").fit(X, [*y[:3], None, *y[4:]])
    with pytest.raises(NotFittedError):
        ConvertedTargets(StructuredRidge("labelsets"), "sets").predict(X)
    model = ConvertedTargets(StructuredRidge(Cycles(4)), "names")
    tours = [["0", "1", "2"]] * 30
    with pytest.raises(ValueError, match=r"names that the structure lacks: take Cycles\(vertices="):
        model.fit(X, tours)


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
def test_estimators_without_a_structure_are_refused_with_what_to_do(estimator):
    with pytest.raises(TypeError, match=r"^estimator must have a parameter structure.*: convert its targets"):
        ConvertedTargets(estimator, "orders").fit(X, CASES["orders"][1])


def test_refused_targets_are_called_y():
    structure, y = CASES["sets"]
    model = ConvertedTargets(StructuredRidge(structure), "sets").fit(X, y)
    strange = [["a"], ["d"], *y[2:]]
    for call in (
        lambda: model.fit(X, strange),
        lambda: model.score(X, strange),
        lambda: model.convert_targets(strange),
    ):
        with pytest.raises(ValueError, match="^y, row 1: 'd' is none of labels, which are 'a', 'b', 'c'$") as caught:
            call()
        assert caught.value.row == 1
    with pytest.raises(ValueError, match=r"^y is a generator, which can be read once only: pass list\(y\)$"):
        model.fit(X, (row for row in y))
