"""Metrics as scorers in scikit-learn's searches and inspections."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.metrics import get_scorer_names as names_of_scikit_learn
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge, StructuredRidgeCV, metrics
from combpred.metrics import get_scorer, get_scorer_names
from combpred.ranking import LabelRankingSVM
from combpred.structures import (
    Assignments,
    Custom,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Permutations,
    PosetElements,
)

NAMES = ["tea", "milk", "juice", "wine"]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    scores = X @ rng.normal(size=(3, 4)) * [[1.0]] + 0.3 * rng.normal(size=(40, 4))
    y = np.argsort(np.argsort(scores, axis=1), axis=1) + 1
    return pd.DataFrame(X, columns=["a", "b", "c"]), pd.DataFrame(y, columns=NAMES)


def test_every_scorer_is_its_metric_with_the_right_sign(data):
    X, y = data
    model = StructuredRidge("permutations").fit(X, y)
    predicted, weights = model.predict(X), np.arange(40.0)
    for name in ("kendall_tau", "spearman_rho", "tau_x", "neg_spearman_footrule", "neg_zero_one_loss", "accuracy"):
        sign = -1 if name.startswith("neg_") else 1
        metric = getattr(metrics, name.removeprefix("neg_"))
        scorer = get_scorer(name)
        assert scorer(model, X, y) == sign * metric(y, predicted)
        assert scorer(model, X, y, sample_weight=weights) == sign * metric(y, predicted, sample_weight=weights)
        assert scorer == pickle.loads(pickle.dumps(scorer)) != get_scorer("ndcg")
    assert get_scorer("kendall_tau")(model, X, y) == model.score(X, y)
    grades = StructuredRidge("ordinal").fit(X, y["tea"] - 1)
    assert get_scorer("neg_absolute_error")(grades, X, y["tea"] - 1) == grades.score(X, y["tea"] - 1) <= 0


def test_scorers_of_scores_and_with_arguments(data):
    X, y = data
    sets = StructuredRidge(LabelSets()).fit(X, y > 2)
    assert get_scorer("neg_ranking_loss")(sets, X, y > 2) == -metrics.ranking_loss(y > 2, sets.decision_function(X))
    parent = [-1, 0, 0]
    tree = Hierarchy(parent)
    nodes = np.arange(40) % 3
    model = StructuredRidge(tree).fit(X, nodes)
    found = get_scorer("neg_hierarchical_loss", parent=parent)(model, X, nodes)
    assert found == -metrics.hierarchical_loss(nodes, model.predict(X), parent=parent)


@pytest.mark.parametrize(
    ("structure", "y", "name"),
    [
        (LabelSets(), [[0, 1], [1, 0]], "ndcg"),
        (LabelSets(), [[0, 1], [1, 0]], "pair_accuracy"),
        (LabelSets(), [[0, 1], [1, 0]], "route_f1"),
        (Graphs(3), [[0, 1, 1], [1, 0, 0]], "tau_x"),
        (Permutations(), [[1, 2, 3], [3, 1, 2]], "cycle_f1"),
        (Permutations(), [[1, 2, 3], [3, 1, 2]], "route_f1"),
        (Assignments(2), [[0, 1], [1, 0]], "neg_spearman_footrule"),
        (Permutations(), [[1, 2, 3], [3, 1, 2]], "neg_absolute_error"),
        (Hierarchy([-1, 0]), [0, 1], "neg_absolute_error"),
        (PosetElements([[1, 1], [0, 1]]), [0, 1], "neg_absolute_error"),
        (Hierarchy([-1, 0]), [0, 1], "kendall_tau"),
    ],
)
def test_metrics_of_other_outputs_are_refused(structure, y, name):
    """Their numbers, such as 0 and 1, would be read as positions of labels, or as places."""
    model = StructuredRidge(structure).fit([[0.0], [1.0]], y)
    with pytest.raises(ValueError):
        get_scorer(name)(model, [[0.0], [1.0]], y)


@pytest.mark.parametrize("structure", [Custom.from_structures("abc", [[0.0], [1.0], [2.0]]), MultiClass()])
def test_metrics_of_what_users_number_are_up_to_them(structure):
    model = StructuredRidge(structure, alpha=1e-3).fit([[0.0], [1.0]], [0, 2])
    assert get_scorer("neg_absolute_error")(model, [[0.0], [1.0]], [1, 2]) == -0.5


def test_a_metric_of_trees_needs_one():
    model = StructuredRidge().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError):
        get_scorer("neg_hierarchical_loss")(model, [[0.0], [1.0]], [0, 1])


def test_columns_are_matched_wherever_the_estimator_is(data):
    X, y = data
    swapped, scorer = y[NAMES[::-1]], get_scorer("kendall_tau")
    pipe = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    search = GridSearchCV(pipe, {"structuredridge__alpha": [0.1, 10.0]}, scoring=scorer, cv=3)
    for model in (pipe, search, LabelRankingSVM(), clone(pipe).set_output(transform="pandas")):
        model.fit(X, y)
        assert scorer(model, X, swapped) == scorer(model, X, y) > 0.5
        with pytest.raises(ValueError):
            scorer(model, X, y.rename(columns={"tea": "beer"}))
    found = cross_validate(pipe, X, y, scoring={"tau": scorer, "rho": get_scorer("spearman_rho")}, cv=3)
    assert set(found) >= {"test_tau", "test_rho"} and np.isfinite(found["test_tau"]).all()
    importance = permutation_importance(pipe, X, y, scoring=scorer, n_repeats=3, random_state=0)
    assert importance.importances_mean.max() > 0.1


def test_choice_by_leave_one_out_takes_our_names(data):
    X, y = data
    model = StructuredRidgeCV("permutations", alphas=[0.1], kernels=["linear"], scoring="spearman_rho").fit(X, y)
    alone = cross_val_predict(StructuredRidge("permutations", alpha=0.1), X, y, cv=LeaveOneOut())
    assert model.best_score_ == pytest.approx(metrics.spearman_rho(y, alone), abs=1e-12)


def test_names():
    assert set(get_scorer_names()) - {"accuracy"} == set(get_scorer_names()) - set(names_of_scikit_learn())
    for name, near in {"hamming_loss": "neg_hamming_loss", "kendal_tau": "kendall_tau", "ndcg_at": "ndcg"}.items():
        with pytest.raises(ValueError, match=f"no scorer is called {name!r}; known are .*; did you mean {near!r}"):
            get_scorer(name)
    for other in (metrics.kendall_tau, ["ndcg"], get_scorer("ndcg")):
        with pytest.raises((TypeError, ValueError)):
            get_scorer(other)


def test_arguments_that_a_metric_does_not_have_are_refused_before_any_search():
    with pytest.raises(TypeError):
        get_scorer("top_k_recall", q=2)
    for name in get_scorer_names():
        assert get_scorer(name).params == {}


def test_weights_are_routed_to_scorers_that_ask_for_them(data):
    X, y = data
    weights = np.arange(40.0)
    scorer, folds = get_scorer("kendall_tau"), [(np.arange(20), np.arange(20, 40))]
    for_all = {"cv": folds, "params": {"sample_weight": weights}, "error_score": "raise"}
    with config_context(enable_metadata_routing=True):
        model = StructuredRidge("permutations").set_fit_request(sample_weight=True)
        with pytest.raises(ValueError):
            cross_validate(model, X, y, scoring=scorer, **for_all)
        for asks, of_test in ((True, weights[20:]), (False, None)):
            asking = pickle.loads(pickle.dumps(scorer.set_score_request(sample_weight=asks)))
            found = cross_validate(model, X, y, scoring={"tau": asking}, **for_all)["test_tau"]
            by_hand = clone(model).fit(X[:20], y[:20], sample_weight=weights[:20])
            assert found.tolist() == [scorer(by_hand, X[20:], y[20:], sample_weight=of_test)]
            search = GridSearchCV(model, {"alpha": [1.0]}, scoring=asking, cv=folds).fit(X, y, sample_weight=weights)
            assert search.best_score_ == found[0]
    assert scorer == get_scorer("kendall_tau") != asking
    with pytest.raises(ValueError):
        scorer.set_score_request(sample_weight=3)
