"""Solvers of max-margin training: how fast cutting planes close their gap, and who decodes."""

from __future__ import annotations

import numpy as np
import pytest

from combpred.baselines import StructuredSVM
from combpred.structures import Custom, DirectedCycles, LabelSets, Permutations, WeakOrders
from margin_problems import data, hinge_losses, least_objective, members


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("average", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_outputs_decoded_in_python_are_learnt_as_those_of_the_library(average, rescaling):
    n = 15  # so that outputs are too many for a list, and slack rescaling searches
    sets = Custom(
        log_count=n * np.log(2), mean=[0.5] * n, second_moment=np.full((n, n), 0.25) + np.eye(n) / 4,
        embed=np.asarray, decode=lambda scores: (scores > 0).astype(int),
    )  # fmt: skip
    X, y = data(LabelSets(n), n=12, p=3)
    options = {"solver": "frank-wolfe", "rescaling": rescaling, "average": average, "max_iter": 8, "random_state": 3}
    weights = np.arange(12) / 4
    library = StructuredSVM(LabelSets(n), **options).fit(X, y, sample_weight=weights)
    python = StructuredSVM(sets, cost="hamming", **options).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(python.coef_, library.coef_, atol=1e-10)
    assert python.objective_ == pytest.approx(library.objective_, rel=1e-12)
    assert python.n_oracle_calls_ == library.n_oracle_calls_
    np.testing.assert_allclose(python.gap_curve_, library.gap_curve_)
    assert library.exact_ == (rescaling == "margin")
    assert not python.exact_


@pytest.mark.parametrize("structure", [DirectedCycles(4), Permutations(4)])
def test_integer_programs_lead_cutting_planes_through_the_same_steps(structure):
    X, y = data(structure, n=6)
    library = StructuredSVM(structure, C=10.0, tol=1e-4, fit_intercept=False).fit(X, y)
    python = StructuredSVM(structure, C=10.0, tol=1e-4, fit_intercept=False, decoder="milp").fit(X, y)
    assert python.exact_
    assert python.objective_ == pytest.approx(library.objective_, rel=2e-4)


@pytest.mark.parametrize("structure", [Permutations(3), LabelSets(4), DirectedCycles(4), WeakOrders(3)])
def test_both_solvers_find_the_same_minimum(structure):
    X, y = data(structure, n=10)
    planes = StructuredSVM(structure, tol=1e-6).fit(X, y)
    steps = StructuredSVM(structure, solver="frank-wolfe", tol=1e-2, random_state=0).fit(X, y)
    assert planes.objective_ - planes.dual_gap_ <= steps.objective_
    assert steps.objective_ - steps.dual_gap_ <= planes.objective_


def test_cutting_planes_at_large_penalties_need_few_iterations():
    """Some 80; 350 with planes at the minimum of those before, not near the best weights."""
    X, y = data(Permutations(5), n=60)
    model = StructuredSVM("permutations", C=100.0, solver="cutting-plane").fit(X, y)
    assert model.n_iter_ < 200 and model.dual_gap_ <= 1e-2 * model.objective_


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
