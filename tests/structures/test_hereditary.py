"""Graphs with a hereditary property: decoding against enumeration, certificates, refusals."""

from __future__ import annotations

import pickle
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.base import clone

from combpred import CapabilityError, StructuredRidge, sampling
from combpred._lib.decode import Decoding
from combpred.structures import Graphs

EXACT_EDGES, BLOCK_EDGES = 20, 16  # of positive weight: what is searched as a whole, and what a block has beyond

COMPLETE = list(combinations(range(5), 2))
SHUFFLED = [(4, 2), (0, 1), (3, 2), (1, 2), (0, 4), (1, 4), (0, 3), (2, 0)]


def few(mask):
    """At most three edges."""
    return mask.sum() <= 3


def nothing_meets_vertex_0(mask):
    return not mask[:4].any()  # the first edges of the complete graph


def triangle_free(mask):
    held = {COMPLETE[e] for e in np.flatnonzero(mask)}
    return not any({(a, b), (b, c), (a, c)} <= held for a, b, c in combinations(range(5), 3))


def is_forest(edges, n):
    """A graph is a forest when it has as many components as vertices less edges: by the rank of its incidences."""
    incidence = np.zeros((len(edges), n))
    for row, (u, v) in enumerate(edges):
        incidence[row, u], incidence[row, v] = 1, -1
    return len(edges) == 0 or np.linalg.matrix_rank(incidence) == len(edges)


def is_matching(edges, n):
    return all(sum(v in edge for edge in edges) <= 1 for v in range(n))


def is_bipartite(edges, n):
    return any(all(side[u] != side[v] for u, v in edges) for side in product([0, 1], repeat=n))


NAMED = {"forest": is_forest, "matching": is_matching, "bipartite": is_bipartite}


def members(structure, n, edges):
    """Return all sets with the property, by its definition."""
    masks = np.array(list(product([0, 1], repeat=len(edges))))
    holds = NAMED.get(structure.hereditary)
    if holds is None:
        return masks[[bool(structure.hereditary(mask.astype(bool))) for mask in masks]]
    return masks[[holds([edges[e] for e in np.flatnonzero(mask)], n) for mask in masks]]


CASES = [
    *((Graphs(5, hereditary=name), COMPLETE) for name in NAMED),
    *((Graphs(5, edges=SHUFFLED, hereditary=name), SHUFFLED) for name in NAMED),
    *((Graphs(5, hereditary=holds), COMPLETE) for holds in (few, nothing_meets_vertex_0, triangle_free)),
]
each = pytest.mark.parametrize(
    ("structure", "edges"),
    CASES,
    ids=[f"{i}-{getattr(s.hereditary, '__name__', s.hereditary)}" for i, (s, _) in enumerate(CASES)],
)


@each
def test_members_are_listed_and_others_refused(structure, edges):
    expected = members(structure, 5, edges)
    np.testing.assert_array_equal(np.unique(list(structure.enumerate()), axis=0), np.unique(expected, axis=0))
    structure.validate(expected)
    with pytest.raises(ValueError) as caught:
        structure.validate(np.array([expected[0], np.ones(len(edges))]))
    assert (caught.value.argument, caught.value.row) == ("y", 1)


@each
@pytest.mark.parametrize("ties", [False, True], ids=["gaussian", "ties"])
@pytest.mark.parametrize("decoder", ["auto", "exact", "local-search"])
def test_decoding_reaches_the_best_of_the_list(structure, edges, ties, decoder):
    rng = np.random.default_rng(0)
    y = members(structure, 5, edges)
    shape = (25, len(edges))
    scores = (rng.integers(-1, 3, shape) if ties else rng.normal(size=shape)).astype(float)
    found = structure.space.decode(scores, None, Decoding(decoder))
    best = (scores @ y.T).max(axis=1)
    np.testing.assert_allclose(found.value, best, rtol=0, atol=1e-12)
    np.testing.assert_allclose((scores * found.y).sum(axis=1), found.value, rtol=0, atol=1e-12)
    assert found.optimal.all() and (found.nu == 0).all() and (found.upper_bound == found.value).all()
    structure.validate(found.y)
    squared = structure.space.decode(scores, np.full(len(edges), -0.5), Decoding(decoder))
    np.testing.assert_allclose(squared.value, ((scores - 0.5) @ y.T).max(axis=1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_search_is_exact_for_any_independence_system(seed):
    # The subsets of random sets: exchanges, which matroids allow, mislead here.
    rng = np.random.default_rng(seed)
    generators = rng.random((6, 15)) < rng.choice([0.3, 0.5, 0.8], size=(6, 1))

    def holds(mask):
        return bool((mask <= generators).all(axis=1).any())

    structure = Graphs(6, hereditary=holds)
    scores = np.vstack([rng.normal(size=(8, 15)), rng.integers(1, 3, (4, 15))])
    found = structure.space.decode(scores, None, Decoding("exact"))
    best = (np.maximum(scores, 0) @ generators.T).max(axis=1)
    np.testing.assert_allclose(found.value, best, rtol=0, atol=1e-12)


def test_large_instances_say_how_far_from_the_best_they_may_be():
    rng = np.random.default_rng(0)
    structure = Graphs(9, hereditary=few)  # 36 edges
    scores = rng.normal(size=(4, 36))
    scores[:2] = np.abs(scores[:2])
    n_positive = (scores > 0).sum(axis=1)
    found = structure.space.decode(scores, None, Decoding("auto"))
    structure.validate(found.y)
    best = np.sort(scores, axis=1)[:, -3:].sum(axis=1)
    assert (found.value <= best + 1e-12).all() and (best <= found.upper_bound + 1e-12).all()
    np.testing.assert_allclose(found.value[n_positive <= EXACT_EDGES], best[n_positive <= EXACT_EDGES], atol=1e-12)
    blocks = np.where(n_positive > EXACT_EDGES, np.ceil(n_positive / BLOCK_EDGES), 1)
    assert (blocks > 1).any()
    assert (found.nu <= 1 - 1 / blocks + 1e-12).all()
    np.testing.assert_allclose((1 - found.nu) * found.upper_bound, found.value)
    assert (found.value >= 0.95 * best).all()  # what these seeds reach
    with pytest.raises(CapabilityError) as caught:
        structure.space.decode(scores, None, Decoding("exact"))
    assert caught.value.row == 0


def test_bipartite_graphs_are_exact_for_few_vertices_and_have_a_bound_beyond():
    rng = np.random.default_rng(0)
    scores = np.abs(rng.normal(size=(4, 36)))
    pairs = np.array(list(combinations(range(9), 2)))
    sides = np.array(list(product([0, 1], repeat=9)))
    best = (scores @ (sides[:, pairs[:, 0]] != sides[:, pairs[:, 1]]).T).max(axis=1)
    found = Graphs(9, hereditary="bipartite").space.decode(scores, None, Decoding("exact"))
    np.testing.assert_allclose(found.value, best, rtol=1e-12)
    assert found.optimal.all()
    large = Graphs(26, hereditary="bipartite")
    ones = np.ones((1, 325))  # of 26 vertices with all edges, half are on either side
    with pytest.raises(CapabilityError):
        large.space.decode(ones, None, Decoding("exact"))
    found = large.space.decode(ones, None, Decoding("auto"))
    large.validate(found.y)
    assert found.value[0] == 169 and found.upper_bound[0] >= 169 and found.nu[0] <= 0.5
    np.testing.assert_allclose((1 - found.nu) * found.upper_bound, found.value)


def test_forests_and_matchings_are_exact_at_any_size():
    rng = np.random.default_rng(0)
    forest = Graphs(60, hereditary="forest")
    found = forest.space.decode(np.ones((1, 1770)), None, Decoding("exact"))
    assert found.value[0] == 59 and found.optimal[0]
    # In a complete bipartite graph, a largest matching with positive scores is an assignment.
    from scipy.optimize import linear_sum_assignment

    weights = rng.random((12, 12))
    edges = [(u, 12 + v) for u in range(12) for v in range(12)]
    found = Graphs(24, edges=edges, hereditary="matching").space.decode(weights.reshape(1, -1), None, Decoding("exact"))
    assert found.value[0] == pytest.approx(weights[linear_sum_assignment(weights, maximize=True)].sum(), abs=1e-9)
    assert found.optimal[0]
    # And in general graphs: 7 vertices, 21 edges, by enumeration of all matchings.
    pairs = list(combinations(range(7), 2))
    scores = rng.random(21)
    best = max(
        sum(scores[list(chosen)])
        for k in range(4)
        for chosen in combinations(range(21), k)
        if is_matching([pairs[e] for e in chosen], 7)
    )
    found = Graphs(7, hereditary="matching").space.decode(scores[None], None, Decoding("exact"))
    assert found.value[0] == pytest.approx(best, abs=1e-12)


def test_training_is_relaxed_to_all_edge_sets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    hidden = Graphs(5, hereditary="forest")
    y = hidden.decode(X @ rng.normal(size=(3, 10)))
    relaxed = StructuredRidge(Graphs(5), alpha=0.1).fit(X, y)
    model = StructuredRidge(hidden, alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(model.coef_, relaxed.coef_)
    assert (hidden.moments_info.kind, Graphs(5).moments_info.kind) == ("relaxed", "exact")
    assert hidden.count() == 2**10
    hidden.validate(model.predict(X))
    with pytest.raises(ValueError) as caught:
        hidden.validate(relaxed.predict(X))  # the property is what keeps cycles out
    assert (caught.value.argument, caught.value.row) == ("y", 2)
    certified = model.predict(X, return_certificate=True)[1]
    assert certified.optimal.all()
    inferred = StructuredRidge(Graphs(hereditary="forest")).fit(X, y).structure_
    assert inferred == Graphs(5, hereditary="forest")


@each
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_the_best_are_listed_in_order(structure, edges, loss):
    rng = np.random.default_rng(1)
    y = members(structure, 5, edges)
    X = rng.normal(size=(9, 2))
    model = StructuredRidge(structure, loss=loss, alpha=0.1).fit(X, y[rng.integers(len(y), size=9)])
    scores = np.sort(model.score_structures(X[:1].repeat(len(y), 0), y))[::-1]
    for nu in (1.0, 0.5):
        listed = list(model.enumerate(X[0], nu=nu))
        expected = scores[scores >= (1 - nu) * scores[0] + nu * scores[-1] - 1e-12]
        found = model.score_structures(X[:1].repeat(len(listed), 0), listed)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_the_best_forests_are_listed_at_sizes_that_cannot_be_sorted():
    linear = np.random.default_rng(0).random(45)
    model = StructuredRidge(Graphs(10, hereditary="forest")).fit(np.zeros((2, 1)), np.eye(2, 45))
    model.coef_[:], model.intercept_[:] = 0.0, linear
    listed = np.array(list(model.enumerate([0.0], nu=1, max_results=8)))
    assert (np.diff(listed @ linear) <= 1e-12).all() and len(np.unique(listed, axis=0)) == 8
    # The second-best spanning tree differs from the best by one exchange, the next by another.
    best = listed[0].astype(bool)
    exchanged = []
    for gone, new in product(np.flatnonzero(best), np.flatnonzero(~best)):
        other = best.copy()
        other[[gone, new]] = False, True
        if is_forest([list(combinations(range(10), 2))[e] for e in np.flatnonzero(other)], 10):
            exchanged.append(other @ linear)
    fewer = [best @ linear - linear[e] for e in np.flatnonzero(best)]
    assert listed[1] @ linear == pytest.approx(max(exchanged + fewer), abs=1e-12)


def connected(mask):
    """A property that is not hereditary: the edges of a path, in order, without a gap."""
    return len(np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])) == 1)) <= 1


def test_properties_that_are_not_hereditary_are_refused_with_a_counterexample():
    path = Graphs(4, edges=[(0, 1), (1, 2), (2, 3)], hereditary=connected)
    for scores in ([1.0, 3.0, 2.0], [3.0, 1.0, 2.0], [1.0, 1.0, 1.0]):
        with pytest.raises(ValueError):
            path.decode(scores)
    long = [(i, i + 1) for i in range(40)]  # beyond what is searched as a whole
    with pytest.raises(ValueError):
        Graphs(41, edges=long, hereditary=connected).decode(np.arange(40.0) % 7 + 1)
    # For no edge, both, each, and both again in the search; then always True.
    answers = iter([True, False, True, True, False])
    with pytest.raises(ValueError):
        Graphs(3, edges=long[:2], hereditary=lambda mask: next(answers, True)).decode([1.0, 1.0])
    with pytest.raises(ValueError):
        Graphs(3, hereditary=lambda mask: bool(mask.any())).decode([1.0, 1.0, 1.0])


def test_bad_properties_are_refused():
    with pytest.raises(ValueError):
        Graphs(3, hereditary="planar").count()
    with pytest.raises(ValueError, match="hereditary must be .*got 'tree'"):
        Graphs(3, hereditary="tree").decode([1.0, 1.0, 1.0])
    with pytest.raises(TypeError):
        Graphs(3, hereditary=3).decode([1.0, 1.0, 1.0])
    with pytest.raises(TypeError):
        Graphs(3, hereditary=lambda mask: 1).decode([1.0, 1.0, 1.0])
    with pytest.raises(ValueError):
        Graphs(3, hereditary=lambda mask: mask.fill(True)).decode([1.0, 1.0, 1.0])
    forest = Graphs(3, hereditary="forest")
    with pytest.raises(CapabilityError):
        forest.sample(3)
    with pytest.raises(CapabilityError):
        Graphs(3, hereditary=few).sample(3)
    with pytest.raises(CapabilityError):
        forest.space.decode(np.ones((1, 3)), None, Decoding("milp"))


def test_structures_with_a_property_are_values():
    structure = Graphs(5, hereditary=few)
    assert clone(structure) == structure == pickle.loads(pickle.dumps(structure)) != Graphs(5)
    assert "hereditary=" in repr(structure)


@pytest.mark.parametrize("name", NAMED)
def test_constraints_hold_beside_the_property(name):
    structure = Graphs(5, hereditary=name)
    masks = members(structure, 5, COMPLETE)
    required, forbidden = COMPLETE.index((1, 3)), COMPLETE.index((0, 2))
    held = masks[(masks[:, required] == 1) & (masks[:, forbidden] == 0)]
    scores = np.random.default_rng(8).normal(size=(20, 10))
    found = structure.decode(scores, constraints={"required": [(3, 1)], "forbidden": [(0, 2)]})
    np.testing.assert_allclose((scores * found).sum(axis=1), (scores @ held.T).max(axis=1), rtol=1e-12)
    assert {tuple(row) for row in found} <= {tuple(row) for row in held}


def test_constraints_that_the_property_rules_out_are_refused_with_their_row():
    with pytest.raises(ValueError) as caught:
        Graphs(4, hereditary="matching").decode(np.ones((2, 6)), constraints=[None, {"required": [(0, 1), (1, 2)]}])
    assert caught.value.row == 1


def test_sets_are_listed_and_summed_over_up_to_as_many_edges_as_the_notes_say():
    said = " ".join(Graphs.__doc__.split())
    assert "listed for up to 23 edges" in said and "for a property that is a function over those of up to 14" in said
    chain = [(u, u + 1) for u in range(24)]
    assert next(Graphs(24, edges=chain[:23], hereditary="forest").enumerate()).shape == (23,)
    with pytest.raises(CapabilityError):
        next(Graphs(25, edges=chain, hereditary="forest").enumerate())
    pairs = Graphs(15, edges=chain[:14], hereditary=lambda mask: bool(mask.sum() <= 2))
    assert pairs.log_partition(np.zeros(14)) == pytest.approx(np.log(1 + 14 + 91))
    with pytest.raises(CapabilityError):
        Graphs(16, edges=chain[:15], hereditary=lambda mask: bool(mask.sum() <= 2)).log_partition(np.zeros(15))


def test_all_edges_together_are_looked_at_although_smaller_sets_lack_the_property():
    for gap in (1, 2):
        found = Graphs(4, hereditary=lambda mask, gap=gap: bool(mask.sum() != gap)).decode(np.ones(6))
        assert found.all()


@pytest.mark.parametrize("method", ["auto", "exact", "annealed"])
@each
def test_partition_functions_sum_over_the_sets_with_the_property(structure, edges, method):
    psi, scores = members(structure, 5, edges), np.linspace(-0.5, 0.7, len(edges))
    expected = np.log(np.exp(psi @ scores).sum())
    if method == "annealed" and not callable(structure.hereditary):
        with pytest.raises(CapabilityError):  # no sampler
            sampling.log_partition(structure, scores, method=method, random_state=0)
        return
    found = sampling.log_partition(structure, scores, method=method, random_state=0)
    assert found.lower[0] <= expected + 1e-12 and expected - 1e-12 <= found.upper[0]
    if method != "annealed":
        assert found.value[0] == pytest.approx(expected)


def test_of_properties_that_are_functions_only_lists_are_summed_and_sampled():
    structure, many = Graphs(5, hereditary=few), Graphs(7, hereditary=few)
    assert abs(sampling.estimate_count(structure, random_state=0).value - np.log(176)) < 0.1
    scores = np.linspace(-1.0, 1.0, 10)
    found = sampling.estimate_marginals(structure, scores, random_state=0)
    np.testing.assert_allclose(found.value[0], structure.marginals(scores), atol=0.1)
    for asked in (sampling.log_partition, sampling.estimate_marginals, sampling.search):
        with pytest.raises(CapabilityError):
            asked(many, np.zeros(21), random_state=0)
    with pytest.raises(CapabilityError):
        sampling.search(structure, scores, random_state=0)
