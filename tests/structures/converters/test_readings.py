"""Rankings that list labels where positions are expected: warnings, and none for positions."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from combpred import EmbeddingRegressor, ProbabilisticStructured, StructuredRidge, StructuredRidgeCV
from combpred.baselines import StructuredSVM
from combpred.structures import Cycles, DirectedCycles, Permutations, Routes, WeakOrders


def rankings(n=120, k=5, noise=0.1, seed=0):
    """Return inputs and positions by linear scores."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, Permutations.from_scores(X @ rng.normal(size=(3, k)) + noise * rng.gumbel(size=(n, k)))


def orders(y):
    """Return the labels from 1 on, from best to worst."""
    return np.argsort(y, axis=1) + 1


def doubt(X, y, structure=Permutations):
    return structure(np.asarray(y).shape[1]).doubt(y, X)


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge("permutations", kernel="rbf"),
        StructuredRidge("permutations"),
        StructuredRidge(WeakOrders()),
        StructuredRidgeCV("permutations", kernels=["linear"]),
        ProbabilisticStructured("permutations"),
        StructuredSVM("permutations", tol=0.1),
        EmbeddingRegressor(structure="permutations", random_state=0),
    ],
    ids=repr,
)
def test_training_warns_of_orders_and_only_of_those(model):
    X, y = rankings()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.warns(UserWarning):
        model.fit(frame, orders(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        right = model.fit(frame, y).score(frame, y)
        assert model.fit(frame, Permutations.from_orders(orders(y), one_based=True)).score(frame, y) == right


@pytest.mark.parametrize(
    "model",
    [
        StructuredRidge(Permutations(), kernel="rbf"),
        StructuredRidge(Permutations()),
        StructuredRidge(Permutations(), solver="primal"),
        ProbabilisticStructured(Permutations()),
        StructuredSVM(Permutations(), tol=0.1),
    ],
    ids=repr,
)
def test_labels_that_no_row_compares_are_named(model):
    X, y = rankings(30, 4)
    known = pd.DataFrame(y, columns=["tea", "milk", "cola", "beer"])
    alone = known.assign(beer=-1)
    alone.loc[3] = [-1, -1, -1, 1]  # with no other one to be compared with
    for frame in (known.assign(beer=-1), alone):
        with pytest.warns(UserWarning):
            model.fit(X, frame)
    with pytest.warns(UserWarning):
        model.fit(X, np.where(np.arange(4) % 2, -1, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, known.where(known > 1, -1))  # every label is compared in some row
        model.fit(X, Permutations.from_top_k([["tea"], ["milk", "tea"]] * 15, list(known.columns)))


def test_labels_that_some_row_compares_are_found_in_any_row():
    y = np.tile([1, 2, -1], (10_000, 1))
    X = np.zeros((10_000, 1))
    assert "label 2 with another one" in Permutations(3).doubt(y, X)
    y[9_999] = [1, -1, 2]
    assert Permutations(3).doubt(y, X) is None and Permutations(3).doubt(pl.from_numpy(y), X) is None


def test_the_reading_that_is_proposed_is_the_right_one():
    X, y = rankings()
    with pytest.warns(UserWarning):
        wrong = StructuredRidge("permutations").fit(X, orders(y))
    right = StructuredRidge("permutations").fit(X, y)
    assert right.score(X, y) > 0.9 > 0.5 > wrong.score(X, orders(y))


def test_inputs_of_every_kind_are_compared():
    X, y = rankings()
    for inputs in (X, sparse.csr_matrix(X), sparse.csr_array(X), pd.DataFrame(X), (10 * X).astype(int)):
        assert doubt(inputs, orders(y)) is not None and doubt(inputs, y) is None
    for inputs in (X.astype(str), X.astype(object), np.full_like(X, np.nan), np.zeros_like(X)):
        assert doubt(inputs, orders(y)) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("n", "k", "noise"), [(40, 3, 0.1), (40, 6, 1.0), (120, 4, 3.0), (400, 8, 0.5), (2000, 3, 0.0)]
)
def test_positions_are_never_doubted(n, k, noise, seed):
    """By tests/benchmarks/wrong_readings.py no sample of 5120 was: among 25 there is none."""
    X, y = rankings(n, k, noise, seed)
    assert doubt(X, y) is None
    assert doubt(X, y, WeakOrders) is None


@pytest.mark.parametrize(("n", "seed"), [(60, 38), (60, 53), (120, 45), (120, 76), (300, 34), (300, 47)])
def test_three_labels_ranked_by_two_inputs_are_not_doubted(n, seed):
    """Four of the six rankings are lists of themselves, so that the few others tell little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    assert doubt(X, Permutations.from_scores(X @ rng.normal(size=(2, 3)))) is None


def test_what_is_no_list_of_labels_is_not_doubted():
    X, y = rankings()
    listed = orders(y)
    assert doubt(X[:29], listed[:29]) is None  # too few
    assert doubt(X, np.where(listed == 3, 2, listed), WeakOrders) is None  # a label twice
    unknown = listed.copy()
    unknown[7, 2] = -1
    assert doubt(X, unknown) is None
    two = Permutations.from_scores(X[:, :2])
    np.testing.assert_array_equal(orders(two), two)  # both readings are the same
    assert doubt(X, orders(two)) is None


def test_targets_of_every_kind_are_compared():
    X, y = rankings()
    for given in (
        orders(y).tolist(),
        list(orders(y)),
        pd.DataFrame(orders(y)),
        pl.DataFrame(orders(y)),
        orders(y) * 1.0,
    ):
        assert doubt(X, given) is not None
    X, y = rankings(3000)
    assert doubt(X, orders(y)) is not None and doubt(X, y) is None
    with pytest.raises(ValueError) as caught:
        StructuredRidge("permutations").fit(X, np.where(np.arange(3000)[:, np.newaxis] == 1777, 0, y))
    assert (caught.value.argument, caught.value.row) == ("y", 1777)


def test_rankings_that_read_alike_both_ways_are_not_doubted():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = np.where(X > 0, [3, 2, 1], [1, 3, 2])  # both their own inverses, and alike for all neighbours
    assert doubt(X, y) is None
    for own in ([2, 3, 1], [3, 1, 2]):  # neighbours agree fully, which no other reading betters
        assert doubt(X, np.where(X > 0, own, [1, 2, 3])) is None


@pytest.mark.parametrize("name", ["routes", "cycles", "directedcycles"])
def test_places_counted_from_one_are_doubted(name):
    X, rows = np.arange(3.0)[:, np.newaxis], [[1, 2, 3], [2, 3, 4], [4, 3, 1]]
    with pytest.warns(UserWarning) as caught:
        assert StructuredRidge(name).fit(X, rows).structure_.space.part_len >= 5
    cls = {"routes": Routes, "cycles": Cycles, "directedcycles": DirectedCycles}[name]
    advice = str(caught[0].message).partition("take ")[2].partition(";")[0]
    y = eval(advice, {cls.__name__: cls, "y": rows})
    named = Routes(places=range(1, 5)) if name == "routes" else cls(vertices=range(1, 5))
    np.testing.assert_array_equal(y, named.from_names(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert named.to_names(StructuredRidge(named).fit(X, y).predict(X))[0]
        StructuredRidge(name).fit(X, [[1, 2, 0], [2, 3, 4], [4, 3, 1]])  # from 0 on
        StructuredRidge(name).fit(X, [[1, 2, 5], [2, 5, 4], [4, 2, 1]])  # with gaps
        StructuredRidge(cls(5)).fit(X, rows)  # as the user says


@pytest.mark.parametrize("name", ["routes", "cycles", "directedcycles"])
def test_integer_names_given_as_numbers_are_doubted(name):
    cls = {"routes": Routes, "cycles": Cycles, "directedcycles": DirectedCycles}[name]
    X, rows = np.arange(3.0)[:, np.newaxis], [[1, 2, 3], [3, 2, 1], [1, 3, 2]]

    def named(*names):
        return cls(**{"places" if name == "routes" else "vertices": list(names)})

    with pytest.warns(UserWarning) as caught:
        StructuredRidge(named(1, 2, 3, 4)).fit(X, rows)
    y = eval(str(caught[0].message).partition("pass ")[2], {cls.__name__: cls, "y": rows})
    np.testing.assert_array_equal(y, named(1, 2, 3, 4).from_names(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        StructuredRidge(named(1, 2, 3, 4)).fit(X, y)
        StructuredRidge(named(3, 2, 1, 0)).fit(X, rows)  # every number is a name
        StructuredRidge(named(0, 1, 2, 3, 9)).fit(X, rows)  # both readings are one
        StructuredRidge(named("a", "b", "c", "d")).fit(X, rows)
    for number, names in ((10, (10, 20, 30)), (4, (1, 2, 3, 4))):
        with pytest.raises(ValueError) as refused:
            StructuredRidge(named(*names)).fit(X, [[0, 1, 2], [number, 1, 2], [0, 1, 2]])
        assert (refused.value.argument, refused.value.row) == ("y", 1)


@pytest.mark.parametrize("structure", [Routes(), Routes(5), Cycles(vertices=["a", "b", "c", "d"])], ids=repr)
def test_missing_places_at_the_right_are_told_how_to_pad(structure):
    y = pd.DataFrame([[1, 2, 3, 0], [1, 2, 3, np.nan]])
    with pytest.raises(ValueError) as caught:
        StructuredRidge(structure).fit([[0.0], [1.0]], y)
    assert (caught.value.argument, caught.value.row) == ("y", 1)
    StructuredRidge(structure).fit([[0.0], [1.0]], y.fillna(-1))


def test_approvals_are_doubted_as_ranks_with_ties():
    X = np.random.default_rng(0).normal(size=(40, 3))
    approved = pd.DataFrame(X > 0, columns=["tea", "milk", "cola"])
    with pytest.warns(UserWarning):
        StructuredRidge("weakorders").fit(X, approved)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StructuredRidge("weakorders").fit(X, np.where(approved, 1, 2))
