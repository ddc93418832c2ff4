"""Trees as paths, nested dicts and graphs: what is read, what is refused, and that converters are inverses."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.structures import Hierarchy, Subtrees

NAN = float("nan")
PATHS = [["animal", "mammal", "cat"], ["animal", "fish"], ["plant"]]
NODES = ["(root)", "animal", "mammal", "cat", "fish", "plant"]
PARENT = [-1, 0, 1, 2, 1, 0]

# Paths of the letters a, b, c with few of each, under names that are unique only with their paths.
letters = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(letters, min_size=1, max_size=6))
def test_qualified_paths_come_back(paths):
    tree = Hierarchy.from_paths(paths, qualified=True)
    y = tree.y_from_paths(paths, qualified=True)
    tree.validate(y)
    assert tree.to_paths(y, qualified=True) == paths
    assert tree.to_paths(y, qualified=True, sep=">") == [">".join(path) for path in paths]
    tops = {path[0] for path in paths}
    prefixes = {tuple(path[:depth]) for path in paths for depth in range(1, len(path) + 1)}
    assert len(tree.nodes) == len(prefixes) + (len(tops) > 1)
    # The same tree of names that differ, as those of prefixes do.
    named = [["".join(path[: depth + 1]) for depth in range(len(path))] for path in paths]
    plain = Hierarchy.from_paths(named)
    np.testing.assert_array_equal(plain.parent, tree.parent)
    assert plain.to_paths(plain.y_from_paths(named)) == named


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(letters, min_size=1, max_size=3), min_size=1, max_size=5))
def test_several_paths_come_back(rows):
    tree = Subtrees.from_paths(rows, qualified=True)
    y = tree.y_from_paths(rows, qualified=True)
    tree.validate(y)
    for row, back in zip(rows, tree.to_paths(y, qualified=True), strict=True):
        longest = [path for path in row if not any(other[: len(path)] == path and other != path for other in row)]
        assert sorted(back) == sorted(map(list, set(map(tuple, longest))))
    np.testing.assert_array_equal(tree.y_from_paths(tree.to_paths(y, qualified=True), qualified=True), y)


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_every_output_comes_back(cls):
    tree = cls.from_paths(PATHS)
    assert (tree.nodes, np.asarray(tree.parent).tolist()) == (NODES, PARENT)
    y = np.array(list(tree.enumerate()))
    np.testing.assert_array_equal(tree.y_from_paths(tree.to_paths(y)), y)
    np.testing.assert_array_equal(tree.y_from_paths(tree.to_paths(y, sep=">"), sep=">"), y)
    numbers = cls(PARENT)
    outputs = np.array(list(numbers.enumerate()))
    np.testing.assert_array_equal(numbers.y_from_paths(numbers.to_paths(outputs)), outputs)
    assert tree == cls.from_networkx(tree.to_networkx())


@pytest.mark.parametrize(
    "paths",
    [
        PATHS,
        [tuple(path) for path in PATHS],
        np.array([["animal", "mammal", "cat"], ["animal", "fish", ""], ["plant", "", ""]]),
        np.array([["animal", "mammal", "cat"], ["animal", "fish", None], ["plant", None, NAN]], dtype=object),
        pd.DataFrame({"1": ["animal", "animal", "plant"], "2": ["mammal", "fish", None], "3": ["cat", NAN, None]}),
        pl.DataFrame({"1": ["animal", "animal", "plant"], "2": ["mammal", "fish", None], "3": ["cat", None, None]}),
        pd.Series(PATHS),
        [["(root)", *path] for path in PATHS],
        np.array([[path + [""] * (3 - len(path)), [""] * 3] for path in PATHS]),  # hiclass's form of several paths
    ],
    ids=lambda paths: type(paths).__name__,
)
@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_paths_of_many_kinds(cls, paths):
    tree = cls.from_paths(paths)
    assert tree == cls.from_paths(PATHS)
    assert np.array_equal(tree.y_from_paths(paths), tree.y_from_paths(PATHS))


def test_strings_integers_and_one_top():
    strings = ["animal > mammal > cat", "animal > fish", "plant"]
    assert Hierarchy.from_paths(strings, sep=">") == Hierarchy.from_paths(PATHS)
    assert Hierarchy.from_paths(pd.DataFrame({"path": strings}), sep=">") == Hierarchy.from_paths(PATHS)
    numbers = Hierarchy.from_paths(np.array([[7, 3, NAN], [7, 4, 5]]), allowed="leaves")
    assert (numbers.nodes, numbers.count()) == ([7, 3, 4, 5], 2)
    assert numbers.to_paths(numbers.y_from_paths([[7, 3], [4, 5]])) == [[7, 3], [7, 4, 5]]
    assert Hierarchy.from_paths([[1], [2, 3]], root=0).nodes == [0, 1, 2, 3]
    assert Hierarchy.from_paths([["a", "b"], ["a"]]).nodes == ["a", "b"]
    assert Hierarchy.from_paths([["a", "b"], ["(root)"]]).nodes == ["(root)", "a", "b"]
    tree = Hierarchy.from_paths(PATHS, root="all")
    assert tree.to_paths(["plant", "all"], root="all") == [["plant"], ["all"]]
    assert tree.to_paths(["plant"]) == [["all", "plant"]]


def test_frames_come_back_as_frames():
    for cls, kind in ((Hierarchy, pd.Series), (Subtrees, pd.DataFrame)):
        tree = cls.from_paths(PATHS)
        y = tree.y_from_paths(PATHS, as_frame=True)
        model = StructuredRidge(tree, kernel="rbf", alpha=1e-3).set_output(predict="y").fit(np.eye(3), y)
        predicted = model.predict(np.eye(3))
        assert isinstance(y, kind) and isinstance(predicted, kind)
        assert tree.to_paths(predicted) == tree.to_paths(y)


def test_nested_trees():
    nested = {"animal": {"mammal": {"cat": {}, "dog": {}}, "fish": {}}, "plant": {}}
    tree = Subtrees.from_nested(nested)
    assert tree.to_nested() == {"(root)": nested}
    assert tree == Subtrees.from_nested(tree.to_nested())
    assert tree == Subtrees.from_nested([{"animal": [{"mammal": ["cat", "dog"]}, "fish"]}, "plant"])
    assert Hierarchy.from_nested({"a": {"b": "c", "d": None}}, allowed="leaves").count() == 2
    pairs = [("a", ["x", "y"]), ("b", ["z"])]
    with pytest.raises(TypeError):
        Hierarchy.from_nested(pairs)
    assert Hierarchy.from_nested(dict(pairs)).count() == 6
    deep: dict[str, object] = {}
    for node in range(5000):
        deep = {f"n{node}": deep}
    chain = Hierarchy.from_nested(deep)
    assert (len(chain.nodes), chain.nodes[0]) == (5000, "n4999")
    assert chain.to_paths(["n0"])[0][-1] == "n0" and len(chain.to_paths(["n0"])[0]) == 5000


@pytest.mark.parametrize("pairs", [[("a", "b"), ("b", "c")], [["a", "b"], ["b", "c"]]])
def test_pairs_of_parent_and_child_are_told_what_reads_them(pairs):
    for table in (pairs, pd.DataFrame(pairs)):
        with pytest.raises(ValueError) as caught:
            Hierarchy.from_paths(table)
        assert (caught.value.argument, caught.value.row) == ("paths", 1)
    tuples = [tuple(pair) for pair in pairs]
    with pytest.raises(TypeError):
        Hierarchy.from_nested(tuples)
    for each in (pairs, pd.DataFrame(pairs).to_numpy().tolist(), tuples):
        assert Hierarchy.from_networkx(nx.DiGraph(each)).to_paths(["c"]) == [["a", "b", "c"]]
    children = [(child, parent) for parent, child in pairs]
    with pytest.raises(ValueError):
        Hierarchy(children).count()
    assert Hierarchy(dict(children)).count() == 3


def test_graphs_of_networkx():
    graph = nx.DiGraph([("animal", "mammal"), ("mammal", "cat"), ("animal", "fish")])
    tree = Hierarchy.from_networkx(graph)
    assert tree.nodes == list(graph) and set(tree.to_networkx().edges) == set(graph.edges)
    graph.add_node("plant")
    assert Hierarchy.from_networkx(graph).nodes == ["(root)", *graph]
    assert nx.is_arborescence(Hierarchy.from_networkx(graph).to_networkx())
    for wrong, error in [
        (nx.Graph(graph), ValueError),
        (graph.reverse(), ValueError),
        (nx.DiGraph([("a", "b"), ("b", "a")]), ValueError),
        (nx.DiGraph([("a", "b"), ("b", "a"), ("c", "d")]), ValueError),
        (nx.DiGraph([((0, 1), (1, 1))]), TypeError),
        (nx.DiGraph(), ValueError),
        ([("a", "b")], TypeError),
        (
            {"a": ["b"]},
            TypeError,
        ),
    ]:
        with pytest.raises(error):
            Hierarchy.from_networkx(wrong)


def _tree():
    return Hierarchy.from_paths(PATHS)


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (
            lambda: Hierarchy.from_paths([["a", "b"], ["c", "b"]]),
            1,
        ),
        (lambda: Hierarchy.from_paths([["a", "b"], ["b"]]), 1),
        (lambda: Hierarchy.from_paths([["a", "a"]]), 0),
        (lambda: Hierarchy.from_paths(["a>b"]), 0),
        (lambda: Hierarchy.from_paths([["a"], None]), 1),
        (lambda: Hierarchy.from_paths([["a"], ["", ""]]), 1),
        (lambda: Hierarchy.from_paths([["a", "", "b"]]), 0),
        (
            lambda: Hierarchy.from_paths([[1], [2]]),
            None,
        ),
        (lambda: Hierarchy.from_paths([["a"], ["a", 2]]), 1),
        (
            lambda: Hierarchy.from_nested({"a": 2}),
            None,
        ),
        (lambda: Hierarchy.from_paths([["a>b"]], qualified=True), 0),
        (lambda: Hierarchy.from_paths([["a", "r"], ["b"]], root="r"), None),
        (lambda: Hierarchy.from_nested({"a": ["b", {"c": "b"}]}), None),
        (lambda: Hierarchy.from_nested({"a": 0.5}), None),
        (lambda: Hierarchy.from_nested({}), None),
        (
            lambda: _tree().y_from_paths([["plant"], ["plant", "cat"]]),
            1,
        ),
        (lambda: _tree().y_from_paths([["cat"]]), 0),
        (lambda: _tree().y_from_paths([["dog"]]), 0),
        (lambda: _tree().y_from_paths([[["plant"], ["animal"]]]), 0),
        (lambda: _tree().to_paths(["plant", "dog"]), 1),
        (lambda: Subtrees.from_paths(PATHS).to_paths([[0, 1, 0, 0, 0, 0]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises((ValueError, TypeError)) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("structure", [Hierarchy.from_paths(PATHS), Subtrees.from_paths(PATHS)])
@pytest.mark.parametrize(
    "y",
    [PATHS, ["animal>fish", "plant", "plant"], np.array([["animal", "fish"]] * 3), pd.Series(PATHS)]
    + [make({"1": ["animal"] * 3, "2": ["fish"] * 3}) for make in (pd.DataFrame, pl.DataFrame)],
)
def test_paths_are_told_of_their_converter(structure, y):
    model = StructuredRidge(structure)
    X = np.arange(3.0).reshape(-1, 1)
    for use in (model.fit, model.fit(X, structure.y_from_paths(PATHS)).score, lambda _, y: structure.embed(y)):
        with pytest.raises(ValueError) as caught:
            use(X, y)
        assert caught.value.row == 0


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_searches_entries_and_conditions_know_the_names(cls):
    rng = np.random.default_rng(0)
    paths = np.array([["animal", "mammal"], ["animal", "fish"], ["plant", ""]])[rng.integers(3, size=45)]
    X = np.column_stack([(paths[:, :1] == "plant"), (paths[:, 1:] == "fish")]) + 0.1 * rng.normal(size=(45, 2))
    tree = cls.from_paths(paths)
    y = tree.y_from_paths(paths)
    model = make_pipeline(StandardScaler(), StructuredRidge(tree))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    found = search.best_estimator_[-1].structure_
    assert found.to_paths(search.predict(X[:1]))[0] in (
        [name for name in paths[0] if name],
        [[name for name in paths[0] if name]],
    )
    assert sorted(found.feature_names()) == sorted({*paths.ravel(), "(root)"} - {""})
    if cls is Subtrees:
        held = found.to_paths(search.best_estimator_.predict(X, constraints={"forbidden": ["animal"]}))
        assert {name for row in held for path in row for name in path} <= {"plant", "(root)"}
        with pytest.raises(ValueError):
            search.best_estimator_.predict(X, constraints={"required": ["stone"]})
        framed = tree.y_from_paths(paths, as_frame=True)
        assert framed.columns.tolist() == tree.nodes
        np.testing.assert_array_equal(tree.embed(framed.iloc[:, ::-1]), tree.embed(y))


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_the_root_alone_is_a_tree(cls):
    tree = cls.from_paths([["(root)"]])
    assert tree.nodes == ["(root)"] and tree.count() == 1
