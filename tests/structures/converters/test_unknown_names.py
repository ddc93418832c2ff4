"""Unknown names: the message ends in the name that was probably meant, wherever names are read."""

from __future__ import annotations

import re

import pytest

from combpred.structures import (
    Assignments,
    Cliques,
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    PartialOrders,
    Paths,
    Permutations,
    PosetElements,
    Routes,
    Subtrees,
    WeakOrders,
)

NAMES = ["urgent", "billing", "spam"]
TREE = {"mail": None, "urgent": "mail", "billing": "mail", "spam": "mail"}
UNKNOWN = {
    "sets": lambda name: LabelSets.from_sets([["spam", name]], NAMES),
    "orders": lambda name: Permutations.from_orders([["spam", name]], NAMES),
    "tops": lambda name: Permutations.from_top_k([[name]], NAMES),
    "tiers": lambda name: WeakOrders.from_tiers([[["spam", "billing"], [name]]], NAMES),
    "vertices": lambda name: Cliques.from_vertices([[name]], NAMES),
    "pairs": lambda name: Assignments.from_pairs([[("spam", "spam"), ("billing", "billing"), (name, "urgent")]], NAMES),
    "edges": lambda name: Graphs(vertices=NAMES).from_edges([[("spam", name)]]),
    "relations": lambda name: PartialOrders(items=NAMES).from_edges([[("spam", name)]]),
    "edges of a structure": lambda name: Graphs(vertices=NAMES, edges=[("spam", name)]).count(),
    "routes": lambda name: Routes(places=NAMES).from_names([["spam", name]]),
    "arcs": lambda name: Paths([("spam", name)], "spam", "urgent", vertices=NAMES).count(),
    "paths": lambda name: Hierarchy(TREE).ordered([["mail", name]]),
    "subtrees": lambda name: Subtrees(TREE).ordered([["mail", name]]),
    "nodes": lambda name: Hierarchy(TREE).embed([name]),
    "grades": lambda name: Ordinal(NAMES).embed([name]),
    "elements": lambda name: PosetElements([[1, 0, 0], [0, 1, 0], [0, 0, 1]], elements=NAMES).embed([name]),
    "conditions": lambda name: LabelSets(labels=NAMES).decode([1.0, 2.0, 3.0], constraints={"required": [name]}),
    "ends": lambda name: Routes(places=NAMES).decode([0.0] * 12, constraints={"start": name}),
}


@pytest.mark.parametrize("read", UNKNOWN.values(), ids=UNKNOWN)
def test_the_name_that_was_meant_is_named(read):
    for slip in ("urgnet", "Urgent", " urgent"):
        with pytest.raises(ValueError, match=rf"{re.escape(repr(slip))}.*; did you mean 'urgent'\?$"):
            read(slip)
    with pytest.raises(ValueError) as caught:
        read("coffee")
    assert "did you mean" not in str(caught.value)


def test_numbers_are_meant_by_the_same_numbers_alone():
    for given, names in ((7, ["7", "8", "17"]), ("7", [7, 8, 17])):
        with pytest.raises(ValueError) as caught:
            LabelSets.from_sets([[given]], names)
        assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        LabelSets.from_sets([[117]], [7, 8, 17])
    assert caught.value.row == 0


def test_one_of_very_many_names_is_meant_by_its_letters():
    names = [f"place {i}" for i in range(20_000)]
    with pytest.raises(ValueError) as caught:
        Cliques.from_vertices([["Place 19999"]], names)
    assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        Cliques.from_vertices([["plaec 19999"]], names)
    assert caught.value.row == 0


def test_keys_of_conditions_are_meant():
    with pytest.raises(ValueError, match=r"takes no key 'requierd'; its keys are .*; did you mean 'required'\?"):
        LabelSets(3).decode([0.0, 0.0, 0.0], constraints={"requierd": [0]})


def test_classes_of_training_are_meant():
    known = MultiClass()._resolve(["urgent", "billing"])
    with pytest.raises(ValueError) as caught:
        known.embed(["urgnt"])
    assert caught.value.row == 0
