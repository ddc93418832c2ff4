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
def test_paths_with_names_in_several_places_come_back(paths):
    tree = Hierarchy.from_paths(paths)
    y = tree.ordered(paths)
    tree.validate(y)
    assert tree.to_paths(y) == paths
    tops = {path[0] for path in paths}
    prefixes = {tuple(path[:depth]) for path in paths for depth in range(1, len(path) + 1)}
    assert len(tree.nodes) == len(prefixes) + (len(tops) > 1)
    # The same tree of names that differ, as those of prefixes do.
    named = [["".join(path[: depth + 1]) for depth in range(len(path))] for path in paths]
    plain = Hierarchy.from_paths(named)
    np.testing.assert_array_equal(plain.parent, tree.parent)
    assert plain.to_paths(plain.ordered(named)) == named


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(letters, min_size=1, max_size=3), min_size=1, max_size=5))
def test_several_paths_come_back(rows):
    tree = Subtrees.from_paths(rows)
    y = tree.ordered(rows)
    tree.validate(y)
    for row, back in zip(rows, tree.to_paths(y), strict=True):
        longest = [path for path in row if not any(other[: len(path)] == path and other != path for other in row)]
        assert sorted(back) == sorted(map(list, set(map(tuple, longest))))
    np.testing.assert_array_equal(tree.ordered(tree.to_paths(y)), y)


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_every_output_comes_back(cls):
    tree = cls.from_paths(PATHS)
    assert (tree.nodes, np.asarray(tree.parent).tolist()) == (NODES, PARENT)
    y = np.array(list(tree.enumerate()))
    np.testing.assert_array_equal(tree.ordered(tree.to_paths(y)), y)
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
    assert np.array_equal(tree.ordered(paths), tree.ordered(PATHS))


def test_integers_and_one_top():
    numbers = Hierarchy.from_paths([[7, 3], [7, 4, 5]], allowed="leaves")
    assert (numbers.nodes, numbers.count()) == ([7, 3, 4, 5], 2)
    assert numbers.to_paths([3, 5]) == [[7, 3], [7, 4, 5]]
    assert Hierarchy.from_paths([[1], [2, 3]], root=0).nodes == [0, 1, 2, 3]
    assert Hierarchy.from_paths([["a", "b"], ["a"]]).nodes == ["a", "b"]
    assert Hierarchy.from_paths([["a", "b"], ["(root)"]]).nodes == ["(root)", "a", "b"]
    assert Hierarchy.from_paths(PATHS, root="all").to_paths(["plant"]) == [["all", "plant"]]
    assert Hierarchy.from_paths([["a", "b"], ["c", "b"]]).nodes == ["(root)", "a", "a>b", "c", "c>b"]
    own = Hierarchy.from_paths([["a", "a>b"], ["a", "c>b"]])
    assert own.to_paths(["a>b", "c>b"]) == [["a", "b"], ["a", "c>b"]]  # the first is its path, as any name may be
    assert own.ordered([["a", "b"], ["a", "c>b"]]).tolist() == ["a>b", "c>b"]


def test_nested_trees():
    nested = {"animal": {"mammal": {"cat": {}, "dog": {}}, "fish": {}}, "plant": {}}
    tree = Subtrees.from_nested(nested)
    assert tree.to_nested() == {"(root)": nested}
    assert tree == Subtrees.from_nested(tree.to_nested())
    assert tree == Subtrees.from_nested([{"animal": [{"mammal": ["cat", "dog"]}, "fish"]}, "plant"])
    assert Hierarchy.from_nested({"a": {"b": "c", "d": None}}, allowed="leaves").count() == 2
    assert Hierarchy.from_nested({"a": ["b", {"c": "b"}]}).nodes == ["a", "a>b", "c", "a>c>b"]
    deep: dict[str, object] = {}
    for node in range(5000):
        deep = {f"n{node}": deep}
    chain = Hierarchy.from_nested(deep)
    assert (len(chain.nodes), chain.nodes[0]) == (5000, "n4999")
    assert chain.to_paths(["n0"])[0][-1] == "n0" and len(chain.to_paths(["n0"])[0]) == 5000


def test_graphs_of_networkx():
    graph = nx.DiGraph([("animal", "mammal"), ("mammal", "cat"), ("animal", "fish")])
    tree = Hierarchy.from_networkx(graph)
    assert tree.nodes == list(graph) and set(tree.to_networkx().edges) == set(graph.edges)
    graph.add_node("plant")
    assert Hierarchy.from_networkx(graph).nodes == ["(root)", *graph]
    assert nx.is_arborescence(Hierarchy.from_networkx(graph).to_networkx())
    for wrong, error in [
        (nx.Graph(graph), TypeError),
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
        (lambda: Hierarchy.from_paths(["a>b"]), 0),
        (lambda: Hierarchy.from_paths([["a"], None]), 1),
        (lambda: Hierarchy.from_paths([["a"], ["", ""]]), 1),
        (lambda: Hierarchy.from_paths([["a", "", "b"]]), 0),
        (
            lambda: Hierarchy.from_paths([[1], [2]]),
            None,
        ),
        (lambda: Hierarchy.from_paths([["a"], ["a", 2]]), None),
        (
            lambda: Hierarchy.from_nested({"a": 2}),
            None,
        ),
        (lambda: Hierarchy.from_nested({"a": 0.5}), None),
        (lambda: Hierarchy.from_nested({}), None),
        (
            lambda: _tree().ordered([["plant"], ["plant", "cat"]]),
            1,
        ),
        (lambda: _tree().ordered([["animal", "cat"]]), 0),
        (lambda: _tree().ordered([["dog"]]), 0),
        (lambda: _tree().ordered([[["plant"], ["animal"]]]), 0),
        (lambda: _tree().to_paths(["plant", "dog"]), 1),
        (lambda: Subtrees.from_paths(PATHS).to_paths([[0, 1, 0, 0, 0, 0]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises((ValueError, TypeError)) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
@pytest.mark.parametrize("form", [list, pd.Series], ids=lambda form: form.__name__)
def test_paths_are_y(cls, form):
    X, tree = np.eye(3), cls.from_paths(PATHS)
    model = StructuredRidge(tree, kernel="rbf", alpha=1e-3).fit(X, form(PATHS))
    plain = StructuredRidge(tree, kernel="rbf", alpha=1e-3).fit(X, tree.ordered(PATHS))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, form(PATHS)) == 1
    named = model.set_output(predict="names").predict(X)
    assert named.tolist() == (["cat", "fish", "plant"] if cls is Hierarchy else [[path] for path in PATHS])
    assert model.score(X, named) == 1
    with pytest.raises(ValueError) as caught:
        tree.embed(["animal>fish", "plant", "plant"])
    assert caught.value.row == 0


def test_subtrees_are_lists_of_nodes_too():
    tree = Subtrees.from_paths(PATHS)
    assert tree.ordered([["cat", "plant"], [["animal", "fish"], ["plant"]]]).tolist() == [
        [1, 1, 1, 1, 0, 1],
        [1, 1, 0, 0, 1, 1],
    ]


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_searches_entries_and_conditions_know_the_names(cls):
    rng = np.random.default_rng(0)
    paths = np.array([["animal", "mammal"], ["animal", "fish"], ["plant", ""]])[rng.integers(3, size=45)]
    X = np.column_stack([(paths[:, :1] == "plant"), (paths[:, 1:] == "fish")]) + 0.1 * rng.normal(size=(45, 2))
    tree = cls.from_paths(paths)
    y = tree.ordered(paths)
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


@pytest.mark.parametrize("cls", [Hierarchy, Subtrees])
def test_the_root_alone_is_a_tree(cls):
    tree = cls.from_paths([["(root)"]])
    assert tree.nodes == ["(root)"] and tree.count() == 1
