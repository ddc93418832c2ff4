"""Draws in the form of ArviZ, whose diagnostics are ours under the names that the docstring gives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from combpred import ProbabilisticStructured
from combpred.sampling import effective_sample_size, sample, split_r_hat, to_arviz
from combpred.structures import LabelSets, Permutations

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    arviz = pytest.importorskip("arviz")
STRUCTURE = Permutations(labels=["tea", "milk", "juice", "water"])


@pytest.fixture(scope="module")
def draws():
    scores = np.random.default_rng(0).normal(size=(3, 6))
    return sample(STRUCTURE, np.repeat(scores, 4, axis=0), 400, sampler="local", thin=1, random_state=0)


def test_groups_hold_the_draws_of_each_chain(draws):
    found = to_arviz(draws, STRUCTURE, n_chains=4)
    psi, stats = found["posterior"]["psi"], found["sample_stats"]
    assert dict(psi.sizes) == {"chain": 4, "draw": 400, "row": 3, "entry": 6}
    assert psi["entry"].values.tolist() == [str(name) for name in STRUCTURE.feature_names()]
    for chain, row in np.ndindex(4, 3):
        at = 4 * row + chain
        np.testing.assert_array_equal(psi.sel(chain=chain, row=row), STRUCTURE.embed(draws.y[:, at]))
        np.testing.assert_array_equal(stats["lp"].sel(chain=chain, row=row), draws.value[:, at])
        np.testing.assert_array_equal(stats["n_steps"].sel(chain=chain, row=row), draws.steps[:, at])
    assert stats.attrs["sampler"] == "local" and not stats.attrs["is_exact"]
    rate = stats["acceptance_rate"].values.transpose(1, 2, 0).reshape(400, 12)
    np.testing.assert_array_equal(rate, draws.accepted / draws.steps)


def sizes(x):
    """Return the effective sample size by Geyer's monotone sequence, as we and as ArviZ compute it.

    Ours takes autocovariances times n/(n − 1), as variances are; ArviZ adds half of the first autocorrelation that it
    drops, where that is positive.
    """
    found = []
    halves = np.concatenate([x[:, : x.shape[1] // 2], x[:, x.shape[1] - x.shape[1] // 2 :]])
    m, n = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    biased = np.array([(centred[:, : n - lag] * centred[:, lag:]).sum(axis=1).mean() / n for lag in range(n)])
    within = biased[0] * n / (n - 1)
    pooled = biased[0] + halves.mean(axis=1).var(ddof=1)
    for ours in (True, False):
        rho = 1 - (within - biased * (n / (n - 1) if ours else 1)) / pooled
        rho[0] = 1
        tau, last = -1.0, np.inf
        for lag in range(0, n - 1, 2):
            if rho[lag] + rho[lag + 1] <= 0:
                break
            last = min(last, rho[lag] + rho[lag + 1])
            tau += 2 * last
        if not ours:
            tau += max(rho[lag], 0.0)
        found.append(m * n / max(tau, 1 / np.log10(m * n)))
    return found


def test_diagnostics_beside_the_scores_differ_from_those_of_arviz_as_documented(draws):
    lp = to_arviz(draws, STRUCTURE, n_chains=4)["sample_stats"]["lp"]
    for row in range(3):
        values = np.ascontiguousarray(lp.sel(row=row).values)
        assert lp.attrs["split_r_hat"][row] == split_r_hat(values)
        assert lp.attrs["split_r_hat"][row] == pytest.approx(float(arviz.rhat(values, method="split")), rel=1e-12)
        ours, theirs = sizes(values)
        assert lp.attrs["effective_sample_size"][row] == pytest.approx(ours, rel=1e-9)
        assert float(arviz.ess(values, method="mean")) == pytest.approx(theirs, rel=1e-9)
        assert ours == pytest.approx(theirs, rel=0.15)


def test_arviz_by_default_finds_chains_that_differ_in_scale_alone():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 500)) * np.array([[1.0], [1.0], [5.0], [5.0]])
    assert split_r_hat(values) < 1.01 < 1.1 < float(arviz.rhat(values))


def test_equal_draws_are_told_apart():
    values = np.ones((2, 50))
    assert np.isnan(effective_sample_size(values)) and np.isnan(split_r_hat(values))
    assert float(arviz.ess(values, method="mean")) == 100


def test_rows_are_chains_of_their_own_by_default():
    exact = sample(LabelSets(3), np.zeros((2, 3)), 10, sampler="exact", random_state=0)
    found = to_arviz(exact, LabelSets(3))
    assert dict(found["posterior"]["psi"].sizes) == {"chain": 1, "draw": 10, "row": 2, "entry": 3}
    assert found["sample_stats"].attrs["is_exact"]


def test_chains_of_a_trained_model_follow_its_distribution():
    """Means are within .1 of the marginals, 3.2 standard errors of 1000 draws of ±1: false alarms at most 2 % in 12."""
    X = np.random.default_rng(1).normal(size=(40, 2))
    y = STRUCTURE.decode(np.repeat(X, 3, axis=1))
    model = ProbabilisticStructured(STRUCTURE).fit(X, y)
    scores = np.repeat(model.feature_scores(X[:2]), 4, axis=0)
    found = to_arviz(
        sample(model.structure_, scores, 2000, sampler="local", random_state=0), model.structure_, n_chains=4
    )
    means = found["posterior"]["psi"].mean(dim=("chain", "draw")).values
    assert min(found["sample_stats"]["lp"].attrs["effective_sample_size"]) > 1000
    np.testing.assert_allclose(means, model.predict_marginals(X[:2]), atol=0.1)


def test_rows_that_are_no_groups_of_chains_are_refused(draws):
    with pytest.raises(ValueError):
        to_arviz(draws, STRUCTURE, n_chains=5)


def test_structures_are_no_names(draws):
    with pytest.raises(TypeError):
        to_arviz(draws, "permutations")
