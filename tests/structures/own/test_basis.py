"""Kernels of infinitely many dimensions between outputs that are not listed, by a small basis of their functions."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from combpred import StructuredRidge, sampling
from combpred.structures import Custom

# Orders of five talks. Only the first two matter, to a kernel with an infinite feature space: 20 functions span it.
ORDERS = np.array(list(itertools.permutations(range(5))))
PAIRS = [np.array(order) for order in {tuple(y[:2]): y for y in ORDERS.tolist()}.values()]


def kernel(y, z):
    return math.exp(-0.5 * abs(int(y[0]) - int(z[0])) - 0.2 * (int(y[1]) - int(z[1])) ** 2)


GRAM = np.array([[kernel(y, z) for z in ORDERS] for y in ORDERS])
LISTED = Custom.from_kernel(ORDERS.tolist(), GRAM)


def draw(rng):
    return rng.permutation(5)


def values(y):
    return np.array([kernel(z, y) for z in PAIRS])


U = np.array([values(y) for y in ORDERS])
MOMENTS = {"log_count": math.log(120), "mean": U.mean(axis=0), "second_moment": U.T @ U / 120}


def best(c):
    return ORDERS[np.argmax(U @ c)]


def based(**options):
    return Custom.from_basis(PAIRS, **{"kernel": kernel, **MOMENTS, "decode": best, **options})


def data(n=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.argsort(X @ rng.normal(size=(3, 5)) + 0.2 * rng.normal(size=(n, 5)), axis=1)


def test_products_of_embeddings_are_kernel_values():
    space = based()
    assert space.n_features == 20 == np.linalg.matrix_rank(GRAM)
    psi = space.embed(ORDERS)
    assert_allclose(psi @ psi.T, GRAM, atol=1e-9)
    assert_allclose(space.mean(), psi.mean(axis=0), atol=1e-9)
    assert_allclose(space.second_moment(), psi.T @ psi / 120, atol=1e-9)
    assert space.feature_names()[0] == "basis0"


@pytest.mark.parametrize("form", ["outputs", "function", "repeated"])
def test_ridge_is_that_of_the_listed_kernel(form):
    """The basis is another one of the same span: scores of outputs agree."""
    if form == "outputs":
        space = based()
    elif form == "function":
        gram = np.array([[kernel(y, z) for z in PAIRS] for y in PAIRS])
        space = Custom.from_basis(values, gram=gram, decode=best, **MOMENTS)
    else:  # a basis whose functions depend on each other
        twice = np.r_[U.T, U.T].T
        space = Custom.from_basis(
            PAIRS + PAIRS, kernel=kernel, log_count=math.log(120), mean=twice.mean(axis=0),
            second_moment=twice.T @ twice / 120, decode=lambda c: ORDERS[np.argmax(twice @ c)],
        )  # fmt: skip
    X, y = data()
    places = np.array([np.flatnonzero((row == ORDERS).all(axis=1))[0] for row in y])
    model = StructuredRidge(space, loss="auc", kernel="rbf", alpha=0.1).fit(X, y)
    listed = StructuredRidge(LISTED, loss="auc", kernel="rbf", alpha=0.1).fit(X, places)
    assert_allclose(model.objective_, listed.objective_, rtol=1e-7)
    assert_allclose(model.score_structures(X, y), listed.score_structures(X, places), atol=1e-7)
    found, known = model.predict_certified(X), listed.predict_certified(X)
    assert_allclose(found.value, known.value, atol=1e-7)
    assert model.score(X, y) > 0.5  # an order counts as right where its first two talks are


def test_a_sampler_is_enough():
    X, y = data()
    space = Custom.from_basis(PAIRS, kernel=kernel, sample=draw, radius=1.0, n_moment_samples=2000)
    exact = based()
    assert space.moments_info.kind == "sampled"
    assert_allclose(space.second_moment(), exact.second_moment(), atol=6 * space.moments_info.standard_error)
    model = StructuredRidge(space, kernel="rbf", alpha=0.1).fit(X, y)
    psi = space.embed(ORDERS)
    nearest = np.argmax(psi @ (model.feature_scores(X) + space.mean()).T - 0.5 * (psi**2).sum(axis=1)[:, None], axis=0)
    assert_allclose(space.embed(model.predict(X)), psi[nearest], atol=1e-9)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    scores = 0.5 * np.random.default_rng(1).normal(size=(1, 20))
    found = sampling.log_partition(space, scores, epsilon=0.5, delta=0.01, random_state=0)  # fails in a hundred seeds
    assert found.is_guaranteed.all()
    assert found.lower[0] - 1e-9 < np.log(np.exp(psi @ scores[0])[: len(psi)].sum() * len(PAIRS) / 120) < found.upper[0]


def test_a_basis_that_does_not_span_is_an_error_or_projects():
    few = PAIRS[:3]
    with pytest.raises(ValueError, match=r"y, row 1: embed gave an output outside of the span of the basis"):
        Custom.from_basis(few, kernel=kernel, log_count=math.log(120), mean=U[:, :3].mean(axis=0),
                          second_moment=U[:, :3].T @ U[:, :3] / 120).embed([few[0], ORDERS[-1]])  # fmt: skip
    space = Custom.from_basis(few, kernel=kernel, sample=draw, project=True, n_moment_samples=500)
    psi = space.embed(ORDERS)
    gram = np.array([[kernel(y, z) for z in few] for y in few])
    assert_allclose(psi @ psi.T, U[:, :3] @ np.linalg.solve(gram, U[:, :3].T), atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"kernel": None}, ValueError, "basis is a list of outputs: give kernel"),
        ({"gram": np.eye(20)}, ValueError, "and no gram"),
        ({"kernel": 3}, TypeError, "kernel must be a function of two outputs"),
        ({"kernel": lambda y, z: "x"}, ValueError, "kernel must return a finite number, got 'x'"),
        ({"kernel": lambda y, z: float(y[0] - z[0])}, ValueError, "gram is not symmetric"),
        ({"basis": []}, ValueError, "at least one"),
        ({"basis": values}, ValueError, "basis is a function: give gram"),
        ({"basis": values, "gram": np.eye(3)[:2]}, ValueError, r"gram must have shape \(k, k\)"),
        ({"basis": len, "gram": np.eye(20), "kernel": None}, ValueError, r"embed gave an array of shape \(\)"),
        ({"mean": np.zeros(3)}, ValueError, "those of the 20 functions of the basis"),
        ({"project": "yes"}, TypeError, "project must be True or False"),
        ({"embed": values}, ValueError, "embed cannot be given with basis"),
    ],
)  # fmt: skip
def test_rubbish_is_named(changes, error, message):
    with pytest.raises(error, match=message):
        Custom(**{"basis": PAIRS, "kernel": kernel, **MOMENTS, "decode": best, **changes}).embed(ORDERS[:2])
