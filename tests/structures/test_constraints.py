"""Prediction under constraints against brute force, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError, StructuredRidge
from combpred._lib.decode import Decoding
from combpred.structures import (
    Cliques,
    Cycles,
    DirectedCycles,
    Hierarchy,
    LabelSets,
    Paths,
    Permutations,
    Routes,
    Structure,
    WeakOrders,
)
from combpred.structures._search.constraints import RowConstraints
from constraint_oracle import STRUCTURES, holds, random_constraints


def score_sets(d: int, rng: np.random.Generator) -> list[tuple[Any, Any]]:
    """Scores as of the losses "auc" and "squared", with shared or own weights of squares, and of unequal magnitude."""
    return [
        (rng.normal(size=d), None),
        (rng.normal(size=d), np.full(d, -0.5)),
        (rng.normal(size=d), rng.normal(size=(1, d))),
        (rng.integers(-1, 2, size=d).astype(float), None),
        (rng.normal(size=d) * 10.0 ** rng.integers(-4, 5, size=d), None),
        (rng.normal(size=d) * 1e250, None),
        (np.zeros(d), None),
    ]


def values_of(psi: np.ndarray, linear: np.ndarray, magnitude: np.ndarray | None) -> np.ndarray:
    """Return ⟨s, ψ⟩ + ⟨m, ψ²⟩ of every row of ψ."""
    return psi @ linear + (0.0 if magnitude is None else psi**2 @ np.ravel(magnitude))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_best_output_that_satisfies_a_constraint_is_found(structure: Structure) -> None:
    rng = np.random.default_rng(7)
    members = list(structure.enumerate())
    psi = structure.embed(members)
    feasible = 0
    for constraint in random_constraints(structure, 40, rng):
        admitted = np.array([holds(structure, y, constraint) for y in members])
        for linear, magnitude in score_sets(psi.shape[1], rng):
            rows = linear[np.newaxis]
            if not admitted.any():
                with pytest.raises(ValueError):
                    RowConstraints(structure.space, constraint, 1).decode(rows, magnitude, Decoding("exact"))
                break
            feasible += 1
            found = RowConstraints(structure.space, constraint, 1).decode(rows, magnitude, Decoding("exact"))
            y = structure.space.decode_parts(found.y)
            assert holds(structure, y[0], constraint), (constraint, y)
            values = values_of(psi, linear, magnitude)
            slack = 1e-14 * (np.abs(linear).sum() + (0 if magnitude is None else np.abs(magnitude).sum()))
            assert abs(found.value[0] - values[admitted].max()) <= 20 * slack, (constraint, y)
            assert found.optimal[0] and found.nu[0] == 0 and found.upper_bound[0] == found.value[0]
            again = values_of(structure.embed(y), linear, magnitude)
            assert abs(again[0] - found.value[0]) <= slack
    assert feasible > 50


@pytest.mark.parametrize("structure", STRUCTURES)
def test_rows_have_constraints_of_their_own(structure: Structure) -> None:
    rng = np.random.default_rng(8)
    members = list(structure.enumerate())
    usable = [c for c in random_constraints(structure, 60, rng) if any(holds(structure, y, c) for y in members)][:6]
    constraints = [None, *usable, {}, *usable[::-1]]
    scores = rng.normal(size=(len(constraints), structure.n_features))
    together = structure.decode(scores, constraints=constraints)
    for row, constraint in enumerate(constraints):
        alone = structure.decode(scores[row], constraints=constraint)
        np.testing.assert_array_equal(together[row], alone)
    np.testing.assert_array_equal(together[0], structure.decode(scores[0]))


# How cycles are listed.


def test_cycles_are_listed_from_their_start_to_their_end() -> None:
    scores = np.zeros(10)
    assert DirectedCycles(5).decode(scores, constraints={"start": 3, "end": 1, "length": 5})[[0, -1]].tolist() == [3, 1]
    assert DirectedCycles(5).decode(scores, constraints={"end": 1, "length": 5})[-1] == 1
    assert Cycles(5).decode(scores, constraints={"start": 3, "end": 1, "length": 5})[[0, -1]].tolist() == [3, 1]
    assert Cycles(5).decode(scores, constraints={"start": 2, "length": 5})[0] == 2
    ended = Cycles(5).decode(scores, constraints={"end": 2, "length": 5})
    assert ended[-1] == 2 and ended[0] < ended[-2]


# Larger problems.


def test_a_given_length_makes_large_routes_exact() -> None:
    rng = np.random.default_rng(9)
    routes = Routes(40)
    scores = rng.normal(size=(1, routes.n_features))
    found = RowConstraints(routes.space, {"start": 3, "end": 5, "length": 4}, 1).decode(scores, None, Decoding("exact"))
    others = [v for v in range(40) if v not in (3, 5)]
    rows = [[3, a, b, 5] for a in others for b in others if a != b]
    assert found.optimal[0] and abs(found.value[0] - (routes.embed(rows) @ scores[0]).max()) < 1e-10


def test_forbidden_places_make_large_routes_exact() -> None:
    rng = np.random.default_rng(10)
    scores = rng.normal(size=(1, Routes(24).n_features))
    gone = list(range(6, 24))
    found = RowConstraints(Routes(24).space, {"forbidden": gone}, 1).decode(scores, None, Decoding("exact"))
    best = max(float((Routes(24).embed([[v for v in y if v >= 0]]) @ scores[0])[0]) for y in Routes(6).enumerate())
    assert found.optimal[0] and abs(found.value[0] - best) < 1e-10
    with pytest.raises(CapabilityError) as caught:
        RowConstraints(Routes(24).space, {"required": [3]}, 1).decode(scores, None, Decoding("exact"))
    assert caught.value.row is None  # the constraint is that of every row


def test_constraints_that_were_read_can_be_sent_elsewhere() -> None:
    held = RowConstraints(LabelSets(labels=["a", "b", "c"]).space, [{"required": ["a"]}, {"forbidden": ["b"]}], 2)
    sent = pickle.loads(pickle.dumps(held))
    assert repr(sent.conditions(0, 2)) == repr(held.conditions(0, 2))


def test_errors_name_the_row_among_all_not_in_its_group() -> None:
    scores = np.zeros((4, Routes(24).n_features))
    for last in ({"required": [3]}, None):
        constraints = [None] * 10 + [{"length": 3}] * 3 + [last]
        with pytest.raises(CapabilityError) as caught:
            RowConstraints(Routes(24).space, constraints, 14).decode(scores, None, Decoding("exact"), 10)
        assert caught.value.row == 13


# Estimators.


def test_an_estimator_answers_queries() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 3))
    routes = Routes(6)
    y = routes.sample(30, random_state=0)
    queries = [{"start": int(r[0]), "end": int(r[r >= 0][-1]), "length": int((r >= 0).sum())} for r in y]
    for loss in ("auc", "squared"):
        model = StructuredRidge(routes, loss=loss, alpha=0.1).fit(X, y)
        predicted = model.predict(X, constraints=queries)
        certified = model.predict(X, constraints=queries, return_certificate=True)[1]
        np.testing.assert_array_equal(predicted, certified.structures)
        assert certified.optimal.all()
        np.testing.assert_allclose(certified.value, model.score_structures(X, predicted), rtol=1e-12, atol=1e-12)
        assert all(holds(routes, row, query) for row, query in zip(predicted, queries, strict=True))
        free = model.predict(X, return_certificate=True)[1]
        assert (free.value >= certified.value - 1e-12).all()


# Other conditions.


def test_paths_with_tied_arcs_are_held_to_arcs() -> None:
    chain = Paths.trellis(3, 2)  # arcs 0-1 label step 0, and a pair of labels may occur twice
    scores = np.random.default_rng(13).normal(size=chain.n_features)
    arcs = [tuple(arc) for arc in np.asarray(chain.arcs).tolist()]
    members = list(chain.enumerate())
    values = chain.embed(members) @ scores
    for arc in arcs:
        admitted = np.array([holds(chain, y, {"required": [arc]}) for y in members])
        found = chain.decode(scores, constraints={"required": [arc]})
        assert holds(chain, found, {"required": [arc]})
        assert abs(float((chain.embed([found]) @ scores)[0]) - values[admitted].max()) < 1e-12
    with pytest.raises(CapabilityError):
        constraints = RowConstraints(chain.space, {"required": [arcs[0]]}, 1)
        constraints.decode(scores[np.newaxis], np.full(chain.n_features, -0.5), Decoding("exact"))


@pytest.mark.parametrize("structure", [Permutations(25), WeakOrders(18)])
def test_searched_rankings_keep_their_conditions(structure: Structure) -> None:
    rng = np.random.default_rng(14)
    scores = rng.normal(size=(3, structure.n_features))
    n = structure.n_labels
    pairs = [(int(u), int(v)) for u, v in np.sort(rng.permutation(n)[:10].reshape(5, 2), axis=1)]
    constraint = {"first": 17, "last": 0, "before": [pair for pair in pairs if 0 not in pair and 17 not in pair]}
    for decoder in ("auto", "local-search"):
        found = RowConstraints(structure.space, constraint, 3).decode(scores, None, Decoding(decoder))
        assert all(holds(structure, row, constraint) for row in found.y)
        assert (found.upper_bound >= found.value).all()
        assert (found.nu[~found.optimal] == 1).all() and (found.nu[found.optimal] == 0).all()


@pytest.mark.parametrize("structure", [Routes(40), DirectedCycles(30), Cycles(30)])
def test_searched_lists_keep_their_conditions(structure: Structure) -> None:
    rng = np.random.default_rng(16)
    scores = rng.normal(size=(3, structure.n_features))
    constraints: list[dict[str, Any]] = [
        {"start": 3, "end": 8, "required": [5, (9, 2)], "forbidden": [7, (9, 1)]},
        {"start": 4, "length": 22, "forbidden": [7, 11]},
        {"length": 25, "required": [(1, 2), 20]},
    ]
    for decoder in ("auto", "local-search"):
        found = RowConstraints(structure.space, constraints, 3).decode(scores, None, Decoding(decoder))
        assert all(holds(structure, row, c) for row, c in zip(found.y, constraints, strict=True))
        assert (found.upper_bound >= found.value).all()
        assert (found.nu[~found.optimal] == 1).all()
        given = structure.embed(found.y)
        np.testing.assert_allclose(found.value, np.einsum("ij,ij->i", given, scores), rtol=1e-12)
    with pytest.raises(ValueError) as caught:  # required steps that close a circle
        structure.decode(scores[0], constraints={"start": 7, "required": [(1, 2), (2, 3), (3, 1)]})
    assert caught.value.row == 0


def steps_at(n: int, place: int) -> list[tuple[int, int]]:
    """Return all steps from and to a place."""
    others = [v for v in range(n) if v != place]
    return [(place, v) for v in others] + [(v, place) for v in others]


@pytest.mark.parametrize("structure", [Routes(30), DirectedCycles(30), Cycles(30)])
def test_searches_do_not_claim_what_programs_prove(structure: Structure) -> None:
    scores = np.random.default_rng(18).normal(size=structure.n_features)
    unreachable = {"required": [7], "forbidden": steps_at(30, 7)}
    for decoder in ("auto", "local-search"):
        with pytest.raises(ValueError) as caught:
            structure.decode(scores, constraints=unreachable, decoder=decoder)
        assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        structure.decode(scores, constraints=unreachable, decoder="milp")
    assert caught.value.row == 0


@pytest.mark.parametrize("structure", [Routes(5), DirectedCycles(5), Cycles(5)])
def test_integer_programs_keep_off_pairs_that_are_forbidden_in_both_directions(structure: Structure) -> None:
    scores = np.random.default_rng(19).normal(size=structure.n_features)
    constraint = {"forbidden": steps_at(5, 2)[:3] + steps_at(5, 2)[4:7], "length": 4}
    want = structure.decode(scores, constraints=constraint, decoder="exact")
    assert holds(structure, want, constraint)
    np.testing.assert_array_equal(structure.decode(scores, constraints=constraint, decoder="milp"), want)


PROGRAMS = [Permutations(5), Cycles(6), DirectedCycles(6), Routes(5)]


@pytest.mark.parametrize("structure", PROGRAMS)
def test_integer_programs_agree(structure: Structure) -> None:
    rng = np.random.default_rng(17)
    infeasible = 0
    for constraint in random_constraints(structure, 12, rng):
        scores = rng.normal(size=(1, structure.n_features))
        weights = rng.normal(size=structure.n_features)
        try:
            constraints = RowConstraints(structure.space, constraint, 1)
            want = constraints.decode(scores, weights, Decoding("exact"))
        except ValueError as error:
            infeasible += 1
            with pytest.raises(ValueError) as other:
                RowConstraints(structure.space, constraint, 1).decode(scores, weights, Decoding("milp"))
            assert str(other.value) == str(error)
            continue
        found = constraints.decode(scores, weights, Decoding("milp"))
        assert found.optimal[0] and found.upper_bound[0] >= found.value[0]
        np.testing.assert_array_equal(found.y, want.y)
        np.testing.assert_allclose(found.value, want.value, rtol=1e-10)
    assert infeasible < 10
    with pytest.raises(CapabilityError):
        RowConstraints(LabelSets(3).space, {"size": 2}, 1).decode(np.zeros((1, 3)), None, Decoding("milp"))


def test_large_cliques_of_a_size_are_searched() -> None:
    rng = np.random.default_rng(15)
    cliques = Cliques(80)
    scores = rng.normal(size=(1, cliques.n_features))
    constraint = {"size": 40, "required": [3, 4], "forbidden": [5]}
    found = RowConstraints(cliques.space, constraint, 1).decode(scores, None, Decoding())
    assert holds(cliques, found.y[0], constraint)
    assert not found.optimal[0] and found.nu[0] == 1 and found.upper_bound[0] >= found.value[0]
    greedy = cliques.decode(scores, constraints={"size": 2})
    assert greedy.sum() == 2 and (cliques.embed(greedy) @ scores[0])[0] == scores.max()


# Ranges of sizes and lengths, and subtrees of hierarchies.


@pytest.mark.parametrize("structure", [Cycles(6), DirectedCycles(6), Routes(5)])
def test_integer_programs_keep_to_a_range_of_lengths(structure: Structure) -> None:
    rng = np.random.default_rng(21)
    members = list(structure.enumerate())
    psi = structure.embed(members)
    for bounds in ((2, 4), (4, 5), (5, 5), (0, 3), (3, 9)):
        scores = rng.normal(size=structure.n_features)
        left = np.array([holds(structure, z, {"length": bounds}) for z in members])
        for decoder in ("milp", "exact"):
            found = structure.decode(scores, constraints={"length": bounds}, decoder=decoder)
            assert holds(structure, found, {"length": bounds})
            assert abs((structure.embed([found]) @ scores)[0] - (psi[left] @ scores).max()) < 1e-10


@pytest.mark.parametrize(
    ("structure", "constraint"),
    [
        (Routes(40), {"length": (20, 25), "start": 3}),
        (Cycles(40), {"length": (20, 25), "start": 3}),
        (DirectedCycles(40), {"length": (20, 25), "required": [(1, 2)]}),
        (Cliques(80), {"size": (30, 35), "required": [3, 4]}),
    ],
)
def test_searches_keep_to_ranges(structure: Structure, constraint: dict[str, Any]) -> None:
    scores = np.random.default_rng(22).normal(size=(2, structure.n_features))
    for decoder in ("auto", "local-search"):
        for found in structure.decode(scores, constraints=constraint, decoder=decoder):
            assert holds(structure, found, constraint)


def test_numbers_that_are_equal_are_one_number() -> None:
    scores = np.random.default_rng(23).normal(size=(5, Routes(5).n_features))
    alone = Routes(5).decode(scores, constraints={"length": 3})
    for same in ((3, 3), [3, 3], (np.int64(3), 3), np.array([3, 3])):
        np.testing.assert_array_equal(Routes(5).decode(scores, constraints={"length": same}), alone)


def test_large_sets_take_ranges() -> None:
    """The best sets are the positive scores, cut or filled up to the nearest bound."""
    scores = np.random.default_rng(24).normal(size=5000)
    order, positive = np.argsort(-scores), int((scores > 0).sum())
    for bounds in ((0, 100), (4000, 5000), (0, 5000), (0, 2**31 - 1)):
        size = min(max(positive, bounds[0]), bounds[1])
        found = LabelSets(5000).decode(scores, constraints={"size": bounds})
        np.testing.assert_array_equal(np.flatnonzero(found), np.sort(order[:size]))


def test_predictions_are_held_to_a_subtree_by_its_name() -> None:
    animals = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "fish": "animal", "cod": "fish"}
    below = {"mammal": {"mammal", "cat", "dog"}, "fish": {"fish", "cod"}, "cod": {"cod"}}
    X = np.random.default_rng(26).normal(size=(30, 2))
    y = np.array(["cat", "dog", "cod", "fish", "mammal", "animal"] * 5)
    model = StructuredRidge(Hierarchy(animals), alpha=0.1).fit(X, y)
    names = [*below, None] * 7 + ["cod", None]
    predicted = model.predict(X, constraints=[None if name is None else {"within": name} for name in names])
    assert all(found in below[name] for found, name in zip(predicted, names, strict=True) if name is not None)
    free = model.predict(X)
    np.testing.assert_array_equal(predicted[3::4], free[3::4])
    assert set(model.predict(X, constraints={"within": "mammal"})) <= below["mammal"]
    np.testing.assert_array_equal(model.predict(X, constraints={"within": "animal"}), free)
