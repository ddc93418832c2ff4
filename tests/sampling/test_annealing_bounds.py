"""Bounds on scores that users give to annealing, above all for samplers of their own."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from combpred import CapabilityError
from combpred.sampling import log_partition
from combpred.structures import Custom, LabelSets

annealed = functools.partial(log_partition, method="annealed")


class UsersOwn:
    """Subsets of three things, by functions that prove nothing about scores: these are at most 1.2 in magnitude."""

    structure = Custom.from_sampler(
        lambda rng: rng.integers(0, 2, size=3), np.asarray, log_count=3 * math.log(2), n_moment_samples=100
    )
    scores = np.array([1.0, -0.5, 0.2])
    log_z = float(np.logaddexp(0, scores).sum())


@pytest.mark.parametrize(
    "options", [{}, {"sampler": "cftp"}, {"sampler": "rejection"}, {"schedule": "uniform"}, {"schedule": "thesis"}]
)
def test_a_bound_makes_a_users_own_sampler_exact(options):
    if options:
        with pytest.raises(CapabilityError) as caught:
            annealed(UsersOwn.structure, UsersOwn.scores, **options)
        assert caught.value.row is None
    rows, bounds = np.array([UsersOwn.scores, -UsersOwn.scores]), [1.2, 1.3]
    found = annealed(UsersOwn.structure, rows, epsilon=0.9, delta=0.25, bound=bounds, random_state=0, **options)
    assert found.is_guaranteed.all() and not found.is_exact.any()
    assert set(found.details.sampler) == {options.get("sampler", "cftp")}
    for log_z, lower, upper in zip(
        (UsersOwn.log_z, float(np.logaddexp(0, -UsersOwn.scores).sum())), found.lower, found.upper, strict=True
    ):
        assert lower < log_z < upper
    if "schedule" in options:  # three levels for each unit of the bound
        assert [len(levels) for levels in found.details.schedules] == [5, 5]


def test_a_bound_takes_the_place_of_what_the_structure_proves():
    structure = LabelSets(3)
    for schedule in ("uniform", "thesis"):
        found = annealed(structure, [1.0, -0.5, 0.2], bound=3.0, epsilon=0.9, schedule=schedule, random_state=0)
        assert len(found.details.schedules[0]) == 10
    close, wide = (
        annealed(structure, [1.0, -0.5, 0.2], bound=b, epsilon=0.5, sampler="cftp", random_state=0).details.n_steps[0]
        for b in (1.2, 4.0)
    )
    assert wide > 5 * close  # proposals by exp(4 - 1.2), were the numbers of samples the same


@pytest.mark.parametrize(
    ("structure", "bound", "row"),
    [
        (LabelSets(3), [9.0, 1.1], 1),
        (LabelSets(3), 0.4, 0),
        (UsersOwn.structure, [1.5, 1.1], 1),
        (LabelSets(3), -1.0, 0),
        (LabelSets(3), [1.0, np.nan], 1),
        (LabelSets(3), np.ones(3), None),
    ],
)
@pytest.mark.parametrize("sampler", ["auto", "meta"])
def test_bounds_that_are_none_are_refused(structure, bound, row, sampler):
    rows = [[-0.5, 0.0, 0.0], [1.0, -0.5, 0.2]]
    with pytest.raises(ValueError) as caught:
        annealed(structure, rows, bound=bound, epsilon=0.5, sampler=sampler, random_state=0)
    assert getattr(caught.value, "row", None) == row
