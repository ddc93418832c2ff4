"""Targets of each structure: formats accepted, labels that come back, and messages for what is illegal."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import KFold, cross_val_score

from combpred import ProbabilisticStructured, StructuredRidge, StructuredSGD
from combpred._lib.errors import RowError
from combpred.structures import Cycles, LabelSets, MultiClass, Ordinal, Permutations, Structure

# Classes.


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "c", "a"],
        [3, 1, 2, 1],
        [3.0, 1.0, 2.0, 1.0],
        [True, False, True, True],
        np.array(["x", "y", "x", "z"], dtype=object),
        pd.Series(["u", "v", "u", "w"], dtype="category"),
        pd.Series(["u", "v", "u", "w"]),
    ],
    ids=["str", "int", "float", "bool", "object", "categorical", "series"],
)
def test_classes_keep_labels_of_any_type(labels: Any) -> None:
    structure = MultiClass()._resolve(labels)
    np.testing.assert_array_equal(structure.classes_, np.unique(np.asarray(labels)))
    assert structure.n_classes == len(structure.classes_)
    np.testing.assert_array_equal(structure.space.decode_parts(structure.encode(labels)), np.asarray(labels))
    assert structure.feature_names().tolist() == [str(c) for c in structure.classes_.tolist()]
    assert pickle.loads(pickle.dumps(structure)) == structure
    assert clone(structure) == MultiClass(structure.n_classes)


def test_given_number_of_classes_covers_unseen_ones() -> None:
    assert MultiClass(4)._resolve([0, 2, 1]).classes_.tolist() == [0, 1, 2, 3]
    assert MultiClass(2)._resolve([5, 9]).classes_.tolist() == [5, 9]
    with pytest.raises(ValueError):
        MultiClass(3)._resolve(["a", "b"])
    assert MultiClass(3)._resolve([1, 0]) != MultiClass(3)


@pytest.mark.parametrize(
    ("labels", "row"),
    [
        ([0.5, 1.5, 2.0], None),
        ([1.0, np.nan, 2.0], 1),
        ([1.0, 2.0, np.inf], 2),
        (np.array(["a", None, "b"], dtype=object), 1),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), 1),
        (np.array(["a", 1, "b"], dtype=object), None),
        (["a", "a"], None),
        ([[1, 2], [2, 1]], None),
        (scipy.sparse.eye(3), None),
        ([1j, 2j], None),
    ],
)
def test_illegal_labels_are_refused(labels: Any, row: int | None) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        MultiClass()._resolve(labels)
    assert getattr(caught.value, "row", None) == row


def test_unknown_labels_name_the_row() -> None:
    with pytest.raises(ValueError, match=r"row 2.*'c'.*'a', 'b'"):
        MultiClass()._resolve(["a", "b"]).validate(["a", "b", "c"])
    with pytest.raises(ValueError) as caught:
        MultiClass(3).validate([0, 3])
    assert caught.value.row == 1


def test_a_column_is_ravelled_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning):
        assert MultiClass(3).encode(np.array([[0], [2]])).tolist() == [[0], [2]]


# Label sets.


def test_label_sets_take_sparse_and_boolean_matrices() -> None:
    y = np.array([[1, 0, 1], [0, 0, 0]])
    for form in (scipy.sparse.csr_matrix(y), scipy.sparse.coo_array(y), scipy.sparse.csc_matrix(y.astype(float))):
        assert LabelSets()._resolve(form) == LabelSets(3)
        np.testing.assert_array_equal(LabelSets(3).encode(form), y)
    np.testing.assert_array_equal(LabelSets(3).encode(y.astype(bool)), y)
    explicit_zero = scipy.sparse.csr_matrix((np.array([1, 0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    np.testing.assert_array_equal(LabelSets(2).encode(explicit_zero), [[1, 0]])


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_other_values_than_0_and_1_are_located(form: Any) -> None:
    with pytest.raises(ValueError, match="row 1: found 2 in column 2.*0/1"):
        LabelSets(3).validate(form([[0, 1, 1], [1, 0, 2]]))
    with pytest.raises(ValueError) as caught:
        LabelSets(2).validate(form([[0, 1], [-1, 1]]))
    assert caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        LabelSets(2).validate(form([[0, np.nan], [1, 1]]))
    assert caught.value.row == 0
    with pytest.raises(ValueError) as caught:
        LabelSets(3, size=1).validate(form([[0, 1, 0], [1, 0, 1]]))
    assert caught.value.row == 1
    with pytest.raises(ValueError):
        LabelSets(3).validate(form([[0, 1]]))


def test_columns_of_a_frame_name_the_labels() -> None:
    frame = pd.DataFrame({"red": [0, 1], "green": [1, 1]})
    for given_one in (LabelSets(), LabelSets(2)):
        resolved = given_one._resolve(frame)
        assert resolved.feature_names().tolist() == ["red", "green"]
        assert pickle.loads(pickle.dumps(resolved)).feature_names().tolist() == ["red", "green"]
        assert resolved == LabelSets(labels=["red", "green"], n_labels=2)
        assert given_one == LabelSets(given_one.n_labels)
        assert resolved._resolve(frame.to_numpy()).feature_names().tolist() == ["red", "green"]
        with pytest.raises(ValueError):
            resolved.set_params(n_labels=3).count()


def test_sparse_duplicates_add_up_as_scipy_does() -> None:
    twice = scipy.sparse.coo_matrix((np.array([1, 1]), (np.array([0, 0]), np.array([1, 1]))), shape=(1, 2))
    with pytest.raises(ValueError) as caught:
        LabelSets(2).validate(twice)
    assert caught.value.row == 0


def test_size_of_the_sets_is_checked() -> None:
    with pytest.raises(ValueError):
        LabelSets(3, size=4).count()
    assert LabelSets(3, size=0).count() == LabelSets(3, size=3).count() == 1
    with pytest.raises(TypeError):
        LabelSets(3, 2)  # type: ignore[misc]


# Grades.


def test_ordered_categories_come_back() -> None:
    grades = pd.Categorical(["good", "bad", "fair", "bad"], categories=["bad", "fair", "good"], ordered=True)
    for y in (grades, pd.Series(grades), pd.CategoricalIndex(grades)):
        structure = Ordinal()._resolve(y)
        assert structure.grades == 3
        assert structure.encode(y)[:, 0].tolist() == [2, 0, 1, 0]
        assert structure.space.decode_parts(structure.encode(y)).tolist() == list(grades)
        assert structure.feature_names().tolist() == [">=bad", ">=fair", ">=good"]
    assert structure.score(grades, np.array(["good", "good", "fair", "bad"])) == -0.5
    assert Ordinal(3)._resolve(grades) == structure
    with pytest.raises(ValueError) as caught:
        structure.validate(["bad", "awful"])
    assert caught.value.row == 1
    with pytest.raises(ValueError) as caught:
        structure.validate(pd.Categorical([None, "bad"], categories=["bad", "fair", "good"], ordered=True))
    assert caught.value.row == 0


def test_numeric_categories_come_back() -> None:
    y = pd.Categorical([10, 30, 20], categories=[10, 20, 30], ordered=True)
    structure = Ordinal()._resolve(y)
    assert structure.space.decode_parts(structure.encode(y)).tolist() == [10, 30, 20]


@pytest.mark.parametrize(
    ("y", "row"),
    [
        (pd.Categorical(["a", "b"]), 0),
        (["low", "high"], 0),
        ([0, 0], None),
        ([0, 1.5], 1),
        ([0, np.nan], 1),
        ([0, 2**40], 1),
        (pd.Categorical(["a", "a"], ordered=True), None),
    ],
)
def test_illegal_grades_are_refused(y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        Ordinal()._resolve(y)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize("grades", [[0.5, 1.0, 2.5], [-1.5, 0, 2]])
def test_numbers_that_count_nothing_are_grades_as_categories(grades: list[float]) -> None:
    rows = np.array(grades)[[1, 0, 2, 2, 0, 1]]
    with pytest.raises(ValueError) as caught:
        Ordinal()._resolve(rows)
    assert caught.value.row == 1
    known = Ordinal()._resolve(pd.Categorical(rows, ordered=True))
    assert known.count() == 3
    assert known.embed(rows).sum(axis=1).tolist() == [2, 1, 3, 3, 1, 2]


def test_grades_beyond_the_given_number_are_refused() -> None:
    with pytest.raises(ValueError, match=r"row 1: found 3; grades are whole numbers 0\.\.2"):
        Ordinal(3).validate([0, 3])
    with pytest.raises(ValueError):
        Ordinal(3)._resolve(pd.Categorical(["a", "b"], ordered=True))
    with pytest.raises(ValueError):
        Ordinal(2).validate(pd.Categorical(["a", "b"], ordered=True))


def test_grades_unseen_in_training_are_scored() -> None:
    assert Ordinal(3).score([5, 1], [2, 1]) == -1.5
    X, y = np.arange(8.0)[:, np.newaxis], np.array([0, 1, 2, 0, 1, 2, 2, 3])
    scores = cross_val_score(StructuredRidge(Ordinal()), X, y, cv=KFold(4), error_score="raise")
    assert np.isfinite(scores).all()
    with pytest.raises(ValueError) as caught:
        Ordinal(3).score([0, -1], [0, 1])
    assert caught.value.row == 1


def test_categories_unseen_in_training_are_scored_by_their_own_order() -> None:
    structure = Ordinal()._resolve(pd.Categorical(["low", "high"], categories=["low", "high"], ordered=True))
    finer = pd.Categorical(["top", "mid"], categories=["low", "mid", "high", "top"], ordered=True)
    assert structure.score(finer, np.array(["low", "high"])) == -2.0
    assert structure.score(pd.Series(finer), np.array(["high", "high"])) == -1.0
    reversed_order = pd.Categorical(["low"], categories=["high", "low"], ordered=True)
    with pytest.raises(ValueError):
        structure.score(reversed_order, ["low"])


# Rankings.


@pytest.mark.parametrize(
    ("y", "row"),
    [
        ([[1, 2, 3], [1, 1, 2]], 1),
        (
            [[1, 2, 3], [0, 1, 0]],
            1,
        ),
        (
            [[1, 2, 3], [2, -1, 1]],
            1,
        ),
        (
            [[1, 2, 3], [2, np.nan, 1]],
            1,
        ),
        ([[1, 2, 3], [0, 1, 2]], 1),
        ([[1, 2, 3], [0, 1, 3]], 1),
        ([[1, 2, 3], [1, 2, 4]], 1),
        ([[1, 2, 3], [1, 2.5, 3]], 1),
        ([[1, 2, 3], [1, np.inf, 3]], 1),
        ([[1, 2, 3], [1, "x", 3]], 1),
        (pd.DataFrame({"a": [1, "x"], "b": [2, 2], "c": [3, 3]}), 1),
        ([[1, 2]], None),
        ([1, 2, 3], None),
        ([[1, 2, 3], [1, 2]], 1),
    ],
)
def test_illegal_rankings_are_refused(y: Any, row: int | None) -> None:
    with pytest.raises(ValueError) as caught:
        Permutations(3).validate(y)
    assert getattr(caught.value, "row", None) == row


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([2, -1, 1], "row 1: the position of label 1 is missing"),
        ([2, np.nan, 1], "row 1: the position of label 1 is missing"),
        ([1, 1, 2], "row 1: labels 0 and 1 share position 1"),
        ([0, 1, 2], "row 1: .* counts positions from 0"),
    ],
)
@pytest.mark.parametrize("structure", [Permutations(3), Permutations()])
def test_illegal_rankings_are_not_scored(structure: Permutations, row: list[float], message: str) -> None:
    legal, illegal = [[1, 2, 3], [3, 1, 2]], [[1, 2, 3], row]
    if "missing" not in message:  # among the truths, what is known is compared
        with pytest.raises(RowError, match=f"y_true, {message}"):
            structure.score(illegal, legal)
    with pytest.raises(RowError) as caught:
        structure.score(legal, illegal)
    assert (caught.value.argument, caught.value.row) == ("y_pred", 1)


def test_errors_carry_the_row() -> None:
    with pytest.raises(RowError) as caught:
        Permutations(3).validate([[1, 2, 3], [3, 2, 1], [1, 1, 1]])
    assert caught.value.row == 2
    assert "share position 1" in caught.value.reason


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12).flatmap(lambda k: st.lists(st.permutations(range(k)), min_size=1, max_size=5)))
def test_orders_and_positions_are_inverse(orders: list[list[int]]) -> None:
    positions = Permutations.from_orders(orders)
    assert positions.dtype == np.int32
    assert Permutations.to_orders(positions) == orders
    for order, row in zip(orders, positions, strict=True):
        assert [row[label] for label in order] == list(range(1, len(order) + 1))
    assert Permutations()._resolve(positions) == Permutations(len(orders[0]))
    np.testing.assert_array_equal(Permutations(len(orders[0])).encode(positions), positions)


def test_decoding_beyond_exact_size_still_gives_rankings() -> None:
    structure = Permutations(60)
    scores = np.random.default_rng(0).normal(size=(2, structure.n_features))
    structure.validate(structure.decode(scores))


def _at_odd_places(array):
    """Return an equal array whose numbers do not begin at multiples of their size, as parts of messages may."""
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
    raw[:] = np.frombuffer(array.tobytes(), dtype=np.uint8)
    odd = raw.view(array.dtype).reshape(array.shape)
    assert not odd.flags.aligned
    return odd


@pytest.mark.parametrize("solver", ["closed-form", "primal", "sgd", "likelihood"])
def test_arrays_at_odd_places_are_learnt_and_predicted_from(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), Permutations(4).sample(30, random_state=0)
    model = {
        "sgd": StructuredSGD(Permutations(4), random_state=0),
        "likelihood": ProbabilisticStructured(Permutations(4)),
    }.get(solver, StructuredRidge(Permutations(4), solver=solver))
    expected = model.fit(X, y).feature_scores(X)
    odd_X, odd_y, odd_w = _at_odd_places(X), _at_odd_places(y), _at_odd_places(np.ones(30))
    np.testing.assert_allclose(model.fit(odd_X, odd_y, odd_w).feature_scores(odd_X), expected, atol=1e-9)
    assert model.structure_.log_partition(_at_odd_places(expected)).shape == (30,)


@pytest.mark.parametrize("row", [[1, 2, 3, 3], [4, 2, 4, 1], [3, 3, 1, 3], [3, 1, -1, 2]])
def test_rankings_known_in_part_embed_as_the_mean_of_those_that_agree(row: list[int]) -> None:
    """ψ is the mean over the rankings that agree, listed."""
    space, y = Permutations(4), np.array(row)
    before = (y[:, np.newaxis] > 0) & (y[:, np.newaxis] < y)
    agree = [full for full in space.enumerate() if not (before & (full[:, np.newaxis] > full)).any()]
    np.testing.assert_allclose(
        space.space.embed(space.encode([row], partial=True), partial=True)[0],
        space.embed(agree).mean(axis=0),
        atol=1e-15,
    )


@pytest.mark.parametrize(
    "structure",
    [
        Permutations(labels=["a"]),
        Cycles(vertices=["a", "b"]),
        Permutations(1),
    ],
)
def test_too_few_are_counted_as_they_were_given(structure: Structure) -> None:
    with pytest.raises(ValueError):
        structure.count()


@pytest.mark.parametrize(("structure", "label"), [(Ordinal(1), 0), (Ordinal(["a"]), "a"), (MultiClass(1), 0)])
def test_one_class_is_always_right(structure: Structure, label: Any) -> None:
    X = np.arange(6.0).reshape(3, 2)
    assert structure.count() == 1
    assert StructuredRidge(structure).fit(X, [label] * 3).predict(X).tolist() == [label] * 3
