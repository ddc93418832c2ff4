"""Tournaments, rankings with ties and partial orders: formats, messages, moments, decoding and their metrics."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from combpred import CapabilityError, StructuredRidge, StructuredRidgeCV, metrics
from combpred._lib.decode import Decoding
from combpred.structures import (
    Graphs,
    LabelSets,
    MomentsInfo,
    PartialOrders,
    Permutations,
    SpanningTrees,
    Structure,
    Tournaments,
    WeakOrders,
    resolve_structure,
)

FUBINI = [1, 1, 3, 13, 75, 541, 4683, 47293, 545835, 7087261]  # OEIS A000670
POSETS = {4: 219, 6: 130023, 7: 6129859, 8: 431723379, 18: 241939392597201176602897820148085023}  # OEIS A001035
RELATIONS = [Tournaments, PartialOrders]


def matrices(y: Any, items: int) -> np.ndarray:
    """Boolean matrices of relations given by pairs, written out."""
    found = np.zeros((len(y), items, items), dtype=bool)
    for i, row in enumerate(y):
        for value, (u, v) in zip(row, itertools.combinations(range(items), 2), strict=True):
            found[i, u, v], found[i, v, u] = value == 1, value == -1
    return found


# Sizes and counts.


def test_counts_are_the_published_ones() -> None:
    assert [WeakOrders(k).count() for k in range(2, 10)] == FUBINI[2:]
    assert {n: PartialOrders(n).count() for n in POSETS} == POSETS
    assert Tournaments(200).count() == 3**19900
    assert Tournaments(200).log_count() == pytest.approx(19900 * math.log(3), rel=1e-12)
    assert WeakOrders(200).log_count() == pytest.approx(
        math.lgamma(201) - math.log(2) - 201 * math.log(math.log(2)), rel=1e-12
    )


def test_unknown_counts_are_refused() -> None:
    for ask in (PartialOrders(19).count, PartialOrders(19).log_count, PartialOrders(19).enumerate):
        with pytest.raises(CapabilityError):
            ask()
    assert PartialOrders(19).n_features == 171


@pytest.mark.parametrize(
    ("cls", "most"),
    [(Tournaments, 2**14), (PartialOrders, 2**14), (WeakOrders, 2**10)],
)
def test_sizes_are_checked(cls: Any, most: int) -> None:
    with pytest.raises(ValueError):
        cls().count()
    with pytest.raises(TypeError):
        cls(2.0).count()
    with pytest.raises(ValueError):
        cls(1).count()
    with pytest.raises(ValueError):
        cls(most + 1).count()


def test_names_resolve() -> None:
    assert resolve_structure("weakorders", [[1, 1, 2]]) == WeakOrders(3)
    assert resolve_structure("tournaments", [[1, 0, -1]]) == Tournaments(3)
    assert resolve_structure("partialorders", np.zeros((2, 4, 4), dtype=bool)) == PartialOrders(4)
    assert resolve_structure(PartialOrders(moments="relaxed"), [[1, 0, 1, 0, 0, 0]]) == PartialOrders(
        4, moments="relaxed"
    )


@pytest.mark.parametrize("structure", [Tournaments(4), PartialOrders(4, moments="relaxed"), WeakOrders(4)])
def test_structures_are_cloned_and_pickled(structure: Structure) -> None:
    assert clone(structure) == structure == pickle.loads(pickle.dumps(structure))
    assert WeakOrders(4) != WeakOrders(3)
    assert PartialOrders(4) != PartialOrders(4, moments="relaxed")


# Relations of pairs.


@pytest.mark.parametrize("cls", RELATIONS)
def test_relations_are_read_from_matrices(cls: Any) -> None:
    structure = cls(3)
    members = np.array(list(structure.enumerate()))
    shown = matrices(members, 3)
    assert cls()._resolve(shown) == structure
    np.testing.assert_array_equal(structure.encode(shown), members)
    np.testing.assert_array_equal(structure.encode(shown.astype(np.int64)), members)
    np.testing.assert_array_equal(structure.encode(shown.tolist()), members)
    assert structure.score(shown, members) == 1.0
    np.testing.assert_array_equal(structure.embed(shown), members)


def test_partial_orders_may_be_reflexive() -> None:
    members = np.array(list(PartialOrders(3).enumerate()))
    np.testing.assert_array_equal(PartialOrders(3).encode(matrices(members, 3) | np.eye(3, dtype=bool)), members)
    with pytest.raises(ValueError) as caught:
        Tournaments(3).validate(matrices(members, 3) | np.eye(3, dtype=bool))
    assert caught.value.row == 0


@pytest.mark.parametrize("cls", RELATIONS)
@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[0, 0, 0], [0, 2, 0]], 1),
        ([[0, 0, 0], [0, 0.5, 0]], 1),
        ([[0, 0, 0], [0, np.nan, 0]], 1),
        ([[0, 0, 0], [0, None, 0]], 1),
        (pd.DataFrame({"a": [0, "x"], "b": [0, 0], "c": [0, 0]}), 1),
        ([["a", "b", "c"]], 0),
        ([[0, 0]], None),
        ([0, 0, 0], None),
        (None, None),
        (np.zeros((0, 3)), None),
        (np.zeros((0, 3, 3), dtype=bool), None),
        ([[0, 0, 0], [0, 0]], 1),
        (np.zeros((2, 3, 4), dtype=bool), None),
        (np.zeros((2, 4, 4), dtype=bool), None),
        (np.full((2, 3, 3), "x"), 0),
        (np.arange(18).reshape(2, 3, 3) * 0 + 2, 0),
        ([np.zeros((3, 3)).tolist(), [[0, 1, 0], [1, 0, 0], [0, 0, 0]]], 1),
        ([np.zeros((3, 3)).tolist(), [[0, 0, 0], [0, 1, 0], [0, 0, 0]]], 1),
    ],
)
def test_illegal_relations_are_refused(cls: Any, y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        cls(3).validate(y)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("cls", RELATIONS)
def test_widths_that_are_no_number_of_pairs_are_refused(cls: Any) -> None:
    with pytest.raises(ValueError):
        cls()._resolve([[0, 0, 0, 0]])


@pytest.mark.parametrize("structure", [Tournaments(3), PartialOrders(3), Graphs(3), SpanningTrees(3), LabelSets(3)])
@pytest.mark.parametrize("width", [4, 6])
def test_widths_that_do_not_fit_are_refused_with_the_size(structure: Structure, width: int) -> None:
    with pytest.raises(ValueError) as caught:
        structure.encode(np.zeros((2, width), dtype=int))
    assert any(size in str(caught.value) for size in ("N=3", "n_vertices=3", "n_labels=3"))


def test_tournaments_need_not_be_transitive_and_partial_orders_must(limits: Any) -> None:
    circle = [1, -1, 1]  # 0 before 1, 1 before 2, 2 before 0
    Tournaments(3).validate([circle])
    limits.numbers_read(2 * 3)  # two rows at a time
    for y in ([[0, 0, 0]] * 3 + [circle], matrices([[0, 0, 0]] * 3 + [circle], 3)):
        with pytest.raises(ValueError) as caught:
            PartialOrders(3).validate(y)
        assert caught.value.row == 3
    with pytest.raises(ValueError, match="row 1.*not transitive: 0 is before 1 and 1 before 2"):
        StructuredRidge(PartialOrders()).fit([[0.0], [1.0]], [[1, 1, 1], [1, 0, 1]])


@pytest.mark.parametrize("items", [4, 5])
def test_transitivity_is_checked_as_in_the_core(items: int) -> None:
    rng = np.random.default_rng(items)
    rows = rng.integers(-1, 2, (400, items * (items - 1) // 2))
    members = {tuple(y) for y in np.array(list(PartialOrders(items).enumerate())).tolist()}
    accepted = 0
    for row in rows:
        try:
            PartialOrders(items).validate([row])
            accepted += 1
            assert tuple(row.tolist()) in members
        except ValueError:
            assert tuple(row.tolist()) not in members
    assert 0 < accepted < 400


# Rankings with ties.


def test_rankings_are_compared_by_order_only() -> None:
    expected = [[1, 1, 2], [3, 2, 1]]
    for y in ([[1, 1, 2], [3, 2, 1]], [[0.0, 0.0, 0.25], [1e9, 3, 0.5]], np.array([[0, 0, 200], [9, 5, 1]], np.uint8)):
        np.testing.assert_array_equal(WeakOrders(3).encode(y), expected)
    np.testing.assert_array_equal(WeakOrders(2).encode([[True, False]]), [[2, 1]])
    assert WeakOrders(3).score([[0.0, 0.0, 0.25]], [[1, 1, 2]]) == 1.0


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[1, 2, 3], [1, np.nan, 2]], 1),
        ([[1, 2, 3], [1, np.inf, 2]], 1),
        ([[1, 2, 3], [1, None, 2]], 1),
        (pd.DataFrame({"a": [1, "x"], "b": [2, 2], "c": [3, 3]}), 1),
        ([["a", "b", "c"]], 0),
        ([[1, 2]], None),
        ([1, 2, 3], None),
        ([[1, 2, 3], [1, 2]], 1),
    ],
)
def test_illegal_rankings_with_ties_are_refused(y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        WeakOrders(3).validate(y)
    assert getattr(caught.value, "row", None) == row


def test_predictions_to_score_are_checked_too() -> None:
    with pytest.raises(ValueError) as caught:
        WeakOrders(2).score([[1, 2]], [[1, np.nan]])
    assert (caught.value.argument, caught.value.row) == ("y_pred", 0)


def test_permutations_send_ties_here() -> None:
    with pytest.raises(ValueError) as caught:
        Permutations(3).validate([[1, 1, 2]])
    assert caught.value.row == 0
    WeakOrders(3).validate([[1, 1, 2]])


# Moments.


def test_second_moment_of_rankings_with_ties_is_finite_at_large_sizes() -> None:
    moment = WeakOrders(60).covariance()
    assert np.isfinite(moment).all()
    assert np.linalg.eigvalsh(moment[:200, :200]).min() > -1e-12
    # With many labels ties are rare and the signs are those of rankings.
    mean = WeakOrders(1000).mean()
    assert mean[-1] == pytest.approx(math.log(2) / 1000, rel=1e-2)


def test_provenance_of_moments_is_shown() -> None:
    assert WeakOrders(200).moments_info == Tournaments(50).moments_info == MomentsInfo("exact", 0.0)
    assert PartialOrders(7).moments_info == PartialOrders(5, moments="exact").moments_info == MomentsInfo()
    assert PartialOrders(8).moments_info == PartialOrders(5, moments="relaxed").moments_info == MomentsInfo("relaxed")
    info = PartialOrders(8, moments="sampled").moments_info
    assert info.kind == "sampled"
    assert 0 < info.standard_error < 0.005


def test_relaxed_moments_are_those_of_tournaments() -> None:
    np.testing.assert_array_equal(PartialOrders(9).second_moment(), Tournaments(9).second_moment())


def test_sampled_moments_are_within_their_standard_error() -> None:
    structure = PartialOrders(8, moments="sampled")
    exact = 226764132 / 431723379  # share of the orders of 8 items in which two given ones are comparable, by a list
    moment = structure.second_moment()
    assert abs(moment[0, 0] - exact) <= 5 * structure.moments_info.standard_error  # false alarms below 1e-4, fixed seed
    np.testing.assert_allclose(moment, moment[0, 0] * Permutations(8).second_moment(), atol=1e-12)
    np.testing.assert_array_equal(moment, PartialOrders(8, moments="sampled").second_moment())


def test_moments_beyond_their_size_are_refused() -> None:
    with pytest.raises(CapabilityError):
        PartialOrders(8, moments="exact").mean()
    with pytest.raises(CapabilityError):
        PartialOrders(49, moments="sampled").mean()
    for moments in ("guessed", None, 1):
        with pytest.raises(ValueError):
            PartialOrders(4, moments=moments).mean()  # type: ignore[arg-type]


def test_sampling_and_listing_beyond_their_size_are_refused() -> None:
    with pytest.raises(CapabilityError):
        PartialOrders(8).sample(1)
    with pytest.raises(CapabilityError):
        PartialOrders(8).enumerate()
    drawn = PartialOrders(7).sample(50, random_state=0)
    PartialOrders(7).validate(drawn)


# Decoding.


@pytest.mark.parametrize(
    "structure", [Tournaments(4), WeakOrders(2), WeakOrders(5), PartialOrders(2), PartialOrders(5)]
)
@pytest.mark.parametrize("method", ["auto", "exact", "local-search"])
def test_decoding_agrees_with_all_members(structure: Structure, method: str) -> None:
    members = np.array(list(structure.enumerate()))
    psi = structure.embed(members)
    rng = np.random.default_rng(1)
    n, d = 30, structure.n_features
    linear = np.vstack([rng.normal(size=(n - 10, d)), rng.integers(-1, 2, (10, d))])
    for magnitude in (None, np.full(d, -0.5), rng.normal(size=(n, d))):
        values = linear @ psi.T
        if magnitude is not None:
            values += np.broadcast_to(magnitude, (n, d)) @ np.abs(psi).T
        decoded = structure.space.decode(linear, magnitude, Decoding(method))
        structure.validate(structure.space.decode_parts(decoded.y))
        best, worst = values.max(axis=1), values.min(axis=1)
        assert (decoded.value <= best + 1e-9).all() and (decoded.upper_bound >= best - 1e-9).all()
        assert (decoded.value >= (1 - decoded.nu) * best + decoded.nu * worst - 1e-9).all()
        np.testing.assert_allclose(decoded.value[decoded.optimal], best[decoded.optimal], atol=1e-9)
        if method != "local-search":
            assert decoded.optimal.all()


def test_large_instances_fall_to_the_search_and_say_so() -> None:
    rng = np.random.default_rng(2)
    for structure in (WeakOrders(20), PartialOrders(12)):
        scores = rng.normal(size=(3, structure.n_features))
        with pytest.raises(CapabilityError) as caught:
            structure.space.decode(scores, how=Decoding("exact"))
        assert caught.value.row == 0
        found = structure.space.decode(scores)
        assert not found.optimal.any()
        assert ((found.nu > 0) & (found.nu < 1) & (found.value < found.upper_bound)).all()
        again = structure.decode(scores)
        np.testing.assert_array_equal(again, structure.space.decode_parts(found.y))
        structure.validate(again)


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", [Tournaments(), PartialOrders(), PartialOrders(moments="relaxed"), WeakOrders()])
def test_estimators_learn_the_structures(structure: Structure, loss: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    utility = X @ rng.normal(size=(3, 4))
    levels = np.round(utility)
    levels -= levels.min()
    u, v = np.triu_indices(4, 1)
    y = (
        WeakOrders.from_ratings(-levels)
        if isinstance(structure, WeakOrders)
        else np.sign(levels[:, v] - levels[:, u]).astype(int)
    )
    model = StructuredRidge(structure, kernel="rbf", alpha=0.01, loss=loss).fit(X[:90], y[:90])
    assert model.score(X[90:], y[90:]) > 0.6
    model.structure_.validate(model.predict(X[90:]))
    assert model.predict(X[90:], return_certificate=True)[1].optimal.all()
    searched = StructuredRidgeCV(structure, alphas=(0.01, 1.0), kernels=["rbf"], losses=[loss]).fit(X[:90], y[:90])
    assert searched.score(X[90:], y[90:]) > 0.6


def test_only_the_tie_indicators_let_ties_be_predicted() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = [[1, 1, 2], [1, 1, 2], [1, 2, 2], [1, 2, 2]]
    model = StructuredRidge(WeakOrders(), kernel="rbf", alpha=1e-3).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)


# Metrics.


def emond_mason(a: Any, b: Any) -> float:
    """tau_x by its score matrices."""
    k = len(a)
    matrix = lambda r: np.where(np.subtract.outer(r, r) <= 0, 1, -1) * (1 - np.eye(k))  # noqa: E731
    return float((matrix(np.asarray(a)) * matrix(np.asarray(b))).sum() / (k * (k - 1)))


def test_tau_x_is_the_product_of_score_matrices() -> None:
    members = np.array(list(WeakOrders(4).enumerate()))
    rng = np.random.default_rng(4)
    a, b = members[rng.integers(0, 75, 300)], members[rng.integers(0, 75, 300)]
    expected = [emond_mason(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(metrics.tau_x(a, b, per_row=True), expected, atol=1e-12)
    assert metrics.tau_x(members, members) == 1.0
    assert metrics.tau_x([[1, 1, 1]], [[1, 1, 1]]) == 1.0


def test_tau_x_is_kendalls_without_ties() -> None:
    orders = np.array(list(itertools.permutations([1, 2, 3, 4])))
    np.testing.assert_allclose(
        metrics.tau_x(orders, orders[::-1], per_row=True), metrics.kendall_tau(orders, orders[::-1], per_row=True)
    )


def test_tau_x_is_the_same_across_blocks_of_rows() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(1, 4, (9000, 4)), rng.integers(1, 4, (9000, 4))
    parts = [metrics.tau_x(a[i : i + 1000], b[i : i + 1000], per_row=True) for i in range(0, 9000, 1000)]
    np.testing.assert_array_equal(metrics.tau_x(a, b, per_row=True), np.concatenate(parts))


def test_pair_accuracy_counts_pairs() -> None:
    assert metrics.pair_accuracy([[1, 0, -1, 1]], [[1, 0, 1, 0]]) == 0.5
    with pytest.raises(ValueError) as caught:
        metrics.pair_accuracy([[1, 0], [0, 0]], [[1, 0], [0, 2]])
    assert (caught.value.argument, caught.value.row) == ("y_pred", 1)
    with pytest.raises(ValueError):
        metrics.pair_accuracy(np.zeros((2, 0)), np.zeros((2, 0)))
