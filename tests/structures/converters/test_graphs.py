"""Graphs as edges, as graphs of networkx and as matrices: what is read, what is refused, and that they come back."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
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
    np.testing.assert_array_equal(structure.from_adjacency([sparse.csr_array(m.astype(int)) for m in matrices]), y)
    nodes = list(graphs[0])
    np.testing.assert_array_equal([nx.to_numpy_array(graph, nodelist=nodes) for graph in graphs], matrices)
    reordered = [pd.DataFrame(m, nodes, nodes).iloc[::-1, [2, 0, *range(1, len(m) - 1)][: len(m)]] for m in matrices]
    if structure._names is not None and isinstance(nodes[0], str):
        reordered = [pd.DataFrame(m, nodes, nodes).loc[["c", "a", "d", "b"], ["b", "a", "d", "c"]] for m in matrices]
        np.testing.assert_array_equal(structure.from_adjacency(reordered), y)
        framed = structure.from_edges(edges, as_frame=True)
        assert framed.columns.tolist() == structure.feature_names().tolist()
        np.testing.assert_array_equal(structure.embed(framed.iloc[:, ::-1]), structure.embed(y))


def test_edges_mean_what_networkx_says():
    trees = SpanningTrees(vertices=NAMES)
    assert all(nx.is_tree(tree) for tree in trees.to_networkx(np.array(list(trees.enumerate()))))
    complete = SpanningTrees(vertices=NAMES).from_edges([[("a", "b"), ("a", "c"), ("a", "d")]])
    assert complete.tolist() == [[1, 1, 1, 0, 0, 0]] and complete.dtype == np.int32
    assert PartialOrders(items=NAMES).from_edges([[("b", "a"), ("b", "c")]]).tolist() == [[-1, 0, 0, 1, 0, 0]]
    assert Tournaments.from_edges([[("b", "a")]], items=["a", "b"]).tolist() == [[-1]]
    assert Graphs().from_adjacency(np.zeros((2, 3, 3))).shape == (2, 3)
    frame = pd.DataFrame({"from": ["b"], "to": ["d"]})
    assert GRAPHS.to_edges(GRAPHS.from_edges([frame])) == [[("b", "d")]]
    assert GRAPHS.to_edges(GRAPHS.from_networkx(_graph(("d", "b")))) == [[("b", "d")]]  # one graph
    assert Graphs(3).from_edges([np.array([[2, 0]]), [], {(0, 1)}]).tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]


def test_closures_are_those_of_networkx():
    orders = PartialOrders(items=NAMES)
    for order in permutations(NAMES):
        for edges in combinations(list(combinations(order, 2)), 3):
            graph = nx.DiGraph(edges)
            y = orders.from_networkx([graph], closure=True)
            assert set(orders.to_edges(y)[0]) == set(nx.transitive_closure(graph).edges)
            np.testing.assert_array_equal(orders.from_edges([list(edges)], closure=True), y)
    reflexive = np.triu(np.ones((1, 4, 4)))
    np.testing.assert_array_equal(orders.from_adjacency(reflexive), np.ones((1, 6)))


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
        (lambda: GRAPHS.from_edges(pd.DataFrame({"u": ["a"], "v": ["b"]})), 0),
        (lambda: GRAPHS.from_edges([[("a", "b", 0.5)]]), 0),
        (lambda: GRAPHS.from_edges([[]], closure=True), None),
        (lambda: Graphs().from_edges([[("b", "a")]]), 0),
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
        (lambda: GRAPHS.from_networkx([[("a", "b")]]), 0),
        (lambda: ORDERS.from_networkx([_graph(("a", "b"))]), 0),
        (lambda: ORDERS.from_edges([[("a", "b"), ("b", "a")]]), 0),
        (
            lambda: ORDERS.from_edges([[("d", "b"), ("b", "c")]]),
            0,
        ),
        (
            lambda: ORDERS.from_edges([[("a", "b"), ("b", "c"), ("c", "a")]], closure=True),
            0,
        ),
        (lambda: GRAPHS.from_adjacency(np.ones((1, 4, 4))), 0),
        (lambda: GRAPHS.from_adjacency(np.ones((4, 4))), None),
        (
            lambda: GRAPHS.from_adjacency(np.zeros((1, 3, 3))),
            0,
        ),
        (lambda: GRAPHS.from_adjacency(np.eye(4, k=1)[None]), 0),
        (lambda: GRAPHS.from_adjacency(2.5 * np.eye(4, k=1)[None]), 0),
        (
            lambda: GRAPHS.from_adjacency([pd.DataFrame(np.eye(4), NAMES, [*NAMES[:3], "x"])]),
            None,
        ),
        (lambda: Graphs(4).from_networkx([nx.grid_2d_graph(2, 2)]), 0),
        (lambda: GRAPHS.from_adjacency([[[0, 1], [1]]]), 0),
        (lambda: GRAPHS.embed(_graph(("a", "b"))), 0),
        (lambda: GRAPHS.to_edges([[1, 0, 0, 0, 0, 2]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises((ValueError, TypeError)) as caught:
        convert()
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize(
    "structure", [GRAPHS, TREES, ORDERS, Tournaments(items=NAMES), Graphs(), PartialOrders()], ids=str
)
@pytest.mark.parametrize(
    "y",
    [
        [_graph(("a", "b"), ("b", "c")), _graph(("a", "b"))],
        [_graph((0, 1)), _graph((0, 2))],
        [[("a", "b"), ("b", "c")], [("a", "b")]],
        [[["a", "b"], ["b", "c"]], [["a", "b"], ["b", "d"]]],
        ["a-b", "b-c"],
        pd.Series([[("a", "b")], [("a", "c")]]),
    ],
    ids=["networkx", "numbers", "edges", "lists", "strings", "series"],
)
def test_graphs_are_told_of_their_converter(structure, y):
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(np.zeros((2, 1)), y)
    assert (caught.value.argument, caught.value.row) == ("y", 0)
    fitted = StructuredRidge(structure).fit(np.zeros((2, 1)), structure._resolve([[0] * 6]).sample(2, random_state=0))
    with pytest.raises(ValueError) as caught:
        fitted.score(np.zeros((2, 1)), y)
    assert caught.value.row == 0


def test_matrices_are_told_of_their_converter():
    with pytest.raises(ValueError) as caught:
        GRAPHS.embed(np.zeros((2, 4, 4)))
    assert (caught.value.argument, caught.value.row) == ("y", 0)
    orders = ORDERS.embed(np.triu(np.ones((2, 4, 4)), 1) == 1)  # which are a format of y
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


def test_series_of_graphs_keep_their_index():
    graphs, edges = Graphs(vertices=NAMES), [[("a", "b")], [("b", "c"), ("c", "d")]]
    drawn = graphs.to_networkx(graphs.from_edges(edges))
    expected = pd.DataFrame(graphs.from_edges(edges), columns=graphs.feature_names(), index=["x", "y"])
    matrices = list(graphs.to_adjacency(graphs.from_edges(edges)))
    converters = [(graphs.from_edges, edges), (graphs.from_networkx, drawn), (graphs.from_adjacency, matrices)]
    for convert, rows in converters:
        pd.testing.assert_frame_equal(convert(pd.Series(rows, index=["x", "y"]), as_frame=True), expected)
    np.testing.assert_array_equal(graphs.from_networkx(iter(drawn)), expected)
    np.testing.assert_array_equal(graphs.from_networkx(pd.DataFrame({"graph": drawn})), expected)
