"""Graphs as edges, as graphs of networkx and as matrices: what is read, what is refused, and that they come back."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.structures import Graphs, PartialOrders, SpanningTrees, Tournaments

nx = pytest.importorskip("networkx")

NAMES = ["a", "b", "c", "d"]
SQUARE = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
STRUCTURES = [
    Graphs(vertices=NAMES),
    Graphs(vertices=NAMES, edges=SQUARE),
    Graphs(vertices=NAMES, hereditary="forest"),
    SpanningTrees(vertices=NAMES),
    SpanningTrees(vertices=NAMES, edges=SQUARE),
    PartialOrders(items=NAMES),
    Tournaments(items=NAMES),
    Graphs(4),
    SpanningTrees(4),
    PartialOrders(4),
    Tournaments(items=[7, 3, 9]),
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_every_output_comes_back(structure):
    y = np.array(list(structure.enumerate()))
    rng = np.random.default_rng(0)
    edges = structure.to_edges(y)
    shuffled = [[row[i] for i in rng.permutation(len(row))] for row in edges]
    directed = structure.name in ("partialorders", "tournaments")
    if not directed:
        shuffled = [[edge[::-1] for edge in row] for row in shuffled]
    np.testing.assert_array_equal(structure.from_edges(shuffled), y)
    graphs = structure.to_networkx(y)
    assert all(graph.is_directed() == directed for graph in graphs)
    np.testing.assert_array_equal(structure.from_networkx(graphs), y)
    matrices = structure.to_adjacency(y)
    np.testing.assert_array_equal(structure.from_adjacency(matrices), y)
    nodes = list(graphs[0])
    np.testing.assert_array_equal([nx.to_numpy_array(graph, nodelist=nodes) for graph in graphs], matrices)


@pytest.mark.parametrize("structure", [each for each in STRUCTURES if each._names and each._names[0] == "a"], ids=str)
@pytest.mark.parametrize("form", ["to_edges", "to_networkx"])
def test_graphs_and_lists_of_edges_are_y(structure, form):
    X, y = np.arange(6.0).reshape(-1, 1), structure.sample(6, random_state=1) if structure.name != "graphs" else None
    y = np.array([row for row, _ in zip(structure.enumerate(), range(6), strict=False)]) if y is None else y
    rows = getattr(structure, form)(y)
    np.testing.assert_array_equal(structure.embed(rows), structure.embed(y))
    model, plain = (StructuredRidge(structure).fit(X, each) for each in (rows, y))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, rows) == plain.score(X, y)
    edges = structure.to_edges(plain.predict(X))
    assert model.set_output(predict="names").predict(X).tolist() == edges


@pytest.mark.parametrize("cls", [Graphs, Tournaments])
def test_names_are_those_of_the_vertices(cls):
    model = StructuredRidge(cls()).fit([[0.0], [1.0]], [[("b", "a")], [("c", "b")]])
    assert model.structure_._names == ("a", "b", "c")


def test_edges_mean_what_networkx_says():
    trees = SpanningTrees(vertices=NAMES)
    assert all(nx.is_tree(tree) for tree in trees.to_networkx(np.array(list(trees.enumerate()))))
    complete = SpanningTrees(vertices=NAMES).from_edges([[("a", "b"), ("a", "c"), ("a", "d")]])
    assert complete.tolist() == [[1, 1, 1, 0, 0, 0]] and complete.dtype == np.int32
    assert PartialOrders(items=NAMES).from_edges([[("b", "a"), ("b", "c")]]).tolist() == [[-1, 0, 0, 1, 0, 0]]
    assert Tournaments(items=["a", "b"]).from_edges([[("b", "a")]]).tolist() == [[-1]]
    assert Graphs(3).from_edges([np.array([[2, 0]]), [], {(0, 1)}]).tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]


def _graph(*edges, directed=False, nodes=()):
    graph = nx.DiGraph(edges) if directed else nx.Graph(edges)
    graph.add_nodes_from(nodes)
    return graph


GRAPHS, ORDERS, TREES = Graphs(vertices=NAMES), PartialOrders(items=NAMES), SpanningTrees(vertices=NAMES, edges=SQUARE)


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (lambda: GRAPHS.from_edges([[], [("a", "x")]]), 1),
        (lambda: GRAPHS.from_edges([[("a", "b"), ("b", "a")]]), 0),
        (lambda: GRAPHS.from_edges([[("a", "a")]]), 0),
        (lambda: GRAPHS.from_edges([[("a", "b", 2)]]), 0),
        (lambda: GRAPHS.from_edges([["ab"]]), 0),
        (lambda: GRAPHS.from_edges([[(0.5, 1)]]), 0),
        (lambda: GRAPHS.from_edges([[], None]), 1),
        (lambda: GRAPHS.from_edges([]), None),
        (
            lambda: GRAPHS.from_edges([("a", "b")]),
            0,
        ),
        (lambda: GRAPHS.from_edges([[("a", "b", 0.5)]]), 0),
        (lambda: Graphs(3).from_edges([[("b", "a")]]), 0),
        (lambda: GRAPHS.from_networkx(_graph(("a", "b"))), None),
        (lambda: Graphs().from_edges([[(0, 1)]]), None),
        (lambda: Graphs(3).from_edges([[(0, 1)], [(0, 3)]]), 1),
        (lambda: TREES.from_edges([[("a", "c")]]), 0),
        (lambda: TREES.from_edges([[("a", "b"), ("b", "c")]]), 0),
        (lambda: TREES.from_edges([SQUARE]), 0),
        (
            lambda: Graphs(vertices=NAMES, hereditary="matching").from_edges([SQUARE]),
            0,
        ),
        (lambda: GRAPHS.from_networkx([_graph(("a", "b"), directed=True)]), 0),
        (lambda: GRAPHS.from_networkx([_graph(), _graph(nodes=["x"])]), 1),
        (lambda: GRAPHS.from_networkx([nx.MultiGraph([("a", "b")] * 2)]), 0),
        (lambda: ORDERS.from_networkx([_graph(("a", "b"))]), 0),
        (lambda: ORDERS.from_edges([[("a", "b"), ("b", "a")]]), 0),
        (
            lambda: ORDERS.from_edges([[("d", "b"), ("b", "c")]]),
            0,
        ),
        (lambda: GRAPHS.from_adjacency(np.ones((1, 4, 4))), 0),
        (lambda: GRAPHS.from_adjacency(np.ones((4, 4))), None),
        (lambda: GRAPHS.from_adjacency(np.zeros((1, 3, 3))), None),
        (lambda: GRAPHS.from_adjacency(np.eye(4, k=1)[None]), 0),
        (lambda: GRAPHS.from_adjacency(2.5 * np.eye(4, k=1)[None]), 0),
        (lambda: Graphs(4).from_networkx([nx.grid_2d_graph(2, 2)]), 0),
        (lambda: GRAPHS.embed(_graph(("a", "b"))), None),
        (lambda: GRAPHS.to_edges([[1, 0, 0, 0, 0, 2]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises((ValueError, TypeError)) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


def test_matrices_are_y_of_relations_alone():
    with pytest.raises(ValueError):
        GRAPHS.embed(np.zeros((2, 4, 4)))
    orders = ORDERS.embed(np.triu(np.ones((2, 4, 4)), 1) == 1)
    np.testing.assert_array_equal(orders, np.ones((2, 6)))


def test_graphs_through_searches():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    weights = X @ rng.normal(size=(3, 6))
    rows = []
    for row in weights:
        graph = nx.Graph()
        graph.add_weighted_edges_from((u, v, w) for (u, v), w in zip(combinations(NAMES, 2), row, strict=True))
        rows.append(nx.maximum_spanning_tree(graph))
    trees = SpanningTrees(vertices=NAMES)
    model = make_pipeline(StandardScaler(), StructuredRidge(trees))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.1, 1.0]}, cv=3).fit(X, trees.from_networkx(rows))
    assert search.best_score_ > 0.8
    best = search.best_estimator_
    found = best[-1].structure_.to_networkx(best.predict(X, constraints={"required": [("a", "d")]}))
    assert all(nx.is_tree(tree) and tree.has_edge("a", "d") for tree in found)
    with pytest.raises(ValueError):
        best.predict(X, constraints={"required": [("a", "x")]})
    np.testing.assert_array_equal(trees.decode(weights), trees.from_networkx(rows))  # by another algorithm
