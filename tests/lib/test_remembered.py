"""What the core says about a structure as such is asked for once; all of a description tells answers apart."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib import call, partition, structure
from combpred._lib.call import Remembered
from combpred._lib.partition import partition_cost
from combpred._lib.structure import Description
from combpred.structures import Custom, Permutations, Subtrees


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the functions of the core that are called from now on; nothing is remembered from before."""
    names: list[str] = []

    def recorded(name: str, *arguments: Any, **options: Any) -> int:
        names.append(name)
        return original(name, *arguments, **options)

    original = call.call
    monkeypatch.setattr(structure, "call", recorded)
    monkeypatch.setattr(partition, "call", recorded)
    monkeypatch.setattr(structure, "_SHAPES", Remembered())
    monkeypatch.setattr(partition, "_COSTS", Remembered())
    return names


STRUCTURES = [
    Permutations(4),
    Subtrees({"a": None, "b": "a", "c": "a", "d": "c"}),
    Custom.from_structures("ab", [[1.0, 2.0], [0.0, 1.0]]),
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda structure: type(structure).__name__)
def test_one_call_for_each_evaluation(structure, asked):
    scores = np.random.default_rng(0).normal(size=(5, structure.n_features))
    first = structure.space.log_partition(scores, True)
    asked.clear()
    again = structure.space.log_partition(scores, True)
    assert asked == ["cp_log_partition"]
    np.testing.assert_array_equal(again.log_z, first.log_z)
    other = pickle.loads(pickle.dumps(structure)).space.log_partition(scores, True)
    assert asked == ["cp_log_partition"] * 2
    np.testing.assert_array_equal(other.marginals, first.marginals)


def test_structures_are_told_apart_by_all_they_are_given():
    chain, star = np.array([-1, 0, 1, 2], dtype=np.int32), np.array([-1, 0, 0, 0], dtype=np.int32)
    for parent, count in ((chain, 4), (star, 8), (chain, 4)):
        description = Description("subtrees", {"n": 4}, parent, None)
        assert np.exp(description.shape[2]) == pytest.approx(count)
    keys = {
        Description("custom", scalars, ints, reals).key
        for scalars in ({"d": 1}, {"d": 2})
        for ints in (None, chain, star, chain[:0])
        for reals in (None, np.zeros(2), np.zeros(4), np.ones(2), np.zeros(0))
    }
    assert len(keys) == 40


def test_refusals_are_not_remembered_as_answers():
    large = Description("permutations", {"n": 30}, None, None)
    for _ in range(2):
        with pytest.raises(CapabilityError):
            partition_cost(large)


def test_the_number_of_answers_is_bounded():
    remembered = Remembered[int](most=3)
    computed = [remembered.get(key, lambda key=key: key) for key in (0, 1, 2, 0, 3, 3)]
    assert computed == [0, 1, 2, 0, 3, 3]
    assert remembered.get(3, lambda: -1) == 3
    assert remembered.get(0, lambda: -1) == -1  # forgotten when 3 came
