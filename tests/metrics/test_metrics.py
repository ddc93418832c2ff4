"""Metrics against independent routes: SciPy, scikit-learn and brute force."""

from __future__ import annotations

import doctest
import importlib
import itertools
import pkgutil
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from combpred import metrics
from combpred.metrics import tau_x
from combpred.structures import Hierarchy, Subtrees, WeakOrders

TREE = [-1, 0, 0, 1, 1, 2, 5, 5]
PAIRED = [
    (metrics.kendall_tau, [[1, 2, 3], [3, 1, 2], [2, 1, 3]], [[1, 3, 2], [3, 1, 2], [3, 2, 1]]),
    (metrics.tau_x, [[1, 2, 2], [3, 1, 2], [2, 1, 3]], [[1, 3, 2], [3, 1, 2], [1, 1, 1]]),
    (metrics.pair_accuracy, [[1, 0, -1], [0, 0, 0], [1, 1, 1]], [[1, 1, -1], [0, 0, 0], [-1, 0, 1]]),
    (metrics.spearman_rho, [[1, 2, 3], [3, 1, 2], [2, 1, 3]], [[1, 3, 2], [3, 1, 2], [3, 2, 1]]),
    (metrics.spearman_footrule, [[1, 2, 3], [3, 1, 2], [2, 1, 3]], [[1, 3, 2], [3, 1, 2], [3, 2, 1]]),
    (metrics.hamming_loss, [[1, 0], [0, 0], [1, 1]], [[1, 1], [0, 0], [0, 0]]),
    (metrics.hamming_score, [[1, 0], [0, 0], [1, 1]], [[1, 1], [0, 0], [0, 0]]),
    (metrics.ranking_loss, [[1, 0, 0], [0, 1, 1], [1, 0, 1]], [[0.1, 0.2, 0.0], [0.5, 0.1, 0.7], [1.0, 0.0, 2.0]]),
    (metrics.zero_one_loss, ["a", "b", "c"], ["a", "c", "c"]),
    (metrics.accuracy, ["a", "b", "c"], ["a", "c", "c"]),
    (metrics.neg_absolute_error, [0, 1, 4], [2, 1, 0]),
    (metrics.route_f1, [[0, 1], [2, 1, 3], [4]], [[1, 0], [2, 3], [5, 4]]),
    (metrics.route_pairs_f1, [[0, 1], [2, 1, 3], [4, 5]], [[1, 0], [2, 3], [5, 4, 6]]),
    (metrics.policy_cosine, [[0, 1, 2], [0, 1, 2], [3, 4, 5]], [[0, 1, 2], [2, 1, 0], [1, 2, 3, 4]]),
    (metrics.cycle_f1, [[0, 1, 2], [0, 1, 2], [3, 4, 5]], [[0, 1, 2], [2, 3, 0], [1, 2, 3, 4]]),
    (lambda a, b, **kw: metrics.hierarchical_loss(a, b, parent=TREE, **kw), [3, 4, 7], [3, 1, 6]),
    (lambda a, b, **kw: metrics.hierarchical_h_loss(a, b, parent=TREE, **kw), [3, 4, 7], [3, 1, 6]),
]


def rankings(rng: np.random.Generator, n: int, k: int, ties: bool) -> np.ndarray:
    """Random rows of positions; with ties, integers among which not all are equal."""
    if not ties:
        return np.argsort(rng.random((n, k)), axis=1) + 1
    rows = rng.integers(1, k + 1, (n, k))
    rows[:, 0], rows[:, 1] = 1, 2
    return rows


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [2, 3, 7, 30])
def test_rank_correlations_agree_with_scipy(k: int, ties: bool) -> None:
    rng = np.random.default_rng(k)
    a, b = rankings(rng, 40, k, ties), rankings(rng, 40, k, ties)
    taus = [scipy.stats.kendalltau(x, y).statistic for x, y in zip(a, b, strict=True)]
    rhos = [scipy.stats.spearmanr(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(metrics.kendall_tau(a, b, per_row=True), taus, atol=1e-12)
    np.testing.assert_allclose(metrics.spearman_rho(a, b, per_row=True), rhos, atol=1e-12)


def test_kendall_tau_is_the_same_across_blocks_of_rows() -> None:
    rng = np.random.default_rng(0)
    a, b = rankings(rng, 9000, 4, False), rankings(rng, 9000, 4, False)
    whole = metrics.kendall_tau(a, b, per_row=True)
    parts = [metrics.kendall_tau(a[i : i + 1000], b[i : i + 1000], per_row=True) for i in range(0, 9000, 1000)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_kendall_tau_compares_positions_by_their_order() -> None:
    assert metrics.kendall_tau([[1, 2, 3]], [[0.0, 0.25, 1e9]]) == 1.0
    assert metrics.kendall_tau([[1, 2, 3]], np.array([[3, 2, 1]], dtype=np.uint8)) == -1.0


@pytest.mark.parametrize(
    "metric", [metrics.kendall_tau, metrics.tau_x, metrics.spearman_rho, metrics.spearman_footrule]
)
@pytest.mark.parametrize("missing", [-1, np.nan])
def test_missing_positions_are_refused(metric: Any, missing: float) -> None:
    complete, partial = [[1, 2, 3], [3, 1, 2]], [[1, 2, 3], [2, missing, 1]]
    if metric not in (metrics.kendall_tau, metrics.tau_x):  # which compare what is known
        with pytest.raises(ValueError) as caught:
            metric(partial, complete)
        assert "y_true" in str(caught.value) and caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        metric(complete, partial)
    assert "y_pred" in str(caught.value) and caught.value.row == 1


def test_footrule_by_definition_and_its_maximum_by_enumeration() -> None:
    for k in (2, 3, 4, 5):
        orders = np.array(list(itertools.permutations(range(1, k + 1))))
        first = np.tile(np.arange(1, k + 1), (len(orders), 1))
        distance = metrics.spearman_footrule(first, orders, per_row=True)
        np.testing.assert_array_equal(distance, np.abs(first - orders).sum(axis=1))
        assert metrics.spearman_footrule(first, orders, normalize=True, per_row=True).max() == 1.0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_label_losses_agree_with_scikit_learn(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 8), st.integers(2, 6)))
    truth = data.draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    predicted = data.draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1)))
    scores = data.draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 0.5, 2.0])))  # ties abound
    weight = data.draw(hnp.arrays(np.float64, shape[0], elements=st.floats(0.1, 3)))
    assert metrics.hamming_loss(truth, predicted, sample_weight=weight) == pytest.approx(
        sklearn.metrics.hamming_loss(truth, predicted, sample_weight=weight)
    )
    assert metrics.zero_one_loss(truth, predicted, sample_weight=weight) == pytest.approx(
        sklearn.metrics.zero_one_loss(truth, predicted, sample_weight=weight)
    )
    assert metrics.ranking_loss(truth, scores, sample_weight=weight) == pytest.approx(
        sklearn.metrics.label_ranking_loss(truth, scores, sample_weight=weight)
    )


def test_ranking_loss_counts_pairs() -> None:
    rng = np.random.default_rng(3)
    truth, scores = rng.integers(0, 2, (50, 6)), rng.integers(0, 4, (50, 6))
    expected = []
    for t, s in zip(truth, scores, strict=True):
        pairs = [s[u] <= s[v] for u, v in itertools.product(np.flatnonzero(t), np.flatnonzero(1 - t))]
        expected.append(np.mean(pairs) if pairs else 0.0)
    np.testing.assert_allclose(metrics.ranking_loss(truth, scores, per_row=True), expected)


def test_losses_take_sparse_label_sets() -> None:
    truth, predicted = np.array([[1, 0, 1], [0, 0, 0]]), np.array([[1, 1, 1], [0, 0, 0]])
    sparse = scipy.sparse.csr_matrix(truth)
    assert metrics.hamming_loss(sparse, predicted) == pytest.approx(1 / 6)
    assert metrics.hamming_score(sparse, scipy.sparse.csr_array(predicted)) == pytest.approx(5 / 6)
    assert metrics.zero_one_loss(sparse, predicted) == 0.5
    assert metrics.ranking_loss(sparse, predicted) == metrics.ranking_loss(truth, predicted)


def ancestors(parent: list[int], node: int) -> set[int]:
    path = set()
    while node >= 0:
        path.add(node)
        node = parent[node]
    return path


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_hierarchical_loss_is_the_symmetric_difference_of_root_paths(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    tree = [-1] + [data.draw(st.integers(0, i - 1)) for i in range(1, n)]
    shuffle = data.draw(st.permutations(range(n)))  # parents in any order
    parent = [-1] * n
    for node, above in enumerate(tree):
        parent[shuffle[node]] = -1 if above < 0 else shuffle[above]
    a, b = (np.array(x) for x in zip(*itertools.product(range(n), repeat=2), strict=True))
    paths = [ancestors(parent, node) for node in range(n)]
    expected = [len(paths[x] ^ paths[y]) for x, y in zip(a, b, strict=True)]
    jaccard = [len(paths[x] ^ paths[y]) / len(paths[x] | paths[y]) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(metrics.hierarchical_loss(a, b, parent=parent, per_row=True), expected)
    np.testing.assert_allclose(
        metrics.hierarchical_loss(a, b, parent=parent, normalize=True, per_row=True), jaccard, atol=1e-15
    )


def h_loss(parent: list[int], y: np.ndarray, z: np.ndarray, cost: np.ndarray) -> float:
    """The H-loss of two sets by its definition: a wrong node costs where all its ancestors are right."""
    above = [ancestors(parent, node) - {node} for node in range(len(parent))]
    return sum(c for i, c in enumerate(cost) if y[i] != z[i] and all(y[j] == z[j] for j in above[i]))


@pytest.mark.parametrize("parent", [TREE, [2, 2, -1, 0, 0, 3], [-1, 0, 1, 2], [-1]])
def test_h_loss_is_its_definition(parent: list[int]) -> None:
    n = len(parent)
    nodes = Hierarchy(parent).embed(np.arange(n)).astype(int)
    sets = np.array(list(Subtrees(parent).enumerate()))
    given = np.random.default_rng(0).uniform(size=n)
    paths = [ancestors(parent, node) for node in range(n)]
    subtree = np.array([sum(i in path for path in paths) for i in range(n)]) / n
    sibling = [np.prod([1 / parent.count(parent[j]) for j in path if parent[j] >= 0]) for path in paths]
    for weight, cost in ((None, np.ones(n)), (given, given), ("subtree", subtree), ("sibling", np.array(sibling))):
        a, b = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
        want = [h_loss(parent, nodes[i], nodes[j], cost) for i, j in zip(a, b, strict=True)]
        found = metrics.hierarchical_h_loss(a, b, parent=parent, node_weight=weight, per_row=True)
        np.testing.assert_allclose(found, want, rtol=1e-13)
        np.testing.assert_allclose(  # single nodes as sets of nodes
            metrics.hierarchical_h_loss(nodes[a], nodes[b], parent=parent, node_weight=weight, per_row=True), want
        )
        some = np.random.default_rng(1).integers(len(sets), size=(2, 60))
        want = [h_loss(parent, sets[i], sets[j], cost) for i, j in some.T]
        found = metrics.hierarchical_h_loss(
            sets[some[0]], sets[some[1]], parent=parent, node_weight=weight, per_row=True
        )
        np.testing.assert_allclose(found, want, rtol=1e-13)


@pytest.mark.parametrize(
    ("y", "options", "row"),
    [
        ([0, 9], {}, 1),
        ([[1, 0, 0, 1, 0, 0, 0, 0]], {}, 0),
        ([[0] * 8], {}, 0),
        ([[1, 0]], {}, None),
        ([0], {"node_weight": "depth"}, None),
        ([0], {"node_weight": [1, 2]}, None),
        ([0], {"node_weight": [-1] * 8}, None),
    ],
)
def test_illegal_arguments_of_the_h_loss_are_refused(y: Any, options: dict[str, Any], row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        metrics.hierarchical_h_loss(y, y, parent=TREE, **options)
    assert not options or any(f"{name} " in str(caught.value) for name in options)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("metric", [metrics.hierarchical_loss, metrics.hierarchical_h_loss])
@pytest.mark.parametrize("parent", [[1, 0], [-1, 0, 5], [-1, -1], {"a": "b", "b": "a"}, {"a": "x", "b": "y"}])
def test_what_is_no_tree_is_refused_as_the_parent(metric: Any, parent: Any) -> None:
    with pytest.raises(ValueError) as caught:
        metric([0], [0], parent=parent)
    text = str(caught.value)
    assert text.startswith("parent: ")
    assert not isinstance(parent, dict) or "-1" not in text
    assert parent != {"a": "x", "b": "y"} or ('"x"' in text and '"y"' in text)


def test_hierarchical_loss_is_the_squared_distance_of_embeddings() -> None:
    nodes = np.arange(len(TREE))
    psi = Hierarchy(TREE).embed(nodes)
    a, b = np.repeat(nodes, len(TREE)), np.tile(nodes, len(TREE))
    np.testing.assert_array_equal(
        metrics.hierarchical_loss(a, b, parent=TREE, per_row=True), ((psi[a] - psi[b]) ** 2).sum(axis=1)
    )


def test_hierarchical_loss_on_a_deep_path_is_fast_enough() -> None:
    depth = 20_000
    parent = np.arange(-1, depth - 1)
    assert metrics.hierarchical_loss([depth - 1, 5], [0, 7], parent=parent, per_row=True).tolist() == [depth - 1, 2]


def test_hierarchical_loss_by_names() -> None:
    parent = {"root": None, "a": "root", "b": "root", "a1": "a"}
    assert metrics.hierarchical_loss(["a1", "b"], ["b", "b"], parent=parent, per_row=True).tolist() == [3.0, 0.0]
    with pytest.raises(ValueError) as caught:
        metrics.hierarchical_loss(["a", "c"], ["a", "a"], parent=parent)
    assert caught.value.row == 1


@pytest.mark.parametrize(("metric", "truth", "predicted"), PAIRED)
def test_mean_is_the_weighted_mean_of_rows(metric, truth, predicted) -> None:  # type: ignore[no-untyped-def]
    rows = metric(truth, predicted, per_row=True)
    assert rows.shape == (3,)
    assert isinstance(metric(truth, predicted), float)
    assert metric(truth, predicted) == pytest.approx(rows.mean())
    assert metric(truth, predicted, sample_weight=[1, 2, 0]) == pytest.approx((rows[0] + 2 * rows[1]) / 3)


@pytest.mark.parametrize(("metric", "truth", "predicted"), PAIRED)
def test_bad_arguments_are_named(metric, truth, predicted) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError):
        metric(truth[:2], predicted)
    with pytest.raises(ValueError) as caught:
        metric(truth, predicted, sample_weight=[1, -1, 0])
    assert caught.value.row == 1
    with pytest.raises(ValueError):
        metric([], [])


def test_messages_name_the_row() -> None:
    with pytest.raises(ValueError, match="row 1: y_pred ties all labels"):
        metrics.kendall_tau([[1, 2], [1, 2]], [[1, 2], [3, 3]])
    with pytest.raises(ValueError) as caught:
        metrics.spearman_rho([[1, 2], [2, 2]], [[1, 2], [1, 2]])
    assert "y_true" in str(caught.value) and caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        metrics.kendall_tau([[1, 2], [1, np.inf]], [[1, 2], [1, 2]])
    assert (caught.value.argument, caught.value.row) == ("y_true", 1)
    with pytest.raises(ValueError) as caught:
        metrics.hamming_loss([[0, 1], [1, 1]], [[0, 1], [1, 2]])
    assert (caught.value.argument, caught.value.row) == ("y_pred", 1)
    with pytest.raises(ValueError):
        metrics.kendall_tau([[1]], [[1]])
    with pytest.raises(ValueError) as caught:
        metrics.kendall_tau([["a", "b"]], [["a", "b"]])
    assert (caught.value.argument, caught.value.row) == ("y_true", 0)


def test_documented_examples() -> None:
    modules = [importlib.import_module(f"combpred.metrics.{m.name}") for m in pkgutil.iter_modules(metrics.__path__)]
    results = [doctest.testmod(module) for module in modules]
    assert sum(r.failed for r in results) == 0
    assert sum(r.attempted for r in results) >= len(metrics.__all__)


def test_tau_x_and_rankings_with_ties_read_alike():
    """Both compare any finite numbers from 0 on, and refuse what is negative or no number, and gaps in predictions."""
    space = WeakOrders(3)
    written = [list(row) for row in itertools.product([0, 0.5, 1, 1 + 1e-12, 7, 2**53, 2**53 + 2], repeat=3)]
    dense = [list(row) for row in space.enumerate()]
    assert {tuple(row) for row in space.decode(space.embed(written))} == {tuple(row) for row in dense}
    for row in written:
        psi = space.embed([row])[0]
        assert space.decode([psi])[0].tolist() == [1 + len({b for b in row if b < a}) for a in row]
        # A pair counts 1 where its order, or that it is tied, is the same; −1 where orders are opposite.
        np.testing.assert_allclose(tau_x([row] * 13, dense, per_row=True), space.embed(dense) @ psi / 3)
    numbers = np.array([[1, 2, 2]])
    for y in (pd.DataFrame(numbers, dtype="Int64"), numbers.astype(object), pd.DataFrame(numbers).astype("category")):
        np.testing.assert_array_equal(space.embed(y), space.embed(numbers))
        assert tau_x(y, numbers) == tau_x(numbers, y) == 1.0
    for row in ([-1, 1, 2], [-0.5, 1, 2], [np.nan, 1, 2], [np.inf, 1, 2], ["a", "b", "c"], [None, 1, 2]):
        readers = [space.embed, lambda y: tau_x(numbers, y)]
        for read in readers if row[0] in (-1, None) or row[0] != row[0] else [*readers, lambda y: tau_x(y, numbers)]:
            with pytest.raises(ValueError) as caught:
                read([row])
            assert caught.value.row == 0


def test_trees_are_given_as_the_structures_that_have_them():
    parent = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal", "animal": None}
    truth, predicted = ["cat", "dog", "fish"], ["dog", "dog", "cat"]
    expected = metrics.hierarchical_loss(truth, predicted, parent=parent, per_row=True)
    paths = [["animal", "mammal", "cat"], ["animal", "mammal", "dog"], ["animal", "fish"]]
    for tree in (Hierarchy(parent), Hierarchy.from_paths(paths), Subtrees.from_paths(paths)):
        np.testing.assert_array_equal(metrics.hierarchical_loss(truth, predicted, parent=tree, per_row=True), expected)


def test_metrics_of_classes_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, predicted, weights = rng.integers(0, 4, 60), rng.integers(0, 4, 60), rng.random(60)
    expected = sklearn.metrics.accuracy_score(truth, predicted, sample_weight=weights)
    assert metrics.accuracy(truth, predicted, sample_weight=weights) == pytest.approx(expected, rel=1e-14)
    expected = sklearn.metrics.mean_absolute_error(truth, predicted, sample_weight=weights)
    assert metrics.neg_absolute_error(truth, predicted, sample_weight=weights) == pytest.approx(-expected, rel=1e-14)
