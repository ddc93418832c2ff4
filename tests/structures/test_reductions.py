"""The largest subgraph with a hereditary property from an oracle for non-optimality, against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest

from combpred.reductions import maximum_subgraph

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
    with pytest.raises(ValueError, match="the answers of oracle contradict one another: there is a set of 3 edges"):
        maximum_subgraph([(0, 1), (1, 2), (2, 3), (3, 0)], oracle=lambda weights, y: next(answers))
    with pytest.raises(TypeError, match="oracle must return True or False, got None"):
        maximum_subgraph([(0, 1)], oracle=lambda weights, y: None)
    with pytest.raises(ValueError, match="maximum_subgraph: edges"):
        maximum_subgraph([(0, 0)], oracle=lambda weights, y: True)


def test_an_oracle_that_is_no_function_is_refused():
    with pytest.raises(TypeError, match="oracle must be a function"):
        maximum_subgraph([(0, 1)], oracle=3)
