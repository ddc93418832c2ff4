"""What StructuredRidge refuses, and that a refusal loses nothing."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from combpred import ProbabilisticStructured, StructuredRidge
from combpred.structures import Ordinal, Permutations
from enumerated_problem import problem

# ---- Bad input -------------------------------------------------------------------------------------------------------

KERNEL = rbf_kernel(np.arange(9.0)[:, None])
LOPSIDED = KERNEL.copy()
LOPSIDED[7, 2] += 0.5
HOLED = KERNEL.copy()
HOLED[3, 4] = HOLED[4, 3] = np.inf


@pytest.mark.parametrize(
    ("options", "X", "weights", "row"),
    [
        ({}, np.where(np.arange(27).reshape(9, 3) == 16, np.nan, 1.0), None, 5),
        ({}, np.where(np.arange(27).reshape(9, 3) == 16, np.inf, 1.0), None, 5),
        ({}, sparse.csr_matrix(np.where(np.arange(27).reshape(9, 3) == 16, np.nan, 1.0)), None, 5),
        ({}, np.ones((8, 3)), None, None),
        ({}, np.ones(9), None, None),
        ({"alpha": 0.0}, np.ones((9, 3)), None, None),
        ({"alpha": -1.0}, np.ones((9, 3)), None, None),
        ({"alpha": np.inf}, np.ones((9, 3)), None, None),
        ({"alpha": np.nan}, np.ones((9, 3)), None, None),
        ({"gamma": -1.0, "kernel": "rbf"}, np.ones((9, 3)), None, None),
        ({"loss": "hinge"}, np.ones((9, 3)), None, None),
        ({"solver": "lbfgs"}, np.ones((9, 3)), None, None),
        ({"decoder": "annealing"}, np.ones((9, 3)), None, None),
        ({"solver": "primal", "kernel": "rbf"}, np.ones((9, 3)), None, None),
        ({"solver": "primal", "kernel": "precomputed"}, KERNEL, None, None),
        ({"kernel": "precomputed"}, np.ones((9, 3)), None, None),
        ({"kernel": "precomputed"}, LOPSIDED, None, 7),
        ({"kernel": "precomputed"}, HOLED, None, 3),
        ({}, np.ones((9, 3)), np.zeros(9), None),
        ({}, np.ones((9, 3)), np.ones(8), None),
        ({}, np.ones((9, 3)), [1, 1, 1, 1, -1, 1, 1, 1, 1], 4),
        ({}, np.ones((9, 3)), [1, 1, np.nan, 1, 1, 1, 1, 1, 1], 2),
        ({}, np.ones((9, 3)), ["a"] * 9, None),
    ],
)
def test_bad_input_is_refused_by_name(options, X, weights, row):
    y = problem(Permutations(4))[1]
    with pytest.raises(ValueError) as caught:
        StructuredRidge(Permutations(4), **options).fit(X, y, sample_weight=weights)
    assert not options or any(name in str(caught.value) for name in options)
    assert getattr(caught.value, "row", None) == row


def test_bad_targets_are_refused_by_row():
    X, y, _, _, _ = problem(Permutations(4))
    y = y.copy()
    y[6] = [1, 1, 2, 3]
    with pytest.raises(ValueError) as caught:
        StructuredRidge(Permutations(4)).fit(X, y)
    assert caught.value.row == 6
    with pytest.raises(ValueError):
        StructuredRidge(Permutations(4)).fit(X, None)
    with pytest.raises(ValueError):
        StructuredRidge("permutation").fit(X, y)
    with pytest.raises(TypeError):
        StructuredRidge(3).fit(X, y)


def undefined_kernel(a, b):
    return np.nan if a[0] == 2.0 and b[0] == 5.0 else float(a @ b)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solver", ["auto", "closed-form", "cg", "newton-cg"])
@pytest.mark.parametrize("structure", [Permutations(4), Ordinal(4)], ids=["permutations", "ordinal"])
def test_kernel_values_that_are_not_finite_are_refused_on_every_route(structure, solver):
    y = problem(structure)[1]
    X = np.arange(9.0)[:, None]
    with pytest.raises(ValueError) as caught:
        # (1 + ij)^d is largest at the last row and column, and first overflows where 1 + ij > 2^5.
        StructuredRidge(structure, kernel="poly", degree=205, solver=solver).fit(X, y)
    assert caught.value.row == 4
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure, kernel=undefined_kernel, solver=solver).fit(X, y)
    assert caught.value.row == 2


@pytest.mark.filterwarnings("error")
def test_what_overflows_in_prediction_is_refused_by_row(limits):
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations").fit(X, y)
    model.coef_ *= 10
    large = X.copy()
    large[4] = 1.7e308
    assert model.predict(1e300 * X).shape == (9, 4)
    limits.block_entries(18)  # three rows at a time
    for form in (np.asarray, sparse.csr_matrix):
        for method in (model.predict, model.feature_scores):
            with pytest.raises(ValueError) as caught:
                method(form(large))
            assert caught.value.row == 4
    curved = StructuredRidge("permutations", kernel="poly").fit(X, y)
    with pytest.raises(ValueError) as caught:
        curved.predict(large)
    assert caught.value.row == 4


def test_parameters_without_effect_are_refused():
    X, y, _, _, _ = problem(Permutations(4))
    with pytest.raises(ValueError):
        StructuredRidge("permutations", kernel="poly", kernel_params={"degree": 2}).fit(X, y)
    StructuredRidge("permutations", kernel="poly", kernel_params={}).fit(X, y)


def test_outputs_that_do_not_fit_in_memory_are_refused_before_they_are_allocated(limits, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.permuted(np.tile(np.arange(1, 31), (40, 1)), axis=1)
    model = StructuredRidge("permutations").fit(X, y)
    many = np.zeros((20_000, 2))
    limits.available_memory(2**20)
    monkeypatch.setattr(np, "empty", lambda *shape, **options: pytest.fail("allocated"))
    for call in (
        lambda: model.feature_scores(many),
        lambda: model.decision_function(many),
        lambda: model.predict(many),
        lambda: model.predict(many, return_certificate=True),
        lambda: model.structure_.sample(20_000),
    ):
        with pytest.raises(MemoryError):
            call()


def test_kernel_values_of_another_training_set_are_refused():
    y = problem(Permutations(4))[1]
    model = StructuredRidge("permutations", kernel="precomputed").fit(KERNEL, y)
    for form in (np.asarray, np.ndarray.tolist):
        with pytest.raises(ValueError):
            model.predict(form(KERNEL[:2, :5]))


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "closed-form"},
        {"kernel": "rbf"},
        {"solver": "primal"},
    ],
)
def test_what_does_not_fit_in_memory_is_refused_before_it_is_allocated(limits, options):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 200)), rng.permuted(np.tile([1, 2, 3], (200, 1)), axis=1)
    # Room for the embedded outputs (19 kB with what is made of them), not for matrices of 200² entries (320 kB each).
    limits.available_memory(100_000)
    with pytest.raises(MemoryError):
        StructuredRidge("permutations", **options).fit(X, y)


def test_a_failed_fit_keeps_the_earlier_one():
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError) as caught:
        model.fit(np.ones((9, 5)), np.zeros((9, 4)))
    assert caught.value.row == 0
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_new_fit_forgets_the_earlier_one():
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    model.set_params(kernel="linear", structure=None).fit(X, np.arange(9) % 2)
    assert not hasattr(model, "dual_coef_") and not hasattr(model, "X_fit_")
    model.set_params(kernel="precomputed", structure="permutations").fit(KERNEL, y)
    assert not hasattr(model, "coef_") and not hasattr(model, "classes_")


def test_pickle_keeps_the_predictions():
    X, y, _, _, _ = problem(Permutations(4))
    model = StructuredRidge("permutations", kernel="rbf").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.feature_scores(X).tobytes() == model.feature_scores(X).tobytes()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_rankings_of_which_nothing_is_known_teach_nothing():
    X, y = [[0.0], [1.0]], [[1, -1, -1], [-1, -1, -1]]
    for model in (StructuredRidge("permutations"), ProbabilisticStructured("permutations")):
        assert (model.fit(X, y).coef_ == 0).all()
