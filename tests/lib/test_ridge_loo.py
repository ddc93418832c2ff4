"""Leave-one-out under a list of penalties: one call against numpy's closed form, and precisions against each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from combpred._lib.call import computed
from combpred._lib.errors import NumericalError
from combpred._lib.ridge import RidgeProblem, Targets, left_out_scores, ridge_plan
from combpred._lib.structure import Description, structure_embed, structure_mean

ALPHAS = [1e-3, 0.1, 10.0]
RANKINGS = Description("permutations", {"n": 4})


def problem(kind, n=160, seed=0):
    """Return a kernel matrix and outputs: of low rank, of full rank, or of a condition beyond single precision."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    x[:, 2] *= 100.0
    squares = ((x[:, None] - x) ** 2).sum(-1)
    kernel = {"low rank": x @ x.T, "full rank": np.exp(-squares), "smooth": 1e4 * np.exp(-1e-5 * squares)}[kind]
    y = rng.permuted(np.tile(np.arange(1, 5, dtype=np.int32), (n, 1)), axis=1)
    return kernel, Targets(structure_embed(RANKINGS, y), rng.integers(0, 3, size=n).astype(float))


def scores(kind, loss, precision, alphas, room="double"):
    kernel, targets = problem(kind)
    options = {"loss": loss, "shift": 1.0, "precision": precision}
    plan = ridge_plan(RANKINGS, options, targets.n, 0, 0)
    work = np.empty(plan[f"work_loo_{room}"], dtype=np.uint8)
    found = np.empty((len(alphas), *targets.psi.shape))
    loo, scratch = {"alphas": np.array(alphas), "scores": found}, {"data": work, "bytes": work.nbytes}
    computed("cp_ridge_loo", RANKINGS, options, kernel, targets, loo, scratch, n_threads=1)
    return found


@pytest.mark.parametrize("kind", ["low rank", "full rank", "smooth"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_squared_loss_is_the_leave_one_out_of_kernel_ridge(kind, precision):
    kernel, targets = problem(kind)
    found = scores(kind, "squared", precision, ALPHAS)
    y = targets.psi - structure_mean(RANKINGS)
    rows = np.flatnonzero(targets.weights)
    root = np.sqrt(targets.weights[rows])
    weighted = root[:, None] * (kernel[np.ix_(rows, rows)] + 1.0) * root
    for alpha, got in zip(ALPHAS, found, strict=True):
        inverse = np.linalg.inv(weighted + 2 * alpha * np.eye(len(rows)))
        want = y[rows] - (inverse @ (root[:, None] * y[rows])) / np.diag(inverse)[:, None] / root[:, None]
        # The inverse itself is known to about 1e-16 times the condition, 1e10 at most.
        np.testing.assert_allclose(got[rows], want, rtol=0, atol=1e-3 if precision == "single" else 1e-5)
        assert not got[targets.weights == 0].any()


@pytest.mark.parametrize("kind", ["low rank", "full rank", "smooth"])
def test_single_precision_gives_the_scores_of_double(kind):
    single, double = (scores(kind, "auc", precision, ALPHAS) for precision in ("single", "double"))
    assert np.abs(single - double).max() < 1e-3 * np.abs(double).max()


@pytest.mark.parametrize("kind", ["low rank", "full rank"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_a_list_gives_what_its_penalties_give(kind, loss):
    together = scores(kind, loss, "double", ALPHAS)
    for alpha, each in zip(ALPHAS, together, strict=True):
        np.testing.assert_allclose(scores(kind, loss, "double", [alpha])[0], each, rtol=0, atol=1e-8)


def features(n=400, seed=0):
    """Return features, outputs and weights."""
    rng = np.random.default_rng(seed)
    y = rng.permuted(np.tile(np.arange(1, 5, dtype=np.int32), (n, 1)), axis=1)
    weights = rng.integers(0, 3, size=n).astype(float)
    return rng.normal(size=(n, 4)) * [1, 10, 0.1, 1] + 3, Targets(structure_embed(RANKINGS, y), weights)


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("copies", [1, 12])  # so many weights that labels are taken out in the margins
def test_features_give_what_their_linear_kernel_does(loss, shift, copies):
    x, targets = features()
    x = np.hstack([x, *np.random.default_rng(1).normal(size=(copies - 1, *x.shape))])
    problem = RidgeProblem(RANKINGS, targets, {"loss": loss, "shift": shift}, 1, 0)
    plan = problem.plan(x.shape[1], 0)
    assert plan["route_loo"] == "features" and (plan["work_loo_double"] > 0) == (loss == "auc" and copies > 1)
    given = left_out_scores(problem, x, ALPHAS, p=x.shape[1])
    for found, expected in zip(given, left_out_scores(problem, x @ x.T, ALPHAS), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


def refitted(x, psi, row, alpha):
    """Return what ridge regression on the other rows predicts for one, in exact arithmetic."""
    others = [[Fraction(v) for v in each] for at, each in enumerate(x.tolist()) if at != row]
    told = [[Fraction(v) for v in each] for at, each in enumerate(psi.tolist()) if at != row]
    q = len(others[0])
    system = [
        [sum(one[j] * one[k] for one in others) + 2 * Fraction(alpha) * (j == k) for k in range(q)]
        + [sum(one[j] * entry[k] for one, entry in zip(others, told, strict=True)) for k in range(psi.shape[1])]
        for j in range(q)
    ]
    for j in range(q):  # positive definite: no pivots
        system[j] = [v / system[j][j] for v in system[j]]
        for k in range(q):
            if k != j:
                system[k] = [v - system[k][j] * w for v, w in zip(system[k], system[j], strict=True)]
    weights = np.array(system, dtype=object)[:, q:]
    return (np.array([Fraction(v) for v in x[row].tolist()]) @ weights).astype(float)


@pytest.mark.parametrize(
    "kind", ["all features large", "one feature large", "far from zero", "copies", "one feature large, with a copy"]
)
@pytest.mark.parametrize("alpha", [1.0, 1e-6])
def test_features_of_any_scale_leave_rows_out_accurately(kind, alpha):
    """The kernel matrix, in double precision, is too inaccurate for these."""
    x = np.random.default_rng(0).integers(-9, 10, size=(48, 4)).astype(float)
    x[:, 3] = x[:, 1] if "cop" in kind else x[:, 3]
    x = {"all": x * 1e5, "one": x * [1e5, 1, 1, 1], "far": x + 3e3, "cop": x * 1e4}[kind[:3]]
    x[:, 0] = np.where(np.arange(48) == 5, 0.5, x[:, 0])
    y = np.random.default_rng(1).permuted(np.tile(np.arange(1, 5, dtype=np.int32), (48, 1)), axis=1)
    psi = structure_embed(RANKINGS, y)  # of mean 0
    problem = RidgeProblem(RANKINGS, Targets(psi, None), {"loss": "squared", "shift": 1.0}, 1, 0)
    (found,) = left_out_scores(problem, x, [alpha], p=4)
    inputs = np.column_stack([x, np.ones(48)])
    for row in (0, 5):
        want = refitted(inputs, psi, row, alpha)
        np.testing.assert_allclose(found[row], want, rtol=0, atol=1e-6 * np.abs(want).max())


def test_labels_are_left_out_in_the_weights_of_a_kernel_matrix_as_by_factors():
    """Factors leave out of a kernel that is of low rank but for what no penalty notices."""
    x, targets = features()
    problem = RidgeProblem(RANKINGS, targets, {"loss": "auc", "shift": 1.0}, 1, 0)
    kernel = x @ x.T
    by_factors = left_out_scores(problem, kernel + 1e-6 * np.eye(len(x)), [0.1, 10.0])
    for found, expected in zip(left_out_scores(problem, kernel, [0.1, 10.0]), by_factors, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_features_that_are_not_finite_are_refused():
    x, targets = features(40)
    problem = RidgeProblem(RANKINGS, targets, {"loss": "squared"}, 1, 0)
    x[3, 1] = np.nan
    with pytest.raises(ValueError) as caught:
        list(left_out_scores(problem, x, [1.0], p=4))
    assert caught.value.row == 3


def test_too_small_a_penalty_needs_room_for_double_precision():
    assert np.isfinite(scores("smooth", "auc", "single", [1e-3])).all()
    with pytest.raises(NumericalError):
        scores("smooth", "auc", "single", [1e6, 1e-3], room="single")


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan, np.inf])
def test_illegal_penalties_are_named(alpha):
    with pytest.raises(ValueError):
        scores("low rank", "auc", "double", [1.0, alpha])
