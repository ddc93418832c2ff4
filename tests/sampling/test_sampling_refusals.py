"""What `sample` refuses, and what it says to do instead."""

from __future__ import annotations

import re

import numpy as np
import pytest

from combpred import CapabilityError, sampling
from combpred.structures import Custom, Cycles, Graphs, LabelSets, PartialOrders, Permutations

USERS_OWN = Custom.from_sampler(lambda rng: rng.integers(0, 2, size=3), lambda y: np.asarray(y, dtype=float))


@pytest.mark.parametrize(
    ("change", "error", "row"),
    [
        ({"structure": "permutations"}, TypeError, None),
        ({"scores": np.zeros(5)}, ValueError, None),
        ({"scores": np.zeros((0, 6))}, ValueError, None),
        ({"scores": ["a"] * 6}, TypeError, None),
        ({"scores": [0, 0, np.nan, 0, 0, 0]}, ValueError, 0),
        ({"sampler": "gibbs"}, ValueError, None),
        ({"n_samples": 0}, ValueError, None),
        ({"n_samples": 1.5}, TypeError, None),
        ({"thin": 0}, ValueError, None),
        ({"burn_in": -1}, ValueError, None),
        ({"max_steps": 0}, ValueError, None),
        ({"sampler": "cftp", "start": [[1, 2, 3, 4]]}, ValueError, None),
        ({"start": [[1, 2, 3, 3]]}, ValueError, 0),
        ({"structure": LabelSets(6), "start": [[0, 1, 0, 1, 2, 0]]}, ValueError, 0),
        ({"start": [[1, 2, 3, 4]] * 2}, ValueError, None),
        ({"sampler": "local", "bound": 3.0}, ValueError, None),
        ({"bound": 3.0, "start": [[1, 2, 3, 4]]}, ValueError, None),
        ({"sampler": "cftp", "bound": -5.0}, ValueError, 0),
        (
            {"sampler": "cftp", "bound": 0.1, "scores": np.full(6, 1.5663454688330632), "n_samples": 50},
            ValueError,
            0,
        ),
        ({"sampler": "cftp", "bound": np.ones(2)}, ValueError, None),
        ({"sampler": "cftp", "bound": np.inf}, ValueError, 0),
        ({"sampler": "monotone"}, CapabilityError, None),
        ({"structure": Graphs(4, hereditary="forest"), "sampler": "local"}, CapabilityError, None),
        (
            {"sampler": "rejection", "scores": np.full(6, 20.0), "max_steps": 3},
            sampling.SamplingError,
            0,
        ),
    ],
)
def test_bad_input_is_refused(change, error, row):
    arguments = {"structure": Permutations(4), "scores": np.zeros(6), "random_state": 0, **change}
    with pytest.raises(error) as caught:
        sampling.sample(**arguments)
    assert any(name in str(caught.value) for name in change)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize(
    ("structure", "options", "remedies"),
    [
        (Permutations(8), {"sampler": "cftp"}, "raise max_steps, or give a tighter bound=, or take sampler='local'"),
        (
            Permutations(8),
            {"sampler": "rejection"},
            "raise max_steps, or give a tighter bound=, or take sampler='local'",
        ),
        (Graphs(8), {"sampler": "monotone"}, "raise max_steps, or take sampler='local'"),
        (USERS_OWN, {"sampler": "cftp", "bound": 40.0}, "raise .*, or give a .*, or take sampler='meta'"),
    ],
)
def test_budgets_that_are_spent_name_the_parameters(structure, options, remedies):
    scores = np.random.default_rng(0).normal(scale=3.0, size=structure.n_features)
    with pytest.raises(sampling.SamplingError, match=f"^row 0: sample 0: .*; {remedies}$") as caught:
        sampling.sample(structure, scores, max_steps=2, random_state=0, **options)
    assert caught.value.row == 0


@pytest.mark.parametrize(
    ("structure", "sampler"),
    [(Permutations(30), "exact"), (Permutations(3), "monotone"), (PartialOrders(12), "exact"), (Cycles(40), "cube")],
)
def test_samplers_that_cannot_be_are_told_those_that_can(structure, sampler):
    scores = np.zeros(structure.n_features)
    with pytest.raises(CapabilityError) as caught:
        sampling.sample(structure, scores, sampler=sampler)
    working = re.findall(r"'(\w+)'", str(caught.value).rpartition("take sampler=")[2])
    assert "local" in working
    for name in working:
        assert len(sampling.sample(structure, scores, sampler=name, random_state=0).y) == 1
