"""Displays: tables of results, and scikit-learn's pictures of estimators with the help of our parameters."""

from __future__ import annotations

import inspect
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import combpred
from combpred import Certified, StructuredRidge, aggregation, baselines, kernels, ranking, structures
from combpred.structures import Cycles, LabelSets, Permutations, Routes

CLASSES = [
    item
    for room in (combpred, ranking, baselines, kernels, structures)
    for item in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(item) and hasattr(item, "get_params") and not inspect.isabstract(item)
]
X, Y = np.arange(12.0).reshape(6, 2), np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]] * 2)


@pytest.mark.parametrize("described", CLASSES, ids=lambda each: each.__name__)
def test_every_parameter_has_help(described):
    common = pytest.importorskip("sklearn.utils._repr_html.common", reason="scikit-learn < 1.8 shows no help")
    if described is structures.Custom:  # its classmethods describe what they take
        return
    for name in described._get_param_names():
        assert common.get_docstring(described, "Parameters", name), name
        assert common.generate_link_to_param_doc(described, name, "#x"), name


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge("permutations"),
        combpred.StructuredRidgeCV("permutations", alphas=[1.0]),
        combpred.StructuredSGD("permutations", max_iter=2),
        combpred.ProbabilisticStructured("permutations", max_iter=2),
        combpred.ProbabilisticStructuredCV("permutations", alphas=[1.0], kernels=["linear"]),
        combpred.ConformalStructured(combpred.ProbabilisticStructured("permutations", max_iter=2), alpha=0.5, cv=0.5),
        combpred.EmbeddingRegressor(structure="permutations", random_state=0),
        combpred.StructuredVoting([("ridge", StructuredRidge("permutations"))]),
        baselines.StructuredPerceptron("permutations", max_iter=2),
        baselines.StructuredSVM("permutations", max_iter=2),
        ranking.LabelRankingSVM(),
        make_pipeline(kernels.NystromMap(n_components=2), StructuredRidge("permutations")),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pictures_are_drawn_before_and_after_training(model):
    own = model[-1] if hasattr(model, "steps") else model
    for each in (model, model.fit(X, Y)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            drawn = estimator_html_repr(each)
        assert f'href="{own._get_doc_link()}' in drawn
    if "param-doc-description" in drawn:  # of scikit-learn from 1.8 on
        name, *_ = own._get_param_names()
        assert f"anchor-name: --doc-link-{name};" in drawn
        assert f"{name}: " in drawn
    assert own._get_doc_link().endswith(f".{type(own).__name__}")


def certified(found):
    """Return predictions, of which every other one is proven optimal."""
    values = np.arange(found.shape[0]) / 4
    return Certified(found, values, np.where(values % 0.5, 0.5, 0.0), values % 0.5 == 0, values + 0.25)


def test_predictions_are_a_table_row_by_row():
    assert repr(certified(np.array([[1, 2], [2, 1], [1, 2]]))).splitlines() == [
        "Certified: 3 predictions, 2 proven optimal",
        "row  structures  value   nu  optimal  upper_bound",
        "  0  [1 2]           0    0  True            0.25",
        "  1  [2 1]        0.25  0.5  False            0.5",
        "  2  [1 2]         0.5    0  True            0.75",
    ]


@pytest.mark.parametrize(
    ("found", "cell"),
    [
        (pd.DataFrame([[1, 2], [2, 1]], columns=["sushi", "ramen"]), "sushi 2, ramen 1"),
        (sparse.csr_array([[0, 1], [1, 0]]), "[1 0]"),
        (np.array(["low", "high"], dtype=object), "high"),
        (pd.Series(["low", "high"], name="grade"), "high"),
        (np.arange(200).reshape(2, 100), "[100 101 102 103 104 105 106 107 108 109 110 111 112 113 ..."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_structures_of_all_formats_are_shown(found, cell):
    assert repr(certified(found)).splitlines()[-1].startswith(f"  1  {cell} ")


def test_long_tables_show_both_ends():
    lines = repr(certified(np.arange(40))).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["0", "1", "2", "3", "4", "...", "35", "36", "37", "38", "39"]
    assert len(repr(certified(np.arange(11))).splitlines()) == 13


def test_consensus_by_names():
    y = pd.DataFrame([[1, 2, 2], [1, 2, 2], [2, 1, 1]], columns=["tea", "milk", "juice"])
    lines = repr(aggregation.kemeny(y, output="weak")).splitlines()
    assert lines[1:] == ["position  items", "       1  tea", "       2  milk, juice"]


def test_consensus_that_is_a_partial_order_says_what_is_before_what():
    found = aggregation.Aggregate(np.triu(np.ones((3, 3), dtype=bool), 1), 3.0, 2.5, 1.5, False, False, "own", "given")
    assert repr(found).splitlines() == [
        "Aggregate: distance 3, at least 2.5 for any consensus, method 'own'",
        "item  before",
        "   0  1, 2",
        "   1  2",
        "   2",
    ]


@pytest.mark.parametrize(
    ("structure", "y", "shown"),
    [
        (Permutations(labels=["tea", "milk", "cola"]), [[2, 1, 3], [1, 3, 2]], "tea 2, milk 1, cola 3"),
        (LabelSets(labels=["urgent", "bill"]), [[1, 0], [0, 1]], "urgent 1, bill 0"),
        (Routes(places=["home", "zoo", "park"]), [[2, 0], [0, 1, 2]], "park, home"),
        (Cycles(vertices=["a", "b", "c", "d"]), [[0, 2, 3], [0, 1, 2, 3]], "a, c, d"),
        (Permutations(3), [[2, 1, 3], [1, 3, 2]], r"\[2 1 3\]"),
        (Routes(3), [[2, 0], [0, 1, 2]], r"\[ ?2 +0 -1\]"),
    ],
)
def test_certified_outputs_are_shown_by_name(structure, y, shown):
    x = [[0.0], [1.0]]
    model = StructuredRidge(structure, alpha=1e-6).fit(x, y)
    found = pickle.loads(pickle.dumps(model.predict(x, return_certificate=True)[1]))
    assert re.search(rf"^ +0  {shown}  ", repr(found), re.MULTILINE), repr(found)
    np.testing.assert_array_equal(found.structures, model.predict(x))
    as_frame = clone(model).set_output(predict="pandas").fit(x, y).predict(x, return_certificate=True)[1]
    assert structure.get_params().get("labels") is None or shown in repr(as_frame)


def test_confidence_in_rankings_is_a_table():
    y = pd.DataFrame(Y, columns=["tea", "milk", "juice"])
    ranker = ranking.NearestNeighborsLabelRanker(1, aggregation="mallows")
    assert repr(ranker.fit(X, y).predict_mallows(X)).splitlines()[2].split("  ")[2] == "tea 1, milk 2, juice 3"
    assert repr(ranker.fit(X, Y).predict_mallows(X)).splitlines()[2].split("  ")[2] == "[1 2 3]"


def test_ballots_are_a_table_by_names(tmp_path):
    pytest.importorskip("preflibtools", reason="files of PrefLib are read by preflibtools")
    names = [f"# ALTERNATIVE NAME {item}: {name}" for item, name in enumerate(["tea", "milk"], 1)]
    (tmp_path / "drinks.toc").write_text("\n".join(["# TITLE: Drinks", "# NUMBER ALTERNATIVES: 2", *names, "3: 2,1"]))
    lines = repr(aggregation.read_preflib(tmp_path / "drinks.toc")).splitlines()
    assert lines[0] == "Ballots: Drinks, 1 ranking of 2 items by 3 voters"
    assert lines[2] == "  0  tea 2, milk 1        3"


def test_utilities_and_majorities_are_tables_by_names():
    y = pd.DataFrame([[1, 2, 3], [1, 3, 2], [3, 1, 2]], columns=["tea", "milk", "juice"])
    found = aggregation.plackett_luce(y, penalty=1.0)
    order = np.argsort(-found.utilities)
    lines = repr(found).splitlines()
    assert lines[0] == f"Utilities: log-likelihood {found.log_likelihood:.6g}"
    assert [line.split() for line in lines[2:]] == [
        [str(place), y.columns[item], f"{found.utilities[item]:.6g}"] for place, item in enumerate(order, 1)
    ]
    counts = pd.DataFrame([[0, 6, 5], [2, 0, 4], [1, 2, 0]], columns=y.columns, index=y.columns)
    ties = pd.DataFrame(1 - np.eye(3), columns=y.columns, index=y.columns)
    found = aggregation.bradley_terry(counts, ties=ties)
    assert f"ties {found.ties.parameter:.6g}" in repr(found).splitlines()[0]
    assert repr(found).splitlines()[2].split()[1::2] == ["tea", f"{found.standard_errors[0]:.6g}"]
    assert [line.split()[1] for line in repr(found).splitlines()[2:]] == ["tea", "milk", "juice"]
    lines = repr(aggregation.acyclic_majority(y)).splitlines()
    assert lines[0] == "AcyclicMajority: weight 3, proven optimal, method 'exact'"
    assert [line.split() for line in lines[2:]] == [["tea", "milk,", "juice"], ["milk", "juice"], ["juice"]]
    assert repr(aggregation.acyclic_majority(y.to_numpy())).splitlines()[2].split() == ["0", "1,", "2"]
