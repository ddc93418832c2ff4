"""What users' own structures cannot do, and parameters that describe none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from combpred import CapabilityError, StructuredRidgeCV
from combpred.sampling import sample
from combpred.structures import Custom, LabelSets
from custom_spaces import (
    X_NEW,
    Y_NEW,
    X,
    Y,
    by_formulas,
    by_list,
    by_sampler,
    fitted,
    signs,
)

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
    for by_functions in (by_formulas(), by_sampler(), by_sampler().set_params(log_count=math.log(24))):
        with pytest.raises(CapabilityError, match="how many outputs there are; from_structures counts and lists them$"):
            by_functions.enumerate()


EYE = np.eye(2)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({}, ValueError, "a space is described by .*; nothing given"),
        (
            {"structures": "ab", "psi": EYE, "radius": 2.0},
            ValueError,
            "radius cannot be given with structures",
        ),
        (
            {"structures": "ab", "psi": EYE, "n_moment_samples": 5},
            ValueError,
            "n_moment_samples=5 has no effect beside",
        ),
        ({"sample": len, "embed": len, "mean": [0.0]}, ValueError, "second_moment must be given with embed"),
        ({"mean": [0.0], "structures": [1]}, ValueError, "one of psi and gram must be given with structures"),
        (
            {"structures": "ab", "psi": EYE, "gram": EYE},
            ValueError,
            "one of psi and gram must be given with structures",
        ),
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
        (
            {"embed": None},
            ValueError,
            "a space is described by .*; decode and log_count and mean and second_moment given",
        ),
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


def test_psi_that_is_the_same_for_a_whole_list_is_refused() -> None:
    with pytest.raises(ValueError, match="psi is the same for all 3 outputs"):
        Custom.from_structures(["a", "b", "c"], lambda _: [1.0, 2.0]).mean()
    assert Custom.from_structures(["a"], lambda _: [1.0, 2.0]).count() == 1


@pytest.mark.parametrize(
    ("space", "remedies"),
    [
        (
            by_sampler(),
            ("or estimate it with combpred.sampling.log_partition", "or estimate them with combpred.sampling."),
        ),
        (by_formulas(), ("", "")),
    ],
)
def test_exact_sums_name_their_estimates(space: Custom, remedies: tuple[str, str]) -> None:
    missing = (
        "exact sums run over a list of the outputs, which this Custom structure, given by functions, does not have"
    )
    for call, remedy in zip((space.log_partition, space.marginals), remedies, strict=True):
        with pytest.raises(CapabilityError, match=missing + (f"; {remedy}" if remedy else "$")):
            call(np.zeros(6))


def test_exact_draws_need_a_list() -> None:
    with pytest.raises(CapabilityError, match="sampler='exact' draws from a list .*; take sampler='meta', or 'cftp'"):
        sample(by_sampler(), np.zeros(6), sampler="exact")
