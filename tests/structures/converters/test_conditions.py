"""Names from converters serve in entries of ψ and in conditions, and come back in what is predicted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from combpred import StructuredRidge
from combpred.structures import Cycles, DirectedCycles, Graphs, Paths, Routes, SpanningTrees, Structure, Subtrees

TOWNS = ["Bath", "Cork", "Dover", "Ely"]
SQUARE = [("Bath", "Cork"), ("Cork", "Dover"), ("Dover", "Ely"), ("Ely", "Bath")]
ARCS = [*SQUARE[:3], ("Bath", "Dover"), ("Cork", "Ely")]
TREE = Subtrees.from_nested({"animal": {"mammal": ["cat", "dog"], "fish": None}})


def steps(tour: list[Any]) -> set[tuple[Any, Any]]:
    return set(pairwise(tour))


def around(tour: list[Any]) -> set[tuple[Any, Any]]:
    return steps([*tour, tour[0]])


def names(paths: list[list[str]]) -> set[str]:
    return {name for path in paths for name in path}


#: A structure, its converter back, a condition, what outputs in names must satisfy, and an entry of ψ.
CASES: list[tuple[Structure, Callable[..., Any], dict[str, Any], Callable[[Any], bool], str]] = [
    (
        Routes(places=TOWNS),
        Routes.to_names,
        {"start": "Ely", "required": ["Bath", ("Bath", "Cork")], "forbidden": ["Dover"]},
        lambda tour: tour[0] == "Ely" and ("Bath", "Cork") in steps(tour) and "Dover" not in tour,
        "Bath->Cork",
    ),
    (
        DirectedCycles(vertices=TOWNS),
        DirectedCycles.to_names,
        {"start": "Dover", "required": [("Bath", "Ely")]},
        lambda tour: "Dover" in tour and ("Bath", "Ely") in around(tour),
        "Bath->Cork",
    ),
    (
        Cycles(vertices=TOWNS),
        Cycles.to_names,
        {"length": 3, "forbidden": ["Cork"]},
        lambda tour: sorted(tour) == ["Bath", "Dover", "Ely"],
        "Bath-Cork",
    ),
    (
        Paths(ARCS, "Bath", "Ely", vertices=TOWNS),
        Paths.to_vertices,
        {"required": [("Bath", "Dover")]},
        lambda path: path == ["Bath", "Dover", "Ely"],
        "Bath->Cork",
    ),
    (
        Graphs(vertices=TOWNS, edges=SQUARE),
        Graphs.to_edges,
        {"required": [("Cork", "Bath")], "forbidden": [("Bath", "Ely")]},
        lambda edges: ("Bath", "Cork") in edges and ("Ely", "Bath") not in edges,
        "Ely-Bath",
    ),
    (
        SpanningTrees(vertices=TOWNS, edges=SQUARE),
        SpanningTrees.to_edges,
        {"forbidden": [("Bath", "Cork")]},
        lambda edges: set(edges) == set(SQUARE[1:]),
        "Ely-Bath",
    ),
    (
        TREE,
        Subtrees.to_paths,
        {"required": ["dog"], "forbidden": ["fish"]},
        lambda paths: "dog" in names(paths) and "fish" not in names(paths),
        "mammal",
    ),
]


@pytest.mark.parametrize(("structure", "back", "condition", "holds", "entry"), CASES)
def test_conditions_hold_in_names(structure, back, condition, holds, entry):
    assert entry in structure.feature_names()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), structure.sample(12, random_state=0)
    model = StructuredRidge(structure, loss="auc").fit(X, y)
    rows = back(model.structure_, model.predict(X, constraints=condition))
    assert all(map(holds, rows))
    assert "start" not in condition or {row[0] for row in rows} == {condition["start"]}
    assert not all(map(holds, back(structure, y)))
    members = [row for row in back(structure, np.array(list(structure.enumerate()))) if holds(row)]
    scores = rng.normal(size=(5, structure.n_features))
    for row, best in zip(scores, back(structure, structure.decode(scores, constraints=condition)), strict=True):
        y_of = {"to_names": "from_names", "to_vertices": "from_vertices", "to_edges": "from_edges"}
        convert = getattr(structure, y_of.get(back.__name__, "ordered"))
        values = structure.embed(convert(members)) @ row
        assert np.isclose(structure.embed(convert([best]))[0] @ row, values.max(), rtol=1e-12)


@pytest.mark.parametrize(("structure", "condition"), [(case[0], case[2]) for case in CASES])
def test_unknown_names_are_refused_with_those_there_are(structure, condition):
    key, value = next(iter((key, value) for key, value in condition.items() if key != "length"))
    wrong = "Rome" if isinstance(value, str) else [("Bath", "Rome")] if isinstance(value[0], tuple) else ["Rome"]
    with pytest.raises(ValueError):
        structure.decode(np.zeros(structure.n_features), constraints={key: wrong})
