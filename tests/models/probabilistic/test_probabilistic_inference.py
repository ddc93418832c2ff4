"""What a fitted ProbabilisticStructured says: probabilities, marginals, decisions and samples, against enumeration."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

import reference
from combpred import CapabilityError, LogPartition, ProbabilisticStructured, metrics
from combpred.structures import Assignments, Custom, LabelSets, MultiClass, Ordinal, Paths, Permutations
from enumerated_problem import STRUCTURES, problem


def fitted(structure, **options):
    """Return a model, inputs, all members of the space and their ψ."""
    X, y, _, outputs, _ = problem(structure)
    model = ProbabilisticStructured(structure, alpha=0.1, **options).fit(X, y)
    return model, X, np.array(list(model.structure_.enumerate())), outputs


@pytest.mark.parametrize("structure", STRUCTURES)
def test_probabilities_marginals_entropy_and_partition_are_those_of_the_enumerated_distribution(structure):
    model, X, members, outputs = fitted(structure)
    f = model.feature_scores(X)
    p = np.array([reference.gibbs(outputs, row) for row in f])
    each = np.array([np.exp(model.log_proba(X, np.repeat(member[None], len(X), axis=0))) for member in members]).T
    np.testing.assert_allclose(each, p, atol=1e-12)
    np.testing.assert_allclose(each.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(model.predict_marginals(X), p @ outputs, atol=1e-10)
    np.testing.assert_allclose(model.entropy(X), -np.sum(p * np.log(p), axis=1), atol=1e-10)
    found = model.log_partition(X)
    assert isinstance(found, LogPartition)
    np.testing.assert_allclose(found.value, np.log(np.exp(f @ outputs.T).sum(axis=1)), atol=1e-10)
    np.testing.assert_array_equal(found.lower, found.value)
    np.testing.assert_array_equal(found.upper, found.value)
    assert found.n_samples.tolist() == [0] * len(X)
    assert found.method == "exact" and found.is_exact.all() and found.details is None
    most_probable = model.log_proba(X, model.predict(X))
    np.testing.assert_allclose(most_probable, np.log(p.max(axis=1)), atol=1e-9)


def hamming(y, z):
    return np.sum(y != z)


def kendall(y, z):
    return 1.0 - metrics.kendall_tau([y], [z])


def expected_losses(loss, members, p):
    return np.array([sum(q * loss(y, z) for q, z in zip(p, members, strict=True)) for y in members])


@pytest.mark.parametrize(
    ("structure", "loss"),
    [
        pytest.param(MultiClass(3), hamming, id="0-1 loss of classes"),
        pytest.param(LabelSets(3), hamming, id="Hamming loss of label sets"),
        pytest.param(LabelSets(4, size=2), hamming, id="Hamming loss of label sets of one size"),
        pytest.param(Ordinal(4), lambda y, z: abs(y - z), id="grades between, of ordinal"),
        pytest.param(Permutations(4), kendall, id="Kendall's distance of rankings"),
        pytest.param(Assignments(3), hamming, id="Hamming loss of assignments"),
    ],
)
def test_least_expected_loss_by_the_loss_itself(structure, loss):
    model, X, members, outputs = fitted(structure, decision="mbr")
    differs = False
    for row, predicted, best in zip(
        model.feature_scores(X), model.predict(X), model.set_params(decision="map").predict(X), strict=True
    ):
        p = reference.gibbs(outputs, row)
        risks = expected_losses(loss, members, p)
        at = next(i for i, member in enumerate(members) if np.array_equal(member, predicted))
        assert risks[at] == pytest.approx(risks.min(), abs=1e-9)
        differs |= not np.array_equal(predicted, best)
    assert differs or not isinstance(structure, Permutations)  # else the test would not tell mbr from map


def f1_loss(y, z):
    return 1.0 - (2.0 * np.sum(y * z) / np.sum(y + z) if np.any(y + z) else 1.0)


def ranking_loss(truth, ranked):
    """Return the share of wrong pairs, where the labels of a set come before the others, and equals count half."""
    order = 0.5 * (1 - ranked[truth == 1, None] + ranked[None, truth == 0])
    return order.mean() if order.size else 0.0


@pytest.mark.parametrize(
    ("decision", "loss"),
    [
        ("f1", f1_loss),
        ("ranking", lambda y, z: ranking_loss(z, y)),
        ("subset", lambda y, z: float(np.any(y != z))),
    ],
)
@pytest.mark.parametrize(
    "space",
    [
        LabelSets(5),
        LabelSets(5, size=2),
        LabelSets(4, observed=[[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 1]]),
    ],
    ids=["all", "of one size", "observed"],
)
def test_decisions_of_label_sets_by_the_losses_themselves(space, decision, loss):
    model, X, members, outputs = fitted(space, decision=decision)
    asked = [None, {"required": [1]}, {"forbidden": [3], "size": 2}] * (len(X) // 3)
    # On all sets the distribution stays what it is: conditions are on what is predicted.
    for constraints in (None, asked):
        certified = model.predict(X, constraints=constraints, return_certificate=True)[1]
        for row, predicted, value, held in zip(
            model.feature_scores(X), certified.structures, certified.value, constraints or [None] * len(X), strict=True
        ):
            held = held or {}
            legal = np.array([
                all(member[i] for i in held.get("required", []))
                and not any(member[i] for i in held.get("forbidden", []))
                and held.get("size", member.sum()) == member.sum()
                for member in members
            ])  # fmt: skip
            risks = expected_losses(loss, members, reference.gibbs(outputs, row))
            at = next(i for i, member in enumerate(members) if np.array_equal(member, predicted))
            assert legal[at] and risks[at] == pytest.approx(risks[legal].min(), abs=1e-12)
            if decision != "subset":
                assert value == pytest.approx(float(decision == "f1") - risks[at], abs=1e-12)
        assert certified.optimal.all() and not certified.nu.any()
        np.testing.assert_allclose(model.score_structures(X, certified.structures), certified.value, atol=1e-12)


def test_the_median_grade_is_of_least_expected_distance():
    model, X, members, outputs = fitted(Ordinal(5), decision="median")
    for row, predicted in zip(model.feature_scores(X), model.predict(X), strict=True):
        risks = expected_losses(lambda y, z: abs(y - z), members, reference.gibbs(outputs, row))
        assert risks[predicted] == pytest.approx(risks.min(), abs=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_least_expected_squared_distance(structure):
    model, X, _, outputs = fitted(structure, decision="mbr")
    certified = model.predict(X, return_certificate=True)[1]
    predicted = model.structure_.embed(certified.structures)
    for row, psi, value in zip(model.feature_scores(X), predicted, certified.value, strict=True):
        p = reference.gibbs(outputs, row)
        risks = [p @ np.square(outputs - candidate).sum(axis=1) for candidate in outputs]
        own = p @ np.square(outputs - psi).sum(axis=1)
        assert own == pytest.approx(min(risks), abs=1e-9)
        assert value == pytest.approx((p @ np.square(outputs).sum(axis=1) - own) / 2, abs=1e-9)
    np.testing.assert_allclose(model.score_structures(X, certified.structures), certified.value, atol=1e-9)


def test_constraints_restrict_both_decisions():
    for decision in ("map", "mbr"):
        model, X, _, _ = fitted(Permutations(4), decision=decision)
        assert (model.predict(X, constraints={"first": 2})[:, 2] == 1).all()


def test_class_probabilities():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = ProbabilisticStructured(alpha=0.05).fit(X, names)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    assert model.score_log_loss(X, names) == pytest.approx(log_loss(names, proba), rel=1e-10)
    weights = np.arange(150.0)
    assert model.score_log_loss(X, names, weights) == pytest.approx(
        log_loss(names, proba, sample_weight=weights), rel=1e-10
    )


def test_grades_have_probabilities_and_rankings_none():
    model, X, members, outputs = fitted(Ordinal(4))
    p = [reference.gibbs(outputs, row) for row in model.feature_scores(X)]
    assert members.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(model.predict_proba(X), p, atol=1e-12)
    for structure in ("ordinal", LabelSets(), None):
        assert hasattr(ProbabilisticStructured(structure), "predict_proba")
    for structure in ("permutations", Permutations(4)):
        assert not hasattr(ProbabilisticStructured(structure), "predict_proba")
    ranker, X, _, _ = fitted(Permutations(4))
    with pytest.raises(AttributeError) as raised:
        ranker.predict_proba(X)
    own = "rankings have predict_pairwise_proba and predict_position_proba, and all structures predict_marginals"
    assert own in str(raised.value.__cause__)
    with pytest.raises(AttributeError) as raised:
        ProbabilisticStructured("labelsets").predict_position_proba(X)
    assert "is for Permutations, not for structure='labelsets'" in str(raised.value.__cause__)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_samples_follow_the_distribution(structure):
    """χ² over all members of probability 1e-3 and more (the others in one), p > 1e-4: two false alarms in 10 000."""
    model, X, members, outputs = fitted(structure)
    drawn = model.sample(X[:2], n_samples=4000, random_state=0).y
    assert drawn.shape[:2] == (4000, 2)
    for row in range(2):
        p = reference.gibbs(outputs, model.feature_scores(X)[row])
        counts = np.array([np.count_nonzero((drawn[:, row] == m).reshape(4000, -1).all(axis=1)) for m in members])
        assert counts.sum() == 4000
        likely = p >= 1e-3
        observed, expected = np.append(counts[likely], counts[~likely].sum()), np.append(p[likely], p[~likely].sum())
        held = expected > 0
        assert not observed[~held].any()
        if held.sum() > 1:
            assert chisquare(observed[held], 4000 * expected[held]).pvalue > 1e-4


def test_samples_depend_on_the_seed_alone():
    model, X, _, _ = fitted(Permutations(4), random_state=3)
    one = model.sample(X, 20).y
    np.testing.assert_array_equal(one, model.set_params(n_jobs=2).sample(X, 20, random_state=3).y)
    assert (one != model.sample(X, 20, random_state=4).y).any()
    assert (one[0] != one[1]).any()  # draws of one row differ


def test_methods_of_one_row_and_many_agree(limits):
    model, X, members, _ = fitted(Permutations(4))
    y = members[:9]
    answers = (model.predict_marginals(X), model.entropy(X), model.log_proba(X, y), model.log_partition(X).value)
    limits.block_entries(12)  # two rows at a time
    for whole, blocks in zip(
        answers,
        (model.predict_marginals(X), model.entropy(X), model.log_proba(X, y), model.log_partition(X).value),
        strict=True,
    ):
        np.testing.assert_allclose(blocks, whole, atol=1e-12)
    assert len(np.unique(model.sample(np.repeat(X[:1], 8, axis=0), 30).y[:, :, 0].T, axis=0)) == 8


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"solver": "sgd", "tol": 1.0}], ids=str)
def test_pickles_answer_as_the_model(options):
    model, X, members, _ = fitted(Permutations(4), **options)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_marginals(X), model.predict_marginals(X))
    np.testing.assert_array_equal(again.log_proba(X, members[:9]), model.log_proba(X, members[:9]))
    if "solver" in options:
        for each in (again, model):
            each.set_params(random_state=0).partial_fit(X, members[:9])
        np.testing.assert_array_equal(again.coef_, model.coef_)


def test_least_expected_loss_is_refused_where_it_cannot_be_found():
    tied = Paths([(0, 1), (1, 2), (0, 2)], 0, 2, tied=[0, 0, 1])
    X, y, _, _, _ = problem(Custom.from_structures(["a", "b"], [[1.0], [0.0]]))
    paths = np.array([[0, 1], [2, -1]])[y]
    ProbabilisticStructured(tied).fit(X, paths)
    with pytest.raises(CapabilityError):
        ProbabilisticStructured(tied, decision="mbr").fit(X, paths)
