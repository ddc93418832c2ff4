"""User-defined spaces of all four kinds against the same built-in structure, and what they refuse."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from combpred import StructuredRidge, StructuredRidgeCV
from combpred.structures import Custom, LabelSets
from custom_spaces import (
    MEMBERS,
    RANKINGS,
    X_NEW,
    Y_NEW,
    X,
    Y,
    best,
    by_formulas,
    by_list,
    by_sampler,
    fitted,
    shuffled,
)

LOSSES = pytest.mark.parametrize("loss", ["auc", "squared"])


def places(y: np.ndarray) -> np.ndarray:
    """Where the rankings stand in the list of all."""
    return (y[:, np.newaxis, :] == MEMBERS).all(axis=2).argmax(axis=1)


def by_kernel() -> Custom:
    psi = RANKINGS.embed(MEMBERS)
    return Custom.from_kernel(MEMBERS.tolist(), psi @ psi.T)


# Against the built-in rankings.


@LOSSES
def test_list_of_all_rankings_predicts_like_permutations(loss: str) -> None:
    model, listed = fitted(RANKINGS, Y, loss=loss), fitted(by_list(), places(Y), loss=loss)
    assert_allclose(listed.feature_scores(X_NEW), model.feature_scores(X_NEW), atol=1e-8)
    assert_array_equal(MEMBERS[listed.predict(X_NEW)], model.predict(X_NEW))
    certified = listed.predict(X_NEW, return_certificate=True)[1]
    assert certified.optimal.all()
    assert_allclose(certified.value, model.predict(X_NEW, return_certificate=True)[1].value, atol=1e-8)
    assert_allclose(listed.score_structures(X_NEW, places(Y_NEW)), model.score_structures(X_NEW, Y_NEW), atol=1e-8)
    assert listed.score(X_NEW, places(Y_NEW)) == (model.predict(X_NEW) == Y_NEW).all(axis=1).mean()


@LOSSES
def test_kernel_between_rankings_predicts_like_permutations(loss: str) -> None:
    """The basis is another one, of the same span: scores of outputs agree, those of features do not."""
    model, listed = fitted(RANKINGS, Y, loss=loss), fitted(by_kernel(), places(Y), loss=loss)
    assert by_kernel().n_features == 6
    assert_allclose(listed.objective_, model.objective_, rtol=1e-8)
    assert_array_equal(MEMBERS[listed.predict(X_NEW)], model.predict(X_NEW))
    assert_allclose(listed.score_structures(X_NEW, places(Y_NEW)), model.score_structures(X_NEW, Y_NEW), atol=1e-7)


def test_formulas_predict_like_permutations() -> None:
    model, custom = fitted(RANKINGS, Y), fitted(by_formulas(), Y)
    assert_allclose(custom.feature_scores(X_NEW), model.feature_scores(X_NEW), atol=1e-8)
    assert_array_equal(custom.predict(X_NEW), model.predict(X_NEW))
    assert_allclose(custom.score_structures(X_NEW, Y_NEW), model.score_structures(X_NEW, Y_NEW), atol=1e-8)
    certified = custom.predict(X_NEW, return_certificate=True)[1]
    assert_array_equal(certified.structures, model.predict(X_NEW))
    assert_allclose(certified.value, model.predict(X_NEW, return_certificate=True)[1].value, atol=1e-8)
    assert not certified.optimal.any()
    assert (certified.nu == 1).all() and (certified.upper_bound == np.inf).all()
    assert custom.score(X_NEW, Y_NEW) == (model.predict(X_NEW) == Y_NEW).all(axis=1).mean()


def test_sampled_moments_come_close() -> None:
    """Every entry of M is within 6 of the reported standard errors, the largest: false-alarm rate below 1e-7."""
    sampled = by_sampler(n_moment_samples=20_000)
    info = sampled.moments_info
    assert info.kind == "sampled" and info.standard_error is not None
    # Products of two signs have variance 1 or 8/9, or are constant.
    assert info.standard_error == pytest.approx(1 / math.sqrt(20_000), rel=0.05)
    assert np.abs(sampled.second_moment() - RANKINGS.second_moment()).max() < 6 * info.standard_error
    model, custom = fitted(RANKINGS, Y), fitted(sampled, Y)
    scores = model.feature_scores(X_NEW)
    assert np.abs(custom.feature_scores(X_NEW) - scores).max() < 0.05 * np.abs(scores).max()
    assert (custom.predict(X_NEW) == model.predict(X_NEW)).all(axis=1).mean() > 0.9


def test_sampled_moments_depend_on_the_seed_alone() -> None:
    assert_array_equal(by_sampler().second_moment(), clone(by_sampler()).second_moment())
    assert (by_sampler().second_moment() != by_sampler(random_state=1).second_moment()).any()


def test_draws_are_made_once_for_a_fit() -> None:
    calls = []

    def counted(rng: np.random.Generator) -> np.ndarray:
        calls.append(1)
        return shuffled(rng)

    structure = by_sampler(sample=counted, n_moment_samples=500)
    fitted(structure, Y).predict(X_NEW)
    assert len(calls) == 500
    fitted(structure.set_params(n_moment_samples=600), Y)
    assert len(calls) == 1100


def test_infinite_dimensional_kernel_reproduces_its_values() -> None:
    """exp(−distance) has no finite feature space; on a list it has as many dimensions as outputs."""
    psi = RANKINGS.embed(MEMBERS)
    gram = np.exp(-np.abs(psi[:, np.newaxis] - psi).sum(axis=2) / 4)
    space = Custom.from_kernel(MEMBERS.tolist(), gram)
    embedded = space.embed(np.arange(24))
    assert embedded.shape == (24, 24)
    assert_allclose(embedded @ embedded.T, gram, atol=1e-12)
    assert_allclose(space.mean() @ space.mean(), gram.mean(), atol=1e-12)
    model = fitted(space, places(Y), alpha=0.01)
    assert model.score(X, places(Y)) > 0.8


def test_leave_one_out_and_folds() -> None:
    for structure, y in ((by_list(), places(Y)), (by_formulas(), Y), (by_formulas(), Y.tolist())):
        model = StructuredRidgeCV(structure, kernels=["rbf"], alphas=[0.01, 0.1, 1.0], losses=["auc"]).fit(X, y)
        assert model.best_score_ == pytest.approx(
            StructuredRidgeCV(by_list(), kernels=["rbf"], alphas=[0.01, 0.1, 1.0], losses=["auc"])
            .fit(X, places(Y))
            .best_score_
        )
        assert cross_val_score(StructuredRidge(structure, kernel="rbf"), X, y, cv=3).shape == (3,)
    search = GridSearchCV(
        StructuredRidge(by_sampler()), {"structure__n_moment_samples": [50, 100], "alpha": [0.1, 1.0]}, cv=2
    )
    assert search.fit(X, Y).best_params_["structure__n_moment_samples"] in (50, 100)


def test_other_solvers_train_on_custom_spaces() -> None:
    reference = StructuredRidge(RANKINGS, loss="auc", alpha=0.5).fit(X, Y).feature_scores(X_NEW)
    for solver in ("closed-form", "cg", "newton-cg", "primal"):
        for structure, y in ((by_list(), places(Y)), (by_formulas(), Y)):
            scores = StructuredRidge(structure, loss="auc", alpha=0.5, solver=solver).fit(X, y).feature_scores(X_NEW)
            assert_allclose(scores, reference, atol=1e-6)


# Outputs in the user's own form.


def words(y: str) -> list[float]:
    return [float(letter in y) for letter in "abc"]


def spelt(scores: np.ndarray) -> str:
    return "".join(letter for letter, s in zip("abc", scores, strict=True) if s > 0)


def test_outputs_may_be_any_objects() -> None:
    sets = LabelSets(3)
    y = np.random.default_rng(0).integers(0, 2, (60, 3))
    names = [spelt(row - 0.5) for row in y]
    custom = Custom(
        log_count=math.log(8), mean=sets.mean(), second_moment=sets.second_moment(), embed=words, decode=spelt
    )
    expected = [spelt(row - 0.5) for row in fitted(sets, y).predict(X_NEW)]
    for given in (names, np.array(names), np.array(names, dtype=object), pd.Series(names), tuple(names)):
        predicted = fitted(custom, given).predict(X_NEW)
        assert predicted.dtype == object and predicted.shape == (40,)
        assert predicted.tolist() == expected
    model = fitted(custom, names)
    assert model.score(X, names) == (fitted(sets, y).predict(X) == y).all(axis=1).mean()
    assert custom.decode([1.0, -1.0, 1.0]) == "ac"
    frame = pd.DataFrame(y, columns=list("abc"))
    as_rows = Custom(
        log_count=math.log(8), mean=sets.mean(), second_moment=sets.second_moment(), embed=np.asarray, decode=best
    )
    assert_array_equal(as_rows.embed(frame), y)


def test_samples_and_members() -> None:
    assert_array_equal(np.sort(by_sampler().sample(5, random_state=3), axis=1), np.tile([1, 2, 3, 4], (5, 1)))
    assert_array_equal(by_sampler().sample(5, random_state=3), by_sampler().sample(5, random_state=3))
    assert list(by_list().enumerate()) == list(range(24))
    assert by_formulas().log_count() == math.log(24)


@pytest.mark.parametrize("make", [by_formulas, by_list, by_kernel, by_sampler])
def test_scikit_learn_manners(make: Any) -> None:
    structure = make()
    structure.mean()
    for other in (
        clone(structure),
        copy.copy(structure),
        copy.deepcopy(structure),
        pickle.loads(pickle.dumps(structure)),
    ):
        assert other is not structure
        assert other == structure and hash(other) == hash(structure) and repr(other) == repr(structure)
        assert_array_equal(other.mean(), structure.mean())
    assert Custom(**structure.get_params()) == structure
    assert "Custom" in structure._repr_html_()
    y = Y if make in (by_formulas, by_sampler) else places(Y)
    model = fitted(structure, y)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X_NEW), model.predict(X_NEW))


def test_parameters_are_no_attributes() -> None:
    structure = by_formulas()
    assert structure.set_params(log_count=4.0) is structure
    assert structure.log_count() == 4.0 and structure != by_formulas()
    moved = by_formulas()
    moved.log_count = 4.0  # type: ignore[method-assign, assignment]
    assert moved == structure and moved.log_count() == 4.0
    with pytest.raises(ValueError):
        structure.set_params(size=3)
    model = StructuredRidge(by_formulas())
    model.set_params(structure__log_count=5.0)
    assert model.structure.log_count() == 5.0
