"""StructuredSGD: passes of `fit`, and rows that come in mini-batches."""

from __future__ import annotations

import io
import math
import os
import sys
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from combpred import Admissible, StructuredRidge, StructuredSGD
from combpred.structures import Cliques, DirectedCycles, Hierarchy, LabelSets, Ordinal, Permutations
from online_data import KERNELS, data, sgd

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few passes

STRUCTURES = {
    "permutations": Permutations(5),
    "labelsets": LabelSets(4),
    "hierarchy": Hierarchy([-1, 0, 0, 1, 1, 2, 2]),
    "cliques": Cliques(4),
    "dicycles": DirectedCycles(5),
}


def gap(model, exact):
    """Return how far the objective is above the minimum, of what there was to be gained."""
    return (model.objective_ - exact.objective_) / abs(exact.objective_)


class Reference:
    """The steps in the space of ψ on all rows, without a shortcut; for smd in an eigenbasis of Σ."""

    def __init__(self, structure, K, loss, alpha, m, t0, weights, *, p=0.5, truncation=None, smd=False):
        self.mean, d = structure.mean(), structure.n_features
        self.sigma = structure.covariance() if loss == "auc" else np.eye(d)
        self.K, self.loss, self.alpha, self.m, self.p, self.t0 = K, loss, alpha, m, p, t0
        self.weights, self.truncation, self.smd = weights, truncation, smd
        self.a, self.average, self.v = (np.zeros((len(K), d)) for _ in range(3))
        self.basis = np.linalg.eigh(self.sigma)[1] if loss == "auc" else np.eye(d)
        self.gains, self.t, self.kept = np.ones(d), 0, []

    def step(self, i, psi):
        """Take the step on row i."""
        z, eta, w = psi - self.mean, self.p * self.m / (self.alpha * (self.t + self.t0)), self.weights[i]
        hessian = w * (self.sigma + np.outer(z, z) if self.loss == "auc" else self.sigma)
        gradient = hessian @ (self.K[i] @ self.a) - w * z
        if self.smd:
            v, unit = self.K[i] @ self.v, w / 2 * (1 if self.loss == "auc" else z @ z)
            change = 1 - 0.1 * (self.basis.T @ gradient) * (self.basis.T @ v) / unit
            top = min(1.5 * (self.t + self.t0) / self.t0, 0.25 * (self.t + self.t0) / self.p)
            self.gains = np.clip(self.gains * np.maximum(0.5, change), 1 / 64, top)
        P = self.basis * self.gains @ self.basis.T
        decay = 2 * self.alpha / self.m * eta
        velocity = 0.99 * self.v - (decay * self.a + 0.99 * decay * self.v) @ P
        velocity[i] -= eta * P @ (gradient + 0.99 * hessian @ (self.K[i] @ self.v))
        self.a, self.v = self.a - decay * self.a @ P, velocity
        self.a[i] -= eta * P @ gradient
        self.t += 1
        self.average += 4 / (self.t + 3) * (self.a - self.average)
        self.kept = [row for row in self.kept if row != i] + [i]
        if self.truncation is not None and len(self.kept) > self.truncation:
            old = self.kept.pop(0)
            for array in (self.a, self.average, self.v):
                array[old] = 0.0


def reference_fit(model, X, y, weights, passes):
    structure = model.structure_
    psi, mean = structure.embed(y), structure.mean()
    K = model.kernel_.matrix(X) + 1.0
    visits = np.repeat(np.arange(len(weights)), weights.astype(int))  # a weight of 2 is two visits
    m, weights = len(visits), np.minimum(weights, 1.0)
    z = psi - mean
    curved = np.linalg.eigvalsh(structure.covariance())[-1] + (z * z).sum(axis=1) if model.loss == "auc" else 1.0
    t0 = max(4 * model.eta0, model.eta0 * m / model.alpha * np.max(weights * curved * np.diag(K)))
    found = Reference(
        structure, K, model.loss, model.alpha, m, t0, weights, p=model.eta0, truncation=model.truncation,
        smd=model.learning_rate == "smd",
    )  # fmt: skip
    for _ in range(passes):
        for i in visits:
            found.step(i, psi[i])
    return found


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize(
    "more",
    [{}, {"average": True}, {"learning_rate": "smd"}, {"learning_rate": "smd", "average": True}, {"eta0": 0.1}],
    ids=str,
)
def test_passes_are_those_of_a_plain_reference(kernel, loss, more):
    # Gains depend on the basis where Σ has equal eigenvalues: those of grades are distinct.
    structure = Ordinal(5) if "learning_rate" in more else Permutations(4)
    X, y = data(structure, n=150)  # more visits than a batch takes
    weights = np.random.default_rng(1).integers(0, 3, size=150).astype(float)
    for truncation in (None, 10) if kernel == "rbf" else (None,):
        model = sgd(structure, kernel=kernel, loss=loss, shuffle=False, max_iter=3, truncation=truncation, **more)
        model.fit(X, y, sample_weight=weights)
        found = reference_fit(model, X, y, weights, 3)
        dual = found.average if model.average else found.a
        K = model.kernel_.matrix(X) + 1.0
        np.testing.assert_allclose(model.feature_scores(X), K @ dual, atol=1e-9)
        assert model.n_iter_ == len(model.loss_curve_) == 3
        if truncation is not None:
            np.testing.assert_array_equal(model.X_fit_, X[found.kept])
            np.testing.assert_allclose(model.dual_coef_, dual[found.kept], atol=1e-10)


def test_one_step_by_hand():
    """Two labels: ψ = ±1, μ = 0, Σ = 1. From f = 0 the gradient is −ψ, and k(x, x) = 4 + 1."""
    model = sgd("permutations", kernel="linear", alpha=2.0, max_iter=1, loss="auc").fit([[2.0]], [[1, 2]])
    t0 = 0.5 * 1 / 2.0 * 5 * (1 + 1)
    eta = 0.5 * 1 / (2.0 * max(t0, 2.0))
    np.testing.assert_allclose(model.coef_, [[2.0 * eta]])
    np.testing.assert_allclose(model.intercept_, [eta])
    f = 5 * eta
    np.testing.assert_allclose(model.objective_, 2.0 * 5 * eta**2 + 0.5 * f**2 + 0.5 * (1 - f) ** 2 - 0.5)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", STRUCTURES)
def test_objective_comes_within_two_per_cent(name, kernel):
    structure = STRUCTURES[name]
    X, y = data(structure)
    exact = StructuredRidge(structure, kernel=kernel).fit(X, y)
    for more in ({"max_iter": 150}, {"average": True}, {"learning_rate": "smd", "average": True}):
        model = sgd(structure, kernel=kernel, **more).fit(X, y)
        assert 0.0 <= gap(model, exact) < 0.02, more
        assert model.objective_ == model.loss_curve_[-1]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_objective_is_that_of_the_formula(kernel, loss):
    structure = Permutations(4)
    X, y = data(structure)
    y[0] = [1, -1, 2, 3]  # a ranking known in part
    weights = np.arange(80) % 3.0
    for more in ({}, {"truncation": 0.3, "average": True}):
        model = sgd(structure, kernel=kernel, loss=loss, max_iter=2, **more).fit(X, y, sample_weight=weights)
        psi = structure.embed(np.vstack([y[1:2], y[1:]]))
        psi[0] = structure.embed([[1, 4, 2, 3], [1, 3, 2, 4], [1, 2, 3, 4], [2, 1, 3, 4]]).mean(axis=0)
        f, z, sigma = model.feature_scores(X), psi - structure.mean(), structure.covariance()
        if kernel == "linear":
            penalty = np.sum(model.coef_**2) + np.sum(model.intercept_**2)
        else:
            penalty = np.vdot(model.dual_coef_, model.feature_scores(model.X_fit_))
        margins = 1 - (f * z).sum(axis=1)
        auc = (np.einsum("ij,jk,ik->i", f, sigma, f) + margins**2 - 1) / 2
        losses = auc if loss == "auc" else ((f - z) ** 2).sum(axis=1) / 2
        np.testing.assert_allclose(model.objective_, penalty + weights @ losses, rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_sets_of_outputs_are_learnt(kernel):
    rng = np.random.default_rng(0)
    X, orders = data(Permutations(4), n=60)
    y = [
        Admissible(each[None]) if i % 2 else Admissible([each, rng.permutation(4) + 1]) for i, each in enumerate(orders)
    ]
    for loss in ("auc", "squared"):
        exact = StructuredRidge("permutations", kernel=kernel, loss=loss).fit(X, y)
        model = sgd("permutations", kernel=kernel, loss=loss, average=True).fit(X, y)
        assert 0.0 <= gap(model, exact) < 0.02


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_and_dense_inputs_agree(kernel):
    structure = LabelSets(4)
    X, y = data(structure)
    X[X < 0.3] = 0.0
    for more in ({}, {"truncation": 20, "learning_rate": "smd"}):
        model = sgd(structure, kernel=kernel, gamma=0.5, max_iter=3, **more)
        expected = model.fit(X, y).feature_scores(X)
        np.testing.assert_allclose(model.fit(sparse.csr_matrix(X), y).feature_scores(X), expected, atol=1e-9)
    if kernel == "rbf":
        assert sparse.issparse(model.X_fit_) and model.X_fit_.shape[0] == 20


def test_precomputed_kernel_gives_the_same_steps():
    structure = Permutations(4)
    X, y = data(structure)
    model = sgd(structure, kernel="rbf", gamma=0.5, shuffle=False, max_iter=4, truncation=0.25).fit(X, y)
    K = model.kernel_.matrix(X)
    given = sgd(structure, kernel="precomputed", shuffle=False, max_iter=4, truncation=0.25).fit(K, y)
    np.testing.assert_allclose(given.feature_scores(K), model.feature_scores(X), atol=1e-9)
    assert np.count_nonzero(given.dual_coef_.any(axis=1)) == len(model.X_fit_) == 20


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_weight_is_a_repetition_and_zero_leaves_out(kernel):
    structure = Permutations(4)
    X, y = data(structure, n=30)
    weights = np.arange(30) % 3
    weighted = sgd(structure, kernel=kernel).fit(X, y, sample_weight=weights)
    repeated = sgd(structure, kernel=kernel).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0))
    left_out = sgd(structure, kernel=kernel).fit(X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_allclose(weighted.feature_scores(X), repeated.feature_scores(X), atol=1e-9)
    np.testing.assert_allclose(weighted.feature_scores(X), left_out.feature_scores(X), atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_seed_decides_and_threads_do_not(kernel):
    X, y = data(Permutations(5))
    first = sgd("permutations", kernel=kernel, n_jobs=1, max_iter=3).fit(X, y).feature_scores(X)
    np.testing.assert_array_equal(
        sgd("permutations", kernel=kernel, n_jobs=2, max_iter=3).fit(X, y).feature_scores(X), first
    )
    other = sgd("permutations", kernel=kernel, max_iter=3).set_params(random_state=1).fit(X, y).feature_scores(X)
    assert np.abs(first - other).max() > 1e-6


@pytest.mark.parametrize("scale", [1e-3, 1e3, 1e8])
@pytest.mark.parametrize("more", [{}, {"learning_rate": "smd"}, {"eta0": 20.0}], ids=str)
def test_inputs_of_any_scale_do_not_diverge(scale, more):
    """No pass ends above the function that is zero, at 0, but by noise where there is nothing to learn from inputs."""
    X, y = data(Permutations(5))
    model = sgd("permutations", max_iter=10, loss="auc", **more).fit(scale * X, y)
    # What noise leaves with the largest steps is 30 ± 5 over orders of the rows, a half for each row being 40.
    assert max(model.loss_curve_) < (60.0 if scale < 1 else 0.0)


def test_refusals():
    X, y = data(Permutations(5))
    assert not hasattr(StructuredRidge, "partial_fit") and not hasattr(StructuredSGD, "fit_blocks")
    with pytest.raises(ValueError):
        StructuredRidge("permutations", solver="sgd").fit(X, y)
    with pytest.raises(ValueError):
        sgd("permutations", max_iter=None).fit(X, y)
    with pytest.raises(ValueError):
        sgd("permutations", truncation=0.5, kernel="rbf").partial_fit(X, y)
    with pytest.raises(ValueError):
        sgd("permutations", kernel="precomputed").partial_fit(X @ X.T, y)
    for bad in ({"truncation": 0}, {"truncation": 1.5}, {"eta0": 0.0}, {"learning_rate": "no"}, {"average": "no"}):
        with pytest.raises(ValueError) as caught:
            sgd("permutations", **bad).fit(X, y)
        assert next(iter(bad)) in str(caught.value)
    model = sgd("permutations", kernel="rbf").partial_fit(X, y)
    before = model.feature_scores(X)
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError) as caught:
        model.partial_fit(bad, y)
    assert caught.value.row == 3
    with pytest.raises(ValueError):
        model.partial_fit(X[:, :3], y)
    with pytest.raises(ValueError) as caught:
        model.partial_fit(X, np.where(np.arange(80)[:, None] == 2, 1, y))
    assert caught.value.row == 2
    np.testing.assert_array_equal(model.feature_scores(X), before)


def test_dask_collections_are_computed():
    dask_array = pytest.importorskip("dask.array")
    X, y = data(Permutations(5))
    lazy = dask_array.from_array(X, chunks=(40, 4)), dask_array.from_array(y, chunks=(40, 5))
    np.testing.assert_array_equal(sgd("permutations").fit(*lazy).coef_, sgd("permutations").fit(X, y).coef_)


def test_tol_is_what_passes_still_change_of_what_was_gained():
    """Five passes in a row changed the objective by at most `tol` of the distance to that of zero weights, 0 here."""
    X, y = data(Permutations(5))
    passes = []
    for tol in (1e-2, 1e-3, 1e-4):
        model = sgd("permutations", loss="auc", kernel="rbf", average=True, max_iter=1000, tol=tol)
        curve = np.array(model.fit(X, y).loss_curve_)
        change = np.abs(np.diff(curve)) / -curve[1:]
        assert (change[-5:] <= tol).all() and not (change[-6:-1] <= tol).all()
        passes.append(len(curve))
    assert passes[0] < passes[1] < passes[2]
    assert sgd("permutations").tol == 1e-4


def test_passes_that_ran_out_are_warned_of():
    X, y = data(Permutations(5))
    with pytest.warns(ConvergenceWarning):
        sgd("permutations", kernel="rbf", max_iter=2).fit(X, y)


def test_an_interrupt_leaves_a_model():
    """A user's kernel is asked for values of batches of 128 rows: where it is stopped, those before are kept."""
    X, y = data(Permutations(5), n=160)
    calls = []

    def kernel(one, other):
        calls.append(1)
        if len(calls) > limit:
            raise KeyboardInterrupt
        return np.exp(-((one - other) ** 2).sum())

    def begun():
        calls.clear()
        return sgd("permutations", kernel=kernel, shuffle=False, truncation=20)

    model, limit = begun(), 0
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "structure_")
    batches = [128 * 128, 32 * (20 + 32)]  # kernel values of the two batches of a pass
    model, limit = begun(), 160 + sum(batches) + 160 * 20 + 128 * (20 + 128) + 1
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(model.loss_curve_) == 1 and model.descent_.n_rows == 160 and not hasattr(model, "objective_")
    np.testing.assert_array_equal(model.X_fit_, X[108:128])
    limit = math.inf
    assert np.abs(model.feature_scores(X[:2])).max() > 0
    model, limit = begun(), 160 + batches[0] + 1
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert model.descent_.n_rows == 128
    np.testing.assert_array_equal(model.X_fit_, X[108:128])


def test_a_function_of_two_rows_gives_the_same_steps():
    X, y = data(Permutations(5), n=160)

    def kernel(one, other):
        return np.exp(-0.5 * ((one - other) ** 2).sum())

    for more in ({}, {"truncation": 20}, {"max_iter": 2}):
        found = [
            sgd("permutations", kernel=each, gamma=0.5, **{"max_iter": 3, **more}).fit(X, y) for each in ("rbf", kernel)
        ]
        for _ in range(2):
            np.testing.assert_allclose(*(each.feature_scores(X[:9]) for each in found), atol=1e-10)
            np.testing.assert_array_equal(found[0].X_fit_, found[1].X_fit_)
            np.testing.assert_allclose(*(each.loss_curve_ for each in found), atol=1e-8)
            for each in found:
                each.partial_fit(X[:30], y[:30])


def test_a_function_of_two_rows_is_asked_for_rows_that_come_more_than_once():
    X, y = data(Permutations(5), n=40)
    weights = np.arange(40) % 4

    def kernel(one, other):
        return np.exp(-0.5 * ((one - other) ** 2).sum())

    by_name, by_function = (
        sgd("permutations", kernel=each, gamma=0.5, truncation=25, max_iter=3).fit(X, y, sample_weight=weights)
        for each in ("rbf", kernel)
    )
    np.testing.assert_allclose(by_function.feature_scores(X), by_name.feature_scores(X), atol=1e-10)


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_ctrl_c_ends_the_passes_and_leaves_a_model(kernel, ctrl_c, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 5)), rng.permuted(np.tile(np.arange(1, 9), (1000, 1)), axis=1)
    model = sgd("permutations", kernel=kernel, max_iter=100_000, tol=1e-300, verbose=1)
    told = threading.Event()

    class Told(io.StringIO):
        def write(self, text):
            told.set()
            return len(text)

    monkeypatch.setattr(sys, "stderr", Told())  # where every pass that was made says so
    with ctrl_c(after=told):
        model.fit(X, y)
    assert model.predict(X[:3]).shape == (3, 8)
    assert 1 <= model.n_iter_ < 100_000
