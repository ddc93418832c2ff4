"""Structures of the core: their names, their largest sizes, and what it refuses when nobody has checked before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abi_calls import PERMUTATIONS
from combpred import CapabilityError
from combpred._lib import abi
from combpred._lib.call import call
from combpred._lib.decode import (
    ALONE,
    Conditions,
    arrange,
    condition_key,
    decode,
    entries_of_conditions,
)
from combpred._lib.errors import RowError
from combpred._lib.structure import Description, catalogue, condition_terms, structure_embed, structure_names
from combpred._lib.table import record
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
def test_the_least_and_largest_sizes_are_those_of_the_core(cls: Any, least: int, most: int) -> None:
    legal = cls(most).space.description
    for n in (least, most):
        _ = Description(cls.name, dict(legal.scalars, n=n)).shape
    for n in (least - 1, most + 1):
        with pytest.raises(ValueError):
            _ = Description(cls.name, dict(legal.scalars, n=n)).shape


def test_complete_graphs_too_large_are_refused() -> None:
    with pytest.raises(ValueError):
        _ = Description(Graphs.name, {"n": 4097}).shape


def test_trees_too_large_are_refused() -> None:
    with pytest.raises(ValueError):
        _ = Description("subtrees", {"n": 2**20 + 1}, np.zeros(1, dtype=np.int32), None).shape


def test_graphs_without_spanning_tree_are_refused() -> None:
    with pytest.raises(ValueError):
        _ = Description("spanningtrees", {"n": 4}, np.array([0, 1, 1, 2], np.int32), None).shape


def test_library_refuses_codes_of_outputs_that_functions_hold() -> None:
    description = by_formulas().space.description
    with pytest.raises(ValueError) as caught:
        structure_embed(description, np.zeros((1, 1), dtype=np.int32))
    assert caught.value.row == 0
    with pytest.raises(CapabilityError):
        decode(description, np.zeros((1, 6)))


def test_the_catalogue_says_what_may_be_absent():
    params = {s["name"]: {p["name"]: p for p in s["params"]} for s in catalogue()}
    absent = [(name, p) for name in params for p in ("fixed", "edges") if p in params[name] and name != "spanningtrees"]
    assert len(absent) >= 5
    assert all(params[name][p].get("optional") for name, p in absent)
    assert params["graphs"]["n"]["bound"] == "4096 without edges"


def test_conditions_that_are_illegal_are_about_their_row() -> None:
    routes = Description("routes", {"n": 5})
    assert list(condition_terms("routes")) == ["start", "end", "length", "required", "forbidden"]
    assert condition_terms("multiclass") == {}
    assert condition_terms("assignments")["required"]["takes"] == "a list of pairs of items and columns"
    start, length = condition_key("start"), condition_key("length")
    legal = [(start, 2, ALONE), (length, 3, ALONE)]
    call("cp_space_restrict", routes, Conditions.of([legal, []]), None, n_threads=1)
    with pytest.raises(RowError) as caught:
        call("cp_space_restrict", routes, Conditions.of([legal, [], [(length, 6, ALONE)]]), None, n_threads=1)
    assert caught.value.row == 2
    with pytest.raises(CapabilityError):
        call("cp_space_restrict", Description("multiclass", {"n": 3}), Conditions.of([[]]), None, n_threads=1)


def test_conditions_and_constraints_are_not_taken_together() -> None:
    scores = record(abi.CScores, n=1, d=6, linear=np.zeros(6))
    entries = Conditions.of([[(condition_key("first"), 2, ALONE)]])
    first, feature, value, must = (
        np.array(column, dtype=kind)
        for column, kind in zip(
            entries_of_conditions(PERMUTATIONS, entries), (np.int64, np.int32, np.int8, np.int8), strict=True
        )
    )
    assert sorted(feature.tolist()) == [1, 3, 5] and must.all()  # (0, 2), (1, 2), (2, 3)
    assert dict(zip(feature.tolist(), value.tolist(), strict=True)) == {1: -1, 3: -1, 5: 1}
    held = record(abi.CConstraints, n=1, first=first, feature=feature, value=value, must=must)
    y = np.empty((1, 4), dtype=np.int32)
    for given in ({"constraints": held}, {"conditions": entries.struct}):
        call("cp_decode", PERMUTATIONS, scores, record(abi.CDecodeOptions, **given), y, 4, None, n_threads=1)
        assert y[0, 2] == 1
    doubtful = record(abi.CConstraints, n=1, first=first, feature=feature, value=value, must=3 * must)
    with pytest.raises(ValueError):
        options = record(abi.CDecodeOptions, constraints=doubtful)
        call("cp_decode", PERMUTATIONS, scores, options, y, 4, None, n_threads=1)
    both = record(abi.CDecodeOptions, constraints=held, conditions=entries.struct)
    with pytest.raises(ValueError):
        call("cp_decode", PERMUTATIONS, scores, both, y, 4, None, n_threads=1)


def test_cycles_are_arranged_as_conditions_ask_for() -> None:
    cycles, start = Description("cycles", {"n": 5}), condition_key("start")
    y = np.array([[0, 1, 2, 3, -1], [0, 2, 1, 4, -1]], dtype=np.int32)
    shared = Conditions.of([[(start, 2, ALONE)]])
    np.testing.assert_array_equal(arrange(cycles, shared, y), [[2, 1, 0, 3, -1], [2, 0, 4, 1, -1]])
    own = Conditions.of([[], [(condition_key("end"), 4, ALONE)]])
    np.testing.assert_array_equal(arrange(cycles, own, y), [[0, 1, 2, 3, -1], [0, 2, 1, 4, -1]])
    with pytest.raises(ValueError):
        arrange(cycles, Conditions.of([[], [], []]), y)
    with pytest.raises(RowError) as caught:
        arrange(cycles, shared, np.array([[0, 1, 2, -1, -1], [2, 0, 1, -1, -1]], dtype=np.int32))
    assert caught.value.row == 1


def test_names_of_several_lines_are_in_one():
    items = Description("labelsets", {"n": 2, "size": -1}, names=("tea\nmilk", "a\tb\0"))
    assert structure_names(items) == ["tea\\nmilk", "a\\tb\\x00"]
