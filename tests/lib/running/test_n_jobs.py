"""The parameter `n_jobs`, which means the same wherever it stands."""

from __future__ import annotations

import importlib
import inspect
import types
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import combpred
from combpred import ProbabilisticStructured, StructuredRidge, kernels, sampling
from combpred._lib import call
from combpred._lib.call import get_n_threads
from combpred.structures import Permutations

PUBLIC = [getattr(combpred, name) for name in combpred.__all__]
FACES = [combpred, *(importlib.import_module(each.__name__) for each in PUBLIC if isinstance(each, types.ModuleType))]
THREADED = {
    value
    for face in FACES
    for value in (getattr(face, name) for name in face.__all__)
    if (inspect.isfunction(value) or inspect.isclass(value) and issubclass(value, BaseEstimator))
    and "n_jobs" in inspect.signature(value).parameters
}
ESTIMATORS = sorted(
    (each for each in THREADED if inspect.isclass(each) and issubclass(each, BaseEstimator)),
    key=lambda each: each.__name__,
)

STRUCTURE, SCORES = Permutations(3), np.array([[0.3, -0.2, 0.1]])
ORDER = ([(0, 1)], 4)
CALLS = {
    kernels.extension_kernel: ([[1, 2, 3], [1, 2, -1]],),
    sampling.count_linear_extensions: ORDER,
    sampling.estimate_marginals: (STRUCTURE, SCORES),
    sampling.linear_extension_probabilities: ORDER,
    sampling.linear_extensions: ORDER,
    sampling.log_partition: (STRUCTURE, SCORES),
    sampling.sample: (STRUCTURE, SCORES),
    sampling.search: (STRUCTURE, SCORES),
}
#: Beyond the first of each function, which is exact and fast.
WAYS = [(function, {}) for function in CALLS]
WAYS += [
    (sampling.log_partition, {"method": "annealed", "epsilon": 0.5}),
    (sampling.log_partition, {"method": "taylor"}),
    (sampling.sample, {"sampler": "local"}),
    (sampling.estimate_marginals, {"sampler": "local", "epsilon": 0.5}),
    (sampling.count_linear_extensions, {"method": "approximate"}),
]


def called(function, **options):
    if "random_state" in inspect.signature(function).parameters:
        options["random_state"] = 0
    return function(*CALLS[function], **options)


def fitted(estimator, n_jobs):
    needed = {"structure": "permutations"} if "structure" in inspect.signature(estimator).parameters else {}
    if "estimators" in inspect.signature(estimator).parameters:
        needed["estimators"] = [("ridge", combpred.StructuredRidge())]
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = 1 + np.argsort(np.argsort(X @ np.random.default_rng(1).normal(size=(2, 3)), axis=1), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = estimator(n_jobs=n_jobs, **needed)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        return model.fit(X, y).predict(X)


@pytest.fixture
def threads(monkeypatch):
    """Return the set of the numbers of threads with which the library is called from here on."""
    numbers = set()

    def recorded(n_jobs=None):
        numbers.add(resolved(n_jobs))
        return resolved(n_jobs)

    resolved = get_n_threads
    monkeypatch.setattr(call, "get_n_threads", recorded)
    return numbers


def same(one, two):
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, two)
    elif hasattr(one, "__dataclass_fields__"):
        for name in one.__dataclass_fields__:
            same(getattr(one, name), getattr(two, name))
    elif isinstance(one, tuple):
        for mine, yours in zip(one, two, strict=True):
            same(mine, yours)
    else:
        assert one == two


def test_every_function_with_n_jobs_is_called():
    assert THREADED - set(ESTIMATORS) == set(CALLS)
    assert len(ESTIMATORS) >= 10


@pytest.mark.parametrize(("function", "options"), WAYS, ids=lambda value: getattr(value, "__name__", None))
class TestFunctions:
    def test_negative_numbers_count_back(self, function, options):
        same(called(function, n_jobs=-1, **options), called(function, n_jobs=1, **options))

    def test_zero_is_refused(self, function, options):
        with pytest.raises(ValueError):
            called(function, n_jobs=0, **options)

    @pytest.mark.parametrize("n_jobs", [1.5, "2"])
    def test_other_types_are_refused(self, function, options, n_jobs):
        with pytest.raises(TypeError):
            called(function, n_jobs=n_jobs, **options)

    def test_is_taken_by_all_calls_of_the_library(self, function, options, threads):
        with combpred.config_context(n_threads=5):
            called(function, n_jobs=3, **options)
        assert threads <= {1, 3} and 3 in threads


@pytest.mark.parametrize("estimator", ESTIMATORS)
class TestEstimators:
    def test_negative_numbers_count_back(self, estimator):
        np.testing.assert_array_equal(fitted(estimator, -1), fitted(estimator, 1))

    def test_zero_is_refused(self, estimator):
        with pytest.raises(ValueError):
            fitted(estimator, 0)

    @pytest.mark.parametrize("n_jobs", [1.5, "2"])
    def test_other_types_are_refused(self, estimator, n_jobs):
        with pytest.raises(TypeError):
            fitted(estimator, n_jobs)


@pytest.mark.parametrize("inference", ["exact", "taylor"])
def test_of_models_is_taken_by_all_calls_of_the_library(inference, threads):
    X, y = np.array([[0.2], [-0.1], [0.3]]), np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3]])
    with combpred.config_context(n_threads=5):
        model = ProbabilisticStructured("permutations", alpha=10.0, inference=inference, n_jobs=3).fit(X, y)
        model.predict_marginals(X)
        model.log_partition(X)
    assert threads <= {1, 3} and 3 in threads


@pytest.mark.parametrize("n_threads", [1.5, "2"])
def test_contexts_refuse_other_types(n_threads):
    with (
        pytest.raises(TypeError),
        combpred.config_context(n_threads=n_threads),
    ):
        pass


@pytest.mark.parametrize("n_threads", [-1, -1000, 1])
def test_contexts_count_negative_numbers_back_and_change_no_result(n_threads):
    X, y = np.arange(6.0)[:, None], np.array([[1, 2], [2, 1]] * 3)
    expected = StructuredRidge("permutations").fit(X, y).coef_
    with combpred.config_context(n_threads=n_threads):
        np.testing.assert_array_equal(StructuredRidge("permutations").fit(X, y).coef_, expected)


def test_contexts_refuse_zero():
    with pytest.raises(ValueError), combpred.config_context(n_threads=0):
        pass
