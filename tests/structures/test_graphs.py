"""Subtrees, cliques, graphs and spanning trees: formats, refusals, decoding, and what is particular to each."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from combpred import CapabilityError, StructuredRidge
from combpred._lib.decode import Decoding
from combpred._lib.errors import RowError
from combpred.structures import Cliques, Graphs, Paths, SpanningTrees, Structure, Subtrees, resolve_structure
from small_graphs import ANIMALS, BOWTIE, PARENT, WHEEL

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]


# Decoding against enumeration.


@pytest.mark.parametrize(
    "structure",
    [
        Subtrees(PARENT),
        Subtrees([-1, 0, 0, 1, 1, 2, 2, 3]),
        Cliques(2),
        Cliques(3),
        Cliques(8),
        Graphs(4),
        Graphs(4, edges=SQUARE),
        SpanningTrees(6, BOWTIE),
        SpanningTrees(5, WHEEL),
        SpanningTrees(4, list(combinations(range(4), 2))),
    ],
)
@pytest.mark.parametrize("ties", [False, True], ids=["gaussian", "ties"])
def test_decoding_reaches_the_best_of_the_list(structure: Structure, ties: bool) -> None:
    rng = np.random.default_rng(0)
    psi = structure.embed(np.array(list(structure.enumerate())))
    scores = rng.integers(-1, 2, size=(200, psi.shape[1])) if ties else rng.normal(size=(200, psi.shape[1]))
    best = (scores @ psi.T).max(axis=1)
    decoded = structure.decode(scores)
    np.testing.assert_allclose((scores * structure.embed(decoded)).sum(axis=1), best, atol=1e-12)
    np.testing.assert_array_equal(decoded, structure.decode(scores))
    magnitude = np.full(psi.shape[1], -0.5)  # the pre-image problem of embeddings with entries 0 and 1
    found = structure.space.decode(scores.astype(float), magnitude)
    np.testing.assert_allclose(found.value, (scores @ psi.T - 0.5 * psi.sum(axis=1)).max(axis=1), atol=1e-12)
    assert found.optimal.all()


@pytest.mark.parametrize("structure", [Subtrees(PARENT), Cliques(5), Graphs(4), SpanningTrees(4, SQUARE)])
def test_rows_of_any_kind_are_taken_and_others_located(structure: Structure) -> None:
    y = structure.sample(4, random_state=0)
    assert y.dtype == np.int32 and y.flags.c_contiguous
    for form in (y, y.astype(bool), y.astype(float), y.tolist(), pd.DataFrame(y), y.astype(object)):
        np.testing.assert_array_equal(structure.encode(form), y)
    assert type(structure)(**structure.get_params())._resolve(y) == structure
    width = y.shape[1]
    for value, shown in ((2, "2"), (-1, "-1"), (0.5, "0.5"), (np.nan, "nan")):
        bad = y.astype(float)
        bad[2, 1] = value
        with pytest.raises(ValueError, match=rf"y, row 2: found {shown} in column 1; .* are 0/1 matrices"):
            structure.validate(bad)
    with pytest.raises(ValueError):
        structure.validate(np.zeros((1, width + 1)))
    with pytest.raises(ValueError):
        structure.validate(y[0])
    with pytest.raises(TypeError):
        structure.validate(scipy.sparse.csr_matrix(y))


@pytest.mark.parametrize("structure", [Subtrees(PARENT), Cliques(6), Graphs(4), SpanningTrees(5, WHEEL)])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_estimators_learn_to_repeat(structure: Structure, loss: str) -> None:
    y = structure.sample(60, random_state=0)
    X = np.hstack([structure.embed(y), y])
    model = StructuredRidge(structure, alpha=1e-3, loss=loss).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict(X[:5], return_certificate=True)[1].optimal.all()


# Subtrees.


def test_subtrees_are_counted_exactly() -> None:
    assert Subtrees([-1]).count() == 1
    assert Subtrees([-1, 0, 1, 2, 3]).count() == 5  # a path: one for each depth
    assert Subtrees([-1] + [0] * 300).count() == 2**300  # a star: any set of leaves
    # Complete binary trees: f(h) = 1 + f(h−1)², one less with the root in; OEIS A003095.
    assert [Subtrees((np.arange(2**h - 1) - 1) // 2).count() for h in (1, 2, 3, 4, 5)] == [1, 4, 25, 676, 458329]
    assert Subtrees((np.arange(2**12 - 1) - 1) // 2).log_count() == pytest.approx(
        2**12 * math.log(1.5028368010497564), rel=1e-12
    )  # A003095(13), near c^(2^12) for the c of OEIS A077496; less one does not show


def test_subtrees_of_thousands_of_nodes_have_finite_moments() -> None:
    n = 3000
    path = Subtrees(np.arange(n) - 1)
    np.testing.assert_allclose(path.mean(), 1 - np.arange(n) / n, rtol=1e-12)
    caterpillar = Subtrees([-1 if i == 0 else i - 1 if i % 2 else max(i - 2, 0) for i in range(n)])
    mean, second = caterpillar.mean(), caterpillar.second_moment()
    assert np.isfinite(second).all() and (second == second.T).all()
    np.testing.assert_allclose(np.diag(second), mean, rtol=1e-12)
    np.testing.assert_allclose(second[0], mean, rtol=1e-12)  # the root belongs to every subtree
    caterpillar.validate(caterpillar.sample(5, random_state=0))


@pytest.mark.parametrize(
    "row",
    [
        [1, 1, 1, 1, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0, 0],
    ],
)
def test_sets_of_nodes_that_are_no_subtree_are_refused(row: list[int]) -> None:
    with pytest.raises(RowError) as caught:
        Subtrees(PARENT).validate([[1, 1, 1, 1, 1, 1, 1], row])
    assert caught.value.row == 1


def test_names_of_nodes_show_in_messages_and_features() -> None:
    structure = Subtrees(ANIMALS)
    assert structure.feature_names().tolist() == ["animal", "cat", "dog", "mammal", "fish"]
    assert structure == Subtrees(dict(ANIMALS))
    with pytest.raises(ValueError, match='row 0: node "cat" is in, its parent, node "mammal", is not'):
        structure.validate([[1, 1, 0, 0, 0]])


@pytest.mark.parametrize(
    "parent",
    [
        [-1, -1],
        [1, 0],
        [-1, 2, 1],
        [-1, 9],
        [],
    ],
)
def test_illegal_trees_are_refused(parent: Any) -> None:
    with pytest.raises(ValueError):
        Subtrees(parent).count()


# Cliques.


def test_cliques_have_sets_that_share_an_embedding() -> None:
    structure = Cliques(5)
    members = np.array(list(structure.enumerate()))
    assert structure.count() == len(members) == 2**5
    assert len(np.unique(structure.embed(members), axis=0)) == 2**5 - 5
    # Where nothing scores more than the empty set, that is what comes out, not a single vertex.
    np.testing.assert_array_equal(structure.decode(np.zeros(10)), np.zeros(5))
    np.testing.assert_array_equal(structure.decode(-np.ones(10)), np.zeros(5))


def test_covariance_of_cliques_has_the_three_eigenvalues_of_the_johnson_scheme() -> None:
    n = 7
    values, multiplicity = np.unique(np.linalg.eigvalsh(Cliques(n).covariance()).round(12), return_counts=True)
    np.testing.assert_allclose(values, [1 / 16, (n - 1) / 16, (2 * n - 1) / 16])
    assert multiplicity.tolist() == [n * (n - 3) // 2, n - 1, 1]


def test_maximum_cliques_of_known_graphs() -> None:
    # Complements of disjoint triangles: one vertex of each triangle (Moon and Moser, 1965).
    n = 30
    scores = [1.0 if u // 3 != v // 3 else -n * n for u, v in combinations(range(n), 2)]
    clique = Cliques(n).decode(scores)
    assert clique.reshape(-1, 3).sum(axis=1).tolist() == [1] * 10


@pytest.mark.parametrize("n", [36, 40])
def test_cliques_of_forty_vertices_are_solved_exactly(n: int) -> None:
    scores = np.random.default_rng(n).normal(size=(3, n * (n - 1) // 2))
    exact = Cliques(n).space.decode(scores, how=Decoding("exact"))
    searched = Cliques(n).space.decode(scores, how=Decoding("local-search"))
    assert exact.optimal.all()
    assert (searched.value <= exact.value + 1e-9).all()
    assert (searched.upper_bound >= exact.value - 1e-9).all()


def test_larger_cliques_are_searched_with_a_bound() -> None:
    n = 90
    scores = np.random.default_rng(0).normal(size=(2, n * (n - 1) // 2))
    with pytest.raises(CapabilityError) as caught:
        Cliques(n).space.decode(scores, how=Decoding("exact"))
    assert caught.value.row == 0
    found = Cliques(n).space.decode(scores)
    assert not found.optimal.any()
    # The semidefinite bound is within 20 % of the optimum of Gaussian instances; the guarantee follows from it.
    assert (found.value >= found.upper_bound / 1.2).all()
    assert ((found.nu > 0) & (found.nu < 0.1)).all()
    again = Cliques(n).space.decode(scores)
    np.testing.assert_array_equal(found.y, again.y)


def test_sparse_scores_leave_large_cliques_exact() -> None:
    n = 300
    u, v = np.triu_indices(n, 1)
    scores = np.where(u // 10 == v // 10, np.random.default_rng(0).normal(size=len(u)), -1.0)
    scores[u // 10 != v // 10] = 0.0
    assert Cliques(n).space.decode(scores[np.newaxis], how=Decoding("exact")).optimal.all()


# Graphs.


def test_graphs_are_inferred() -> None:
    assert resolve_structure("graphs", np.zeros((2, 6))) == Graphs(4)
    assert resolve_structure("cliques", np.zeros((2, 6))) == Cliques(6)
    assert Graphs(edges=[(0, 3), (2, 1)])._resolve(np.zeros((1, 2))) == Graphs(4, edges=[(0, 3), (2, 1)])
    assert Graphs(edges=[(0, 3), (2, 1)]).count() == 4
    with pytest.raises(ValueError):
        Graphs()._resolve(np.zeros((2, 5)))
    assert Graphs(5, edges=[(4, 0)]).feature_names().tolist() == ["4-0"]
    assert Graphs(70).count() == 2 ** (70 * 69 // 2)


@pytest.mark.parametrize("cls", [Cliques, Graphs])
def test_unknown_and_illegal_sizes_are_named(cls: Any) -> None:
    with pytest.raises(ValueError):
        cls().count()
    with pytest.raises(ValueError):
        cls(1).count()
    with pytest.raises(TypeError):
        cls(4.0).count()
    with pytest.raises(ValueError):
        cls(4097).n_features  # noqa: B018
    assert cls(4096).n_features == 4096 * 4095 // 2


BAD_EDGES = [
    ([(0, 1), (2, 2)], ValueError),
    ([(0, 1), (1, 2), (0, 1)], ValueError),
    ([(0, 1), (1, 2), (2, 1)], ValueError),
    ([(0, 1), (1, 4)], ValueError),
    ([(0, 1), (-1, 2)], ValueError),
    ([], ValueError),
    ([(0, 1, 2)], ValueError),
    ([(0, 1), (2,)], ValueError),
    ([(0.5, 1)], ValueError),
    ([("a", "b")], ValueError),
]


@pytest.mark.parametrize("cls", [SpanningTrees, Graphs])
@pytest.mark.parametrize(("edges", "error"), BAD_EDGES)
def test_illegal_edges_are_named(cls: Any, edges: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        cls(4, edges=edges).count()


ROADS = nx.Graph([("Bath", "Cork"), ("Cork", "Dover"), ("Dover", "Bath"), ("Dover", "Ely")])
TOWNS = list(ROADS)
OF_EDGES: list[Any] = [
    lambda edges: SpanningTrees(vertices=TOWNS, edges=edges),
    lambda edges: Graphs(vertices=TOWNS, edges=edges),
    lambda edges: Paths(edges, "Bath", "Ely", vertices=TOWNS),
]


@pytest.mark.parametrize("of", OF_EDGES)
def test_edges_that_are_no_list_are_refused(of: Any) -> None:
    table = pd.DataFrame(list(ROADS.edges()), columns=["u", "v"])
    weighed = [(u, v, 1.5) for u, v in ROADS.edges()]
    of([("Bath", "Ely")]).get_params()
    for given in (
        ROADS,
        table,
        {"Bath": ["Cork"]},
        set(ROADS.edges()),
        weighed,
        nx.to_numpy_array(ROADS),
    ):
        with pytest.raises((TypeError, ValueError)):
            of(given).count()
    counts = {
        of(given).count()
        for given in (
            list(ROADS.edges()),
            ROADS.edges,
            table[["u", "v"]].to_numpy(),
            sorted(set(ROADS.edges())),
            [each[:2] for each in weighed],
            np.array(TOWNS)[np.argwhere(np.triu(nx.to_numpy_array(ROADS)))],
        )
    }
    assert len(counts) == 1


def test_tables_of_the_numbers_of_vertices_are_edges() -> None:
    for table in (pd.DataFrame([(0, 1), (1, 2), (0, 2)]), pd.DataFrame({"u": [0, 1, 0], "v": [1, 2, 2]})):
        assert SpanningTrees(edges=table).count() == 3
        assert Paths(table, 0, 2).count() == 2
        with pytest.raises(TypeError):
            SpanningTrees(edges=table, vertices=["a", "b", "c"]).count()


def test_vertices_without_names_are_told_how_to_get_them() -> None:
    with pytest.raises(ValueError, match="edges, row 0: found 'Bath' .*vertices= lists"):
        Graphs(edges=[("Bath", "Cork")]).count()


# Spanning trees.


def test_spanning_trees_are_counted_exactly() -> None:
    def complete(n: int) -> list[tuple[int, int]]:
        return list(combinations(range(n), 2))

    assert SpanningTrees(4, SQUARE).count() == 4
    for n in (2, 3, 10, 150):
        assert SpanningTrees(n, complete(n)).count() == n ** (n - 2)  # Cayley; 150^148 overflows a float64
    assert SpanningTrees(150, complete(150)).log_count() == pytest.approx(148 * math.log(150), rel=1e-13)
    bipartite = [(u, 7 + v) for u in range(7) for v in range(5)]
    assert SpanningTrees(12, bipartite).count() == 7**4 * 5**6
    grid = [(8 * r + c, 8 * r + c + 1) for r in range(8) for c in range(7)]
    grid += [(8 * r + c, 8 * r + 8 + c) for r in range(7) for c in range(8)]
    assert SpanningTrees(64, grid).count() == 126231322912498539682594816  # OEIS A007341


def test_edges_that_every_tree_needs_have_probability_one() -> None:
    structure = SpanningTrees(6, BOWTIE)
    bridge = BOWTIE.index((4, 2))
    mean = structure.mean()
    assert mean[bridge] == pytest.approx(1, abs=1e-14)
    assert mean.sum() == pytest.approx(5, abs=1e-12)
    np.testing.assert_allclose(structure.covariance()[bridge], 0, atol=1e-14)


@pytest.mark.parametrize(
    "row",
    [
        [1, 1, 1, 1],
        [1, 0, 1, 0],
        [0, 0, 0, 0],
    ],
)
def test_sets_of_edges_that_are_no_spanning_tree_are_refused(row: list[int]) -> None:
    with pytest.raises(RowError) as caught:
        SpanningTrees(4, SQUARE).validate([[1, 1, 1, 0], row])
    assert caught.value.row == 1


def test_graphs_without_spanning_tree_are_refused() -> None:
    with pytest.raises(ValueError, match="not connected, no path joins the vertices 0 and 2"):
        SpanningTrees(4, [(0, 1), (2, 3)]).count()
    with pytest.raises(ValueError):
        SpanningTrees(4, [(0, 1), (1, 2)]).count()
    with pytest.raises(ValueError):
        resolve_structure("spanningtrees", [[1, 1]])
    with pytest.raises(ValueError):
        SpanningTrees(5000, [(0, 1)]).count()


def test_ties_between_spanning_trees_go_to_the_first_edges() -> None:
    np.testing.assert_array_equal(SpanningTrees(4, SQUARE).decode(np.zeros(4)), [1, 1, 1, 0])
    np.testing.assert_array_equal(SpanningTrees(4, SQUARE).decode([0.0, 0.0, 0.0, 1.0]), [1, 1, 0, 1])
