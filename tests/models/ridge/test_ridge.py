"""StructuredRidge against the enumerated objective, against itself by other routes, and on bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

import reference
from combpred import CapabilityError, StructuredRidge, kernels
from combpred._models.ridge import RidgeProblem
from combpred.structures import Hierarchy, LabelSets, MultiClass, Ordinal, Permutations, PosetElements
from enumerated_problem import N, problem

# Small enough to enumerate. The first four have a mean other than zero; the last has mean zero and two eigenvalues.
DIAMOND = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)
STRUCTURES = [
    pytest.param(MultiClass(3), id="multiclass"),
    pytest.param(LabelSets(3), id="labelsets"),
    pytest.param(LabelSets(4, size=2), id="labelsets-size2"),
    pytest.param(Ordinal(4), id="ordinal"),
    pytest.param(PosetElements(DIAMOND), id="posetelements"),
    pytest.param(Hierarchy([-1, 0, 0, 1, 1], allowed="leaves"), id="hierarchy"),
    pytest.param(Permutations(4), id="permutations"),
]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_enumerated_loss_has_the_closed_form(structure):
    """Mean over z of u + u²/2 equals ½fᵀΣf + ½(1 − ⟨ψ̃, f⟩)² − ½: the identity that training rests on."""
    _, _, psi, outputs, _ = problem(structure)
    mean, covariance = structure.mean(), structure.covariance()
    for f in np.random.default_rng(1).normal(size=(5, len(mean))):
        closed = f @ covariance @ f / 2 + (1 - (psi[0] - mean) @ f) ** 2 / 2 - 0.5
        assert reference.enumerated_auc_loss(outputs, psi[0], f) == pytest.approx(closed, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("solver", ["auto", "closed-form", "cg", "newton-cg"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_kernel_solvers_reach_the_enumerated_minimum(structure, solver, loss, weighted):
    X, y, psi, outputs, weights = problem(structure, weighted=weighted)
    kernel = rbf_kernel(X, gamma=0.5)
    f = reference.minimise(kernel, outputs, psi, alpha=0.3, loss=loss, weights=weights)
    dual = np.linalg.solve(kernel, f)
    least = reference.objective(dual, kernel, outputs, psi, alpha=0.3, loss=loss, weights=weights)

    model = StructuredRidge(
        structure, alpha=0.3, loss=loss, kernel="rbf", gamma=0.5, fit_intercept=False, solver=solver, tol=1e-11
    ).fit(X, y, sample_weight=weights)

    np.testing.assert_allclose(model.feature_scores(X), f, atol=1e-8)
    assert model.objective_ == pytest.approx(least, rel=1e-8)
    assert solver in ("auto", model.solver_)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("solver", ["auto", "closed-form", "cg", "newton-cg", "primal"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_linear_solvers_reach_the_enumerated_minimum(structure, solver, loss, weighted):
    X, y, psi, outputs, weights = problem(structure, weighted=weighted)
    f = reference.minimise(X @ X.T + 1, outputs, psi, alpha=0.3, loss=loss, weights=weights)

    model = StructuredRidge(structure, alpha=0.3, loss=loss, solver=solver, tol=1e-11)
    model.fit(X, y, sample_weight=weights)

    np.testing.assert_allclose(model.feature_scores(X), f, atol=1e-8)
    assert model.coef_.shape == (psi.shape[1], 3)
    assert model.intercept_.shape == (psi.shape[1],)


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_solvers_agree_on_the_objective(loss):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 6))
    y = Permutations.from_orders(np.argsort(-(X @ rng.normal(size=(6, 5)) + rng.normal(size=(120, 5))), axis=1))
    fits = {
        solver: StructuredRidge("permutations", alpha=0.1, loss=loss, solver=solver).fit(X, y)
        for solver in ("closed-form", "cg", "newton-cg", "primal")
    }
    assert {name: model.solver_ for name, model in fits.items()} == {name: name for name in fits}
    values = np.array([model.objective_ for model in fits.values()])
    np.testing.assert_allclose(values, values[0], rtol=1e-8)


@pytest.mark.parametrize("solver", ["primal", "closed-form"])
def test_sparse_input_gives_what_dense_input_gives(solver):
    X = sparse.random(40, 7, density=0.4, format="csr", random_state=0)
    y = np.arange(40) % 3
    weights = np.random.default_rng(0).uniform(0.5, 2, size=40)
    dense = StructuredRidge(solver=solver).fit(X.toarray(), y, weights)
    large = sparse.csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    large.indices = large.indices.astype(np.int64)  # the constructor made them small
    for form in (X, sparse.csr_array(X), X.tocsc(), large):
        model = StructuredRidge(solver=solver).fit(form, y, weights)
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-8)
        np.testing.assert_allclose(model.feature_scores(form), dense.feature_scores(X.toarray()), atol=1e-8)


@pytest.mark.parametrize("solver", ["primal", "closed-form"])
def test_intercept_is_a_constant_feature(solver):
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations", solver=solver).fit(X, y)
    same = StructuredRidge("permutations", solver=solver, fit_intercept=False).fit(np.c_[X, np.ones(N)], y)
    np.testing.assert_allclose(np.c_[model.coef_, model.intercept_], same.coef_, atol=1e-8)
    assert not same.intercept_.any()


def test_squared_loss_is_kernel_ridge_on_the_centred_embedding():
    X, y, psi, outputs, _ = problem(Ordinal(4))
    ours = StructuredRidge("ordinal", loss="squared", alpha=0.5, kernel="rbf", fit_intercept=False).fit(X, y)
    target = psi[:, : ours.structure_.n_features] - ours.structure_.mean()
    theirs = KernelRidge(alpha=1.0, kernel="rbf").fit(X, target)  # penalises by alpha what ours does by 2 alpha
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)


def test_zero_weight_leaves_a_row_out_and_integer_weights_repeat_it():
    X, y, _, _, _ = problem(Permutations(4))
    times = np.array([0, 1, 2, 3, 1, 0, 1, 2, 1])
    for options in (
        {"kernel": "rbf"},
        {"solver": "primal"},
        {"loss": "squared", "kernel": "poly"},
        {"kernel": "rbf", "gamma": "scale"},
    ):
        model = StructuredRidge(Permutations(4), **options)
        weighted = model.fit(X, y, sample_weight=times).feature_scores(X)
        repeated = model.fit(X.repeat(times, axis=0), y.repeat(times, axis=0)).feature_scores(X)
        np.testing.assert_allclose(weighted, repeated, atol=1e-7)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_scale_is_the_variance_of_rows_counted_by_weight(form, limits):
    limits.block_entries(7)  # two rows at a time
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) * rng.integers(2, size=(20, 3)) + 5.0 * (np.arange(3) == 1)
    times = rng.integers(4, size=20)
    for weights, rows in ((None, X), (times.astype(float), X.repeat(times, axis=0))):
        resolved = kernels.InputKernel.resolve("rbf", form(X), gamma="scale", weights=weights)
        assert resolved.gamma == pytest.approx(1 / (3 * rows.var()), rel=1e-12)
    assert kernels.InputKernel.resolve("rbf", form(np.ones((4, 3))), gamma="scale").gamma == 1.0
    with pytest.raises(ValueError):
        kernels.InputKernel.resolve("rbf", form(1e200 * X), gamma="scale")


# ---- Predictions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["auc", "squared"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_predict_maximises_over_all_outputs(structure, loss):
    X, y, _, outputs, _ = problem(structure)
    decision = "score" if loss == "auc" else "mbr"
    model = StructuredRidge(structure, alpha=0.1, kernel="rbf", loss=loss, decision=decision).fit(X, y)
    f = model.feature_scores(X)
    if loss == "auc":
        best = (f @ outputs.T).max(axis=1)
    else:  # the pre-image: the output nearest to f + μ, whose squared length is left out of the score
        target = f + structure.mean()
        nearest = ((target[:, None] - outputs) ** 2).sum(axis=2).min(axis=1)
        best = ((target**2).sum(axis=1) - nearest) / 2
    predicted = model.predict(X)
    np.testing.assert_allclose(model.score_structures(X, predicted), best, atol=1e-9)
    certified = model.predict(X, return_certificate=True)[1]
    np.testing.assert_array_equal(certified.structures, predicted)
    np.testing.assert_allclose(certified.value, best, atol=1e-9)
    np.testing.assert_allclose(certified.upper_bound, best, atol=1e-9)
    assert certified.optimal.all() and certified.optimal.dtype == bool
    assert not certified.nu.any()


def test_large_rankings_are_searched_and_said_not_to_be_proven():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(25, 4)), rng.permuted(np.tile(np.arange(1, 31), (25, 1)), axis=1)
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    scores = rng.normal(size=(3, 4))
    model.dual_coef_ = rng.normal(size=model.dual_coef_.shape)  # scores without any order behind them
    certified = model.predict(scores, return_certificate=True)[1]
    assert not certified.optimal.any()
    assert (certified.value < certified.upper_bound).all()
    assert (certified.nu <= 0.5).all()
    with pytest.raises(CapabilityError) as caught:
        model.set_params(decoder="exact").predict(scores)
    assert caught.value.row == 0


def test_two_classes_have_one_decision_value():
    X, y, _, _, _ = problem(MultiClass(3))
    model = StructuredRidge().fit(X, np.where(y == 0, "no", "yes"))
    f = model.feature_scores(X)
    np.testing.assert_array_equal(model.decision_function(X), f[:, 1] - f[:, 0])
    np.testing.assert_array_equal(model.predict(X), np.where(model.decision_function(X) > 0, "yes", "no"))


def test_prediction_in_blocks_changes_nothing(limits):
    X, y, _, _, _ = problem(Permutations(4))
    for options in ({"kernel": "rbf"}, {"kernel": "linear"}):
        model = StructuredRidge("permutations", **options).fit(X, y)
        expected = model.feature_scores(X), model.predict(X), model.score_structures(X, y)
        limits.block_entries(20)  # two rows of the kernel matrix at a time
        np.testing.assert_allclose(model.feature_scores(X), expected[0], atol=1e-14)
        np.testing.assert_array_equal(model.predict(X), expected[1])
        np.testing.assert_allclose(model.score_structures(X, y), expected[2], atol=1e-14)
        limits.lift()


def test_results_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.permuted(np.tile(np.arange(1, 6), (200, 1)), axis=1)
    one, two = (StructuredRidge("permutations", kernel="rbf", n_jobs=k).fit(X, y) for k in (1, 2))
    assert one.dual_coef_.tobytes() == two.dual_coef_.tobytes()
    assert one.predict(X).tobytes() == two.predict(X).tobytes()


# ---- Kernels ---------------------------------------------------------------------------------------------------------


def dot_kernel(a, b, *, power=1):
    return float(a @ b + 1) ** power


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kernel": "linear"}, {"metric": "linear"}),
        ({"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": 0.7},
         {"metric": "poly", "degree": 2, "coef0": 0.5, "gamma": 0.7}),
        ({"kernel": "rbf"}, {"metric": "rbf", "gamma": 1 / 3}),
        ({"kernel": "laplacian", "gamma": 2.0}, {"metric": "laplacian", "gamma": 2.0}),
        ({"kernel": "cosine"}, {"metric": "cosine"}),
        ({"kernel": dot_kernel, "kernel_params": {"power": 2}},
         {"metric": "poly", "degree": 2, "coef0": 1, "gamma": 1}),
    ],
    ids=lambda value: getattr(kernel := value.get("kernel", ""), "__name__", kernel),
)  # fmt: skip
def test_kernels_are_those_of_scikit_learn(options, expected):
    X, y, _, _, _ = problem(Permutations(4))
    new = np.random.default_rng(9).normal(size=(4, 3))
    model = StructuredRidge("permutations", **options).fit(X, y)
    given = StructuredRidge("permutations", kernel="precomputed").fit(pairwise_kernels(X, **expected), y)
    np.testing.assert_allclose(
        model.feature_scores(new), given.feature_scores(pairwise_kernels(new, X, **expected)), atol=1e-9
    )
    assert not hasattr(given, "X_fit_")


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "cosine"])
def test_kernels_take_sparse_inputs_and_come_in_blocks(kernel, limits):
    X = sparse.random(30, 6, density=0.5, format="csr", random_state=0)
    resolved = kernels.InputKernel.resolve(kernel, X)
    whole = resolved.matrix(X.toarray())
    limits.block_entries(70)  # two rows at a time
    np.testing.assert_allclose(resolved.matrix(X), whole, atol=1e-14)
    np.testing.assert_allclose(resolved.matrix(X.toarray()), whole, atol=1e-14)


def test_gamma_scale_divides_by_the_variance_of_the_inputs():
    X, y, _, _, _ = problem(Permutations(4))
    for form in (X, sparse.csr_matrix(X)):
        model = StructuredRidge("permutations", kernel="rbf", gamma="scale").fit(form, y)
        assert model.kernel_.gamma == pytest.approx(1 / (3 * X.var()))
    assert StructuredRidge(kernel="rbf", gamma="scale").fit(np.ones((4, 2)), [0, 1, 0, 1]).kernel_.gamma == 1.0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_entries_stored_twice_count_as_their_sum(kernel):
    X, y, _, _, _ = problem(Permutations(4))
    once = sparse.csr_matrix(X)
    indices, data = np.tile(once.indices.reshape(-1, 3), 2), np.hstack([2 * X, -X])
    twice = sparse.csr_matrix((data.ravel(), indices.ravel(), 2 * once.indptr), shape=X.shape)
    before = twice.copy()
    expected = StructuredRidge("permutations", kernel=kernel, gamma="scale").fit(X, y)
    model = StructuredRidge("permutations", kernel=kernel, gamma="scale").fit(twice, y)
    np.testing.assert_allclose(model.feature_scores(twice), expected.feature_scores(X), atol=1e-9)
    np.testing.assert_array_equal(twice.data, before.data)  # the user's matrix stays as it was


def test_precomputed_kernel_is_left_as_it_was():
    X, y, _, _, weights = problem(Ordinal(4), weighted=True)  # Ordinal takes the route that works in place
    kernel = rbf_kernel(X)
    before = kernel.copy()
    StructuredRidge("ordinal", kernel="precomputed").fit(kernel, y, weights)
    np.testing.assert_array_equal(kernel, before)


# ---- Numerical trouble -----------------------------------------------------------------------------------------------


@pytest.fixture
def single_advised(monkeypatch):
    """Have the library advise factors in single precision, which it does for a thousand rows and more."""
    plan = RidgeProblem.plan
    monkeypatch.setattr(RidgeProblem, "plan", lambda *arguments: {**plan(*arguments), "precision": "single"})


@pytest.mark.usefixtures("single_advised")
def test_single_precision_is_told_of():
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations", kernel="rbf", solver="closed-form").fit(X, y)
    assert model.precision_ == "single"


@pytest.mark.usefixtures("single_advised")
def test_a_nearly_singular_problem_is_solved_to_the_same_objective():
    X, y, psi, outputs, _ = problem(Permutations(4))
    X[1] = X[0]  # a singular kernel matrix, and a penalty that single precision does not see
    model = StructuredRidge("permutations", alpha=1e-8, kernel="rbf", gamma=0.1, fit_intercept=False, loss="auc").fit(
        X, y
    )
    assert model.precision_ == "double"
    kernel = rbf_kernel(X, gamma=0.1)
    least = reference.objective(model.dual_coef_, kernel, outputs, psi, alpha=1e-8)
    assert model.objective_ == pytest.approx(least, rel=1e-8)
    for step in np.random.default_rng(0).normal(size=(20, *model.dual_coef_.shape)):
        moved = model.dual_coef_ + 1e-4 * np.abs(model.dual_coef_).max() * step
        assert reference.objective(moved, kernel, outputs, psi, alpha=1e-8) >= least - 1e-9


@pytest.mark.parametrize("structure", [Permutations(4), Ordinal(4)], ids=["factors", "eigendecomposition"])
def test_what_the_numbers_do_not_allow_is_refused_with_a_remedy(structure):
    """An indefinite matrix far from any kernel."""
    y = problem(structure)[1]
    indefinite = np.zeros((N, N))
    indefinite[0, 1] = indefinite[1, 0] = 100.0
    with pytest.raises(np.linalg.LinAlgError, match="alpha is 1, tol 1e-08: raise alpha, .*positive semi-definite"):
        StructuredRidge(structure, kernel="precomputed").fit(indefinite, y)


@pytest.mark.parametrize("solver", ["cg", "newton-cg"])
def test_stopping_early_warns_and_keeps_what_there_is(solver):
    X, y, _, _, _ = problem(Permutations(4))
    with pytest.warns(ConvergenceWarning):
        model = StructuredRidge("permutations", alpha=1e-4, kernel="rbf", solver=solver, loss="auc", max_iter=1).fit(
            X, y
        )
    assert np.isfinite(model.dual_coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredRidge("permutations", alpha=1e-4, kernel="rbf", solver=solver, loss="auc").fit(X, y)
