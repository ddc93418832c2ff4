"""The package is thin: it reads, calls the core and keeps what comes back; the core computes and refuses."""

from __future__ import annotations

import pytest

from weight import Weight, weigh


@pytest.fixture(scope="module")
def weight(root) -> Weight:
    return weigh(root)


def test_python_is_thin_beside_the_core(weight):
    assert weight.python <= 14_500
    assert weight.python <= 0.33 * weight.go


def test_the_core_refuses(weight):
    assert weight.share_of_refusals <= 0.30


def test_a_function_of_c_costs_python_few_lines(weight):
    assert weight.lib_lines_a_function <= 25


def test_functions_and_classes_are_short(weight):
    assert weight.long_functions == []
    assert weight.large_classes == []
