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

from combpred import Admissible, StructuredRidge
from combpred.structures import Assignments, Cliques, LabelSets, MultiClass, Permutations, WeakOrders

NAMES = ["tea", "milk", "juice"]
NAN = float("nan")
subsets = st.lists(st.lists(st.sampled_from(NAMES), unique=True), min_size=1, max_size=5)


def as_array_of_objects(rows):
    """Return rows as an array, as scikit-learn's cross-validation passes them on."""
    return np.fromiter(rows, dtype=object, count=len(rows))


@settings(max_examples=40, deadline=None)
@given(subsets)
def test_lists_come_back(lists):
    assert LabelSets.to_sets(LabelSets.from_sets(lists, NAMES), NAMES) == [
        [name for name in NAMES if name in names] for names in lists
    ]
    y = LabelSets.from_sets(lists, NAMES)
    framed = pd.DataFrame(y, columns=NAMES)
    assert LabelSets.to_sets(framed) == LabelSets.to_sets(sparse.csr_array(y), NAMES)
    assert Cliques.to_vertices(Cliques.from_vertices(lists, NAMES), NAMES) == LabelSets.to_sets(framed)
    assert Permutations.to_orders(Permutations.from_orders(lists, NAMES), NAMES) == lists
    tops = Permutations.from_top_k(lists, NAMES)
    told = [names for names in lists if len(names) < 2]  # the third of three labels is known by the others
    assert [row for row in Permutations.to_top_k(tops, NAMES) if len(row) < 2] == told
    np.testing.assert_array_equal(np.where(tops < 0, 1, tops), WeakOrders.from_top_k(lists, NAMES))
    Permutations(3).encode(tops, partial=True)


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
    np.testing.assert_array_equal(Assignments.from_pairs(list(map(dict, pairs)), NAMES, ["a", "b", "c"]), rows)
    np.testing.assert_array_equal(Assignments.from_pairs(Assignments.to_pairs(rows)), rows)


def test_sets_are_those_of_scikit_learn():
    sets = [{"b", "a"}, set(), {"c"}]
    binarizer = MultiLabelBinarizer()
    np.testing.assert_array_equal(LabelSets.from_sets(sets), binarizer.fit_transform(sets))
    fitted = StructuredRidge("labelsets").fit([[0], [1], [2]], sets)
    assert fitted.structure_.labels == binarizer.classes_.tolist()


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


def test_numbers_are_names_or_count_from_zero():
    np.testing.assert_array_equal(Permutations.from_orders([[2.0, NAN], [1.0, 2.0]], [1, 2]), [[-1, 1], [1, 2]])
    np.testing.assert_array_equal(LabelSets.from_sets([[0, 3], []]), [[1, 0, 0, 1], [0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (lambda: Permutations.from_orders([[0, 1], [-2, 1]]), 1),
        (lambda: Permutations.from_orders([[0, 0, 2]]), 0),
        (lambda: Permutations.from_orders([["a", "b"], ["a", "a"]]), 1),
        (
            lambda: Permutations.from_orders([["a"], ["c"]], ["a", "b"]),
            1,
        ),
        (lambda: Permutations.from_orders([["a"], [1]]), 1),
        (
            lambda: Permutations.from_top_k(pd.DataFrame({"id": [7, 8], "first": ["a", "b"], "second": ["b", None]})),
            0,
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
        (
            lambda: Permutations.from_ratings([[1, 1], [2, NAN]]),
            0,
        ),
        (
            lambda: Permutations.from_ratings([["good", "poor"]]),
            0,
        ),
        (lambda: WeakOrders.from_tiers([["a"], ["b", 0.5]]), 1),
        (lambda: WeakOrders.from_tiers(["ab"]), 0),
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
    model = make_pipeline(StandardScaler(), StructuredRidge("permutations").set_output(predict="names"))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.1, 1.0]}, cv=3).fit(X, orders)
    found = search.best_estimator_[-1].structure_
    assert found.labels == sorted(NAMES) and search.best_score_ > 0.8
    assert search.predict(X)[0] == orders[0]
    sets = [set(order[:1]) for order in orders]
    model.set_params(structuredridge__structure=LabelSets()).fit(X, sets)
    assert model.predict(X)[0] in [[name] for name in NAMES] + [[]]
    tops = Permutations.from_top_k([order[:1] for order in orders], NAMES)
    model[-1].set_output(predict="default")
    model.set_params(structuredridge__structure=Permutations()).fit(X, tops)
    assert np.mean(np.argmin(model.predict(X), axis=1) == np.argmin(tops, axis=1)) > 0.8
    with pytest.raises(ValueError) as caught:
        Permutations(3).validate(tops)
    assert caught.value.row == 0


ROWS = {
    "labelsets": [["a", "b"], ["c"]],
    "permutations": [["b", "a", "c"], ["a", "c"]],
    "weakorders": [["a", ["b", "c"]], ["a", "b", "c"]],
    "cliques": [["a", "b"], ["c"]],
    "assignments": [[("a", "x"), ("b", "y")], [("b", "x"), ("a", "y")]],
}
READ = {
    "labelsets": LabelSets.from_sets,
    "permutations": Permutations.from_orders,
    "weakorders": WeakOrders.from_tiers,
    "cliques": Cliques.from_vertices,
    "assignments": Assignments.from_pairs,
}


@pytest.mark.parametrize("form", [list, as_array_of_objects, pd.Series], ids=["list", "array", "series"])
@pytest.mark.parametrize("structure", ROWS)
def test_rows_of_names_are_y(structure, form):
    X, rows = np.array([[0.0], [1.0]]), ROWS[structure]
    model = StructuredRidge(structure, alpha=1e-3).fit(X, form(rows))
    plain = StructuredRidge(structure, alpha=1e-3).fit(X, READ[structure](rows))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, form(rows)) == plain.score(X, READ[structure](rows)) > 0.8
    assert model.structure_._names == (("a", "b") if structure == "assignments" else ("a", "b", "c"))
    named = model.set_output(predict="names").predict(X)
    assert named.shape == (2,) and model.score(X, named) == model.score(X, model.structure_.ordered(named))
    with pytest.raises(ValueError) as caught:
        model.score(X, form([rows[0], [("a", "z"), ("b", "y")] if structure == "assignments" else ["z"]]))
    assert caught.value.row == 1


def test_sets_of_admissible_outputs_are_read_like_rows():
    X, rows = np.array([[0.0], [1.0]]), [[["b", "a"], ["a", "b"]], [["a", "b"]]]
    named = StructuredRidge(Permutations(labels=["a", "b"])).fit(X, [Admissible(each) for each in rows])
    plain = StructuredRidge("permutations").fit(X, [Admissible([[2, 1], [1, 2]]), Admissible([[1, 2]])])
    np.testing.assert_array_equal(named.coef_, plain.coef_)


def test_ties_are_no_rows_of_permutations():
    for row in (["a", ("b", "c")], ["a", {"b", "c"}]):
        with pytest.raises(ValueError) as caught:
            StructuredRidge("permutations").fit([[0], [1]], [["a", "b", "c"], row])
        assert caught.value.row == 1


@pytest.mark.parametrize(
    ("structure", "y", "row"),
    [
        ("labelsets", ["a|b", "c"], 0),
        ("labelsets", [["a"], "b"], 1),
        ("labelsets", [[0, 2], [1]], 1),
        ("permutations", [[0], [1, 0]], 1),
        ("permutations", [{"a", "b"}, {"b"}], 0),
        ("weakorders", ["a>b", "b>a"], 0),
        ("assignments", [["a", "x"], ["b", "y"]], 0),
    ],
)
def test_other_rows_are_refused(structure, y, row):
    X = np.zeros((2, 1))
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(X, y)
    assert caught.value.row == row


def test_converters_of_an_instance_take_its_names():
    assert LabelSets(labels=NAMES).from_sets([["juice"]]).tolist() == [[0, 0, 1]]
    assert LabelSets(5).from_sets([[0, 3]]).tolist() == [[1, 0, 0, 1, 0]]
    assert LabelSets(labels=NAMES).to_sets([[0, 0, 1]]) == [["juice"]]
    assert Permutations(labels=NAMES).from_orders([["juice", "tea"]]).tolist() == [[2, -1, 1]]
    assert WeakOrders(3).from_top_k([[2]]).tolist() == [[2, 2, 1]]
    assert WeakOrders(labels=NAMES).to_tiers([[1, 1, 2]]) == [[["tea", "milk"], ["juice"]]]
    people = Assignments(items=["Ann", "Bob"], columns=["cook", "paint"])
    pairs = [[("Ann", "paint"), ("Bob", "cook")]]
    assert people.to_pairs(people.from_pairs(list(map(dict, pairs)))) == pairs
    assert Cliques(3).from_vertices([[1]]).tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError) as caught:
        LabelSets(3).from_sets([[5]])
    assert caught.value.row == 0


def test_numbers_of_classes_are_no_lists():
    with pytest.raises(TypeError):
        MultiClass(["a"]).count()


@pytest.mark.parametrize("empty", [[], (), set()])
def test_rows_may_all_be_empty(empty):
    """As a fold of rows without labels has them: it is read as sets of names, and not as a matrix of no columns."""
    for known in (LabelSets(3), LabelSets(labels=NAMES)):
        np.testing.assert_array_equal(known.encode([empty] * 2), np.zeros((2, 3)))
        assert known.score([empty] * 2, np.array([[0, 0, 0], [0, 1, 0]])) == pytest.approx(5 / 6)
    labels = LabelSets(labels=NAMES)
    assert StructuredRidge(labels).fit([[0.0], [1.0]], [empty] * 2).predict([[2.0]]).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("structure", [LabelSets(labels=NAMES, observed=True), LabelSets(observed=True)], ids=repr)
def test_observed_sets_are_read_from_rows_of_names(structure):
    sets = [["juice"], ["juice", "milk"], [], ["tea"]]
    fitted = StructuredRidge(structure).fit(np.eye(4), sets).structure_
    assert sorted(fitted.labels) == sorted(NAMES) and fitted.count() == 4
    y = LabelSets.from_sets(sets, fitted.labels)
    again = StructuredRidge(LabelSets(3, observed=True)).fit(np.eye(4), y)
    np.testing.assert_array_equal(again.structure_.observed, fitted.observed)
