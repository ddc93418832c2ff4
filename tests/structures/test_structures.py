"""Structures: the properties that all of them have, then what is particular to each."""

from __future__ import annotations

import ast
import copy
import doctest
import importlib
import inspect
import math
import pickle
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone

from combpred import CapabilityError, metrics, structures
from combpred.structures import (
    Graphs,
    Hierarchy,
    LabelSets,
    MultiClass,
    Ordinal,
    Permutations,
    PosetElements,
    Structure,
    resolve_structure,
    structure_classes,
)
from enumerable import INSTANCES

each = pytest.mark.parametrize(
    ("structure", "psi"), INSTANCES, ids=[f"{s.name}{i}" for i, (s, _) in enumerate(INSTANCES)]
)


# What all have in common.


def test_every_structure_is_tested() -> None:
    assert {type(s) for s, _ in INSTANCES} == set(structure_classes().values())


def test_names_for_type_checkers_are_those_discovered() -> None:
    tree = ast.parse(Path(inspect.getfile(structures)).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    named = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == {cls.__name__ for cls in structure_classes().values()}
    assert named <= set(structures.__all__)
    assert all(
        getattr(structures, name) is cls for name, cls in ((c.__name__, c) for c in structure_classes().values())
    )


@each
def test_members_are_distinct_valid_and_as_many_as_counted(structure: Structure, psi: Any) -> None:
    members = np.array(list(structure.enumerate()))
    assert len(members) == structure.count()
    assert len(np.unique(members, axis=0)) == len(members)
    assert structure.log_count() == pytest.approx(math.log(structure.count()), abs=1e-12)
    structure.validate(members)


@each
def test_encoding_and_decoding_are_inverse(structure: Structure, psi: Any) -> None:
    members = np.array(list(structure.enumerate()))
    parts = structure.encode(members)
    assert parts.dtype == np.int32
    assert parts.flags.c_contiguous
    assert parts.shape == (len(members), structure.space.part_len)
    np.testing.assert_array_equal(structure.space.decode_parts(parts), members)
    np.testing.assert_array_equal(structure.encode(members.tolist()), parts)
    frame = pd.DataFrame(members) if members.ndim == 2 else pd.Series(members)
    np.testing.assert_array_equal(structure.encode(frame), parts)
    if members.dtype.kind == "i":
        np.testing.assert_array_equal(structure.encode(members.astype(np.float32)), parts)
        np.testing.assert_array_equal(structure.encode(members.astype(object)), parts)


@each
def test_embedding_is_as_defined(structure: Structure, psi: Any) -> None:
    members = np.array(list(structure.enumerate()))
    embedded = structure.embed(members)
    assert embedded.shape == (len(members), structure.n_features)
    np.testing.assert_array_equal(embedded, [psi(y) for y in members.tolist()])
    names = structure.feature_names()
    assert names.shape == (structure.n_features,)
    assert len(set(names)) == structure.n_features


@each
def test_moments_are_those_of_the_enumerated_space(structure: Structure, psi: Any) -> None:
    embedded = np.array([psi(y) for y in np.array(list(structure.enumerate())).tolist()])
    np.testing.assert_allclose(structure.mean(), embedded.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(structure.second_moment(), embedded.T @ embedded / len(embedded), atol=1e-12)
    np.testing.assert_allclose(
        structure.covariance(), np.atleast_2d(np.cov(embedded, rowvar=False, bias=True)), atol=1e-12
    )
    assert structure.moments_info.kind == "exact"


@each
def test_samples_are_members_reproducible_and_uniform(structure: Structure, psi: Any) -> None:
    n = 20_000
    drawn = structure.sample(n, random_state=7)
    structure.validate(drawn)
    np.testing.assert_array_equal(drawn, structure.sample(n, random_state=np.random.RandomState(7)))
    assert (drawn != structure.sample(n, random_state=8)).any()
    # Each entry of the mean is within 6 standard errors: false-alarm rate below 1e-8 an entry (and the seed is fixed).
    embedded = structure.embed(drawn)
    error = np.abs(embedded.mean(axis=0) - structure.mean())
    assert (error <= 6 * np.sqrt(np.diag(structure.covariance()) / n) + 1e-12).all()


@each
def test_decoding_finds_the_best_member(structure: Structure, psi: Any) -> None:
    members = np.array(list(structure.enumerate()))
    embedded = structure.embed(members)
    scores = np.random.default_rng(5).normal(size=(20, structure.n_features))
    decoded = structure.decode(scores)
    np.testing.assert_array_equal(decoded, members[(scores @ embedded.T).argmax(axis=1)])
    np.testing.assert_array_equal(structure.decode(scores[3]), decoded[3])
    np.testing.assert_array_equal(structure.decode(scores.tolist()), decoded)


@each
def test_scores_must_be_finite_numbers_of_the_right_width(structure: Structure, psi: Any) -> None:
    d = structure.n_features
    with pytest.raises(ValueError):
        structure.decode(np.zeros((2, d + 1)))
    with pytest.raises(ValueError):
        structure.decode(np.zeros((2, 2, d)))
    bad = np.zeros((3, d))
    bad[2, d - 1] = np.nan
    with pytest.raises(ValueError) as caught:
        structure.decode(bad)
    assert (caught.value.argument, caught.value.row) == ("scores", 2)
    with pytest.raises(TypeError):
        structure.decode(np.zeros((2, d), dtype=complex))


@each
def test_scikit_learn_manners(structure: Structure, psi: Any) -> None:
    for other in (clone(structure), copy.deepcopy(structure), pickle.loads(pickle.dumps(structure))):
        assert other is not structure
        assert other == structure
        assert hash(other) == hash(structure)
        assert other.count() == structure.count()
        assert repr(other) == repr(structure)
    assert structure != "anything"
    assert type(structure)(**structure.get_params()) == structure


def test_structures_differ_from_one_another() -> None:
    assert len({s for s, _ in INSTANCES}) == len(INSTANCES)


@each
def test_score_uses_the_default_metric(structure: Structure, psi: Any) -> None:
    assert structure.default_metric in metrics.__all__
    members = np.array(list(structure.enumerate()))
    perfect, worse = structure.score(members, members), structure.score(members, members[::-1])
    assert isinstance(perfect, float)
    assert worse < perfect
    weight = np.zeros(len(members))
    weight[0] = 1.0
    assert structure.score(members, members[::-1], sample_weight=weight) == structure.score(members[:1], members[-1:])


@each
def test_empty_and_missing_targets_are_refused(structure: Structure, psi: Any) -> None:
    members = np.array(list(structure.enumerate()))
    with pytest.raises(ValueError):
        structure.validate(members[:0])
    with pytest.raises(ValueError, match="y is None"):
        structure.validate(None)
    column = pd.Series(members.tolist() if members.ndim == 1 else members[:, 0]).astype(object)
    column[1] = None
    frame: Any = column
    if members.ndim == 2:
        frame = pd.DataFrame(members).astype(object)
        frame.iloc[1, 0] = None
    with pytest.raises(ValueError) as caught:
        structure.validate(frame)
    assert caught.value.row == 1


@each
def test_sample_size_is_checked(structure: Structure, psi: Any) -> None:
    with pytest.raises(ValueError):
        structure.sample(0)
    with pytest.raises(TypeError):
        structure.sample(2.5)  # type: ignore[arg-type]


def test_documented_examples() -> None:
    modules = [
        importlib.import_module(f"combpred.structures.{m.name}") for m in pkgutil.iter_modules(structures.__path__)
    ]
    results = [doctest.testmod(module) for module in modules]
    assert sum(r.failed for r in results) == 0
    assert sum(r.attempted for r in results) >= 2 * len(structure_classes())


# Sizes: unknown, illegal and large.


@pytest.mark.parametrize("cls", [MultiClass, LabelSets, Ordinal, Permutations])
def test_unknown_sizes_are_named(cls: type[Structure]) -> None:
    with pytest.raises(ValueError):
        cls().count()
    with pytest.raises(TypeError):
        cls(2.0).count()  # type: ignore[call-arg]
    with pytest.raises(ValueError):
        cls(0).count()  # type: ignore[call-arg]


def test_counts_are_exact_at_any_size() -> None:
    assert Permutations(200).count() == math.factorial(200)
    assert Permutations(200).log_count() == pytest.approx(math.lgamma(201), rel=1e-12)
    assert LabelSets(5000).count() == 2**5000
    assert LabelSets(20_000).count() == 2**20_000  # more digits than Python's int() reads by default
    assert LabelSets(1000, size=10).count() == math.comb(1000, 10)
    assert LabelSets(5000).mean().tolist() == [0.5] * 5000


def test_counts_of_millions_of_digits_come_in_time() -> None:
    assert LabelSets(2**24).count() == 2 ** (2**24)
    with pytest.raises(CapabilityError):
        LabelSets(2**24).enumerate()


@pytest.mark.parametrize(
    ("cls", "most"),
    [
        (MultiClass, 2**24),
        (LabelSets, 2**24),
        (Ordinal, 2**24),
        (Permutations, 2**14),
    ],
)
def test_the_largest_sizes_are_named(cls: Any, most: int) -> None:
    assert cls(most).n_features >= most
    with pytest.raises(ValueError):
        cls(most + 1).n_features  # noqa: B018
    with pytest.raises(ValueError):
        cls(10**30).count()


def test_posets_too_large_are_refused() -> None:
    most = 2**13
    wide = np.broadcast_to(np.int8(0), (most + 1, most + 1))
    with pytest.raises(
        ValueError, match=f"PosetElements: the number of elements .n. is {most + 1}, must be between 1 and {most}"
    ):
        PosetElements(wide).count()


def test_moments_that_cannot_be_allocated_are_refused_beforehand() -> None:
    with pytest.raises(MemoryError, match="second moment.*GiB"):
        Permutations(2000).second_moment()
    with pytest.raises(MemoryError):
        Permutations(2000).covariance()


def test_enumeration_is_refused_with_the_count() -> None:
    with pytest.raises(CapabilityError):
        Permutations(11).enumerate()
    with pytest.raises(CapabilityError):
        Permutations(100).enumerate()


def test_enumeration_spans_blocks() -> None:
    members = np.array(list(Permutations(8).enumerate()))
    assert len(np.unique(members, axis=0)) == math.factorial(8)


# From the argument of an estimator to a structure.


def test_structures_are_resolved_from_instances_names_and_targets() -> None:
    given_one = Permutations()
    resolved = resolve_structure(given_one, [[1, 2], [2, 1]])
    assert resolved == Permutations(2)
    assert given_one.n_labels is None
    assert resolve_structure("permutations", [[1, 2], [2, 1]]) == Permutations(2)
    assert resolve_structure("labelsets", [[1, 0, 1]]) == LabelSets(3)
    assert resolve_structure("ordinal", [0, 3]) == Ordinal(4)
    assert resolve_structure(None, ["a", "b"]).classes_.tolist() == ["a", "b"]
    assert resolve_structure(None, np.array([2, 7, 2])).classes_.tolist() == [2, 7]
    assert resolve_structure(None, [[0, 1], [1, 1]]) == LabelSets(2)
    assert resolve_structure(None, scipy.sparse.eye(4)) == LabelSets(4)
    assert resolve_structure(None, pd.DataFrame({"a": [0, 1], "b": [1, 1]})) == LabelSets(2, labels=["a", "b"])
    assert resolve_structure(None, np.array([[0], [1]])).classes_.tolist() == [0, 1]  # encoding warns


@pytest.mark.parametrize(
    ("structure", "y", "error", "row"),
    [
        ("cycles of length seven", [0, 1], ValueError, None),
        ("permutation", [[1, 2]], ValueError, None),
        ("hierarchy", [0, 1], ValueError, None),
        ("posetelements", [0, 1], ValueError, None),
        (Permutations, [[1, 2]], TypeError, None),
        (Permutations.count, [[1, 2]], TypeError, None),
        (3, [[1, 2]], TypeError, None),
        (None, [[1, 2, 3], [2, 1, 3]], ValueError, None),
        (None, [0.5, 1.5], ValueError, None),
        (None, np.array([[0, 1], [np.nan, 1]]), ValueError, 1),
        (None, [[0.5, 1.5], [0.1, 0.2]], ValueError, None),
    ],
)
def test_unresolvable_structures_are_refused(structure: Any, y: Any, error: type[Exception], row: int | None) -> None:
    with pytest.raises(error) as caught:
        resolve_structure(structure, y)
    assert getattr(caught.value, "row", None) == row


def test_nested_parameters_can_be_searched() -> None:
    structure = LabelSets(5)
    assert structure.set_params(size=2) is structure
    assert structure == LabelSets(5, size=2)
    assert structure.count() == 10


# Changes.


@pytest.mark.parametrize(
    ("structure", "changed"),
    [
        (Hierarchy([-1, 0, 0, 1]), {"parent": [-1, 0, 0, 2]}),
        (PosetElements(np.eye(3, dtype=bool)), {"relation": np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)}),
        (Graphs(3, edges=[(0, 1), (1, 2)]), {"edges": [(0, 1), (1, 2), (0, 2)]}),
        (Permutations(3), {"n_labels": 4}),
    ],
    ids=repr,
)
def test_parameters_that_are_set_make_another_space(structure: Any, changed: dict[str, Any]) -> None:
    before = structure.space
    assert structure.space is before
    other = type(structure)(**{**structure.get_params(), **changed})
    structure.set_params(**changed)
    assert structure.space is not before and structure.count() == other.count()
    np.testing.assert_array_equal(structure.mean(), other.mean())
    assert structure.feature_names().tolist() == other.feature_names().tolist()


def test_parameters_that_no_pickle_holds_are_refused_as_others_are() -> None:
    with pytest.raises(ValueError):
        Graphs(3, edges=[(lambda: 0, 1)]).count()
    with pytest.raises(TypeError):
        Hierarchy([lambda: 0]).count()


def test_spaces_show_their_structure() -> None:
    assert repr(Permutations(4).space) == "LibrarySpace(Permutations)"
    users = structures.Custom.from_sampler(
        lambda rng: rng.integers(2), lambda y: [float(y)], log_count=np.log(2.0), n_moment_samples=20
    )
    assert repr(users.space) == "PythonSpace(Custom)"
