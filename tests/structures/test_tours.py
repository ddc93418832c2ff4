"""Cycles and routes: formats, messages, decoding, metrics and the generator of hidden policies."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.model_selection import KFold, cross_val_score, train_test_split

from combpred import StructuredRidge, datasets, metrics
from combpred.structures import Cycles, DirectedCycles, Routes, Structure
from small_tours import directed, undirected

# Formats.


@pytest.mark.parametrize(
    ("structure", "row", "same", "others"),
    [
        (DirectedCycles(5), [0, 3, 2, 4], [[3, 2, 4, 0], [2, 4, 0, 3], [4, 0, 3, 2]], [[4, 2, 3, 0], [0, 2, 3, 4]]),
        (Cycles(5), [0, 3, 2, 4], [[3, 2, 4, 0], [4, 2, 3, 0], [0, 4, 2, 3], [2, 3, 0, 4]], [[0, 2, 3, 4]]),
        (Routes(5), [0, 3, 2, 4], [], [[4, 2, 3, 0], [3, 2, 4, 0]]),
    ],
)
def test_equal_lists_are_one_output(
    structure: Structure, row: list[int], same: list[list[int]], others: list[list[int]]
) -> None:
    encoded = structure.encode([row])
    np.testing.assert_array_equal(encoded, [[*row, -1]])
    for other in same:
        np.testing.assert_array_equal(structure.encode([other]), encoded)
        np.testing.assert_array_equal(structure.embed([other]), structure.embed([row]))
    for other in others:
        assert (structure.embed([other]) != structure.embed([row])).any()


LISTS = [[0, 1, 2], [3, 0, 4, 1], [2, 4, 1, 0, 3]]
PADDED = [[0, 1, 2, -1, -1], [3, 0, 4, 1, -1], [2, 4, 1, 0, 3]]


@pytest.mark.parametrize("cls", [DirectedCycles, Cycles, Routes])
@pytest.mark.parametrize(
    "form",
    [
        LISTS,
        tuple(LISTS),
        [tuple(row) for row in LISTS],
        [np.array(row) for row in LISTS],
        [np.array(row, dtype=np.uint8) for row in LISTS],
        [[0, 1, 2, -1], *LISTS[1:]],
        np.array(LISTS, dtype=object),
        pd.Series(LISTS),
        pd.Series(LISTS, index=[7, 1, 3]),
        np.array(PADDED, dtype=np.int8),
        np.array(PADDED, dtype=np.float32),
        pd.DataFrame(PADDED),
        [[*row, -1, -1] for row in PADDED],
    ],
    ids=[
        "lists",
        "tuple",
        "tuples",
        "arrays",
        "unsigned",
        "partly padded",
        "object",
        "Series",
        "index",
        "int8",
        "float",
        "frame",
        "wide",
    ],
)
def test_lists_of_any_form_are_read(cls: type[Structure], form: Any) -> None:
    structure = cls(5)  # type: ignore[call-arg]
    np.testing.assert_array_equal(structure.encode(form), structure.encode(PADDED))
    assert structure.score(form, PADDED) == 1.0
    assert cls().score(form, LISTS) == 1.0


def test_equal_lengths_are_no_matrix_of_that_width() -> None:
    np.testing.assert_array_equal(Cycles(5).encode([[4, 1, 2], [0, 1, 2]]), [[1, 2, 4, -1, -1], [0, 1, 2, -1, -1]])
    np.testing.assert_array_equal(Routes(5).encode([[4, 1], [0, 1]]), [[4, 1, -1, -1, -1], [0, 1, -1, -1, -1]])


@pytest.mark.parametrize(("cls", "least"), [(DirectedCycles, 3), (Cycles, 3), (Routes, 2)])
def test_sizes_are_read_from_y(cls: Any, least: int) -> None:
    assert cls()._resolve([[0, 1, 2], [2, 6, 1, 3]]) == cls(7)
    assert cls()._resolve([[0, 1, 2], [2, 4, 1]]) == cls(5)
    assert cls()._resolve(PADDED) == cls(5)
    assert cls()._resolve(np.array([[0, 1, 2, -1, -1, -1]])) == cls(6)
    assert cls(9)._resolve(PADDED) == cls(9)
    with pytest.raises(ValueError):
        cls().count()
    with pytest.raises(ValueError):
        cls(least - 1).count()
    with pytest.raises(TypeError):
        cls(4.0).count()


@pytest.mark.parametrize(("cls", "most"), [(DirectedCycles, 2**14), (Cycles, 2**14), (Routes, 2**13)])
def test_the_largest_sizes_are_named(cls: Any, most: int) -> None:
    assert cls(most).n_features > most
    with pytest.raises(ValueError):
        cls(most + 1).count()


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[0, 1, 2], [0, 1, 5]], 1),
        ([[0, 1, 2], [0, 1, -2]], 1),
        ([[0, 1, 2], [0, 1.5, 2, 3]], 1),
        ([[0, 1, 2], [0, np.nan, 2]], 1),
        ([[0, 1, 2], [0, "a", 2, 3]], 1),
        ([[0, 1, 2], [0, None, 2, 3]], 1),
        ([[0, 1, 2, 3], [0, -1, 2, 3]], 1),
        ([[0, 1, 2], [0, 1, 2, 1]], 1),
        ([[0, 1, 2], [0, 1, 2, 0]], 1),
        ([[0, 1, 2], []], 1),
        ([[0, 1, 2], [3]], 1),
        ([[0, 1, 2], 3], 1),
        ([[0, 1, 2], "0123"], 1),
        ([[0, 1, 2], [[0], [1, 2]]], 1),
        ([[0, 1, 2], {0: 1}], 1),
        ([[0, 1, 2], [[0, 1], [2, 3]]], 1),
        ([0, 1, 2], 0),
        (np.zeros((2, 3, 3)), None),
        ([], None),
        (np.array([], dtype=object), None),
        (None, None),
        (scipy.sparse.eye(4), None),
        (np.array([["a", "b", "c"]]), 0),
    ],
)
@pytest.mark.parametrize("cls", [DirectedCycles, Cycles, Routes])
def test_illegal_rows_are_named(cls: Any, y: Any, row: int | None) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        cls(5).validate(y)
    assert getattr(caught.value, "row", None) == row


def test_short_rows_are_refused_by_cycles_only() -> None:
    Routes(5).validate([[0, 1], [1, 0]])
    for cls in (DirectedCycles, Cycles):
        with pytest.raises(ValueError, match=r"y, row 1: \[1, 0\] visits 2 vertices; a cycle visits at least 3"):
            cls(5).validate([[0, 1, 2], [1, 0]])
        with pytest.raises(ValueError) as caught:
            cls(5).score([[0, 1, 2]], [[0, 1]])
        assert (caught.value.argument, caught.value.row) == ("y_pred", 0)


# Counts, moments and decoding.


def test_counts_are_exact_at_any_size() -> None:
    def falling(n: int, k: int) -> int:
        product = 1
        for i in range(k):
            product *= n - i
        return product

    directed_cycles = sum(falling(200, k) // k for k in range(3, 201))
    assert DirectedCycles(200).count() == directed_cycles
    assert Cycles(200).count() == directed_cycles // 2
    assert Routes(100).count() == sum(falling(100, k) for k in range(2, 101))


@pytest.mark.parametrize("structure", [DirectedCycles(200), Cycles(200), Routes(100)])
def test_moments_are_finite_at_large_sizes(structure: Structure) -> None:
    mean, sample = structure.mean(), structure.sample(20, random_state=0)
    assert np.isfinite(mean).all() and (np.abs(mean) <= 1).all()
    structure.validate(sample)
    # A place is left out with probability about 1/n: almost all are visited.
    assert (sample >= 0).sum(axis=1).min() > 0.9 * sample.shape[1]


@pytest.mark.parametrize("structure", [DirectedCycles(7), Cycles(7), Routes(6)])
def test_decoding_is_exact_on_scores_of_many_kinds(structure: Structure) -> None:
    members = np.array(list(structure.enumerate()))
    embedded = structure.embed(members)
    rng = np.random.default_rng(1)
    for scores in (rng.normal(size=(30, structure.n_features)), rng.integers(-1, 2, (30, structure.n_features)) / 1.0):
        for shift in (-2.0, 0.0):
            reached = (structure.embed(structure.decode(scores + shift)) * (scores + shift)).sum(axis=1)
            np.testing.assert_allclose(reached, ((scores + shift) @ embedded.T).max(axis=1), atol=1e-12)


@pytest.mark.parametrize("structure", [DirectedCycles(), Cycles(), Routes()])
def test_pre_images_are_nearest_members(structure: Structure) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3))
    size = type(structure)(6)  # type: ignore[call-arg]
    y = size.sample(40, random_state=3)
    model = StructuredRidge(structure, loss="squared", decision="mbr", alpha=0.1).fit(X, y)
    members = np.array(list(size.enumerate()))
    embedded = size.embed(members)
    target = model.feature_scores(X) + size.mean()
    distance = ((target[:, np.newaxis] - embedded) ** 2).sum(axis=2)
    found = ((target - size.embed(model.predict(X))) ** 2).sum(axis=1)
    np.testing.assert_allclose(found, distance.min(axis=1), atol=1e-12)


@pytest.mark.parametrize("cls", [DirectedCycles, Cycles, Routes])
def test_estimators_fit_and_score_lists(cls: Any) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 4))
    y = [[v for v in row if v >= 0] for row in cls(6).sample(60, random_state=5).tolist()]
    model = StructuredRidge(cls(6), alpha=1e-6, kernel="rbf", gamma=2.0).fit(X, y)
    assert model.score(X, y) > 0.95
    scores = cross_val_score(model, X, y, cv=KFold(3))
    assert np.isfinite(scores).all()
    with pytest.raises(ValueError) as caught:
        model.fit(X, [*y[:2], [0, 0, 1, 2], *y[3:]])
    assert caught.value.row == 2


@pytest.mark.parametrize("cls", [DirectedCycles, Cycles, Routes])
def test_predictions_beyond_exact_decoding_are_certified(cls: Any) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(6, 3))
    for size in (16, 20):
        y = cls(size).sample(6, random_state=7)
        certified = StructuredRidge(cls(), alpha=0.01).fit(X, y).predict(X, return_certificate=True)[1]
        assert certified.optimal.all() == (size == 16)  # the search may reach its bound, but not in all rows
        np.testing.assert_array_equal(certified.nu == 0, certified.optimal)
        assert (certified.nu <= 0.5).all() or cls is not DirectedCycles
        assert (certified.upper_bound >= certified.value).all()
        cls(size).validate(certified.structures)


# Metrics.


def test_route_metrics_by_definition() -> None:
    rng = np.random.default_rng(8)
    truth, predicted = Routes(7).sample(300, random_state=9), Routes(7).sample(300, random_state=10)
    predicted = np.where(rng.random(predicted.shape) < 0.7, predicted, np.roll(predicted, 1, axis=0))
    expected, expected_pairs = [], []
    rows = []
    for t, p in zip(truth.tolist(), predicted.tolist(), strict=True):
        a, b = [v for v in t if v >= 0], [v for v in p if v >= 0] or [0]  # with repeats
        rows.append(b)
        expected.append(2 * sum((Counter(a) & Counter(b)).values()) / (len(a) + len(b)))
        pairs, others = set(combinations(a, 2)), list(combinations(b, 2))
        expected_pairs.append(2 * sum(pair in pairs for pair in others) / (len(pairs) + len(others)))
    np.testing.assert_allclose(metrics.route_f1(truth, rows, per_row=True), expected)
    np.testing.assert_allclose(metrics.route_pairs_f1(truth, rows, per_row=True), expected_pairs)


def test_routes_that_repeat_places() -> None:
    """Every visit counts; in pairs those of y_true at their first visit."""
    assert metrics.route_f1([[0, 1, 0]], [[0, 0, 2, 0]]) == pytest.approx(2 * 2 / 7)
    assert metrics.route_f1([[0, 1, 0]], [[0, 1, 0]]) == 1.0
    assert metrics.route_pairs_f1([[0, 1, 2]], [[0, 1, 1]]) == pytest.approx(2 * 2 / (3 + 3))
    assert metrics.route_pairs_f1([[0, 1]], [[0, 0, 1, 1]]) == pytest.approx(2 * 4 / (1 + 6))
    assert metrics.route_pairs_f1([[0, 1, 0, 2]], [[0, 1, 2]]) == 1.0


def test_cycle_metrics_are_those_of_the_embeddings() -> None:
    a, b = DirectedCycles(6).sample(400, random_state=11), DirectedCycles(6).sample(400, random_state=12)
    b = np.roll(b, 2, axis=0)
    psi, other = (np.array([directed(6)(row) for row in y.tolist()]) for y in (a, b))
    cosine = (psi * other).sum(axis=1) / np.linalg.norm(psi, axis=1) / np.linalg.norm(other, axis=1)
    np.testing.assert_allclose(metrics.policy_cosine(a, b, per_row=True), cosine, atol=1e-12)
    psi, other = (np.array([undirected(6)(row) for row in y.tolist()]) for y in (a, b))
    f1 = 2 * (psi * other).sum(axis=1) / (psi.sum(axis=1) + other.sum(axis=1))
    np.testing.assert_allclose(metrics.cycle_f1(a, b, per_row=True), f1)


@pytest.mark.parametrize(
    ("metric", "truth", "predicted", "row"),
    [
        (metrics.route_f1, [[0, 1], [-1, 1]], [[0, 1], [0, 1]], 1),
        (metrics.route_f1, [[0, 1], [0, 1]], [[0, 1], []], 1),
        (metrics.route_f1, [[0, 1], [0, 1.5]], [[0, 1], [0, 1]], 1),
        (metrics.route_pairs_f1, [[0, 1], [2]], [[0, 1], [2, 3]], 1),
        (metrics.policy_cosine, [[0, 1, 2], [0, 1]], [[0, 1, 2], [0, 1, 2]], 1),
        (metrics.cycle_f1, [[0, 1, 2]], [[0, 1, 2, 0]], 0),
    ],
)
def test_metrics_name_bad_rows(metric: Any, truth: Any, predicted: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        metric(truth, predicted)
    assert caught.value.row == row


# Hidden policies.


def test_policies_are_circulations_and_tours_follow_them() -> None:
    X, y, policies = datasets.make_dicycle_policies(30, 4, 6, random_state=3)
    assert X.shape == (30, 4) and y.dtype == np.int32
    np.testing.assert_array_equal(datasets.make_dicycle_policies(30, 4, 6, random_state=3)[1], y)
    assert not np.array_equal(datasets.make_dicycle_policies(30, 4, 6, random_state=4)[1], y)
    assert np.linalg.matrix_rank(policies) == 4  # linear in the features
    matrix = np.zeros((30, 6, 6))
    u, v = np.triu_indices(6, 1)
    matrix[:, u, v], matrix[:, v, u] = policies, -policies
    np.testing.assert_allclose(matrix.sum(axis=2), 0, atol=1e-12)
    members = np.array(list(DirectedCycles(6).enumerate()))
    np.testing.assert_array_equal(y, members[(policies @ DirectedCycles(6).embed(members).T).argmax(axis=1)])


@pytest.mark.parametrize("argument", ["n_samples", "n_features", "n_places"])
def test_generator_names_the_bad_argument(argument: str) -> None:
    with pytest.raises(ValueError):
        datasets.make_dicycle_policies(**{argument: 0})
    with pytest.raises(TypeError):
        datasets.make_dicycle_policies(**{argument: 2.5})


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_policies_are_learnt_better_from_more_people(loss: str) -> None:
    X, y, policies = datasets.make_dicycle_policies(700, random_state=0)
    X, rest, y, tours, policies, hidden = train_test_split(X, y, policies, test_size=300, random_state=0)
    cosines, alignment = [], []
    for n in (30, 100, 400):
        model = StructuredRidge(DirectedCycles(10), loss=loss, alpha=1.0).fit(X[:n], y[:n])
        scores = model.feature_scores(rest)
        alignment.append(
            np.mean((scores * hidden).sum(axis=1) / np.linalg.norm(scores, axis=1) / np.linalg.norm(hidden, axis=1))
        )
        cosines.append(model.score(rest, tours))
    assert cosines == sorted(cosines)
    assert alignment == sorted(alignment)
    assert alignment[-1] > 0.9
