"""y of posets and hierarchies: what is read, what comes back, and what is refused."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import shortest_path

from combpred.structures import Hierarchy, PosetElements

RELATION = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)  # a diamond

PARENT = [3, 3, 0, -1, 0, 1, 5]

ANIMALS = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal"}

ANIMAL_NAMES = ["animal", "cat", "dog", "mammal", "fish"]


RELATED = pd.DataFrame([[1, 1, 1], [0, 1, 0], [0, 0, 1]], index=list("abc"), columns=list("abc"))  # a is above


# Posets.


@pytest.mark.parametrize(
    "relation",
    [
        [[1, 0]],
        [[1, 2], [0, 1]],
        [[1, 1], [1, 1]],
        [[0, 0], [0, 1]],
        [[1, 1, 0], [0, 1, 1], [0, 0, 1]],
    ],
)
def test_relations_must_be_partial_orders(relation: Any) -> None:
    with pytest.raises(ValueError) as caught:
        PosetElements(relation).count()
    assert getattr(caught.value, "argument", "relation") == "relation"


@pytest.mark.parametrize("frame", [RELATED, RELATED[["c", "a", "b"]], RELATED.loc[["b", "c", "a"]]])
@pytest.mark.parametrize("elements", [None, ["b", "a", "c"]])
def test_rows_and_columns_of_a_relation_are_matched(frame: pd.DataFrame, elements: list[str] | None) -> None:
    structure = PosetElements(frame, elements=elements)
    names = elements or frame.columns.tolist()
    assert structure.feature_names().tolist() == [f">={name}" for name in names]
    np.testing.assert_array_equal(structure.embed(["a", "b", "c"]), RELATED[names])
    with pytest.raises(ValueError):
        PosetElements(frame.rename(index={"a": "d"}), elements=elements).count()


def test_what_a_relation_lacks_is_added_as_refusals_advise() -> None:
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    given: list[tuple[Any, type[Exception]]] = [
        (graph, TypeError),
        ([("a", "b"), ("b", "c"), ("a", "d")], ValueError),
    ]
    for relation, error in given:
        with pytest.raises(error):
            PosetElements(relation).count()
    matrix = nx.to_numpy_array(nx.transitive_closure(graph, reflexive=True))
    assert PosetElements(matrix, elements=list(graph)).embed(["b"]).tolist() == [[0, 1, 1]]
    chain = nx.to_numpy_array(graph)
    for relation in (chain, chain + np.eye(3)):
        with pytest.raises(ValueError):
            PosetElements(relation).count()
        np.testing.assert_array_equal(np.isfinite(shortest_path(relation)), matrix)
    with pytest.raises(ValueError, match=r"elements are whole numbers 0\.\.2"):
        PosetElements(matrix).embed(["b"])
    with pytest.raises(ValueError):
        Hierarchy([-1, 0, 0]).embed(["b"])


def test_elements_outside_the_poset_are_refused() -> None:
    with pytest.raises(ValueError) as caught:
        PosetElements(RELATION).validate([0, 4])
    assert caught.value.row == 1
    assert PosetElements(RELATION) == PosetElements(RELATION.tolist())


def test_allowed_elements() -> None:
    mask = np.array([False, True, False, True])
    structure = PosetElements(RELATION, allowed=mask)
    assert list(structure.enumerate()) == [1, 3] == list(PosetElements(RELATION, allowed=[3, 1]).enumerate())
    assert structure != PosetElements(RELATION) and PosetElements(RELATION, allowed=[0, 1, 2, 3]).count() == 4
    assert set(structure.sample(50, random_state=0)) == {1, 3}
    # Element 0 scores most, and lies below both; of all elements 2 would be best.
    scores = np.array([[5.0, -1.0, 2.0, -3.0]])
    assert structure.decode(scores).tolist() == [1] and PosetElements(RELATION).decode(scores).tolist() == [2]
    with pytest.raises(ValueError) as caught:
        structure.validate([3, 2])
    assert caught.value.row == 1
    assert structure.score([0, 1], [3, 1]) == 0.5  # truth that is not allowed is predicted wrongly


@pytest.mark.parametrize(
    ("allowed", "row"),
    [
        ([True], None),
        ([False] * 4, None),
        ([0, 1, 1, 0], None),
        ([4], 0),
        ([], None),
        ("leaves", None),
    ],
)
def test_illegal_choices_of_elements_are_refused(allowed: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        PosetElements(RELATION, allowed=allowed).count()
    assert getattr(caught.value, "row", None) == row


# Hierarchies.


def test_names_of_a_hierarchy_come_back() -> None:
    structure = Hierarchy(ANIMALS)
    assert structure.feature_names().tolist() == ANIMAL_NAMES
    assert structure.sample(50, random_state=0).dtype.kind == "U"
    assert structure == Hierarchy(dict(ANIMALS))
    with_root = Hierarchy({"animal": None, **ANIMALS})
    assert with_root.feature_names().tolist() == ["animal", *ANIMALS]
    numbers = Hierarchy({11: 1, 12: 1, 1: None})
    assert numbers.feature_names().tolist() == ["11", "12", "1"]
    assert numbers.encode([1, 11])[:, 0].tolist() == [2, 0]
    with pytest.raises(TypeError):
        Hierarchy({1: "top"}).count()


def test_allowed_nodes() -> None:
    assert sorted(Hierarchy(PARENT, allowed="leaves").enumerate()) == [2, 4, 6]
    mask = np.isin(np.arange(7), [3, 4])
    assert sorted(Hierarchy(PARENT, allowed=mask).enumerate()) == [3, 4]
    assert sorted(Hierarchy(PARENT, allowed=[4, 3]).enumerate()) == [3, 4]
    assert Hierarchy([-1, 0], allowed=[True, False]) != Hierarchy([-1, 0], allowed=[1, 0])
    with pytest.raises(ValueError) as caught:
        Hierarchy(PARENT, allowed="leaves").validate([2, 3])
    assert caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        Hierarchy(ANIMALS, allowed="leaves").validate(["mammal"])
    assert caught.value.row == 0


def test_truth_outside_the_allowed_nodes_is_scored_as_wrong() -> None:
    assert Hierarchy(ANIMALS, allowed="leaves").score(["mammal", "cat"], ["dog", "cat"]) == 0.5


@pytest.mark.parametrize(
    ("parent", "allowed", "row"),
    [
        ([-1, -1], None, None),
        ({"a": "b", "c": "d"}, None, None),
        ([1, 0], None, None),
        ([-1, 2, 3, 1], None, None),
        ({"r": None, "a": "b", "b": "a"}, None, None),
        ([-1, 5], None, None),
        ([], None, None),
        ({}, None, None),
        ([-1, 0], "leafs", None),
        ([-1, 0], [True], None),
        ([-1, 0], [False, False], None),
        ([-1, 0, 0], [0, 1, 1], None),
        ([-1, 0], [2], 0),
        (ANIMALS, ["cow"], 0),
        ([-1, 0], [], None),
    ],
)
def test_illegal_hierarchies_are_refused(parent: Any, allowed: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        Hierarchy(parent, allowed=allowed).count()
    assert getattr(caught.value, "row", None) == row


def test_parents_must_be_indices() -> None:
    with pytest.raises(TypeError):
        Hierarchy(["a", "b"]).count()
    for third in (0.5, np.nan):
        with pytest.raises(TypeError) as caught:
            Hierarchy([-1, 0, third]).count()
        assert f"parent[2] is {third}" in str(caught.value)
    assert Hierarchy([-1.0, 0.0]).count() == 2


@pytest.mark.parametrize(
    "parent",
    [
        pd.Series({"cat": "mammal", "dog": "mammal", "mammal": None}),
        pd.Series(["mammal", "mammal", ""], index=["cat", "dog", "mammal"]),
        {"cat": "mammal", "dog": "mammal", "mammal": np.nan},
    ],
    ids=["series", "series with an empty cell", "nan"],
)
def test_tables_of_parents_are_mappings(parent: Any) -> None:
    want = Hierarchy({"cat": "mammal", "dog": "mammal", "mammal": None})
    assert Hierarchy(parent).feature_names().tolist() == want.feature_names().tolist()
    np.testing.assert_array_equal(Hierarchy(parent).embed(["cat", "mammal"]), want.embed(["cat", "mammal"]))


def test_numbers_of_parents_may_be_a_series() -> None:
    keys = Hierarchy(pd.Series({20: 10.0, 30: 10.0, 10: np.nan}))  # floats, as one is missing
    np.testing.assert_array_equal(keys.embed([20, 10]), Hierarchy({20: 10, 30: 10, 10: None}).embed([20, 10]))
    counted = Hierarchy(pd.Series([-1, 0, 0]))  # an array, whose index counts
    np.testing.assert_array_equal(counted.embed([1, 0]), Hierarchy([-1, 0, 0]).embed([1, 0]))


@pytest.mark.parametrize(
    "parent",
    [
        nx.DiGraph([("a", "b")]),
        {"a": ["b", "c"]},
        pd.DataFrame({"node": ["a", "b"], "parent": [None, "a"]}),
    ],
    ids=["graph", "lists", "frame"],
)
def test_other_forms_of_trees_are_refused(parent: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Hierarchy(parent).count()


def test_unknown_nodes_name_the_row() -> None:
    with pytest.raises(ValueError) as caught:
        Hierarchy(ANIMALS).validate(["cat", "cow"])
    assert caught.value.row == 1
    with pytest.raises(ValueError, match=r"row 1: found 7; nodes are whole numbers 0\.\.6"):
        Hierarchy(PARENT).validate([0, 7])
