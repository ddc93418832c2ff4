"""The data sets: shapes, reproducibility, and that every target is what its description says."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as source
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

from combpred import StructuredRidge, datasets
from combpred.structures import Hierarchy, LabelSets, Permutations

LOADERS = [name for name in datasets.__all__ if name.startswith("load_")]


@pytest.mark.parametrize("name", LOADERS)
def test_loader_is_complete_and_consistent(name: str) -> None:
    load = getattr(datasets, name)
    bunch = load()
    assert isinstance(bunch, Bunch)
    assert set(bunch) == {"data", "target", "frame", "feature_names", "target_names", "structure", "DESCR"}
    assert bunch.data.dtype == np.float64 and bunch.data.flags.c_contiguous
    assert len(bunch.feature_names) == bunch.data.shape[1]
    assert len(bunch.target) == len(bunch.data)
    assert "{" not in bunch.DESCR  # every field of the description was filled in
    bunch.structure.validate(bunch.target)
    X, y = load(return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


@pytest.mark.parametrize("name", LOADERS)
def test_frames_hold_the_same_by_name(name: str) -> None:
    load = getattr(datasets, name)
    plain, named = load(), load(as_frame=True)
    assert plain.frame is None
    np.testing.assert_array_equal(named.data.to_numpy(), plain.data)
    np.testing.assert_array_equal(named.target.to_numpy(), plain.target)
    assert list(named.data.columns) == plain.feature_names
    columns = [named.target.name] if plain.target.ndim == 1 else plain.target_names
    assert list(named.frame.columns) == [*plain.feature_names, *columns]
    X, y = load(return_X_y=True, as_frame=True)
    pd.testing.assert_frame_equal(X, named.data)
    assert y.equals(named.target)
    named.structure.validate(y)
    if plain.target.ndim == 2:
        assert named.structure.get_params()["labels"] == plain.target_names
        with pytest.raises(ValueError):
            named.structure.validate(y.rename(columns={plain.target_names[0]: "other"}))
    rows = slice(0, 200, 4)
    model = StructuredRidge(named.structure).fit(X[rows], y[rows])
    other = StructuredRidge(plain.structure).fit(plain.data[rows], plain.target[rows])
    np.testing.assert_array_equal(model.predict(X[rows]), other.predict(plain.data[rows]))


def test_loaders_do_not_share_memory_with_each_other() -> None:
    first, second = datasets.load_digits_ranking(), datasets.load_digits_ranking()
    first.data[:] = -1
    assert second.data.min() == 0


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_class_rankings_follow_the_probabilities_of_naive_bayes(name: str) -> None:
    bunch = getattr(datasets, f"load_{name}_ranking")()
    original = getattr(source, f"load_{name}")()
    probability = GaussianNB().fit(original.data, original.target).predict_proba(original.data)
    in_order = np.take_along_axis(probability, np.array(Permutations.to_orders(bunch.target)), axis=1)
    # Descending, up to rounding; probabilities that underflow to 0 tie here and are ordered by their logarithms there.
    assert (np.diff(in_order, axis=1) <= 1e-12).all()
    assert bunch.structure == Permutations(probability.shape[1])
    assert (np.unique(bunch.target, axis=0).shape[0]) > 1


def test_diabetes_ranks_the_standardised_serum_measurements() -> None:
    bunch = datasets.load_diabetes_ranking()
    original = source.load_diabetes(scaled=True)  # centred and scaled columns: the same order as standardised ones
    taken = [original.feature_names.index(name) for name in bunch.target_names]
    expected = np.argsort(-original.data[:, taken], axis=1, kind="stable")
    agree = (np.array(Permutations.to_orders(bunch.target)) == expected).all(axis=1)
    assert agree.mean() > 0.99  # two scalings of equal values may round to a different order
    assert not set(bunch.target_names) & set(bunch.feature_names)


def test_digit_attributes_are_true_of_the_digits() -> None:
    bunch = datasets.load_digits_attributes()
    assert all(f"{name} (" in bunch.DESCR for name in bunch.target_names)  # with the digits that have it
    digit = source.load_digits().target
    column = {name: bunch.target[:, j].astype(bool) for j, name in enumerate(bunch.target_names)}
    np.testing.assert_array_equal(column["even"], digit % 2 == 0)
    np.testing.assert_array_equal(column["square"], np.sqrt(digit) % 1 == 0)
    np.testing.assert_array_equal(column["multiple of three"], digit % 3 == 0)
    np.testing.assert_array_equal(column["above five"], digit > 5)
    has_divisor = [any(k % j == 0 for j in range(2, k)) for k in range(10)]
    np.testing.assert_array_equal(column["prime"], (digit > 1) & ~np.array(has_divisor)[digit])
    assert len(np.unique(bunch.target, axis=0)) == 10
    assert bunch.structure == LabelSets(6)


@pytest.mark.parametrize(("name", "leaves"), [("digits", 10), ("iris", 3)])
def test_hierarchies_have_the_classes_as_leaves(name: str, leaves: int) -> None:
    bunch = getattr(datasets, f"load_{name}_hierarchy")()
    original = getattr(source, f"load_{name}")()
    assert bunch.structure.count() == leaves
    np.testing.assert_array_equal(np.unique(bunch.target), np.sort(original.target_names.astype(str)))
    np.testing.assert_array_equal(bunch.target, original.target_names.astype(str)[original.target])


def test_label_ranking_without_noise_is_learnable_and_reproducible() -> None:
    X, y = datasets.make_label_ranking(60, 3, 4, noise=0.0, random_state=3)
    assert X.shape == (60, 3) and y.shape == (60, 4) and y.dtype == np.int32
    Permutations(4).validate(y)
    again = datasets.make_label_ranking(60, 3, 4, noise=0.0, random_state=3)
    np.testing.assert_array_equal(again[0], X)
    np.testing.assert_array_equal(again[1], y)
    other = datasets.make_label_ranking(60, 3, 4, noise=0.0, random_state=4)
    assert not np.array_equal(other[1], y)
    # Without noise the ranking of −x is that of x turned round, as utilities are linear.
    rng = np.random.RandomState(3)
    np.testing.assert_array_equal(rng.standard_normal((60, 3)), X)
    utility = X @ (rng.standard_normal((3, 4)) / np.sqrt(3))
    np.testing.assert_array_equal(Permutations.to_orders(y), np.argsort(-utility, axis=1))


def test_noise_disorders_the_rankings() -> None:
    clean = datasets.make_label_ranking(200, noise=0.0, random_state=0)[1]
    noisy = datasets.make_label_ranking(200, noise=2.0, random_state=0)[1]
    assert 0.1 < (clean != noisy).mean() < 0.9


def test_generated_hierarchy_is_a_complete_tree_with_near_leaves_near() -> None:
    X, y, tree = datasets.make_hierarchy(2000, 20, depth=2, branching=3, separation=20.0, random_state=0)
    assert isinstance(tree, Hierarchy)
    assert tree.count() == 9 and tree.n_features == 13
    tree.validate(y)
    parent = np.asarray(tree.parent)
    np.testing.assert_array_equal(np.bincount(parent[1:], minlength=4)[:4], [3, 3, 3, 3])
    centres = {leaf: X[y == leaf].mean(axis=0) for leaf in range(4, 13)}
    siblings = [
        np.linalg.norm(centres[a] - centres[b]) for a in centres for b in centres if a < b and parent[a] == parent[b]
    ]
    cousins = [np.linalg.norm(centres[a] - centres[b]) for a in centres for b in centres if parent[a] != parent[b]]
    assert np.mean(siblings) < np.mean(cousins)


def test_identity_labels_are_their_inputs_and_uniform() -> None:
    X, y = datasets.make_identity_labels(3200, 5, random_state=1)
    assert X.dtype == np.float64 and y.dtype == np.int64
    np.testing.assert_array_equal(X, y)
    LabelSets(5).validate(y)
    again, _ = datasets.make_identity_labels(3200, 5, random_state=np.random.RandomState(1))
    np.testing.assert_array_equal(again, X)
    assert (datasets.make_identity_labels(3200, 5, random_state=2)[1] != y).any()
    # The 32 strings have 100 expected occurrences each; 6 standard deviations: false-alarm rate below 1e-7.
    occurrences = np.bincount(y @ (1 << np.arange(5)), minlength=32)
    assert (np.abs(occurrences - 100) <= 6 * np.sqrt(100 * 31 / 32)).all()


def test_identity_is_learnt_exactly() -> None:
    X, y = datasets.make_identity_labels(200, 6, random_state=0)
    assert StructuredRidge(LabelSets(6), alpha=0.1).fit(X[:100], y[:100]).score(X[100:], y[100:]) == 1.0


@pytest.mark.parametrize(
    ("make", "arguments", "error"),
    [
        (datasets.make_label_ranking, {"n_labels": 1}, ValueError),
        (datasets.make_label_ranking, {"n_samples": 0}, ValueError),
        (datasets.make_label_ranking, {"n_features": 2.5}, TypeError),
        (datasets.make_label_ranking, {"noise": -1}, ValueError),
        (datasets.make_label_ranking, {"noise": np.nan}, ValueError),
        (datasets.make_identity_labels, {"n_samples": 0}, ValueError),
        (datasets.make_identity_labels, {"n_labels": 5.0}, TypeError),
        (datasets.make_hierarchy, {"branching": 1}, ValueError),
        (datasets.make_hierarchy, {"depth": True}, TypeError),
        (datasets.make_hierarchy, {"separation": np.inf}, ValueError),
    ],
)
def test_generators_name_the_bad_argument(make: object, arguments: dict[str, object], error: type) -> None:
    with pytest.raises(error) as caught:
        make(**arguments)  # type: ignore[operator]
    assert any(name in str(caught.value) for name in arguments)


def test_frames_need_pandas_and_arrays_do_not() -> None:
    code = """
import importlib.abc, sys
class WithoutPandas(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'")
sys.meta_path.insert(0, WithoutPandas())
from combpred.datasets import load_iris_ranking
print(len(load_iris_ranking().target))
try:
    load_iris_ranking(as_frame=True)
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["150", "No module named 'pandas'"]
