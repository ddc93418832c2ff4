"""Numbers of outputs, estimated from repeats among uniform draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from combpred import CapabilityError
from combpred.sampling import estimate_count
from combpred.structures import Custom, LabelSets, Permutations


def numbered(n):
    """Return n outputs, numbers 0..n−1, of which ψ is equal though its zeros may not be."""
    return Custom.from_sampler(
        lambda rng: (rng.integers(n), rng.choice([0.0, -0.0])), lambda y: [float(y[0]), y[1]], n_moment_samples=50
    )


@pytest.mark.parametrize("n", [1, 2, 3, 40, 5000])
def test_bounds_hold_as_often_as_they_say(n):
    """Of 200 intervals at δ = 0.2, 40 may miss, and 80 do in 1e-9 of seeds. The exact tails are thinner."""
    space = numbered(n)
    found = [estimate_count(space, epsilon=0.3, delta=0.2, random_state=seed) for seed in range(200)]
    missed = sum(not f.lower <= math.log(n) + 1e-12 <= f.upper + 2e-12 for f in found)
    assert binom.sf(80, 200, 0.2) < 1e-9 and missed <= 80
    assert np.mean([f.value for f in found]) == pytest.approx(math.log(n), abs=0.05)
    assert all(f.upper - f.lower == pytest.approx(math.log(1.3 / 0.7)) for f in found)


def test_it_takes_about_the_root_of_the_number():
    found = estimate_count(numbered(10**6), random_state=0)
    assert found.n_repeats == math.ceil(math.log(40) / (0.1 - math.log(1.1)))
    assert found.n_samples == pytest.approx(math.sqrt(2 * found.n_repeats * 10**6), rel=0.1)
    assert abs(found.value - math.log(10**6)) < 0.1


def test_structures_of_the_library_are_counted_likewise():
    for structure in (Permutations(5), LabelSets(7)):
        assert estimate_count(structure, random_state=0).value == pytest.approx(structure.log_count(), abs=0.1)


def test_what_is_too_large_has_a_lower_bound():
    with pytest.raises(CapabilityError, match=r"20000 draws show 0 of 787.*more than exp\((1[0-9]|20)\.") as caught:
        estimate_count(numbered(2**60), max_draws=20_000, random_state=0)
    assert "give log_count" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"epsilon": 1.0}, ValueError),
        ({"delta": 0.0}, ValueError),
        ({"max_draws": 1}, ValueError),
        ({"structure": "labelsets"}, TypeError),
    ],
)
def test_illegal_parameters_are_named(options, error):
    with pytest.raises(error) as caught:
        estimate_count(**{"structure": numbered(3), **options})
    assert any(name in str(caught.value) for name in options)


def test_without_a_uniform_sampler_it_is_refused():
    formulas = Custom(log_count=1.0, mean=[0.5], second_moment=[[0.5]], embed=lambda y: [y])
    with pytest.raises(CapabilityError):
        estimate_count(formulas)


def test_an_interrupt_leaves_the_structure_as_it_was():
    calls = iter(range(10**6))

    def draw(rng):
        if next(calls) == 400:
            raise KeyboardInterrupt
        return rng.integers(2, size=3)

    space = Custom.from_sampler(draw, np.asarray, n_moment_samples=50)
    with pytest.raises(KeyboardInterrupt):
        estimate_count(space, random_state=0)
    assert estimate_count(space, random_state=0).value == pytest.approx(math.log(8), abs=0.1)
