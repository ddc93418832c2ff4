"""Losses of scores against their definitions by enumeration, and the bounds that they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import hinge_loss, log_loss

from combpred import (
    Admissible,
    ApproximationWarning,
    CapabilityError,
    NumericalError,
    ProbabilisticStructured,
    metrics,
)
from combpred.losses import (
    structured_auc_loss,
    structured_exponential_loss,
    structured_hinge_loss,
    structured_log_loss,
    structured_max_loss,
)
from combpred.structures import Custom, DirectedCycles, LabelSets, MultiClass, PartialOrders, Permutations, WeakOrders
from enumerable import INSTANCES

SMALL = [structure for structure, _ in INSTANCES if 2 <= structure.count() <= 200]
every_small = pytest.mark.parametrize("structure", SMALL)


class Listed:
    """All outputs of a structure, scores of them, and rows of y: good and bad ones, and one that ties for the best."""

    def __init__(self, structure):
        rng = np.random.default_rng(structure.n_features)
        members = list(structure.enumerate())
        self.psi = structure.embed(members)
        self.scores = rng.normal(size=(8, structure.n_features)) * np.array([0.1, 0.5, 1, 1, 2, 4, 8, 0])[:, None]
        self.h = self.scores @ self.psi.T
        chosen = rng.integers(len(members), size=8)
        chosen[2:6] = self.h[2:6].argmax(axis=1)
        self.y = [members[i] for i in chosen]
        self.own = self.h[np.arange(8), chosen]
        self.other = (self.psi[chosen][:, None] != self.psi).any(axis=2)
        self.psi_y = self.psi[chosen]
        self.margin = self.own - np.where(self.other, self.h, -np.inf).max(axis=1)
        self.wrong = self.margin <= 0  # a tie counts as wrong


def costs(structure) -> list[str]:
    """Return the names of all losses that hinges can be made of."""
    return [*(name for name in structure.space.costs if structure.space.loss(name).is_affine), "zero-one"]


@every_small
def test_losses_are_their_definitions(structure):
    case = Listed(structure)
    excess = case.h - case.own[:, None]
    for cost in costs(structure):
        delta = structure.space.loss(cost).between(case.psi_y[:, None], case.psi)
        found = structured_hinge_loss(structure, case.scores, case.y, cost=cost, per_row=True)
        np.testing.assert_allclose(found, (delta + excess).max(axis=1), rtol=1e-9, atol=1e-9)
    sums = np.exp(excess).sum(axis=1)
    found = structured_log_loss(structure, case.scores, case.y, per_row=True)
    np.testing.assert_allclose(found, np.log(sums), rtol=1e-9, atol=1e-9)
    found = structured_exponential_loss(structure, case.scores, case.y, per_row=True)
    np.testing.assert_allclose(found, sums - 1, rtol=1e-9, atol=1e-9 * sums.max())
    shares = structured_exponential_loss(structure, case.scores, case.y, per_row=True, normalize=True)
    np.testing.assert_allclose(shares, found / (len(case.psi) - 1), rtol=1e-9)
    logs = structured_exponential_loss(structure, case.scores, case.y, per_row=True, log=True)
    np.testing.assert_allclose(np.exp(logs), found, rtol=1e-12)


@every_small
def test_losses_bound_those_of_predictions(structure):
    case, slack = Listed(structure), 1 + 1e-9
    zero_one = structured_hinge_loss(structure, case.scores, case.y, cost="zero-one", per_row=True)
    logistic = structured_log_loss(structure, case.scores, case.y, per_row=True)
    exponential = structured_exponential_loss(structure, case.scores, case.y, per_row=True)
    np.testing.assert_allclose(zero_one, np.maximum(0, 1 - case.margin), rtol=1e-9, atol=1e-9)
    assert case.wrong.any() and not case.wrong.all()
    # 0-1 loss, where outputs of equal ψ are one (they cannot be told apart by scores).
    for surrogate in (zero_one, logistic / math.log(2), exponential):
        assert (case.wrong <= surrogate * slack + 1e-9).all()
    # Δ of the prediction, by margin rescaling.
    predicted = structure.embed(list(structure.decode(case.scores)))
    for cost in costs(structure):
        delta = structure.space.loss(cost).between(case.psi_y, predicted)
        hinge = structured_hinge_loss(structure, case.scores, case.y, cost=cost, per_row=True)
        assert (delta <= hinge * slack + 1e-9).all()
    # AUC loss: how many other outputs score at least as high as y, and their share, the ranking loss of outputs.
    above = ((case.h >= case.own[:, None]) & case.other).sum(axis=1)
    assert (above <= exponential * slack + 1e-9).all()
    share = structured_exponential_loss(structure, case.scores, case.y, normalize=True, per_row=True)
    assert (above / (len(case.psi) - 1) <= share * slack + 1e-9).all()
    assert (above <= np.expm1(logistic) * slack + 1e-9).all()
    assert (logistic <= exponential * slack + 1e-9).all()


def test_losses_of_labels_and_pairs_are_bounded():
    labels = LabelSets(5)
    rng = np.random.default_rng(0)
    y, scores = labels.sample(20, random_state=0), rng.normal(size=(20, 5))
    hinge = structured_hinge_loss(labels, scores, y, per_row=True)
    assert (5 * metrics.hamming_loss(y, labels.decode(scores), per_row=True) <= hinge + 1e-12).all()
    np.testing.assert_allclose(hinge, np.maximum(0, 1 - (2 * y - 1) * scores).sum(axis=1), rtol=1e-12)  # label by label
    ranking = Permutations(5)
    y, scores = ranking.sample(20, random_state=0), rng.normal(size=(20, 10))
    hinge = structured_hinge_loss(ranking, scores, y, per_row=True)
    discordant = 5 * (1 - metrics.kendall_tau(y, ranking.decode(scores), per_row=True))
    assert (discordant <= hinge + 1e-12).all()


def test_classes_have_the_losses_of_scikit_learn():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(30, 4)), rng.integers(0, 4, 30)
    weight = rng.random(30)
    classes = MultiClass(4)
    wanted = hinge_loss(y, scores, labels=range(4), sample_weight=weight)
    assert structured_hinge_loss(classes, scores, y, sample_weight=weight) == pytest.approx(wanted, rel=1e-12)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    wanted = log_loss(y, p, labels=range(4), sample_weight=weight)
    assert structured_log_loss(classes, scores, y, sample_weight=weight) == pytest.approx(wanted, rel=1e-12)


def test_log_loss_is_what_the_probabilistic_model_minimises():
    X, y = np.random.default_rng(0).normal(size=(12, 2)), Permutations(4).sample(12, random_state=0)
    model = ProbabilisticStructured("permutations").fit(X, y)
    found = structured_log_loss(model.structure_, model.feature_scores(X), y)
    assert found == pytest.approx(model.score_log_loss(X, y), rel=1e-12)


def test_large_structures():
    ranking = Permutations(12)
    y = ranking.sample(2, random_state=0)
    right = ranking.embed(y)
    assert structured_hinge_loss(ranking, 0.5 * right, y, per_row=True).tolist() == [0.0, 0.0]  # all margins reached
    found = structured_hinge_loss(ranking, 0.25 * right, y, cost="zero-one", per_row=True)
    np.testing.assert_allclose(found, [0.5, 0.5])  # the next best exchanges two neighbours
    with pytest.raises(NumericalError) as caught:
        structured_exponential_loss(ranking, -100 * right, y)
    assert caught.value.row == 0
    assert structured_exponential_loss(ranking, -100 * right, y, log=True) == pytest.approx(2 * 66 * 100, rel=1e-12)
    assert structured_exponential_loss(ranking, 100 * right, y, log=True) == -math.inf  # as 1 + it is 1
    cycles = DirectedCycles(30)
    scores = np.random.default_rng(0).normal(size=(1, cycles.n_features))
    with pytest.warns(ApproximationWarning):
        structured_hinge_loss(cycles, scores, cycles.sample(1, random_state=0))
    with pytest.raises(CapabilityError):
        structured_hinge_loss(cycles, scores, cycles.sample(1, random_state=0), decoder="exact")


@every_small
def test_a_set_of_all_outputs_has_no_loss(structure):
    everything = [Admissible(list(structure.enumerate()))]
    scores = np.random.default_rng(0).normal(size=(1, structure.n_features))
    for loss in (structured_auc_loss, structured_exponential_loss, structured_log_loss):
        assert loss(structure, scores, everything) == 0.0
    assert structured_exponential_loss(structure, scores, everything, normalize=True, log=True) == -math.inf


def test_a_single_output_has_no_loss():
    only = Custom.from_structures(["a"], [[1.0, 2.0]])
    assert structured_log_loss(only, [[1.0, 1.0]], [0]) == 0.0
    assert structured_exponential_loss(only, [[1.0, 1.0]], [0], normalize=True) == 0.0
    assert structured_hinge_loss(only, [[1.0, 1.0]], [0], cost="zero-one") == 0.0


@pytest.mark.parametrize("loss", [structured_hinge_loss, structured_log_loss, structured_exponential_loss])
@pytest.mark.parametrize(
    ("scores", "y", "row"),
    [
        ([[0.0, 1.0]], [[1, 2, 3]], None),
        ([[0.0, 1.0, np.nan]], [[1, 2, 3]], 0),
        ([[0.0, 1.0, 2.0]], [[1, 2, 2]], 0),
        ([[0.0, 1.0, 2.0]], [[1, 2, -1]], 0),
        ([[0.0, 1.0, 2.0]], [[1, 2, 3]] * 2, None),
    ],
)
def test_bad_input_is_refused(loss, scores, y, row):
    with pytest.raises(ValueError) as caught:
        loss(Permutations(3), scores, y)
    assert getattr(caught.value, "row", None) == row


def test_bad_options_are_refused():
    with pytest.raises(ValueError):
        structured_hinge_loss(Permutations(3), [[0.0] * 3], [[1, 2, 3]], decoder="best")
    for cost in ("tree", "nope"):
        with pytest.raises(CapabilityError) as caught:
            structured_hinge_loss(Permutations(3), [[0.0] * 3], [[1, 2, 3]], cost=cost)
        assert str(caught.value).endswith("it has cost='kendall' and cost='hamming' and cost='zero-one'")


def in_sets(structure, case):
    """Return sets of one to three outputs for the rows, which of all outputs they hold, and their losses' arguments."""
    members = list(structure.enumerate())
    distinct = len(np.unique(case.psi, axis=0)) == len(members)
    rng = np.random.default_rng(1)
    chosen = [rng.permutation(len(members))[: 1 + i % min(3, len(members))] for i in range(8)]
    sets = [Admissible([members[i] for i in each]) for each in chosen]
    return sets, chosen, distinct


@every_small
def test_losses_of_sets_are_their_definitions(structure):
    case = Listed(structure)
    sets, chosen, distinct = in_sets(structure, case)
    everything = np.arange(len(case.psi))
    outside = [np.setdiff1d(everything, each) for each in chosen]
    odds = [case.h[i][outside[i]][None] - case.h[i][each][:, None] for i, each in enumerate(chosen)]
    found = structured_log_loss(structure, case.scores, sets, per_row=True)
    want = [np.log1p(np.exp(each).sum(axis=1)).sum() for each in odds]
    np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-8)
    found = structured_exponential_loss(structure, case.scores, sets, per_row=True)
    want = np.array([np.exp(each).sum() for each in odds])
    np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-8 * np.exp(np.ptp(case.h)))
    pairs = np.array([max(each.size, 1) for each in odds])
    shares = structured_exponential_loss(structure, case.scores, sets, normalize=True, per_row=True)
    np.testing.assert_allclose(shares, found / pairs, rtol=1e-12)
    auc = structured_auc_loss(structure, case.scores, sets, per_row=True)
    want = [((each > 1e-9) + 0.5 * (abs(each) <= 1e-9)).sum() for each in odds]
    np.testing.assert_allclose(auc, want, rtol=1e-12)
    assert (auc <= found * (1 + 1e-9) + 1e-9).all()
    np.testing.assert_allclose(
        structured_auc_loss(structure, case.scores, sets, normalize=True, per_row=True), auc / pairs, rtol=1e-12
    )
    predicted = structure.embed(list(structure.decode(case.scores)))
    for cost in costs(structure):
        delta = structure.space.loss(cost).between(case.psi[:, None], case.psi)
        lost = structured_max_loss(structure, case.scores, sets, cost=cost, per_row=True)
        between = structure.space.loss(cost).between
        np.testing.assert_allclose(lost, [between(case.psi[e], predicted[i]).min() for i, e in enumerate(chosen)])
        if not distinct:  # sets are of outputs, hinges tell those apart that have another ψ
            continue
        hinge = structured_hinge_loss(structure, case.scores, sets, cost=cost, per_row=True)
        want = [
            sum(max(0.0, (delta[y, out] + case.h[i, out] - case.h[i, y]).max(initial=0.0)) for y in each)
            for i, (each, out) in enumerate(zip(chosen, outside, strict=True))
        ]
        np.testing.assert_allclose(hinge, want, rtol=1e-9, atol=1e-9)
        assert (lost <= hinge * (1 + 1e-9) + 1e-9).all()


@every_small
def test_the_auc_loss_counts_outputs_that_score_above(structure):
    case = Listed(structure)
    excess = case.h - case.own[:, None]
    itself = np.zeros_like(excess)
    parts, right = structure.encode(np.array(list(structure.enumerate()))), structure.encode(case.y)
    for i, row in enumerate(right):
        itself[i] = (parts == row).all(axis=1)
    want = (((excess > 1e-9) + 0.5 * (abs(excess) <= 1e-9)) * (1 - itself)).sum(axis=1)
    found = structured_auc_loss(structure, case.scores, case.y, per_row=True)
    np.testing.assert_allclose(found, want, rtol=1e-12)
    exponential = structured_exponential_loss(structure, case.scores, case.y, per_row=True)
    assert (found <= exponential * (1 + 1e-9) + 1e-9).all()
    np.testing.assert_allclose(structured_auc_loss(structure, case.scores, case.y), want.mean(), rtol=1e-12)


def test_the_auc_loss_is_estimated_from_draws():
    """The standard error of a share is at most 1/(2√n), of which 5 are exceeded once in a million draws of a row."""
    structure = Permutations(5)
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(4, structure.n_features)), structure.sample(4, 0)
    exact = structured_auc_loss(structure, scores, y, normalize=True, per_row=True)
    drawn = structured_auc_loss(structure, scores, y, normalize=True, n_samples=4000, random_state=0, per_row=True)
    assert (np.abs(exact - drawn) < 5 / (2 * math.sqrt(4000)) * 120 / 119).all()
    again = structured_auc_loss(structure, scores, y, n_samples=4000, random_state=0, per_row=True)
    np.testing.assert_allclose(again, drawn * 119, rtol=1e-12)
    large = Permutations(30)
    share = structured_auc_loss(
        large, np.ones(large.n_features), [np.arange(1, 31)], normalize=True, n_samples=100, random_state=0
    )
    assert share == 0.0
    with pytest.raises(CapabilityError):
        structured_auc_loss(large, np.ones(large.n_features), [np.arange(1, 31)])
    with pytest.raises(NumericalError) as caught:
        huge = Permutations(200)
        structured_auc_loss(huge, -np.ones(huge.n_features), [np.arange(1, 201)], n_samples=2, random_state=0)
    assert caught.value.row == 0


def test_losses_of_illegal_sets_are_refused():
    structure, scores = Permutations(3), np.zeros((2, 3))
    bad = [Admissible([[1, 2, 3]]), Admissible([[1, 2, 3], [1, 1, 1]])]
    for loss in (structured_auc_loss, structured_max_loss, structured_log_loss, structured_hinge_loss):
        with pytest.raises(ValueError) as caught:
            loss(structure, scores, bad)
        assert caught.value.row == 1
        with pytest.raises(ValueError):
            loss(structure, scores, bad[:1])
    own = Custom.from_structures([0, 1, 2], np.eye(3), loss=1 - np.eye(3))
    with pytest.raises(CapabilityError):
        structured_hinge_loss(own, np.zeros((1, 3)), [Admissible([0, 1])], cost="own")
    with pytest.raises(CapabilityError):
        structured_max_loss(Permutations(3), np.zeros((1, 3)), [[1, 2, 3]], cost="own")


def subsets_of_three() -> list[Custom]:
    """Return the same outputs with a loss of their own, which is not symmetric, in the three forms that take one."""
    sets = np.array(list(np.ndindex(2, 2, 2)))

    def loss(y, z):
        return 3.0 * np.maximum(y - z, 0).sum() + np.maximum(z - y, 0).sum()

    def draw(rng):
        return sets[rng.integers(8)]

    return [
        Custom.from_structures(list(sets), sets.astype(float), loss=loss),
        Custom.from_sampler(draw, np.asarray, lambda s: (s > 0).astype(int), loss=loss, n_moment_samples=100),
        Custom.from_oracle(3, lambda held: True, loss=loss),
    ]


@pytest.mark.filterwarnings("ignore::combpred.ApproximationWarning")  # nothing proves what a user's decoder finds
@pytest.mark.parametrize("form", range(3), ids=["listed", "sampled", "oracle"])
def test_losses_of_predictions_are_those_that_a_structure_was_given(form):
    sets = np.array(list(np.ndindex(2, 2, 2)))
    structure = subsets_of_three()[form]
    y = np.arange(8) if form == 0 else sets
    scores = np.random.default_rng(0).normal(size=(8, 3))
    predicted = sets[(scores @ sets.T).argmax(axis=1)]
    expected = 3.0 * np.maximum(sets - predicted, 0).sum(axis=1) + np.maximum(predicted - sets, 0).sum(axis=1)
    assert expected.any()
    found = structured_max_loss(structure, scores, y, cost="own", per_row=True)
    np.testing.assert_array_equal(found, expected)
    if form == 0:
        rows = [Admissible([i, (i + 3) % 8]) for i in range(8)]
        other = np.roll(sets, -3, axis=0)
        second = 3.0 * np.maximum(other - predicted, 0).sum(axis=1) + np.maximum(predicted - other, 0).sum(axis=1)
        found = structured_max_loss(structure, scores, rows, cost="own", per_row=True)
        np.testing.assert_array_equal(found, np.minimum(expected, second))


@pytest.mark.parametrize("structure", [WeakOrders(3), PartialOrders(3)])
def test_a_pair_that_is_tied_in_only_one_of_two_counts_one_half_under_kendall(structure):
    """Against pairs counted one by one; ψ begins with their signs."""
    members = np.array(list(structure.enumerate()))
    scores = np.random.default_rng(0).normal(size=(len(members), structure.n_features))
    predicted, true = (structure.embed(y)[:, :3] for y in (structure.decode(scores), members))
    discordant, tied_in_one = predicted * true == -1, (predicted == 0) != (true == 0)
    assert discordant.any() and tied_in_one.any()
    expected = discordant.sum(axis=1) + 0.5 * tied_in_one.sum(axis=1)
    found = structured_max_loss(structure, scores, members, cost="kendall", per_row=True)
    np.testing.assert_array_equal(found, expected)
    bounds = structured_hinge_loss(structure, scores, members, cost="kendall", per_row=True)
    assert (bounds >= expected - 1e-9).all()


def test_a_loss_that_is_no_number_names_the_row():
    def loss(y, z):
        return np.nan if y[0] == 1 else 0.0

    structure = Custom.from_oracle(3, lambda held: True, loss=loss)
    rows = [Admissible([[0, 0, 0], [0, 1, 0]]), Admissible([[0, 0, 1], [1, 0, 0]])]
    with pytest.raises(ValueError) as caught:
        structured_max_loss(structure, np.ones((2, 3)), rows, cost="own")
    assert caught.value.row == 1
