"""What users know about their own structure beside a sampler and ψ: bounds, moments, members, siblings and moves."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import chi2
from sklearn.exceptions import ConvergenceWarning

from combpred import CapabilityError, ProbabilisticStructured, StructuredRidge, sampling
from combpred.structures import Custom
from custom_spaces import MEMBERS, RANKINGS, X_NEW, X, Y, best, by_formulas, by_sampler, fitted, shuffled, signs

PSI = RANKINGS.embed(MEMBERS)
SCORES = np.random.default_rng(0).normal(size=(30, 6))
RADIUS = math.sqrt(6)
EXACT = {"mean": RANKINGS.mean(), "second_moment": RANKINGS.second_moment()}


def reverse(y: np.ndarray) -> np.ndarray:
    return 5 - y


def swapped(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    i = rng.integers(3)
    z = y.copy()
    z[y == i + 1], z[y == i + 2] = i + 2, i + 1
    return z


def undecoded(**changes: Any) -> Custom:
    return by_sampler(decode=None, **EXACT, **changes)


def drawn_numbers(rng: np.random.Generator) -> np.ndarray:
    """Any four positions, of which few are those of a ranking."""
    return rng.integers(1, 5, size=4)


def is_ranking(y: np.ndarray) -> bool:
    return sorted(y) == [1, 2, 3, 4]


# Predictions without a decoder.


@pytest.mark.parametrize("loss", ["auc", "squared"])
def test_draws_predict_like_permutations(loss: str) -> None:
    """All 24 rankings are among 4096 draws but for 24 (23/24)^4096 < 1e-74 of seeds."""
    model, custom = fitted(RANKINGS, Y, loss=loss), fitted(undecoded(), Y, loss=loss)
    assert_array_equal(custom.predict(X_NEW), model.predict(X_NEW))
    certified = custom.predict(X_NEW, return_certificate=True)[1]
    assert_allclose(certified.value, model.predict(X_NEW, return_certificate=True)[1].value, atol=1e-8)
    assert (certified.nu == 1).all() and not certified.optimal.any()
    assert_array_equal(pickle.loads(pickle.dumps(custom)).predict(X_NEW), custom.predict(X_NEW))
    assert_array_equal(custom.predict(X_NEW[7:8]), custom.predict(X_NEW)[7:8])


def test_the_default_loss_needs_no_decoder() -> None:
    assert_array_equal(
        StructuredRidge(undecoded()).fit(X, Y).predict(X_NEW), StructuredRidge(RANKINGS).fit(X, Y).predict(X_NEW)
    )


@pytest.mark.parametrize("alpha", [1.0, 3.0, 1e6])
def test_the_metropolis_process_meets_the_best_of_its_uniform_proposals(alpha: float) -> None:
    rng = np.random.default_rng(1)
    values = PSI @ SCORES[0]
    proposals = rng.integers(24, size=12)
    state = most = values[proposals[0]]
    for z in proposals[1:]:
        if rng.random() < alpha ** (values[z] - state):
            state = values[z]
        most = max(most, state)
    assert most == values[proposals].max()


def test_the_best_of_few_draws_is_in_the_stated_share() -> None:
    """With 12 draws of 24 rankings, the best is among the best 5 with probability 1 − (19/24)^12 = .94.

    Of 300 structures 282 are expected, and fewer than 255 in 1e-7 of seeds.
    """
    values = -PSI @ SCORES[0]
    found = [undecoded(n_proposals=12, random_state=seed).space.decode(SCORES[:1]).value[0] for seed in range(300)]
    rank = [np.sum(values < -value - 1e-9) for value in found]
    assert np.sum(np.array(rank) < 5) >= 255


@pytest.mark.parametrize("n_proposals", [1, 3, 16, 4096])
@pytest.mark.parametrize("known", [{"sibling": reverse}, {"radius": RADIUS}, {"sibling": reverse, "radius": RADIUS}])
def test_certificates_hold(n_proposals: int, known: dict[str, Any]) -> None:
    found = undecoded(n_proposals=n_proposals, **known).space.decode(SCORES)
    values = SCORES @ PSI.T
    most, least = values.max(axis=1), values.min(axis=1)
    assert_allclose(found.value, [s @ signs(y) for s, y in zip(SCORES, found.y[:, 0], strict=True)])
    assert (found.value >= (1 - found.nu) * most + found.nu * least - 1e-12).all()
    assert (found.upper_bound >= most).all()
    if "sibling" in known:
        assert (found.nu <= 0.5).all() and (found.value >= 0).all()
    if "radius" in known:
        assert_allclose(found.upper_bound, RADIUS * np.linalg.norm(SCORES, axis=1))
        assert (found.nu < 1).all() or n_proposals == 1


def test_a_bound_that_is_reached_proves_the_best() -> None:
    tight = undecoded(bound=lambda s: np.abs(PSI @ s).max())
    assert tight.space.decode(SCORES).optimal.all()
    assert StructuredRidge(tight, loss="auc").fit(X, Y).predict(X_NEW, return_certificate=True)[1].optimal.all()
    with_decode = by_formulas(bound=lambda s: np.abs(PSI @ s).max()).space.decode(SCORES)
    assert with_decode.optimal.all() and (with_decode.nu == 0).all()


def test_siblings_mend_a_poor_decoder() -> None:
    values = SCORES @ PSI.T
    found = by_formulas(decode=lambda s: MEMBERS[np.argmin(PSI @ s)], sibling=reverse).space.decode(SCORES)
    assert_allclose(found.value, values.max(axis=1))
    assert_array_equal(found.nu, 0.5)


@pytest.mark.parametrize("decoder", ["auto", "anneal", "metropolis", "local-search"])
def test_own_moves_find_the_best_where_draws_do_not(decoder: str) -> None:
    """Days of a calendar of 40 that are let, never two in a row: exact by recursion; uniform draws are far below."""
    found = CALENDAR.set_params(propose=flipped).space.decode(WORTH, None, _how(decoder))
    draws = CALENDAR.set_params(propose=None).space.decode(WORTH)
    exact = np.array([best_calendar(s) for s in WORTH])
    assert (draws.value < 0.9 * exact).all()
    assert (found.value > 0.95 * exact).all()
    assert all(is_calendar(y) for y in found.y[:, 0])
    again = CALENDAR.set_params(propose=flipped).space.decode(WORTH, None, _how(decoder))
    assert_array_equal(found.value, again.value)


def _how(decoder: str) -> Any:
    from combpred._lib.decode import Decoding

    return Decoding(decoder, seed=3)


DAYS = 40
WORTH = np.random.default_rng(5).normal(size=(4, DAYS)) + 0.2
PLANS = [1.0, 2.0]
for _ in range(DAYS - 1):
    PLANS.append(PLANS[-1] + PLANS[-2])


def calendar(rng: np.random.Generator) -> np.ndarray:
    plan, day = np.zeros(DAYS), 0
    while day < DAYS:
        if rng.random() * PLANS[DAYS - day] >= PLANS[DAYS - day - 1]:
            plan[day] = 1.0
            day += 1
        day += 1
    return plan


def is_calendar(plan: np.ndarray) -> bool:
    return not (plan[1:] * plan[:-1]).any()


def flipped(plan: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One day let or not, or moved by a day; not always possible, which `contains` tells."""
    other, day = plan.copy(), rng.integers(DAYS)
    if day and rng.random() < 0.5:
        other[day - 1], other[day] = plan[day], plan[day - 1]
    else:
        other[day] = 1.0 - plan[day]
    return other


def best_calendar(scores: np.ndarray) -> float:
    value = np.zeros(DAYS + 2)
    for day in reversed(range(DAYS)):
        value[day] = max(value[day + 1], scores[day] + value[day + 2])
    return float(value[0])


CALENDAR = Custom.from_sampler(
    calendar, np.asarray, contains=is_calendar, log_count=math.log(PLANS[DAYS]), n_moment_samples=2000, n_proposals=3000
)


@pytest.mark.parametrize("moves", [{}, {"propose": swapped}])
@pytest.mark.parametrize("verbose", [0, 1])
def test_searches_show_progress(moves: dict[str, Any], verbose: int, limits: Any, capsys: Any) -> None:
    limits.progress_at_once()
    model = fitted(undecoded(n_proposals=300, **moves), Y, verbose=verbose)
    capsys.readouterr()
    model.predict(X_NEW)
    assert ("predicting: " in capsys.readouterr().err) == bool(verbose)


@pytest.mark.parametrize("moves", [{}, {"propose": swapped}])
def test_searches_can_be_interrupted(moves: dict[str, Any], ctrl_c: Any) -> None:
    """Ten million million proposals have no end; what was found before stays."""
    model = fitted(undecoded(n_proposals=10**13, **moves), Y)
    with ctrl_c():
        model.predict(X_NEW)
    assert_array_equal(model.feature_scores(X_NEW), fitted(undecoded(), Y).feature_scores(X_NEW))


def test_chains_take_the_place_of_a_decoder_on_request() -> None:
    calls = []

    def decode(scores: np.ndarray) -> np.ndarray:
        calls.append(1)
        return best(scores)

    structure = by_sampler(decode=decode, **EXACT)
    for decoder, called in (("auto", 40), ("local-search", 40), ("anneal", 0), ("metropolis", 0), ("approx", 0)):
        calls.clear()
        model = fitted(structure, Y, decoder=decoder, random_state=0)
        assert_array_equal(model.predict(X_NEW), fitted(RANKINGS, Y).predict(X_NEW))
        assert len(calls) == called


# Exact moments and a sampler together.


def test_exact_moments_replace_draws() -> None:
    calls = []

    def counted(rng: np.random.Generator) -> np.ndarray:
        calls.append(1)
        return shuffled(rng)

    structure = by_sampler(sample=counted, **EXACT, log_count=math.log(24))
    assert structure.moments_info.kind == "exact" and not calls
    assert_array_equal(structure.second_moment(), RANKINGS.second_moment())
    assert_array_equal(fitted(structure, Y).feature_scores(X_NEW), fitted(by_formulas(), Y).feature_scores(X_NEW))
    assert structure.sample(3, random_state=0).shape == (3, 4)
    exact = logsumexp(SCORES[:1] @ PSI.T, axis=1)
    taylor = sampling.log_partition(structure, SCORES[:1] / 10, method="taylor")
    assert_allclose(taylor.value, logsumexp(SCORES[:1] @ PSI.T / 10, axis=1), atol=1e-3)
    counting = sampling.estimate_marginals(
        structure, SCORES[:1], method="counting", epsilon=0.8, feature_range=(-1, 1), random_state=0
    )
    p = np.exp(SCORES[:1] @ PSI.T - exact[:, np.newaxis])
    assert_allclose(counting.value, p @ PSI, atol=0.8)


# Bounds: what they make possible.


def test_a_radius_guarantees_estimates() -> None:
    """A sampler, ψ and R are enough for ln Z within 1 ± ε: at δ = 0.2 none of 5 rows holds in 3e-4 of seeds."""
    structure = undecoded(radius=RADIUS, log_count=math.log(24))
    scores, exact = SCORES[:5] / 6, logsumexp(SCORES[:5] @ PSI.T / 6, axis=1)
    for options in ({}, {"sampler": "cftp"}, {"schedule": "thesis"}, {"schedule": "uniform", "sampler": "rejection"}):
        found = sampling.log_partition(structure, scores, epsilon=0.6, delta=0.2, random_state=0, **options)
        assert found.is_guaranteed.all() or found.details.schedule != "adaptive"
        assert ((found.lower <= exact) & (exact <= found.upper)).any()
    # Exact draws would take long from here on: a chain, as without a radius.
    with pytest.warns(ConvergenceWarning):
        far = sampling.log_partition(structure, SCORES[:1] * 6, epsilon=0.9, max_steps=10**4, random_state=0)
    assert not far.is_guaranteed.any()


def test_exact_draws_from_a_radius() -> None:
    drawn = sampling.sample(undecoded(radius=RADIUS), SCORES[0] / 3, 2000, sampler="cftp", random_state=0)
    assert drawn.is_exact
    counts = (drawn.y == MEMBERS).all(axis=2).sum(axis=0)
    p = np.exp(PSI @ SCORES[0] / 3)
    expected = 2000 * p / p.sum()
    assert np.sum((counts - expected) ** 2 / expected) < chi2.ppf(1 - 1e-6, 23)  # a false alarm in a million seeds


def test_models_are_trained_by_exact_draws() -> None:
    model = ProbabilisticStructured(
        undecoded(radius=RADIUS, log_count=math.log(24)),
        sampler="cftp",
        alpha=20.0,
        tol=0.2,
        epsilon=0.25,
        random_state=0,
    ).fit(X[:20], Y[:20])
    exact = ProbabilisticStructured(RANKINGS, alpha=20.0).fit(X[:20], Y[:20])
    assert model.inference_ == "mcmc"
    # Sampled gradients to tol: the scores deviate by less than a quarter of their size.
    f, known = model.feature_scores(X_NEW), exact.feature_scores(X_NEW)
    assert np.linalg.norm(f - known) < 0.25 * np.linalg.norm(known)
    p = np.exp(f[:2] @ PSI.T - logsumexp(f[:2] @ PSI.T, axis=1)[:, np.newaxis])
    assert_allclose(model.predict_marginals(X_NEW[:2]), p @ PSI, atol=0.25)
    # What is predicted has the largest of these scores, so that of the exact model is as near to its largest.
    scores = np.einsum("ij,ij->i", f, RANKINGS.embed(model.predict(X_NEW)))
    assert_allclose(scores, (f @ PSI.T).max(axis=1), atol=1e-9)


# Chains of own moves.


def lopsided(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A swap of neighbours, twice as often where the label of smaller number comes first then."""
    i = rng.integers(3)
    u, v = np.flatnonzero(y == i + 1)[0], np.flatnonzero(y == i + 2)[0]
    if u < v and rng.random() < 0.5:
        return y
    z = y.copy()
    z[u], z[v] = i + 2, i + 1
    return z


def lopsided_ratio(y: np.ndarray, z: np.ndarray) -> float:
    moved = np.flatnonzero(y != z)
    if not moved.size:
        return 0.0
    return math.log(0.5) if y[moved[0]] > y[moved[1]] else math.log(2.0)


@pytest.mark.parametrize("moves", [{"propose": swapped}, {"propose": lopsided, "log_ratio": lopsided_ratio}])
def test_chains_of_own_moves_have_the_distribution(moves: dict[str, Any]) -> None:
    drawn = sampling.sample(undecoded(**moves), SCORES[0] / 2, 1500, sampler="local", thin=12, random_state=0)
    assert drawn.sampler == "local" and not drawn.is_exact
    counts = (drawn.y == MEMBERS).all(axis=2).sum(axis=0)
    p = np.exp(PSI @ SCORES[0] / 2)
    expected = 1500 * p / p.sum()
    # Samples 12 moves apart count as a third of independent ones: then a false alarm in a million seeds.
    assert np.sum((counts - expected) ** 2 / expected) / 3 < chi2.ppf(1 - 1e-6, 23)
    assert_allclose(drawn.value[:, 0], [SCORES[0] @ signs(y) / 2 for y in drawn.y[:, 0]])
    started = sampling.sample(undecoded(**moves), SCORES[:2], 1, sampler="local", burn_in=0, thin=1, start=MEMBERS[:2])
    assert (np.abs(started.y[0] - MEMBERS[:2]).sum(axis=1) <= 2).all()


def test_a_ratio_that_is_left_out_shows() -> None:
    """Without it, the chain of lopsided moves has another distribution: the test above can fail."""
    drawn = sampling.sample(undecoded(propose=lopsided), np.zeros(6), 1500, sampler="local", thin=12, random_state=0)
    counts = (drawn.y == MEMBERS).all(axis=2).sum(axis=0)
    assert np.sum((counts - 62.5) ** 2 / 62.5) / 3 > chi2.ppf(1 - 1e-6, 23)


# Membership.


def test_draws_outside_of_the_space_are_drawn_again() -> None:
    structure = Custom.from_sampler(drawn_numbers, signs, contains=is_ranking, **EXACT)
    drawn = structure.sample(2400, random_state=0)
    counts = (drawn[:, np.newaxis] == MEMBERS).all(axis=2).sum(axis=0)
    assert counts.sum() == 2400
    assert np.sum((counts - 100.0) ** 2 / 100.0) < chi2.ppf(1 - 1e-6, 23)  # a false alarm in a million seeds
    with pytest.raises(ValueError) as caught:
        structure.validate([[1, 2, 3, 4], [1, 1, 1, 1]])
    assert (caught.value.argument, caught.value.row) == ("y", 1)
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(X[:2], [[1, 2, 3, 4], [1, 1, 1, 1]])
    assert (caught.value.argument, caught.value.row) == ("y", 1)
    with pytest.raises(ValueError) as caught:
        structure.set_params(decode=lambda scores: np.ones(4)).decode(np.zeros(6))
    assert (caught.value.argument, caught.value.row) == ("scores", 0)


# Rubbish.


@pytest.mark.parametrize(
    ("changes", "error", "row"),
    [
        ({"radius": 0.0}, ValueError, None),
        ({"radius": "2"}, TypeError, None),
        ({"radius": 1.0}, ValueError, 0),
        ({"bound": lambda s: np.nan}, ValueError, 0),
        ({"bound": lambda s: 0.001}, ValueError, 0),
        ({"sibling": lambda y: "no"}, ValueError, 0),
        ({"contains": lambda y: 1}, TypeError, None),
        ({"contains": 3}, TypeError, None),
        ({"propose": lambda y, rng: [1.0]}, ValueError, 0),
        ({"propose": swapped, "log_ratio": lambda y, z: None}, ValueError, 0),
        ({"log_ratio": lambda y, z: 0.0}, ValueError, None),
        ({"n_proposals": 0}, ValueError, None),
        ({"n_proposals": 2.5}, TypeError, None),
        ({"second_moment": None}, ValueError, None),
    ],
)
def test_rubbish_is_named(changes: dict[str, Any], error: type[Exception], row: int | None) -> None:
    embed = {"embed": lambda y: signs(y) if len(y) == 4 else [0.0]}
    with pytest.raises(error) as caught:
        undecoded_of(**embed, **changes).space.decode(SCORES[:2])
    assert any(name in str(caught.value) for name in changes)
    assert getattr(caught.value, "row", None) == row


def undecoded_of(**changes: Any) -> Custom:
    return Custom.from_sampler(**{"sample": shuffled, **EXACT, **changes})


def test_a_membership_that_no_draw_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("combpred.structures._own.functions._REFUSED", 50)
    with pytest.raises(RuntimeError):
        undecoded(contains=lambda y: False).sample(1)


def test_without_draws_nothing_is_proposed() -> None:
    with pytest.raises(CapabilityError):
        by_formulas(decode=None).decode(np.zeros(6))
    with pytest.raises(CapabilityError):
        by_formulas().space.decode(SCORES, None, _how("anneal"))


@pytest.mark.parametrize("name", ["sample", "embed", "sibling", "propose", "contains", "bound"])
def test_interrupts_pass_between_calls(name: str) -> None:
    """Ctrl-C in a user's function ends the call, and the structure works afterwards."""
    functions: dict[str, Any] = {
        "sample": shuffled, "embed": signs, "sibling": reverse, "propose": swapped, "contains": is_ranking,
        "bound": lambda s: RADIUS * np.linalg.norm(s),
    }  # fmt: skip
    calls = itertools.count()

    def interrupted(*arguments: Any) -> Any:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return functions[name](*arguments)

    structure = Custom.from_sampler(**{**functions, name: interrupted}, **EXACT, n_proposals=50)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(3):
            structure.decode(SCORES[:2])
            structure.embed(MEMBERS[:2])
    assert_allclose(structure.space.decode(SCORES[:2]).value, undecoded().space.decode(SCORES[:2]).value)
