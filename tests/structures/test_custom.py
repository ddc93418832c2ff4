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

from combpred import CapabilityError, StructuredRidge, StructuredRidgeCV
from combpred._lib.decode import decode
from combpred._lib.structure import structure_check
from combpred.datasets import make_label_ranking
from combpred.structures import Custom, LabelSets, Permutations

RANKINGS = Permutations(4)
MEMBERS = np.array(list(RANKINGS.enumerate()))
X, Y = make_label_ranking(60, n_labels=4, random_state=0)
X_NEW, Y_NEW = make_label_ranking(40, n_labels=4, random_state=1)
LOSSES = pytest.mark.parametrize("loss", ["auc", "squared"])


def signs(y: Any) -> list[float]:
    return [1.0 if y[u] < y[v] else -1.0 for u in range(4) for v in range(u + 1, 4)]


def best(scores: np.ndarray) -> np.ndarray:
    return RANKINGS.decode(scores)


def shuffled(rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(4) + 1


def places(y: np.ndarray) -> np.ndarray:
    """Where the rankings stand in the list of all."""
    return (y[:, np.newaxis, :] == MEMBERS).all(axis=2).argmax(axis=1)


def by_formulas(**changes: Any) -> Custom:
    return Custom(
        **{
            "log_count": math.log(24),
            "mean": RANKINGS.mean(),
            "second_moment": RANKINGS.second_moment(),
            "embed": signs,
            "decode": best,
            **changes,
        }
    )


def by_list() -> Custom:
    return Custom.from_structures(MEMBERS.tolist(), signs)


def by_sampler(**changes: Any) -> Custom:
    return Custom.from_sampler(**{"sample": shuffled, "embed": signs, "decode": best, **changes})


def by_kernel() -> Custom:
    psi = RANKINGS.embed(MEMBERS)
    return Custom.from_kernel(MEMBERS.tolist(), psi @ psi.T)


def fitted(structure: Any, y: Any, **options: Any) -> StructuredRidge:
    return StructuredRidge(structure, **{"kernel": "rbf", "alpha": 0.1, "decoder": "auto", **options}).fit(X, y)


# Against the built-in rankings.


@LOSSES
def test_list_of_all_rankings_predicts_like_permutations(loss: str) -> None:
    model, listed = fitted(RANKINGS, Y, loss=loss), fitted(by_list(), places(Y), loss=loss)
    assert_allclose(listed.feature_scores(X_NEW), model.feature_scores(X_NEW), atol=1e-8)
    assert_array_equal(MEMBERS[listed.predict(X_NEW)], model.predict(X_NEW))
    certified = listed.predict_certified(X_NEW)
    assert certified.optimal.all()
    assert_allclose(certified.value, model.predict_certified(X_NEW).value, atol=1e-8)
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
    certified = custom.predict_certified(X_NEW)
    assert_array_equal(certified.structures, model.predict(X_NEW))
    assert_allclose(certified.value, model.predict_certified(X_NEW).value, atol=1e-8)
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
        model = StructuredRidgeCV(structure, kernel="rbf", alphas=[0.01, 0.1, 1.0]).fit(X, y)
        assert model.best_score_ == pytest.approx(
            StructuredRidgeCV(by_list(), kernel="rbf", alphas=[0.01, 0.1, 1.0]).fit(X, places(Y)).best_score_
        )
        assert cross_val_score(StructuredRidge(structure, kernel="rbf"), X, y, cv=3).shape == (3,)
    search = GridSearchCV(
        StructuredRidge(by_sampler()), {"structure__n_moment_samples": [50, 100], "alpha": [0.1, 1.0]}, cv=2
    )
    assert search.fit(X, Y).best_params_["structure__n_moment_samples"] in (50, 100)


def test_other_solvers_train_on_custom_spaces() -> None:
    reference = StructuredRidge(RANKINGS, alpha=0.5).fit(X, Y).feature_scores(X_NEW)
    for solver in ("closed-form", "cg", "newton-cg", "primal"):
        for structure, y in ((by_list(), places(Y)), (by_formulas(), Y)):
            scores = StructuredRidge(structure, alpha=0.5, solver=solver).fit(X, y).feature_scores(X_NEW)
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
    assert structure.set_params(log_count=1.0) is structure
    assert structure.log_count() == 1.0 and structure != by_formulas()
    with pytest.raises(AttributeError, match=r"set_params\(mean=…\)"):
        structure.mean = [0.0]  # type: ignore[method-assign, assignment]
    with pytest.raises(ValueError, match="Invalid parameter 'size'"):
        structure.set_params(size=3)
    model = StructuredRidge(by_formulas())
    model.set_params(structure__log_count=2.0)
    assert model.structure.log_count() == 2.0


# What is refused.


def test_prediction_without_decode_names_the_remedy() -> None:
    model = fitted(by_formulas(decode=None), Y)
    assert model.feature_scores(X_NEW).shape == (40, 6)
    assert model.score_structures(X_NEW, Y_NEW).shape == (40,)
    for call in (model.predict, model.predict_certified, lambda X: model.score(X, Y_NEW)):
        with pytest.raises(CapabilityError, match="give decode="):
            call(X_NEW)
    with pytest.raises(CapabilityError, match="give decode="):
        StructuredRidgeCV(by_formulas(decode=None)).fit(X, Y)
    with pytest.raises(CapabilityError, match="give decode="):
        by_formulas(decode=None).decode(np.zeros(6))


def test_what_functions_cannot_do() -> None:
    with pytest.raises(CapabilityError, match="loss='squared' predicts.*from_structures"):
        fitted(by_formulas(), Y, loss="squared")
    with pytest.raises(CapabilityError, match="decoder='exact' asks for proof"):
        fitted(by_formulas(), Y, decoder="exact").predict(X_NEW)
    assert_array_equal(
        fitted(by_formulas(), Y, decoder="local-search").predict(X_NEW), fitted(by_formulas(), Y).predict(X_NEW)
    )
    with pytest.raises(CapabilityError, match="no sampler"):
        by_formulas().sample(3)
    with pytest.raises(CapabilityError, match="how many outputs"):
        by_formulas().count()
    with pytest.raises(CapabilityError, match="give log_count"):
        by_sampler().log_count()
    assert by_sampler().set_params(log_count=math.log(24)).log_count() == math.log(24)
    with pytest.raises(CapabilityError, match="how many outputs"):
        by_formulas().enumerate()


EYE = np.eye(2)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({}, ValueError, "nothing given; a space is described by"),
        ({"mean": [0.0], "structures": [1]}, ValueError, "mean and structures given"),
        ({"structures": "ab", "psi": EYE, "gram": EYE}, ValueError, "gram and psi and structures given"),
        ({"structures": "ab", "psi": EYE[:1]}, ValueError, r"psi must have shape \(2, d\).*\(1, 2\)"),
        ({"structures": "ab", "psi": [[1.0], [2.0, 3.0]]}, ValueError, "different lengths|must have shape"),
        ({"structures": "ab", "psi": [[1.0, np.nan], [0.0, 0.0]]}, ValueError, r"psi\[0, 1\] is nan"),
        ({"structures": "ab", "psi": [["x"], ["y"]]}, TypeError, "psi must hold real numbers"),
        ({"structures": [], "psi": np.empty((0, 2))}, ValueError, "structures is empty"),
        ({"structures": 7, "psi": EYE}, TypeError, "structures must be a list"),
        ({"structures": "ab", "gram": np.eye(3)}, ValueError, r"gram must have shape \(2, 2\)"),
        ({"structures": "ab", "gram": [[1.0, 2.0], [2.0, 1.0]]}, ValueError, "not positive semi-definite.*-1"),
        ({"structures": "ab", "gram": [[1.0, 0.5], [0.0, 1.0]]}, ValueError, "gram is not symmetric: 0.5 at"),
        ({"structures": "ab", "gram": np.zeros((2, 2))}, ValueError, "gram is 0 everywhere"),
        ({"structures": "ab", "gram": [[np.inf, 0.0], [0.0, 1.0]]}, ValueError, r"gram\[0, 0\] is inf"),
    ],
)
def test_illegal_lists_are_refused(parameters: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Custom(**parameters).mean()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"log_count": -1.0}, ValueError, "log_count must be at least 0"),
        ({"log_count": float("nan")}, ValueError, "log_count must be at least 0 and finite, got nan"),
        ({"log_count": "24"}, TypeError, "log_count must be a number"),
        ({"mean": np.zeros((2, 3))}, ValueError, r"mean must have shape \(d,\)"),
        ({"mean": [0.0] * 5}, ValueError, r"second_moment must have shape \(5, 5\)"),
        ({"mean": [np.inf] + [0.0] * 5}, ValueError, r"mean\[0\] is inf"),
        ({"mean": [2.0] + [0.0] * 5}, ValueError, "not positive semi-definite"),
        ({"second_moment": np.triu(np.ones((6, 6)))}, ValueError, "second_moment is not symmetric"),
        ({"second_moment": np.ones((6, 6)) - 2 * np.eye(6)}, ValueError, "not positive semi-definite"),
        ({"embed": "signs"}, TypeError, "embed must be a function"),
        ({"decode": 3}, TypeError, "decode must be a function"),
        ({"embed": None}, ValueError, "second_moment given; a space is described by"),
    ],
)
def test_illegal_formulas_are_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        by_formulas(**changes).mean()
    with pytest.raises(error, match=message):
        fitted(by_formulas(**changes), Y)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"n_moment_samples": 6}, ValueError, "n_moment_samples=6 draws leave the covariance of 6 features singular"),
        ({"n_moment_samples": 1}, ValueError, "n_moment_samples must be at least 2"),
        ({"n_moment_samples": 1e4}, TypeError, "n_moment_samples must be an integer"),
        ({"random_state": None}, TypeError, "random_state must be an integer"),
        ({"random_state": -1}, ValueError, "random_state must be at least 0"),
        ({"embed": lambda y: [[1.0]]}, ValueError, r"embed gave an array of shape \(1, 1\).*for draw 0"),
        ({"embed": lambda y: [1.0] * int(y[0])}, ValueError, r"embed gave an array of shape.*for draw"),
        ({"sample": 3}, TypeError, "sample must be a function"),
    ],
)
def test_illegal_samplers_are_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        by_sampler(**changes).mean()


def test_illegal_outputs_are_named_by_row() -> None:
    formulas = by_formulas()
    with pytest.raises(ValueError, match=r"y, row 1: embed gave an array of shape \(2,\), must be \(6,\)"):
        by_formulas(embed=lambda y: signs(y)[: 6 if y[0] < 4 else 2]).embed([[1, 2, 3, 4], [4, 3, 2, 1]])
    with pytest.raises(ValueError, match="y, row 0: embed gave nan in entry 2"):
        by_formulas(embed=lambda y: [1.0, 1.0, np.nan, 1.0, 1.0, 1.0]).validate([[1, 2, 3, 4]])
    with pytest.raises(ValueError, match="y has 0 rows"):
        formulas.validate([])
    with pytest.raises(ValueError, match="y is None"):
        formulas.validate(None)
    with pytest.raises(ValueError, match="scores, row 1: what decode returned there is no output"):
        by_formulas(embed=lambda y: [float(v) for v in y] + [0.0, 0.0], decode=lambda s: [1.0] * int(4 + s[0])).decode(
            [[0.0] * 6, [1.0] + [0.0] * 5]
        )
    listed = by_list()
    for bad, found in ((24, "24"), (-1, "-1"), (0.5, "0.5"), (np.nan, "nan")):
        with pytest.raises(ValueError, match=f"y, row 2: found {found}; outputs are given by their places 0..23"):
            listed.validate([0, 23, bad])


def test_moments_of_another_embedding_are_noticed() -> None:
    """Outputs whose ψ leaves the span that the moments give them would be fitted in part only."""
    sets = LabelSets(4, size=2)
    custom = Custom(log_count=sets.log_count(), mean=sets.mean(), second_moment=sets.second_moment(), embed=np.asarray)
    assert custom.embed([[1, 1, 0, 0]]).shape == (1, 4)
    with pytest.raises(ValueError, match="y, row 1: ψ leaves the mean by 0.5.*correct mean and second_moment"):
        custom.embed([[1, 1, 0, 0], [1, 1, 1, 0]])
    rare = Custom.from_sampler(lambda rng: [rng.integers(2), 0], np.asarray, n_moment_samples=50)
    with pytest.raises(ValueError, match="raise n_moment_samples"):
        rare.embed([[1, 1]])


def test_library_refuses_codes_of_outputs_that_functions_hold() -> None:
    description = by_formulas().space.description
    with pytest.raises(ValueError, match="no encoding"):
        structure_check(description, np.zeros((1, 1), dtype=np.int32))
    with pytest.raises(CapabilityError, match="Decoder"):
        decode(description, np.zeros((1, 6)))
