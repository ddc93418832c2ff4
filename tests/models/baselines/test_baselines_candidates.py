"""Perceptrons among candidates, GEN(x), and the bound on mistakes where no scorer separates the rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from combpred import Admissible, CapabilityError, StructuredRidge
from combpred.baselines import StructuredPerceptron, StructuredSVM
from combpred.structures import Custom, LabelSets, MultiClass, Permutations

RANKINGS = np.array(list(Permutations(3).enumerate()))


def some_rankings(x: Any) -> np.ndarray:
    """Three or four rankings that depend on the row."""
    row = x.toarray()[0] if sparse.issparse(x) else x
    first = int(abs(row[0]) * 10) % 6
    return np.roll(RANKINGS, first, axis=0)[: 3 + first % 2]


def problem(n: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.array([some_rankings(x)[rng.integers(3)] for x in X])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_it_is_the_perceptron_among_candidates(form):
    X, y = problem()
    structure = Permutations(3)
    options = {"max_iter": 4, "average": False, "shuffle": False, "candidates": some_rankings}
    model = StructuredPerceptron(structure, **options).fit(form(X), y)
    inputs, W, mistakes = np.hstack([X, np.ones((12, 1))]), np.zeros((3, 3)), 0
    for step in range(48):
        x, own = inputs[step % 12], structure.embed(y[[step % 12]])[0]
        psi = structure.embed(some_rankings(X[step % 12]))
        best = psi[np.argmax(psi @ (W.T @ x))]
        if (best != own).any():
            W, mistakes = W + np.outer(x, own - best), mistakes + 1
    np.testing.assert_allclose(np.vstack([model.coef_.T, model.intercept_]), W, atol=1e-12)
    assert model.n_mistakes_ == mistakes
    new = np.random.default_rng(5).normal(size=(20, 2))
    predicted = model.predict(form(new))
    for x, row in zip(new, predicted, strict=True):
        among = some_rankings(x)
        values = structure.embed(among) @ (W.T @ np.append(x, 1.0))
        assert row.tolist() == among[np.argmax(values)].tolist()
    certified = model.predict(form(new), return_certificate=True)[1]
    assert certified.optimal.all()
    np.testing.assert_array_equal(certified.structures, predicted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(form(new)), predicted)
    again = clone(model).fit(form(X), y)
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_all_structures_as_candidates_change_nothing():
    X, y = problem()
    options = {"max_iter": 5, "random_state": 0, "kernel": "rbf"}
    among = StructuredPerceptron("permutations", candidates=lambda x: RANKINGS, **options).fit(X, y, np.arange(12) % 3)
    free = StructuredPerceptron("permutations", **options).fit(X, y, np.arange(12) % 3)
    assert among.score(X, y) == pytest.approx(free.score(X, y), abs=0.2)  # ties are broken in other ways
    batches = StructuredPerceptron("permutations", candidates=some_rankings, shuffle=False)
    whole = clone(batches).set_params(max_iter=2).fit(X, y)
    for _ in range(2):
        batches.partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
    np.testing.assert_allclose(batches.coef_, whole.coef_, atol=1e-12)


@pytest.mark.parametrize(
    ("candidates", "row"),
    [
        (lambda x: [], 0),
        (lambda x: [[1, 2, 3], [1, 1, 2]], 0),
        (lambda x: [[1, 2]], 0),
    ],
)
def test_illegal_candidates_are_refused(candidates, row):
    X, y = problem()
    with pytest.raises(ValueError) as caught:
        StructuredPerceptron("permutations", candidates=candidates, shuffle=False).fit(X, y)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_without_weight_count_where_candidates_are_refused(kernel):
    X, y = problem()
    given = lambda x: [] if (x == X[7]).all() else RANKINGS  # noqa: E731
    model = StructuredPerceptron("permutations", kernel=kernel, candidates=given, shuffle=False)
    with pytest.raises(ValueError) as caught:
        model.fit(X, y, np.arange(12) > 3)
    assert caught.value.row == 7


def test_constraints_are_up_to_the_function():
    X, y = problem()
    model = StructuredPerceptron("permutations", candidates=some_rankings).fit(X, y)
    with pytest.raises(CapabilityError):
        model.predict(X, constraints={"first": 0})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "structure", [Permutations(3), LabelSets(4), MultiClass(3), Custom.from_structures(range(5), np.eye(5))]
)
def test_mistakes_on_inseparable_data_never_exceed_the_bound(structure, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 2)), structure.sample(20, seed)
    for options in ({"fit_intercept": False}, {"kernel": "rbf", "gamma": 0.1}, {}):
        model = StructuredPerceptron(structure, max_iter=6, random_state=seed, **options).fit(X, y)
        own = model.mistake_bound(X, y)
        ridge = model.mistake_bound(X, y, scorer=StructuredRidge(structure, alpha=0.01, **options).fit(X, y))
        svm = model.mistake_bound(X, y, scorer=StructuredSVM(structure, C=10.0, **options).fit(X, y))
        assert 0 < model.n_mistakes_ <= min(own, ridge, svm)
        assert max(own, ridge, svm) <= model.n_iter_ * 20


def test_the_bound_is_the_least_over_margins():
    structure = Permutations(3)
    X, y = problem(15, 3)
    model = StructuredPerceptron(structure, max_iter=7, random_state=0).fit(X, y)
    scorer = StructuredRidge(structure, alpha=0.1).fit(X, y)
    norm = np.sqrt(np.sum(scorer.coef_**2) + np.sum(scorer.intercept_**2))
    for candidates in (None, some_rankings):
        model = StructuredPerceptron(structure, max_iter=7, random_state=0, candidates=candidates).fit(X, y)
        margins = []
        for f, x, row in zip(scorer.feature_scores(X), X, y, strict=True):
            others = np.array([z for z in (RANKINGS if candidates is None else candidates(x)) if (z != row).any()])
            margins.append((structure.embed([row]) @ f - (structure.embed(others) @ f).max())[0] / norm)
        gamma = np.geomspace(1e-3, 1e3, 20_000)
        short = np.sqrt(7 * np.square(np.maximum(0, gamma[:, None] - margins)).sum(axis=1))
        least = np.square((model.radius_ + short) / gamma).min()
        assert model.n_iter_ == 7
        assert model.mistake_bound(X, y, scorer=scorer) == pytest.approx(min(least, 7 * 15), rel=1e-5)


def test_separable_rows_have_the_bound_of_novikoff():
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(25, 3)), rng.normal(size=(3, 3))
    y = Permutations(3).decode(X @ W)
    model = StructuredPerceptron("permutations", fit_intercept=False, max_iter=20_000, random_state=0).fit(X, y)
    hard = StructuredSVM("permutations", fit_intercept=False, C=1e4, max_iter=20_000, tol=1e-6).fit(X, y)
    psi = Permutations(3).embed(RANKINGS)
    values = np.sort(X @ hard.coef_.T @ psi.T, axis=1)
    novikoff = (model.radius_ * np.linalg.norm(hard.coef_) / (values[:, -1] - values[:, -2]).min()) ** 2
    assert model.n_mistakes_ <= model.mistake_bound(X, y, scorer=hard) <= novikoff * (1 + 1e-6)
    trivial = StructuredPerceptron("permutations").fit([[0.0], [0.0]], [[1, 2, 3], [1, 2, 3]])
    assert trivial.n_mistakes_ <= trivial.mistake_bound([[0.0], [0.0]], [[1, 2, 3], [1, 2, 3]])


def test_what_has_no_bound_is_refused():
    X, y = problem()
    model = StructuredPerceptron("permutations").fit(X, y)
    with pytest.raises(ValueError):
        model.mistake_bound(X, y, scorer=StructuredRidge("permutations", kernel="rbf").fit(X, y))
    with pytest.raises(ValueError):
        model.mistake_bound(X, y, scorer=StructuredRidge("permutations", fit_intercept=False).fit(X, y))
    with pytest.raises(CapabilityError):
        model.mistake_bound(X, [Admissible(RANKINGS[:2])] * 12)
    kernel = StructuredPerceptron("permutations", kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(CapabilityError):
        kernel.mistake_bound(X @ X.T, y)
