"""Independence systems by a membership oracle, against enumeration of all sets of elements."""

from __future__ import annotations

import math
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import chi2

from combpred import CapabilityError, ProbabilisticStructured, StructuredRidge, sampling
from combpred._lib.decode import Decoding
from combpred.baselines import StructuredSVM
from combpred.structures import Custom, Graphs

N = 7
KILOS = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 1.5, 0.5])
WEIGHTS = np.array([1.0, 0.25, 4.0, 2.0, 1.0, 9.0, 0.5])
ALL = np.array(list(product([0, 1], repeat=N)))


def fits(held):
    return bool(KILOS[: len(held)][held].sum() <= 6.0)


def independent(held):
    """Columns of a matrix over the rationals: a matroid."""
    return not held.any() or np.linalg.matrix_rank(COLUMNS[:, held]) == held.sum()


COLUMNS = np.random.default_rng(0).integers(-1, 2, size=(3, N)).astype(float)
MEMBERS = {name: ALL[[name(y.astype(bool)) for y in ALL]] for name in (fits, independent)}
each = pytest.mark.parametrize("contains", [fits, independent])
SCORES = np.random.default_rng(1).normal(size=(30, N))


@each
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_small_systems_are_exact(contains, weights):
    space, members = Custom.from_oracle(N, contains, weights=weights), MEMBERS[contains]
    psi = members * (1.0 if weights is None else np.sqrt(weights))
    assert space.count() == len(members) and space.log_count() == pytest.approx(math.log(len(members)))
    assert space.moments_info.kind == "exact"
    assert_allclose(space.mean(), psi.mean(axis=0))
    assert_allclose(space.second_moment(), psi.T @ psi / len(psi))
    assert_allclose(space.embed(members), psi)
    found = space.space.decode(SCORES)
    assert found.optimal.all() and (found.nu == 0).all()
    assert_allclose(found.value, (SCORES @ psi.T).max(axis=1))
    squares = np.full(N, -0.5)
    assert_allclose(space.space.decode(SCORES, squares).value, (SCORES @ psi.T - 0.5 * (psi**2).sum(1)).max(axis=1))
    drawn = space.sample(50 * len(members), random_state=0)
    counts = (drawn[:, None] == members).all(axis=2).sum(axis=0)
    assert np.sum((counts - 50.0) ** 2 / 50.0) < chi2.ppf(1 - 1e-6, len(members) - 1)  # a false alarm in a million


@each
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_small_systems_have_exact_distributions(contains, weights):
    space, members = Custom.from_oracle(N, contains, weights=weights), MEMBERS[contains]
    psi = members * (1.0 if weights is None else np.sqrt(weights))
    values = SCORES @ psi.T
    log_z = logsumexp(values, axis=1)
    assert_allclose(space.log_partition(SCORES), log_z)
    found = sampling.log_partition(space, SCORES)
    assert found.is_exact.all()
    assert_allclose(found.value, log_z)
    p = np.exp(values - log_z[:, None])
    assert_allclose(space.marginals(SCORES), p @ psi, atol=1e-12)
    drawn = sampling.sample(space, SCORES[0], 4000, sampler="exact", random_state=0)
    counts = (drawn.y == members).all(axis=2).sum(axis=0)
    assert counts.sum() == 4000
    likely = 4000 * p[0] > 5
    statistic = np.sum((counts - 4000 * p[0])[likely] ** 2 / (4000 * p[0])[likely])
    assert statistic < chi2.ppf(1 - 1e-6, likely.sum())  # a false alarm in a million
    listed = list(space.k_best(SCORES[0]))
    assert len(listed) == len(members)
    assert_allclose([psi[(members == y).all(axis=1).argmax()] @ SCORES[0] for y in listed], -np.sort(-values[0]))
    assert_allclose(sampling.optimum_probability(space, SCORES).value, p.max(axis=1))


@each
def test_models_of_small_systems_are_exact(contains):
    rng, members = np.random.default_rng(4), MEMBERS[contains]
    X, places = rng.normal(size=(30, 2)), rng.integers(len(members), size=30)
    own = ProbabilisticStructured(Custom.from_oracle(N, contains)).fit(X, members[places])
    listed = ProbabilisticStructured(Custom.from_structures(members.tolist(), members.astype(float))).fit(X, places)
    assert (own.inference_, own.objective_) == ("recursion", pytest.approx(listed.objective_))
    assert_array_equal(own.predict(X), members[listed.predict(X)])
    assert_allclose(own.log_proba(X, members[places]), listed.log_proba(X, places))
    assert own.sample(X, n_samples=2, random_state=0).y.shape == (2, 30, N)
    own_loss = Custom.from_oracle(N, contains, loss=lambda y, z: float(np.abs(y - z).sum()))
    by_loss = StructuredSVM(own_loss, cost="own", max_iter=300).fit(X, members[places])
    hamming = StructuredSVM(Custom.from_oracle(N, contains), cost="hamming", max_iter=300).fit(X, members[places])
    assert_allclose(by_loss.coef_, hamming.coef_, atol=1e-6)


def test_large_systems_say_what_they_lack():
    large = Custom.from_oracle(30, clash_free)
    for act in (large.count, lambda: next(large.k_best(np.ones(30))), lambda: large.log_partition(np.ones(30))):
        with pytest.raises(CapabilityError):
            act()
    with pytest.raises(CapabilityError):
        ProbabilisticStructured(large, inference="exact").fit(np.ones((1, 1)), np.zeros((1, 30)))
    asked = []
    whole = Custom.from_oracle(11, lambda held: asked.append(1) is None)
    assert whole.count() == 2**11 and len(asked) <= 2**11 + 1  # one question for each member


@each
def test_listed_and_unlisted_systems_train_alike(contains, monkeypatch):
    """The search by questions finds what the list does, and given moments are those of the list."""
    rng, members = np.random.default_rng(2), MEMBERS[contains]
    X = rng.normal(size=(40, 3))
    y = members[np.argmax(X @ rng.normal(size=(3, N)) @ members.T, axis=1)]
    listed = Custom.from_oracle(N, contains)
    models = [StructuredRidge(listed, loss=loss).fit(X, y) for loss in ("auc", "squared")]
    expected = StructuredRidge(Custom.from_structures(members.tolist(), members.astype(float)), loss="auc")
    places = (y[:, None] == members).all(axis=2).argmax(axis=1)
    assert_array_equal(members[expected.fit(X, places).predict(X)], models[0].predict(X))
    assert models[1].score(X, y) > 0.5
    assert_array_equal(pickle.loads(pickle.dumps(models[0])).predict(X), models[0].predict(X))
    assert StructuredSVM(listed, max_iter=50).fit(X, y).score(X, y) > 0.5
    monkeypatch.setattr("combpred.structures._own.oracle._QUESTIONS", 5)
    asked = Custom.from_oracle(N, contains, mean=listed.mean(), second_moment=listed.second_moment())
    model = StructuredRidge(asked, loss="auc").fit(X, y)
    assert_allclose(model.coef_, models[0].coef_)
    found = model.predict(X, return_certificate=True)[1]
    assert_array_equal(found.structures, models[0].predict(X))
    assert found.optimal.all()
    with pytest.raises(CapabilityError):
        asked.sample(1)
    with pytest.raises(CapabilityError):
        asked.count()
    relaxed = Custom.from_oracle(N, contains, weights=WEIGHTS)
    assert relaxed.moments_info.kind == "relaxed"
    psi = ALL * np.sqrt(WEIGHTS)
    assert_allclose(relaxed.mean(), psi.mean(axis=0))
    assert_allclose(relaxed.second_moment(), psi.T @ psi / len(psi))


def clash_free(held):
    return not (held[1:] & held[:-1]).any()


def test_large_systems_have_the_guarantee_of_blocks():
    """30 tasks in a row of which neighbours clash: the optimum by recursion."""
    space = Custom.from_oracle(30, clash_free)
    scores = np.abs(np.random.default_rng(3).normal(size=(4, 30))) + 0.1
    found = space.space.decode(scores)
    for s, value, upper, nu in zip(scores, found.value, found.upper_bound, found.nu, strict=True):
        before, best = 0.0, 0.0
        for score in s:
            before, best = best, max(best, before + score)
        assert (1 - nu) * best - 1e-9 <= value <= best + 1e-9 and best <= upper + 1e-9
    assert (found.nu <= 0.5).all()  # two blocks
    with pytest.raises(CapabilityError) as caught:
        space.space.decode(scores, None, Decoding("exact"))
    assert caught.value.row == 0
    assert sampling.log_partition(
        Custom.from_oracle(12, clash_free, n_moment_samples=50), np.full(12, 0.1), epsilon=0.5, random_state=0
    ).lower[0] < math.log(377 * 1.5)


def test_edges_as_elements_are_graphs():
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]

    def triangle_free(held):
        return not (held[[0, 1, 2]].all() or held[[2, 3, 4]].all())

    graphs, own = Graphs(4, edges=edges, hereditary=triangle_free), Custom.from_oracle(5, triangle_free)
    assert_array_equal(graphs.decode(SCORES[:, :5]), own.decode(SCORES[:, :5]))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"n_elements": 0}, ValueError),
        ({"n_elements": 2.0}, TypeError),
        ({"contains": 1}, TypeError),
        ({"contains": lambda held: 1}, TypeError),
        ({"contains": lambda held: held.any()}, ValueError),
        ({"contains": lambda held: held.fill(True)}, ValueError),
        ({"weights": np.ones(3)}, ValueError),
        ({"weights": [1.0] * 6 + [0.0]}, ValueError),
        ({"embed": fits}, ValueError),
    ],
)
def test_rubbish_is_named(changes, error):
    with pytest.raises(error):
        Custom(**{"n_elements": N, "contains": fits, **changes}).decode(SCORES)


def test_a_member_whose_subset_is_none_is_named():
    """Not found by adding elements one by one, and noticed where it is given."""
    odd = np.array([1, 1] + [0] * 10)
    space = Custom.from_oracle(12, lambda held: not held.any() or (held == odd).all())
    assert space.count() == 1
    with pytest.raises(ValueError, match=r"y, row 1: contains is True .* \(0, 1\) one by one does not lead to it"):
        space.validate([0 * odd, odd])


def test_samplers_are_asked_for_by_the_parameter_that_takes_them():
    """Larger systems are drawn from by `sample`, which `from_oracle` has as well."""
    options: dict[str, Any] = {"n_elements": 30, "contains": lambda held: held.sum() <= 9}
    with pytest.raises(CapabilityError):
        Custom.from_oracle(**options).sample(2)
    drawn = Custom.from_oracle(**options, sample=lambda rng: np.repeat([0, 1], [27, 3])[rng.permutation(30)]).sample(2)
    assert drawn.sum(axis=1).tolist() == [3, 3]


def test_rows_that_are_no_members_are_named():
    space = Custom.from_oracle(N, fits)
    for bad in (
        [1] * N,
        [0] * 6,
        [2] + [0] * 6,
    ):
        with pytest.raises(ValueError) as caught:
            space.validate([[0] * N, bad])
        assert (caught.value.argument, caught.value.row) == ("y", 1)
