"""Constraints that are not legal are refused with the row and the remedy; what means the same is read alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from combpred import CapabilityError, StructuredRidge
from combpred.structures import (
    Assignments,
    Cliques,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    WeakOrders,
)

# Refusals.

ROUTES = Routes(5)


@pytest.mark.parametrize(
    ("structure", "constraint", "row"),
    [
        (ROUTES, {"begin": 1}, None),
        (ROUTES, {"start": 5}, None),
        (ROUTES, {"start": -1}, None),
        (ROUTES, {"start": 2, "end": 2}, None),
        (ROUTES, {"length": 1}, None),
        (ROUTES, {"length": 6}, None),
        (ROUTES, {"required": [7]}, None),
        (ROUTES, {"required": [3], "forbidden": [3]}, None),
        (ROUTES, {"start": 3, "forbidden": [3]}, None),
        (ROUTES, {"required": [(1, 2)], "forbidden": [2]}, None),
        (ROUTES, {"required": [(1, 2)], "forbidden": [(1, 2)]}, None),
        (ROUTES, {"required": [(1, 2), (1, 3)]}, None),
        (ROUTES, {"required": [(1, 2), (3, 2)]}, None),
        (ROUTES, {"required": [(1, 1)]}, None),
        (ROUTES, {"required": [0, 1, 2], "length": 2}, None),
        (ROUTES, {"forbidden": [0, 1, 2, 3]}, None),
        (ROUTES, {"forbidden": [0, 1], "length": 4}, None),
        (ROUTES, {"required": [(1, 2), (2, 1)]}, 0),
        (ROUTES, {"start": 2, "required": [(1, 2)]}, 0),
        (Permutations(4), {"first": 1, "last": 1}, None),
        (Permutations(4), {"before": [(1, 1)]}, None),
        (Permutations(4), {"before": [(0, 1), (1, 3), (3, 0)]}, None),
        (Permutations(4), {"before": [(0, 1)], "first": 1}, None),
        (WeakOrders(4), {"before": [(0, 1)], "last": 0}, None),
        (Permutations(4), {"before": [(0, 4)]}, None),
        (LabelSets(4), {"required": [1], "forbidden": [1]}, None),
        (LabelSets(4), {"required": [1, 2], "size": 1}, None),
        (LabelSets(4), {"forbidden": [1, 2], "size": 3}, None),
        (LabelSets(4, size=2), {"size": 3}, None),
        (LabelSets(4, size=2), {"required": [0, 1, 2]}, None),
        (LabelSets(4), {"size": 5}, None),
        (Subtrees([-1, 0, 1]), {"forbidden": [0]}, None),
        (Subtrees([-1, 0, 1]), {"required": [2], "forbidden": [1]}, None),
        (Subtrees([-1, 0, 1]), {"required": [2], "size": 2}, None),
        (Subtrees([-1, 0, 1]), {"size": 0}, None),
        (Subtrees([-1, 0, 1]), {"forbidden": [1], "size": 2}, None),
        (Cliques(4), {"required": [0], "size": 0}, None),
        (Graphs(4), {"required": [(0, 1)], "forbidden": [(1, 0)]}, None),
        (Graphs(edges=[(0, 1), (1, 2)]), {"required": [(0, 2)]}, None),
        (
            SpanningTrees(3, [(0, 1), (1, 2)]),
            {"forbidden": [(0, 1)]},
            None,
        ),
        (Paths([(0, 1), (1, 2), (0, 2)], 0, 2), {"required": [(1, 0)]}, None),
        (Paths([(0, 1), (1, 2), (0, 2)], 0, 2), {"required": [(0, 1), (0, 2)]}, 0),
        (Assignments(3), {"required": [(0, 1), (0, 2)]}, None),
        (Assignments(3), {"required": [(0, 1), (2, 1)]}, None),
        (Assignments(3), {"required": [(0, 1)], "forbidden": [(0, 1)]}, None),
        (Assignments(2), {"required": [(0, 1)], "forbidden": [(1, 0)]}, 0),
        (Assignments(3), {"required": [(0, 3)]}, None),
        (Cycles(5), {"required": [(0, 1)], "forbidden": [(1, 0)]}, None),
        (Cycles(5), {"required": [(0, 1), (0, 2), (0, 3)]}, 0),
        (DirectedCycles(5), {"start": 1, "end": 2, "forbidden": [(2, 1)]}, 0),
    ],
)
def test_constraints_that_are_not_legal_are_refused(
    structure: Structure, constraint: dict[str, Any], row: int | None
) -> None:
    scores = np.zeros((3, structure.n_features))
    with pytest.raises(ValueError) as caught:
        structure.decode(scores, constraints=constraint)
    assert getattr(caught.value, "row", None) == row
    with pytest.raises(ValueError) as caught:
        structure.decode(scores, constraints=[None, constraint, {}])
    assert caught.value.row == 1


@pytest.mark.parametrize(
    "constraint",
    [
        3,
        {"start": 1.0},
        {"start": True},
        {"start": [1]},
        {"length": "3"},
        {"required": 3},
        {"required": "3"},
        {"required": [(1, 2, 3)]},
        {"required": ["a"]},
        {"forbidden": [None]},
    ],
)
def test_constraints_of_wrong_types_are_refused(constraint: Any) -> None:
    with pytest.raises(TypeError) as caught:
        ROUTES.decode(np.zeros((2, ROUTES.n_features)), constraints=[None, constraint])
    assert str(caught.value).startswith("constraints, row 1: ")
    assert not isinstance(constraint, dict) or any(name in str(caught.value) for name in constraint)


def test_constraints_must_fit_the_rows() -> None:
    scores = np.zeros((3, ROUTES.n_features))
    with pytest.raises(ValueError, match="constraints has 2 entries for 3 rows"):
        ROUTES.decode(scores, constraints=[None, {}])
    with pytest.raises(TypeError):
        ROUTES.decode(scores, constraints=7)
    with pytest.raises(TypeError):
        ROUTES.decode(scores, constraints="start")
    with pytest.raises(TypeError):
        ROUTES.decode(scores, constraints=pd.DataFrame({"start": [1, 2, 3]}))
    with pytest.raises(CapabilityError):
        MultiClass(3).decode(np.zeros((1, 3)), constraints={"required": [1]})


def test_numbers_and_lists_of_any_kind_are_read() -> None:
    scores = np.random.default_rng(12).normal(size=ROUTES.n_features)
    want = ROUTES.decode(scores, constraints={"start": 1, "required": [2, (3, 4)], "forbidden": [(1, 2)]})
    same = {
        "start": np.int64(1),
        "end": None,
        "required": (np.int32(2), np.array([3, 4])),
        "forbidden": np.array([[1, 2]]),
    }
    np.testing.assert_array_equal(ROUTES.decode(scores, constraints=same), want)


def test_arrays_of_dicts_and_nothing_to_ask_for_are_accepted():
    scores = np.random.default_rng(0).normal(size=(3, 6))
    asked = [{"first": 2}, None, {"last": 0}]
    expected = Permutations(4).decode(scores, constraints=asked)
    array = np.empty(3, dtype=object)
    array[:] = asked
    np.testing.assert_array_equal(Permutations(4).decode(scores, constraints=array), expected)
    np.testing.assert_array_equal(Permutations(4).decode(scores, constraints=pd.Series(asked)), expected)
    free = MultiClass(6).decode(scores)
    for nothing in ({}, [None, {}, None]):
        np.testing.assert_array_equal(MultiClass(6).decode(scores, constraints=nothing), free)


def test_messages_name_the_structure_without_its_parameters():
    with pytest.raises(ValueError) as caught:
        Paths.grid(3, 3).decode(np.zeros(12), constraints=[{"required": [(1, 2), (3, 4)]}])
    assert caught.value.row == 0


def test_a_decoder_that_is_none_is_refused_after_fit_too():
    model = StructuredRidge(Permutations(3)).fit(np.eye(2), [[1, 2, 3], [2, 1, 3]]).set_params(decoder="best")
    with pytest.raises(ValueError):
        model.predict(np.eye(2))


@pytest.mark.parametrize(
    ("structure", "constraint"),
    [
        (
            Permutations(labels=["tea", "milk", "cola"]),
            {"before": [("cola", "tea"), ("tea", "cola")]},
        ),
        (
            Permutations(labels=["tea", "milk", "cola"]),
            {"before": ("cola", "tea")},
        ),
        (
            LabelSets(labels=["urgent", "bill"]),
            {"required": "bill"},
        ),
        (
            Routes(places=["home", "zoo", "park"]),
            {"required": "zoo"},
        ),
        (
            Permutations(labels=["tea", "milk", "cola"]),
            {"before": [("milk", "tea")], "first": "tea"},
        ),
        (
            Permutations(labels=["tea", "milk", "cola"]),
            {"before": [("milk", "milk")]},
        ),
        (
            Routes(places=["home", "zoo", "park"]),
            {"start": "zoo", "end": "zoo"},
        ),
        (
            Routes(places=["home", "zoo", "park"]),
            {"required": [("zoo", "home")], "forbidden": [("zoo", "home")]},
        ),
        (
            Graphs(vertices=["home", "zoo", "park"], edges=[("home", "zoo")]),
            {"required": [("zoo", "park")]},
        ),
        (
            Paths([("a", "b"), ("b", "c")], "a", "c", vertices=["a", "b", "c"]),
            {"required": [("c", "a")]},
        ),
        (
            Permutations(labels=[31, 1, 0]),  # names that are numbers are named once
            {"before": [(31, 1), (1, 31)]},
        ),
        (
            Assignments(items=["Ann", "Bob"], columns=["cook", "paint"]),
            {"required": [("Ann", "cook"), ("Bob", "cook")]},
        ),
        (
            Assignments(2, columns=["cook", "paint"]),
            {"required": [(0, "cook"), (0, "paint")]},
        ),
        (
            Assignments(items=["Ann", "Bob"]),
            {"required": [("Ann", 1)], "forbidden": [("Ann", 1)]},
        ),
        (
            Assignments(items=["Ann", "Bob"], columns=["cook", "paint"]),
            {"required": "Ann"},
        ),
    ],
)
def test_messages_call_items_by_their_names(structure, constraint):
    scores = np.zeros((1, structure.n_features))
    with pytest.raises((TypeError, ValueError)) as caught:
        structure.decode(scores, constraints=constraint)
    assert any(name in str(caught.value) for name in constraint)


@pytest.mark.parametrize(
    "structure",
    [
        PosetElements([[1, 1], [1, 1]], elements=["low", "high"]),
        PosetElements([[1, 0], [0, 0]], elements=["low", "high"]),
        SpanningTrees(vertices=["Ely", "Bath", "Cork"], edges=[("Ely", "Bath")]),
        Graphs(vertices=["Ely", "Bath"], edges=[("Ely", "Bath"), ("Bath", "Ely")]),
    ],
)
def test_structures_that_cannot_be_are_refused_by_the_names_of_their_items(structure):
    with pytest.raises(ValueError):
        structure.count()


# Ranges of sizes and lengths, and nodes.

NAMED = Hierarchy({"cat": "mammal", "dog": "mammal", "mammal": "animal"}, allowed=["mammal", "dog", "animal"])


@pytest.mark.parametrize(
    ("structure", "constraint", "error"),
    [
        (LabelSets(4), {"size": (3, 1)}, ValueError),
        (LabelSets(4), {"size": (5, 6)}, ValueError),
        (LabelSets(4), {"size": (-1, 2)}, ValueError),
        (LabelSets(4), {"size": (1, 2, 3)}, TypeError),
        (LabelSets(4), {"size": (1.0, 2)}, TypeError),
        (LabelSets(4), {"size": (True, 2)}, TypeError),
        (LabelSets(4), {"size": (None, 2)}, TypeError),
        (LabelSets(4, size=2), {"size": (3, 4)}, ValueError),
        (LabelSets(4), {"size": (0, 1), "required": [1, 2]}, ValueError),
        (LabelSets(labels=["a", "b", "c"]), {"size": (2, 1)}, ValueError),
        (LabelSets(3, observed=[[0, 0, 0], [1, 1, 0]]), {"size": (3, 3)}, ValueError),
        (Cliques(4), {"size": (3, 1)}, ValueError),
        (Cliques(4), {"size": (3, 4), "forbidden": [0, 1]}, ValueError),
        (Subtrees([-1, 0, 1]), {"size": (5, 9)}, ValueError),
        (Subtrees([-1, 0, 1]), {"size": (0, 0)}, ValueError),
        (Routes(5), {"length": (4, 2)}, ValueError),
        (Routes(5), {"length": (0, 1)}, ValueError),
        (Routes(5), {"length": (6, 7)}, ValueError),
        (Routes(5), {"length": (-2, 3)}, ValueError),
        (Routes(places=["a", "b", "c"]), {"length": (3, 2)}, ValueError),
        (Cycles(5), {"length": (1, 2)}, ValueError),
        (Cycles(5), {"length": (3, 4), "forbidden": [0, 1, 2]}, ValueError),
        (DirectedCycles(5), {"length": (5, 4)}, ValueError),
        (Paths.grid(3, 3), {"length": (3, 2)}, ValueError),
        (Paths.grid(3, 3), {"length": (10, 12)}, ValueError),
        (Paths.grid(3, 3), {"length": (1, 3)}, ValueError),
        (Hierarchy([-1, 0, 0, 1, 1]), {"within": 5}, ValueError),
        (Hierarchy([-1, 0, 0, 1, 1]), {"within": -1}, ValueError),
        (Hierarchy([-1, 0, 0, 1, 1]), {"within": [1]}, TypeError),
        (Hierarchy([-1, 0, 0, 1, 1]), {"inside": 1}, ValueError),
        (NAMED, {"within": "mamal"}, ValueError),
        (NAMED, {"within": "cat"}, ValueError),
        (Hierarchy([-1, 0, 0, 1, 1], allowed=[1]), {"within": 2}, ValueError),
    ],
)
def test_ranges_and_nodes_that_are_not_legal_are_refused_by_row(
    structure: Structure, constraint: dict[str, Any], error: type[Exception]
) -> None:
    y = structure.sample(12, random_state=0)
    X = np.random.default_rng(27).normal(size=(12, 2))
    model = StructuredRidge(structure).fit(X, y)
    for predict in (
        lambda constraints: structure.decode(np.zeros((3, structure.n_features)), constraints=constraints),
        lambda constraints: model.predict(X[:3], constraints=constraints),
    ):
        with pytest.raises(error):
            predict(constraint)
        with pytest.raises(error) as caught:
            predict([None, {}, constraint])
        assert "row 2: " in str(caught.value) and getattr(caught.value, "row", 2) == 2


def test_the_row_is_named_whatever_the_decoder() -> None:
    scores = np.zeros((3, Routes(5).n_features))
    for decoder in ("auto", "exact", "local-search", "milp"):
        with pytest.raises(ValueError) as caught:
            Routes(5).decode(scores, constraints=[{"length": (2, 4)}, {"length": (4, 2)}, None], decoder=decoder)
        assert caught.value.row == 1
    with pytest.raises(ValueError, match=r"^constraints, row 2: no output of Routes satisfies {'length': \(2, 3\)"):
        wanted = {"length": (2, 3), "required": [(1, 2), (2, 1)]}
        Routes(5).decode(scores, constraints=[None, {"length": (2, 4)}, wanted], decoder="milp")
    with pytest.raises(CapabilityError, match="decoder='metropolis' takes no constraints"):
        LabelSets(4).decode(np.zeros(4), constraints={"size": (1, 2)}, decoder="metropolis")
