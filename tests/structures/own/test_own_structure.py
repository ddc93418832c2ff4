"""A structure of one's own, known by a uniform sampler and ψ alone: fitted and asked by chains, against enumeration.

The example, up to the first test, is what a user writes.
"""

from __future__ import annotations

import itertools
import math
import pickle
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import chi2
from sklearn.exceptions import ConvergenceWarning

from combpred import CapabilityError, ProbabilisticStructured, sampling
from combpred.structures import Custom

# Days on which a hall is let: never two in a row, as it is cleaned the day after.
DAYS = 7
PLANS = [1, 2]  # plans[n]: how many for n days, by whether the first of them is let
for _ in range(DAYS - 1):
    PLANS.append(PLANS[-1] + PLANS[-2])


# Of the plans for n days, the share of those whose first day is let.
LET = [0.0, *(PLANS[max(n - 2, 0)] / PLANS[n] for n in range(1, DAYS + 1))]


def draw(rng):
    plan, day = [0] * DAYS, 0
    while day < DAYS:
        if rng.random() < LET[DAYS - day]:
            plan[day] = 1
            day += 1
        day += 1
    return np.array(plan)


def best(scores):
    value, plan = np.zeros(DAYS + 2), np.zeros(DAYS, dtype=int)
    for day in reversed(range(DAYS)):
        value[day] = max(value[day + 1], scores[day] + value[day + 2])
    day = 0
    while day < DAYS:
        plan[day] = scores[day] + value[day + 2] > value[day + 1]
        day += 1 + plan[day]
    return plan


def embed(plan):
    return plan.astype(float)


PLANNED = Custom(sample=draw, embed=embed, decode=best, log_count=math.log(PLANS[DAYS]))

ALL = np.array(
    [p for p in itertools.product((0, 1), repeat=DAYS) if not any(a and b for a, b in itertools.pairwise(p))]
)


def bookings(n=20, seed=0):
    """Return inputs, the plans drawn for them, and the places of these in ALL."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    f = X @ rng.normal(size=(2, DAYS)) + 0.3
    places = np.argmax(f @ ALL.T + rng.gumbel(size=(n, len(ALL))), axis=1)
    return X, ALL[places], places


@pytest.fixture(scope="module")
def fitted():
    X, y, places = bookings()
    exact = ProbabilisticStructured(Custom.from_structures(list(range(len(ALL))), ALL.astype(float))).fit(X, places)
    model = ProbabilisticStructured(PLANNED, max_iter=4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y), exact, X, y


def test_the_sampler_and_the_decoder_of_the_example_are_right():
    assert len(ALL) == PLANS[DAYS]
    rng = np.random.default_rng(0)
    counts = np.zeros(len(ALL))
    for _ in range(4000):
        counts[np.flatnonzero((draw(rng) == ALL).all(axis=1))[0]] += 1
    expected = 4000 / len(ALL)
    assert np.sum((counts - expected) ** 2 / expected) < chi2.ppf(1 - 1e-6, len(ALL) - 1)
    for scores in rng.normal(size=(50, DAYS)):
        assert scores @ best(scores) == pytest.approx((ALL @ scores).max())


def test_it_is_fitted_by_chains_of_uniform_proposals(fitted):
    model, exact, X, y = fitted
    assert (model.inference_, model.solver_, model.chain_diagnostics_.sampler) == ("mcmc", "sgd", "meta")
    assert model.chain_diagnostics_.split_r_hat.max() < 1.1
    np.testing.assert_array_equal(model.predict(X), [best(f) for f in model.feature_scores(X)])
    # The same log-likelihood as the exact fit, to a share of what that gains over the uniform distribution.
    f, places = model.feature_scores(X), [np.flatnonzero((row == ALL).all(axis=1))[0] for row in y]
    loss = np.mean(logsumexp(f @ ALL.T, axis=1) - np.einsum("ij,ij->i", f, y)) + np.sum(
        np.square(np.c_[model.coef_, model.intercept_])
    ) / len(X)
    uniform, least = math.log(len(ALL)), exact.objective_ / len(X)
    assert least - 1e-9 <= loss <= least + 0.01 * (uniform - least)
    assert exact.score_log_loss(X, places) < uniform


def test_its_distributions_are_those_of_enumeration(fitted):
    model, _, X, y = fitted
    model = pickle.loads(pickle.dumps(model)).set_params(epsilon=0.1, delta=0.01)
    f = model.feature_scores(X[:2]) @ ALL.T
    p = np.exp(f - logsumexp(f, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_marginals(X[:2]), p @ ALL, atol=0.1)
    found = model.set_params(epsilon=0.25).log_partition(X[:1])
    exact = logsumexp(f[:1], axis=1)
    assert ((found.lower <= exact) & (exact <= found.upper)).all()
    assert (found.n_samples > 0).all() and found.method == "annealed"
    np.testing.assert_allclose(
        model.log_proba(X[:1], y[:1]), np.einsum("ij,ij->i", model.feature_scores(X[:1]), y[:1]) - found.value
    )
    drawn = model.sample(X[:1], 3000, random_state=1).y[:, 0]
    counts = np.array([(drawn == plan).all(axis=1).sum() for plan in ALL])
    likely = 3000 * p[0] >= 5
    assert likely.all()
    # Successive samples are nearly independent: a false alarm in a million, for half as many independent ones.
    assert np.sum((counts - 3000 * p[0]) ** 2 / (3000 * p[0])) / 2 < chi2.ppf(1 - 1e-6, len(ALL) - 1)


def test_what_it_lacks_is_refused_with_what_works():
    X, y, _ = bookings(8)
    for options in (
        {"inference": "exact"},
        {"sampler": "local"},
        {"sampler": "cftp"},
        {"decision": "mbr"},
    ):
        with pytest.raises(CapabilityError):
            ProbabilisticStructured(PLANNED, **options).fit(X, y)


def test_a_number_of_outputs_that_is_not_given_is_estimated():
    """Within ε of the exact ln Z for all of 5 rows, all of which fail at δ = 0.2 in 3e-4 of seeds."""
    scores = np.random.default_rng(3).normal(scale=0.5, size=(5, DAYS))
    unnumbered = Custom.from_sampler(draw, embed, best, radius=2.0)
    found = sampling.log_partition(unnumbered, scores, epsilon=0.3, delta=0.2, random_state=0)
    exact = logsumexp(scores @ ALL.T, axis=1)
    assert ((found.lower <= exact) & (exact <= found.upper)).any()
    np.testing.assert_allclose(found.upper - found.lower, 2 * np.log(np.sqrt(1.3) / (2 - np.sqrt(1.3))))
    assert found.is_guaranteed.all()
    model = ProbabilisticStructured(unnumbered, max_iter=1, random_state=0)
    X, y, _ = bookings(8)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert np.isfinite(model.log_partition(X[:2], epsilon=0.5).value).all()
    with pytest.raises(CapabilityError):
        unnumbered.log_count()
