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
    for call in (model.predict, lambda X: model.score(X, Y_NEW)):
        with pytest.raises(CapabilityError, match="give decode="):
            call(X_NEW)
    with pytest.raises(CapabilityError):
        StructuredRidgeCV(by_formulas(decode=None)).fit(X, Y)
    with pytest.raises(CapabilityError):
        by_formulas(decode=None).decode(np.zeros(6))


def test_what_functions_cannot_do() -> None:
    with pytest.raises(CapabilityError):
        fitted(by_formulas(), Y, loss="squared")
    with pytest.raises(CapabilityError):
        fitted(by_formulas(), Y, decoder="exact").predict(X_NEW)
    assert_array_equal(
        fitted(by_formulas(), Y, decoder="local-search").predict(X_NEW), fitted(by_formulas(), Y).predict(X_NEW)
    )
    with pytest.raises(CapabilityError):
        by_formulas().sample(3)
    with pytest.raises(CapabilityError):
        by_formulas().count()
    with pytest.raises(CapabilityError):
        by_sampler().log_count()
    assert by_sampler().set_params(log_count=math.log(24)).log_count() == math.log(24)
    for by_functions in (by_formulas(), by_sampler(), by_sampler().set_params(log_count=math.log(24))):
        with pytest.raises(CapabilityError):
            by_functions.enumerate()


EYE = np.eye(2)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({}, ValueError),
        (
            {"structures": "ab", "psi": EYE, "radius": 2.0},
            ValueError,
        ),
        ({"sample": len, "embed": len, "mean": [0.0], "second_moment": None}, ValueError),
        ({"mean": [0.0], "structures": [1]}, ValueError),
        ({"structures": "ab", "psi": EYE, "gram": EYE}, ValueError),
        ({"structures": "ab", "psi": EYE[:1]}, ValueError),
        ({"structures": "ab", "psi": [[1.0], [2.0, 3.0]]}, ValueError),
        ({"structures": "ab", "psi": [[1.0, np.nan], [0.0, 0.0]]}, ValueError),
        ({"structures": "ab", "psi": [["x"], ["y"]]}, TypeError),
        ({"structures": [], "psi": np.empty((0, 2))}, ValueError),
        ({"structures": 7, "psi": EYE}, TypeError),
        ({"structures": "ab", "gram": np.eye(3)}, ValueError),
        ({"structures": "ab", "gram": [[1.0, 2.0], [2.0, 1.0]]}, ValueError),
        ({"structures": "ab", "gram": [[1.0, 0.5], [0.0, 1.0]]}, ValueError),
        ({"structures": "ab", "gram": np.zeros((2, 2))}, ValueError),
        ({"structures": "ab", "gram": [[np.inf, 0.0], [0.0, 1.0]]}, ValueError),
    ],
)
def test_illegal_lists_are_refused(parameters: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        Custom(**parameters).mean()
    assert not parameters or any(name in str(caught.value) for name in parameters)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"log_count": -1.0}, ValueError),
        ({"log_count": float("nan")}, ValueError),
        ({"log_count": "24"}, TypeError),
        ({"mean": np.zeros((2, 3))}, ValueError),
        ({"mean": [0.0] * 5}, ValueError),
        ({"mean": [np.inf] + [0.0] * 5}, ValueError),
        ({"mean": [2.0] + [0.0] * 5}, ValueError),
        ({"second_moment": np.triu(np.ones((6, 6)))}, ValueError),
        ({"second_moment": np.ones((6, 6)) - 2 * np.eye(6)}, ValueError),
        ({"embed": "signs"}, TypeError),
        ({"decode": 3}, TypeError),
        ({"embed": None}, ValueError),
    ],
)
def test_illegal_formulas_are_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        by_formulas(**changes).mean()
    with pytest.raises(error):
        fitted(by_formulas(**changes), Y)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"n_moment_samples": 6}, ValueError),
        ({"n_moment_samples": 1}, ValueError),
        ({"n_moment_samples": 1e4}, TypeError),
        ({"random_state": None}, TypeError),
        ({"random_state": -1}, ValueError),
        ({"embed": lambda y: [[1.0]]}, ValueError),
        ({"embed": lambda y: [1.0] * int(y[0])}, ValueError),
        ({"sample": 3}, TypeError),
    ],
)
def test_illegal_samplers_are_refused(changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        by_sampler(**changes).mean()
    assert any(name in str(caught.value) for name in changes)


def test_illegal_outputs_are_named_by_row() -> None:
    formulas = by_formulas()
    with pytest.raises(ValueError, match=r"y, row 1: .*what embed returns must be .* 6 numbers, got shape \(2,\)"):
        by_formulas(embed=lambda y: signs(y)[: 6 if y[0] < 4 else 2]).embed([[1, 2, 3, 4], [4, 3, 2, 1]])
    with pytest.raises(ValueError) as caught:
        by_formulas(embed=lambda y: [1.0, 1.0, np.nan, 1.0, 1.0, 1.0]).validate([[1, 2, 3, 4]])
    assert (caught.value.argument, caught.value.row) == ("y", 0)
    with pytest.raises(ValueError):
        formulas.validate([])
    with pytest.raises(ValueError):
        formulas.validate(None)
    with pytest.raises(ValueError) as caught:
        by_formulas(embed=lambda y: [float(v) for v in y] + [0.0, 0.0], decode=lambda s: [1.0] * int(4 + s[0])).decode(
            [[0.0] * 6, [1.0] + [0.0] * 5]
        )
    assert (caught.value.argument, caught.value.row) == ("scores", 1)
    listed = by_list()
    for bad in (24, -1, 0.5, np.nan):
        with pytest.raises(ValueError) as caught:
            listed.validate([0, 23, bad])
        assert (caught.value.argument, caught.value.row) == ("y", 2)


def test_moments_of_another_embedding_are_noticed() -> None:
    """Outputs whose ψ leaves the span that the moments give them would be fitted in part only."""
    sets = LabelSets(4, size=2)
    custom = Custom(log_count=sets.log_count(), mean=sets.mean(), second_moment=sets.second_moment(), embed=np.asarray)
    assert custom.embed([[1, 1, 0, 0]]).shape == (1, 4)
    with pytest.raises(ValueError) as caught:
        custom.embed([[1, 1, 0, 0], [1, 1, 1, 0]])
    assert (caught.value.argument, caught.value.row) == ("y", 1)
    rare = Custom.from_sampler(lambda rng: [rng.integers(2), 0], np.asarray, n_moment_samples=50)
    with pytest.raises(ValueError) as caught:
        rare.embed([[1, 1]])
    assert caught.value.row == 0


def test_outputs_that_nothing_tells_apart_are_legal() -> None:
    space = Custom.from_structures(["a", "b", "c"], lambda _: [1.0, 2.0])
    assert space.count() == 3 and space.decode([[1.0, 1.0]]).tolist() == [0]
    with pytest.raises(ValueError):
        Custom.from_structures([], lambda _: [1.0, 2.0]).mean()


@pytest.mark.parametrize("space", [by_sampler(), by_formulas()])
def test_functions_have_no_exact_sums(space: Custom) -> None:
    for call in (space.log_partition, space.marginals):
        with pytest.raises(CapabilityError):
            call(np.zeros(6))


def test_exact_draws_need_a_list() -> None:
    with pytest.raises(CapabilityError):
        sample(by_sampler(), np.zeros(6), sampler="exact")
