"""Plackett–Luce and Bradley–Terry models against likelihoods that are written out, and their maxima by SciPy."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from combpred import ProbabilisticStructured
from combpred.aggregation import bradley_terry, plackett_luce
from combpred.structures import MultiClass


def log_probability(u, order, left=()):
    """Return ln p of an order of items, those of `left` remaining when it is drawn."""
    rest = [*order, *left]
    return sum(u[item] - np.log(np.exp(u[rest[place:]]).sum()) for place, item in enumerate(order))


def fitted(loss, k):
    """Return the minimum of a loss."""
    return minimize(loss, np.zeros(k), method="BFGS", options={"gtol": 1e-9}).x


def draws(seed, n, k):
    """Draw rankings of which no item is always before the others."""
    rng = np.random.default_rng(seed)
    return np.argsort(np.argsort(-(rng.normal(size=k) / 2 + rng.gumbel(size=(n, k))), axis=1), axis=1) + 1


@pytest.mark.parametrize("penalty", [0.0, 0.7])
def test_plackett_luce_has_the_largest_likelihood(penalty):
    ranks, weights = draws(0, 25, 5), np.random.default_rng(1).uniform(0.5, 2.0, 25)
    found = plackett_luce(ranks, weights=weights, penalty=penalty)

    def likelihood(u):
        return sum(w * log_probability(u, np.argsort(row)) for w, row in zip(weights, ranks, strict=True))

    best = fitted(lambda u: penalty / 2 * u @ u - likelihood(u) + 1e-9 * u.sum() ** 2, 5)
    np.testing.assert_allclose(found.utilities, best - best.mean(), atol=2e-6)
    assert found.log_likelihood == pytest.approx(likelihood(found.utilities))
    every = list(permutations(range(5)))
    assert sum(np.exp(log_probability(found.utilities, order)) for order in every) == pytest.approx(1.0)
    before = sum(np.exp(log_probability(found.utilities, o)) for o in every if o.index(3) < o.index(1))
    assert found.pairwise_proba[3, 1] == pytest.approx(before)
    assert found.utilities[found.consensus - 1 == 0] == found.utilities.max()


def test_lists_of_the_first_items_and_unknown_items():
    """Of the items that share the last position none is chosen; unknown ones are not there to be chosen."""
    ranks = draws(2, 30, 5)
    first = np.where(ranks > 2, 9, ranks)
    unknown = np.where(ranks == 4, -1, ranks)
    for given, chosen, left in ((first, 2, [3, 4, 5]), (unknown, 4, [])):
        found = plackett_luce(given)

        def likelihood(u, given=given, chosen=chosen, left=left, ranks=ranks):
            total = 0.0
            for row, own in zip(ranks, given, strict=True):
                order = [i for i in np.argsort(row) if own[i] > 0][:chosen]
                total += log_probability(u, order, [i for i in range(5) if row[i] in left])
            return total

        best = fitted(lambda u, likelihood=likelihood: 1e-9 * u.sum() ** 2 - likelihood(u), 5)
        np.testing.assert_allclose(found.utilities, best - best.mean(), atol=2e-6)
        assert found.log_likelihood == pytest.approx(likelihood(found.utilities))


def test_rankings_of_two_are_comparisons():
    wins = np.array([[0, 5, 3, 1], [2, 0, 4, 2], [1, 3, 0, 2.5], [0, 1, 2, 9]])
    found = bradley_terry(wins)
    pairs = np.argwhere(wins * (1 - np.eye(4)) > 0)
    ranks = np.full((len(pairs), 4), -1)
    for row, (u, v) in zip(ranks, pairs, strict=True):
        row[u], row[v] = 1, 2
    same = plackett_luce(ranks, weights=wins[tuple(pairs.T)])
    np.testing.assert_allclose(found.utilities, same.utilities, atol=1e-10)
    assert found.log_likelihood == pytest.approx(same.log_likelihood)
    # At the maximum every item wins as often as is expected (Ford, 1957).
    np.fill_diagonal(wins, 0.0)
    expected = ((wins + wins.T) * found.pairwise_proba).sum(axis=1)
    np.testing.assert_allclose(expected, wins.sum(axis=1), atol=1e-6)


@pytest.mark.parametrize("penalty", [0.1, 2.0])
def test_covariates_are_a_structured_model(penalty):
    rng = np.random.default_rng(3)
    z, wins = rng.normal(size=(6, 2)), rng.integers(0, 9, size=(6, 6)).astype(float)
    np.fill_diagonal(wins, 0.0)
    found = bradley_terry(wins, covariates=z, penalty=penalty)

    def loss(b):
        theta = z @ b
        return penalty / 2 * b @ b + (wins * np.logaddexp(0.0, theta - theta[:, None])).sum()

    np.testing.assert_allclose(found.coef, fitted(loss, 2), atol=1e-5)
    theta = z @ found.coef
    np.testing.assert_allclose(found.utilities, theta - theta.mean())
    assert found.log_likelihood == pytest.approx(penalty / 2 * found.coef @ found.coef - loss(found.coef))
    # The same by hand, one row for each comparison.
    u, v = np.repeat(np.argwhere(wins > 0), wins[wins > 0].astype(int), axis=0).T
    swap = rng.random(len(u)) < 0.5
    first, second = np.where(swap, v, u), np.where(swap, u, v)
    model = ProbabilisticStructured(MultiClass(2), alpha=penalty, fit_intercept=False, tol=1e-9)
    model.fit(z[first] - z[second], (~swap).astype(int))
    np.testing.assert_allclose(model.coef_[1] - model.coef_[0], found.coef, atol=1e-5)


def test_what_has_no_finite_utilities_is_named():
    with pytest.raises(ValueError, match="no other item is ever before item 1; take a positive penalty, or leave it"):
        plackett_luce([[2, 1, 3], [3, 1, 2]])
    with pytest.raises(ValueError, match="before one of the items 0, 1; take a positive penalty, or leave them"):
        bradley_terry([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]])
    found = plackett_luce([[2, 1, 3], [3, 1, 2]], penalty=0.1)
    assert np.isfinite(found.utilities).all() and found.consensus[1] == 1
    with pytest.raises(ValueError, match="row 1: items share a position that is not the last"):
        plackett_luce([[1, 2, 3], [1, 1, 2]])
    with pytest.raises(ValueError, match="penalty must be a number of at least 0, got -1"):
        plackett_luce([[1, 2], [2, 1]], penalty=-1)
    with pytest.raises(ValueError, match="penalty must with covariates be a number above 0"):
        bradley_terry([[0, 1], [1, 0]], covariates=[[1.0], [0.0]])
    with pytest.raises(ValueError, match=r"covariates must be finite numbers of shape \(2, p\), got shape \(3, 1\)"):
        bradley_terry([[0, 1], [1, 0]], covariates=np.ones((3, 1)), penalty=1.0)
    with pytest.raises(ValueError, match="wins are all 0"):
        bradley_terry(np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"wins\[0, 1\] is -1.0"):
        bradley_terry([[0, -1], [1, 0]])
