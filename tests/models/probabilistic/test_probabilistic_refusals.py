"""What ProbabilisticStructured refuses, and that refusals and interruptions lose nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from combpred import CapabilityError, NumericalError, ProbabilisticStructured
from combpred._models import loglinear
from combpred.structures import LabelSets, MultiClass, Permutations
from enumerated_problem import problem

X, RANKINGS, _, _, _ = problem(Permutations(4))
LABELS = np.arange(9) % 3
INDEFINITE = np.eye(9)
INDEFINITE[0, 1] = INDEFINITE[1, 0] = 2.0


@pytest.mark.parametrize(
    ("options", "X", "weights", "row"),
    [
        ({"alpha": 0.0}, X, None, None),
        ({"alpha": np.inf}, X, None, None),
        ({"epsilon": 0.0}, X, None, None),
        ({"epsilon": 1.0}, X, None, None),
        ({"delta": 1.5}, X, None, None),
        ({"decision": "mode"}, X, None, None),
        ({"solver": "newton"}, X, None, None),
        ({"max_iter": 0}, X, None, None),
        ({"tol": 0.0}, X, None, None),
        ({"inference": "variational"}, X, None, None),
        ({"sampler": "gibbs"}, X, None, None),
        ({"solver": "lbfgs", "inference": "mcmc"}, X, None, None),
        ({}, np.where(np.arange(27).reshape(9, 3) == 16, np.nan, 1.0), None, 5),
        ({}, np.ones((8, 3)), None, None),
        ({"kernel": "precomputed"}, np.ones((9, 3)), None, None),
        ({"kernel": "precomputed"}, INDEFINITE, None, None),
        ({}, X, np.zeros(9), None),
        ({}, X, [1, 1, 1, 1, -1, 1, 1, 1, 1], 4),
    ],
)
def test_bad_input_is_refused_by_name(options, X, weights, row):
    model = ProbabilisticStructured("permutations").fit(np.eye(9), RANKINGS)
    before = dict(vars(model.set_params(**options)))
    with pytest.raises((ValueError, NumericalError)) as caught:
        model.fit(X, RANKINGS, sample_weight=weights)
    assert not options or any(name in str(caught.value) for name in options)
    assert getattr(caught.value, "row", None) == row
    assert vars(model) == before


def test_bad_targets_are_refused_by_row():
    y = RANKINGS.copy()
    y[6] = [1, 1, 2, 3]
    with pytest.raises(ValueError) as caught:
        ProbabilisticStructured("permutations").fit(X, y)
    assert caught.value.row == 6
    with pytest.raises(ValueError):
        ProbabilisticStructured("permutations").fit(X, None)
    model = ProbabilisticStructured("permutations").fit(X, RANKINGS)
    for ask in (model.log_proba, model.score_log_loss):
        with pytest.raises(ValueError) as caught:
            ask(X, y)
        assert caught.value.row == 6
        with pytest.raises(ValueError):
            ask(X, RANKINGS[:4])


def test_questions_before_fit_are_refused():
    model = ProbabilisticStructured()
    for ask in (model.predict_proba, model.predict_marginals, model.entropy, model.log_partition, model.sample):
        with pytest.raises(NotFittedError):
            ask(X)


def test_structures_too_large_for_exact_inference_are_refused():
    rng = np.random.default_rng(0)
    y = rng.permuted(np.tile(np.arange(1, 31), (9, 1)), axis=1)
    with pytest.raises(CapabilityError):
        ProbabilisticStructured("permutations", inference="exact").fit(X, y)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda m: m.sample(X, 0), ValueError),
        (lambda m: m.sample(X, 1.5), TypeError),
        (lambda m: m.sample(X, True), TypeError),
        (lambda m: m.sample(X, sampler="gibbs"), ValueError),
        (lambda m: m.sample(X, random_state="x"), ValueError),
        (lambda m: m.log_partition(X, method="bethe"), ValueError),
        (lambda m: m.log_partition(X, epsilon=0.0), ValueError),
        (lambda m: m.log_partition(X, delta="small"), TypeError),
        (lambda m: m.predict_marginals(X[:, :2]), ValueError),
        (lambda m: m.score_log_loss(X, RANKINGS, np.ones(3)), ValueError),
    ],
)
def test_bad_arguments_are_refused(ask, error):
    model = ProbabilisticStructured("permutations").fit(X, RANKINGS)
    with pytest.raises(error):
        ask(model)


def test_what_does_not_fit_in_memory_is_refused_before_it_is_allocated(limits):
    model = ProbabilisticStructured("permutations").fit(X, RANKINGS)
    many = np.zeros((100_000, 3))
    limits.available_memory(2**20)
    for ask in (model.predict_marginals, model.sample):
        with pytest.raises(MemoryError):
            ask(many)
    limits.available_memory(3000)
    with pytest.raises(MemoryError):
        ProbabilisticStructured(kernel="rbf").fit(X, LABELS)


# ---- Interruption, progress and convergence --------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"solver": "sgd"}], ids=str)
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(monkeypatch, options):
    model = ProbabilisticStructured(Permutations(4), max_iter=2000, tol=1e-2, **options).fit(X, RANKINGS)
    before = dict(vars(model))

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(loglinear.LoglinearProblem, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(tol=1e-9).fit(X[:7], RANKINGS[:7])
    assert vars(model.set_params(tol=1e-2)) == before
    if options.get("solver") == "sgd":
        descent = model.descent_.average.copy()
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, RANKINGS)
        assert vars(model) == before
        np.testing.assert_array_equal(model.descent_.average, descent)


@pytest.mark.parametrize("solver", ["lbfgs", "sgd"])
@pytest.mark.parametrize("verbose", [0, 1])
def test_verbose_reports_progress(limits, capsys, solver, verbose):
    limits.progress_at_once()
    model = ProbabilisticStructured("permutations", solver=solver, max_iter=50, tol=1e-3, verbose=verbose)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, RANKINGS)
    assert ("ProbabilisticStructured" in capsys.readouterr().err) == bool(verbose)


def test_stopping_early_warns():
    with pytest.warns(ConvergenceWarning):
        model = ProbabilisticStructured("permutations", alpha=0.01, max_iter=1).fit(X, RANKINGS)
    assert model.n_iter_ == 1
    with pytest.warns(ConvergenceWarning):
        ProbabilisticStructured("permutations", tol=1e-300).fit(X, RANKINGS)


@pytest.mark.filterwarnings("error")
def test_data_without_information_are_fitted_at_once():
    """The observed mean of ψ is that of the uniform distribution; or the inputs are zero."""
    for X, options in ((np.zeros((4, 2)), {}), (np.zeros((4, 2)), {"kernel": "poly", "coef0": 0.0})):
        model = ProbabilisticStructured(fit_intercept=False, **options).fit(X, [0, 1, 0, 1])
        assert model.n_iter_ == 1
        np.testing.assert_allclose(model.predict_proba(X), 0.5)


# ---- Mini-batches ----------------------------------------------------------------------------------------------------


def test_partial_fit_is_for_descent():
    assert not hasattr(ProbabilisticStructured(), "partial_fit")
    with pytest.raises(AttributeError) as raised:
        ProbabilisticStructured().partial_fit(X, LABELS)
    assert "partial_fit needs solver='sgd', got solver='auto'" in str(raised.value.__cause__)


@pytest.mark.parametrize("structure", [None, "multiclass", MultiClass()])
def test_the_first_mini_batch_needs_all_classes(structure):
    model = ProbabilisticStructured(structure, solver="sgd", random_state=0)
    with pytest.raises(ValueError):
        model.partial_fit(X, LABELS)
    assert not hasattr(model, "n_features_in_")
    model.partial_fit(X[:2], ["a", "a"], classes=["b", "a", "c"]).partial_fit(X[2:4], ["c", "b"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).shape == (9, 3)
    model.partial_fit(X, ["a"] * 9, classes=["c", "b", "a"])
    before = dict(vars(model))
    for call, row in (
        (lambda: model.partial_fit(X, ["a"] * 9, classes=["a", "b"]), None),
        (lambda: model.partial_fit(X, ["a"] * 8 + ["d"]), 8),
        (lambda: model.partial_fit(X[:, :2], ["a"] * 9), None),
        (lambda: model.partial_fit(X, ["a"] * 8), None),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert getattr(caught.value, "row", None) == row
        assert vars(model) == before


def test_other_structures_take_what_is_open_from_the_first_mini_batch():
    model = ProbabilisticStructured("permutations", solver="sgd").partial_fit(X[:4], RANKINGS[:4])
    assert model.structure_ == Permutations(4)
    sets = np.eye(3, dtype=int)[LABELS]
    assert ProbabilisticStructured(solver="sgd").partial_fit(X, sets).structure_ == LabelSets(3)
    fixed = ProbabilisticStructured(MultiClass(3), solver="sgd").partial_fit(X[:1], [1])
    assert fixed.classes_.tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        ProbabilisticStructured("permutations", solver="sgd").partial_fit(X, RANKINGS, classes=[0, 1])


def test_a_mini_batch_of_zero_weight_changes_nothing():
    model = ProbabilisticStructured("permutations", solver="sgd", random_state=0).partial_fit(X, RANKINGS)
    coef = model.coef_.copy()
    weights = np.zeros(9)
    weights[0] = 1.0
    other = ProbabilisticStructured("permutations", solver="sgd", random_state=0)
    other.partial_fit(sparse.csr_matrix(X), RANKINGS, sample_weight=weights)
    assert other.descent_.n_rows == 1
    with pytest.raises(ValueError):
        model.partial_fit(X, RANKINGS, sample_weight=0.0)
    np.testing.assert_array_equal(model.coef_, coef)


def test_mini_batches_cannot_carry_on_with_another_intercept():
    model = ProbabilisticStructured(Permutations(4), solver="sgd", random_state=0).partial_fit(X, RANKINGS)
    before = model.coef_
    with pytest.raises(ValueError):
        model.set_params(fit_intercept=False).partial_fit(X, RANKINGS)
    np.testing.assert_array_equal(model.coef_, before)
    model.set_params(fit_intercept=True).partial_fit(X, RANKINGS)
    assert model.n_iter_ == 2


def test_fit_starts_anew_after_mini_batches():
    options = {"solver": "sgd", "random_state": 0, "max_iter": 3, "tol": 1.0}
    model = ProbabilisticStructured("permutations", **options).partial_fit(X, -RANKINGS % 5)
    fresh = ProbabilisticStructured("permutations", **options)
    np.testing.assert_array_equal(model.fit(X, RANKINGS).coef_, fresh.fit(X, RANKINGS).coef_)


@pytest.mark.parametrize("entries", [1, 10**6])
@pytest.mark.parametrize("inference", ["exact", "mcmc"])
def test_rows_are_numbered_among_all_whatever_their_block(limits, inference, entries):
    """The scores of row 5 are finite, and their sum is not."""
    structure = Permutations(3)
    model = ProbabilisticStructured(structure).fit(X, structure.sample(9, random_state=0))
    model.coef_, model.intercept_ = np.zeros_like(model.coef_), np.zeros(3)
    model.coef_[:, 0] = 1e308
    model.set_params(inference=inference, random_state=0)
    inputs = np.zeros((9, 3))
    inputs[5, 0] = 1.0
    limits.block_entries(entries)
    for ask in (
        model.predict_marginals,
        model.log_partition,
        model.entropy,
        model.sample,
        model.predict_position_proba,
        lambda inputs: model.set_params(decision="mbr").predict(inputs),
    ):
        with pytest.raises(ValueError) as caught:
            ask(inputs)
        assert caught.value.row == 5
