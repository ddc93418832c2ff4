"""A user's own loss between outputs in training by margins, against affine losses and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from combpred import CapabilityError
from combpred.baselines import StructuredSVM
from combpred.losses import structured_hinge_loss
from combpred.structures import Custom, LabelSets

SETS = np.array(list(LabelSets(3).enumerate()))
PSI = SETS.astype(float)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(25, 2))
PLACES = np.argmax(X @ RNG.normal(size=(2, 3)) @ PSI.T + RNG.gumbel(size=(25, 8)), axis=1)
HAMMING = np.abs(PSI[:, None] - PSI).sum(axis=2)


def own(y, z):
    """Not affine in ψ, and not symmetric: a missing label costs three times what a superfluous one does, and more."""
    y, z = np.asarray(y), np.asarray(z)
    return float((3 * np.maximum(y - z, 0).sum() + np.maximum(z - y, 0).sum()) ** 1.5)


OWN = np.array([[own(y, z) for z in SETS] for y in SETS])


def svm(structure, **options):
    return StructuredSVM(structure, **{"C": 0.5, "tol": 1e-4, "max_iter": 3000, **options})


@pytest.mark.parametrize("solver", ["cutting-plane", "frank-wolfe"])
def test_the_hamming_loss_as_ones_own_is_that_of_label_sets(solver):
    reference = svm(LabelSets(3), cost="hamming", solver=solver).fit(X, SETS[PLACES])
    model = svm(Custom.from_structures(SETS.tolist(), PSI, loss=HAMMING), solver=solver).fit(X, PLACES)
    assert model.cost_ == "own" and model.exact_
    assert model.objective_ == pytest.approx(reference.objective_, rel=1e-3)


def violations(w, slack):
    """Return the margin violations (n, 8) at weights of two inputs and an intercept."""
    f = np.c_[X, np.ones(len(X))] @ w.reshape(3, 3)
    ahead = f @ PSI.T - np.einsum("ij,ij->i", f, PSI[PLACES])[:, None]
    return OWN[PLACES] * (1 + ahead) if slack else OWN[PLACES] + ahead


def least_objective(slack):
    """Minimise the regularised hinge loss as a quadratic program in weights and slacks."""
    n, at = len(X), np.zeros(9)
    constant, slope = violations(at, slack), np.array([violations(e, slack) - violations(at, slack) for e in np.eye(9)])
    found = minimize(
        lambda v: 0.5 * v[:9] @ v[:9] + 0.5 * v[9:].sum(),
        np.r_[at, constant.max(axis=1)],
        jac=lambda v: np.r_[v[:9], np.full(n, 0.5)],
        constraints={
            "type": "ineq",
            "fun": lambda v: (v[9:, None] - constant - np.tensordot(v[:9], slope, 1)).ravel(),
            "jac": lambda v: np.c_[-slope.reshape(9, -1).T, np.repeat(np.eye(n), 8, axis=0)],
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
def test_the_objective_is_that_of_a_quadratic_program(rescaling):
    expected = least_objective(rescaling == "slack")
    for loss in (OWN, own):
        model = svm(Custom.from_structures(SETS.tolist(), PSI, loss=loss), rescaling=rescaling).fit(X, PLACES)
        w = np.c_[model.coef_, model.intercept_].T.ravel()
        hinge = violations(w, rescaling == "slack").max(axis=1)
        assert model.objective_ == pytest.approx(0.5 * w @ w + 0.5 * hinge.sum())
        assert model.objective_ == pytest.approx(expected, rel=1e-3)


def draw(rng):
    return rng.integers(2, size=3)


@pytest.mark.parametrize("decode", [None, lambda s: (s > 0).astype(int)])
def test_functions_search_the_worst_among_draws(decode):
    """All eight sets are among 300 draws but for 8 (7/8)^300 < 1e-16 of seeds."""
    listed = svm(Custom.from_structures(SETS.tolist(), PSI, loss=own)).fit(X, PLACES)
    space = Custom.from_sampler(draw, np.asarray, decode, loss=own, n_proposals=300, n_moment_samples=100)
    model = svm(space).fit(X, SETS[PLACES])
    assert model.objective_ == pytest.approx(listed.objective_, rel=1e-3) and not model.exact_
    kernel = svm(space, kernel="rbf", gamma=0.5).fit(X, SETS[PLACES], sample_weight=(np.arange(25) > 4).astype(float))
    few = svm(space, kernel="rbf", gamma=0.5).fit(X[5:], SETS[PLACES[5:]])
    assert kernel.objective_ == pytest.approx(few.objective_, rel=1e-3)


def test_a_decoder_finds_what_draws_do_not():
    """With one draw alone, what `decode` finds is the only other candidate."""
    space = Custom.from_sampler(draw, np.asarray, lambda s: (s > 0).astype(int), loss=own, n_proposals=1)
    scores = 10 * RNG.normal(size=(25, 3))
    found = structured_hinge_loss(space, scores, SETS[PLACES], cost="own", per_row=True)
    best = (scores > 0).astype(int)
    least = [own(y, z) for y, z in zip(SETS[PLACES], best, strict=True)]
    assert (found >= least + np.einsum("ij,ij->i", scores, best - PSI[PLACES]) - 1e-9).all()


def test_hinge_losses_take_it():
    listed = Custom.from_structures(SETS.tolist(), PSI, loss=OWN)
    scores = RNG.normal(size=(25, 3))
    found = structured_hinge_loss(listed, scores, PLACES, cost="own", per_row=True)
    values = OWN[PLACES] + scores @ PSI.T - np.einsum("ij,ij->i", scores, PSI[PLACES])[:, None]
    assert_allclose(found, values.max(axis=1))


@pytest.mark.parametrize(
    ("loss", "row"),
    [
        (np.ones((8, 8)), None),
        (np.eye(8) - 1, None),
        (np.ones((2, 8)), None),
        (lambda y, z: "far", 0),
    ],
)
def test_rubbish_is_named(loss, row):
    with pytest.raises(ValueError) as caught:
        svm(Custom.from_structures(SETS.tolist(), PSI, loss=loss)).fit(X, PLACES)
    assert getattr(caught.value, "row", None) == row


def test_rubbish_of_functions_is_named_by_row():
    for loss, row in (
        (lambda y, z: np.nan, 0),
        (lambda y, z: -1.0 if y[0] and not z[0] else 0.0, int(np.argmax(PSI[PLACES, 0]))),
    ):
        space = Custom.from_sampler(draw, np.asarray, loss=loss, n_proposals=100, n_moment_samples=100)
        with pytest.raises(ValueError) as caught:
            svm(space).fit(X, SETS[PLACES])
        assert caught.value.row == row
    with pytest.raises(CapabilityError):
        svm(LabelSets(3), cost="own").fit(X, SETS[PLACES])
    formulas = Custom(
        log_count=np.log(8),
        mean=np.full(3, 0.5),
        second_moment=LabelSets(3).second_moment(),
        embed=np.asarray,
        loss=own,
    )
    with pytest.raises(CapabilityError):
        svm(formulas).fit(X, SETS[PLACES])
