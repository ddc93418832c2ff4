"""Searches along chains on users' own structures, against enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from combpred import CapabilityError
from combpred.sampling import sample, search
from combpred.structures import Custom
from combpred.structures._own import chains
from custom_spaces import MEMBERS, RANKINGS, best, by_sampler, signs

PSI = RANKINGS.embed(MEMBERS)
SCORES = np.random.default_rng(0).normal(size=(12, 6))
MOST = (SCORES @ PSI.T).max(axis=1)
EXACT = {"mean": RANKINGS.mean(), "second_moment": RANKINGS.second_moment(), "log_count": math.log(24)}
RADIUS = math.sqrt(6)


def swapped(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    i = rng.integers(3)
    z = y.copy()
    z[y == i + 1], z[y == i + 2] = i + 2, i + 1
    return z


def own(**changes: Any) -> Custom:
    return by_sampler(**{"decode": None, "propose": swapped, "n_proposals": 150, **EXACT, **changes})


@pytest.mark.parametrize("known", [{}, {"radius": RADIUS}])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"proposals": "uniform"}, {"schedule": "metropolis"}, {"schedule": "metropolis", "alpha": 3.0},
        {"schedule": [2.0, 1.0, 0.1]}, {"epsilon": 0.5}, {"n_runs": 3, "n_steps": 40},
    ],
)  # fmt: skip
def test_what_is_found_is_an_output_with_its_score(known: dict[str, Any], options: dict[str, Any]) -> None:
    found = search(own(**known), SCORES, random_state=0, **options)
    assert_allclose((SCORES * RANKINGS.embed(found.y)).sum(axis=1), found.value)
    assert (found.value <= MOST + 1e-9).all() and (found.upper_bound >= MOST - 1e-9).all()
    least = (SCORES @ PSI.T).min(axis=1)
    assert (found.value >= (1 - found.nu) * MOST + found.nu * least - 1e-9).all()
    assert (found.n_steps == options.get("n_runs", 1) * options.get("n_steps", 150)).all()
    assert (found.n_accepted <= found.n_steps).all() and found.n_accepted.sum() > 0
    assert (found.value >= MOST - 1e-9).mean() >= 0.5
    assert not found.is_optimal.any() or "radius" in known
    again = search(own(**known), SCORES[:5], random_state=0, **options)
    assert_array_equal(again.y, found.y[:5])
    if options.get("proposals") == "uniform":
        assert_allclose(found.success, 1 - (23 / 24) ** found.n_steps)
    else:
        assert (found.success == found.is_optimal).all()


def test_temperatures_are_those_that_were_asked_for() -> None:
    given = search(own(), SCORES, schedule=[2.0, 0.25], random_state=0)
    assert_array_equal(given.temperature, 0.25)
    base = search(own(), SCORES, schedule="metropolis", alpha=math.exp(2.0), random_state=0)
    assert_allclose(base.temperature, 0.5)
    end = search(own(), SCORES, epsilon=0.5, delta=0.1, random_state=0)
    assert_allclose(end.temperature, 0.5 / math.log(24 / 0.1))
    spread = 2 * RADIUS * np.linalg.norm(SCORES, axis=1)
    # From the spread by the factor f = 1 − 1/√6 from level to level, ⌈2 ln 24 / −ln f⌉ of them.
    factor = 1 - 1 / math.sqrt(6)
    last = spread * factor ** (math.ceil(2 * math.log(24) / -math.log(factor)) - 1)
    assert_allclose(search(own(radius=RADIUS), SCORES, random_state=0).temperature, last)
    assert_allclose(search(own(radius=RADIUS), SCORES, schedule="metropolis", random_state=0).temperature, spread / 60)


def test_success_is_no_more_than_the_share_of_searches_that_find_the_best() -> None:
    """Of 400 searches by 20 uniform proposals 1 − (23/24)^20 = .573 and more: below .45 in 1e-6 of seeds."""
    rows = np.repeat(SCORES[:1], 400, axis=0)
    found = search(own(), rows, proposals="uniform", n_steps=20, random_state=0)
    assert_allclose(found.success, 1 - (23 / 24) ** 20)
    assert 0.45 < (found.value >= MOST[0] - 1e-9).mean() < 0.72  # .591 with the uniform start


def test_a_decoder_is_where_searches_start() -> None:
    found = search(own(decode=best), SCORES, n_steps=1, random_state=0)
    assert_allclose(found.value, MOST)
    tight = search(own(decode=best, bound=lambda s: np.abs(PSI @ s).max()), SCORES, random_state=0)
    assert tight.is_optimal.all() and (tight.success == 1).all() and (tight.n_steps == 0).all()
    assert np.isnan(tight.temperature).all()


def test_large_independence_systems_are_searched() -> None:
    """Of 30 tasks neighbours clash: never below the guaranteed solution, and the best by recursion in most rows."""
    system = Custom.from_oracle(30, lambda held: not (held[1:] & held[:-1]).any(), n_proposals=3000)
    scores = np.random.default_rng(3).normal(size=(6, 30)) + 0.3
    found = search(system, scores, random_state=0)
    for s, y, value, upper, start in zip(
        scores, found.y, found.value, found.upper_bound, system.space.decode(scores).value, strict=True
    ):
        before, most = 0.0, 0.0
        for score in s:
            before, most = most, max(most, before + score)
        assert start - 1e-9 <= value <= most + 1e-9 and most <= upper + 1e-9
        assert value == pytest.approx(y @ s) and not (y[1:] & y[:-1]).any()
    with pytest.raises(CapabilityError):
        search(system, scores, proposals="uniform")


def test_what_is_missing_is_named() -> None:
    with pytest.raises(CapabilityError):
        search(own(propose=None), SCORES, proposals="local")
    with pytest.raises(CapabilityError):
        search(own(log_count=None), SCORES, epsilon=0.1)
    formulas = Custom(**EXACT, embed=list, propose=swapped)
    with pytest.raises(CapabilityError):
        search(formulas, SCORES)
    with pytest.raises(CapabilityError):
        search(formulas.set_params(decode=best, embed=signs), SCORES)


def test_progress_counts_each_step_once(monkeypatch: Any) -> None:
    controls, make = [], chains.Control

    def kept() -> Any:
        controls.append(make())
        return controls[-1]

    monkeypatch.setattr(chains, "Control", kept)
    found = search(own(), SCORES, schedule=[1.0], n_steps=50, random_state=0)
    assert [control.step for control in controls] == [found.n_steps.sum()]


def test_progress_is_shown_and_ctrl_c_ends_a_search(limits: Any, capsys: Any, ctrl_c: Any) -> None:
    limits.progress_at_once()
    for verbose in (0, 1):
        search(own(), SCORES, random_state=0, verbose=verbose)
        assert ("searching: " in capsys.readouterr().err) == bool(verbose)
        sample(own(), SCORES, sampler="local", random_state=0, verbose=verbose)
        assert ("sampling: " in capsys.readouterr().err) == bool(verbose)
    with ctrl_c():
        search(own(), SCORES, n_steps=2**40, random_state=0)
