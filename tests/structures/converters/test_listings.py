"""Converters of lists of names: what they read, what they refuse, and that they are each other's inverse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler

from combpred import StructuredRidge
from combpred.structures import Assignments, Cliques, LabelSets, MultiClass, Permutations, WeakOrders

NAMES = ["tea", "milk", "juice"]
NAN = float("nan")
subsets = st.lists(st.lists(st.sampled_from(NAMES), unique=True), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(subsets)
def test_lists_come_back(lists):
    assert LabelSets.to_sets(LabelSets.from_sets(lists, NAMES), NAMES) == [
        [name for name in NAMES if name in names] for names in lists
    ]
    framed = LabelSets.from_sets(lists, NAMES, as_frame=True)
    assert LabelSets.to_sets(framed) == LabelSets.to_sets(LabelSets.from_sets(lists, NAMES, sparse_output=True), NAMES)
    assert Cliques.to_vertices(Cliques.from_vertices(lists, NAMES), NAMES) == LabelSets.to_sets(framed)

    def without_padding(rows):
        return [[name for name in row if name is not None] for row in rows.tolist()]

    assert without_padding(Permutations.to_orders(Permutations.from_orders(lists, NAMES), NAMES)) == lists
    tops = Permutations.from_top_k(lists, NAMES)
    told = [names for names in lists if len(names) < 2]  # the third of three labels is known by the others
    assert [row for row in without_padding(Permutations.to_top_k(tops, labels=NAMES)) if len(row) < 2] == told
    np.testing.assert_array_equal(np.where(tops < 0, 1, tops), WeakOrders.from_top_k(lists, NAMES))
    Permutations(3).encode_targets(tops)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=1, max_size=4))
def test_tiers_and_ratings_come_back(ranks):
    dense = WeakOrders(3).space.decode_parts(WeakOrders(3).encode(ranks))
    np.testing.assert_array_equal(WeakOrders.from_tiers(WeakOrders.to_tiers(ranks, NAMES), NAMES), dense)
    np.testing.assert_array_equal(WeakOrders.from_ratings(-dense), dense)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.permutations(range(3)), min_size=1, max_size=4))
def test_assignments_come_back(rows):
    pairs = Assignments.to_pairs(rows, NAMES, ["a", "b", "c"])
    np.testing.assert_array_equal(Assignments.from_pairs(pairs, NAMES, ["a", "b", "c"]), rows)
    np.testing.assert_array_equal(Assignments.from_pairs(map(dict, pairs), NAMES, ["a", "b", "c"]), rows)
    np.testing.assert_array_equal(Assignments.from_pairs(Assignments.to_pairs(rows)), rows)


def test_sets_are_those_of_scikit_learn():
    sets = [{"b", "a"}, set(), {"c"}]
    binarizer = MultiLabelBinarizer()
    np.testing.assert_array_equal(LabelSets.from_sets(sets), binarizer.fit_transform(sets))
    assert LabelSets.from_sets(sets, as_frame=True).columns.tolist() == binarizer.classes_.tolist()
    assert isinstance(LabelSets.from_sets(sets, sparse_output=True), sparse.csr_array)


@pytest.mark.parametrize(
    "lists",
    [
        [["b", "a"], ["a"]],
        (("b", "a"), ("a",)),
        np.array([["b", "a"], ["a", ""]]),
        np.array([["b", "a"], ["a", None]], dtype=object),
        pd.Series([["b", "a"], ["a"]]),
        pd.DataFrame({"first": ["b", "a"], "second": ["a", NAN]}),
        pd.DataFrame({"first": ["b", "a"], "second": ["a", None]}, dtype="string"),
        [np.array(["b", "a"]), pd.Series(["a"])],
    ],
    ids=lambda lists: type(lists).__name__,
)
def test_lists_of_many_kinds(lists):
    np.testing.assert_array_equal(Permutations.from_orders(lists), [[2, 1], [1, -1]])
    np.testing.assert_array_equal(LabelSets.from_sets(lists), [[1, 1], [1, 0]])


def test_lists_of_other_libraries():
    polars = pytest.importorskip("polars")
    np.testing.assert_array_equal(Permutations.from_orders(polars.Series([["b", "a"], ["a"]])), [[2, 1], [1, -1]])
    try:
        import pyarrow
    except ImportError:  # releases of it may need a later NumPy than the oldest allowed
        return
    np.testing.assert_array_equal(Permutations.from_orders(pyarrow.array([["b", "a"], ["a"]])), [[2, 1], [1, -1]])


def test_numbers_count_from_zero_or_one():
    counted = Permutations.from_orders([[1, 3, 2], [3, 1, 2]], one_based=True)
    np.testing.assert_array_equal(counted, [[1, 3, 2], [2, 3, 1]])
    np.testing.assert_array_equal(Permutations.from_orders([[2.0, NAN], [1.0, 2.0]], [1, 2]), [[-1, 1], [1, 2]])
    np.testing.assert_array_equal(Permutations.from_orders([[0, -1], [1, 0]]), [[1, -1], [2, 1]])
    np.testing.assert_array_equal(LabelSets.from_sets([[0, 3], []]), [[1, 0, 0, 1], [0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (lambda: Permutations.from_orders([[1, 2], [2, 1]]), None),
        (lambda: Permutations.from_orders([[0, 1, 2], [3, 1, 2]]), 1),
        (lambda: Permutations.from_orders([[0, 1], [-2, 1]]), 1),
        (lambda: Permutations.from_orders([[0, 0, 2]]), 0),
        (lambda: Permutations.from_orders([["a", "b"], ["a", "a"]]), 1),
        (
            lambda: Permutations.from_orders([["a"], ["c"]], ["a", "b"]),
            1,
        ),
        (lambda: Permutations.from_orders([["a"], [1]]), None),
        (
            lambda: Permutations.from_top_k(pd.DataFrame({"id": [7, 8], "first": ["a", "b"], "second": ["b", None]})),
            None,
        ),
        (lambda: Permutations.from_orders(["a>b"]), 0),
        (lambda: Permutations.from_orders([["a"], {"b", "a"}]), 1),
        (lambda: Permutations.from_orders([["a"], None]), 1),
        (lambda: Permutations.from_orders([["a", None, "b"]]), 0),
        (lambda: Permutations.from_orders([["a"], 3]), 1),
        (lambda: Permutations.from_orders([[0.5]]), 0),
        (lambda: Permutations.from_orders({"a": 1}), None),
        (lambda: Permutations.from_orders([]), None),
        (lambda: Permutations.from_orders([["a"]], ["a", "a"]), None),
        (lambda: Permutations.to_orders([[1, 2, 2]]), 0),
        (lambda: Permutations.to_orders([[1, 1, 2]]), 0),
        (lambda: Permutations.to_orders([[2, 1]], ["a"]), None),
        (
            lambda: Permutations.from_ratings([[1, 2], [3, 3]]),
            1,
        ),
        (lambda: Permutations.from_ratings([[1, np.inf]]), 0),
        (lambda: Permutations.from_scores([[1, NAN]]), 0),
        (lambda: WeakOrders.from_ratings([[1, NAN]]), 0),
        (
            lambda: WeakOrders.from_ratings([[1, NAN], [2, 2]]),
            0,
        ),
        (
            lambda: Permutations.from_ratings([[1, 1], [2, NAN]]),
            0,
        ),
        (
            lambda: Permutations.from_ratings([["good", "poor"]]),
            0,
        ),
        (lambda: WeakOrders.from_tiers([["a", "b"], ["a"]]), 1),
        (lambda: WeakOrders.from_tiers([["a"], ["b", ""]]), 1),
        (lambda: LabelSets.from_sets(np.array([[1, 0], [0, 1]])), None),
        (lambda: LabelSets.from_sets(pd.DataFrame([[1, 0, 0], [0, 1, 1]])), None),
        (lambda: Cliques.from_vertices(np.eye(3, dtype=bool)), None),
        (lambda: LabelSets.from_sets([[], []]), None),
        (lambda: Permutations.from_orders([[]]), None),
        (lambda: LabelSets.from_sets(["a|b"]), 0),
        (lambda: LabelSets.from_sets([["a"], NAN]), 1),
        (lambda: LabelSets.to_sets([[0, 2]]), 0),
        (lambda: Assignments.from_pairs([[(0, 0), (1, 1)], [(0, 0)]]), 1),
        (lambda: Assignments.from_pairs([[(0, 0), (1, 0)]]), 0),
        (lambda: Assignments.from_pairs([[0, 1]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises((ValueError, TypeError)) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


def test_natural_inputs_through_searches():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    orders = [[NAMES[j] for j in np.argsort(row)] for row in X @ rng.normal(size=(2, 3))]
    y = Permutations.from_orders(orders, as_frame=True)
    model = make_pipeline(StandardScaler(), StructuredRidge("permutations"))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.1, 1.0]}, cv=3).fit(X, y)
    found = search.best_estimator_[-1].structure_
    assert found.labels == sorted(NAMES) and search.best_score_ > 0.8
    assert Permutations.to_orders(search.predict(X), found.labels).tolist()[0] == orders[0]
    sets = [order[:1] for order in orders]
    model.set_params(structuredridge__structure=LabelSets()).fit(X, LabelSets.from_sets(sets, as_frame=True))
    assert LabelSets.to_sets(model.predict(X), model[-1].classes_.tolist())[0] in [[name] for name in NAMES] + [[]]
    tops = Permutations.from_top_k([order[:1] for order in orders], NAMES)
    model.set_params(structuredridge__structure=Permutations()).fit(X, tops)
    assert np.mean(np.argmin(model.predict(X), axis=1) == np.argmin(tops, axis=1)) > 0.8
    with pytest.raises(ValueError) as caught:
        Permutations(3).validate(tops)
    assert caught.value.row == 0


@pytest.mark.parametrize(
    ("structure", "y", "row"),
    [
        (
            "labelsets",
            [["a", "b"], ["c"]],
            0,
        ),
        ("labelsets", [{"a"}, {"b"}], 0),
        ("labelsets", ["a|b", "c"], 0),
        ("labelsets", [[0, 2], [1]], 1),
        ("labelsets", pd.Series([["a", "b"], ["c"]]), 0),
        ("permutations", [["b", "a"], ["a", "b"]], 0),
        ("permutations", np.array([["b", "a"], ["a", "b"]]), 0),
        ("permutations", pd.DataFrame([["b", "a"], ["a", "b"]]), 0),
        ("permutations", [[0], [1, 0]], 1),
        ("weakorders", [["a", ["b", "c"]], ["a", "b", "c"]], 0),
        ("cliques", [["a", "b"], ["c"]], 0),
        ("assignments", [[("a", "x"), ("b", "y")]] * 2, 0),
        ("assignments", [{"a": "x", "b": "y"}] * 2, 0),
    ],
)
def test_rows_of_names_are_told_of_their_converter(structure, y, row):
    X = np.zeros((2, 1))
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(X, y)
    assert caught.value.row == row
    model = StructuredRidge(structure).fit(
        X, np.array([[1, 0], [0, 1]]) + (structure in ("permutations", "weakorders"))
    )
    with pytest.raises(ValueError) as caught:
        model.score(X, y)
    assert caught.value.row == row


def test_converters_of_an_instance_take_its_names():
    assert LabelSets(labels=NAMES).from_sets([["juice"]]).tolist() == [[0, 0, 1]]
    assert LabelSets(5).from_sets([[0, 3]]).tolist() == [[1, 0, 0, 1, 0]]
    assert LabelSets(labels=NAMES).to_sets([[0, 0, 1]]) == [["juice"]]
    assert Permutations(labels=NAMES).from_orders([["juice", "tea"]]).tolist() == [[2, -1, 1]]
    assert Permutations(3).from_orders([[3, 1]], one_based=True).tolist() == [[2, -1, 1]]
    assert WeakOrders(3).from_top_k([[2]]).tolist() == [[2, 2, 1]]
    assert WeakOrders(labels=NAMES).to_tiers([[1, 1, 2]]) == [[["tea", "milk"], ["juice"]]]
    people = Assignments(items=["Ann", "Bob"], columns=["cook", "paint"])
    pairs = [[("Ann", "paint"), ("Bob", "cook")]]
    assert people.to_pairs(people.from_pairs(map(dict, pairs))) == pairs
    assert Cliques(3).from_vertices([[1]]).tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError) as caught:
        LabelSets(3).from_sets([[5]])
    assert caught.value.row == 0


def test_what_is_between_separators_is_shown():
    with pytest.raises(ValueError) as caught:
        LabelSets.from_sets(["a|b", "a||b"], sep="|")
    assert (caught.value.argument, caught.value.row) == ("sets", 1)
    with pytest.raises(TypeError):
        MultiClass(["a"]).count()
