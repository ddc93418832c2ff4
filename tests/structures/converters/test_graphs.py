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
    ("convert", "message"),
    [
        (lambda: GRAPHS.from_edges([[], [("a", "x")]]), "graphs, row 1: 'x' is no vertex of the structure, whose vert"),
        (lambda: GRAPHS.from_edges([[("a", "b"), ("b", "a")]]), "row 0: the edge from 'b' to 'a' occurs twice"),
        (lambda: GRAPHS.from_edges([[("a", "a")]]), "row 0: the edge from 'a' to 'a' begins where it ends"),
        (lambda: GRAPHS.from_edges([[("a", "b", 2)]]), r"row 0: found \('a', 'b', 2\); edges are pairs"),
        (lambda: GRAPHS.from_edges([["ab"]]), "row 0: found 'ab'; edges are pairs"),
        (lambda: GRAPHS.from_edges([[(0.5, 1)]]), r"row 0: found 0.5 in \(0.5, 1\); edges hold names or whole"),
        (lambda: GRAPHS.from_edges([[], None]), "row 1: found None; a row is a list of edges"),
        (lambda: GRAPHS.from_edges([]), "graphs has 0 rows"),
        (
            lambda: GRAPHS.from_edges([("a", "b")]),
            r"found 'a'; edges are pairs such as \(u, v\): .* graph as \[edges\]",
        ),
        (lambda: GRAPHS.from_edges(pd.DataFrame({"u": ["a"], "v": ["b"]})), r"row 0: .* pass one graph as \[edges\]"),
        (lambda: GRAPHS.from_edges([[("a", "b", 0.5)]]), "leave weights out, as by .*edge.:2. for edge in edges"),
        (lambda: GRAPHS.from_edges([[]], closure=True), "closure: Graphs need not be transitive"),
        (lambda: Graphs().from_edges([[("b", "a")]]), r"take Graphs\(vertices=\['a', 'b'\]\)"),
        (lambda: Graphs().from_edges([[(0, 1)]]), "n_vertices is not known yet; give it"),
        (lambda: Graphs(3).from_edges([[(0, 1)], [(0, 3)]]), "row 1: vertex 3 is none of 0..2"),
        (lambda: TREES.from_edges([[("a", "c")]]), "row 0: there is no edge between 'a' and 'c'; the edges are 'a-b'"),
        (lambda: TREES.from_edges([[("a", "b"), ("b", "c")]]), 'row 0: the edges do not span .* vertex "d" to vertex'),
        (lambda: TREES.from_edges([SQUARE]), r"row 0: edge 3, \(\"d\", \"a\"\), closes a cycle"),
        (
            lambda: Graphs(vertices=NAMES, hereditary="matching").from_edges([SQUARE]),
            r"row 0: edge 2, \(\"a\", \"d\"\), shares",
        ),
        (lambda: GRAPHS.from_networkx([_graph(("a", "b"), directed=True)]), r"row 0: .*: pass graph.to_undirected\(\)"),
        (lambda: GRAPHS.from_networkx([_graph(), _graph(nodes=["x"])]), "row 1: 'x' is no vertex"),
        (lambda: GRAPHS.from_networkx([nx.MultiGraph([("a", "b")] * 2)]), "row 0: .* occurs twice"),
        (lambda: GRAPHS.from_networkx([[("a", "b")]]), "row 0: .*is no graph of networkx; see from_edges"),
        (lambda: ORDERS.from_networkx([_graph(("a", "b"))]), "row 0: the graph is not directed: pass a DiGraph"),
        (lambda: ORDERS.from_edges([[("a", "b"), ("b", "a")]]), "row 0: .* 'b' to 'a' has one in return"),
        (
            lambda: ORDERS.from_edges([[("d", "b"), ("b", "c")]]),
            'row 0: the relation is not transitive: .*"d" is before "b" and "b" before "c".*closure=True of from_edges',
        ),
        (
            lambda: ORDERS.from_edges([[("a", "b"), ("b", "c"), ("c", "a")]], closure=True),
            "row 0: item 'a' is before itself: the pairs form a cycle",
        ),
        (lambda: GRAPHS.from_adjacency(np.ones((1, 4, 4))), "row 0: the edge from 'a' to 'a'"),
        (lambda: GRAPHS.from_adjacency(np.ones((4, 4))), r"shape \(n, N, N\), got \(4, 4\); .* as \[matrix\]"),
        (
            lambda: GRAPHS.from_adjacency(np.zeros((1, 3, 3))),
            r"row 0: the matrix has shape \(3, 3\), it needs \(4, 4\)",
        ),
        (lambda: GRAPHS.from_adjacency(np.eye(4, k=1)[None]), "row 0: .* from 'a' to 'b' but none back"),
        (lambda: GRAPHS.from_adjacency(2.5 * np.eye(4, k=1)[None]), "row 0: found 2.5; .*pass matrix > 0"),
        (
            lambda: GRAPHS.from_adjacency([pd.DataFrame(np.eye(4), NAMES, [*NAMES[:3], "x"])]),
            "row 0 lacks the columns 'd' and has 'x'; the vertices of Graphs",
        ),
        (lambda: Graphs(4).from_networkx([nx.grid_2d_graph(2, 2)]), r"row 0: found the vertex \(0, 0\), .*; rename it"),
        (lambda: GRAPHS.from_adjacency([[[0, 1], [1]]]), "row 0: the rows of the matrix differ in length"),
        (lambda: GRAPHS.embed(_graph(("a", "b"))), "y, row 0: found Graph with 2 nodes and 1 edges; Graphs"),
        (lambda: GRAPHS.to_edges([[1, 0, 0, 0, 0, 2]]), "y, row 0"),
    ],
)
def test_refusals_name_the_row_the_edge_and_the_remedy(convert, message):
    with pytest.raises((ValueError, TypeError), match=message):
        convert()


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
    message = f"y, row 0: found .*{type(structure).__name__}.*from_edges, from_networkx and from_adjacency make y of"
    with pytest.raises(ValueError, match=message):
        StructuredRidge(structure).fit(np.zeros((2, 1)), y)
    fitted = StructuredRidge(structure).fit(np.zeros((2, 1)), structure._resolve([[0] * 6]).sample(2, random_state=0))
    with pytest.raises(ValueError, match=r"y.*, row 0: found .*from_edges, from_networkx"):
        fitted.score(np.zeros((2, 1)), y)


def test_matrices_are_told_of_their_converter():
    with pytest.raises(ValueError, match=r"y, row 0: found .*Graphs\(vertices=.*from_adjacency"):
        GRAPHS.embed(np.zeros((2, 4, 4)))
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
    with pytest.raises(ValueError, match="'x'"):
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
