"""StructuredSGD on rows that come in mini-batches: partial_fit, warm starts, and what cannot carry on."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest

from combpred import StructuredRidge
from combpred.structures import MultiClass, Permutations
from online_data import KERNELS, data, sgd

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few passes


@pytest.mark.parametrize("kernel", KERNELS)
def test_first_mini_batch_is_one_pass(kernel):
    X, y = data(Permutations(5))
    mini_batch = sgd("permutations", kernel=kernel, shuffle=False).partial_fit(X, y)
    whole = sgd("permutations", kernel=kernel, shuffle=False, max_iter=1).fit(X, y)
    np.testing.assert_allclose(mini_batch.feature_scores(X), whole.feature_scores(X), atol=1e-10)
    assert not hasattr(mini_batch, "objective_") and len(mini_batch.loss_curve_) == 1


@pytest.mark.parametrize("kernel", KERNELS)
def test_mini_batches_of_repeated_rows_approach_the_fit_with_their_weight(kernel):
    structure = Permutations(4)
    X, y = data(structure, n=60)
    calls = 30
    model = sgd(structure, kernel=kernel, gamma=0.1, alpha=50.0, average=True, loss="auc")
    for _ in range(calls):
        model.partial_fit(X, y)
    found = model.feature_scores(X)

    def distance(alpha):
        exact = (
            StructuredRidge(structure, kernel=kernel, gamma=0.1, alpha=alpha, loss="auc").fit(X, y).feature_scores(X)
        )
        return np.linalg.norm(found - exact) / np.linalg.norm(exact)

    assert distance(50.0 / calls) < min(0.25, distance(50.0) / 3)
    assert model.n_iter_ == len(model.loss_curve_) == calls
    assert model.loss_curve_[-1] < model.loss_curve_[0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_mini_batches_carry_on_after_a_fit_and_after_pickling(kernel):
    X, y = data(Permutations(5))
    model = sgd("permutations", kernel=kernel, average=True, learning_rate="smd").fit(X[:60], y[:60])
    again = pickle.loads(pickle.dumps(model))
    for each in (model, again):
        each.partial_fit(X[60:], y[60:])
    np.testing.assert_array_equal(model.feature_scores(X), again.feature_scores(X))
    assert model.descent_.n_rows == 80
    assert model.n_iter_ == len(model.loss_curve_) == 1


@pytest.mark.parametrize(
    ("parameters", "changed"),
    [
        ({"kernel": "rbf", "gamma": 0.5}, {"gamma": 5.0}),
        ({"kernel": "poly"}, {"degree": 2, "coef0": 0.5}),
        ({"kernel": "linear"}, {"kernel": "rbf"}),
        ({"kernel": "rbf", "loss": "squared"}, {"loss": "auc"}),
    ],
)
@pytest.mark.parametrize("begun", ["fit", "partial_fit"])
def test_kernel_and_loss_of_mini_batches_are_those_of_the_first(parameters, changed, begun):
    X, y = data(Permutations(4), n=30)
    models = [getattr(sgd("permutations", max_iter=2, **parameters), begun)(X, y) for _ in range(2)]
    models[0].set_params(**changed)
    for model in models:
        model.set_params(alpha=0.5, eta0=0.2).partial_fit(X, y)
    np.testing.assert_array_equal(models[0].feature_scores(X), models[1].feature_scores(X))
    assert models[0].n_iter_ == models[1].n_iter_


def test_mini_batches_cannot_carry_on_with_another_intercept():
    X, y = data(Permutations(5))
    model = sgd("permutations").partial_fit(X, y)
    before = model.feature_scores(X)
    with pytest.raises(ValueError):
        model.set_params(fit_intercept=False).partial_fit(X, y)
    np.testing.assert_array_equal(model.feature_scores(X), before)
    model.set_params(fit_intercept=True).partial_fit(X, y)
    assert model.n_iter_ == 2


def test_kept_rows_are_the_last_and_bound_the_memory():
    structure = Permutations(5)
    X, y = data(structure, n=6000, p=10)
    model = sgd(structure, kernel="rbf", truncation=100, shuffle=False, max_iter=1)
    for lo in range(0, 6000, 500):
        model.partial_fit(X[lo : lo + 500], y[lo : lo + 500])
    np.testing.assert_array_equal(model.X_fit_, X[-100:])
    assert model.dual_coef_.shape == (100, 10)
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.X_fit_.shape == (100, 10)
    assert peak < 20e6  # where a kernel matrix of all rows has 288e6 bytes


def test_classes_may_come_later():
    X, y = data(MultiClass(3), n=90)
    names = np.array(["a", "b", "c"])[y]
    rows = np.argsort(names)
    model = sgd(None, kernel="rbf")
    with pytest.raises(ValueError):
        model.partial_fit(X[rows[:30]], names[rows[:30]])
    for lo in range(0, 90, 30):
        model.partial_fit(X[rows[lo : lo + 30]], names[rows[lo : lo + 30]], classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError):
        model.partial_fit(X, names, classes=["a", "b"])


@pytest.mark.parametrize("kernel", KERNELS)
def test_warm_start_carries_on(kernel):
    X, y = data(Permutations(5))
    exact = StructuredRidge("permutations", kernel=kernel, loss="auc").fit(X, y)
    model = sgd("permutations", kernel=kernel, loss="auc", max_iter=2, warm_start=True)
    model.fit(X, y)
    first = model.loss_curve_
    model.fit(X, y)
    assert model.loss_curve_[-1] < first[-1]
    with pytest.raises(ValueError):
        model.fit(X[:50, :3], y[:50])
    cold = sgd("permutations", kernel=kernel, loss="auc", max_iter=1).fit(X, y)
    for name in {"coef_", "dual_coef_", "intercept_"} & set(vars(exact)):
        setattr(model, name, getattr(exact, name))
    warm = model.set_params(max_iter=1).fit(X, y)  # from another estimator's minimum
    assert warm.objective_ < cold.objective_
