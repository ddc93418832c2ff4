"""Integer programs of consensuses, with and without ties, and what "auto" proves with them."""

import numpy as np
import pytest

from combpred import CapabilityError
from combpred.aggregation import kemeny

# Random numbers stand for rankings: they are compared as positions are.
pytestmark = pytest.mark.filterwarnings("ignore:rankings are read as positions")


def tied(seed, n, k):
    """Draw rankings with ties."""
    return np.random.default_rng(seed).integers(1, max(k // 2, 3), size=(n, k))


def strict(seed, n, k):
    """Draw rankings without ties."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(k) + 1 for _ in range(n)])


def distance(ranks, y, penalty):
    """Return the sum of the distances of a ranking to others, pair by pair."""
    u, v = np.triu_indices(ranks.shape[1], 1)
    theirs, ours = np.sign(ranks[:, v] - ranks[:, u]), np.sign(y[v] - y[u])
    return float((theirs * ours < 0).sum() + penalty * ((theirs == 0) != (ours == 0)).sum())


@pytest.mark.parametrize("draw", [strict, tied])
def test_programs_with_ties_are_exact(draw):
    for seed in range(8):
        ranks = draw(seed, 4, 5 + seed)
        for penalty in (0.0, 0.3, 0.5, 1.0):
            want = kemeny(ranks, method="exact", output="weak", penalty=penalty)
            got = kemeny(ranks, method="milp", output="weak", penalty=penalty)
            assert got.optimal and got.method == "milp" and got.ratio == 1.0
            assert got.distance == pytest.approx(want.distance) == pytest.approx(got.lower_bound)
            assert got.distance == pytest.approx(distance(ranks, got.consensus, penalty))


@pytest.mark.parametrize("draw", [strict, tied])
def test_orders_by_programs_of_rankings_with_ties(draw):
    for seed in range(6):
        ranks = draw(seed, 5, 10)
        for penalty in (0.2, 0.5):
            want = kemeny(ranks, method="exact", penalty=penalty)
            got = kemeny(ranks, method="milp", penalty=penalty)
            assert got.optimal and got.distance == pytest.approx(want.distance)
            assert got.distance == pytest.approx(distance(ranks, got.consensus, penalty))


def test_auto_proves_what_programs_prove():
    for k in (22, 26, 30):
        ranks = strict(k, 5, k)
        auto, milp = kemeny(ranks), kemeny(ranks, method="milp")
        assert auto.optimal and auto.method == "milp" and auto.distance == milp.distance == auto.lower_bound
        weak = kemeny(ranks, output="weak", penalty=0.3)
        assert weak.optimal and weak.method == "milp" and weak.distance <= distance(ranks, auto.consensus, 0.3) + 1e-9
        searched = kemeny(ranks, output="weak", penalty=0.3, method="local-search")
        assert searched.lower_bound <= weak.distance <= searched.distance


def test_groups_that_follow_one_another_need_one_program_each():
    """Two groups, each a circle, and items between them that all rankings agree on."""
    circle = np.array([np.roll(np.arange(1, 4), shift) for shift in range(3)])
    ranks = np.hstack([circle, np.full((3, 1), 5), np.roll(circle, 1, axis=0) + 6])
    for penalty in (0.4, 0.9):
        want = kemeny(ranks, output="weak", method="exact", penalty=penalty)
        got = kemeny(ranks, output="weak", method="milp", penalty=penalty)
        assert got.distance == pytest.approx(want.distance)


def test_time_that_is_up_leaves_a_bound():
    ranks = strict(1, 5, 24)
    for output in ("order", "weak", "partial"):
        best = kemeny(ranks, output=output, penalty=0.4)
        late = kemeny(ranks, output=output, penalty=0.4, time_limit=1e-9)
        assert best.optimal and best.method == "milp"
        assert not late.optimal and late.reason.startswith("the time limit was reached")
        assert late.lower_bound <= best.distance <= late.distance <= 1.05 * best.distance


@pytest.mark.parametrize("method", ["auto", "local-search", "best-input"])
def test_ties_and_partial_orders_never_cost_more_than_the_order(method):
    for seed in range(6):
        for ranks in (strict(seed, 4, 21 + seed), tied(seed, 4, 21 + seed), strict(seed, 7, 12)):
            for penalty in (0.5, 0.8):
                options = {"method": method, "penalty": penalty, "time_limit": 1e-9 if seed % 2 else None}
                order = kemeny(ranks, **options)
                assert order.distance == pytest.approx(distance(ranks, order.consensus, penalty))
                for output in ("weak", "partial"):
                    if method != "auto" or output == "partial" or seed < 3:
                        assert kemeny(ranks, output=output, **options).distance <= order.distance + 1e-9


@pytest.mark.parametrize("penalty", [0.2, 0.4, 0.6, 0.9])
def test_partial_orders_by_program_are_those_of_the_list(penalty):
    for seed in range(3):
        for ranks in (strict(seed, 5, 6), tied(seed, 4, 7)):
            want = kemeny(ranks, method="exact", output="partial", penalty=penalty)
            got = kemeny(ranks, method="milp", output="partial", penalty=penalty)
            assert want.optimal and got.optimal and got.method == "milp"
            assert got.distance == pytest.approx(want.distance) == pytest.approx(got.lower_bound)
            relation = got.consensus.astype(int)
            assert not np.diag(relation).any() and not ((relation @ relation > 0) & (relation == 0)).any()


def test_partial_orders_beyond_the_list_are_proven():
    for seed in range(3):
        ranks = strict(seed, 9, 20)
        best = kemeny(ranks, output="partial", penalty=0.4)
        searched = kemeny(ranks, output="partial", penalty=0.4, method="local-search")
        assert best.optimal and best.method == "milp"
        assert searched.lower_bound <= best.distance <= searched.distance
        assert best.distance <= kemeny(ranks, output="weak", penalty=0.4).distance + 1e-9


def test_programs_of_orders_only_are_refused_for_relations():
    for output in ("weak", "partial"):
        with pytest.raises(CapabilityError):
            kemeny(strict(0, 3, 4), method="lp", output=output)
