"""Solvers of max-margin training: quadratic programs over the simplex, and how fast cutting planes close their gap."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from combpred._models.maxmargin.solvers import concave_maximum
from combpred.baselines import StructuredSVM
from combpred.structures import (
    DirectedCycles,
    LabelSets,
    Permutations,
)
from margin_problems import data, hinge_losses, least_objective, members


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(
    ("structure", "n_passes"),
    # In its fourth pass over cycles two of them are equally bad, and rounding decides which is taken.
    [(Permutations(4), 8), (LabelSets(4), 8), (DirectedCycles(5), 3)],
)
def test_steps_in_python_are_those_of_the_library(structure, n_passes, average, monkeypatch):
    X, y = data(structure, n=12, p=3)
    model = StructuredSVM(structure, solver="frank-wolfe", average=average, max_iter=n_passes, tol=1e-9, random_state=3)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        compiled = model.fit(X, y, sample_weight=np.arange(12) / 4).coef_
    monkeypatch.setattr("combpred._models.maxmargin.solvers._by_library", lambda *_: None)
    with pytest.warns(ConvergenceWarning):
        np.testing.assert_allclose(model.fit(X, y, sample_weight=np.arange(12) / 4).coef_, compiled, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_programs_over_the_simplex(seed):
    rng = np.random.default_rng(seed)
    k = 7
    A = rng.normal(size=(k, 3 if seed % 2 else k))  # of rank 3 now and then
    A[3] = A[2]  # and with planes that repeat
    gram, linear = A @ A.T, rng.normal(size=k)
    linear[3] = linear[2]
    x = concave_maximum(gram, linear, np.eye(k)[0])
    assert (x >= 0).all() and x.sum() == pytest.approx(1.0)
    derivative = linear - gram @ x
    assert derivative.max() - x @ derivative <= 1e-8  # which bounds the distance from the maximum
    near = concave_maximum(gram, linear, np.eye(k)[0], gap=0.2)
    derivative = linear - gram @ near
    assert derivative.max() - near @ derivative <= 0.2 and near.sum() == pytest.approx(1.0)


def test_cutting_planes_at_large_penalties_need_few_iterations():
    """Some 80; 350 with planes at the minimum of those before, not near the best weights."""
    X, y = data(Permutations(5), n=60)
    model = StructuredSVM("permutations", C=100.0, solver="cutting-plane").fit(X, y)
    assert model.n_iter_ < 200 and model.dual_gap_ <= 1e-2 * model.objective_


@pytest.mark.parametrize("seed", [0, 2])  # the planes surround the origin: the maximum is one of many that cancel
def test_quadratic_programs_of_planes_much_longer_than_losses(seed):
    rng = np.random.default_rng(seed)
    A, linear = 1e5 * rng.normal(size=(40, 12)), rng.uniform(size=40)
    x = concave_maximum(A @ A.T, linear, np.eye(40)[0])
    derivative = linear - A @ (A.T @ x)
    assert derivative.max() - x @ derivative <= 2e-3 * (linear @ x)  # rounding makes some 1e-4


@pytest.mark.parametrize("solver", ["frank-wolfe", "cutting-plane"])
@pytest.mark.parametrize("max_iter", [1, 2, 500])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_curve_of_the_gap_is_finite_and_encloses_the_minimum(solver, max_iter):
    structure = Permutations(3)
    X, y = data(structure, n=8)
    model = StructuredSVM(structure, solver=solver, tol=1e-6, max_iter=max_iter, fit_intercept=False).fit(X, y)
    outputs, psi = members(structure), structure.embed(y)
    losses = structure.space.loss(model.cost_).between(psi[:, np.newaxis], outputs[np.newaxis])
    least = least_objective(X, psi, outputs, losses, np.ones(8), slack=False)
    passes, objectives, bounds = (np.array(column) for column in zip(*model.gap_curve_, strict=True))
    assert np.isfinite(objectives).all()
    assert np.isfinite(bounds).all()
    assert bounds.max() <= least * (1 + 1e-6)
    assert objectives.min() >= least * (1 - 1e-6)
    assert (np.diff(passes) > 0).all()
    last = (model.n_iter_, model.objective_, model.objective_ - model.dual_gap_)
    np.testing.assert_allclose(model.gap_curve_[-1], last, rtol=1e-12)
    if solver == "cutting-plane":
        assert (np.diff(objectives) <= 0).all()
        assert (np.diff(bounds) >= 0).all()


def test_cutting_planes_at_small_penalties_need_few_iterations():
    """Five; 34 with weights that go a tenth of the way only."""
    X, y = data(LabelSets(6), n=40, p=3)
    model = StructuredSVM(LabelSets(6), C=0.01, tol=1e-4).fit(X, y)
    assert model.n_iter_ < 15
    assert model.dual_gap_ <= 1e-4 * model.objective_


@pytest.mark.parametrize("seed", range(3))
def test_what_approximate_decoding_overlooks_is_remembered(seed):
    """The best of a few candidates misses the worst structure, but the next passes find it near the same weights."""
    structure = Permutations(4)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    y = structure.decode(X @ rng.normal(size=(3, structure.n_features)))  # which some weights explain
    found, exact = (
        StructuredSVM(structure, C=1e4, n_candidates=number, fit_intercept=False, random_state=0).fit(X, y)
        for number in (3, None)
    )
    psi, outputs = structure.embed(y), members(structure)
    losses = structure.space.loss(found.cost_).between(psi[:, np.newaxis], outputs[np.newaxis])
    W = found.coef_.T
    objective = 0.5 * np.sum(W**2) + 1e4 * hinge_losses(W, X, psi, outputs, losses, slack=False).sum()
    assert found.objective_ <= objective * (1 + 1e-9)
    assert found.dual_gap_ >= -1e-9 * found.objective_
    assert not found.exact_
    assert objective < 10 * exact.objective_  # some hundred times as much where passes are forgotten
