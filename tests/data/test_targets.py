"""Targets as learners see them, and errors about them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from combpred import StructuredRidge
from combpred._data.converters import positions_by_score
from combpred._data.targets import TargetError
from moved_errors import shows_another_row_everywhere


def test_labels_of_equal_score_are_ranked_by_their_number():
    np.testing.assert_array_equal(
        positions_by_score(np.array([[0.0, 2.0, 0.0, -1.0], [1.0] * 4])), [[2, 1, 3, 4], [1, 2, 3, 4]]
    )


def test_errors_of_another_row_name_the_same_argument():
    error = TargetError(1, "r", "y_pred").at(8)
    assert isinstance(error, TargetError)
    assert (error.row, error.argument, str(error)) == (8, "y_pred", "y_pred, row 8: r")
    shows_another_row_everywhere(TargetError(1, "r", "y_pred"))


@pytest.mark.parametrize(
    "classes",
    [
        ["Portland, Oregon", "Salem, Oregon", "Austin, Texas", "Dallas, Texas"],
        [">50K", "<=50K", ">100K", ">10K"],
        ["AC/DC", "DC/AC", "AC", "DC"],
        ["a|b", "b|a", "c", "d"],
    ],
)
def test_classes_with_marks_are_classes(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredRidge().fit(np.arange(16.0).reshape(8, 2), np.array(classes * 2))
