"""Structures of the core: their names, their largest sizes, and what it refuses when nobody has checked before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from combpred import CapabilityError
from combpred._lib.decode import Constraints, decode
from combpred._lib.structure import Description, catalogue, structure_embed
from combpred.structures import (
    Cliques,
    Cycles,
    DirectedCycles,
    Graphs,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Permutations,
    Routes,
    Tournaments,
    WeakOrders,
    structure_classes,
)
from custom_spaces import by_formulas


def test_catalogue_and_classes_have_the_same_names() -> None:
    assert {entry["name"] for entry in catalogue()} == set(structure_classes())


@pytest.mark.parametrize(
    ("cls", "least", "most"),
    [
        (MultiClass, 1, 2**24),
        (LabelSets, 1, 2**24),
        (Ordinal, 1, 2**24),
        (Permutations, 2, 2**14),
        (Tournaments, 2, 2**14),
        (PartialOrders, 2, 2**14),
        (WeakOrders, 2, 2**10),
        (DirectedCycles, 3, 2**14),
        (Cycles, 3, 2**14),
        (Routes, 2, 2**13),
        (Cliques, 2, 2**12),
    ],
)
def test_the_largest_sizes_are_those_of_the_classes(cls: Any, least: int, most: int) -> None:
    legal = cls(most).space.description
    _ = legal.shape
    with pytest.raises(ValueError, match=f"must be between {least} and {most}"):
        _ = Description(cls.name, dict(legal.scalars, n=most + 1)).shape


def test_complete_graphs_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="the complete graph may have 4096 vertices, not 4097"):
        _ = Description(Graphs.name, {"n": 4097}).shape


def test_trees_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match=f"must be between 1 and {2**20}"):
        _ = Description("subtrees", {"n": 2**20 + 1}, np.zeros(1, dtype=np.int32), None).shape


def test_graphs_without_spanning_tree_are_refused() -> None:
    with pytest.raises(ValueError, match="no path joins the vertices 0 and 3"):
        _ = Description("spanningtrees", {"n": 4}, np.array([0, 1, 1, 2], np.int32), None).shape


def test_library_refuses_codes_of_outputs_that_functions_hold() -> None:
    description = by_formulas().space.description
    with pytest.raises(ValueError, match="no encoding"):
        structure_embed(description, np.zeros((1, 1), dtype=np.int32))
    with pytest.raises(CapabilityError, match="needs a decoder"):
        decode(description, np.zeros((1, 6)))


def test_conditions_hold_or_do_not():
    first, feature = np.array([0, 1]), np.zeros(1, dtype=np.int32)
    one = np.ones(1, dtype=np.int8)
    with pytest.raises(ValueError, match=r"constraints\.must\[0\] is 3, must be 0 or 1"):
        decode(
            Description("labelsets", {"n": 4}), np.zeros((1, 4)), constraints=Constraints(first, feature, one, 3 * one)
        )


def test_the_catalogue_says_what_may_be_absent():
    params = {s["name"]: {p["name"]: p for p in s["params"]} for s in catalogue()}
    absent = [(name, p) for name in params for p in ("fixed", "edges") if p in params[name] and name != "spanningtrees"]
    assert len(absent) >= 5
    assert all(params[name][p].get("optional") for name, p in absent)
    assert params["graphs"]["n"]["bound"] == "4096 without edges"
