"""StructuredVoting: thresholds, and the choice of sets and decisions for rows left out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from combpred import Admissible, ProbabilisticStructured, StructuredRidge, StructuredVoting, metrics
from combpred._models.thresholds import best_threshold
from combpred.structures import LabelSets

MEMBERS = [("flat", StructuredRidge(loss="squared", alpha=3.0)), ("round", StructuredRidge(kernel="rbf"))]


def tags():
    """Return 60 rows of four tags, of which four sets occur."""
    rng = np.random.default_rng(0)
    sets = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 1, 1]])
    kind = rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=60)
    return np.eye(4)[kind] + 0.8 * rng.normal(size=(60, 4)), sets[kind]


def mean_f1(y, predicted):
    return np.mean(2.0 * (y * predicted).sum(axis=1) / np.maximum(y.sum(axis=1) + predicted.sum(axis=1), 1))


@pytest.mark.parametrize("weights", ["loo", None, [1.0, 3.0]])
def test_the_threshold_is_that_of_the_largest_f1_of_rows_left_out(weights):
    X, y = tags()
    voting = StructuredVoting(MEMBERS, structure="labelsets", weights=weights, decision="f1").fit(X, y)
    plain = StructuredVoting(MEMBERS, structure="labelsets", weights=weights).fit(X, y)
    np.testing.assert_array_equal(voting.weights_, plain.weights_)
    assert voting.decision_ == "f1" and voting.left_out_by_ == ["loo", "loo"]
    expected = voting.left_out_scores_ + 0.5
    assert voting.threshold_ == best_threshold(expected, y.astype(float), predicts_empty=False)[0]
    assert voting.threshold_ != 0.5
    far = 4.0 * np.random.default_rng(1).normal(size=(300, 4))
    expected = voting.feature_scores(far) + 0.5
    np.testing.assert_allclose(voting.feature_scores(far), plain.feature_scores(far), atol=1e-12)
    voting.threshold_ = float(np.median(expected.max(axis=1)))  # half of the rows have no label above it
    above = expected > voting.threshold_
    alone = np.flatnonzero(~above.any(axis=1))
    assert len(alone) >= 150  # none of the sets in training is empty
    above[alone, expected[alone].argmax(axis=1)] = True
    predicted, certified = voting.predict(far, return_certificate=True)
    np.testing.assert_array_equal(predicted, above)
    assert certified.optimal.all()
    np.testing.assert_allclose(certified.value, voting.score_structures(far, above.astype(int)), atol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(voting)).predict(far), above)


@pytest.mark.parametrize("weights", ["loo", None])
@pytest.mark.parametrize(("scoring", "judge"), [("accuracy", metrics.accuracy), ("f1", mean_f1)])
def test_sets_and_decisions_are_chosen_by_the_metric(scoring, judge, weights):
    X, y = tags()
    voting = StructuredVoting(MEMBERS, structure=LabelSets(), weights=weights, scoring=scoring).fit(X, y)
    plain = StructuredVoting(MEMBERS, structure=LabelSets(), decision="f1", weights=weights).fit(X, y)
    np.testing.assert_array_equal(voting.weights_, plain.weights_)
    expected = plain.left_out_scores_ + 0.5
    observed = np.unique(y, axis=0)
    above = expected > plain.threshold_
    above[np.arange(len(y)), expected.argmax(axis=1)] = True
    decided = {
        (False, "mbr"): expected > 0.5,
        (False, "f1"): above,
        (True, "mbr"): observed[((expected[:, None] - observed) ** 2).sum(axis=2).argmin(axis=1)],
    }
    best = max(decided, key=lambda each: judge(y, decided[each].astype(int)))
    assert best == ((True, "mbr") if scoring == "accuracy" else (False, "f1"))
    assert (voting.structure_.observed is not None, voting.decision_) == best
    assert hasattr(voting, "threshold_") == (best[1] == "f1")
    np.testing.assert_allclose(voting.left_out_scores_ + voting.structure_.mean(), expected, atol=1e-12)
    scores = voting.feature_scores(X) + voting.structure_.mean()  # expectations stay, whatever the sets
    np.testing.assert_allclose(scores, plain.feature_scores(X) + 0.5, atol=1e-12)
    if best[0]:
        nearest = observed[((scores[:, None] - observed) ** 2).sum(axis=2).argmin(axis=1)]
        np.testing.assert_array_equal(voting.predict(X), nearest)
        np.testing.assert_array_equal(voting.fit(sparse.csr_matrix(X), y).predict(X), nearest)


def test_links_may_stand_beside_a_threshold():
    X, y = tags()
    link = np.eye(4)[[1, 0, 3, 2]]
    members = [("own", StructuredRidge()), ("linked", StructuredRidge(LabelSets(), kernel="rbf"), link)]
    voting = StructuredVoting(members, structure=LabelSets(), decision="f1").fit(X, y)
    expected = voting.left_out_scores_ + 0.5
    assert voting.threshold_ == best_threshold(expected, y.astype(float), predicts_empty=False)[0]
    linked = voting.named_estimators_["linked"].feature_scores(X) * voting.weights_[1] + 0.5
    own = voting.named_estimators_["own"].feature_scores(X) * voting.weights_[0]
    np.testing.assert_allclose(voting.feature_scores(X), own + linked @ link, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("scoring", {"scoring": "ndcg"}),
        ("scoring", {"scoring": "no such scorer"}),
        ("scoring", {"scoring": "accuracy", "structure": LabelSets(observed=True)}),
        ("decision", {"decision": "f1", "structure": LabelSets(observed=True)}),
        ("decision", {"decision": "mode"}),
    ],
)
def test_what_cannot_be_chosen_is_refused_by_name(name, options):
    X, y = tags()
    with pytest.raises(ValueError) as caught:
        StructuredVoting(MEMBERS, **{"structure": LabelSets(), **options}).fit(X, y)
    assert name in str(caught.value)


def test_what_is_chosen_takes_one_output_a_row_and_expectations():
    X, y = tags()
    sets = [Admissible([row, 1 - row]) for row in y]
    for name, options in (("decision", {"decision": "f1"}), ("scoring", {"scoring": "f1"})):
        with pytest.raises(ValueError) as caught:
            StructuredVoting(MEMBERS, structure=LabelSets(4), **options).fit(X, sets)
        assert name in str(caught.value)
    scores = [("scores", StructuredRidge(loss="auc"))]
    with pytest.raises(ValueError) as caught:
        StructuredVoting(scores, structure=LabelSets(), scoring="f1").fit(X, y)
    assert "scoring" in str(caught.value)
    law = [("law", ProbabilisticStructured()), ("ridge", StructuredRidge())]  # which has expectations
    assert StructuredVoting(law, structure=LabelSets(), scoring="f1", cv=2).fit(X, y).decision_ == "f1"
