"""Counts of linear extensions: exactly against enumeration and formulas, estimates against their guarantee.

Seeds are fixed. A correct estimate fails one statistical test with probability 1e-6; about six are made.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from combpred import CapabilityError, sampling

FALSE_ALARM = 1e-6
ZIGZAG = [(0, 1), (2, 1), (2, 3), (4, 3)]  # 16 orders, an Euler number


def estimated(pairs, n, epsilon, delta, seed, **options):
    options = {"epsilon": epsilon, "delta": delta, "random_state": seed, **options}
    return sampling.count_linear_extensions(pairs, n, method="approximate", **options)


def test_exact_counts_are_those_of_enumeration():
    rng = np.random.default_rng(0)
    for n in (1, 2, 4, 6):
        for density in (0.0, 0.2, 0.5, 1.0):
            order = rng.permutation(n)
            pairs = [(order[i], order[j]) for i, j in itertools.combinations(range(n), 2) if rng.random() < density]
            places = np.array(list(itertools.permutations(range(n))))
            want = sum(all(place[u] < place[v] for u, v in pairs) for place in places)
            found = sampling.count_linear_extensions(pairs, n)
            assert (found.value, found.lower, found.upper, int(found)) == (want,) * 4
            assert (found.method, found.n_samples, found.epsilon, found.delta) == ("exact", 0, 0.0, 0.0)
            assert found.log_value == math.log(want)


def test_large_counts_are_exact():
    assert sampling.count_linear_extensions([], 2048).value == math.factorial(2048)
    groups = [(u, v) for u in range(30) for v in range(30, 75)]  # two ties, one after the other
    assert sampling.count_linear_extensions(groups, 75).value == math.factorial(30) * math.factorial(45)
    # Two chains, the first of one before the last of the other: all merges but one.
    chains = [*((i, i + 1) for i in range(31)), *((i, i + 1) for i in range(32, 63)), (0, 63)]
    assert sampling.count_linear_extensions(chains, 64).value == math.comb(64, 32) - 1
    assert sampling.count_linear_extensions(ZIGZAG, 5, method="approximate").method == "exact"  # it is small


def test_estimates_keep_their_guarantee(limits):
    limits.downsets(1)
    runs, epsilon, delta = 200, 0.4, 0.2
    found = [estimated(ZIGZAG, 5, epsilon, delta, seed) for seed in range(runs)]
    wrong = sum(abs(each.value / 16 - 1) > epsilon for each in found)
    outside = sum(not each.lower <= 16 <= each.upper for each in found)
    limit = binom.isf(FALSE_ALARM, runs, delta)
    assert wrong <= limit and outside <= limit
    # The errors are no smaller than they must be, either: the logarithms have the right mean and enough spread.
    logs = np.array([each.log_value for each in found]) - math.log(16)
    assert all(each.method == "approximate" and each.n_samples > 64 for each in found)
    assert 0.05 < logs.std() < 0.4
    assert abs(logs.mean()) < 5 * logs.std() / math.sqrt(runs)


def test_estimates_of_larger_posets(limits):
    limits.downsets(20)
    # Three chains of four, the first of each before the last of the next: merges by inclusion and exclusion.
    pairs = [(4 * c + i, 4 * c + i + 1) for c in range(3) for i in range(3)] + [(0, 7), (4, 11)]
    want = math.factorial(12) // 24**3 - 2 * math.comb(12, 4) + 1
    assert sampling.count_linear_extensions(pairs, 12).value == want
    found = estimated(pairs, 12, 0.5, 1e-6, 3)
    assert found.lower <= want <= found.upper
    assert found.value == pytest.approx(math.exp(found.log_value), rel=1e-9, abs=1)
    assert estimated(pairs, 12, 0.5, 1e-6, 3, n_jobs=2) == found
    assert estimated(pairs, 12, 0.5, 1e-6, 4).value != found.value


def test_probabilities_are_those_of_enumeration():
    rng = np.random.default_rng(1)
    for n, density in ((1, 0.0), (2, 0.0), (4, 0.3), (6, 0.2), (6, 0.6)):
        order = rng.permutation(n)
        pairs = [(order[i], order[j]) for i, j in itertools.combinations(range(n), 2) if rng.random() < density]
        places = np.array(list(itertools.permutations(range(n))))
        places = places[[all(place[u] < place[v] for u, v in pairs) for place in places]]
        found = sampling.linear_extension_probabilities(pairs, n)
        np.testing.assert_allclose(found, (places[:, :, None] < places[:, None, :]).mean(axis=0), atol=1e-14)
        np.testing.assert_allclose(found.sum(axis=0), places.mean(axis=0), rtol=1e-13, atol=1e-14)


def test_bad_input_is_refused():
    for arguments in (([(0, 1), (1, 0)], 2), ([(0, 5)], 3), ([(0, 1)], 0)):
        for method in ("auto", "exact", "approximate"):
            with pytest.raises(ValueError):
                sampling.count_linear_extensions(*arguments, method=method)
    for options in ({"method": "guess"}, {"epsilon": 1.0}, {"delta": "small"}):
        with pytest.raises((ValueError, TypeError)):
            sampling.count_linear_extensions([(0, 1)], 2, **options)
    fence = [(i, i + 1) if i % 2 else (i + 1, i) for i in range(69)]
    with pytest.raises(CapabilityError):
        sampling.count_linear_extensions(fence, 70, method="exact")
    with pytest.raises(CapabilityError):
        sampling.linear_extension_probabilities(fence, 70)
    chains = [(i, i + 1) for i in range(69) if i != 34]  # one pair more connects all 70
    assert sampling.count_linear_extensions(chains, 70).value == math.comb(70, 35)
    with pytest.raises(CapabilityError):
        sampling.linear_extension_probabilities(chains, 70)
    with pytest.raises(ValueError):
        sampling.linear_extension_probabilities([(0, 1), (1, 0)], 2)


def test_counting_is_interrupted(ctrl_c):
    fence = [(i, i + 1) if i % 2 else (i + 1, i) for i in range(69)]
    with ctrl_c(polled=True):
        sampling.count_linear_extensions(fence, 70, random_state=0)


def test_elements_are_called_by_names():
    names, pairs = ["tea", "milk", "juice", "wine"], [(0, 2), (3, 2)]
    named = [(names[u], names[v]) for u, v in pairs]
    want = sampling.linear_extensions(pairs, 4, 50, random_state=0)
    orders = sampling.linear_extensions(named, names, 50, random_state=0)
    assert orders.tolist() == [[names[element] for element in order] for order in want]
    assert sampling.count_linear_extensions(named, names).value == sampling.count_linear_extensions(pairs, 4).value == 8
    probabilities = sampling.linear_extension_probabilities(named, names)
    np.testing.assert_array_equal(probabilities, sampling.linear_extension_probabilities(pairs, 4))
    for given in (np.array(named), pd.DataFrame(named), iter(named)):
        assert sampling.count_linear_extensions(given, pd.Index(names)).value == 8
    assert sampling.linear_extensions([(30, 10)], [10, 30]).tolist() == [[30, 10]]
    for function in (sampling.linear_extensions, sampling.count_linear_extensions):
        with pytest.raises(
            ValueError, match="pairs, row 1: 'juices' is no element; n_elements are 'tea', .*'juice'.*mean 'juice'"
        ):
            function([*named[:1], ("milk", "juices")], names)
        with pytest.raises(ValueError):
            function([*named, ("juice", "tea")], names)
        with pytest.raises(ValueError) as caught:
            function(["ab"], ["a", "b"])
        assert (caught.value.argument, caught.value.row) == ("pairs", 0)
        with pytest.raises(TypeError):
            function(named, 4)
        with pytest.raises(ValueError):
            function([], ["tea", "tea"])
