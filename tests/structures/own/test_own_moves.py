"""Chains of a user's own moves: draws, training, marginals and partition functions by them, against enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import chi2

from combpred import CapabilityError, ProbabilisticStructured, sampling
from combpred.structures import Custom
from custom_spaces import MEMBERS, RANKINGS, X_NEW, X, Y, by_sampler, signs

PSI = RANKINGS.embed(MEMBERS)
SCORES = np.random.default_rng(0).normal(size=(8, 6)) / 2
EXACT = {"mean": RANKINGS.mean(), "second_moment": RANKINGS.second_moment(), "log_count": math.log(24)}


def swapped(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two labels of neighbouring positions: an odd permutation, so that moves alone have period 2."""
    i = rng.integers(3)
    z = y.copy()
    z[y == i + 1], z[y == i + 2] = i + 2, i + 1
    return z


def embedded(y: np.ndarray) -> np.ndarray:
    return TABLE[tuple(y)]


TABLE = {tuple(y): psi for y, psi in zip(MEMBERS, PSI, strict=True)}


def moved(**changes: Any) -> Custom:
    return by_sampler(**{"decode": None, "embed": embedded, "propose": swapped, **EXACT, **changes})


def expected(scores: np.ndarray) -> np.ndarray:
    p = np.exp(scores @ PSI.T - logsumexp(scores @ PSI.T, axis=1)[:, np.newaxis])
    return p @ PSI


def test_periodic_moves_have_the_uniform_distribution() -> None:
    """Of scores of 0 every swap is accepted: 12 moves from sample to sample would never change the parity."""
    drawn = sampling.sample(moved(), np.zeros(6), 1500, sampler="local", thin=12, random_state=0)
    counts = (drawn.y == MEMBERS).all(axis=2).sum(axis=0)
    # Samples 12 moves apart count as a third of independent ones: then a false alarm in a million seeds.
    assert np.sum((counts - 62.5) ** 2 / 62.5) / 3 < chi2.ppf(1 - 1e-6, 23)
    assert 0.9 < drawn.acceptance[0] <= 1.0


def test_partition_functions() -> None:
    """Of 4 rows at δ = 0.01 more than 2 are off in 4e-6 of seeds, as far as chains are near their distributions."""
    exact = logsumexp(SCORES[:4] @ PSI.T, axis=1)
    found = sampling.log_partition(moved(), SCORES[:4], sampler="local", epsilon=0.7, delta=0.01, random_state=0)
    assert ((found.lower <= exact) & (exact <= found.upper)).sum() >= 2
    assert set(found.details.sampler) == {"local"} and found.details.converged.all()
    assert not found.is_guaranteed.any() and (found.details.n_steps >= found.n_samples).all()
    again = sampling.log_partition(moved(), SCORES[:1], sampler="local", epsilon=0.7, delta=0.01, random_state=0)
    assert_array_equal(again.value, found.value[:1])


def test_marginals() -> None:
    """δ = 1e-4 for a row, as far as its chains are near their distribution."""
    found = sampling.estimate_marginals(
        moved(), SCORES[:1], sampler="local", epsilon=0.5, delta=1e-4, feature_range=(-1, 1), random_state=0
    )
    assert (np.abs(found.value - expected(SCORES[:1])) <= found.error).all()
    assert found.converged.all() and set(found.sampler) == {"local"}


def test_models_are_trained_by_own_moves() -> None:
    model = ProbabilisticStructured(moved(), sampler="local", alpha=5.0, tol=0.2, epsilon=0.5, random_state=0)
    exact = ProbabilisticStructured(RANKINGS, alpha=5.0).fit(X[:20], Y[:20])
    f, known = model.fit(X[:20], Y[:20]).feature_scores(X_NEW), exact.feature_scores(X_NEW)
    # Sampled gradients to tol: the scores deviate by less than a quarter of their size.
    assert np.linalg.norm(f - known) < 0.25 * np.linalg.norm(known)
    assert model.inference_ == "mcmc" and model.chain_diagnostics_.sampler == "local"
    assert model.chain_diagnostics_.split_r_hat.max() < 1.1
    assert_allclose(model.predict_marginals(X_NEW[:2]), expected(f[:2]), atol=0.5)
    assert_allclose(model.log_partition(X_NEW[:2]).value, logsumexp(f[:2] @ PSI.T, axis=1), atol=0.7)
    drawn = model.sample(X_NEW[:1], n_samples=400).y
    assert model.chain_diagnostics_.sampler == "local"
    psi = np.array([signs(y) for y in drawn[:, 0]])
    # Samples 1.5 autocorrelation times apart: half as many independent ones, and six standard errors.
    assert (np.abs(psi.mean(axis=0) - expected(f[:1])[0]) < 6.0 * math.sqrt(2.0 / 400)).all()
    again = ProbabilisticStructured(moved(), sampler="local", alpha=5.0, tol=0.2, epsilon=0.5, random_state=0)
    assert_array_equal(again.fit(X[:20], Y[:20]).coef_, model.coef_)


def test_what_is_missing_is_named() -> None:
    without = moved(propose=None)
    for act in (
        lambda: sampling.log_partition(without, SCORES, sampler="local"),
        lambda: sampling.estimate_marginals(without, SCORES, sampler="local", feature_range=(-1, 1)),
        lambda: ProbabilisticStructured(without, sampler="local").fit(X, Y),
    ):
        with pytest.raises(CapabilityError):
            act()
    formulas = Custom(
        log_count=math.log(24), mean=EXACT["mean"], second_moment=EXACT["second_moment"], embed=signs, propose=swapped
    )
    with pytest.raises(CapabilityError):
        sampling.log_partition(formulas, SCORES, sampler="local")
    short = Custom.from_sampler(lambda rng: rng.random(2), np.asarray, propose=lambda y, rng: y[:1], log_count=9.0)
    with pytest.raises(ValueError) as caught:
        sampling.log_partition(short, [1.0, 0.0], sampler="local", random_state=0)
    assert caught.value.row == 0
