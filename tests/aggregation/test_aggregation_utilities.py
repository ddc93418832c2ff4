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


def davidson(wins, ties, z, penalty):
    """Return the penalised negative logarithm of the likelihood, by the definition, as a function of β and ln ν."""

    def loss(x):
        worth, nu = np.exp(z @ x[: z.shape[1]]), np.exp(x[z.shape[1] :]).sum()  # 0 without ln ν
        even = nu * np.sqrt(np.outer(worth, worth))
        total = worth[:, None] + worth + even
        likelihood = (wins * np.log(worth[:, None] / total)).sum()
        if nu > 0:
            likelihood += (np.triu(ties, 1) * np.log(even / total)).sum()
        return penalty / 2 * x[: z.shape[1]] @ x[: z.shape[1]] - likelihood

    return loss


def second_derivatives(loss, x, step=1e-3):
    """Return the Hessian by central differences of fourth order along and across all pairs of directions."""
    eye, hessian = np.eye(len(x)) * step, np.empty((len(x), len(x)))
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    for i in range(len(x)):
        for j in range(len(x)):
            terms = [a * b * loss(x + s * eye[i] + t * eye[j]) for s, a in weights.items() for t, b in weights.items()]
            hessian[i, j] = sum(terms) / step**2
    return hessian


@pytest.mark.parametrize("covariates", [False, True])
@pytest.mark.parametrize("tying", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 0.8])
def test_davidson_has_the_largest_likelihood_and_its_curvature(covariates, tying, penalty):
    rng = np.random.default_rng(8)
    wins, ties = (rng.integers(0, 7, size=(5, 5)).astype(float) for _ in range(2))
    np.fill_diagonal(wins, 0.0)
    ties = np.triu(ties, 1) + np.triu(ties, 1).T
    penalty = penalty or (0.05 if covariates else 0.0)  # which needs one
    z = rng.normal(size=(5, 2)) if covariates else np.eye(5)
    found = bradley_terry(wins, ties=ties if tying else None, covariates=z if covariates else None, penalty=penalty)
    loss, p = davidson(wins, ties, z, penalty), z.shape[1]
    gauge = 0.0 if covariates else 1.0  # makes θ that of sum 0 without a change of the likelihood
    best = fitted(lambda x: loss(x) + gauge * x[:p].sum() ** 2, p + tying)
    np.testing.assert_allclose(found.utilities, (z @ best[:p]) - (z @ best[:p]).mean(), atol=2e-6)
    hessian = second_derivatives(loss, best)
    if covariates:
        np.testing.assert_allclose(found.coef, best[:p], atol=2e-6)
        inverse, shown = np.linalg.inv(hessian), z - z.mean(axis=0)
        np.testing.assert_allclose(found.coef_covariance, inverse[:p, :p], rtol=1e-5)
    else:
        free = np.eye(p + tying)
        free[:p, :p] -= 1 / p  # utilities of sum 0
        basis = np.linalg.svd(free)[0][:, : p - 1 + tying]
        inverse, shown = basis @ np.linalg.inv(basis.T @ hessian @ basis) @ basis.T, z
        np.testing.assert_allclose(found.covariance.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.covariance, shown @ inverse[:p, :p] @ shown.T, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(found.standard_errors**2, np.diag(found.covariance))
    own = [*(found.coef if covariates else found.utilities), *([np.log(found.ties.parameter)] if tying else [])]
    likelihood = -davidson(wins, ties, z, 0.0)(np.array(own))
    assert found.log_likelihood == pytest.approx(likelihood, abs=1e-9)
    if tying:
        assert found.ties.parameter == pytest.approx(np.exp(best[p]), rel=1e-5)
        assert found.ties.standard_error == pytest.approx(np.exp(best[p]) * np.sqrt(inverse[p, p]), rel=1e-5)
        tied = 1 - found.pairwise_proba - found.pairwise_proba.T
        assert tied[np.triu_indices(5)].min() > 0
        if not penalty:  # at the maximum there are as many ties as are expected
            assert (np.triu((wins + wins.T + ties) * tied, 1)).sum() == pytest.approx(np.triu(ties).sum(), abs=1e-5)
    else:
        assert found.ties is None


def test_comparisons_that_could_have_ties_but_have_none():
    wins = draws(4, 5, 4) + 0.0
    wins = wins[:4]
    found, same = bradley_terry(wins, ties=np.zeros((4, 4))), bradley_terry(wins)
    np.testing.assert_array_equal(found.utilities, same.utilities)
    assert (found.ties.parameter, found.ties.standard_error) == (0.0, 0.0)
    assert found.log_likelihood == same.log_likelihood
    np.testing.assert_allclose(found.pairwise_proba + found.pairwise_proba.T, 1.0)


def test_standard_errors_say_how_far_estimates_are():
    """Of 300 samples 95 % are within 1.96 standard errors, with a false alarm in 10^4 or so runs of other seeds."""
    rng, theta, nu, n = np.random.default_rng(9), np.array([0.8, 0.1, -0.2, -0.7]), 0.6, 60
    u, v = np.triu_indices(4, 1)
    half = (theta[u] - theta[v]) / 2
    p = np.stack([np.exp(half), np.exp(-half), np.full(6, nu)], axis=1)
    p /= p.sum(axis=1, keepdims=True)
    inside = np.zeros(5)
    for _ in range(300):
        wins, ties, drawn = np.zeros((4, 4)), np.zeros((4, 4)), rng.multinomial(n, p)
        wins[u, v], wins[v, u], ties[u, v], ties[v, u] = drawn[:, 0], drawn[:, 1], drawn[:, 2], drawn[:, 2]
        found = bradley_terry(wins, ties=ties)
        inside[:4] += np.abs(found.utilities - theta) <= 1.96 * found.standard_errors
        inside[4] += abs(found.ties.parameter - nu) <= 1.96 * found.ties.standard_error
    assert (np.abs(inside / 300 - 0.95) < 4.2 * np.sqrt(0.95 * 0.05 / 300)).all(), inside


def test_ties_that_leave_no_finite_model():
    """One item beats the other, or ties it, and never loses: both the difference and ν would be infinite."""
    wins, ties = [[0, 3], [0, 0]], [[0, 2], [2, 0]]
    with pytest.raises(ValueError):
        bradley_terry(wins, ties=ties)
    assert np.isfinite(bradley_terry(wins, ties=ties, penalty=0.1).utilities).all()
    with pytest.raises(ValueError):
        bradley_terry([[0, 3, 1], [0, 0, 1], [0, 1, 0]], ties=[[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    with pytest.raises(ValueError):
        bradley_terry(wins, ties=[[0, 1], [2, 0]])
    assert plackett_luce([[1, 2], [2, 1]]).standard_errors is None


def test_what_has_no_finite_utilities_is_named():
    with pytest.raises(ValueError, match="no other item is ever before item 1; take a positive penalty, or leave it"):
        plackett_luce([[2, 1, 3], [3, 1, 2]])
    with pytest.raises(ValueError):
        bradley_terry([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 0]])
    found = plackett_luce([[2, 1, 3], [3, 1, 2]], penalty=0.1)
    assert np.isfinite(found.utilities).all() and found.consensus[1] == 1
    with pytest.raises(ValueError, match="the ranking ties the items 0, 1") as caught:
        plackett_luce([[1, 2, 3], [1, 1, 2]])
    assert caught.value.row == 1
    with pytest.raises(ValueError):
        plackett_luce([[1, 2], [2, 1]], penalty=-1)
    with pytest.raises(ValueError):
        bradley_terry([[0, 1], [1, 0]], covariates=[[1.0], [0.0]])
    with pytest.raises(ValueError):
        bradley_terry([[0, 1], [1, 0]], covariates=np.ones((3, 1)), penalty=1.0)
    with pytest.raises(ValueError):
        bradley_terry(np.zeros((3, 3)))
    for penalty in (0.0, 1.0):
        with pytest.raises(ValueError) as caught:
            bradley_terry(np.ones((3, 3)), ties=np.zeros((2, 2)), penalty=penalty)
        assert "ties has shape (2, 2)" in str(caught.value)
    with pytest.raises(ValueError):
        bradley_terry([[0, -1], [1, 0]])


@pytest.mark.parametrize("penalty", [1e-3, 1e-6, 1e-9, 1e-12, 1e-20, 1e-300])
def test_tiny_penalties_are_met_or_said_not_to_be(penalty):
    """At the optimum the gradient of the likelihood of two items, in logarithms, is that of the penalty."""
    if penalty < 1e-15:
        for fit, given in ((bradley_terry, [[0, 3, 0], [0, 0, 2], [0, 0, 0]]), (plackett_luce, [[1, 2, 3]] * 5)):
            with pytest.raises(np.linalg.LinAlgError):
                fit(given, penalty=penalty)
        return
    for found in (bradley_terry([[0, 5], [0, 0]], penalty=penalty), plackett_luce([[1, 2]] * 5, penalty=penalty)):
        u = found.utilities[0]
        assert np.log(5) - np.logaddexp(0, 2 * u) == pytest.approx(np.log(penalty * u), abs=1e-3)
