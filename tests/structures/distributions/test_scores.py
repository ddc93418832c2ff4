"""Distributions that a user's own scores make, with conditions and without, against sums over all members."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from scipy.stats import chi2

from combpred import Admissible, CapabilityError
from combpred._lib.errors import RowError
from combpred.structures import (
    Assignments,
    Cliques,
    Custom,
    Cycles,
    DirectedCycles,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    PartialOrders,
    Paths,
    Permutations,
    Routes,
    SpanningTrees,
    Structure,
    Tournaments,
    WeakOrders,
)
from constraint_oracle import STRUCTURES, holds, random_constraints
from enumerable import INSTANCES


def members_of(structure: Structure) -> tuple[list[Any], np.ndarray]:
    """Return all members, and their ψ."""
    rows = list(structure.enumerate())
    return rows, structure.embed(np.array(rows))


def listable(structure: Structure) -> bool:
    try:
        return structure.count() < 2000 and next(structure.enumerate()) is not None
    except CapabilityError:
        return False


def expected(psi: np.ndarray, scores: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Return ln Z, E ψ and the entropy, by their definitions."""
    values = psi @ scores
    log_z = logsumexp(values)
    p = np.exp(values - log_z)
    return float(log_z), p @ psi, float(-np.sum(p * (values - log_z)))


@pytest.mark.parametrize("structure", [structure for structure, _ in INSTANCES if listable(structure)])
def test_sums_and_probabilities_of_whole_spaces(structure: Structure) -> None:
    rng = np.random.default_rng(5)
    rows, psi = members_of(structure)
    scores = rng.normal(size=(3, structure.n_features)) * [[0.0], [1.0], [4.0]]
    log_z, means = structure.log_partition_and_marginals(scores)
    np.testing.assert_array_equal(log_z, structure.log_partition(scores))
    np.testing.assert_array_equal(means, structure.marginals(scores))
    wanted = [expected(psi, row) for row in scores]
    scale = max(1.0, np.abs(psi).max()) ** 2
    np.testing.assert_allclose(log_z, [z for z, _, _ in wanted], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(means, [mean for _, mean, _ in wanted], rtol=1e-9, atol=1e-10 * scale)
    np.testing.assert_allclose(structure.entropy(scores), [h for _, _, h in wanted], rtol=1e-9, atol=1e-9 * scale)
    some = rng.integers(len(rows), size=3)
    y = np.array([rows[i] for i in some])
    p = np.einsum("ij,ij->i", psi[some], scores) - log_z
    np.testing.assert_allclose(structure.log_proba(scores, y), p, rtol=1e-9, atol=1e-9 * scale)
    every = structure.log_proba(scores[1], np.array(rows))
    assert logsumexp(every) == pytest.approx(0.0, abs=1e-9)
    assert every.max() <= 0
    slope = structure.log_proba(scores + 1e-5, y) - structure.log_proba(scores - 1e-5, y)
    np.testing.assert_allclose(slope / 2e-5, (psi[some] - means).sum(axis=1), rtol=1e-5, atol=1e-5 * scale)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_everything_keeps_to_conditions(structure: Structure) -> None:
    """All rows together, each with a condition of its own, then a condition that all share."""
    rng = np.random.default_rng(11)
    rows, psi = members_of(structure)
    given = [c for c in random_constraints(structure, 80, rng) if any(holds(structure, y, c) for y in rows)][:30]
    assert given
    given += [None, given[0]]
    scores = 2 * rng.normal(size=(len(given), structure.n_features))
    kept = [np.array([c is None or holds(structure, y, c) for y in rows]) for c in given]
    wanted = [expected(psi[k], row) for k, row in zip(kept, scores, strict=True)]
    for jobs in (1, 2):
        log_z, means = structure.log_partition_and_marginals(scores, constraints=given, n_jobs=jobs)
        np.testing.assert_allclose(log_z, [z for z, _, _ in wanted], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(means, [mean for _, mean, _ in wanted], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        structure.entropy(scores, constraints=given), [h for _, _, h in wanted], rtol=1e-9, atol=1e-9
    )
    some = [int(rng.choice(np.flatnonzero(k))) for k in kept]
    y = np.array([rows[i] for i in some])
    values = np.einsum("ij,ij->i", psi[some], scores)
    found = structure.log_proba(scores, y, constraints=given)
    np.testing.assert_allclose(found, values - log_z, rtol=1e-9, atol=1e-9)
    sets = [np.array([rows[i] for i in np.flatnonzero(k)[:3]]) for k in kept]
    seen = [logsumexp(psi[np.flatnonzero(k)[:3]] @ row) for k, row in zip(kept, scores, strict=True)]
    found = structure.log_proba(scores, [Admissible(rows_of) for rows_of in sets], constraints=given)
    np.testing.assert_allclose(found, np.minimum(seen - log_z, 0), rtol=1e-9, atol=1e-9)
    drawn = structure.sample(5, 0, scores=scores, constraints=given)
    assert drawn.shape[:2] == (5, len(given))
    for i, c in enumerate(given):
        assert c is None or all(holds(structure, row, c) for row in drawn[:, i])
    shared, row = given[0], scores[0]
    assert structure.log_partition(row, constraints=shared) == pytest.approx(log_z[0], abs=1e-10)
    np.testing.assert_allclose(structure.marginals(row, constraints=shared), means[0], atol=1e-10)
    np.testing.assert_allclose(
        structure.log_partition(scores, constraints=shared),
        [expected(psi[kept[0]], s)[0] for s in scores],
        rtol=1e-10,
        atol=1e-10,
    )
    wrong = np.flatnonzero(~kept[0])
    if len(wrong):
        y = y.copy()
        y[-1] = rows[wrong[0]]
        with pytest.raises(RowError) as caught:
            structure.log_proba(scores, y, constraints=given)
        assert caught.value.row == len(given) - 1


@pytest.mark.versionless
@pytest.mark.parametrize("structure", [structure for structure in STRUCTURES if structure.count() > 2])
def test_draws_under_conditions_follow_their_distribution(structure: Structure) -> None:
    """χ², members of small expected frequency taken together; false-alarm rate 1e-4 for each structure."""
    rng = np.random.default_rng(3)
    rows, psi = members_of(structure)
    sizes = ((c, sum(holds(structure, y, c) for y in rows)) for c in random_constraints(structure, 100, rng))
    given = next(c for c, size in sizes if 1 < size < len(rows))
    kept = np.array([holds(structure, y, given) for y in rows])
    scores, n = rng.normal(size=structure.n_features), 3000
    drawn = structure.embed(structure.sample(n, 1, scores=scores, constraints=given))
    classes, place = np.unique(psi[kept], axis=0, return_inverse=True)
    p = np.exp(psi[kept] @ scores - logsumexp(psi[kept] @ scores))
    wanted = n * np.bincount(place.ravel(), weights=p)
    seen = np.array([(drawn == each).all(axis=1).sum() for each in classes], dtype=float)
    assert seen.sum() == n
    small = wanted < 5
    wanted, seen = (np.append(x[~small], x[small].sum()) for x in (wanted, seen))
    if wanted[-1] < 5:
        wanted, seen = (np.append(x[1:-1], x[0] + x[-1]) for x in (wanted, seen))
    if len(wanted) > 1:
        assert chi2.sf(np.sum((seen - wanted) ** 2 / wanted), len(seen) - 1) > 1e-4


def test_draws_are_those_of_the_user_s_format() -> None:
    tours = Cycles(5)
    drawn = tours.sample(20, 0, scores=np.zeros(10), constraints={"start": 3, "length": 4})
    assert drawn.shape == (20, 5)
    assert set(drawn[:, 0]) == {3}
    words = Hierarchy([-1, 0, 0], nodes=["any", "no", "yes"])
    assert words.sample(3, 0, scores=[[0.0, -50.0, 50.0], [0.0, 50.0, -50.0]]).tolist() == [["yes", "no"]] * 3
    again = [LabelSets(4).sample(6, 7, scores=np.ones((2, 4)), n_jobs=jobs) for jobs in (1, 2)]
    np.testing.assert_array_equal(*again)
    assert again[0].shape == (6, 2, 4)
    assert (again[0][:, 0] != again[0][:, 1]).any()  # equal rows are drawn for independently
    free = Permutations(4).sample(50, 0, constraints={"first": 2})  # uniform ones
    assert set(free[:, 2]) == {1}
    assert len(np.unique(free, axis=0)) == 6


@pytest.mark.parametrize("structure", [s for s in STRUCTURES if not (isinstance(s, Paths) and s.tied is not None)])
def test_best_outputs_under_conditions_come_in_order(structure: Structure) -> None:
    rng = np.random.default_rng(2)
    rows, psi = members_of(structure)
    given = [c for c in random_constraints(structure, 40, rng) if any(holds(structure, y, c) for y in rows)][:6]
    scores = rng.normal(size=(len(given), structure.n_features))
    for c, row, listed in zip(given, scores, structure.k_best(scores, constraints=given, most=7), strict=True):
        kept = np.unique(psi[[holds(structure, y, c) for y in rows]], axis=0)  # equal ψ are listed once
        found = list(listed)
        assert all(holds(structure, y, c) for y in found)
        values = structure.embed(np.array(found)) @ row
        np.testing.assert_allclose(values, np.sort(kept @ row)[::-1][:7], rtol=1e-10, atol=1e-10)
        some = list(structure.k_best(row, constraints=c, nu=0.5))
        assert len(some) == np.sum(kept @ row >= ((kept @ row).max() + (kept @ row).min()) / 2 - 1e-12)


def test_cycles_are_listed_from_their_start() -> None:
    found = list(islice(Cycles(5).k_best(np.arange(10.0), constraints={"start": 4, "end": 1}), 4))
    assert all(y[0] == 4 and y[y >= 0][-1] == 1 for y in found)


NOT_EVEN_ONE = {"length": 3, "required": [0, 1, 2, 3]}


@pytest.mark.parametrize("constraints", [NOT_EVEN_ONE, [{}, {"length": 4}, NOT_EVEN_ONE]], ids=["shared", "rows"])
def test_contradictions_name_their_row(constraints: Any) -> None:
    tours = Cycles(5)
    scores = np.zeros((3, 10))
    for act in (
        lambda: tours.log_partition(scores, constraints=constraints),
        lambda: tours.entropy(scores, constraints=constraints),
        lambda: tours.log_proba(scores, tours.sample(3, 0), constraints=constraints),
        lambda: tours.sample(2, 0, scores=scores, constraints=constraints),
        lambda: tours.k_best(scores, constraints=constraints),
    ):
        with pytest.raises(ValueError) as caught:
            act()
        if isinstance(constraints, list):
            assert caught.value.row == 2


def test_contradictions_that_sums_find_name_their_row() -> None:
    """No cycle of the arcs that are left: it is known only once the sum is 0."""
    forbidden = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
    with pytest.raises(RowError) as caught:
        Cycles(4).log_partition(np.zeros((2, 6)), constraints=[None, {"forbidden": forbidden}])
    assert caught.value.row == 1


def test_bad_input_is_named() -> None:
    orders = Permutations(3)
    whole = np.array([[1, 2, 3], [2, 1, 3]])
    for act in (orders.log_partition_and_marginals, orders.entropy, lambda s: orders.log_proba(s, whole)):
        with pytest.raises(ValueError):
            act(np.zeros((2, 4)))
        with pytest.raises(RowError) as caught:
            act([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]])
        assert caught.value.row == 1
    with pytest.raises(ValueError):
        orders.log_proba(np.zeros((2, 3)), whole[:1])
    with pytest.raises(ValueError) as caught:
        orders.log_proba(np.zeros((2, 3)), [[1, 2, 3], [1, 1, 3]])
    assert caught.value.row == 1
    with pytest.raises(ValueError) as caught:  # counted among the rows, not among the members of sets
        orders.log_proba(np.zeros((2, 3)), [Admissible(whole), Admissible([[1, 2, 3], [1, 1, 3]])])
    assert caught.value.row == 1
    with pytest.raises(CapabilityError):
        MultiClass(3).log_partition(np.zeros(3), constraints={"first": 1})
    with pytest.raises(CapabilityError) as refused:
        Permutations(40).sample(2, 0, scores=np.zeros(780))
    assert "combpred.sampling.sample" in str(refused.value)
    with pytest.raises(CapabilityError):
        Graphs(4, hereditary=lambda edges: True).log_partition(np.zeros(6), constraints={"required": [(0, 1)]})
    with pytest.raises(CapabilityError):
        Graphs(7, hereditary=lambda edges: True).k_best(np.ones(21), constraints={"required": [(0, 1)]})
    assert orders.log_partition(np.zeros((0, 3)), constraints=[]).shape == (0,)


def test_large_spaces_become_small_under_conditions() -> None:
    """Routes of 40 places have no exact sum; those of three have."""
    few = {"length": 3, "forbidden": list(range(5, 40))}
    places = Routes(40)
    with pytest.raises(CapabilityError):
        places.log_partition(np.zeros(places.n_features))
    assert np.exp(places.log_partition(np.zeros(places.n_features), constraints=few)) == pytest.approx(60)


def test_frames_of_scores_are_matched_by_name() -> None:
    sets = LabelSets(labels=["a", "b", "c"])
    frame = pd.DataFrame({"c": [3.0], "a": [1.0], "b": [2.0]})
    assert sets.entropy(frame) == pytest.approx(sets.entropy([[1.0, 2.0, 3.0]]))
    assert next(sets.k_best(frame.iloc[0] - 2.5)).tolist() == [0, 0, 1]


# ---- Scores from matrices --------------------------------------------------------------------------------------------

EDGES = [(2, 1), (0, 2), (3, 0), (1, 3), (3, 2)]
RINGS: Any = {Cycles: 1, DirectedCycles: 1, Routes: 0}


def natural(structure: Any, y: Any, a: np.ndarray) -> float:
    """Return the sum of A[u, v] over what an output is made of."""
    n = len(a)
    if type(structure) in RINGS:
        places = [int(v) for v in y if v >= 0]
        ends = (places[0],) if RINGS[type(structure)] else (n - 1,)
        steps = [*places, *ends] if RINGS[type(structure)] else [*ends, *places, *ends]
        return float(sum(a[u, v] for u, v in pairwise(steps)))
    if isinstance(structure, (Permutations, WeakOrders)):
        return float(sum(a[u, v] for u in range(n) for v in range(n) if y[u] < y[v]))
    if isinstance(structure, Assignments):
        return float(sum(a[u, v] for u, v in enumerate(y)))
    if isinstance(structure, Cliques):
        return float(sum(a[u, v] for u in range(n) for v in range(u) if y[u] and y[v]))
    if isinstance(structure, Paths):
        return float(sum(a[structure.arcs[e]] for e in y if e >= 0))
    assert isinstance(structure, (Graphs, SpanningTrees))
    return float(sum(a[edge] for edge, inside in zip(EDGES, y, strict=True) if inside))


@pytest.mark.parametrize(
    ("structure", "sign", "extra"),
    [
        *((Cycles(5), 1, 0), (DirectedCycles(5), -1, 0), (Routes(4), 0, 1), (Permutations(4), -1, 0)),
        *((WeakOrders(4), -1, 0), (Assignments(4), 0, 0), (Cliques(5), 1, 0)),
        *((Graphs(edges=EDGES), 1, 0), (SpanningTrees(4, EDGES), 1, 0)),
        (Paths([(0, 1), (1, 3), (0, 2), (2, 3), (1, 2)], 0, 3), 0, 0),
    ],
)
def test_scores_from_a_matrix_add_up(structure: Any, sign: int, extra: int) -> None:
    rng = np.random.default_rng(4)
    n = {SpanningTrees: 4, Graphs: 4, Paths: 4}.get(type(structure)) or structure.space.description.scalars["n"]
    a = rng.normal(size=(3, n + extra, n + extra))
    a = a + sign * np.swapaxes(a, 1, 2)
    a[:, np.arange(n + extra), np.arange(n + extra)] = np.inf if not isinstance(structure, Assignments) else 1.0
    scores = structure.scores_from(a)
    rows, psi = members_of(structure)
    for i in range(3):
        np.testing.assert_allclose(psi @ scores[i], [natural(structure, y, a[i]) for y in rows], atol=1e-12)
        np.testing.assert_array_equal(structure.scores_from(a[i].tolist()), scores[i])
    if sign:
        a[1, 2, 1] += 1.0
        with pytest.raises(RowError) as caught:
            structure.scores_from(a)
        assert caught.value.row == 1
        assert any(pair in caught.value.reason for pair in ("matrix[1, 2]", "matrix[2, 1]"))
        with pytest.raises(ValueError):
            structure.scores_from(a[1])


@pytest.mark.parametrize("structure", [PartialOrders(3), Tournaments(3)])
def test_pairs_of_relations_add_up(structure: Structure) -> None:
    a = np.random.default_rng(6).normal(size=(3, 3))
    a = a - a.T
    pairs = [tuple(int(part) for part in name.split(" before ")) for name in structure.feature_names()]
    for psi in members_of(structure)[1]:
        before = [pair[:: int(sense)] for pair, sense in zip(pairs, psi, strict=True) if sense]
        assert psi @ structure.scores_from(a) == pytest.approx(sum(a[pair] for pair in before))


def test_routes_without_a_depot_start_and_end_for_nothing() -> None:
    a = np.random.default_rng(1).normal(size=(4, 4))
    routes = Routes(4)
    whole = np.zeros((5, 5))
    whole[:4, :4] = a
    np.testing.assert_array_equal(routes.scores_from(a), routes.scores_from(whole))


def test_labels_are_ranked_by_differences() -> None:
    """Σ over pairs of u before v of r_u − r_v is Σ_u (k + 1 − 2 p_u) r_u for positions p from 1 on."""
    r = np.array([0.3, -1.0, 2.0, 0.5])
    orders = Permutations(4)
    scores = orders.scores_from(np.subtract.outer(r, r))
    rows, psi = members_of(orders)
    np.testing.assert_allclose(psi @ scores, (5 - 2 * np.array(rows)) @ r, atol=1e-12)
    assert orders.decode(scores).tolist() == [3, 4, 1, 2]


def test_matrices_that_do_not_fit_are_refused() -> None:
    cycles = Cycles(4)
    for wrong, error in (
        (np.zeros((3, 3)), ValueError),
        (np.zeros(4), ValueError),
        (np.zeros((5, 5)), ValueError),
        (np.full((4, 4), "x"), TypeError),
        (pd.DataFrame(np.zeros((4, 4))), TypeError),
        (np.full((4, 4), np.nan), ValueError),
        (np.ma.masked_equal(np.zeros((4, 4)), 0), ValueError),
    ):
        with pytest.raises(error):
            cycles.scores_from(wrong)
    functions = Custom.from_sampler(lambda rng: rng.permutation(3), lambda y: np.eye(3)[y].ravel())
    for other in (LabelSets(3), Hierarchy([-1, 0]), Paths.trellis(3, 2), functions):
        with pytest.raises(CapabilityError):
            other.scores_from(np.zeros((3, 3)))


def test_scores_of_trellises_add_up() -> None:
    rng = np.random.default_rng(8)
    e, w = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3, 3))
    chain = Paths.trellis(4, 3)
    labels = Paths.to_labels(np.array(list(chain.enumerate())), 3)
    psi = chain.embed(Paths.from_labels(labels, 3))
    for i in range(2):
        sums = [e[i][np.arange(4), y].sum() + sum(w[i][u, v] for u, v in pairwise(y)) for y in labels]
        np.testing.assert_allclose(psi @ Paths.trellis_scores(e, w)[i], sums, atol=1e-12)
    np.testing.assert_array_equal(Paths.trellis_scores(e, w[0])[0], Paths.trellis_scores(e[0], w[0]))
    for emissions, transitions in ((e, w[:1]), (e[0], w), (e[0, 0], w[0]), (e, np.zeros((2, 2)))):
        with pytest.raises(ValueError):
            Paths.trellis_scores(emissions, transitions)
