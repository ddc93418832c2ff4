"""Partition functions of the core: by which engine, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest

from combpred._lib.partition import log_partition, partition_cost
from combpred._lib.structure import Description
from combpred.structures import Cycles, Graphs, Permutations


def test_engine_and_cost():
    engine, cost = partition_cost(Permutations(10).space.description)
    assert engine == "recursion"
    assert partition_cost(Permutations(10).space.description, marginals=True)[1] > cost > 1000
    assert partition_cost(Permutations(12).space.description)[1] > 4 * cost
    found = log_partition(Permutations(3).space.description, np.zeros((2, 3)))
    assert found.marginals is None
    forests = Graphs(4, hereditary="forest")
    found = log_partition(forests.space.description, np.zeros((1, 6)), marginals=True)
    assert partition_cost(forests.space.description, marginals=True)[0] == "enumeration"
    assert found.log_z[0] == pytest.approx(np.log(38))  # labelled forests on four vertices, OEIS A001858
    # Cycles through given vertices are summed over by the recursion of all cycles, under a mask.
    through = Description("cycles", {"n": 5, "start": 1}, None, None)
    found = log_partition(through, np.zeros((1, 10)), marginals=True)
    assert partition_cost(through, marginals=True)[0] == "recursion"
    visiting = [y for y in Cycles(5).enumerate() if 1 in y]
    assert found.log_z[0] == pytest.approx(np.log(len(visiting)))
