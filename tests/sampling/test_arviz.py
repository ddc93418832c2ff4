"""Diagnostics of chains beside those of ArviZ, and the page's way to hand draws to it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from combpred.sampling import effective_sample_size, sample, split_r_hat
from combpred.structures import Permutations

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    arviz = pytest.importorskip("arviz")
PAGE = (Path(__file__).parents[2] / "python" / "docs" / "guide" / "coming_from.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize("row", range(3))
def test_diagnostics_differ_from_those_of_arviz_as_documented(row):
    scores = np.random.default_rng(row).normal(size=6)
    draws = sample(Permutations(4), np.tile(scores, (4, 1)), 400, sampler="local", thin=1, random_state=0)
    values = np.ascontiguousarray(draws.value.T)
    assert split_r_hat(values) == pytest.approx(float(arviz.rhat(values, method="split")), rel=1e-12)
    ours, theirs = sizes(values)
    assert effective_sample_size(values) == pytest.approx(ours, rel=1e-9)
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


def test_the_page_hands_over_the_draws_of_each_chain():
    """Means are within .225 of the marginals, 4.5 standard errors of 400 draws of ±1: false alarms below 5e-5."""
    [block] = re.findall(r"```python\n(.*?)```", PAGE[PAGE.index("## Draws in ArviZ") :], re.S)
    names = {}
    exec(compile(block, "coming_from.md, ArviZ", "exec"), names)
    posterior, drawn, ranking = names["posterior"], names["drawn"], names["ranking"]
    assert dict(posterior["psi"].sizes) == {"chain": 4, "draw": 500, "row": 2, "entry": 3}
    for chain, row in np.ndindex(4, 2):
        at = 4 * row + chain
        np.testing.assert_array_equal(posterior["psi"].sel(chain=chain, row=row), ranking.embed(drawn.y[:, at]))
        np.testing.assert_array_equal(posterior["score"].sel(chain=chain, row=row), drawn.value[:, at])
    means = posterior["psi"].mean(dim=("chain", "draw")).values
    assert min(effective_sample_size(posterior["score"].sel(row=row).values) for row in range(2)) > 400
    np.testing.assert_allclose(means, ranking.marginals(names["scores"]), atol=0.225)
