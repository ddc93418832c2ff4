"""Paths and assignments: bad input by name and row, decoding against other routes, learning end to end."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from combpred import CapabilityError, StructuredRidge
from combpred.structures import Assignments, Paths

DIAMOND = Paths([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)], source=0, target=3)


# Formats of y.


def test_paths_come_padded_or_ragged() -> None:
    expected = [[0, 2], [4, -1], [1, 3]]
    ragged: list[Any] = [[0, 2], [4], (1, 3)]
    objects = np.empty(3, dtype=object)
    objects[:] = ragged
    wide = np.pad(np.array(expected), ((0, 0), (0, 3)), constant_values=-1)
    frame = pd.DataFrame(expected).replace(-1, -1.0)
    for y in (expected, ragged, objects, pd.Series(ragged), wide, wide.tolist(), frame, np.array(expected, float)):
        assert_array_equal(DIAMOND.encode(y), expected)
    assert_array_equal(DIAMOND.encode([[4]]), [[4, -1]])


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[0, 2], [0, 3]], 1),
        ([[0, 2], [0]], 1),
        ([[2]], 0),
        ([[4, 2]], 0),
        ([[0, 2, 4]], 0),
        ([[0, 2], [5]], 1),
        ([[0, 2], [-2]], 1),
        ([[0, 2], [0, 2.5]], 1),
        ([[0, 2], [0, None]], 1),
        ([[0, 2], ["a", "b"]], 1),
        ([0, 2], 0),
        (["02"], 0),
        ([[]], 0),
        ([], None),
        (None, None),
        (np.zeros(3), None),
    ],
)
def test_illegal_paths_are_named_by_row(y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        DIAMOND.validate(y)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize(
    "parameters",
    [
        ([(0, 1), (1, 2), (2, 0)], 0, 2),
        ([(0, 1), (1, 1)], 0, 1),
        ([(0, 1), (0, 2), (0, 1)], 0, 2),
        ([(0, 1), (2, 3)], 0, 3),
        ([(0, 1)], 0, 5),
        ([(0, 1)], 0, 0),
        ([(0, 1, 2)], 0, 1),
        ([], 0, 1),
        ([0, 1], 0, 1),
        ([(0, -1)], 0, 1),
        ([(0.5, 1.0)], 0, 1),
        ([(0, 1)], -1, 1),
    ],
)
def test_illegal_graphs_are_refused(parameters: Any) -> None:
    with pytest.raises(ValueError):
        Paths(*parameters).count()


def test_cycles_are_named_by_their_vertices() -> None:
    with pytest.raises(ValueError, match="the arcs form a cycle: 1 → 2 → 3 → 1"):
        Paths([(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], 0, 4).count()


@pytest.mark.parametrize(
    "tied",
    [
        [0, 1, 2],
        [0, 1, 2, 2, -1],
        [0, 1, 3, 3, 0],
        [0, 9, 1, 2, 3],
        [1, 1, 1, 1, 1],
        ["a"] * 5,
    ],
)
def test_illegal_groups_are_refused(tied: Any) -> None:
    with pytest.raises(ValueError) as caught:
        Paths(DIAMOND.arcs, 0, 3, tied=tied).count()
    assert "tied" in str(caught.value) or "group" in str(caught.value)
    assert len(tied) == len(DIAMOND.arcs) or "tied" in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "argument"), [({"arcs": [(0, 1), (1, 0.5)]}, "arcs"), ({"tied": [0, -1, 1, 1, 1]}, "tied")]
)
def test_errors_name_the_argument_and_its_row(parameters: Any, argument: str) -> None:
    with pytest.raises(ValueError) as caught:
        Paths(**{"arcs": DIAMOND.arcs, "source": 0, "target": 3, **parameters}).count()
    assert (caught.value.argument, caught.value.row) == (argument, 1)


# Known counts and moments.


def test_counts_are_the_known_ones() -> None:
    for n in (2, 5, 30):
        assert Paths.grid(n, n).count() == math.comb(2 * n - 2, n - 1)
    assert Paths.grid(1, 7).count() == 1
    assert Paths.trellis(400, 6).count() == 6**400
    assert len(Paths.grid(5, 5).arcs) == 40  # type: ignore[arg-type]
    # The moves right of the first row, then the moves down from it.
    assert Paths.grid(2, 3).feature_names().tolist() == ["0->1", "1->2", "0->3", "1->4", "2->5", "3->4", "4->5"]


def test_moments_at_large_sizes_are_finite_and_conserve_flow() -> None:
    grid = Paths.grid(30, 30)
    mean, second = grid.mean(), grid.second_moment()
    assert np.isfinite(second).all()
    arcs = np.asarray(grid.arcs)
    flow = np.zeros(900)
    np.add.at(flow, arcs[:, 1], mean)
    np.subtract.at(flow, arcs[:, 0], mean)
    assert_allclose(flow, [-1.0] + [0.0] * 898 + [1.0], atol=1e-12)
    # Every path has 58 arcs, so that M 1 = 58 μ.
    assert_allclose(second.sum(axis=1), 58 * mean, rtol=1e-11)
    assert_allclose(np.diag(second), mean, rtol=1e-12)


def test_trellis_moments_are_those_of_independent_labels() -> None:
    chain = Paths.trellis(300, 4)
    mean = chain.mean()
    assert_allclose(mean[: 300 * 4], 1 / 4, rtol=1e-11)
    assert_allclose(mean[300 * 4 :], 299 / 16, rtol=1e-11)


def test_labels_and_paths_are_inverse() -> None:
    labels = np.array(list(itertools.product(range(3), repeat=4)))
    chain = Paths.trellis(4, 3)
    paths = Paths.from_labels(labels, 3)
    chain.validate(paths)
    assert len(np.unique(paths, axis=0)) == chain.count() == 81
    assert_array_equal(Paths.to_labels(paths, 3), labels)
    with pytest.raises(ValueError) as caught:
        Paths.from_labels([[0, 1], [3, 1]], 3)
    assert (caught.value.argument, caught.value.row) == ("labels", 1)


@pytest.mark.parametrize("call", [lambda: Paths.grid(1, 1), lambda: Paths.grid(0, 4), lambda: Paths.trellis(1, 2)])
def test_degenerate_graphs_are_refused(call: Any) -> None:
    with pytest.raises(ValueError):
        call()


# Decoding.


@pytest.mark.parametrize("structure", [Paths.grid(4, 5), Paths.trellis(4, 3), DIAMOND, Assignments(5)], ids=str)
def test_decoding_against_enumeration(structure: Any) -> None:
    members = np.array(list(structure.enumerate()))
    embedded = structure.embed(members)
    rng = np.random.default_rng(0)
    for scores in (rng.normal(size=(200, structure.n_features)), rng.integers(-1, 2, (200, structure.n_features))):
        decoded = structure.embed(structure.decode(scores))
        assert_allclose((scores * decoded).sum(axis=1), (scores @ embedded.T).max(axis=1), atol=1e-12)


def test_assignments_agree_with_scipy() -> None:
    scores = np.random.default_rng(1).normal(size=(20, 50 * 50))
    decoded = Assignments(50).decode(scores)
    for row, matrix in zip(decoded, scores.reshape(20, 50, 50), strict=True):
        assert_array_equal(row, linear_sum_assignment(matrix, maximize=True)[1])


# Learning.


def test_grid_paths_are_learnt_from_costs() -> None:
    """Costs that are linear in the input: shortest paths are predicted better than most paths would be by chance."""
    rng = np.random.default_rng(0)
    grid = Paths.grid(4, 4)
    X, weights = rng.normal(size=(400, 5)), rng.normal(size=(5, grid.n_features))
    y = grid.decode(X @ weights)
    assert np.bincount(np.unique(y, axis=0, return_inverse=True)[1].ravel()).max() < 120
    for loss in ("auc", "squared"):
        model = StructuredRidge(grid, alpha=0.1, loss=loss).fit(X[:300], y[:300])
        assert model.predict(X[300:], return_certificate=True)[1].optimal.all()
        assert model.score(X[300:], y[300:]) > 0.85
        chance = grid.score(y[300:], grid.sample(100, random_state=0))
        assert chance < 0.75


def test_sequences_are_labelled_with_their_neighbours() -> None:
    rng = np.random.default_rng(0)
    chain = Paths.trellis(5, 3)
    X = rng.normal(size=(300, 6))
    labels = Paths.to_labels(chain.decode(X @ rng.normal(size=(6, chain.n_features))), 3)
    y = Paths.from_labels(labels, 3)
    model = StructuredRidge(chain, alpha=0.1).fit(X[:200], y[:200])
    predicted = Paths.to_labels(model.predict(X[200:]), 3)
    assert (predicted == labels[200:]).mean() > 0.7


def test_squared_loss_is_refused_where_counts_may_exceed_one() -> None:
    chain = Paths.trellis(5, 3)
    y, X = chain.sample(10, random_state=0), np.zeros((10, 2))
    with pytest.raises(CapabilityError):
        StructuredRidge(chain, loss="squared").fit(X, y)
    with pytest.raises(CapabilityError):
        chain.space.decode(np.zeros((1, chain.n_features)), np.zeros(chain.n_features))
    apart = Paths([(0, 1), (0, 2), (1, 3), (2, 3)], 0, 3, tied=[0, 1, 2, 2])  # no path holds two arcs of one group
    StructuredRidge(apart, loss="squared").fit(X, apart.sample(10, random_state=0))
    StructuredRidge(Paths.trellis(2, 3), loss="squared").fit(X, Paths.trellis(2, 3).sample(10, random_state=0))


def test_pre_image_of_paths_is_the_nearest_embedding() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 3)), DIAMOND.sample(30, random_state=0)
    model = StructuredRidge(DIAMOND, loss="squared").fit(X, y)
    members = np.array(list(DIAMOND.enumerate()))
    points = model.feature_scores(X) + DIAMOND.mean()
    nearest = ((points[:, np.newaxis] - DIAMOND.embed(members)) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(model.predict(X), members[nearest])


def test_paths_score_by_the_arcs_they_share() -> None:
    assert DIAMOND.score([[0, 2], [4]], [[0, 2], [1, 3]]) == pytest.approx((1 + 2 / 5) / 2)
    tied = Paths(DIAMOND.arcs, 0, 3, tied=[0, 0, 0, 0, 0])
    assert tied.score([[0, 2]], [[1, 3]]) == pytest.approx(1 / 5)
    with pytest.raises(ValueError, match="y_pred, row 0: the path ends"):
        DIAMOND.score([[0, 2]], [[0]])


# Assignments.


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[0, 1, 2], [1, 2, 1]], 1),
        ([[0, 1, 2], [1, 2, 3]], 1),
        ([[0, 1, 4]], 0),
        ([[0, 1, -1]], 0),
        ([[0, 1, 1.5]], 0),
        ([[0, 1]], None),
        ([0, 1, 2], None),
    ],
)
def test_illegal_assignments_are_named_by_row(y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        Assignments(3).validate(y)
    assert getattr(caught.value, "row", None) == row


def test_assignments_are_sized_by_y_and_score_items() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = Assignments(6).decode(X @ rng.normal(size=(4, 36)))
    model = StructuredRidge("assignments", alpha=0.1).fit(X[:150], y[:150])
    assert model.structure_ == Assignments(6)
    assert model.predict(X[150:], return_certificate=True)[1].optimal.all()
    share = (model.predict(X[150:]) == y[150:]).mean()
    assert share > 0.5  # one in six by chance
    assert model.score(X[150:], y[150:]) == pytest.approx(share)
    assert Assignments(3).score([[0, 1, 2]], [[0, 2, 1]]) == pytest.approx(1 / 3)
    with pytest.raises(ValueError):
        Assignments(3).score([[0, 1, 2]], [[0, 2, 1], [0, 1, 2]])
    with pytest.raises(ValueError):
        Assignments(5000).count()
    assert Assignments(200).count() == math.factorial(200)


def test_assignments_train_at_sizes_without_a_covariance_matrix() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), Assignments(60).sample(40, random_state=0)
    model = StructuredRidge(Assignments(60), kernel="rbf", gamma=5.0, alpha=1e-3).fit(
        X, y
    )  # Σ would have 13 million entries
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    "make", [lambda: Paths.grid(2.5, 2), lambda: Paths.trellis(2.0, 2), lambda: Paths.grid(2, "3")]
)
def test_sizes_of_grids_and_trellises_are_integers(make):
    with pytest.raises(TypeError):
        make()


def test_a_source_that_is_missing_is_asked_for():
    with pytest.raises(TypeError):
        Paths([(0, 1)], None, 1).count()
