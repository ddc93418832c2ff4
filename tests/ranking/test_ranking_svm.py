"""LabelRankingSVM against quadratic programs, scikit-learn's support vector machines, and its own duality gap."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

from combpred.ranking import LabelRankingSVM
from ranking_oracle import hinge, random_preferences, row_losses, smallest_svm_objective, thirds

DECOMPOSITIONS = ["edges", "stars", "sinks", "graph", thirds]
ACCURATE = {"tol": 1e-8, "max_iter": 20000, "random_state": 0}


def inputs(n=9, p=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def with_constant(X):
    return np.hstack([X, np.ones((len(X), 1))])


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_reaches_the_minimum_of_its_objective(decomposition, weighted):
    X, y = inputs(), random_preferences(9, 3, 1)
    weights = np.random.default_rng(2).uniform(0.5, 3.0, size=9) if weighted else np.ones(9)
    model = LabelRankingSVM(0.7, decomposition=decomposition, **ACCURATE).fit(X, y, weights if weighted else None)
    losses = row_losses(model.label_scores(X), y, decomposition, hinge)
    norm = (model.coef_**2).sum() + (model.intercept_**2).sum()
    assert model.objective_ == pytest.approx(0.5 * norm + 0.7 * weights @ losses, rel=1e-12)
    least = smallest_svm_objective(with_constant(X), y, decomposition, 0.7 * weights)
    assert model.objective_ == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_reaches_it_with_a_kernel(decomposition):
    X, y = inputs(), random_preferences(9, 3, 3)
    model = LabelRankingSVM(2.0, kernel="rbf", gamma=0.5, decomposition=decomposition, **ACCURATE).fit(X, y)
    # A linear model on the rows of a square root of the kernel matrix is the same model.
    features = np.linalg.cholesky(rbf_kernel(X, gamma=0.5) + 1.0 + 1e-12 * np.eye(9))
    least = smallest_svm_objective(features, y, decomposition, np.full(9, 2.0))
    assert model.objective_ == pytest.approx(least, rel=1e-6)
    losses = row_losses(model.label_scores(X), y, decomposition, hinge)
    norm = np.sum(model.dual_coef_ * ((rbf_kernel(X, gamma=0.5) + 1.0) @ model.dual_coef_))
    assert model.objective_ == pytest.approx(0.5 * norm + 2.0 * losses.sum(), rel=1e-10)


@pytest.mark.filterwarnings("ignore:y is read as positions")  # random numbers stand for them
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_margins_are_differences_of_positions(decomposition):
    X = inputs()
    positions = np.random.default_rng(4).uniform(0.1, 3.0, size=(9, 3))
    positions[2, 1] = -1
    positions[3] = [1.5, 1.5, 0.2]
    known = positions > 0
    margins = positions[:, np.newaxis, :] - positions[:, :, np.newaxis]
    graphs = (margins > 0) & known[:, :, np.newaxis] & known[:, np.newaxis, :]
    model = LabelRankingSVM(0.7, margin="positions", decomposition=decomposition, **ACCURATE).fit(X, positions)
    least = smallest_svm_objective(with_constant(X), graphs, decomposition, np.full(9, 0.7), margins)
    assert model.objective_ == pytest.approx(least, rel=1e-6)
    weights = np.arange(9) % 3 / 2.0  # the margins of the rows that are left
    weighted = LabelRankingSVM(0.7, margin="positions", decomposition=decomposition, **ACCURATE)
    weighted.fit(X, positions, weights)
    least = smallest_svm_objective(
        with_constant(X)[weights > 0], graphs[weights > 0], decomposition, 0.7 * weights[weights > 0],
        margins[weights > 0],
    )  # fmt: skip
    assert weighted.objective_ == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_two_labels_are_a_support_vector_machine(fit_intercept):
    X, y = inputs(40, 3), np.random.default_rng(5).integers(0, 2, size=40)
    ranker = LabelRankingSVM(0.5, fit_intercept=fit_intercept, **ACCURATE).fit(X, np.stack([1 + y, 2 - y], axis=1))
    # ½‖w₀‖² + ½‖w₁‖² is least at w₀ = −w₁ for a given difference d, where it is ¼‖d‖².
    machine = LinearSVC(C=1.0, loss="hinge", fit_intercept=fit_intercept, tol=1e-9, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(ranker.coef_[1] - ranker.coef_[0], machine.coef_[0], atol=1e-4)
    expected = machine.intercept_ if fit_intercept else 0.0
    np.testing.assert_allclose(ranker.intercept_[1] - ranker.intercept_[0], expected, atol=1e-4)
    scores = ranker.label_scores(X)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], machine.decision_function(X), atol=1e-4)


def test_classes_before_all_others_are_a_multi_class_machine():
    X, classes = inputs(40, 3), np.random.default_rng(6).integers(0, 3, size=40)
    graphs = np.zeros((40, 3, 3), dtype=bool)
    graphs[np.arange(40), classes] = True
    graphs[:, range(3), range(3)] = False
    ranker = LabelRankingSVM(0.5, decomposition="graph", fit_intercept=False, **ACCURATE).fit(X, graphs)
    machine = LinearSVC(C=0.5, multi_class="crammer_singer", fit_intercept=False, tol=1e-9, max_iter=10**6)
    machine.fit(X, classes)
    np.testing.assert_allclose(ranker.coef_, machine.coef_, atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_gap_bounds_the_distance_to_the_minimum(kernel, decomposition):
    X, y = inputs(30, 3), random_preferences(30, 4, 7)
    options = {"kernel": kernel, "decomposition": decomposition, "random_state": 1}
    least = LabelRankingSVM(5.0, **{**options, **ACCURATE}).fit(X, y).objective_
    for max_iter in (1, 3, 10):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            early = LabelRankingSVM(5.0, tol=1e-10, max_iter=max_iter, **options).fit(X, y)
        assert early.n_iter_ == max_iter
        assert -1e-6 * least <= early.objective_ - least <= early.dual_gap_


def test_precomputed_kernel_is_the_kernel():
    X, y = inputs(30, 3), random_preferences(30, 4, 10)
    weights = (np.arange(30) % 4).astype(float)
    given = rbf_kernel(X, gamma=0.3)
    for chosen in (None, weights):
        one = LabelRankingSVM(kernel="rbf", gamma=0.3, **ACCURATE).fit(X, y, chosen)
        other = LabelRankingSVM(kernel="precomputed", **ACCURATE).fit(given, y, chosen)
        np.testing.assert_allclose(other.label_scores(given[:5]), one.label_scores(X[:5]), atol=1e-4)
    np.testing.assert_array_equal(given, rbf_kernel(X, gamma=0.3))


@pytest.mark.parametrize(
    ("K", "error", "row"),
    [
        (np.ones((5, 4)), ValueError, None),
        (np.triu(np.ones((5, 5))), ValueError, 1),
        (sparse.csr_matrix(np.eye(5)), TypeError, None),
    ],
)
def test_kernel_matrices_are_checked(K, error, row):
    with pytest.raises(error) as caught:
        LabelRankingSVM(kernel="precomputed").fit(K, [[1, 2]] * 5)
    assert getattr(caught.value, "row", None) == row
    model = LabelRankingSVM(kernel="precomputed").fit(np.eye(5), [[1, 2]] * 5)
    with pytest.raises(TypeError):
        model.predict(sparse.csr_matrix(np.eye(5)))


def indefinite(name: str) -> np.ndarray:
    """Symmetric matrices of 40 rows that are no kernels."""
    X = inputs(40, 3)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=0.3))
    values[20] = -1e-3 * values[-1]
    return {
        "tanh": np.tanh(X @ X.T + 1.0),
        "negative": -rbf_kernel(X),
        "distances": np.linalg.norm(X[:, None] - X, axis=2),
        "one eigenvalue": (vectors * values) @ vectors.T,
        "diagonal": np.eye(40) - 1.5 * np.diag(np.arange(40) == 7),
        "huge": -1e300 * rbf_kernel(X),
        "tiny": 1e-300 * np.tanh(X @ X.T + 1.0),
    }[name]


@pytest.mark.parametrize("name", ["tanh", "negative", "distances", "one eigenvalue", "diagonal", "huge", "tiny"])
def test_indefinite_kernels_are_refused(name):
    K, y = indefinite(name), random_preferences(40, 4, 10)
    least = np.linalg.eigvalsh(K)[0]
    with pytest.raises(np.linalg.LinAlgError) as found:
        LabelRankingSVM(kernel="precomputed", fit_intercept=False).fit(K, y)
    stated = float(re.search(r"eigenvalue of (-\S+) or less", str(found.value))[1])
    assert least * (1 + 1e-2) <= stated < 0
    if name not in ("huge", "tiny"):  # where the message's remedy is at a scale that training takes
        LabelRankingSVM(kernel="precomputed", fit_intercept=False).fit(K - 1.01 * least * np.eye(40), y)


def test_an_indefinite_function_is_refused_and_the_earlier_model_kept():
    X, y = inputs(40, 3), random_preferences(40, 4, 10)
    model = LabelRankingSVM(kernel="rbf").fit(X, y)
    before = model.label_scores(X)
    with pytest.raises(np.linalg.LinAlgError):
        model.set_params(kernel=lambda a, b: np.tanh(a @ b + 1.0)).fit(X, y)
    np.testing.assert_array_equal(model.label_scores(X), before)


@pytest.mark.parametrize("name", ["linear", "polynomial"])
def test_kernels_computed_in_single_precision_are_taken(name):
    X, y = inputs(50, 3).astype(np.float32), random_preferences(50, 4, 10)
    K = X @ X.T if name == "linear" else (X @ X.T + 1) ** 3
    assert K.dtype == np.float32
    assert np.linalg.eigvalsh(K.astype(np.float64))[0] < -5e-9 * np.trace(K)
    double = X.astype(np.float64) @ X.T.astype(np.float64)
    double = double if name == "linear" else (double + 1) ** 3
    found, expected = (LabelRankingSVM(kernel="precomputed", C=0.1).fit(kernel, y) for kernel in (K, double))
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-2)


@pytest.mark.filterwarnings("ignore:y is read as positions")  # random numbers stand for them
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_margins_are_differences_of_feedback(decomposition):
    X = inputs()
    feedback = np.random.default_rng(4).normal(size=(9, 3))
    feedback[2, 1] = np.nan
    feedback[3] = [-1.5, -1.5, 0.2]
    margins = feedback[:, :, np.newaxis] - feedback[:, np.newaxis, :]
    graphs = margins > 0  # no comparison with NaN is true
    options = {"margin": "feedback", "decomposition": decomposition, **ACCURATE}
    model = LabelRankingSVM(0.7, **options).fit(X, feedback)
    wanted = np.nan_to_num(margins)
    least = smallest_svm_objective(with_constant(X), graphs, decomposition, np.full(9, 0.7), wanted)
    assert model.objective_ == pytest.approx(least, rel=1e-6)
    positions = np.where(np.isnan(feedback), -1, 4.0 - feedback)
    other = LabelRankingSVM(0.7, **{**options, "margin": "positions"}).fit(X, positions)
    np.testing.assert_allclose(model.label_scores(X), other.label_scores(X), atol=1e-9)
    assert model.score(X, feedback) == other.score(X, positions)


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[1.0, np.inf]], 0),
        ([[1.0, "a"]], 0),
        ([[1.0]], None),
        ([[[False, True], [False, False]]], None),
    ],
)
def test_illegal_feedback_is_refused(y, row):
    with pytest.raises(ValueError) as caught:
        LabelRankingSVM(margin="feedback").fit([[0.0]], y)
    assert getattr(caught.value, "row", None) == row


def test_says_when_it_has_not_converged():
    X, y = inputs(30, 3), random_preferences(30, 4, 11)
    with pytest.warns(ConvergenceWarning):
        LabelRankingSVM(10.0, max_iter=2).fit(X, y)


def test_positions_give_margins_graphs_do_not():
    with pytest.raises(ValueError) as caught:
        LabelRankingSVM(margin="positions").fit(inputs(), random_preferences(9, 3, 1))
    assert (caught.value.argument, caught.value.row) == ("y", 0)


def test_the_seed_determines_the_passes_and_threads_change_nothing():
    X, y = inputs(200, 3), random_preferences(200, 4, 12)
    one = LabelRankingSVM(random_state=3, n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(one.coef_, LabelRankingSVM(random_state=3, n_jobs=2).fit(X, y).coef_)
    assert (one.coef_ != LabelRankingSVM(random_state=4).fit(X, y).coef_).any()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_numbers_that_overflow_are_an_error(kernel):
    X = np.array([[1e200, 0.0], [0.0, 1e200], [1.0, 1.0]])
    with pytest.raises((ArithmeticError, ValueError, np.linalg.LinAlgError)):
        LabelRankingSVM(1e200, kernel="poly" if kernel == "rbf" else kernel).fit(X, [[1, 2], [2, 1], [1, 2]])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_ctrl_c_leaves_the_earlier_model(kernel, ctrl_c):
    X, y = inputs(2000, 5), random_preferences(2000, 8, 13)
    model = LabelRankingSVM(kernel=kernel).fit(X[:20], y[:20])
    before = model.label_scores(X)
    with ctrl_c(polled=True):
        model.set_params(C=1e6, tol=1e-12, max_iter=10**6, decomposition="graph").fit(X, y)
    np.testing.assert_array_equal(model.label_scores(X), before)
