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
    Permutations(3).space.embed_targets(tops)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=1, max_size=4))
def test_tiers_and_ratings_come_back(ranks):
    dense = WeakOrders(3).space.decode_parts(WeakOrders(3).space.encode(ranks))
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
    ("convert", "message"),
    [
        (lambda: Permutations.from_orders([[1, 2], [2, 1]]), "orders never holds 0: .* one_based=True"),
        (lambda: Permutations.from_orders([[0, 1, 2], [3, 1, 2]]), r"orders, row 1: found 3, .* labels=range\(4\)"),
        (lambda: Permutations.from_orders([[0, 1], [-2, 1]]), "orders, row 1: found -2; numbers count from 0"),
        (lambda: Permutations.from_orders([[0, 0, 2]]), "orders, row 0: 0 occurs twice"),
        (lambda: Permutations.from_orders([["a", "b"], ["a", "a"]]), "orders, row 1: 'a' occurs twice"),
        (
            lambda: Permutations.from_orders([["a"], ["c"]], ["a", "b"]),
            "row 1: 'c' is none of labels, which are 'a', 'b'",
        ),
        (lambda: Permutations.from_orders([["a"], [1]]), "names and numbers side by side, first in row 1: make"),
        (
            lambda: Permutations.from_top_k(pd.DataFrame({"id": [7, 8], "first": ["a", "b"], "second": ["b", None]})),
            "tops holds names and numbers side by side, numbers in column 'id': leave it out",
        ),
        (lambda: Permutations.from_orders(["a>b"]), "row 0: found the string 'a>b'; give lists, or say by sep="),
        (lambda: Permutations.from_orders([["a"], {"b", "a"}]), "row 1: .* is a set, which has no order"),
        (lambda: Permutations.from_orders([["a"], None]), "row 1: the row is missing; drop it, or give an empty list"),
        (lambda: Permutations.from_orders([["a", None, "b"]]), "row 0: found a missing entry before others"),
        (lambda: Permutations.from_orders([["a"], 3]), "row 1: the row is 3, which is no list"),
        (lambda: Permutations.from_orders([[0.5]]), "row 0: found 0.5; entries are names or whole numbers"),
        (lambda: Permutations.from_orders({"a": 1}), "orders must be a list with an entry for each row"),
        (lambda: Permutations.from_orders([]), "orders has 0 rows"),
        (lambda: Permutations.from_orders([["a"]], ["a", "a"]), "labels: 'a' occurs twice"),
        (lambda: Permutations.to_orders([[1, 2, 2]]), "positions, row 0: .*to_top_k"),
        (lambda: Permutations.to_orders([[1, 1, 2]]), "positions, row 0: labels 0 and 1 share position 1"),
        (lambda: Permutations.to_orders([[2, 1]], ["a"]), "labels has 1 names for 2 columns"),
        (
            lambda: Permutations.from_ratings([[1, 2], [3, 3]]),
            "row 1: labels 0 and 1 have one rating; WeakOrders.from_r",
        ),
        (lambda: Permutations.from_ratings([[1, np.inf]]), "ratings, row 0: found inf"),
        (lambda: Permutations.from_scores([[1, NAN]]), "scores, row 0: found nan .*Permutations.from_ratings"),
        (lambda: WeakOrders.from_ratings([[1, NAN]]), "row 0: label 1 has no rating.*Permutations.from_ratings"),
        (
            lambda: WeakOrders.from_ratings([[1, NAN], [2, 2]]),
            r"label 1 has no rating.* or pass pandas.DataFrame\(ratings\).rank",
        ),
        (
            lambda: Permutations.from_ratings([[1, 1], [2, NAN]]),
            r"0 and 1 have one rating; others .*DataFrame\(ratings\).rank",
        ),
        (
            lambda: Permutations.from_ratings([["good", "poor"]]),
            r"'good' in column 0 .*\.replace\({name: number",
        ),
        (lambda: WeakOrders.from_tiers([["a", "b"], ["a"]]), "row 1: label 'b' is in no group.*WeakOrders.from_top_k"),
        (lambda: WeakOrders.from_tiers([["a"], ["b", ""]]), "tiers, row 1: .* has an empty name"),
        (lambda: LabelSets.from_sets(np.array([[1, 0], [0, 1]])), "sets is a 0/1 matrix, .* pass it as it is"),
        (lambda: LabelSets.from_sets(pd.DataFrame([[1, 0, 0], [0, 1, 1]])), "sets is a 0/1 matrix"),
        (lambda: Cliques.from_vertices(np.eye(3, dtype=bool)), "cliques is a 0/1 matrix"),
        (lambda: LabelSets.from_sets([[], []]), "sets holds no entry in any row: say by labels="),
        (lambda: Permutations.from_orders([[]]), "orders holds no entry in any row: say by labels="),
        (lambda: LabelSets.from_sets(["a|b"]), "sets, row 0: found the string 'a|b'"),
        (lambda: LabelSets.from_sets([["a"], NAN]), "sets, row 1: the row is missing"),
        (lambda: LabelSets.to_sets([[0, 2]]), "indicators, row 0: found 2 in column 1"),
        (lambda: Assignments.from_pairs([[(0, 0), (1, 1)], [(0, 0)]]), "pairs, row 1: assigns 1 of 2 items"),
        (lambda: Assignments.from_pairs([[(0, 0), (1, 0)]]), "pairs, row 0: 0 occurs twice"),
        (lambda: Assignments.from_pairs([[0, 1]]), "pairs, row 0: found 0; entries are pairs"),
    ],
)
def test_refusals_name_the_row_and_the_remedy(convert, message):
    with pytest.raises((ValueError, TypeError), match=message):
        convert()


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
    with pytest.raises(ValueError, match="share position 2"):
        Permutations(3).validate(tops)


@pytest.mark.parametrize(
    ("structure", "y", "message"),
    [
        (
            "labelsets",
            [["a", "b"], ["c"]],
            r"found \['a', 'b'\]; LabelSets.from_sets makes y of sets, lists",
        ),
        ("labelsets", [{"a"}, {"b"}], "LabelSets.from_sets"),
        ("labelsets", ["a|b", "c"], "found 'a|b'; LabelSets.from_sets"),
        ("labelsets", [[0, 2], [1]], "row 1: found .1., of another length than row 0; LabelSets.from_sets"),
        ("labelsets", pd.Series([["a", "b"], ["c"]]), "LabelSets.from_sets"),
        ("permutations", [["b", "a"], ["a", "b"]], "Permutations.from_orders makes y of lists of labels"),
        ("permutations", np.array([["b", "a"], ["a", "b"]]), "Permutations.from_orders"),
        ("permutations", pd.DataFrame([["b", "a"], ["a", "b"]]), "Permutations.from_orders"),
        ("permutations", [[0], [1, 0]], "row 1: found .1, 0., of another length.*Permutations.from_orders"),
        ("weakorders", [["a", ["b", "c"]], ["a", "b", "c"]], "WeakOrders.from_tiers"),
        ("cliques", [["a", "b"], ["c"]], "Cliques.from_vertices"),
        ("assignments", [[("a", "x"), ("b", "y")]] * 2, "Assignments.from_pairs"),
        ("assignments", [{"a": "x", "b": "y"}] * 2, "Assignments.from_pairs"),
    ],
)
def test_rows_of_names_are_told_of_their_converter(structure, y, message):
    X = np.zeros((2, 1))
    with pytest.raises(ValueError, match=message):
        StructuredRidge(structure).fit(X, y)
    model = StructuredRidge(structure).fit(
        X, np.array([[1, 0], [0, 1]]) + (structure in ("permutations", "weakorders"))
    )
    with pytest.raises(ValueError, match=message):
        model.score(X, y)


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
    with pytest.raises(ValueError, match="5 is none of labels, which are 0, 1, 2"):
        LabelSets(3).from_sets([[5]])


def test_what_is_between_separators_is_shown():
    with pytest.raises(
        ValueError, match=r"sets, row 1: found nothing beside '\|' in 'a\|\|b'; drop it, or name what is"
    ):
        LabelSets.from_sets(["a|b", "a||b"], sep="|")
    with pytest.raises(
        TypeError, match=r"n_classes must be an integer or None, got \['a'\]; fit takes it from the labels"
    ):
        MultiClass(["a"]).count()
