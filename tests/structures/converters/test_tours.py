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
        assert (y.shape, y.dtype) == ((len(rows), max(map(len, rows))), np.int32)
        structure.validate(y)
        assert structure.to_names(y) == rows


@pytest.mark.parametrize("structure", TOURS, ids=lambda structure: structure.name)
def test_every_output_comes_back(structure):
    y = np.array(list(structure.enumerate()))
    rows = structure.to_names(y)
    np.testing.assert_array_equal(structure.from_names(rows), y)
    numbered = type(structure)(len(TOWNS))
    numbers = [[TOWNS.index(name) for name in row] for row in rows]
    np.testing.assert_array_equal(numbered.from_names(numbers), y)
    assert numbered.to_names(y) == numbers


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
    assert Routes().from_names([[0, 3], [2, 1, 4]]).tolist() == [[0, 3, -1], [2, 1, 4]]
    assert Cycles(6).from_names([[0, 3, 5]]).tolist() == [[0, 3, 5]]
    assert Routes(places=[10, 20, 30]).from_names([[30, 10]]).tolist() == [[2, 0]]
    assert Routes(places=[10, 20, 30]).to_names([[2, 0]]) == [[30, 10]]


def test_paths_come_back():
    y = np.array(list(PATHS.enumerate()))
    rows = PATHS.to_vertices(y)
    assert sorted(rows) == [["a", "b", "c", "d"], ["a", "b", "d"], ["a", "c", "d"]]
    np.testing.assert_array_equal(PATHS.from_vertices(rows), y)
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
        (lambda: TOURS[0].from_names(["Bath"]), 0),
        (lambda: TOURS[1].from_names([["Bath", "Ely", "Cork", "Bath"]]), 0),
        (lambda: PATHS.to_vertices([[0, 1]]), 0),
    ],
)
def test_refusals_are_about_the_row(convert, row):
    with pytest.raises(ValueError) as caught:
        convert()
    assert caught.value.row == row


ROWS = [["Bath", "Cork", "Ely"], ["Ely", "Dover", "Bath"]]


@pytest.mark.parametrize("structure", [*TOURS, Routes()], ids=str)
@pytest.mark.parametrize("form", [list, np.array, pd.DataFrame, pd.Series], ids=lambda form: form.__name__)
def test_lists_of_names_are_y(structure, form):
    X, y = np.array([[0.0], [1.0]]), form(ROWS)
    model = StructuredRidge(structure, alpha=1e-3).fit(X, y)
    plain = StructuredRidge(structure if structure._names else Routes(places=TOWNS), alpha=1e-3).fit(
        X, [[0, 1, 3], [3, 2, 0]]
    )
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.score(X, y) == model.score(X, model.predict(X)) == 1
    assert model.structure_._names == tuple(TOWNS)
    assert model.set_output(predict="names").predict(X).tolist() == model.structure_.to_names(plain.predict(X))


@pytest.mark.parametrize("structure", [*TOURS, PATHS], ids=str)
@pytest.mark.parametrize(
    "y", [["Bath>Ely", "Ely>Bath"], [["Bath", "Rome"], ["Ely", "Bath"]]], ids=["strings", "unknown"]
)
def test_rows_that_are_no_lists_of_names_are_refused(structure, y):
    for use in (StructuredRidge(structure).fit, lambda _, y: structure.embed(y)):
        with pytest.raises(ValueError) as caught:
            use(np.zeros((2, 1)), y)
        assert (caught.value.argument, caught.value.row) == ("y", 0)


def test_routes_through_searches():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    rows = [[TOWNS[i] for i in np.argsort(x)[:3]] for x in X @ rng.normal(size=(2, 4))]
    routes = Routes(places=TOWNS)
    y = np.fromiter(rows, dtype=object, count=len(rows))
    model = make_pipeline(StandardScaler(), StructuredRidge(routes, kernel="rbf"))
    search = GridSearchCV(model, {"structuredridge__alpha": [0.01, 0.1]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    best = search.best_estimator_
    found = routes.to_names(best.predict(X, constraints={"start": "Ely", "length": 2}))
    assert {row[0] for row in found} == {"Ely"} and {len(row) for row in found} == {2}
    assert "Bath->Cork" in best[-1].structure_.feature_names()
    with pytest.raises(ValueError):
        best.predict(X, constraints={"required": ["Rome"]})
