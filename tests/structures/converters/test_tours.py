"""Routes, cycles and paths as lists of names: what is read, what is refused, and that converters are inverses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from combpred import StructuredRidge
from combpred.structures import Cycles, DirectedCycles, Paths, Routes

TOWNS = ["Bath", "Cork", "Dover", "Ely"]
NAN = float("nan")
TOURS = [Routes(places=TOWNS), Cycles(vertices=TOWNS), DirectedCycles(vertices=TOWNS)]
ARCS = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d"), ("b", "e")]
PATHS = Paths(ARCS, "a", "d", vertices=["a", "b", "c", "d", "e"])
tours = st.lists(st.permutations(TOWNS).flatmap(lambda all_: st.integers(3, 4).map(lambda n: all_[:n])), min_size=1)


@settings(max_examples=40, deadline=None)
@given(tours)
def test_tours_come_back(rows):
    for structure in TOURS:
        y = structure.from_names(rows)
        assert (y.shape, y.dtype) == ((len(rows), 4), np.int32)
        structure.validate(y)
        assert structure.to_names(y) == rows
        closed = structure.to_names(y, sep=">", closed=True)
        assert closed == [">".join([*row, row[0]]) for row in rows]
        np.testing.assert_array_equal(structure.from_names(closed, sep=">", closed=True), y)


@pytest.mark.parametrize("structure", TOURS, ids=lambda structure: structure.name)
def test_every_output_comes_back(structure):
    y = np.array(list(structure.enumerate()))
    rows = structure.to_names(y)
    np.testing.assert_array_equal(structure.from_names(rows), y)
    numbered = type(structure)(len(TOWNS))
    numbers = [[TOWNS.index(name) for name in row] for row in rows]
    np.testing.assert_array_equal(numbered.from_names(numbers), y)
    assert numbered.to_names(y) == numbers
    if structure.name != "routes":
        np.testing.assert_array_equal(structure.from_names([[*row, row[0]] for row in rows]), y)


@pytest.mark.parametrize(
    "rows",
    [
        [["Ely", "Bath", "Cork"], ["Bath", "Ely", "Cork", "Dover"]],
        np.array([["Ely", "Bath", "Cork", ""], ["Bath", "Ely", "Cork", "Dover"]]),
        pd.DataFrame([["Ely", "Bath", "Cork", NAN], ["Bath", "Ely", "Cork", "Dover"]]),
        pl.DataFrame([["Ely", "Bath", "Cork", None], ["Bath", "Ely", "Cork", "Dover"]], orient="row"),
        pd.Series([["Ely", "Bath", "Cork"], ["Bath", "Ely", "Cork", "Dover"]]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_of_many_kinds(rows):
    for structure in TOURS:
        assert structure.from_names(rows).tolist() == [[3, 0, 1, -1], [0, 3, 1, 2]]


def test_numbers_need_no_names():
    assert Routes().from_names([[0, 3], [2, 1, 4]]).tolist() == [[0, 3, -1, -1, -1], [2, 1, 4, -1, -1]]
    assert Cycles(6).from_names([[0, 3, 5, 0]]).tolist() == [[0, 3, 5, -1, -1, -1]]
    assert Routes(places=[10, 20, 30]).from_names([[30, 10]]).tolist() == [[2, 0, -1]]
    assert Routes(places=[10, 20, 30]).to_names([[2, 0]]) == [[30, 10]]


def test_classes_take_the_parameters_of_structures():
    assert Routes.from_names([["Ely", "Bath"]], places=TOWNS).tolist() == [[3, 0, -1, -1]]
    assert Cycles.to_names([[3, 0, 1]], vertices=TOWNS, sep=">") == ["Ely>Bath>Cork"]
    arcs = {"arcs": ARCS, "source": "a", "target": "d", "vertices": ["a", "b", "c", "d", "e"]}
    assert Paths.from_vertices([["a", "c", "d"]], **arcs).tolist() == PATHS.from_vertices([["a", "c", "d"]]).tolist()
    with pytest.raises(TypeError):
        Paths.from_vertices([["a", "c", "d"]])
    assert Routes.from_names(Routes(places=TOWNS), [["Ely", "Bath"]]).shape == (1, 4)  # as a method is called


def test_paths_come_back():
    y = np.array(list(PATHS.enumerate()))
    rows = PATHS.to_vertices(y)
    assert sorted(rows) == [["a", "b", "c", "d"], ["a", "b", "d"], ["a", "c", "d"]]
    np.testing.assert_array_equal(PATHS.from_vertices(rows), y)
    np.testing.assert_array_equal(PATHS.from_vertices(PATHS.to_vertices(y, sep=">"), sep=">"), y)
    np.testing.assert_array_equal(PATHS.from_vertices(pd.DataFrame([row + [NAN] * (4 - len(row)) for row in rows])), y)
    grid = Paths.grid(3, 3)
    outputs = np.array(list(grid.enumerate()))
    np.testing.assert_array_equal(grid.from_vertices(grid.to_vertices(outputs)), outputs)
    chain = Paths.trellis(3, 2)
    steps = chain.sample(5, random_state=0)
    np.testing.assert_array_equal(chain.from_vertices(chain.to_vertices(steps)), steps)


@pytest.mark.parametrize(
    ("convert", "row"),
    [
        (
            lambda: TOURS[0].from_names([["Bath", "Ely"], ["Bath", "Ely", "Bath"]]),
            1,
        ),
        (
            lambda: TOURS[0].from_names([["Bath", "Ely"], ["Rome", "Ely"]]),
            1,
        ),
        (lambda: TOURS[0].from_names([["Bath", "Ely", "Cork", "Ely"]]), 0),
        (lambda: TOURS[0].from_names([["Bath"]]), 0),
        (
            lambda: TOURS[1].from_names([["Bath", "Ely", "Bath"]]),
            0,
        ),
        (lambda: TOURS[1].from_names([["Bath", None, "Ely"]]), 0),
        (lambda: TOURS[1].from_names(["Bath>Ely"]), 0),
        (
            lambda: Routes().from_names([["Bath", "Ely"]]),
            0,
        ),
        (lambda: Cycles(3).from_names([[0, 1, 3]]), 0),
        (lambda: TOURS[0].to_names([[0, 1], [4, 0]]), 1),
        (lambda: TOURS[0].to_names([[0, 0]]), 0),
        (
            lambda: PATHS.from_vertices([["a", "c", "d"], ["a", "x"]]),
            1,
        ),
        (lambda: PATHS.from_vertices([["a", "b"]]), 0),
        (lambda: PATHS.from_vertices([["a", "d"]]), 0),
        (lambda: PATHS.from_vertices([["a", "b", "e", "d"]]), 0),
        (lambda: Paths.grid(2, 2).from_vertices([["a"]]), 0),
        (lambda: TOURS[0].from_names(["Bath"], sep=""), 0),
        (lambda: PATHS.to_vertices([[0, 1]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises(ValueError) as caught:
        convert()
    assert caught.value.row == row


@pytest.mark.parametrize(
    "structure",
    [
        TOURS[0],
        Routes(),
        TOURS[1],
        TOURS[2],
        PATHS,
    ],
)
@pytest.mark.parametrize(
    "y",
    [
        [["Bath", "Cork", "Ely"], ["Ely", "Dover", "Bath"]],
        [["Bath", "Cork", "Ely"], ["Ely", "Dover", "Bath", "Cork"]],
        ["Bath>Ely>Cork", "Ely>Bath>Cork"],
        np.array([["Bath", "Cork", "Ely"], ["Ely", "Dover", "Bath"]]),
        pd.Series([["Bath", "Cork", "Ely"], ["Ely", "Dover"]]),
        pd.DataFrame([["Bath", "Cork", "Ely"], ["Ely", "Dover", "Bath"]]),
    ],
    ids=["lists", "ragged", "strings", "array", "series", "frame"],
)
def test_names_are_told_of_their_converter(structure, y):
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit(np.zeros((2, 1)), y)
    assert (caught.value.argument, caught.value.row) == ("y", 0)
    with pytest.raises(ValueError) as caught:
        (structure if structure != Routes() else Routes(4)).embed(y)
    assert caught.value.row == 0


def test_routes_through_searches():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    rows = [[TOWNS[i] for i in np.argsort(x)[:3]] for x in X @ rng.normal(size=(2, 4))]
    routes = Routes(places=TOWNS)
    y = routes.from_names(rows)
    model = make_pipeline(StandardScaler(), StructuredRidge(routes, kernel="rbf"))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.01, 0.1]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    best = search.best_estimator_
    found = routes.to_names(best.predict(X, constraints={"start": "Ely", "length": 2}))
    assert {row[0] for row in found} == {"Ely"} and {len(row) for row in found} == {2}
    assert "Bath->Cork" in best[-1].structure_.feature_names()
    with pytest.raises(ValueError):
        best.predict(X, constraints={"required": ["Rome"]})
