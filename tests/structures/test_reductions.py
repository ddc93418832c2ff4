"""The reductions of the thesis's hardness results: largest hereditary subgraphs, Hamiltonian paths and cycles.

The first come from an oracle for non-optimality, the others from the exact decoder and the exact partition function for
all labelled graphs of a size; all are compared with enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np
import pytest

from combpred.reductions import maximum_set, maximum_subgraph
from combpred.structures import Cycles

VERTICES = 6


def is_forest(edges):
    parent = list(range(VERTICES))

    def root(v):
        while parent[v] != v:
            v = parent[v]
        return v

    for u, v in edges:
        if root(u) == root(v):
            return False
        parent[root(u)] = root(v)
    return True


def is_matching(edges):
    ends = [v for edge in edges for v in edge]
    return len(set(ends)) == len(ends)


def is_bipartite(edges):
    return any(all(side[u] != side[v] for u, v in edges) for side in product([0, 1], repeat=VERTICES))


def is_triangle_free(edges):
    held = {frozenset(edge) for edge in edges}
    return not any(
        all(frozenset(pair) in held for pair in combinations(three, 2)) for three in combinations(range(6), 3)
    )


def at_most(k) -> Callable[[list], bool]:
    return lambda edges: len(edges) <= k


PROPERTIES = {
    "forest": is_forest,
    "matching": is_matching,
    "bipartite": is_bipartite,
    "triangle-free": is_triangle_free,
    "none": at_most(0),
    "three": at_most(3),
    "all": at_most(99),
    # No graph property, but hereditary: the parts of two sets without a common edge.
    "blocks": lambda edges: all(u + v < 5 for u, v in edges) or all(u + v >= 5 for u, v in edges),
}


class Oracle:
    """Answers by looking at all sets with the property, counts the questions and checks that they are legal."""

    def __init__(self, edges, has_property):
        masks = np.array(list(product([False, True], repeat=len(edges))))
        held = [has_property([edge for edge, there in zip(edges, mask, strict=True) if there]) for mask in masks]
        self.members = masks[held]
        self.legal = {tuple(mask) for mask in self.members}
        self.calls = 0

    def __call__(self, weights, y):
        assert weights.dtype == np.int64 and (weights >= 0).all() and weights.max(initial=0) <= len(weights) ** 2
        assert tuple(y) in self.legal
        self.calls += 1
        return bool((self.members @ weights).max() > weights[y].sum())


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_largest_subgraph_is_found_within_the_number_of_calls(name):
    rng = np.random.default_rng(0)
    pairs = np.array(list(combinations(range(VERTICES), 2)))
    for m in (1, 4, 7, 8, 9, 9, 10, 10):
        edges = [tuple(pair) for pair in rng.permutation(pairs)[:m].tolist()]
        oracle = Oracle(edges, PROPERTIES[name])
        found = maximum_subgraph(edges, oracle=oracle)
        assert tuple(found) in oracle.legal
        r = found.sum()
        assert r == oracle.members.sum(axis=1).max()
        assert oracle.calls <= m + r * (m - 1)


@pytest.mark.parametrize("seed", range(20))
def test_any_independence_system_will_do(seed):
    # Subsets of random sets: larger sets may differ from smaller ones in most elements.
    rng = np.random.default_rng(seed)
    m = 9
    edges = list(combinations(range(5), 2))[:m]
    generators = rng.random((5, m)) < rng.choice([0.3, 0.5, 0.7], size=(5, 1))
    masks = np.array(list(product([False, True], repeat=m)))
    oracle = Oracle(edges, lambda _: True)
    oracle.members = masks[[any((mask <= g).all() for g in generators) for mask in masks]]
    oracle.legal = {tuple(mask) for mask in oracle.members}
    found = maximum_subgraph(edges, oracle=oracle)
    assert tuple(found) in oracle.legal
    assert found.sum() == generators.sum(axis=1).max()
    assert oracle.calls <= m + found.sum() * (m - 1)


def test_oracles_that_contradict_themselves_are_noticed():
    answers = iter([True, True, False, True, False, False, False])
    with pytest.raises(ValueError):
        maximum_subgraph([(0, 1), (1, 2), (2, 3), (3, 0)], oracle=lambda weights, y: next(answers))
    with pytest.raises(TypeError):
        maximum_subgraph([(0, 1)], oracle=lambda weights, y: None)
    with pytest.raises(ValueError):
        maximum_subgraph([(0, 0)], oracle=lambda weights, y: True)


def test_an_oracle_that_is_no_function_is_refused():
    with pytest.raises(TypeError):
        maximum_subgraph([(0, 1)], oracle=3)


def all_graphs(n: int) -> np.ndarray:
    """Adjacency by pairs u < v of all labelled graphs of n vertices, shape (2^pairs, pairs)."""
    pairs = n * (n - 1) // 2
    return (np.arange(2**pairs)[:, None] >> np.arange(pairs)) & 1


def has_order(graphs: np.ndarray, n: int, *, closed: bool) -> np.ndarray:
    """Whether some order of the vertices follows edges of each graph, and, if `closed`, back to where it began."""
    number = {pair: i for i, pair in enumerate(combinations(range(n), 2))}
    found = np.zeros(len(graphs), dtype=bool)
    for order in permutations(range(n)):
        steps = list(zip(order, order[1:] + order[:1] if closed else order[1:], strict=False))
        found |= graphs[:, [number[min(step), max(step)] for step in steps]].all(axis=1)
    return found


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_non_optimality_of_a_triangle_decides_hamiltonian_paths(n: int) -> None:
    """The lemma of section 4.2: all graphs of up to 5 vertices, Hamiltonian paths by enumeration.

    The thesis adds three vertices, whose edges weigh |V| − 2, to a graph whose edges weigh 1: their triangle is not of
    largest score iff the graph has a Hamiltonian path, which the better cycle then contains.
    """
    graphs, cycles = all_graphs(n), Cycles(n + 3)
    number = {pair: i for i, pair in enumerate(combinations(range(n + 3), 2))}
    weights = np.zeros((len(graphs), len(number)))
    weights[:, [number[pair] for pair in combinations(range(n), 2)]] = graphs
    triangle = [number[pair] for pair in combinations(range(n, n + 3), 2)]
    weights[:, triangle] = n - 2
    best = cycles.embed(cycles.decode(weights, decoder="exact"))
    better = (weights * best).sum(axis=1) > 3 * (n - 2) + 0.5
    np.testing.assert_array_equal(better, has_order(graphs, n, closed=False))
    inside = [number[pair] for pair in combinations(range(n), 2)]
    assert ((best * weights)[:, inside].sum(axis=1)[better] == n - 1).all()  # the edges of a Hamiltonian path
    assert {bool(is_better) for is_better in better} == {True, False}


@pytest.mark.parametrize("n", [3, 4, 5])
def test_the_partition_function_decides_hamiltonian_cycles(n: int) -> None:
    """PARTITION (section 6.2): all graphs of up to 5 vertices, Hamiltonian cycles by enumeration.

    With edges that weigh ln(|V|! |V|), a graph has a Hamiltonian cycle iff ln Z ≥ |V| ln(|V|! |V|). Where it has none,
    the proof leaves a gap of ln(|V|! |V|) − ln |Y|, which is checked as well.
    """
    graphs, cycles = all_graphs(n), Cycles(n)
    weight = math.log(math.factorial(n) * n)
    assert cycles.count() < math.factorial(n) * n
    log_z = cycles.log_partition(graphs * weight)
    hamiltonian = has_order(graphs, n, closed=True)
    np.testing.assert_array_equal(log_z >= n * weight, hamiltonian)
    gap = weight - cycles.log_count()
    assert (log_z[~hamiltonian] <= n * weight - gap + 1e-9).all()
    assert {bool(is_one) for is_one in hamiltonian} == {True, False}


def test_largest_sets_of_other_elements():
    """Random matroids and knapsacks on seven elements."""
    rng = np.random.default_rng(0)
    every = np.array(list(product([0, 1], repeat=7)))
    for _ in range(30):
        columns, kilos = rng.integers(-1, 2, size=(4, 7)), rng.integers(1, 6, size=7)
        ranks = np.array([np.linalg.matrix_rank(columns[:, y == 1]) if y.any() else 0 for y in every])
        for members in (every[ranks == every.sum(axis=1)], every[every @ kilos <= 9]):
            best = maximum_set(7, oracle=lambda w, y, members=members: (members @ w).max() > w[y].sum())
            assert best.sum() == members.sum(axis=1).max()
            assert (members == best).all(axis=1).any()
    with pytest.raises(TypeError):
        maximum_subgraph([(0, 1)], oracle=None)
    with pytest.raises(TypeError):
        maximum_set(3, oracle=None)
    with pytest.raises(ValueError):
        maximum_set(0, oracle=lambda weights, y: False)


@pytest.mark.parametrize(
    ("edges", "row"),
    [([(0, 0), (1, 2)], None), ([(0, 1), (0, 1)], None), ([(0, 1), (1, -2)], 1), ([(0, 1), (1, "b")], 1)],
)
def test_illegal_edges_are_refused_as_edges(edges, row):
    with pytest.raises(ValueError) as caught:
        maximum_subgraph(edges, oracle=lambda weights, y: False)
    assert str(caught.value).startswith("edges")
    assert "vertices=" not in str(caught.value)
    assert getattr(caught.value, "row", None) == row
    with pytest.raises(TypeError):
        maximum_subgraph({(0, 1)}, oracle=lambda weights, y: False)
