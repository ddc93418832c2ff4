"""Integer programs against enumeration, written out here."""

from __future__ import annotations

import itertools
import time
import types
from itertools import combinations, permutations

import numpy as np
import pytest

from combpred import CapabilityError, NumericalError, StructuredRidge
from combpred._programs import program
from combpred._programs.orders import best_order, relaxed_order, violated_three_cycles
from combpred._programs.program import Cut, OutOfTimeError, Watch
from combpred._programs.tours import best_cycle, best_directed_cycle, best_route
from combpred.structures import Cycles, DirectedCycles, LabelSets, Permutations, Routes

TRIALS = 12


def directed_cycles(n: int) -> list[tuple[int, ...]]:
    return [
        (chosen[0], *rest)
        for size in range(3, n + 1)
        for chosen in combinations(range(n), size)
        for rest in permutations(chosen[1:])
    ]


def arcs_of(cycle: tuple[int, ...] | list[int]) -> list[tuple[int, int]]:
    return list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_orders(n):
    rng = np.random.default_rng(n)
    u, v = np.triu_indices(n, 1)
    members = np.array(list(permutations(range(1, n + 1))))
    psi = np.where(members[:, u] < members[:, v], 1.0, -1.0)
    for _ in range(TRIALS):
        scores = rng.normal(size=len(u)) * 10.0 ** rng.integers(-8, 8)
        positions, bound = best_order(n, scores)
        best = (psi @ scores).max()
        found = np.where(positions[u] < positions[v], 1.0, -1.0) @ scores
        assert sorted(positions.tolist()) == list(range(1, n + 1))
        assert found == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_relaxed_orders_bound_all_orders(n):
    rng = np.random.default_rng(n)
    u, v = np.triu_indices(n, 1)
    for _ in range(TRIALS):
        scores = rng.normal(size=len(u))
        positions, bound = best_order(n, scores)
        relaxed = relaxed_order(n, scores)
        x = relaxed.before
        np.testing.assert_allclose(x + x.T, 1 - np.eye(n), atol=1e-12)
        assert all(x[a, b] + x[b, c] + x[c, a] >= 1 - 1e-5 for a, b, c in permutations(range(n), 3))
        assert relaxed.upper_bound == pytest.approx(((2 * x[u, v] - 1) * scores).sum(), abs=1e-5)
        assert relaxed.upper_bound >= bound - 1e-6
        if relaxed.is_order:
            np.testing.assert_array_equal(n - np.round(x).sum(axis=1), positions)


@pytest.mark.parametrize("limit", [None, 1, 5, 40])
@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_violated_three_cycles_are_those_of_all_triples(n, limit):
    rng = np.random.default_rng(n)
    number = {pair: k for k, pair in enumerate(combinations(range(n), 2))}
    for x in (rng.random(len(number)), np.round(rng.random(len(number))), np.full(len(number), 0.5)):
        excess = {}
        for a, b, c in combinations(range(n), 3):
            first, second, across = number[a, b], number[b, c], number[a, c]
            value = x[first] + x[second] - x[across]
            excess[first, second, across] = max(value - 1.0, -value)
        violated = [circle for circle in excess if excess[circle] > 1e-6]  # in lexicographic order
        expected = sorted(violated, key=lambda circle: -excess[circle])[:limit]
        found = violated_three_cycles(n, x, limit)
        assert [tuple(cut.columns) for cut in found] == expected
        assert all(cut[1:] == ([1.0, 1.0, -1.0], 0.0, 1.0) for cut in found)


def test_ctrl_c_is_answered_while_triples_are_looked_at(ctrl_c):
    n = 400
    x = np.random.default_rng(0).random(n * (n - 1) // 2)
    with ctrl_c():
        while True:
            violated_three_cycles(n, x, 2 * len(x))


def test_programs_stop_at_the_deadline_with_a_bound(monkeypatch):
    n = 30
    scores = np.random.default_rng(0).normal(size=n * (n - 1) // 2)
    for solve in (best_order, relaxed_order):
        with pytest.raises(OutOfTimeError) as stopped:
            solve(n, scores, watch=Watch(time.monotonic()))
        assert stopped.value.upper_bound == pytest.approx(np.abs(scores).sum())
    times = itertools.chain([0.0, 99.999], itertools.repeat(100.0))  # the second program has a millisecond
    monkeypatch.setattr(program, "time", types.SimpleNamespace(monotonic=lambda: next(times)))
    with pytest.raises(OutOfTimeError) as stopped:
        best_order(n, scores, watch=Watch(100.0))
    found = Permutations(n).embed([Permutations(n).decode(scores)])[0] @ scores
    assert found <= stopped.value.upper_bound <= np.abs(scores).sum()


@pytest.mark.parametrize("wrong", [-1.0, 0.5, 2.0, np.nan])
@pytest.mark.parametrize("times", [1, 2])
def test_illegal_solutions_are_solved_again_without_presolve(monkeypatch, wrong, times):
    """HiGHS in SciPy 1.10 calls vectors outside of their bounds optimal where presolve transforms the program."""
    gains = np.random.default_rng(0).normal(size=(5, 5))
    expected, asked, honest = best_directed_cycle(5, gains), [], program.milp

    def milp(*args, options, **kwargs):
        asked.append(options["presolve"])
        found = honest(*args, options=options, **kwargs)
        if len(asked) <= times:
            found.x[0] = wrong
        return found

    monkeypatch.setattr(program, "milp", milp)
    if times == 1:
        assert best_directed_cycle(5, gains) == expected
    else:
        with pytest.raises(NumericalError):
            best_directed_cycle(5, gains)
    assert asked[:2] == [True, False] and all(asked[2:])


def test_solutions_that_violate_rows_are_solved_again_without_presolve(monkeypatch):
    honest = program.milp
    for relaxed in (False, True):
        asked = []

        def milp(scores, options, asked=asked, **kwargs):
            asked.append(options["presolve"])
            found = honest(scores, options=options, **kwargs)
            if options["presolve"]:
                found.x[:] = 1.0
            return found

        monkeypatch.setattr(program, "milp", milp)
        at_most_one = Cut([0, 1], [1.0, 1.0], 0.0, 1.0)
        found = program.maximise(np.array([1.0, 2.0]), [at_most_one], lambda x: [], relaxed=relaxed)
        assert found.x.tolist() == [0, 1] and asked == [True, False]


@pytest.mark.parametrize("n", [3, 4, 6])
def test_directed_cycles(n):
    rng = np.random.default_rng(n)
    members = directed_cycles(n)
    for trial in range(TRIALS):
        gains = rng.normal(loc=-1.0 + trial / 4, size=(n, n))
        cycle, bound = best_directed_cycle(n, gains)
        best = max(sum(gains[a] for a in arcs_of(each)) for each in members)
        assert tuple(cycle) in members
        assert sum(gains[a] for a in arcs_of(cycle)) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_cycles(n):
    rng = np.random.default_rng(n)
    members = [c for c in directed_cycles(n) if c[1] < c[-1]]
    number = {e: k for k, e in enumerate(combinations(range(n), 2))}
    for trial in range(TRIALS):
        gains = rng.normal(loc=-1.0 + trial / 4, size=len(number))
        worth = lambda cycle, gains=gains: sum(gains[number[min(a), max(a)]] for a in arcs_of(cycle))  # noqa: E731
        cycle, bound = best_cycle(n, gains)
        best = max(map(worth, members))
        assert tuple(cycle) in members
        assert worth(cycle) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_routes(n):
    rng = np.random.default_rng(n)
    members = [route for size in range(2, n + 1) for route in permutations(range(n), size)]
    for trial in range(TRIALS):
        gains, starts, ends = rng.normal(loc=-1.0 + trial / 4, size=(n, n)), rng.normal(size=n), rng.normal(size=n)

        def worth(route, gains=gains, starts=starts, ends=ends):
            return starts[route[0]] + ends[route[-1]] + sum(gains[a] for a in zip(route, route[1:], strict=False))

        route, bound = best_route(n, gains, starts, ends)
        best = max(map(worth, members))
        assert tuple(route) in members
        assert worth(route) == pytest.approx(best, rel=1e-6)
        assert bound == pytest.approx(best, rel=1e-6)


def test_scores_of_zero_and_ties():
    assert sorted(best_order(4, np.zeros(6))[0].tolist()) == [1, 2, 3, 4]
    assert len(best_directed_cycle(5, np.zeros((5, 5)))[0]) >= 3
    assert len(best_cycle(5, np.ones(10))[0]) == 5
    assert len(best_route(4, np.zeros((4, 4)), np.zeros(4), np.zeros(4))[0]) >= 2


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_estimators_decode_by_programs(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), Permutations(6).sample(40, random_state=0)
    model = StructuredRidge("permutations", loss=loss, kernel="rbf", alpha=0.01).fit(X, y)
    exact = model.predict(X, return_certificate=True)[1]
    program = model.set_params(decoder="milp").predict(X, return_certificate=True)[1]
    np.testing.assert_allclose(program.value, exact.value, rtol=1e-9)
    np.testing.assert_allclose(program.upper_bound, exact.upper_bound, rtol=1e-6)
    np.testing.assert_array_equal(program.structures, exact.structures)
    assert program.optimal.all()


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", [DirectedCycles(6), Cycles(6), Routes(5)], ids=lambda s: s.name)
def test_programs_agree_with_the_exact_decoders(structure, loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 3)), structure.sample(8, random_state=0)
    model = StructuredRidge(structure, loss=loss, kernel="rbf", alpha=0.01).fit(X, y)
    exact = model.predict(X, return_certificate=True)[1]
    program = model.set_params(decoder="milp").predict(X, return_certificate=True)[1]
    np.testing.assert_allclose(program.value, exact.value, rtol=1e-9)
    np.testing.assert_allclose(program.upper_bound, exact.value, rtol=1e-6)
    np.testing.assert_array_equal(program.structures, exact.structures)


def test_programs_reach_beyond_the_exact_decoder():
    """The majorities form one strongly connected component, larger than the recursion over subsets takes."""
    n = 24
    scores = np.random.default_rng(1).normal(size=n * (n - 1) // 2)
    X = np.ones((2, 1))
    model = StructuredRidge(Permutations(n), fit_intercept=False, alpha=1e-3).fit(X, Permutations(n).sample(2, 0))
    model.coef_ = scores[:, None]
    searched = model.set_params(decoder="local-search").predict(X[:1], return_certificate=True)[1]
    solved = model.set_params(decoder="milp").predict(X[:1], return_certificate=True)[1]
    with pytest.raises(CapabilityError) as caught:
        model.set_params(decoder="exact").predict(X[:1])
    assert caught.value.row == 0
    assert searched.value[0] <= solved.value[0] * (1 + 1e-9) <= searched.upper_bound[0] * (1 + 1e-9)


def test_structures_without_a_program_are_refused_by_name():
    model = StructuredRidge(LabelSets(2), decoder="milp").fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.raises(CapabilityError, match="LabelSets is not decoded as an integer program"):
        model.predict([[0.0]])
