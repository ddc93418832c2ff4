"""ConformalStructured: coverage, calibration, groups, and what is refused."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import Admissible, CapabilityError, ConformalStructured, ProbabilisticStructured, StructuredRidge
from combpred.structures import LabelSets, MultiClass, Ordinal, Permutations, Routes, WeakOrders
from given_models import Given, drawn

RANKINGS = Permutations(3)


def rankings(n: int = 60, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, RANKINGS.sample(1, scores=X @ rng.normal(size=(2, 3)), random_state=seed)[0]


FITTED = ProbabilisticStructured(RANKINGS).fit(*rankings(seed=1))


@pytest.mark.parametrize("scale", [1.5, 0.3], ids=["its own", "overconfident"])
@pytest.mark.parametrize("structure", [RANKINGS, WeakOrders(3), LabelSets(4), MultiClass(4), Ordinal(5), Routes(4)])
def test_coverage_is_at_least_what_was_asked_for(structure: Any, scale: float) -> None:
    """200 calibrations on 30 rows each, and 30 test rows; a correct one fails with a probability of 1e-6 each.

    Coverage given the calibration rows has the law Beta(n + 1 − k, k), k = ⌊α(n + 1)⌋, if scores have no ties, and its
    mean is 1 − k / (n + 1). With ties it is larger. An overconfident model has scores three times too far from 0.
    """
    alpha, n, splits = 0.2, 30, 200
    X, y = drawn(structure, 2 * n * splits, seed=3, scale=scale)
    X = X / scale * 1.5
    model, inside = ConformalStructured(Given(structure), alpha=alpha), []
    for at in range(0, len(X), 2 * n):
        middle = at + n
        model.fit(X[at:middle], y[at:middle])
        inside.append(model.predict_set(X[middle : middle + n]).contains(y[middle : middle + n]).mean())
    k = math.floor(alpha * (n + 1))
    mean = 1 - k / (n + 1)
    variance = mean * (1 - mean) * (1 / (n + 2) + 1 / n)
    assert np.mean(inside) > mean - 4.8 * math.sqrt(variance / splits)
    if isinstance(structure, (Permutations, Routes)):  # whose scores have no ties
        assert np.mean(inside) < mean + 4.8 * math.sqrt(variance / splits)


def test_the_threshold_is_the_smallest_score_of_its_rank() -> None:
    X, y = rankings(29)
    model = ConformalStructured(FITTED, alpha=0.1).fit(X, y)  # ⌊.1 · 30⌋ = 3
    assert model.n_calibration_ == 29 and model.scores_.shape == (29,)
    assert model.thresholds_ == {"all": pytest.approx(np.sort(model.scores_)[2], abs=2e-9)}
    assert model.predict_set(X).contains(y).sum() == 27
    signs, observed = FITTED.predict_marginals(X), RANKINGS.embed(y)
    np.testing.assert_allclose(model.scores_, ((1 + signs * observed) / 2).min(axis=1))


def test_rows_of_equal_probability_are_on_one_side() -> None:
    """Products of matrices round the probabilities of equal rows differently."""
    X, y = np.ones((400, 2)), rankings(400)[1]
    model = ConformalStructured(ProbabilisticStructured(RANKINGS).fit(X, y), alpha=0.3).fit(X, y)
    assert model.predict_set(X).contains(y).mean() >= 0.7
    alone = [model.predict_set(X[:1])[0].contains(each) for each in y]
    np.testing.assert_array_equal(alone, model.predict_set(X).contains(y))


@pytest.mark.parametrize("n", [8, 1])
def test_too_few_rows_say_how_many_it_takes(n: int) -> None:
    X, y = rankings(9)
    with pytest.raises(ValueError) as caught:
        ConformalStructured(FITTED, alpha=0.1).fit(X[:n], y[:n])
    assert f"at least 9 calibration rows, there are {n}" in str(caught.value)
    assert ConformalStructured(FITTED, alpha=0.1).fit(X, y).n_calibration_ == 9
    assert ConformalStructured(FITTED, alpha=1 / 49).fit(*rankings(48)).n_calibration_ == 48  # 49 (1/49) rounds below 1


@pytest.mark.parametrize("cv", [0.25, ShuffleSplit(1, test_size=0.25, random_state=0)])
def test_rows_that_calibrate_do_not_train(cv: Any) -> None:
    X, y = rankings(80)
    model = ConformalStructured(ProbabilisticStructured(RANKINGS), cv=cv).fit(X, y)
    training, held = map(np.sort, next(ShuffleSplit(1, test_size=0.25, random_state=0).split(X)))
    by_hand = ProbabilisticStructured(RANKINGS).fit(X[training], y[training])
    np.testing.assert_allclose(model.estimator_.coef_, by_hand.coef_)
    again = ConformalStructured(by_hand).fit(X[held], y[held])
    np.testing.assert_allclose(model.scores_, again.scores_)
    assert not hasattr(model.estimator, "coef_")
    np.testing.assert_array_equal(model.predict(X), by_hand.predict(X))
    assert model.score(X, y) == by_hand.score(X, y)


def test_splits_of_natural_rows_and_frames() -> None:
    X, y = rankings(80)
    orders = [[["tea", "rum", "gin"][i] for i in np.argsort(row)] for row in y]
    names = Permutations(labels=["tea", "rum", "gin"])
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = ConformalStructured(ProbabilisticStructured(names), cv=0.5).fit(frame, orders)
    assert model.feature_names_in_.tolist() == ["u", "v"] and model.n_features_in_ == 2
    assert model.predict_set(frame).contains(orders).mean() > 0.8


def test_pipelines_and_searches_within() -> None:
    X, y = rankings(90)
    plain = ConformalStructured(ProbabilisticStructured(RANKINGS), cv=0.5).fit(StandardScaler().fit_transform(X), y)
    scaled = make_pipeline(StandardScaler(), ProbabilisticStructured(RANKINGS))
    model = ConformalStructured(scaled, cv=0.5).fit(X, y)
    assert model.n_calibration_ == plain.n_calibration_
    search = GridSearchCV(ProbabilisticStructured(RANKINGS), {"alpha": [0.1, 10.0]}, cv=2)
    by_search = ConformalStructured(search, cv=0.5).fit(X, y)
    best = ConformalStructured(by_search.estimator_.best_estimator_).fit(X, y)
    np.testing.assert_allclose(best.predict_set(X)._sets.marginals, by_search.predict_set(X)._sets.marginals)
    nested = clone(model).set_params(estimator__probabilisticstructured__alpha=3.0, alpha=0.3)
    assert nested.fit(X, y).estimator_[-1].alpha == 3.0
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_set(X).log_size, model.predict_set(X).log_size)


def test_output_settings_of_the_estimator_do_not_matter() -> None:
    X, y = rankings()
    framed = ProbabilisticStructured(RANKINGS).set_output(predict="pandas").fit(*rankings(seed=1))
    sets = [ConformalStructured(each).fit(X, y).predict_set(X) for each in (framed, FITTED)]
    np.testing.assert_array_equal(sets[0].log_size, sets[1].log_size)


@pytest.mark.parametrize("told", ["callable", "column", "given"])
def test_groups_have_thresholds_of_their_own(told: str) -> None:
    X, y = rankings(120)
    of = np.where(X[:, 0] > 0.5, "far", "near")
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(place=of)
    model = ProbabilisticStructured(RANKINGS).fit(*rankings(seed=1))
    apart = {group: ConformalStructured(model).fit(X[of == group], y[of == group]) for group in ("far", "near")}
    rows: Any = X
    given = {}
    if told == "callable":
        both = ConformalStructured(model, groups=lambda X: np.where(X[:, 0] > 0.5, "far", "near"))
    elif told == "column":
        scaled = make_pipeline(_Columns(), ProbabilisticStructured(RANKINGS))
        both = ConformalStructured(
            scaled.fit(pd.DataFrame(rankings(seed=1)[0], columns=["u", "v"]), rankings(seed=1)[1])
        )
        both.set_params(groups="place")
        rows = frame
    else:
        both = ConformalStructured(model)
        given = {"groups": of}
    both.fit(rows, y, **given)
    assert both.thresholds_ == {group: pytest.approx(each.thresholds_["all"]) for group, each in apart.items()}
    found = both.predict_set(rows, **given).log_size
    for group, each in apart.items():
        np.testing.assert_allclose(found[of == group], each.predict_set(X[of == group]).log_size)


class _Columns(StandardScaler):  # type: ignore[misc]
    """Takes the two numeric columns as they are."""

    def fit(self, X: Any, y: Any = None) -> Any:
        self.n_features_in_ = 2
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X[["u", "v"]])


def test_groups_are_refused_by_name() -> None:
    X, y = rankings(60)
    of = np.where(np.arange(60) < 55, "many", "few")
    with pytest.raises(ValueError):
        ConformalStructured(FITTED).fit(X, y, groups=of)
    model = ConformalStructured(FITTED).fit(X[:55], y[:55], groups=of[:55])
    with pytest.raises(ValueError) as raised:
        model.predict_set(X, groups=of)
    assert raised.value.row == 55  # type: ignore[attr-defined]
    for wrong in (lambda X: [1, 2], "place"):
        with pytest.raises(ValueError):
            ConformalStructured(FITTED, groups=wrong).fit(X, y)
    with pytest.raises(ValueError) as raised:
        model.predict_set(X)  # of no group
    assert raised.value.row == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 2, "much"])
def test_levels_are_between_0_and_1(alpha: Any) -> None:
    with pytest.raises(ValueError):
        ConformalStructured(FITTED, alpha=alpha).fit(*rankings())


def test_what_does_not_predict_marginals_is_refused() -> None:
    ridge = StructuredRidge(RANKINGS).fit(*rankings())
    with pytest.raises(TypeError):
        ConformalStructured(ridge).fit(*rankings())
    with pytest.raises(NotFittedError):
        ConformalStructured(ProbabilisticStructured(RANKINGS)).fit(*rankings())
    with pytest.raises(NotFittedError):
        ConformalStructured(FITTED).predict_set(rankings()[0])


@pytest.mark.parametrize("cv", [KFold(3), ShuffleSplit(2), 5, 1.5])
def test_several_splits_are_refused(cv: Any) -> None:
    with pytest.raises(ValueError):
        ConformalStructured(ProbabilisticStructured(RANKINGS), cv=cv).fit(*rankings())


def test_rows_known_in_part_do_not_calibrate() -> None:
    X, y = rankings(40)
    unknown = y.astype(float)
    unknown[7, 1] = np.nan
    with pytest.raises(ValueError) as raised:
        ConformalStructured(FITTED).fit(X, unknown)
    assert raised.value.row == 7  # type: ignore[attr-defined]
    cv = PredefinedSplit(np.where(np.arange(40) > 5, 0, -1))  # rows 6 to 39 calibrate: it is the second of them
    with pytest.raises(ValueError) as raised:
        ConformalStructured(ProbabilisticStructured(RANKINGS), cv=cv).fit(X, unknown)
    assert raised.value.row == 7  # type: ignore[attr-defined]
    with pytest.raises(CapabilityError):
        ConformalStructured(FITTED).fit(X, [Admissible([row]) for row in y])
    with pytest.raises(ValueError):
        ConformalStructured(FITTED).fit(X, y[1:])


def test_a_fit_that_fails_leaves_the_earlier_one() -> None:
    X, y = rankings()
    model = ConformalStructured(FITTED).fit(X, y)
    before = dict(model.thresholds_)
    with pytest.raises(ValueError):
        model.fit(X[:3], y[:3])
    assert model.thresholds_ == before
