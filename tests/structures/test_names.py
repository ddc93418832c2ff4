"""Names of labels, items, places, vertices, nodes and grades: where they come from, and where they are used."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from combpred.structures import (
    Assignments,
    Cliques,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    SpanningTrees,
    Structure,
    Subtrees,
    Tournaments,
    WeakOrders,
)
from data_frames import FRAMES, imported_pyarrow

ABC = ["a", "b", "c"]
CHAIN = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]

#: Each structure with names and the same one without, and names of its first and last entries of ψ.
NAMED = [
    (Permutations(labels=ABC), Permutations(3), "a before b", "b before c"),
    (WeakOrders(labels=ABC), WeakOrders(3), "a before b", "b tied with c"),
    (LabelSets(labels=ABC), LabelSets(3), "a", "c"),
    (LabelSets(labels=ABC, size=2), LabelSets(3, size=2), "a", "c"),
    (Cliques(vertices=ABC), Cliques(3), "a-b", "b-c"),
    (Assignments(items=ABC), Assignments(3), "a to 0", "c to 2"),
    (Assignments(items=ABC, columns=["x", "y", "z"]), Assignments(3), "a to x", "c to z"),
    (Cycles(vertices=ABC), Cycles(3), "a-b", "b-c"),
    (DirectedCycles(vertices=ABC), DirectedCycles(3), "a->b", "b->c"),
    (Routes(places=ABC), Routes(3), "a->b", "end c"),
    (Graphs(vertices=ABC), Graphs(3), "a-b", "b-c"),
    (Graphs(vertices=ABC, edges=[("a", "c"), (1, "c")]), Graphs(3, edges=[(0, 2), (1, 2)]), "a-c", "b-c"),
    (SpanningTrees(vertices=ABC), SpanningTrees(3, [(0, 1), (0, 2), (1, 2)]), "a-b", "b-c"),
    (PartialOrders(items=ABC), PartialOrders(3), "a before b", "b before c"),
    (Tournaments(items=ABC), Tournaments(3), "a before b", "b before c"),
    (Hierarchy([-1, 0, 0], nodes=ABC), Hierarchy({"b": "a", "c": "a"}), "a", "c"),
    (Subtrees([-1, 0, 0], nodes=ABC), Subtrees({"b": "a", "c": "a"}), "a", "c"),
    (PosetElements(CHAIN, elements=ABC), PosetElements(CHAIN), ">=a", ">=c"),
    (Ordinal(ABC), Ordinal(3), ">=a", ">=c"),
    (
        Paths([("a", "b"), ("b", "c"), ("a", "c")], "a", "c", vertices=ABC),
        Paths([(0, 1), (1, 2), (0, 2)], 0, 2),
        "a->b",
        "a->c",
    ),
]


@pytest.mark.parametrize(("named", "plain", "first", "last"), NAMED)
def test_names_give_the_size_and_call_the_entries(named: Structure, plain: Structure, first: str, last: str) -> None:
    assert named.count() == plain.count()
    names = named.feature_names()
    assert (names[0], names[-1]) == (first, last)
    assert len(names) == plain.n_features == named.n_features
    np.testing.assert_array_equal(named.second_moment(), plain.second_moment())
    for copied in (clone(named), pickle.loads(pickle.dumps(named))):
        assert copied == named
        assert copied.feature_names().tolist() == names.tolist()
    scores = np.random.default_rng(0).normal(size=(5, named.n_features))
    if type(named) in (Ordinal, PosetElements):
        assert named.decode(scores).tolist() == [ABC[i] for i in plain.decode(scores)]
    else:
        np.testing.assert_array_equal(named.decode(scores), plain.decode(scores))


@pytest.mark.parametrize("frame", [make for make, _ in FRAMES])
@pytest.mark.parametrize(
    ("structure", "rows"),
    [
        (Permutations(), [[1, 2, 3], [3, 1, 2]]),
        (WeakOrders(), [[1, 1, 2], [3, 1, 2]]),
        (LabelSets(), [[1, 0, 1], [0, 0, 1]]),
        (Cliques(), [[1, 0, 1], [0, 0, 1]]),
        (Assignments(), [[1, 0, 2], [0, 2, 1]]),
    ],
)
def test_columns_are_names_and_are_matched(frame: Any, structure: Structure, rows: list[list[int]]) -> None:
    y = np.array(rows)
    data = {name: y[:, i] for i, name in enumerate(ABC)}
    resolved = structure._resolve(frame(data))
    assert resolved._names == tuple(ABC)
    swapped = frame({name: data[name] for name in ("c", "a", "b")})
    np.testing.assert_array_equal(resolved.embed(swapped), structure._resolve(y).embed(y))
    assert resolved.score(swapped, y) == resolved.score(y, swapped) == resolved.score(y, y)
    assert resolved.score(y[::-1], y) != resolved.score(y, y)
    np.testing.assert_array_equal(resolved._resolve(swapped).embed(swapped), resolved.embed(y))
    with pytest.raises(ValueError, match=r"y lacks the columns 'b' and has 'd'; those of .* are 'a', 'b', 'c'"):
        resolved.embed(frame({"a": y[:, 0], "d": y[:, 1], "c": y[:, 2]}))
    with pytest.raises(ValueError):
        resolved.score(frame({"a": y[:, 0], "b": y[:, 1]}), y)
    assert structure._resolve(pd.DataFrame(y))._names is None  # numbers are no names, as in scikit-learn


@pytest.mark.parametrize("structure", [Graphs(vertices=ABC), SpanningTrees(vertices=ABC), Tournaments(items=ABC)])
def test_columns_of_pairs_are_matched(structure: Structure) -> None:
    y = np.array([[1, 0, 1], [0, 1, 1]])
    frame = pd.DataFrame(y, columns=structure.feature_names())
    np.testing.assert_array_equal(structure.embed(frame.iloc[:, [2, 0, 1]]), structure.embed(y))
    with pytest.raises(ValueError):
        structure.embed(frame.rename(columns={frame.columns[0]: "other"}))


def test_columns_of_a_tree_are_matched() -> None:
    tree = Subtrees({"b": "a", "c": "a"})
    frame = pd.DataFrame({"b": [1, 0], "a": [1, 1], "c": [0, 0]})
    np.testing.assert_array_equal(tree.embed(frame), tree.embed([[1, 1, 0], [1, 0, 0]]))


def test_columns_with_strange_names_are_refused() -> None:
    with pytest.raises(TypeError):
        Permutations()._resolve(pd.DataFrame({"a": [1], 1: [2]}))
    with pytest.raises(ValueError):
        Permutations()._resolve(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ("abc", TypeError),
        (3, TypeError),
        ([], ValueError),
        (["a", 1], TypeError),
        ([0.5, 1.0], TypeError),
        ([True, False], TypeError),
        (["a", "b", "a"], ValueError),
        (np.array([["a"]]), TypeError),
    ],
)
def test_strange_names_are_refused(names: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Permutations(labels=names).count()


def test_names_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match="there are 3 names for 4 items"):
        Permutations(4, labels=ABC).count()
    with pytest.raises(ValueError):
        Hierarchy([-1, 0, 0], nodes=["a", "b"]).count()
    with pytest.raises(ValueError):
        Hierarchy({"b": "a"}, nodes=["a", "b"]).count()
    with pytest.raises(ValueError):
        PosetElements(CHAIN, elements=["a", "b"]).count()
    with pytest.raises(ValueError):
        Assignments(3, columns=["a", "b"]).feature_names()
    with pytest.raises(TypeError):
        LabelSets(["a", "b"]).count()  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        LabelSets("a").count()  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        LabelSets(3, size=[1]).count()  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Permutations(labels=ABC).embed([[1, 2]])


CONDITIONS = [
    (Permutations(labels=ABC), {"first": "b", "before": [("c", "a")]}, {"first": 1, "before": [(2, 0)]}),
    (WeakOrders(labels=ABC), {"last": "b"}, {"last": 1}),
    (LabelSets(labels=ABC), {"required": ["b"], "forbidden": ["a"], "size": 2}, {"required": [1], "forbidden": [0]}),
    (Cliques(vertices=ABC), {"required": ["b", "c"]}, {"required": [1, 2]}),
    (Assignments(items=ABC, columns=["x", "y", "z"]), {"required": [("b", "x")]}, {"required": [(1, 0)]}),
    (Assignments(items=ABC), {"required": [("b", 0)]}, {"required": [(1, 0)]}),
    (
        Routes(places=ABC),
        {"start": "b", "forbidden": [("b", "c"), ("a", "b")]},
        {"start": 1, "forbidden": [(1, 2), (0, 1)]},
    ),
    (Cycles(vertices=ABC), {"required": [("b", "a")]}, {"required": [(1, 0)]}),
    (Graphs(vertices=ABC), {"required": [("a", "c")]}, {"required": [(0, 2)]}),
    (SpanningTrees(vertices=ABC), {"forbidden": [("a", "c")]}, {"forbidden": [(0, 2)]}),
    (Subtrees({"b": "a", "c": "a"}), {"required": ["b"]}, {"required": [1]}),
    (Routes(places=[7, 3, 5]), {"start": 3, "end": np.int64(5)}, {"start": 1, "end": 2}),
]


@pytest.mark.parametrize(("structure", "named", "numbered"), CONDITIONS)
def test_conditions_call_items_by_name(structure: Structure, named: dict[str, Any], numbered: dict[str, Any]) -> None:
    scores = np.random.default_rng(1).normal(size=(4, structure.n_features))
    plain = {
        Assignments: Assignments(3), Cliques: Cliques(3), Cycles: Cycles(3), Graphs: Graphs(3), LabelSets: LabelSets(3),
        Permutations: Permutations(3), Routes: Routes(3), SpanningTrees: SpanningTrees(3), WeakOrders: WeakOrders(3),
        Subtrees: Subtrees([-1, 0, 0]),
    }[type(structure)]  # fmt: skip
    if "size" in named:
        numbered = {**numbered, "size": named["size"]}
    expected = plain.decode(scores, constraints=numbered)
    np.testing.assert_array_equal(structure.decode(scores, constraints=named), expected)
    for row in structure.decode(scores, constraints=[named, None, named, None])[[0, 2]]:
        assert any((row == each).all() for each in expected)


def test_conditions_about_unknown_names_are_refused() -> None:
    scores = np.zeros((2, 3))
    with pytest.raises(
        ValueError, match="constraints: 'first' is 'd'; it takes one of the labels, which are 'a', 'b', 'c'"
    ):
        Permutations(labels=ABC).decode(scores, constraints={"first": "d"})
    with pytest.raises(ValueError) as caught:
        LabelSets(labels=[3, 5, 9]).decode(scores, constraints=[None, {"required": [4]}])
    assert caught.value.row == 1
    with pytest.raises(TypeError):
        Permutations(3).decode(scores, constraints={"first": "a"})
    with pytest.raises(TypeError):
        LabelSets(labels=ABC).decode(scores, constraints={"required": "a"})
    assert LabelSets(labels=ABC).decode(scores, constraints={"required": [2]})[0, 2] == 1  # numbers serve, too


def test_numbers_that_are_written_as_another_name_are_refused() -> None:
    routes = Routes(places=["3", "1", "2", "0"])
    scores = np.zeros((1, routes.n_features))
    for given in ((0), (3)):
        with pytest.raises(ValueError):
            routes.decode(scores, constraints={"start": given})
        with pytest.raises(ValueError):
            routes.decode(scores, constraints={"forbidden": [(1, given)]})
    for same in (1, "1", np.int64(2), "2"):  # where both are one, numbers serve
        assert routes.decode(scores, constraints={"start": same})[0, 0] == int(same)
    tens = Permutations(labels=["10", "20", "30"])
    with pytest.raises(ValueError):
        tens.decode(np.zeros((1, 3)), constraints={"first": 20})
    with pytest.raises(ValueError):
        SpanningTrees(edges=[("1", 2), ("2", "3")], vertices=["1", "2", "3"]).count()


@pytest.mark.parametrize(
    ("structure", "y", "message"),
    [
        (Permutations(labels=ABC), [[1, 2, 2]], 'row 0: labels "b" and "c" share position 2'),
        (LabelSets(labels=ABC), [[1, 0, 1], [0, 2, 0]], 'row 1: found 2 in column "b"'),
        (Routes(places=ABC), [[0, 1], [1, 1]], 'row 1: .*"b"'),
        (Subtrees({"b": "a", "c": "b"}), [[1, 0, 1]], 'row 0: node "c" is in, its parent, node "b", is not'),
        (Ordinal(ABC), ["a", "z"], "row 1: found 'z'; the grades are 'a', 'b', 'c'"),
        (PosetElements(CHAIN, elements=ABC), ["a", "z"], "row 1: found 'z'; the elements are 'a', 'b', 'c'"),
        (Hierarchy([-1, 0], nodes=["a", "b"]), ["a", "z"], "row 1: found 'z'; the nodes are 'a', 'b'"),
    ],
)
def test_messages_call_items_by_name(structure: Structure, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        structure.validate(y)


def test_edges_and_arcs_of_unknown_vertices_are_refused() -> None:
    with pytest.raises(ValueError):
        Graphs(vertices=ABC, edges=[("a", "d")]).count()
    with pytest.raises(ValueError):
        Paths([("a", "d")], "a", "c", vertices=ABC).count()
    with pytest.raises(ValueError):
        Paths([("a", "b")], "a", "d", vertices=ABC).count()


def test_grades_are_the_range_of_the_integers_in_y_or_what_is_given() -> None:
    resolved = Ordinal()._resolve([1, 4, 2])
    assert resolved.count() == 4
    assert resolved.decode([[0, -1, 0, 0], [0, 1, 0, 1]]).tolist() == [1, 4]
    assert resolved.feature_names().tolist() == [">=1", ">=2", ">=3", ">=4"]
    assert resolved.score([1, 4], [2, 4]) == -0.5
    assert resolved.score([5, 1], [2, 1]) == -1.5  # a test set may hold others
    below = Ordinal()._resolve([-1, 2, 0])
    assert below.decode([[0, -1, 0, 0]]).tolist() == [-1] and below.score([-1, 2], [0, 2]) == -0.5
    assert Ordinal()._resolve([0, 2])._names is None and Ordinal()._resolve([0, 2]).count() == 3
    assert Ordinal(4)._resolve([1, 4])._names is None  # 4 is beyond 0..3
    with pytest.raises(ValueError) as caught:
        Ordinal(4)._resolve([1, 4]).validate([1, 4])
    assert caught.value.row == 1
    assert Ordinal([1, 2, 3]).embed([1, 3]).tolist() == [[1, 0, 0], [1, 1, 1]]
    with pytest.raises(ValueError):
        Ordinal()._resolve([3, 3])


def test_grades_in_strings_are_refused_where_their_order_is_not_given() -> None:
    y = ["10", "9", "1", "9"]
    for form in (y, pd.Series(y), np.array(y), pl.Series(y)):
        with pytest.raises(ValueError):
            Ordinal()._resolve(form)
        assert Ordinal(["1", "9", "10"]).embed(form).sum(axis=1).tolist() == [3, 2, 1, 2]


def test_enums_are_ordered() -> None:
    y = pl.Series(["mid", "low", "mid"], dtype=pl.Enum(["low", "mid", "high"]))
    structure = Ordinal()._resolve(y)
    assert structure.feature_names().tolist() == [">=low", ">=mid", ">=high"]
    assert structure.decode(structure.embed(y) - 0.5).tolist() == ["mid", "low", "mid"]
    with pytest.raises(ValueError):
        Ordinal(["high", "mid", "low"])._resolve(y)


def test_ordered_dictionaries_of_arrow_are_ordered() -> None:
    pa = imported_pyarrow()
    grades, codes = pa.array(["low", "mid", "high"]), pa.array([1, 0, 1], type=pa.int8())
    y = pa.DictionaryArray.from_arrays(codes, grades, ordered=True)
    other = pa.DictionaryArray.from_arrays(pa.array([0], type=pa.int8()), pa.array(["low"]), ordered=True)
    in_pandas = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([y])))
    for form in (
        y,
        pa.chunked_array([y, other])[:3],
        pa.table({"grade": y}),
        in_pandas,
        in_pandas.array,
        in_pandas.to_frame("grade"),
    ):
        structure = Ordinal()._resolve(form)
        assert structure.feature_names().tolist() == [">=low", ">=mid", ">=high"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)
            assert structure.embed(form).tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 0]]
            assert Ordinal(["low", "mid", "high"]).embed(form).tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 0]]
    with pytest.raises(ValueError):
        Ordinal(["high", "mid", "low"])._resolve(y)
    with pytest.raises(ValueError):
        Ordinal()._resolve(pa.DictionaryArray.from_arrays(codes, grades))


def test_names_of_spanning_trees_and_sizes_from_edges() -> None:
    assert SpanningTrees(4).count() == 16  # Cayley's formula: 4^(4 − 2)
    assert SpanningTrees(edges=[(0, 1), (1, 2), (0, 2)]).count() == 3
    assert SpanningTrees()._resolve([[1, 1, 0]]).n_vertices == 3
